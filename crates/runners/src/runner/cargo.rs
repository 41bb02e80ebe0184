//! `cargo test`, target by target.
//!
//! One build with `--keep-going` compiles all test targets that can be compiled and tells for each
//! other one why not, so a missing symbol hides nothing but its own target. Then each test binary
//! is run on its own: what one prints can't be taken for another's word. A binary is asked for its
//! list first, and writes its outcomes into a log file besides its output.
//!
//! Refuses to know: what the binaries' output means (`runners::test_report::libtest`) and what an
//! error of rustc means (`runners::test_report::cargo_build`).

mod binaries;
mod canary;
mod environment;
mod facts;
mod freshness;
mod lists;
mod named;
mod nextest;
mod options;
mod own_harness;
mod reach;
mod seed;
mod strays;
mod target_dir;
mod targets;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::canary::judged;
use super::place::Place;
use super::scope::Scope;
use super::verification::words;
use super::verification::{Measured, Step, Verification, read_capped};
use crate::command_line::{RunnerCall, typed};
use crate::test_report::cargo_build::{self, Build};
use crate::test_report::cargo_metadata::Workspace;
use crate::test_report::libtest;
use crate::test_report::{REPORT_CAP, failure};
use binaries::settle;
use canary::Built;
use environment::Environment;
use freshness::{Freshness, Sight};
use nextest::Nextest;
use options::{Examples, Options, WithLib};
use reach::Reach;
use seed::Seed;
use strays::Strays;
use target_dir::TargetDir;
use targets::Binary;
use tdd_core::guard::{self, Guard};
use tdd_core::path::RelPath;
use tdd_core::ports::Observer;
use tdd_core::test::{Canary, Exit, FailureKind, TestReport, TestResult};
use tdd_core::trouble::Trouble;

pub(super) use facts::{CARGO, NEXTEST};

/// cargo says this when a test failed or something did not compile.
const FAIL_CODE: i32 = 101;

#[derive(Debug)]
pub(super) struct Cargo {
    call: RunnerCall,
    options: Options,
    freshness: Freshness,
    target_dir: TargetDir,
    reach: Reach,
    strays: Strays,
    /// Runs the tests; `None` runs each binary by itself, as `cargo test` does.
    nextest: Option<Nextest>,
}

/// What a build is made of.
struct Base<'a> {
    place: &'a Place,
    scope: &'a Scope,
    /// `None` if cargo could not read it.
    workspace: Option<&'a Workspace>,
    target_dir: &'a Path,
}

impl Base<'_> {
    /// Whether a target takes part; the canary's is looked after apart.
    fn takes(&self, root: &RelPath, canary: Option<&RelPath>) -> bool {
        self.scope.takes_target(root) && canary != Some(root)
    }

    /// The workspace's folder, which rustdoc's paths are relative to.
    fn root(&self) -> &Path {
        self.workspace.map_or(&self.place.project, |workspace| Path::new(&workspace.root))
    }

    /// Whether a library is among the packages that are chosen; to ask for one that is not is an error.
    fn with_lib(&self, options: &Options) -> WithLib {
        let chosen = self.workspace.map(|workspace| workspace.chosen(&options.shared));
        let has_lib = chosen.is_none_or(|chosen| chosen.iter().any(|package| package.lib().is_some()));
        if has_lib { WithLib::Yes } else { WithLib::No }
    }
}

