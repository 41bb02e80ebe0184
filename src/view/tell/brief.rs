//! What is told if nobody asked for more: success is quiet. A line for RED, for each criterion and for REFACTOR,
//! and whatever a person may have to act on; `--verbose` and `tdd log` tell every step.

use std::collections::BTreeSet;

use super::{Line, Teller, bad, baseline, dim, good, opening, plain, seconds};
use crate::text::summary::red_gate;
use tdd_core::attempt::{Attempt, AttemptKind};
use tdd_core::cause;
use tdd_core::counted::counted;
use tdd_core::event::Event;
use tdd_core::finding::{Findings, GreenJudge, RedFindings};
use tdd_core::judge::Verdict;
use tdd_core::role::Key;
use tdd_core::state::{Entry, State};

/// The root of a repository whose place is not known: below it there is nothing.
const NOWHERE: &str = "\0";
/// How many reasons of one verdict are told, and how many tests that were red before.
const NAMED: usize = 3;

impl Teller {
    pub(super) fn brief(&mut self, state: &State, event: &Event) -> Vec<Line> {
        match event {
            Event::RunStarted(run) => opening(run),
            Event::BaselineMeasured { test, gate } => baseline(state, (test, gate), NAMED),
            Event::AttemptStarted { attempt } => {
                self.turn = attempt.of_cycle().map(|attempt| attempt.key);
                Vec::new()
            }
            Event::AgentReturned { .. } => self.failed(state),
            Event::AttemptMeasured { findings, .. } => {
                self.shown = shown(state, findings);
                self.failed(state)
            }
            Event::WorkKept { .. } => self.reached(state).into_iter().collect(),
            Event::CheckpointZero { .. }
            | Event::Used { .. }
            | Event::Denied { .. }
            | Event::WorkRolledBack { .. }
            | Event::GateMeasured { green: true, .. } => Vec::new(),
            Event::FixStarted(_)
            | Event::FixMeasured { .. }
            | Event::Worked { .. }
            | Event::Capped { .. }
            | Event::GateMeasured { green: false, .. }
            | Event::Proved { .. }
            | Event::HeldOut { .. }
            | Event::TreeSeen { .. }
            | Event::Resumed
            | Event::AttemptCut { .. }
            | Event::WorkTaken { .. }
            | Event::Decided { .. }
            | Event::Rechecked { .. }
            | Event::TestRun(_)
            | Event::EditClaim { .. }
            | Event::Isolated { .. }
            | Event::PolicySettled { .. }
            | Event::Restored { .. }
            | Event::Edited { .. }
            | Event::MdtestHeard { .. }
            | Event::Glimpsed { .. }
            | Event::Unknown { .. }
            | Event::Undone { .. }
            | Event::Leaked { .. }
            | Event::Session(_)
            | Event::Halted { .. }
            | Event::Finished { .. }
            | Event::Refused { .. }
            | Event::Paused { .. }
            | Event::Stopped { .. } => self.full(state, event),
        }
    }

    fn entry<'a>(&self, state: &'a State) -> Option<&'a Entry> {
        let ledger = self.turn.as_ref().and_then(|key| state.ledgers.get(key));
        ledger.and_then(|ledger| ledger.entries.last())
    }

    /// An attempt that failed, with its first reasons. Nothing for one that passed: whether its work is kept is
    /// told a moment later.
    fn failed(&self, state: &State) -> Vec<Line> {
        let Some(entry) = self.entry(state) else { return Vec::new() };
        let (name, number) = (name(&entry.attempt.key), entry.attempt.number);
        match &entry.verdict {
            None | Some(Verdict::Passed) => Vec::new(),
            Some(verdict @ Verdict::Disputed(_)) => {
                let cause = cause::of(&entry.attempt.key, verdict, &entry.runs, NOWHERE).sentence;
                vec![bad(format!("{name} disputed: {cause}"))]
            }
            Some(verdict @ Verdict::Failed(fault)) => {
                let cause = cause::of(&entry.attempt.key, verdict, &entry.runs, NOWHERE).sentence;
                let mut lines =
                    vec![bad(format!("{name} failed, attempt {number}, mode {}: {cause}", fault.mode))];
                if fault.reasons.len() > 1 {
                    let reasons = fault.reasons.iter().take(NAMED);
                    lines.extend(reasons.map(|reason| bad(format!("  {reason}"))));
                }
                let more = fault.reasons.len().saturating_sub(NAMED);
                lines.extend((more > 0).then(|| bad(format!("  and {more} more"))));
                lines
            }
        }
    }

    /// One line for what is kept.
    fn reached(&self, state: &State) -> Option<Line> {
        let entry = self.entry(state)?;
        let name = name(&entry.attempt.key);
        // A tree that was judged already is not judged again: that run was an earlier attempt's.
        let others = state.ledgers.values().flat_map(|ledger| &ledger.entries);
        let others = others.filter(|other| !std::ptr::eq(*other, entry)).flat_map(|other| &other.runs);
        let known: BTreeSet<&str> = others.map(|run| run.log.as_str()).collect();
        let own = entry.runs.iter().filter(|run| !known.contains(run.log.as_str()));
        let took = entry.outcome.as_ref().map_or(0, |outcome| outcome.duration_ms)
            + own.map(|run| run.duration_ms).sum::<u64>();
        let used = entry.used.told.usd.map(|usd| format!(", {usd}")).unwrap_or_default();
        let cost = format!("attempt {}, {}{used}", entry.attempt.number, seconds(took));
        if self.is_manual(state) {
            let text = "worked on, not verified: it is for the operator to check (`verify: manual`)";
            return Some(plain(format!("{name} {text}; {cost}")));
        }
        let claim = if entry.is_kept_without_claim() { "; the agent claimed nothing" } else { "" };
        let green = if entry.attempt.key.criterion().is_some() { " green" } else { "" };
        let shown = if self.shown.is_empty() { String::new() } else { format!(": {}", self.shown) };
        Some(good(format!("{name}{green}{shown}{claim}; {cost}")))
    }
}

