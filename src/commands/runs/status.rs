//! Where a run stands among all else in its repository: what its own journal can't tell. Every command
//! asks here, so that all of them say the same (contract section 11).

use std::path::Path;

mod at_hand;

pub(in crate::commands) use self::at_hand::{For, at_hand, later_work, work_below};
use super::journalled::Journalled;
use crate::world::lock;
use tdd_child::run_folder::{self, RunDir};
use tdd_core::attempt::CheckpointId;
use tdd_core::event::RunId;
use tdd_core::machine::Machine;
use tdd_core::run_name::{self, Meaning};
use tdd_core::state::{End, Phase, State};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::{intent, run_refs};

/// What an undo names as kept where the tree was as before the run without it.
const AS_BEFORE: &str = "0";

/// What is true of a run besides what its journal tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) enum RunStatus {
    /// This process works on it.
    Live {
        pid: u32,
    },
    /// An undo of it was ended before it was through: the tree is neither as before nor as after. This goes on.
    HalfUndone {
        again: String,
    },
    /// `tdd undo` has taken it back, and kept what was there under this label.
    Undone {
        label: String,
    },
    /// It was not finished, and a later run of its requirement was.
    Superseded {
        by: RunId,
    },
    /// `tdd clean` was ended before it was through: the journal is there, the checkpoints are not.
    CleanedInPart,
    /// It was cut off before anybody was forked, so there is nothing that could be lost.
    NotBegun {
        requirement: String,
    },
    /// Its process is gone, and has said nothing of an end: it was killed.
    CutOff,
    AsJournalled,
}

impl RunStatus {
    pub(in crate::commands) fn of(repository: &Path, run: &RunDir, told: &Journalled) -> Self {
        if let Some(at_work) = lock::at_work(repository)
            && at_work.run.as_deref() == Some(run.id.0.as_str())
        {
            return Self::Live { pid: at_work.pid };
        }
        if let Some(again) = half_undone(repository, run, told) {
            return Self::HalfUndone { again };
        }
        if let Some(label) = told.undone() {
            return Self::Undone { label: label.to_owned() };
        }
        if told.zero().is_some() && !run_refs::are_there(repository, &run.id) {
            return Self::CleanedInPart;
        }
        let as_told = if told.has_ended() || told.is_suspended() { Self::AsJournalled } else { Self::CutOff };
        let Journalled::Cycle(state) = told else { return as_told };
        if state.forks() == 0 && !told.has_ended() {
            return Self::NotBegun { requirement: state.run.requirement.id.clone() };
        }
        superseded(repository, run, state).map_or(as_told, |by| Self::Superseded { by })
    }

    /// In place of what the journal tells, or before it.
    pub(in crate::commands) fn words(&self, journalled: &str) -> String {
        match self {
            Self::Live { pid } => format!("at work, process {pid}: {journalled}"),
            Self::HalfUndone { .. } => {
                format!("an undo of it was cut off, and the tree is half way; it was: {journalled}")
            }
            Self::Undone { .. } => format!("undone; it was: {journalled}"),
            Self::Superseded { by } => format!("superseded by {by}; it was: {journalled}"),
            Self::CleanedInPart => {
                format!("cleaned in part, its checkpoints are gone; it was: {journalled}")
            }
            Self::NotBegun { .. } => format!("cut off before any work was done: {journalled}"),
            Self::CutOff => format!("cut off, its process is gone; it was: {journalled}"),
            Self::AsJournalled => journalled.to_owned(),
        }
    }

