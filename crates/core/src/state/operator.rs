//! Going on with a run: after a stop, a crash, a pause or a halt, and by the operator's word.

use super::{End, Phase, Progress, State};
use crate::attempt::{Attempt, AttemptKind, CheckpointId};
use crate::criterion::CriterionId;
use crate::event::{Decision, Refactoring};
use crate::finding::RedFindings;
use crate::halt::Halt;
use crate::held_out::{Hold, More};
use crate::judge::{Reason, Verdict};
use crate::machine::Suspension;
use crate::requirement::Requirement;
use crate::role::Key;

/// How often an attempt that we cut off ourselves is run again without asking (section 9).
const MOST_CUTS: u8 = 2;

impl State {
    /// A process goes on. An attempt whose child had not come back is cut off; anything else goes
    /// on where it was, because every effect can be carried out again.
    pub(super) fn resumed(&mut self, phase: Phase) -> Phase {
        let suspension = self.facts.suspension.take();
        let Phase::Forked { attempt } = phase else { return phase };
        if let (Some(Suspension::Paused(_)), Some(ledger)) = (suspension, self.ledgers.get_mut(&attempt.key))
        {
            // A limit or an outage cut it off, not us: that may happen as often as it likes.
            ledger.cuts = ledger.cuts.saturating_sub(1);
        }
        Phase::CutOff { attempt }
    }

    /// The attempt never counts: no budget is spent, but it is not tried for ever either.
    pub(super) fn cut_off(&mut self, attempt: Attempt, kept_as: &CheckpointId) -> Phase {
        if let Some(entry) = self.entry(&attempt.key) {
            entry.cut = true;
            entry.kept_as = Some(kept_as.clone());
        }
        let ledger = self.ledgers.entry(attempt.key.clone()).or_default();
        ledger.cuts = ledger.cuts.saturating_add(1);
        if ledger.cuts > MOST_CUTS {
            let often = ledger.cuts;
            self.facts.suspension = Some(Suspension::Paused(format!(
                "the attempt of {} was cut off {often} times; `tdd resume --retry` tries it again",
                attempt.key
            )));
        }
        if attempt.key == Key::Refactorer && self.run.plan.refactor == Refactoring::Off {
            return self.to_the_end();
        }
        // The session of the message that a format retry asks for is still there.
        Phase::Due { key: attempt.key, kind: attempt.kind }
    }

    /// The operator's word. Refused where it means nothing.
    pub(super) fn decided(
        &mut self,
        phase: Phase,
        decision: &Decision,
        why: Option<&str>,
    ) -> Result<Phase, Box<Phase>> {
        match (phase, decision) {
            (Phase::Ended { end: End::Abandoned }, _) => Err(Box::new(Phase::Ended { end: End::Abandoned })),
            (_, Decision::Abandon) => {
                self.facts.suspension = None;
                Ok(Phase::Ended { end: End::Abandoned })
            }
            (phase, Decision::NoRefactor) => self.without_refactor(phase),
            (Phase::Ended { end: End::Halted(halt) }, Decision::Retry) => {
                self.fresh(&halt.key);
                if let Some(ledger) = self.ledgers.get_mut(&halt.key) {
                    ledger.overruled = matches!(halt.verdict, Verdict::Disputed(_));
                }
                if self.proof.is_some() {
                    return Ok(self.prove_again(halt));
                }
                Ok(Phase::Due { key: halt.key, kind: AttemptKind::First })
            }
            (Phase::Ended { end: End::Halted(halt) }, Decision::Take) => {
                self.take(halt).map_err(|halt| Box::new(Phase::Ended { end: End::Halted(halt) }))
            }
            (Phase::Due { key, kind }, Decision::Retry) => {
                self.facts.suspension = None;
                if let Some(ledger) = self.ledgers.get_mut(&key) {
                    ledger.cuts = 0;
                }
                Ok(Phase::Due { key, kind })
            }
            (Phase::Ended { end: End::Halted(halt) }, Decision::Accept(id)) if self.can_be_accepted(id) => {
                self.progress.insert(id.clone(), Progress::Accepted);
                self.accepted_because.extend(why.map(|why| (id.clone(), why.to_owned())));
                self.unclaimed = None;
                self.fresh(&halt.key);
                Ok(self.after_acceptance(halt))
            }
            (Phase::Ended { end: End::Halted(halt) }, Decision::Edited(requirement)) => {
                self.take_requirement(requirement);
                self.proof = None;
                self.fresh(&halt.key);
                Ok(Phase::Rechecking { key: halt.key.clone(), halt: Some(halt) })
            }
            (Phase::HoldingOut { step: Hold::Part }, Decision::Edited(requirement)) => {
                self.facts.suspension = None;
                self.take_requirement(requirement);
                Ok(Phase::Rechecking { key: Key::TestWriter, halt: None })
            }
            (
                Phase::Due { key, kind: AttemptKind::First | AttemptKind::Semantic },
                Decision::Edited(requirement),
            ) => {
                self.facts.suspension = None;
                self.take_requirement(requirement);
                Ok(Phase::Rechecking { key, halt: None })
            }
            (phase, Decision::Retry | Decision::Take | Decision::Accept(_) | Decision::Edited(_)) => {
                Err(Box::new(phase))
            }
        }
    }

