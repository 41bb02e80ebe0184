//! What git's own history brings into the work tree: another branch, a merge. It was there before, so that
//! nobody has written it meanwhile.

use std::collections::BTreeSet;
use std::path::Path;

use super::filters;
use super::git::{Git, finish, object_name, refused};
use super::labels::ref_folder;
use super::listing;
use super::{GitCheckpoints, holds, shown};
use tdd_child::regular_file;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::GitSeen;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// The last part of the ref's name.
const NAME: &str = "known";
/// More branches and tags than any repository of a person's has; beyond it none counts.
const MOST_TIPS: usize = 5000;
/// Branches of a turn that are looked into for what would be lost.
const MOST_KEEPERS: usize = 8;
/// Commits that are looked at for the newest good one.
const MOST_COMMITS: usize = 10;
const LONG_AGO: &str = "1000000000 +0000";

impl GitCheckpoints {
    /// Where HEAD is, and all commits that branches and tags lead to, as the parents of one that a ref holds.
    /// `None` where HEAD leads to no commit.
    pub fn git_seen(&mut self) -> Result<Option<GitSeen>, Trouble> {
        let Some(head) = self.commit_of("HEAD")? else { return Ok(None) };
        let words =
            ["for-each-ref", "--format=%(refname) %(objecttype) %(objectname) %(*objecttype) %(*objectname)"];
        let listed = self.own_git().run(&words, b"")?;
        let mut tips: BTreeSet<String> =
            String::from_utf8_lossy(&listed).lines().filter_map(tip).map(str::to_owned).collect();
        tips.insert(head.0.clone());
        tips.extend(self.stashes().into_iter().map(|stash| stash.0));
        if tips.len() > MOST_TIPS {
            tips = BTreeSet::from([head.0.clone()]);
        }
        if let Some((of, commit)) = &self.tips
            && *of == tips
        {
            return self.seen_at(head, commit.clone()).map(Some);
        }
        let tree = self.private.run(&["mktree"], b"")?;
        let tree = object_name(&tree, "mktree")?;
        let mut command = self.private.command();
        // The same commits give the same one.
        command.env("GIT_AUTHOR_DATE", LONG_AGO).env("GIT_COMMITTER_DATE", LONG_AGO);
        command.args(["commit-tree", "-m", "tdd: known", tree.as_str()]);
        command.args(tips.iter().flat_map(|tip| ["-p", tip.as_str()]));
        let said = finish(command, b"", "commit-tree")?;
        if !said.ok {
            return Err(refused(&["commit-tree"], &said.stderr));
        }
        let commit = CheckpointId(object_name(&said.stdout, "commit-tree")?);
        self.tips = Some((tips, commit.clone()));
        self.seen_at(head, commit).map(Some)
    }

    fn seen_at(&mut self, head: CheckpointId, tips: CheckpointId) -> Result<GitSeen, Trouble> {
        let name = format!("{}{NAME}", ref_folder(&self.run));
        if self.refs.get(&name) != Some(&tips) {
            super::refs::update(&self.own, &[(&name, &tips)])?;
            self.refs.insert(name, tips.clone());
        }
        let laid = self.laid(&head)?;
        let work_trees = self.linked_work_trees();
        Ok(GitSeen { head, tips, trusted: Vec::new(), laid, unjudged: None, work_trees })
    }

    /// The folders in this tree that are other work trees of the repository: git's folder and they name each other.
    pub fn linked_work_trees(&self) -> Vec<RelPath> {
        let Ok(entries) = std::fs::read_dir(self.place.common_dir.join("worktrees")) else {
            return Vec::new();
        };
        let top = self.place.work_tree.as_path();
        let linked = |administration: &Path| {
            let pointer = text(&administration.join("gitdir"))?;
            let pointer = administration.join(pointer);
            let own = pointer.strip_prefix(top).ok()?.parent()?;
            let back = text(&pointer)?;
            let back = pointer.parent()?.join(back.strip_prefix("gitdir:")?.trim());
            let is_its = back.canonicalize().ok()? == administration.canonicalize().ok()?;
            RelPath::new(own.to_str()?).filter(|_| is_its)
        };
        let mut found: Vec<RelPath> = entries.flatten().filter_map(|entry| linked(&entry.path())).collect();
        found.sort();
        found
    }

    /// The tips that have come since.
    pub fn new_tips(&self, before: &GitSeen, now: &GitSeen) -> Result<Vec<CheckpointId>, Trouble> {
        if before.tips == now.tips {
            return Ok(Vec::new());
        }
        let old = self.parents(&before.tips)?;
        Ok(self.parents(&now.tips)?.into_iter().filter(|tip| !old.contains(tip)).collect())
    }

