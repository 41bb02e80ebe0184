//! From a prepared run to an exit code.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::commands::detach;
use crate::commands::runs::status as run_status;
use crate::driver::cycle::Drive;
use crate::driver::flags::Flags;
use crate::driver::resume::Said;
use crate::driver::setup::Setup;
use crate::exit::Exit;
use crate::settings::{Beside, Intent, OutputMode};
use crate::view::{self, Detail, Stderr, Wish, print};
use crate::world::journal_file::{JournalFile, folders};
use crate::world::lock::WorkTreeLock;
use tdd_child::clock::SystemClock;
use tdd_child::leftovers;
use tdd_child::run_folder::{self, RunDir};
use tdd_child::signals;
use tdd_child::signals::StopSignal;
use tdd_child::unix;
use tdd_core::attempt::CheckpointId;
use tdd_core::audience::Audience;
use tdd_core::event::{Decision, Event, RunId, RunStarted};
use tdd_core::labels;
use tdd_core::machine::{Machine, Suspension};
use tdd_core::ports::{Checkpoints, Clock, Journal};
use tdd_core::role::Role;
use tdd_core::state::{End, Phase, State};
use tdd_core::trouble::{Then, Trouble};
use tdd_snapshot::checkpoints;
use tdd_snapshot::checkpoints::GitCheckpoints;

use super::brought;
use super::ci;
use super::edited;
use super::given_up;
use super::own_settings::OwnSettings;
use super::paused;
use super::prepare::Prepared;
use super::record;
use super::wire::{self, Folders};
use tdd_child::regular_file;

/// What a run holds on to while it is under way.
pub struct Hold {
    pub stop: StopSignal,
    lock: WorkTreeLock,
    exchange: leftovers::OwnFolder,
    pub tdd: PathBuf,
}

impl Hold {
    /// Takes the work tree's lock and hears signals from now on.
    pub fn take(repository: &Path) -> Result<Self, Trouble> {
        let tdd = std::env::current_exe().map_err(|error| {
            Trouble::environment("the path of this program can't be found").because(error)
        })?;
        refuse_linked(repository)?;
        let stop = signals::install()?;
        // Descendants of children that lose their parents come to us, so that the sweep finds them.
        let _ = unix::become_subreaper();
        let lock = WorkTreeLock::acquire(repository)?;
        reap(repository);
        let exchange = leftovers::exchange_folder(repository)?;
        Ok(Self { stop, lock, exchange, tdd })
    }

    pub fn folders(&self, run: PathBuf) -> Folders {
        self.lock.work_on(&run_folder::id_of(&run).0);
        Folders { run, exchange: self.exchange.path().to_owned() }
    }
}

/// Ends and removes what runs that were killed have left, in whoever holds the work tree's lock and has no children.
pub fn reap(repository: &Path) {
    for line in leftovers::reap_leftovers(repository) {
        print::message(&format!("tdd: {line}"));
    }
}

/// A link would lead journals, logs and what is kept of secrets to wherever it points.
pub fn refuse_linked(repository: &Path) -> Result<(), Trouble> {
    let folders = [repository.join(".tdd"), repository.join(".tdd/runs")];
    let is_link = |path: &&PathBuf| path.symlink_metadata().is_ok_and(|about| about.is_symlink());
    let Some(link) = folders.iter().find(is_link) else { return Ok(()) };
    Err(Trouble::environment(format!("{} is a link", link.display()))
        .because("runs are kept there, with logs that may hold secrets, and it leads somewhere else")
        .advise("remove the link; tdd makes the folder itself"))
}

