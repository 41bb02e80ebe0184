//! What an undo would meet in the tree: files that changed meanwhile, and what no checkpoint holds.

use std::path::Path;

use super::found::{Scan, Stamp, kind_of};
use super::walk::full_path;

/// Entries of a folder that are looked at before it counts as holding something.
const MOST_LOOKED_AT: usize = 100_000;

/// Whether the file last changed within these times. One that is gone has no time of its own;
/// bringing it back loses nothing.
pub(super) fn changed_within(scan: &Scan, path: &[u8], (from, to): (u64, u64)) -> bool {
    match scan.files.binary_search_by(|found| found.path.as_slice().cmp(path)) {
        Err(_) => true,
        Ok(at) => changed_ms(scan.files[at].stamp).is_some_and(|ms| (from..=to).contains(&ms)),
    }
}

/// Nobody can set a ctime back, unlike the time of the last write.
pub(super) fn changed_ms(stamp: Stamp) -> Option<u64> {
    let (seconds, nanos) = stamp.changed();
    u64::try_from(seconds.checked_mul(1000)?.checked_add(i64::from(nanos / 1_000_000))?).ok()
}

/// Whether something that no checkpoint holds gives way if a file is put at `path`.
pub(super) fn stands_in_the_way(root: &Path, scan: &Scan, path: &[u8]) -> bool {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    for end in slashes.chain([path.len()]) {
        let part = &path[..end];
        let Ok(meta) = std::fs::symlink_metadata(full_path(root, part)) else { return false };
        if !meta.is_dir() {
            // A FIFO or a socket holds nothing.
            return kind_of(&meta).is_some() && !holds(scan, part);
        }
    }
    has_more(root, scan, path)
}

/// Whether a folder holds files that the scan has not seen.
fn has_more(root: &Path, scan: &Scan, folder: &[u8]) -> bool {
    use std::os::unix::ffi::OsStringExt;
    let mut waiting = vec![folder.to_vec()];
    let mut looked_at = 0;
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = std::fs::read_dir(full_path(root, &folder)) else { return true };
        for entry in entries.flatten() {
            let path = [folder.as_slice(), b"/", &entry.file_name().into_vec()].concat();
            looked_at += 1;
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && looked_at < MOST_LOOKED_AT => waiting.push(path),
                Ok(kind) if !kind.is_dir() && holds(scan, &path) => {}
                _ => return true,
            }
        }
    }
    false
}

fn holds(scan: &Scan, path: &[u8]) -> bool {
    scan.files.binary_search_by(|found| found.path.as_slice().cmp(path)).is_ok()
}
