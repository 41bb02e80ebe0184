//! A run of `tdd` that holds the work tree: who may change what is its policy's to say.

use crate::world::journal_file;
use crate::world::lock;
use crate::world::project::Place;
use tdd_child::run_folder::{self, RunDir};
use tdd_core::event::{Event, RunId};
use tdd_core::policy::Policy;
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;

/// What its journal says.
pub(super) struct Run {
    pub(super) policy: Policy,
    /// Whose child is at work now.
    pub(super) role: Option<Role>,
}

/// The run that is at work in this work tree. A trouble where there is one and it can't be asked.
pub(super) fn policy(place: &Place) -> Result<Option<Run>, Trouble> {
    let Some(at_work) = lock::at_work(&place.repository) else { return Ok(None) };
    let unknown = |why: &str| {
        Trouble::passing("another tdd works in this work tree")
            .because(why.to_owned())
            .advise("wait until it ends; `tdd status` tells how far it is")
    };
    let id = at_work.run.ok_or_else(|| unknown("it has not said yet which run it works on"))?;
    let runs = run_folder::list_runs(&place.repository);
    let run: &RunDir = runs
        .iter()
        .find(|run| run.id == RunId(id.clone()))
        .ok_or_else(|| unknown("its run has no journal yet"))?;
    let (mut policy, mut role) = (None, None);
    for record in journal_file::read_for_state(&run.path)? {
        if matches!(record.event, Event::AgentReturned { .. } | Event::AttemptCut { .. }) {
            role = None;
        } else if let Event::AttemptStarted { attempt } = record.event {
            role = Some(attempt.key.role());
        } else if let Event::PolicySettled { policy: settled } = record.event {
            policy = Some(settled);
        }
    }
    let policy = policy.ok_or_else(|| unknown("its policy is not settled yet"))?;
    let policy = Policy::of(*policy).map_err(|_| unknown("its policy can't be read"))?;
    Ok(Some(Run { policy, role }))
}