    /// Those of these paths that lie in `now` as HEAD's commit has them, or a side of its merge, where that is known:
    /// one that a tip of `known` leads to, or one that is trusted. What they were in `before` is not lost: HEAD has
    /// moved since `seen` and had them so, or a branch holds them that has come since.
    pub fn brought(
        &mut self,
        (known, seen): (&CheckpointId, &GitSeen),
        (before, now): (&CheckpointId, &CheckpointId),
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        let Some(held) = self.git_seen()? else { return Ok(Vec::new()) };
        let is_known = |commit: &CheckpointId| self.is_known((known, seen), commit);
        let mut sources = vec![held.head.clone()];
        if !is_known(&sources[0])? && !self.is_replayed((known, seen), &sources[0])? {
            sources = self.parents(&sources[0])?;
            for parent in &sources {
                if sources.len() < 2 || !is_known(parent)? {
                    return Ok(Vec::new());
                }
            }
        }
        let mut keepers = self.new_tips(seen, &held)?;
        keepers.truncate(MOST_KEEPERS);
        keepers.extend((held.head != seen.head).then(|| seen.head.clone()));
        if keepers.is_empty() {
            return Ok(Vec::new());
        }
        let versions = |this: &Self, commits: Vec<CheckpointId>, tree| {
            let differing = |commit: CheckpointId| Ok((this.differing(&commit, tree)?, commit));
            commits.into_iter().map(differing).collect::<Result<Vec<_>, Trouble>>()
        };
        let (keepers, sources) = (versions(self, keepers, before)?, versions(self, sources, now)?);
        let mut brought = Vec::new();
        for path in paths {
            let mut has = |versions: &[(BTreeSet<Vec<u8>>, CheckpointId)], tree| {
                versions.iter().any(|(differing, commit)| {
                    !holds(differing, path) || self.differ_by_filters(path, commit, tree)
                })
            };
            if has(&keepers, before) && has(&sources, now) {
                brought.push(path.clone());
            }
        }
        Ok(brought)
    }

    /// Those of these paths that lie in one tree as in the other.
    pub fn same_in(
        &mut self,
        one: &CheckpointId,
        other: &CheckpointId,
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        let differing = self.differing(one, other)?;
        Ok(paths.iter().filter(|path| !holds(&differing, path)).cloned().collect())
    }

    pub(super) fn same_in_head(
        &mut self,
        tree: &CheckpointId,
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        match self.commit_of("HEAD")? {
            Some(head) => self.same_in(&head, tree, paths),
            None => Ok(Vec::new()),
        }
    }

    /// Where HEAD is, if it has moved since and has any of these files as they are in `now`.
    pub fn head_holds(
        &mut self,
        seen: &GitSeen,
        now: &CheckpointId,
        paths: &[RelPath],
    ) -> Result<Option<CheckpointId>, Trouble> {
        let Some(head) = self.commit_of("HEAD")?.filter(|head| *head != seen.head) else { return Ok(None) };
        let differing = self.differing(&head, now)?;
        let holds =
            paths.iter().any(|path| !holds(&differing, path) || self.differ_by_filters(path, &head, now));
        Ok(holds.then_some(head))
    }

    /// Whether it joins what others have committed.
    pub fn is_merge(&self, commit: &CheckpointId) -> bool {
        self.parents(commit).is_ok_and(|parents| parents.len() > 1)
    }

    /// What HEAD has been given since `seen`, and has otherwise than `tree`, which was judged.
    pub fn unjudged(
        &mut self,
        seen: &GitSeen,
        head: &CheckpointId,
        tree: &CheckpointId,
    ) -> Result<Vec<RelPath>, Trouble> {
        let differing = self.differing(head, tree)?;
        let given = self.differing(&seen.head, head)?;
        let paths = given.intersection(&differing).map(|path| shown(path));
        let paths: Vec<RelPath> = paths.collect();
        Ok(paths.into_iter().filter(|path| !self.differ_by_filters(path, head, tree)).collect())
    }

    /// The newest commit before HEAD's that gave, since `since`, nothing but what one of these trees has; `since` itself
    /// where there is none.
    pub fn last_judged(
        &mut self,
        since: &CheckpointId,
        head: &CheckpointId,
        trees: &[CheckpointId],
    ) -> Result<CheckpointId, Trouble> {
        let (most, range) = (format!("-n{MOST_COMMITS}"), format!("{since}..{head}"));
        let said = self.own_git().ask(&["rev-list", "--first-parent", &most, &range], b"")?;
        let commits = String::from_utf8_lossy(&said.stdout).into_owned();
        for commit in commits.split_whitespace().skip(1).map(|name| CheckpointId(name.to_owned())) {
            let given = self.differing(since, &commit)?;
            for tree in trees {
                if self.differing(&commit, tree)?.is_disjoint(&given) {
                    return Ok(commit);
                }
            }
        }
        Ok(since.clone())
    }

