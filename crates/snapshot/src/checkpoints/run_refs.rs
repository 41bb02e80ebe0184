//! The refs of runs, `refs/tdd/<run>/<label>`, listed and deleted for `tdd clean`.
//!
//! The refs are shared by all work trees of a repository, the folders of runs are not: before
//! refs count as left over, every work tree is asked for the folder. A child may have put links
//! below `refs/tdd` that lead to the user's branches; behind a link nothing is deleted.

pub(super) mod others;
pub mod taken;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::edit::Tree;
use super::git::Git;
use super::place::GitPlace;
use super::{ref_folder, refs};
use tdd_child::regular_file;
use tdd_core::event::RunId;
use tdd_core::labels;
use tdd_core::trouble::Trouble;

/// Below it lie the refs of all runs.
const FOLDER: &str = "refs/tdd/";

/// The refs of all runs of a repository.
#[derive(Debug)]
pub struct RunRefs {
    place: GitPlace,
    own: Git,
    /// Full names, sorted, by the name of the run.
    by_run: BTreeMap<String, Vec<String>>,
}

impl RunRefs {
    /// Lists them. Fails with a trouble of the environment.
    pub fn list(repository: &Path) -> Result<Self, Trouble> {
        let place = GitPlace::find(repository)?;
        let own = Git::own(&place);
        let by_run = grouped(&own, FOLDER)?;
        Ok(Self { place, own, by_run })
    }

    /// The names of the runs that have refs.
    pub fn runs(&self) -> impl Iterator<Item = &str> {
        self.by_run.keys().map(String::as_str)
    }

    /// How many refs a run has.
    pub fn count(&self, run: &str) -> usize {
        self.by_run.get(run).map_or(0, Vec::len)
    }

    /// A trouble if something below `refs/tdd/<run>` is reached through a link.
    pub fn check(&self, run: &str) -> Result<(), Trouble> {
        let names = self.by_run.get(run).map(Vec::as_slice).unwrap_or_default();
        let own_folder = format!("{FOLDER}{run}");
        let mut folders = vec!["refs/tdd", own_folder.as_str()];
        for name in names {
            folders.extend(name.match_indices('/').map(|(at, _)| &name[..at]));
        }
        let is_link = |folder: &&str| {
            folder.len() > "refs/".len()
                && std::fs::symlink_metadata(self.place.common_dir.join(folder))
                    .is_ok_and(|meta| meta.is_symlink())
        };
        match folders.iter().find(|folder| is_link(folder)) {
            None => Ok(()),
            Some(folder) => Err(Trouble::user(format!("the refs of {run} can't be removed"))
                .because(format!("{folder} in the git folder is a link, and leads to refs of somebody else"))
                .advise("see where it leads, then remove the link by hand")),
        }
    }

    /// Refs of a run that hold what nothing else does and `tdd` has not made itself: commits and an index
    /// that were found in git, and trees that somebody else has changed. Each with its first line.
    pub fn only_holders(&self, run: &str) -> Result<Vec<(String, String)>, Trouble> {
        let folder = format!("{FOLDER}{run}/");
        let format = "--format=%(refname)%00%(objectname)%00%(tree)%00%(contents:subject)%00";
        let said = self.own.run(&["for-each-ref", format, &folder], b"")?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let parts: Vec<&str> = said.split('\0').collect();
        let (found, mut made): (Vec<&[&str]>, Vec<&[&str]>) =
            parts.chunks_exact(4).partition(|part| is_found(part[0].trim_start(), &folder));
        // Such a tree was made by the run, but not all that is in it.
        let of_kind = |kind: &str| -> BTreeSet<&str> {
            let begins = format!("{folder}{kind}");
            found
                .iter()
                .filter(|part| part[0].trim_start().starts_with(&begins))
                .map(|part| part[1])
                .collect()
        };
        let (edited, left) = (of_kind(labels::EDITED), of_kind(labels::LEFT));
        // Nor of what a resume found, which may not even have gone on with it.
        let is_met = |part: &&[&str]| is_met(part[0].trim_start(), &folder);
        // Another commit of the same files, as tests that ran in between leave one, was made no more than they.
        let is_theirs = |part: &&&[&str]| edited.contains(part[1]) || left.contains(part[1]);
        let their_trees: BTreeSet<&str> = found.iter().filter(is_theirs).map(|part| part[2]).collect();
        made.retain(|part| !their_trees.contains(part[2]) && !is_met(part));
        let of_runs = self.left_by_runs(&left)?;
        let mut only = Vec::new();
        for part in found.iter().filter(|part| !of_runs.contains(part[1]) || edited.contains(part[1])) {
            let [name, object, tree, subject] = part else { continue };
            let is_made = !tree.is_empty() && made.iter().any(|other| other[2] == *tree);
            let exclude = format!("--exclude={folder}*");
            let args = ["rev-list", "--max-count=1", object, "--not", &exclude, "--all"];
            let said = self.own.ask(&args, b"")?;
            let is_held = said.ok && said.stdout.is_empty();
            if !is_made && !is_held {
                only.push((name.trim_start().to_owned(), (*subject).to_owned()));
            }
        }
        Ok(only)
    }