/// Begins a run and drives it to an end.
pub fn execute(prepared: &Prepared) -> Result<ExitCode, Trouble> {
    tell_brought(prepared);
    let own_settings = OwnSettings::now(&prepared.environment);
    let hold = Hold::take(&prepared.place.repository)?;
    let now = SystemClock::default().now_ms();
    let id = new_run_id(now, &prepared.requirement.id);
    let folders = hold.folders(prepared.place.repository.join(".tdd/runs").join(&id.0));
    let adapters = wire::adapters(prepared, &folders, &hold.tdd, &hold.stop)?;
    warn(&adapters.warnings);
    let setup = wire::setup(prepared, &folders, &adapters)?;
    checkpoints::exclude_runs(&prepared.place.repository)?;
    let _noting = leftovers::note_children_in(&folders.run);
    let started = started(prepared, &setup, id);
    // Before there is a run: where it can't be had, there is nothing to go on with.
    let event_loop = event_loop()?;
    let first = Event::RunStarted(Box::new(started.clone()));
    let journal = folders::begin(&prepared.place.repository, &folders.run, (now, &first))?;
    detach(prepared, &folders.run)?;
    let mut ports = wire::ports(prepared, &folders, journal, adapters)
        .map_err(|trouble| trouble.then(Then::GoOn(format!("tdd resume {}", started.run).into())))?;
    let mut audience = audience(prepared);
    let state = State::open(started);
    audience.event(&state, &first, now);
    let ended = event_loop.block_on(Drive::new(&mut ports, &setup, &mut *audience, state).run());
    drop(audience);
    own_settings.tell_change();
    let ended = ended?;
    drop(ports);
    if let Some(file) = &prepared.record {
        record::keep(file, &prepared.place.repository, &folders.run, &setup);
    }
    conclude(&ended, &folders.run, prepared)
}

/// Where the run goes on alone, whoever began it may go.
fn detach(prepared: &Prepared, run: &Path) -> Result<(), Trouble> {
    match prepared.settings.intent {
        Intent::Detached => detach::begun(run),
        Intent::Run | Intent::Describe => Ok(()),
    }
}

fn tell_brought(prepared: &Prepared) {
    brought::tell(prepared.settings.output, &prepared.settings.agents, &prepared.roles);
}

/// Goes on with the run in `run`, whose journal tells how far it is.
pub fn go_on(prepared: &Prepared, run: PathBuf, said: Said, hold: &Hold) -> Result<ExitCode, Trouble> {
    tell_brought(prepared);
    let own_settings = OwnSettings::now(&prepared.environment);
    let folders = hold.folders(run);
    let Reopened { journal, state, labels, installs_since } = reopened(&folders.run)?;
    let _noting = leftovers::note_children_in(&folders.run);
    let adapters = wire::adapters(prepared, &folders, &hold.tdd, &hold.stop)?;
    warn(&adapters.warnings);
    let setup = wire::setup(prepared, &folders, &adapters)?;
    let mut ports = wire::ports(prepared, &folders, journal, adapters)?;
    ports.checkpoints.label_again(labels)?;
    ports.protection.have_installed_since(installs_since);
    detach(prepared, &folders.run)?;
    let mut audience = audience(prepared);
    let caps = Some(prepared.plan.caps).filter(|caps| *caps != state.run.plan.caps);
    let is_edit = said.0.iter().any(|decision| matches!(decision, Decision::Edited(_)));
    let halted_at = (is_edit && is_halted(&state)).then(|| state.forks());
    let drive = Drive::new(&mut ports, &setup, &mut *audience, state);
    let ended = event_loop()?.block_on(drive.resume(said, caps));
    drop(audience);
    own_settings.tell_change();
    let ended = ended?;
    drop(ports);
    if let Some(file) = &prepared.record {
        record::keep(file, &prepared.place.repository, &folders.run, &setup);
    }
    // The report tells of the tree before the edits, so it is not shown for what they came to.
    if !prepared.settings.output.is_json() && is_halted(&ended) && halted_at == Some(ended.forks()) {
        edited::stays_halted(&ended, &folders.run, setup.later.as_ref(), prepared.settings.output);
        let run = RunDir { id: run_folder::id_of(&folders.run), path: folders.run.clone() };
        ci::tell(prepared, &ended, (&run, Exit::Halted))?;
        return Ok(ExitCode::from(Exit::Halted.code()));
    }
    conclude(&ended, &folders.run, prepared)
}

fn is_halted(state: &State) -> bool {
    matches!(state.phase, Phase::Ended { end: End::Halted(_) })
}

pub fn warn(lines: &[String]) {
    for line in lines {
        print::message(&format!("tdd: warning: {line}"));
    }
}