    /// Whether a file of a commit is the same as the tree has it, but for what git's filters make of it.
    pub(super) fn differ_by_filters(
        &mut self,
        path: &RelPath,
        commit: &CheckpointId,
        tree: &CheckpointId,
    ) -> bool {
        let mut read = |at| self.contents.read(at, path).ok().flatten();
        match (read(commit), read(tree)) {
            (Some(committed), Some(laid)) => filters::are_same(&committed, &laid),
            _ => false,
        }
    }

    pub(super) fn own_git(&self) -> Git {
        Git::own(&self.place)
    }

    pub(super) fn commit_of(&self, name: &str) -> Result<Option<CheckpointId>, Trouble> {
        let said =
            self.own_git().ask(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")], b"")?;
        said.ok.then(|| object_name(&said.stdout, "rev-parse").map(CheckpointId)).transpose()
    }

    /// Whether a tip of `known` leads to this commit, or it is trusted.
    pub(super) fn is_known(
        &self,
        (known, seen): (&CheckpointId, &GitSeen),
        commit: &CheckpointId,
    ) -> Result<bool, Trouble> {
        Ok(seen.trusted.contains(commit) || self.leads_to(known, commit)?)
    }

    fn leads_to(&self, known: &CheckpointId, commit: &CheckpointId) -> Result<bool, Trouble> {
        Ok(self.own_git().ask(&["merge-base", "--is-ancestor", &commit.0, &known.0], b"")?.ok)
    }

    pub(super) fn parents(&self, commit: &CheckpointId) -> Result<Vec<CheckpointId>, Trouble> {
        let said = self.own_git().run(&["rev-list", "--parents", "-n1", &commit.0], b"")?;
        let said = String::from_utf8_lossy(&said);
        Ok(said.split_whitespace().skip(1).map(|parent| CheckpointId(parent.to_owned())).collect())
    }

    /// The same of many, by one process; in their order.
    pub(super) fn parents_of_all(
        &self,
        commits: &[CheckpointId],
    ) -> Result<Vec<(CheckpointId, Vec<CheckpointId>)>, Trouble> {
        if commits.is_empty() {
            return Ok(Vec::new());
        }
        let asked: Vec<&str> = commits.iter().map(|commit| commit.0.as_str()).collect();
        let asked = asked.join("\n");
        let words = ["rev-list", "--no-walk=unsorted", "--parents", "--stdin"];
        let said = self.own_git().run(&words, asked.as_bytes())?;
        let of_line = |line: &str| {
            let mut names = line.split(' ').map(|name| CheckpointId(name.to_owned()));
            names.next().map(|commit| (commit, names.collect()))
        };
        Ok(String::from_utf8_lossy(&said).lines().filter_map(of_line).collect())
    }

    pub(super) fn differing(
        &self,
        from: &CheckpointId,
        to: &CheckpointId,
    ) -> Result<BTreeSet<Vec<u8>>, Trouble> {
        let differences = listing::differences(&self.own_git(), from, to)?;
        Ok(differences.into_iter().map(|difference| difference.path).collect())
    }
}

fn text(path: &Path) -> Option<String> {
    Some(String::from_utf8(regular_file::read(path).ok()?).ok()?.trim().to_owned())
}

/// The commit of one line; none of what `tdd` keeps, and of tags of other objects.
fn tip(line: &str) -> Option<&str> {
    let parts: Vec<&str> = line.split(' ').collect();
    match *parts.as_slice() {
        [name, ..] if name.starts_with("refs/tdd/") => None,
        [_, "commit", commit, ..] | [_, "tag", _, "commit", commit] => Some(commit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_and_tags_lead_to_commits() {
        for (line, want) in [
            ("refs/heads/main commit c1  ", Some("c1")),
            ("refs/tags/v1 tag t1 commit c2", Some("c2")),
            ("refs/tags/light commit c3  ", Some("c3")),
            ("refs/tags/of-a-blob blob b1  ", None),
            ("refs/tags/of-a-tree tag t2 tree x", None),
            ("refs/tdd/s-1/seen commit c4  ", None),
            ("", None),
        ] {
            assert_eq!(tip(line), want, "{line}");
        }
    }
}
