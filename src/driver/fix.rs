//! The loop of `tdd fix`: one effect after the other, each outcome written before it is believed.
//!
//! The same ports as a cycle's, and beside them the checks. What two snapshots tell is asked in the
//! same way as there ([`WorkDiff`]); what to do next is said by [`tdd_core::fix`] alone.

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::audience::{FixAudience, News};
use tdd_core::event::{Event, Runs};
use tdd_core::fix::{FixEffect, FixState};
use tdd_core::machine::Machine;
use tdd_core::path::RelPath;
use tdd_core::trouble::{Then, Trouble, TroubleKind};

use super::drive::Setup;
use super::work_diff::WorkDiff;
use tdd_core::ports::{AgentOrder, Agents, Checkpoints, Checks, Clock, Journal, Ports, World};

mod conclude;
mod fork;
mod measure;

/// One run of `tdd fix` under way.
pub struct FixDrive<'a, W: World, C: Checks> {
    ports: &'a mut Ports<W>,
    checks: &'a mut C,
    setup: &'a Setup,
    audience: &'a mut dyn FixAudience,
    state: FixState,
    /// What the agent before the first fixer said last.
    previous: Option<String>,
    order: Option<AgentOrder>,
    /// The last lines of what the last child printed.
    tail: String,
    /// By the clock that never steps back: until then the run's time is in the journal.
    counted_ms: u64,
    /// Test files that reports have named.
    judged: Vec<RelPath>,
    /// What the checks themselves write beside tests.
    written: BTreeSet<RelPath>,
    /// Code of tests that they write as it was.
    written_as_it_was: BTreeSet<RelPath>,
}

impl<'a, W: World, C: Checks> FixDrive<'a, W, C> {
    pub fn new(
        (ports, checks): (&'a mut Ports<W>, &'a mut C),
        setup: &'a Setup,
        audience: &'a mut dyn FixAudience,
        state: FixState,
        previous: Option<String>,
    ) -> Self {
        let counted_ms = ports.clock.monotonic_ms();
        Self {
            ports,
            checks,
            setup,
            audience,
            state,
            previous,
            order: None,
            tail: String::new(),
            counted_ms,
            judged: Vec::new(),
            written: BTreeSet::new(),
            written_as_it_was: BTreeSet::new(),
        }
    }

    /// Runs until there is nothing to do. `Err` before the first child came back is a set-up error
    /// and leaves the tree as it was; after it the run is paused, with the best state kept.
    pub async fn run(mut self) -> Result<FixState, Trouble> {
        match self.drive().await {
            Ok(()) => Ok(self.state),
            Err(trouble) => {
                // What a run can't record it can't go on with; the tree is brought back all the same.
                let _ = self.go_back_to_the_best("broken");
                let is_set_up = trouble.kind != TroubleKind::Environment || self.state.children() == 0;
                Err(if is_set_up { trouble } else { Trouble { kind: TroubleKind::Passing, ..trouble } })
            }
        }
    }

    async fn drive(&mut self) -> Result<(), Trouble> {
        self.record(&[Event::Isolated { isolation: self.setup.isolation.clone() }])?;
        while let Some(effect) = self.state.next() {
            let done = self.carry_out(&effect).await.map_err(|trouble| self.without_secrets(trouble));
            self.record_leaked()?;
            let mut events = self.cost_of(&effect);
            match done {
                Ok(outcome) => {
                    events.extend(outcome);
                    self.record(&events)?;
                }
                Err(trouble) => {
                    self.record(&events)?;
                    self.interrupted(trouble)?;
                }
            }
        }
        Ok(())
    }

    /// Masked, and with the command that goes on with this.
    fn without_secrets(&self, trouble: Trouble) -> Trouble {
        let again = format!("tdd fix{}", self.setup.resume_with);
        trouble.then(Then::GoOn(again.into())).map_words(&self.setup.mask)
    }

    async fn carry_out(&mut self, effect: &FixEffect) -> Result<Vec<Event>, Trouble> {
        match effect {
            FixEffect::TakeCheckpointZero => self.take_checkpoint_zero(),
            FixEffect::Measure => self.measure().await,
            FixEffect::StartAttempt { number, kind } => self.start_attempt(*number, *kind),
            FixEffect::PauseAtCap => self.pause_at_cap(),
            FixEffect::RunAgent => self.run_agent().await,
            FixEffect::TakeBack { to } => self.take_back(to),
            FixEffect::Halt(why) => self.halt(*why),
            FixEffect::Finish => self.finish(),
        }
    }

