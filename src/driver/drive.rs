//! Carries out one effect after the other until there is none.
//!
//! This file is the table of contents of a run; each effect's work is in a file of its own.

use tdd_core::attempt::CheckpointId;
use tdd_core::audience::Audience;
use tdd_core::effect::Effect;
use tdd_core::event::{Event, RunId, Runs};
use tdd_core::isolation::Confinement;
use tdd_core::labels;
use tdd_core::machine::Machine;
use tdd_core::next::next;
use tdd_core::path::RelPath;
use tdd_core::policy::Policy;
use tdd_core::state::State;
use tdd_core::trouble::{Obstacle, Then, Trouble, TroubleKind};
use tdd_core::turns::TurnCaps;

use super::work_diff::WorkDiff;
use tdd_core::ports::{AgentOrder, Agents, Checkpoints, Clock, Journal, Limits, Ports, Skills, Tests, World};

/// What a run needs to know besides its state; decided before it starts.
pub struct Setup {
    pub policy: Policy,
    pub skills: Skills,
    /// Bounds of one child, but for its turns.
    pub limits: Limits,
    /// Turns of one child (contract section 9).
    pub turns: TurnCaps,
    /// Reports that the commands write into the tree; by-products, wherever they lie.
    pub reports: Vec<RelPath>,
    /// The run's folder, for people.
    pub run_dir: String,
    /// What a command that goes on with the run must repeat: ` --cassette FILE`, or nothing.
    pub resume_with: String,
    /// A later run, whose work may lie in the tree that this one goes on with.
    pub later: Option<RunId>,
    /// The level of isolation and what it does not prevent, for people.
    pub isolation: Confinement,
    /// Spellings of the repository's absolute path, the canonical one first, for absolute paths
    /// in claims.
    pub roots: Vec<String>,
    /// Masks secrets; applied to whatever is kept or shown.
    pub mask: Box<dyn Fn(&str) -> String>,
}

/// One run under way.
pub struct Drive<'a, W: World> {
    pub(super) ports: &'a mut Ports<W>,
    pub(super) setup: &'a Setup,
    pub(super) audience: &'a mut dyn Audience,
    pub(super) state: State,
    /// The order of the attempt that was journalled and is to be forked.
    pub(super) order: Option<AgentOrder>,
    /// The tree, if the effect right before this one has just looked at it.
    pub(super) just_kept: Option<CheckpointId>,
    /// Whether this process has sealed protected files before a child.
    pub(super) has_sealed: bool,
    /// The last lines of what the last child printed.
    pub(super) tail: String,
    /// By the clock that never steps back.
    pub(super) started_ms: u64,
    /// Until then the run's time is in the journal.
    pub(super) counted_ms: u64,
    /// Runs of the project's commands that are not in the journal yet.
    pub(super) runs: Runs,
}

impl<'a, W: World> Drive<'a, W> {
    pub fn new(
        ports: &'a mut Ports<W>,
        setup: &'a Setup,
        audience: &'a mut dyn Audience,
        state: State,
    ) -> Self {
        let started_ms = ports.clock.monotonic_ms();
        Self {
            ports,
            setup,
            audience,
            state,
            order: None,
            just_kept: None,
            has_sealed: false,
            tail: String::new(),
            started_ms,
            counted_ms: started_ms,
            runs: Runs::default(),
        }
    }

    /// Runs until there is nothing to do. `Err` before the first fork is a set-up error; after it
    /// the run is paused or stopped instead, and the state says so.
    pub async fn run(mut self) -> Result<State, Trouble> {
        if next(&self.state).is_some() {
            self.record(&[Event::Isolated { isolation: self.setup.isolation.clone() }])?;
        }
        while let Some(effect) = next(&self.state) {
            let done = self.carry_out(effect.clone()).await.map_err(|trouble| self.without_secrets(trouble));
            self.record_leaked()?;
            let mut events = self.cost_of(&effect);
            match done {
                Ok(outcome) => {
                    events.extend(outcome);
                    self.record(&events)?;
                }
                Err(trouble) => match self.interruption(&trouble) {
                    Some(event) => {
                        events.extend(self.left_by_the_child());
                        events.push(event);
                        self.record(&events)?;
                    }
                    None => return Err(self.as_it_was(trouble)),
                },
            }
        }
        Ok(self.state)
    }

    /// A trouble quotes what a child said, and is journalled or shown.
    fn without_secrets(&self, trouble: Trouble) -> Trouble {
        trouble.map_words(&self.setup.mask)
    }

    fn goes_on(&self) -> Then {
        Then::GoOn(format!("tdd resume {}{}", self.state.run.run, self.setup.resume_with).into())
    }

    /// What outlived the commands of an effect is named, whatever came of the effect.
    fn record_leaked(&mut self) -> Result<(), Trouble> {
        let mut processes = self.ports.agents.leaked();
        processes.extend(self.ports.tests.leaked());
        for one in &mut processes {
            one.command = (self.setup.mask)(&one.command);
        }
        if processes.is_empty() { Ok(()) } else { self.record(&[Event::Leaked { processes }]) }
    }

