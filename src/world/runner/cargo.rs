//! `cargo test`, target by target.
//!
//! One build with `--keep-going` compiles all test targets that can be compiled and tells for each
//! other one why not, so a missing symbol hides nothing but its own target. Then each test binary
//! is run on its own: what one prints can't be taken for another's word. A binary is asked for its
//! list first, and writes its outcomes into a log file besides its output.
//!
//! Refuses to know: what the binaries' output means (`text::test_report::libtest`) and what an
//! error of rustc means (`text::test_report::cargo_build`).

mod canary;
mod environment;
mod freshness;
mod nextest;
mod options;
mod own_harness;
mod target_dir;
mod targets;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::bench::{Bench, Measured, Step, read_capped};
use super::call::{RunnerCall, typed};
use super::canary::judged;
use super::place::Place;
use super::{Scope, words};
use crate::core::guard::{self, Guard};
use crate::core::path::RelPath;
use crate::core::test::{Canary, Exit, FailureKind, Outcome, TestReport, TestResult};
use crate::core::trouble::Trouble;
use crate::driver::ports::Hear;
use crate::text::test_report::cargo_build::{self, Build};
use crate::text::test_report::libtest::{self, Weighed};
use crate::text::test_report::{REPORT_CAP, failure};
use crate::world::process::Finished;
use canary::Built;
use environment::Environment;
use freshness::{Freshness, Sight};
use nextest::Nextest;
use options::{Options, WithLib};
use target_dir::TargetDir;
use targets::Binary;

/// cargo says this when a test failed or something did not compile.
const FAIL_CODE: i32 = 101;

#[derive(Debug)]
pub(super) struct Cargo {
    call: RunnerCall,
    options: Options,
    freshness: Freshness,
    target_dir: TargetDir,
    /// Runs the tests; `None` runs each binary by itself, as `cargo test` does.
    nextest: Option<Nextest>,
}

/// What the binaries of one build are run with.
struct Trial<'a> {
    place: &'a Place,
    scope: &'a Scope,
    environment: Environment,
    target_dir: PathBuf,
}

/// What the binaries said so far.
#[derive(Default)]
struct Gathered {
    report: TestReport,
    flaw: Option<String>,
    stopped: Option<Exit>,
}

impl Cargo {
    /// `work` is the run's private folder, where builds are kept.
    pub(super) fn new(call: RunnerCall, work: &Path) -> Self {
        let options = Options::read(&call.args);
        let target_dir = TargetDir::new(work);
        Self { call, options, freshness: Freshness::default(), target_dir, nextest: None }
    }

    /// The same for a `cargo nextest run`.
    pub(super) fn nextest(call: RunnerCall, work: &Path) -> Self {
        let nextest = Nextest::new(&call);
        let options = Options::read(nextest.build_args());
        Self { options, nextest: Some(nextest), ..Self::new(call, work) }
    }

