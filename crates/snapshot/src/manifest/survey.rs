//! Which files of a work tree belong to the protected classes.

use std::collections::BTreeSet;
use std::fs::{DirEntry, FileType};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use crate::checkpoints::edit::Tree;
use tdd_child::folder;
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::tool_folder::is_tool_folder;

/// Those of them that people share between work trees by a link.
const LINKED_TOOLS: &[&str] = &["node_modules", ".venv", "venv"];

/// What a build leaves, wherever the rules did not say so.
const BUILT: &str = "target";

/// A name that no file has: stands for "anything in this folder".
const ANYTHING: &str = "\u{1}anything";

/// What one look found.
pub(super) struct Found {
    /// Every path of a protected class.
    pub(super) protected: BTreeSet<Vec<u8>>,
    /// Folders of tools, which were not looked into.
    pub(super) tools: Vec<Vec<u8>>,
}

/// One look at a work tree.
pub(super) struct Survey<'s> {
    pub(super) root: &'s Path,
    pub(super) tree: &'s Tree,
    pub(super) policy: &'s Policy,
    pub(super) classes: &'s [FileClass],
    pub(super) except: &'s [RelPath],
    /// Other work trees of the repository, which are no part of this one.
    pub(super) others: BTreeSet<PathBuf>,
}

impl Survey<'_> {
    /// What is there now, folders aside.
    pub(super) fn look(&self) -> io::Result<Found> {
        let (mut found, mut tools) = (BTreeSet::new(), Vec::new());
        let mut waiting: Vec<Vec<u8>> = vec![Vec::new()];
        while let Some(folder) = waiting.pop() {
            for (path, kind) in entries(self.tree, &folder)? {
                let Some(shown) = shown(&path) else { continue };
                if kind.is_dir() {
                    if self.others.contains(&full_path(Path::new(""), &path)) {
                        continue;
                    }
                    if self.is_walked(&shown) {
                        waiting.push(path);
                    } else if is_tool_folder(shown.file_name()) && !is_git(&path) {
                        tools.push(path);
                    }
                } else if self.is_protected(&shown, kind) {
                    found.insert(path);
                } else if kind.is_symlink()
                    && LINKED_TOOLS.contains(&shown.file_name())
                    && full_path(self.root, &path).is_dir()
                {
                    // Whoever replaces the link shows other files at the same paths.
                    tools.push(path);
                }
            }
        }
        Ok(Found { protected: found, tools })
    }

    /// The files inside the repository that protected links lead to, one step or a whole folder.
    pub(super) fn behind_links(&self, protected: &BTreeSet<Vec<u8>>) -> io::Result<BTreeSet<Vec<u8>>> {
        let mut behind = BTreeSet::new();
        let Ok(top) = self.root.canonicalize() else { return Ok(behind) };
        for path in protected {
            let full = full_path(self.root, path);
            let is_link = std::fs::symlink_metadata(&full).is_ok_and(|meta| meta.is_symlink());
            if !is_link {
                continue;
            }
            let Ok(real) = full.canonicalize() else { continue };
            let Ok(below) = real.strip_prefix(&top) else { continue };
            let below = below.as_os_str().as_bytes().to_vec();
            let excepted = shown(&below).is_none_or(|below| self.except.contains(&below));
            if real.is_file() && !excepted {
                behind.insert(below);
            } else if real.is_dir() && !below.is_empty() {
                self.all_files(below, &mut behind)?;
            }
        }
        behind.retain(|path| !protected.contains(path) && !is_git(path));
        Ok(behind)
    }

    fn all_files(&self, folder: Vec<u8>, found: &mut BTreeSet<Vec<u8>>) -> io::Result<()> {
        let mut waiting = vec![folder];
        while let Some(folder) = waiting.pop() {
            for (path, kind) in entries(self.tree, &folder)? {
                let Some(shown) = shown(&path) else { continue };
                let by_product = self.policy.classify(&shown) == FileClass::ByProduct;
                if kind.is_dir() && self.is_walked(&shown) {
                    waiting.push(path);
                } else if kind.is_file() && !by_product && !self.except.contains(&shown) {
                    found.insert(path);
                }
            }
        }
        Ok(())
    }

    fn is_walked(&self, folder: &RelPath) -> bool {
        if is_git(folder.as_str().as_bytes()) || matches!(folder.as_str(), ".tdd/runs" | ".tdd/sessions") {
            return false;
        }
        let inside = self.class_inside(folder);
        if inside == FileClass::ByProduct {
            return false;
        }
        // A folder with such a name among the tests (a fixture) is one of the tests.
        let name = folder.file_name();
        !(is_tool_folder(name) || name == BUILT) || self.classes.contains(&inside)
    }

    /// A link to a folder stands for what is in the folder.
    fn is_protected(&self, path: &RelPath, kind: FileType) -> bool {
        let class = self.policy.classify(path);
        let counts = self.classes.contains(&class)
            || (kind.is_symlink()
                && class != FileClass::ByProduct
                && self.classes.contains(&self.class_inside(path)));
        counts && !self.except.contains(path)
    }

    fn class_inside(&self, folder: &RelPath) -> FileClass {
        let inside = RelPath::new(&format!("{folder}/{ANYTHING}"));
        inside.map_or(FileClass::Source, |inside| self.policy.classify(&inside))
    }
}

/// All files below a folder, less what `skip` says of the name of an entry and of the one above it.
pub(super) fn files_below(root: &Path, folder: &[u8], skip: fn(&[u8], &[u8]) -> bool) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    let mut waiting = vec![folder.to_vec()];
    while let Some(folder) = waiting.pop() {
        let above = folder.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        // What tools keep for themselves is told of and not judged.
        let listed = folder::entries_if_any(&full_path(root, &folder)).unwrap_or_default();
        for (path, kind) in listed.into_iter().filter_map(|entry| named(&folder, &entry)) {
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            if skip(above, name) {
                continue;
            }
            if kind.is_dir() {
                waiting.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files
}

/// A path as the rules see it: bytes that are no UTF-8 are replaced.
pub(super) fn shown(path: &[u8]) -> Option<RelPath> {
    RelPath::new(&String::from_utf8_lossy(path))
}

pub(super) fn full_path(root: &Path, path: &[u8]) -> PathBuf {
    root.join(std::ffi::OsStr::from_bytes(path))
}

fn is_git(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|part| part == b".git")
}

/// The entries of a folder, which is opened if it is ours and closed.
fn entries(tree: &Tree, folder: &[u8]) -> io::Result<Vec<(Vec<u8>, FileType)>> {
    Ok(tree.entries(folder)?.iter().filter_map(|entry| named(folder, entry)).collect())
}

pub(super) fn named(folder: &[u8], entry: &DirEntry) -> Option<(Vec<u8>, FileType)> {
    let name = entry.file_name().into_vec();
    let path = if folder.is_empty() { name } else { [folder, b"/", &name].concat() };
    Some((path, entry.file_type().ok()?))
}
