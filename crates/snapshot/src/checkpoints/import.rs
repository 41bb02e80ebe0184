//! Snapshots written by `git fast-import`: bytes go in as they are. No filter, no conversion of
//! line ends and no attribute has a part in it, and names may hold any byte.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, BufWriter, Read, Write};
use std::process::{Child, ChildStdin};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::edit::Tree;
use super::found::{Found, Kind, Scan, Stamp};
use super::git::{self, Git};
use super::git_child;
use tdd_core::attempt::CheckpointId;
use tdd_core::trouble::Trouble;

/// A larger file is refused: it is data that should be ignored, or a child's mischief.
const LARGEST_FILE: u64 = 2 << 30;

/// A file that changed less than this before it was read may change again within the same tick
/// of the clock, so the next checkpoint reads it again.
const TICK: Duration = Duration::from_millis(100);
/// The same for a disk that keeps whole seconds only.
const COARSE_TICK: Duration = Duration::from_secs(3);

/// What is known of the files of a commit.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) commit: Option<CheckpointId>,
    pub(super) files: HashMap<Vec<u8>, Content>,
}

/// What is known of one file's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// The same stamp means the same content.
    Settled(Stamp),
    /// It may have changed within the clock's tick, so that the stamp alone proves nothing: the
    /// same stamp and the same bytes mean the same content. Without this each checkpoint right
    /// after a change would be a commit of its own.
    Fresh(Stamp, Box<blake3::Hash>),
    /// It was put back, and is to be read.
    Unknown,
}

/// The hashes of the files that were sent.
pub(super) type Hashes = HashMap<Vec<u8>, blake3::Hash>;

/// What differs between a scan and what is known.
#[derive(Debug, Default)]
pub(super) struct Delta<'s> {
    pub(super) gone: Vec<Vec<u8>>,
    pub(super) new: Vec<&'s Found>,
}

impl Delta<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.gone.is_empty() && self.new.is_empty()
    }
}

impl Known {
    pub(super) fn delta<'s>(&self, scan: &'s Scan, tree: &Tree) -> Delta<'s> {
        let mut known = 0;
        let is_new = |found: &&Found| {
            let content = self.files.get(&found.path);
            known += usize::from(content.is_some());
            match content {
                Some(Content::Settled(stamp)) => *stamp != found.stamp,
                Some(Content::Fresh(stamp, hash)) => {
                    *stamp != found.stamp || hash_of(tree, found).is_none_or(|now| now != **hash)
                }
                Some(Content::Unknown) | None => true,
            }
        };
        let new: Vec<&Found> = scan.files.iter().filter(is_new).collect();
        // Most snapshots miss nothing, and to count is cheaper than to look each name up.
        let mut gone: Vec<Vec<u8>> = Vec::new();
        if known < self.files.len() {
            let held = |path: &&Vec<u8>| scan.files.binary_search_by(|found| found.path.cmp(path)).is_err();
            gone.extend(self.files.keys().filter(held).cloned());
            gone.sort_unstable();
        }
        Delta { gone, new }
    }

    /// Notes that `commit` holds what the scan found, read at `moment` or later. `sent` has the
    /// hashes of what was read; the rest is as it was known.
    pub(super) fn note(&mut self, commit: CheckpointId, scan: &Scan, (moment, sent): (SystemTime, &Hashes)) {
        self.commit = Some(commit);
        for found in &scan.files {
            let before = self.files.get_mut(&found.path);
            let now = match (sent.get(&found.path), &before) {
                _ if settled(found.stamp, moment) => Content::Settled(found.stamp),
                (Some(hash), _) => Content::Fresh(found.stamp, Box::new(*hash)),
                (None, Some(Content::Fresh(_, hash))) => Content::Fresh(found.stamp, hash.clone()),
                (None, Some(Content::Settled(_) | Content::Unknown) | None) => Content::Unknown,
            };
            match before {
                Some(before) => *before = now,
                None => drop(self.files.insert(found.path.clone(), now)),
            }
        }
        // Every file of the scan is in it now.
        if self.files.len() > scan.files.len() {
            let held = |path: &[u8]| scan.files.binary_search_by(|found| found.path.as_slice().cmp(path));
            self.files.retain(|path, _| held(path).is_ok());
        }
    }

    /// Notes that a scan of `moment` or later found every file as it was known.
    pub(super) fn age(&mut self, moment: SystemTime) {
        for content in self.files.values_mut() {
            if let Content::Fresh(stamp, _) = *content
                && settled(stamp, moment)
            {
                *content = Content::Settled(stamp);
            }
        }
    }

    /// Whether any file is known below this folder.
    pub(super) fn holds_below(&self, folder: &[u8]) -> bool {
        let is_below = |path: &[u8]| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with(b"/"));
        self.files.keys().any(|path| is_below(path))
    }

    /// Notes that this file is no longer what it was, if it is known at all.
    pub(super) fn forget(&mut self, path: &[u8]) {
        if let Some(content) = self.files.get_mut(path) {
            *content = Content::Unknown;
        }
    }
}

