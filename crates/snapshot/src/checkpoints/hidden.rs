//! What of a run's snapshots no role is to see: git objects that hold held-out tests.
//!
//! A role may read git's folder, because it works with git. Where a sandbox holds it, these objects and the refs of
//! all runs are not there for it; everybody else's git sees them, so that nothing of the repository is ever broken.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::edit::Permissions;
use super::git::Git;
use super::place::GitPlace;
use super::refs::OurRefs;
use super::{GitCheckpoints, disk};
use tdd_child::regular_file;
use tdd_child::sandbox::OutOfSight;
use tdd_core::attempt::CheckpointId;
use tdd_core::isolation::Level;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

impl GitCheckpoints {
    /// Tells what is hidden to whoever makes the fences.
    #[must_use = "this returns the checkpoints that hide"]
    pub fn hiding(mut self, hidden: OutOfSight) -> Self {
        self.hidden = hidden;
        self
    }

    pub(super) fn hide_objects(
        &mut self,
        whole: &CheckpointId,
        open: &[CheckpointId],
    ) -> Result<usize, Trouble> {
        if self.level == Level::Audit {
            return Ok(0);
        }
        let found = find(&self.place, &self.private, (&self.refs, whole), open)?;
        self.hidden.tell(found.paths);
        Ok(found.in_packs)
    }

    pub(super) fn write_files(&self, files: &[(RelPath, Option<Vec<u8>>)]) -> Result<(), Trouble> {
        for (path, text) in files {
            let failed = |error: std::io::Error| disk(&self.place.work_tree.join(path.as_str()), &error);
            let bytes = path.as_str().as_bytes();
            match text {
                Some(text) => {
                    let may_run = self.tree.permissions(bytes).is_some_and(|bits| bits & 0o111 != 0);
                    let permissions = if may_run { Permissions::Executable } else { Permissions::Plain };
                    self.tree.put_file(bytes, permissions, |file| file.write_all(text)).map_err(failed)?;
                }
                None => self.tree.remove(bytes).map_err(failed)?,
            }
        }
        Ok(())
    }
}

/// Where they lie, and how many of them can't be hidden.
pub(super) struct Found {
    pub(super) paths: Vec<PathBuf>,
    pub(super) in_packs: usize,
}

/// Objects of our snapshots that are in neither of the `open` ones.
pub(super) fn find(
    place: &GitPlace,
    git: &Git,
    (ours, whole): (&OurRefs, &CheckpointId),
    open: &[CheckpointId],
) -> Result<Found, Trouble> {
    let objects = only_in_ours((place, git), (ours, whole), open)?;
    let folder = place.common_dir.join("objects");
    let mut paths = Vec::new();
    let mut packed: BTreeSet<String> = BTreeSet::new();
    for object in objects {
        let (first, rest) = object.split_at(2.min(object.len()));
        let path = folder.join(first).join(rest);
        if path.is_file() {
            paths.push(path);
        } else {
            packed.insert(object);
        }
    }
    let (of_packs, in_packs) = own_packs(git, &folder, packed)?;
    paths.extend(of_packs);
    let refs = place.common_dir.join("refs/tdd");
    paths.extend(refs.is_dir().then_some(refs));
    Ok(Found { paths, in_packs })
}

fn only_in_ours(
    (place, git): (&GitPlace, &Git),
    (ours, whole): (&OurRefs, &CheckpointId),
    open: &[CheckpointId],
) -> Result<BTreeSet<String>, Trouble> {
    let is_open = |commit: &CheckpointId| open.contains(commit);
    let commits: BTreeSet<&CheckpointId> = ours.values().chain([whole]).filter(|one| !is_open(one)).collect();
    let mut asked = String::new();
    for commit in commits {
        asked.push_str(&commit.0);
        asked.push_str("^{tree}\n");
    }
    for commit in open {
        let _ = writeln!(asked, "^{}^{{tree}}", commit.0);
    }
    // What a person has committed is theirs, and a role works with it.
    let head = Git::own(place).ask(&["rev-parse", "--quiet", "--verify", "HEAD^{tree}"], b"")?;
    if head.ok {
        let _ = writeln!(asked, "^{}", String::from_utf8_lossy(&head.stdout).trim());
    }
    let args = ["rev-list", "--objects", "--no-object-names", "--stdin"];
    let said = git.run(&args, asked.as_bytes())?;
    let said = String::from_utf8_lossy(&said);
    Ok(said.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// Packs that hold such objects and nothing that HEAD needs: those that our own snapshots came in.
fn own_packs(
    git: &Git,
    folder: &Path,
    mut packed: BTreeSet<String>,
) -> Result<(Vec<PathBuf>, usize), Trouble> {
    let mut paths = Vec::new();
    if packed.is_empty() {
        return Ok((paths, 0));
    }
    let entries = std::fs::read_dir(folder.join("pack")).into_iter().flatten().flatten();
    let indexes =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|it| it == "idx"));
    for index in indexes {
        let bytes = regular_file::read(&index).unwrap_or_default();
        let said = git.ask(&["show-index"], &bytes)?;
        let text = String::from_utf8_lossy(&said.stdout).into_owned();
        let held: BTreeSet<&str> = text.lines().filter_map(|line| line.split(' ').nth(1)).collect();
        let is_ours = !held.iter().any(|object| is_a_persons(git, object));
        let hit: Vec<String> =
            packed.iter().filter(|object| held.contains(object.as_str())).cloned().collect();
        if hit.is_empty() || !is_ours {
            continue;
        }
        packed.retain(|object| !hit.contains(object));
        let kinds = ["idx", "pack", "rev"].map(|kind| index.with_extension(kind));
        paths.extend(kinds.into_iter().filter(|path| path.is_file()));
    }
    Ok((paths, packed.len()))
}

/// A commit that is none of ours.
fn is_a_persons(git: &Git, object: &str) -> bool {
    let said = git.ask(&["cat-file", "commit", object], b"");
    said.is_ok_and(|said| {
        said.ok && !String::from_utf8_lossy(&said.stdout).contains("\ncommitter tdd <tdd@localhost>")
    })
}
