//! A snapshot of the state that a journal folds to, in a file beside it, for whoever looks at a long one
//! again and again (specs/journal.md).
//!
//! It spares reading and folding. That the journal is the one that it stands for is told by what the system says of
//! the file: nobody changes a file without changing its `ctime`, which no program can set. Where that is another
//! one, or too young to tell, each byte is hashed and held against what was read. A snapshot that does not fit — the journal is shorter or was
//! changed, a side file is gone, another program made it, it is damaged itself — is as good as none.
//! What it says is no proof against whoever may write in the folder, as the journal itself is none; so no
//! verdict, and nothing that changes a tree, rests on it.
//!
//! It knows nothing of lines or events, so any journal can have one, an agent's session as well as a run:
//!
//! ```
//! use tdd::world::journal_file::snapshot::{self, Mark};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # std::fs::write(folder.path().join("events.jsonl"), "one\ntwo\n").unwrap();
//! // Here the state is how many lines there are; any type will do that serde can write as JSON and read.
//! let mut reading = snapshot::read::<u64>(folder.path(), "count").unwrap();
//! let (mut state, mut mark) = reading.known.take().unwrap_or_default();
//! // What comes after `mark` is read as always: whole lines, each naming the hash of the one before it.
//! for line in std::str::from_utf8(reading.rest()).unwrap().split_inclusive('\n') {
//!     state += 1;
//!     mark.pass(line.as_bytes(), &blake3::hash(line.trim_end().as_bytes()).to_hex());
//! }
//! assert_eq!((state, mark.lines), (2, 2));
//! // Worth its cost where much was read; `is_long` says when.
//! assert!(!reading.is_long());
//! reading.keep(&state, &mark).unwrap();
//! assert_eq!(snapshot::read::<u64>(folder.path(), "count").unwrap().known, Some((2, mark)));
//! ```
#![expect(clippy::disallowed_methods, reason = "this is the disk")]

use std::fs::{File, Metadata};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::{EVENTS, LARGEST_JOURNAL, SIDE_FILES};
use crate::text::journal_line::NO_LINE;
use tdd_child::regular_file;

/// Its name beside the journal.
pub const NAME: &str = "events.snapshot";

/// The format of the file.
const VERSION: u8 = 1;
/// More than any state takes; a larger file is not ours.
const LARGEST: u64 = 64 << 20;
/// The journal is hashed in parts of this length: much of it at once, and little of it in memory.
const PART: usize = 256 << 10;
/// No file system counts time in coarser steps that anybody keeps repositories on.
const GRAIN: Duration = Duration::from_secs(2);
/// From here on, parts are hashed by two threads.
const MANY_PARTS: usize = 16;

/// How far a journal was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Whole lines.
    pub lines: u64,
    /// Their bytes, newlines included.
    pub bytes: u64,
    /// The hash of the last of them, which the next one names.
    pub last: String,
    /// The side files that the state is made of, and their lengths.
    pub files: Vec<(String, u64)>,
}

impl Default for Mark {
    /// The journal's beginning.
    fn default() -> Self {
        Self { lines: 0, bytes: 0, last: NO_LINE.to_owned(), files: Vec::new() }
    }
}

impl Mark {
    /// Passes over a line, with its newline, that was read; `hash` is that of the line without it.
    pub fn pass(&mut self, line: &[u8], hash: &str) {
        self.lines += 1;
        self.bytes += line.len() as u64;
        hash.clone_into(&mut self.last);
    }
}

/// What the state in the file is of. The file's first line is the hash of the rest of it, the second one this;
/// the state follows.
#[derive(Serialize, Deserialize)]
struct Head {
    v: u8,
    kind: String,
    program: String,
    mark: Mark,
    /// The hashes of the journal's parts up to the mark, the last of which may be a short one.
    parts: Vec<String>,
    /// What the system said of the journal when it was read, if no change could have come after it unseen.
    #[serde(default)]
    file: Option<String>,
}

