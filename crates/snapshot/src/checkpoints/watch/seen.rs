//! What a look at the work tree leaves for the next process, folder by folder.
//!
//! ```text
//! seen   = "tdd seen 3\n" commit "\n" folder* hash         hash: BLAKE3 of all before it
//! folder = length(u32) path count(u32) entry*              sorted by path, the top's is empty
//! entry  = length(u32) name kind [stamp [hash]]            sorted by name
//! kind   = 'd' folder that was looked into | 'D' folder, 'p' file that a rule ignores
//!          'S' file with its stamp | 'F' file with its stamp and the hash of its bytes
//! ```

use std::collections::{BTreeMap, HashMap};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

use super::super::found::Folder;
use super::super::found::{Scan, Stamp};
use super::super::import::{Content, Known};
use super::super::walk::{self};
use tdd_child::regular_file;
use tdd_core::attempt::CheckpointId;

const NAME: &str = "seen";
const HEAD: &[u8] = b"tdd seen 3\n";
/// More than a tree of the greatest size takes.
const LARGEST: u64 = 1 << 30;

/// A whole look.
#[derive(Debug)]
pub(super) struct Seen<'b> {
    pub(super) commit: CheckpointId,
    pub(super) folders: BTreeMap<&'b [u8], Vec<Entry<'b>>>,
}

/// What lies in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'b> {
    pub(super) name: &'b [u8],
    pub(super) what: What<'b>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What<'b> {
    Folder,
    /// A rule ignores it.
    Passed(Folder),
    /// The same stamp means the same content.
    Settled(&'b [u8]),
    /// The same stamp and the same bytes do.
    Fresh(&'b [u8], &'b [u8]),
}

impl What<'_> {
    pub(super) fn is_file(&self) -> bool {
        matches!(self, Self::Settled(_) | Self::Fresh(..))
    }
}

/// The bytes of a look of this scratch folder; `None` if it is not there or not as it was written.
pub(super) fn bytes(scratch: &Path) -> Option<Vec<u8>> {
    let file = regular_file::open(&scratch.join(NAME)).ok()?;
    let mut bytes = regular_file::head_of(file, LARGEST).ok()?;
    let (body, hash) = bytes.split_at_checked(bytes.len().checked_sub(blake3::OUT_LEN)?)?;
    if blake3::hash(body).as_bytes() != hash {
        return None;
    }
    bytes.truncate(body.len());
    Some(bytes)
}

impl<'b> Seen<'b> {
    pub(super) fn of(bytes: &'b [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(HEAD)?;
        let end = rest.iter().position(|byte| *byte == b'\n')?;
        let commit = CheckpointId(String::from_utf8(rest[..end].to_vec()).ok()?);
        let mut rest = &rest[end + 1..];
        let mut folders = BTreeMap::new();
        while !rest.is_empty() {
            let length = number(&mut rest)?;
            let path = take(&mut rest, length)?;
            let count = number(&mut rest)?;
            let mut entries = Vec::with_capacity(count.min(rest.len()));
            for _ in 0..count {
                entries.push(Entry::of(&mut rest)?);
            }
            folders.insert(path, entries);
        }
        Some(Self { commit, folders })
    }

    /// Takes in a name that was not there, or was of another kind.
    pub(super) fn learn_anew(&mut self, path: &'b [u8], what: What<'b>) {
        let (above, name) = parted(path);
        self.folders.entry(above).or_default().retain(|entry| entry.name != name);
        self.learn(path, what);
    }

    fn learn(&mut self, path: &'b [u8], what: What<'b>) {
        let (above, name) = parted(path);
        self.folders.entry(above).or_default().push(Entry { name, what });
        if what == What::Folder {
            self.folders.entry(path).or_default();
        }
    }

    pub(super) fn write(&mut self, scratch: &Path) -> io::Result<()> {
        let mut into = Writer::begin(scratch, &self.commit)?;
        for (path, entries) in &mut self.folders {
            entries.sort_unstable_by(|one, other| one.name.cmp(other.name));
            into.folder(path, entries.len())?;
            for entry in entries {
                entry.write(&mut into)?;
            }
        }
        into.end(scratch)
    }

    pub(super) fn known(&self) -> Option<Known> {
        let mut files = HashMap::with_capacity(self.folders.values().map(Vec::len).sum());
        for (folder, entries) in &self.folders {
            for entry in entries {
                let content = match entry.what {
                    What::Folder | What::Passed(_) => continue,
                    What::Settled(stamp) => Content::Settled(Stamp::from_bytes(stamp)?),
                    What::Fresh(stamp, hash) => {
                        let hash: [u8; blake3::OUT_LEN] = hash.try_into().ok()?;
                        Content::Fresh(Stamp::from_bytes(stamp)?, Box::new(hash.into()))
                    }
                };
                files.insert(walk::joined(folder, entry.name), content);
            }
        }
        Some(Known { commit: Some(self.commit.clone()), files })
    }
}

