//! What is to be done next, carried out by the driver through a port.

use crate::attempt::{AttemptKind, CheckpointId};
use crate::criterion::CriterionId;
use crate::held_out::Hold;
use crate::role::Key;

/// The driver's orders. Each has one kind of event as its outcome, named with it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// → [`Event::CheckpointZero`](crate::event::Event::CheckpointZero)
    TakeCheckpointZero,
    /// Run test and gate on the untouched tree. → `BaselineMeasured`
    MeasureBaseline,
    /// Checkpoint the tree, build the prompt. → `AttemptStarted`, before any fork.
    StartAttempt { key: Key, number: u8, kind: AttemptKind },
    /// A bound of the whole run has nothing left: say so, and fork nothing. → `Paused`
    PauseAtCap,
    /// No test of this criterion was ever seen red, so nothing could judge its work. → `Paused`
    PauseWithoutRed { criterion: CriterionId },
    /// Fork the child of the attempt just journalled. → `AgentReturned`
    RunAgent,
    /// Diff, protect, run the tests. → `AttemptMeasured`
    Measure,
    /// The work is good: checkpoint it. → `WorkKept`
    KeepWork,
    /// The work is not good: bring the tree to where the retry, or the halt, wants it. → `WorkRolledBack`
    RollBack { to: CheckpointId, extent: RollBack },
    /// Keep what a cut-off child left, and bring the tree back to the attempt's start. → `AttemptCut`
    PutBackCut { to: CheckpointId },
    /// Bring work that came without a block back into the tree. → `WorkTaken`
    TakeWork,
    /// Run the tests that the operator edited. → `Rechecked`
    Recheck,
    /// Run the gate before the first refactorer. → `GateMeasured`
    MeasureGate,
    /// Prove the result as it would be committed. → `Proved`
    Prove,
    /// Part tests, take the hidden ones out of the work tree, or bring them back. → `HeldOut`
    HoldOut(Hold),
    /// Have an agent carry out the Markdown test of this criterion. → `MdtestHeard`
    HearMdtest { criterion: CriterionId },
    /// Write the report. → `Halted`
    Halt,
    /// Write the summary. → `Finished`
    Finish,
}

/// How far a failed attempt is undone (contract section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RollBack {
    /// RED, before a retry: non-test files come back, tests stay.
    AllButTests,
    /// GREEN, before a retry: files that the child deleted and protected files come back.
    DeletedOnly,
    /// REFACTOR, and every halt: the whole tree.
    Everything,
}
