//! What the effects of a cycle come to.
//!
//! This file is the table of contents of a run; each effect's work is in a file of its own.

use tdd_core::attempt::CheckpointId;
use tdd_core::audience::Audience;
use tdd_core::effect::Effect;
use tdd_core::event::{Event, Leaked};
use tdd_core::labels;
use tdd_core::path::RelPath;
use tdd_core::ports::{Ports, Tests, World};
use tdd_core::state::State;
use tdd_core::trouble::Trouble;

use super::drive::{Carry, Checkout, Driver};
use super::flags::Flags;
use super::setup::Setup;

/// What the effects of a cycle remember.
#[derive(Default)]
pub struct Cycle {
    /// The tree, if the effect right before this one has just looked at it.
    pub(super) just_kept: Option<CheckpointId>,
    /// What the project's own commands left before any child, and was not there before the run.
    pub(super) left: Vec<RelPath>,
    /// The attempt that is judged once more, and whether it is to be now.
    pub(super) judged_again: Option<String>,
    pub(super) judges_again: bool,
    /// Whether this process has sealed protected files before a child.
    pub(super) has_sealed: bool,
}

/// Whether it is told by now what is somebody else's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    Told,
    Unknown,
}

/// One cycle under way.
pub type Drive<'a, W> = Driver<'a, W, State, Cycle>;

impl<'a, W: World> Drive<'a, W> {
    pub fn new(
        ports: &'a mut Ports<W>,
        setup: &'a Setup,
        audience: &'a mut dyn Audience,
        state: State,
    ) -> Self {
        Self::over(ports, setup, audience, (state, Cycle::default()))
    }

    /// As far as it goes now.
    pub async fn run(mut self) -> Result<State, Trouble> {
        self.hide_held_out()?;
        self.drive().await?;
        Ok(self.state)
    }

    /// A label of the attempt at hand: `good-implementer-ac_ste_1_2-1`; the kind alone without one.
    pub(super) fn label(&self, kind: &str) -> String {
        labels::of_kind(kind, self.attempt_name().as_deref())
    }

    /// What the attempt at hand is called: `implementer-ac_ste_1_2-1`.
    pub(super) fn attempt_name(&self) -> Option<String> {
        self.state.attempt().map(|attempt| labels::of_attempt(&attempt.key.clone().into(), attempt.number))
    }
}

impl<W: World> Carry<State> for Drive<'_, W> {
    async fn carry_out(&mut self, effect: Effect) -> Result<Vec<Event>, Trouble> {
        let just_kept = self.own.just_kept.take();
        match effect {
            Effect::TakeCheckpointZero => self.take_checkpoint_zero(),
            Effect::MeasureBaseline => self.measure_baseline().await,
            Effect::StartAttempt { key, number, kind } => {
                self.start_attempt(&key, number, kind, just_kept).await
            }
            Effect::PauseAtCap => self.pause_at_cap(),
            Effect::PauseWithoutRed { criterion } => Err(self.without_red(&criterion)),
            Effect::RunAgent => self.run_agent().await,
            Effect::Measure => self.measure().await,
            Effect::KeepWork => self.keep_work(),
            Effect::RollBack { to, extent } => self.roll_back(&to, extent),
            Effect::PutBackCut { to } => self.put_back_cut(&to),
            Effect::TakeWork => self.take_work(),
            Effect::Recheck => self.recheck().await,
            Effect::HearMdtest { criterion } => self.hear_mdtest(&criterion).await,
            Effect::MeasureGate => self.measure_gate().await,
            Effect::Prove => self.prove().await,
            Effect::HoldOut(step) => self.hold_out(step).await,
            Effect::Halt => self.halt(),
            Effect::Finish => {
                let good = self.state.good.clone();
                self.explain_set_aside(good).await?;
                self.finish()
            }
        }
    }

    fn runs_processes(effect: &Effect) -> bool {
        match effect {
            Effect::MeasureBaseline
            | Effect::RunAgent
            | Effect::Measure
            | Effect::Recheck
            | Effect::HearMdtest { .. }
            | Effect::MeasureGate
            | Effect::HoldOut(_)
            | Effect::Prove => true,
            Effect::TakeCheckpointZero
            | Effect::PauseAtCap
            | Effect::PauseWithoutRed { .. }
            | Effect::StartAttempt { .. }
            | Effect::KeepWork
            | Effect::RollBack { .. }
            | Effect::PutBackCut { .. }
            | Effect::TakeWork
            | Effect::Halt
            | Effect::Finish => false,
        }
    }

    fn leaked(&mut self) -> Vec<Leaked> {
        self.ports.tests.leaked()
    }

    fn goes_on(&self, with: &Flags) -> String {
        format!("tdd resume {}{with}", self.state.run.run)
    }

    fn follows(&mut self, event: &Event) -> Result<Vec<Event>, Trouble> {
        let settled = if matches!(event, Event::BaselineMeasured { .. }) { self.learn()? } else { None };
        Ok(settled.into_iter().collect())
    }

    async fn run_apart(&mut self, checkout: Option<Checkout<'_>>) -> Result<(), Trouble> {
        self.ports.tests.work_in(checkout);
        let ran = self.run_baseline_again().await;
        self.ports.tests.work_in(None);
        ran
    }

    fn set_down(&mut self) -> Result<Vec<Event>, Trouble> {
        Ok(self.left_at_stop())
    }

    async fn as_it_was(&mut self, trouble: Trouble) -> Trouble {
        let Some(zero) = self.state.facts.zero.clone() else { return trouble };
        // The first trouble is the one to tell.
        let whose = self.whose_of_refused(&trouble).await.unwrap_or(Whose::Unknown);
        // The tree is kept under refs/tdd/ in any case.
        let _ = self.put_back_refused(&zero, whose);
        self.refused(trouble, format!("tdd {}", self.state.run.requirement.id))
    }
}
