//! An agent's own session under the gate: a fold over its journal, and what may be edited now.
//!
//! ```text
//! test_run fail ──► edit_claim ──► edit ──► flushed (green)   the edits are kept
//!      ▲                             └────► repair (red)      taken back; twice for one test: halted
//!      └──────────────────────────────────────┘
//! ```

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::attempt::CheckpointId;
use crate::event::{
    EditFact, EditGround, Event, GitSeen, PassFail, Repair, RepairCause, SessionEvent, SessionStarted, Step,
    Switch, TestRunFact,
};
use crate::machine::IllegalEvent;
use crate::path::RelPath;
use crate::policy::EffectivePolicy;
use crate::test::{FailureKind, TestId};

pub mod kept_tests;
mod permit;

pub use permit::{Permit, Refusal, Rules, in_run};

/// Failed ends of turns with one red test before a person has to look.
pub const MOST_REPAIRS: u8 = 2;

/// What a failed end of a turn in refactor mode is counted for, in place of a test.
pub const GATE_COMMAND: &str = "the gate command";

/// Good trees that are remembered besides the one that the session began with.
const MOST_KNOWN: usize = 20;

/// What is known of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    pub started: SessionStarted,
    pub policy: Option<EffectivePolicy>,
    pub switch: Switch,
    pub tests: BTreeMap<TestId, LastRun>,
    /// Claims of tests that are not green yet, in order.
    pub claims: Vec<Claim>,
    pub refactor: Option<Refactor>,
    /// Files that were edited for a claim or in refactor mode, and not by somebody else since; each with the tree
    /// before the first of these edits.
    pub own: BTreeMap<RelPath, CheckpointId>,
    /// The tree as it was last seen, and the one that red edits go back to.
    pub tree: CheckpointId,
    pub good: CheckpointId,
    /// The newest of the good trees, in order: what may be gone back to.
    pub known: Vec<CheckpointId>,
    /// What git held when the turn began.
    pub git: Option<GitSeen>,
    /// Failed ends of turns in a row, by test.
    pub repairs: BTreeMap<TestId, u8>,
    pub plan: Vec<Step>,
    /// Events so far.
    pub count: u64,
}

/// The latest run of one test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LastRun {
    pub status: PassFail,
    pub kind: Option<FailureKind>,
    pub command: String,
    pub tree: Option<CheckpointId>,
    pub file: Option<RelPath>,
    /// The event with which the present row of reds began.
    pub red_since: u64,
}

impl LastRun {
    /// Whether the test is red in a way that code can answer.
    pub fn is_counted_red(&self) -> bool {
        let counts = |kind: FailureKind| match kind {
            FailureKind::Assertion | FailureKind::Error | FailureKind::Missing => true,
            FailureKind::Load | FailureKind::Timeout | FailureKind::Crash => false,
        };
        self.status == PassFail::Fail && self.kind.is_some_and(counts)
    }
}

/// "This edit advances this red test."
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    pub test_id: TestId,
    pub edit_target: RelPath,
    /// The event that it is.
    pub at: u64,
    /// The tree as it was seen last before it.
    pub tree: CheckpointId,
    /// The file was edited under it since the last end of a turn.
    pub used: bool,
}

/// Refactor mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Refactor {
    pub files: Vec<String>,
    pub why: String,
    /// The tree when it was switched on.
    pub since: CheckpointId,
    /// The last good tree then: tests are to be what they were in it.
    pub good: CheckpointId,
    /// Files that were edited in it.
    pub edited: BTreeSet<RelPath>,
    /// What a person or git's history has changed since, each with the tree that has it so.
    pub others: BTreeMap<RelPath, CheckpointId>,
}

