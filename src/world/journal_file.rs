//! The journal of a run on disk (contract section 11).
//!
//! ```text
//! .tdd/runs/<run>/events.jsonl     one event a line, see text::journal_line; 0600
//! .tdd/runs/<run>/events.torn-<n>  the end of a journal that a crash cut in mid-line
//! .tdd/runs/<run>/events.snapshot  what the journal folds to, for whoever looks again; see snapshot
//! .tdd/runs/<run>/files/<hash>     events that are too long for a line, and other large payloads
//! ```
#![expect(clippy::disallowed_methods, reason = "this is the disk")]

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::text::journal_line::{self, Body};
use tdd_child::regular_file;
use tdd_child::run_folder::{EVENTS, SIDE_FILES};
use tdd_core::attempt::Digest;
use tdd_core::event::Event;
use tdd_core::guard::{self, Guard};
use tdd_core::ports::Journal;
use tdd_core::trouble::{Trouble, Why};

pub mod folders;
mod marked;
mod parts;
mod reading;
pub mod snapshot;

use reading::{Depth, read_whole};

/// More than any run writes; a larger file is not ours.
const LARGEST_JOURNAL: u64 = 512 << 20;
/// One line of a journal with its event, wherever that was.
#[derive(Clone, Debug)]
pub struct Record {
    pub seq: u64,
    /// Milliseconds since the epoch.
    pub ts: u64,
    pub event: Event,
    /// Where the line lies in the journal: its first byte and its length without the newline.
    pub place: (usize, usize),
}

/// An open journal. Dropped without harm at any time.
#[derive(Debug)]
pub struct JournalFile {
    folder: PathBuf,
    file: File,
    /// The bytes of all whole lines.
    length: u64,
    seq: u64,
    prev: String,
    /// A part of a line could not be taken back, so nothing may follow it.
    torn: bool,
    /// Side files were written whose names may not be on the disk yet.
    has_new_names: bool,
    sync: Sync,
}

/// What brings written lines to the disk.
pub type Sync = fn(&File) -> io::Result<()>;

impl JournalFile {
    /// The same journal with another way to sync: for a test of a disk that fails to.
    #[must_use = "this returns the journal that syncs so"]
    pub fn syncing_by(self, sync: Sync) -> Self {
        Self { sync, ..self }
    }

    /// Makes a new journal in `run_dir` (0700), which is made if it is missing. A trouble of the
    /// environment if there is a journal already or the disk says no.
    pub fn create(run_dir: &Path) -> Result<Self, Trouble> {
        let at = run_dir.join(EVENTS);
        let make = || -> io::Result<File> {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(run_dir)?;
            let file = File::options().append(true).read(true).create_new(true).mode(0o600).open(&at)?;
            file.sync_all()?;
            sync_folder(run_dir)?;
            run_dir.parent().map_or(Ok(()), sync_folder)?;
            Ok(file)
        };
        let file = make().map_err(|error| unwritable(&at, &error))?;
        let prev = journal_line::NO_LINE.to_owned();
        Ok(Self {
            folder: run_dir.to_owned(),
            file,
            length: 0,
            seq: 0,
            prev,
            torn: false,
            has_new_names: false,
            sync: File::sync_data,
        })
    }

    /// Opens the journal of an earlier process and reads it: the events with their times. A last
    /// line that a crash has torn is moved to `events.torn-<n>`; any other damage is a trouble of
    /// the environment that names the line. The caller must hold the work tree's lock.
    pub fn open(run_dir: &Path) -> Result<(Self, Vec<(u64, Event)>), Trouble> {
        let at = run_dir.join(EVENTS);
        let (bytes, read) = read_whole(run_dir, Depth::All)?;
        let file = regular_file::with(File::options().append(true).read(true), &at)
            .map_err(|error| unwritable(&at, &error))?;
        let end = usize::try_from(read.mark.bytes).unwrap_or(usize::MAX);
        if end < bytes.len() {
            set_aside(run_dir, &file, &bytes, end).map_err(|error| unwritable(&at, &error))?;
        }
        let journal = Self {
            folder: run_dir.to_owned(),
            file,
            length: read.mark.bytes,
            seq: read.mark.lines,
            prev: read.mark.last,
            torn: false,
            has_new_names: false,
            sync: File::sync_data,
        };
        let events = read.records.into_iter().map(|record| (record.ts, record.event)).collect();
        Ok((journal, events))
    }

