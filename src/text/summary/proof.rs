//! The final proof, in a summary.

use tdd_core::criterion::CriterionId;
use tdd_core::harmless;
use tdd_core::proof::{Extent, ProofFindings, Seen, Stub};
use tdd_core::state::State;

/// Lines of one kind.
const LISTED: usize = 10;

/// How a criterion's tests were seen failing by the proof.
pub(super) fn seen_by(state: &State, id: &CriterionId) -> Option<Stub> {
    match &state.proof.as_ref()?.of(id)?.seen {
        Seen::By { stub, .. } => Some(*stub),
        Seen::ByErrorAlone { .. }
        | Seen::ByOthersAlone { .. }
        | Seen::NeverReached { .. }
        | Seen::Hollow
        | Seen::Not { .. } => None,
    }
}

pub(super) fn lines(state: &State) -> Vec<String> {
    let Some(proof) = &state.proof else {
        return match state.run.plan.proof {
            Extent::Off => vec!["proof: switched off".to_owned()],
            Extent::Full | Extent::Quick => Vec::new(),
        };
    };
    let mut lines = vec![head(proof)];
    let told = |word: &'static str, list: &[String]| {
        let lines = list.iter().take(LISTED).map(move |one| format!("{word}: {}", harmless::short(one, 300)));
        lines.collect::<Vec<String>>()
    };
    lines.extend(told("not proven", &proof.not_made));
    for one in &proof.criteria {
        if let Seen::Not { why } = &one.seen {
            lines.push(format!("not seen failing: {}, {}", one.id, harmless::short(why, 300)));
        }
    }
    if !proof.needs_ignored.is_empty() {
        let files: Vec<String> =
            proof.needs_ignored.iter().map(|path| harmless::line(path.as_str())).collect();
        lines.push(format!("works only with what git ignores: {}", files.join(", ")));
    }
    if !proof.gate_rests_on.is_empty() {
        let files: Vec<String> =
            proof.gate_rests_on.iter().map(|path| harmless::short(path.as_str(), 120)).collect();
        lines.push(format!(
            "look at: the gate is green only with {}, which no test needs: see whether it asks less now",
            files.join(", ")
        ));
    }
    lines.extend(told("not stubbed", &proof.unstubbed));
    lines.extend(proof.exempt.iter().map(|(id, why)| format!("not asked to be proven: {id}, {why}")));
    lines
}

fn head(proof: &ProofFindings) -> String {
    let seen = proof.criteria.iter().filter(|one| matches!(one.seen, Seen::By { .. })).count();
    let all = proof.criteria.len();
    let how = if proof.extent == Extent::Quick { " (quick)" } else { "" };
    format!("proof{how}: in a fresh checkout, seen failing on code that does nothing: {seen} of {all}")
}
