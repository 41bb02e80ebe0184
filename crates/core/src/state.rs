//! The state of a run, and the one function that makes it: a fold over events.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::attempt::{AgentReturn, Attempt, AttemptKind, CheckpointId};
use crate::budget::Spent;
use crate::criterion::{CriterionId, Verify};
use crate::effect::RollBack;
use crate::event::{Event, RunStarted};
use crate::finding::{Findings, Judged, Notice, RedFindings, RunRef, SuiteBaseline};
use crate::halt::{Ending, Halt};
use crate::held_out::{HeldOut, Hold, More};
use crate::judge::Verdict;
use crate::machine::{Facts, IllegalEvent};
use crate::mdtest::AgentWord;
use crate::path::RelPath;
use crate::proof::ProofFindings;
use crate::role::Key;
use crate::test::TestId;
use crate::usage::{Tally, Usage};

mod apply;
mod disputed;
mod held;
mod judged;
mod kept;
mod names;
mod operator;
mod pairs;
mod proven;
pub mod spending;
mod unclaimed;
mod words;

pub use unclaimed::Unclaimed;

/// All that is known of a run. Made by [`State::open`] and [`State::apply`] alone.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct State {
    pub run: RunStarted,
    pub phase: Phase,
    pub facts: Facts,
    /// Right before the first fork: checkpoint 0, and what the baseline runs left.
    pub start: Option<CheckpointId>,
    /// The tree as of the last work that was kept.
    pub good: Option<CheckpointId>,
    pub baseline: Option<Baselines>,
    /// Tests that are green at `good`; sorted, without repeats.
    pub greens: Vec<TestId>,
    /// Tests that the last run that was kept collected: no role may leave fewer.
    pub collected: usize,
    /// The accepted RED: which files and tests belong to which criterion.
    pub red: Option<RedFindings>,
    pub progress: BTreeMap<CriterionId, Progress>,
    #[serde(with = "pairs")]
    pub ledgers: BTreeMap<Key, Ledger>,
    /// Criteria that were green by an earlier criterion's work when their turn came.
    pub early_green: Vec<CriterionId>,
    /// The trees before and after the work that made a criterion green.
    #[serde(default)]
    pub work: BTreeMap<CriterionId, (CheckpointId, CheckpointId)>,
    /// Files that implementers really changed, for the refactorer; sorted, without repeats.
    pub worked_on: Vec<RelPath>,
    pub gate: Option<GateBefore>,
    /// What agents say of the criteria that a Markdown test is for.
    #[serde(default)]
    pub words: BTreeMap<CriterionId, AgentWord>,
    /// Why the operator has accepted a criterion as it is.
    #[serde(default)]
    pub accepted_because: BTreeMap<CriterionId, String>,
    /// Criteria that are green by the operator's own code.
    #[serde(default)]
    pub by_hand: BTreeSet<CriterionId>,
    /// The last whole run of the tests on whose word work was kept.
    #[serde(default)]
    pub judged: Option<(Judged, RunRef)>,
    /// To be told of work that was kept, the first so many.
    #[serde(default, rename = "remarks")]
    pub notices: Vec<Notice>,
    /// The last work of the key at hand that was not kept for want of a valid block alone.
    #[serde(default)]
    pub unclaimed: Option<Box<Unclaimed>>,
    /// The tree on which RED was accepted.
    #[serde(default)]
    pub red_tree: Option<CheckpointId>,
    /// What the final proof found of the tree at hand.
    #[serde(default)]
    pub proof: Option<Box<ProofFindings>>,
    /// Tests that are out of the roles' sight; where a criterion has one test, who writes more; and what RED has
    /// accepted of that.
    #[serde(default)]
    pub held: Option<Box<HeldOut>>,
    #[serde(default)]
    pub more: Option<More>,
    #[serde(default)]
    pub of_second_writer: Vec<TestId>,
    /// The tree as last seen while processes run: as a stopped child left it (unknown after a kill), or as measured.
    #[serde(default)]
    pub stopped_at: Option<CheckpointId>,
    /// What the operator edited does not stand, and nothing was edited since.
    #[serde(default)]
    pub edit_refused: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Baselines {
    pub test: SuiteBaseline,
    pub gate: SuiteBaseline,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct GateBefore {
    pub green: bool,
    pub run: RunRef,
}

/// Where a run stands. Data lives only in the phase where it is true.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    Opening,
    Baselining,
    /// An attempt of `key` is to be made.
    Due {
        key: Key,
        kind: AttemptKind,
    },
    /// The attempt is journalled; its child may be alive.
    Forked {
        attempt: Attempt,
    },
    /// The child ended and said something that is worth measuring against.
    Returned {
        attempt: Attempt,
        outcome: Box<AgentReturn>,
    },
    /// The verdict was `passed`; the work is to be checkpointed.
    Keeping {
        attempt: Attempt,
        findings: Box<Findings>,
    },
    /// The verdict was not `passed`; the tree is to be rolled back.
    RollingBack {
        attempt: Attempt,
        to: CheckpointId,
        extent: RollBack,
        then: AfterRollBack,
    },
    /// The run was resumed, and this attempt's child had not come back: it never counts.
    CutOff {
        attempt: Attempt,
    },
    /// The operator takes the work of this attempt, though it came without a valid block.
    Taking {
        attempt: Attempt,
        /// The tree that was judged.
        tree: CheckpointId,
    },
    /// The operator edited tests or the requirement; `key` goes on if they stand.
    Rechecking {
        key: Key,
        /// What stands again if they do not; none if the run was only paused.
        halt: Option<Halt>,
    },
    /// All criteria are GREEN; the gate runs before the refactorer.
    GateDue,
    /// All is done; the result is to be proven.
    Proving,
    /// Tests are to be parted, taken out of the work tree, or brought back.
    HoldingOut {
        step: Hold,
    },
    Halting {
        halt: Halt,
    },
    Finishing {
        ending: Ending,
    },
    Ended {
        end: End,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AfterRollBack {
    Retry,
    Halt(Halt),
    /// What could have come of it is not needed: the run goes on without.
    GoOn,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    Finished(Ending),
    Halted(Halt),
    /// Given up by the operator.
    Abandoned,
    /// Refused before the first child came back.
    Refused,
}

/// How far one criterion is; the dots of the progress display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Progress {
    /// Nothing is known yet.
    Pending,
    /// Its tests were seen red.
    Red,
    /// Its tests were seen green (or, for `verify: gate`, the gate was).
    Green,
    /// Green at baseline by finding, as the operator had said.
    AlreadyGreen,
    /// Taken as it is by the operator; not verified.
    Accepted,
    /// Worked on, and not verifiable by `tdd`: `manual`, `mdtest`.
    Unverified,
}

/// The attempts of one key, and what they used up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ledger {
    pub spent: Spent,
    /// Attempts that were cut off by our own end since the last operator's decision.
    pub cuts: u8,
    /// Where the entries begin that the budget counts: an operator's retry makes it fresh.
    pub fresh_from: usize,
    /// The operator has looked at the dispute of the attempt before these: the test stands.
    #[serde(default)]
    pub overruled: bool,
    pub entries: Vec<Entry>,
}

