//! What commands are told in a copy of the tree, so that they use the work tree's environments and leave them alone.
//!
//! `uv run` first installs the project it is started in, as it lies there, into that project's `.venv`. In a copy this
//! one is the work tree's own by a link: its `.pth` would name the copy from then on, and nothing would be there
//! once the copy is gone.

mod lead_back;

pub(super) use self::lead_back::Lent;

use std::ffi::OsString;
use std::path::Path;

/// uv's: "Avoid syncing the virtual environment".
const LEAVES_ENVIRONMENT: &str = "UV_NO_SYNC";

/// Who keeps a project's environment, by the lock file.
const KEEPERS: [(&str, &str); 4] =
    [("uv.lock", "uv"), ("poetry.lock", "poetry"), ("pdm.lock", "pdm"), ("Pipfile.lock", "pipenv")];

/// The lock files in this folder, each with the launcher whose it is.
pub(super) fn keepers(folder: &Path) -> impl Iterator<Item = (&'static str, &'static str)> {
    KEEPERS.into_iter().filter(|(lock, _)| folder.join(lock).is_file())
}

/// Folders above a command's own that are looked through for an environment.
const MOST_FOLDERS: usize = 16;

/// Variables for a command that runs in `folder`, where the work tree is `home`. None in the work tree itself, and none
/// where the copy has no environment: there uv makes one of its own.
pub(super) fn of_copy(home: &Path, folder: &Path) -> Option<(OsString, Option<OsString>)> {
    let is_copy = Lent::to(home, home, folder).is_some();
    let has_environment = || folder.ancestors().take(MOST_FOLDERS).any(|above| above.join(".venv").exists());
    (is_copy && has_environment()).then(|| (LEAVES_ENVIRONMENT.into(), Some("1".into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_9_121_an_environment_that_a_copy_is_lent_is_left_alone() {
        let root = tempfile::tempdir().unwrap();
        let [home, copy, bare] = ["home", "copy", "bare"].map(|name| root.path().join(name));
        for folder in [&home, &copy.join("api"), &bare, &home.join(".venv")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::os::unix::fs::symlink(home.join(".venv"), copy.join(".venv")).unwrap();
        let is_told = |folder: &Path| of_copy(&home, folder).is_some();
        assert_eq!(
            [&home, &copy, &copy.join("api"), &bare].map(|folder| is_told(folder)),
            [false, true, true, false]
        );
    }
}
