//! What stdout carries for programs: one object a line, each with its `type` and its version
//! (contract section 2). Their schemas are made from these types, and from the journal's.

use serde::Serialize;

pub mod fix;
pub mod parts;
pub mod schema;
pub mod usage;

use crate::text::halt_report::json::HaltReport;
use crate::text::summary::json::Summary;
use fix::FixReport;
use parts::SetAside;
use tdd_core::attempt::CheckpointId;
use tdd_core::commands::ProjectCommands;
use tdd_core::event::{Plan, RunId};
use tdd_core::halt::Ending;
use tdd_core::machine::Facts;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// The version of all objects. A field or a `type` more leaves it as it is: a reader passes over what it does
/// not know. What takes one away, or gives it another meaning, makes it another.
pub const VERSION: u8 = 1;

/// Fields of events that are only ever shown by their size.
pub const SIZES_ONLY: [&str; 6] = ["output", "output_excerpt", "text", "greens", "gained", "lost"];

/// One line.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Object {
    /// The version of its shape.
    pub v: u8,
    #[serde(flatten)]
    pub content: Content,
    /// The exit code that the program ends with after this line; none where a line tells of no end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<u8>,
}

/// What a line tells.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    Summary(Box<Summary>),
    HaltReport(Box<HaltReport>),
    Fix(Box<FixReport>),
    Paused(Paused),
    GivenUp(GivenUp),
    AlreadyFinished(AlreadyFinished),
    Several(Several),
    DryRun(Box<DryRun>),
    Detached(Detached),
    AtWork(AtWork),
    CutOff(CutOff),
    Error(Failure),
}

impl Content {
    /// The last line of a command that ends with `exit`.
    pub fn last(self, exit: u8) -> String {
        self.kept(exit) + "\n"
    }

    /// The same for a file of the run.
    pub fn kept(self, exit: u8) -> String {
        let object = Object { v: VERSION, content: self, exit: Some(exit) };
        serde_json::to_value(object).unwrap_or_default().to_string()
    }
}

/// A run that goes on with `tdd resume`, or one of `tdd fix` that a new one goes on from.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Paused {
    pub reason: String,
    pub run_dir: String,
    /// The command that goes on.
    pub resume: String,
    pub set_aside: Vec<SetAside>,
    /// What was left in git, or put back there with the command that brings it back.
    pub left_in_git: Vec<String>,
}

/// A run that the operator gave up; the tree stays as it is.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GivenUp {
    pub run: RunId,
    pub run_dir: String,
    /// Tests that were held out, and that the tree lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_out: Option<AwayTests>,
}

/// Files with tests that a run has left out of the tree, and the tree that holds them.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AwayTests {
    pub tree: CheckpointId,
    pub files: Vec<RelPath>,
}

impl Paused {
    pub fn of(reason: &str, run_dir: &std::path::Path, resume: String, facts: &Facts) -> Self {
        Self {
            reason: reason.to_owned(),
            run_dir: run_dir.display().to_string(),
            resume,
            set_aside: SetAside::of(facts),
            left_in_git: facts.left_in_git.clone(),
        }
    }
}

/// Nobody was forked: an earlier run has finished this requirement.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AlreadyFinished {
    pub run: RunId,
    pub requirement: String,
    pub ending: Ending,
}

/// What several requirements in one call came to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Several {
    pub requirements: Vec<OneOfSeveral>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OneOfSeveral {
    pub requirement: String,
    /// As `tdd` ends after it alone; none if it was not begun.
    pub exit: Option<u8>,
    pub outcome: String,
}

/// What a run would do.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DryRun {
    /// The requirement's file, relative to the repository.
    pub requirement: RelPath,
    pub commands: ProjectCommands,
    /// The agent of each role: test-writer, implementer, refactorer.
    pub agents: [String; 3],
    /// The command lines of agents that the project's own settings bring.
    pub brought_agents: Vec<String>,
    pub plan: Plan,
    pub isolation: String,
}

/// A run that goes on apart from the shell.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Detached {
    pub run: RunId,
    pub pid: u32,
    /// The command that waits for its end.
    pub wait: String,
}

/// The time to wait is over, and the run is not.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AtWork {
    pub run: RunId,
    /// In words.
    pub state: String,
    pub wait: String,
}

/// A run whose process is gone, without an end in its journal.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CutOff {
    pub run: RunId,
    pub state: Option<String>,
    pub resume: String,
}

/// What was in the way. People read the same on stderr.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Failure {
    pub what: String,
    pub why: String,
    /// What to do about it.
    pub next: String,
}

impl Failure {
    pub fn of(trouble: &Trouble) -> Self {
        let (what, why, next) = (trouble.what.clone(), trouble.why.clone(), trouble.next.clone());
        Self { what, why, next }
    }
}
