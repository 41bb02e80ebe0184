//! Bounds of the whole run (contract section 9): a child gets what is left of them, and when
//! nothing is left the run is paused. No budget is spent by that.

use crate::text::usage_words;
use tdd_core::event::Event;
use tdd_core::machine::Machine;
use tdd_core::trouble::Trouble;
use tdd_core::usage::Cap;

use super::drive::{Carry, Driver};
use tdd_core::attempt::SetBy;
use tdd_core::ports::{Allowance, Limits, Setters, World};

impl<W: World, M: Machine, X> Driver<'_, W, M, X>
where
    Self: Carry<M>,
{
    /// What the next child may use.
    pub(super) fn allowance(&self) -> Allowance {
        Allowance { attempt: self.state.caps().attempt, run_left: self.state.left_of_caps() }
    }

    /// The bounds of the next child, which may wait for commands that took so long.
    pub(super) fn limits(&self, turns: (u32, SetBy), took_ms: u64) -> Limits {
        // "At least twice the baseline": a child that waits for the test command is not idle.
        let least = took_ms.saturating_mul(2);
        let usual = self.setup.limits;
        let idle = if least > usual.idle_ms { SetBy::Nobody } else { usual.set_by.idle };
        let set_by = Setters { turns: turns.1, idle, ..usual.set_by };
        let idle_ms = usual.idle_ms.max(least);
        Limits { turns: turns.0, idle_ms, caps: self.allowance(), set_by, ..usual }
    }

    pub(super) fn pause_at_cap(&self) -> Result<Vec<Event>, Trouble> {
        let Some(cap) = self.state.cap_reached() else {
            return Err(Trouble::internal("a pause was ordered in a run that has reached no cap"));
        };
        let used = usage_words::of_cap(&self.state, cap);
        Err(self.at_cap(cap, &format!("{used} used; no agent is started any more")))
    }

    pub(super) fn at_cap(&self, cap: Cap, why: &str) -> Trouble {
        // What was set is what is to be set higher.
        let again = self.goes_on(&self.setup.resume_with.above(&self.state, cap));
        Trouble::passing(format!("the run's cap is reached ({})", cap.flag()))
            .because(why)
            .advise(format!("go on with a higher one: {again}"))
    }
}
