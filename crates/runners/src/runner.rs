//! The project's test command, read by the adapter of its runner (contract sections 5 to 7).
//!
//! ```text
//! TestOrder ─► Scope ─► adapter ─► commands on a Verification ─► report ─► TestRun
//! ```
//!
//! One file per runner. Neighbours: `runners::test_report` reads what runners write,
//! `core::evidence` says whether it counts, `child::process` runs the commands. Refuses to know:
//! criteria, verdicts, and which tests were expected.
#![expect(clippy::disallowed_methods, reason = "adapters of the disk, of children and of their environment")]

mod adapter;
mod bounds;
mod bun;
mod canary;
mod cargo;
mod copies;
mod deno;
mod environment;
pub(crate) mod facts;
mod forget;
mod go;
mod installed;
mod javascript;
mod jest;
mod node;
mod patience;
pub mod place;
mod pytest;
mod python;
mod refusals;
mod registry;
mod rehearsal;
mod replay;
mod scope;
mod scratch;
mod shell;
mod stamp;
mod temp_pool;
mod unittest;
mod verification;
mod vitest;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

pub use self::canary::is_named_after_one;
pub use self::facts::{Junit, Placement, Runner, Source};
pub use self::registry::of;
pub use self::rehearsal::{Rehearsal, rehearse};
pub use self::replay::Replay;

use self::adapter::Adapter;
use self::copies::{Plan, Round, Suspects};

use self::facts::Making;
use self::patience::Patience;
use self::place::{PYTHON_PATH, Place};
use self::refusals::missing_program;
use self::scope::Scope;
use self::temp_pool::{Folder, Rest, TempPool};
use self::verification::{Measured, Step, Verification, words};
use tdd_child::leftovers;
use tdd_child::process::Ended;
use tdd_child::sandbox::Sandbox;
use tdd_child::signals::StopSignal;
use tdd_core::commands::{ProjectCommands, RunnerTable, Suite};
use tdd_core::event::Leaked;
use tdd_core::mapping::Without;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Isolation, Observer, Recalled, TestOrder, Tests};
use tdd_core::test::{Canary, Copies, TestId, TestRun};
use tdd_core::trouble::Trouble;
use tdd_source::Language;

/// What the adapter of a project's tests needs.
#[derive(Clone, Debug)]
pub struct RunnerSetup {
    /// The repository's root; findings' paths are relative to it.
    pub repository: PathBuf,
    /// Where commands run; ids are relative to it.
    pub project: PathBuf,
    pub commands: ProjectCommands,
    /// `runner:` of `tdd.yaml`.
    pub table: Option<RunnerTable>,
    /// A private folder of the run for logs, reports and reporters, outside the tree or in
    /// `.tdd/runs`.
    pub work: PathBuf,
    /// For one verification; `None` is the larger of 10 minutes and three times the first run.
    pub deadline: Option<Duration>,
    /// Bytes that one command may print.
    pub output_cap: u64,
    pub stop: StopSignal,
}

/// The project's two commands.
pub struct ProjectTests {
    /// Where everything runs.
    place: Place,
    /// The work tree.
    home: Place,
    /// In a checkout, what of the work tree is seen.
    seen: Option<Vec<PathBuf>>,
    /// The repository that temporary folders are made for; a copy of it is none of anybody's.
    owner: PathBuf,
    commands: ProjectCommands,
    adapter: Box<dyn Adapter>,
    work: PathBuf,
    deadline: Option<Duration>,
    output_cap: u64,
    stop: StopSignal,
    /// Verifications so far, for the logs' names.
    count: u32,
    /// How long the first verification took.
    first_ms: Option<u64>,
    /// Where installed modules of Python lie in the repository, as the first run has told.
    import_roots: BTreeSet<String>,
    /// How long the last one took, by its label.
    last_ms: BTreeMap<String, u64>,
    /// Which environment a launcher takes in the work tree.
    chosen: verification::Chosen,
    /// What stopping one comes to, for a person who waits for it.
    after_stop: &'static str,
    sandbox: Option<Sandbox>,
    /// Holds each verification's temporary files while it runs; made for the first one.
    temp: Option<leftovers::OwnFolder>,
    /// Of the folders in it, and of those in `work`.
    temp_pool: TempPool,
    work_pool: TempPool,
    /// What outlived commands, until somebody asks.
    ended: Ended,
}