    /// Sees that the journal on disk is the one that was written so far. A child that runs
    /// meanwhile could have changed it, and nothing after that would be worth anything.
    fn check_untouched(&self) -> Result<(), Trouble> {
        let at = self.folder.join(EVENTS);
        let changed = |why: String| changed_by_another(&self.folder, why);
        let named = std::fs::symlink_metadata(&at)
            .map_err(|error| changed(format!("{} can't be found: {error}", at.display())))?;
        let open = self.file.metadata().map_err(|error| changed(error.to_string()))?;
        if !guard::stands(Guard::Journal) {
            return Ok(());
        }
        if (named.dev(), named.ino()) != (open.dev(), open.ino()) {
            return Err(changed(format!("another file lies at {}", at.display())));
        }
        if open.len() != self.length {
            let (now, ours) = (open.len(), self.length);
            return Err(changed(format!("{EVENTS} has {now} bytes; tdd wrote {ours}")));
        }
        let is_other = |folder: &PathBuf| std::fs::symlink_metadata(folder).is_ok_and(|meta| !meta.is_dir());
        match parts::ALL.iter().map(|name| self.folder.join(name)).find(is_other) {
            Some(folder) => Err(parts::replaced_by_another(&folder)),
            None => Ok(()),
        }
    }

    fn store_as(&mut self, digest: &Digest, bytes: &[u8]) -> Result<(), Trouble> {
        self.has_new_names = true;
        store(&self.folder, digest, bytes)
    }

    /// Before a line that names side files: a prompt has many parts, and their folder is synced once.
    fn sync_names(&mut self) -> io::Result<()> {
        if self.has_new_names {
            sync_folder(&self.folder.join(SIDE_FILES))?;
        }
        self.has_new_names = false;
        Ok(())
    }

    fn write_lines(&mut self, lines: &[String]) -> io::Result<()> {
        for line in lines {
            // Of a line that was cut the system tells why when it is given the rest.
            let mut rest = line.as_bytes();
            while !rest.is_empty() {
                match rustix::io::retry_on_intr(|| rustix::io::write(&self.file, rest))? {
                    0 => return Err(io::ErrorKind::StorageFull.into()),
                    written => rest = &rest[written..],
                }
            }
        }
        (self.sync)(&self.file)
    }
}

impl Journal for JournalFile {
    fn append(&mut self, ts_ms: u64, events: &[Event]) -> Result<(), Trouble> {
        if self.torn {
            let torn = io::Error::other("its last line is torn and could not be taken back");
            return Err(unwritable(&self.folder.join(EVENTS), &torn));
        }
        self.check_untouched()?;
        snapshot::forget(&self.folder);
        let (mut seq, mut prev) = (self.seq, self.prev.clone());
        let mut lines = Vec::with_capacity(events.len());
        for event in events {
            let encoded = journal_line::encode(seq, ts_ms, &prev, event)?;
            if let Some((digest, bytes)) = &encoded.side {
                self.store_as(digest, bytes)?;
            }
            prev = journal_line::hash(&encoded.line);
            seq += 1;
            lines.push(encoded.line);
        }
        if let Err(error) = self.sync_names().and_then(|()| self.write_lines(&lines)) {
            // What was written of it must not stand: its effect will not be carried out.
            self.torn = self.file.set_len(self.length).and_then(|()| (self.sync)(&self.file)).is_err();
            return Err(unwritable(&self.folder.join(EVENTS), &error));
        }
        self.length += lines.iter().map(|line| line.len() as u64).sum::<u64>();
        (self.seq, self.prev) = (seq, prev);
        Ok(())
    }

    fn store(&mut self, bytes: &[u8]) -> Result<Digest, Trouble> {
        // Storing makes the folder anew if it is gone, which would hide that it was.
        self.check_untouched()?;
        let digest = journal_line::digest(bytes);
        self.store_as(&digest, bytes)?;
        Ok(digest)
    }

    fn keep(&mut self, name: &str, bytes: &[u8]) -> Result<(), Trouble> {
        let at = self.folder.join(name);
        persist(&self.folder, &at, bytes).map_err(|error| unwritable(&at, &error))
    }

    fn fetch(&mut self, digest: &Digest) -> Result<Vec<u8>, Trouble> {
        fetch(&self.folder, digest)
    }
}

/// Reads a journal and changes nothing. A torn end is left out, since its writer may be alive.
/// Any other damage is a trouble of the environment that names the line.
pub fn read_only(run_dir: &Path) -> Result<Vec<Record>, Trouble> {
    Ok(read_whole(run_dir, Depth::All)?.1.records)
}

/// As [`read_only`], less the facts that change no state: they are checked to be the lines that
/// were written, but not read, and no side file of theirs is fetched.
pub fn read_for_state(run_dir: &Path) -> Result<Vec<Record>, Trouble> {
    Ok(read_whole(run_dir, Depth::State)?.1.records)
}

/// A journal of which the beginning may be known by a snapshot, and what comes after that.
pub struct Glance<S> {
    /// As of the snapshot, if there is one.
    pub state: Option<S>,
    /// What a state is made of, from there on.
    pub records: Vec<Record>,
    reading: snapshot::Reading<S>,
    mark: snapshot::Mark,
}

/// As [`read_for_state`], less what a snapshot tells. For whoever looks; nothing that changes anything rests
/// on it.
pub fn glance<S: DeserializeOwned>(run_dir: &Path, kind: &'static str) -> Result<Glance<S>, Trouble> {
    let mut reading = snapshot::read(run_dir, kind).map_err(|error| reading::unreadable(run_dir, error))?;
    let (state, mark) =
        reading.known.take().map_or_else(Default::default, |(state, mark)| (Some(state), mark));
    let read = reading::read_on(run_dir, reading.rest(), mark, Depth::State)?;
    Ok(Glance { state, records: read.records, reading, mark: read.mark })
}

