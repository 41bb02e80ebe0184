//! What git can be in the midst of, by what it leaves in its folder: one table for all that ask.

use std::path::Path;

use crate::checkpoints::place::GitPlace;

/// What an operation of git's means for whoever begins something in the same tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// What is half merged in the tree, even where nothing is in conflict.
    HalfMerged,
    /// A whole tree if nothing is in conflict, but no commit of single files until it is ended.
    Whole,
    /// A tree as any other, that takes any commit.
    Another,
}

/// An operation that git keeps open until somebody goes on with it or gives it up.
#[derive(Debug)]
pub struct HalfDone {
    /// Its name in git's folder.
    mark: &'static str,
    /// In words: "a merge".
    pub what: &'static str,
    /// How somebody goes on with it.
    pub going_on: &'static str,
    /// How somebody gives it up.
    pub giving_up: &'static str,
    pub(crate) leaves: Leaves,
}

impl HalfDone {
    const fn new(mark: &'static str, what: &'static str, leaves: Leaves, ends: [&'static str; 2]) -> Self {
        let [going_on, giving_up] = ends;
        Self { mark, what, going_on, giving_up, leaves }
    }
}

/// The first that is there counts: `git am` and a rebase that applies patches share a folder.
const OPERATIONS: [HalfDone; 7] = [
    HalfDone::new("MERGE_HEAD", "a merge", Leaves::HalfMerged, ["git merge --continue", "git merge --abort"]),
    HalfDone::new(
        "rebase-merge",
        "a rebase",
        Leaves::HalfMerged,
        ["git rebase --continue", "git rebase --abort"],
    ),
    HalfDone::new(
        "rebase-apply/applying",
        "applying patches",
        Leaves::HalfMerged,
        ["git am --continue", "git am --abort"],
    ),
    HalfDone::new(
        "rebase-apply",
        "a rebase",
        Leaves::HalfMerged,
        ["git rebase --continue", "git rebase --abort"],
    ),
    HalfDone::new(
        "CHERRY_PICK_HEAD",
        "a cherry-pick",
        Leaves::Whole,
        ["git cherry-pick --continue", "git cherry-pick --abort"],
    ),
    HalfDone::new("REVERT_HEAD", "a revert", Leaves::Whole, ["git revert --continue", "git revert --abort"]),
    HalfDone::new("BISECT_LOG", "a bisection", Leaves::Another, ["git bisect next", "git bisect reset"]),
];

/// All that is open in the work tree that has this folder of git's.
fn open(git_dir: &Path) -> impl Iterator<Item = &'static HalfDone> {
    let is_there = |mark: &str| git_dir.join(mark).symlink_metadata().is_ok();
    let is_open = move |operation: &&HalfDone| {
        is_there(operation.mark) && !(operation.mark == "rebase-apply" && is_there("rebase-apply/applying"))
    };
    OPERATIONS.iter().filter(is_open)
}

/// What takes no commit of single files until it is ended, in the work tree that has this folder of git's.
pub(crate) fn in_the_way(git_dir: &Path) -> Option<&'static HalfDone> {
    open(git_dir).find(|operation| operation.leaves != Leaves::Another)
}

/// What takes no commit of single files until it is ended, in this work tree.
#[must_use]
pub fn in_the_midst_of(repository: &Path) -> Option<&'static HalfDone> {
    in_the_way(&GitPlace::find(repository).ok()?.git_dir)
}

/// All operations that were begun in this work tree and not ended, in words: "a merge".
#[must_use]
pub fn open_operations(repository: &Path) -> Vec<&'static str> {
    let Ok(place) = GitPlace::find(repository) else { return Vec::new() };
    open(&place.git_dir).map(|operation| operation.what).collect()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes what git would have left")]
mod tests {
    use super::*;

    /// What is open in a folder of git's with these files, and what of it takes no commit.
    fn with(marks: &[&str]) -> (Vec<&'static str>, Option<&'static str>) {
        let folder = tempfile::TempDir::new().unwrap();
        for mark in marks {
            let path = folder.path().join(mark);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let told = open(folder.path()).map(|operation| operation.what).collect();
        (told, in_the_way(folder.path()).map(|operation| operation.giving_up))
    }

    #[test]
    fn patches_that_are_applied_are_no_rebase() {
        assert_eq!(with(&["rebase-apply/applying"]), (vec!["applying patches"], Some("git am --abort")));
        assert_eq!(with(&["rebase-apply/rebasing"]), (vec!["a rebase"], Some("git rebase --abort")));
    }

    #[test]
    fn a_bisection_is_told_and_is_in_nobodys_way() {
        assert_eq!(with(&["BISECT_LOG"]), (vec!["a bisection"], None));
        assert_eq!(
            with(&["BISECT_LOG", "REVERT_HEAD"]),
            (vec!["a revert", "a bisection"], Some("git revert --abort"))
        );
        assert_eq!(with(&[]), (vec![], None));
    }
}