/// One attempt of the past, or the one under way.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Entry {
    pub attempt: Attempt,
    pub outcome: Option<Box<AgentReturn>>,
    pub verdict: Option<Verdict>,
    /// The runs that the verdict rests on.
    pub runs: Vec<RunRef>,
    /// Cut off by our own end: it never counts.
    pub cut: bool,
    /// Where the failed work was kept.
    pub kept_as: Option<CheckpointId>,
    /// What its children used: one, or several if limits passed in between.
    #[serde(default)]
    pub used: Tally,
    /// The counts of its session, as they stood when its last child ended.
    #[serde(default)]
    pub session_used: Usage,
}

impl Ledger {
    /// The attempts since the operator's last decision, as far as they count.
    pub fn fresh(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.get(self.fresh_from..).unwrap_or_default().iter().filter(|entry| !entry.cut)
    }

    /// Which attempt of this budget the one with this number is, from 1. Being asked for the block again is none
    /// of its own.
    pub fn nth(&self, number: u8) -> usize {
        let counts =
            |entry: &&Entry| entry.attempt.kind != AttemptKind::Format && entry.attempt.number <= number;
        self.fresh().filter(counts).count().max(1)
    }

    /// What each of these left, if it was not kept: one tree for an attempt and its format retries.
    pub fn failed_trees(&self) -> Vec<&CheckpointId> {
        let mut trees: Vec<Option<&CheckpointId>> = Vec::new();
        for entry in self.fresh() {
            let kept = entry.kept_as.as_ref();
            match trees.last_mut().filter(|_| entry.attempt.kind == AttemptKind::Format) {
                Some(last) => *last = kept.or(*last),
                None => trees.push(kept),
            }
        }
        trees.into_iter().flatten().collect()
    }