/// Whether a later change of the file is sure to give it another stamp.
pub(super) fn settled(stamp: Stamp, moment: SystemTime) -> bool {
    let (seconds, nanos) = stamp.changed();
    let tick = if nanos == 0 { COARSE_TICK } else { TICK };
    let Ok(now) = moment.duration_since(UNIX_EPOCH) else { return false };
    let Ok(seconds) = u64::try_from(seconds) else { return false };
    Duration::new(seconds, nanos) + tick < now
}

/// Writes the differences as one commit on top of `from`. The ref that fast-import wants is in
/// the private folder. `seconds` since the epoch date it.
pub(super) fn commit(
    git: &Git,
    tree: &Tree,
    (from, delta): (Option<&CheckpointId>, &Delta<'_>),
    (message, seconds): (&str, u64),
) -> Result<(CheckpointId, Hashes), Trouble> {
    if let Some(large) = delta.new.iter().find(|found| found.stamp.size() > LARGEST_FILE) {
        let path = String::from_utf8_lossy(&large.path).into_owned();
        return Err(Trouble::environment(format!("{path} is too large for a checkpoint"))
            .because(format!("it has {} bytes, and {LARGEST_FILE} are allowed", large.stamp.size()))
            .advise("remove it, or list it in .gitignore, which agents may not edit"));
    }
    let mut command = git.command();
    // Most of the time goes into compression, and what a checkpoint holds is soon thrown away.
    command.args(["-c", "fastimport.unpackLimit=20", "-c", "pack.compression=1"]);
    command.args(["fast-import", "--quiet", "--force", "--done", "--date-format=raw"]);
    let mut child = git_child::start(command)?;
    let watchdog = git_child::Watchdog::over(&mut child)?;
    let Some(stdin) = child.stdin.take() else { return Err(Trouble::internal("no pipe to git")) };
    let mut stream = Stream { pipe: BufWriter::new(stdin), tree, sent: Hashes::new() };
    let sent = stream.send(from, delta, &format!("{message}\n"), seconds);
    if matches!(sent, Err(Cut::Source(..))) {
        let _ = child.kill();
    }
    let Stream { pipe, sent: hashes, .. } = stream;
    drop(pipe);
    let said = finish(child, watchdog);
    match (sent, said) {
        (Err(Cut::Source(path, error)), _) => Err(unreadable(&path, &error)),
        (_, Err(stderr)) => Err(git::refused(&["fast-import"], &stderr)),
        (Err(Cut::Pipe(error)), Ok(_)) => {
            let early = format!("it said nothing of a failure, and ended before it had read all: {error}");
            Err(git::refused(&["fast-import"], &early))
        }
        (Ok(()), Ok(said)) => Ok((CheckpointId(git::object_name(said.as_bytes(), "fast-import")?), hashes)),
    }
}

/// Where the stream was cut.
enum Cut {
    /// git no longer listens; its stderr says why.
    Pipe(io::Error),
    /// This file can't be read as the walk has found it.
    Source(Vec<u8>, io::Error),
}

impl From<io::Error> for Cut {
    fn from(error: io::Error) -> Self {
        Self::Pipe(error)
    }
}

struct Stream<'t> {
    pipe: BufWriter<ChildStdin>,
    tree: &'t Tree,
    sent: Hashes,
}

