//! Commits that git has made of known ones, as a revert, a pick, a rebase and a squashed merge do. What they have to hold
//! follows from known commits:
//!
//! ```text
//! one by one    each has the tree that a merge of its parent with what it was made of gives; that is told by its
//!               message, or by its author, time and first line, which git takes over
//! as a whole    the last one has the tree that a merge of the known commit below them with another known one gives
//! ```

use super::super::GitCheckpoints;
use super::super::listing::is_name;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::GitSeen;
use tdd_core::trouble::Trouble;

/// Commits that one command makes, of which each is looked at.
const MOST: usize = 20;
/// And as a whole.
const MOST_TOGETHER: usize = 500;
/// The newest known commits that one may have been made of.
const MOST_SOURCES: &str = "5000";
/// Known commits with which a merge is tried.
const MOST_SIDES: usize = 16;
/// What git takes over from the commit that it replays.
const TAKEN_OVER: &str = "%an %ae %at %s";

/// Commits, the newest first and each with its parent, and the known one below them.
type Row = (Vec<(CheckpointId, CheckpointId)>, CheckpointId);

impl GitCheckpoints {
    /// Whether this commit, and those between it and a known one, are just what git makes of known commits.
    pub(in crate::checkpoints) fn is_replayed(
        &self,
        known: (&CheckpointId, &GitSeen),
        commit: &CheckpointId,
    ) -> Result<bool, Trouble> {
        let Some((new, below)) = self.made_since(known, commit)? else { return Ok(false) };
        let mut is_each = new.len() <= MOST;
        for (commit, parent) in &new {
            is_each = is_each && self.is_made_of_known(known, (commit, parent))?;
        }
        Ok(is_each || self.is_merged(known, (&below, commit))?)
    }

    /// The commits from this one down to a known one; `None` where they are no row.
    fn made_since(
        &self,
        known: (&CheckpointId, &GitSeen),
        commit: &CheckpointId,
    ) -> Result<Option<Row>, Trouble> {
        let (tips, seen) = known;
        let most = format!("--max-count={}", MOST_TOGETHER + 1);
        let words = ["rev-list", "--parents", "--topo-order", &most, &commit.0, "--not", &tips.0];
        let said = self.own_git().run(&words, b"")?;
        let (mut new, mut below) = (Vec::new(), commit.clone());
        for line in String::from_utf8_lossy(&said).lines() {
            if seen.trusted.contains(&below) {
                break;
            }
            let names: Vec<&str> = line.split(' ').collect();
            let [own, parent] = names.as_slice() else { return Ok(None) };
            if *own != below.0 || new.len() == MOST_TOGETHER {
                return Ok(None);
            }
            let parent = CheckpointId((*parent).to_owned());
            new.push((std::mem::replace(&mut below, parent.clone()), parent));
        }
        Ok(self.is_known(known, &below)?.then_some((new, below)))
    }

    fn is_made_of_known(
        &self,
        known: (&CheckpointId, &GitSeen),
        (commit, parent): (&CheckpointId, &CheckpointId),
    ) -> Result<bool, Trouble> {
        let told = self.replays(commit)?;
        let sources = if told.is_some() { told.into_iter().collect() } else { self.sources(known, commit)? };
        for (theirs, base) in sources {
            if self.is_known(known, &theirs)? && self.is_known(known, &base)? {
                let merged = self.merge_of(parent, &theirs, Some(&base))?;
                if merged.is_some() && merged == self.tree_of(commit) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Known commits that have what git takes over, each with its parent.
    fn sources(
        &self,
        (tips, seen): (&CheckpointId, &GitSeen),
        commit: &CheckpointId,
    ) -> Result<Vec<(CheckpointId, CheckpointId)>, Trouble> {
        let format = format!("--format=%H %P%x00{TAKEN_OVER}");
        let words = ["log", "--no-show-signature", "-n", MOST_SOURCES, "--no-merges", &format, &tips.0];
        let words: Vec<&str> = words.into_iter().chain(seen.trusted.iter().map(|it| it.0.as_str())).collect();
        let listed = self.own_git().run(&words, b"")?;
        let own = format!("--format={TAKEN_OVER}");
        let own = self.own_git().run(&["log", "--no-show-signature", "-n1", &own, &commit.0], b"")?;
        let (listed, own) = (String::from_utf8_lossy(&listed), String::from_utf8_lossy(&own));
        let of_line = |line: &str| {
            let (names, taken_over) = line.split_once('\0')?;
            let (theirs, parent) = names.split_once(' ')?;
            let is_it = taken_over.trim() == own.trim();
            is_it.then(|| (CheckpointId(theirs.to_owned()), CheckpointId(parent.to_owned())))
        };
        Ok(listed.lines().filter_map(of_line).take(MOST).collect())
    }

    /// Whether a commit has the tree that a merge of two known ones gives, of which it follows the first.
    fn is_merged(
        &self,
        (tips, seen): (&CheckpointId, &GitSeen),
        (below, commit): (&CheckpointId, &CheckpointId),
    ) -> Result<bool, Trouble> {
        let Some(tree) = self.tree_of(commit) else { return Ok(false) };
        // Where HEAD was is what is replayed as a rule.
        let mut sides = Vec::new();
        sides.extend(self.is_known((tips, seen), &seen.head)?.then(|| seen.head.clone()));
        sides.extend(seen.trusted.iter().rev().cloned());
        sides.extend(self.parents(tips)?);
        for side in sides.iter().filter(|side| *side != below).take(MOST_SIDES) {
            if self.merge_of(below, side, None)?.as_ref() == Some(&tree) {
                return Ok(true);
            }
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
