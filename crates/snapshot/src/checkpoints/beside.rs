//! Protected files that git ignores are in no checkpoint, so that nobody's `.env` lies in the repository's objects.
//! What stands in place of one is kept all the same before it is put back: it may be a person's, and the only copy.

use std::time::{SystemTime, UNIX_EPOCH};

use super::edit::is_absent;
use super::found::Found;
use super::found::{Folder, kind_of, stamp_of};
use super::import::{self, Delta};
use super::walk::{self};
use super::{GitCheckpoints, disk};
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::tool_folder::is_installed;
use tdd_core::trouble::Trouble;

/// A commit on top of `tree` that holds these files of the work tree besides; `tree` itself where it has all of them
/// that are there. Of what tools have installed no copies are kept.
pub(super) fn hold(
    checkpoints: &mut GitCheckpoints,
    tree: &CheckpointId,
    paths: &[RelPath],
) -> Result<CheckpointId, Trouble> {
    let mut found = Vec::new();
    for path in paths {
        let is_installed = is_installed(path);
        let path = path.as_str().as_bytes();
        if is_installed || !checkpoints.rules.passes_over(path, Folder::No) {
            continue;
        }
        let at = walk::full_path(&checkpoints.place.work_tree, path);
        let meta = match std::fs::symlink_metadata(&at) {
            Ok(meta) => meta,
            // A folder above it may be a file by now.
            Err(error) if is_absent(&error) => continue,
            Err(error) => return Err(disk(&at, &error)),
        };
        let kind = kind_of(&meta);
        found.extend(kind.map(|kind| Found { path: path.to_vec(), kind, stamp: stamp_of(&meta) }));
    }
    if found.is_empty() {
        return Ok(tree.clone());
    }
    let delta = Delta { gone: Vec::new(), new: found.iter().collect() };
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let label = ("tdd: with what git ignores", seconds);
    Ok(import::commit(&checkpoints.private, &checkpoints.tree, (Some(tree), &delta), label)?.0)
}
