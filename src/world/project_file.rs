//! Looks for files of the project by a name that stands in a command.

use std::path::Path;

/// Whether `name`, relative to the project, is a file. A folder, or a name that leads out of the
/// project, is none.
pub fn exists(project: &Path, name: &str) -> bool {
    let leads_out = name.starts_with('/') || name.split('/').any(|part| part == "..");
    !leads_out && std::fs::symlink_metadata(project.join(name)).is_ok_and(|meta| meta.is_file())
}
