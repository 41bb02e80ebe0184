//! Where a run stands, in words.

use crate::text::row::one_row;
use tdd_core::fix::{FixEnd, FixPhase, FixState};
use tdd_core::halt::{Ending, Halt};
use tdd_core::held_out::Hold;
use tdd_core::judge::Verdict;
use tdd_core::machine::Suspension;
use tdd_core::state::{End, Phase, State};

pub(in crate::commands) fn phase(state: &State) -> String {
    match &state.facts.suspension {
        Some(Suspension::Paused(reason)) => return paused(reason),
        Some(Suspension::Stopped(signal)) => return format!("stopped by signal {signal}"),
        None => {}
    }
    match &state.phase {
        Phase::Opening => "before checkpoint 0".to_owned(),
        Phase::Baselining => "before the baseline run".to_owned(),
        Phase::Due { key, .. } => format!("{}: {key} is due", key.stage()),
        Phase::Forked { attempt } => format!("{}: {} works", attempt.key.stage(), attempt.key),
        Phase::Returned { attempt, .. } => format!("{}: {} is measured", attempt.key.stage(), attempt.key),
        Phase::Keeping { attempt, .. } => format!("{}: {} passed", attempt.key.stage(), attempt.key),
        Phase::RollingBack { attempt, .. } => format!("{}: {} failed", attempt.key.stage(), attempt.key),
        Phase::CutOff { attempt } => format!("{}: {} was cut off", attempt.key.stage(), attempt.key),
        Phase::Taking { attempt, .. } => {
            format!("{}: the work of {} is taken", attempt.key.stage(), attempt.key)
        }
        Phase::Rechecking { .. } => "edited tests are to be run".to_owned(),
        Phase::Ended { end: End::Refused } => "refused before any work was done".to_owned(),
        Phase::Ended { end: End::Abandoned } => "given up by the operator".to_owned(),
        Phase::GateDue => "REFACTOR: the gate is due".to_owned(),
        Phase::Proving => "the result is to be proven".to_owned(),
        Phase::HoldingOut { step: Hold::Part | Hold::TakeOut } => "tests are to be held out".to_owned(),
        Phase::HoldingOut { step: Hold::BringBack } => "held-out tests are to be brought back".to_owned(),
        Phase::Halting { halt } => format!("halting: {}", halted(halt)),
        Phase::Finishing { .. } => "finishing".to_owned(),
        Phase::Ended { end: End::Halted(halt) } => format!("halted: {}", halted(halt)),
        Phase::Ended { end: End::Finished(Ending::Verified) } => "finished, all verified".to_owned(),
        Phase::Ended { end: End::Finished(Ending::PartlyUnverified) } => {
            "finished, some criteria are not verified".to_owned()
        }
    }
}

fn halted(halt: &Halt) -> String {
    match &halt.verdict {
        Verdict::Failed(fault) => format!("{}, mode {} ({})", halt.key, fault.mode, fault.mode.description()),
        Verdict::Disputed(dispute) => format!("{} disputes a test: {}", halt.key, one_row(&dispute.reason)),
        Verdict::Passed => halt.key.to_string(),
    }
}

/// What a pause is for; why, and what to do about it, are told below it.
fn paused(reason: &str) -> String {
    format!("paused: {}", one_row(reason.lines().next().unwrap_or_default()))
}

pub(in crate::commands) fn fix_phase(fix: &FixState) -> String {
    match &fix.facts.suspension {
        Some(Suspension::Paused(reason)) => return paused(reason),
        Some(Suspension::Stopped(signal)) => return format!("stopped by signal {signal}"),
        None => {}
    }
    match &fix.phase {
        FixPhase::Opening => "before checkpoint 0".to_owned(),
        FixPhase::Measuring => "the checks run".to_owned(),
        FixPhase::Due => "a fixer is due".to_owned(),
        FixPhase::Forked => "a fixer was started".to_owned(),
        FixPhase::TakingBack { .. } => "worse work is taken back".to_owned(),
        FixPhase::Halting { why } => format!("halting: {}", why.words()),
        FixPhase::Finishing => "finishing".to_owned(),
        FixPhase::Ended { end: FixEnd::Fixed } => "finished, every check is green".to_owned(),
        FixPhase::Ended { end: FixEnd::Halted(why) } => format!("halted: {}", why.words()),
        FixPhase::Ended { end: FixEnd::Refused } => "refused before any work was done".to_owned(),
    }
}
