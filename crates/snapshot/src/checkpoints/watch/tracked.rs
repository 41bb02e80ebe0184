//! What git has begun to track since the rules were frozen is held from then on, though a rule ignores it: else code
//! could be written behind such a rule and committed unseen.
//!
//! The index tells by its stamp whether it is to be read again.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::super::found::{self, Stamp};
use super::super::rules::tracked;
use super::super::walk;
use super::super::{GitCheckpoints, disk};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use tdd_child::regular_file;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// The stamp of the index, and where it lies.
const NOTE: &str = "tracked";

/// Whether the index is the one that was read last.
pub(super) fn is_as_noted(scratch: &Path) -> bool {
    let Ok(note) = regular_file::read(scratch.join(NOTE)) else { return false };
    let Some((stamp, index)) = note.split_at_checked(Stamp::BYTES) else { return false };
    stamp_of(&PathBuf::from(std::ffi::OsString::from_vec(index.to_vec()))) == *stamp
}

/// Of an index that is not there it is all zeros.
fn stamp_of(index: &Path) -> [u8; Stamp::BYTES] {
    let about = std::fs::symlink_metadata(index);
    about.map_or([0; Stamp::BYTES], |about| found::stamp_of(&about).to_bytes())
}

/// Holds what is tracked now.
pub(super) fn take_in(checkpoints: &mut GitCheckpoints) -> Result<(), Trouble> {
    if is_as_noted(&checkpoints.scratch) {
        return Ok(());
    }
    let index = checkpoints.place.git_dir.join("index");
    let mut note = stamp_of(&index).to_vec();
    let (files, _) = tracked(&checkpoints.own_git())?;
    checkpoints.hold_all(files)?;
    note.extend_from_slice(index.as_os_str().as_bytes());
    let at = checkpoints.scratch.join(NOTE);
    regular_file::write(&at, note).map_err(|error| disk(&at, &error))
}

impl GitCheckpoints {
    /// Holds these files though a rule ignores them.
    pub fn hold_ignored(&mut self, paths: &[RelPath]) -> Result<(), Trouble> {
        self.hold_all(paths.iter().map(|path| path.as_str().as_bytes().to_vec()).collect())
    }

    fn hold_all(&mut self, paths: Vec<Vec<u8>>) -> Result<(), Trouble> {
        if self.rules.hold(paths) { self.rules.save(&self.scratch.join("rules.json")) } else { Ok(()) }
    }

    /// Whether a file that a rule ignores, and that git has begun to track, was there before and is as it was.
    pub fn is_older(&self, path: &RelPath, than: SystemTime) -> bool {
        let path = path.as_str().as_bytes();
        let about = std::fs::symlink_metadata(walk::full_path(&self.place.work_tree, path));
        let changed = about.ok().and_then(|about| {
            let (seconds, nanos) = found::stamp_of(&about).changed();
            let since = Duration::new(u64::try_from(seconds).ok()?, nanos);
            UNIX_EPOCH.checked_add(since)
        });
        self.rules.is_forced(path) && changed.is_some_and(|changed| changed < than)
    }
}
