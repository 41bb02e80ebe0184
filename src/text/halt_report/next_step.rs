//! One thing that an operator can do after a halt.

use tdd_core::harmless::shell_word;
use tdd_core::state::State;

pub(super) const BRING_BACK: &str = "bring the failed work back";

/// One thing that can be done, and the command that does it, ready to paste.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextStep {
    pub what: String,
    pub command: String,
}

impl NextStep {
    /// Whether it goes back to before the run.
    pub(super) fn goes_before(&self, state: &State) -> bool {
        self.command == format!("tdd undo {}", shell_word(&state.run.run.to_string()))
    }

    /// Whether it puts the failed work among the files, to be mended.
    pub(super) fn brings_back(&self) -> bool {
        self.what.starts_with(BRING_BACK)
    }

    /// Whether agents are called by it: then it must say all that the run was begun with.
    pub(super) fn starts_agents(&self) -> bool {
        let goes_on = self.command.starts_with("tdd resume ") && !self.command.ends_with(" --abandon");
        goes_on || (self.command.starts_with("tdd ") && self.command.contains(" --new"))
    }
}

pub(super) fn step(what: &str, command: String) -> NextStep {
    NextStep { what: what.to_owned(), command }
}
