//! Looking back at a run (contract section 13): its report, its work, its tests, and what turned them.
//! Nothing is changed, and a run that is at work may be looked at.

pub mod diff;
pub mod matrix;
pub mod report;
pub mod review;
pub mod show;
pub mod why;

use std::path::Path;

use crate::commands::runs::journalled::Journalled;
use tdd_child::run_folder::RunDir;
use tdd_core::criterion::CriterionId;
use tdd_core::story::Story;
use tdd_core::trouble::Trouble;

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
    Ok(crate::commands::runs::status::RunStatus::of(repository, run, &told).words(&told.phase()))
}
