//! Labels of checkpoints, as far as the journal tells them: `before-`, `good-`, `failed-` and `cut-`
//! with the attempt behind them (contract section 1).
//!
//! A ref for a label may be missing, because its process was killed; what it stands for is here.

use std::collections::BTreeMap;

use crate::attempt::CheckpointId;
use crate::event::Event;
use crate::role::Asked;

/// Begins the label of a tree that may be all that holds what a person has changed.
pub const EDITED: &str = "edited-";
/// The same of files that nobody had seen before: what runs make is there after each of them.
pub const LEFT: &str = "left-";

/// The same of files that the journal names, and that `clean` therefore asks for one by one.
pub const THEIRS: &str = "theirs-";

/// The label of this kind for a tree, by its own name.
pub fn of_tree(kind: &str, tree: &CheckpointId) -> String {
    format!("{kind}{}", tree.0.get(..12).unwrap_or(&tree.0))
}

/// What an attempt is called in labels and logs: `implementer-ac_ste_1_2-1`.
pub fn of_attempt(asked: &Asked, number: u8) -> String {
    match asked.criterion() {
        Some(id) => format!("{}-{}-{number}", asked.role(), id.slug()),
        None => format!("{}-{number}", asked.role()),
    }
}

/// The label of this kind for what [`of_attempt`] names; the kind alone for no attempt.
pub fn of_kind(kind: &str, attempt: Option<&str>) -> String {
    attempt.map_or_else(|| kind.to_owned(), |attempt| format!("{kind}-{attempt}"))
}

/// The labels that these events tell; of one that is told twice, as after a cut attempt, the last holds.
pub fn told<'e>(events: impl Iterator<Item = &'e Event>) -> BTreeMap<String, CheckpointId> {
    let mut told = BTreeMap::new();
    let mut attempt = None;
    for event in events {
        if let Event::AttemptStarted { attempt: started } = event {
            attempt = Some(of_attempt(&started.key, started.number));
        }
        // What is kept then is the work of an attempt that need not be the last.
        if let Event::WorkTaken { key, number, .. } = event {
            attempt = Some(of_attempt(&key.clone().into(), *number));
        }
        // What a fixer began with has no attempt.
        let is_its_work = attempt.is_some() || !matches!(event, Event::FixMeasured { .. });
        let Some((kind, checkpoint)) = labelled(event).filter(|_| is_its_work) else { continue };
        told.insert(of_kind(kind, attempt.as_deref()), checkpoint.clone());
    }
    told
}

fn labelled(event: &Event) -> Option<(&str, &CheckpointId)> {
    if let Event::AttemptStarted { attempt } = event {
        Some(("before", &attempt.before))
    } else if let Event::WorkKept { checkpoint } = event {
        Some(("good", checkpoint))
    } else if let Event::WorkRolledBack { kept_as, .. } = event {
        Some(("failed", kept_as))
    } else if let Event::AttemptCut { kept_as } = event {
        Some(("cut", kept_as))
    } else if let Event::FixMeasured { findings, .. } = event {
        Some(("after", &findings.tree))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attempt::{Attempt, AttemptKind};
    use crate::role::Key;

    #[test]
    fn a_cut_attempts_number_is_used_again_and_its_labels_are_those_of_the_last() {
        let checkpoint = |name: &str| CheckpointId(name.to_owned());
        let started = |before: &str| {
            let (key, kind) = (Key::TestWriter.into(), AttemptKind::First);
            let before = checkpoint(before);
            Event::AttemptStarted { attempt: Attempt { key, number: 1, kind, before, prompt: vec![] } }
        };
        let events = [
            Event::AttemptCut { kept_as: checkpoint("of nobody") },
            started("zero"),
            Event::AttemptCut { kept_as: checkpoint("half done") },
            started("seen"),
            Event::WorkKept { checkpoint: checkpoint("done") },
        ];
        let told = told(events.iter());
        let told: Vec<(&str, &str)> =
            told.iter().map(|(label, commit)| (label.as_str(), commit.0.as_str())).collect();
        let of_it = [
            ("before-test-writer-1", "seen"),
            ("cut", "of nobody"),
            ("cut-test-writer-1", "half done"),
            ("good-test-writer-1", "done"),
        ];
        assert_eq!(told, of_it);
    }
}
