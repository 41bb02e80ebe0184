//! Work trees of the same repository that lie inside this one (`.claude/worktrees/x`, `.worktrees/x`): other people's
//! and other sessions', and no part of this one, as for git itself.
//!
//! One counts where git's folder names its place, its own `.git` leads back there, and that `.git` was not made after
//! all that git's folder holds of it. So no child that can't write to git's folder makes one of its own: neither
//! with a `.git` that names another one's entry, nor at the place of one that is gone.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::{folder, regular_file};

/// Their folders, from `top`, the top of a work tree. `common` is the folder that all work trees share.
#[must_use]
pub fn inside(common: &Path, top: &Path) -> BTreeSet<PathBuf> {
    let entries = folder::entries_if_any(&common.join("worktrees")).unwrap_or_default();
    let Ok(top) = top.canonicalize() else { return BTreeSet::new() };
    entries.iter().filter_map(|entry| place_of(&entry.path(), &top)).collect()
}

fn place_of(entry: &Path, top: &Path) -> Option<PathBuf> {
    let dot_git = entry.join(line(&entry.join("gitdir"))?);
    let about = dot_git.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    let place = dot_git.parent()?.canonicalize().ok()?;
    let told = line(&dot_git)?;
    let told = told.to_str()?.strip_prefix("gitdir:")?.trim_start();
    let leads_back = place.join(told).canonicalize().ok()? == entry.canonicalize().ok()?;
    let below = place.strip_prefix(top).ok().filter(|below| *below != Path::new(""))?;
    (leads_back && changed(&about) <= last_change(entry)?).then(|| below.to_owned())
}

/// The file's text without the end of its line, as a path.
fn line(file: &Path) -> Option<PathBuf> {
    let bytes = regular_file::read(file).ok()?;
    let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    Some(PathBuf::from(std::ffi::OsStr::from_bytes(text)))
}

/// When git last wrote anything of the entry. Nobody can set such a time.
fn last_change(entry: &Path) -> Option<(i64, i64)> {
    let files = folder::entries_if_any(entry).ok()?;
    let files = files.iter().filter_map(|file| file.metadata().ok()).filter(std::fs::Metadata::is_file);
    files.map(|about| changed(&about)).max()
}

fn changed(about: &std::fs::Metadata) -> (i64, i64) {
    (about.ctime(), about.ctime_nsec())
}
