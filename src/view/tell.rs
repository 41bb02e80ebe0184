//! The words for each event, as lines without colour. Used by [`lines`](super::lines) and
//! [`live`](super::live), so that a pipe and a terminal read the same story.

use crate::text::usage_words;
use crate::view::Detail;
use tdd_core::attempt::{AgentEnd, AgentReturn, Attempt, AttemptKind, CheckpointId};
use tdd_core::counted::counted;
use tdd_core::criterion::{CriterionId, Verify};
use tdd_core::effect::RollBack;
use tdd_core::event::{Event, RunStarted};
use tdd_core::finding::{RedFindings, SuiteBaseline};
use tdd_core::halt::Ending;
use tdd_core::harmless;
use tdd_core::judge::Verdict;
use tdd_core::mdtest::{AgentWord, Status, Voice};
use tdd_core::role::{Key, Role};
use tdd_core::state::{Entry, Phase, Progress, State};

mod aside;
pub(super) mod brief;
mod estimate;
mod gate;
mod held_out;
mod measured;
mod proof;

use aside::{child_used, cut_off, denied, glimpsed, left_running, put_back};

/// How many reasons of one verdict are shown; the report holds all.
const REASONS: usize = 20;
/// How long one line may be.
const WIDTH: usize = 400;

/// What a line is about; a view may give each tone a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    /// A stage or an attempt begins.
    Heading,
    Good,
    Bad,
    /// Details that a hurried reader skips.
    Dim,
}

/// One line, harmless for a terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub tone: Tone,
    pub text: String,
}

/// Remembers whose turn it is, because not every event says so.
#[derive(Debug)]
pub struct Teller {
    detail: Detail,
    turn: Option<Key>,
    /// What the measurement of this turn has shown, in few words.
    shown: String,
}

impl Teller {
    pub fn new(detail: Detail) -> Self {
        Self { detail, turn: None, shown: String::new() }
    }

    /// The lines for one event; `state` is the state after it.
    pub fn tell(&mut self, state: &State, event: &Event) -> Vec<Line> {
        if matches!(event, Event::Resumed) {
            self.take_up(state);
        }
        match self.detail {
            Detail::Brief => self.brief(state, event),
            Detail::Full => self.full(state, event),
        }
    }

    /// Whose turn it is in a process that goes on with what an earlier one began.
    fn take_up(&mut self, state: &State) {
        if let Phase::Returned { attempt, .. }
        | Phase::Keeping { attempt, .. }
        | Phase::RollingBack { attempt, .. } = &state.phase
        {
            self.turn = Some(attempt.key.clone());
        }
        if let Phase::Keeping { findings, .. } = &state.phase {
            self.shown = brief::shown(state, findings);
        }
    }

