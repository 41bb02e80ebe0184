//! What an orchestrator that was killed leaves behind, and its end by the next one.
//!
//! ```text
//! .tdd/runs/<run>/children/<pid of tdd>-<n>  a child that lives, or empty      Note
//! .tdd/runs/<run>/canaries/<token>      one file for each canary in the tree    its path
//! $TMPDIR/tdd-<uid>/tdd-exchange-<random>/owner.json   who works with this folder   Note, folder's own
//! ../tdd-copy-<random>/.tdd/copy.json         the same of a copy of the tree beside it
//! ```
//!
//! A killed orchestrator's children die with it by the parent-death signal; what they have started
//! does not. It is found by the mark that every child inherits (`TDD_CHILD=PID-START.N`), or by the
//! child's session. Nothing is ended that does not fit in process id, start time and boot: ids are
//! given to others, and these notes lie where a child can write.
//!
//! Not found is a process that has left its child's session *and* cleared its environment. Where
//! there is no `/proc` nothing is noted and nothing ended.
#![expect(clippy::disallowed_methods, reason = "notes are files, and the folders of dead runs are removed")]

mod folders;
mod note;
mod noted;

use crate::run_folder;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::Instant;

pub use self::folders::{CopyFolder, copy_folder, no_temporary_folder};
pub use self::folders::{MadeFolders, made_shared_folder};
pub use self::folders::{OwnFolder, exchange_folder, shared_folder, temporary_folder};
pub use self::note::Named;
use self::note::Note;
pub use self::noted::Noted;
pub use self::noted::{NotingChildren, note_children_in};
use crate::folder as disk;
use crate::process::descendants;
use crate::regular_file;
use crate::run_folder::{CANARIES, CHILDREN};
use crate::unix::proc_table::{self, Life, Process};
use tdd_core::harmless;

/// Of a canary's token.
const TOKEN_LENGTH: usize = 17;
/// A run has a handful of children at a time; more notes are not ours.
const MOST_NOTES: usize = 1000;
/// Lines told to a person.
const MOST_LINES: usize = 20;
const LONGEST: Duration = Duration::from_secs(3);

/// A canary's file in the tree, and the note of it; dropping it removes both.
#[derive(Debug)]
pub struct Planted {
    file: PathBuf,
    note: Option<PathBuf>,
}

/// Notes, before it is written, a file that must not outlive the run: `token` is in its text and in
/// no other. Until the run's folder is known nothing is noted.
pub fn note_canary(file: &Path, token: &str) -> Planted {
    let write = |folder: PathBuf| {
        let note = folder.join(token);
        let _ = fs::create_dir(&folder);
        let written = regular_file::write(&note, file.as_os_str().as_encoded_bytes());
        let synced = written.and_then(|()| regular_file::open(&note)?.sync_all());
        synced.is_ok().then_some(note)
    };
    Planted { file: file.to_owned(), note: noted::folder_of_canaries().and_then(write) }
}

impl Drop for Planted {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
        if let Some(note) = &self.note {
            let _ = fs::remove_file(note);
        }
    }
}

/// The notes of canaries that earlier runs left, each with the file in the tree. A note lies where a
/// child can write, so only a file that holds its token is meant, and nothing outside the repository.
fn canaries(repository: &Path) -> impl Iterator<Item = (PathBuf, Option<PathBuf>)> {
    let runs = run_folder::list_runs(repository).into_iter();
    let sessions = fs::read_dir(repository.join(".tdd/sessions")).into_iter().flatten().flatten();
    canaries_in(repository, runs.map(|run| run.path).chain(sessions.map(|session| session.path())))
}

fn canaries_in(
    repository: &Path,
    folders: impl Iterator<Item = PathBuf>,
) -> impl Iterator<Item = (PathBuf, Option<PathBuf>)> {
    let folders = folders.map(|folder| folder.join(CANARIES));
    let real = folders.filter(|folder| folder.symlink_metadata().is_ok_and(|data| data.is_dir()));
    let notes = real.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten().take(MOST_NOTES);
    notes.map(|note| note.path()).map(move |note| {
        let canary = read_small(&note).and_then(|bytes| String::from_utf8(bytes).ok()).map(PathBuf::from);
        let token = note.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let is_token = token.len() == TOKEN_LENGTH && token.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let inside = |file: &PathBuf| {
            let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
            folder.is_some_and(|folder| folder.starts_with(repository))
        };
        let holds = |file: &PathBuf| {
            read_small(file).is_some_and(|text| String::from_utf8_lossy(&text).contains(&token))
        };
        let file = canary.filter(inside).filter(|file| is_token && holds(file));
        (note, file)
    })
}

fn remove_canaries(repository: &Path) -> Vec<String> {
    removed(canaries(repository).collect())
}

