//! A journal that is not read again by a process that knows how far the one before it has read.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use super::{EVENTS, JournalFile};
use crate::text::journal_line;
use tdd_child::regular_file;

impl JournalFile {
    /// Opens the journal of which an earlier process knows how far it was read and what its last line hashes to.
    /// `None` where it does not end so: then it has to be read.
    pub fn open_at(run_dir: &Path, (length, seq, prev): (u64, u64, &str)) -> Option<Self> {
        let at = run_dir.join(EVENTS);
        let file = regular_file::with(File::options().append(true).read(true), &at).ok()?;
        if file.metadata().ok()?.len() != length || !ends_with(&file, length, prev) {
            return None;
        }
        Some(Self {
            folder: run_dir.to_owned(),
            file,
            length,
            seq,
            prev: prev.to_owned(),
            torn: false,
            has_new_names: false,
            sync: File::sync_data,
        })
    }

    /// How far it goes: its bytes, its lines and the hash of the last of them.
    pub fn mark(&self) -> (u64, u64, &str) {
        (self.length, self.seq, &self.prev)
    }
}

/// Whether the last line of a journal of this length is the one with this hash. No line is longer than a part.
fn ends_with(file: &File, length: u64, hash: &str) -> bool {
    const PART: u64 = 4096;
    let begin = length.saturating_sub(PART);
    let mut part = vec![0; usize::try_from(length - begin).unwrap_or_default()];
    if file.read_exact_at(&mut part, begin).is_err() {
        return false;
    }
    let Some(line) = part.strip_suffix(b"\n") else { return false };
    let line = line.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    std::str::from_utf8(line).is_ok_and(|line| journal_line::hash(line) == hash)
}