    /// One word for machines; `None` where the journal's own say all.
    pub(in crate::commands) fn name(&self) -> Option<&'static str> {
        match self {
            Self::Live { .. } => Some("live"),
            Self::HalfUndone { .. } => Some("half-undone"),
            Self::Undone { .. } => Some("undone"),
            Self::Superseded { .. } => Some("superseded"),
            Self::CleanedInPart => Some("cleaned-in-part"),
            Self::NotBegun { .. } => Some("not-begun"),
            Self::CutOff => Some("cut-off"),
            Self::AsJournalled => None,
        }
    }

    /// What there is to do, where it is something else than the journal's state asks for.
    pub(in crate::commands) fn advice(&self, run: &RunId) -> Option<String> {
        match self {
            Self::Live { pid } => Some(format!("wait until it ends, or stop it: kill {pid}")),
            Self::HalfUndone { again } => Some(format!("`{again}` brings it to its end")),
            // Nothing was taken back, so nothing was kept.
            Self::Undone { label } if label == AS_BEFORE => {
                Some("nothing; its work was not in the tree when it was undone".to_owned())
            }
            Self::Undone { label } => {
                Some(format!("nothing; `tdd undo {run} --to {label}` would bring its work back"))
            }
            Self::Superseded { by } => Some(format!("nothing; `tdd status {by}` is the run that finished")),
            Self::CleanedInPart => Some(format!("`tdd clean {run}` removes the rest")),
            Self::NotBegun { requirement } => Some(format!(
                "`tdd resume {run}` goes on; `tdd {requirement}` starts anew, and loses nothing"
            )),
            Self::CutOff | Self::AsJournalled => None,
        }
    }

    /// Whether nobody goes on with it as it is.
    pub(in crate::commands) fn is_past(&self) -> bool {
        matches!(self, Self::Undone { .. } | Self::Superseded { .. } | Self::CleanedInPart)
    }

    /// What its report does not say, because it came later.
    pub(in crate::commands) fn since_it_ended(&self, run: &RunId) -> Option<String> {
        if !self.is_past() && !matches!(self, Self::HalfUndone { .. }) {
            return None;
        }
        let now = self.name().unwrap_or_default().replace('-', " ");
        let next = self.advice(run).unwrap_or_default();
        Some(format!("tdd: that was so when {run} ended; now it is {now}\n  next: {next}"))
    }

    /// Refuses to go on with a run that was taken back, or whose requirement was finished since.
    pub(in crate::commands) fn refuse_past(&self, run: &RunDir, requirement: &str) -> Result<(), Trouble> {
        let (what, why, next) = match self {
            Self::Live { .. } | Self::NotBegun { .. } | Self::CutOff | Self::AsJournalled => return Ok(()),
            Self::HalfUndone { again } => (
                "is half undone: an undo of it was cut off".to_owned(),
                "some files are as before it and some as after it",
                format!("bring the undo to its end:   {again}"),
            ),
            Self::Undone { label } => (
                "is undone".to_owned(),
                "`tdd undo` has taken its work out of the tree, so nothing is there to go on from",
                match label.as_str() {
                    AS_BEFORE => format!("start anew:                  tdd {requirement}"),
                    label => format!(
                        "start anew:                  tdd {requirement}\n\
                         or bring its work back:      tdd undo {0} --to {label}, then tdd resume {0}",
                        run.id
                    ),
                },
            ),
            Self::Superseded { by } => (
                format!("is superseded: {by} has finished {requirement} since"),
                "what lies in the tree is that later run's work",
                format!(
                    "see what that one did:       tdd status {by}\nstart anew on this tree:     tdd {requirement} --new"
                ),
            ),
            Self::CleanedInPart => (
                "is cleaned in part".to_owned(),
                "its checkpoints are gone, and without them nothing can be held against what was before",
                format!(
                    "start anew on this tree:     tdd {requirement} --new\n\
                     remove the rest of it:       tdd clean {}",
                    run.id
                ),
            ),
        };
        Err(Trouble::user(format!("the run {} {what}", run.id)).because(why).advise(next))
    }

    /// Refuses to take back a run whose requirement a later one has finished: what both left the same would
    /// go, and it is the later one's.
    pub(in crate::commands) fn refuse_superseded(&self, run: &RunId) -> Result<(), Trouble> {
        let Self::Superseded { by } = self else { return Ok(()) };
        Err(Trouble::user(format!("the run {run} is superseded: {by} has finished its requirement since"))
            .because("what lies in the tree is the later run's work, even where both have left the same")
            .advise(format!("nothing was changed; take the later one back first: tdd undo {by}")))
    }
}

