//! What is told of the final proof, and of a run that halts.

use super::{Line, bad, counted, good, plain, seconds};
use tdd_core::event::Event;
use tdd_core::proof::{Back, Seen};
use tdd_core::state::{End, Phase, State};

pub(super) fn lines(event: &Event) -> Vec<Line> {
    let Event::Proved { findings, halt } = event else { return Vec::new() };
    let seen = findings.criteria.iter().filter(|proof| matches!(proof.seen, Seen::By { .. })).count();
    let took: u64 = findings.runs.iter().map(|run| run.duration_ms).sum();
    let is_tried = findings.bodies > 0 || findings.criteria.iter().any(|proof| proof.back != Back::Unknown);
    let all = counted(findings.criteria.len(), "criterion").replace("criterions", "criteria");
    let words = if is_tried || halt.is_none() {
        format!(
            "proof: {seen} of {all} seen failing on code that does nothing; our runs took {}",
            seconds(took)
        )
    } else {
        format!("proof: the result does not stand; {all} not tried any more; our runs took {}", seconds(took))
    };
    let mut lines = vec![if halt.is_some() { bad(words) } else { good(words) }];
    lines.extend(findings.not_made.iter().map(|why| plain(format!("  not proven: {why}"))));
    lines
}

pub(super) fn halted(state: &State) -> Line {
    let key = match &state.phase {
        Phase::Ended { end: End::Halted(halt) } | Phase::Halting { halt } => Some(&halt.key),
        Phase::Ended { .. }
        | Phase::Opening
        | Phase::Baselining
        | Phase::Due { .. }
        | Phase::Forked { .. }
        | Phase::Returned { .. }
        | Phase::Keeping { .. }
        | Phase::RollingBack { .. }
        | Phase::GateDue
        | Phase::CutOff { .. }
        | Phase::Taking { .. }
        | Phase::Rechecking { .. }
        | Phase::Proving
        | Phase::HoldingOut { .. }
        | Phase::Finishing { .. } => None,
    };
    match key {
        Some(key) => bad(format!("halted in {}: {key}", key.stage())),
        None => bad("halted"),
    }
}