/// What the binaries of one build are run with.
struct Trial<'a> {
    environment: Environment,
    base: &'a Base<'a>,
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
        Self {
            call,
            options,
            freshness: Freshness::default(),
            target_dir,
            reach: Reach::Undecided,
            strays: Strays::default(),
            nextest: None,
        }
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
        verification: &mut Verification,
        observer: Observer<'_>,
    ) -> Result<Measured, Trouble> {
        let workspace = self.look_around(place, verification, observer).await?;
        verification.announce(self.shown(place, scope), observer);
        let own = guard::stands(Guard::CargoTarget);
        if own {
            self.see_what_is_new(place, workspace.as_ref());
        }
        let judged = judged(place, scope.judged.as_deref());
        let mut canary =
            canary::plant(place, (judged.as_deref().unwrap_or_default(), &scope.plan), verification)?;
        let theirs = workspace.as_ref().map(|found| Seed::of(found, &self.options, &place.project));
        let target_dir =
            if own { self.target_dir.ready(theirs.as_ref())? } else { place.project.join("target") };
        let base = Base { place, scope, workspace: workspace.as_ref(), target_dir: &target_dir };
        let mut built = self.build_with(canary.as_mut(), &base, verification).await?;
        if self.must_narrow(workspace.as_ref(), &built.found.broken, observer) {
            verification.announce(self.shown(place, scope), observer);
            built = self.build_with(canary.as_mut(), &base, verification).await?;
        }
        self.target_dir.seal();
        self.freshness.built(place);
        if let Exit::Signal(_) | Exit::Deadline | Exit::OutputCap = built.exit {
            let stopped = Some("the build was stopped".to_owned());
            return Ok(measured(built.exit, TestReport::default(), stopped, FAIL_CODE));
        }
        let own = canary.as_ref().and_then(canary::Target::file).cloned();
        let mut gathered = self.gather(&built, &base, own.as_ref(), verification)?;
        let binaries = &built.found.binaries;
        let compiler = environment::compiler(place, &self.call, binaries, verification).await?;
        let environment = Environment::new(place, &self.call, &built.build, compiler);
        let trial = Trial { environment, base: &base };
        self.try_out((&built, own.as_ref()), &trial, verification, &mut gathered).await?;
        let mut seen = Canary::NotAsked;
        if let (Some(canary), Some(judged)) = (&canary, &judged) {
            let binary = built.found.binaries.iter().find(|binary| own.as_ref() == Some(&binary.file));
            let step = binary.map(|binary| trial.environment.step(binary));
            seen = canary.run(step, (judged, &gathered.report, scope), verification).await?;
            self.target_dir.forget(&canary.planted.secret().name);
        }
        let fail_code = if self.nextest.is_some() { nextest::FAIL_CODE } else { FAIL_CODE };
        Ok(conclude(gathered, seen, fail_code))
    }

    /// So that cargo builds from what lies here now.
    fn see_what_is_new(&mut self, place: &Place, workspace: Option<&Workspace>) {
        match (self.freshness.renew(place), workspace) {
            (Sight::Clear, _) => {}
            (Sight::Elsewhere, Some(found)) => self.target_dir.forget_all_but(&seed::foreign_to(found)),
            (Sight::Elsewhere, None) | (Sight::Blocked, _) => self.target_dir.remove_all(),
        }
    }

    /// What the build alone tells. `canary` is its file.
    fn gather(
        &mut self,
        built: &Built,
        base: &Base<'_>,
        canary: Option<&RelPath>,
        verification: &mut Verification,
    ) -> Result<Gathered, Trouble> {
        let mut gathered = Gathered::default();
        let report = &mut gathered.report;
        let failures = built.found.failures.iter().filter(|(root, _)| base.takes(root, canary));
        report.load_failures = failures.map(|(_, failure)| failure.clone()).collect();
        report.project_broken.clone_from(&built.found.project_broken);
        if built.build.success.is_none() {
            let said = built.said.as_str();
            let why = if said.trim().is_empty() { "cargo gave up without a word" } else { said };
            report.project_broken = Some(failure(FailureKind::Load, why, None));
        }
        let strays = self.strays.new_ones(base, &built.build, &self.options);
        for stray in strays.into_iter().filter(|stray| base.scope.takes_file(&stray.file)) {
            verification.say(&stray.failure.message)?;
            report.load_failures.push(stray);
        }
        Ok(gathered)
    }

    /// Runs the tests of what was built.
    async fn try_out(
        &self,
        (built, canary): (&Built, Option<&RelPath>),
        trial: &Trial<'_>,
        verification: &mut Verification,
        gathered: &mut Gathered,
    ) -> Result<(), Trouble> {
        let Base { place, scope, workspace, .. } = *trial.base;
        let binaries = built.found.binaries.iter().filter(|binary| trial.base.takes(&binary.file, canary));
        let binaries: Vec<&Binary> = binaries.collect();
        match &self.nextest {
            Some(nextest) => {
                let output = nextest::Built { call: &self.call, build: &built.build, binaries: &binaries };
                nextest.run(&output, trial, verification, gathered).await?;
            }
            None => self.run_binaries(&binaries, trial, verification, gathered).await?,
        }
        let touched = self.target_dir.touched().map(|path| {
            format!("while the tests ran, somebody changed what they were built into: {}", path.display())
        });
        gathered.flaw = gathered.flaw.take().or(touched);
        let has_doctests = self.nextest.is_none()
            && self.options.wants_doctests()
            && targets::has_doctests(workspace, &self.options, place);
        if has_doctests && gathered.stopped.is_none() && targets::takes_doctests(scope, place) {
            self.run_doctests(trial, verification, gathered).await?;
        }
        Ok(())
    }

    /// cargo itself, and what stands before its subcommand.
    fn cargo(&self) -> &[String] {
        let words = if self.nextest.is_some() { 2 } else { 1 };
        &self.call.program[..self.call.program.len() - words]
    }

    /// The command that a person would type for this; it is shown, and never run.
    fn shown(&self, place: &Place, scope: &Scope) -> String {
        if scope.only_files.is_empty() {
            return self.whole().unwrap_or_else(|| self.typed(&[]));
        }
        let files: Vec<RelPath> = scope.only_files.iter().cloned().collect();
        self.selection(place, &files)
    }

    async fn build(
        &self,
        base: &Base<'_>,
        canary: Option<&RelPath>,
        verification: &mut Verification,
    ) -> Result<(Build, Exit, String), Trouble> {
        let Base { place, scope, target_dir, .. } = *base;
        let mut with_lib = base.with_lib(&self.options);
        loop {
            let mut argv = self.cargo().to_vec();
            let examples = if scope.is_unchosen() { Examples::Built } else { Examples::LeftOut };
            argv.extend(self.options.build_args(with_lib, examples, target_dir));
            let stdout = verification.fresh("build.json");
            let step = Step {
                argv: words(&argv),
                cwd: place.project.clone(),
                env: environment::building(&self.call, target_dir),
                stdout: Some(stdout.clone()),
            };
            let finished = verification.build(step).await?;
            let said = verification.last_words(1);
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
            verification.show_instead(&stdout, &errors.join("\n"))?;
            return Ok((build, finished.exit, said));
        }
    }

    /// Runs all doctests, because their names are told only by running them; those that take no
    /// part are left out of the report.
    async fn run_doctests(
        &self,
        trial: &Trial<'_>,
        verification: &mut Verification,
        gathered: &mut Gathered,
    ) -> Result<(), Trouble> {
        let Base { place, scope, target_dir, .. } = *trial.base;
        let mut argv = self.call.program.clone();
        argv.extend(self.options.doctest_args(target_dir));
        let stdout = verification.fresh("doctests");
        let step = Step {
            argv: words(&argv),
            cwd: place.project.clone(),
            env: environment::building(&self.call, target_dir),
            stdout: Some(stdout.clone()),
        };
        let finished = verification.run(step).await?;
        let bytes = read_capped(&stdout, REPORT_CAP).unwrap_or_default().unwrap_or_default();
        let mut classified = libtest::transcripts(&bytes);
        let names: Vec<String> = classified.tests.iter().map(|test| test.0.clone()).collect();
        settle(&mut classified, &names, finished.exit, gathered);
        let results = targets::doctest_results(classified.tests, trial.base.root(), place);
        let takes = |test: &TestResult| match &test.file {
            Some(file) => scope.takes(file, &test.id),
            None => scope.is_unchosen() || scope.only_ids.contains(&test.id),
        };
        gathered.report.tests.extend(results.into_iter().filter(takes));
        gathered.flaw = gathered.flaw.take().or(classified.flaw);
        Ok(())
    }

    /// The command line that runs these files' tests.
    pub(super) fn selection(&self, place: &Place, files: &[RelPath]) -> String {
        let mut packages = BTreeSet::new();
        let mut targets = BTreeSet::new();
        let mut filters = BTreeSet::new();
        for file in files {
            let named = named::by_path(place, file);
            packages.insert((named.is_root, named.package));
            targets.extend(named.target);
            filters.extend(named.filter);
        }
        let mut argv = self.call.program.clone();
        let profile = if self.nextest.is_some() { "--cargo-profile" } else { "--profile" };
        let shared = self.options.of_any_package();
        let shared = shared.iter().chain(&self.options.target_dir);
        argv.extend(shared.map(|arg| if arg == "--profile" { profile.to_owned() } else { arg.clone() }));
        // The package of the root is meant where none is named, unless others are.
        let needs_names = packages.iter().any(|(is_root, _)| !is_root) && !self.options.says_packages();
        for (_, package) in packages.iter().filter(|_| needs_names) {
            argv.extend(package.iter().flat_map(|name| ["-p".to_owned(), name.clone()]));
        }
        argv.extend(targets.into_iter().flatten());
        argv.extend(filters);
        typed(&argv)
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
