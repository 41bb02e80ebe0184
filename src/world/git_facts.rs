//! What git says of the repository before a run begins.
#![expect(clippy::disallowed_methods, reason = "asks git")]

use std::path::Path;
use std::process::{Command, Stdio};

use super::checkpoints::place::GitPlace;
use crate::core::path::RelPath;
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
    let mut command = git(repository);
    command.args(["check-ignore", "--no-index", "-v", "--"]).arg(path);
    let output = command.output().ok().filter(|output| output.status.success())?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let rule = said.split('\t').next()?.trim().to_owned();
    // A pattern that begins with `!` takes the file back in.
    let pattern = rule.rsplit(':').next().unwrap_or_default();
    (!pattern.starts_with('!') && !rule.is_empty()).then_some(rule)
}

/// What differs from a commit: tracked files that do, and files that git does not know and does not
/// ignore. `None` for a repository without any commit yet.
///
/// # Errors
/// There is no such commit.
pub fn changed_since(repository: &Path, commit: &str) -> Result<Option<Vec<RelPath>>, Trouble> {
    let verified = said(
        git(repository)
            .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
            .arg(format!("{commit}^{{commit}}")),
    );
    let Some(verified) = verified else {
        if commit == "HEAD" {
            return Ok(None);
        }
        return Err(Trouble::user(format!("--since: git knows no commit `{commit}`"))
            .advise("name a commit, a branch or a tag, for example --since main"));
    };
    let base = String::from_utf8_lossy(&verified).trim().to_owned();
    let options = ["diff", "--name-only", "--no-renames", "--no-ext-diff", "-z", base.as_str(), "--"];
    let differing = said(git(repository).args(["-c", "core.fsmonitor=false"]).args(options));
    let unknown = said(git(repository).args(["ls-files", "--others", "--exclude-standard", "-z"]));
    let (Some(differing), Some(unknown)) = (differing, unknown) else {
        return Err(Trouble::environment("git can't tell what was changed")
            .advise("see what `git status` says in this repository"));
    };
    let names = differing.split(|byte| *byte == 0).chain(unknown.split(|byte| *byte == 0));
    let paths =
        names.filter(|name| !name.is_empty()).map(|name| RelPath::new(&String::from_utf8_lossy(name)));
    // A name that is no path of ours is no document either.
    let paths: Option<Vec<RelPath>> = paths.collect();
    Ok(Some(paths.unwrap_or_default()))
}

fn git(repository: &Path) -> Command {
    let mut command = Command::new("git");
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command.current_dir(repository).stdin(Stdio::null());
    command
}

fn said(command: &mut Command) -> Option<Vec<u8>> {
    command.output().ok().filter(|output| output.status.success()).map(|output| output.stdout)
}
