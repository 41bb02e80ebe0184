//! The loop: carries out one effect after the other until there is none, for a cycle and a run of `tdd fix`
//! alike. What an effect comes to is said by a [`Carry`], in `cycle.rs` and `fix.rs`.

use std::path::{Path, PathBuf};

use tdd_core::audience::{Audience, News};
use tdd_core::event::{Event, Leaked, Runs};
use tdd_core::machine::Machine;
use tdd_core::policy::{Learned, Policy};
use tdd_core::ports::{AgentOrder, Agents, Clock, Journal, Ports, Protection, World};
use tdd_core::trouble::{Obstacle, Then, Trouble, TroubleKind};

use super::flags::Flags;
use super::setup::Setup;
use super::sightings::Sightings;
use super::work_diff::WorkDiff;

/// One run of a machine `M` under way; `X` is what its effects remember besides.
pub struct Driver<'a, W: World, M, X> {
    pub(super) ports: &'a mut Ports<W>,
    pub(super) setup: &'a Setup,
    pub(super) audience: &'a mut dyn Audience<M>,
    pub(super) state: M,
    /// The setup's, with what the project has told of itself.
    pub(super) policy: Policy,
    /// The order of the attempt that was journalled and is to be forked.
    pub(super) order: Option<AgentOrder>,
    /// The last lines of what the last child printed.
    pub(super) tail: String,
    /// Until then the run's time is in the journal; by the clock that never steps back.
    counted_ms: u64,
    /// Runs of the project's commands that are not in the journal yet.
    pub(super) runs: Runs,
    pub(super) sightings: Sightings,
    pub(super) own: X,
}

/// A folder beside the repository, and what of the work tree it leads to.
pub type Checkout<'c> = (&'c Path, &'c [PathBuf]);

/// What differs between the machines.
pub trait Carry<M: Machine> {
    fn carry_out(&mut self, effect: M::Effect) -> impl Future<Output = Result<Vec<Event>, Trouble>>;

    /// An effect that starts no processes costs nothing worth a line of the journal.
    fn runs_processes(effect: &M::Effect) -> bool;

    /// Processes that outlived a command of the project's and were ended since this was last asked.
    fn leaked(&mut self) -> Vec<Leaked>;

    /// The command that goes on with the run.
    fn goes_on(&self, with: &Flags) -> String;

    /// What follows at once from an event that the state has taken in.
    fn follows(&mut self, _event: &Event) -> Result<Vec<Event>, Trouble> {
        Ok(Vec::new())
    }

    /// Runs the project's own commands once more, in this checkout and what of the work tree it leads to.
    fn run_apart(&mut self, checkout: Option<Checkout<'_>>) -> impl Future<Output = Result<(), Trouble>>;

    /// What is to be noted of the tree before the run is paused or stopped.
    fn set_down(&mut self) -> Result<Vec<Event>, Trouble>;

    /// Before the first child came back nothing is changed, not even by the project's own commands. Gives
    /// the trouble as it is told.
    fn as_it_was(&mut self, trouble: Trouble) -> impl Future<Output = Trouble>;
}

impl<'a, W: World, M: Machine, X> Driver<'a, W, M, X> {
    pub(super) fn over(
        ports: &'a mut Ports<W>,
        setup: &'a Setup,
        audience: &'a mut dyn Audience<M>,
        (state, own): (M, X),
    ) -> Self {
        let counted_ms = ports.clock.monotonic_ms();
        Self {
            ports,
            setup,
            audience,
            state,
            policy: setup.policy.clone(),
            order: None,
            tail: String::new(),
            counted_ms,
            runs: Runs::default(),
            sightings: Sightings::default(),
            own,
        }
    }

    /// What snapshots tell of a role's work.
    pub(super) fn diff(&mut self) -> WorkDiff<'_, W::Checkpoints> {
        let still_written = &self.state.facts().still_written;
        WorkDiff {
            checkpoints: &mut self.ports.checkpoints,
            setup: self.setup,
            policy: &self.policy,
            still_written,
        }
    }

    /// From now on files have the classes that the project itself has told; gives what is to be noted of it.
    pub(super) fn settle_policy(&mut self, learned: Learned) -> Event {
        self.policy = self.setup.policy.clone().with_learned(learned);
        self.ports.protection.classify_by(&self.policy);
        Event::PolicySettled { policy: Box::new(self.policy.effective().clone()) }
    }