/// That an attempt begins, for a log in which nothing else moves until it has ended.
pub(in crate::view) fn begins(state: &State, attempt: &Attempt) -> Line {
    let (name, role) = (name(&attempt.key), attempt.key.role());
    let is_second = attempt.key == Key::TestWriter && !state.more_tests_for().is_empty();
    let who = if is_second { format!("a second {role}") } else { format!("the {role}") };
    dim(match attempt.kind {
        AttemptKind::First | AttemptKind::Semantic => {
            format!("{name}: {who} is at work, {}", nth_of(state, attempt))
        }
        AttemptKind::Format => format!("{name}: {who} is asked for its result block again"),
    })
}

/// The same of one that is under way: `GREEN AC-STE-1.2, attempt 2 of 2`.
pub(in crate::view) fn title(state: &State, attempt: &Attempt) -> String {
    let of = attempt.key.criterion().map(|id| format!(" {id}")).unwrap_or_default();
    let again = match attempt.kind {
        AttemptKind::First | AttemptKind::Semantic => "",
        AttemptKind::Format => " (only the block is asked for again)",
    };
    format!("{}{of}, {}{again}", attempt.key.stage(), nth_of(state, attempt))
}

/// Which attempt of its budget this is: `attempt 1 of 2`.
fn nth_of(state: &State, attempt: &Attempt) -> String {
    let nth = state.ledgers.get(&attempt.key).map_or(1, |ledger| ledger.nth(attempt.number));
    format!("attempt {nth} of {}", usize::from(state.run.plan.bounds.semantic).max(nth))
}

fn name(key: &Key) -> String {
    key.criterion().map_or_else(|| key.stage().to_string(), ToString::to_string)
}

/// What the measurement of work that is kept has shown.
pub(super) fn shown(state: &State, findings: &Findings) -> String {
    match findings {
        Findings::Red(red) => {
            let count = |red: &RedFindings| red.criteria.iter().map(|one| one.tests.len()).sum::<usize>();
            // Of a second test-writer those that it wrote.
            let first = state.red.as_ref().filter(|_| !state.more_tests_for().is_empty()).map_or(0, count);
            let tests = count(red).saturating_sub(first);
            match tests {
                0 => "no new test of its criteria".to_owned(),
                1 => "1 new test red as it should be".to_owned(),
                _ => format!("{tests} new tests red as they should be"),
            }
        }
        Findings::Green(green) => match green.judged_by {
            GreenJudge::TheRest => "no tests of its own, nothing else broke".to_owned(),
            GreenJudge::ExitCode => "its command passes".to_owned(),
            GreenJudge::OwnTests => {
                let early = if green.early_green { ", green before any change" } else { "" };
                let passes = if green.passed.len() == 1 { "passes" } else { "pass" };
                format!("{} {passes}{early}", counted(green.passed.len(), "test"))
            }
        },
        Findings::Refactor(refactor) => {
            let tests = counted(refactor.collected_now, "test");
            match red_gate(state) {
                Some(run) => format!("the gate is red as before the run ({}), with {tests}", run.exit),
                None => format!("the gate passes with {tests}"),
            }
        }
    }
}