/// A journal whose beginning may be known.
#[derive(Debug)]
pub struct Reading<S> {
    /// The state as of a mark, if there is a snapshot that fits.
    pub known: Option<(S, Mark)>,
    folder: PathBuf,
    kind: &'static str,
    /// The hashes of the whole parts that are known.
    parts: Vec<String>,
    /// What the system said of the journal before it was read.
    file: Option<String>,
    /// Each byte was read to see that the snapshot fits, and next time need not be.
    is_settled_now: bool,
    /// The journal from there on.
    tail: Vec<u8>,
    /// Where the mark is in the tail.
    covered: usize,
}

/// Reads the journal in `folder`, less what its snapshot stands for. `kind` tells states of one type from
/// those of another. Fails where the journal can't be read.
pub fn read<S: DeserializeOwned>(folder: &Path, kind: &'static str) -> io::Result<Reading<S>> {
    read_at(folder, kind, SystemTime::now())
}

/// The same at this time, by which the age of the journal's last change is told.
pub fn read_at<S: DeserializeOwned>(
    folder: &Path,
    kind: &'static str,
    now: SystemTime,
) -> io::Result<Reading<S>> {
    let mut journal = regular_file::open(&folder.join(EVENTS))?;
    let about = journal.metadata()?;
    let (length, file) = (about.len(), settled(&about, now));
    if length > LARGEST_JOURNAL {
        return Err(io::Error::other("it is far too large"));
    }
    let found = fitting::<S>(folder, kind, (&journal, length), file.as_deref());
    let is_settled_now = found.as_ref().is_some_and(|(_, head)| file.is_some() && head.file != file);
    let (known, parts, covered) = match found {
        Some((state, head)) => {
            let covered = len(head.mark.bytes) % PART;
            let whole = len(head.mark.bytes) / PART;
            (Some((state, head.mark)), head.parts[..whole].to_vec(), covered)
        }
        None => (None, Vec::new(), 0),
    };
    let begin = (parts.len() * PART) as u64;
    let mut tail = Vec::with_capacity(len(length.saturating_sub(begin)) + 1);
    journal.seek(SeekFrom::Start(begin))?;
    journal.take(LARGEST_JOURNAL - begin).read_to_end(&mut tail)?;
    Ok(Reading { known, folder: folder.to_owned(), kind, parts, file, is_settled_now, tail, covered })
}

impl<S> Reading<S> {
    /// The journal after the mark of what is known; all of it where nothing is.
    pub fn rest(&self) -> &[u8] {
        self.tail.get(self.covered..).unwrap_or_default()
    }

    /// Whether so much was read that a snapshot of it is worth its cost.
    pub fn is_long(&self) -> bool {
        self.rest().len() >= PART || self.is_settled_now
    }
}

