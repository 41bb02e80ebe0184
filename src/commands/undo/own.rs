//! What is a run's own, as its journal tells it.

use std::collections::BTreeSet;

use crate::commands::journalled::Journalled;
use crate::core::attempt::CheckpointId;
use crate::core::event::Event;
use crate::world::checkpoints::way_back::Own;
use crate::world::journal_file::Record;

/// How many trees of a run are asked whether they hold a file as it is.
const MOST_TREES: usize = 64;
/// The clock that stamps files runs behind by up to a tick.
const TICK_MS: u64 = 20;

pub(super) fn of(run: &Journalled, records: &[Record]) -> Own {
    Own {
        trees: own_trees(run),
        at_work: if run.has_ended() { None } else { at_work(records) },
        lived: lived(records),
    }
}

/// The trees that the run left or began from, the likeliest first.
fn own_trees(run: &Journalled) -> Vec<CheckpointId> {
    let mut trees = run.trees();
    let mut seen = BTreeSet::new();
    trees.retain(|tree| seen.insert(tree.clone()));
    trees.truncate(MOST_TREES);
    trees
}

/// From the last tree that is known to the orderly stop: what changed then is the run's. Of a
/// run that was killed the end is not known.
fn at_work(records: &[Record]) -> Option<(u64, u64)> {
    let known = |record: &&Record| {
        matches!(
            record.event,
            Event::CheckpointZero { .. }
                | Event::WorkKept { .. }
                | Event::WorkRolledBack { .. }
                | Event::AttemptStarted { .. }
                | Event::AttemptCut { .. }
                | Event::WorkTaken { .. }
                | Event::Rechecked { .. }
                | Event::TreeSeen { .. }
        )
    };
    let last = records.iter().rfind(|record| !matches!(record.event, Event::Undone { .. }))?;
    let stopped = matches!(last.event, Event::Paused { .. } | Event::Stopped { .. });
    let from = records.iter().rev().find(known)?.ts;
    stopped.then_some((from.saturating_sub(TICK_MS), last.ts))
}

/// From the first event to the last that is none of ours.
fn lived(records: &[Record]) -> Option<(u64, u64)> {
    let last = records.iter().rfind(|record| !matches!(record.event, Event::Undone { .. }))?;
    Some((records.first()?.ts.saturating_sub(TICK_MS), last.ts))
}