    /// Every step. The first line of a run says which commands were chosen, from where, and who reads them
    /// (section 5).
    fn full(&mut self, state: &State, event: &Event) -> Vec<Line> {
        match event {
            Event::RunStarted(run) => opening(run),
            Event::Isolated { isolation } => vec![plain(format!("isolation: {isolation}"))],
            Event::CheckpointZero { checkpoint } => {
                vec![dim(format!("checkpoint of the tree as it is: {}", brief(checkpoint)))]
            }
            Event::BaselineMeasured { test, gate } => estimated(state, test, gate),
            Event::AttemptStarted { attempt } => self.started(&state.run, attempt.of_cycle()),
            Event::Used { used } => child_used(&used.usage),
            Event::Capped { caps } => vec![plain(format!("caps from now on: {}", usage_words::caps(caps)))],
            Event::AgentReturned { outcome, .. } => self.with_verdict(state, returned(outcome)),
            Event::AttemptMeasured { findings, .. } => {
                self.with_verdict(state, measured::line(state, findings))
            }
            Event::WorkKept { checkpoint } => self.kept(state, checkpoint),
            Event::WorkRolledBack { to, extent, kept_as } => {
                vec![rolled_back(to, *extent, kept_as)]
            }
            Event::GateMeasured { .. } | Event::Proved { .. } | Event::HeldOut { .. } => {
                gate::or_proof(state, event)
            }
            Event::Resumed => vec![plain(format!("resumed: {}", state.run.run))],
            Event::AttemptCut { kept_as } => vec![cut_off(kept_as)],
            Event::Decided { decision, why } => {
                vec![plain(format!("the operator says: {}", decision.words_with(why.as_deref())))]
            }
            Event::WorkTaken { key, tree, .. } => self.taken(key, tree),
            Event::Rechecked { checkpoint, findings, .. } => rechecked(state, checkpoint, findings),
            Event::TestRun(_)
            | Event::Session(_)
            | Event::PolicySettled { .. }
            | Event::Unknown { .. }
            | Event::Undone { .. }
            | Event::EditClaim { .. }
            | Event::Edited { .. }
            | Event::TreeSeen { .. }
            | Event::FixStarted(_)
            | Event::FixMeasured { .. }
            | Event::Worked { .. } => Vec::new(),
            Event::Restored { what } => what.iter().take(REASONS).map(put_back).collect(),
            Event::Denied { what } => what.iter().take(REASONS).map(denied).collect(),
            Event::Glimpsed { what } => what.iter().take(REASONS).map(glimpsed).collect(),
            Event::Leaked { processes } => processes.iter().take(REASONS).map(left_running).collect(),
            Event::MdtestHeard { criterion, word } => vec![mdtest_heard(criterion, word)],
            Event::Halted { .. } => vec![proof::halted(state)],
            Event::Finished { ending: Ending::Verified } => {
                vec![good("finished: every criterion is green, as measured")]
            }
            Event::Finished { ending: Ending::PartlyUnverified } => {
                vec![plain("finished: some criteria are not verified")]
            }
            Event::Refused { why } => vec![bad(format!("refused: {why}; the tree is as it was"))],
            Event::Paused { reason } => vec![paused(reason)],
            Event::Stopped { signal } => vec![stopped(*signal)],
        }
    }

    fn started(&mut self, run: &RunStarted, attempt: Option<Attempt>) -> Vec<Line> {
        let line = attempt.as_ref().map(|attempt| heading(run, attempt));
        self.turn = attempt.map(|attempt| attempt.key);
        line.into_iter().collect()
    }

    fn taken(&mut self, key: &Key, tree: &CheckpointId) -> Vec<Line> {
        self.turn = Some(key.clone());
        vec![dim(format!("  the work without a block is in the tree again: {}", brief(tree)))]
    }

    fn with_verdict(&self, state: &State, line: Line) -> Vec<Line> {
        std::iter::once(line).chain(self.verdict(state)).collect()
    }

    /// The verdict on the attempt whose turn it is, if it has been made.
    fn verdict(&self, state: &State) -> Vec<Line> {
        let ledger = self.turn.as_ref().and_then(|key| state.ledgers.get(key));
        let entry = ledger.and_then(|ledger| ledger.entries.last());
        match entry.and_then(|entry| entry.verdict.as_ref()) {
            None => Vec::new(),
            Some(Verdict::Passed) if entry.is_some_and(Entry::is_kept_without_claim) => {
                vec![good("  passed, as measured; the agent claimed nothing")]
            }
            // Nothing was broken; whether it is done nobody has looked at.
            Some(Verdict::Passed) if self.is_manual(state) => {
                vec![plain("  worked on, not verified: it is for the operator to check (`verify: manual`)")]
            }
            Some(Verdict::Passed) => vec![good("  passed, as measured")],
            Some(Verdict::Disputed(dispute)) => {
                vec![bad(format!("  disputed: {}", dispute.reason))]
            }
            Some(Verdict::Failed(fault)) => {
                let mut lines =
                    vec![bad(format!("  failed, mode {}: {}", fault.mode, fault.mode.description()))];
                let reasons = fault.reasons.iter().take(REASONS);
                lines.extend(reasons.map(|reason| bad(format!("    {reason}"))));
                if fault.reasons.len() > REASONS {
                    lines.push(dim(format!("    and {} more", fault.reasons.len() - REASONS)));
                }
                lines
            }
        }
    }

    /// Whether the attempt is for a criterion that no test and no command can judge.
    fn is_manual(&self, state: &State) -> bool {
        let id = self.turn.as_ref().and_then(Key::criterion);
        id.is_some_and(|id| state.verify(id) == Verify::Manual)
    }

