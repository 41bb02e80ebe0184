//! FIFOs and devices in the git folder: git would open one in a file's place and wait for ever. A socket
//! can't be opened, and git's own file watcher has one there, so sockets stay.
//!
//! A repository has hundreds of folders of objects, and most stay as they are from one look to the
//! next: a folder whose stamp is the same has the same names in it.
#![expect(clippy::disallowed_methods, reason = "looks through the git folder")]

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::edit::Tree;
use super::found::Stamp;
use super::found::stamp_of;
use super::import::settled;

/// Folders that held no special file, and no folder, when they were looked at: a stamp is of one folder.
#[derive(Debug, Default)]
pub(super) struct Clean {
    leaves: HashSet<Stamp>,
}

/// How far below a folder is looked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Here,
    All,
}

impl Clean {
    /// Removes what is special and says what that was, a line each.
    pub(super) fn remove_specials(&mut self, git_dir: &Path, common_dir: &Path) -> Vec<String> {
        let mut removed = Vec::new();
        let shallow = [git_dir.to_owned(), common_dir.to_owned()];
        let deep =
            ["refs", "info", "logs", "hooks", "objects", "worktrees"].map(|name| common_dir.join(name));
        let roots = shallow.map(|path| (path, Depth::Here)).into_iter();
        let roots =
            roots.chain(deep.into_iter().chain([git_dir.join("refs")]).map(|path| (path, Depth::All)));
        let stamped = |(path, depth): (PathBuf, Depth)| {
            let stamp = stamp_of(&std::fs::metadata(&path).ok()?);
            Some((path, stamp, depth))
        };
        let mut waiting: Vec<(PathBuf, Stamp, Depth)> = roots.filter_map(stamped).collect();
        while let Some((folder, stamp, depth)) = waiting.pop() {
            let below = self.below(&folder, stamp, &mut removed);
            if depth == Depth::All {
                waiting.extend(below.into_iter().map(|(path, stamp)| (path, stamp, Depth::All)));
            }
        }
        removed
    }

    /// The folders in one folder that are not known to be clean, after its special files are gone.
    fn below(&mut self, folder: &Path, stamp: Stamp, removed: &mut Vec<String>) -> Vec<(PathBuf, Stamp)> {
        let now = SystemTime::now();
        let before = removed.len();
        let (mut below, mut has_folders) = (Vec::new(), false);
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let special = kind.is_fifo() || kind.is_block_device() || kind.is_char_device();
            let clear = |tree: Tree| tree.clear(entry.file_name().as_bytes()).is_ok();
            if special && Tree::open(folder).is_ok_and(clear) {
                removed.push(format!("{} was no file; removed", entry.path().display()));
            } else if kind.is_dir() {
                // Asked by its name alone, which is cheaper than by its whole path.
                let Ok(stamp) = entry.metadata().map(|meta| stamp_of(&meta)) else { continue };
                has_folders = true;
                if !self.leaves.contains(&stamp) {
                    below.push((entry.path(), stamp));
                }
            }
        }
        if removed.len() == before && !has_folders && settled(stamp, now) {
            self.leaves.insert(stamp);
        }
        below
    }
}
