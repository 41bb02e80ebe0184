//! What a cycle and a run of `tdd fix` are both: a fold over a journal that names, in every state, one thing
//! to do or none. What fits wherever a run stands is taken in here, in one way for both.

use std::fmt;

use crate::attempt::CheckpointId;
use crate::event::{self, Event};
use crate::path::RelPath;
use crate::run_name::RunId;
use crate::usage::{Cap, CapPlan, Caps, Usage};

pub use crate::facts::{Facts, PutBack, Suspension};

/// A state that events fold into, and that names the next effect.
pub trait Machine {
    type Effect: Clone;

    /// The one thing to do in this state; `None` when the run has ended or is suspended.
    fn next(&self) -> Option<Self::Effect>;
    /// Takes in one event. An error leaves the state as it was.
    fn apply(&mut self, event: &Event) -> Result<(), IllegalEvent>;
    fn run(&self) -> &RunId;
    fn facts(&self) -> &Facts;
    /// How many forks were made in all.
    fn forks(&self) -> usize;
    /// How many children came back. The first one not yet back may never have been started.
    fn children(&self) -> usize;
    fn caps(&self) -> &CapPlan;
    /// What all children used until now, as they tell it.
    fn told(&self) -> Usage;

    /// The bound of the whole run that has nothing left: nothing is forked then.
    fn cap_reached(&self) -> Option<Cap> {
        let caps = self.caps().run;
        if caps.is_none() { None } else { caps.reached(&self.told(), self.facts().worked_ms) }
    }

    /// What the run's bounds leave for the next child.
    fn left_of_caps(&self) -> Caps {
        self.caps().run.less(&self.told(), self.facts().worked_ms)
    }
}

/// Where an event may come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fitting {
    Anywhere,
    ByPhase,
}

impl Facts {
    fn take_edited(&mut self, paths: &[RelPath], kept: &CheckpointId, put_back: Option<PutBack>) {
        match put_back {
            None => {
                self.edited.extend(paths.iter().cloned());
                self.set_aside(paths, kept);
            }
            // It does not lie there: nothing is to be spared.
            Some(PutBack::Unsure) => self.set_aside(paths, kept),
            Some(PutBack::Unnamed) => self.unnamed.push((paths.to_vec(), kept.clone())),
            Some(PutBack::MadeAgain) => self.made_by_tests(paths, kept),
            Some(PutBack::StillWritten) => self.still_written.extend(paths.iter().cloned()),
        }
    }

    /// Takes in what fits wherever a run stands, and changes no phase.
    pub(crate) fn take(&mut self, event: &Event) -> Fitting {
        match event {
            Event::Leaked { processes } => event::note_leaked(&mut self.leaked, processes),
            Event::Restored { what } => event::note_left(&mut self.left_in_git, what),
            Event::Isolated { .. }
            | Event::PolicySettled { .. }
            | Event::TestRun(_)
            | Event::EditClaim { .. }
            | Event::Denied { .. }
            | Event::Glimpsed { .. }
            | Event::Unknown { .. } => {}
            Event::Worked { ms, runs } => {
                self.worked_ms = self.worked_ms.saturating_add(*ms);
                self.runs.add(*runs);
            }
            Event::Edited { paths, before: None, kept, put_back } => self.take_edited(paths, kept, *put_back),
            Event::Edited { paths, before: Some(_), .. } => self.theirs.extend(paths.iter().cloned()),
            Event::AttemptStarted { .. } => {
                self.edited.clear();
                return Fitting::ByPhase;
            }
            Event::TreeSeen { tree } => self.tree = Some(tree.clone()),
            // The tree that a run goes on with stays the one it knew: brought back, it is that again.
            Event::Undone { to, label, .. } => {
                self.undone = (self.zero.as_ref() == Some(to)).then(|| label.clone());
            }
            Event::Paused { reason } => self.suspension = Some(Suspension::Paused(reason.clone())),
            Event::Stopped { signal } => self.suspension = Some(Suspension::Stopped(*signal)),
            Event::Refused { .. }
            | Event::Resumed
            | Event::AttemptCut { .. }
            | Event::Capped { .. }
            | Event::Decided { .. }
            | Event::Rechecked { .. }
            | Event::WorkTaken { .. }
            | Event::RunStarted(_)
            | Event::FixStarted(_)
            | Event::FixMeasured { .. }
            | Event::CheckpointZero { .. }
            | Event::BaselineMeasured { .. }
            | Event::Used { .. }
            | Event::AgentReturned { .. }
            | Event::AttemptMeasured { .. }
            | Event::WorkKept { .. }
            | Event::WorkRolledBack { .. }
            | Event::GateMeasured { .. }
            | Event::Proved { .. }
            | Event::HeldOut { .. }
            | Event::MdtestHeard { .. }
            | Event::Halted { .. }
            | Event::Session(_)
            | Event::Finished { .. } => return Fitting::ByPhase,
        }
        Fitting::Anywhere
    }

    /// Nothing happens in a run that is paused or stopped, until somebody goes on with it.
    pub(crate) fn refuse_suspended(&self, event: &Event) -> Result<(), IllegalEvent> {
        match self.suspension {
            Some(_) => Err(IllegalEvent::in_phase(event, "a pause")),
            None => Ok(()),
        }
    }
}

/// An event that can't have happened in this state: the journal is not one of ours, or a bug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalEvent {
    pub event: String,
    pub phase: String,
}

impl IllegalEvent {
    pub(crate) fn in_phase(event: &Event, phase: &str) -> Self {
        Self { event: event.name().to_owned(), phase: phase.to_owned() }
    }
}

impl fmt::Display for IllegalEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the event `{}` can't follow {}", self.event, self.phase)
    }
}

impl std::error::Error for IllegalEvent {}