    fn kept(&self, state: &State, checkpoint: &CheckpointId) -> Vec<Line> {
        let total = state.run.plan.criteria.len();
        let green = |progress: &&Progress| matches!(progress, Progress::Green | Progress::AlreadyGreen);
        let greens = state.progress.values().filter(green).count();
        let what = match &self.turn {
            Some(Key::TestWriter) => "RED is kept".to_owned(),
            Some(Key::Implementer(id)) if self.is_manual(state) => format!("the work for {id} is kept"),
            Some(Key::Implementer(id)) => format!("{id} is kept, {greens} of {total} criteria green"),
            Some(Key::Refactorer) => "the refactoring is kept".to_owned(),
            None => "the work is kept".to_owned(),
        };
        vec![dim(format!("  {what}, checkpoint {}", brief(checkpoint)))]
    }
}

fn stopped(signal: i32) -> Line {
    bad(format!("stopped by signal {signal}; what was done is kept in the journal"))
}

/// Which attempt is under way, in few words: `GREEN AC-STE-1.2, attempt 2`.
fn attempt_title(attempt: &Attempt) -> String {
    let of = attempt.key.criterion().map(|id| format!(" {id}")).unwrap_or_default();
    let after = match attempt.kind {
        AttemptKind::First => "",
        AttemptKind::Semantic => " (again, with the raw output)",
        AttemptKind::Format => " (only the block is asked for again)",
    };
    format!("{}{of}, attempt {}{after}", attempt.key.stage(), attempt.number)
}

/// The agents of the three roles, each with its roles where they are not one.
pub fn of_roles(agents: &[String; 3]) -> String {
    let [writer, implementer, refactorer] = agents;
    if writer == implementer && implementer == refactorer {
        return writer.clone();
    }
    let named = |role: Role, agent: &String| format!("{agent} ({})", role.name());
    let [first, second, third] = Role::ALL;
    [named(first, writer), named(second, implementer), named(third, refactorer)].join(", ")
}

fn opening(run: &RunStarted) -> Vec<Line> {
    let commands = &run.commands;
    let (test, gate) = (&commands.test, &commands.gate);
    let requirement = &run.requirement;
    let title = requirement.title.as_ref().map(|title| format!(" \"{title}\"")).unwrap_or_default();
    let agents = of_roles(&run.agents);
    vec![
        plain(format!(
            "test: `{test}` ({}), gate: `{gate}` ({}), read by the {} adapter",
            commands.test_source, commands.gate_source, commands.runner
        )),
        plain(format!(
            "requirement: {}{title}, {} of {} criteria, agent: {agents}",
            requirement.id,
            run.plan.criteria.len(),
            requirement.criteria.len()
        )),
        dim(format!("run: {}", run.run)),
    ]
}

fn rechecked(state: &State, checkpoint: &CheckpointId, findings: &RedFindings) -> Vec<Line> {
    let mut lines = vec![plain(format!("the edited files were tried on {}", brief(checkpoint)))];
    let faults = state.edit_faults(findings);
    lines.extend(faults.iter().take(REASONS).map(|fault| bad(format!("  they do not stand: {fault}"))));
    lines.extend(findings.by_hand.iter().map(|id| good(format!("  {id} is green as it is: your own code"))));
    lines
}

fn estimated(state: &State, test: &SuiteBaseline, gate: &SuiteBaseline) -> Vec<Line> {
    let mut lines = baseline(state, (test, gate), REASONS);
    lines.push(dim(estimate::words(state, test, gate)));
    lines
}

/// At most so many known reds are named.
fn baseline(state: &State, (test, gate): (&SuiteBaseline, &SuiteBaseline), named: usize) -> Vec<Line> {
    let tests = test.greens.len() + test.reds.len() + test.flaky.len() + test.skipped;
    let mut lines = vec![plain(format!(
        "baseline: {}, {} green, {} red, {} flaky, {} skipped, {}; {}",
        counted(tests, "test"),
        test.greens.len(),
        test.reds.len(),
        test.flaky.len(),
        test.skipped,
        duration(test),
        gate::at_baseline(state, tests, test, gate)
    ))];
    let known = test.reds.iter().chain(&test.flaky).take(named);
    lines.extend(known.map(|id| dim(format!("  left out of every judgement: {id}"))));
    let more = (test.reds.len() + test.flaky.len()).saturating_sub(named);
    if more > 0 {
        lines.push(dim(format!("  and {more} more")));
    }
    lines
}

