//! The file of a canary: planted before a run, gone after it.
//!
//! It lies beside the judged tests, because only there does it see what they see (a `conftest.py`,
//! relative imports). Its name is random: one that is known could be excluded or forged. So what a
//! killed orchestrator leaves in the tree can't be known by its name; it is noted in the run's
//! folder before it is written, and the next command removes it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::place::Place;
use super::verification::{Heard, Measured, Step, Verification, disk, read_capped};
use crate::canary_text::{Script, Secret};
use tdd_child::leftovers::{self, Planted};
use tdd_child::random;
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::test::{Canary, Exit, Outcome, TestReport, TestResult};
use tdd_core::trouble::Trouble;
use tdd_source::Language;

/// Bytes of a judged file that is imitated; of a larger one nothing is.
const LARGEST_JUDGED: u64 = 4 * 1024 * 1024;

/// Letters of a random name that tell it from all others. Who writes a file for each test may cut names off.
const TELLING: usize = 9;

/// Names that were made in this process, as far as they tell.
static NAMES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A judged file that is there.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) path: RelPath,
    pub(super) source: String,
}

/// The judged files of a run that carries a canary (`wanted`), as far as they are there; `None` for other runs.
/// A snapshot or another datum that came with the tests can't be imitated.
pub(super) fn judged(place: &Place, wanted: Option<&[RelPath]>) -> Option<Vec<Judged>> {
    let read = |path: &RelPath| {
        let bytes = read_capped(&place.absolute(path), LARGEST_JUDGED).ok()??;
        Some(Judged { path: path.clone(), source: String::from_utf8_lossy(&bytes).into_owned() })
    };
    let is_code = |path: &RelPath| Language::of(path.extension()).is_some();
    let wanted = wanted?;
    let has_code = wanted.iter().any(is_code);
    Some(wanted.iter().filter(|path| !has_code || is_code(path)).filter_map(read).collect())
}

/// A planted canary; dropping it removes the file.
#[derive(Debug)]
pub(super) struct PlantedCanary {
    secret: Secret,
    tests: Vec<String>,
    file: PathBuf,
    /// The same in the repository, if it lies there.
    pub(super) path: Option<RelPath>,
    _planted: Planted,
}

/// Names that no one has used before and nobody can guess.
pub(super) fn secret() -> Result<Secret, Trouble> {
    let word = |letter: char| Ok(format!("{letter}{:016x}", u64::from_ne_bytes(random::bytes()?)));
    let secret = Secret { name: word('q')?, token: word('t')? };
    if let Some(telling) = secret.name.get(..TELLING) {
        NAMES.lock().unwrap_or_else(PoisonError::into_inner).push(telling.to_owned());
    }
    Ok(secret)
}

/// Whether a file is called after a canary of this process: a suite that writes one for each of its tests made it, as
/// nobody else knows such a name.
pub fn is_named_after_one(path: &RelPath) -> bool {
    let names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    names.iter().any(|name| path.as_str().contains(name.as_str()))
}

impl PlantedCanary {
    /// Writes `script` to a new file of this name in `folder`.
    pub(super) fn plant(
        place: &Place,
        folder: &Path,
        name: &str,
        (secret, script): (Secret, &Script),
    ) -> Result<Self, Trouble> {
        let file = folder.join(name);
        let planted = leftovers::note_canary(&file, &secret.token);
        let mut planted = Self {
            path: file.to_str().and_then(|path| place.in_repository(path)),
            secret,
            tests: Vec::new(),
            file,
            _planted: planted,
        };
        planted.write(script)?;
        Ok(planted)
    }

    /// Writes another script in its place.
    pub(super) fn replace(&mut self, script: &Script) -> Result<(), Trouble> {
        self.write(script)
    }

    fn write(&mut self, script: &Script) -> Result<(), Trouble> {
        let written = regular_file::write(&self.file, &script.source);
        written.map_err(|error| disk(&self.file, &error))?;
        self.tests.clone_from(&script.tests);
        Ok(())
    }

    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    pub(super) fn secret(&self) -> &Secret {
        &self.secret
    }

    pub(super) fn tests(&self) -> &[String] {
        &self.tests
    }

    fn owns(&self, test: &TestResult) -> bool {
        let name = test.id.0.split_once("::").map(|(_, name)| name);
        name.is_some_and(|name| self.tests.iter().any(|own| own == name))
            || (test.file.is_some() && test.file == self.path)
    }

    /// Takes the canary's results out of a report and says what they are.
    pub(super) fn take_out(&self, report: &mut TestReport) -> Canary {
        let (own, others): (Vec<TestResult>, Vec<TestResult>) =
            std::mem::take(&mut report.tests).into_iter().partition(|test| self.owns(test));
        report.tests = others;
        let loads = report.load_failures.len();
        report.load_failures.retain(|load| self.path.as_ref() != Some(&load.file));
        let unloaded = report.load_failures.len() < loads;
        let word = |name: &String| {
            let of_name = |test: &&TestResult| test.id.0.split_once("::").is_some_and(|(_, own)| own == name);
            own.iter().find(of_name).map(|test| &test.outcome)
        };
        let seen = self.classify(self.tests.iter().map(word));
        if seen == Canary::NotRun && unloaded { Canary::Errored } else { seen }
    }

