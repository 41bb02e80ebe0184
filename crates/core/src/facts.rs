//! What is known of any run, besides where it stands: a cycle's and a run's of `tdd fix`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::attempt::CheckpointId;
use crate::path::RelPath;

/// What is known of any run, besides where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Facts {
    /// Why nothing goes on at the moment, though the run has not ended.
    pub suspension: Option<Suspension>,
    /// The tree as it was before the first fork.
    pub zero: Option<CheckpointId>,
    /// The tree as it was last known, for whoever goes on.
    pub tree: Option<CheckpointId>,
    /// Processes that outlived what had started them, the first few.
    pub leaked: Vec<Leaked>,
    /// What was seen in git's folder and left there: a person's, or a hook that a child planted; and what was put back
    /// there and can be brought back. The first few.
    pub left_in_git: Vec<String>,
    /// How long the run was at work, in all of its processes.
    pub worked_ms: u64,
    /// How often the project's commands were run, by all of its processes.
    pub runs: Runs,
    /// The operator took all of it back with `tdd undo`; the label under which it was kept.
    pub undone: Option<String>,
    /// Files that somebody else changed or made while the child of this attempt ran, or may have.
    pub edited: BTreeSet<RelPath>,
    /// Files that somebody else changed while no child was at work, and that the run went on with.
    #[serde(default)]
    pub theirs: BTreeSet<RelPath>,
    /// Those of them that somebody else's program goes on writing, no part of the run: a log, a database.
    #[serde(default)]
    pub still_written: BTreeSet<RelPath>,
    /// Files that somebody else wrote, or may have, and the tree that holds each set of them: not all of them lie
    /// in the work tree any more.
    #[serde(default)]
    pub set_aside: Vec<(Vec<RelPath>, CheckpointId)>,
    /// The same of files that are most likely the work of a role, of which nothing tells so.
    #[serde(default)]
    pub unnamed: Vec<(Vec<RelPath>, CheckpointId)>,
}

/// What is known of files that were put back although a person may have written them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum PutBack {
    Unsure,
    /// Work of a role that was cut off or has named nothing, and in it what somebody may have written meanwhile.
    Unnamed,
    /// New in this tree, and there again and the same after other tests ran: those make them.
    MadeAgain,
    /// It lies there, and somebody else writes it again and again while no child is alive.
    StillWritten,
}

impl Facts {
    /// One line for each tree, whatever takes note of it.
    pub(crate) fn set_aside(&mut self, paths: &[RelPath], kept: &CheckpointId) {
        match self.set_aside.iter_mut().find(|(_, known)| known == kept) {
            Some((known, _)) => {
                let new: Vec<RelPath> = paths.iter().filter(|path| !known.contains(path)).cloned().collect();
                known.extend(new);
            }
            None => self.set_aside.push((paths.to_vec(), kept.clone())),
        }
    }

    /// What was told of this tree as perhaps somebody's was made by tests.
    pub(crate) fn made_by_tests(&mut self, paths: &[RelPath], kept: &CheckpointId) {
        for (known, _) in self.set_aside.iter_mut().filter(|(_, tree)| tree == kept) {
            known.retain(|path| !paths.contains(path));
        }
        self.set_aside.retain(|(known, _)| !known.is_empty());
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Suspension {
    Paused(String),
    Stopped(i32),
}

/// A process that outlived what had started it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Leaked {
    pub pid: i32,
    /// At most 200 characters of its command line, as it gave it itself: a claim, and masked.
    pub command: String,
}

/// How often the project's commands were run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Runs {
    /// Of the test command, less the files of criteria that are not reached.
    pub whole: u32,
    /// Of some of its tests.
    pub narrowed: u32,
    /// Of the gate, where it is another command.
    pub gate: u32,
}

impl Runs {
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    pub fn add(&mut self, more: Self) {
        self.whole = self.whole.saturating_add(more.whole);
        self.narrowed = self.narrowed.saturating_add(more.narrowed);
        self.gate = self.gate.saturating_add(more.gate);
    }
}
