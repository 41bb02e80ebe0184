//! One orchestrator per work tree (contract section 7): a file lock in its git folder. The
//! system releases it when the process ends, however it ends; std opens files close-on-exec, so
//! no child inherits it.
#![expect(clippy::disallowed_methods, reason = "a lock is a file, and says when it was taken")]

use std::fs::{File, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::journal_file::folders;
use tdd_child::regular_file;
use tdd_core::event::RunId;
use tdd_core::run_name;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::place::GitPlace;
use tdd_snapshot::checkpoints::{intent, packs};

/// How long a lock is waited for whose owner is gone, and how often it is tried.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
const STEP: Duration = Duration::from_millis(10);

/// The lock's name in the git folder.
const NAME: &str = "tdd.lock";

/// The locks that this process holds, by device and inode: a second descriptor of the same file finds them
/// taken, whoever took them.
static OURS: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

/// The right to work in a work tree, held until it is dropped.
#[derive(Debug)]
#[must_use = "the lock is released when this is dropped"]
pub struct WorkTreeLock {
    file: File,
}

impl WorkTreeLock {
    /// Takes the lock of the work tree whose top is `repository`. A trouble of the user's if
    /// another process holds it, naming that process and when it started.
    pub fn acquire(repository: &Path) -> Result<Self, Trouble> {
        let path = GitPlace::find(repository)?.git_dir.join(NAME);
        let unusable = |error: std::io::Error| {
            Trouble::environment(format!("the lock {} can't be used", path.display()))
                .because(error)
                .advise("see that the .git folder may be written")
        };
        // More than once only if somebody deletes the file between opening and locking it.
        let mut waited = Duration::ZERO;
        let mut tries = 0;
        while tries < 3 {
            let mut file = open(&path).map_err(unusable)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) if is_orphaned(&mut file) && waited < LONGEST_WAIT => {
                    waited += STEP;
                    pause();
                    continue;
                }
                Err(TryLockError::WouldBlock) => return Err(held(&mut file)),
                Err(TryLockError::Error(error)) => return Err(unusable(error)),
            }
            tries += 1;
            if is_still_there(&file, &path) {
                // Whoever ends in order takes its name away.
                if let Some(killed) = signed(&mut file) {
                    intent::tidy(&GitPlace::find(repository)?, killed);
                }
                packs::remove_half_written(repository);
                // What could not be removed then, maybe can by now.
                folders::finish_removals(repository);
                match sign(&mut file) {
                    // The lock holds without a name.
                    Err(error) if error.kind() == std::io::ErrorKind::StorageFull => {}
                    other => other.map_err(unusable)?,
                }
                note_ours(&file, Vec::push);
                return Ok(Self { file });
            }
        }
        Err(unusable(std::io::Error::other("it is deleted again and again")))
    }
}

impl WorkTreeLock {
    /// Says which run this process works on, for whoever looks meanwhile.
    pub fn work_on(&self, run: &str) {
        // What is told is a help; that the lock is held is what counts.
        let _ = (&self.file).write_all(format!("{run}\n").as_bytes());
    }
}

/// Who holds the lock of a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtWork {
    pub pid: u32,
    /// The run that it works on, once it has said so.
    pub run: Option<String>,
}

/// Whether a process works on this run now.
pub fn is_at_work(repository: &Path, run: &RunId) -> bool {
    at_work(repository).is_some_and(|at_work| at_work.run.as_deref() == Some(run.0.as_str()))
}

/// The process that works in the work tree at `repository`; takes nothing and makes no file.
pub fn at_work(repository: &Path) -> Option<AtWork> {
    let mut file = held_file(repository)?;
    let mut text = String::new();
    let _ = (&mut file).take(400).read_to_string(&mut text);
    let (signed, rest) = text.split_once('\n')?;
    let pid = signed.split(' ').next()?.parse().ok()?;
    let run = rest.lines().next_back().filter(|run| !run.is_empty()).map(str::to_owned);
    Some(AtWork { pid, run })
}

impl Drop for WorkTreeLock {
    fn drop(&mut self) {
        note_ours(&self.file, |ours, it| ours.retain(|one| *one != it));
        // Only so that a reader sees nobody's name; the lock itself goes with the descriptor.
        let _ = self.file.set_len(0);
    }
}

/// The trouble that [`WorkTreeLock::acquire`] would tell of because another process is at work;
/// takes nothing and makes no file.
pub fn held_by_another(repository: &Path) -> Option<Trouble> {
    held_file(repository).map(|mut file| held(&mut file))
}

/// The lock's file, if another process holds it.
fn held_file(repository: &Path) -> Option<File> {
    let path = GitPlace::find(repository).ok()?.git_dir.join(NAME);
    if !std::fs::symlink_metadata(&path).is_ok_and(|about| about.is_file()) {
        return None;
    }
    let file = open(&path).ok()?;
    let mut is_ours = false;
    note_ours(&file, |ours, it| is_ours = ours.contains(&it));
    if is_ours {
        return None;
    }
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Some(file),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

/// Does something with the list of our locks, for the one of this file.
fn note_ours(file: &File, act: impl FnOnce(&mut Vec<(u64, u64)>, (u64, u64))) {
    let Ok(about) = file.metadata() else { return };
    act(&mut OURS.lock().unwrap_or_else(PoisonError::into_inner), (about.dev(), about.ino()));
}

fn open(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    regular_file::with(&mut options, path)
}

fn is_still_there(file: &File, path: &Path) -> bool {
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(ours), Ok(there)) => (ours.dev(), ours.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Who signed the lock and has not taken its name away.
fn signed(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    let _ = file.take(200).read_to_string(&mut text);
    let _ = std::io::Seek::rewind(file);
    text.split(' ').next()?.parse().ok()
}

/// Whether the process that signed the lock is gone: then a child of its, caught between its fork
/// and its exec, holds a copy of the descriptor, and is about to let go of it.
fn is_orphaned(file: &mut File) -> bool {
    let pid = signed(file).and_then(|pid| rustix::process::Pid::from_raw(i32::try_from(pid).ok()?));
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}

/// A lock can't be waited for with a deadline, so it is tried again.
fn pause() {
    std::thread::sleep(STEP);
}

fn sign(file: &mut File) -> std::io::Result<()> {
    let started = jiff::Timestamp::try_from(std::time::SystemTime::now())
        .map_or_else(|_| "an unknown time".to_owned(), |now| format!("{now:.0}"));
    file.set_len(0)?;
    file.write_all(format!("{} {started}\n", std::process::id()).as_bytes())?;
    file.flush()
}

/// Which run the holder works on, if it has said so.
fn on_what(text: &str) -> String {
    let run: String = text.lines().skip(1).last().unwrap_or_default().chars().take(200).collect();
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !run.is_empty() && run.chars().all(is_name) {
        format!(" and works on {}", run_name::short(&run))
    } else {
        String::new()
    }
}

fn held(file: &mut File) -> Trouble {
    let mut text = String::new();
    let _ = file.take(400).read_to_string(&mut text);
    let signed = text.lines().next().unwrap_or_default();
    let (pid, started) = signed.trim().split_once(' ').unwrap_or(("unknown", "an unknown time"));
    let pid: String = pid.chars().filter(char::is_ascii_alphanumeric).collect();
    let started: String = started.chars().filter(|c| !c.is_control()).collect();
    Trouble::user("another tdd works in this work tree")
        .because(format!("process {pid}, started {started}, holds its lock{}", on_what(&text)))
        .advise(format!(
            "wait until it ends, or stop it with `kill {pid}`; \
             to work on two requirements at once, use `git worktree add`"
        ))
}
