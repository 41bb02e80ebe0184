//! What `tdd` puts back in the tree and a person may have written: it is kept, and named for the reports, but
//! for what tests make again and again.

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::event::Event;
use tdd_core::finding::ClassedChange;
use tdd_core::machine::{Machine, PutBack};
use tdd_core::path::RelPath;
use tdd_core::ports::{Checkpoints, World};
use tdd_core::trouble::Trouble;

use super::drive::{Carry, Driver};
use super::sightings::Sighting;
use super::whose;
use super::work_diff::submodules;

impl<W: World, M: Machine, X> Driver<'_, W, M, X>
where
    Self: Carry<M>,
{
    /// The tree as it was taken, with those of these protected files that git ignores, as they lie there now: what is
    /// put back in their place may be the only copy of what a person wrote.
    pub(super) fn with_ignored(
        &mut self,
        tree: &CheckpointId,
        paths: &[RelPath],
    ) -> Result<CheckpointId, Trouble> {
        let whole = self.ports.checkpoints.with_ignored(tree, paths)?;
        if whole != *tree {
            whose::hold_theirs(&mut self.ports.checkpoints, &whole)?;
        }
        Ok(whole)
    }

    /// Keeps and names what nobody can tell whose it is, before it is put back.
    pub(super) fn hold_unknown(&mut self, paths: Vec<RelPath>, kept: &CheckpointId) -> Result<(), Trouble> {
        if paths.is_empty() {
            return Ok(());
        }
        whose::hold_theirs(&mut self.ports.checkpoints, kept)?;
        self.record(&[whose::unsure(paths, kept)])
    }

    /// What changed in a repository inside the work tree pauses the run: it is kept, and an undo takes none of it
    /// for the run's.
    pub(super) fn hold_submodules(
        &mut self,
        (base, after): (&CheckpointId, &CheckpointId),
        changed: &[ClassedChange],
    ) -> Result<(), Trouble> {
        if submodules(changed).is_empty() {
            return Ok(());
        }
        let files = self.ports.checkpoints.inner_changes(base, after)?;
        whose::hold_theirs(&mut self.ports.checkpoints, after)?;
        self.record(&[whose::no_childs(&files, after)])
    }

    /// Those of these files that no tree that is told of already holds just so.
    pub(super) fn untold(
        &mut self,
        mut paths: Vec<RelPath>,
        kept: &CheckpointId,
    ) -> Result<Vec<RelPath>, Trouble> {
        let earlier: Vec<CheckpointId> = self
            .state
            .facts()
            .set_aside
            .iter()
            .filter(|(told, _)| told.iter().any(|path| paths.contains(path)))
            .map(|(_, tree)| tree.clone())
            .collect();
        for tree in earlier {
            let changes = self.ports.checkpoints.diff(&tree, kept)?;
            let told = self.state.facts().set_aside.iter().find(|(_, other)| *other == tree);
            let is_told = |path: &RelPath| {
                told.is_some_and(|(told, _)| told.contains(path))
                    && !changes.iter().any(|change| change.path == *path)
            };
            paths.retain(|path| !is_told(path));
        }
        Ok(paths)
    }

    /// Notes files that differed in `found` after tests ran. Of those that were not there before (`known`), what
    /// comes again and the same is made by tests.
    pub(super) fn note_put_back(
        &mut self,
        paths: impl Iterator<Item = RelPath>,
        (found, known): (&CheckpointId, &BTreeSet<RelPath>),
    ) -> Result<(), Trouble> {
        let (old, mut new): (Vec<_>, Vec<_>) = paths.partition(|path| known.contains(path));
        let mut told = self.untold(old, found)?;
        let mut events = Vec::new();
        for sighting in &mut self.sightings.0 {
            let seen: Vec<RelPath> =
                new.iter().filter(|path| sighting.new.contains_key(path)).cloned().collect();
            if seen.is_empty() {
                continue;
            }
            let changes = self.ports.checkpoints.diff(&sighting.kept, found)?;
            let is_same = |path: &RelPath| !changes.iter().any(|change| change.path == *path);
            let mut again: Vec<RelPath> = seen.into_iter().filter(is_same).collect();
            new.retain(|path| !again.contains(path));
            again.retain(|path| sighting.new.insert(path.clone(), true) == Some(false));
            events.extend((!again.is_empty()).then(|| Event::Edited {
                paths: again,
                kept: sighting.kept.clone(),
                before: None,
                put_back: Some(PutBack::MadeAgain),
            }));
        }
        if !new.is_empty() {
            let new = new.iter().map(|path| (path.clone(), false)).collect();
            self.sightings.0.push(Sighting { kept: found.clone(), new });
        }
        told.extend(new);
        self.record(&events)?;
        self.hold_unknown(told, found)
    }
}
