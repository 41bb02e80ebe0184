//! What came of an attempt: its report, or why it came to nothing without the role's doing.

use std::io::Read;

use super::failure::{Setback, distrusted, failed, said, unlogged};
use super::{Prepared, exchange};
use crate::agent_stream::{Found, Trust, better_message};
use crate::agent_table::{AgentFailure, AgentTable};
use crate::glimpse::Search;
use tdd_child::regular_file;
use tdd_child::session::SessionEnd;
use tdd_core::attempt::{AgentEnd, Exhaustion};
use tdd_core::ports::AgentReport;
use tdd_core::test::Exit;
use tdd_core::trouble::Trouble;
use tdd_core::usage::Cap;
use tdd_spec::tdd_result;

/// Bytes of a log that are looked through, and at once.
const MOST_OF_A_LOG: usize = 64 << 20;
const PIECE: usize = 64 << 10;

/// A child that has ended.
pub(super) struct Over {
    pub(super) prepared: Prepared,
    pub(super) end: SessionEnd,
    pub(super) found: Found,
    /// The bound of the run for which it was stopped.
    pub(super) run_cap: Option<Cap>,
    pub(super) duration_ms: u64,
    pub(super) silent_ms: Option<u64>,
}

/// Reads what an ended child left.
pub(super) fn report(table: &AgentTable, over: Over) -> Result<AgentReport, Setback> {
    let end = match over.end {
        SessionEnd::Exited(exit) => AgentEnd::Exited(exit),
        SessionEnd::Exhausted(what) => AgentEnd::Exhausted(what),
        SessionEnd::Stopped(signal) => return Err(Trouble::stopped(signal).into()),
        SessionEnd::Unlogged(why) => return Err(unlogged(&over.prepared.spawn.log, &why).into()),
    };
    let mut found = over.found;
    if found.trust == Trust::Lost && found.failure.is_none_or(AgentFailure::is_of_role) {
        return Err(distrusted(table, &found, &over.prepared.spawn.log).into());
    }
    let in_file = over.prepared.message_file.as_ref().and_then(exchange::Watched::read);
    let message = match over.prepared.message_file {
        Some(_) => better_message(in_file, found.message.take()),
        None => found.message.take(),
    };
    let holds_block = message.as_deref().is_some_and(tdd_result::holds_block);
    let end = match found.failure.filter(|_| !holds_block) {
        None => end,
        Some(AgentFailure::TurnCap) => AgentEnd::Exhausted(Exhaustion::Turns),
        Some(AgentFailure::Budget) => AgentEnd::Exhausted(Exhaustion::Cost),
        Some(failure) => return Err(failed(table, failure, &found, &over.prepared.spawn.log)),
    };
    let bound = match end {
        AgentEnd::Exhausted(what) => over.prepared.limits.bound(what),
        AgentEnd::Exited(_) => None,
    };
    let is_ok = |exit: Exit| matches!(exit, Exit::Code(code) if table.ok_exit.contains(&code));
    let died = match end {
        AgentEnd::Exited(exit) if !is_ok(exit) && !holds_block => Some(said(&found)),
        AgentEnd::Exited(_) | AgentEnd::Exhausted(_) => None,
    };
    let glimpsed = glimpsed(&over.prepared);
    Ok(AgentReport {
        end,
        bound,
        message,
        session: over.prepared.session.or(found.session),
        turns: found.turns,
        run_cap: over.run_cap,
        denied: found.denied,
        glimpsed,
        duration_ms: over.duration_ms,
        silent_ms: over.silent_ms,
        log: over.prepared.spawn.log.display().to_string(),
        tail: found.tail,
        died,
    })
}

/// The code of a child that ended by itself with one.
pub(super) fn exit_code(end: &SessionEnd) -> Option<i32> {
    match end {
        SessionEnd::Exited(Exit::Code(code)) => Some(*code),
        SessionEnd::Exited(Exit::Signal(_) | Exit::Deadline | Exit::OutputCap)
        | SessionEnd::Exhausted(_)
        | SessionEnd::Stopped(_)
        | SessionEnd::Unlogged(_) => None,
    }
}

/// What ran out: of our bounds, or of the program's own.
pub(super) fn ran_out(end: &SessionEnd, failure: Option<AgentFailure>) -> Option<Exhaustion> {
    match end {
        SessionEnd::Exhausted(what) => Some(*what),
        SessionEnd::Exited(_) => (failure == Some(AgentFailure::Budget)).then_some(Exhaustion::Cost),
        SessionEnd::Stopped(_) | SessionEnd::Unlogged(_) => None,
    }
}

/// What must be out of the child's sight, and stands in what it printed.
fn glimpsed(prepared: &Prepared) -> Vec<String> {
    let mut search = Search::new(&prepared.out_of_sight);
    let Ok(mut log) = regular_file::open(&prepared.spawn.log) else { return Vec::new() };
    let mut piece = vec![0; PIECE];
    let mut left = MOST_OF_A_LOG;
    while left > 0 && !search.is_over() {
        match log.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(count) => {
                search.feed(&piece[..count]);
                left = left.saturating_sub(count);
            }
        }
    }
    search.found()
}
