//! What is noted of the tree when a run stops, and what came until it is gone on with. Then no child and no
//! command of the run was at work, so that it is a person's: kept, named and never taken for a role's.

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::audience::News;
use tdd_core::event::Event;
use tdd_core::finding::ClassedChange;
use tdd_core::machine::Suspension;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::policy::tooling::is_editors;
use tdd_core::state::Phase;
use tdd_core::trouble::Trouble;

use super::apart::Found;
use super::cycle::{Drive, Whose};
use super::whose::{hold_theirs, listed, written_beside_tests};
use tdd_core::ports::{Checkpoints, World};

/// The longest baseline whose commands run again although it is refused.
const LONGEST_MS: u64 = 60_000;

impl<W: World> Drive<'_, W> {
    /// The tree as it is left at a stop: what differs from it later is somebody else's work. Where not even that
    /// can be kept, nothing is known.
    pub(super) fn left_at_stop(&mut self) -> Vec<Event> {
        let is_measured =
            matches!(self.state.phase, Phase::Returned { .. }) && self.state.stopped_at.is_some();
        if is_measured {
            return self.put_back_left_by_tests().unwrap_or_default();
        }
        let label = if matches!(self.state.phase, Phase::Forked { .. }) {
            // A person may have typed while the child was at work, so `clean` asks before it goes.
            self.label("found-at-stop")
        } else if matches!(self.state.phase, Phase::Returned { .. } | Phase::Baselining) {
            "seen".to_owned()
        } else {
            return Vec::new();
        };
        let seen = self.ports.checkpoints.take(&label).map(|tree| Event::TreeSeen { tree });
        seen.into_iter().collect()
    }

    /// The tree as the child left it, which is judged: what tests have left in it since goes, and what was put
    /// back for them comes again. A person's protected file, which pauses the run, stays.
    fn put_back_left_by_tests(&mut self) -> Result<Vec<Event>, Trouble> {
        let Some((left, now)) = self.put_away_left_by_tests()? else { return Ok(Vec::new()) };
        let mut what: Vec<String> =
            left.iter().map(|path| format!("{path} is as the child left it")).collect();
        what.push(format!("what lay there then is kept as {now}: git restore --source={now} -- :/FILE"));
        Ok(vec![Event::Restored { what }])
    }

    /// The same, and which files that were, as the tree holds them that is given too.
    pub(super) fn put_away_left_by_tests(&mut self) -> Result<Option<(Vec<RelPath>, CheckpointId)>, Trouble> {
        // Before a child its tests are looked at, and the tree is the one that is known.
        let known = self.state.facts.tree.as_ref().filter(|_| matches!(self.state.phase, Phase::Due { .. }));
        let Some(left_by_child) = self.state.stopped_at.as_ref().or(known).cloned() else { return Ok(None) };
        let before = self.state.attempt().map(|attempt| attempt.before.clone());
        let before = before.unwrap_or_else(|| left_by_child.clone());
        let now = self.ports.checkpoints.take(&self.label("after-runs"))?;
        let mut back: Vec<RelPath> =
            self.differences(&left_by_child, &now)?.into_iter().map(|change| change.path).collect();
        back.retain(|path| !self.state.facts.edited.contains(path));
        let since = self.differences(&before, &now)?;
        let is_new = |path: &&RelPath| since.iter().any(|change| change.path == **path);
        let left: Vec<RelPath> = back.iter().filter(is_new).cloned().collect();
        self.hold_after_runs(&now, &before, left.iter())?;
        self.ports.checkpoints.restore(&left_by_child, &back)?;
        Ok((!left.is_empty()).then_some((left, now)))
    }

    /// What came before the first child is a person's, and the run begins with it. What lies there after a kill
    /// while tests ran may be theirs, and is put back as after any of their runs. All else was shown before.
    pub(super) fn take_in_what_came(
        &mut self,
        now: &CheckpointId,
        stopped: Option<&Suspension>,
    ) -> Result<(), Trouble> {
        if let Phase::RollingBack { to, .. } | Phase::Taking { tree: to, .. } = &self.state.phase {
            return self.name_what_goes(&to.clone(), now);
        }
        let is_measured =
            matches!(self.state.phase, Phase::Returned { .. }) && self.state.stopped_at.is_some();
        let events = if matches!(self.state.phase, Phase::Baselining) {
            let known = self.state.stopped_at.clone().or_else(|| self.state.facts.zero.clone());
            known.map(|known| self.gone_on_with(&known, now)).transpose()?.flatten().into_iter().collect()
        } else if is_measured && stopped.is_none() {
            self.put_back_left_by_tests()?
        } else {
            Vec::new()
        };
        self.record(&events)
    }

    /// Whoever goes on with the way back to `to` takes along what came since the tree that was measured.
    fn name_what_goes(&mut self, to: &CheckpointId, now: &CheckpointId) -> Result<(), Trouble> {
        let Some(known) = self.state.facts.tree.clone() else { return Ok(()) };
        let since = self.differences(&known, now)?;
        let back = self.differences(to, now)?;
        let is_theirs = |path: &RelPath| back.iter().any(|change| change.path == *path);
        let paths: Vec<RelPath> = since.into_iter().map(|change| change.path).filter(is_theirs).collect();
        if !paths.is_empty() {
            self.audience.news(&News::Note(format!(
                "changed since the run was stopped: {}; what lies there is kept as {now}",
                listed(paths.iter()).join(", ")
            )));
        }
        self.hold_unknown(paths.clone(), now)?;
        // Named once: what follows finds the tree as it was measured.
        self.ports.checkpoints.restore(&known, &paths)
    }

    /// Notes what somebody else has changed since the tree `known`, where the run goes on with it.
    pub(super) fn gone_on_with(
        &mut self,
        known: &CheckpointId,
        now: &CheckpointId,
    ) -> Result<Option<Event>, Trouble> {
        let paths = self.differences(known, now)?.into_iter().map(|change| change.path).collect();
        self.gone_on_with_files(paths, known, now)
    }

    /// The same of these files.
    pub(super) fn gone_on_with_files(
        &mut self,
        paths: Vec<RelPath>,
        known: &CheckpointId,
        now: &CheckpointId,
    ) -> Result<Option<Event>, Trouble> {
        if paths.is_empty() {
            return Ok(None);
        }
        hold_theirs(&mut self.ports.checkpoints, now)?;
        self.audience.news(&News::Note(format!(
            "changed while no child of the run was at work: {}; gone on with, and kept as {now}",
            listed(paths.iter()).join(", ")
        )));
        Ok(Some(Event::Edited { paths, kept: now.clone(), before: Some(known.clone()), put_back: None }))
    }

    /// What somebody else changed, the run went on with and the attempt has left as it was is no change of its
    /// role, even where that is judged by all that came since the run began.
    pub(super) fn leave_out_theirs(
        &mut self,
        changed: &mut Vec<ClassedChange>,
        after: &CheckpointId,
    ) -> Result<(), Trouble> {
        let before = self.state.attempt().map(|attempt| attempt.before.clone());
        let Some(before) = before.filter(|_| !self.state.facts.theirs.is_empty()) else { return Ok(()) };
        let since = self.differences(&before, after)?;
        let theirs = &self.state.facts.theirs;
        let is_left = |path: &RelPath| !since.iter().any(|change| change.path == *path);
        // Tests that stand there are judged whoever wrote them.
        changed.retain(|c| c.class == FileClass::Test || !theirs.contains(&c.path) || !is_left(&c.path));
        Ok(())
    }

    /// Of what lies in the tree when the baseline is refused: the commands run again, as they do for one that holds.
    /// What they don't write again is told as somebody else's and stays.
    pub(super) async fn whose_of_refused(&mut self, trouble: &Trouble) -> Result<Whose, Trouble> {
        const LABEL: &str = "seen-baseline";
        // Nobody waits much longer for a refusal, and where the system fails nothing is to be learned.
        let is_of_tests = matches!(self.state.phase, Phase::Baselining) && trouble.obstacle.is_none();
        if !is_of_tests || self.at_work_ms() > LONGEST_MS {
            return Ok(Whose::Unknown);
        }
        let mut found = Found::default();
        self.find_beside_tests(LABEL, &mut found)?;
        let known = self.files_of_zero()?;
        let written = written_beside_tests(&mut self.ports.protection, &self.policy, &known)?;
        let events = self.learn_whose(&found, &mut written.into_iter().collect(), LABEL).await?;
        self.record(&events)?;
        Ok(Whose::Told)
    }

    /// A run that is refused before its first child leaves nothing; what is told of it if a person may have
    /// made some of what was there.
    pub(super) fn put_back_refused(&mut self, zero: &CheckpointId, whose: Whose) -> Result<(), Trouble> {
        let now = self.ports.checkpoints.take("refused")?;
        let left = self.ports.checkpoints.diff(zero, &now)?.into_iter().map(|change| change.path);
        let known: BTreeSet<RelPath> = self.ports.checkpoints.files(zero)?.into_iter().collect();
        let (policy, theirs) = (&self.policy, &self.state.facts.theirs);
        let is_next = |path: &RelPath| policy.is_requirement(path) && !known.contains(path);
        let is_ours = |path: &RelPath| !theirs.contains(path) && !is_next(path) && !is_editors(path);
        let left: Vec<RelPath> = left.filter(is_ours).collect();
        let is_asked =
            |path: &&RelPath| whose == Whose::Unknown && policy.classify(path) != FileClass::ByProduct;
        let paths: Vec<RelPath> = left.iter().filter(is_asked).cloned().collect();
        let held = self.hold_unknown(paths.clone(), &now);
        self.ports.checkpoints.restore(zero, &left)?;
        if paths.is_empty() {
            return held;
        }
        self.audience.news(&News::Note(format!(
            "as before the run again: {}; what lay there, perhaps of yours, is kept as {now}",
            listed(paths.iter()).join(", ")
        )));
        held
    }
}
