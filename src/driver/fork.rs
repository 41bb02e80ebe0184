//! One attempt, from its prompt to what came back.

use crate::text::prompt::Prompt;
use tdd_core::attempt::{AgentEnd, AgentReturn, Attempt, AttemptKind, CheckpointId, PromptPart};
use tdd_core::audience::News;
use tdd_core::claim::{Claim, ClaimError, ClaimErrorKind, Dispute};
use tdd_core::event::Event;
use tdd_core::finding::SuiteBaseline;
use tdd_core::labels;
use tdd_core::machine::Machine;
use tdd_core::policy::FileClass;
use tdd_core::role::{Key, Role};
use tdd_core::trouble::Trouble;
use tdd_core::usage::{Cap, Usage};
use tdd_spec::tdd_result;

use super::cycle::Drive;
use super::drive::{Carry, Driver, after_a_child};
use super::setup::{Setup, sealed_classes};
use tdd_core::ports::{AgentOrder, AgentReport, Agents, Checkpoints, Journal, Protection, World};

impl<W: World> Drive<'_, W> {
    /// Journals the intent: the tree as it is, the prompt by its parts' hashes. `just_kept` is the tree
    /// that was kept a moment ago.
    pub(super) async fn start_attempt(
        &mut self,
        key: &Key,
        number: u8,
        kind: AttemptKind,
        just_kept: Option<CheckpointId>,
    ) -> Result<Vec<Event>, Trouble> {
        let label = labels::of_kind("before", Some(&labels::of_attempt(&key.clone().into(), number)));
        let before = match just_kept {
            Some(kept) => {
                self.ports.checkpoints.label(&label, &kept)?;
                kept
            }
            None => self.ports.checkpoints.take(&label)?,
        };
        let (seen, mut events) = self.seen_before(key, kind, &before).await?;
        let prompt = self.prompt(key, kind, &seen)?;
        let parts = self.keep_prompt(&prompt)?;
        let role_text = self.role_text(key)?;
        let out_of_sight = self.out_of_sight(key, &before, &[&prompt.text, &role_text])?;
        let turns = (self.turns(key), self.setup.turns.set_by(key.role()));
        self.order = Some(AgentOrder {
            asked: key.clone().into(),
            number,
            kind,
            prompt: prompt.text,
            role_text,
            session: self.session_to_resume(key, kind),
            session_used: self.session_used(key),
            limits: self.limits(turns, self.baseline_ms()),
            out_of_sight,
        });
        let attempt = Attempt { key: key.clone(), number, kind, before, prompt: parts };
        events.push(Event::AttemptStarted { attempt: attempt.into() });
        Ok(events)
    }

    /// Forks the child of the attempt just journalled, and reads what it says.
    pub(super) async fn run_agent(&mut self) -> Result<Vec<Event>, Trouble> {
        let key = self.state.attempt().map(|attempt| attempt.key.clone());
        let (Some(order), Some(key)) = (self.order.take(), key) else {
            return Err(Trouble::internal("an attempt was cut off before its child was started").advise(
                "start the requirement anew with --new; the tree before it is kept under refs/tdd/",
            ));
        };
        self.own.has_sealed = true;
        let Answer { mut outcome, told, run_cap } = self.ask(&order, sealed_classes(&key)).await?;
        self.take_no_quotation(&mut outcome);
        // Work that was reported before the stop is worth its judgement: it is paid for.
        if let (Some(cap), true) = (run_cap, outcome.claim.is_err()) {
            let why = "the agent that ran was stopped; its attempt does not count, and is made again";
            return Err(self.at_cap(cap, why));
        }
        // A format retry goes on with this tree, and is not measured before it.
        let seen = if outcome.claim.is_err() { vec![self.see_tree()?] } else { Vec::new() };
        Ok(told.into_iter().chain(seen).chain([self.state.returned(outcome)]).collect())
    }

    /// What is quoted from a guide or an example is no dispute: it speaks of tests that are not here.
    fn take_no_quotation(&self, outcome: &mut AgentReturn) {
        if let Err(error) = &mut outcome.claim {
            let is_known = |meant: &Dispute| meant.tests.is_empty() || self.state.knows_disputed(meant);
            error.meant = error.meant.take().filter(is_known);
        }
        let dispute = outcome.claim.as_ref().ok().and_then(|claim| claim.dispute.as_ref());
        let Some(dispute) = dispute.filter(|dispute| !self.state.knows_disputed(dispute)) else { return };
        let message = format!(
            "it disputes {}, and no such test is here; if you quoted an example, give a block of your own alone",
            dispute.tests.join(", ")
        );
        outcome.claim =
            Err(ClaimError { kind: ClaimErrorKind::UnknownDispute, message, line: None, meant: None });
    }

    /// How long a child may wait for a command of the project's.
    fn baseline_ms(&self) -> u64 {
        let took = |suite: &SuiteBaseline| suite.duration_ms.saturating_add(suite.build_ms);
        self.state.baseline.as_ref().map_or(0, |b| took(&b.test).max(took(&b.gate)))
    }

    /// The turn cap of this key's children, which they are told.
    pub(super) fn turns(&self, key: &Key) -> u32 {
        self.setup.turns.of(key.role(), self.state.run.plan.criteria.len())
    }

    /// What the session of the attempt before had used; for a session that is new it is nothing,
    /// which the adapter knows.
    fn session_used(&self, key: &Key) -> Usage {
        let entries = self.state.ledgers.get(key).map(|ledger| ledger.entries.as_slice()).unwrap_or_default();
        let told = entries.iter().rev().find(|entry| entry.used.children > 0);
        told.map(|entry| entry.session_used).unwrap_or_default()
    }

    fn session_to_resume(&self, key: &Key, kind: AttemptKind) -> Option<String> {
        if kind != AttemptKind::Format || !self.ports.agents.resumes(key) {
            return None;
        }
        let last = self.state.ledgers.get(key)?.last()?;
        last.outcome.as_ref()?.session.clone()
    }
}

