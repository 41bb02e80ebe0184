//! Going on with a run in a new process: after a stop, a crash, a pause or a halt.

use tdd_core::attempt::{AttemptKind, CheckpointId};
use tdd_core::event::{Decision, Event};
use tdd_core::state::{End, Phase, State};
use tdd_core::trouble::Trouble;
use tdd_core::usage::CapPlan;

use super::cycle::Drive;
use super::meanwhile::{LISTED, listed};
use tdd_core::machine::Machine;
use tdd_core::ports::{Checkpoints, Recalled, Tests, World};

/// What of earlier runs of the tests the journal holds.
fn recalled(state: &State) -> Recalled {
    let baseline = state.baseline.as_ref().map(|baselines| &baselines.test);
    let before = baseline.into_iter().flat_map(|test| [&test.greens, &test.reds, &test.flaky]).flatten();
    let red = state.red.iter().flat_map(|red| &red.criteria);
    Recalled {
        tests: before.chain(&state.greens).cloned().collect(),
        files: red.flat_map(|criterion| criterion.files.iter().cloned()).collect(),
        first_ms: baseline.map(|test| test.duration_ms),
        command: baseline.map(|test| test.command.clone()),
    }
}

/// What the operator says, and the reason that is given for the first of it.
pub type Said = (Vec<Decision>, Option<String>);