impl Stream<'_> {
    fn send(
        &mut self,
        from: Option<&CheckpointId>,
        delta: &Delta<'_>,
        message: &str,
        seconds: u64,
    ) -> Result<(), Cut> {
        write!(
            self.pipe,
            "commit refs/heads/work\nmark :1\ncommitter tdd <tdd@localhost> {seconds} +0000\n"
        )?;
        write!(self.pipe, "data {}\n{message}\n", message.len())?;
        match from {
            Some(from) => writeln!(self.pipe, "from {from}")?,
            None => writeln!(self.pipe, "deleteall")?,
        }
        for path in &delta.gone {
            writeln!(self.pipe, "D {}", quoted(path))?;
        }
        for found in &delta.new {
            self.file(found)?;
        }
        write!(self.pipe, "\nget-mark :1\ndone\n")?;
        Ok(self.pipe.flush()?)
    }

    fn file(&mut self, found: &Found) -> Result<(), Cut> {
        let cut = |error| Cut::Source(found.path.clone(), error);
        let mode = match found.kind {
            Kind::Plain => "100644",
            Kind::Executable => "100755",
            Kind::Link => "120000",
        };
        if found.kind == Kind::Link {
            let target = self.tree.read_link(&found.path).map_err(cut)?;
            writeln!(self.pipe, "M {mode} inline {}\ndata {}", quoted(&found.path), target.len())?;
            self.pipe.write_all(&target)?;
            return Ok(writeln!(self.pipe)?);
        }
        let mut file = self.tree.read_file(&found.path).map_err(cut)?;
        let size = file.metadata().map_err(cut)?.len().min(LARGEST_FILE);
        writeln!(self.pipe, "M {mode} inline {}\ndata {size}", quoted(&found.path))?;
        let mut left = size;
        let mut hasher = blake3::Hasher::new();
        let mut buffer = [0_u8; 1 << 14];
        while left > 0 {
            let want = usize::try_from(left).unwrap_or(buffer.len()).min(buffer.len());
            let got = file.read(&mut buffer[..want]).map_err(cut)?;
            if got == 0 {
                return Err(cut(io::Error::other("it became shorter while it was read")));
            }
            self.pipe.write_all(&buffer[..got])?;
            hasher.update(&buffer[..got]);
            left -= got as u64;
        }
        self.sent.insert(found.path.clone(), hasher.finalize());
        Ok(writeln!(self.pipe)?)
    }
}

/// The hash of a file's bytes as they are now. Links have none: they are read again instead.
pub(super) fn hash_of(tree: &Tree, found: &Found) -> Option<blake3::Hash> {
    if found.kind == Kind::Link || found.stamp.size() > LARGEST_FILE {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut tree.read_file(&found.path).ok()?.take(LARGEST_FILE), &mut hasher).ok()?;
    Some(hasher.finalize())
}

/// Waits for git; its stdout, or its stderr if it failed. Both are a few lines.
fn finish(mut child: Child, watchdog: git_child::Watchdog) -> Result<String, String> {
    let (mut said, mut noise) = (String::new(), String::new());
    if let Some(mut pipe) = child.stdout.take() {
        let _ = pipe.read_to_string(&mut said);
    }
    if let Some(mut pipe) = child.stderr.take() {
        let _ = pipe.read_to_string(&mut noise);
    }
    drop(watchdog);
    match child.wait() {
        Ok(status) if status.success() => Ok(said),
        Ok(status) => Err(git::complaint(status, &noise)),
        Err(error) => Err(error.to_string()),
    }
}

fn unreadable(path: &[u8], error: &io::Error) -> Trouble {
    Trouble::environment(format!("{} can't be saved in a checkpoint", String::from_utf8_lossy(path)))
        .because(error)
        .advise("see that it can be read and that nothing writes to it, or list it in .gitignore")
}

/// A path as fast-import reads it: in quotes, with C escapes.
pub(super) fn quoted(path: &[u8]) -> Quoted<'_> {
    Quoted(path)
}

pub(super) struct Quoted<'p>(&'p [u8]);

impl std::fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_char('"')?;
        for byte in self.0 {
            match byte {
                b'"' => f.write_str("\\\"")?,
                b'\\' => f.write_str("\\\\")?,
                0x20..=0x7e => f.write_char(char::from(*byte))?,
                _ => write!(f, "\\{byte:03o}")?,
            }
        }
        f.write_char('"')
    }
}
