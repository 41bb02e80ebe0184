//! What is to be done in a state: `next(&state)`.

use crate::effect::Effect;
use crate::event::Event;
use crate::facts::Facts;
use crate::machine::{IllegalEvent, Machine};
use crate::role::Key;
use crate::run_name::RunId;
use crate::state::{Phase, State};
use crate::usage::{CapPlan, Usage};

/// The next effect, or `None` when the run has ended or is suspended.
pub fn next(state: &State) -> Option<Effect> {
    if state.facts.suspension.is_some() {
        return None;
    }
    match &state.phase {
        Phase::Opening => Some(Effect::TakeCheckpointZero),
        Phase::Baselining => Some(Effect::MeasureBaseline),
        Phase::Due { .. } if state.cap_reached().is_some() => Some(Effect::PauseAtCap),
        Phase::Due { key: Key::Implementer(id), .. } if state.lacks_red(id) => {
            Some(Effect::PauseWithoutRed { criterion: id.clone() })
        }
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
        Phase::HoldingOut { step } => Some(Effect::HoldOut(*step)),
        Phase::Halting { .. } => Some(Effect::Halt),
        Phase::Finishing { .. } => Some(Effect::Finish),
        Phase::Ended { .. } => None,
    }
}

impl Machine for State {
    type Effect = Effect;

    fn next(&self) -> Option<Effect> {
        next(self)
    }

    fn apply(&mut self, event: &Event) -> Result<(), IllegalEvent> {
        Self::apply(self, event)
    }

    fn run(&self) -> &RunId {
        &self.run.run
    }

    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn forks(&self) -> usize {
        self.ledgers.values().map(|ledger| ledger.entries.len()).sum()
    }

    fn children(&self) -> usize {
        let entries = self.ledgers.values().flat_map(|ledger| &ledger.entries);
        entries.filter(|entry| entry.outcome.is_some()).count()
    }

    fn caps(&self) -> &CapPlan {
        &self.run.plan.caps
    }

    fn told(&self) -> Usage {
        self.spending().total.told
    }
}
