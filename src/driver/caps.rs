//! Bounds of the whole run (contract section 9): a child gets what is left of them, and when
//! nothing is left the run is paused. No budget is spent by that.

use crate::text::usage_words;
use tdd_core::effect::Effect;
use tdd_core::event::Event;
use tdd_core::machine::Machine;
use tdd_core::trouble::Trouble;
use tdd_core::usage::Cap;

use super::drive::Drive;
use tdd_core::ports::{Agents, Allowance, Clock, World};

impl<W: World> Drive<'_, W> {
    /// What the next child may use.
    pub(super) fn allowance(&self) -> Allowance {
        Allowance { attempt: self.state.run.plan.caps.attempt, run_left: self.state.left_of_caps() }
    }

    pub(super) fn pause_at_cap(&self) -> Result<Vec<Event>, Trouble> {
        let Some(cap) = self.state.cap_reached() else {
            return Err(Trouble::internal("a pause was ordered in a run that has reached no cap"));
        };
        let used = usage_words::of_cap(&self.state, cap);
        Err(self.at_cap(cap, &format!("{used} used; nothing is forked any more")))
    }

    /// The pause of a run whose child was stopped, because it used what was left.
    pub(super) fn stopped_at_cap(&self, cap: Cap) -> Trouble {
        self.at_cap(cap, "the child that ran was stopped; its attempt does not count, and is made again")
    }

    fn at_cap(&self, cap: Cap, why: &str) -> Trouble {
        let (flag, run, with) = (cap.flag(), &self.state.run.run, &self.setup.resume_with);
        Trouble::passing(format!("the run's cap is reached ({flag})"))
            .because(why)
            .advise(format!("go on with a higher one: tdd resume {run}{with} {flag} …"))
    }

    /// What an effect cost, whatever came of it: what its children used, and its time. An effect
    /// that starts no processes costs nothing worth a line of the journal.
    pub(super) fn cost_of(&mut self, effect: &Effect) -> Vec<Event> {
        let now = self.ports.clock.monotonic_ms();
        let used = self.ports.agents.used().into_iter().map(|used| Event::Used { used });
        let mut events: Vec<Event> = used.collect();
        if runs_processes(effect) {
            let ms = now.saturating_sub(self.counted_ms);
            events.push(Event::Worked { ms, runs: std::mem::take(&mut self.runs) });
            self.counted_ms = now;
        }
        events
    }
}

fn runs_processes(effect: &Effect) -> bool {
    match effect {
        Effect::MeasureBaseline
        | Effect::RunAgent
        | Effect::Measure
        | Effect::Recheck
        | Effect::HearMdtest { .. }
        | Effect::MeasureGate => true,
        Effect::TakeCheckpointZero
        | Effect::PauseAtCap
        | Effect::StartAttempt { .. }
        | Effect::KeepWork
        | Effect::RollBack { .. }
        | Effect::PutBackCut { .. }
        | Effect::TakeWork
        | Effect::Halt
        | Effect::Finish => false,
    }
}
