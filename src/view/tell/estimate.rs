//! How many forks and how much time of our own a run may take, from its plan and its baseline.

use super::seconds;
use tdd_core::event::Refactoring;
use tdd_core::finding::SuiteBaseline;
use tdd_core::proof::Extent;
use tdd_core::state::State;

/// One line. The agents' own time is not known before, so it is named and not guessed.
pub(super) fn words(state: &State, test: &SuiteBaseline, gate: &SuiteBaseline) -> String {
    let plan = &state.run.plan;
    let writers = u64::from(!state.covered_by_red().is_empty());
    let waiting = plan.criteria.iter().filter(|id| !plan.already_green.contains(id)).count();
    let implementers = u64::try_from(waiting).unwrap_or(u64::MAX);
    let refactorers = u64::from(plan.refactor == Refactoring::Once);
    let keys = writers + implementers + refactorers;
    let for_each = u64::from(plan.bounds.semantic) + u64::from(plan.bounds.format);
    // One whole run of the tests for each verdict; what is run again is narrowed to a few tests.
    let tests = keys.saturating_mul(test.duration_ms);
    // Another gate runs once before the refactorer and once after it, and in the proof.
    let is_other = state.run.commands.gate != state.run.commands.test;
    let proofs = u64::from(plan.proof != Extent::Off && writers > 0);
    let gates = ((2 * refactorers + proofs) * u64::from(is_other)).saturating_mul(gate.duration_ms);
    // A whole run, and at most two of the new tests alone where all is well.
    let proven = proofs.saturating_mul(test.duration_ms.saturating_mul(3));
    let builds = if test.build_ms == 0 { "," } else { ", their builds" };
    format!(
        "estimate: {keys} attempts if nothing fails, {} at most; about {} of test runs{builds} and the agents' own time",
        keys.saturating_mul(for_each),
        seconds(tests.saturating_add(gates).saturating_add(proven))
    )
}
