//! What stashes hold, and what comes back from one.
//!
//! ```text
//! HEAD then ◄── the index ◄─┐
//!     ▲      (untracked) ◄──┴── the stash
//!     └─────────────────────────┘
//! ```

use std::collections::BTreeSet;

use super::super::listing::{is_name, objects};
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
/// Files of entries that are asked for together.
const MOST_ASKED: usize = 2000;
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
        let named = named.get(named.len().saturating_sub(MOST)..).unwrap_or_default();
        let asked: Vec<Vec<u8>> =
            named.iter().map(|name| format!("{name}^{{commit}}").into_bytes()).collect();
        let there = objects(&self.own, &asked).unwrap_or_default();
        there.into_iter().flatten().map(CheckpointId).collect()
    }

    /// Those of these paths that a stash has brought back, all of it or with the conflicts that git makes of it, where the
    /// stash was known or holds what a good state held.
    pub fn unstashed(
        &mut self,
        knowledge: &Knowledge<'_>,
        trees: (&CheckpointId, &CheckpointId),
        paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        let stashes = self.with_any(self.of(knowledge)?, paths)?;
        let head = if stashes.is_empty() { None } else { self.commit_of("HEAD")? };
        let Some(head) = head else { return Ok(Vec::new()) };
        for stash in stashes {
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

    /// Those that hold one of these paths otherwise than their base does: no other has brought any. One process of git's
    /// tells for all of them.
    fn with_any(&self, stashes: Vec<Stash>, paths: &[RelPath]) -> Result<Vec<Stash>, Trouble> {
        let is_long = stashes.len() * paths.len() > MOST_ASKED;
        if is_long || paths.iter().any(|path| path.as_str().contains('\n')) {
            return Ok(stashes);
        }
        let of_stash = |stash: &Stash| {
            let untracked = stash.untracked.as_ref().unwrap_or(&stash.base);
            [&stash.work, &stash.base, untracked].map(|commit| commit.0.clone())
        };
        let mut asked = Vec::new();
        for commits in stashes.iter().map(of_stash) {
            for path in paths {
                asked.extend(commits.iter().map(|commit| format!("{commit}:{path}").into_bytes()));
            }
        }
        let objects = objects(&self.own_git(), &asked)?;
        let mut each = objects.chunks((3 * paths.len()).max(1));
        let brings = |of_path: &[Option<String>]| matches!(of_path, [work, base, untracked] if work != base || (base.is_none() && untracked.is_some()));
        let has_any = |_: &Stash| each.next().is_some_and(|of_paths| of_paths.chunks(3).any(brings));
        Ok(stashes.into_iter().filter(has_any).collect())
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
