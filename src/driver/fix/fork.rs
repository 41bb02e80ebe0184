//! One fixer, from its prompt to what came back.

use crate::driver::fork::{after_a_child, denied, returned, without_secrets};
use crate::text::prompt::fix::{Before, FixBrief, fixer};
use tdd_core::attempt::{Attempt, AttemptKind, PromptPart};
use tdd_core::event::Event;
use tdd_core::fix::{CheckKind, FixFindings, TestEdits};
use tdd_core::machine::Machine;
use tdd_core::policy::FileClass;
use tdd_core::ports::{
    AgentOrder, Agents, Allowance, Checkpoints, Checks, Journal, Limits, Protection, World,
};
use tdd_core::role::{Key, Role};
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
            test_patterns: self.setup.policy.test_patterns(),
            turns: self.setup.turns.of(Role::Fixer, 0),
        };
        let prompt = fixer(&brief, &self.setup.mask);
        let mut parts = Vec::new();
        for (name, text) in &prompt.parts {
            let digest = self.ports.journal.store(text.as_bytes())?;
            parts.push(PromptPart { name: name.clone(), digest });
        }
        let (zero, project) = (self.zero()?, self.state.run.project.clone());
        let role_text = self.diff().role_text(Role::Fixer, Some(&zero), &project)?;
        self.order = Some(AgentOrder {
            key: Key::Fixer,
            number,
            kind,
            prompt: prompt.text,
            role_text,
            session: None,
            session_used: Usage::default(),
            out_of_sight: Vec::new(),
            limits: self.limits(),
        });
        let attempt = Attempt { key: Key::Fixer, number, kind, before, prompt: parts };
        Ok(vec![Event::AttemptStarted { attempt }])
    }

    /// Forks the child of the attempt just journalled. What it says is kept, and decides nothing.
    pub(super) async fn run_agent(&mut self) -> Result<Vec<Event>, Trouble> {
        let order =
            self.order.take().ok_or_else(|| Trouble::internal("a fixer was forked without an order"))?;
        self.ports.checkpoints.record_git()?;
        self.ports.protection.seal(sealed_classes(self.state.run.test_edits), &[])?;
        let (audience, mask) = (&mut *self.audience, &self.setup.mask);
        let mut report =
            self.ports.agents.run(&order, &mut |news| audience.news(&without_secrets(news, mask))).await?;
        let denied = denied(&mut report, &self.setup.mask);
        self.tail.clone_from(&report.tail);
        let (run_cap, has_message) = (report.run_cap, report.message.is_some());
        let outcome =
            returned(&mut self.ports.journal, self.setup, Role::Fixer, report).map_err(after_a_child)?;
        if let (Some(cap), false) = (run_cap, has_message) {
            return Err(self.at_cap(cap, "the child that ran was stopped"));
        }
        Ok(denied
            .into_iter()
            .chain([Event::AgentReturned { outcome: Box::new(outcome), judged: None }])
            .collect())
    }

    pub(super) fn pause_at_cap(&self) -> Result<Vec<Event>, Trouble> {
        match self.state.cap_reached() {
            None => Err(Trouble::internal("a pause was ordered in a run that has reached no cap")),
            Some(cap) => Err(self.at_cap(cap, "nothing is forked any more")),
        }
    }

    fn at_cap(&self, cap: tdd_core::usage::Cap, why: &str) -> Trouble {
        let flag = cap.flag();
        // What was set is what is to be set higher.
        let is_other = |part: &&str| !part.starts_with(&format!("{} ", flag.trim_start_matches('-')));
        let with: Vec<&str> = self.setup.resume_with.split(" --").filter(is_other).collect();
        Trouble::passing(format!("the run's cap is reached ({flag})")).because(why).advise(format!(
            "the best state is kept; go on from it with a higher one: tdd fix{} {flag} …",
            with.join(" --")
        ))
    }

    /// The last answer of a fixer, else what the caller said was there before.
    fn previous_output(&mut self) -> Result<Option<String>, Trouble> {
        let outcome = self.state.rounds.last().and_then(|round| round.outcome.as_ref());
        match outcome.map(|outcome| outcome.message.clone()) {
            None => Ok(self.previous.clone()),
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

    fn limits(&self) -> Limits {
        let checks = self.state.best().map_or(&[][..], |best| &best.checks);
        let took: u64 = checks.iter().map(|check| check.run.duration_ms).sum();
        // A child that waits for the checks is not idle.
        let idle_ms = self.setup.limits.idle_ms.max(took.saturating_mul(2));
        let caps = Allowance { attempt: self.state.run.caps.attempt, run_left: self.state.left_of_caps() };
        let turns = self.setup.turns.of(Role::Fixer, 0);
        Limits { turns, idle_ms, caps, ..self.setup.limits }
    }
}

/// What a fixer must leave alone while it runs.
pub(super) fn sealed_classes(edits: TestEdits) -> &'static [FileClass] {
    match edits {
        TestEdits::Refused => &[FileClass::Gate, FileClass::Test],
        TestEdits::Allowed => &[FileClass::Gate],
    }
}
