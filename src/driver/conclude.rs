//! After a verdict: keep the work, roll it back, halt, or finish.

use std::collections::BTreeSet;

use crate::exit::Exit;
use crate::text::object::Content;
use crate::text::{halt_report, summary};
use tdd_core::attempt::CheckpointId;
use tdd_core::effect::RollBack;
use tdd_core::event::Event;
use tdd_core::finding::ChangeKind;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::state::Phase;
use tdd_core::trouble::Trouble;

use super::cycle::Drive;
use super::work_diff::put_back_line;
use tdd_core::ports::{Checkpoints, Journal, World};

impl<W: World> Drive<'_, W> {
    /// What is kept is the tree that was measured, not the tree as our runs left it.
    pub(super) fn keep_work(&mut self) -> Result<Vec<Event>, Trouble> {
        let mut events = self.put_git_back()?;
        let (mut checkpoint, put_back) = self.discard_what_is_left("the test run")?;
        self.tell_unclaimed()?;
        let label = self.label("good");
        match put_back {
            Some(put_back) => {
                events.push(put_back);
                checkpoint = self.ports.checkpoints.take(&label)?;
            }
            // To look at the whole tree once more would tell the same.
            None => self.ports.checkpoints.label(&label, &checkpoint)?,
        }
        self.own.just_kept = Some(checkpoint.clone());
        events.push(Event::TreeSeen { tree: checkpoint.clone() });
        events.push(Event::WorkKept { checkpoint });
        Ok(events)
    }

    /// Verifying runs execute the child's code, and a tester may do anything: what they changed in the
    /// tree is put back, so that nothing comes into a checkpoint that no diff has seen. Gives the tree
    /// as it was found, too.
    pub(super) fn discard_what_is_left(
        &mut self,
        by: &str,
    ) -> Result<(CheckpointId, Option<Event>), Trouble> {
        let now = self.ports.checkpoints.take(&self.label("after-runs"))?;
        let Some(measured) = self.state.facts.tree.clone() else { return Ok((now, None)) };
        self.hold_left(&measured, &now)?;
        let put_back = self.diff().put_back_what_is_left((&measured, &now), by)?;
        Ok((now, put_back))
    }

    pub(super) fn roll_back(&mut self, to: &CheckpointId, extent: RollBack) -> Result<Vec<Event>, Trouble> {
        let mut events = self.put_git_back()?;
        events.extend(self.put_back_what_came_meanwhile(to)?);
        let kept_as = self.ports.checkpoints.take(&self.label("failed"))?;
        let mut back = self.differences(to, &kept_as)?;
        let mut units = BTreeSet::new();
        for change in back.iter().filter(|_| extent == RollBack::AllButTests) {
            if change.class == FileClass::Source && self.diff().changes_only_units((to, &kept_as), change)? {
                units.insert(change.path.clone());
            }
        }
        back.retain(|change| match extent {
            RollBack::Everything => true,
            RollBack::AllButTests => change.class != FileClass::Test && !units.contains(&change.path),
            RollBack::DeletedOnly => {
                change.kind == ChangeKind::Deleted
                    || matches!(change.class, FileClass::Test | FileClass::Gate)
            }
        });
        let held = self.hold_unclaimed(&back, (to, &kept_as))?;
        self.record(&held)?;
        match extent {
            RollBack::Everything => self.diff().go_back(to, &kept_as)?,
            RollBack::AllButTests | RollBack::DeletedOnly => {
                let back: Vec<RelPath> = back.into_iter().map(|change| change.path).collect();
                self.ports.checkpoints.restore(to, &back)?;
            }
        }
        events.push(self.see_tree()?);
        events.push(Event::WorkRolledBack { to: to.clone(), extent, kept_as });
        Ok(events)
    }

    /// What a failed attempt leaves for the next one, and what is kept as failed work, is what was measured: what
    /// came while tests ran is no role's. Where nothing was measured nobody can tell the two apart.
    fn put_back_what_came_meanwhile(&mut self, to: &CheckpointId) -> Result<Option<Event>, Trouble> {
        let Some(measured) = self.state.facts.tree.clone().filter(|_| self.state.stopped_at.is_some()) else {
            return Ok(None);
        };
        let now = self.ports.checkpoints.take(&self.label("after-runs"))?;
        if now == measured {
            return Ok(None);
        }
        let mut came: Vec<RelPath> =
            self.differences(&measured, &now)?.into_iter().map(|change| change.path).collect();
        // Of a way back that was cut off some files are there already.
        let back = self.differences(to, &now)?;
        came.retain(|path| back.iter().any(|change| change.path == *path));
        if came.is_empty() {
            return Ok(None);
        }
        self.hold_after_runs(&now, to, came.iter())?;
        self.ports.checkpoints.restore(&measured, &came)?;
        Ok(Some(put_back_line("the test run", &came, &now)))
    }

    /// Brings work that came without a block back into the tree. What lay there is kept by whoever
    /// resumed the run.
    pub(super) fn take_work(&mut self) -> Result<Vec<Event>, Trouble> {
        let Phase::Taking { attempt, tree } = &self.state.phase else {
            return Err(Trouble::internal("work was to be taken in a state that has none"));
        };
        let (key, number, judged) = (attempt.key.clone(), attempt.number, tree.clone());
        let found = self.ports.checkpoints.take("seen")?;
        self.diff().go_back(&judged, &found)?;
        let now = self.ports.checkpoints.take(&self.label("taken"))?;
        // Another id may stand for the same tree; only the very tree that was judged is taken as it was.
        let is_judged = now == judged || self.ports.checkpoints.diff(&judged, &now)?.is_empty();
        let tree = if is_judged { judged } else { now };
        Ok(vec![Event::TreeSeen { tree: tree.clone() }, Event::WorkTaken { key, number, tree }])
    }

    /// The tree as it is now, for a process that may have to go on with the run.
    pub(super) fn see_tree(&mut self) -> Result<Event, Trouble> {
        Ok(Event::TreeSeen { tree: self.ports.checkpoints.take("seen")? })
    }

    pub(super) fn halt(&mut self) -> Result<Vec<Event>, Trouble> {
        let Phase::Halting { halt } = &self.state.phase else {
            return Err(Trouble::internal("a halt was ordered in a state that has none"));
        };
        let halt = &halt.clone();
        self.ports.checkpoints.write_labels()?;
        let facts = self.halt_facts(halt)?;
        let text = (self.setup.mask)(&halt_report::text(&self.state, halt, &facts));
        let report = Content::HaltReport(Box::new(halt_report::object(&self.state, halt, &facts)));
        let json = (self.setup.mask)(&report.kept(Exit::Halted.code()));
        self.ports.journal.keep("halt.txt", text.as_bytes())?;
        self.ports.journal.keep("halt.json", json.as_bytes())?;
        let report = self.ports.journal.store(text.as_bytes())?;
        Ok(vec![Event::Halted { report }])
    }

    pub(super) fn finish(&mut self) -> Result<Vec<Event>, Trouble> {
        let Phase::Finishing { ending } = &self.state.phase else {
            return Err(Trouble::internal("an end was ordered in a state that has none"));
        };
        let ending = *ending;
        self.ports.checkpoints.write_labels()?;
        let facts = self.summary_facts()?;
        let text = (self.setup.mask)(&summary::text(&self.state, ending, &facts));
        let report = Content::Summary(Box::new(summary::json::summary(&self.state, ending, &facts)));
        let json = (self.setup.mask)(&report.kept(Exit::of_ending(ending).code()));
        if let Some(paths) = summary::commit_paths(&facts) {
            self.ports.journal.keep(summary::COMMIT_PATHS, paths.as_bytes())?;
        }
        self.ports.journal.keep("summary.txt", text.as_bytes())?;
        self.ports.journal.keep("summary.json", json.as_bytes())?;
        Ok(vec![Event::Finished { ending }])
    }
}
