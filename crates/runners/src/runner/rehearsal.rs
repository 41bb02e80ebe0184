//! Shows that the project's commands refuse a test that fails, before a run relies on it.
//!
//! ```text
//! work tree ─► copy outside of it ─► the command as it is ─► the same with a test that must fail
//! ```
//!
//! All of it happens in a copy (`scratch`), so nothing can stay in the tree, however this ends; the
//! copy's folder names its owner, so what a killed process leaves of it is found. The adapter's own
//! canary shows it where there is one; else a test file of the copy is made to fail and the exit code
//! is looked at. Not shown: that the commands work inside the OS sandbox; each run finds that out by
//! its baseline.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::canary::secret;
use super::place::Place;
use super::verification::{disk, read_capped};
use super::{ProjectTests, RunnerSetup, scratch};
use crate::canary_text::{broken, with_failing_test};
use tdd_child::leftovers;
use tdd_child::regular_file;
use tdd_core::checkup::{Refusal, Tried};
use tdd_core::commands::{RunnerKind, Suite};
use tdd_core::mapping::Without;
use tdd_core::path::RelPath;
use tdd_core::policy;
use tdd_core::ports::{CanaryWish, Observer, TestOrder, Tests};
use tdd_core::test::{Canary, Exit, Failure, Outcome, TestRun};
use tdd_core::trouble::Trouble;
use tdd_source::Language;

/// Bytes of a test file that is made to fail.
const LARGEST_SPOILED: u64 = 4 * 1024 * 1024;
/// Lines and letters of an output that are kept for a person.
const LAST_LINES: usize = 5;
const WIDEST: usize = 200;

/// The two commands, tried. A trouble is what kept one from being run at all.
#[derive(Debug)]
pub struct Rehearsal {
    pub test: Result<Tried, Trouble>,
    /// `None` if the gate is the test command.
    pub gate: Option<Result<Tried, Trouble>>,
}

/// Tries the commands of `setup`, whose `work` is not used. Fails if no copy can be made or no adapter
/// reads the test command.
pub async fn rehearse(setup: &RunnerSetup, observer: Observer<'_>) -> Result<Rehearsal, Trouble> {
    let folder = leftovers::temporary_folder(&setup.repository)?;
    let place = Place::new(&setup.repository, &setup.project);
    let copy = scratch::make(&place, &|_| true, observer)?;
    let place = copy.place.clone();
    let mut tests = ProjectTests::new(RunnerSetup {
        repository: place.repository.clone(),
        project: place.project.clone(),
        work: folder.path().join("work"),
        ..setup.clone()
    })?
    .never_resumed();
    tests.owner.clone_from(&setup.repository);
    let mut stage = Stage { place, tests, runner: setup.commands.runner };
    let first = stage.run(Suite::Test, observer).await;
    let judged = stage.judged(first.as_ref().ok());
    let test = match first {
        Ok(run) => stage.test(&run, judged.as_ref(), observer).await,
        Err(trouble) => Err(trouble),
    };
    let gate = if setup.commands.gate == setup.commands.test {
        None
    } else {
        Some(stage.gate(judged.as_ref(), observer).await)
    };
    Ok(Rehearsal { test, gate })
}

/// The copy, and the commands in it.
struct Stage {
    place: Place,
    tests: ProjectTests,
    runner: RunnerKind,
}

impl Stage {
    async fn run(&mut self, suite: Suite, observer: Observer<'_>) -> Result<TestRun, Trouble> {
        let label = "doctor";
        match suite {
            Suite::Test => {
                let order = TestOrder { label: label.to_owned(), ..TestOrder::default() };
                self.tests.run(&order, observer).await
            }
            Suite::Gate => self.tests.run_gate(label, &Without::default(), observer).await,
        }
    }

    /// A test file that is green, else one that is named as one.
    fn judged(&self, run: Option<&TestRun>) -> Option<RelPath> {
        let is_known =
            |file: &&RelPath| Language::of(file.extension()).is_some() && self.place.absolute(file).is_file();
        let tests = run.and_then(|run| run.report.as_ref()).map(|report| report.tests.as_slice());
        let green = tests.unwrap_or_default().iter().filter(|test| test.outcome == Outcome::Passed);
        if let Some(file) = green.filter_map(|test| test.file.as_ref()).find(is_known) {
            return Some(file.clone());
        }
        let files = self.place.files_below(&self.place.project);
        files.into_iter().find(|file| policy::names_a_test(file) && is_known(&file))
    }

