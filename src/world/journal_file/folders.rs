//! The folders below `.tdd/runs`, seen by somebody who does not trust them: a child may have put
//! links and odd names there (contract section 11; `tdd clean`, `tdd undo`).

use std::ffi::OsStr;
use std::path::Path;

use super::JournalFile;
use tdd_child::folder;
use tdd_child::run_folder::{self, RunDir};
use tdd_core::event::{Event, RunId};
use tdd_core::ports::Journal;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints;
use tdd_snapshot::checkpoints::edit::Tree;

/// More files than a run leaves; the rest is not counted.
const MOST_COUNTED: usize = 1_000_000;

/// The beginning of the name of a folder that is being removed.
const REMOVED: &str = ".removed-";

/// Removes the folders whose removal was cut short, and those of runs that never began. The caller holds the work tree's lock.
pub fn finish_removals(repository: &Path) {
    let Ok(Some(runs)) = runs_folder(repository) else { return };
    for entry in std::fs::read_dir(&runs).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if is_half_removed(&name) {
            let _ = Tree::open(&runs).and_then(|tree| tree.clear(name.as_encoded_bytes()));
        }
        let path = entry.path();
        let is_ours = |name: &str| is_run_id(name) && oddity(name, &path).is_none();
        if name.to_str().is_some_and(is_ours) && run_folder::never_began(&path) {
            let _ = Tree::open(&runs).and_then(|tree| tree.clear(name.as_encoded_bytes()));
        }
    }
}

fn is_half_removed(name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| name.strip_prefix(REMOVED).is_some_and(is_run_id))
}

/// Folders whose removal was cut short, for a person.
pub fn half_removed(repository: &Path) -> Vec<String> {
    let Ok(Some(runs)) = runs_folder(repository) else { return Vec::new() };
    let entries = folder::entries_if_any(&runs).unwrap_or_default();
    let left = entries.iter().filter(|entry| is_half_removed(&entry.file_name()));
    left.map(|entry| format!("{}, a run that `tdd clean` was removing", entry.path().display())).collect()
}

/// One entry of `.tdd/runs`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A real folder with a name that a run can have; whether it holds a journal is open.
    Run(RunDir),
    /// Nothing that `tdd` made, or no longer.
    Odd { name: String, why: &'static str },
}

/// All entries, the newest run first. A trouble of the user's if `.tdd` or `.tdd/runs` is a link:
/// what lies behind it is not ours.
pub fn entries(repository: &Path) -> Result<Vec<Entry>, Trouble> {
    let Some(runs) = runs_folder(repository)? else { return Ok(Vec::new()) };
    let read = folder::entries_if_any(&runs).map_err(|error| {
        Trouble::environment(format!("{} can't be looked at", runs.display()))
            .because(error)
            .advise("nothing was changed; see that you may read it")
    })?;
    let mut names: Vec<std::ffi::OsString> = read.iter().map(std::fs::DirEntry::file_name).collect();
    names.sort_by(|a, b| b.cmp(a));
    let entry = |name: std::ffi::OsString| {
        let path = runs.join(&name);
        let shown = name.to_string_lossy().into_owned();
        match oddity(&shown, &path) {
            Some(why) => Entry::Odd { name: shown, why },
            None => Entry::Run(RunDir { id: RunId(shown), path }),
        }
    };
    Ok(names.into_iter().map(entry).collect())
}

/// A trouble of the user's if the run's folder is a link, is reached through one, or has a name
/// that no run has.
pub fn check(repository: &Path, run: &RunDir) -> Result<(), Trouble> {
    runs_folder(repository)?;
    match oddity(&run.id.0, &run.path) {
        None => Ok(()),
        Some(why) => Err(refused(&run.id.0, why)),
    }
}

/// The trouble of an entry that nothing is done with.
pub fn refused(name: &str, why: &str) -> Trouble {
    Trouble::user(format!("`{}` in .tdd/runs is no run's folder", name.escape_debug()))
        .because(why)
        .advise("nothing was changed; look at it, and move it away by hand if it is not yours")
}

