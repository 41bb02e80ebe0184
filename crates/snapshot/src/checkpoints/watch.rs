//! A look at the work tree by many short processes, one after the other: what one has seen is kept beside the
//! rules, so that the next one need not ask git whether anything has changed.
//!
//! Whoever could write what is kept can make a change pass unseen until the next whole look; a session asks for
//! one at the end of each turn.

mod glance;
mod seen;
mod tracked;

use std::collections::BTreeMap;
use std::path::Path;

use super::Beside;
use super::edit::Tree;
use super::import::Content;
use super::listing::{self, Difference};
use super::rules::Rules;
use super::walk::{self, Reading};
use super::{GitCheckpoints, SCRATCH, disk, ref_folder, refs, shown};
use glance::{Glance, glance};
use seen::Seen;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::RunId;
use tdd_core::finding::{Change, ChangeKind};
use tdd_core::ports::Checkpoints as _;
use tdd_core::trouble::Trouble;

/// The last part of the ref's name.
const NAME: &str = "seen";

/// Whether the work tree is still as it was when this commit was seen. Asks no git. `false` where that is not
/// known.
pub fn is_as_seen(repository: &Path, scratch: &Path, commit: &CheckpointId) -> Result<bool, Trouble> {
    let scratch = scratch.join(SCRATCH);
    // What git tracks since may be what a rule ignores.
    if !tracked::is_as_noted(&scratch) {
        return Ok(false);
    }
    let bytes = seen::bytes(&scratch);
    let Some(mut seen) = bytes.as_deref().and_then(Seen::of).filter(|seen| seen.commit == *commit) else {
        return Ok(false);
    };
    let rules = || Rules::load(&scratch.join("rules.json"));
    let mut learned = BTreeMap::new();
    match glance(repository, &seen, rules, &mut learned) {
        Glance::Same => {
            for (path, what) in &learned {
                seen.learn_anew(path, *what);
            }
            if !learned.is_empty() {
                // Where it can't be kept the next one asks again.
                let _ = seen.write(&scratch);
            }
            Ok(true)
        }
        Glance::Differs => Ok(false),
        Glance::Unsure => is_as_walked(repository, &scratch, &seen),
    }
}

/// The same by a whole walk, which opens what its owner may not look into.
fn is_as_walked(repository: &Path, scratch: &Path, seen: &Seen<'_>) -> Result<bool, Trouble> {
    let Some(known) = seen.known() else { return Ok(false) };
    let Some(rules) = Rules::load(&scratch.join("rules.json")) else { return Ok(false) };
    let tree = Tree::open(repository).map_err(|error| disk(repository, &error))?;
    let scan = walk::walk(repository, &tree, Reading::Frozen(&rules), |_| true)?;
    tree.close_again(|path, mode| rules.was_closed(path, mode));
    Ok(known.delta(&scan, &tree).is_empty())
}

/// How much of what is known is believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// A file whose stamp is as it was is as it was.
    Quick,
    /// Every file is read.
    Whole,
}

impl GitCheckpoints {
    /// Opens the checkpoints of a session with what an earlier process has seen.
    pub fn watching(repository: &Path, session: &RunId, scratch: &Path, look: Look) -> Result<Self, Trouble> {
        let mut checkpoints = Self::open_with((repository, session, scratch), Beside::Looked)?;
        tracked::take_in(&mut checkpoints)?;
        let seen = seen::bytes(&checkpoints.scratch);
        let seen = seen.as_deref().and_then(Seen::of);
        checkpoints.known = seen.and_then(|seen| seen.known()).unwrap_or_default();
        if look == Look::Whole {
            // What was there stays known by its name, so that it is seen to be gone.
            checkpoints.known.files.values_mut().for_each(|content| *content = Content::Unknown);
        }
        Ok(checkpoints)
    }

    /// The tree as it is. One ref holds it, and all that were seen before it.
    pub fn see(&mut self) -> Result<CheckpointId, Trouble> {
        self.look().map(|(commit, _)| commit)
    }

    /// The same, and what has changed since this commit.
    pub fn see_since(&mut self, since: &CheckpointId) -> Result<(CheckpointId, Vec<Change>), Trouble> {
        let before = self.known.commit.clone();
        let (now, differences) = self.look()?;
        let changes = if now == *since {
            Vec::new()
        } else if before.as_ref() == Some(since) {
            self.changes(&differences)
        } else {
            self.diff(since, &now)?
        };
        Ok((now, changes))
    }

    pub(super) fn changes(&self, differences: &[Difference]) -> Vec<Change> {
        let change = |difference: &Difference| match self.rules.submodule(&difference.path) {
            Some(module) => Change { path: shown(module), kind: ChangeKind::Submodule },
            None => Change { path: shown(&difference.path), kind: difference.kind() },
        };
        let mut changes: Vec<Change> = differences.iter().map(change).collect();
        changes.sort_unstable();
        changes.dedup();
        changes
    }

    /// The tree as it is, and how it differs from the one before, where there was one.
    fn look(&mut self) -> Result<(CheckpointId, Vec<Difference>), Trouble> {
        let before = self.known.commit.clone();
        let (mut commit, mut scan) = self.snapshot("tdd: seen")?;
        // They are among what is known, and a tree may have many.
        scan.files = Vec::new();
        let mut differences = Vec::new();
        if let Some(before) = before.clone().filter(|before| *before != commit) {
            differences = listing::differences(&self.private, &before, &commit)?;
            if differences.is_empty() {
                // The same tree keeps its name.
                self.known.commit = Some(before.clone());
                commit = before;
            }
        }
        let name = format!("{}{NAME}", ref_folder(&self.run));
        if let (None, Some(lost)) = (&before, self.refs.get(&name).cloned()) {
            // This one does not go on from there, so those before it need a name of their own.
            let old = format!("{name}-before-{}", commit.0.get(..12).unwrap_or_default());
            refs::update(&self.own, &[(&old, &lost)])?;
            self.refs.insert(old, lost);
        }
        if self.refs.get(&name) != Some(&commit) {
            if self.refs.contains_key(&name) || !refs::write_new(&self.place, &name, &commit) {
                refs::update(&self.own, &[(&name, &commit)])?;
            }
            self.refs.insert(name, commit.clone());
        }
        seen::save(&self.known, &scan, &self.scratch).map_err(|error| disk(&self.scratch, &error))?;
        Ok((commit, differences))
    }
}
