//! What a walk over the work tree finds, and what `lstat` says of it.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// Whether an entry is a folder: rules that end in `/` are for folders alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Folder {
    Yes,
    No,
}

/// What git can tell of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    Executable,
    Link,
}

/// What `lstat` says. Content can't change without a new ctime, which nobody can set back. Packed as it is written,
/// because a tree has many:
///
/// ```text
/// device(u64) inode(u64) size(u64) mtime(i64) ctime(i64) mtime, ctime: nanoseconds(u32) each, mode(u32)
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stamp([u8; Self::BYTES]);

impl Stamp {
    /// As it is written by [`Stamp::to_bytes`].
    pub(super) const BYTES: usize = 52;

    pub(super) fn to_bytes(self) -> [u8; Self::BYTES] {
        self.0
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(bytes.try_into().ok()?))
    }

    pub(super) fn size(self) -> u64 {
        u64::from_le_bytes(self.part(16))
    }

    /// Seconds and nanoseconds.
    pub(super) fn changed(self) -> (i64, u32) {
        (i64::from_le_bytes(self.part(32)), u32::from_le_bytes(self.part(44)))
    }

    /// Without what says what kind of file it is.
    pub(super) fn permissions(self) -> u32 {
        u32::from_le_bytes(self.part(48)) & 0o7777
    }

    /// The bytes of a number that begins there.
    fn part<const N: usize>(self, at: usize) -> [u8; N] {
        let mut part = [0; N];
        part.iter_mut().zip(&self.0[at..]).for_each(|(place, byte)| *place = *byte);
        part
    }
}

/// One file or link.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) path: Vec<u8>,
    pub(super) kind: Kind,
    pub(super) stamp: Stamp,
}

/// What a walk found.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// Sorted by path.
    pub(super) files: Vec<Found>,
    /// FIFOs, sockets and devices that no rule ignores.
    pub(super) specials: Vec<Vec<u8>>,
    /// Folders that no rule ignores, sorted by path, without the top.
    pub(super) folders: Vec<(Vec<u8>, Stamp)>,
    /// What was passed over because a rule ignores it; nobody looked into such a folder.
    pub(super) passed: Vec<(Vec<u8>, Folder)>,
}

/// `None` for what git can't hold.
pub(super) fn kind_of(meta: &Metadata) -> Option<Kind> {
    if meta.is_symlink() {
        Some(Kind::Link)
    } else if !meta.is_file() {
        None
    } else if meta.mode() & 0o100 != 0 {
        Some(Kind::Executable)
    } else {
        Some(Kind::Plain)
    }
}

pub(super) fn stamp_of(meta: &Metadata) -> Stamp {
    let nanos = |nanos: i64| u32::try_from(nanos).unwrap_or(u32::MAX);
    let of_file = [meta.dev(), meta.ino(), meta.size()].map(u64::to_le_bytes);
    let seconds = [meta.mtime(), meta.ctime()].map(i64::to_le_bytes);
    let rest = [nanos(meta.mtime_nsec()), nanos(meta.ctime_nsec()), meta.mode()].map(u32::to_le_bytes);
    let all = of_file.into_iter().chain(seconds).flatten().chain(rest.into_iter().flatten());
    let mut bytes = [0; Stamp::BYTES];
    bytes.iter_mut().zip(all).for_each(|(place, byte)| *place = byte);
    Stamp(bytes)
}