/// Whether `tdd` gave this name: `YYYYMMDDTHHMMSSZ-<requirement>-<4 hex digits>`.
pub fn is_run_id(name: &str) -> bool {
    let bytes = name.as_bytes();
    let digits = |range: std::ops::Range<usize>| {
        bytes.get(range).is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let tail = name.rsplit_once('-').map(|(_, tail)| tail);
    is_plain(name)
        && digits(0..8)
        && digits(9..15)
        && bytes[8] == b'T'
        && bytes.get(15..17) == Some(b"Z-")
        && tail.is_some_and(|tail| tail.len() == 4 && tail.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The bytes of all files in a folder, without following links.
pub fn size(folder: &Path) -> u64 {
    let mut waiting = vec![folder.to_owned()];
    let (mut bytes, mut counted) = (0_u64, 0_usize);
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            counted += 1;
            match entry.metadata() {
                _ if counted > MOST_COUNTED => return bytes,
                Ok(meta) if meta.is_dir() => waiting.push(entry.path()),
                Ok(meta) => bytes = bytes.saturating_add(meta.len()),
                Err(_) => {}
            }
        }
    }
    bytes
}

/// A journal with its first line. Without one there is no run, and so no folder of it.
pub fn begin(repository: &Path, run: &Path, (now, first): (u64, &Event)) -> Result<JournalFile, Trouble> {
    let begun = || {
        let mut journal = JournalFile::create(run)?;
        journal.append(now, std::slice::from_ref(first))?;
        Ok(journal)
    };
    begun().inspect_err(|_| {
        // Where nothing more can be opened, what is known to lie there can still be removed.
        let _ = std::fs::remove_file(run.join(run_folder::EVENTS));
        let name = run.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if std::fs::remove_dir(run).is_err() {
            let _ = remove(repository, &RunDir { id: RunId(name), path: run.to_owned() });
        }
    })
}

/// Removes a run's folder with all that is in it, and nothing else. Refuses what [`check`] refuses.
pub fn remove(repository: &Path, run: &RunDir) -> Result<(), Trouble> {
    check(repository, run)?;
    // Under another name first: of a run there is all or nothing, whoever is killed meanwhile.
    let going = format!("{REMOVED}{}", run.id.0);
    let cleared = Tree::open(repository).and_then(|tree| {
        tree.rename_beside(format!(".tdd/runs/{}", run.id.0).as_bytes(), &going)?;
        tree.clear(format!(".tdd/runs/{going}").as_bytes())
    });
    cleared.map_err(|error| {
        Trouble::environment(format!("{} can't be removed", run.path.display()))
            .because(error)
            .advise("see that the folder may be written and that no program has files in it open")
    })
}

/// `.tdd/runs` if it is there; a trouble if a link stands on the way to it.
fn runs_folder(repository: &Path) -> Result<Option<std::path::PathBuf>, Trouble> {
    let mut folder = repository.to_owned();
    for part in [".tdd", "runs"] {
        folder.push(part);
        match std::fs::symlink_metadata(&folder) {
            Ok(meta) if meta.is_dir() => {}
            Ok(_) => {
                return Err(Trouble::user(format!("{} is no folder", folder.display()))
                    .because("it is a link or a file, and what lies behind it may not be ours")
                    .advise("nothing was changed; put a real folder in its place"));
            }
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(folder))
}

fn oddity(name: &str, path: &Path) -> Option<&'static str> {
    if !is_plain(name) {
        return Some("no run has such a name");
    }
    match std::fs::symlink_metadata(path) {
        Ok(meta) if meta.is_symlink() => Some("it is a link"),
        Ok(meta) if meta.is_dir() => None,
        Ok(_) => Some("it is no folder"),
        // What is gone harms nobody.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(_) => Some("it can't be looked at"),
    }
}

/// A name that is its own in a ref too, so that no two runs share refs.
fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && checkpoints::slug(name) == name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs_are_told_from_others() {
        for (name, plain, ours) in [
            ("20261121T225708Z-DEMO-1-31d4", true, true),
            ("20261121T225708Z--31d4", true, true),
            ("20261121T225708Z-31d4", true, true),
            ("20261121T225708Z", true, false),
            ("20261121T225708Z-", true, false),
            ("2026112xT225708Z-DEMO-1-31d4", true, false),
            ("20261121T225708Z-DEMO-1-31dg", true, false),
            ("mine", true, false),
            ("", false, false),
            (".hidden", false, false),
            ("-rf", false, false),
            ("a b", false, false),
            ("a..b", false, false),
            ("a.lock", false, false),
            ("a\u{1b}[31m", false, false),
            ("ü", false, false),
        ] {
            assert_eq!((is_plain(name), is_run_id(name)), (plain, ours), "{name:?}");
        }
    }
}
