//! What tells of a file that was written anew whether it says the same.

use std::io;
use std::path::Path;

use super::super::stamp::Stamp;
use tdd_child::regular_file;

/// What is read in less than a second from a warm disk, and is more than most projects have.
const MOST_HASHED: usize = 50_000;
const MOST_BYTES: u64 = 512 << 20;

/// What leads to a package is that small.
const SMALL: u64 = 64 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    Link(Vec<u8>),
    Bytes { size: u64, hash: blake3::Hash },
}

/// How much more may be hashed of what is first seen.
#[derive(Debug)]
pub(super) struct Room {
    files: usize,
    bytes: u64,
}

impl Default for Room {
    fn default() -> Self {
        Self { files: MOST_HASHED, bytes: MOST_BYTES }
    }
}

impl Proof {
    /// `None` of what can't be read, is neither a file nor a link, or finds no room any more.
    pub(super) fn of(full: &Path, stamp: &Stamp, room: &mut Room) -> Option<Self> {
        if stamp.is_link() {
            return link(full);
        }
        let size = stamp.size_of_file().filter(|size| *size <= room.bytes && room.files > 0)?;
        room.files -= 1;
        room.bytes -= size;
        bytes(full, stamp, size)
    }

    /// Whether what has this stamp now says what was first seen.
    pub(super) fn holds(&self, full: &Path, now: &Stamp) -> bool {
        match self {
            Self::Link(_) => now.is_link() && link(full).as_ref() == Some(self),
            Self::Bytes { size, .. } => {
                now.size_of_file() == Some(*size) && bytes(full, now, *size).as_ref() == Some(self)
            }
        }
    }

    /// Links, scripts that lead to packages and lists of them: tools renew them while they run.
    pub(super) fn is_often_written(&self, path: &[u8]) -> bool {
        let Self::Bytes { size, .. } = self else { return true };
        let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let in_bin = path.split(|byte| *byte == b'/').any(|part| part == b".bin");
        *size <= SMALL && (in_bin || name.ends_with(b".pth") || name == b"entry_points.txt")
    }
}

fn link(full: &Path) -> Option<Proof> {
    let target = std::fs::read_link(full).ok()?;
    Some(Proof::Link(target.into_os_string().into_encoded_bytes()))
}

/// Only of the file that has this stamp, before and after it was read.
fn bytes(full: &Path, stamp: &Stamp, size: u64) -> Option<Proof> {
    let read = || -> io::Result<Option<blake3::Hash>> {
        let mut file = regular_file::open(full)?;
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(io::Read::take(&mut file, size))?;
        Ok((Stamp::of(&file.metadata()?) == *stamp).then(|| hasher.finalize()))
    };
    let hash = read().ok().flatten()?;
    Some(Proof::Bytes { size, hash })
}