    pub(super) async fn run(
        &mut self,
        place: &Place,
        scope: &Scope,
        bench: &mut Bench,
        hear: Hear<'_>,
    ) -> Result<Measured, Trouble> {
        bench.announce(self.shown(place, scope), hear);
        let own = guard::stands(Guard::CargoTarget);
        if own && self.freshness.renew(place) == Sight::Blocked {
            self.target_dir.remove_all();
        }
        let judged = judged(place, scope);
        let mut canary = canary::plant(place, judged.as_deref().unwrap_or_default(), bench)?;
        let target_dir = if own { self.target_dir.ready()? } else { place.project.join("target") };
        let Built { build, exit, said, found } =
            self.build_with(canary.as_mut(), (place, scope), &target_dir, bench).await?;
        self.target_dir.seal();
        if let Exit::Signal(_) | Exit::Deadline | Exit::OutputCap = exit {
            let stopped = Some("the build was stopped".to_owned());
            return Ok(measured(exit, TestReport::default(), stopped, FAIL_CODE));
        }
        let mut gathered = Gathered::default();
        let own = canary.as_ref().and_then(canary::Target::file).cloned();
        let takes = |root: &RelPath| scope.takes_target(root) && own.as_ref() != Some(root);
        let failures = found.failures.into_iter().filter(|(root, _)| takes(root));
        gathered.report.load_failures = failures.map(|(_, failure)| failure).collect();
        gathered.report.project_broken = found.project_broken;
        if build.success.is_none() {
            let why = if said.trim().is_empty() { "cargo gave up without a word".to_owned() } else { said };
            gathered.report.project_broken = Some(failure(FailureKind::Load, &why, None));
        }
        let environment = Environment::new(place, &self.call, &build);
        let trial = Trial { place, scope, environment, target_dir };
        let binaries: Vec<&Binary> = found.binaries.iter().filter(|binary| takes(&binary.file)).collect();
        match &self.nextest {
            Some(nextest) => {
                let output = nextest::Built { call: &self.call, build: &build, binaries: &binaries };
                nextest.run(&output, &trial, bench, &mut gathered).await?;
            }
            None => self.run_binaries(&binaries, &trial, bench, &mut gathered).await?,
        }
        let touched = self.target_dir.touched().map(|path| {
            format!("while the tests ran, somebody changed what they were built into: {}", path.display())
        });
        gathered.flaw = gathered.flaw.or(touched);
        let has_doctests = found.has_doctests && self.nextest.is_none() && self.options.wants_doctests();
        if has_doctests && gathered.stopped.is_none() && targets::takes_doctests(scope, place) {
            self.run_doctests(&trial, bench, &mut gathered).await?;
        }
        let mut seen = Canary::NotAsked;
        if let (Some(canary), Some(judged)) = (&canary, &judged) {
            let binary = found.binaries.iter().find(|binary| own.as_ref() == Some(&binary.file));
            let step = binary.map(|binary| trial.environment.step(binary));
            seen = canary.run(step, (judged, &gathered.report), bench).await?;
            self.target_dir.forget(&canary.nest.secret().name);
        }
        let fail_code = if self.nextest.is_some() { nextest::FAIL_CODE } else { FAIL_CODE };
        Ok(conclude(gathered, seen, fail_code))
    }

    /// The command that a person would type for this; it is shown, and never run.
    fn shown(&self, place: &Place, scope: &Scope) -> String {
        if scope.only_files.is_empty() {
            let mut all = self.call.program.clone();
            all.extend(self.call.args.iter().cloned());
            return typed(&all);
        }
        let files: Vec<RelPath> = scope.only_files.iter().cloned().collect();
        self.selection(place, &files)
    }

    async fn build(
        &self,
        (place, scope, canary): (&Place, &Scope, Option<&RelPath>),
        target_dir: &Path,
        bench: &mut Bench,
    ) -> Result<(Build, Exit, String), Trouble> {
        let mut with_lib = WithLib::Yes;
        loop {
            let before = if self.nextest.is_some() { 2 } else { 1 };
            let mut argv = self.call.program[..self.call.program.len() - before].to_vec();
            argv.extend(self.options.build_args(with_lib, target_dir));
            let stdout = bench.fresh("build.json");
            let step = Step {
                argv: words(&argv),
                cwd: place.project.clone(),
                env: environment::building(&self.call, target_dir),
                stdout: Some(stdout.clone()),
            };
            let finished = bench.run(step).await?;
            let said = bench.last_words(1);
            // A package of programs alone has no library to ask for.
            if with_lib == WithLib::Yes && said.contains("no library targets found") {
                with_lib = WithLib::No;
                continue;
            }
            let bytes = read_capped(&stdout, REPORT_CAP).unwrap_or_default().unwrap_or_default();
            let build = cargo_build::parse(&bytes);
            // What is left out is compiled too, and what the compiler quotes of it must not get into
            // a prompt: it may be the test of a criterion that the role is not to know.
            let is_left_out = |error: &&cargo_build::CompileError| {
                let root = place.in_repository(&error.target.src_path);
                root.is_some_and(|root| scope.leave_out.contains(&root) || canary == Some(&root))
            };
            let shown = build.errors.iter().filter(|error| !is_left_out(error));
            let errors: Vec<&str> = shown.map(|error| error.rendered.as_str()).collect();
            bench.show_instead(&stdout, &errors.join("\n"))?;
            return Ok((build, finished.exit, said));
        }
    }