/// A halted run of another requirement whose work lies in the tree: what is red may be that.
pub(in crate::commands) fn halted_beside(repository: &Path, run: &RunId) -> Option<RunId> {
    let is_in_the_way = |other: &RunDir| {
        let Ok((told, _)) = Journalled::read(other) else { return false };
        let Journalled::Cycle(state) = told else { return false };
        let is_halted = matches!(state.phase, Phase::Ended { end: End::Halted(_) });
        is_halted && state.facts.undone.is_none() && state.facts.tree != state.start
    };
    let runs = run_folder::runs_of(repository).ok()?;
    runs.into_iter().filter(|other| other.id != *run).find(is_in_the_way).map(|other| other.id)
}

/// The command that goes back to before a run, where no later run's work would go with it and what it began from
/// is still held.
pub(in crate::commands) fn back_before(repository: &Path, run: &RunId) -> Option<String> {
    let is_a_way = run_refs::are_there(repository, run) && later_work(repository, run).is_none();
    is_a_way.then(|| format!("tdd undo {run}"))
}

/// Why a run can't be seen from here: its folder lies in another work tree of the repository, and so does
/// its work.
pub(in crate::commands) fn of_another_work_tree(repository: &Path, name: &str) -> Option<Trouble> {
    let tops = run_refs::other_work_trees(repository);
    let mut found = tops.iter().filter_map(|top| {
        let runs = run_folder::list_runs(top);
        let ids: Vec<&str> = runs.iter().map(|run| run.id.0.as_str()).collect();
        // `@` is the newest of this work tree, which has none of that name.
        match run_name::look_up(name, &ids) {
            Meaning::One(id) if !name.starts_with('@') => Some((RunId(id.to_owned()), top)),
            Meaning::One(_) | Meaning::Nobody | Meaning::Several(_) => None,
        }
    });
    let (run, top) = found.next()?;
    let top = top.display();
    Some(
        Trouble::user(format!("the run {run} is of another work tree: {top}"))
            .because("a run is told, gone on with, taken back and cleaned where its files are")
            .advise(format!("cd {top}, and say it again there")),
    )
}

/// The command that goes on with an undo of this run, if one was cut off and nobody is at it.
fn half_undone(repository: &Path, run: &RunDir, told: &Journalled) -> Option<String> {
    let (_, to) = intent::cut_off(repository).filter(|(of, _)| *of == run.id)?;
    lock::held_by_another(repository).is_none().then(|| undo_again(run, told, &to))
}

/// The command that goes on with an undo of this run to this tree.
pub(in crate::commands) fn undo_again(run: &RunDir, told: &Journalled, to: &CheckpointId) -> String {
    if told.zero().as_ref() == Some(to) {
        return format!("tdd undo {}", run.id);
    }
    format!("tdd undo {} --to {}", run.id, to.0.get(..12).unwrap_or(&to.0))
}

/// The later run that has finished all that this one was to do.
fn superseded(repository: &Path, run: &RunDir, state: &State) -> Option<RunId> {
    let is_closed =
        matches!(state.phase, Phase::Ended { end: End::Finished(_) | End::Abandoned | End::Refused });
    if is_closed || state.forks() == 0 {
        return None;
    }
    let later = run_folder::later_runs(repository, &run.id);
    later.into_iter().filter(|other| names_same(&other.id, &run.id)).find_map(|other| {
        let Ok((Journalled::Cycle(other_state), _)) = Journalled::read(&other) else { return None };
        let finished = matches!(other_state.phase, Phase::Ended { end: End::Finished(_) });
        let all = state.run.plan.criteria.iter().all(|id| other_state.run.plan.criteria.contains(id));
        let same = other_state.run.requirement.path == state.run.requirement.path;
        (finished && all && same && other_state.facts.undone.is_none()).then_some(other.id)
    })
}

/// Whether two runs can be of one requirement: its name stands between the time and the last digits.
fn names_same(one: &RunId, other: &RunId) -> bool {
    let name = |id: &RunId| {
        let (_, rest) = id.0.split_once('-')?;
        rest.rsplit_once('-').map(|(name, _)| name.to_owned())
    };
    name(one) == name(other)
}