    /// What became of its tests, each as far as it was told of.
    pub(super) fn classify<'a>(&self, words: impl Iterator<Item = Option<&'a Outcome>>) -> Canary {
        let one = |word: Option<&Outcome>| match word {
            None => Canary::NotRun,
            Some(Outcome::Failed(failure)) if failure.message.contains(&self.secret.token) => {
                Canary::SeenFailing
            }
            Some(Outcome::Failed(_)) => Canary::Errored,
            Some(Outcome::Passed | Outcome::Skipped) => Canary::Passed,
        };
        worst(&words.map(one).collect::<Vec<_>>())
    }
}

/// What became of several together: one that passed says more than one that errored or did not run.
pub(super) fn worst(all: &[Canary]) -> Canary {
    let bad = [Canary::Passed, Canary::Errored, Canary::NotRun].into_iter().find(|bad| all.contains(bad));
    bad.unwrap_or(Canary::SeenFailing)
}

/// What became of a run's canary, which leaves the report. Without any judged file there was none,
/// and the tests that are expected will be missed.
pub(super) fn outcome(
    planted: Option<&PlantedCanary>,
    judged: Option<&[Judged]>,
    report: &mut TestReport,
) -> Canary {
    let (Some(planted), Some(judged)) = (planted, judged) else { return Canary::NotAsked };
    let pointless = is_pointless(judged, report);
    let seen = planted.take_out(report);
    if pointless { Canary::NotAsked } else { seen }
}

/// Whether none of the judged files loads: then the run is red by itself, and there is nothing that
/// a canary could be like.
pub(super) fn is_pointless(judged: &[Judged], report: &TestReport) -> bool {
    let fails = |file: &Judged| report.load_failures.iter().any(|load| load.file == file.path);
    report.project_broken.is_some() || judged.iter().all(fails)
}

/// The judged files of a run that canaries may follow in a call of their own; `None` if the run is
/// worth nothing by itself, because a canary's failure would explain its exit code.
pub(super) fn may_follow(
    run: &Measured,
    place: &Place,
    wanted: Option<&[RelPath]>,
    verification: &mut Verification,
) -> Option<Vec<Judged>> {
    let (mut judged, report) = (judged(place, wanted)?, run.report.as_ref()?);
    // What does not load is red by itself, and a copy of it would not load either.
    judged.retain(|file| !report.load_failures.iter().any(|failure| failure.file == file.path));
    verification.note_canary(Canary::NotAsked);
    let agrees = run.exit == Exit::Code(if report.is_red() { run.fail_code } else { 0 });
    (agrees && !judged.is_empty() && run.unreadable.is_none() && !is_pointless(&judged, report))
        .then_some(judged)
}

/// Runs the call that names the planted files; `report` reads what it left. Of the log nothing
/// stays, and the exit code of a green run is the one that the canaries made.
pub(super) async fn see(
    (run, planted, copies): (Measured, Vec<PlantedCanary>, Vec<PlantedCanary>),
    step: Step,
    verification: &mut Verification,
    report: impl FnOnce() -> TestReport,
) -> Result<Measured, Trouble> {
    let before = verification.parts();
    let finished = verification.run(step).await?;
    verification.hide_parts(before);
    let mut seen = report();
    verification.hear_copies(take_out_copies(&copies, &mut seen));
    let words: Vec<Canary> = planted.iter().map(|planted| planted.take_out(&mut seen)).collect();
    verification.note_canary(worst(&words));
    let exit = if run.exit == Exit::Code(0) { finished.exit } else { run.exit };
    Ok(Measured { exit, ..run })
}

/// Takes the results of planted copies out of a report.
pub(super) fn take_out_copies(planted: &[PlantedCanary], report: &mut TestReport) -> Heard {
    let take = |planted: &PlantedCanary| {
        let is_own = |file: Option<&RelPath>| file.is_some() && file == planted.path.as_ref();
        let (own, others): (Vec<TestResult>, Vec<TestResult>) =
            std::mem::take(&mut report.tests).into_iter().partition(|test| is_own(test.file.as_ref()));
        report.tests = others;
        report.load_failures.retain(|load| !is_own(Some(&load.file)));
        own
    };
    planted.iter().map(take).collect()
}

/// The arguments that name the planted files.
pub(super) fn paths<'p>(
    planted: impl IntoIterator<Item = &'p PlantedCanary>,
) -> impl Iterator<Item = String> {
    planted.into_iter().map(|planted| planted.file().to_string_lossy().into_owned())
}

