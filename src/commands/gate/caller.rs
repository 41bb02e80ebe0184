//! Whose child a hook is. That a turn begins lets stand what was changed since the last one, so the agent itself has
//! to say so, and not a command that its model runs.
//!
//! ```text
//! agent ─► [sh -c 'tdd gate hook claude'] ─► tdd          the agent's own
//! agent ─► bash -c '…' ─► [sh -c …] ─► tdd                a tool's
//! ```
//!
//! The first process above us that is no shell of the hook alone is kept for the session; while it lives it stays the
//! one. A shell that becomes the hook's (`exec`) is not told apart. Where the system tells no processes all are believed.

use std::path::{Path, PathBuf};

use super::agents::Moment;
use crate::world::session_file;
use tdd_child::regular_file;
use tdd_child::unix::proc_table::{self, Life, Process};
use tdd_core::event::SessionId;

const KEPT: &str = "caller";
/// The shell in which a person began a session by hand.
const OPENER: &str = "opener";
/// When the agent itself called last, and when it began with the session or went on with it; by their times.
const HEARD: &str = "heard";
const SINCE: &str = "since";
/// More than the note of a process has.
const LONGEST: u64 = 200;
/// Shells between an agent and its hook.
const MOST_SHELLS: usize = 4;
/// Processes between an agent and a command of its model's.
const MOST_ABOVE: usize = 64;

/// Who has called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Caller {
    Agent,
    Another,
}

/// Keeps who calls, if nobody is kept yet.
pub(super) fn note(folder: &Path) {
    if folder.join(KEPT).symlink_metadata().is_err() {
        keep(folder, KEPT);
    }
}

/// Keeps that the agent itself has called. A command of its model's is not heard.
pub(super) fn hear(folder: &Path, moment: Moment) {
    if whose(folder) != Caller::Agent {
        return;
    }
    // Where it can't be kept, the other sessions of the process take this one for over.
    let _ = regular_file::write_private(&folder.join(HEARD), b"");
    if moment == Moment::SessionStart || folder.join(SINCE).symlink_metadata().is_err() {
        let _ = regular_file::write_private(&folder.join(SINCE), b"");
    }
}

/// Whether the agent has called for another session of its process since it went on with this one: both are at work, as
/// chats of one program are. One that was left for this one is not called for any more.
pub(super) fn is_beside(folder: &Path, other: &Path) -> bool {
    let at =
        |folder: &Path, name: &str| folder.join(name).symlink_metadata().and_then(|about| about.modified());
    matches!((at(folder, SINCE), at(other, HEARD)), (Ok(since), Ok(heard)) if heard > since)
}

/// Keeps in whose terminal a session was begun by hand: while that is there, somebody may go on.
pub(super) fn note_opener(folder: &Path) {
    keep(folder, OPENER);
}

fn keep(folder: &Path, name: &str) {
    let Some(now) = above(std::os::unix::process::parent_id()) else { return };
    let Some(boot) = proc_table::boot() else { return };
    // Where it can't be kept, the next call does it.
    let _ = regular_file::write_private(
        &folder.join(name),
        format!("{} {} {boot}", now.pid, now.started).as_bytes(),
    );
}

/// The agent's process that is kept, while it lives.
pub(super) fn at_work(folder: &Path) -> Option<Process> {
    kept(folder, KEPT)
}

/// The process for whose sake a session is not over.
pub(super) fn user(folder: &Path) -> Option<Process> {
    kept(folder, KEPT).or_else(|| kept(folder, OPENER))
}

/// Whether this process was started by the agent that is kept, by whatever steps.
pub(super) fn is_above(folder: &Path) -> bool {
    let Some(agent) = at_work(folder) else { return false };
    let mut pid = std::process::id().cast_signed();
    for _ in 0..MOST_ABOVE {
        match proc_table::process(pid) {
            Some(one) if (one.pid, one.started) == (agent.pid, agent.started) => return true,
            Some(one) if one.parent > 1 => pid = one.parent,
            Some(_) | None => return false,
        }
    }
    false
}

/// The session whose agent has started this process, or is it itself.
pub(super) fn session_above(repository: &Path, own: &SessionId) -> Option<SessionId> {
    let known = session_file::list(repository).into_iter().filter(|id| id != own);
    known.into_iter().find(|id| is_above(&session_file::folder(repository, id)))
}

fn kept(folder: &Path, name: &str) -> Option<Process> {
    let bytes = regular_file::head(&folder.join(name), LONGEST).ok()?;
    living(&String::from_utf8_lossy(&bytes))
}

/// Whether it is the process that has called before; if that one has ended, the one that calls now is it.
pub(super) fn whose(folder: &Path) -> Caller {
    let Some(kept) = at_work(folder) else {
        keep(folder, KEPT);
        return Caller::Agent;
    };
    match above(std::os::unix::process::parent_id()) {
        Some(now) if (now.pid, now.started) != (kept.pid, kept.started) => Caller::Another,
        Some(_) | None => Caller::Agent,
    }
}

/// The folder that the process works in which has called.
pub(super) fn folder() -> Option<PathBuf> {
    proc_table::working_directory(above(std::os::unix::process::parent_id())?.pid)
}

fn living(note: &str) -> Option<Process> {
    let mut parts = note.splitn(3, ' ');
    let pid = parts.next()?.parse().ok()?;
    let started: u64 = parts.next()?.parse().ok()?;
    let is_of_now = proc_table::boot().as_deref() == parts.next();
    let process = proc_table::process(pid).filter(|_| is_of_now)?;
    (process.started == started && process.life == Life::Alive).then_some(process)
}

/// The first process from this one upwards that is no shell of a hook's.
fn above(pid: u32) -> Option<Process> {
    let mut process = proc_table::process(i32::try_from(pid).ok()?)?;
    for _ in 0..MOST_SHELLS {
        let is_hooks = proc_table::command_line(process.pid).is_some_and(|line| is_of_hook(&line));
        if !is_hooks {
            break;
        }
        process = proc_table::process(process.parent)?;
    }
    Some(process)
}

/// Whether a shell has nothing but a hook of ours to call.
fn is_of_hook(line: &str) -> bool {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [shell, flag, _, "gate", "hook", rest @ ..] = words.as_slice() else { return false };
    let is_shell = shell.rsplit('/').next().is_some_and(|name| name.ends_with("sh"));
    let is_plain = !line.contains([';', '|', '&', '<', '>', '$', '`', '(', '\n']);
    is_shell && flag.starts_with('-') && flag.ends_with('c') && rest.len() <= 3 && is_plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_of_the_hook_alone_is_passed_over() {
        for line in [
            "/bin/sh -c tdd gate hook claude",
            "bash -lc '/opt/my' gate hook vscode --event PreToolUse",
            "sh -c /usr/bin/tdd gate hook codex",
        ] {
            assert!(is_of_hook(line), "{line}");
        }
        for line in [
            "bash -c sed -i s/0/1/ a.py; tdd gate hook claude < forged",
            "sh -c tdd gate hook claude < forged",
            "sh -c echo x | tdd gate hook claude",
            "sh tdd gate hook claude",
            "tdd gate hook claude",
            "",
        ] {
            assert!(!is_of_hook(line), "{line}");
        }
    }
}
