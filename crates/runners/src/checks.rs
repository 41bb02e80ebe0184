//! The checks of `tdd fix`: each is run by the adapter of its runner, or as it stands, and what a
//! type checker printed is read error by error.
//!
//! Neighbours: `runners::runner` runs, `runners::check_report` reads. Refuses to know what is green.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::check_report;
use crate::runner::{ProjectTests, RunnerSetup};
use tdd_child::regular_file;
use tdd_child::sandbox::Sandbox;
use tdd_child::signals::StopSignal;
use tdd_core::commands::{ProjectCommands, RunnerKind, RunnerTable};
use tdd_core::event::Leaked;
use tdd_core::fix::classify::TypeErrors;
use tdd_core::fix::{Check, CheckKind};
use tdd_core::ports::{CanaryWish, CheckRun, Checks, Observer, TestOrder, Tests};
use tdd_core::test::Exit;
use tdd_core::trouble::Trouble;

/// Bytes of a type checker's output that are read.
const MOST_READ: u64 = 16 << 20;

/// What the checks of a run need.
#[derive(Clone, Debug)]
pub struct CheckSetup {
    pub repository: PathBuf,
    pub project: PathBuf,
    /// `runner:` of `tdd.yaml`, for the check that is its command.
    pub table: Option<RunnerTable>,
    /// A private folder of the run.
    pub work: PathBuf,
    pub output_cap: u64,
    pub stop: StopSignal,
}

/// All checks, each with its own runner.
pub struct ProjectChecks {
    checks: Vec<(Check, ProjectTests)>,
}

impl ProjectChecks {
    /// Fails if a check can't be run at all.
    pub fn new(checks: &[Check], setup: &CheckSetup, sandbox: Option<&Sandbox>) -> Result<Self, Trouble> {
        let one = |(at, check): (usize, &Check)| {
            let runner = match check.kind {
                CheckKind::Tests(runner) => runner,
                CheckKind::Types(_) | CheckKind::Command => RunnerKind::ExitCode,
            };
            let commands = ProjectCommands {
                test: check.command.clone(),
                test_source: check.source.clone(),
                gate: check.command.clone(),
                gate_source: check.source.clone(),
                runner,
            };
            let tests = ProjectTests::new(RunnerSetup {
                repository: setup.repository.clone(),
                project: setup.project.clone(),
                commands,
                table: setup.table.clone().filter(|table| table.all == check.command && table.kind == runner),
                work: setup.work.join(format!("check-{}", at + 1)),
                deadline: Some(Duration::from_millis(check.deadline_ms)),
                output_cap: setup.output_cap,
                stop: setup.stop.clone(),
            })?;
            Ok((check.clone(), tests.never_resumed().fenced_by(sandbox.cloned())))
        };
        let checks: Result<Vec<_>, Trouble> = checks.iter().enumerate().map(one).collect();
        Ok(Self { checks: checks? })
    }
}

impl Checks for ProjectChecks {
    fn work_in(&mut self, checkout: Option<(&Path, &[PathBuf])>) {
        for (_, tests) in &mut self.checks {
            tests.work_in(checkout);
        }
    }

    async fn run(
        &mut self,
        check: usize,
        label: &str,
        canary: &CanaryWish,
        observer: Observer<'_>,
    ) -> Result<CheckRun, Trouble> {
        let Some((check, tests)) = self.checks.get_mut(check) else {
            return Err(Trouble::internal("a check was asked for that is none"));
        };
        let canary = match check.kind {
            CheckKind::Tests(_) => canary.clone(),
            CheckKind::Types(_) | CheckKind::Command => CanaryWish::None,
        };
        let order = TestOrder { label: label.to_owned(), canary, ..TestOrder::default() };
        let run = tests.run(&order, observer).await?;
        let mut types = TypeErrors::default();
        if let CheckKind::Types(checker) = check.kind {
            let said = printed(&run.log).unwrap_or_else(|| run.output.clone());
            if matches!(run.exit, Exit::Code(code) if code != 0) && check_report::is_missing(checker, &said) {
                return Err(Trouble::environment(format!("`{}` could not be run", check.command))
                    .because(said.trim().lines().next_back().unwrap_or_default())
                    .advise(format!("install {}, or name other checks: --check 'COMMAND'", checker.name())));
            }
            types = check_report::read(checker, &said);
        }
        Ok(CheckRun { run, types })
    }

    fn leaked(&mut self) -> Vec<Leaked> {
        self.checks.iter_mut().flat_map(|(_, tests)| tests.leaked()).collect()
    }
}

/// The beginning of a log, where a checker's first errors are.
fn printed(log: &str) -> Option<String> {
    let file = regular_file::open(Path::new(log)).ok()?;
    let bytes = regular_file::head_of(file, MOST_READ).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}
