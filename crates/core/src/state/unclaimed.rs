//! Work that measures as passed though no valid block came with it (contract section 9). It is never
//! thrown away: the operator may take it, or `tdd.yaml` says beforehand that it is kept.

use serde::{Deserialize, Serialize};

use super::{AfterRollBack, Entry, Phase, State};
use crate::attempt::{AgentReturn, Attempt, AttemptKind, CheckpointId};
use crate::budget::Allowance;
use crate::event::{Event, MissingBlock};
use crate::finding::Findings;
use crate::halt::Halt;
use crate::judge::{self, AtReturn, Verdict};
use crate::mode::{BudgetKind, Mode};
use crate::role::Key;

/// What was measured of it, and on which tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Unclaimed {
    pub attempt: Attempt,
    /// None where a format retry came before any measurement, and went on with it.
    pub findings: Option<Findings>,
    /// The tree that was judged, else the one that the format retry began with.
    pub tree: CheckpointId,
    /// The operator has said that it is to be kept.
    pub wanted: bool,
}

impl Unclaimed {
    /// Nothing speaks against it but the missing block. Else nobody has looked.
    pub fn is_measured(&self) -> bool {
        self.findings.is_some()
    }
}

impl Entry {
    /// Kept on findings alone: no valid block came.
    pub fn is_kept_without_claim(&self) -> bool {
        let has_none = self.outcome.as_ref().is_some_and(|outcome| outcome.claim.is_err());
        has_none && self.verdict == Some(Verdict::Passed)
    }
}

impl State {
    /// Attempts whose work was kept though no valid block came with it.
    pub fn without_claim(&self) -> impl Iterator<Item = (&Key, u8)> {
        let entries =
            self.ledgers.iter().flat_map(|(key, ledger)| ledger.entries.iter().map(move |e| (key, e)));
        let bare = entries.filter(|(_, entry)| entry.is_kept_without_claim());
        bare.map(|(key, entry)| (key, entry.attempt.number))
    }

    /// What the operator can take after this halt.
    pub fn takeable(&self, halt: &Halt) -> Option<&Unclaimed> {
        self.unclaimed.as_deref().filter(|work| work.attempt.key == halt.key)
    }

    /// Whether a missing block is the last word on an attempt. A format retry decides first where one is
    /// left; where none is, the work is measured all the same.
    pub(super) fn is_settled(&self, key: &Key, verdict: &Verdict) -> bool {
        let Verdict::Failed(fault) = verdict else { return true };
        let spent = self.ledgers.get(key).map(|ledger| ledger.spent).unwrap_or_default();
        let mut trial = spent;
        fault.mode != Mode::D || trial.book(BudgetKind::Format, self.run.plan.bounds) == Allowance::Retry
    }

    /// A format retry may spoil the work that it is to speak for, so the operator can still have it.
    pub(super) fn keep_for_format_retry(&mut self, retry: &Attempt) {
        if self.unclaimed.as_deref().is_some_and(Unclaimed::is_measured) {
            return;
        }
        let entries =
            self.ledgers.get(&retry.key).map(|ledger| ledger.entries.as_slice()).unwrap_or_default();
        let Some(mute) = entries.iter().rev().find(|entry| !entry.cut) else { return };
        let did_nothing = self.base(&retry.key) == Some(&retry.before);
        let has_none = mute.outcome.as_ref().is_some_and(|outcome| outcome.claim.is_err());
        if retry.kind == AttemptKind::Format && has_none && !did_nothing {
            let (attempt, tree) = (mute.attempt.clone(), retry.before.clone());
            self.unclaimed = Some(Box::new(Unclaimed { attempt, findings: None, tree, wanted: false }));
        }
    }