    /// Those of these trees in which nothing came while tests ran that did not come in another of them, too: the
    /// tests made it.
    fn left_by_runs<'t>(&self, trees: &BTreeSet<&'t str>) -> Result<BTreeSet<&'t str>, Trouble> {
        let mut new: BTreeMap<&str, Vec<Vec<u8>>> = BTreeMap::new();
        let mut times: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
        for tree in trees {
            let before = format!("{tree}^");
            let args = ["diff-tree", "-r", "-z", "--no-renames", "--diff-filter=A", &before, tree];
            let said = self.own.ask(&args, b"")?;
            // Of the first commit of all nobody can tell.
            let parts: Vec<&[u8]> = said.stdout.split(|byte| *byte == 0).collect();
            // What it is, and where.
            let entries: Vec<Vec<u8>> = parts.chunks_exact(2).map(<[&[u8]]>::concat).collect();
            for entry in &entries {
                *times.entry(entry.clone()).or_default() += 1;
            }
            if said.ok {
                new.insert(tree, entries);
            }
        }
        let all_again = |entries: &Vec<Vec<u8>>| entries.iter().all(|entry| times[entry] > 1);
        Ok(new.into_iter().filter(|(_, entries)| all_again(entries)).map(|(tree, _)| tree).collect())
    }

    /// Deletes all refs of a run; none is no trouble. Never one outside `refs/tdd/<run>/`.
    pub fn delete(&self, run: &str) -> Result<(), Trouble> {
        self.check(run)?;
        let prefix = format!("{FOLDER}{run}/");
        let mut left = self.by_run.get(run).cloned().unwrap_or_default();
        let delete = |names: &[String]| {
            let orders: Vec<u8> =
                names.iter().flat_map(|name| format!("delete {name}\0\0").into_bytes()).collect();
            self.own.ask(&["update-ref", "--no-deref", "--stdin", "-z"], &orders)
        };
        if !left.is_empty() && !delete(&left)?.ok {
            // A lock that a killed git left, or a file that is no ref.
            self.clear_loose(run)?;
            left = grouped(&self.own, &prefix)?.remove(run).unwrap_or_default();
            let said = delete(&left)?;
            if !said.ok {
                return Err(super::git::refused(&["update-ref"], &said.stderr));
            }
        }
        self.clear_loose(run)
    }

    /// What git does not list as a ref may still lie in the folder.
    fn clear_loose(&self, run: &str) -> Result<(), Trouble> {
        let cleared = Tree::open(&self.place.common_dir)
            .and_then(|tree| tree.clear(format!("{FOLDER}{run}").as_bytes()));
        cleared.map_err(|error| {
            Trouble::environment(format!("{FOLDER}{run} can't be removed"))
                .because(error)
                .advise("see that the git folder may be written")
        })
    }

    /// The tops of all work trees of the repository. `None` if one of them can't be found or
    /// looked into at the moment, so that its runs are not known.
    pub fn work_trees(&self) -> Option<Vec<PathBuf>> {
        work_trees(&self.place, &self.own)
    }
}

