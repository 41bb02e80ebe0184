//! What is told of a measurement.

use super::{Line, brief, counted, dim, gate, seconds};
use tdd_core::finding::{Findings, GreenJudge};
use tdd_core::state::State;

pub(super) fn line(state: &State, findings: &Findings) -> Line {
    let spent: u64 = findings.runs().iter().map(|run| run.duration_ms).sum();
    let judged_at = match findings {
        Findings::Red(_) => None,
        Findings::Green(green) => green.judged_at.as_ref(),
        Findings::Refactor(refactor) => refactor.judged_at.as_ref(),
    };
    let spent = match judged_at {
        None => format!("our runs took {}", seconds(spent)),
        Some(tree) => format!("not run again: judged at {}", brief(tree)),
    };
    let changed = findings.changed().len();
    let what = match findings {
        Findings::Red(red) => {
            let tests: usize = red.criteria.iter().map(|criterion| criterion.tests.len()).sum();
            let accepted = red.criteria.iter().flat_map(|criterion| &criterion.tests);
            let reds = accepted.filter(|test| test.kind.is_accepted()).count();
            format!("{reds} of {tests} new tests red as they should be")
        }
        Findings::Green(green) => {
            let own = green.passed.len() + green.failed.len() + green.skipped.len() + green.vanished.len();
            let early = if green.early_green { ", green before any change" } else { "" };
            let (passed, regressed) = (green.passed.len(), green.regressed.len());
            match green.judged_by {
                GreenJudge::TheRest => format!("no tests of its own, {regressed} regressed"),
                GreenJudge::OwnTests | GreenJudge::ExitCode => {
                    format!("{passed} of {own} own tests pass, {regressed} regressed{early}")
                }
            }
        }
        Findings::Refactor(refactor) => {
            let gate = if refactor.gate_red { "red" } else { gate::green_word(state) };
            format!(
                "gate {gate}, {} regressed, {}",
                refactor.regressed.len(),
                counted(refactor.collected_now, "test")
            )
        }
    };
    dim(format!("  measured: {what}; {}; {spent}", counted(changed, "changed file")))
}