    /// What waited for the refactorer is done; all else goes on where it is.
    fn without_refactor(&mut self, phase: Phase) -> Result<Phase, Box<Phase>> {
        let waits = match &phase {
            Phase::GateDue | Phase::Due { key: Key::Refactorer, .. } => true,
            Phase::Ended { end: End::Halted(halt) } if halt.key == Key::Refactorer => true,
            Phase::Ended { .. } => return Err(Box::new(phase)),
            Phase::Opening
            | Phase::Baselining
            | Phase::Due { .. }
            | Phase::Forked { .. }
            | Phase::Returned { .. }
            | Phase::Keeping { .. }
            | Phase::RollingBack { .. }
            | Phase::CutOff { .. }
            | Phase::Taking { .. }
            | Phase::Rechecking { .. }
            | Phase::Halting { .. }
            | Phase::Proving
            | Phase::HoldingOut { .. }
            | Phase::Finishing { .. } => false,
        };
        self.run.plan.refactor = Refactoring::Off;
        if !waits {
            return Ok(phase);
        }
        self.facts.suspension = None;
        Ok(self.to_the_end())
    }

    fn can_be_accepted(&self, id: &CriterionId) -> bool {
        matches!(self.progress.get(id), Some(Progress::Pending | Progress::Red)) || self.is_unproven(id)
    }

    /// Whoever was halted goes on without this criterion.
    fn after_acceptance(&mut self, halt: Halt) -> Phase {
        if self.proof.take().is_some() {
            return self.to_the_end();
        }
        match &halt.key {
            Key::TestWriter if !self.covered_by_red().is_empty() => {
                Phase::Due { key: Key::TestWriter, kind: AttemptKind::First }
            }
            Key::Implementer(other) if self.progress.get(other) != Some(&Progress::Accepted) => {
                Phase::Ended { end: End::Halted(halt) }
            }
            Key::Refactorer => Phase::Ended { end: End::Halted(halt) },
            Key::TestWriter | Key::Implementer(_) => self.after_green(),
        }
    }

    /// The requirement as it reads now: criteria that are gone leave the plan, new ones join it if
    /// the plan held all of the old ones.
    fn take_requirement(&mut self, requirement: &Requirement) {
        // What was judged was judged by other tests.
        self.unclaimed = None;
        let had_all = self.run.requirement.criteria.iter().all(|c| self.run.plan.criteria.contains(&c.id));
        let chosen = |id: &CriterionId| had_all || self.run.plan.criteria.contains(id);
        let now = requirement.criteria.iter().map(|criterion| criterion.id.clone());
        self.run.plan.criteria = now.filter(chosen).collect();
        self.run.requirement = requirement.clone();
        let in_hand = &self.run.plan.criteria;
        self.progress.retain(|id, _| in_hand.contains(id));
        if let Some(More::Due(criteria)) = &mut self.more {
            criteria.retain(|id| in_hand.contains(id));
        }
        for id in in_hand {
            self.progress.entry(id.clone()).or_insert(Progress::Pending);
        }
    }

    /// What the operator edited stands as the last good tree if the unfinished criteria are RED on
    /// it; else the halt stands. Before the first RED there is nothing to check: the test-writer
    /// starts from the tree as it is.
    pub(super) fn rechecked(
        &mut self,
        key: Key,
        halt: Option<Halt>,
        (findings, faults): (&RedFindings, &[Reason]),
        checkpoint: &CheckpointId,
    ) -> Phase {
        self.edit_refused = self.red.is_some() && !faults.is_empty();
        if self.red.is_none() {
            self.good = Some(checkpoint.clone());
            // A criterion that came with the edit may be the first that needs tests.
            let key = if self.covered_by_red().is_empty() { key } else { Key::TestWriter };
            return Phase::Due { key, kind: AttemptKind::First };
        }
        if let Some(fault) = faults.first() {
            let refused = format!("the edited tests do not stand: {fault}");
            if let Some(halt) = halt {
                return Phase::Ended { end: End::Halted(halt) };
            }
            self.facts.suspension = Some(Suspension::Paused(refused));
            let first = Phase::Due { key, kind: AttemptKind::First };
            return self.before_the_first_green().unwrap_or(first);
        }
        self.good = Some(checkpoint.clone());
        findings.greens.fold_into(&mut self.greens);
        self.take_red(findings);
        self.note_put_back();
        // Nobody has seen these tests red, and with the work done nobody can.
        for id in &findings.finished {
            self.progress.insert(id.clone(), Progress::Unverified);
        }
        for id in &findings.by_hand {
            self.progress.insert(id.clone(), Progress::Green);
            self.by_hand.insert(id.clone());
        }
        match key {
            Key::Refactorer if self.first_waiting().is_none() => Phase::Due { key, kind: AttemptKind::First },
            Key::Refactorer | Key::TestWriter | Key::Implementer(_) => self.after_green(),
        }
    }

    fn take_red(&mut self, findings: &RedFindings) {
        let Some(red) = &mut self.red else { return };
        red.mapping = findings.mapping.clone();
        for criterion in &findings.criteria {
            match red.criteria.iter_mut().find(|known| known.id == criterion.id) {
                Some(known) => known.clone_from(criterion),
                None => red.criteria.push(criterion.clone()),
            }
            self.progress.insert(criterion.id.clone(), Progress::Red);
        }
    }
}

#[cfg(test)]
mod tests;