/// The same, where nobody asks for refs.
fn work_trees(place: &GitPlace, git: &Git) -> Option<Vec<PathBuf>> {
    let mut tops = vec![place.work_tree.clone()];
    let common = &place.common_dir;
    if std::fs::canonicalize(common).ok()? != std::fs::canonicalize(&place.git_dir).ok()? {
        tops.extend(main_work_tree(common, git)?);
    }
    let Ok(linked) = std::fs::read_dir(common.join("worktrees")) else { return Some(tops) };
    for entry in linked.flatten() {
        let Ok(bytes) = regular_file::read(entry.path().join("gitdir")) else { return None };
        let dot_git = entry.path().join(OsString::from_vec(bytes.trim_ascii_end().to_vec()));
        let top = dot_git.parent()?.to_owned();
        if top.is_dir() {
            tops.push(top);
        } else if entry.path().join("locked").exists() {
            return None;
        }
    }
    Some(tops)
}

/// The work tree that is no linked one: outer `None` if it can't be told where it is, inner
/// `None` if there is none.
#[expect(clippy::option_option, reason = "unknown and absent are not the same")]
fn main_work_tree(common: &Path, git: &Git) -> Option<Option<PathBuf>> {
    let common = std::fs::canonicalize(common).ok()?;
    if common.file_name().is_some_and(|name| name == ".git") {
        return Some(Some(common.parent()?.to_owned()));
    }
    let config = common.join("config");
    let args = ["config", "--type=bool", "--file", config.to_str()?, "--get", "core.bare"];
    let bare = git.ask(&args, b"").ok()?;
    (bare.stdout.trim_ascii() == b"true").then_some(None)
}

/// The tops of the other work trees of this repository, as far as they can be told.
pub fn other_work_trees(repository: &Path) -> Vec<PathBuf> {
    let tops = RunRefs::list(repository).ok().and_then(|refs| refs.work_trees()).unwrap_or_default();
    let real = |top: &Path| std::fs::canonicalize(top).ok();
    let here = real(repository);
    tops.into_iter().filter(|top| real(top) != here).collect()
}

/// Whether a run has refs. Where each is a file, or a line of one, git need not be asked. What can't be told
/// counts as there.
pub fn are_there(repository: &Path, run: &RunId) -> bool {
    let Ok(place) = GitPlace::find(repository) else { return true };
    let folder = ref_folder(run);
    let loose = std::fs::read_dir(place.common_dir.join(&folder));
    if loose.is_ok_and(|mut entries| entries.next().is_some()) {
        return true;
    }
    if let Some(packed) = packed_refs(&place) {
        let name = format!(" {folder}");
        return packed.lines().any(|line| line.contains(&name));
    }
    refs::refs(&Git::own(&place), &folder).map_or(true, |refs| !refs.is_empty())
}

/// The names of refs that are no files of their own; `None` where refs are kept otherwise, or that can't be read.
fn packed_refs(place: &GitPlace) -> Option<String> {
    if place.common_dir.join("reftable").symlink_metadata().is_ok() {
        return None;
    }
    match regular_file::read(place.common_dir.join("packed-refs")) {
        Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => (error.kind() == std::io::ErrorKind::NotFound).then(String::new),
    }
}

/// Whether a ref of a run holds what was found, and no checkpoint of the run's own.
fn is_found(name: &str, folder: &str) -> bool {
    let label = name.strip_prefix(folder).unwrap_or_default();
    ["kept-", "found", "undone-", labels::EDITED, labels::LEFT]
        .iter()
        .any(|beginning| label.starts_with(beginning))
}

/// Whether a ref of a run holds the tree as somebody left it before the run was gone on with.
fn is_met(name: &str, folder: &str) -> bool {
    name.strip_prefix(folder).is_some_and(|label| {
        label.starts_with("resumed") || label == "edited" || label.starts_with("edited.")
    })
}

fn grouped(own: &Git, prefix: &str) -> Result<BTreeMap<String, Vec<String>>, Trouble> {
    let mut by_run: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in refs::refs(own, prefix)?.into_keys() {
        // `refs/tdd/x` is no ref of a run.
        if let Some((run, _)) = name.strip_prefix(FOLDER).and_then(|rest| rest.split_once('/')) {
            by_run.entry(run.to_owned()).or_default().push(name);
        }
    }
    Ok(by_run)
}
