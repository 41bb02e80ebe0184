//! Whose the repository is. A work tree of somebody else's says which commands are run in it, so git
//! refuses to work there, and its refusal holds for us (contract section 11).
#![expect(clippy::disallowed_methods, reason = "asks git, and the system who we are")]

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::{Command, Stdio};

use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::place::GitPlace;

/// What would lead git past the repository that is meant. What a person says by `GIT_CONFIG_…` stays:
/// it may name folders that are safe.
const ELSEWHERE: [&str; 5] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
];
/// How git begins to say it.
const DUBIOUS: &str = "dubious ownership";

/// Refuses where git does. Git is asked only where something is not ours.
pub fn refuse_others(repository: &Path) -> Result<(), Trouble> {
    if is_ours(repository) {
        return Ok(());
    }
    let mut git = Command::new("git");
    for name in ELSEWHERE {
        git.env_remove(name);
    }
    git.args(["rev-parse", "--git-dir"]).current_dir(repository).env("LC_ALL", "C").stdin(Stdio::null());
    // Where git can't be started, what needs it says so.
    let Ok(said) = git.output() else { return Ok(()) };
    let words = String::from_utf8_lossy(&said.stderr);
    if said.status.success() || !words.contains(DUBIOUS) {
        return Ok(());
    }
    Err(Trouble::environment(format!(
        "git does not trust {}: it belongs to somebody else",
        repository.display()
    ))
    .because("whoever owns it says which commands are run in it, and they would run as you")
    .advise(format!(
        "work in a copy of your own; if you trust its owner, tell git so:\n\
             git config --global --add safe.directory {}",
        tdd_core::harmless::shell_word(&repository.to_string_lossy())
    )))
}

/// As git looks at it: the work tree, its `.git`, and the folder that this leads to.
fn is_ours(repository: &Path) -> bool {
    let us = rustix::process::geteuid().as_raw();
    let owner = |path: &Path| std::fs::symlink_metadata(path).map(|about| about.uid());
    let is_ours = |path: &Path| owner(path).is_ok_and(|uid| uid == us);
    let git_dir = GitPlace::find(repository).map(|place| place.git_dir);
    is_ours(repository) && is_ours(&repository.join(".git")) && git_dir.is_ok_and(|folder| is_ours(&folder))
}
