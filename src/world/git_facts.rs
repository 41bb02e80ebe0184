//! What git says of the repository before a run begins.
#![expect(clippy::disallowed_methods, reason = "asks git")]

use std::path::Path;
use std::process::{Command, Stdio};

use super::checkpoints::place::GitPlace;
use crate::core::trouble::Trouble;

/// Refuses while another git command holds the index, or has left its lock behind.
pub fn refuse_locked_index(repository: &Path) -> Result<(), Trouble> {
    let lock = GitPlace::find(repository)?.git_dir.join("index.lock");
    if std::fs::symlink_metadata(&lock).is_err() {
        return Ok(());
    }
    Err(Trouble::environment("another git command is at work in this repository")
        .because(format!("{} exists", lock.display()))
        .advise("wait until it is done; if none is running, remove that file"))
}

/// The rule by which git ignores `path`, as `file:line:pattern`; `None` if it does not.
pub fn ignoring_rule(repository: &Path, path: &Path) -> Option<String> {
    let mut command = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command
        .current_dir(repository)
        .args(["check-ignore", "--no-index", "-v", "--"])
        .arg(path)
        .stdin(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let rule = said.split('\t').next()?.trim().to_owned();
    // A pattern that begins with `!` takes the file back in.
    let pattern = rule.rsplit(':').next().unwrap_or_default();
    (!pattern.starts_with('!') && !rule.is_empty()).then_some(rule)
}