    fn take_checkpoint_zero(&mut self) -> Result<Vec<Event>, Trouble> {
        self.ports.checkpoints.record_git()?;
        let checkpoint = self.ports.checkpoints.take("0")?;
        Ok(vec![Event::CheckpointZero { checkpoint }])
    }

    /// Writes and syncs, then applies, then tells.
    fn record(&mut self, events: &[Event]) -> Result<(), Trouble> {
        let ts_ms = self.ports.clock.now_ms();
        self.ports.journal.append(ts_ms, events)?;
        for event in events {
            self.state.apply(event).map_err(|error| {
                Trouble::internal("the run's own journal is illegal").because(error.to_string())
            })?;
            self.audience.event(&self.state, event, ts_ms);
        }
        Ok(())
    }

    fn record_leaked(&mut self) -> Result<(), Trouble> {
        let mut processes = self.ports.agents.leaked();
        processes.extend(self.checks.leaked());
        for one in &mut processes {
            one.command = (self.setup.mask)(&one.command);
        }
        if processes.is_empty() { Ok(()) } else { self.record(&[Event::Leaked { processes }]) }
    }

    /// What an effect cost, whatever came of it.
    fn cost_of(&mut self, effect: &FixEffect) -> Vec<Event> {
        let mut events: Vec<Event> =
            self.ports.agents.used().into_iter().map(|used| Event::Used { used }).collect();
        if matches!(effect, FixEffect::Measure | FixEffect::RunAgent) {
            let now = self.ports.clock.monotonic_ms();
            events.push(Event::Worked { ms: now.saturating_sub(self.counted_ms), runs: Runs::default() });
            self.counted_ms = now;
        }
        events
    }

    /// A stop and a passing limit always pause; so does a trouble of the surroundings once a child
    /// has run. Whatever was under way, the tree that stays is the best one that was measured.
    fn interrupted(&mut self, trouble: Trouble) -> Result<(), Trouble> {
        let event = match trouble.kind {
            TroubleKind::Stopped(signal) => Event::Stopped { signal },
            TroubleKind::Passing => Event::Paused { reason: trouble.to_string() },
            TroubleKind::User | TroubleKind::Config | TroubleKind::Environment
                if self.state.children() > 0 =>
            {
                Event::Paused { reason: trouble.to_string() }
            }
            TroubleKind::User | TroubleKind::Config | TroubleKind::Environment => {
                // The first trouble is the one to tell.
                let _ = self.record(&[Event::Refused { why: (self.setup.mask)(&trouble.what) }]);
                return Err(trouble);
            }
            TroubleKind::Internal => return Err(trouble),
        };
        let mut events = self.go_back_to_the_best("cut")?;
        events.push(event);
        self.record(&events)
    }

    /// What is in the tree is kept under this label; then it is as the best state was, or as it was
    /// before anything ran.
    fn go_back_to_the_best(&mut self, label: &str) -> Result<Vec<Event>, Trouble> {
        let best = self.state.best().map(|best| best.tree.clone());
        let Some(to) = best.or_else(|| self.state.facts.zero.clone()) else { return Ok(Vec::new()) };
        let mut events = self.put_git_back(label)?;
        let now = self.ports.checkpoints.take(label)?;
        let left = self.diff().differences(&to, &now)?;
        let paths: Vec<RelPath> = left.into_iter().map(|change| change.path).collect();
        if !paths.is_empty() {
            self.ports.checkpoints.restore(&to, &paths)?;
            let what =
                format!("{} files are as they were in the best state; what lay there is {now}", paths.len());
            events.push(Event::Restored { what: vec![what] });
        }
        events.push(Event::TreeSeen { tree: self.ports.checkpoints.take("seen")? });
        Ok(events)
    }

    fn put_git_back(&mut self, label: &str) -> Result<Vec<Event>, Trouble> {
        let what = self.ports.checkpoints.restore_git(label)?;
        Ok(if what.is_empty() { Vec::new() } else { vec![Event::Restored { what }] })
    }

    fn diff(&mut self) -> WorkDiff<'_, W::Checkpoints> {
        WorkDiff { checkpoints: &mut self.ports.checkpoints, setup: self.setup }
    }

    fn zero(&self) -> Result<CheckpointId, Trouble> {
        self.state.facts.zero.clone().ok_or_else(|| Trouble::internal("a run went on without a checkpoint 0"))
    }

    fn tell(&mut self, news: &[News]) {
        for news in news {
            self.audience.news(news);
        }
    }
}
