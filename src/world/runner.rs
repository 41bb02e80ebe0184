//! The project's test command, read by the adapter of its runner (contract sections 5 to 7).
//!
//! ```text
//! TestOrder ─► Scope ─► adapter ─► commands on a Bench ─► report ─► TestRun
//! ```
//!
//! One file per runner. Neighbours: `text::test_report` reads what runners write,
//! `core::evidence` says whether it counts, `world::process` runs the commands. Refuses to know:
//! criteria, verdicts, and which tests were expected.
#![expect(clippy::disallowed_methods, reason = "adapters of the disk, of children and of their environment")]

mod bench;
mod bun;
mod call;
mod canary;
mod cargo;
mod go;
mod installed;
mod javascript;
mod jest;
mod node;
mod patience;
pub(in crate::world) mod place;
mod pytest;
mod python;
mod refusals;
mod rehearsal;
mod scope;
mod scratch;
mod shelf;
mod shell;
mod stamp;
mod unittest;
mod vitest;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub use self::call::{RunnerCall, recognise};
pub use self::rehearsal::{Rehearsal, rehearse};

use self::bench::{Bench, Bounds, Measured, Step};
use self::bun::Bun;
use self::cargo::Cargo;
use self::go::Go;
use self::jest::Jest;
use self::node::Node;
use self::patience::Patience;
use self::place::Place;
use self::pytest::Pytest;
use self::refusals::{missing_program, underivable};
use self::scope::Scope;
use self::shelf::{Folder, Rest, Shelf};
use self::shell::Shell;
use self::unittest::Unittest;
use self::vitest::Vitest;
use crate::core::commands::{ProjectCommands, RunnerKind, RunnerTable, Suite};
use crate::core::event::Leaked;
use crate::core::path::RelPath;
use crate::core::test::{Canary, TestId, TestRun};
use crate::core::trouble::Trouble;
use crate::driver::ports::{CanaryWish, Hear, Isolation, Recalled, TestOrder, Tests};
use crate::text::test_source::{self, Language};
use crate::world::leftovers;
use crate::world::process::kin;
use crate::world::sandbox::Sandbox;
use crate::world::signals::StopSignal;

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
    place: Place,
    /// The repository that temporary folders are made for; a copy of it is none of anybody's.
    owner: PathBuf,
    commands: ProjectCommands,
    adapter: Adapter,
    work: PathBuf,
    deadline: Option<Duration>,
    output_cap: u64,
    stop: StopSignal,
    /// Verifications so far, for the logs' names.
    count: u32,
    /// How long the first verification took.
    first_ms: Option<u64>,
    /// How long the last one took, by its label.
    last_ms: BTreeMap<String, u64>,
    /// What stopping one comes to, for a person who waits for it.
    after_stop: &'static str,
    sandbox: Option<Sandbox>,
    /// Holds each verification's temporary files while it runs; made for the first one.
    temp: Option<leftovers::OwnFolder>,
    /// Of the folders in it, and of those in `work`.
    temp_shelf: Shelf,
    work_shelf: Shelf,
}

#[derive(Debug)]
enum Adapter {
    Cargo(Box<Cargo>),
    Pytest(Pytest),
    Unittest(Unittest),
    Vitest(Vitest),
    Jest(Jest),
    Bun(Bun),
    Node(Node),
    Go(Box<Go>),
    Shell(Shell),
}

/// The key of the gate's last duration; no label is empty.
const GATE: &str = "";

const SHORTEST_DEADLINE: Duration = Duration::from_mins(10);
const BUILD_DEADLINE: Duration = Duration::from_hours(1);

