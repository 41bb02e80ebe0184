//! A command with pipes or files: the same obligations as a child on a terminal.

mod attended;
mod order;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

pub use attended::Attended;
pub use order::{EnvBase, EnvPlan, Size, SpawnOrder, StdinPlan};

use super::signals::StopSignal;
use crate::core::test::Exit;
use crate::core::trouble::Trouble;

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
}

/// How a command ended. All of its processes are gone.
#[derive(Clone, Debug)]
pub struct Finished {
    pub exit: Exit,
    pub duration_ms: u64,
    /// Processes that outlived their parent and were ended by us.
    pub leaked: usize,
}

/// A child whose output comes through a pipe, stdout and stderr in one.
pub type PipeChild = Attended;

/// Starts a child without a terminal. It is running when this returns: a missing directory, a
/// program that is not there or can't be executed are errors of kind environment that say so.
///
/// Call it on a thread that outlives the child: the child is killed when that thread ends.
pub fn spawn_piped(_order: &SpawnOrder) -> Result<PipeChild, Trouble> {
    Err(Trouble::internal("not built yet"))
}

/// Runs a command in its own process group, stdin `/dev/null`, `CI=1`, until it ends, its deadline
/// passes or a stop is asked; then sweeps what is left of it. `Err` if it could not be started
/// or a stop was asked.
pub async fn run(_order: &CommandOrder, _stop: &StopSignal) -> Result<Finished, Trouble> {
    Err(Trouble::internal("not built yet"))
}