impl<S: Serialize> Glance<S> {
    /// Keeps the state that all of it folds to for the next look, if reading it took long. That it can't be
    /// written is no harm.
    pub fn keep(&self, state: &S) {
        if self.reading.is_long() {
            let _ = self.reading.keep(state, &self.mark);
        }
    }
}

/// The whole lines of a journal with their events inside, each with its newline, however long
/// that makes it. Refuses what [`read_only`] refuses.
pub fn read_lines(run_dir: &Path) -> Result<String, Trouble> {
    let (bytes, read) = read_whole(run_dir, Depth::All)?;
    let mut text = String::with_capacity(bytes.len());
    for record in &read.records {
        let (start, length) = record.place;
        let line = String::from_utf8_lossy(&bytes[start..start + length]);
        match journal_line::decode(&line) {
            Ok(decoded) => match &decoded.body {
                Body::Here(_) => text.push_str(&line),
                Body::Spilled { file, .. } => {
                    let event = fetch(run_dir, file)?;
                    text.push_str(&journal_line::resolved(&decoded, &String::from_utf8_lossy(&event)));
                }
            },
            Err(error) => {
                return Err(
                    Trouble::internal("a line was read once and not twice").because(error.to_string())
                );
            }
        }
        text.push('\n');
    }
    Ok(text)
}

/// A side file of a journal, by its hash.
pub fn read_side_file(run_dir: &Path, digest: &Digest) -> Result<Vec<u8>, Trouble> {
    fetch(run_dir, digest)
}

fn set_aside(run_dir: &Path, file: &File, bytes: &[u8], whole: usize) -> io::Result<()> {
    let mut number = 1;
    let mut torn = loop {
        let name = run_dir.join(format!("events.torn-{number}"));
        match File::options().write(true).create_new(true).mode(0o600).open(name) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => number += 1,
            other => break other?,
        }
    };
    torn.write_all(&bytes[whole..])?;
    torn.sync_all()?;
    file.set_len(whole as u64)?;
    file.sync_all()?;
    sync_folder(run_dir)
}

fn store(run_dir: &Path, digest: &Digest, bytes: &[u8]) -> Result<(), Trouble> {
    let folder = run_dir.join(SIDE_FILES);
    let at = folder.join(&digest.0);
    let put = || -> io::Result<()> {
        if std::fs::symlink_metadata(&at).is_ok_and(|meta| meta.is_file() && meta.len() == bytes.len() as u64)
        {
            return Ok(());
        }
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        write_whole(&folder, &at, bytes)
    };
    put().map_err(|error| unwritable(&at, &error))
}

/// Whole or not at all, and synced.
fn persist(folder: &Path, at: &Path, bytes: &[u8]) -> io::Result<()> {
    write_whole(folder, at, bytes)?;
    sync_folder(folder)
}

/// The same, but its name may be lost until the folder is synced.
fn write_whole(folder: &Path, at: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(at).map_err(|error| error.error)?;
    Ok(())
}

fn fetch(run_dir: &Path, digest: &Digest) -> Result<Vec<u8>, Trouble> {
    let lost = |why: Why| {
        Trouble::environment(format!("the side file {} of the journal is missing or damaged", digest.0))
            .because(why)
            .advise("bring the run's folder back from a copy, or start a new run with `tdd run --new`")
    };
    if digest.0.len() != 64 || !digest.0.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(lost("its name is no hash".into()));
    }
    let bytes = regular_file::open(&run_dir.join(SIDE_FILES).join(&digest.0))
        .and_then(|file| regular_file::head_of(file, LARGEST_JOURNAL))
        .map_err(|error| lost(error.into()))?;
    if journal_line::digest(&bytes) == *digest {
        Ok(bytes)
    } else {
        Err(lost("its bytes do not match its name".into()))
    }
}

fn sync_folder(folder: &Path) -> io::Result<()> {
    let flags = i32::try_from(rustix::fs::OFlags::DIRECTORY.bits()).unwrap_or_default();
    File::options().read(true).custom_flags(flags).open(folder)?.sync_all()
}

fn changed_by_another(folder: &Path, why: String) -> Trouble {
    let what = format!(
        "the journal in {} was changed by somebody else while a child ran; nothing more will be done",
        folder.display()
    );
    Trouble::environment(what).because(why).advise(
        "see what changed it (the agent of the last attempt could), then start anew: tdd <FR> --new\n\
         this run can't go on; its checkpoints stay under refs/tdd/",
    )
}

fn unwritable(at: &Path, error: &io::Error) -> Trouble {
    Trouble::environment("the journal can't be written")
        .because(Why::of(at.display(), error))
        .mend("see that the folder may be written")
}
