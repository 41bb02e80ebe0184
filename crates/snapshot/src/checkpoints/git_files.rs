//! The files of the git folder that steer git: copied before a child runs, put back after it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::edit::{Permissions, Tree};
use super::walk::full_path;
use tdd_child::folder;
use tdd_core::trouble::{Obstacle, Trouble};

/// The index of a very large repository; nothing else comes near.
const LARGEST_FILE: u64 = 512 << 20;
/// Hooks and rebase folders hold some dozens; where there are more, some are left out.
pub(super) const MOST_FILES: usize = 20_000;

/// HEAD, the index, and what git is in the midst of in this work tree: put back.
pub(super) const OF_WORK_TREE: &[&str] = &[
    "HEAD",
    "index",
    "commondir",
    "MERGE_HEAD",
    "MERGE_MSG",
    "MERGE_MODE",
    "MERGE_RR",
    "MERGE_AUTOSTASH",
    "AUTO_MERGE",
    "SQUASH_MSG",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "REBASE_HEAD",
    "BISECT_LOG",
    "BISECT_START",
    "BISECT_TERMS",
    "BISECT_NAMES",
    "BISECT_EXPECTED_REV",
    "BISECT_ANCESTORS_OK",
    "rebase-merge",
    "rebase-apply",
    "sequencer",
];

/// What steers git in this work tree: told.
pub(super) const TOLD_OF_WORK_TREE: &[&str] = &["config.worktree", "info/sparse-checkout"];

/// What steers git in all work trees: told.
pub(super) const TOLD: &[&str] =
    &["config", "hooks", "info", "shallow", "objects/info/alternates", "objects/info/http-alternates"];

/// Locks that keep git from its work, in the work tree's own folder and in the shared one.
pub(super) const LOCKS_OF_WORK_TREE: &[&str] = &["index.lock", "HEAD.lock"];
pub(super) const LOCKS: &[&str] = &["config.lock", "shallow.lock", "packed-refs.lock"];

/// One guarded file as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Copied {
    File { bytes: Vec<u8>, mode: u32 },
    Link(Vec<u8>),
}

/// Copies by path, relative to the folder that they were taken from.
pub(super) type Copies = BTreeMap<Vec<u8>, Copied>;

/// Copies what there is of `names` below `folder`. What could not be copied now would look new later, and
/// be removed: so an error is one.
pub(super) fn copy(folder: &Path, names: &[&str]) -> Result<Copies, Trouble> {
    let mut copies = Copies::new();
    for (path, meta) in found(folder, names)? {
        if let Some(copied) = copy_one(folder, &path, &meta)? {
            copies.insert(path, copied);
        }
    }
    Ok(copies)
}

/// Copies one file; `None` if there is none, or it is too large or no file.
pub(super) fn copy_file(folder: &Path, name: &str) -> Result<Option<Copied>, Trouble> {
    let full = folder.join(name);
    match there(&full, std::fs::symlink_metadata(&full))? {
        Some(meta) => copy_one(folder, name.as_bytes(), &meta),
        None => Ok(None),
    }
}

/// `None` for what is not there, or not for us to read; any other error is one.
fn there<T>(path: &Path, got: std::io::Result<T>) -> Result<Option<T>, Trouble> {
    match got {
        Ok(got) => Ok(Some(got)),
        Err(error) if Obstacle::of(&error).is_none() => Ok(None),
        Err(error) => Err(Trouble::environment(format!("{} can't be read", path.display()))
            .because(error)
            .mend("see that the git folder can be read")),
    }
}

/// The names of all files below one folder.
pub(super) fn names(folder: &Path, name: &str) -> Result<BTreeSet<Vec<u8>>, Trouble> {
    Ok(found(folder, &[name])?.into_keys().collect())
}

/// How a guarded path differs from its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Differs {
    New,
    Gone,
    Changed,
}

