//! The file that keeps all that a child prints.
#![expect(clippy::disallowed_methods, reason = "makes the log file")]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use tdd_core::trouble::Trouble;

/// A new, empty file that only we may read (contract section 11). What was there before, be it a
/// link that somebody else has put there, is removed and not written through. Opened for appending,
/// so that two descriptors of it, or a child that truncates it, can't leave holes.
pub(crate) fn fresh(path: &Path) -> Result<File, Trouble> {
    let mut options = OpenOptions::new();
    options.append(true).create_new(true).mode(0o600);
    let opened = match options.open(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_replaceable(path) => {
            std::fs::remove_file(path).and_then(|()| options.open(path))
        }
        outcome => outcome,
    };
    opened.map_err(|error| {
        Trouble::environment(format!("the log {} can't be made", path.display()))
            .because(error)
            .advise("check that the folder is there, may be written and has room")
    })
}

/// A device or a socket was named by mistake; it is not ours to remove.
fn is_replaceable(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_file() || data.is_symlink())
}