impl<S: Serialize> Reading<S> {
    /// Writes a snapshot: `state` is what the journal up to `mark` folds to, all of it read and checked.
    pub fn keep(&self, state: &S, mark: &Mark) -> io::Result<()> {
        let program = program().ok_or_else(|| io::Error::other("the program's file can't be told"))?;
        let read = len(mark.bytes).saturating_sub(self.parts.len() * PART);
        let read = self.tail.get(..read).ok_or_else(|| io::Error::other("the mark is beyond the journal"))?;
        let mut parts = self.parts.clone();
        parts.extend(read.chunks(PART).map(hash));
        let head = Head {
            v: VERSION,
            kind: self.kind.to_owned(),
            program,
            mark: mark.clone(),
            parts,
            file: self.file.clone(),
        };
        let mut body = serde_json::to_vec(&head)?;
        body.push(b'\n');
        serde_json::to_writer(&mut body, state)?;
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.folder)?;
        file.write_all(format!("{}\n", hash(&body)).as_bytes())?;
        file.write_all(&body)?;
        // Not synced: what is lost is made anew.
        file.persist(self.folder.join(NAME)).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Takes the snapshot away, as whoever adds to a journal does: a child could have put one there meanwhile.
pub fn forget(folder: &Path) {
    let _ = std::fs::remove_file(folder.join(NAME));
}

/// The snapshot in a journal's folder, if all that it says of the journal is so.
fn fitting<S: DeserializeOwned>(
    folder: &Path,
    kind: &str,
    (journal, length): (&File, u64),
    now: Option<&str>,
) -> Option<(S, Head)> {
    let file = regular_file::open(&folder.join(NAME)).ok()?;
    let bytes = regular_file::head_of(file, LARGEST).ok()?;
    let (sum, body) = line_and_rest(&bytes)?;
    let (head, state) = line_and_rest(body)?;
    let head: Head = serde_json::from_slice(head).ok()?;
    let is_of_this = head.v == VERSION && head.kind == kind && Some(&head.program) == program().as_ref();
    let mark = &head.mark;
    let is_whole = mark.bytes <= length && len(mark.bytes).div_ceil(PART) == head.parts.len();
    let is_there = |(name, bytes): &(String, u64)| {
        std::fs::symlink_metadata(folder.join(SIDE_FILES).join(name))
            .is_ok_and(|about| about.is_file() && about.len() == *bytes)
    };
    let fits = is_of_this
        && is_whole
        && hash(body).as_bytes() == sum
        && mark.files.iter().all(is_there)
        && ((now.is_some() && now == head.file.as_deref())
            || are_the_same(journal, len(mark.bytes), &head.parts)?);
    let state = if fits { serde_json::from_slice(state).ok()? } else { return None };
    Some((state, head))
}

fn line_and_rest(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    Some((&bytes[..end], &bytes[end + 1..]))
}

/// Whether the first bytes of a journal are those with these hashes; `None` where it can't be read.
fn are_the_same(journal: &File, bytes: usize, parts: &[String]) -> Option<bool> {
    let check = |from: usize, parts: &[String]| -> Option<bool> {
        let mut part = vec![0; PART.min(bytes)];
        for (number, wanted) in (from..).zip(parts) {
            let begin = number * PART;
            let part = &mut part[..PART.min(bytes - begin)];
            journal.read_exact_at(part, begin as u64).ok()?;
            if hash(part) != *wanted {
                return Some(false);
            }
        }
        Some(true)
    };
    let half = if parts.len() < MANY_PARTS { 0 } else { parts.len() / 2 };
    if half == 0 {
        return check(0, parts);
    }
    std::thread::scope(|scope| {
        let first = || check(0, &parts[..half]);
        let other = std::thread::Builder::new().name("tdd-hash".to_owned()).spawn_scoped(scope, first);
        let mine = check(half, &parts[half..])?;
        let other = match other {
            Ok(thread) => thread.join().ok()??,
            // The system has no thread left.
            Err(_) => first()?,
        };
        Some(mine && other)
    })
}

/// What the system says of a file that was changed last so long before `now` that a later change gets another time.
fn settled(about: &Metadata, now: SystemTime) -> Option<String> {
    let changed = SystemTime::UNIX_EPOCH
        + Duration::new(u64::try_from(about.ctime()).ok()?, u32::try_from(about.ctime_nsec()).ok()?);
    let is_old = now.duration_since(changed).is_ok_and(|age| age >= GRAIN);
    let (modified, changed) = ((about.mtime(), about.mtime_nsec()), (about.ctime(), about.ctime_nsec()));
    let (device, inode, length) = (about.dev(), about.ino(), about.len());
    is_old.then(|| format!("{device}:{inode} {length} {modified:?} {changed:?}"))
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Which program this is, by its file: one that was built anew may fold otherwise.
fn program() -> Option<String> {
    let about = std::fs::metadata(std::env::current_exe().ok()?).ok()?;
    let version = env!("CARGO_PKG_VERSION");
    let (changed, nanos) = (about.mtime(), about.mtime_nsec());
    Some(format!("{version} {}:{} {} {changed}.{nanos}", about.dev(), about.ino(), about.len()))
}

/// Bounded by [`LARGEST_JOURNAL`] where it counts.
fn len(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
