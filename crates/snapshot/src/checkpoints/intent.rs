//! What an undo is about to do, in a file of the work tree's git folder, so that one that was killed can
//! be gone on with; and what a killed `tdd` leaves half done.
//!
//! ```text
//! <git folder>/tdd-undo.json   { run, to, label, now }    written before the first file is touched
//! <git folder>/tdd-undo/       the undo's own folders
//! .tdd-put-<pid>-<n>           a file on its way to its name, in the folder where it is to be
//! ```
//!
//! A child can write there in level `audit`: the note says which trees to compare, and nothing is
//! overwritten for it that the tree under the label does not hold.

use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::edit::{Permissions, TEMPORARY, Tree};
use super::place::GitPlace;
use super::private::disk;
use tdd_child::regular_file;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::RunId;
use tdd_core::trouble::Trouble;

/// The undo's own folder in the git folder.
pub(super) const SCRATCH: &str = "tdd-undo";
/// Where Linux has a file system in memory that anybody may write to.
const MEMORY: &str = "/dev/shm";
const NOTE: &str = "tdd-undo.json";
/// More than any note has.
const LARGEST_NOTE: u64 = 1 << 16;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Intent {
    pub(super) run: String,
    /// Where to.
    pub(super) to: String,
    /// What holds the tree from before.
    pub(super) label: String,
    pub(super) now: String,
}

impl Intent {
    pub(super) fn read(place: &GitPlace) -> Option<Self> {
        let bytes = regular_file::head(&place.git_dir.join(NOTE), LARGEST_NOTE).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Somebody else may have written it.
    pub(super) fn is_sound(&self) -> bool {
        let is_object =
            |name: &str| matches!(name.len(), 40 | 64) && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_object(&self.now) && super::slug(&self.label) == self.label
    }

    /// Synced, and whole or not there. On a full disk there is none: where nothing has to be kept, each
    /// file is as a tree of the run has it, however far an undo came.
    pub(super) fn note(&self, place: &GitPlace) -> Result<(), Trouble> {
        let failed = |error: std::io::Error| disk(&place.git_dir.join(NOTE), &error);
        let bytes = serde_json::to_vec(self).map_err(|error| Trouble::internal(error.to_string()))?;
        let fill = |file: &mut std::fs::File| {
            file.write_all(&bytes)?;
            file.sync_all()
        };
        let tree = Tree::open(&place.git_dir).map_err(failed)?;
        match tree.put_file(NOTE.as_bytes(), Permissions::Exact(0o600), fill) {
            Err(error) if error.kind() == std::io::ErrorKind::StorageFull => Ok(()),
            other => other.map_err(failed),
        }
    }

    pub(super) fn forget(place: &GitPlace) {
        let _ = Tree::open(&place.git_dir).and_then(|tree| tree.remove(NOTE.as_bytes()));
    }
}

/// The undo that was cut off in this work tree, if there is one: its run, and the checkpoint that it goes to.
pub fn cut_off(repository: &Path) -> Option<(RunId, CheckpointId)> {
    let intent = Intent::read(&GitPlace::find(repository).ok()?).filter(Intent::is_sound)?;
    Some((RunId(intent.run), CheckpointId(intent.to)))
}

/// Where an undo works if the repository's disk is full: among temporary files, and where that is the same
/// disk, in memory.
pub(super) fn far_scratch(pid: u32) -> [PathBuf; 2] {
    [std::env::temp_dir(), PathBuf::from(MEMORY)].map(|folder| folder.join(format!("{SCRATCH}-{pid}")))
}

pub(super) fn name_of(folder: &Path) -> &[u8] {
    folder.file_name().map(OsStrExt::as_bytes).unwrap_or_default()
}

/// Removes what a `tdd` of this number, which was killed in this work tree, has left half done.
pub fn tidy(place: &GitPlace, pid: u32) {
    super::packs::remove_abandoned(place);
    let beginning = format!("{TEMPORARY}{pid}-");
    let _ = Tree::open(&place.git_dir).and_then(|tree| tree.clear(SCRATCH.as_bytes()));
    for far in far_scratch(pid) {
        if let Some(parent) = far.parent() {
            let _ = Tree::open(parent).and_then(|tree| tree.clear(name_of(&far)));
        }
    }
    for folder in [&place.work_tree, &place.git_dir, &place.common_dir] {
        let Ok(tree) = Tree::open(folder) else { continue };
        let mut waiting: Vec<Vec<u8>> = vec![Vec::new()];
        while let Some(below) = waiting.pop() {
            let full = super::walk::full_path(folder, &below);
            for entry in std::fs::read_dir(full).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let path = [below.as_slice(), b"/", name.as_bytes()].concat();
                let path = path.strip_prefix(b"/").unwrap_or(&path).to_vec();
                match entry.file_type() {
                    // Objects are git's, and the other git folder is looked at by itself.
                    Ok(kind) if kind.is_dir() && name != ".git" && path != b"objects" => waiting.push(path),
                    Ok(kind) if !kind.is_dir() && is_number_after(name.as_bytes(), &beginning) => {
                        let _ = tree.remove_alone(&path);
                    }
                    _ => {}
                }
            }
        }
    }
}

fn is_number_after(name: &[u8], beginning: &str) -> bool {
    let rest = name.strip_prefix(beginning.as_bytes());
    rest.is_some_and(|rest| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit))
}
