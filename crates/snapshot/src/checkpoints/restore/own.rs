//! What an undo takes for the run's own, and what it leaves as it is.

use std::collections::BTreeSet;

use super::{Outlook, Restore};
use crate::checkpoints::census::{self, Entries};
use crate::checkpoints::{listing, shown};
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::policy::Policy;

/// Which states of files are the run's own.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// Trees of the run, the likeliest first.
    pub trees: Vec<CheckpointId>,
    /// From when to when the run was at work after the last of them, ms since the epoch; `None`
    /// if it was not, or its end is not known.
    pub at_work: Option<(u64, u64)>,
    /// From its first event to its last, ms since the epoch.
    pub lived: Option<(u64, u64)>,
    /// What somebody else is known to have changed while the run was at work, and trees that hold it.
    pub edited: Vec<(BTreeSet<RelPath>, CheckpointId)>,
    /// Tells what was no part of the run.
    pub policy: Option<Policy>,
    /// What somebody else changed and the run went on with, in order.
    pub theirs: Vec<Theirs>,
    /// What somebody else's program writes all the time: it stays as it is.
    pub still_written: BTreeSet<RelPath>,
}

/// Files that somebody else changed between two trees, while no child was at work.
#[derive(Clone, Debug)]
pub struct Theirs {
    pub before: CheckpointId,
    pub paths: BTreeSet<RelPath>,
    pub kept: CheckpointId,
}

/// What becomes of such files on the way back to where the run began.
#[derive(Default)]
pub(super) struct Spared {
    /// The run had not touched them by then: each as its writer left it, or gone.
    given_back: Entries,
    /// They stay, or come back, as somebody else left them; also those that are gone.
    paths: BTreeSet<Vec<u8>>,
    /// Changed on top of the run's own work: the two can't be told apart.
    mixed: BTreeSet<Vec<u8>>,
    /// As somebody else left them while the run was at work.
    edited: BTreeSet<Vec<u8>>,
    /// Those that are then not as they were where the run began.
    pub(super) given: Vec<RelPath>,
}

impl Restore {
    /// Nothing is to be said of what somebody else's program writes at this very moment.
    pub(super) fn without_live(&mut self, own: &Own, mut wanted: Entries) -> Entries {
        let live: BTreeSet<Vec<u8>> =
            own.still_written.iter().map(|path| path.as_str().as_bytes().to_vec()).collect();
        wanted.retain(|path, _| !live.contains(path));
        self.checkpoints.rules.leave_out(live);
        wanted
    }

    /// What a tree holds; `None` if it is gone.
    pub(super) fn entries_of(&self, tree: &CheckpointId) -> Option<Entries> {
        Some(census::entries(listing::files(&self.checkpoints.private, tree).ok()?))
    }

    /// The first `most` of these files that the work tree has otherwise than one of these trees, each with the
    /// likeliest.
    pub fn told_apart<'t>(
        &self,
        trees: impl IntoIterator<Item = &'t CheckpointId>,
        outlook: &Outlook,
        most: usize,
    ) -> Vec<(&'t CheckpointId, RelPath)> {
        let now = &outlook.census.entries;
        let paths = outlook.foreign.iter().map(|change| &change.path).filter(|path| !path.is_lossy());
        let mut open: Vec<&RelPath> = paths.take(most).collect();
        let mut told = Vec::new();
        for tree in trees {
            if open.is_empty() {
                break;
            }
            let Some(entries) = self.entries_of(tree) else { continue };
            let differs = |path: &RelPath| {
                let name = path.as_str().as_bytes();
                entries.get(name).is_some_and(|was| now.get(name) != Some(was))
            };
            let found: Vec<&RelPath> = open.extract_if(.., |path| differs(path)).collect();
            told.extend(found.into_iter().map(|path| (tree, path.clone())));
        }
        told
    }

    /// Wants somebody else's files as they left them, on the way back to where the run began.
    pub(super) fn give_back(
        &self,
        (own, since): (&Own, Option<u64>),
        now: &Entries,
        (wanted, known): (&mut Entries, &mut BTreeSet<String>),
    ) -> Spared {
        let theirs = since.map(|_| own.theirs.as_slice()).unwrap_or_default();
        let mut spared = Spared::of(theirs, wanted, |tree| self.entries_of(tree));
        for path in spared.paths.difference(&spared.mixed) {
            let theirs = spared.given_back.get(path);
            known.extend(theirs.map(|(_, object)| object.clone()));
            let before = match theirs {
                Some(entry) => wanted.insert(path.clone(), entry.clone()),
                None => wanted.remove(path),
            };
            if before.as_ref() != theirs {
                spared.given.push(shown(path));
            }
        }
        for (paths, kept) in &own.edited {
            let Some(kept) = self.entries_of(kept) else { continue };
            // One that is gone since is in none of the two.
            let names = paths.iter().flat_map(|path| names_of(path, [now, &kept, wanted]));
            spared.edited.extend(names.filter(|name| now.get(name) == kept.get(name)));
        }
        spared
    }
}

/// The names of a file; of one that is no UTF-8 those of which just this is shown.
fn names_of(path: &RelPath, among: [&Entries; 3]) -> Vec<Vec<u8>> {
    if !path.is_lossy() {
        return vec![path.as_str().as_bytes().to_vec()];
    }
    let names = among.into_iter().flat_map(Entries::keys);
    names.filter(|name| shown(name) == *path).cloned().collect()
}

impl Spared {
    /// `trees`: what the trees before and after each such change hold.
    pub(super) fn of(
        own: &[Theirs],
        zero: &Entries,
        tree: impl Fn(&CheckpointId) -> Option<Entries>,
    ) -> Self {
        let mut spared = Self::default();
        for theirs in own {
            // A tree that is gone tells nothing.
            let (Some(before), Some(kept)) = (tree(&theirs.before), tree(&theirs.kept)) else { continue };
            let paths: BTreeSet<&Vec<u8>> = before.keys().chain(kept.keys()).collect();
            for path in paths.into_iter().filter(|path| theirs.paths.contains(&shown(path))) {
                let was =
                    if spared.paths.contains(path) { spared.given_back.get(path) } else { zero.get(path) };
                // As it was where the run began nobody else had touched it by then.
                let is_fresh = before.get(path) == zero.get(path);
                if (before.get(path) != was && !is_fresh) || spared.mixed.contains(path) {
                    spared.mixed.insert(path.clone());
                    continue;
                }
                spared.paths.insert(path.clone());
                match kept.get(path) {
                    Some(entry) => spared.given_back.insert(path.clone(), entry.clone()),
                    None => spared.given_back.remove(path),
                };
            }
        }
        spared
    }

    /// Whether a file is somebody else's although the run may have a tree that holds it as it is.
    pub(super) fn is_asked_for(&self, path: &[u8]) -> bool {
        self.mixed.contains(path) || self.edited.contains(path)
    }
}

impl Own {
    /// What somebody else has written meanwhile and was no part of the run stays as it is.
    pub(super) fn leave_alone(&self, wanted: &mut Entries, now: &Entries) {
        let Some(policy) = &self.policy else { return };
        let is_next = |path: &[u8]| policy.is_next_requirement(&shown(path));
        wanted.retain(|path, _| !is_next(path));
        let next = now.iter().filter(|(path, _)| is_next(path));
        wanted.extend(next.map(|(path, entry)| (path.clone(), entry.clone())));
    }
}
