//! Folders as they were when a run began: git keeps nothing of one but the files in it.

use std::collections::BTreeMap;

use super::{Outlook, Restore};
use crate::checkpoints::census::{Census, Entries};
use crate::checkpoints::in_the_way::changed_ms;
use crate::checkpoints::walk;
use crate::checkpoints::{disk, shown};
use tdd_core::finding::{Change, ChangeKind};
use tdd_core::trouble::Trouble;

/// A folder, and the permissions that it is to have.
#[derive(Debug)]
pub(super) struct Folder {
    path: Vec<u8>,
    then: u32,
    /// How it differs now, if it does.
    pub(super) change: Option<ChangeKind>,
}

impl Folder {
    pub(super) fn told(&self) -> Option<Change> {
        self.change.map(|kind| Change { path: shown(&self.path), kind })
    }
}

fn holds_files(entries: &Entries, folder: &[u8]) -> bool {
    let below = [folder, b"/"].concat();
    entries.range(below.clone()..).next().is_some_and(|(file, _)| file.starts_with(&below))
}

impl Restore {
    /// Folders that were empty or had permissions of their own, and those that lost the usual ones while the
    /// run lived. What somebody else has set since is left.
    /// One that was not there `before` an undo that was cut off was made by that undo.
    pub(super) fn folders(
        &self,
        census: &Census,
        (wanted, before): (&Entries, Option<&Entries>),
        (from, to): (u64, u64),
    ) -> Vec<Folder> {
        let rules = &self.checkpoints.rules;
        let mut then: BTreeMap<Vec<u8>, u32> =
            rules.odd_folders().map(|(path, mode)| (path.to_vec(), mode)).collect();
        let usual = rules.usual_folder();
        for (path, stamp) in &census.scan.folders {
            if let Some(usual) = usual
                && stamp.permissions() != usual
                && !then.contains_key(path)
                && holds_files(wanted, path)
            {
                then.insert(path.clone(), usual);
            }
        }
        let work_tree = &self.checkpoints.place.work_tree;
        let folder = |(path, then): (Vec<u8>, u32)| {
            let change = match census.scan.folder(&path) {
                Some(now) if now.permissions() == then => None,
                Some(now) if changed_ms(now).is_some_and(|ms| (from..=to).contains(&ms)) => {
                    Some(ChangeKind::Retyped)
                }
                Some(_) if before.is_some_and(|before| !holds_files(before, &path)) => {
                    Some(ChangeKind::Retyped)
                }
                Some(_) => return None,
                // One that is there is ignored by now, and no matter of ours.
                None if walk::full_path(work_tree, &path).is_dir() => return None,
                None => Some(ChangeKind::Added),
            };
            Some(Folder { path, then, change })
        };
        then.into_iter().filter_map(folder).collect()
    }

    /// Folders that an undo which was cut off has emptied, and had no time to remove.
    pub fn finish_folders(&self, outlook: &Outlook) -> Result<(), Trouble> {
        let Some((_, before)) = &outlook.broken_off else { return Ok(()) };
        let before = self.entries_of(before).unwrap_or_default();
        for path in before.keys().filter(|path| !outlook.wanted.contains_key(*path)) {
            self.checkpoints.tree.prune(path);
        }
        self.give_folders(outlook)
    }

    /// Makes them, the outermost first, and then gives each its permissions, the innermost first: what may
    /// not be written is closed last.
    pub(super) fn give_folders(&self, outlook: &Outlook) -> Result<(), Trouble> {
        let work_tree = &self.checkpoints.place.work_tree;
        let put = |folder: &Folder, bits: u32| {
            let put = self.checkpoints.tree.put_folder(&folder.path, bits);
            put.map_err(|error| disk(&walk::full_path(work_tree, &folder.path), &error))
        };
        // One that is there may have gone with the last file that was removed from it.
        outlook.folders.iter().try_for_each(|folder| put(folder, folder.then | 0o700))?;
        outlook.folders.iter().rev().try_for_each(|folder| put(folder, folder.then))
    }
}
