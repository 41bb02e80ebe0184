//! Labels of checkpoints, as far as the journal tells them: `before-`, `good-`, `failed-` and `cut-`
//! with the attempt behind them (contract section 1).
//!
//! A ref for a label may be missing, because its process was killed; what it stands for is here.

use std::collections::BTreeMap;

use super::attempt::CheckpointId;
use super::event::Event;
use super::role::Key;

/// What an attempt is called in labels and logs: `implementer-ac_ste_1_2-1`.
pub fn of_attempt(key: &Key, number: u8) -> String {
    match key.criterion() {
        Some(id) => format!("{}-{}-{number}", key.role(), id.slug()),
        None => format!("{}-{number}", key.role()),
    }
}

/// The labels that these events tell; of one that is told twice, as after a cut attempt, the last holds.
pub fn told<'e>(events: impl Iterator<Item = &'e Event>) -> BTreeMap<String, CheckpointId> {
    let mut told = BTreeMap::new();
    let mut attempt = String::new();
    for event in events {
        if let Event::AttemptStarted { attempt: started } = event {
            attempt = of_attempt(&started.key, started.number);
        }
        let Some((kind, checkpoint)) = labelled(event) else { continue };
        told.insert(format!("{kind}-{attempt}"), checkpoint.clone());
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
    } else {
        None
    }
}
