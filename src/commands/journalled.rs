//! A run as its journal tells it: a cycle, or a run of `tdd fix`. Both lie in the same folder and
//! have the same checkpoints, so that looking, going back and cleaning up are the same for both.

use std::fmt::Write as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::log::{one_row, time};
use super::run_status::RunStatus;
use crate::view::print;
use crate::world::journal_file::{self, JournalFile, Record};
use crate::world::lock;
use tdd_child::clock::SystemClock;
use tdd_child::run_folder::RunDir;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::{Event, RunId};
use tdd_core::fix::{FixEnd, FixPhase, FixState, Round};
use tdd_core::machine::{Facts, IllegalEvent, Machine, Suspension};
use tdd_core::ports::{Clock, Journal};
use tdd_core::state::{End, Entry, Phase, State};
use tdd_core::trouble::Trouble;

/// Lines of what was said when a run paused.
const LONGEST_PAUSE: usize = 30;

/// What a run's journal adds up to.
#[derive(Serialize, Deserialize)]
pub(super) enum Journalled {
    Cycle(Box<State>),
    Fix(Box<FixState>),
}

/// When the first and the last event of a run were written, in milliseconds since the epoch.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Span {
    pub(super) first: u64,
    pub(super) last: u64,
}

impl Span {
    pub(super) fn of(records: &[Record]) -> Self {
        let at = |record: Option<&Record>| record.map_or(0, |record| record.ts);
        Self { first: at(records.first()), last: at(records.last()) }
    }
}

impl Journalled {
    /// Reads a run's journal without changing it.
    pub(super) fn read(run: &RunDir) -> Result<(Self, Vec<Record>), Trouble> {
        let records = journal_file::read_for_state(&run.path)?;
        Ok((Self::of(run, &records)?, records))
    }

    fn of(run: &RunDir, records: &[Record]) -> Result<Self, Trouble> {
        let events = || records.iter().map(|record| &record.event);
        if let Some(fix) = FixState::replay(events()).map_err(|error| unfit(run, error.to_string()))? {
            return Ok(Self::Fix(Box::new(fix)));
        }
        let state = State::replay(events()).map_err(|error| unfit(run, error.to_string()))?;
        let state = state.ok_or_else(|| unfit(run, "it is empty".to_owned()))?;
        Ok(Self::Cycle(Box::new(state)))
    }

    /// The same for whoever only looks: what the snapshot beside the journal stands for is not read again.
    pub(super) fn glance(repository: &Path, run: &RunDir) -> Result<(Self, Span), Trouble> {
        // While a process works on it, its children could have put a snapshot there.
        if lock::is_at_work(repository, &run.id) {
            let (told, records) = Self::read(run)?;
            return Ok((told, Span::of(&records)));
        }
        let mut found = journal_file::glance::<(Self, Span)>(&run.path, "run")?;
        let since = Span::of(&found.records);
        let now = match found.state.take() {
            None => (Self::of(run, &found.records)?, since),
            Some((mut told, known)) => {
                for record in &found.records {
                    told.apply(&record.event).map_err(|error| unfit(run, error.to_string()))?;
                }
                let last = if found.records.is_empty() { known.last } else { since.last };
                (told, Span { first: known.first, last })
            }
        };
        found.keep(&now);
        Ok(now)
    }

    fn apply(&mut self, event: &Event) -> Result<(), IllegalEvent> {
        match self {
            Self::Cycle(state) => state.apply(event),
            Self::Fix(fix) => fix.apply(event),
        }
    }

    pub(super) fn run(&self) -> &RunId {
        match self {
            Self::Cycle(state) => state.run(),
            Self::Fix(fix) => fix.run(),
        }
    }

    pub(super) fn facts(&self) -> &Facts {
        match self {
            Self::Cycle(state) => state.facts(),
            Self::Fix(fix) => fix.facts(),
        }
    }

    /// The tree as it was before the run.
    pub(super) fn zero(&self) -> Option<CheckpointId> {
        self.facts().zero.clone()
    }

    /// The label of what was there before `tdd undo` took all of it back, if it has.
    pub(super) fn undone(&self) -> Option<&str> {
        self.facts().undone.as_deref()
    }

