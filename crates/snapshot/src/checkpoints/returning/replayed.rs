//! Commits that git has made of known ones: one that takes a known commit out again. What it has to hold follows from them.

use super::super::GitCheckpoints;
use super::super::listing::is_name;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::GitSeen;
use tdd_core::trouble::Trouble;

/// Commits that one command makes.
const MOST: usize = 20;

impl GitCheckpoints {
    /// Whether this commit, and those between it and a known one, are just what git makes of known commits.
    pub(in crate::checkpoints) fn is_replayed(
        &self,
        known: (&CheckpointId, &GitSeen),
        commit: &CheckpointId,
    ) -> Result<bool, Trouble> {
        let mut commit = commit.clone();
        for _ in 0..MOST {
            let Ok([parent]) = <[CheckpointId; 1]>::try_from(self.parents(&commit)?) else {
                return Ok(false);
            };
            let Some((theirs, base)) = self.replays(&commit)? else { return Ok(false) };
            if !self.is_known(known, &theirs)? || !self.is_known(known, &base)? {
                return Ok(false);
            }
            let merged = self.merge_of(&parent, &theirs, Some(&base))?;
            if merged.is_none_or(|tree| self.tree_of(&commit).is_none_or(|own| own != tree)) {
                return Ok(false);
            }
            if self.is_known(known, &parent)? {
                return Ok(true);
            }
            commit = parent;
        }
        Ok(false)
    }

    /// What git says that this commit was made of: the other side and the base of a merge with its parent.
    fn replays(&self, commit: &CheckpointId) -> Result<Option<(CheckpointId, CheckpointId)>, Trouble> {
        let said =
            self.own_git().run(&["log", "-n1", "--no-show-signature", "--format=%B", &commit.0], b"")?;
        let message = String::from_utf8_lossy(&said).split_whitespace().collect::<Vec<_>>().join(" ");
        let named = |before: &str| {
            let word = message.split(before).nth(1)?.split(|c: char| !c.is_ascii_hexdigit()).next()?;
            is_name(word).then(|| CheckpointId(word.to_owned())).filter(|commit| self.own.holds(commit))
        };
        let parents = |commit: &CheckpointId| self.parents(commit);
        if let Some(reverted) = named("This reverts commit ") {
            let parents = parents(&reverted)?;
            let mainline = named("reversing changes made to ").filter(|side| parents.contains(side));
            let only = (parents.len() == 1).then(|| parents[0].clone());
            return Ok(mainline.or(only).map(|parent| (parent, reverted)));
        }
        let Some(picked) = named("(cherry picked from commit ") else { return Ok(None) };
        let parents = parents(&picked)?;
        Ok((parents.len() == 1).then(|| (picked, parents[0].clone())))
    }

    fn tree_of(&self, commit: &CheckpointId) -> Option<CheckpointId> {
        let name = format!("{commit}^{{tree}}");
        let said = self.own_git().ask(&["rev-parse", "--verify", "--quiet", &name], b"").ok()?;
        said.ok.then(|| CheckpointId(String::from_utf8_lossy(&said.stdout).trim().to_owned()))
    }
}
