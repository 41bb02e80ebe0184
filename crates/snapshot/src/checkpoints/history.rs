//! What git's own history brings into the work tree: another branch, a merge. It was there before, so that
//! nobody has written it meanwhile.

use std::collections::BTreeSet;

use super::GitCheckpoints;
use super::git::{finish, object_name, refused};
use super::labels::ref_folder;
use super::listing;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::GitSeen;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// The last part of the ref's name.
const NAME: &str = "known";
/// More branches and tags than any repository of a person's has; beyond it none counts.
const MOST_TIPS: usize = 5000;
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
        if tips.len() > MOST_TIPS {
            return Ok(Some(GitSeen { known: head.clone(), head }));
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
        let known = CheckpointId(object_name(&said.stdout, "commit-tree")?);
        let name = format!("{}{NAME}", ref_folder(&self.run));
        super::refs::update(&self.own, &[(&name, &known)])?;
        self.refs.insert(name, known.clone());
        Ok(Some(GitSeen { head, known }))
    }

    /// Those of these paths that lie in `now` as HEAD's commit has them, or a side of its merge, where it has moved
    /// since `seen` to what was there then; and that were, in `before`, as HEAD had them.
    pub fn brought(
        &mut self,
        seen: &GitSeen,
        (before, now): (&CheckpointId, &CheckpointId),
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        let Some(head) = self.commit_of("HEAD")?.filter(|head| *head != seen.head) else {
            return Ok(Vec::new());
        };
        let mut sources = Vec::new();
        if self.leads_to(&seen.known, &head)? {
            sources.push(head);
        } else {
            let parents = self.parents(&head)?;
            for parent in &parents {
                if parents.len() < 2 || !self.leads_to(&seen.known, parent)? {
                    return Ok(Vec::new());
                }
            }
            sources = parents;
        }
        let dirty = self.differing(before, &seen.head)?;
        let others: Vec<BTreeSet<Vec<u8>>> =
            sources.iter().map(|source| self.differing(source, now)).collect::<Result<_, _>>()?;
        let is_brought = |path: &&RelPath| {
            let path = path.as_str().as_bytes();
            !dirty.contains(path) && others.iter().any(|differing| !differing.contains(path))
        };
        Ok(paths.iter().filter(is_brought).cloned().collect())
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
        let holds = paths.iter().any(|path| !differing.contains(path.as_str().as_bytes()));
        Ok(holds.then_some(head))
    }

    fn own_git(&self) -> super::Git {
        super::Git::own(&self.place)
    }

    fn commit_of(&self, name: &str) -> Result<Option<CheckpointId>, Trouble> {
        let said =
            self.own_git().ask(&["rev-parse", "--verify", "--quiet", &format!("{name}^{{commit}}")], b"")?;
        said.ok.then(|| object_name(&said.stdout, "rev-parse").map(CheckpointId)).transpose()
    }

    fn leads_to(&self, known: &CheckpointId, commit: &CheckpointId) -> Result<bool, Trouble> {
        Ok(self.own_git().ask(&["merge-base", "--is-ancestor", &commit.0, &known.0], b"")?.ok)
    }

    fn parents(&self, commit: &CheckpointId) -> Result<Vec<CheckpointId>, Trouble> {
        let said = self.own_git().run(&["rev-list", "--parents", "-n1", &commit.0], b"")?;
        let said = String::from_utf8_lossy(&said);
        Ok(said.split_whitespace().skip(1).map(|parent| CheckpointId(parent.to_owned())).collect())
    }

    fn differing(&self, from: &CheckpointId, to: &CheckpointId) -> Result<BTreeSet<Vec<u8>>, Trouble> {
        let differences = listing::differences(&self.own_git(), from, to)?;
        Ok(differences.into_iter().map(|difference| difference.path).collect())
    }
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