    async fn run_binaries(
        &self,
        binaries: &[&Binary],
        trial: &Trial<'_>,
        bench: &mut Bench,
        gathered: &mut Gathered,
    ) -> Result<(), Trouble> {
        for binary in binaries {
            if gathered.stopped.is_none() {
                self.run_binary(binary, trial, bench, gathered).await?;
            }
        }
        Ok(())
    }

    async fn run_binary(
        &self,
        binary: &Binary,
        trial: &Trial<'_>,
        bench: &mut Bench,
        gathered: &mut Gathered,
    ) -> Result<(), Trouble> {
        let Trial { place, scope, environment, .. } = trial;
        let mut step = environment.step(binary);
        let list = bench.fresh("list");
        step.stdout = Some(list.clone());
        let mut listing = step.clone();
        listing.argv.extend(words(&self.options.list_args()));
        let listed_exit = bench.run(listing).await?.exit;
        let bytes = read_capped(&list, REPORT_CAP).unwrap_or_default().unwrap_or_default();
        bench.show_instead(&list, "")?;
        let Some(names) = libtest::listed(&bytes).filter(|_| listed_exit.is_success()) else {
            return own_harness::run(binary, place, step, bench, gathered).await;
        };
        let all = names.len();
        let names: Vec<String> = names
            .into_iter()
            .filter(|name| scope.takes(&binary.file_of(name, place), &binary.id(name)))
            .collect();
        if names.is_empty() {
            return Ok(());
        }
        let exact = (names.len() < all).then_some(names.as_slice());
        let (mut weighed, finished) = self.hear_binary(&step, &names, exact, bench).await?;
        settle(&mut weighed, &names, finished.exit, gathered);
        let share = finished.duration_ms / (weighed.tests.len().max(1) as u64);
        for (name, outcome) in weighed.tests {
            let id = binary.id(&name);
            let file = Some(binary.file_of(&name, place));
            gathered.report.tests.push(TestResult { id, file, outcome, duration_ms: share });
        }
        gathered.flaw = gathered.flaw.take().or(weighed.flaw);
        Ok(())
    }

    /// Runs a binary with its log of outcomes; the option is deprecated, so a harness that no
    /// longer knows it is believed by its output alone.
    async fn hear_binary(
        &self,
        step: &Step,
        names: &[String],
        exact: Option<&[String]>,
        bench: &mut Bench,
    ) -> Result<(Weighed, Finished), Trouble> {
        let mut log = Some(bench.fresh("outcomes"));
        loop {
            let stdout = bench.fresh("tests");
            let mut step = Step { stdout: Some(stdout.clone()), ..step.clone() };
            step.argv.extend(words(&self.options.run_args(exact, log.as_deref())));
            let finished = bench.run(step).await?;
            if log.is_some() && bench.last_words(1).contains("Unrecognized option: 'logfile'") {
                log = None;
                continue;
            }
            let outcomes = log.as_ref().map(|log| read_capped(log, REPORT_CAP)).transpose();
            let weighed = match (read_capped(&stdout, REPORT_CAP), outcomes) {
                (Ok(Some(output)), Ok(None)) => libtest::weigh(names, None, &output),
                (Ok(Some(output)), Ok(Some(Some(log)))) => libtest::weigh(names, Some(&log), &output),
                (Ok(_), Ok(_)) => flawed("a test binary ended without its log of outcomes".to_owned()),
                (Err(why), _) | (_, Err(why)) => flawed(why),
            };
            return Ok((weighed, finished));
        }
    }