/// The file of a Python canary: named as the judged one is, so that the same patterns fit it.
pub(super) fn named_like(judged: &RelPath, name: &str) -> String {
    let file = judged.file_name();
    let (stem, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    let words: Vec<&str> = stem.split('_').collect();
    let says_so = |word: &str| ["test", "tests", "check", "spec"].contains(&word);
    let stem = match (words.first(), words.last()) {
        (_, Some(last)) if says_so(last) && words.len() > 1 => format!("{name}_{last}"),
        (Some(first), _) if says_so(first) => format!("{first}_{name}"),
        (_, _) => format!("test_{name}"),
    };
    format!("{stem}.{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdd_core::test::{Failure, FailureKind, LoadFailure, TestId};

    fn path(text: &str) -> RelPath {
        RelPath::new(text).unwrap()
    }

    #[test]
    fn a_canary_is_seen_failing_only_by_its_own_words() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path(), folder.path());
        let secret = Secret { name: "q1".to_owned(), token: "t0".to_owned() };
        let script = Script { source: "x".to_owned(), tests: vec!["a".to_owned(), "b".to_owned()] };
        let planted = PlantedCanary::plant(&place, &place.project, "c.py", (secret, &script)).unwrap();
        assert_eq!(planted.path, Some(path("c.py")));
        let failed = |message: &str| {
            let message = message.to_owned();
            Outcome::Failed(Failure {
                kind: FailureKind::Assertion,
                message,
                absent: None,
                absent_too: Vec::new(),
            })
        };
        let own = || Some(failed("AssertionError: t0"));
        for (a, b, want) in [
            (own(), own(), Canary::SeenFailing),
            (own(), Some(Outcome::Passed), Canary::Passed),
            (own(), Some(Outcome::Skipped), Canary::Passed),
            (own(), Some(failed("ImportError: c")), Canary::Errored),
            (Some(failed("no fixture")), Some(Outcome::Passed), Canary::Passed),
            (None, Some(Outcome::Passed), Canary::Passed),
            (own(), None, Canary::Errored),
            (None, None, Canary::Errored),
        ] {
            let result = |name: &str, outcome: Option<Outcome>| {
                let file = Some(path("c.py"));
                let id = TestId(format!("c.py::{name}"));
                outcome.map(|outcome| TestResult { id, file, outcome, duration_ms: 0 })
            };
            let other = TestResult {
                id: TestId("d.py::a1".to_owned()),
                file: Some(path("d.py")),
                outcome: Outcome::Passed,
                duration_ms: 0,
            };
            let load = failed("x");
            let Outcome::Failed(failure) = load else { unreachable!() };
            let mut report = TestReport {
                tests: [result("a", a.clone()), result("b", b.clone()), Some(other.clone())]
                    .into_iter()
                    .flatten()
                    .collect(),
                load_failures: vec![LoadFailure::new(path("c.py"), failure)],
                ..TestReport::default()
            };
            assert_eq!(planted.take_out(&mut report), want, "{a:?} {b:?}");
            assert_eq!(report, TestReport { tests: vec![other], ..TestReport::default() });
        }
        let mut without = TestReport::default();
        assert_eq!(planted.take_out(&mut without), Canary::NotRun, "nobody tells of it");
        drop(planted);
        assert!(!folder.path().join("c.py").exists());
    }

    #[test]
    fn code_is_imitated_and_what_came_with_it_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::new(folder.path(), folder.path());
        for file in ["a.test.js", "a.test.js.snap", "b.t"] {
            std::fs::write(folder.path().join(file), "x").unwrap();
        }
        for (files, want) in [
            (vec!["a.test.js", "a.test.js.snap", "gone.test.js"], vec!["a.test.js"]),
            (vec!["b.t"], vec!["b.t"]),
        ] {
            let files: Vec<RelPath> = files.into_iter().map(path).collect();
            let judged = judged(&place, Some(&files)).unwrap();
            let names: Vec<&str> = judged.iter().map(|file| file.path.as_str()).collect();
            assert_eq!(names, want);
        }
    }

    #[test]
    fn it_is_named_by_the_judged_files_pattern() {
        for (judged, want) in [
            ("t/test_ac_1.py", "test_q1.py"),
            ("ac_1_test.py", "q1_test.py"),
            ("check_ac.py", "check_q1.py"),
            ("ac_1.py", "test_q1.py"),
            ("test.py", "test_q1.py"),
        ] {
            assert_eq!(named_like(&path(judged), "q1"), want, "{judged}");
        }
    }

    #[test]
    fn what_is_called_after_a_canary_is_known() {
        let name = secret().unwrap().name;
        for (named, want) in [
            (format!("out/test_{name}.py-test_one.txt"), true),
            (format!("shots/{}/one.png", &name[..12]), true),
            ("out/test_q0.txt".to_owned(), false),
            ("out/test_ac_ste_1_1.txt".to_owned(), false),
        ] {
            assert_eq!(is_named_after_one(&path(&named)), want, "{named}");
        }
    }

    #[test]
    fn no_two_secrets_are_alike() {
        let (one, two) = (secret().unwrap(), secret().unwrap());
        assert_ne!(one, two);
        assert_ne!(one.name, one.token);
        assert!(one.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()));
    }
}
