//! `tdd.yaml` on disk: a project's, and a person's own.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use tdd_child::regular_file;
use tdd_core::harmless::shell_word;
use tdd_core::trouble::{Trouble, Why};

/// The settings' file; its folder is the project.
pub const NAME: &str = "tdd.yaml";
/// More than any person writes.
const LARGEST: u64 = 1 << 20;

/// How people spell it too; it is not read, and that is said.
pub const OTHER_NAME: &str = "tdd.yml";

/// The text of `tdd.yaml` in the project's folder, or `None` if there is none.
pub fn read(project: &Path) -> Result<Option<String>, Trouble> {
    read_at(&project.join(NAME))
}

/// Where a person's own settings lie, below the folder for all programs' settings.
pub fn persons(config_home: &Path) -> PathBuf {
    config_home.join("tdd").join(NAME)
}

/// The text of the settings in this file, or `None` if there is none.
pub fn read_at(path: &Path) -> Result<Option<String>, Trouble> {
    let unreadable = |why: Why| {
        Trouble::config(format!("{} can't be read", path.display()))
            .because(why)
            .advise("it must be a file of UTF-8 text")
    };
    let other = path.with_file_name(OTHER_NAME);
    if other.symlink_metadata().is_ok() {
        let why =
            format!("settings stand in {NAME}, and what stands elsewhere would be ignored without a word");
        let name = |path: &Path| path.display().to_string();
        let (from, to) = (shell_word(&name(&other)), shell_word(&name(path)));
        let next = match path.symlink_metadata() {
            Ok(_) => format!("both are there: take what you want of it into {NAME}, then: rm {from}"),
            Err(_) => format!("rename it: mv {from} {to}"),
        };
        return Err(Trouble::config(format!("{} is not read", other.display())).because(why).advise(next));
    }
    let meta = match std::fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        // A file where the folder would be: nothing is set there.
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(unreadable(error.into())),
    };
    if !meta.is_file() || meta.len() > LARGEST {
        return Err(unreadable(format!("it is no file, or larger than {LARGEST} bytes").into()));
    }
    regular_file::read_to_string(path).map(Some).map_err(|error| unreadable(error.into()))
}
