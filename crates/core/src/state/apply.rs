//! `apply`: (state, event) to state. The table of it is the fixture `transitions.txt`.

use super::{AfterRollBack, Baselines, End, Entry, GateBefore, Phase, Progress, State};
use crate::attempt::{AgentReturn, Attempt, AttemptKind, CheckpointId};
use crate::budget::{Allowance, Spent};
use crate::criterion::{CriterionId, Verify};
use crate::effect::RollBack;
use crate::event::{Event, Refactoring};
use crate::finding::SuiteBaseline;
use crate::halt::{Ending, Halt};
use crate::judge::{AtReturn, Fault, Verdict};
use crate::machine::{Fitting, IllegalEvent, Machine};
use crate::mode::BudgetKind;
use crate::role::{Key, Stage};
use crate::usage::{ChildUse, Tally, Usage};

impl State {
    /// Takes in one event. An error leaves the state as it was.
    pub fn apply(&mut self, event: &Event) -> Result<(), IllegalEvent> {
        if let Event::Capped { caps } = event {
            self.run.plan.caps = *caps;
            return Ok(());
        }
        if let Event::TreeSeen { tree } = event {
            let is_at_work =
                matches!(self.phase, Phase::Baselining | Phase::Forked { .. } | Phase::Returned { .. });
            self.stopped_at = is_at_work.then(|| tree.clone());
        }
        if self.facts.take(event) == Fitting::Anywhere {
            return Ok(());
        }
        if !matches!(event, Event::Resumed | Event::Decided { .. }) {
            self.facts.refuse_suspended(event)?;
        }
        let phase = std::mem::replace(&mut self.phase, Phase::Opening);
        let result = self.step(phase, event);
        match result {
            Ok(phase) => {
                self.phase = phase;
                Ok(())
            }
            Err(phase) => {
                let illegal = IllegalEvent::in_phase(event, phase.name());
                self.phase = *phase;
                Err(illegal)
            }
        }
    }

    /// The transitions. Gives the phase back where the event does not fit.
    fn step(&mut self, phase: Phase, event: &Event) -> Result<Phase, Box<Phase>> {
        match (phase, event) {
            (_, Event::Refused { .. }) if self.children() == 0 => Ok(Phase::Ended { end: End::Refused }),
            (Phase::Opening, Event::CheckpointZero { checkpoint }) => {
                self.facts.zero = Some(checkpoint.clone());
                self.good = Some(checkpoint.clone());
                Ok(Phase::Baselining)
            }
            (Phase::Baselining, Event::BaselineMeasured { .. }) => self.baseline_taken(event),
            (Phase::Due { key, kind }, Event::AttemptStarted { attempt })
                if let Some(attempt) = attempt.of_cycle()
                    && attempt.key == key
                    && attempt.kind == kind
                    && attempt.number == self.next_number(&key)
                    && self.cap_reached().is_none() =>
            {
                Ok(self.attempt_started(&attempt))
            }
            (Phase::Forked { attempt }, Event::Used { used }) => Ok(self.child_used(attempt, used)),
            (Phase::Forked { attempt }, Event::AgentReturned { outcome, judged }) => {
                Ok(self.agent_returned(attempt, outcome, judged.as_ref()))
            }
            (Phase::Returned { attempt, outcome }, Event::AttemptMeasured { findings, verdict })
                if findings.stage() == attempt.key.stage() =>
            {
                let verdict =
                    verdict.clone().unwrap_or_else(|| self.verdict(&attempt.key, &outcome, findings));
                Ok(self.measured(attempt, (&outcome, findings), verdict))
            }
            (Phase::Keeping { attempt, findings }, Event::WorkKept { checkpoint }) => {
                Ok(self.work_kept(&attempt, *findings, checkpoint))
            }
            (
                Phase::RollingBack { attempt, to, then, .. },
                Event::WorkRolledBack { to: done, kept_as, .. },
            ) if *done == to => Ok(self.rolled_back(attempt, then, kept_as)),
            (
                Phase::Ended { end: end @ (End::Finished(_) | End::Refused) },
                Event::Resumed | Event::Decided { .. },
            ) => Err(Box::new(Phase::Ended { end })),
            (phase, Event::Resumed) => Ok(self.resumed(phase)),
            (Phase::CutOff { attempt }, Event::AttemptCut { kept_as }) => Ok(self.cut_off(attempt, kept_as)),
            (phase, Event::Decided { decision, why }) => self.decided(phase, decision, why.as_deref()),
            (Phase::Rechecking { key, halt }, Event::Rechecked { findings, checkpoint, faults }) => {
                let faults = faults.clone().unwrap_or_else(|| self.edit_faults(findings));
                Ok(self.rechecked(key, halt, (findings, &faults), checkpoint))
            }
            (phase, Event::MdtestHeard { criterion, word }) => self.mdtest_heard(phase, criterion, word),
            (Phase::GateDue, Event::GateMeasured { green, run, .. }) => {
                self.gate = Some(GateBefore { green: *green, run: run.clone() });
                Ok(Phase::Due { key: Key::Refactorer, kind: AttemptKind::First })
            }
            (Phase::Halting { halt }, Event::Halted { .. }) => Ok(Phase::Ended { end: End::Halted(halt) }),
            (Phase::Finishing { ending }, Event::Finished { ending: said }) if *said == ending => {
                Ok(Phase::Ended { end: End::Finished(ending) })
            }
            (Phase::HoldingOut { step }, Event::HeldOut { held }) => self.held_out(step, held),
            (Phase::Proving, Event::Proved { findings, halt }) => Ok(self.proved(findings, halt.as_ref())),
            (phase, _) => self.step_unclaimed(phase, event),
        }
    }

