//! What is to be done in a state: `next(&state)`.

use crate::effect::Effect;
use crate::machine::Machine;
use crate::state::{Phase, State};

/// The next effect, or `None` when the run has ended or is suspended.
pub fn next(state: &State) -> Option<Effect> {
    if state.facts.suspension.is_some() {
        return None;
    }
    match &state.phase {
        Phase::Opening => Some(Effect::TakeCheckpointZero),
        Phase::Baselining => Some(Effect::MeasureBaseline),
        Phase::Due { .. } if state.cap_reached().is_some() => Some(Effect::PauseAtCap),
        Phase::Due { key, kind } => {
            Some(Effect::StartAttempt { key: key.clone(), number: state.next_number(key), kind: *kind })
        }
        Phase::Forked { .. } => Some(Effect::RunAgent),
        Phase::Returned { .. } => Some(Effect::Measure),
        Phase::Keeping { .. } => Some(Effect::KeepWork),
        Phase::RollingBack { to, extent, .. } => Some(Effect::RollBack { to: to.clone(), extent: *extent }),
        Phase::CutOff { attempt } => Some(Effect::PutBackCut { to: attempt.before.clone() }),
        Phase::Taking { .. } => Some(Effect::TakeWork),
        Phase::Rechecking { .. } => Some(Effect::Recheck),
        // After the last GREEN, whether a refactorer follows or not.
        Phase::GateDue | Phase::Proving | Phase::Finishing { .. }
            if let Some(criterion) = state.mdtest_due() =>
        {
            Some(Effect::HearMdtest { criterion: criterion.clone() })
        }
        Phase::GateDue => Some(Effect::MeasureGate),
        Phase::Proving => Some(Effect::Prove),
        Phase::Halting { .. } => Some(Effect::Halt),
        Phase::Finishing { .. } => Some(Effect::Finish),
        Phase::Ended { .. } => None,
    }
}