/// A first build may take minutes where the tests take seconds.
fn duration(suite: &SuiteBaseline) -> String {
    let tests = seconds(suite.duration_ms);
    if suite.build_ms == 0 { tests } else { format!("build {}, tests {tests}", seconds(suite.build_ms)) }
}

fn heading(run: &RunStarted, attempt: &Attempt) -> Line {
    let [writer, implementer, refactorer] = &run.agents;
    let agent = match attempt.key {
        Key::TestWriter => writer,
        Key::Implementer(_) => implementer,
        Key::Refactorer => refactorer,
    };
    line(Tone::Heading, &format!("{}: {} ({agent})", attempt_title(attempt), attempt.key.role()))
}

fn returned(outcome: &AgentReturn) -> Line {
    let end = match outcome.end {
        AgentEnd::Exited(exit) if exit.is_success() => "ended".to_owned(),
        AgentEnd::Exited(exit) => format!("ended, {exit}"),
        AgentEnd::Exhausted(what) => format!("stopped: {what}"),
    };
    let turns = outcome.turns.filter(|turns| *turns > 0);
    let turns = turns.map(|turns| format!(", {}", counted(turns as usize, "turn"))).unwrap_or_default();
    let said = match &outcome.claim {
        Ok(claim) => format!("says {:?}", claim.status).to_lowercase(),
        Err(error) => format!("no valid block ({})", error.kind),
    };
    dim(format!("  agent {end} after {}{turns}; {said}", seconds(outcome.duration_ms)))
}

fn rolled_back(to: &CheckpointId, extent: RollBack, kept_as: &CheckpointId) -> Line {
    let what = match extent {
        RollBack::AllButTests => "all but tests is",
        RollBack::DeletedOnly => "deleted and protected files are",
        RollBack::Everything => "the whole tree is",
    };
    dim(format!("  {what} back as of {}; the failed work is kept as {}", brief(to), brief(kept_as)))
}

/// All of the reason is told when the command ends.
fn paused(reason: &str) -> Line {
    let what = reason.lines().next().unwrap_or_default();
    bad(format!("paused: {what}; `tdd status` shows where it stands"))
}

/// An agent's word, shown as such.
fn mdtest_heard(criterion: &CriterionId, word: &AgentWord) -> Line {
    let reason = word.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
    let (says, file) = (word.status.name(), &word.test);
    let text = match word.voice {
        Voice::Agent => format!("{criterion}: an agent says {says}{reason} ({file}); that verifies nothing"),
        Voice::Tdd => format!("{criterion}: there is no agent's word on it{reason} ({file})"),
    };
    if word.status == Status::Pass { plain(text) } else { bad(text) }
}

/// The first characters of a checkpoint, enough for git to find it.
fn brief(checkpoint: &CheckpointId) -> String {
    checkpoint.0.chars().take(12).collect()
}

/// `3.2 s`, or `4 min 05 s` from ten minutes' worth of seconds on.
pub fn seconds(ms: u64) -> String {
    if ms < 100_000 {
        return format!("{}.{} s", ms / 1000, ms % 1000 / 100);
    }
    format!("{} min {:02} s", ms / 60_000, ms % 60_000 / 1000)
}

fn line(tone: Tone, text: &str) -> Line {
    Line { tone, text: harmless::short(text, WIDTH) }
}

fn plain(text: impl AsRef<str>) -> Line {
    line(Tone::Plain, text.as_ref())
}

fn good(text: impl AsRef<str>) -> Line {
    line(Tone::Good, text.as_ref())
}

fn bad(text: impl AsRef<str>) -> Line {
    line(Tone::Bad, text.as_ref())
}

fn dim(text: impl AsRef<str>) -> Line {
    line(Tone::Dim, text.as_ref())
}
