//! The files of a snapshot and what they hold.
//!
//! An attempt is judged by reading many files of two snapshots, and to start git takes longer than
//! to read most of them: so the lists of the last two are kept, and one git gives all the bytes.

use std::collections::VecDeque;
use std::rc::Rc;

use super::git::Git;
use super::listing::{self, Listed, Reader};
use super::shown;
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// More than any file that a person reads or that `tdd` parses.
pub(super) const LARGEST_READ: u64 = 64 << 20;

/// Snapshots whose lists of files are kept: what an attempt began with and what it made of it.
const MOST_LISTED: usize = 2;

#[derive(Debug)]
pub(super) struct Contents {
    git: Git,
    listed: VecDeque<(CheckpointId, Rc<Vec<Listed>>)>,
    reader: Option<Reader>,
}

impl Contents {
    pub(super) fn new(git: Git) -> Self {
        Self { git, listed: VecDeque::new(), reader: None }
    }

    /// All files of a snapshot, sorted by the bytes of their paths.
    pub(super) fn files(&mut self, at: &CheckpointId) -> Result<Rc<Vec<Listed>>, Trouble> {
        if let Some((_, files)) = self.listed.iter().find(|(known, _)| known == at) {
            return Ok(Rc::clone(files));
        }
        let files = Rc::new(listing::files(&self.git, at)?);
        self.listed.truncate(MOST_LISTED - 1);
        self.listed.push_front((at.clone(), Rc::clone(&files)));
        Ok(files)
    }

    /// The bytes of a regular file; `None` if the snapshot has none of that name.
    pub(super) fn read(&mut self, at: &CheckpointId, path: &RelPath) -> Result<Option<Vec<u8>>, Trouble> {
        let files = self.files(at)?;
        let name = path.as_str().as_bytes();
        let found = match files.binary_search_by(|file| file.path.as_slice().cmp(name)) {
            Ok(at) => files.get(at),
            // A name that is no UTF-8 is known by what is shown of it.
            Err(_) if path.is_lossy() => files.iter().find(|file| shown(&file.path) == *path),
            Err(_) => None,
        };
        let Some(file) = found.filter(|file| file.mode.starts_with("100")) else { return Ok(None) };
        self.object(&file.object).map(Some)
    }

    /// Ends the git that reads: what a child can see it can stop.
    pub(super) fn rest(&mut self) {
        self.reader = None;
    }

    /// Our own runs of tests execute a child's code, which may have ended the reader: one that
    /// fails is started anew, once.
    fn object(&mut self, object: &str) -> Result<Vec<u8>, Trouble> {
        if let Some(mut reader) = self.reader.take()
            && let Ok(bytes) = reader.bytes(object, LARGEST_READ)
        {
            self.reader = Some(reader);
            return Ok(bytes);
        }
        let mut reader = Reader::start(&self.git)?;
        let bytes = reader.bytes(object, LARGEST_READ)?;
        self.reader = Some(reader);
        Ok(bytes)
    }
}
