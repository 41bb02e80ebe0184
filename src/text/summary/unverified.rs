//! Criteria that nothing of this run verifies, and why.

use tdd_core::criterion::{CriterionId, Verify};
use tdd_core::harmless;
use tdd_core::mdtest::{AgentWord, Voice};
use tdd_core::state::{Progress, State};

const ASSERTS_NOTHING: &str = "assertion never seen failing: its tests pass whatever value stands in the place of what the \
     run wrote, and are red only where that throws; read what they expect, and have them ask for more";

const OTHERS_ALONE: &str = "seen failing in other code alone: its tests pass with all that was written for it not \
     implemented, and are red only where other criteria's code is not; read what they expect of it, and have them ask for more";

const NEVER_REACHED: &str = "assertion never reached: nothing that its tests expect is looked at with the code as it is; \
     read them, and have them expect something in any case";

fn asserts_nothing(state: &State, id: &CriterionId) -> &'static str {
    let proof = state.proof.as_deref();
    if proof.is_some_and(|proof| proof.reaches_nothing(id)) {
        NEVER_REACHED
    } else if proof.is_some_and(|proof| proof.is_seen_by_others(id)) {
        OTHERS_ALONE
    } else {
        ASSERTS_NOTHING
    }
}

pub(in crate::text) fn unverified(state: &State) -> Vec<(CriterionId, String)> {
    let why = |id: &CriterionId| match (state.progress.get(id), state.verify(id)) {
        (Some(Progress::Green), _) if state.asserts_nothing(id) => {
            Some(asserts_nothing(state, id).to_owned())
        }
        (Some(Progress::Green | Progress::AlreadyGreen), _) => None,
        (_, Verify::Manual) => Some("it is for the operator to check (`verify: manual`)".to_owned()),
        (_, Verify::Mdtest(_)) => Some(mdtest_words(state.words.get(id))),
        (Some(Progress::Unverified), Verify::Test | Verify::Gate) => {
            Some("the operator changed its tests after they were green; nobody saw them red".to_owned())
        }
        (_, Verify::Test | Verify::Gate) => {
            let why = state.accepted_because.get(id).map(|why| format!(": {}", harmless::short(why, 200)));
            Some(format!("it was accepted by the operator's word{}", why.unwrap_or_default()))
        }
    };
    state.run.plan.criteria.iter().filter_map(|id| Some((id.clone(), why(id)?))).collect()
}

/// What an agent says is shown as what it is.
fn mdtest_words(word: Option<&AgentWord>) -> String {
    let judge = "its judge is an agent's word (`verify: mdtest`)";
    let Some(word) = word else { return judge.to_owned() };
    let reason =
        word.reason.as_ref().map_or(String::new(), |reason| format!(", {}", harmless::short(reason, 200)));
    let log =
        if word.log.is_empty() { String::new() } else { format!("; log: {}", harmless::line(&word.log)) };
    match word.voice {
        Voice::Agent => format!("{judge}, which says {}{reason}{log}", word.status.name()),
        Voice::Tdd => format!("{judge}, and there is none that counts{reason}{log}"),
    }
}