/// Closes the run in `run` and leaves the tree as it is; what it holds is kept as a checkpoint first.
pub fn give_up(repository: &Path, run: &Path, output: OutputMode, _hold: &Hold) -> Result<ExitCode, Trouble> {
    let Reopened { mut journal, mut state, labels, installs_since: _ } = reopened(run)?;
    let is_over = matches!(state.phase, Phase::Ended { .. });
    let resumed = (!is_over).then_some(Event::Resumed);
    let events: Vec<Event> =
        resumed.into_iter().chain([Event::Decided { decision: Decision::Abandon, why: None }]).collect();
    for event in &events {
        state.apply(event).map_err(|error| {
            Trouble::user("the run can't be given up now")
                .because(error.to_string())
                .advise(format!("see `tdd status {}`", state.run.run))
        })?;
    }
    let mut checkpoints = GitCheckpoints::open(repository, &state.run.run, run)?;
    checkpoints.label_again(labels)?;
    let now = checkpoints.take("resumed")?;
    checkpoints.write_labels()?;
    journal.append(SystemClock::default().now_ms(), &events)?;
    if let Some(held) = &mut state.held {
        given_up::look_for_held_out(held, &mut checkpoints, &now)?;
    }
    Ok(ExitCode::from(closing(&state, run, output, (&Flags::default(), None))?.code()))
}

/// Checkpoints by their labels.
type Labels = BTreeMap<String, CheckpointId>;

/// A run as its journal tells it.
struct Reopened {
    journal: JournalFile,
    state: State,
    /// That its checkpoints should have.
    labels: Labels,
    /// When the first role began that may install what tests need, ms since the epoch.
    installs_since: Option<u64>,
}

fn reopened(run: &Path) -> Result<Reopened, Trouble> {
    let (journal, events) = JournalFile::open(run)?;
    let state = State::replay(events.iter().map(|(_, event)| event))
        .map_err(|error| Trouble::environment("the journal tells no run").because(error.to_string()))?
        .ok_or_else(|| Trouble::environment("the journal is empty").advise("start anew: tdd <FR> --new"))?;
    let labels = labels::told(events.iter().map(|(_, event)| event));
    let installs = |event: &Event| matches!(event, Event::AttemptStarted { attempt } if attempt.key.role() != Role::TestWriter);
    let installs_since = events.iter().find(|(_, event)| installs(event)).map(|(ts, _)| *ts);
    Ok(Reopened { journal, state, labels, installs_since })
}

/// A live display would draw over an agent that has the terminal.
fn audience(prepared: &Prepared) -> Box<dyn Audience> {
    let wish = wish(prepared.settings.output);
    // Who steers an agent wants to know whose turn it is.
    let (stderr, wish) = match (&prepared.operator, wish) {
        (Some(_), Wish::Progress(_)) => (Stderr::Plain, Wish::Progress(Detail::Full)),
        (Some(_), _) => (Stderr::Plain, wish),
        (None, _) => (Stderr::look(), wish),
    };
    view::audience(view::mode(wish, stderr))
}

/// One thread; every wait of a command is on it.
pub fn event_loop() -> Result<tokio::runtime::Runtime, Trouble> {
    let failed = |why: io::Error| {
        Trouble::environment("the event loop can't be started")
            .because(why)
            .advise("see the limits on open files and processes (`ulimit -a`), then do the same again")
    };
    // Its maker panics where the system has no pair of sockets for it.
    as_many_as_it_takes().map_err(failed)?;
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)
}

/// What an event loop opens, and some more: the system says itself what it is out of.
fn as_many_as_it_takes() -> io::Result<()> {
    (0..4).map(|_| UnixStream::pair()).collect::<io::Result<Vec<_>>>().map(drop)
}

pub fn wish(output: OutputMode) -> Wish {
    match output {
        OutputMode::Progress | OutputMode::Summary(Beside::Progress) => Wish::Progress(Detail::Brief),
        OutputMode::Verbose => Wish::Progress(Detail::Full),
        OutputMode::Quiet | OutputMode::Summary(Beside::Nothing) => Wish::Quiet,
        OutputMode::Json(Beside::Progress) => Wish::Json(Some(Detail::Brief)),
        OutputMode::Json(Beside::Nothing) => Wish::Json(None),
    }
}

