//! Packs, their indexes and loose objects that a git which was killed, or had no room, has left half written:
//! git gives them no name of whose they are, and leaves them for two weeks.

use std::fs::DirEntry;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::git_locks::git_is_at_work;
use super::place::GitPlace;

/// How git begins their names.
const BEGINNINGS: [&[u8]; 4] = [b"tmp_pack_", b"tmp_idx_", b"tmp_rev_", b"tmp_obj_"];

/// Removes them, unless a git is at work in the repository: then they may be that git's.
pub(super) fn remove_abandoned(place: &GitPlace) {
    for file in abandoned(place) {
        let _ = std::fs::remove_file(file);
    }
}

/// What of that lies in a repository, and is nobody's at work.
pub fn half_written(repository: &Path) -> Vec<PathBuf> {
    GitPlace::find(repository).map(|place| abandoned(&place)).unwrap_or_default()
}

/// Removes that; what of it is left can't be removed.
pub fn remove_half_written(repository: &Path) {
    if let Ok(place) = GitPlace::find(repository) {
        remove_abandoned(&place);
    }
}

fn abandoned(place: &GitPlace) -> Vec<PathBuf> {
    let objects = place.common_dir.join("objects");
    let is_of_objects = |entry: &DirEntry| entry.file_name().len() == 2 || entry.file_name() == "pack";
    let folders = entries(&objects).filter(is_of_objects).map(|entry| entry.path());
    let left = folders.chain([objects.clone()]).flat_map(|folder| entries(&folder)).filter(is_abandoned);
    let left: Vec<PathBuf> = left.map(|entry| entry.path()).collect();
    if left.is_empty() || git_is_at_work(place) { Vec::new() } else { left }
}

fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    std::fs::read_dir(folder).into_iter().flatten().flatten()
}

fn is_abandoned(entry: &DirEntry) -> bool {
    let us = rustix::process::geteuid().as_raw();
    let name = entry.file_name();
    BEGINNINGS.iter().any(|beginning| name.as_bytes().starts_with(beginning))
        && entry.metadata().is_ok_and(|about| about.is_file() && about.uid() == us)
}