fn removed(canaries: Vec<(PathBuf, Option<PathBuf>)>) -> Vec<String> {
    let mut lines = Vec::new();
    for (note, file) in canaries {
        if let Some(file) = file
            && fs::remove_file(&file).is_ok()
        {
            lines.push(format!("removed {}, a test that a killed run had added", file.display()));
        }
        let _ = fs::remove_file(note);
    }
    lines
}

/// The largest file that is read as a whole.
const LARGEST_SMALL: u64 = 8 << 20;

/// A regular file of at most 8 MiB; links are not followed.
fn read_small(path: &Path) -> Option<Vec<u8>> {
    let file = regular_file::open(path).ok()?;
    let is_small = file.metadata().is_ok_and(|data| data.len() <= LARGEST_SMALL);
    is_small.then(|| regular_file::head_of(file, LARGEST_SMALL).ok()).flatten()
}

/// Ends what earlier, dead orchestrators of this work tree have left running, and removes their
/// exchange folders. Says what it did, a line each, to be told to the person; empty if there was
/// nothing. The caller must hold the work tree's lock and must not have children yet.
pub fn reap_leftovers(repository: &Path) -> Vec<String> {
    let removed = remove_canaries(repository);
    let Some(boot) = proc_table::boot() else { return removed };
    let (notes, files) = notes_of_children(repository);
    folders::remove_unnoted();
    let folders = folders::of_runs(repository);
    let dead = dead_owners(&notes, &folders, &boot);
    let is_empty =
        |path: &PathBuf| path.symlink_metadata().is_ok_and(|data| data.is_file() && data.len() == 0);
    for empty in files_in(folders_of_children(repository)).filter(is_empty) {
        let _ = fs::remove_file(empty);
    }
    let mut lines = removed;
    lines.extend(end_all(&dead, repository));
    for (note, path) in notes.iter().zip(files) {
        if note.is_over(&boot) {
            let _ = fs::remove_file(path);
        }
    }
    for (_, folder) in folders.iter().filter(|(note, _)| note.is_over(&boot)) {
        folders::forget_made(folder);
        lines.push(match disk::remove_all(folder) {
            Ok(()) => format!("removed {}, left by a run that was killed", folder.display()),
            Err(error) => format!("could not remove {}, left by a run: {error}", folder.display()),
        });
    }
    shorten(lines)
}

/// The same for one session under the gate, whose lock the caller must hold: what an earlier process of it planted, and
/// what that one's tests still do.
pub fn reap_session(repository: &Path, folder: &Path) {
    removed(canaries_in(repository, std::iter::once(folder.to_owned())).collect());
    let (notes, files) = notes_in(std::iter::once(folder.join(CHILDREN)));
    // Before every comparison, and mostly there is none.
    if notes.is_empty() {
        return;
    }
    let Some(boot) = proc_table::boot() else { return };
    end_all(&dead_owners(&notes, &[], &boot), repository);
    for (note, file) in notes.iter().zip(files) {
        if note.is_over(&boot) {
            let _ = fs::remove_file(file);
        }
    }
}

/// Tests of ours that lie in the tree, a line each: a run that is at work has planted them, or one that was killed.
pub fn list_planted(repository: &Path) -> Vec<String> {
    let planted = canaries(repository).filter_map(|(_, file)| file);
    shorten(planted.map(|file| format!("{}, a test", file.display())).collect())
}

/// What else [`reap_leftovers`] would end and remove, a line each. Nothing is touched.
pub fn list_leftovers(repository: &Path) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let Some(boot) = proc_table::boot() else { return shorten(lines) };
    let (notes, _) = notes_of_children(repository);
    let folders = folders::of_runs(repository);
    let dead = dead_owners(&notes, &folders, &boot);
    let found = if dead.is_empty() { Vec::new() } else { find(&dead, repository, &proc_table::processes()) };
    lines.extend(
        found
            .iter()
            .map(|one| format!("process {} (`{}`)", one.pid, proc_table::name(one.pid).unwrap_or_default())),
    );
    let over = folders.iter().filter(|(note, _)| note.is_over(&boot));
    lines.extend(over.map(|(_, folder)| format!("{}, a folder", folder.display())));
    shorten(lines)
}

/// Orchestrators that are gone, and the children that were noted for each.
fn dead_owners(notes: &[Note], folders: &[(Note, PathBuf)], boot: &str) -> BTreeMap<Named, Vec<Named>> {
    let mut dead: BTreeMap<Named, Vec<Named>> = BTreeMap::new();
    for note in notes.iter().chain(folders.iter().map(|(note, _)| note)) {
        if note.boot == boot && !note.owner.is_alive() {
            dead.entry(note.owner).or_default().extend(note.child);
        }
    }
    dead
}

fn shorten(mut lines: Vec<String>) -> Vec<String> {
    let more = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    lines.iter().map(|line| harmless::short(line, 300)).collect()
}

