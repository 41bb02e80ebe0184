//! What is told of the final proof, and of a run that halts.

use super::{Line, bad, counted, good, plain, seconds};
use tdd_core::event::Event;
use tdd_core::proof::Seen;
use tdd_core::state::{End, Phase, State};

pub(super) fn lines(event: &Event) -> Vec<Line> {
    let Event::Proved { findings, halt } = event else { return Vec::new() };
    let seen = findings.criteria.iter().filter(|proof| matches!(proof.seen, Seen::By { .. })).count();
    let took: u64 = findings.runs.iter().map(|run| run.duration_ms).sum();
    let words = format!(
        "proof: {seen} of {} seen failing on code that does nothing; our runs took {}",
        counted(findings.criteria.len(), "criterion").replace("criterions", "criteria"),
        seconds(took)
    );
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