impl Session {
    /// The session of this first event.
    pub fn open(first: &Event) -> Result<Self, IllegalEvent> {
        let Event::Session(event) = first else { return Err(illegal(first, "the beginning of a session")) };
        let SessionEvent::SessionStarted(started) = &**event else {
            return Err(illegal(first, "the beginning of a session"));
        };
        Ok(Self {
            policy: None,
            switch: Switch::On,
            tests: BTreeMap::new(),
            claims: Vec::new(),
            refactor: None,
            own: BTreeMap::new(),
            tree: started.tree.clone(),
            good: started.tree.clone(),
            known: Vec::new(),
            git: started.git.clone(),
            repairs: BTreeMap::new(),
            plan: Vec::new(),
            count: 1,
            started: (**started).clone(),
        })
    }

    /// Takes in one event. An error leaves the session as it was.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are a run's")]
    pub fn apply(&mut self, event: &Event) -> Result<(), IllegalEvent> {
        match event {
            Event::PolicySettled { policy } => self.policy = Some((**policy).clone()),
            Event::TestRun(fact) => self.ran(fact),
            Event::EditClaim { test_id, edit_target } => self.claims.push(Claim {
                test_id: test_id.clone(),
                edit_target: edit_target.clone(),
                at: self.count,
                tree: self.tree.clone(),
                used: false,
            }),
            Event::TreeSeen { tree } => self.tree = tree.clone(),
            Event::Unknown { .. } => {}
            Event::Session(event) => self.happened(event)?,
            other => return Err(illegal(other, "an event of a session")),
        }
        self.count += 1;
        Ok(())
    }

    fn happened(&mut self, event: &SessionEvent) -> Result<(), IllegalEvent> {
        match event {
            SessionEvent::SessionStarted(_) => {
                return Err(illegal(&Event::Session(Box::new(event.clone())), "the beginning of a session"));
            }
            SessionEvent::Edit(fact) => self.edited(fact),
            SessionEvent::Repair(repair) => self.repaired(repair),
            SessionEvent::RefactorOn { files, why } => {
                let before = self.refactor.take().unwrap_or_else(|| Refactor {
                    files: Vec::new(),
                    why: String::new(),
                    since: self.tree.clone(),
                    good: self.good.clone(),
                    edited: BTreeSet::new(),
                    others: BTreeMap::new(),
                });
                self.refactor = Some(Refactor { files: files.clone(), why: why.clone(), ..before });
            }
            SessionEvent::RefactorOff { tree, .. } => {
                self.refactor = None;
                self.is_good(tree);
            }
            SessionEvent::Flushed { test_ids, tree } => {
                for id in test_ids {
                    self.repairs.remove(id);
                }
                self.claims.retain(|claim| !test_ids.contains(&claim.test_id));
                self.is_good(tree);
            }
            SessionEvent::Rebased { tree, paths, git } => {
                self.own.retain(|path, _| !paths.contains(path));
                if let Some(refactor) = &mut self.refactor {
                    refactor.others.extend(paths.iter().map(|path| (path.clone(), tree.clone())));
                }
                self.tree = tree.clone();
                self.git = git.clone().or_else(|| self.git.take());
                if !self.claims.iter().any(|claim| claim.used) {
                    self.is_good(tree);
                }
            }
            SessionEvent::Committed { git } => self.git = Some(git.clone()),
            SessionEvent::Released { test_ids } => {
                self.claims.retain(|claim| !test_ids.contains(&claim.test_id));
            }
            SessionEvent::Switched { to } => self.switch = *to,
            SessionEvent::Looked { test_ids } => self.repairs.retain(|id, _| !test_ids.contains(id)),
            SessionEvent::Settled(settled) => {
                self.started.mode = settled.mode;
                self.started.free.clone_from(&settled.free);
                self.started.tools.clone_from(&settled.tools);
            }
            SessionEvent::Planned { steps } => self.plan.clone_from(steps),
        }
        Ok(())
    }

