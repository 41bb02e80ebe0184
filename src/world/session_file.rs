//! The journal of an agent's session on disk, and what it folds to.
//!
//! ```text
//! .tdd/sessions/last                  the session whose hook was called last
//! .tdd/sessions/<session>/events.jsonl, files/     as of a run, see world::journal_file
//! .tdd/sessions/<session>/state.json  what the journal folds to; see Kept
//! .tdd/sessions/<session>/lock        one process at a time, in order
//! .tdd/sessions/<session>/checkpoints, tests       as of a run
//! ```
//!
//! A hook is a process of its own and answers within milliseconds, so it reads what the one before it kept, and of
//! the journal its last line, which has the hash of all before it in it. Where they do not fit the journal is read.
#![expect(clippy::disallowed_methods, reason = "this is the disk")]

use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::journal_file::JournalFile;
use tdd_child::regular_file;
use tdd_core::attempt::Digest;
use tdd_core::event::{Event, SessionId};
use tdd_core::ports::Journal as _;
use tdd_core::session::Session;
use tdd_core::trouble::{Trouble, Why};

pub mod shelf;

const STATE: &str = "state.json";
const LOCK: &str = "lock";
const LAST: &str = "last";
/// More than the state of any session takes.
const LARGEST_STATE: u64 = 16 << 20;
/// How long another process of the same session is waited for; the end of a turn runs tests.
const LONGEST_WAIT: Duration = Duration::from_mins(15);
const STEP: Duration = Duration::from_millis(1);

/// A session that this process alone works on.
#[derive(Debug)]
pub struct SessionFile {
    pub folder: PathBuf,
    pub state: Session,
    journal: JournalFile,
    _lock: File,
}

/// What is kept of the state: never trusted over the journal.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// The program that folded it.
    version: String,
    length: u64,
    lines: u64,
    last: String,
    state: Session,
}

/// How much of a journal is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Its last line, if what is kept fits that.
    Quick,
    /// All of it.
    Whole,
}

/// The folder of all sessions.
pub fn sessions(repository: &Path) -> PathBuf {
    repository.join(".tdd/sessions")
}

/// The folder of one.
pub fn folder(repository: &Path, session: &SessionId) -> PathBuf {
    sessions(repository).join(&session.0)
}

/// The right to work on a session, whether it is there or not; waited for in order.
#[derive(Debug)]
pub struct Turn {
    folder: PathBuf,
    lock: File,
}

impl Turn {
    /// Makes the session's folder if it is missing. A link in its place is refused.
    pub fn take(repository: &Path, session: &SessionId) -> Result<Self, Trouble> {
        let folder = folder(repository, session);
        refuse_links(repository, &folder)?;
        let unusable = |error: io::Error| unusable(&folder, &error);
        let mut lock = lock_in(&folder).map_err(unusable)?;
        let began = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) if is_at(&lock, &folder.join(LOCK)) => return Ok(Self { folder, lock }),
                // The session was removed while it was waited for.
                Ok(()) => lock = lock_in(&folder).map_err(unusable)?,
                Err(TryLockError::WouldBlock) if began.elapsed() < LONGEST_WAIT => std::thread::sleep(STEP),
                Err(TryLockError::WouldBlock) => {
                    return Err(Trouble::environment(
                        "another process works on this session and does not end",
                    )
                    .because(format!("it holds {}", folder.join(LOCK).display()))
                    .advise("see which `tdd gate` runs, and stop it"));
                }
                Err(TryLockError::Error(error)) => return Err(unusable(error)),
            }
        }
    }

    /// The session, if it was begun.
    pub fn open(self, depth: Depth) -> Result<Result<SessionFile, Self>, Trouble> {
        let Self { folder, lock } = self;
        if depth == Depth::Quick
            && let Some((journal, state)) = kept(&folder)
        {
            return Ok(Ok(SessionFile { folder, state, journal, _lock: lock }));
        }
        if std::fs::symlink_metadata(folder.join(tdd_child::run_folder::EVENTS)).is_err() {
            return Ok(Err(Self { folder, lock }));
        }
        let (journal, events) = JournalFile::open(&folder)?;
        let mut events = events.iter().map(|(_, event)| event);
        let Some(first) = events.next() else {
            // It was killed before its first line.
            let _ = std::fs::remove_file(folder.join(tdd_child::run_folder::EVENTS));
            return Ok(Err(Self { folder, lock }));
        };
        let unfit = |why: String| {
            Trouble::environment(format!("the journal in {} tells no session", folder.display()))
                .because(why)
                .advise("move the folder away; the agent's next call begins a new session")
        };
        let mut state = Session::open(first).map_err(|error| unfit(error.to_string()))?;
        for event in events {
            state.apply(event).map_err(|error| unfit(error.to_string()))?;
        }
        Ok(Ok(SessionFile { folder, state, journal, _lock: lock }))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Begins a session with its first events.
    pub fn begin(self, now_ms: u64, events: &[Event]) -> Result<SessionFile, Trouble> {
        let Self { folder, lock } = self;
        let Some(first) = events.first() else { return Err(Trouble::internal("a session without an event")) };
        let mut journal = JournalFile::create(&folder)?;
        let state = Session::open(first).map_err(|error| illegal(&error.to_string()))?;
        journal.append(now_ms, std::slice::from_ref(first))?;
        let mut session = SessionFile { folder, state, journal, _lock: lock };
        session.record(now_ms, &events[1..])?;
        Ok(session)
    }
}

