//! How often the project's commands were run.

use serde::{Deserialize, Serialize};

/// How often the project's commands were run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Runs {
    /// Of the test command, less the files of criteria that are not reached.
    pub whole: u32,
    /// Of some of its tests.
    pub narrowed: u32,
    /// Of the gate, where it is another command.
    pub gate: u32,
}

impl Runs {
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    pub fn add(&mut self, more: Self) {
        self.whole = self.whole.saturating_add(more.whole);
        self.narrowed = self.narrowed.saturating_add(more.narrowed);
        self.gate = self.gate.saturating_add(more.gate);
    }
}

/// No model is asked for.
pub(super) fn are_none(models: &[Option<String>; 3]) -> bool {
    models.iter().all(Option::is_none)
}
