//! Tests as a runner reported them: ids, outcomes, reports. Values only; a report is a finding
//! only after [`evidence`](crate::finding) has weighed it against the exit code.

mod copies;
mod loading;
mod own_name;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;

pub use copies::{Copies, Untold, UntoldWhy};

/// `<path relative to the project>::<full name>`, or a slug set by an annotation.
///
/// The full name is the runner's own, with its nesting joined as the runner joins it
/// (`module::name` in Rust, `Class::name` in pytest, titles joined by ` > ` in node).
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct TestId(pub String);

impl fmt::Display for TestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TestId {
    /// The id that namesakes share: without the ` #2`, ` #3` that tells them apart. What a runner,
    /// a source or a claim calls by its name is called so.
    pub fn shared(&self) -> &str {
        let numbered = self.0.rsplit_once(" #").filter(|(name, number)| {
            let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && !number.starts_with('0');
            is_number && !number.is_empty() && *number != "1" && !name.is_empty()
        });
        numbered.map_or(self.0.as_str(), |(name, _)| name)
    }

    /// The one that may be meant by an id that is none of these.
    pub fn most_like<'k>(&self, known: impl IntoIterator<Item = &'k Self>) -> Option<&'k Self> {
        // A table may be called by its function.
        let table = |other: &'k Self| other.0.split('[').next().unwrap_or_default();
        let like = |other: &str| strsim::normalized_damerau_levenshtein(&self.0, other);
        let likeness = |other: &'k Self| like(&other.0).max(like(table(other)));
        let scored = known.into_iter().map(|other| (likeness(other), other));
        let best = scored.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(score, _)| *score > 0.5);
        best.map(|(_, other)| other)
    }

    /// The functions that it may be a case of, the innermost first. In Rust, where a macro makes modules of functions,
    /// `tests::adds` of `tests::adds::case_1`; in Python `test_adds` of `test_adds[1-2]`.
    pub fn made_from(&self) -> impl Iterator<Item = &str> {
        let extension = self.file().rsplit_once('.').map_or("", |(_, extension)| extension);
        let (is_rust, is_python) = (extension == "rs", extension == "py");
        let inner = self.0.rmatch_indices("::").map(|(at, _)| &self.0[..at]);
        // A function's name holds no bracket; what is in them may be anything.
        let row = self.0[self.file().len()..].find('[').filter(|_| is_python && self.0.ends_with(']'));
        let function = row.map(|at| &self.0[..self.file().len() + at]);
        inner.filter(move |name| is_rust && name.contains("::")).chain(function)
    }

    /// Whether it is a row or a part of this test: `test_a[1]`, `TestA/one`.
    pub fn is_row_of(&self, test: &Self) -> bool {
        let rest = self.0.strip_prefix(&test.0).filter(|_| test.0.contains("::"));
        rest.is_some_and(|rest| rest.starts_with(['[', '/']))
    }

    /// The path that it begins with, relative to the project; all of it where it names no file.
    pub fn file(&self) -> &str {
        self.0.split("::").next().unwrap_or_default()
    }

    /// Whether it may lie in this file of the repository, in whichever project of it.
    pub fn is_in(&self, file: &RelPath) -> bool {
        let (path, own) = (file.as_str(), self.file());
        path.strip_suffix(own).is_some_and(|above| above.is_empty() || above.ends_with('/'))
    }
}

/// What one test did in one run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Passed,
    Failed(Failure),
    /// Skipped, ignored, todo, expected to fail: whatever means that its word counts for nothing.
    Skipped,
}

/// How a test failed, as far as the report tells.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Failure {
    pub kind: FailureKind,
    /// The first lines of what the runner said, at most 2 KiB.
    pub message: String,
    /// For [`FailureKind::Missing`]: the symbol, export or module that is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<String>,
    /// What else is absent, where the runner tells all that is and not the first alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent_too: Vec<String>,
}