fn started(prepared: &Prepared, setup: &Setup, run: RunId) -> RunStarted {
    RunStarted {
        run,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        requirement: prepared.requirement.clone(),
        commands: prepared.chosen.commands.clone().with_words(&setup.mask),
        project: prepared.place.project_in_repository(),
        agents: prepared.agent_names(),
        models: Role::ALL.map(|role| prepared.roles.of(role).model.as_deref().map(&setup.mask)),
        plan: prepared.plan.clone(),
    }
}

/// Sorts by time, and is safe as the name of a file and of a ref.
pub fn new_run_id(now_ms: u64, requirement: &str) -> RunId {
    let seconds = i64::try_from(now_ms / 1000).unwrap_or_default();
    let time = jiff::Timestamp::from_second(seconds).unwrap_or_default();
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = requirement.chars().take(40).map(safe).collect();
    let unique = blake3::hash(format!("{now_ms} {}", std::process::id()).as_bytes());
    RunId(format!("{}-{}-{}", time.strftime("%Y%m%dT%H%M%SZ"), name.trim_matches('-'), &unique.to_hex()[..4]))
}

/// Prints the report or the summary that the run kept, and gives the exit code.
fn conclude(state: &State, run: &Path, prepared: &Prepared) -> Result<ExitCode, Trouble> {
    let with = wire::going_on_with(prepared);
    let back = run_status::back_before(&prepared.place.repository, &run_folder::id_of(run));
    let exit = closing(state, run, prepared.settings.output, (&with, back))?;
    ci::tell(prepared, state, (&RunDir { id: run_folder::id_of(run), path: run.to_owned() }, exit))?;
    Ok(ExitCode::from(exit.code()))
}

/// `with` is what a command that goes on must repeat, `back` the one that goes back.
pub fn closing(
    state: &State,
    run: &Path,
    output: OutputMode,
    (with, back): (&Flags, Option<String>),
) -> Result<Exit, Trouble> {
    let with = &with.past_a_cap(state);
    Ok(match (&state.facts.suspension, &state.phase) {
        (_, Phase::Ended { end: End::Finished(ending) }) => {
            show(run, "summary", output);
            Exit::of_ending(*ending)
        }
        (_, Phase::Ended { end: End::Halted(_) }) => {
            show(run, "halt", output);
            Exit::Halted
        }
        (_, Phase::Ended { end: End::Refused }) => Exit::SetUp,
        (_, Phase::Ended { end: End::Abandoned }) => {
            given_up::tell(state, run, output);
            Exit::Halted
        }
        (Some(Suspension::Paused(reason)), _) => {
            let edited = if state.edit_refused { " --edited" } else { "" };
            let again = format!("{}{with}{edited}", state.run.run);
            paused::tell(reason, run, (&again, back), (&state.facts, output, Exit::Paused))
        }
        (Some(Suspension::Stopped(signal)), _) => paused::tell(
            &format!("stopped by signal {signal}; children are gone, the state is kept"),
            run,
            (&format!("{}{with}", state.run.run), back),
            (&state.facts, output, Exit::Stopped(*signal)),
        ),
        (None, _) => return Err(Trouble::internal("a run came to no end")),
    })
}

pub fn show(run: &Path, name: &str, output: OutputMode) {
    let file = |extension: &str| -> PathBuf { run.join(format!("{name}.{extension}")) };
    let text = match output {
        OutputMode::Json(_) | OutputMode::Summary(_) => {
            regular_file::read_to_string(file("json")).map(|line| line + "\n")
        }
        OutputMode::Progress | OutputMode::Verbose | OutputMode::Quiet => {
            regular_file::read_to_string(file("txt"))
        }
    };
    match text {
        Ok(text) => print::result(&text),
        Err(error) => {
            print::message(&format!("tdd: the {name} can't be read back from {}: {error}", run.display()));
        }
    }
}