    /// The last attempt that counts.
    pub fn last(&self) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| !entry.cut)
    }
}

impl State {
    /// The state right after `run_started`.
    pub fn open(run: RunStarted) -> Self {
        let progress = run.plan.criteria.iter().map(|id| (id.clone(), Progress::Pending)).collect();
        Self {
            run,
            phase: Phase::Opening,
            facts: Facts::default(),
            start: None,
            good: None,
            baseline: None,
            greens: Vec::new(),
            collected: 0,
            red: None,
            progress,
            ledgers: BTreeMap::new(),
            early_green: Vec::new(),
            work: BTreeMap::new(),
            worked_on: Vec::new(),
            gate: None,
            words: BTreeMap::new(),
            accepted_because: BTreeMap::new(),
            by_hand: BTreeSet::new(),
            judged: None,
            notices: Vec::new(),
            unclaimed: None,
            red_tree: None,
            proof: None,
            held: None,
            more: None,
            of_second_writer: Vec::new(),
            stopped_at: None,
            edit_refused: false,
        }
    }

    /// Rebuilds a state from a journal. The first event must be `run_started`.
    pub fn replay<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Option<Self>, IllegalEvent> {
        let mut events = events.into_iter();
        let Some(first) = events.next() else { return Ok(None) };
        let Event::RunStarted(run) = first else {
            return Err(IllegalEvent::in_phase(first, "the journal's beginning"));
        };
        let mut state = Self::open((**run).clone());
        for event in events {
            state.apply(event)?;
        }
        Ok(Some(state))
    }

    /// How this criterion is judged; `test` for one that the requirement does not hold.
    pub fn verify(&self, id: &CriterionId) -> Verify {
        self.run.requirement.criterion(id).map(|criterion| criterion.verify.clone()).unwrap_or_default()
    }

    /// The criteria that RED must cover, in order.
    pub fn covered_by_red(&self) -> Vec<CriterionId> {
        let accepted = |id: &CriterionId| self.progress.get(id) == Some(&Progress::Accepted);
        let covered = |id: &&CriterionId| self.verify(id) == Verify::Test && !accepted(id);
        self.run.plan.criteria.iter().filter(covered).cloned().collect()
    }

    /// The attempt under way or just ended, if there is one.
    pub fn attempt(&self) -> Option<&Attempt> {
        match &self.phase {
            Phase::Forked { attempt }
            | Phase::Returned { attempt, .. }
            | Phase::Keeping { attempt, .. }
            | Phase::CutOff { attempt }
            | Phase::Taking { attempt, .. }
            | Phase::RollingBack { attempt, .. } => Some(attempt),
            Phase::Opening
            | Phase::Baselining
            | Phase::Due { .. }
            | Phase::GateDue
            | Phase::Proving
            | Phase::HoldingOut { .. }
            | Phase::Rechecking { .. }
            | Phase::Halting { .. }
            | Phase::Finishing { .. }
            | Phase::Ended { .. } => None,
        }
    }

    /// The tree that the work of `key` is measured against: the one before its last attempt that
    /// was no format retry, because a format retry goes on with the work of the attempt before it.
    pub fn base(&self, key: &Key) -> Option<&CheckpointId> {
        let entries = &self.ledgers.get(key)?.entries;
        // Of work that the operator takes there may be later attempts.
        let at_hand = self.attempt().filter(|attempt| attempt.key == *key).map(|attempt| attempt.number);
        let until = |entry: &&Entry| at_hand.is_none_or(|number| entry.attempt.number <= number);
        let mut entries = entries.iter().rev().filter(until);
        let judged = entries.find(|entry| entry.attempt.kind != AttemptKind::Format && !entry.cut);
        judged.map(|entry| &entry.attempt.before)
    }

    /// Whether the GREEN stage of this criterion has begun.
    pub fn is_reached(&self, id: &CriterionId) -> bool {
        let progress = self.progress.get(id);
        let ledger = self.ledgers.get(&Key::Implementer(id.clone()));
        let begun = ledger.is_some_and(|ledger| ledger.entries.len() > ledger.fresh_from);
        // What the operator accepted may be red for ever, so its tests take no part.
        (begun && progress != Some(&Progress::Accepted))
            || matches!(progress, Some(Progress::AlreadyGreen | Progress::Green | Progress::Unverified))
    }
}

#[cfg(test)]
mod tests;