/// The key of the gate's last duration; no label is empty.
const GATE: &str = "";

impl ProjectTests {
    /// Fails with a filled-in suggestion if no adapter can derive how to select tests from the
    /// command and `tdd.yaml` does not say it (contract section 5).
    pub fn new(setup: RunnerSetup) -> Result<Self, Trouble> {
        let runner = of(setup.commands.runner);
        let (commands, table) = (&setup.commands, setup.table.as_ref());
        let making = Making { called_by: runner.called_by, commands, table, work: &setup.work };
        let adapter = (runner.adapter)(&making)?;
        Ok(Self {
            place: Place::new(&setup.repository, &setup.project),
            home: Place::new(&setup.repository, &setup.project),
            seen: None,
            owner: setup.repository,
            commands: setup.commands,
            adapter,
            // A process that goes on with a run must not write over what the one before it kept.
            count: verification::last_number(&setup.work),
            work: setup.work,
            deadline: setup.deadline,
            output_cap: setup.output_cap,
            stop: setup.stop,
            first_ms: None,
            import_roots: BTreeSet::new(),
            last_ms: BTreeMap::new(),
            chosen: verification::Chosen::default(),
            after_stop: patience::GOES_ON,
            sandbox: None,
            temp: None,
            temp_pool: TempPool::default(),
            work_pool: TempPool::default(),
            ended: Ended::default(),
        })
    }

    /// Every command is started inside this sandbox from now on.
    #[must_use = "this returns the tests with their sandbox"]
    pub fn fenced_by(mut self, sandbox: Option<Sandbox>) -> Self {
        self.sandbox = sandbox;
        self
    }

    /// Nobody goes on with what a stop ends.
    #[must_use = "this returns the tests"]
    pub fn never_resumed(mut self) -> Self {
        self.after_stop = patience::ENDS;
        self
    }

    /// The command for all tests.
    fn whole(&self) -> String {
        self.adapter.whole().unwrap_or_else(|| self.commands.test.clone())
    }

    fn verification(&mut self, label: &str, ends: Option<u64>) -> Result<Verification, Trouble> {
        self.count = self.count.saturating_add(1);
        let bounds = self.bounds(ends);
        let mut verification =
            Verification::new((&self.work, &self.work_pool), self.count, label, bounds, &self.stop)?;
        verification.use_temp(self.temporary()?);
        let python_path = self.place.python_path(std::env::var_os(PYTHON_PATH));
        verification.lead_python(python_path, &self.owner, &self.place.repository);
        let verification = verification.fenced_by(self.sandbox.clone(), self.seen.clone());
        Ok(verification.noting_in(&self.ended).choosing_by(&self.chosen))
    }

