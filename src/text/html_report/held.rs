//! What the verdicts of a run rest on, and what weakens them.

use crate::text::summary;
use tdd_core::harmless;
use tdd_core::state::{End, Phase, State};

/// Lines of one kind that are told.
const LISTED: usize = 30;

/// One line for each thing that a reader must know before the verdicts are relied on.
pub(super) fn guarantees(state: &State) -> Vec<String> {
    let mut lines: Vec<String> = summary::evidence(state);
    lines.extend(state.without_claim().map(|(key, number)| {
        format!("{key}, attempt {number}, was kept as measured: no valid block came with it")
    }));
    // Before the end nobody has said why a criterion is not done.
    if matches!(state.phase, Phase::Ended { end: End::Finished(_) }) {
        lines.extend(
            summary::unverified(state).into_iter().map(|(id, why)| format!("{id} is not verified: {why}")),
        );
    }
    lines.extend(state.notices.iter().take(LISTED).map(|notice| format!("look at {notice}")));
    let leaked = state.facts.leaked.iter().take(LISTED);
    lines.extend(
        leaked.map(|one| {
            format!("a process was left running and ended: {}", harmless::short(&one.command, 200))
        }),
    );
    lines.extend(state.facts.left_in_git.iter().take(LISTED).map(|line| format!("left in git: {line}")));
    lines
}