/// What differs between the copies and what is there now.
pub(super) fn differing(
    folder: &Path,
    names: &[&str],
    copies: &Copies,
) -> Result<Vec<(Vec<u8>, Differs)>, Trouble> {
    let now = found(folder, names)?;
    let mut differing = Vec::new();
    for (path, meta) in &now {
        match copies.get(path) {
            None => differing.push((path.clone(), Differs::New)),
            Some(copy) if !is_as_copied(folder, path, meta, copy)? => {
                differing.push((path.clone(), Differs::Changed));
            }
            Some(_) => {}
        }
    }
    let gone = copies.keys().filter(|path| !now.contains_key(*path));
    differing.extend(gone.map(|path| (path.clone(), Differs::Gone)));
    Ok(differing)
}

/// Makes one path as it was copied; without a copy it is removed.
pub(super) fn put_back(folder: &Path, path: &[u8], copied: Option<&Copied>) -> std::io::Result<()> {
    let tree = Tree::open(folder)?;
    match copied {
        Some(Copied::File { bytes, mode }) => {
            tree.put_file(path, Permissions::Exact(*mode), |file| file.write_all(bytes))
        }
        Some(Copied::Link(target)) => tree.put_link(path, target),
        None => tree.clear(path),
    }
}

/// Makes a guarded file as it was.
pub(super) fn put_back_or_say(folder: &Path, path: &[u8], was: Option<&Copied>) -> Result<(), Trouble> {
    put_back(folder, path, was).map_err(|error| {
        let shown = String::from_utf8_lossy(path).into_owned();
        Trouble::environment(format!("{shown} in the git folder was changed and can't be put back"))
            .because(error)
            .mend("see that the folder may be written")
    })
}

/// The files and links that `names` stand for, folders walked without following links.
pub(super) fn found(folder: &Path, names: &[&str]) -> Result<BTreeMap<Vec<u8>, Metadata>, Trouble> {
    found_outside(folder, names, b"")
}

/// The same, but what lies in the folder `left_out`.
pub(super) fn found_outside(
    folder: &Path,
    names: &[&str],
    left_out: &[u8],
) -> Result<BTreeMap<Vec<u8>, Metadata>, Trouble> {
    let mut found = BTreeMap::new();
    let mut folders: Vec<Vec<u8>> = Vec::new();
    for name in names {
        let path = name.as_bytes().to_vec();
        let full = full_path(folder, &path);
        match there(&full, std::fs::symlink_metadata(&full))? {
            Some(meta) if meta.is_dir() => folders.push(path),
            Some(meta) => drop(found.insert(path, meta)),
            None => {}
        }
    }
    while let Some(path) = folders.pop() {
        let full = full_path(folder, &path);
        for entry in there(&full, folder::entries(&full))?.into_iter().flatten() {
            // Cheaper than by its whole path, and a run has some refs for each attempt.
            let Some(meta) = there(&full, entry.metadata())? else { continue };
            let below = [path.as_slice(), b"/", &entry.file_name().into_vec()].concat();
            if !meta.is_dir() {
                found.insert(below, meta);
            } else if below != left_out {
                folders.push(below);
            }
        }
        if found.len() > MOST_FILES {
            break;
        }
    }
    Ok(found)
}

pub(super) fn copy_one(folder: &Path, path: &[u8], meta: &Metadata) -> Result<Option<Copied>, Trouble> {
    let copied = || -> std::io::Result<Option<Copied>> {
        let tree = Tree::open(folder)?;
        if meta.is_symlink() {
            return Ok(Some(Copied::Link(tree.read_link(path)?)));
        }
        if !meta.is_file() || meta.len() > LARGEST_FILE {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        tree.read_file(path)?.take(LARGEST_FILE).read_to_end(&mut bytes)?;
        Ok(Some(Copied::File { bytes, mode: meta.permissions().mode() & 0o7777 }))
    };
    Ok(there(&full_path(folder, path), copied())?.flatten())
}

fn is_as_copied(folder: &Path, path: &[u8], meta: &Metadata, copied: &Copied) -> Result<bool, Trouble> {
    let same_size = match copied {
        Copied::File { bytes, .. } => meta.is_file() && meta.len() == bytes.len() as u64,
        Copied::Link(_) => meta.is_symlink(),
    };
    Ok(same_size && copy_one(folder, path, meta)?.as_ref() == Some(copied))
}
