//! What commands write and a checkout does not show may rest on the branch, the folder's name or git's history. So they
//! run once more where they ran, and what is written then is theirs. Nobody's file is moved or changed for it.

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::event::Event;
use tdd_core::finding::{ChangeKind, ClassedChange};
use tdd_core::likeness;
use tdd_core::machine::Machine;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Bench, Checkpoints, Protection, World};
use tdd_core::state::Entry;
use tdd_core::trouble::Trouble;
use tdd_source::Language;

use super::{Changed, Found, is_no_matter, made_again};
use crate::driver::cycle::Drive;
use crate::driver::drive::{Carry, Driver};
use crate::driver::whose::written_beside_tests;

/// Whether a new file is one that tests name by time, process or id, as they have named the other.
fn is_named_alike(one: &RelPath, other: &RelPath) -> bool {
    let is_code = Language::of(other.extension()).is_some();
    one == other || (!is_code && likeness::is_named_like(one, other))
}

/// Of these changes the new files that are such as one of those.
fn new_ones(came: &[ClassedChange], like: &BTreeSet<RelPath>) -> Vec<RelPath> {
    let new = came.iter().filter(|change| change.kind == ChangeKind::Added).map(|change| &change.path);
    new.filter(|new| like.iter().any(|one| is_named_alike(one, new))).cloned().collect()
}