    /// Runs tests whose copies did not show what they must once more, in the judged file's own place in
    /// copies of the tree: only there can one be called toothless.
    async fn confirm(
        &mut self,
        (plan, (mut found, mut suspects)): (&Plan, (Copies, Suspects)),
        order: &TestOrder,
        shared: &RefCell<Observer<'_>>,
    ) -> Result<Copies, Trouble> {
        let observer: Observer<'_> = &mut |news| shared.borrow_mut()(news);
        let without = Without { files: Vec::new(), tests: order.without.tests.clone() };
        let there = if suspects.is_empty() {
            None
        } else {
            scratch::make_without(&self.place, &without, observer).ok()
        };
        if let Some(there) = there {
            for round in Round::ALL {
                let files = suspects.write(plan, round, &there.place)?;
                if files.is_empty() {
                    continue;
                }
                let order = TestOrder {
                    label: format!("{}, its tests changed", order.label),
                    only_files: files,
                    without: Without::files(order.without.files.clone()),
                    told_apart: order.told_apart.clone(),
                    ..TestOrder::default()
                };
                let mut verification = self.verification(&order.label, None)?;
                let (scope, patience) = (Scope::new(&order, &there.place), self.patience(&order.label, None));
                let observer: Observer<'_> = &mut |news| shared.borrow_mut()(news);
                let at = (&there.place, &scope);
                let run = self.adapter.run(at, &CanaryWish::None, &mut verification, observer);
                let measured = patience::watched(run, patience, &order.label, shared).await?;
                let run = verification.finish(measured)?;
                suspects.hear(round, run.report.as_ref(), &mut found);
            }
        }
        suspects.give_up(&mut found);
        Ok(copies::bounded(found))
    }

    /// An empty folder for the temporary files of one verification. Its path is short, because sockets
    /// that tests make there have short names only.
    fn temporary(&mut self) -> Result<Folder, Trouble> {
        let inside =
            |pool: &TempPool, root: &leftovers::OwnFolder| pool.folder(root.path(), "", 4, Rest::Goes);
        // Earlier tests may have left ours closed or removed it.
        if let Some(Ok(folder)) = self.temp.as_ref().map(|root| inside(&self.temp_pool, root)) {
            return Ok(folder);
        }
        let root = self.temp.insert(leftovers::temporary_folder(&self.owner)?);
        inside(&self.temp_pool, root).map_err(|error| leftovers::no_temporary_folder(&error))
    }
}

impl Tests for ProjectTests {
    fn isolation(&self) -> Isolation {
        self.adapter.isolation()
    }

    fn forget(&mut self, files: &[RelPath]) -> Result<(), Trouble> {
        forget::traces(&self.home, files)
    }

    fn work_in(&mut self, checkout: Option<(&Path, &[PathBuf])>) {
        self.seen = checkout.map(|(_, seen)| seen.to_vec());
        self.place = match checkout {
            Some((root, _)) => {
                let inside = self.home.project.strip_prefix(&self.home.repository).unwrap_or(Path::new(""));
                Place::new(root, &root.join(inside)).importing_from(&self.import_roots)
            }
            None => self.home.clone(),
        };
    }

    fn recall(&mut self, recalled: &Recalled) {
        self.import_roots.clone_from(&recalled.import_roots);
        self.first_ms = self.first_ms.or(recalled.first_ms);
        self.adapter.recall(recalled, &self.place);
    }

    async fn run(&mut self, order: &TestOrder, observer: Observer<'_>) -> Result<TestRun, Trouble> {
        let mut verification = self.verification(&order.label, order.deadline_ms)?;
        verification.note_canary(match order.canary {
            CanaryWish::None => Canary::NotAsked,
            CanaryWish::Beside(_) => Canary::Unsupported,
        });
        let without = Without { files: Vec::new(), tests: order.without.tests.clone() };
        let copy = if without.is_empty() {
            None
        } else {
            Some(scratch::make_without(&self.place, &without, observer)?)
        };
        let place = copy.as_ref().map_or(&self.place, |copy| &copy.place);
        let mut scope = Scope::new(order, place);
        scope.plan = Rc::new(Plan::of(place, scope.judged.as_deref())?);
        let plan = Rc::clone(&scope.plan);
        let patience = self.patience(&order.label, order.deadline_ms);
        let shared = RefCell::new(observer);
        let observer: Observer<'_> = &mut |news| shared.borrow_mut()(news);
        let (adapter, bench_now) = (&mut self.adapter, &mut verification);
        let run = async { adapter.run((place, &scope), &order.canary, bench_now, observer).await };
        let measured = patience::watched(run, patience, &order.label, &shared).await?;
        let heard = verification.heard();
        let is_shown = heard.is_some() || self.adapter.can_choose();
        let whole = measured.report.as_ref().filter(|report| is_shown && report.complete);
        if let Some(report) = whole {
            let shown = plan.shown(report, heard.as_ref(), order.confirm);
            let copies = self.confirm((&plan, shown), order, &shared).await?;
            verification.note_copies(copies);
        }
        let mut run = verification.finish(measured)?;
        if let Some(report) = &mut run.report {
            report.number_namesakes();
        }
        if self.first_ms.is_none() {
            self.import_roots = run.report.iter().flat_map(|report| report.import_roots.clone()).collect();
        }
        self.first_ms = self.first_ms.or(Some(run.duration_ms));
        self.last_ms.insert(order.label.clone(), run.duration_ms);
        Ok(run)
    }

