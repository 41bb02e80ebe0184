//! Judged tests of which no copy told anything.

use std::collections::BTreeMap;

use tdd_core::harmless;
use tdd_core::judge::Verdict;
use tdd_core::state::State;
use tdd_core::test::{TestId, UntoldWhy};

/// Tests that are named.
const NAMED: usize = 10;

/// `canary: none for …`, of the work that was kept.
pub(super) fn lines(state: &State) -> Vec<String> {
    let entries = state.ledgers.values().flat_map(|ledger| &ledger.entries);
    let kept = entries.filter(|entry| entry.verdict == Some(Verdict::Passed));
    let untold = kept.flat_map(|entry| &entry.runs).flat_map(|run| &run.copies.untold);
    // What the last run says of a test holds.
    let all: BTreeMap<&TestId, UntoldWhy> = untold.map(|untold| (&untold.test, untold.why)).collect();
    let one =
        |(test, why): (&&TestId, &UntoldWhy)| format!("canary: none for {}: {why}", harmless::line(&test.0));
    let mut lines: Vec<String> = all.iter().take(NAMED).map(one).collect();
    if all.len() > NAMED {
        lines.push(format!("canary: none for {} more tests", all.len() - NAMED));
    }
    lines
}