impl Failure {
    /// Everything that is said to be absent.
    pub fn all_absent(&self) -> impl Iterator<Item = &String> {
        self.absent.iter().chain(&self.absent_too)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FailureKind {
    /// The test ran and an expectation failed.
    Assertion,
    /// The test ran and threw, panicked, or hit a stub.
    Error,
    /// It did not load, compile or run only because something of the project's own that is
    /// still to be written is absent (a module, export, symbol, method, signature).
    Missing,
    /// It did not load for another reason: syntax, a bad fixture, a foreign import.
    Load,
    Timeout,
    Crash,
}

/// One line of a report.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestResult {
    pub id: TestId,
    /// The file that holds the test, relative to the repository, where the runner tells it.
    pub file: Option<RelPath>,
    pub outcome: Outcome,
    pub duration_ms: u64,
}

/// A test file (or target) of which no test could be collected.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LoadFailure {
    pub file: RelPath,
    pub failure: Failure,
    /// What it lacks of other test files, which do not load either.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<Behind>,
}

impl LoadFailure {
    pub fn new(file: RelPath, failure: Failure) -> Self {
        Self { file, failure, behind: None }
    }
}

/// Test files without which another one does not load: a helper that the tests of a package share.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Behind {
    /// How each fails itself, and those that these need in their turn; of one that was left out nothing is known but
    /// that.
    pub needs: Vec<LoadFailure>,
    /// All that the other file lacks, what these declare among it.
    pub absent: Vec<String>,
}

/// What a runner reported in one verification, over all the invocations that it took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestReport {
    pub tests: Vec<TestResult>,
    pub load_failures: Vec<LoadFailure>,
    /// The report has its end mark, so nothing was cut off.
    pub complete: bool,
    /// Something of the project itself (not of a test) does not build or load: nothing could run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_broken: Option<Failure>,
    /// Files of the repository that the runner itself loads beside tests, as far as it tells: its
    /// configuration, plugins, what sets tests up.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub loaded: BTreeSet<RelPath>,
    /// Folders of the repository (empty for itself) that modules of Python are imported from because they are
    /// installed as they lie there (`pip install -e`).
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub import_roots: BTreeSet<String>,
    /// Files of the repository that Python loaded in the place of a module by the same name that is installed, or its own.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub hiding: BTreeSet<RelPath>,
}

impl TestReport {
    /// Whether it tells a test of this file, as ids spell it, or that the file does not load.
    pub fn tells_of(&self, file: &str) -> bool {
        let is_load = |load: &LoadFailure| {
            load.file.as_str() == file || load.file.as_str().ends_with(&format!("/{file}"))
        };
        self.tests.iter().any(|test| test.id.file() == file) || self.load_failures.iter().any(is_load)
    }

    /// Whether anything failed: a test, the loading of a file, or the project itself.
    pub fn is_red(&self) -> bool {
        let failed = |test: &TestResult| matches!(test.outcome, Outcome::Failed(_));
        self.project_broken.is_some() || !self.load_failures.is_empty() || self.tests.iter().any(failed)
    }

    /// Tells tests of one id apart by their order in the report: the second is `<id> #2`, the third
    /// `<id> #3`; a number that makes another test's own id is passed over.
    pub fn number_namesakes(&mut self) {
        let mut own: HashSet<&str> = HashSet::with_capacity(self.tests.len());
        let ids = self.tests.iter().map(|test| test.id.0.as_str()).enumerate();
        let again: Vec<(usize, &str)> = ids.filter(|(_, id)| !own.insert(id)).collect();
        let mut last: HashMap<&str, usize> = HashMap::new();
        let mut named = Vec::with_capacity(again.len());
        for (at, id) in again {
            let number = last.entry(id).or_insert(1);
            loop {
                *number += 1;
                let name = format!("{id} #{number}");
                if !own.contains(name.as_str()) {
                    named.push((at, name));
                    break;
                }
            }
        }
        for (at, name) in named {
            self.tests[at].id = TestId(name);
        }
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    Code(i32),
    Signal(i32),
    /// Stopped by us at its deadline.
    Deadline,
    /// Stopped by us because it printed more than it may.
    OutputCap,
}

impl Exit {
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(signal) => write!(f, "killed by signal {signal}"),
            Self::Deadline => f.write_str("stopped at its deadline"),
            Self::OutputCap => f.write_str("stopped: it printed too much"),
        }
    }
}

