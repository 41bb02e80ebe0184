//! What is in a folder: all of it, or why not. To pass over an entry that can't be read is to say that it is
//! not there, and what is not there was deleted, is no run, or need not be kept.

use std::fs::DirEntry;
use std::io;
use std::path::Path;

/// Every entry of a folder.
pub fn entries(folder: &Path) -> io::Result<Vec<DirEntry>> {
    std::fs::read_dir(folder)?.collect()
}

/// The same; none if there is no such folder, or no longer.
pub fn entries_if_any(folder: &Path) -> io::Result<Vec<DirEntry>> {
    let is_absent =
        |error: &io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
    entries(folder).or_else(|error| if is_absent(&error) { Ok(Vec::new()) } else { Err(error) })
}

/// The same of a folder of the work tree: one that its owner may not read is made readable, and one that
/// belongs to somebody else is empty to us, as it is to git.
pub fn entries_of_tree(folder: &Path) -> io::Result<Vec<DirEntry>> {
    use std::os::unix::fs::PermissionsExt;
    let listed = entries_if_any(folder).or_else(|error| {
        if error.kind() != io::ErrorKind::PermissionDenied {
            return Err(error);
        }
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))?;
        entries_if_any(folder)
    });
    let is_empty_to_us =
        |error: &io::Error| matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound);
    listed.or_else(|error| if is_empty_to_us(&error) { Ok(Vec::new()) } else { Err(error) })
}