    /// Writes and syncs, then applies, then tells. In that order: nothing is believed that a
    /// crash could lose.
    pub(super) fn record(&mut self, events: &[Event]) -> Result<(), Trouble> {
        let ts_ms = self.ports.clock.now_ms();
        self.ports.journal.append(ts_ms, events).map_err(|trouble| self.unrecorded(trouble))?;
        for event in events {
            self.state.apply(event).map_err(|error| {
                Trouble::internal("the run's own journal is illegal").because(error.to_string())
            })?;
            if matches!(event, Event::BaselineMeasured { .. }) {
                self.learn()?;
            }
            self.audience.event(&self.state, event, ts_ms);
        }
        Ok(())
    }

    /// Before the first child came back nothing is changed, not even by the project's own commands.
    fn as_it_was(&mut self, trouble: Trouble) -> Trouble {
        let Some(zero) = self.state.facts.zero.clone().filter(|_| self.state.children() == 0) else {
            return trouble;
        };
        let put_back = |ports: &mut Ports<W>| {
            let now = ports.checkpoints.take("refused")?;
            let left: Vec<RelPath> =
                ports.checkpoints.diff(&zero, &now)?.into_iter().map(|c| c.path).collect();
            ports.checkpoints.restore(&zero, &left)
        };
        // The first trouble is the one to tell; the tree is kept under refs/tdd/ in any case.
        let _ = put_back(self.ports);
        let why = trouble.what.clone();
        let _ = self.record(&[Event::Refused { why }]);
        // There is nothing to go on with.
        trouble.then(Then::Anew(format!("tdd {}", self.state.run.requirement.id).into()))
    }

    /// A journal that can't be written ends a run at once. Once a child has run, that is no set-up
    /// error any more, and it can't be recorded as a pause either. What the system is out of never is one.
    fn unrecorded(&self, trouble: Trouble) -> Trouble {
        let trouble = trouble.then(self.goes_on());
        let passes = trouble.kind == TroubleKind::Environment && self.state.forks() > 0;
        if passes { Trouble { kind: TroubleKind::Passing, ..trouble } } else { trouble }
    }

    async fn carry_out(&mut self, effect: Effect) -> Result<Vec<Event>, Trouble> {
        let just_kept = self.just_kept.take();
        match effect {
            Effect::TakeCheckpointZero => self.take_checkpoint_zero(),
            Effect::MeasureBaseline => self.measure_baseline().await,
            Effect::StartAttempt { key, number, kind } => {
                self.start_attempt(&key, number, kind, just_kept).await
            }
            Effect::PauseAtCap => self.pause_at_cap(),
            Effect::RunAgent => self.run_agent().await,
            Effect::Measure => self.measure().await,
            Effect::KeepWork => self.keep_work(),
            Effect::RollBack { to, extent } => self.roll_back(&to, extent),
            Effect::PutBackCut { to } => self.put_back_cut(&to),
            Effect::TakeWork => self.take_work(),
            Effect::Recheck => self.recheck().await,
            Effect::HearMdtest { criterion } => self.hear_mdtest(&criterion).await,
            Effect::MeasureGate => self.measure_gate().await,
            Effect::Halt => self.halt(),
            Effect::Finish => self.finish(),
        }
    }

    /// What snapshots tell of a role's work.
    pub(super) fn diff(&mut self) -> WorkDiff<'_, W::Checkpoints> {
        WorkDiff { checkpoints: &mut self.ports.checkpoints, setup: self.setup }
    }

    /// How long this process has been at the run; the time of day may jump meanwhile.
    pub(super) fn elapsed_ms(&self) -> u64 {
        self.ports.clock.monotonic_ms().saturating_sub(self.started_ms)
    }

    /// A label of the attempt at hand: `good-implementer-ac_ste_1_2-1`; the kind alone without one.
    pub(super) fn label(&self, kind: &str) -> String {
        labels::of_kind(kind, self.attempt_name().as_deref())
    }

    /// What the attempt at hand is called: `implementer-ac_ste_1_2-1`.
    pub(super) fn attempt_name(&self) -> Option<String> {
        self.state.attempt().map(|attempt| labels::of_attempt(&attempt.key.clone().into(), attempt.number))
    }

    /// What is recorded instead of failing: a stop and a passing limit always, a trouble of the
    /// surroundings once a child has run, and before that what the system is out of (a full disk, a limit that is
    /// reached), too: there is nothing wrong with what was asked for. A bug of ours and a journal that can't be written never.
    fn interruption(&self, trouble: &Trouble) -> Option<Event> {
        let has_run = self.state.children() > 0;
        match trouble.kind {
            TroubleKind::Stopped(signal) => return Some(Event::Stopped { signal }),
            TroubleKind::Passing => {}
            TroubleKind::User | TroubleKind::Config | TroubleKind::Environment
                if has_run || trouble.obstacle.is_some_and(Obstacle::passes) => {}
            TroubleKind::User | TroubleKind::Config | TroubleKind::Environment | TroubleKind::Internal => {
                return None;
            }
        }
        Some(Event::Paused { reason: trouble.clone().then(self.goes_on()).to_string() })
    }
}
