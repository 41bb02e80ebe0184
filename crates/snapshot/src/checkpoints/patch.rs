//! What changed between two checkpoints, as a patch that `git apply` takes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::git::{self, Git};
use super::import::quoted;
use super::listing;
use super::place::GitPlace;
use tdd_core::attempt::CheckpointId;
use tdd_core::excerpt;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// More than a person reads.
const MOST_OF_A_PATCH: usize = 64 * 1024;

/// The patch from one checkpoint to another, of these paths alone if any are given. No program that the
/// repository's settings or attributes name is started for it.
pub fn patch(
    repository: &Path,
    (from, to): (&CheckpointId, &CheckpointId),
    paths: &[RelPath],
) -> Result<Vec<u8>, Trouble> {
    let git = Git::own(&GitPlace::find(repository)?);
    let mut args = vec!["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--binary", "--find-renames"];
    args.extend(["--src-prefix=a/", "--dst-prefix=b/", &from.0, &to.0, "--"]);
    args.extend(paths.iter().map(RelPath::as_str));
    git.run(&args, b"")
}

/// The same for a person, from git on a folder of ours.
pub(super) fn shown(
    git: &Git,
    (from, to): (&CheckpointId, &CheckpointId),
    paths: &[RelPath],
) -> Result<String, Trouble> {
    let literal: Vec<String> = paths.iter().map(|path| format!(":(literal){path}")).collect();
    let mut args =
        vec!["diff-tree", "-p", "--no-ext-diff", "--no-textconv", "--no-color", &from.0, &to.0, "--"];
    args.extend(literal.iter().map(String::as_str));
    Ok(excerpt::head_and_tail(&String::from_utf8_lossy(&git.run(&args, b"")?), MOST_OF_A_PATCH))
}

/// A file as it is in a checkpoint; `None` where it holds none of that path.
pub fn file(repository: &Path, of: &CheckpointId, path: &RelPath) -> Result<Option<Vec<u8>>, Trouble> {
    let git = Git::own(&GitPlace::find(repository)?);
    let said = git.ask(&["cat-file", "blob", &format!("{}:{path}", of.0)], b"")?;
    Ok(said.ok.then_some(said.stdout))
}

/// Where a file of the work tree is the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameAs {
    First,
    Second,
    /// In both checkpoints it is the same; what the tree holds tells nothing.
    Both,
    Neither,
}

/// For each of these paths, which of two checkpoints has the file that lies in the work tree now, or lacks it
/// alike. Two programs are started, however many there are; nothing is written.
pub fn same_as(
    repository: &Path,
    checkpoints: [&CheckpointId; 2],
    paths: &[RelPath],
) -> Result<Vec<SameAs>, Trouble> {
    // A journal that somebody wrote to must not ask for anything else.
    if checkpoints.iter().any(|one| !listing::is_name(&one.0)) {
        return Err(Trouble::internal("a checkpoint's name is none"));
    }
    let git = Git::own(&GitPlace::find(repository)?);
    let (mut asked, mut there) = (Vec::new(), Vec::new());
    for path in paths.iter().filter(|path| !path.as_str().contains('\n')) {
        match std::fs::symlink_metadata(repository.join(path.as_str())) {
            Ok(found) if found.is_file() => there.push(path),
            // A link is no file, and says nothing of one.
            Ok(_) => continue,
            Err(_) => {}
        }
        asked.push(path);
    }
    let of_tree = objects_of_tree(&git, repository, &there)?;
    let mut input = String::new();
    for (path, one) in asked.iter().flat_map(|path| checkpoints.map(|one| (path, one))) {
        let _ = writeln!(input, "{one}:{path}");
    }
    let said = if asked.is_empty() {
        Vec::new()
    } else {
        git.run(&["cat-file", "--batch-check=%(objectname) %(objecttype)"], input.as_bytes())?
    };
    let said = String::from_utf8_lossy(&said);
    // What is not there is told as `<what was asked> missing`.
    let mut held = said.lines().map(|line| line.strip_suffix(" blob").filter(|name| listing::is_name(name)));
    let mut told = BTreeMap::new();
    for path in asked {
        let now = of_tree.get(path).map(String::as_str);
        let (first, second) = (held.next().flatten(), held.next().flatten());
        let same = match (now == first, now == second) {
            _ if first == second => SameAs::Both,
            (true, _) => SameAs::First,
            (_, true) => SameAs::Second,
            (false, false) => SameAs::Neither,
        };
        told.insert(path, same);
    }
    Ok(paths.iter().map(|path| told.get(path).copied().unwrap_or(SameAs::Both)).collect())
}

/// What git would call these files of the work tree, read as they are.
fn objects_of_tree<'p>(
    git: &Git,
    repository: &Path,
    paths: &[&'p RelPath],
) -> Result<BTreeMap<&'p RelPath, String>, Trouble> {
    let mut objects = BTreeMap::new();
    if paths.is_empty() {
        return Ok(objects);
    }
    let mut input = String::new();
    for path in paths {
        let on_disk = repository.join(path.as_str());
        let _ = writeln!(input, "{}", quoted(on_disk.as_os_str().as_encoded_bytes()));
    }
    let said = git.run(&["hash-object", "--no-filters", "--stdin-paths"], input.as_bytes())?;
    for (path, name) in paths.iter().zip(said.split(|byte| *byte == b'\n')) {
        objects.insert(*path, git::object_name(name, "hash-object")?);
    }
    Ok(objects)
}
