//! What is told of the gate, which may be the test command.

use super::{Line, bad, brief, good, held_out, proof, seconds};
use tdd_core::attempt::CheckpointId;
use tdd_core::event::Event;
use tdd_core::finding::{RunRef, SuiteBaseline};
use tdd_core::state::State;
use tdd_core::test::Exit;

/// The gate before the refactorer, or the proof at the end.
pub(super) fn or_proof(state: &State, event: &Event) -> Vec<Line> {
    if let Event::HeldOut { held } = event {
        return held_out::lines(held);
    }
    if let Event::Proved { .. } = event { proof::lines(event) } else { before(state, event) }
}

fn before(state: &State, event: &Event) -> Vec<Line> {
    let Event::GateMeasured { green, run, judged_at } = event else { return Vec::new() };
    let judged_at = judged_at.as_ref();
    if *green {
        return vec![good(words(green_word(state), run, judged_at))];
    }
    vec![bad(words(&format!("red, {}", run.exit), run, judged_at))]
}

fn words(how: &str, run: &RunRef, judged_at: Option<&CheckpointId>) -> String {
    let took = match judged_at {
        None => seconds(run.duration_ms),
        Some(tree) => format!("not run again: judged at {}", brief(tree)),
    };
    format!("gate before REFACTOR: {how}, {took}")
}

/// A gate that is the test command is compared with the baseline; with reds in that it is not green.
pub(super) fn green_word(state: &State) -> &'static str {
    let is_test = state.run.commands.gate == state.run.commands.test;
    let had_reds = state.baseline.as_ref().is_some_and(|baseline| !baseline.test.reds.is_empty());
    if is_test && had_reds { "no worse than before" } else { "green" }
}

/// Nothing is said to be green that was not run.
pub(super) fn at_baseline(state: &State, tests: usize, test: &SuiteBaseline, gate: &SuiteBaseline) -> String {
    if state.run.commands.gate == state.run.commands.test {
        let known = test.reds.len() + test.flaky.len();
        return match (tests, known, gate.exit.map(Exit::is_success)) {
            (_, 0, Some(false)) if tests > 0 => "gate: the same command, red".to_owned(),
            (0, 0, _) if tdd_runners::of(state.run.commands.runner).tells_tests => {
                "gate: the same command, nothing to run yet".to_owned()
            }
            (_, 0, _) => "gate: the same command, green".to_owned(),
            (_, _, _) => "gate: the same command, no worse than this from now on".to_owned(),
        };
    }
    let words = match gate.exit.map(Exit::is_success) {
        Some(true) => "green",
        Some(false) => "red",
        None => "not run",
    };
    format!("gate {words}, {}", seconds(gate.duration_ms))
}
