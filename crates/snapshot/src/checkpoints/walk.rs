//! A walk over the work tree: which files a snapshot holds, and what `lstat` says of them.
//!
//! Folders are told from links by `lstat`, so a walk never leaves the tree. A nested repository
//! or a submodule is a folder like any other, less its `.git`; else a child could hide its work
//! by `git init`. Left out: work trees of the same repository, which git knows and no child can make that may not
//! write to git's folder, `.git` in any case of letters (git itself refuses such a path),
//! `.tdd/runs` and `.tdd/sessions`, what the frozen rules ignore, and what is neither file nor link.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::edit::Tree;
use super::found::{Folder, Found, Scan, Stamp, kind_of, stamp_of};
use super::place::GitPlace;
use super::rules::{Chain, Rules};
use tdd_child::other_work_trees;
use tdd_core::trouble::{Obstacle, Trouble};

/// A tree with more files is refused: something that should be ignored is not.
const MOST_FILES: usize = 1_000_000;

/// Whether folders' rules are taken in on the way, or are frozen.
#[derive(Debug)]
pub(super) enum Reading<'r> {
    Learning(&'r mut Rules),
    Frozen(&'r Rules),
}

impl Reading<'_> {
    fn rules(&self) -> &Rules {
        match self {
            Self::Learning(rules) => rules,
            Self::Frozen(rules) => rules,
        }
    }
}

/// A folder that waits to be read.
struct Waiting {
    path: Vec<u8>,
    chain: Chain,
    /// The folder itself is ignored; only tracked files in it count.
    ignored: bool,
}

/// Walks the whole tree below `root`.
/// What its owner may not look into stays open until the tree is told to close it again.
/// `is_ours`: whether a file of this tree is known to lie below a folder, which then is no other work tree's.
pub(super) fn walk(
    root: &Path,
    tree: &Tree,
    mut reading: Reading<'_>,
    is_ours: impl Fn(&[u8]) -> bool,
) -> Result<Scan, Trouble> {
    let mut scan = Scan::default();
    let others = others_inside(root);
    let top = Waiting { path: Vec::new(), chain: reading.rules().general(), ignored: false };
    let mut waiting = vec![top];
    while let Some(folder) = waiting.pop() {
        let full = full_path(root, &folder.path);
        if let Reading::Learning(rules) = &mut reading
            && !folder.ignored
        {
            learn(rules, root, tree, &folder.path);
        }
        let rules = reading.rules();
        let chain = rules.chain(&folder.chain, &folder.path);
        let unreadable = |error: std::io::Error| unreadable(&full, &error);
        for entry in tree.entries(&folder.path).map_err(unreadable)? {
            let meta = match entry.metadata() {
                Ok(meta) => meta,
                Err(error) if Obstacle::of(&error).is_some() => return Err(unreadable(error)),
                Err(_) => continue,
            };
            let path = joined(&folder.path, &entry.file_name().into_vec());
            if is_left_out(&path) {
                continue;
            }
            let is_folder = if meta.is_dir() { Folder::Yes } else { Folder::No };
            let ignored = folder.ignored || rules.ignores(&chain, &path, is_folder);
            let is_others = is_folder == Folder::Yes
                && others.contains(&full_path(Path::new(""), &path))
                && !rules.is_forced_below(&path)
                && !is_ours(&path);
            if is_others {
                scan.passed.push((path, is_folder));
            } else if is_folder == Folder::Yes {
                if !ignored || rules.is_forced_below(&path) {
                    scan.folders.push((path.clone(), stamp_of(&meta)));
                    waiting.push(Waiting { path, chain: chain.clone(), ignored });
                } else {
                    scan.passed.push((path, is_folder));
                }
            } else if !ignored || rules.is_forced(&path) {
                scan.add(path, &meta);
            } else {
                scan.passed.push((path, is_folder));
            }
        }
        if scan.files.len() > MOST_FILES {
            return Err(Trouble::environment(format!("the work tree holds more than {MOST_FILES} files"))
                .because("a checkpoint holds every file that is not ignored")
                .advise("list in .gitignore what does not belong into the repository"));
        }
    }
    // It is held beside what is known of each of them.
    scan.files.shrink_to_fit();
    scan.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    scan.folders.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(scan)
}

impl Scan {
    /// Whether any file came, went or changed between the two.
    pub(super) fn differs_from(&self, before: &Self) -> bool {
        let of = |scan: &Self| -> Vec<(Vec<u8>, Stamp)> {
            scan.files.iter().map(|found| (found.path.clone(), found.stamp)).collect()
        };
        of(self) != of(before)
    }

    /// Whether a file lies below this folder.
    pub(super) fn holds_below(&self, folder: &[u8]) -> bool {
        let below = joined(folder, b"");
        let at = self.files.partition_point(|found| found.path < below);
        self.files.get(at).is_some_and(|found| found.path.starts_with(&below))
    }

    pub(super) fn folder(&self, path: &[u8]) -> Option<Stamp> {
        let at = self.folders.binary_search_by(|(known, _)| known.as_slice().cmp(path)).ok()?;
        Some(self.folders[at].1)
    }

    fn add(&mut self, path: Vec<u8>, meta: &Metadata) {
        match kind_of(meta) {
            Some(kind) => self.files.push(Found { path, kind, stamp: stamp_of(meta) }),
            None => self.specials.push(path),
        }
    }
}

pub(super) fn full_path(root: &Path, path: &[u8]) -> PathBuf {
    root.join(std::ffi::OsStr::from_bytes(path))
}

pub(super) fn joined(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() {
        return name.to_vec();
    }
    let mut path = Vec::with_capacity(folder.len() + 1 + name.len());
    path.extend_from_slice(folder);
    path.push(b'/');
    path.extend_from_slice(name);
    path
}

/// The other work trees of the repository that lie inside this one.
pub(crate) fn others_inside(root: &Path) -> BTreeSet<PathBuf> {
    let place = GitPlace::find(root);
    place.map(|place| other_work_trees::inside(&place.common_dir, root)).unwrap_or_default()
}

pub(super) fn is_left_out(path: &[u8]) -> bool {
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    name.eq_ignore_ascii_case(b".git") || path == b".tdd/runs" || path == b".tdd/sessions"
}

fn learn(rules: &mut Rules, root: &Path, tree: &Tree, folder: &[u8]) {
    let file = joined(folder, b".gitignore");
    let is_file = std::fs::symlink_metadata(full_path(root, &file)).is_ok_and(|meta| meta.is_file());
    if is_file {
        rules.learn(folder, tree.read_file(&file));
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Trouble {
    Trouble::environment(format!("{} can't be looked at", path.display()))
        .because(error)
        .mend("see that it can be read")
}