    fn edited(&mut self, fact: &EditFact) {
        self.tree = fact.tree.clone();
        match fact.ground {
            EditGround::Claim | EditGround::Refactor => {
                self.own.entry(fact.edit_target.clone()).or_insert_with(|| fact.base.clone());
            }
            EditGround::Test | EditGround::Free | EditGround::Ungated => {
                self.own.remove(&fact.edit_target);
            }
        }
        for claim in &mut self.claims {
            claim.used |= claim.edit_target == fact.edit_target && fact.test_ids.contains(&claim.test_id);
        }
        if let (EditGround::Refactor, Some(refactor)) = (fact.ground, &mut self.refactor) {
            refactor.edited.insert(fact.edit_target.clone());
        }
    }

    /// Red edits go back to this tree from now on. It is known unless refactor mode has edits in it that nobody judged.
    fn is_good(&mut self, tree: &CheckpointId) {
        (self.tree, self.good) = (tree.clone(), tree.clone());
        let is_judged = self.refactor.as_ref().is_none_or(|refactor| refactor.edited.is_empty());
        if is_judged && self.known.last() != Some(tree) {
            self.known.push(tree.clone());
            self.known.drain(..self.known.len().saturating_sub(MOST_KNOWN));
        }
    }

    fn ran(&mut self, fact: &TestRunFact) {
        let red_since = match self.tests.get(&fact.test_id) {
            Some(before) if before.is_counted_red() => before.red_since,
            _ => self.count,
        };
        let last = LastRun {
            status: fact.status,
            kind: fact.kind,
            command: fact.command.clone(),
            tree: fact.tree.clone(),
            file: fact.file.clone(),
            red_since,
        };
        self.tests.insert(fact.test_id.clone(), last);
    }

    fn repaired(&mut self, repair: &Repair) {
        if repair.cause == RepairCause::Red {
            for id in &repair.test_ids {
                let count = self.repairs.entry(id.clone()).or_default();
                *count = count.saturating_add(1);
            }
            // A claim on a file that was taken back has nothing left to stand on.
            self.claims.retain(|claim| {
                !repair.test_ids.contains(&claim.test_id) && !repair.taken_back.contains(&claim.edit_target)
            });
        }
    }

    /// Whether a claim's test is still red, and was before the claim.
    pub fn stands(&self, claim: &Claim) -> bool {
        let last = self.tests.get(&claim.test_id);
        last.is_some_and(|last| last.is_counted_red() && last.red_since < claim.at)
    }

    /// The tests whose edits the end of the turn has to judge.
    pub fn touched(&self) -> BTreeSet<TestId> {
        self.claims.iter().filter(|claim| claim.used).map(|claim| claim.test_id.clone()).collect()
    }

    /// The tests whose claims have come to nothing: no file of theirs was edited.
    pub fn idle(&self) -> BTreeSet<TestId> {
        let touched = self.touched();
        let ids = self.claims.iter().map(|claim| claim.test_id.clone());
        ids.filter(|id| !touched.contains(id)).collect()
    }

    /// The tests that failed once too often.
    pub fn halted(&self) -> Vec<&TestId> {
        self.repairs.iter().filter(|(_, count)| **count >= MOST_REPAIRS).map(|(id, _)| id).collect()
    }

    /// The files of red tests' claims, which the end of a red turn takes back.
    pub fn files_of(&self, red: &BTreeSet<TestId>) -> BTreeSet<RelPath> {
        let of_red = |claim: &&Claim| claim.used && red.contains(&claim.test_id);
        self.claims.iter().filter(of_red).map(|claim| claim.edit_target.clone()).collect()
    }

    /// Where a step of the plan stands.
    pub fn dot(&self, step: &Step) -> Dot {
        let Some(id) = &step.test_id else { return Dot::Refactor };
        match self.tests.get(id) {
            None => Dot::NotRun,
            Some(last) if last.status == PassFail::Pass => Dot::Green,
            Some(_) => Dot::Red,
        }
    }
}

/// What `tdd gate status` shows for a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dot {
    NotRun,
    Red,
    Green,
    /// It has no test, and may only be done in refactor mode.
    Refactor,
}

fn illegal(event: &Event, phase: &str) -> IllegalEvent {
    IllegalEvent { event: event.name().to_owned(), phase: phase.to_owned() }
}

#[cfg(test)]
mod tests;
