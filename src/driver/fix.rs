//! What the effects of `tdd fix` come to. The loop and the ports are a cycle's, and beside them there are the
//! checks. What two snapshots tell is asked in the same way as there; what to do next is said by
//! [`tdd_core::fix`] alone.

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::audience::Audience;
use tdd_core::event::{Event, Leaked};
use tdd_core::facts::Facts;
use tdd_core::fix::{FixEffect, FixState};
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

use super::drive::{Carry, Checkout, Driver};
use super::flags::Flags;
use super::setup::Setup;
use tdd_core::ports::{Checkpoints, Checks, Ports, World};

mod conclude;
mod fork;
mod measure;

/// What the effects of `tdd fix` work with and remember.
pub struct Fixing<'a, C> {
    checks: &'a mut C,
    /// What the agent before the first fixer said last.
    previous: Option<String>,
    /// Test files that reports have named.
    judged: Vec<RelPath>,
    /// What their runners have loaded by themselves beside tests.
    loaded: BTreeSet<RelPath>,
    /// What Python loaded in the place of what is installed.
    hiding: BTreeSet<RelPath>,
    /// What the checks themselves write beside tests.
    written: BTreeSet<RelPath>,
    /// Code of tests that they write as it was.
    written_as_it_was: BTreeSet<RelPath>,
}

/// One run of `tdd fix` under way.
pub type FixDrive<'a, W, C> = Driver<'a, W, FixState, Fixing<'a, C>>;

impl<'a, W: World, C: Checks> FixDrive<'a, W, C> {
    pub fn new(
        (ports, checks): (&'a mut Ports<W>, &'a mut C),
        setup: &'a Setup,
        audience: &'a mut dyn Audience<FixState>,
        state: FixState,
        previous: Option<String>,
    ) -> Self {
        let own = Fixing {
            checks,
            previous,
            judged: Vec::new(),
            loaded: BTreeSet::new(),
            hiding: BTreeSet::new(),
            written: BTreeSet::new(),
            written_as_it_was: BTreeSet::new(),
        };
        Self::over(ports, setup, audience, (state, own))
    }

    /// As far as it goes; the tree that stays is the best one that was measured, or as it was.
    pub async fn run(mut self) -> Result<FixState, Trouble> {
        match self.drive().await {
            Ok(()) => Ok(self.state),
            Err(trouble) => {
                // What a run can't record it can't go on with; the tree is brought back all the same.
                let _ = self.go_back_to_the_best("broken");
                Err(trouble)
            }
        }
    }

    fn take_checkpoint_zero(&mut self) -> Result<Vec<Event>, Trouble> {
        self.ports.checkpoints.record_git()?;
        let checkpoint = self.ports.checkpoints.take("0")?;
        Ok(vec![Event::CheckpointZero { checkpoint }])
    }

    /// What is in the tree is kept under this label; then it is as the best state was, or as it was
    /// before anything ran.
    fn go_back_to_the_best(&mut self, label: &str) -> Result<Vec<Event>, Trouble> {
        let best = self.state.best().map(|best| best.tree.clone());
        let Some(to) = best.or_else(|| self.state.facts.zero.clone()) else { return Ok(Vec::new()) };
        let mut events = self.put_git_back(label)?;
        let now = self.ports.checkpoints.take(label)?;
        let left = self.diff().differences(&to, &now)?;
        let mut paths: Vec<RelPath> = left.into_iter().map(|change| change.path).collect();
        // What no fixer could have written is a person's, for which the run has paused.
        let Facts { edited, theirs, .. } = &self.state.facts;
        paths.retain(|path| {
            !theirs.contains(path)
                && !edited.iter().any(|theirs| theirs == path || theirs.is_within(path.as_str()))
        });
        if !paths.is_empty() {
            events.extend(self.hold_unclaimed(&now, &paths)?);
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

    fn zero(&self) -> Result<CheckpointId, Trouble> {
        self.state.facts.zero.clone().ok_or_else(|| Trouble::internal("a run went on without a checkpoint 0"))
    }
}

impl<W: World, C: Checks> Carry<FixState> for FixDrive<'_, W, C> {
    async fn carry_out(&mut self, effect: FixEffect) -> Result<Vec<Event>, Trouble> {
        match effect {
            FixEffect::TakeCheckpointZero => self.take_checkpoint_zero(),
            FixEffect::Measure => self.measure().await,
            FixEffect::StartAttempt { number, kind } => self.start_attempt(number, kind),
            FixEffect::PauseAtCap => self.pause_at_cap(),
            FixEffect::RunAgent => self.run_agent().await,
            FixEffect::TakeBack { to } => self.take_back(&to),
            FixEffect::Halt(why) => self.halt(why),
            FixEffect::Finish => self.finish(),
        }
    }

    fn runs_processes(effect: &FixEffect) -> bool {
        matches!(effect, FixEffect::Measure | FixEffect::RunAgent)
    }

    fn leaked(&mut self) -> Vec<Leaked> {
        self.own.checks.leaked()
    }

    /// It is never resumed: a new run goes on from the best state.
    fn goes_on(&self, with: &Flags) -> String {
        format!("tdd fix{with}")
    }

    async fn run_apart(&mut self, checkout: Option<Checkout<'_>>) -> Result<(), Trouble> {
        self.own.checks.work_in(checkout);
        let ran = self.run_checks("at the start, again").await;
        self.own.checks.work_in(None);
        ran.map(|_| ())
    }

    /// Whatever was under way, the tree that stays is the best one that was measured.
    fn set_down(&mut self) -> Result<Vec<Event>, Trouble> {
        self.go_back_to_the_best("cut")
    }

    /// The tree goes back when the loop has ended.
    async fn as_it_was(&mut self, trouble: Trouble) -> Trouble {
        let anew = self.goes_on(&self.setup.resume_with);
        self.refused(trouble, anew)
    }
}