    async fn test(
        &mut self,
        run: &TestRun,
        judged: Option<&RelPath>,
        observer: Observer<'_>,
    ) -> Result<Tried, Trouble> {
        let refusal = match judged {
            None => no_test_file(),
            Some(file) => {
                let order = TestOrder {
                    label: "doctor canary".to_owned(),
                    only_files: vec![file.clone()],
                    canary: CanaryWish::Beside(vec![file.clone()]),
                    ..TestOrder::default()
                };
                match self.tests.run(&order, observer).await?.canary {
                    Canary::SeenFailing => Refusal::Seen,
                    Canary::Passed | Canary::NotRun => Refusal::None,
                    Canary::Errored => Refusal::NotShown(format!(
                        "a test that was planted beside {file} failed in another way than by its own assertion"
                    )),
                    Canary::NotAsked | Canary::Unsupported => {
                        self.spoil(Suite::Test, run.exit, file, observer).await?
                    }
                }
            }
        };
        Ok(tried(run, refusal))
    }

    async fn gate(&mut self, judged: Option<&RelPath>, observer: Observer<'_>) -> Result<Tried, Trouble> {
        let run = self.run(Suite::Gate, observer).await?;
        let refusal = match judged {
            None => no_test_file(),
            Some(file) => self.spoil(Suite::Gate, run.exit, file, observer).await?,
        };
        Ok(tried(&run, refusal))
    }

    /// Makes `file` fail, then makes it no program at all. It is as it was afterwards.
    async fn spoil(
        &mut self,
        suite: Suite,
        before: Exit,
        file: &RelPath,
        observer: Observer<'_>,
    ) -> Result<Refusal, Trouble> {
        if !before.is_success() {
            return Ok(Refusal::NotShown(format!("{RED} ({before})")));
        }
        let path = self.place.absolute(file);
        let bytes = read_capped(&path, LARGEST_SPOILED).ok().flatten();
        let Some(source) = bytes.and_then(|bytes| String::from_utf8(bytes).ok()) else {
            return Ok(Refusal::NotShown(format!("{file} can't be read")));
        };
        let secret = secret()?;
        let Some(failing) = with_failing_test(self.runner, &source, file.extension(), &secret) else {
            return Ok(no_test_file());
        };
        let mut later = SystemTime::now();
        let mut write = |text: &str| {
            // Compilers that keep what they made tell files apart by whole seconds.
            later += Duration::from_secs(2);
            replace(&path, text, later).map_err(|error| disk(&path, &error))
        };
        write(&failing)?;
        let run = self.run(suite, observer).await?;
        let refusal = match run.exit {
            Exit::Code(0) => {
                write(&broken(&source))?;
                let is_green = self.run(suite, observer).await?.exit.is_success();
                if is_green { Refusal::None } else { Refusal::OfBrokenSource }
            }
            Exit::Code(_) | Exit::Signal(_) if run.output.contains(&secret.token) => Refusal::Seen,
            Exit::Code(_) | Exit::Signal(_) => Refusal::Unnamed,
            Exit::Deadline | Exit::OutputCap => Refusal::NotShown(run.exit.to_string()),
        };
        write(&source)?;
        Ok(refusal)
    }
}

/// Puts a new file in its place: a link would lead out of the copy.
fn replace(path: &Path, text: &str, changed: SystemTime) -> std::io::Result<()> {
    let mut file = regular_file::create(path)?;
    file.write_all(text.as_bytes())?;
    file.set_modified(changed)
}

fn no_test_file() -> Refusal {
    Refusal::NotShown("there is no test file yet that could be made to fail".to_owned())
}

/// Why a suite that fails anyway shows nothing.
const RED: &str = "it is red by itself";

/// The first file that does not load, else the first test that fails, with the first line of why.
fn first_red(run: &TestRun) -> Option<String> {
    let report = run.report.as_ref()?;
    let line = |failure: &Failure| failure.message.lines().next().unwrap_or_default().to_owned();
    let load = report.load_failures.first();
    let load = load.map(|load| format!("{} does not load: {}", load.file, line(&load.failure)));
    load.or_else(|| {
        report.tests.iter().find_map(|test| match &test.outcome {
            Outcome::Failed(failure) => Some(format!("{} fails: {}", test.id, line(failure))),
            Outcome::Passed | Outcome::Skipped => None,
        })
    })
}

fn tried(run: &TestRun, refusal: Refusal) -> Tried {
    let is_red = |outcome: &Outcome| matches!(outcome, Outcome::Failed(_));
    let tests = run.report.as_ref().map(|report| {
        let red = report.tests.iter().filter(|test| is_red(&test.outcome)).count();
        (report.tests.len() + report.load_failures.len(), red + report.load_failures.len())
    });
    let broken = run.report.as_ref().and_then(|report| report.project_broken.as_ref());
    let broken = broken.map(|failure| format!("the project does not build or load: {}", failure.message));
    let refusal = match (refusal, first_red(run)) {
        (Refusal::NotShown(why), Some(first)) if why.starts_with(RED) => {
            Refusal::NotShown(format!("{why}: {first}"))
        }
        (refusal, _) => refusal,
    };
    Tried {
        command: run.command.clone(),
        exit: run.exit,
        tests,
        unreadable: run.unreadable.clone().or(broken),
        said: tdd_core::harmless::tail(&run.output, LAST_LINES, WIDEST).join("\n"),
        refusal,
        duration_ms: run.duration_ms,
    }
}
