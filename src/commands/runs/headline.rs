//! A run in one line.

use super::journalled::Journalled;
use super::status::RunStatus;
use crate::text::halt_report;
use tdd_core::fix::FixState;
use tdd_core::harmless;
use tdd_core::state::{End, Phase, Progress, State};

/// Characters of a cause.
const MOST_OF_CAUSE: usize = 200;

pub(in crate::commands) fn headline(told: &Journalled, status: &RunStatus) -> String {
    match told {
        Journalled::Cycle(state) => cycle_headline(state, status),
        Journalled::Fix(fix) => fix_headline(fix, status),
    }
}

/// The one sentence of a halt.
pub(in crate::commands) fn cause_of(state: &State) -> Option<String> {
    let Phase::Ended { end: End::Halted(halt) } = &state.phase else { return None };
    Some(harmless::short(&halt_report::cause_of(state, halt), MOST_OF_CAUSE))
}

fn cycle_headline(state: &State, status: &RunStatus) -> String {
    let done = |progress: &&Progress| matches!(progress, Progress::Green | Progress::AlreadyGreen);
    let green = state.progress.values().filter(done).count();
    format!(
        "{}  {green}/{} green  {}",
        state.run.requirement.id,
        state.progress.len(),
        status.words(&super::phase::phase(state))
    )
}

fn fix_headline(fix: &FixState, status: &RunStatus) -> String {
    let green = fix.best().map_or(0, |best| best.checks.iter().filter(|check| check.is_green()).count());
    format!(
        "fix  {green}/{} checks green  {}",
        fix.run.checks.len(),
        status.words(&super::phase::fix_phase(fix))
    )
}
