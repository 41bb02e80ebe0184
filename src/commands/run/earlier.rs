//! What an earlier run of the same requirement says to a new one.

use std::path::Path;

use super::finished::Finished;
use crate::commands::runs::journalled::Journalled;
use crate::commands::runs::phase;
use crate::commands::runs::status::{RunStatus, back_before, undo_again};
use crate::driver::flags::Flags;
use crate::settings::Settings;
use crate::world::journal_file;
use crate::world::lock;
use crate::world::project::Place;
use tdd_child::run_folder::{self, RunDir};
use tdd_core::machine::Machine;
use tdd_core::requirement::Requirement;
use tdd_core::state::{End, Phase, State};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::intent;

/// Section 3: a requirement with an unfinished run is not begun anew by accident; nor one that is done,
/// whose run is given.
pub fn refuse(
    place: &Place,
    requirement: &Requirement,
    settings: &Settings,
) -> Result<Option<Finished>, Trouble> {
    refuse_half_undone(&place.repository)?;
    if settings.leaves.anew.is_granted() {
        return Ok(None);
    }
    for run in run_folder::runs_of(&place.repository)? {
        // A journal that can't be read is no reason to refuse: `tdd status` says what is wrong.
        let Ok(records) = journal_file::read_for_state(&run.path) else { continue };
        let Ok(Some(state)) = State::replay(records.iter().map(|record| &record.event)) else { continue };
        let is_of_it = state.run.requirement.path == requirement.path && state.forks() > 0;
        // What was taken back says nothing of the runs before it.
        if !is_of_it || state.facts.undone.is_some() {
            continue;
        }
        let told = Journalled::Cycle(Box::new(state));
        // The person was about to forget it.
        if RunStatus::of(&place.repository, &run, &told) == RunStatus::CleanedInPart {
            continue;
        }
        let Journalled::Cycle(state) = told else { continue };
        match &state.phase {
            // Nothing was done in it, so it says nothing of the runs before it.
            Phase::Ended { end: End::Refused } => {}
            // What it left, its tests first of all, would count as the project's own.
            Phase::Ended { end: End::Halted(_) }
                if state.facts.tree != state.start && state.facts.tree != state.facts.zero =>
            {
                let at_work = lock::held_by_another(&place.repository);
                let with = resume_with(settings);
                return Err(at_work.unwrap_or_else(|| halted(place, &state, &run, &with)));
            }
            Phase::Ended { .. } => {
                return Finished::by(&state, &run, place, (requirement, &settings.only));
            }
            Phase::Opening
            | Phase::Baselining
            | Phase::Due { .. }
            | Phase::Forked { .. }
            | Phase::Returned { .. }
            | Phase::Keeping { .. }
            | Phase::RollingBack { .. }
            | Phase::CutOff { .. }
            | Phase::Taking { .. }
            | Phase::Rechecking { .. }
            | Phase::GateDue
            | Phase::Proving
            | Phase::HoldingOut { .. }
            | Phase::Halting { .. }
            | Phase::Finishing { .. } => {
                let at_work = lock::held_by_another(&place.repository);
                let with = resume_with(settings);
                return Err(at_work.unwrap_or_else(|| unfinished(place, &state, &run, &with)));
            }
        }
    }
    Ok(None)
}

/// What lies in the tree is then nobody's work as anybody left it.
pub(in crate::commands) fn refuse_half_undone(repository: &Path) -> Result<(), Trouble> {
    let Some((run, to)) = intent::cut_off(repository) else { return Ok(()) };
    if let Some(at_work) = lock::held_by_another(repository) {
        return Err(at_work);
    }
    // Of a run that is gone nobody knows the way.
    let runs = run_folder::runs_of(repository)?;
    let Some(of) = runs.iter().find(|one| one.id == run) else { return Ok(()) };
    let Ok((told, _)) = Journalled::read(of) else { return Ok(()) };
    let again = undo_again(of, &told, &to);
    Err(Trouble::user(format!("an undo of the run {run} was cut off, and the tree is half way"))
        .because("some files are as before that run and some as after it; no new run begins on that")
        .advise(format!("bring the undo to its end first: {again}")))
}

/// The flags without which a proposed command would not do what this one does.
pub fn resume_with(settings: &Settings) -> Flags {
    let mut flags = Flags::default();
    flags.give("--cassette", settings.cassette.iter().map(|file| file.to_string_lossy().into_owned()));
    flags
}

fn halted(place: &Place, state: &State, run: &RunDir, with: &Flags) -> Trouble {
    let requirement = &state.run.requirement;
    let take = if let Phase::Ended { end: End::Halted(halt) } = &state.phase
        && state.takeable(halt).is_some()
    {
        format!("keep what lacks a block:  tdd resume {} --take{with}\n", run.id)
    } else {
        String::new()
    };
    let back = back_before(&place.repository, &run.id)
        .map(|undo| format!("back to before it:        {undo}, then tdd {} --new{with}\n", requirement.id))
        .unwrap_or_default();
    Trouble::user(format!("{} has a halted run: {}", requirement.id, run.id))
        .because(format!("{}; attempts: {}", phase::phase(state), state.forks()))
        .advise(format!(
            "read its report:          {2}\n\
             {take}\
             try again:                tdd resume {0} --retry{with}\n\
             after you changed files:  tdd resume {0} --edited{with}\n\
             {back}\
             start anew on this tree:  tdd {1} --new{with}",
            run.id,
            requirement.id,
            run.path.join("halt.txt").display()
        ))
}

fn unfinished(place: &Place, state: &State, run: &RunDir, with: &Flags) -> Trouble {
    let requirement = &state.run.requirement;
    let back = back_before(&place.repository, &run.id)
        .map(|undo| format!("back to before it:        {undo}\n"))
        .unwrap_or_default();
    Trouble::user(format!("{} has an unfinished run: {}", requirement.id, run.id))
        .because(format!("{}; attempts so far: {}", phase::phase(state), state.forks()))
        .advise(format!(
            "look at it:               tdd status {0}\n\
             go on with it:            tdd resume {0}{with}\n\
             {back}\
             start anew on this tree:  tdd {1} --new{with}",
            run.id, requirement.id
        ))
}
