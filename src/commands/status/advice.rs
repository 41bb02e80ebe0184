//! What a person can do about a run, in a line of `tdd status`.

use std::path::Path;

use crate::commands::runs::journalled::{self, Journalled};
use crate::commands::runs::status as run_status;
use tdd_core::state::{End, Phase, State};
use tdd_snapshot::git_facts;

/// What there is to do about a run that is neither past nor at work. Going back to before it is no way
/// where the work of a later run would go with it.
pub(super) fn advice(repository: &Path, told: &Journalled) -> String {
    let run = told.run();
    let undo = run_status::back_before(repository, run).map(|undo| format!("`{undo}`"));
    match told {
        Journalled::Cycle(state) => cycle_advice(repository, state, undo.as_deref()),
        Journalled::Fix(_) => journalled::fix_advice(undo.as_deref()),
    }
}

fn is_in_head(repository: &Path, state: &State) -> bool {
    let (Some(start), Some(good)) = (&state.start, &state.good) else { return false };
    git_facts::is_as_head(repository, &start.0, &good.0) == Some(true)
}

fn cycle_advice(repository: &Path, state: &State, undo: Option<&str>) -> String {
    let run = &state.run.run;
    match (&state.phase, &state.facts.suspension) {
        (Phase::Ended { end: End::Finished(_) }, _) if is_in_head(repository, state) => {
            "nothing; none of its changes is left to be committed".to_owned()
        }
        (Phase::Ended { end: End::Finished(_) }, _) => {
            "look at the changes with `git diff` and commit them".to_owned()
        }
        (Phase::Ended { end: End::Refused }, _) => "nothing; mend what kept it from starting".to_owned(),
        (Phase::Ended { end: End::Abandoned }, _) => match undo {
            Some(undo) => format!("nothing; {undo} brings the tree back"),
            None => "nothing".to_owned(),
        },
        (Phase::Ended { end: End::Halted(halt) }, _) => {
            let take = if state.takeable(halt).is_some() { "`--take`, " } else { "" };
            let undo = undo.map(|undo| format!(", or {undo}")).unwrap_or_default();
            format!(
                "`tdd review {run}`, or `tdd resume {run} --retry`, {take}`--edited`, `--accept AC` or `--abandon`{undo}"
            )
        }
        (_, _) => format!("`tdd resume {run}` goes on"),
    }
}
