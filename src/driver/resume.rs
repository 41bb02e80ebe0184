//! Going on with a run in a new process: after a stop, a crash, a pause or a halt.

use std::collections::BTreeSet;

use tdd_core::attempt::{AttemptKind, CheckpointId};
use tdd_core::event::{Decision, Event};
use tdd_core::finding::ClassedChange;
use tdd_core::held_out::Hold;
use tdd_core::path::RelPath;
use tdd_core::state::{End, Phase, State};
use tdd_core::trouble::Trouble;
use tdd_core::usage::CapPlan;

use super::cycle::Drive;
use super::whose::{self, LISTED, hold_theirs, listed};
use tdd_core::machine::Machine;
use tdd_core::ports::{Checkpoints, Recalled, Tests, World};

const NOBODY_AT_WORK: &str = "files were changed while no agent of the run was at work";

fn is_edit(decision: &Decision) -> bool {
    matches!(decision, Decision::Edited(_))
}

fn paths(changes: Vec<ClassedChange>) -> Vec<RelPath> {
    changes.into_iter().map(|change| change.path).collect()
}

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
        import_roots: baseline.map(|test| test.import_roots.clone()).unwrap_or_default(),
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
        if caps.is_none() {
            self.refuse_unedited(&decisions, &now)?;
        }
        let is_on_purpose = |one: &Decision| matches!(one, Decision::Edited(_) | Decision::Abandon);
        if !decisions.iter().any(is_on_purpose) && !self.is_back_already(&decisions, &now)? {
            self.refuse_foreign_changes(&now)?;
        }
        let suspension = self.state.facts.suspension.clone();
        if !matches!(self.state.phase, Phase::Ended { .. }) {
            self.record(&[Event::Resumed])?;
        }
        if let Some(caps) = caps {
            self.record(&[Event::Capped { caps }])?;
        }
        if decisions.iter().any(is_edit) {
            self.keep_what_came(&now)?;
        }
        let says_edited = decisions.iter().any(is_edit);
        for decision in decisions {
            self.record(&[Event::Decided { decision, why: why.take() }])?;
        }
        if !says_edited {
            self.check_refused_again()?;
        }
        if self.state.next().is_some() {
            self.record(settled.as_slice())?;
        }
        self.take_in_what_came(&now, suspension.as_ref())?;
        self.run().await
    }

    /// An edit that did not stand is checked once more, not gone on from: what it has changed may be what would
    /// judge the next child.
    fn check_refused_again(&mut self) -> Result<(), Trouble> {
        let decision = Decision::Edited(Box::new(self.state.run.requirement.clone()));
        let is_open = self.state.edit_refused
            && self.state.clone().apply(&Event::Decided { decision: decision.clone(), why: None }).is_ok();
        if !is_open || matches!(self.state.phase, Phase::Ended { .. }) {
            return Ok(());
        }
        let why = Some("what was edited did not stand, and is checked again".to_owned());
        self.record(&[Event::Decided { decision, why }])
    }

    fn refuse_what_means_nothing(&self, decisions: &[Decision]) -> Result<(), Trouble> {
        let mut trial = self.state.clone();
        let over = matches!(trial.phase, Phase::Ended { .. });
        if !over && !decisions.is_empty() {
            // One that can't be resumed takes no decision either.
            let _ = trial.apply(&Event::Resumed);
        }
        // An edit cuts off the attempt that was stopped.
        let cut = trial.stopped_at.clone().filter(|_| decisions.iter().any(is_edit));
        if let (Phase::CutOff { .. }, Some(kept_as)) = (&trial.phase, cut) {
            let _ = trial.apply(&Event::AttemptCut { kept_as });
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

    /// After a halt agents are not started over on the word that files were changed where none was: it would be
    /// journalled as a person's claim that is not true, and the same would be tried again.
    fn refuse_unedited(&mut self, decisions: &[Decision], now: &CheckpointId) -> Result<(), Trouble> {
        let is_edited =
            |one: &Decision| matches!(one, Decision::Edited(read) if **read == self.state.run.requirement);
        let is_halted = matches!(self.state.phase, Phase::Ended { end: End::Halted(_) });
        let Some(known) = left_alone(&self.state).filter(|_| is_halted).cloned() else { return Ok(()) };
        if !decisions.iter().any(is_edited) || !self.differences(&known, now)?.is_empty() {
            return Ok(());
        }
        let run = &self.state.run.run;
        Err(Trouble::user("nothing was edited since the run halted")
            .because(
                "--edited says that files or the requirement were changed on purpose, and they are as they were at \
                 the halt (files that git ignores do not count)",
            )
            .advise(format!(
                "edit code, a test, the requirement or tdd.yaml, then:  tdd resume {run} --edited\n\
                 or have the same tried again, with new attempts:       tdd resume {run} --retry\n\
                 see what went wrong:                                   tdd review {run}"
            )))
    }

    /// Whether the operator takes work that lies in the tree already, as the report shows how to bring
    /// it back: then there is nothing to overwrite.
    fn is_back_already(&mut self, decisions: &[Decision], now: &CheckpointId) -> Result<bool, Trouble> {
        let work = self.state.unclaimed.as_ref().filter(|_| decisions.contains(&Decision::Take));
        let Some(judged) = work.map(|work| work.tree.clone()) else { return Ok(false) };
        Ok(self.differences(&judged, now)?.is_empty())
    }

    fn refuse_foreign_changes(&mut self, now: &CheckpointId) -> Result<(), Trouble> {
        let Some(known) = left_alone(&self.state).cloned() else { return Ok(()) };
        let mut foreign = self.differences(&known, now)?;
        if let Phase::Returned { attempt, .. } | Phase::Forked { attempt } = &self.state.phase {
            // What was put back as a pause advises is nobody's work.
            let before = attempt.before.clone();
            let since: BTreeSet<RelPath> =
                self.differences(&before, now)?.into_iter().map(|change| change.path).collect();
            foreign.retain(|change| since.contains(&change.path));
        }
        if foreign.is_empty() {
            return Ok(());
        }
        let (what, next) = self.words_for_foreign(known.0.get(..12).unwrap_or(&known.0));
        Err(Trouble::passing(what)
            .because(listed(foreign.iter().map(|change| &change.path)).join("\n"))
            .advise(next))
    }

    /// What is said of changes since the tree `known`, and what can be done about them.
    fn words_for_foreign(&self, known: &str) -> (String, String) {
        let run = &self.state.run.run;
        let can_be_edited = matches!(
            self.state.phase,
            Phase::Due { kind: AttemptKind::First | AttemptKind::Semantic, .. }
                | Phase::Forked { .. }
                | Phase::HoldingOut { step: Hold::Part }
                | Phase::Ended { .. }
        );
        let (what, why) = if let Phase::Forked { attempt } = &self.state.phase {
            let what = format!("files were changed since the {} was stopped", attempt.key.role());
            (what, Some("its attempt begins anew on the tree from before it"))
        } else if let Phase::Returned { attempt, .. } = &self.state.phase {
            let what =
                format!("files were changed since the work of the {} was to be judged", attempt.key.role());
            let why = "it is judged by what lies in the tree, where these changes would be taken for its own";
            (what, Some(why))
        } else {
            let why = (!can_be_edited).then_some("what comes next goes on with the work as it was");
            (NOBODY_AT_WORK.to_owned(), why)
        };
        let mut next: Vec<String> = why.map(str::to_owned).into_iter().collect();
        next.push(format!("look:                    git diff {known} -- :/, and git status for what is new"));
        if can_be_edited {
            next.push(format!("if it was on purpose:    tdd resume {run} --edited"));
        }
        let before = if can_be_edited { "if not, put" } else { "put" };
        // Whoever put them back would take back the later run's work too.
        next.push(match &self.setup.later {
            Some(later) => format!("a later run came between: tdd status {later}"),
            None => format!(
                "{before} them back (they are kept first), and go on without them:\n  \
                 tdd undo {run} --to {known} --discard-changes\n  tdd resume {run}"
            ),
        });
        if !can_be_edited {
            next.push(format!("or stop here:            tdd resume {run} --abandon"));
        }
        (what, next.join("\n"))
    }

    /// What a person has changed since a child was stopped stays, as they say; what the child left half done goes, and
    /// its attempt never counts. Of a run that was killed nobody can tell the two apart.
    fn keep_what_came(&mut self, now: &CheckpointId) -> Result<(), Trouble> {
        let Phase::CutOff { attempt } = &self.state.phase else { return Ok(()) };
        let Some(left) = self.state.stopped_at.clone() else { return Ok(()) };
        let to = attempt.before.clone();
        let kept_as = self.ports.checkpoints.take(&self.label("cut"))?;
        let came = paths(self.differences(&left, now)?);
        let half_done = paths(self.differences(&to, &left)?);
        let (on_half_done, half_done): (Vec<_>, Vec<_>) =
            half_done.into_iter().partition(|path| came.contains(path));
        self.hold_half_done(half_done, &kept_as)?;
        self.diff().go_back_but(&to, &kept_as, &came)?;
        let tree = self.ports.checkpoints.take("seen")?;
        let mut alone = paths(self.differences(&to, &tree)?);
        alone.retain(|path| !on_half_done.contains(path));
        let alone = self.gone_on_with_files(alone, &to, &tree)?;
        // The two can't be told apart, so that an undo asks.
        let on_half_done = self.gone_on_with_files(on_half_done, &left, &tree)?;
        let mut events = vec![Event::TreeSeen { tree }];
        events.extend(alone.into_iter().chain(on_half_done));
        events.push(Event::AttemptCut { kept_as });
        self.record(&events)
    }

    /// A person may have typed while the child was at work, too.
    fn hold_half_done(&mut self, paths: Vec<RelPath>, kept_as: &CheckpointId) -> Result<(), Trouble> {
        if paths.is_empty() {
            return Ok(());
        }
        hold_theirs(&mut self.ports.checkpoints, kept_as)?;
        self.record(&[whose::unnamed(paths, kept_as)])
    }

    /// The child never came back, so the attempt never counts; what it left is kept.
    pub(super) fn put_back_cut(&mut self, to: &CheckpointId) -> Result<Vec<Event>, Trouble> {
        let kept_as = self.ports.checkpoints.take(&self.label("cut"))?;
        let changed = self.differences(to, &kept_as)?;
        if let Some(key) = self.state.attempt().map(|attempt| attempt.key.clone()) {
            let all: Vec<RelPath> = changed.iter().map(|change| change.path.clone()).collect();
            let held = self.held_since(&key, &changed, &all);
            self.refuse_edited(&held, &kept_as)?;
        }
        let changed = paths(changed);
        // After a kill nobody can tell what the child did from what a person did since; nor after a stop from
        // what came later.
        let mut unknown = changed.clone();
        let mut theirs = Vec::new();
        if let Some(left) = self.state.stopped_at.clone() {
            let since = self.differences(&left, &kept_as)?;
            unknown.retain(|path| since.iter().any(|change| change.path == *path));
            theirs.clone_from(&unknown);
        }
        if !unknown.is_empty() {
            let mut what: Vec<String> =
                unknown.iter().take(LISTED).map(|path| format!("{path} is as before the attempt")).collect();
            what.push(format!(
                "what lay there is kept as {kept_as}: git restore --source={kept_as} -- :/FILE"
            ));
            self.record(&[Event::Restored { what }])?;
        }
        let half_done: Vec<RelPath> = changed.into_iter().filter(|path| !theirs.contains(path)).collect();
        self.hold_half_done(half_done, &kept_as)?;
        self.hold_unknown(theirs, &kept_as)?;
        self.diff().go_back(to, &kept_as)?;
        Ok(vec![self.see_tree()?, Event::AttemptCut { kept_as }])
    }
}

/// The tree as it should still be, because no child and no run of ours was under way since: as a child that
/// was stopped left it, else as it was last seen.
fn left_alone(state: &State) -> Option<&CheckpointId> {
    match &state.phase {
        Phase::Forked { .. } => state.stopped_at.as_ref(),
        // After a kill it may be what the tests left that were under way.
        Phase::Returned { .. } => state.stopped_at.as_ref().filter(|_| state.facts.suspension.is_some()),
        Phase::Due { kind: AttemptKind::First | AttemptKind::Semantic | AttemptKind::Format, .. }
        | Phase::GateDue
        | Phase::Proving
        | Phase::HoldingOut { step: Hold::Part }
        | Phase::Ended { end: End::Halted(_) } => state.facts.tree.as_ref(),
        Phase::Opening
        | Phase::Baselining
        | Phase::Keeping { .. }
        | Phase::RollingBack { .. }
        | Phase::CutOff { .. }
        | Phase::Taking { .. }
        | Phase::Rechecking { .. }
        | Phase::HoldingOut { step: Hold::TakeOut | Hold::BringBack }
        | Phase::Halting { .. }
        | Phase::Finishing { .. }
        | Phase::Ended { end: End::Finished(_) | End::Abandoned | End::Refused } => None,
    }
}
