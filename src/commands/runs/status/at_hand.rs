//! Which run's work lies in the tree: that run is meant where none is named.

use std::path::Path;

use super::RunStatus;
use crate::commands::runs::journalled::Journalled;
use crate::world::journal_file::Record;
use tdd_child::run_folder::{self, RunDir};
use tdd_core::event::{Event, RunId};

/// What a run is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands) enum For {
    Looking,
    Undoing,
}

/// The newest run whose work may lie in the tree: none that was refused or cut off before anybody worked, undone, or
/// cleaned in part. The newest of all where there is none, or where it can't be told. An undo that is said again is
/// of the same run, as long as no other has worked since.
pub(in crate::commands) fn at_hand(repository: &Path, runs: &[RunDir], what_for: For) -> Option<RunDir> {
    let mut undone = None;
    for (at, run) in runs.iter().enumerate() {
        let Ok((told, records)) = Journalled::read(run) else {
            if at == 0 {
                return Some(run.clone());
            }
            continue;
        };
        match RunStatus::of(repository, run, &told) {
            RunStatus::Live { .. } | RunStatus::HalfUndone { .. } => return Some(run.clone()),
            RunStatus::NotBegun { .. } | RunStatus::CleanedInPart => {}
            RunStatus::Undone { .. } => {
                let last = records.last().map_or(0, |record| record.ts);
                undone = undone.or(Some((run, last)));
            }
            RunStatus::Superseded { .. } | RunStatus::CutOff | RunStatus::AsJournalled => {
                if told.forks() == 0 {
                    continue;
                }
                let since = undone.filter(|_| what_for == For::Undoing);
                let is_over = since.filter(|(_, last)| last_work(&records) <= *last);
                return Some(is_over.map_or(run, |(undone, _)| undone).clone());
            }
        }
    }
    undone.map(|(run, _)| run).filter(|_| what_for == For::Undoing).or(runs.first()).cloned()
}

/// The run whose work lies in the tree below one that is undone.
pub(in crate::commands) fn work_below(repository: &Path, run: &RunId) -> Option<RunId> {
    let runs = run_folder::list_runs(repository);
    let below: Vec<RunDir> = runs.into_iter().skip_while(|other| other.id != *run).skip(1).collect();
    let found = at_hand(repository, &below, For::Looking)?;
    let (told, _) = Journalled::read(&found).ok()?;
    let is_there = match RunStatus::of(repository, &found, &told) {
        RunStatus::CutOff | RunStatus::AsJournalled => told.forks() > 0,
        RunStatus::Live { .. }
        | RunStatus::HalfUndone { .. }
        | RunStatus::Undone { .. }
        | RunStatus::Superseded { .. }
        | RunStatus::CleanedInPart
        | RunStatus::NotBegun { .. } => false,
    };
    is_there.then_some(found.id)
}

/// The newest run that came after this one, or was gone on with since, and whose work may lie in the tree: going back
/// to before this one would take that back too, so nobody is advised to.
pub(in crate::commands) fn later_work(repository: &Path, run: &RunId) -> Option<RunId> {
    let is_there = |told: &Journalled| told.undone().is_none() && told.forks() > 0;
    let later = run_folder::later_runs(repository, run);
    let is_later = |other: &RunDir| later.iter().any(|later| later.id == other.id);
    let runs = run_folder::list_runs(repository);
    let began = runs.iter().find(|other| other.id == *run).and_then(|run| Journalled::read(run).ok());
    let began = began.and_then(|(_, records)| Some(records.first()?.ts));
    let works = |other: &&RunDir| {
        other.id != *run
            && Journalled::read(other).is_ok_and(|(told, records)| {
                is_there(&told) && (is_later(other) || began.is_some_and(|began| last_work(&records) > began))
            })
    };
    runs.iter().find(works).map(|other| other.id.clone())
}

/// When somebody was last at work in a run, or work of it came into the tree.
fn last_work(records: &[Record]) -> u64 {
    let works = |record: &&Record| {
        matches!(
            record.event,
            Event::AttemptStarted { .. } | Event::WorkKept { .. } | Event::WorkTaken { .. }
        )
    };
    records.iter().rfind(works).map_or(0, |record| record.ts)
}