/// What became of the one generated test that a verifying run carries and that must fail (contract
/// section 7): production code that patches assertions or the runner lets it pass, and code that
/// leaves before the tests keeps it from running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Canary {
    /// The run is not one that a verdict of green may rest on.
    #[default]
    NotAsked,
    /// Nobody knows how this runner could carry one.
    Unsupported,
    /// It failed by its own assertion, whose message holds its token.
    SeenFailing,
    /// It passed, or it was skipped.
    Passed,
    /// It failed before its own assertion: in its set-up, or while it was loaded.
    Errored,
    /// The report does not name it.
    NotRun,
}

impl Canary {
    pub fn is_not_asked(&self) -> bool {
        *self == Self::NotAsked
    }
}

/// One verification: what was run, how it ended, what it reported.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestRun {
    /// The command lines that ran, as a person would type them, joined by ` && `.
    pub command: String,
    pub exit: Exit,
    /// Of the commands that run tests.
    pub duration_ms: u64,
    /// Of those before them that only build, where the adapter can tell.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub build_ms: u64,
    /// `None` if the runner can't be read test by test (`exit-code`).
    pub report: Option<TestReport>,
    /// Why a report that should be there is none: absent, stale, torn, unreadable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
    /// The file that holds all that was printed.
    pub log: String,
    /// Head and tail of what was printed, at most 32 KiB, with a marker between them.
    pub output: String,
    /// The exit code with which this runner says "some tests failed" (cargo 101, others 1).
    pub fail_code: i32,
    /// It is in no report: the adapter takes it out. With [`Canary::SeenFailing`] a run in which all
    /// else passed exits with `fail_code`.
    #[serde(default, skip_serializing_if = "Canary::is_not_asked")]
    pub canary: Canary,
    /// They are in no report either.
    #[serde(default, skip_serializing_if = "Copies::is_empty")]
    pub copies: Copies,
}

