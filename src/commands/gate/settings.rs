//! What settles the gate, against what the session before it began with. Between two sessions nobody compares, so a change
//! is told and not taken back: it is a person's as a rule.

use super::desk::Desk;
use crate::world::session_file::{self, shelf};
use tdd_core::event::{GateMode, SessionStarted};

/// In words; nothing where it is the same or there is no session before.
pub(super) fn changed(desk: &Desk) -> String {
    let now = &desk.state().started;
    let known = shelf::newest_first(&desk.place.repository).unwrap_or_default();
    let before = known.into_iter().find(|id| *id != now.session).and_then(|id| {
        let folder = session_file::folder(&desk.place.repository, &id);
        Some((shelf::glance(&folder).ok()?.started, id))
    });
    let Some((before, id)) = before else { return String::new() };
    let told = differences(&before, now);
    if told.is_empty() {
        return String::new();
    }
    format!(
        "\ntdd: what settles the gate has changed since session {}: {}. Tell the person, who may have done it",
        id.0,
        told.join("; ")
    )
}

fn differences(before: &SessionStarted, now: &SessionStarted) -> Vec<String> {
    let mode = |mode: GateMode| match mode {
        GateMode::Strict => "strict",
        GateMode::Warn => "warn",
    };
    let mut told = Vec::new();
    if before.project != now.project {
        // Another project of the repository has settings of its own.
        return told;
    }
    if before.mode != now.mode {
        told.push(format!("mode {}, now {}", mode(before.mode), mode(now.mode)));
    }
    let globs: Vec<&str> =
        now.free.iter().filter(|glob| !before.free.contains(glob)).map(String::as_str).collect();
    if !globs.is_empty() {
        told.push(format!("free besides: {}", globs.join(", ")));
    }
    let tools: Vec<&str> = now
        .tools
        .iter()
        .filter(|(name, class)| before.tools.get(*name) != Some(class))
        .map(|(name, _)| name.as_str())
        .collect();
    if !tools.is_empty() {
        told.push(format!("tools named otherwise: {}", tools.join(", ")));
    }
    told
}
