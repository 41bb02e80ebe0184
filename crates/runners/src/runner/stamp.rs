//! What tells that a file is not what it was, without reading it.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What can't stay the same when a file is written, replaced or given another time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl Stamp {
    /// `None` if there is no file. Links are not followed.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = std::fs::symlink_metadata(path).ok()?;
        Some(Self {
            inode: metadata.ino(),
            size: metadata.size(),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }
}

/// All files of a folder but those in some folders of it.
pub(super) fn survey(folder: &Path, without: &[&str]) -> BTreeMap<PathBuf, Stamp> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(inner) = open.pop() {
        let is_left_out = without.iter().any(|name| inner == folder.join(name));
        let entries = if is_left_out { None } else { std::fs::read_dir(&inner).ok() };
        for entry in entries.into_iter().flatten().flatten() {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                open.push(path);
            } else if let Some(stamp) = Stamp::of(&path) {
                found.insert(path, stamp);
            }
        }
    }
    found
}
