//! The bounds of one attempt: what the run allows, and what a table says beside it.

use std::time::Duration;

use crate::agent_table::AgentTable;
use tdd_child::session::{Ladder, SessionLimits};
use tdd_core::attempt::SetBy;
use tdd_core::ports::{Limits, Setters};

/// The bounds of an attempt: the table's own replace the run's, but for its turns, which the run has
/// looked up there already.
pub(super) fn limits(table: &AgentTable, run: &Limits) -> Limits {
    Limits {
        turns: run.turns,
        wall_ms: run.caps.attempt.wall_ms.or(table.wall_ms).unwrap_or(run.wall_ms),
        idle_ms: table.idle_ms.unwrap_or(run.idle_ms),
        output_bytes: table.output_cap.unwrap_or(run.output_bytes),
        caps: run.caps,
        set_by: set_by(table, run),
    }
}

fn set_by(table: &AgentTable, run: &Limits) -> Setters {
    let of = |is_own: bool, set_by| if is_own { SetBy::Agent } else { set_by };
    let wall = if run.caps.attempt.wall_ms.is_some() {
        SetBy::Flag
    } else {
        of(table.wall_ms.is_some(), run.set_by.wall)
    };
    Setters {
        turns: run.set_by.turns,
        wall,
        idle: of(table.idle_ms.is_some(), run.set_by.idle),
        output: of(table.output_cap.is_some(), run.set_by.output),
    }
}

pub(super) fn session_limits(table: &AgentTable, limits: &Limits) -> SessionLimits {
    SessionLimits {
        wall: Duration::from_millis(limits.wall_ms),
        idle: Some(Duration::from_millis(limits.idle_ms)),
        output_bytes: limits.output_bytes,
        ladder: Ladder {
            interrupt: Duration::from_millis(table.stop.interrupt_ms),
            terminate: Duration::from_millis(table.stop.terminate_ms),
        },
        drain: SessionLimits::DRAIN,
    }
}
