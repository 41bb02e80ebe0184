//! How much room is left on a disk.

use std::io::{self, Write};
use std::path::Path;

use tdd_core::trouble::Obstacle;

/// More than a file system keeps back for itself, less than any report is worth.
const PROBE: usize = 64 * 1024;

/// Bytes that we may still write where `path` lies; `None` if the system does not tell.
pub fn bytes(path: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(path).ok()?;
    Some(about.f_bavail.saturating_mul(about.f_frsize))
}

/// The error with which the disk of this folder refuses a small file right now, if it is full. Tried
/// with a file that has no name: quotas, and blocks that root alone may use, are in no figure.
pub fn full(folder: &Path) -> Option<io::Error> {
    let mut bytes = vec![0_u8; PROBE];
    // Zeros may take no room.
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    let tried = tempfile::tempfile_in(folder).and_then(|mut file| file.write_all(&bytes));
    tried.err().filter(|error| Obstacle::of(error) == Some(Obstacle::DiskFull))
}