/// The notes below `.tdd/runs`, and where each lies.
fn notes_of_children(repository: &Path) -> (Vec<Note>, Vec<PathBuf>) {
    notes_in(folders_of_children(repository))
}

fn notes_in(folders: impl Iterator<Item = PathBuf>) -> (Vec<Note>, Vec<PathBuf>) {
    files_in(folders).filter_map(|path| Some((Note::read(&path)?, path))).unzip()
}

fn folders_of_children(repository: &Path) -> impl Iterator<Item = PathBuf> {
    run_folder::list_runs(repository).into_iter().map(|run| run.path.join(CHILDREN))
}

fn files_in(folders: impl Iterator<Item = PathBuf>) -> impl Iterator<Item = PathBuf> {
    let real = folders.filter(|folder| folder.symlink_metadata().is_ok_and(|data| data.is_dir()));
    let files = real.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    files.take(MOST_NOTES).map(|file| file.path())
}

/// Ends all processes of dead orchestrators, again until none is found: they may be forking.
fn end_all(dead: &BTreeMap<Named, Vec<Named>>, repository: &Path) -> Vec<String> {
    let deadline = Instant::now() + LONGEST;
    let mut ended = BTreeMap::new();
    while !dead.is_empty() && Instant::now() < deadline {
        let found = find(dead, repository, &proc_table::processes());
        if found.is_empty() {
            break;
        }
        for one in &found {
            let name = proc_table::name(one.pid).unwrap_or_default();
            let line = format!("ended process {} (`{name}`), left by a run that was killed", one.pid);
            ended.entry((one.pid, one.started)).or_insert(line);
        }
        descendants::end_strangers(&found, deadline);
    }
    ended.into_values().collect()
}

fn find(dead: &BTreeMap<Named, Vec<Named>>, repository: &Path, table: &[Process]) -> Vec<Process> {
    let spared = ourselves_and_above(table);
    let is_left = |one: &Process| {
        dead.iter().any(|(owner, children)| {
            children.iter().any(|child| belongs(one, *child, repository, table))
                || proc_table::has_variable_like(one.pid, owner.mark().as_bytes())
        })
    };
    let may_be = |one: &Process| one.life == Life::Alive && !spared.contains(&one.pid);
    let roots = table.iter().filter(|one| may_be(one) && is_left(one)).copied().collect();
    let mut found = proc_table::with_descendants(table, roots);
    found.retain(may_be);
    found
}

/// The child itself, or one of its session. A session's number is given to nobody else while
/// somebody is in it; but if the child's id is another's now, it ended empty, and if nobody has the
/// id, that other may have come and gone: so whoever is in it must also work in the repository.
fn belongs(one: &Process, child: Named, repository: &Path, table: &[Process]) -> bool {
    if (one.pid, one.started) == (child.pid, child.started) {
        return true;
    }
    let is_reused = table.iter().any(|other| other.pid == child.pid && other.started != child.started);
    (one.session == child.pid || one.group == child.pid)
        && one.started >= child.started
        && !is_reused
        && proc_table::working_directory(one.pid).is_some_and(|cwd| cwd.starts_with(repository))
}

/// `tdd` may have been started by something that a dead run left.
fn ourselves_and_above(table: &[Process]) -> Vec<i32> {
    let mut spared = vec![std::process::id().cast_signed()];
    while let Some(parent) = table.iter().find(|one| spared.last() == Some(&one.pid)).map(|one| one.parent)
        && !spared.contains(&parent)
    {
        spared.push(parent);
    }
    spared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_canary_of_a_killed_run_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let repository = root.join("repo");
        let notes = repository.join(".tdd/runs/20260101T000000Z-X-0000/canaries");
        fs::create_dir_all(&notes).unwrap();
        fs::write(notes.join("../events.jsonl"), "").unwrap();
        let token = |letter: char| format!("t{}", letter.to_string().repeat(16));
        let outside = root.join("outside.py");
        for (letter, file, text) in [
            ('a', repository.join("test_q1.py"), token('a')),
            ('b', repository.join("mine.py"), "no token".to_owned()),
            ('c', outside.clone(), token('c')),
            ('d', repository.join("../outside2.py"), token('d')),
        ] {
            fs::write(&file, text).unwrap();
            fs::write(notes.join(token(letter)), file.to_str().unwrap()).unwrap();
        }
        fs::write(repository.join("import.py"), "import x").unwrap();
        fs::write(notes.join("import"), repository.join("import.py").to_str().unwrap()).unwrap();
        let lines = remove_canaries(&repository);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert!(!repository.join("test_q1.py").exists());
        for kept in
            [repository.join("mine.py"), outside, root.join("outside2.py"), repository.join("import.py")]
        {
            assert!(kept.exists(), "{kept:?}");
        }
        assert_eq!(fs::read_dir(&notes).unwrap().count(), 0, "a note is read once");
    }
}
