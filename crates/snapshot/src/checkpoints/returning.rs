//! Going back: the tree's code is, as a whole, what it was in a state that is known, so that nothing in it is new. A file
//! alone is not gone back to: beside what was written since it would be a state that nobody has judged.

mod replayed;
mod stashes;

use std::collections::{BTreeMap, BTreeSet};

use super::{GitCheckpoints, holds, listing, shown};
use tdd_core::attempt::CheckpointId;
use tdd_core::event::GitSeen;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

pub use stashes::stash_label;

/// What a session knows.
pub struct Knowledge<'k> {
    /// What branches and tags led to when it began, and what git held when it was asked last.
    pub commits: (&'k CheckpointId, &'k GitSeen),
    /// HEAD when it began.
    pub began: &'k CheckpointId,
    /// Trees that were good.
    pub states: &'k [CheckpointId],
    /// Files of its own work, each with the tree before that.
    pub own: &'k BTreeMap<RelPath, CheckpointId>,
    /// Neither a test nor free.
    pub is_code: &'k dyn Fn(&RelPath) -> bool,
}

/// What differs between two trees.
type Differing = BTreeSet<Vec<u8>>;

impl GitCheckpoints {
    /// All of these paths, if the code of `now` is as a whole that of a good state or of HEAD's known commit, and nothing
    /// that `before` held is lost but the session's own work; else none.
    pub fn gone_back(
        &mut self,
        knowledge: &Knowledge<'_>,
        (before, now): (&CheckpointId, &CheckpointId),
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        let Some(held) = self.git_seen()? else { return Ok(Vec::new()) };
        let (_, seen) = knowledge.commits;
        let changed = self.differing(before, now)?;
        let mut states = self.with_change(knowledge, &changed, now)?;
        if self.is_known(knowledge.commits, &held.head)? {
            states.insert(0, &held.head);
        }
        let mut is_known = false;
        for state in states {
            // One that is gone from git is none.
            let Ok(differing) = self.differing(state, now) else { continue };
            if self.is_code_of(knowledge, (state, now), &differing, &changed) {
                is_known = true;
                break;
            }
        }
        if !is_known {
            return Ok(Vec::new());
        }
        let mut keepers = self.new_tips(seen, &held)?;
        keepers.extend([held.head.clone(), seen.head.clone(), knowledge.began.clone()]);
        keepers.extend(seen.laid.clone());
        let mut kept = Vec::new();
        for keeper in keepers {
            kept.extend(self.differing(&keeper, before).ok().map(|differing| (differing, keeper)));
        }
        for path in paths {
            let is_kept = self.is_in_one(&kept, path, before);
            if !is_kept && !self.is_own(knowledge, path, now) {
                return Ok(Vec::new());
            }
        }
        Ok(paths.to_vec())
    }

    /// The good states, the newest first, that have one of the changed files of code as `now` has it: no other can be what
    /// was gone back to, and one process of git's tells them apart, however many they are. A commit may differ by filters,
    /// a state of ours does not.
    fn with_change<'k>(
        &self,
        knowledge: &Knowledge<'k>,
        changed: &Differing,
        now: &CheckpointId,
    ) -> Result<Vec<&'k CheckpointId>, Trouble> {
        let all = knowledge.states.iter().rev();
        let is_asked = |path: &&Vec<u8>| (knowledge.is_code)(&shown(path)) && !path.contains(&b'\n');
        let Some(path) = changed.iter().find(is_asked) else { return Ok(all.collect()) };
        let asked: Vec<Vec<u8>> = std::iter::once(now)
            .chain(all.clone())
            .map(|state| [state.0.as_bytes(), b":", path].concat())
            .collect();
        let objects = listing::objects(&self.own_git(), &asked)?;
        let (own, others) = objects.split_first().unwrap_or((&None, &[]));
        Ok(all.zip(others).filter(|(_, object)| *object == own).map(|(state, _)| state).collect())
    }

    /// Whether nothing that differs is code. What lies in a submodule is not compared with a commit, which has one name
    /// for all of it; it must not have changed.
    fn is_code_of(
        &mut self,
        knowledge: &Knowledge<'_>,
        (state, now): (&CheckpointId, &CheckpointId),
        differing: &Differing,
        changed: &Differing,
    ) -> bool {
        differing.iter().all(|path| {
            let is_apart = self.rules.submodule(path).is_some() && !changed.contains(path);
            let path = shown(path);
            is_apart || !(knowledge.is_code)(&path) || self.differ_by_filters(&path, state, now)
        })
    }

    /// Whether one of these commits or trees has the file as `tree` does.
    fn is_in_one(&mut self, kept: &[(Differing, CheckpointId)], path: &RelPath, tree: &CheckpointId) -> bool {
        kept.iter().any(|(differing, keeper)| !holds(differing, path) || self.is_as_laid(path, keeper, tree))
    }

    /// Whether the file holds the session's own work, and what was there before that is in a commit or in `now`.
    fn is_own(&mut self, knowledge: &Knowledge<'_>, path: &RelPath, now: &CheckpointId) -> bool {
        let Some(base) = knowledge.own.get(path) else { return false };
        let (_, seen) = knowledge.commits;
        for keeper in [now, &seen.head, knowledge.began] {
            let Ok(differing) = self.differing(keeper, base) else { continue };
            if self.is_in_one(&[(differing, keeper.clone())], path, base) {
                return true;
            }
        }
        self.contents.read(base, path).is_ok_and(|bytes| bytes.is_none())
    }
}
