//! FIFOs, sockets and devices in the git folder: git would open one in a file's place and wait for
//! ever.
//!
//! A repository has hundreds of folders of objects, and most stay as they are from one look to the
//! next: a folder whose stamp is the same has the same names in it.
#![expect(clippy::disallowed_methods, reason = "looks through the git folder")]

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::edit::Tree;
use super::import::settled;
use super::walk::{Stamp, stamp_of};

/// What was found in folders that held no special file when they were looked at.
#[derive(Debug, Default)]
pub(super) struct Clean {
    /// The folders in each.
    folders: HashMap<PathBuf, (Stamp, Vec<PathBuf>)>,
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
        let mut waiting: Vec<(PathBuf, Depth)> = shallow.map(|path| (path, Depth::Here)).into();
        waiting.extend(deep.into_iter().chain([git_dir.join("refs")]).map(|path| (path, Depth::All)));
        while let Some((folder, depth)) = waiting.pop() {
            let below = self.below(folder, &mut removed);
            if depth == Depth::All {
                waiting.extend(below.into_iter().map(|path| (path, Depth::All)));
            }
        }
        removed
    }

    /// The folders in one folder, after its special files are gone.
    fn below(&mut self, folder: PathBuf, removed: &mut Vec<String>) -> Vec<PathBuf> {
        let now = SystemTime::now();
        let Ok(meta) = std::fs::metadata(&folder) else { return Vec::new() };
        let stamp = stamp_of(&meta);
        if let Some((known, below)) = self.folders.get(&folder)
            && *known == stamp
        {
            return below.clone();
        }
        let before = removed.len();
        let mut below = Vec::new();
        let Ok(entries) = std::fs::read_dir(&folder) else { return below };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let special =
                kind.is_fifo() || kind.is_socket() || kind.is_block_device() || kind.is_char_device();
            let clear = |tree: Tree| tree.clear(entry.file_name().as_bytes()).is_ok();
            if special && Tree::open(&folder).is_ok_and(clear) {
                removed.push(format!("{} was no file; removed", entry.path().display()));
            } else if kind.is_dir() {
                below.push(entry.path());
            }
        }
        if removed.len() == before && settled(stamp, now) {
            self.folders.insert(folder, (stamp, below.clone()));
        }
        below
    }
}
