//! `tdd.yaml` on disk.

use std::path::Path;

use crate::core::trouble::Trouble;
use crate::world::regular_file;

/// The settings' file; its folder is the project.
pub const NAME: &str = "tdd.yaml";
/// More than any person writes.
const LARGEST: u64 = 1 << 20;

/// The text of `tdd.yaml` in the project's folder, or `None` if there is none.
pub fn read(project: &Path) -> Result<Option<String>, Trouble> {
    let path = project.join(NAME);
    let unreadable = |why: String| {
        Trouble::config(format!("{} can't be read", path.display()))
            .because(why)
            .advise("it must be a file of UTF-8 text")
    };
    let meta = match std::fs::metadata(&path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error.to_string())),
    };
    if !meta.is_file() || meta.len() > LARGEST {
        return Err(unreadable(format!("it is no file, or larger than {LARGEST} bytes")));
    }
    regular_file::read_to_string(&path).map(Some).map_err(|error| unreadable(error.to_string()))
}
