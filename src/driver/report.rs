//! What the state does not know and a report needs.

use std::collections::BTreeSet;

use crate::text::halt_report::{self, HaltFacts, Work};
use crate::text::summary::SummaryFacts;
use tdd_core::cause::Place;
use tdd_core::finding::Change;
use tdd_core::halt::Halt;
use tdd_core::judge::{Reason, Verdict};
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::role::Key;
use tdd_core::state::Ledger;
use tdd_core::trouble::Trouble;

use super::cycle::Drive;
use tdd_core::ports::{Checkpoints, World};

impl<W: World> Drive<'_, W> {
    pub(super) fn halt_facts(&mut self, halt: &Halt) -> Result<HaltFacts, Trouble> {
        let failed =
            self.state.ledgers.get(&halt.key).and_then(|ledger| ledger.entries.last()?.kept_as.clone());
        let changed = match (self.state.good.clone(), failed) {
            (Some(good), Some(failed)) => self.differences(&good, &failed)?,
            (Some(_) | None, _) => Vec::new(),
        };
        Ok(HaltFacts {
            run_dir: self.setup.run_dir.clone(),
            root: self.setup.roots.first().cloned().unwrap_or_default(),
            changed: changed
                .into_iter()
                .map(|change| Change { path: change.path, kind: change.kind })
                .collect(),
            // The tree was just put back to the last good work.
            work: Work::Kept,
            is_edited: false,
            touched: touched(&halt.verdict),
            allowable: allowable(&self.policy, &halt.verdict),
            resume_with: self.setup.resume_with.to_string(),
            raw_tail: (self.setup.mask)(&self.tail),
            is_followed: self.setup.later.is_some(),
            remarks_alone: self.remarks_alone(halt)?,
            repeats: self.repeats(halt)?,
            first_change: self.first_change(halt)?,
            setting_line: halt_report::setting_line(&self.state, halt, &self.setup.settings),
            fences: self.setup.fences.clone(),
        })
    }

    /// Whether a failed attempt that a limit stopped changed nothing but comments.
    fn remarks_alone(&mut self, halt: &Halt) -> Result<bool, Trouble> {
        let failed =
            self.state.ledgers.get(&halt.key).and_then(|ledger| ledger.entries.last()?.kept_as.clone());
        let (Some(good), Some(failed), true) = (self.state.good.clone(), failed, halt.is_of_a_limit()) else {
            return Ok(false);
        };
        Ok(halt_report::is_of_remarks(&self.ports.checkpoints.patch(&good, &failed, &[])?))
    }

    /// Where a refactorer's work first differs from the last good one.
    fn first_change(&mut self, halt: &Halt) -> Result<Option<Place>, Trouble> {
        let failed =
            self.state.ledgers.get(&halt.key).and_then(|ledger| ledger.entries.last()?.kept_as.clone());
        let (Some(good), Some(failed), Key::Refactorer) = (self.state.good.clone(), failed, &halt.key) else {
            return Ok(None);
        };
        Ok(halt_report::first_change(&self.ports.checkpoints.patch(&good, &failed, &[])?))
    }

    /// Whether the last two failed attempts left the same files.
    fn repeats(&mut self, halt: &Halt) -> Result<bool, Trouble> {
        let trees = self.state.ledgers.get(&halt.key).map(Ledger::failed_trees).unwrap_or_default();
        let [.., before, last] = trees.as_slice() else { return Ok(false) };
        let (before, last) = ((*before).clone(), (*last).clone());
        Ok(before == last || self.differences(&before, &last)?.is_empty())
    }

    pub(super) fn summary_facts(&mut self) -> Result<SummaryFacts, Trouble> {
        let changed = match (self.state.start.clone(), self.state.good.clone()) {
            (Some(zero), Some(good)) => self.differences(&zero, &good)?,
            (Some(_) | None, _) => Vec::new(),
        };
        let paths = changed.iter().map(|change| &change.path);
        let is_secret = |path: &RelPath| (self.setup.mask)(path.as_str()) != path.as_str();
        let unnamed = paths.filter(|path| is_secret(path) || path.is_lossy()).cloned().collect();
        let inner = changed.iter().filter_map(|c| self.ports.checkpoints.inner_repository(&c.path));
        let inner: BTreeSet<RelPath> = inner.collect();
        let theirs = &self.state.facts.theirs;
        let theirs = changed.iter().map(|c| &c.path).filter(|path| theirs.contains(*path)).cloned().collect();
        let unclaimed = self.unclaimed_by_all(&changed);
        let all: Vec<RelPath> = changed.iter().map(|change| change.path.clone()).collect();
        let committed = match self.state.good.clone() {
            Some(good) => self.ports.checkpoints.committed(&good, &all)?.into_iter().collect(),
            None => BTreeSet::new(),
        };
        Ok(SummaryFacts {
            committed,
            theirs,
            unclaimed,
            run_dir: self.setup.run_dir.clone(),
            unnamed,
            changed,
            inner_repositories: inner.into_iter().collect(),
            early_green: self.state.early_green.clone(),
            isolation: self.setup.isolation.to_string(),
            duration_ms: self.at_work_ms(),
            half_merged: self.ports.checkpoints.half_merged(),
            is_followed: self.setup.later.is_some(),
        })
    }
}

/// Those of them that a requirement's front matter may leave to its roles.
pub fn allowable(policy: &Policy, verdict: &Verdict) -> Vec<RelPath> {
    let is_allowable = |path: &RelPath| {
        policy.classify(path) == FileClass::Gate
            && !matches!(path.file_name(), "tdd.yaml" | "tdd.yml")
            && !path.is_within(".tdd")
            && !policy.is_requirement(path)
    };
    let Verdict::Failed(fault) = verdict else { return Vec::new() };
    let loaded = fault.reasons.iter().filter_map(|reason| {
        let Reason::Loaded(path) = reason else { return None };
        Some(path.clone())
    });
    touched(verdict).into_iter().filter(is_allowable).chain(loaded).collect()
}

/// Protected files that a verdict names.
pub fn touched(verdict: &Verdict) -> Vec<RelPath> {
    let Verdict::Failed(fault) = verdict else { return Vec::new() };
    let path = |reason: &Reason| {
        let (Reason::Touched(path) | Reason::InlineTest(path) | Reason::Forbidden(path)) = reason else {
            return None;
        };
        Some(path.clone())
    };
    fault.reasons.iter().filter_map(path).collect()
}
