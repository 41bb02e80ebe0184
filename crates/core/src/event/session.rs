//! What happens in an agent's own session under the gate, besides `test_run` and `edit_claim`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::attempt::{CheckpointId, Digest};
use crate::commands::ProjectCommands;
use crate::path::RelPath;
use crate::test::TestId;

/// One fact of a session's journal. A run's journal holds none of these.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SessionEvent {
    /// The first event of a session's journal.
    SessionStarted(Box<SessionStarted>),
    Edit(EditFact),
    Repair(Repair),
    /// Edits are permitted without a red test, of the named files or of all.
    RefactorOn {
        /// Globs; of everything if there is none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
        why: String,
    },
    /// The gate command was run and is green, or red with nothing that the mode has made red. Without a command: a red
    /// test was claimed in the mode that is on for want of tests.
    RefactorOff {
        command: String,
        duration_ms: u64,
        /// The tree that it judged, from now on the good one.
        tree: CheckpointId,
    },
    /// The end of a turn whose touched tests are all green: its edits are kept, and this is the good tree.
    Flushed {
        test_ids: Vec<TestId>,
        tree: CheckpointId,
    },
    /// What a person changed between two turns, or git brought from its history, is in the tree: it is nobody's edit.
    Rebased {
        tree: CheckpointId,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        paths: Vec<RelPath>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        git: Option<GitSeen>,
    },
    /// A turn has ended, and git holds other commits than before.
    Committed {
        git: GitSeen,
    },
    /// These claims are over without a verdict: no edit came of them, or a person took the file over between two turns.
    Released {
        test_ids: Vec<TestId>,
    },
    /// A person switched the gate of this session.
    Switched {
        to: Switch,
    },
    /// A person has looked at the tests that a second repair has halted.
    Looked {
        test_ids: Vec<TestId>,
    },
    Planned {
        steps: Vec<Step>,
    },
    /// A person has changed what `tdd.yaml` says of the gate, and has said so; it holds from here on.
    Settled(Settled),
}

impl SessionEvent {
    pub const NAMES: [&'static str; 13] = [
        "session_started",
        "edit",
        "repair",
        "refactor_on",
        "refactor_off",
        "flushed",
        "rebased",
        "committed",
        "released",
        "switched",
        "looked",
        "planned",
        "settled",
    ];

    /// The `type` tag.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SessionStarted(_) => "session_started",
            Self::Edit(_) => "edit",
            Self::Repair(_) => "repair",
            Self::RefactorOn { .. } => "refactor_on",
            Self::RefactorOff { .. } => "refactor_off",
            Self::Flushed { .. } => "flushed",
            Self::Rebased { .. } => "rebased",
            Self::Committed { .. } => "committed",
            Self::Released { .. } => "released",
            Self::Switched { .. } => "switched",
            Self::Looked { .. } => "looked",
            Self::Planned { .. } => "planned",
            Self::Settled(_) => "settled",
        }
    }
}

/// What was settled when the session began.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionStarted {
    pub session: SessionId,
    /// The version of `tdd` that started it.
    pub version: String,
    /// The agent's name, or `person`.
    pub agent: String,
    /// The agent's word for its model, where its first call tells one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub commands: ProjectCommands,
    /// Where the project lies in the repository; empty for the root.
    pub project: String,
    pub mode: GateMode,
    /// Globs of files that anybody may edit at any time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub free: Vec<String>,
    /// Tools of which the project says what they do to files.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolClass>,
    /// The session whose agent began this one: by a command of its model's, or as a child of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<SessionId>,
    /// The tree as it was.
    pub tree: CheckpointId,
    /// What git held then; none where HEAD led to no commit, and in journals of before 0.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git: Option<GitSeen>,
}

/// What `tdd.yaml` says of the gate.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Settled {
    pub mode: GateMode,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub free: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolClass>,
}

/// What git held at some time.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GitSeen {
    /// HEAD's commit.
    pub head: CheckpointId,
    /// A commit whose parents are all that branches and tags led to.
    pub tips: CheckpointId,
    /// Commits that are known besides those that the session began with: a person made them between two turns, or
    /// they hold what a turn was judged by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trusted: Vec<CheckpointId>,
    /// The tree of what git was in the midst of, a merge or a rebase, as git works it out, conflicts included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub laid: Option<CheckpointId>,
    /// Where HEAD was before it was given what was not judged, while it holds that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unjudged: Option<CheckpointId>,
    /// Folders in the tree that are other work trees of this repository, by `git worktree`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub work_trees: Vec<RelPath>,
}

/// What a tool does to files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ToolClass {
    Read,
    /// Anything: its effects are looked at when it has run.
    Shell,
}

/// A session's name: the agent's own word for it, made fit for a file's name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct SessionId(pub String);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GateMode {
    #[default]
    Strict,
    /// What would be refused is told, and done.
    Warn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    On,
    Off,
}

/// A file was changed, and the change stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditFact {
    pub edit_target: RelPath,
    /// The red tests whose claims allowed it; none for a test, a document, or in refactor mode.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test_ids: Vec<TestId>,
    pub ground: EditGround,
    /// The agent's tool, as its hook named it; none where no hook had told of the edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The tree before and the tree after.
    pub base: CheckpointId,
    pub tree: CheckpointId,
}

/// Why an edit was allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EditGround {
    Claim,
    Test,
    Free,
    Refactor,
    /// The gate was off, or only warns.
    Ungated,
}

/// Edits were taken back; what was there is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Repair {
    pub cause: RepairCause,
    /// The tests that are red; empty for an edit that no claim allowed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub test_ids: Vec<TestId>,
    pub taken_back: Vec<RelPath>,
    /// The tree whose versions of these files lie there again.
    pub to: CheckpointId,
    pub kept_as: CheckpointId,
    /// Of the checkpoint that keeps it, below `refs/tdd/<session>/`.
    pub label: String,
    /// The side file with what the tests printed, bounded and masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Digest>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum RepairCause {
    /// The turn ended red.
    Red,
    /// No red test and claim allowed the edit.
    Unclaimed,
}

/// One step of a plan. A step without a test is for refactor mode.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Step {
    pub step: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_id: Option<TestId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test_file_path: Option<RelPath>,
}
