//! What comes next, and what an event makes of the state.

use super::{
    AfterTakingBack, FixEnd, FixFindings, FixHalt, FixJudgement, FixPhase, FixState, MustPass, Round, Score,
};
use crate::attempt::{AgentEnd, AgentReturn, Attempt, AttemptKind, CheckpointId};
use crate::event::{Event, RunId};
use crate::machine::{Facts, Fitting, IllegalEvent, Machine};
use crate::role::Key;
use crate::test::Exit;
use crate::usage::{CapPlan, Usage};

/// What the driver is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FixEffect {
    TakeCheckpointZero,
    /// Run every check on the tree as it is now.
    Measure,
    StartAttempt {
        number: u8,
        kind: AttemptKind,
    },
    /// Nothing is forked any more: a bound of the run is reached.
    PauseAtCap,
    RunAgent,
    TakeBack {
        to: CheckpointId,
    },
    Halt(FixHalt),
    Finish,
}

impl Machine for FixState {
    type Effect = FixEffect;

    fn next(&self) -> Option<FixEffect> {
        if self.facts.suspension.is_some() {
            return None;
        }
        match &self.phase {
            FixPhase::Opening => Some(FixEffect::TakeCheckpointZero),
            FixPhase::Measuring => Some(FixEffect::Measure),
            FixPhase::Due if self.cap_reached().is_some() => Some(FixEffect::PauseAtCap),
            FixPhase::Due => {
                let kind = if self.forks() == 0 { AttemptKind::First } else { AttemptKind::Semantic };
                Some(FixEffect::StartAttempt { number: self.next_number(), kind })
            }
            FixPhase::Forked => Some(FixEffect::RunAgent),
            FixPhase::TakingBack { to, .. } => Some(FixEffect::TakeBack { to: to.clone() }),
            FixPhase::Halting { why } => Some(FixEffect::Halt(*why)),
            FixPhase::Finishing => Some(FixEffect::Finish),
            FixPhase::Ended { .. } => None,
        }
    }

    fn apply(&mut self, event: &Event) -> Result<(), IllegalEvent> {
        if let Event::Used { used } = event {
            self.last().used.add(&used.usage);
            return Ok(());
        }
        if self.facts.take(event) == Fitting::Anywhere {
            return Ok(());
        }
        self.facts.refuse_suspended(event)?;
        let phase = self.step(self.phase.clone(), event);
        self.phase = phase.map_err(|phase| IllegalEvent::in_phase(event, phase.name()))?;
        Ok(())
    }

    fn run(&self) -> &RunId {
        &self.run.run
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn forks(&self) -> usize {
        self.rounds.len() - 1
    }

    fn children(&self) -> usize {
        self.rounds.iter().filter(|round| round.outcome.is_some()).count()
    }

    fn caps(&self) -> &CapPlan {
        &self.run.caps
    }

    fn told(&self) -> Usage {
        self.used().told
    }
}

impl FixState {
    /// Rebuilds a state from a journal. `None` if the journal is of a cycle, or empty.
    pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Option<Self>, IllegalEvent> {
        let mut events = events.into_iter();
        let Some(Event::FixStarted(run)) = events.next() else { return Ok(None) };
        let mut state = Self::open((**run).clone());
        for event in events {
            state.apply(event)?;
        }
        Ok(Some(state))
    }

    /// The number that the next fork has, from 1.
    pub fn next_number(&self) -> u8 {
        u8::try_from(self.rounds.len()).unwrap_or(u8::MAX)
    }

    /// The transitions. Gives the phase back where the event does not fit.
    fn step(&mut self, phase: FixPhase, event: &Event) -> Result<FixPhase, FixPhase> {
        match (phase, event) {
            (_, Event::Refused { .. }) if self.children() == 0 => {
                Ok(FixPhase::Ended { end: FixEnd::Refused })
            }
            (FixPhase::Opening, Event::CheckpointZero { checkpoint }) => {
                self.facts.zero = Some(checkpoint.clone());
                Ok(FixPhase::Measuring)
            }
            (FixPhase::Measuring, Event::FixMeasured { findings, judged })
                if findings.checks.len() == self.run.checks.len() =>
            {
                Ok(self.measured(findings, *judged))
            }
            (phase @ FixPhase::Due, Event::AttemptStarted { attempt }) => {
                if self.fits(attempt) {
                    Ok(self.started(attempt))
                } else {
                    Err(phase)
                }
            }
            (FixPhase::Forked, Event::AgentReturned { outcome, .. }) => {
                self.last().outcome = Some(outcome.clone());
                Ok(FixPhase::Measuring)
            }
            (FixPhase::TakingBack { to, then }, Event::WorkRolledBack { to: done, kept_as, .. })
                if *done == to =>
            {
                self.last().kept_as = Some(kept_as.clone());
                self.facts.tree = Some(to);
                Ok(match then {
                    AfterTakingBack::Retry => FixPhase::Due,
                    AfterTakingBack::Halt(why) => FixPhase::Halting { why },
                })
            }
            (FixPhase::Halting { why }, Event::Halted { .. }) => {
                Ok(FixPhase::Ended { end: FixEnd::Halted(why) })
            }
            (FixPhase::Finishing, Event::Finished { .. }) => Ok(FixPhase::Ended { end: FixEnd::Fixed }),
            (phase, _) => Err(phase),
        }
    }