    /// How often somebody was forked.
    pub(super) fn forks(&self) -> usize {
        match self {
            Self::Cycle(state) => state.forks(),
            Self::Fix(fix) => fix.forks(),
        }
    }

    /// Whether it ended before anybody was forked.
    pub(super) fn left_nothing(&self) -> bool {
        self.forks() == 0 && self.has_ended()
    }

    /// Whether it was paused or stopped in order.
    pub(super) fn is_suspended(&self) -> bool {
        match self {
            Self::Cycle(state) => state.facts.suspension.is_some(),
            Self::Fix(fix) => fix.facts.suspension.is_some(),
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        match self {
            Self::Cycle(state) => matches!(state.phase, Phase::Ended { .. }),
            Self::Fix(fix) => matches!(fix.phase, FixPhase::Ended { .. }),
        }
    }

    /// Whether it waits for the operator's word. A run of `tdd fix` waits for none.
    pub(super) fn is_halted(&self) -> bool {
        match self {
            Self::Cycle(state) => matches!(state.phase, Phase::Ended { end: End::Halted(_) }),
            Self::Fix(_) => false,
        }
    }

    /// Whether nothing is lost if nobody goes on with it. A cycle without a fork has left nothing, whatever
    /// cut it off; a run of `tdd fix` is never resumed.
    pub(super) fn is_over(&self) -> bool {
        match self {
            Self::Cycle(_) => self.has_ended() || self.forks() == 0,
            Self::Fix(_) => true,
        }
    }

    /// The trees that the run left or began from, the likeliest first; may repeat.
    pub(super) fn trees(&self) -> Vec<CheckpointId> {
        match self {
            Self::Cycle(state) => of_cycle(state),
            Self::Fix(fix) => of_fix(fix),
        }
    }

    /// Where it stands, for a person.
    pub(super) fn phase(&self) -> String {
        match self {
            Self::Cycle(state) => super::status::phase(state),
            Self::Fix(fix) => fix_phase(fix),
        }
    }
}

fn unfit(run: &RunDir, why: String) -> Trouble {
    Trouble::environment(format!("the journal of {} tells no run", run.id))
        .because(why)
        .advise(format!("`tdd log {}` shows what it holds", run.id))
}

/// Writes into a run's journal that `tdd undo` went to this tree, so that every command knows; what was
/// there before is kept under the label. A run without a journal that can be read has none to write to, and
/// on a full disk the tree has gone back all the same.
pub(super) fn tell_undone(run: &RunDir, to: &CheckpointId, (label, kept_as): (&str, &CheckpointId)) {
    let event = Event::Undone { to: to.clone(), kept_as: kept_as.clone(), label: label.to_owned() };
    let written = JournalFile::open(&run.path)
        .and_then(|(mut journal, _)| journal.append(SystemClock::default().now_ms(), &[event]));
    if let Err(trouble) = written {
        print::message(&format!("tdd: the run's journal can't tell of this undo: {}", trouble.what));
    }
}

fn of_cycle(state: &State) -> Vec<CheckpointId> {
    // As long as none of its children was alive it has changed nothing.
    if state.start.is_none() {
        return state.facts.zero.iter().cloned().collect();
    }
    let mut trees: Vec<CheckpointId> = state.facts.tree.iter().chain(&state.good).cloned().collect();
    trees.extend(state.attempt().map(|attempt| attempt.before.clone()));
    trees.extend(state.held.iter().map(|held| held.parting.whole.clone()));
    let entries: Vec<&Entry> =
        state.ledgers.values().flat_map(|ledger| ledger.entries.iter().rev()).collect();
    trees.extend(entries.iter().filter_map(|entry| entry.kept_as.clone()));
    trees.extend(entries.iter().map(|entry| entry.attempt.before.clone()));
    trees.extend(state.facts.zero.clone());
    trees
}

fn of_fix(fix: &FixState) -> Vec<CheckpointId> {
    let mut trees: Vec<CheckpointId> = fix.facts.tree.iter().cloned().collect();
    trees.extend(fix.best().map(|best| best.tree.clone()));
    for round in fix.rounds.iter().rev() {
        trees.extend(round.findings.as_ref().map(|found| found.tree.clone()));
        trees.extend(round.kept_as.clone());
        trees.extend(round.attempt.as_ref().map(|attempt| attempt.before.clone()));
    }
    trees.extend(fix.facts.zero.clone());
    trees
}

/// What a pause is for; why, and what to do about it, are told below it.
pub(super) fn paused(reason: &str) -> String {
    format!("paused: {}", one_row(reason.lines().next().unwrap_or_default()))
}

/// Where a run is shown whole: the rest of what was said when it paused, below its state.
pub(super) fn rest_of_pause(facts: &Facts) -> String {
    let Some(Suspension::Paused(reason)) = &facts.suspension else { return String::new() };
    reason.lines().skip(1).take(LONGEST_PAUSE).fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "             {}", one_row(line.strip_prefix("  ").unwrap_or(line)));
        text
    })
}

