//! `node --test`, read through a reporter of our own.
//!
//! The test files are found here and named one by one: only so can some be left out, and only so
//! does the same call mean the same in every version of node.

mod facts;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::canary::{self, Judged, PlantedCanary};
use super::javascript::{Options, Sorted};
use super::place::Place;
use super::python::{milliseconds, read};
use super::scope::Scope;
use super::verification::words;
use super::verification::{Measured, Step, Verification, disk};
use crate::canary_text;
use crate::command_line::{NODE_REPORTERS, NODE_WITH_VALUE};
use crate::command_line::{RunnerCall, typed};
use crate::test_report::failure;
use crate::test_report::js_error::{self, Moment, Project};
use crate::test_report::jsonl::{LoadLine, Reported, Said, TestLine};
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::ports::Observer;
use tdd_core::test::{Exit, Failure, FailureKind, LoadFailure, Outcome, TestId, TestReport, TestResult};
use tdd_core::trouble::Trouble;
use tdd_source::{Language, declared};

pub(super) use facts::RUNNER;

const REPORTER: &str = include_str!("reporters/tdd_node_report.mjs");
const FAIL_CODE: i32 = 1;

#[derive(Clone, Debug)]
pub(super) struct Node {
    call: RunnerCall,
}

impl Node {
    pub(super) fn new(call: RunnerCall) -> Self {
        Self { call }
    }

    pub(super) async fn run(
        &self,
        place: &Place,
        scope: &Scope,
        verification: &mut Verification,
        observer: Observer<'_>,
    ) -> Result<Measured, Trouble> {
        let sorted = self.sorted();
        let files: Vec<RelPath> =
            if scope.is_unchosen() { Self::files(place, &sorted) } else { scope.chosen_files() };
        let present = |file: &&RelPath| scope.takes_file(file) && place.absolute(file).is_file();
        let paths: Vec<String> = files.iter().filter(present).map(|file| place.id_path(file)).collect();
        let mut shown = self.call.program.clone();
        shown.extend(sorted.options.iter().cloned());
        let whole = if scope.is_all() { sorted.places.clone() } else { paths.clone() };
        verification.announce(typed(shown.iter().chain(&whole)), observer);
        if paths.is_empty() {
            if scope.is_all() {
                is_there(place, &sorted.places, &self.call)?;
            }
            // Without a file node would look for tests by itself.
            let report = TestReport { complete: true, ..TestReport::default() };
            return Ok(measured(Exit::Code(0), Some(report), None));
        }
        let script = install(verification)?;
        let told = verification.fresh("report.jsonl");
        let mut argv = self.call.program.clone();
        argv.extend(sorted.options);
        argv.push("--test-reporter=spec".to_owned());
        argv.push("--test-reporter-destination=stdout".to_owned());
        argv.push(format!("--test-reporter={}", script.display()));
        argv.push(format!("--test-reporter-destination={}", told.display()));
        argv.extend(paths);
        let step =
            Step { argv: words(&argv), cwd: place.project.clone(), env: self.variables(), stdout: None };
        let finished = verification.run(step).await?;
        let run = heard(&told, finished.exit, place, scope);
        self.with_canary(run, place, scope, verification).await
    }

    /// Runs the canaries after all else, in a call of their own: node runs files side by side, and
    /// what two processes do at once (a port, a file) may fail though each alone would not. Each is
    /// a copy of its judged file, so it does what that does, in its folder, and then has to fail.
    async fn with_canary(
        &self,
        run: Measured,
        place: &Place,
        scope: &Scope,
        verification: &mut Verification,
    ) -> Result<Measured, Trouble> {
        let Some(judged) = canary::may_follow(&run, place, scope.judged.as_deref(), verification) else {
            return Ok(run);
        };
        let planted: Vec<PlantedCanary> =
            judged.iter().map(|file| plant(place, file)).collect::<Result<_, _>>()?;
        let copies = scope.plan.plant(place, |judged, name| format!("{name}.test.{}", judged.extension()))?;
        let script = install(verification)?;
        let told = verification.fresh("canary.jsonl");
        let mut argv = self.call.program.clone();
        argv.extend(self.sorted().options);
        argv.push(format!("--test-reporter={}", script.display()));
        argv.push(format!("--test-reporter-destination={}", told.display()));
        argv.extend(canary::paths(planted.iter().chain(&copies)));
        let step =
            Step { argv: words(&argv), cwd: place.project.clone(), env: self.variables(), stdout: None };
        let report = || {
            read(&told).map_or_else(
                |_| TestReport::default(),
                |reported| results(&reported, place, &Scope::default()),
            )
        };
        canary::see((run, planted, copies), step, verification, report).await
    }