/// For fields that are left out of what is written where they say nothing.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
pub(super) fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl TestRun {
    /// How the runner would have ended without the canary: what a person is told, who never asked
    /// for a test that fails.
    pub fn own_exit(&self) -> Exit {
        let by_canary = self.canary == Canary::SeenFailing
            && self.exit == Exit::Code(self.fail_code)
            && self.report.as_ref().is_some_and(|report| !report.is_red());
        if by_canary { Exit::Code(0) } else { self.exit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_exit_code_zero_is_a_success() {
        for (exit, is_success, words) in [
            (Exit::Code(0), true, "exit code 0"),
            (Exit::Code(1), false, "exit code 1"),
            (Exit::Code(-1), false, "exit code -1"),
            (Exit::Signal(9), false, "killed by signal 9"),
            (Exit::Deadline, false, "stopped at its deadline"),
            (Exit::OutputCap, false, "stopped: it printed too much"),
        ] {
            assert_eq!((exit.is_success(), exit.to_string().as_str()), (is_success, words));
        }
        assert_eq!(TestId("a::b".into()).to_string(), "a::b");
    }

    #[test]
    fn ac_tdd_8_126_a_case_that_a_macro_made_is_one_of_its_function() {
        for (id, want) in [
            ("src/lib.rs::tests::adds::case_1", "src/lib.rs::tests::adds src/lib.rs::tests"),
            ("src/lib.rs::adds", ""),
            ("tests/a.py::A::test_a", ""),
            ("tests/a[b].py::A::test_a[::x[1]-2]", "tests/a[b].py::A::test_a"),
            ("tests/a[b].py::test_a", ""),
            ("a.test.js::adds [1]", ""),
        ] {
            let names = TestId(id.to_owned());
            assert_eq!(names.made_from().collect::<Vec<_>>().join(" "), want);
        }
    }

    #[test]
    fn namesakes_are_numbered_in_the_order_of_the_report() {
        let numbered = |ids: &[&str]| {
            let result = |id: &&str| TestResult {
                id: TestId((*id).to_owned()),
                file: None,
                outcome: Outcome::Passed,
                duration_ms: 0,
            };
            let mut report = TestReport { tests: ids.iter().map(result).collect(), ..TestReport::default() };
            report.number_namesakes();
            report.tests.into_iter().map(|test| test.id.0).collect::<Vec<_>>()
        };
        for (ids, want) in [
            (&["a", "b"] as &[_], &["a", "b"] as &[_]),
            (&["a", "b", "a", "a"], &["a", "b", "a #2", "a #3"]),
            (&["a", "a #2", "a", "a"], &["a", "a #2", "a #3", "a #4"]),
            (&["a", "a", "a #2", "a #2"], &["a", "a #3", "a #2", "a #2 #2"]),
            (&[], &[]),
        ] {
            assert_eq!(numbered(ids), want, "{ids:?}");
        }
    }

    #[test]
    fn the_number_of_a_namesake_is_no_part_of_the_name_that_it_shares() {
        for (id, want) in [
            ("f::a", "f::a"),
            ("f::a #2", "f::a"),
            ("f::a #2 #3", "f::a #2"),
            ("f::a #12", "f::a"),
            ("f::a #1", "f::a #1"),
            ("f::a #02", "f::a #02"),
            ("f::a #", "f::a #"),
            ("f::a #x", "f::a #x"),
            ("f::a[#2]", "f::a[#2]"),
            (" #2", " #2"),
        ] {
            assert_eq!(TestId(id.into()).shared(), want);
        }
    }

    #[test]
    fn a_person_is_told_how_a_run_would_have_ended_without_the_canary() {
        let failure = || Failure {
            kind: FailureKind::Error,
            message: String::new(),
            absent: None,
            absent_too: Vec::new(),
        };
        let report = |outcome: Outcome| {
            let test = TestResult { id: TestId("a".into()), file: None, outcome, duration_ms: 1 };
            Some(TestReport { tests: vec![test], complete: true, ..TestReport::default() })
        };
        let green = || report(Outcome::Passed);
        let load_failures = vec![LoadFailure::new(RelPath::new("a").unwrap(), failure())];
        let unloaded = green().map(|report| TestReport { load_failures, ..report });
        let broken = green().map(|report| TestReport { project_broken: Some(failure()), ..report });
        let (fails, passes) = (Exit::Code(101), Exit::Code(0));
        for (name, canary, exit, report, want) in [
            ("only the canary", Canary::SeenFailing, fails, green(), passes),
            ("only it, one skipped", Canary::SeenFailing, fails, report(Outcome::Skipped), passes),
            ("another too", Canary::SeenFailing, fails, report(Outcome::Failed(failure())), fails),
            ("a file too", Canary::SeenFailing, fails, unloaded, fails),
            ("the project too", Canary::SeenFailing, fails, broken, fails),
            ("another code", Canary::SeenFailing, Exit::Code(1), green(), Exit::Code(1)),
            ("killed", Canary::SeenFailing, Exit::Signal(9), green(), Exit::Signal(9)),
            ("no report", Canary::SeenFailing, fails, None, fails),
            ("it passed", Canary::Passed, fails, green(), fails),
            ("none was asked", Canary::NotAsked, fails, green(), fails),
        ] {
            let run = TestRun {
                command: "c".into(),
                exit,
                duration_ms: 1,
                build_ms: 0,
                report,
                unreadable: None,
                log: String::new(),
                output: String::new(),
                fail_code: 101,
                canary,
                copies: Copies::default(),
            };
            assert_eq!(run.own_exit(), want, "{name}");
            assert_eq!(canary.is_not_asked(), name == "none was asked", "{name}");
        }
    }
}
