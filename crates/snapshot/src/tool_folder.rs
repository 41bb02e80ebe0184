//! Folders of other people's code: far too large to be hashed before each run, so their files are watched by what
//! `lstat` says of them, and no copies are kept of them.

const NAMES: [&str; 7] = ["node_modules", ".venv", "venv", ".tox", ".nox", "vendor", "bower_components"];

/// Whether a folder of this name is one of those.
pub fn is_tool_folder(name: &str) -> bool {
    NAMES.contains(&name)
}
