//! Packs that a killed or failed import has left half written: git gives them no name of whose they are, and
//! leaves them for two weeks.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;

use super::git_locks::git_is_at_work;
use super::place::GitPlace;

/// How git begins their names.
const BEGINNING: &[u8] = b"tmp_pack_";

/// Removes them, unless a git is at work in the repository: then they may be that git's.
pub(super) fn remove_abandoned(place: &GitPlace) {
    let us = rustix::process::geteuid().as_raw();
    let entries = std::fs::read_dir(place.common_dir.join("objects/pack")).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| {
        let is_mine = entry.metadata().is_ok_and(|about| about.is_file() && about.uid() == us);
        is_mine && entry.file_name().as_bytes().starts_with(BEGINNING)
    });
    let left: Vec<_> = ours.collect();
    if left.is_empty() || git_is_at_work(place) {
        return;
    }
    for entry in left {
        let _ = std::fs::remove_file(entry.path());
    }
}