    fn fits(&self, attempt: &Attempt) -> bool {
        attempt.key == Key::Fixer
            && attempt.number == self.next_number()
            && self.forks() < usize::from(self.run.retries)
            && self.cap_reached().is_none()
    }

    fn started(&mut self, attempt: &Attempt) -> FixPhase {
        self.facts.tree = Some(attempt.before.clone());
        self.rounds.push(Round { attempt: Some(attempt.clone()), ..Round::default() });
        FixPhase::Forked
    }

    /// The event of findings, with the judgement that goes to the journal with them.
    pub fn fix_measured(&self, findings: FixFindings) -> Event {
        let mut trial = self.clone();
        let fixed = trial.measured(&findings, None) == FixPhase::Finishing;
        let kept = trial.best.is_some_and(|best| best + 1 == trial.rounds.len());
        Event::FixMeasured { findings: Box::new(findings), judged: Some(FixJudgement { kept, fixed }) }
    }

    /// Books what was measured: the better state is kept, and the loop goes on while it may. A journal of
    /// before judgements were kept has none.
    fn measured(&mut self, findings: &FixFindings, judged: Option<FixJudgement>) -> FixPhase {
        self.last().findings = Some(findings.clone());
        let now = Score::of(findings, &self.known);
        let best = self.best().map(|best| Score::of(best, &self.known));
        let is_kept = judged
            .map_or_else(|| best.is_none_or(|best| now.is_honest() && now >= best), |judged| judged.kept);
        if is_kept {
            self.best = Some(self.rounds.len() - 1);
            if self.must_pass.is_empty() {
                self.must_pass = findings.checks.iter().map(MustPass::at_start).collect();
            }
            for (must_pass, check) in self.must_pass.iter_mut().zip(&findings.checks) {
                must_pass.learn(check);
            }
            self.known.extend(findings.checks.iter().flat_map(|check| check.greens.iter().cloned()));
        }
        if is_kept && judged.map_or_else(|| self.is_fixed(), |judged| judged.fixed) {
            return FixPhase::Finishing;
        }
        let halt = match self.rounds.last().and_then(|round| round.outcome.as_deref()) {
            Some(outcome) if disputes(outcome) => Some(FixHalt::Disputed),
            Some(outcome) if !has_answered(outcome) => Some(FixHalt::NoAnswer),
            _ if self.forks() >= usize::from(self.run.retries) => Some(FixHalt::RetriesSpent),
            _ => None,
        };
        match (self.best().map(|best| best.tree.clone()).filter(|_| !is_kept), halt) {
            (Some(to), None) => FixPhase::TakingBack { to, then: AfterTakingBack::Retry },
            (Some(to), Some(why)) => FixPhase::TakingBack { to, then: AfterTakingBack::Halt(why) },
            (None, None) => FixPhase::Due,
            (None, Some(why)) => FixPhase::Halting { why },
        }
    }

    fn last(&mut self) -> &mut Round {
        if self.rounds.is_empty() {
            self.rounds.push(Round::default());
        }
        let at = self.rounds.len() - 1;
        &mut self.rounds[at]
    }
}

/// It ended by itself and said something at its end.
fn has_answered(outcome: &AgentReturn) -> bool {
    matches!(outcome.end, AgentEnd::Exited(Exit::Code(_))) && outcome.message.is_some()
}

fn disputes(outcome: &AgentReturn) -> bool {
    outcome.claim.as_ref().is_ok_and(|claim| claim.dispute.is_some())
}

impl FixPhase {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Measuring => "measuring",
            Self::Due => "due",
            Self::Forked => "forked",
            Self::TakingBack { .. } => "taking-back",
            Self::Halting { .. } => "halting",
            Self::Finishing => "finishing",
            Self::Ended { .. } => "ended",
        }
    }
}
