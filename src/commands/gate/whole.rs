//! Files of a person's that are written by us: all of it or nothing, with the mode that it had.
#![expect(clippy::disallowed_methods, reason = "makes the folder of the file")]

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// A link is followed for its mode alone: whoever calls has refused or resolved it.
pub(super) fn write(at: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = at.parent().unwrap_or(at);
    std::fs::create_dir_all(folder)?;
    let mode = at.metadata().map_or(0o644, |about| about.permissions().mode() & 0o777);
    let mut file = tempfile::Builder::new().prefix(".tdd-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(std::fs::Permissions::from_mode(mode))?;
    file.as_file().sync_all()?;
    file.persist(at).map_err(|error| error.error)?;
    Ok(())
}
