//! A command with pipes or files: the same obligations as a child on a terminal.

mod attended;
pub mod descendants;
mod leader;
mod log;
mod order;
mod reading;

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::time::Duration;

use tokio::time::Instant;

pub use self::attended::Attended;
pub(super) use self::attended::Channel;
pub use self::descendants::Ended;
pub(super) use self::log::fresh as fresh_log;
pub use self::order::{EnvBase, EnvPlan, Size, SpawnOrder, StdinPlan};

use crate::exec::{self, Terminal};
use crate::sandbox::Enclosure;
use crate::session::{self, Heard, Ladder, Lived, SessionEnd, SessionLimits};
use crate::signals::StopSignal;
use tdd_core::attempt::Exhaustion;
use tdd_core::test::Exit;
use tdd_core::trouble::Trouble;

/// One command of the project's, or of an adapter's, to be run to its end.
#[derive(Clone, Debug)]
pub struct CommandOrder {
    /// Program and arguments; `["sh", "-c", text]` for a shell line.
    pub argv: Vec<OsString>,
    pub cwd: PathBuf,
    /// Variables set on top of the inherited environment; `None` removes one.
    pub env: Vec<(OsString, Option<OsString>)>,
    pub deadline: Duration,
    /// Bytes of output after which the command is stopped; 2 GiB at most.
    pub output_cap: u64,
    /// All that is printed goes here as it comes, stdout and stderr in one, mode 0600.
    pub log: PathBuf,
    /// If given, stdout goes here instead and only stderr goes to `log`.
    pub stdout: Option<PathBuf>,
    /// The OS sandbox around it, if there is one.
    pub enclosure: Option<Enclosure>,
    /// Gets the processes that outlive the command.
    pub ended: Ended,
}

/// How a command ended. All of its processes are gone.
#[derive(Clone, Debug)]
pub struct Finished {
    pub exit: Exit,
    /// Less the time for which we were stopped ourselves.
    pub duration_ms: u64,
    /// Processes that outlived their parent and were ended by us.
    pub leaked: usize,
}

/// A test command gets less time to tidy up than an agent.
const COMMAND_LADDER: Ladder =
    Ladder { interrupt: Duration::from_secs(2), terminate: Duration::from_secs(2) };

/// A child whose output comes through a pipe, stdout and stderr in one.
pub type PipeChild = Attended;

/// Starts a child without a terminal, in a session of its own. It is running when this returns: a
/// missing directory, a program that is not there or can't be executed are errors of kind
/// environment that say so.
///
/// Call it on a thread that outlives the child: the child is killed when that thread ends.
pub fn spawn_piped(order: &SpawnOrder) -> Result<PipeChild, Trouble> {
    let log = fresh_log(&order.log)?;
    let (reader, writer) = io::pipe().map_err(no_descriptor)?;
    let stdout = OwnedFd::from(writer);
    let stderr = stdout.try_clone().map_err(no_descriptor)?;
    let channel = Channel { stdout, stderr, terminal: Terminal::None, kept_open: None };
    Attended::read(order, channel, File::from(OwnedFd::from(reader)), log)
}

/// Runs a command in its own process group, stdin `/dev/null`, until it ends, its deadline passes or
/// a stop is asked; then sweeps what is left of it. `Err` if it could not be started
/// or a stop was asked.
///
/// What it prints goes to its files without us in between; their size is watched, so the cap can be
/// exceeded by what is written in about 100 ms.
pub async fn run(order: &CommandOrder, stop: &StopSignal) -> Result<Finished, Trouble> {
    let mut stop = stop.clone();
    if let Some(signal) = *stop.borrow_and_update() {
        return Err(Trouble::stopped(signal));
    }
    let began = Instant::now();
    let mut child = spawn_to_files(order)?;
    let limits = SessionLimits {
        wall: order.deadline,
        idle: None,
        output_bytes: order.output_cap,
        ladder: COMMAND_LADDER,
        drain: SessionLimits::DRAIN,
    };
    let lived = session::live(&mut child, &limits, &mut stop, &mut |_| Heard::Continue).await;
    // Waits for the leader, so that all of its processes are gone.
    drop(child);
    let exit = exit_of(&lived)?;
    let duration_ms =
        u64::try_from(began.elapsed().saturating_sub(lived.absent).as_millis()).unwrap_or(u64::MAX);
    Ok(Finished { exit, duration_ms, leaked: lived.leaked })
}

fn spawn_to_files(order: &CommandOrder) -> Result<Attended, Trouble> {
    let log = fresh_log(&order.log)?;
    let mut files = vec![log.try_clone().map_err(no_descriptor)?];
    let stdout = match &order.stdout {
        None => log.try_clone().map_err(no_descriptor)?,
        Some(path) => {
            let file = fresh_log(path)?;
            files.push(file.try_clone().map_err(no_descriptor)?);
            file
        }
    };
    let channel =
        Channel { stdout: stdout.into(), stderr: log.into(), terminal: Terminal::None, kept_open: None };
    Attended::written(&spawn_order(order), channel, files)
}

fn spawn_order(order: &CommandOrder) -> SpawnOrder {
    let mut env = EnvPlan::default();
    let mut remove = Vec::new();
    for (name, value) in &order.env {
        if let Some(value) = value {
            env.set.insert(name.clone(), value.clone());
        } else {
            env.set.remove(name);
            remove.push(name.clone());
        }
    }
    env.base = EnvBase::Inherit { remove };
    SpawnOrder {
        argv: order.argv.clone(),
        cwd: order.cwd.clone(),
        env,
        stdin: StdinPlan::Null,
        log: order.log.clone(),
        size: Size::default(),
        shim: exec::shim(),
        enclosure: order.enclosure.clone(),
        ended: order.ended.clone(),
    }
}

fn exit_of(lived: &Lived) -> Result<Exit, Trouble> {
    match &lived.end {
        SessionEnd::Exited(exit) => Ok(*exit),
        SessionEnd::Exhausted(Exhaustion::Output) => Ok(Exit::OutputCap),
        SessionEnd::Exhausted(Exhaustion::Wall | Exhaustion::Idle | Exhaustion::Turns | Exhaustion::Cost) => {
            Ok(Exit::Deadline)
        }
        SessionEnd::Stopped(signal) => Err(Trouble::stopped(*signal)),
        SessionEnd::Unlogged(why) => {
            Err(Trouble::environment("a command's output can't be kept").because(why.clone()))
        }
    }
}

fn no_descriptor(error: io::Error) -> Trouble {
    Trouble::environment("a command's output can't be set up").because(error)
}
