//! Whether anything has changed since a look, without a question to git or to a rule: the folders are known, and so
//! is what the rules say of each name in them. Several threads ask the system, as git's own do.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::io;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::super::edit::{Tree, is_absent};
use super::super::found::{Folder, kind_of, stamp_of};
use super::super::found::{Found, Stamp};
use super::super::import;
use super::super::rules::Rules;
use super::super::walk::{self};
use super::seen::{Entry, Seen, What};
use std::os::unix::ffi::OsStrExt as _;

/// Files for each of which a thread more is of use, and the most threads.
const EACH: usize = 500;
const MOST: usize = 8;

/// What a glance tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Glance {
    Same,
    Differs,
    /// Something could not be looked at.
    Unsure,
}

/// What is not settled by stamps alone.
#[derive(Debug, Default)]
struct Open {
    /// Names that nobody has seen, and whether they are folders.
    new: Vec<(Vec<u8>, Folder)>,
    /// Their bytes decide, against this hash.
    fresh: Vec<(Found, Vec<u8>)>,
}

/// Looks at the tree below `root`. What is learned of new names that rules ignore, and of folders, comes into `learned`.
pub(super) fn glance(
    root: &Path,
    seen: &Seen<'_>,
    rules: impl FnOnce() -> Option<Rules>,
    learned: &mut BTreeMap<Vec<u8>, What<'static>>,
) -> Glance {
    let mut open = match look_at_all(root, seen) {
        Ok(open) => open,
        Err(told) => return told,
    };
    if !open.fresh.is_empty() {
        let Ok(tree) = Tree::open(root) else { return Glance::Unsure };
        let is_same = |(found, hash): &(Found, Vec<u8>)| {
            import::hash_of(&tree, found).is_some_and(|now| now.as_bytes() == hash.as_slice())
        };
        if !open.fresh.iter().all(is_same) {
            return Glance::Differs;
        }
    }
    if open.new.is_empty() {
        return Glance::Same;
    }
    let Some(rules) = rules() else { return Glance::Unsure };
    while let Some((path, is_folder)) = open.new.pop() {
        let what = match (rules.passes_over(&path, is_folder), is_folder) {
            (true, _) => What::Passed(is_folder),
            (false, Folder::No) => return Glance::Differs,
            (false, Folder::Yes) => {
                if let Err(told) = look(root, &path, &[], &mut open) {
                    return told;
                }
                What::Folder
            }
        };
        learned.insert(path, what);
    }
    Glance::Same
}

fn look_at_all(root: &Path, seen: &Seen<'_>) -> Result<Open, Glance> {
    let folders: Vec<(&[u8], &[Entry<'_>])> =
        seen.folders.iter().map(|(path, entries)| (*path, entries.as_slice())).collect();
    let files: usize = folders.iter().map(|(_, entries)| entries.len()).sum();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MOST).min(files / EACH + 1);
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let all = Mutex::new(Ok(Open::default()));
    let work = || {
        let mut open = Open::default();
        let mut told = Ok(());
        while told.is_ok()
            && !is_over.load(Ordering::Relaxed)
            && let Some((path, entries)) = folders.get(next.fetch_add(1, Ordering::Relaxed))
        {
            told = look(root, path, entries, &mut open);
        }
        is_over.fetch_or(told.is_err(), Ordering::Relaxed);
        let mut all = all.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match (&mut *all, told) {
            (Ok(all), Ok(())) => {
                all.new.append(&mut open.new);
                all.fresh.append(&mut open.fresh);
            }
            // That it differs is more than that something can't be seen.
            (Ok(_), Err(told)) | (Err(_), Err(told @ Glance::Differs)) => *all = Err(told),
            (Err(_), _) => {}
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread can be had this one does all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        work();
    });
    all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// One folder, against what was in it.
fn look(root: &Path, path: &[u8], entries: &[Entry<'_>], open: &mut Open) -> Result<(), Glance> {
    let unsure = |_: io::Error| Glance::Unsure;
    let mut missing = entries.iter().filter(|entry| entry.what.is_file()).count();
    let listed = match std::fs::read_dir(walk::full_path(root, path)) {
        Ok(listed) => listed,
        Err(error) if is_absent(&error) => {
            return if missing == 0 { Ok(()) } else { Err(Glance::Differs) };
        }
        Err(error) => return Err(unsure(error)),
    };
    for entry in listed {
        let entry = entry.map_err(unsure)?;
        let (name, kind) = (entry.file_name(), entry.file_type().map_err(unsure)?);
        let name = name.as_bytes();
        let known = entries.binary_search_by(|known| known.name.cmp(name)).ok().map(|at| entries[at].what);
        let new = |is_folder| {
            let path = walk::joined(path, name);
            (!walk::is_left_out(&path)).then_some((path, is_folder))
        };
        if kind.is_dir() {
            if !matches!(known, Some(What::Folder | What::Passed(Folder::Yes))) {
                open.new.extend(new(Folder::Yes));
            }
            continue;
        }
        if !kind.is_file() && !kind.is_symlink() {
            continue;
        }
        match known {
            Some(What::Passed(Folder::No)) => {}
            Some(What::Folder | What::Passed(Folder::Yes)) | None => open.new.extend(new(Folder::No)),
            Some(What::Settled(stamp)) => {
                is_as_it_was(&entry.metadata().map_err(|error| gone(&error))?, stamp)?;
                missing -= 1;
            }
            Some(What::Fresh(stamp, hash)) => {
                let about = entry.metadata().map_err(|error| gone(&error))?;
                let stamp = is_as_it_was(&about, stamp)?;
                let kind = kind_of(&about).ok_or(Glance::Differs)?;
                open.fresh.push((Found { path: walk::joined(path, name), kind, stamp }, hash.to_vec()));
                missing -= 1;
            }
        }
    }
    if missing == 0 { Ok(()) } else { Err(Glance::Differs) }
}

fn is_as_it_was(about: &Metadata, stamp: &[u8]) -> Result<Stamp, Glance> {
    let now = stamp_of(about);
    if Stamp::from_bytes(stamp) == Some(now) { Ok(now) } else { Err(Glance::Differs) }
}

fn gone(error: &io::Error) -> Glance {
    if error.kind() == io::ErrorKind::NotFound { Glance::Differs } else { Glance::Unsure }
}
