//! What is in a folder: all of it, or why not. To pass over an entry that can't be read is to say that it is
//! not there, and what is not there was deleted, is no run, or need not be kept.
#![expect(clippy::disallowed_methods, reason = "this is the disk")]

use std::fs::DirEntry;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

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

/// Removes a folder with all that is in it, and what a child has closed there, too: nobody else could remove it.
/// No link is followed.
pub fn remove_all(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            open_all(folder);
            std::fs::remove_dir_all(folder)
        }
        other => other,
    }
}

/// Gives the owner all rights on a folder and the folders in it.
fn open_all(path: &Path) {
    let is_folder = std::fs::symlink_metadata(path).is_ok_and(|about| about.is_dir());
    let mut waiting: Vec<PathBuf> = is_folder.then(|| path.to_owned()).into_iter().collect();
    while let Some(folder) = waiting.pop() {
        let _ = std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700));
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        waiting.extend(folders.map(|entry| entry.path()));
    }
}
