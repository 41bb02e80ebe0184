//! A line for an event of a session under the gate.

use tdd_core::event::{EditFact, EditGround, Repair, RepairCause, SessionEvent, Switch};
use tdd_core::path::RelPath;
use tdd_core::test::TestId;

use super::short;

pub(super) fn line(event: &SessionEvent) -> String {
    match event {
        SessionEvent::SessionStarted(started) => {
            format!("session {} of {} began at {}", started.session.0, started.agent, short(&started.tree.0))
        }
        SessionEvent::Edit(fact) => edit(fact),
        SessionEvent::Repair(repair) => taken_back(repair),
        SessionEvent::RefactorOn { why, .. } => format!("refactor mode on: {why}"),
        SessionEvent::RefactorOff { command, .. } if command.is_empty() => {
            "refactor mode off: a red test was claimed".to_owned()
        }
        SessionEvent::RefactorOff { command, .. } => format!("refactor mode off: `{command}` is green"),
        SessionEvent::Flushed { test_ids, .. } => format!("kept, green: {}", ids(test_ids)),
        SessionEvent::Released { test_ids } => {
            let ids: Vec<&str> = test_ids.iter().map(|id| id.0.as_str()).collect();
            format!("claims dropped: {}", ids.join(", "))
        }
        SessionEvent::Committed { git } => {
            format!("git holds other commits; HEAD is at {}", git.head.0.get(..12).unwrap_or(&git.head.0))
        }
        SessionEvent::Rebased { paths, .. } => {
            format!("changed by a person between two turns, or brought by git: {}", names(paths))
        }
        SessionEvent::Switched { to: Switch::On } => "the gate is on".to_owned(),
        SessionEvent::Switched { to: Switch::Off } => "the gate is off".to_owned(),
        SessionEvent::Looked { test_ids } => format!("a person looked at {}", ids(test_ids)),
        SessionEvent::Settled(_) => "the person has settled the gate otherwise in tdd.yaml".to_owned(),
        SessionEvent::Planned { steps } => format!("a plan of {} steps", steps.len()),
    }
}

fn edit(fact: &EditFact) -> String {
    let ground = match fact.ground {
        EditGround::Claim => format!("for {}", ids(&fact.test_ids)),
        EditGround::Test => "a test".to_owned(),
        EditGround::Free => "free".to_owned(),
        EditGround::Refactor => "in refactor mode".to_owned(),
        EditGround::Ungated => "ungated".to_owned(),
    };
    let tool = fact.tool.as_ref().map(|tool| format!(" by {tool}")).unwrap_or_default();
    format!("{} edited{tool}: {ground}", fact.edit_target)
}

fn taken_back(repair: &Repair) -> String {
    let cause = match repair.cause {
        RepairCause::Red => format!("{} red", ids(&repair.test_ids)),
        RepairCause::Unclaimed => "no claim".to_owned(),
    };
    format!("taken back, {cause}: {}; kept as {}", names(&repair.taken_back), repair.label)
}

fn ids(ids: &[TestId]) -> String {
    let ids: Vec<&str> = ids.iter().map(|id| id.0.as_str()).collect();
    ids.join(", ")
}

fn names(paths: &[RelPath]) -> String {
    let paths: Vec<&str> = paths.iter().map(RelPath::as_str).collect();
    paths.join(", ")
}
