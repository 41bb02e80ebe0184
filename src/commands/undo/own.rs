//! What is a run's own, as its journal tells it.

use std::collections::BTreeSet;
use std::path::Path;

use crate::commands::runs::journalled::Journalled;
use crate::commands::runs::story::policy_of;
use crate::world::journal_file::Record;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::Event;
use tdd_core::kept_work;
use tdd_core::labels;
use tdd_core::machine::PutBack;
use tdd_core::path::RelPath;
use tdd_core::policy::tooling::is_editors;
use tdd_snapshot::checkpoints::restore::{Own, Theirs};

/// How many trees of a run are asked whether they hold a file as it is.
const MOST_TREES: usize = 64;
/// The clock that stamps files runs behind by up to a tick.
const TICK_MS: u64 = 20;

pub(super) fn of(repository: &Path, run: &Journalled, records: &[Record]) -> Own {
    let mut edited = edited(records);
    edited.extend(inner(repository, records));
    edited.extend(beside_named(records));
    Own {
        trees: own_trees(run),
        at_work: if run.has_ended() { None } else { at_work(records) },
        lived: lived(records),
        edited,
        policy: policy_of(records),
        theirs: theirs(records),
        still_written: still_written(records),
    }
}

/// Files of kept work that lie in a repository inside the work tree and that no block of their role names.
fn inner(repository: &Path, records: &[Record]) -> Vec<(BTreeSet<RelPath>, CheckpointId)> {
    let events = || records.iter().map(|record| &record.event);
    let trees = labels::told(events());
    let is_inner = |path: &RelPath| {
        let folders = Path::new(path.as_str()).ancestors().skip(1).filter(|folder| *folder != Path::new(""));
        folders.into_iter().any(|folder| repository.join(folder).join(".git").symlink_metadata().is_ok())
    };
    let of_one = |(label, files): kept_work::Unnamed| {
        let files: BTreeSet<RelPath> = files.into_iter().filter(is_inner).collect();
        Some((files, trees.get(&label)?.clone()))
    };
    kept_work::unnamed(events()).into_iter().filter_map(of_one).collect()
}

/// Files of kept work that no block of their role names, though it names others: a person may have written them
/// meanwhile. New data beside tests may be what those have left.
pub(super) fn beside_named(records: &[Record]) -> Vec<(BTreeSet<RelPath>, CheckpointId)> {
    let events = || records.iter().map(|record| &record.event);
    let (trees, policy) = (labels::told(events()), policy_of(records));
    let is_asked = |path: &RelPath| {
        policy.as_ref().is_none_or(|policy| {
            !policy.is_data_of_tests(path) && !policy.is_next_requirement(path) && !is_editors(path)
        })
    };
    let of_one = |(label, files): kept_work::Unnamed| {
        let files: BTreeSet<RelPath> = files.into_iter().filter(is_asked).collect();
        Some((files, trees.get(&label)?.clone()))
    };
    kept_work::beside_named(events()).into_iter().filter_map(of_one).collect()
}

/// What somebody else changed and the run went on with.
fn theirs(records: &[Record]) -> Vec<Theirs> {
    let of = |record: &Record| {
        let Event::Edited { paths, kept, before: Some(before), .. } = &record.event else { return None };
        let paths = paths.iter().cloned().collect();
        Some(Theirs { before: before.clone(), paths, kept: kept.clone() })
    };
    records.iter().filter_map(of).collect()
}

/// What somebody else's program writes all the time.
fn still_written(records: &[Record]) -> BTreeSet<RelPath> {
    let of = |record: &Record| {
        let Event::Edited { paths, put_back: Some(PutBack::StillWritten), .. } = &record.event else {
            return Vec::new();
        };
        paths.clone()
    };
    records.iter().flat_map(of).collect()
}

/// The trees that the run left or began from, the likeliest first.
fn own_trees(run: &Journalled) -> Vec<CheckpointId> {
    let mut trees = run.trees();
    let mut seen = BTreeSet::new();
    trees.retain(|tree| seen.insert(tree.clone()));
    trees.truncate(MOST_TREES);
    trees
}

/// Protected files that changed during the last attempt, and that no child could write to.
fn edited(records: &[Record]) -> Vec<(BTreeSet<RelPath>, CheckpointId)> {
    let is_seen = |record: &Record| matches!(record.event, Event::TreeSeen { .. });
    let since = records.iter().rev().take_while(|record| is_seen(record) || !tells_the_tree(record));
    let of = |record: &Record| {
        let Event::Edited { paths, before: None, kept, put_back } = &record.event else { return None };
        let is_nobodys = matches!(put_back, Some(PutBack::MadeAgain | PutBack::StillWritten));
        (!is_nobodys).then(|| (paths.iter().cloned().collect(), kept.clone()))
    };
    since.filter_map(of).collect()
}

fn tells_the_tree(record: &Record) -> bool {
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
}

/// From the last tree that is known to the orderly stop: what changed then is the run's. Of a
/// run that was killed the end is not known.
fn at_work(records: &[Record]) -> Option<(u64, u64)> {
    let last = records.iter().rfind(|record| !matches!(record.event, Event::Undone { .. }))?;
    let stopped = matches!(last.event, Event::Paused { .. } | Event::Stopped { .. });
    let since = records.iter().rev().take_while(|record| !tells_the_tree(record));
    // Whoever goes on after a kill and pauses before the tree is told again knows no more than the kill left.
    let is_begun = records
        .iter()
        .any(|record| matches!(record.event, Event::BaselineMeasured { .. } | Event::FixMeasured { .. }));
    let is_gone_on_with = since.into_iter().any(|record| matches!(record.event, Event::Resumed));
    let from = records.iter().rev().find(|record| tells_the_tree(record))?.ts;
    (stopped && is_begun && !is_gone_on_with).then_some((from.saturating_sub(TICK_MS), last.ts))
}

/// From the first event to the last that is none of ours.
fn lived(records: &[Record]) -> Option<(u64, u64)> {
    let last = records.iter().rfind(|record| !matches!(record.event, Event::Undone { .. }))?;
    Some((records.first()?.ts.saturating_sub(TICK_MS), last.ts))
}
