//! Whether it is a person who types: a model can open a terminal, too, and must not switch off its own gate.
//!
//! ```text
//! editor ─┬─► shell ─► agent ─► bash ─► script (a pty) ─► tdd gate off     the agent's: refused
//!         └─► shell ─► tdd gate off                                         a person's
//! ```
//!
//! Two facts tell. The process that called a session's hooks is above us, or above the first process of our terminal.
//! Or one of those was started with the variable by which an agent marks what it runs; that goes on to be told where
//! a terminal's server has left the agent's tree (tmux, screen). It misses a server that was started with an emptied
//! environment, agents that mark nothing, and systems that tell no processes.

use std::path::Path;

use super::caller;
use crate::world::project;
use crate::world::session_file;
use tdd_child::unix::proc_table::{self, Process};
use tdd_core::trouble::Trouble;

/// What agents put into the environment of what their models run, and into nothing else.
const MARKS: [&str; 5] = ["CLAUDECODE", "CODEX_CI", "CODEX_THREAD_ID", "GEMINI_CLI", "OPENCODE"];
/// More processes than lie between a terminal and the first one of a system.
const HIGHEST: usize = 64;

/// What a model could do by itself would be no gate.
pub(super) fn asked(what: &str) -> Result<(), Trouble> {
    let only = || Trouble::user(format!("only a person {what}"));
    let (cwd, _) = crate::commands::given::surroundings()?;
    let place = project::locate(&cwd)?;
    tdd_child::passthrough::Operator::at_terminal().map_err(|_| {
        only()
            .because("this is no terminal: stdin and stdout must both be one")
            .advise("tell the person, who types it in a terminal of their own")
    })?;
    let Some(why) = of_an_agent(&place.repository) else { return Ok(()) };
    Err(only().because(why).advise("type it in a terminal that was not opened from within the agent"))
}

/// Why this terminal is an agent's.
fn of_an_agent(repository: &Path) -> Option<String> {
    let own = proc_table::process(i32::try_from(std::process::id()).ok()?)?;
    let mut above = upwards(own);
    // Who is left alone by its parent still has the terminal of the session.
    above.extend(proc_table::process(own.session).into_iter().flat_map(upwards));
    let sessions = session_file::list(repository);
    let agent = sessions.iter().find_map(|id| {
        let agent = caller::at_work(&session_file::folder(repository, id))?;
        let is_above = |process: &Process| (process.pid, process.started) == (agent.pid, agent.started);
        above.iter().any(is_above).then_some((agent.pid, id))
    });
    if let Some((pid, id)) = agent {
        let session = &id.0;
        return Some(format!("this terminal was opened by the agent of session {session}, process {pid}"));
    }
    let marked = |name: &&str| {
        let beginning = format!("{name}=");
        above.iter().any(|process| proc_table::has_variable_like(process.pid, beginning.as_bytes()))
    };
    let name = MARKS.into_iter().find(marked)?;
    Some(format!("this terminal was opened by an agent: {name} stands in its environment"))
}

/// A process and all above it, as far as the system tells them.
fn upwards(process: Process) -> Vec<Process> {
    let next = |process: &Process| proc_table::process(process.parent);
    std::iter::successors(Some(process), next).take(HIGHEST).collect()
}
