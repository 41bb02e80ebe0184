//! How much room is left on a disk.

use std::path::Path;

/// Bytes that we may still write where `path` lies; `None` if the system does not tell.
pub fn bytes(path: &Path) -> Option<u64> {
    let about = rustix::fs::statvfs(path).ok()?;
    Some(about.f_bavail.saturating_mul(about.f_frsize))
}
