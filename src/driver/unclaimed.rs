//! What of a role's work no block names: a person may have written it while the role was at work, and nobody can tell.

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::audience::News;
use tdd_core::claim::Claim;
use tdd_core::finding::{ChangeKind, ClassedChange};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::policy::tooling::is_editors;
use tdd_core::ports::{Checkpoints, World};
use tdd_core::state::Ledger;
use tdd_core::trouble::Trouble;

use super::cycle::Drive;
use super::whose::listed;

impl<W: World> Drive<'_, W> {
    /// The blocks of the attempts that the work in hand comes from.
    pub(super) fn claims(&self) -> Vec<&Claim> {
        let ledger = self.state.attempt().and_then(|attempt| self.state.ledgers.get(&attempt.key));
        let outcomes = ledger.into_iter().flat_map(Ledger::fresh).filter_map(|entry| entry.outcome.as_ref());
        outcomes.filter_map(|outcome| outcome.claim.as_ref().ok()).collect()
    }

    /// What of these changes no block of the role names, less what tests leave, a person's next requirement and what
    /// an editor holds.
    pub(super) fn unclaimed(
        &mut self,
        changed: &[ClassedChange],
        before: &CheckpointId,
    ) -> Result<Vec<RelPath>, Trouble> {
        let known: BTreeSet<RelPath> = self.ports.checkpoints.files(before)?.into_iter().collect();
        let own = self.suite_rewrites();
        let claims = self.claims();
        let project = &self.state.run.project;
        let is_claimed = |path: &RelPath| {
            claims.iter().flat_map(|claim| &claim.files).any(|named| path.is_meant_by(named, project))
        };
        let is_left = |change: &ClassedChange| {
            let is_new_data = change.kind == ChangeKind::Added && self.policy.is_data_of_tests(&change.path);
            is_new_data || own.contains(&change.path) || self.is_like_a_leftover(&change.path, &known)
        };
        let unclaimed = changed.iter().filter(|change| !is_claimed(&change.path) && !is_left(change));
        let paths = unclaimed
            .filter(|change| !self.policy.is_next_requirement(&change.path) && !is_editors(&change.path));
        Ok(paths.map(|change| change.path.clone()).collect())
    }

    /// As the work is kept: a person hears of it while they may still know what they wrote.
    pub(super) fn tell_unclaimed(&mut self) -> Result<(), Trouble> {
        let Some(attempt) = self.state.attempt() else { return Ok(()) };
        let (before, role) = (attempt.before.clone(), attempt.key.role());
        let Some(measured) = self.state.facts.tree.clone() else { return Ok(()) };
        let mut changed = self.differences(&before, &measured)?;
        changed.retain(stands_out);
        let paths = self.unclaimed(&changed, &before)?;
        if !paths.is_empty() && paths.len() < changed.len() {
            let note = format!(
                "changed while the {role} was at work, and its block does not name it: {}; an undo asks before it \
                 takes that back",
                listed(paths.iter()).join(", ")
            );
            self.audience.news(&News::Note((self.setup.mask)(&note)));
        }
        Ok(())
    }

    /// Of all that a run changed, what no block of its roles names, though they name some.
    pub(super) fn unclaimed_by_all(&self, changed: &[ClassedChange]) -> BTreeSet<RelPath> {
        let entries = self.state.ledgers.values().flat_map(|ledger| &ledger.entries);
        let claims = entries.filter_map(|entry| entry.outcome.as_ref()?.claim.as_ref().ok());
        let is_asked = |change: &&ClassedChange| {
            (stands_out(change) || is_gone(change))
                && !self.policy.is_data_of_tests(&change.path)
                && !is_editors(&change.path)
        };
        let asked = changed.iter().filter(is_asked).map(|change| &change.path);
        beside_named(asked, claims, &self.state.run.project)
    }
}

/// Which of these paths no block names, though it names others of them; none where it names none.
pub(super) fn beside_named<'p>(
    paths: impl Iterator<Item = &'p RelPath>,
    claims: impl Iterator<Item = &'p Claim>,
    project: &str,
) -> BTreeSet<RelPath> {
    let claimed: BTreeSet<&RelPath> = claims.flat_map(|claim| &claim.files).collect();
    let is_named = |path: &&RelPath| claimed.iter().any(|claimed| path.is_meant_by(claimed, project));
    let (named, others): (Vec<_>, Vec<_>) = paths.partition(is_named);
    if named.is_empty() { BTreeSet::new() } else { others.into_iter().cloned().collect() }
}

/// Nothing of it is lost to an undo, but a commit would hold that it is gone.
fn is_gone(change: &ClassedChange) -> bool {
    change.kind == ChangeKind::Deleted && change.class != FileClass::Lock
}

/// A tool's lock file follows from what is named, and what is gone leaves nothing.
pub(super) fn stands_out(change: &ClassedChange) -> bool {
    change.class != FileClass::Lock && !matches!(change.kind, ChangeKind::Deleted | ChangeKind::Submodule)
}
