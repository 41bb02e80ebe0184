//! What keeps an agent's program from its work, for a person.

use std::path::Path;

use crate::core::trouble::{Trouble, TroubleKind};
use crate::text::agent_table::{AgentFailure, AgentTable};

/// The raw log could not be written.
pub(super) fn unlogged(log: &Path, why: &str) -> Trouble {
    Trouble::environment(format!("what the agent printed can't be kept in {}", log.display()))
        .because(why)
        .advise("make room on the disk; `tdd resume` goes on")
}

/// What an agent program failed of; no role's fault, so nobody's attempt is spent.
pub(super) fn failed(table: &AgentTable, failure: AgentFailure, tail: &str, log: &Path) -> Trouble {
    use TroubleKind::{Environment, Passing};
    let name = &table.name;
    let (kind, what, next) = match failure {
        AgentFailure::NotLoggedIn => (Environment, "is not logged in", "log in with the agent's own program"),
        AgentFailure::Usage => (
            Environment,
            "refused its task",
            "see what it said, and the table's `argv` and `model` in tdd.yaml",
        ),
        AgentFailure::RateLimit => {
            (Passing, "is out of its rate or usage limit", "wait until the limit is lifted")
        }
        AgentFailure::Overload => {
            (Passing, "could not work: its model's service is overloaded", "wait a little")
        }
        AgentFailure::Network => {
            (Passing, "could not reach its model's service", "see the network and the service")
        }
        AgentFailure::TurnCap | AgentFailure::Budget => {
            (Passing, "spent what it may spend", "see the limits")
        }
    };
    let said = tail.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("nothing");
    let said: String = said.trim().chars().take(300).collect();
    Trouble::new(kind, format!("the agent `{name}` {what}"))
        .because(format!("it said: {said}\nall of it is in {}", log.display()))
        .advise(format!("{next}; then `tdd resume` goes on"))
}