    pub(super) fn measured(
        &mut self,
        attempt: Attempt,
        (outcome, findings): (&AgentReturn, &Findings),
        mut verdict: Verdict,
    ) -> Phase {
        let by_word = self.unclaimed.take_if(|work| work.attempt == attempt).is_some_and(|work| work.wanted);
        // What the retry left as it was has been measured now.
        self.unclaimed.take_if(|work| !work.is_measured() && self.facts.tree.as_ref() == Some(&work.tree));
        if judge::lacks_only_a_block(&verdict, outcome) {
            if by_word || self.run.plan.on_missing_block == MissingBlock::Take {
                verdict = Verdict::Passed;
            } else if let Some(tree) = self.facts.tree.clone() {
                let (attempt, findings) = (attempt.clone(), Some(findings.clone()));
                self.unclaimed = Some(Box::new(Unclaimed { attempt, findings, tree, wanted: false }));
            }
        }
        if let Some(entry) = self.entry_of(&attempt) {
            entry.runs = findings.runs().to_vec();
            entry.verdict = Some(verdict.clone());
        }
        if verdict == Verdict::Passed {
            return Phase::Keeping { attempt, findings: Box::new(findings.clone()) };
        }
        if by_word {
            // It was booked when it failed first, and the operator's word spends nothing.
            let halt = Halt { key: attempt.key.clone(), verdict };
            return self.roll_back(attempt, AfterRollBack::Halt(halt));
        }
        self.conclude(attempt, verdict)
    }

    /// The operator takes what this halt has left.
    pub(super) fn take(&mut self, halt: Halt) -> Result<Phase, Halt> {
        match self.unclaimed.as_deref_mut() {
            Some(work) if work.attempt.key == halt.key => {
                work.wanted = true;
                Ok(Phase::Taking { attempt: work.attempt.clone(), tree: work.tree.clone() })
            }
            Some(_) | None => Err(halt),
        }
    }

    /// The transitions of work that came without a block.
    pub(super) fn step_unclaimed(&mut self, phase: Phase, event: &Event) -> Result<Phase, Box<Phase>> {
        match (phase, event) {
            (Phase::Taking { attempt, .. }, Event::WorkTaken { key, number, tree })
                if attempt.key == *key && attempt.number == *number =>
            {
                Ok(self.work_taken(attempt, tree))
            }
            (Phase::Returned { attempt, outcome }, Event::WorkRolledBack { .. }) => {
                self.rolled_back_unmeasured(attempt, outcome, event)
            }
            (phase, _) => Err(Box::new(phase)),
        }
    }

    /// The very tree that was judged is kept as it was judged; any other is measured anew.
    fn work_taken(&mut self, attempt: Attempt, tree: &CheckpointId) -> Phase {
        // Whoever has looked at it and takes it makes it the run's.
        self.facts.unnamed.retain(|(_, kept)| kept != tree);
        let judged = self.unclaimed.as_deref().filter(|work| work.attempt == attempt && work.tree == *tree);
        if let Some(findings) = judged.and_then(|work| work.findings.clone()) {
            self.unclaimed = None;
            if let Some(entry) = self.entry_of(&attempt) {
                entry.verdict = Some(Verdict::Passed);
            }
            return Phase::Keeping { attempt, findings: Box::new(findings) };
        }
        match self.outcome_of(&attempt) {
            Some(outcome) => Phase::Returned { attempt, outcome },
            // An attempt without an outcome was never measured, so there is nothing to take.
            None => Phase::CutOff { attempt },
        }
    }

    pub(super) fn entry_of(&mut self, attempt: &Attempt) -> Option<&mut Entry> {
        let entries = &mut self.ledgers.get_mut(&attempt.key)?.entries;
        entries.iter_mut().rev().find(|entry| entry.attempt.number == attempt.number)
    }

    fn outcome_of(&self, attempt: &Attempt) -> Option<Box<AgentReturn>> {
        let entries = &self.ledgers.get(&attempt.key)?.entries;
        entries.iter().find(|entry| entry.attempt == *attempt)?.outcome.clone()
    }

    /// A journal of an earlier version tells of no measurement where no block came: such work was
    /// rolled back at once.
    fn rolled_back_unmeasured(
        &mut self,
        attempt: Attempt,
        outcome: Box<AgentReturn>,
        event: &Event,
    ) -> Result<Phase, Box<Phase>> {
        let mut trial = self.clone();
        if let (AtReturn::Settled(verdict), Event::WorkRolledBack { to, kept_as, .. }) =
            (judge::at_return(&outcome), event)
            && let Phase::RollingBack { attempt, to: wanted, then, .. } =
                trial.conclude(attempt.clone(), verdict)
            && wanted == *to
        {
            let phase = trial.rolled_back(attempt, then, kept_as);
            *self = trial;
            return Ok(phase);
        }
        Err(Box::new(Phase::Returned { attempt, outcome }))
    }
}

#[cfg(test)]
mod tests;
