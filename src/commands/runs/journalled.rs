//! A run as its journal tells it: a cycle, or a run of `tdd fix`. Both lie in the same folder and
//! have the same checkpoints, so that looking, going back and cleaning up are the same for both.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::phase;
use crate::view::print;
use crate::world::journal_file::{self, JournalFile, Record};
use crate::world::lock;
use tdd_child::clock::SystemClock;
use tdd_child::run_folder::RunDir;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::{Event, RunId};
use tdd_core::fix::{FixPhase, FixState};
use tdd_core::machine::{Facts, IllegalEvent, Machine};
use tdd_core::ports::{Clock, Journal};
use tdd_core::state::{End, Entry, Phase, State};
use tdd_core::trouble::Trouble;

/// What a run's journal adds up to.
#[derive(Serialize, Deserialize)]
pub(in crate::commands) enum Journalled {
    Cycle(Box<State>),
    Fix(Box<FixState>),
}

/// When the first and the last event of a run were written, in milliseconds since the epoch.
#[derive(Clone, Copy, Default, Serialize, Deserialize)]
pub(in crate::commands) struct Span {
    pub(in crate::commands) first: u64,
    pub(in crate::commands) last: u64,
}

impl Span {
    pub(in crate::commands) fn of(records: &[Record]) -> Self {
        let at = |record: Option<&Record>| record.map_or(0, |record| record.ts);
        Self { first: at(records.first()), last: at(records.last()) }
    }
}

impl Journalled {
    /// Reads a run's journal without changing it.
    pub(in crate::commands) fn read(run: &RunDir) -> Result<(Self, Vec<Record>), Trouble> {
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
    pub(in crate::commands) fn glance(repository: &Path, run: &RunDir) -> Result<(Self, Span), Trouble> {
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

    pub(in crate::commands) fn run(&self) -> &RunId {
        match self {
            Self::Cycle(state) => state.run(),
            Self::Fix(fix) => fix.run(),
        }
    }

    pub(in crate::commands) fn facts(&self) -> &Facts {
        match self {
            Self::Cycle(state) => state.facts(),
            Self::Fix(fix) => fix.facts(),
        }
    }

    /// The tree as it was before the run.
    pub(in crate::commands) fn zero(&self) -> Option<CheckpointId> {
        self.facts().zero.clone()
    }

    /// The label of what was there before `tdd undo` took all of it back, if it has.
    pub(in crate::commands) fn undone(&self) -> Option<&str> {
        self.facts().undone.as_deref()
    }

    /// How often somebody was forked.
    pub(in crate::commands) fn forks(&self) -> usize {
        match self {
            Self::Cycle(state) => state.forks(),
            Self::Fix(fix) => fix.forks(),
        }
    }

    /// Whether it ended before anybody was forked.
    pub(in crate::commands) fn left_nothing(&self) -> bool {
        self.forks() == 0 && self.has_ended()
    }

    /// Whether it was paused or stopped in order.
    pub(in crate::commands) fn is_suspended(&self) -> bool {
        match self {
            Self::Cycle(state) => state.facts.suspension.is_some(),
            Self::Fix(fix) => fix.facts.suspension.is_some(),
        }
    }

    pub(in crate::commands) fn has_ended(&self) -> bool {
        match self {
            Self::Cycle(state) => matches!(state.phase, Phase::Ended { .. }),
            Self::Fix(fix) => matches!(fix.phase, FixPhase::Ended { .. }),
        }
    }

    /// Whether it waits for the operator's word. A run of `tdd fix` waits for none.
    pub(in crate::commands) fn is_halted(&self) -> bool {
        match self {
            Self::Cycle(state) => matches!(state.phase, Phase::Ended { end: End::Halted(_) }),
            Self::Fix(_) => false,
        }
    }

    /// Whether nothing is lost if nobody goes on with it. A cycle without a fork has left nothing, whatever
    /// cut it off; a run of `tdd fix` is never resumed.
    pub(in crate::commands) fn is_over(&self) -> bool {
        match self {
            Self::Cycle(_) => self.has_ended() || self.forks() == 0,
            Self::Fix(_) => true,
        }
    }

    /// The trees that the run left or began from, the likeliest first; may repeat.
    pub(in crate::commands) fn trees(&self) -> Vec<CheckpointId> {
        match self {
            Self::Cycle(state) => of_cycle(state),
            Self::Fix(fix) => of_fix(fix),
        }
    }

    /// Where it stands, for a person.
    pub(in crate::commands) fn phase(&self) -> String {
        match self {
            Self::Cycle(state) => phase::phase(state),
            Self::Fix(fix) => phase::fix_phase(fix),
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
pub(in crate::commands) fn tell_undone(
    run: &RunDir,
    to: &CheckpointId,
    (label, kept_as): (&str, &CheckpointId),
) {
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

/// A run of `tdd fix` holds nothing that a new one would not measure again.
pub(in crate::commands) fn fix_advice(undo: Option<&str>) -> String {
    let back = undo.map(|undo| format!("; {undo} brings back what was before")).unwrap_or_default();
    format!("`tdd fix` goes on from the tree as it is{back}")
}
