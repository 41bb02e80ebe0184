//! What git was in the midst of when it was found, and is no longer: a merge, a rebase, a bisection. Its files
//! are kept as one commit, whose parents are the commits that they name: a stash of git's own (autostash) is
//! named by nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::git::{self, Git};
use super::git_files::put_back_or_say;
use super::git_files::{self, Copied, Copies, Differs};
use super::walk::full_path;
use tdd_core::trouble::Trouble;

/// Objects that are asked for: a rebase names its commits in some files, each in a line of its own.
const MOST_NAMED: usize = 200;
/// Files in which more than a name and a line of words is no list of commits.
const LARGEST_LIST: usize = 1 << 20;
/// Where git keeps a stash of its own.
const AUTOSTASHES: [&[u8]; 3] = [b"rebase-merge/autostash", b"rebase-apply/autostash", b"MERGE_AUTOSTASH"];

/// What git is in the midst of now and was not before, of what differs in its folder.
pub(super) fn found(git_dir: &Path, differing: &[(Vec<u8>, Differs)]) -> Result<Copies, Trouble> {
    let mut midst = Copies::new();
    for (path, differs) in differing {
        let is_other = ["HEAD", "index", "commondir"].iter().any(|name| path == name.as_bytes());
        if *differs == Differs::Gone || is_other {
            continue;
        }
        let Ok(about) = std::fs::symlink_metadata(full_path(git_dir, path)) else { continue };
        if let Some(copied) = git_files::copy_one(git_dir, path, &about)? {
            midst.insert(path.clone(), copied);
        }
    }
    Ok(midst)
}

/// Removes folders of which no file is left, and was none before: git takes one for an operation that is open.
pub(super) fn remove_empty(git_dir: &Path, before: &Copies) -> Result<(), Trouble> {
    for name in ["rebase-merge", "rebase-apply", "sequencer"] {
        let was_there = before.keys().any(|path| top_of(path) == name.as_bytes());
        if !was_there && git_files::names(git_dir, name)?.is_empty() {
            put_back_or_say(git_dir, name.as_bytes(), None)?;
        }
    }
    Ok(())
}

/// The folder that a file of git's lies in, or the file itself.
pub(super) fn top_of(path: &[u8]) -> &[u8] {
    path.split(|byte| *byte == b'/').next().unwrap_or(path)
}

/// Makes the commit.
pub(super) fn commit(git: &Git, files: &Copies) -> Result<String, Trouble> {
    let entries: Vec<(&[u8], &[u8])> =
        files.iter().map(|(path, file)| (path.as_slice(), bytes(file))).collect();
    let tree = tree(git, &entries)?;
    let mut args = vec!["commit-tree".to_owned(), tree];
    for parent in named(git, files)? {
        args.extend(["-p".to_owned(), parent]);
    }
    let said = git.run(&args, b"tdd: what git was in the midst of")?;
    git::object_name(&said, "commit-tree")
}

/// How a person gets back what git itself had stashed.
pub(super) fn autostash(files: &Copies) -> Option<String> {
    let found = AUTOSTASHES.iter().find_map(|name| files.get(*name))?;
    let stash = objects(bytes(found)).into_iter().next()?;
    Some(format!("what git had stashed for it: git stash apply {stash}"))
}

fn bytes(file: &Copied) -> &[u8] {
    match file {
        Copied::File { bytes, .. } => bytes,
        Copied::Link(target) => target,
    }
}

/// A file's path and bytes.
type Entry<'f> = (&'f [u8], &'f [u8]);

/// Writes files and the folders that they lie in as a tree.
fn tree(git: &Git, files: &[Entry<'_>]) -> Result<String, Trouble> {
    let mut lines: Vec<u8> = Vec::new();
    let mut folders: BTreeMap<&[u8], Vec<Entry<'_>>> = BTreeMap::new();
    let mut add = |kind: &str, object: &str, name: &[u8]| {
        lines.extend([format!("{kind} {object}\t").as_bytes(), name, b"\0"].concat());
    };
    for (path, bytes) in files {
        if let Some(slash) = path.iter().position(|byte| *byte == b'/') {
            folders.entry(&path[..slash]).or_default().push((&path[slash + 1..], bytes));
        } else {
            let object = git.run(&["hash-object", "-w", "--stdin"], bytes)?;
            add("100644 blob", &git::object_name(&object, "hash-object")?, path);
        }
    }
    for (name, files) in folders {
        add("040000 tree", &tree(git, &files)?, name);
    }
    git::object_name(&git.run(&["mktree", "-z"], &lines)?, "mktree")
}

/// The commits that these files name.
fn named(git: &Git, files: &Copies) -> Result<Vec<String>, Trouble> {
    let lists = files.values().map(bytes).filter(|bytes| bytes.len() < LARGEST_LIST);
    let mut all: BTreeSet<String> = lists.flat_map(objects).take(MOST_NAMED).collect();
    let asked: Vec<String> = all.iter().map(|object| format!("{object}^{{commit}}\n")).collect();
    let said = git.run(&["cat-file", "--batch-check=%(objectname)"], asked.concat().as_bytes())?;
    let there = String::from_utf8_lossy(&said);
    let there: BTreeSet<&str> = there.lines().collect();
    all.retain(|object| there.contains(object.as_str()));
    Ok(all.into_iter().collect())
}

/// Words that can be whole names of objects.
fn objects(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let is_object =
        |word: &&str| matches!(word.len(), 40 | 64) && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.split_whitespace().filter(is_object).map(str::to_owned).collect()
}