/// What came back from a child.
pub(super) struct Answer {
    pub(super) outcome: AgentReturn,
    /// What is to be told of it besides.
    pub(super) told: Vec<Event>,
    /// The bound of the run for which it was stopped.
    pub(super) run_cap: Option<Cap>,
}

impl<W: World, M: Machine, X> Driver<'_, W, M, X>
where
    Self: Carry<M>,
{
    /// Keeps what a child is told, part by part.
    pub(super) fn keep_prompt(&mut self, prompt: &Prompt) -> Result<Vec<PromptPart>, Trouble> {
        let mut parts = Vec::new();
        for (name, text) in &prompt.parts {
            let digest = self.ports.journal.store(text.as_bytes())?;
            parts.push(PromptPart { name: name.clone(), digest });
        }
        Ok(parts)
    }

    /// Forks a child, with these files sealed. What it says is kept, and decides nothing.
    pub(super) async fn ask(&mut self, order: &AgentOrder, sealed: &[FileClass]) -> Result<Answer, Trouble> {
        self.ports.checkpoints.record_git()?;
        self.ports.protection.seal(sealed, &[])?;
        // Tests may rest on what their writer has installed, so that it stays as it was.
        if order.asked.role() != Role::TestWriter {
            self.ports.protection.let_install();
        }
        let (audience, mask) = (&mut *self.audience, &self.setup.mask);
        let mut report =
            self.ports.agents.run(order, &mut |news| audience.news(&without_secrets(news, mask))).await?;
        self.tail.clone_from(&report.tail);
        let run_cap = report.run_cap;
        let denied = denied(&mut report, mask);
        let glimpsed = glimpsed(&mut report, mask);
        let outcome = returned(&mut self.ports.journal, self.setup, order.asked.role(), report);
        let outcome = outcome.map_err(after_a_child)?;
        Ok(Answer { outcome, told: denied.into_iter().chain(glimpsed).collect(), run_cap })
    }
}

/// News that quote a child's words or a command of the project's, masked.
pub(super) fn without_secrets(news: News, mask: &dyn Fn(&str) -> String) -> News {
    match news {
        News::ChildLine { line } => News::ChildLine { line: mask(&line) },
        News::Note(line) => News::Note(mask(&line)),
        News::Running { what, command } => News::Running { what, command: mask(&command) },
        News::Tick { .. } | News::Turns { .. } | News::Bounds { .. } => news,
    }
}

/// What the agent's own program refused its model.
fn denied(report: &mut AgentReport, mask: &dyn Fn(&str) -> String) -> Option<Event> {
    let what: Vec<String> = std::mem::take(&mut report.denied).iter().map(|one| mask(one)).collect();
    (!what.is_empty()).then_some(Event::Denied { what })
}

/// What the child saw that its role is not shown, short enough for a line.
fn glimpsed(report: &mut AgentReport, mask: &dyn Fn(&str) -> String) -> Option<Event> {
    const MOST_CHARS: usize = 120;
    let short = |line: String| mask(&line).chars().take(MOST_CHARS).collect();
    let what: Vec<String> = std::mem::take(&mut report.glimpsed).into_iter().map(short).collect();
    (!what.is_empty()).then_some(Event::Glimpsed { what })
}

/// What came back from a child, its final message kept (masked) and read for a claim.
fn returned<J: Journal>(
    journal: &mut J,
    setup: &Setup,
    role: Role,
    report: AgentReport,
) -> Result<AgentReturn, Trouble> {
    let (claim, message) = match &report.message {
        None => {
            let printed = report.tail.lines().rev().find(|line| !line.trim().is_empty());
            (Err(ClaimError::no_message(printed)), None)
        }
        Some(message) => {
            let kept = (setup.mask)(message);
            let digest = journal.store(kept.as_bytes())?;
            let roots: Vec<&str> = setup.roots.iter().map(String::as_str).collect();
            (tdd_result::read(message, role, &roots), Some(digest))
        }
    };
    let claim = match (claim, report.end, &report.died) {
        (Err(error), AgentEnd::Exited(exit), Some(said)) if error.kind == ClaimErrorKind::NoBlock => {
            Err(ClaimError::died(exit, said))
        }
        (claim, _, _) => claim,
    };
    Ok(AgentReturn {
        end: report.end,
        bound: report.bound,
        claim: masked(claim, &setup.mask),
        session: report.session,
        turns: report.turns,
        duration_ms: report.duration_ms,
        silent_ms: report.silent_ms,
        log: report.log,
        message,
    })
}

/// Words of the child's that go into the journal, without secrets (contract section 11). Read first
/// and masked then: a secret that happens to be a word of the block must not make it unreadable.
fn masked(claim: Result<Claim, ClaimError>, mask: &dyn Fn(&str) -> String) -> Result<Claim, ClaimError> {
    let mask_all = |texts: Vec<String>| texts.iter().map(|text| mask(text)).collect();
    let of_dispute =
        |dispute: Dispute| Dispute { tests: mask_all(dispute.tests), reason: mask(&dispute.reason) };
    match claim {
        Ok(claim) => Ok(Claim {
            command: mask(&claim.command),
            output_excerpt: mask(&claim.output_excerpt),
            notes: claim.notes.map(|notes| mask(&notes)),
            dispute: claim.dispute.map(of_dispute),
            ..claim
        }),
        Err(error) => {
            let meant = error.meant.map(of_dispute);
            Err(ClaimError { message: mask(&error.message), meant, ..error })
        }
    }
}
