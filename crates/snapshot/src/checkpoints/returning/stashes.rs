//! What stashes hold, and what comes back from one.
//!
//! ```text
//! HEAD then ◄── the index ◄─┐
//!     ▲      (untracked) ◄──┴── the stash
//!     └─────────────────────────┘
//! ```

use std::collections::BTreeSet;

use super::super::listing::is_name;
use super::super::{GitCheckpoints, shown};
use super::Knowledge;
use tdd_child::regular_file;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::GitSeen;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_core::trouble::Trouble;

/// The newest entries.
const MOST: usize = 20;
/// What is read of git's list of them.
const LARGEST_LIST: u64 = 1 << 20;

/// One entry, by its commits.
struct Stash {
    base: CheckpointId,
    work: CheckpointId,
    untracked: Option<CheckpointId>,
}

/// The label under which one is kept that git has dropped.
pub fn stash_label(stash: &CheckpointId) -> String {
    format!("stash-{}", stash.0.get(..12).unwrap_or(&stash.0))
}

impl GitCheckpoints {
    /// The entries that git lists now, the newest last.
    pub(in crate::checkpoints) fn stashes(&self) -> Vec<CheckpointId> {
        let at = self.place.common_dir.join("logs/refs/stash");
        let list = regular_file::head(&at, LARGEST_LIST).unwrap_or_default();
        let list = String::from_utf8_lossy(&list);
        let named = list.lines().filter_map(|line| line.split(' ').nth(1)).filter(|name| is_name(name));
        let named: Vec<&str> = named.collect();
        let newest = named.into_iter().rev().take(MOST).map(|name| CheckpointId(name.to_owned()));
        let mut there: Vec<CheckpointId> = newest.filter(|stash| self.own.holds(stash)).collect();
        there.reverse();
        there
    }

    /// Those of these paths that a stash has brought back, all of it or with the conflicts that git makes of it, where the
    /// stash was known or holds what a good state held.
    pub fn unstashed(
        &mut self,
        knowledge: &Knowledge<'_>,
        trees: (&CheckpointId, &CheckpointId),
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        let Some(head) = self.commit_of("HEAD")? else { return Ok(Vec::new()) };
        for stash in self.of(knowledge)? {
            if !self.is_known(knowledge.commits, &stash.base)? {
                continue;
            }
            let Some(merged) = self.merge_of(&head, &stash.work, Some(&stash.base))? else { continue };
            let Some(mut brought) = self.laid_whole((&head, &merged), trees)? else { continue };
            if let Some(untracked) = &stash.untracked {
                let files = self.files(untracked)?;
                if self.same_in(untracked, trees.1, &files)?.len() != files.len() {
                    continue;
                }
                brought.extend(files);
            }
            brought.retain(|path| paths.contains(path));
            if !brought.is_empty() && self.is_known_stash(knowledge, &stash)? {
                return Ok(brought);
            }
        }
        Ok(Vec::new())
    }

    /// The entries that git listed when it was asked last and does not list now, each kept by a ref from now on.
    pub fn dropped_stashes(&mut self, seen: &GitSeen) -> Result<Vec<CheckpointId>, Trouble> {
        let there = self.stashes();
        let mut listed = self.parents(&seen.tips)?;
        listed.retain(|tip| !there.contains(tip));
        let mut dropped = Vec::new();
        for Stash { work, .. } in self.among(&listed)? {
            self.label(&stash_label(&work), &work)?;
            dropped.push(work);
        }
        self.write_labels()?;
        Ok(dropped)
    }

    /// Those that are known of, the newest first.
    fn of(&self, knowledge: &Knowledge<'_>) -> Result<Vec<Stash>, Trouble> {
        let (began, seen) = knowledge.commits;
        let mut tips = self.parents(&seen.tips)?;
        tips.extend(self.parents(began)?);
        tips.extend(seen.trusted.iter().cloned());
        let mut is_new = BTreeSet::new();
        tips.retain(|tip| is_new.insert(tip.0.clone()));
        let mut stashes = self.among(&tips)?;
        stashes.reverse();
        stashes.truncate(MOST);
        Ok(stashes)
    }

    /// Those of these commits that have the shape of an entry.
    fn among(&self, commits: &[CheckpointId]) -> Result<Vec<Stash>, Trouble> {
        let mut found = Vec::new();
        for (work, parents) in self.parents_of_all(commits)? {
            if let [base, index, untracked @ ..] = parents.as_slice()
                && untracked.len() < 2
            {
                let untracked = untracked.first().cloned();
                found.push((Stash { base: base.clone(), work, untracked }, index.clone()));
            }
        }
        let indexes: Vec<CheckpointId> = found.iter().map(|(_, index)| index.clone()).collect();
        let above = self.parents_of_all(&indexes)?;
        let is_its = |(stash, index): &(Stash, CheckpointId)| {
            above.iter().any(|(commit, parents)| commit == index && *parents == [stash.base.clone()])
        };
        Ok(found.into_iter().filter(is_its).map(|(stash, _)| stash).collect())
    }

    /// Whether the stash was known itself, or one good state had all of its code.
    fn is_known_stash(&mut self, knowledge: &Knowledge<'_>, stash: &Stash) -> Result<bool, Trouble> {
        if self.is_known(knowledge.commits, &stash.work)? {
            return Ok(true);
        }
        let changed = self.differing(&stash.base, &stash.work)?;
        let code = |path: &RelPath| (knowledge.is_code)(path);
        let tracked: Vec<RelPath> = changed.iter().map(|path| shown(path)).filter(&code).collect();
        let untracked = match &stash.untracked {
            Some(untracked) => self.files(untracked)?.into_iter().filter(&code).collect(),
            None => Vec::new(),
        };
        for state in knowledge.states.iter().rev() {
            let Ok(same) = self.same_in(&stash.work, state, &tracked) else { continue };
            let rest = tracked.iter().filter(|path| !same.contains(path));
            let rest: Vec<&RelPath> = rest.collect();
            let is_tracked = rest.into_iter().all(|path| self.differ_by_filters(path, &stash.work, state));
            let is_untracked = match &stash.untracked {
                Some(commit) => self.same_in(commit, state, &untracked)?.len() == untracked.len(),
                None => true,
            };
            if is_tracked && is_untracked {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