    fn child_used(&mut self, attempt: Attempt, used: &ChildUse) -> Phase {
        if let Some(entry) = self.entry(&attempt.key) {
            entry.used.add(&used.usage);
            entry.session_used = used.session;
        }
        Phase::Forked { attempt }
    }

    pub(super) fn rolled_back(
        &mut self,
        attempt: Attempt,
        then: AfterRollBack,
        kept_as: &CheckpointId,
    ) -> Phase {
        if let Some(entry) = self.entry_of(&attempt) {
            entry.kept_as = Some(kept_as.clone());
        }
        let is_left_out = attempt.key == Key::Refactorer && self.run.plan.refactor == Refactoring::Off;
        match then {
            AfterRollBack::Retry if is_left_out => self.to_the_end(),
            AfterRollBack::Retry => Phase::Due { key: attempt.key, kind: AttemptKind::Semantic },
            AfterRollBack::Halt(halt) => Phase::Halting { halt },
            AfterRollBack::GoOn => self.without_more_tests(),
        }
    }

    fn baseline_taken(&mut self, event: &Event) -> Result<Phase, Box<Phase>> {
        let Event::BaselineMeasured { test, gate } = event else { return Err(Box::new(Phase::Baselining)) };
        Ok(self.baseline_measured(test, gate))
    }

    fn baseline_measured(&mut self, test: &SuiteBaseline, gate: &SuiteBaseline) -> Phase {
        self.greens.clone_from(&test.greens);
        self.collected = test.collected;
        self.start = self.facts.tree.clone().or_else(|| self.facts.zero.clone());
        self.good.clone_from(&self.start);
        self.baseline = Some(Baselines { test: test.clone(), gate: gate.clone() });
        if self.covered_by_red().is_empty() {
            return self.after_green();
        }
        Phase::Due { key: Key::TestWriter, kind: AttemptKind::First }
    }

    /// The number that the next fork of `key` has, from 1.
    pub fn next_number(&self, key: &Key) -> u8 {
        let made = self.ledgers.get(key).map_or(0, |ledger| ledger.entries.len());
        u8::try_from(made + 1).unwrap_or(u8::MAX)
    }

    fn attempt_started(&mut self, attempt: &Attempt) -> Phase {
        self.facts.tree = Some(attempt.before.clone());
        self.stopped_at = None;
        self.keep_for_format_retry(attempt);
        let entry = Entry {
            attempt: attempt.clone(),
            outcome: None,
            verdict: None,
            runs: Vec::new(),
            cut: false,
            kept_as: None,
            used: Tally::default(),
            session_used: Usage::default(),
        };
        self.ledgers.entry(attempt.key.clone()).or_default().entries.push(entry);
        Phase::Forked { attempt: attempt.clone() }
    }

    pub(super) fn fresh(&mut self, key: &Key) {
        if let Some(ledger) = self.ledgers.get_mut(key) {
            ledger.spent = Spent::default();
            ledger.cuts = 0;
            ledger.fresh_from = ledger.entries.len();
            ledger.overruled = false;
        }
    }

