//! What a look at the work tree leaves for the next process, folder by folder.
//!
//! ```text
//! seen   = "tdd seen 2\n" commit "\n" folder* hash         hash: BLAKE3 of all before it
//! folder = length(u32) path count(u32) entry*              sorted by path, the top's is empty
//! entry  = length(u32) name kind [stamp [hash]]            sorted by name
//! kind   = 'd' folder that was looked into | 'D' folder, 'p' file that a rule ignores
//!          'S' file with its stamp | 'F' file with its stamp and the hash of its bytes
//! ```

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write as _};
use std::path::Path;

use super::super::import::{Content, Known};
use super::super::rules::Folder;
use super::super::walk::{self, Scan, Stamp};
use tdd_child::regular_file;
use tdd_core::attempt::CheckpointId;

const NAME: &str = "seen";
const HEAD: &[u8] = b"tdd seen 2\n";
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
        let mut bytes = HEAD.to_vec();
        bytes.extend(self.commit.0.bytes());
        bytes.push(b'\n');
        for (path, entries) in &mut self.folders {
            entries.sort_unstable_by(|one, other| one.name.cmp(other.name));
            counted(&mut bytes, path.len());
            bytes.extend_from_slice(path);
            counted(&mut bytes, entries.len());
            for entry in entries {
                entry.write(&mut bytes);
            }
        }
        let hash = blake3::hash(&bytes);
        bytes.extend_from_slice(hash.as_bytes());
        let mut file = tempfile::Builder::new().prefix(".seen-").tempfile_in(scratch)?;
        file.write_all(&bytes)?;
        file.persist(scratch.join(NAME)).map_err(|error| error.error)?;
        Ok(())
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
                        Content::Fresh(Stamp::from_bytes(stamp)?, hash.into())
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

    fn write(&self, bytes: &mut Vec<u8>) {
        counted(bytes, self.name.len());
        bytes.extend_from_slice(self.name);
        let (kind, stamp, hash): (u8, &[u8], &[u8]) = match self.what {
            What::Folder => (b'd', &[], &[]),
            What::Passed(Folder::Yes) => (b'D', &[], &[]),
            What::Passed(Folder::No) => (b'p', &[], &[]),
            What::Settled(stamp) => (b'S', stamp, &[]),
            What::Fresh(stamp, hash) => (b'F', stamp, hash),
        };
        bytes.push(kind);
        bytes.extend_from_slice(stamp);
        bytes.extend_from_slice(hash);
    }
}

/// Writes what is known, the folders of a scan, and what it passed over. What is not known is left out, so that it is
/// new to the next.
pub(super) fn save(known: &Known, scan: &Scan, scratch: &Path) -> io::Result<()> {
    let Some(commit) = known.commit.clone() else { return Ok(()) };
    // As bytes, but for what is not known.
    let mut files: Vec<(&[u8], [u8; Stamp::BYTES], Option<&blake3::Hash>)> =
        Vec::with_capacity(known.files.len());
    for (path, content) in &known.files {
        match content {
            Content::Settled(stamp) => files.push((path, stamp.to_bytes(), None)),
            Content::Fresh(stamp, hash) => files.push((path, stamp.to_bytes(), Some(hash))),
            Content::Unknown => {}
        }
    }
    let mut seen = Seen { commit, folders: BTreeMap::from([(&[][..], Vec::new())]) };
    for (path, _) in &scan.folders {
        seen.learn(path, What::Folder);
    }
    for (path, folder) in &scan.passed {
        seen.learn(path, What::Passed(*folder));
    }
    for (path, stamp, hash) in &files {
        let what = hash.map_or(What::Settled(stamp), |hash| What::Fresh(stamp, hash.as_bytes()));
        seen.learn(path, what);
    }
    seen.write(scratch)
}

/// The folder that holds it, and its own name.
fn parted(path: &[u8]) -> (&[u8], &[u8]) {
    let slash = path.iter().rposition(|byte| *byte == b'/');
    slash.map_or((&path[..0], path), |at| (&path[..at], &path[at + 1..]))
}

fn counted(bytes: &mut Vec<u8>, count: usize) {
    bytes.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(take(rest, 4)?.try_into().ok()?)).ok()
}

fn take<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}
