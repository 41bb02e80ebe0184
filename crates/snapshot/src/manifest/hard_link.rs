//! Files that have more than one name.

use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;

use crate::checkpoints::edit::{Permissions, Tree};

/// Gives a file an inode of its own, so that no other name can be used to write to it. Its
/// times stay, because build tools look at them.
pub(super) fn break_hard_link(tree: &Tree, path: &[u8], meta: &std::fs::Metadata) -> io::Result<()> {
    let mut source = tree.read_file(path)?;
    tree.put_file(path, Permissions::Exact(meta.mode() & 0o7777), |file| {
        io::copy(&mut source.by_ref(), file)?;
        let times = std::fs::FileTimes::new().set_accessed(meta.accessed()?).set_modified(meta.modified()?);
        file.set_times(times)
    })
}
