//! A run of the cycle told from its journal.

use crate::world::journal_file::{self, Record};
use tdd_child::run_folder::RunDir;
use tdd_core::event::Event;
use tdd_core::policy::Policy;
use tdd_core::story::{self, Story};
use tdd_core::trouble::Trouble;

/// The story of a run of the cycle.
pub(in crate::commands) fn story_of(run: &RunDir) -> Result<Story, Trouble> {
    story_in(run, &journal_file::read_for_state(&run.path)?)
}

/// The same from a journal that was read.
pub(in crate::commands) fn story_in(run: &RunDir, records: &[Record]) -> Result<Story, Trouble> {
    let told = story::tell(records.iter().map(|record: &Record| &record.event));
    let told = told.map_err(|error| {
        Trouble::environment(format!("the journal of {} tells no run", run.id))
            .because(error.to_string())
            .advise(format!("`tdd log {}` shows what it holds", run.id))
    })?;
    told.ok_or_else(|| {
        Trouble::user(format!("{} is no run of a requirement", run.id))
            .because("`tdd fix` has neither criteria nor tests of its own")
            .advise(format!("`tdd status {}` says what it did", run.id))
    })
}

/// What a file was to the run's rules, as it knew them last.
pub(in crate::commands) fn policy_of(records: &[Record]) -> Option<Policy> {
    let settled = records.iter().rev().find_map(|record| {
        let Event::PolicySettled { policy } = &record.event else { return None };
        Some(policy.as_ref().clone())
    })?;
    Policy::of(settled).ok()
}