    async fn run_gate(
        &mut self,
        label: &str,
        without: &Without,
        observer: Observer<'_>,
    ) -> Result<TestRun, Trouble> {
        if self.commands.gate == self.commands.test {
            let order =
                TestOrder { label: label.to_owned(), without: without.clone(), ..TestOrder::default() };
            return self.run(&order, observer).await;
        }
        let mut verification = self.verification(label, None)?;
        let argv = ["sh", "-c", &self.commands.gate].map(OsString::from).to_vec();
        let mut step = Step { argv, cwd: self.place.project.clone(), env: vec![], stdout: None };
        let mut copy = None;
        if without.is_empty() {
            verification.announce(self.commands.gate.clone(), observer);
        } else {
            // A gate takes no selection, so it gets a tree without them.
            let tests = without.tests.iter().map(|test| test.id.0.as_str());
            let note = scratch::note_of(without.files.iter().map(RelPath::as_str).chain(tests));
            verification.announce(format!("{}{note}", self.commands.gate), observer);
            let there = copy.insert(scratch::make_without(&self.place, without, observer)?);
            step.cwd.clone_from(&there.place.project);
            // The copy's builds are of no use to anybody else, and must not land in the user's tree.
            let target = there.place.repository.join("target");
            step.env = vec![("CARGO_TARGET_DIR".into(), Some(target.into()))];
        }
        // It may be another command altogether than the tests'.
        let usual = self.last_ms.get(GATE).copied().map(Duration::from_millis);
        let patience = Patience { usual, ..self.patience(GATE, None) };
        let finished =
            patience::watched(verification.run(step), patience, label, &RefCell::new(observer)).await?;
        self.last_ms.insert(GATE.to_owned(), finished.duration_ms);
        missing_program(finished.exit, &self.commands.gate, &verification.last_words(0))?;
        verification.finish(Measured { exit: finished.exit, report: None, unreadable: None, fail_code: 1 })
    }

    fn leaked(&mut self) -> Vec<Leaked> {
        self.ended.take()
    }

    fn selection(&self, suite: Suite, files: &[RelPath]) -> String {
        match suite {
            Suite::Gate => self.commands.gate.clone(),
            Suite::Test => match scope::runnable(files) {
                files if files.is_empty() => self.whole(),
                files => self.adapter.selection(&self.place, &files),
            },
        }
    }

    /// Where an adapter knows by which flag its runner goes on; a person's own script is as it is.
    fn everything(&self) -> String {
        self.adapter.everything(&self.place).unwrap_or_else(|| self.whole())
    }

    fn declared(&self, file: &RelPath, source: &[u8]) -> Vec<TestId> {
        let Some(language) = Language::of(file.extension()) else { return Vec::new() };
        let path = self.place.id_path(file);
        let names = tdd_source::declared(language, &String::from_utf8_lossy(source));
        names.into_iter().map(|name| TestId(format!("{path}::{name}"))).collect()
    }

    fn never_runs(&self, id: &TestId, source: &str) -> Option<&'static str> {
        let (_, name) = id.0.split_once("::")?;
        self.adapter.never_runs(name, source)
    }
}