    fn agent_returned(
        &mut self,
        attempt: Attempt,
        outcome: &AgentReturn,
        judged: Option<&AtReturn>,
    ) -> Phase {
        let judged = judged.cloned().unwrap_or_else(|| self.at_return(&attempt.key, outcome));
        if let Some(entry) = self.entry(&attempt.key) {
            entry.outcome = Some(Box::new(outcome.clone()));
        }
        match judged {
            AtReturn::Settled(verdict) => self.conclude(attempt, verdict),
            AtReturn::Measure => Phase::Returned { attempt, outcome: Box::new(outcome.clone()) },
        }
    }

    /// Books a verdict that is not `passed`.
    pub(super) fn conclude(&mut self, attempt: Attempt, verdict: Verdict) -> Phase {
        if let Some(entry) = self.entry_of(&attempt) {
            entry.verdict = Some(verdict.clone());
        }
        let bounds = self.run.plan.bounds;
        let kind = match &verdict {
            Verdict::Failed(Fault { mode, .. }) => Some(mode.budget()),
            Verdict::Disputed(_) | Verdict::Passed => None,
        };
        let ledger = self.ledgers.entry(attempt.key.clone()).or_default();
        match kind.map(|kind| (kind, ledger.spent.book(kind, bounds))) {
            Some((BudgetKind::Format, Allowance::Retry)) => {
                Phase::Due { key: attempt.key, kind: AttemptKind::Format }
            }
            Some((BudgetKind::Semantic, Allowance::Retry)) => self.roll_back(attempt, AfterRollBack::Retry),
            Some((_, Allowance::Exhausted)) | None if self.writes_more(&attempt.key) => {
                self.roll_back(attempt, AfterRollBack::GoOn)
            }
            Some((_, Allowance::Exhausted)) | None => {
                let halt = Halt { key: attempt.key.clone(), verdict };
                self.roll_back(attempt, AfterRollBack::Halt(halt))
            }
        }
    }

    /// Section 7: what comes back before a retry differs by stage; before a halt all does.
    pub(super) fn roll_back(&self, attempt: Attempt, then: AfterRollBack) -> Phase {
        let good = self.good.clone().unwrap_or_else(|| attempt.before.clone());
        let base = self.base(&attempt.key).cloned().unwrap_or_else(|| good.clone());
        let (to, extent) = match (&then, attempt.key.stage()) {
            (AfterRollBack::Halt(_) | AfterRollBack::GoOn, _) | (AfterRollBack::Retry, Stage::Refactor) => {
                (good, RollBack::Everything)
            }
            (AfterRollBack::Retry, Stage::Red) => (good, RollBack::AllButTests),
            (AfterRollBack::Retry, Stage::Green) => (base, RollBack::DeletedOnly),
        };
        Phase::RollingBack { attempt, to, extent, then }
    }

    /// The first criterion that no implementer has made GREEN, and that needs one.
    pub(super) fn first_waiting(&self) -> Option<&CriterionId> {
        let waits = |id: &&CriterionId| {
            matches!(self.progress.get(*id), None | Some(Progress::Pending | Progress::Red))
                && !(self.run.plan.already_green.contains(id) && self.verify(id) != Verify::Test)
        };
        self.run.plan.criteria.iter().find(waits)
    }

    /// Whether nothing of this criterion's was seen at RED, though its own tests are what it is judged by: it came
    /// to the requirement later.
    pub fn lacks_red(&self, id: &CriterionId) -> bool {
        let known = self.red.iter().flat_map(|red| &red.criteria);
        self.verify(id) == Verify::Test && !known.into_iter().any(|red| red.id == *id)
    }

    /// The next criterion in order that is neither green nor set aside; else the gate; else the end.
    pub(super) fn after_green(&self) -> Phase {
        if let Some(id) = self.first_waiting() {
            if let Some(phase) = self.before_the_first_green() {
                return phase;
            }
            return Phase::Due { key: Key::Implementer(id.clone()), kind: AttemptKind::First };
        }
        match self.run.plan.refactor {
            Refactoring::Once => Phase::GateDue,
            Refactoring::Off => self.to_the_end(),
        }
    }

    pub(super) fn ending(&self) -> Ending {
        let verified = |id: &CriterionId| {
            matches!(self.progress.get(id), Some(Progress::Green | Progress::AlreadyGreen))
                && !self.asserts_nothing(id)
        };
        if self.run.plan.criteria.iter().all(verified) { Ending::Verified } else { Ending::PartlyUnverified }
    }

    pub(super) fn entry(&mut self, key: &Key) -> Option<&mut Entry> {
        self.ledgers.get_mut(key)?.entries.last_mut()
    }
}

#[cfg(test)]
mod tests;