impl SessionFile {
    /// Writes and syncs, then applies.
    pub fn record(&mut self, now_ms: u64, events: &[Event]) -> Result<(), Trouble> {
        let mut state = self.state.clone();
        for event in events {
            state.apply(event).map_err(|error| illegal(&error.to_string()))?;
        }
        self.journal.append(now_ms, events)?;
        self.state = state;
        self.keep();
        Ok(())
    }

    /// Keeps bytes in a side file.
    pub fn store(&mut self, bytes: &[u8]) -> Result<Digest, Trouble> {
        self.journal.store(bytes)
    }

    /// What can't be kept is folded anew by the next process.
    fn keep(&self) {
        let (length, lines, last) = self.journal.mark();
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let kept = Kept { version, length, lines, last: last.to_owned(), state: self.state.clone() };
        let write = || -> io::Result<()> {
            let body = serde_json::to_vec(&kept)?;
            let mut file = tempfile::Builder::new().prefix(".state-").tempfile_in(&self.folder)?;
            file.write_all(journal_hash(&body).as_bytes())?;
            file.write_all(b"\n")?;
            file.write_all(&body)?;
            file.persist(self.folder.join(STATE)).map_err(|error| error.error)?;
            Ok(())
        };
        let _ = write();
    }
}

fn journal_hash(bytes: &[u8]) -> String {
    crate::text::journal_line::digest(bytes).0
}

/// What an earlier process kept, if it is whole and the journal ends as it says.
fn kept(folder: &Path) -> Option<(JournalFile, Session)> {
    let file = regular_file::open(&folder.join(STATE)).ok()?;
    let bytes = regular_file::head_of(file, LARGEST_STATE).ok()?;
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (sum, body) = (&bytes[..end], &bytes[end + 1..]);
    if journal_hash(body).as_bytes() != sum {
        return None;
    }
    let kept: Kept = serde_json::from_slice(body).ok()?;
    if kept.version != env!("CARGO_PKG_VERSION") {
        return None;
    }
    let journal = JournalFile::open_at(folder, (kept.length, kept.lines, &kept.last))?;
    Some((journal, kept.state))
}

/// Notes which session's hook was called last, for a command that is not told.
pub fn note_last(repository: &Path, session: &SessionId) -> Result<(), Trouble> {
    if last(repository).as_ref() == Some(session) {
        return Ok(());
    }
    let at = sessions(repository).join(LAST);
    regular_file::write_private(&at, session.0.as_bytes()).map_err(|error| unusable(&at, &error))
}

/// The session whose hook was called last.
pub fn last(repository: &Path) -> Option<SessionId> {
    let bytes = regular_file::head(&sessions(repository).join(LAST), 200).ok()?;
    named(&String::from_utf8(bytes).ok()?)
}

/// All sessions of a work tree, by name.
pub fn list(repository: &Path) -> Vec<SessionId> {
    let entries = std::fs::read_dir(sessions(repository)).into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| {
        let is_one = entry.path().join(tdd_child::run_folder::EVENTS).is_file();
        is_one.then(|| named(&entry.file_name().to_string_lossy())).flatten()
    };
    let mut all: Vec<SessionId> = entries.filter_map(of).collect();
    all.sort();
    all
}

/// A session's name as it stands, if it can be one.
pub fn named(text: &str) -> Option<SessionId> {
    let is_fit = !text.is_empty()
        && text.len() <= 100
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
        && text != LAST;
    is_fit.then(|| SessionId(text.to_owned()))
}

/// The lock of a session whose folder is made if it is missing.
fn lock_in(folder: &Path) -> io::Result<File> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    regular_file::with(&mut options, &folder.join(LOCK))
}

/// Whether an open file is still the one of that name.
fn is_at(file: &File, path: &Path) -> bool {
    let same = |one: &std::fs::Metadata, other: &std::fs::Metadata| {
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    };
    matches!((file.metadata(), path.symlink_metadata()), (Ok(one), Ok(other)) if same(&one, &other))
}

/// What is kept of sessions may hold secrets, and a link would lead it elsewhere.
fn refuse_links(repository: &Path, folder: &Path) -> Result<(), Trouble> {
    let on_the_way = [repository.join(".tdd"), sessions(repository), folder.to_owned()];
    let is_other = |path: &&PathBuf| path.symlink_metadata().is_ok_and(|about| !about.is_dir());
    let Some(other) = on_the_way.iter().find(is_other) else { return Ok(()) };
    Err(Trouble::environment(format!("{} is no folder", other.display()))
        .because("sessions are kept there, and a link or a file in its place leads somewhere else")
        .advise("remove it; tdd makes the folder itself"))
}

fn unusable(at: &Path, error: &io::Error) -> Trouble {
    Trouble::environment("the session can't be written")
        .because(Why::of(at.display(), error))
        .mend("see that the folder may be written")
}

fn illegal(why: &str) -> Trouble {
    Trouble::internal("a session's own journal is illegal").because(why.to_owned())
}