    fn variables(&self) -> Vec<(OsString, Option<OsString>)> {
        let env = self.call.env.iter().map(|(name, value)| (name.into(), Some(value.into())));
        // What node compiled is kept by its version, a path and a hash of the source, and whoever
        // can write there can put other code in its place.
        let uncached = [("NODE_COMPILE_CACHE", None), ("NODE_DISABLE_COMPILE_CACHE", Some("1"))];
        env.chain(uncached.map(|(name, value)| (name.into(), value.map(OsString::from)))).collect()
    }

    /// The command line that runs these files' tests.
    pub(super) fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        let mut argv = self.call.program.clone();
        argv.extend(self.sorted().options);
        argv.extend(files.iter().map(|file| place.id_path(file)));
        typed(&argv)
    }

    /// The files that the person's call means: node's own patterns where it names none.
    fn files(place: &Place, sorted: &Sorted) -> Vec<RelPath> {
        let strips_types = sorted.options.iter().any(|arg| {
            ["tsx", "ts-node", "strip-types", "transform-types"].iter().any(|word| arg.contains(word))
        });
        let loads = if strips_types { Loads::TypeScript } else { Loads::JavaScript };
        let places = if sorted.places.is_empty() { vec![".".to_owned()] } else { sorted.places.clone() };
        let mut files = Vec::new();
        for word in &places {
            let path = place.project.join(word);
            if path.is_dir() {
                let below = place.files_below(&path.canonicalize().unwrap_or(path));
                files.extend(below.into_iter().filter(|file| is_test(&place.id_path(file), loads)));
            } else if word.contains(['*', '?', '[']) {
                files.extend(place.glob(word));
            } else {
                files.extend(place.in_repository(word));
            }
        }
        files.sort();
        files.dedup();
        files
    }

    fn sorted(&self) -> Sorted {
        OPTIONS.sort(&self.call.args)
    }
}

/// node says of a path that is not there what can't be told here, because it is not started.
fn is_there(place: &Place, places: &[String], call: &RunnerCall) -> Result<(), Trouble> {
    let is_absent =
        |word: &&String| !word.contains(['*', '?', '[']) && !place.project.join(word.as_str()).exists();
    let Some(absent) = places.iter().find(is_absent) else { return Ok(()) };
    let line = typed(call.program.iter().chain(&call.args));
    Err(Trouble::environment(format!("the test command names a path that does not exist: {absent}"))
        .because(format!("`{line}` was not started"))
        .advise("correct the command, or make the folder that the tests are to be written to"))
}

fn heard(told: &Path, exit: Exit, place: &Place, scope: &Scope) -> Measured {
    match read(told) {
        Err(why) => measured(exit, None, Some(why)),
        Ok(reported) => {
            let results = results(&reported, place, scope);
            let quiet = reported.loads.iter().any(|load| load.ended.as_deref() == Some("quietly"));
            let red = !results.load_failures.is_empty();
            // node calls a file that left before its tests a pass; it is told as a failure here.
            let exit = match exit {
                Exit::Code(0) if quiet && red && results.complete => Exit::Code(FAIL_CODE),
                Exit::Code(_) | Exit::Signal(_) | Exit::Deadline | Exit::OutputCap => exit,
            };
            measured(exit, Some(results), reported.flaw)
        }
    }
}

fn plant(place: &Place, judged: &Judged) -> Result<PlantedCanary, Trouble> {
    let secret = canary::secret()?;
    let script = canary_text::node(&judged.source, judged.path.extension(), &secret);
    let name = format!("{}.test.{}", secret.name, judged.path.extension());
    let file = place.absolute(&judged.path);
    PlantedCanary::plant(place, file.parent().unwrap_or(&place.project), &name, (secret, &script))
}

fn measured(exit: Exit, report: Option<TestReport>, unreadable: Option<String>) -> Measured {
    Measured { exit, report, unreadable, fail_code: FAIL_CODE }
}

fn install(verification: &Verification) -> Result<PathBuf, Trouble> {
    let path = verification.fresh("tdd_node_report.mjs");
    regular_file::write(&path, REPORTER).map_err(|error| disk(&path, &error))?;
    Ok(path)
}

