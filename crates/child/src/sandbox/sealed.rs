//! What is sealed at the moment, as fences are told of it.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::fence::{Fence, Rule};
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::tool_folder::is_tool_folder;

/// The files that are sealed at the moment; shared with whoever seals them.
#[derive(Clone, Debug, Default)]
pub struct Sealed(pub(super) Rc<RefCell<SealedNow>>);

#[derive(Debug, Default)]
pub(super) struct SealedNow {
    pub(super) classes: Vec<FileClass>,
    /// What says of which class a new file would be.
    pub(super) policy: Option<Policy>,
    /// Relative to the repository, as they are on the disk.
    pub(super) files: BTreeSet<PathBuf>,
    /// What the suite itself writes, there or not.
    pub(super) free: BTreeSet<PathBuf>,
    /// What the project's own commands write in folders of tools.
    pub(super) in_tools: ToolWrites,
    /// What no child could write to since then; `None` before there was a child.
    held: Option<Held>,
}

/// What fences held.
#[derive(Debug)]
struct Held {
    files: BTreeSet<PathBuf>,
    /// Nothing can be added to these either, nor to what is below them.
    folders: BTreeSet<PathBuf>,
}

impl Sealed {
    /// From now on these are sealed, by paths relative to the repository, less what is `free`.
    pub fn tell<'p>(
        &self,
        (classes, policy): (&[FileClass], &Policy),
        files: impl IntoIterator<Item = &'p [u8]>,
        free: &BTreeSet<RelPath>,
    ) {
        let free: BTreeSet<PathBuf> = free.iter().map(|path| PathBuf::from(path.as_str())).collect();
        let files = files.into_iter().map(|path| PathBuf::from(OsStr::from_bytes(path)));
        let files = files.filter(|path| !free.contains(path)).collect();
        let (classes, policy) = (classes.to_vec(), Some(policy.clone()));
        let in_tools = std::mem::take(&mut self.0.borrow_mut().in_tools);
        *self.0.borrow_mut() = SealedNow { classes, policy, files, free, in_tools, held: None };
    }

    /// From now on commands write this in folders of tools, in a checkout, too.
    pub fn let_write_in_tools(&self, writes: ToolWrites) {
        self.0.borrow_mut().in_tools = writes;
    }

    /// Whether a fence held this file, or kept it from being made, around every child since it was sealed.
    pub fn is_held(&self, path: &Path) -> bool {
        let now = self.0.borrow();
        let Some(held) = &now.held else { return false };
        let is_free = now.free.contains(path);
        held.files.contains(path)
            || (!is_free && path.ancestors().skip(1).any(|above| held.folders.contains(above)))
    }

    /// Notes what a fence around one more child holds: of the files, and as folders.
    pub(super) fn note_held(&self, is_held: impl Fn(&Path) -> bool, folders: Vec<PathBuf>) {
        let mut now = self.0.borrow_mut();
        let folders: BTreeSet<PathBuf> =
            folders.into_iter().filter(|path| !now.files.contains(path)).collect();
        let before = now.held.take();
        let (files, folders) = match before {
            Some(held) => (held.files, held.folders.intersection(&folders).cloned().collect::<BTreeSet<_>>()),
            None => (now.files.clone(), folders),
        };
        now.held = Some(Held { files: files.into_iter().filter(|file| is_held(file)).collect(), folders });
    }
}

/// What the project's own commands write in folders of tools. In the work tree all of these can be written; in a
/// checkout, which leads to those of the work tree, nothing else.
#[derive(Debug)]
pub enum ToolWrites {
    /// It is being learned, before there is any child.
    Anything,
    /// Relative to the repository.
    These(BTreeSet<PathBuf>),
}

impl Default for ToolWrites {
    fn default() -> Self {
        Self::These(BTreeSet::new())
    }
}

impl ToolWrites {
    /// `seen` of the repository lies read-only.
    pub(super) fn lay(&self, fence: &mut Fence, repository: &Path, seen: &[&Path]) {
        let name = |path: &Path| path.file_name().and_then(OsStr::to_str).is_some_and(is_tool_folder);
        let written: Vec<PathBuf> = match self {
            Self::Anything => seen.iter().filter(|path| name(path)).map(|path| (*path).to_owned()).collect(),
            Self::These(files) => {
                let files = files.iter().map(|file| repository.join(file));
                let is_seen = |file: &PathBuf| seen.iter().any(|folder| file.starts_with(folder));
                let is_file = |file: &PathBuf| file.symlink_metadata().is_ok_and(|meta| meta.is_file());
                files.filter(|file| is_seen(file) && is_file(file)).collect()
            }
        };
        for path in written {
            fence.set(&path, Rule::Writable);
        }
    }
}