fn fix_phase(fix: &FixState) -> String {
    match &fix.facts.suspension {
        Some(Suspension::Paused(reason)) => return paused(reason),
        Some(Suspension::Stopped(signal)) => return format!("stopped by signal {signal}"),
        None => {}
    }
    match &fix.phase {
        FixPhase::Opening => "before checkpoint 0".to_owned(),
        FixPhase::Measuring => "the checks run".to_owned(),
        FixPhase::Due => "a fixer is due".to_owned(),
        FixPhase::Forked => "a fixer was started".to_owned(),
        FixPhase::TakingBack { .. } => "worse work is taken back".to_owned(),
        FixPhase::Halting { why } => format!("halting: {}", why.words()),
        FixPhase::Finishing => "finishing".to_owned(),
        FixPhase::Ended { end: FixEnd::Fixed } => "finished, every check is green".to_owned(),
        FixPhase::Ended { end: FixEnd::Halted(why) } => format!("halted: {}", why.words()),
        FixPhase::Ended { end: FixEnd::Refused } => "refused before any work was done".to_owned(),
    }
}

/// One line of `tdd status`.
pub(super) fn fix_headline(fix: &FixState, status: &RunStatus) -> String {
    let green = fix.best().map_or(0, |best| best.checks.iter().filter(|check| check.is_green()).count());
    format!("fix  {green}/{} checks green  {}", fix.run.checks.len(), status.words(&fix_phase(fix)))
}

/// All of `tdd status`.
pub(super) fn fix_in_full(fix: &FixState, span: Span, status: &RunStatus) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "run          {}", fix.run.run);
    let _ = writeln!(text, "task         {}", one_row(&fix.run.task));
    let _ = writeln!(text, "time         {} to {}", time(span.first), time(span.last));
    let _ = writeln!(text, "state        {}", status.words(&fix_phase(fix)));
    text.push_str(&rest_of_pause(&fix.facts));
    let best = fix.best().map_or(&[][..], |best| &best.checks);
    for (at, check) in fix.run.checks.iter().enumerate() {
        let is = match best.get(at) {
            None => "not run".to_owned(),
            Some(found) if found.is_green() => "green".to_owned(),
            Some(found) => format!("red, failures: {}", found.failures),
        };
        let _ = writeln!(text, "  {}  {is}", one_row(&check.command));
    }
    let _ = writeln!(text, "attempts     {} of {}", fix.forks(), fix.run.retries);
    text
}

pub(super) fn fix_json(fix: &FixState, span: Span) -> Value {
    let best = fix.best().map_or(&[][..], |best| &best.checks);
    let checks: Vec<Value> = fix
        .run
        .checks
        .iter()
        .enumerate()
        .map(|(at, check)| {
            let found = best.get(at);
            json!({
                "command": check.command, "green": found.map(tdd_core::fix::CheckFinding::is_green),
                "failures": found.map(|found| found.failures),
            })
        })
        .collect();
    json!({
        "run": fix.run.run, "task": fix.run.task, "phase": fix.phase.name(), "suspension": fix.facts.suspension,
        "state": fix_phase(fix), "checks": checks, "forks": fix.forks(), "retries": fix.run.retries,
        "rounds": fix.rounds.iter().map(Round::failures).collect::<Vec<_>>(),
        "started_ms": span.first, "last_ms": span.last,
    })
}

/// A run of `tdd fix` holds nothing that a new one would not measure again.
pub(super) fn fix_advice(undo: Option<&str>) -> String {
    let back = undo.map(|undo| format!("; {undo} brings back what was before")).unwrap_or_default();
    format!("`tdd fix` goes on from the tree as it is{back}")
}