    /// Runs all doctests, because their names are told only by running them; those that take no
    /// part are left out of the report.
    async fn run_doctests(
        &self,
        trial: &Trial<'_>,
        bench: &mut Bench,
        gathered: &mut Gathered,
    ) -> Result<(), Trouble> {
        let Trial { place, scope, target_dir, .. } = trial;
        let mut argv = self.call.program.clone();
        argv.extend(self.options.doctest_args(target_dir));
        let stdout = bench.fresh("doctests");
        let step = Step {
            argv: words(&argv),
            cwd: place.project.clone(),
            env: environment::building(&self.call, target_dir),
            stdout: Some(stdout.clone()),
        };
        let finished = bench.run(step).await?;
        let bytes = read_capped(&stdout, REPORT_CAP).unwrap_or_default().unwrap_or_default();
        let mut weighed = libtest::transcripts(&bytes);
        let names: Vec<String> = weighed.tests.iter().map(|test| test.0.clone()).collect();
        settle(&mut weighed, &names, finished.exit, gathered);
        let results = targets::doctest_results(weighed.tests, place);
        let takes = |test: &TestResult| match &test.file {
            Some(file) => scope.takes(file, &test.id),
            None => scope.is_unchosen() || scope.only_ids.contains(&test.id),
        };
        gathered.report.tests.extend(results.into_iter().filter(takes));
        gathered.flaw = gathered.flaw.take().or(weighed.flaw);
        Ok(())
    }

    /// The command line that runs these files' tests.
    pub(super) fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        let mut targets = BTreeSet::new();
        let mut filters = BTreeSet::new();
        for file in files {
            let (target, filter) = targets::named_by_path(&place.id_path(file));
            targets.extend(target);
            filters.extend(filter);
        }
        let mut argv = self.call.program.clone();
        let profile = if self.nextest.is_some() { "--cargo-profile" } else { "--profile" };
        let shared = self.options.shared.iter().chain(&self.options.target_dir);
        argv.extend(shared.map(|arg| if arg == "--profile" { profile.to_owned() } else { arg.clone() }));
        argv.extend(targets.into_iter().flatten());
        argv.extend(filters);
        typed(&argv)
    }
}

fn flawed(why: String) -> Weighed {
    Weighed { tests: Vec::new(), flaw: Some(why) }
}

/// Holds a binary's exit against its words. A test that was running when a signal came, or that
/// had not yet run, crashed with it.
fn settle(weighed: &mut Weighed, names: &[String], exit: Exit, gathered: &mut Gathered) {
    let failed = weighed.tests.iter().any(|test| matches!(test.1, Outcome::Failed(_)));
    match exit {
        Exit::Code(0) if !failed => {}
        Exit::Code(FAIL_CODE) if failed => {}
        Exit::Code(code) => {
            let why = format!("a test binary exited with {code}, which its own results do not explain");
            weighed.flaw = weighed.flaw.take().or(Some(why));
        }
        Exit::Signal(_) => {
            let known: BTreeSet<String> = weighed.tests.iter().map(|test| test.0.clone()).collect();
            let crash = failure(FailureKind::Crash, &format!("the test binary was {exit}"), None);
            for name in names.iter().filter(|name| !known.contains(*name)) {
                weighed.tests.push((name.clone(), Outcome::Failed(crash.clone())));
            }
            // A red for certain: nothing of it can be taken for green.
            weighed.flaw = None;
        }
        Exit::Deadline | Exit::OutputCap => gathered.stopped = Some(exit),
    }
}

/// What `cargo test` itself would have exited with, had it run the same.
fn conclude(gathered: Gathered, canary: Canary, fail_code: i32) -> Measured {
    let report = &gathered.report;
    let red = report.is_red();
    let red = red || canary == Canary::SeenFailing;
    let exit = gathered.stopped.unwrap_or(Exit::Code(if red { fail_code } else { 0 }));
    measured(exit, gathered.report, gathered.flaw, fail_code)
}

fn measured(exit: Exit, mut report: TestReport, flaw: Option<String>, fail_code: i32) -> Measured {
    report.complete = flaw.is_none() && matches!(exit, Exit::Code(_));
    Measured { exit, report: Some(report), unreadable: flaw, fail_code }
}

/// The folder of a manifest.
fn folder_of(manifest: &str) -> PathBuf {
    Path::new(manifest).parent().map(Path::to_owned).unwrap_or_default()
}