impl<'b> Entry<'b> {
    fn of(rest: &mut &'b [u8]) -> Option<Self> {
        let length = number(rest)?;
        let name = take(rest, length)?;
        let what = match take(rest, 1)?[0] {
            b'd' => What::Folder,
            b'D' => What::Passed(Folder::Yes),
            b'p' => What::Passed(Folder::No),
            b'S' => What::Settled(take(rest, Stamp::BYTES)?),
            b'F' => What::Fresh(take(rest, Stamp::BYTES)?, take(rest, blake3::OUT_LEN)?),
            _ => return None,
        };
        Some(Self { name, what })
    }

    fn write(&self, into: &mut Writer) -> io::Result<()> {
        match self.what {
            What::Folder => into.entry(self.name, b'd', &[]),
            What::Passed(folder) => into.entry(self.name, passed(folder), &[]),
            What::Settled(stamp) => into.entry(self.name, b'S', &[stamp]),
            What::Fresh(stamp, hash) => into.entry(self.name, b'F', &[stamp, hash]),
        }
    }
}

fn passed(folder: Folder) -> u8 {
    match folder {
        Folder::Yes => b'D',
        Folder::No => b'p',
    }
}

/// Writes a look piece by piece: a tree may have many files, and each hook waits for its memory.
struct Writer {
    file: BufWriter<NamedTempFile>,
    hasher: blake3::Hasher,
}

impl Writer {
    fn begin(scratch: &Path, commit: &CheckpointId) -> io::Result<Self> {
        let file = tempfile::Builder::new().prefix(".seen-").tempfile_in(scratch)?;
        let mut writer = Self { file: BufWriter::new(file), hasher: blake3::Hasher::new() };
        writer.bytes(HEAD)?;
        writer.bytes(commit.0.as_bytes())?;
        writer.bytes(b"\n")?;
        Ok(writer)
    }

    fn folder(&mut self, path: &[u8], count: usize) -> io::Result<()> {
        self.count(path.len())?;
        self.bytes(path)?;
        self.count(count)
    }

    fn entry(&mut self, name: &[u8], kind: u8, more: &[&[u8]]) -> io::Result<()> {
        self.count(name.len())?;
        self.bytes(name)?;
        self.bytes(&[kind])?;
        more.iter().try_for_each(|bytes| self.bytes(bytes))
    }

    fn count(&mut self, count: usize) -> io::Result<()> {
        self.bytes(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes())
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.file.write_all(bytes)
    }

    fn end(mut self, scratch: &Path) -> io::Result<()> {
        let hash = self.hasher.finalize();
        self.file.write_all(hash.as_bytes())?;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.persist(scratch.join(NAME)).map_err(|error| error.error)?;
        Ok(())
    }
}

/// What is written of a name in a folder.
enum Line<'k> {
    Folder,
    Passed(Folder),
    Settled(&'k Stamp),
    Fresh(&'k Stamp, &'k blake3::Hash),
}

impl Line<'_> {
    fn write(&self, name: &[u8], into: &mut Writer) -> io::Result<()> {
        match self {
            Self::Folder => into.entry(name, b'd', &[]),
            Self::Passed(folder) => into.entry(name, passed(*folder), &[]),
            Self::Settled(stamp) => into.entry(name, b'S', &[&stamp.to_bytes()]),
            Self::Fresh(stamp, hash) => into.entry(name, b'F', &[&stamp.to_bytes(), hash.as_bytes()]),
        }
    }
}

/// Writes what is known, the folders of a scan, and what it passed over. What is not known is left out, so that it is
/// new to the next.
pub(super) fn save(known: &Known, scan: &Scan, scratch: &Path) -> io::Result<()> {
    let Some(commit) = &known.commit else { return Ok(()) };
    let mut folders: BTreeMap<&[u8], Vec<(&[u8], Line<'_>)>> = BTreeMap::from([(&[][..], Vec::new())]);
    for (path, _) in &scan.folders {
        folders.entry(path).or_default();
    }
    let known = known.files.iter().filter_map(|(path, content)| match content {
        Content::Settled(stamp) => Some((path, Line::Settled(stamp))),
        Content::Fresh(stamp, hash) => Some((path, Line::Fresh(stamp, hash))),
        Content::Unknown => None,
    });
    let of_scan = scan.folders.iter().map(|(path, _)| (path, Line::Folder));
    let passed = scan.passed.iter().map(|(path, folder)| (path, Line::Passed(*folder)));
    for (path, line) in of_scan.chain(passed).chain(known) {
        let (above, name) = parted(path);
        folders.entry(above).or_default().push((name, line));
    }
    let mut into = Writer::begin(scratch, commit)?;
    for (path, mut lines) in folders {
        lines.sort_unstable_by_key(|(name, _)| *name);
        into.folder(path, lines.len())?;
        lines.iter().try_for_each(|(name, line)| line.write(name, &mut into))?;
    }
    into.end(scratch)
}

/// The folder that holds it, and its own name.
fn parted(path: &[u8]) -> (&[u8], &[u8]) {
    let slash = path.iter().rposition(|byte| *byte == b'/');
    slash.map_or((&path[..0], path), |at| (&path[..at], &path[at + 1..]))
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(take(rest, 4)?.try_into().ok()?)).ok()
}

fn take<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}