fn results(reported: &Reported, place: &Place, scope: &Scope) -> TestReport {
    let root = place.project.to_string_lossy();
    let project = Project { root: &root, aliases: &[], outside: &[] };
    let mut tests = Vec::new();
    for line in &reported.tests {
        let file = line.test.file.as_deref().and_then(|file| place.in_repository(file));
        let path = file.as_ref().map_or_else(|| "unknown".to_owned(), |file| place.id_path(file));
        let id = TestId(format!("{path}::{}", line.test.name));
        if file.as_ref().is_some_and(|file| !scope.takes(file, &id)) {
            continue;
        }
        let outcome = match line.outcome {
            Said::Pass => Outcome::Passed,
            Said::Skip => Outcome::Skipped,
            Said::Fail => Outcome::Failed(threw(line, &project)),
        };
        tests.push(TestResult { id, file, outcome, duration_ms: milliseconds(line.ms) });
    }
    let load_failures = reported.loads.iter().filter_map(|load| {
        let file = place.in_repository(&load.file)?;
        let failure = died(load, &file, place, &project)?;
        Some(LoadFailure::new(file, failure))
    });
    let load_failures = load_failures.collect();
    let complete = reported.flaw.is_none();
    TestReport { tests, load_failures, complete, ..TestReport::default() }
}

fn threw(line: &TestLine, project: &Project<'_>) -> Failure {
    match line.errors.first() {
        Some(raised) => js_error::classify(raised, Moment::Running, project),
        None => failure(FailureKind::Error, "the runner gave no reason", None),
    }
}

/// What a file's own entry means; `None` if it just holds no tests.
fn died(load: &LoadLine, file: &RelPath, place: &Place, project: &Project<'_>) -> Option<Failure> {
    match load.ended.as_deref().unwrap_or_default() {
        "quietly" => {
            let source = regular_file::read_to_string(place.absolute(file)).unwrap_or_default();
            let promised = declared(Language::JavaScript, &source).len();
            (promised > 0).then(|| {
                let said = format!("the file's process ended with 0 before any of its {promised} tests ran");
                failure(FailureKind::Load, &said, None)
            })
        }
        signal if signal.starts_with("SIG") => {
            Some(failure(FailureKind::Crash, &format!("killed by {signal}\n{}", load.output), None))
        }
        _ => Some(js_error::load_failure(&load.output, project)),
    }
}

const OPTIONS: Options = Options {
    valued: NODE_WITH_VALUE,
    listed: &[],
    dropped: &["--watch"],
    dropped_valued: NODE_REPORTERS,
    dropped_counted: &[],
};

/// Which sources node can load as it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loads {
    JavaScript,
    TypeScript,
}

/// node's own patterns: everything in a folder named `test`, and names that say so.
fn is_test(path: &str, loads: Loads) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let script = matches!(extension, "js" | "cjs" | "mjs");
    let typed = loads == Loads::TypeScript && matches!(extension, "ts" | "cts" | "mts");
    let says_so = stem == "test"
        || stem.starts_with("test-")
        || [".test", "-test", "_test"].iter().any(|tail| stem.ends_with(tail));
    (script || typed) && (says_so || folders.split('/').any(|folder| folder == "test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_own_patterns_are_known() {
        for (path, want) in [
            ("test/a.js", true),
            ("src/test/deep/a.mjs", true),
            ("src/a.test.mjs", true),
            ("test.js", true),
            ("test-a.cjs", true),
            ("src/a.js", false),
            ("tests/a.js", false),
            ("test/a.ts", false),
            ("test/data.json", false),
        ] {
            assert_eq!(is_test(path, Loads::JavaScript), want, "{path}");
        }
        assert!(is_test("src/a.test.ts", Loads::TypeScript));
    }

    #[test]
    fn options_keep_their_values_and_reporters_go() {
        let args: Vec<String> =
            "--import tsx --test --test-reporter tap --watch --test-timeout=5 test/ a.mjs"
                .split(' ')
                .map(str::to_owned)
                .collect();
        let sorted = OPTIONS.sort(&args);
        assert_eq!(sorted.options.join(" "), "--import tsx --test --test-timeout=5");
        assert_eq!(sorted.places.join(" "), "test/ a.mjs");
    }
}