impl<W: World, M: Machine, X> Driver<'_, W, M, X>
where
    Self: Carry<M>,
{
    /// Once, and only where a checkout left something unexplained. Adds to `again` what is written again; what else
    /// comes meanwhile is nobody's of the run.
    pub(super) async fn made_in_place(
        &mut self,
        changed: &mut Option<Changed>,
        (asked, again): (&BTreeSet<RelPath>, &mut BTreeSet<RelPath>),
        label: &str,
    ) -> Result<(), Trouble> {
        let unexplained: BTreeSet<RelPath> = asked.difference(again).cloned().collect();
        if unexplained.is_empty() {
            return Ok(());
        }
        let Some(changed) = changed else { return Ok(()) };
        let written_at = |path: &RelPath| self.ports.bench.written_at(path);
        let before: Vec<_> = unexplained.iter().map(|path| (path.clone(), written_at(path))).collect();
        let then = self.ports.checkpoints.take("seen")?;
        // Data beside tests as well.
        self.ports.protection.loosen();
        self.run_in_place().await?;
        let beside = self.found_beside_tests(&unexplained, label)?;
        let now = self.ports.checkpoints.take("seen")?;
        let came = self.diff().differences(&then, &now)?;
        let is_written = |(path, at): &(RelPath, _)| self.ports.bench.written_at(path) != *at;
        let rewritten = before.iter().filter(|one| one.1.is_some() && is_written(one));
        let mut own: BTreeSet<RelPath> = rewritten.map(|(path, _)| path.clone()).collect();
        own.extend(beside.into_iter().filter(|path| unexplained.contains(path)));
        let is_like_new = |path: &&RelPath| {
            let one = BTreeSet::from([(*path).clone()]);
            !new_ones(&came, &one).is_empty()
        };
        own.extend(unexplained.iter().filter(is_like_new).cloned());
        again.extend(own);
        let new = new_ones(&came, again);
        changed.paths.extend(new.iter().cloned());
        again.extend(new);
        changed.now = now;
        Ok(())
    }

    async fn run_in_place(&mut self) -> Result<(), Trouble> {
        match self.run_apart(None).await {
            Err(trouble) if !is_no_matter(&trouble) => Err(trouble),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// What the commands have written beside tests, which is put back. What is like none of those that are asked
    /// about may be a person's.
    fn found_beside_tests(
        &mut self,
        asked: &BTreeSet<RelPath>,
        label: &str,
    ) -> Result<BTreeSet<RelPath>, Trouble> {
        let mut found = Found::default();
        self.find_beside_tests(label, &mut found)?;
        for (tree, paths) in &found.0 {
            let is_like = |path: &&RelPath| asked.iter().any(|one| is_named_alike(one, path));
            let unsure = paths.iter().filter(|path| !is_like(path)).cloned().collect();
            self.hold_unknown(unsure, tree)?;
        }
        let known = self.files_of_zero()?;
        written_beside_tests(&mut self.ports.protection, &self.policy, &known)?;
        Ok(found.paths())
    }
}

impl<W: World> Drive<'_, W> {
    /// What was put back after tests ran and may be a person's is looked at once more at the end: where a run apart of
    /// the result makes just that of it, or a new file like it, it was made by the commands.
    pub(in crate::driver) async fn explain_set_aside(
        &mut self,
        good: Option<CheckpointId>,
    ) -> Result<(), Trouble> {
        let asked = self.still_set_aside();
        let once: BTreeSet<RelPath> = asked.iter().flat_map(|(paths, _)| paths.iter().cloned()).collect();
        let Some(good) = good.filter(|_| !asked.is_empty()) else { return Ok(()) };
        let Some((folder, seen)) = self.lay_apart(&good)? else { return Ok(()) };
        let ran = self.run_apart(Some((&folder, &seen))).await;
        let made = match ran {
            Err(trouble) if !is_no_matter(&trouble) => Err(trouble),
            Ok(()) | Err(_) => self.made_of(&good, asked),
        };
        self.ports.bench.close();
        let (made, rewritten) = made?;
        // For the journal first: a run of each of the others takes a while.
        self.record(&made)?;
        let trees = self.trees_of_work(&good);
        let made = self.made_before(&trees, rewritten).await?;
        self.record(&made)?;
        let asked = self.still_set_aside();
        let made = self.made_in_place_of((&good, &once), asked).await;
        let mut events = vec![self.worked()];
        events.extend(made?);
        self.record(&events)
    }

    /// All that was ever measured, and is held.
    fn trees_of_work(&self, good: &CheckpointId) -> Vec<CheckpointId> {
        let entries = self.state.ledgers.values().flat_map(|ledger| &ledger.entries);
        let of_one = |entry: &Entry| [Some(entry.attempt.before.clone()), entry.kept_as.clone()];
        let mut trees: Vec<CheckpointId> = entries.flat_map(of_one).flatten().collect();
        trees.push(good.clone());
        trees.sort();
        trees.dedup();
        trees
    }

    /// The same at the end of a run, for new files that came while tests ran and were put back. What comes again, or is
    /// like it, goes again, and so does what was put back `once`.
    async fn made_in_place_of(
        &mut self,
        (good, once): (&CheckpointId, &BTreeSet<RelPath>),
        asked: Vec<(Vec<RelPath>, CheckpointId)>,
    ) -> Result<Vec<Event>, Trouble> {
        let known: BTreeSet<RelPath> = self.ports.checkpoints.files(good)?.into_iter().collect();
        let is_new = |path: &RelPath| !known.contains(path);
        let new = asked.into_iter().map(|(paths, kept)| (paths.into_iter().filter(is_new).collect(), kept));
        let new: Vec<(BTreeSet<RelPath>, CheckpointId)> =
            new.filter(|(paths, _): &(BTreeSet<_>, _)| !paths.is_empty()).collect();
        if new.is_empty() {
            return Ok(Vec::new());
        }
        let then = self.ports.checkpoints.take("seen")?;
        self.ports.protection.loosen();
        self.run_in_place().await?;
        let now = self.ports.checkpoints.take("seen")?;
        let all = self.ports.checkpoints.diff(&then, &now)?;
        let came = self.diff().differences(&then, &now)?;
        let (mut events, mut left) = (Vec::new(), Vec::new());
        for (paths, kept) in new {
            let came = new_ones(&came, &paths);
            let is_made = |path: &RelPath| came.iter().any(|new| is_named_alike(path, new));
            events.extend(made_again(paths.into_iter().filter(is_made).collect(), kept));
            left.extend(came);
        }
        // The tree is as it was, but for what may be saved by somebody just now.
        let own = self.suite_rewrites();
        let is_left = |path: &RelPath| {
            let is_by_product = self.policy.classify(path) == FileClass::ByProduct;
            is_by_product
                || once.contains(path)
                || own.contains(path)
                || self.is_like_a_leftover(path, &known)
        };
        left.extend(all.into_iter().map(|change| change.path).filter(is_left));
        self.ports.checkpoints.restore(&then, &left)?;
        Ok(events)
    }
}
