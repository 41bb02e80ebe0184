//! One fixer, from its prompt to what came back.

use crate::driver::fork::Answer;
use crate::text::prompt::fix::{Before, FixBrief, fixer};
use tdd_core::attempt::{Attempt, AttemptKind};
use tdd_core::event::Event;
use tdd_core::fix::{CheckKind, FixFindings, TestEdits};
use tdd_core::machine::Machine;
use tdd_core::policy::FileClass;
use tdd_core::ports::{AgentOrder, Checkpoints, Checks, Journal, World};
use tdd_core::role::{Asked, Role};
use tdd_core::trouble::Trouble;
use tdd_core::usage::Usage;

use super::FixDrive;

impl<W: World, C: Checks> FixDrive<'_, W, C> {
    /// Journals the intent: the tree as it is, the prompt by its parts' hashes.
    pub(super) fn start_attempt(&mut self, number: u8, kind: AttemptKind) -> Result<Vec<Event>, Trouble> {
        let before = self.ports.checkpoints.take(&format!("before-fixer-{number}"))?;
        let previous = self.previous_output()?;
        let findings = self.best()?;
        let kinds: Vec<CheckKind> = self.state.run.checks.iter().map(|check| check.kind).collect();
        let last = self.state.rounds.last().filter(|round| round.attempt.is_some());
        let was_kept = self.state.best == Some(self.state.forks());
        let last = last.and_then(|round| round.findings.as_ref());
        let brief = FixBrief {
            task: &self.state.run.task,
            findings,
            kinds: &kinds,
            previous: previous.as_deref(),
            before: last.map(|findings| Before { findings, was_kept }),
            test_edits: self.state.run.test_edits,
            test_patterns: self.policy.test_patterns(),
            turns: self.setup.turns.of(Role::Fixer, 0),
        };
        let prompt = fixer(&brief, &self.setup.mask);
        let parts = self.keep_prompt(&prompt)?;
        let (zero, project) = (self.zero()?, self.state.run.project.clone());
        let role_text = self.diff().role_text(Role::Fixer, Some(&zero), &project)?;
        let turns = &self.setup.turns;
        let turns = (turns.of(Role::Fixer, 0), turns.set_by(Role::Fixer));
        self.order = Some(AgentOrder {
            asked: Asked::Fixer,
            number,
            kind,
            prompt: prompt.text,
            role_text,
            session: None,
            session_used: Usage::default(),
            out_of_sight: Vec::new(),
            limits: self.limits(turns, self.took_ms()),
        });
        let attempt = Attempt { key: Asked::Fixer, number, kind, before, prompt: parts };
        Ok(vec![Event::AttemptStarted { attempt }])
    }

    /// Forks the child of the attempt just journalled. What it says is kept, and decides nothing.
    pub(super) async fn run_agent(&mut self) -> Result<Vec<Event>, Trouble> {
        let order =
            self.order.take().ok_or_else(|| Trouble::internal("a fixer was started without an order"))?;
        let sealed = sealed_classes(self.state.run.test_edits);
        let Answer { outcome, told, run_cap } = self.ask(&order, sealed).await?;
        if let (Some(cap), None) = (run_cap, &outcome.message) {
            return Err(self.at_cap(cap, "the agent that ran was stopped"));
        }
        let returned = Event::AgentReturned { outcome: Box::new(outcome), judged: None };
        Ok(told.into_iter().chain([returned]).collect())
    }

    /// The last answer of a fixer, else what the caller said was there before.
    fn previous_output(&mut self) -> Result<Option<String>, Trouble> {
        let outcome = self.state.rounds.last().and_then(|round| round.outcome.as_ref());
        match outcome.map(|outcome| outcome.message.clone()) {
            None => Ok(self.own.previous.clone()),
            Some(None) => Ok(None),
            Some(Some(digest)) => {
                let bytes = self.ports.journal.fetch(&digest)?;
                Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
            }
        }
    }

    fn best(&self) -> Result<&FixFindings, Trouble> {
        self.state.best().ok_or_else(|| Trouble::internal("a fixer was asked before the checks ran"))
    }

    /// How long the checks took, for which a child may wait.
    fn took_ms(&self) -> u64 {
        let checks = self.state.best().map_or(&[][..], |best| &best.checks);
        checks.iter().map(|check| check.run.duration_ms).sum()
    }
}

/// What a fixer must leave alone while it runs.
pub(super) fn sealed_classes(edits: TestEdits) -> &'static [FileClass] {
    match edits {
        TestEdits::Refused => &[FileClass::Gate, FileClass::Test],
        TestEdits::Allowed => &[FileClass::Gate],
    }
}
