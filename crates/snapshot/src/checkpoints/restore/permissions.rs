//! Permissions of files, as they were when a run began: git keeps the executable bit of them and no more.

use std::collections::BTreeMap;

use super::{Outlook, Restore};
use crate::checkpoints::census::{Census, Entries};
use crate::checkpoints::found::Kind;
use crate::checkpoints::in_the_way::changed_within;
use crate::checkpoints::listing::Difference;
use crate::checkpoints::walk::{self};
use crate::checkpoints::{disk, shown};
use tdd_core::finding::{Change, ChangeKind};
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// A file with its permissions now and then.
pub type LeftMode = (RelPath, u32, u32);

pub(super) fn told(path: &[u8]) -> Change {
    Change { path: shown(path), kind: ChangeKind::Retyped }
}

impl Restore {
    /// Files that are as `wanted` has them but for permissions that git keeps none of, and that changed while
    /// the run lived. What somebody else has set since is left, and told: it may be the run's, with a file that
    /// was touched since.
    pub(super) fn permissions(
        &self,
        census: &Census,
        wanted: &Entries,
        lived: (u64, u64),
    ) -> (BTreeMap<Vec<u8>, u32>, Vec<LeftMode>) {
        let files = census.scan.files.iter().filter(|found| found.kind != Kind::Link);
        let same = files.filter(|found| census.entries.get(&found.path) == wanted.get(&found.path));
        let (mut changed, mut left) = (BTreeMap::new(), Vec::new());
        for found in same {
            let now = found.stamp.permissions();
            let then = self.checkpoints.rules.mode_then(&found.path, found.kind);
            let Some(then) = then.filter(|then| *then != now) else { continue };
            if changed_within(&census.scan, &found.path, lived) {
                changed.insert(found.path.clone(), then);
            } else {
                left.push((shown(&found.path), now, then));
            }
        }
        (changed, left)
    }

    /// Gives back the permissions of files that came back, and of those of which nothing else was changed.
    /// A file that has other names keeps what it has: they would feel it.
    pub(super) fn give_permissions(
        &self,
        outlook: &Outlook,
        after: &Census,
        came: &[Difference],
    ) -> Result<(), Trouble> {
        let tree = &self.checkpoints.tree;
        let mut wanted = outlook.permissions.clone();
        for difference in came.iter().filter(|_| outlook.to_beginning) {
            let found = after.scan.files.binary_search_by(|found| found.path.cmp(&difference.path));
            let Some(found) = found.ok().map(|at| &after.scan.files[at]) else { continue };
            let then = self.checkpoints.rules.mode_then(&found.path, found.kind);
            wanted.extend(then.filter(|_| found.kind != Kind::Link).map(|then| (found.path.clone(), then)));
        }
        for (path, then) in wanted {
            if tree.permissions(&path).is_some_and(|now| now != then) {
                let full = walk::full_path(&self.checkpoints.place.work_tree, &path);
                tree.set_permissions(&path, then).map_err(|error| disk(&full, &error))?;
            }
        }
        Ok(())
    }
}
