//! Locks that a killed git leaves in its folder, and that keep the next one from its work. One that is
//! new is removed, unless a git is at work in the repository: then it may be that git's.

use std::collections::BTreeSet;
use std::path::Path;

use super::git_files;
use super::git_files::put_back_or_say;
use super::git_words::{LEFT, short};
use super::place::GitPlace;
use tdd_child::regular_file;
use tdd_child::unix::proc_table;
use tdd_core::trouble::Trouble;

/// More than a path has.
const LONGEST_PATH: u64 = 1 << 13;

/// The locks that were there at one moment.
#[derive(Debug)]
pub(super) struct Locks {
    of_work_tree: BTreeSet<Vec<u8>>,
    shared: BTreeSet<Vec<u8>>,
}

impl Locks {
    pub(super) fn record(place: &GitPlace) -> Result<Self, Trouble> {
        let names = |folder: &Path, names| -> Result<BTreeSet<Vec<u8>>, Trouble> {
            Ok(git_files::found(folder, names)?.into_keys().collect())
        };
        let mut shared = names(&place.common_dir, git_files::LOCKS)?;
        shared.extend(of_refs(place)?);
        Ok(Self { of_work_tree: names(&place.git_dir, git_files::LOCKS_OF_WORK_TREE)?, shared })
    }

    /// Removes what is new and in our way, and says so; of refs only the lock of `branch` is.
    pub(super) fn remove_new(&self, place: &GitPlace, branch: Option<&str>) -> Result<Vec<String>, Trouble> {
        let now = Self::record(place)?;
        let of_branch = branch.map(|branch| format!("{branch}.lock").into_bytes());
        let is_ours = |path: &&Vec<u8>| {
            !path.starts_with(b"refs/") || Some(*path) == of_branch.as_ref() || path.starts_with(b"refs/tdd/")
        };
        let mine = now.of_work_tree.difference(&self.of_work_tree).map(|path| (&place.git_dir, path));
        let shared = now.shared.difference(&self.shared).filter(is_ours);
        let new: Vec<_> = mine.chain(shared.map(|path| (&place.common_dir, path))).collect();
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let is_busy = git_is_at_work(place);
        let mut said = Vec::new();
        for (folder, path) in new {
            let name = short(&String::from_utf8_lossy(path));
            if is_busy {
                said.push(format!(".git/{name} is there, and a git is at work; {LEFT}"));
            } else {
                put_back_or_say(folder, path, None)?;
                said.push(format!(".git/{name} was left behind; removed"));
            }
        }
        Ok(said)
    }
}

fn of_refs(place: &GitPlace) -> Result<impl Iterator<Item = Vec<u8>>, Trouble> {
    let is_lock = |path: &Vec<u8>| path.ends_with(b".lock");
    Ok(git_files::names(&place.common_dir, "refs")?.into_iter().filter(is_lock))
}

/// Whether any git works in a work tree of the repository or in its folder. No child of ours is alive.
pub(super) fn git_is_at_work(place: &GitPlace) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut folders = vec![real(&place.work_tree), real(&place.git_dir), real(&place.common_dir)];
    folders.extend(place.common_dir.parent().map(real));
    let linked = std::fs::read_dir(place.common_dir.join("worktrees")).into_iter().flatten().flatten();
    folders.extend(linked.filter_map(|one| {
        let named = regular_file::head(&one.path().join("gitdir"), LONGEST_PATH).ok()?;
        let named = String::from_utf8(named).ok()?;
        Path::new(named.trim_end()).parent().map(real)
    }));
    // Git's file watcher and its readers of objects stay, and take no lock.
    let takes_none = |pid: i32| {
        let words = proc_table::command_line(pid).unwrap_or_default();
        ["fsmonitor--daemon", "cat-file", "credential"].iter().any(|word| words.contains(word))
    };
    let is_git =
        |pid: i32| proc_table::name(pid).is_some_and(|name| name.starts_with("git")) && !takes_none(pid);
    let is_here = |pid: i32| {
        proc_table::working_directory(pid)
            .is_some_and(|cwd| folders.iter().any(|folder| cwd.starts_with(folder)))
    };
    proc_table::processes()
        .iter()
        .any(|one| one.life == proc_table::Life::Alive && is_git(one.pid) && is_here(one.pid))
}
