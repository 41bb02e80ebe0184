//! Judged tests of which no copy told anything.

use std::collections::BTreeMap;

use tdd_core::harmless;
use tdd_core::judge::Verdict;
use tdd_core::state::State;
use tdd_core::test::{TestId, UntoldWhy};

/// Tests that are named of each kind.
const NAMED: usize = 3;

/// `canary: none for …`, of the work that was kept: a line for each reason.
pub(super) fn lines(state: &State) -> Vec<String> {
    let entries = state.ledgers.values().flat_map(|ledger| &ledger.entries);
    let kept = entries.filter(|entry| entry.verdict == Some(Verdict::Passed));
    let untold = kept.flat_map(|entry| &entry.runs).flat_map(|run| &run.copies.untold);
    // What the last run says of a test holds.
    let all: BTreeMap<&TestId, UntoldWhy> = untold.map(|untold| (&untold.test, untold.why)).collect();
    let mut by_reason: BTreeMap<UntoldWhy, Vec<&TestId>> = BTreeMap::new();
    for (test, why) in all {
        by_reason.entry(why).or_default().push(test);
    }
    by_reason.iter().map(|(why, tests)| line(*why, tests)).collect()
}

fn line(why: UntoldWhy, tests: &[&TestId]) -> String {
    let named: Vec<String> = tests.iter().take(NAMED).map(|test| harmless::line(&test.0)).collect();
    let more = match tests.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("canary: none for {}{more}: {why}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_6_47_tests_without_a_canary_are_told_by_their_reason() {
        let ids: Vec<TestId> = (0..5).map(|n| TestId(format!("t.py::{n}"))).collect();
        let all: Vec<&TestId> = ids.iter().collect();
        assert_eq!(
            line(UntoldWhy::NoPlace, &all[..1]),
            "canary: none for t.py::0: no copy can be built beside it"
        );
        assert_eq!(
            line(UntoldWhy::NoPlace, &all),
            "canary: none for t.py::0, t.py::1, t.py::2 and 2 more: no copy can be built beside it"
        );
    }
}
