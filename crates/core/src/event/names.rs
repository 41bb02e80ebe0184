//! What events are called, and which of them are told and no more.

use super::Event;

impl Event {
    /// The names of all events of this version, in the order of the enum.
    pub const NAMES: [&'static str; 38] = [
        "run_started",
        "fix_started",
        "fix_measured",
        "isolated",
        "policy_settled",
        "checkpoint_zero",
        "baseline_measured",
        "attempt_started",
        "used",
        "agent_returned",
        "attempt_measured",
        "work_kept",
        "work_rolled_back",
        "gate_measured",
        "proved",
        "held_out",
        "tree_seen",
        "worked",
        "capped",
        "resumed",
        "attempt_cut",
        "decided",
        "rechecked",
        "work_taken",
        "test_run",
        "edit_claim",
        "restored",
        "edited",
        "leaked",
        "denied",
        "glimpsed",
        "undone",
        "mdtest_heard",
        "halted",
        "finished",
        "refused",
        "paused",
        "stopped",
    ];

    /// Told and no more: no state depends on it, so a reader that does not know it may pass over it.
    pub fn is_aside(&self) -> bool {
        matches!(
            self,
            Self::Isolated { .. }
                | Self::PolicySettled { .. }
                | Self::TestRun(_)
                | Self::EditClaim { .. }
                | Self::Restored { .. }
                | Self::Edited { .. }
                | Self::Denied { .. }
                | Self::Glimpsed { .. }
                | Self::Unknown { .. }
        )
    }

    /// The `type` tag.
    pub fn name(&self) -> &str {
        match self {
            Self::RunStarted(_) => "run_started",
            Self::FixStarted(_) => "fix_started",
            Self::FixMeasured { .. } => "fix_measured",
            Self::Isolated { .. } => "isolated",
            Self::PolicySettled { .. } => "policy_settled",
            Self::CheckpointZero { .. } => "checkpoint_zero",
            Self::BaselineMeasured { .. } => "baseline_measured",
            Self::AttemptStarted { .. } => "attempt_started",
            Self::Used { .. } => "used",
            Self::AgentReturned { .. } => "agent_returned",
            Self::AttemptMeasured { .. } => "attempt_measured",
            Self::WorkKept { .. } => "work_kept",
            Self::WorkRolledBack { .. } => "work_rolled_back",
            Self::GateMeasured { .. } => "gate_measured",
            Self::Proved { .. } => "proved",
            Self::HeldOut { .. } => "held_out",
            Self::TreeSeen { .. } => "tree_seen",
            Self::Worked { .. } => "worked",
            Self::Capped { .. } => "capped",
            Self::Resumed => "resumed",
            Self::AttemptCut { .. } => "attempt_cut",
            Self::Decided { .. } => "decided",
            Self::Rechecked { .. } => "rechecked",
            Self::WorkTaken { .. } => "work_taken",
            Self::TestRun(_) => "test_run",
            Self::EditClaim { .. } => "edit_claim",
            Self::Restored { .. } => "restored",
            Self::Edited { .. } => "edited",
            Self::Leaked { .. } => "leaked",
            Self::Denied { .. } => "denied",
            Self::Glimpsed { .. } => "glimpsed",
            Self::Undone { .. } => "undone",
            Self::MdtestHeard { .. } => "mdtest_heard",
            Self::Halted { .. } => "halted",
            Self::Finished { .. } => "finished",
            Self::Refused { .. } => "refused",
            Self::Paused { .. } => "paused",
            Self::Stopped { .. } => "stopped",
            Self::Session(event) => event.name(),
            Self::Unknown { name } => name,
        }
    }
}
