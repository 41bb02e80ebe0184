//! Looking back at a run (contract section 13): its report, its work, its tests, and what turned them.
//! Nothing is changed, and a run that is at work may be looked at.

pub mod diff;
pub mod matrix;
pub mod report;
pub mod review;
pub mod show;
pub mod why;

use std::path::Path;

use super::journalled::Journalled;
use crate::world::journal_file::{self, Record};
use tdd_child::run_folder::RunDir;
use tdd_core::criterion::CriterionId;
use tdd_core::story::{self, Story};
use tdd_core::trouble::Trouble;

/// The story of a run of the cycle.
pub(in crate::commands) fn story_of(run: &RunDir) -> Result<Story, Trouble> {
    story_in(run, &journal_file::read_for_state(&run.path)?)
}

/// The same from a journal that was read.
fn story_in(run: &RunDir, records: &[Record]) -> Result<Story, Trouble> {
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

/// The criterion of the run that a word names; as in a requirement, case does not matter.
fn criterion<'a>(story: &'a Story, word: &str) -> Result<&'a CriterionId, Trouble> {
    let all = &story.state.run.plan.criteria;
    all.iter().find(|id| id.to_string().eq_ignore_ascii_case(word)).ok_or_else(|| {
        let ids: Vec<String> = all.iter().map(ToString::to_string).collect();
        Trouble::user(format!("no criterion `{}` in {}", tdd_core::harmless::line(word), story.state.run.run))
            .advise(format!("its criteria are: {}", ids.join(", ")))
    })
}

/// Where a run stands, in a few words.
fn where_it_stands(repository: &Path, run: &RunDir) -> Result<String, Trouble> {
    let (told, _) = Journalled::read(run)?;
    Ok(super::run_status::RunStatus::of(repository, run, &told).words(&told.phase()))
}