    pub(super) fn tell(&mut self, news: &[News]) {
        for news in news {
            self.audience.news(news);
        }
    }
}

impl<W: World, M: Machine, X> Driver<'_, W, M, X>
where
    Self: Carry<M>,
{
    /// Runs until there is nothing to do. `Err` before the first child came back is a set-up error; after it
    /// the run is paused or stopped instead, and the state says so.
    pub(super) async fn drive(&mut self) -> Result<(), Trouble> {
        if self.state.next().is_some() {
            self.record(&[Event::Isolated { isolation: self.setup.isolation.clone() }])?;
        }
        while let Some(effect) = self.state.next() {
            let is_work = Self::runs_processes(&effect);
            // A trouble quotes what a child said, and is journalled or shown.
            let done = self.carry_out(effect).await.map_err(|trouble| trouble.map_words(&self.setup.mask));
            self.record_leaked()?;
            let mut events = self.used();
            if is_work {
                events.push(self.worked());
            }
            match done {
                Ok(outcome) => events.extend(outcome),
                Err(trouble) => match self.interruption(&trouble) {
                    Some(event) => {
                        events.extend(self.set_down().map_err(after_a_child)?);
                        events.push(event);
                    }
                    None if self.state.children() == 0 => return Err(self.as_it_was(trouble).await),
                    None => return Err(trouble),
                },
            }
            self.record(&events)?;
        }
        Ok(())
    }

    /// What outlived the commands of an effect is named, whatever came of the effect.
    fn record_leaked(&mut self) -> Result<(), Trouble> {
        let mut processes = self.ports.agents.leaked();
        processes.extend(self.leaked());
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
        let mut following = Vec::new();
        for event in events {
            self.state.apply(event).map_err(|error| {
                Trouble::internal("the run's own journal is illegal").because(error.to_string())
            })?;
            following.extend(self.follows(event)?);
            self.audience.event(&self.state, event, ts_ms);
        }
        if following.is_empty() { Ok(()) } else { self.record(&following) }
    }

    /// A journal that can't be written ends a run at once. Once a child has run, that is no set-up
    /// error any more, and it can't be recorded as a pause either. What the system is out of never is one.
    fn unrecorded(&self, trouble: Trouble) -> Trouble {
        let trouble = trouble.then(self.going_on());
        let passes = trouble.kind == TroubleKind::Environment && self.state.forks() > 0;
        if passes { Trouble { kind: TroubleKind::Passing, ..trouble } } else { trouble }
    }

    fn going_on(&self) -> Then {
        Then::GoOn(self.goes_on(&self.setup.resume_with).into())
    }

    /// Notes that the run was refused, and what begins it anew: there is nothing to go on with.
    pub(super) fn refused(&mut self, trouble: Trouble, anew: String) -> Trouble {
        // The first trouble is the one to tell.
        let _ = self.record(&[Event::Refused { why: trouble.what.clone() }]);
        trouble.then(Then::Anew(anew.into()))
    }

    /// What an effect's children used, whatever came of it.
    fn used(&mut self) -> Vec<Event> {
        self.ports.agents.used().into_iter().map(|used| Event::Used { used }).collect()
    }

    /// How long the run has been at work, in all of its processes.
    pub(super) fn at_work_ms(&self) -> u64 {
        let since = self.ports.clock.monotonic_ms().saturating_sub(self.counted_ms);
        self.state.facts().worked_ms.saturating_add(since)
    }

    /// The time that is not in the journal yet.
    pub(super) fn worked(&mut self) -> Event {
        let now = self.ports.clock.monotonic_ms();
        let ms = now.saturating_sub(std::mem::replace(&mut self.counted_ms, now));
        Event::Worked { ms, runs: std::mem::take(&mut self.runs) }
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
        Some(Event::Paused { reason: trouble.clone().then(self.going_on()).to_string() })
    }
}

/// A child has run, so a trouble of the surroundings is no set-up error any more.
pub(super) fn after_a_child(trouble: Trouble) -> Trouble {
    match trouble.kind {
        TroubleKind::User | TroubleKind::Config | TroubleKind::Environment => {
            Trouble { kind: TroubleKind::Passing, ..trouble }
        }
        TroubleKind::Passing | TroubleKind::Internal | TroubleKind::Stopped(_) => trouble,
    }
}