impl<W: World> Drive<'_, W> {
    /// Goes on with the state that the journal tells. Nothing that somebody else changed meanwhile
    /// is overwritten: it is shown, and the run stays paused, unless the operator says that it was
    /// on purpose. Whatever the tree holds now is kept as a checkpoint first.
    /// With other `caps` the rest of the run is bound by those.
    pub async fn resume(
        mut self,
        (decisions, mut why): Said,
        caps: Option<CapPlan>,
    ) -> Result<State, Trouble> {
        self.refuse_what_means_nothing(&decisions)?;
        let settled = self.learn()?;
        self.ports.tests.recall(&recalled(&self.state));
        self.ports.checkpoints.record_git()?;
        let now = self.ports.checkpoints.take("resumed")?;
        let is_on_purpose = |one: &Decision| matches!(one, Decision::Edited(_) | Decision::Abandon);
        if !decisions.iter().any(is_on_purpose) && !self.is_back_already(&decisions, &now)? {
            self.refuse_foreign_changes(&now)?;
        }
        if !matches!(self.state.phase, Phase::Ended { .. }) {
            self.record(&[Event::Resumed])?;
        }
        if let Some(caps) = caps {
            self.record(&[Event::Capped { caps }])?;
        }
        for decision in decisions {
            self.record(&[Event::Decided { decision, why: why.take() }])?;
        }
        if self.state.next().is_some() {
            self.record(settled.as_slice())?;
        }
        self.run().await
    }

    fn refuse_what_means_nothing(&self, decisions: &[Decision]) -> Result<(), Trouble> {
        let mut trial = self.state.clone();
        let over = matches!(trial.phase, Phase::Ended { .. });
        if !over && !decisions.is_empty() {
            // One that can't be resumed takes no decision either.
            let _ = trial.apply(&Event::Resumed);
        }
        for decision in decisions {
            trial.apply(&Event::Decided { decision: decision.clone(), why: None }).map_err(|_| {
                Trouble::user(format!("the run can't take this now: {}", decision.words()))
                    .because(format!("it stands at `{}`", self.state.phase.name()))
                    .advise(format!(
                        "go on without it:   tdd resume {0}\nsee where it stands: tdd status {0}",
                        self.state.run.run
                    ))
            })?;
        }
        Ok(())
    }

    /// Whether the operator takes work that lies in the tree already, as the report shows how to bring
    /// it back: then there is nothing to overwrite.
    fn is_back_already(&mut self, decisions: &[Decision], now: &CheckpointId) -> Result<bool, Trouble> {
        let work = self.state.unclaimed.as_ref().filter(|_| decisions.contains(&Decision::Take));
        let Some(judged) = work.map(|work| work.tree.clone()) else { return Ok(false) };
        Ok(self.differences(&judged, now)?.is_empty())
    }

    /// The tree as a child that was stopped has left it: what differs from it later is somebody else's work.
    /// Where not even that can be kept, nothing is known. A person may have typed while the child was at work, so
    /// `clean` asks before it goes.
    pub(super) fn left_by_the_child(&mut self) -> Option<Event> {
        if !matches!(self.state.phase, Phase::Forked { .. }) {
            return None;
        }
        let tree = self.ports.checkpoints.take(&self.label("found-at-stop")).ok()?;
        Some(Event::TreeSeen { tree })
    }

    fn refuse_foreign_changes(&mut self, now: &CheckpointId) -> Result<(), Trouble> {
        let Some(known) = left_alone(&self.state).cloned() else { return Ok(()) };
        let foreign = self.differences(&known, now)?;
        if foreign.is_empty() {
            return Ok(());
        }
        let run = &self.state.run.run;
        let known = known.0.get(..12).unwrap_or(&known.0);
        let (what, next) = if let Phase::Forked { attempt } = &self.state.phase {
            let what = format!("files were changed since the {} was stopped", attempt.key.role());
            let next = format!(
                "its attempt begins anew on the tree from before it, where these changes would be in its way\n\
                 look:                        git diff {known}\n\
                 put them away and go on:     git stash push --include-untracked -- FILE…, then tdd resume {run}\n\
                 or stop here:                tdd resume {run} --abandon"
            );
            (what, next)
        } else {
            // Whoever put them back would take back the later run's work too.
            let back = match &self.setup.later {
                Some(later) => format!("a later run came between: tdd status {later}"),
                None => format!(
                    "if not, put them back (they are kept first):\n  tdd undo {run} --to {known} --discard-changes"
                ),
            };
            let next = format!(
                "look:                    git diff {known}\n\
                 if it was on purpose:    tdd resume {run} --edited\n{back}"
            );
            ("files were changed while no agent of the run was at work".to_owned(), next)
        };
        Err(Trouble::passing(what)
            .because(listed(foreign.iter().map(|change| &change.path)).join("\n"))
            .advise(next))
    }

    /// The child never came back, so the attempt never counts; what it left is kept.
    pub(super) fn put_back_cut(&mut self, to: &CheckpointId) -> Result<Vec<Event>, Trouble> {
        let kept_as = self.ports.checkpoints.take(&self.label("cut"))?;
        let changed = self.differences(to, &kept_as)?;
        self.diff().go_back(to, &kept_as)?;
        let mut events = Vec::new();
        // After a kill nobody can tell what the child did from what a person did since.
        if self.state.stopped_at.is_none() && !changed.is_empty() {
            let mut what: Vec<String> = changed
                .iter()
                .take(LISTED)
                .map(|one| format!("{} is as before the attempt", one.path))
                .collect();
            what.push(format!("what lay there is kept as {kept_as}: git restore --source={kept_as} -- FILE"));
            events.push(Event::Restored { what });
        }
        events.extend([self.see_tree()?, Event::AttemptCut { kept_as }]);
        Ok(events)
    }
}

/// The tree as it should still be, because no child and no run of ours was under way since: as a child that
/// was stopped left it, else as it was last seen.
fn left_alone(state: &State) -> Option<&CheckpointId> {
    match &state.phase {
        Phase::Forked { .. } => state.stopped_at.as_ref(),
        Phase::Due { kind: AttemptKind::First | AttemptKind::Semantic | AttemptKind::Format, .. }
        | Phase::GateDue
        | Phase::Ended { end: End::Halted(_) } => state.facts.tree.as_ref(),
        Phase::Opening
        | Phase::Baselining
        | Phase::Returned { .. }
        | Phase::Keeping { .. }
        | Phase::RollingBack { .. }
        | Phase::CutOff { .. }
        | Phase::Taking { .. }
        | Phase::Rechecking { .. }
        | Phase::Halting { .. }
        | Phase::Finishing { .. }
        | Phase::Ended { end: End::Finished(_) | End::Abandoned | End::Refused } => None,
    }
}