impl ProjectTests {
    /// Fails with a filled-in suggestion if no adapter can derive how to select tests from the
    /// command and `tdd.yaml` does not say it (contract section 5).
    pub fn new(setup: RunnerSetup) -> Result<Self, Trouble> {
        let adapter = adapter(&setup.commands, setup.table.as_ref(), &setup.work)?;
        Ok(Self {
            place: Place::new(&setup.repository, &setup.project),
            owner: setup.repository,
            commands: setup.commands,
            adapter,
            // A process that goes on with a run must not write over what the one before it kept.
            count: bench::last_number(&setup.work),
            work: setup.work,
            deadline: setup.deadline,
            output_cap: setup.output_cap,
            stop: setup.stop,
            first_ms: None,
            last_ms: BTreeMap::new(),
            after_stop: patience::GOES_ON,
            sandbox: None,
            temp: None,
            temp_shelf: Shelf::default(),
            work_shelf: Shelf::default(),
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

    fn patience(&self, label: &str) -> Patience {
        let usual = self.last_ms.get(label).copied().or(self.first_ms).map(Duration::from_millis);
        Patience { usual, deadline: self.deadline(), stop: self.after_stop }
    }

    /// Of the next verification; [`RunnerSetup::deadline`] says how it is found.
    pub fn deadline(&self) -> Duration {
        let threefold = self.first_ms.map(|first| Duration::from_millis(first.saturating_mul(3)));
        self.deadline.unwrap_or_else(|| threefold.unwrap_or_default().max(SHORTEST_DEADLINE))
    }

    /// Of all that the next verification builds before its tests. A first build has to compile what the
    /// project depends on, so no build is measured by another.
    fn build_deadline(&self) -> Duration {
        self.deadline.unwrap_or(BUILD_DEADLINE)
    }

    /// The command for all tests.
    fn whole(&self) -> String {
        let wider = if let Adapter::Cargo(cargo) = &self.adapter { cargo.whole() } else { None };
        wider.unwrap_or_else(|| self.commands.test.clone())
    }

    fn bench(&mut self, label: &str) -> Result<Bench, Trouble> {
        self.count = self.count.saturating_add(1);
        let (deadline, build_deadline) = (self.deadline(), self.build_deadline());
        let bounds = Bounds { deadline, build_deadline, output_cap: self.output_cap };
        let mut bench = Bench::new((&self.work, &self.work_shelf), self.count, label, bounds, &self.stop)?;
        bench.use_temp(self.temporary()?);
        Ok(bench.fenced_by(self.sandbox.clone()))
    }

    /// An empty folder for the temporary files of one verification. Its path is short, because sockets
    /// that tests make there have short names only.
    fn temporary(&mut self) -> Result<Folder, Trouble> {
        let inside =
            |shelf: &Shelf, root: &leftovers::OwnFolder| shelf.folder(root.path(), "", 4, Rest::Goes);
        // Earlier tests may have left ours closed or removed it.
        if let Some(Ok(folder)) = self.temp.as_ref().map(|root| inside(&self.temp_shelf, root)) {
            return Ok(folder);
        }
        let root = self.temp.insert(leftovers::temporary_folder(&self.owner)?);
        inside(&self.temp_shelf, root).map_err(|error| leftovers::no_temporary_folder(&error))
    }
}

impl Tests for ProjectTests {
    fn isolation(&self) -> Isolation {
        match self.adapter {
            Adapter::Cargo(_)
            | Adapter::Pytest(_)
            | Adapter::Unittest(_)
            | Adapter::Vitest(_)
            | Adapter::Jest(_)
            | Adapter::Bun(_)
            | Adapter::Node(_)
            // A file that does not compile is left out of its package by an overlay.
            | Adapter::Go(_) => Isolation::PerFile,
            Adapter::Shell(_) => Isolation::Coupled,
        }
    }

    fn recall(&mut self, recalled: &Recalled) {
        self.first_ms = self.first_ms.or(recalled.first_ms);
        match (&mut self.adapter, &recalled.command) {
            (Adapter::Cargo(cargo), Some(command)) => cargo.recall(command),
            (Adapter::Go(go), Some(_)) => go.grow_cold(),
            (Adapter::Pytest(pytest), _) => pytest.recall(),
            (Adapter::Unittest(unittest), _) => unittest.recall(),
            (Adapter::Shell(shell), _) => {
                let of_ids = recalled.tests.iter().filter_map(|id| self.place.file_of_id(id));
                shell.recall(of_ids.map(|(file, _)| file).chain(recalled.files.iter().cloned()));
            }
            _ => {}
        }
    }

    async fn run(&mut self, order: &TestOrder, hear: Hear<'_>) -> Result<TestRun, Trouble> {
        let mut bench = self.bench(&order.label)?;
        bench.note_canary(match order.canary {
            CanaryWish::None => Canary::NotAsked,
            CanaryWish::Beside(_) => Canary::Unsupported,
        });
        let scope = Scope::new(order, &self.place);
        let patience = self.patience(&order.label);
        let shared = RefCell::new(hear);
        let hear: Hear<'_> = &mut |news| shared.borrow_mut()(news);
        let (place, adapter, bench_now) = (&self.place, &mut self.adapter, &mut bench);
        let run = async {
            Ok::<_, Trouble>(match adapter {
                Adapter::Cargo(cargo) => cargo.run(place, &scope, bench_now, hear).await?,
                Adapter::Pytest(pytest) => pytest.run(place, &scope, bench_now, hear).await?,
                Adapter::Unittest(unittest) => unittest.run(place, &scope, bench_now, hear).await?,
                Adapter::Vitest(vitest) => vitest.run(place, &scope, bench_now, hear).await?,
                Adapter::Jest(jest) => jest.run(place, &scope, bench_now, hear).await?,
                Adapter::Bun(bun) => bun.run(place, &scope, bench_now, hear).await?,
                Adapter::Node(node) => node.run(place, &scope, bench_now, hear).await?,
                Adapter::Go(go) => go.run((place, &scope), &order.canary, bench_now, hear).await?,
                Adapter::Shell(shell) => shell.run(place, &scope, bench_now, hear).await?,
            })
        };
        let measured = patience::watched(run, patience, &order.label, &shared).await?;
        let mut run = bench.finish(measured)?;
        if let Some(report) = &mut run.report {
            report.number_namesakes();
        }
        self.first_ms = self.first_ms.or(Some(run.duration_ms));
        self.last_ms.insert(order.label.clone(), run.duration_ms);
        Ok(run)
    }

    async fn run_gate(
        &mut self,
        label: &str,
        leave_out: &[RelPath],
        hear: Hear<'_>,
    ) -> Result<TestRun, Trouble> {
        let leave_out = leave_out.to_vec();
        if self.commands.gate == self.commands.test {
            let order = TestOrder { label: label.to_owned(), leave_out, ..TestOrder::default() };
            return self.run(&order, hear).await;
        }
        let mut bench = self.bench(label)?;
        let argv = ["sh", "-c", &self.commands.gate].map(OsString::from).to_vec();
        let mut step = Step { argv, cwd: self.place.project.clone(), env: vec![], stdout: None };
        let mut copy = None;
        if leave_out.is_empty() {
            bench.announce(self.commands.gate.clone(), hear);
        } else {
            // A gate takes no selection, so it gets a tree without the files.
            bench.announce(format!("{}{}", self.commands.gate, scratch::note(&leave_out)), hear);
            let there = copy.insert(scratch::make(&self.place, &|file| !leave_out.contains(file), hear)?);
            step.cwd.clone_from(&there.place.project);
            // The copy's builds are of no use to anybody else, and must not land in the user's tree.
            let target = there.place.repository.join("target");
            step.env = vec![("CARGO_TARGET_DIR".into(), Some(target.into()))];
        }
        // It may be another command altogether than the tests'.
        let usual = self.last_ms.get(GATE).copied().map(Duration::from_millis);
        let patience = Patience { usual, ..self.patience(GATE) };
        let finished = patience::watched(bench.run(step), patience, label, &RefCell::new(hear)).await?;
        self.last_ms.insert(GATE.to_owned(), finished.duration_ms);
        missing_program(finished.exit, &self.commands.gate, &bench.last_words(0))?;
        bench.finish(Measured { exit: finished.exit, report: None, unreadable: None, fail_code: 1 })
    }

    /// Those of agents too: a sweep does not know whose they were.
    fn leaked(&mut self) -> Vec<Leaked> {
        kin::take_ended()
    }

    fn selection(&self, suite: Suite, files: &[RelPath]) -> String {
        match suite {
            Suite::Gate => self.commands.gate.clone(),
            Suite::Test if files.is_empty() => self.whole(),
            Suite::Test => match &self.adapter {
                Adapter::Cargo(cargo) => cargo.selection(&self.place, files),
                Adapter::Pytest(pytest) => pytest.selection(&self.place, files),
                Adapter::Unittest(unittest) => unittest.selection(&self.place, files),
                Adapter::Vitest(vitest) => vitest.selection(&self.place, files),
                Adapter::Jest(jest) => jest.selection(&self.place, files),
                Adapter::Bun(bun) => bun.selection(&self.place, files),
                Adapter::Node(node) => node.selection(&self.place, files),
                Adapter::Go(go) => go.selection(&self.place, files),
                Adapter::Shell(shell) => shell.selection(&self.place, files),
            },
        }
    }

    /// Where an adapter knows by which flag its runner goes on; a person's own script is as it is.
    fn everything(&self) -> String {
        match &self.adapter {
            Adapter::Pytest(pytest) => pytest.everything(&self.place),
            Adapter::Cargo(cargo) => cargo.everything(),
            Adapter::Unittest(_)
            | Adapter::Vitest(_)
            | Adapter::Jest(_)
            | Adapter::Bun(_)
            | Adapter::Node(_)
            | Adapter::Go(_)
            | Adapter::Shell(_) => self.whole(),
        }
    }

    fn declared(&self, file: &RelPath, source: &[u8]) -> Vec<TestId> {
        let Some(language) = Language::of(file.extension()) else { return Vec::new() };
        let path = self.place.id_path(file);
        let names = test_source::declared(language, &String::from_utf8_lossy(source));
        names.into_iter().map(|name| TestId(format!("{path}::{name}"))).collect()
    }
}

fn adapter(commands: &ProjectCommands, table: Option<&RunnerTable>, work: &Path) -> Result<Adapter, Trouble> {
    let line = table.map_or(commands.test.as_str(), |table| table.all.as_str());
    let call = || recognise(commands.runner, line).ok_or_else(|| underivable(commands, line));
    Ok(match commands.runner {
        RunnerKind::Cargo => Adapter::Cargo(Box::new(Cargo::new(call()?, work))),
        RunnerKind::Nextest => Adapter::Cargo(Box::new(Cargo::nextest(call()?, work))),
        RunnerKind::Pytest => Adapter::Pytest(Pytest::new(call()?, work)),
        RunnerKind::Unittest => Adapter::Unittest(Unittest::new(call()?, work)),
        RunnerKind::Vitest => Adapter::Vitest(Vitest::new(call()?)),
        RunnerKind::Jest => Adapter::Jest(Jest::new(call()?)),
        RunnerKind::Bun => Adapter::Bun(Bun::new(call()?)),
        RunnerKind::Node => Adapter::Node(Node::new(call()?)),
        RunnerKind::Go => Adapter::Go(Box::new(Go::new(call()?, work))),
        RunnerKind::Junit => match table.filter(|table| table.report.is_some()) {
            Some(table) => Adapter::Shell(Shell::new(table)),
            None => return Err(underivable(commands, line)),
        },
        RunnerKind::Tap => match table {
            Some(table) => Adapter::Shell(Shell::tap(table)),
            None => return Err(underivable(commands, line)),
        },
        RunnerKind::ExitCode => Adapter::Shell(Shell::exit_code(table, &commands.test)),
    })
}

fn words(argv: &[String]) -> Vec<OsString> {
    argv.iter().map(OsString::from).collect()
}
