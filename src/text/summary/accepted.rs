//! What a person meets who accepted a criterion: its tests stay, and each run of ours left them out.

use super::SummaryFacts;
use tdd_core::finding::{ChangeKind, RunRef};
use tdd_core::harmless;
use tdd_core::role::Key;
use tdd_core::state::{Progress, State};

/// That the commands as they are typed run those tests, too. Nothing where they are gone.
pub(super) fn still_there(state: &State, facts: &SummaryFacts) -> Option<String> {
    let lies_there = |path: &_| {
        facts.changed.iter().any(|change| change.path == *path && change.kind != ChangeKind::Deleted)
    };
    let red = state.red.iter().flat_map(|red| &red.criteria);
    let accepted = red.filter(|red| {
        state.progress.get(&red.id) == Some(&Progress::Accepted) && red.files.iter().any(lies_there)
    });
    let ids: Vec<String> = accepted.map(|red| red.id.to_string()).collect();
    if ids.is_empty() {
        return None;
    }
    let (test, gate) = (&state.run.commands.test, &state.run.commands.gate);
    let both = if test == gate { String::new() } else { format!(" and `{}`", harmless::line(gate)) };
    Some(format!(
        "look at: `{}`{both} as you type it is most likely red: it runs the tests of {}, too, which {} accepted as \
         red and left out of each run here",
        harmless::line(test),
        ids.join(", "),
        if ids.len() == 1 { "was" } else { "were" }
    ))
}

/// The last run of the gate, where it was red before the run and is red still: what it says was judged against that.
pub fn red_gate(state: &State) -> Option<&RunRef> {
    let before = state.baseline.as_ref()?.gate.exit?;
    let refactored =
        state.ledgers.get(&Key::Refactorer).and_then(|ledger| ledger.entries.last()?.runs.last());
    let last = refactored.or(state.gate.as_ref().map(|gate| &gate.run))?;
    (!before.is_success() && !last.exit.is_success()).then_some(last)
}
