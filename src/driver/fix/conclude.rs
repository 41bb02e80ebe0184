//! After a measurement: take back what is worse, and tell how it ended.

use std::collections::BTreeSet;

use crate::text::fix_report::{self, FixFacts, How};
use crate::text::object::Content;
use tdd_core::attempt::{CheckpointId, Digest};
use tdd_core::effect::RollBack;
use tdd_core::event::Event;
use tdd_core::finding::{ChangeKind, ClassedChange};
use tdd_core::fix::FixHalt;
use tdd_core::halt::Ending;
use tdd_core::machine::Machine;
use tdd_core::path::RelPath;
use tdd_core::policy::tooling::is_editors;
use tdd_core::ports::{Checkpoints, Checks, Journal, World};
use tdd_core::trouble::Trouble;

use super::FixDrive;
use crate::driver::drive::Carry;
use crate::driver::unclaimed::{beside_named, stands_out};
use crate::driver::whose::{self, hold_theirs, listed};

impl<W: World, C: Checks> FixDrive<'_, W, C> {
    pub(super) fn take_back(&mut self, to: &CheckpointId) -> Result<Vec<Event>, Trouble> {
        let label = format!("failed-fixer-{}", self.state.forks());
        let kept_as = self.ports.checkpoints.take(&label)?;
        let taken: Vec<RelPath> =
            self.diff().differences(to, &kept_as)?.into_iter().map(|change| change.path).collect();
        let held = self.hold_unclaimed(&kept_as, &taken)?;
        self.record(&held)?;
        self.diff().go_back(to, &kept_as)?;
        Ok(vec![Event::WorkRolledBack { to: to.clone(), extent: RollBack::Everything, kept_as }])
    }

    /// Of what is taken back with an attempt, a file that the fixer does not name may be a person's, written
    /// meanwhile: no fence tells the two apart. It is named, and `clean` asks before it goes.
    pub(super) fn hold_unclaimed(
        &mut self,
        kept: &CheckpointId,
        taken: &[RelPath],
    ) -> Result<Vec<Event>, Trouble> {
        let outcome = self.state.rounds.last().and_then(|round| round.outcome.as_ref());
        let claimed = outcome.and_then(|outcome| outcome.claim.as_ref().ok()).map(|claim| &claim.files);
        let project = &self.state.run.project;
        let is_claimed = |path: &RelPath| {
            claimed.is_some_and(|files| files.iter().any(|named| path.is_meant_by(named, project)))
        };
        let unclaimed: Vec<RelPath> = taken
            .iter()
            .filter(|path| !is_claimed(path) && !self.own.written.contains(path))
            .cloned()
            .collect();
        if unclaimed.is_empty() {
            return Ok(Vec::new());
        }
        hold_theirs(&mut self.ports.checkpoints, kept)?;
        let what = format!(
            "taken back, though no fixer names it: {}; what lay there is kept as {kept}: \
             git restore --source={kept} -- :/FILE",
            listed(unclaimed.iter()).join(", ")
        );
        Ok(vec![Event::Restored { what: vec![what] }, whose::unsure(unclaimed, kept)])
    }

    pub(super) fn halt(&mut self, why: FixHalt) -> Result<Vec<Event>, Trouble> {
        let report = self.keep("halt", How::Halted(why))?;
        Ok(vec![Event::Halted { report }])
    }

    pub(super) fn finish(&mut self) -> Result<Vec<Event>, Trouble> {
        self.keep("summary", How::Fixed)?;
        Ok(vec![Event::Finished { ending: Ending::Verified }])
    }

    fn keep(&mut self, name: &str, how: How) -> Result<Digest, Trouble> {
        self.ports.checkpoints.write_labels()?;
        let facts = self.facts()?;
        let text = (self.setup.mask)(&fix_report::text(&self.state, how, &facts));
        let report = Content::Fix(Box::new(fix_report::object(&self.state, how, &facts)));
        let json = (self.setup.mask)(&report.kept(how.exit().code()));
        self.ports.journal.keep(&format!("{name}.txt"), text.as_bytes())?;
        self.ports.journal.keep(&format!("{name}.json"), json.as_bytes())?;
        self.ports.journal.store(text.as_bytes())
    }

    fn facts(&mut self) -> Result<FixFacts, Trouble> {
        let start = self.state.rounds.first().and_then(|round| round.findings.as_ref());
        let (start, best) =
            (start.map(|start| start.tree.clone()), self.state.best().map(|b| b.tree.clone()));
        let changed = match (&start, &best) {
            (Some(start), Some(best)) => self.diff().differences(start, best)?,
            (Some(_) | None, _) => Vec::new(),
        };
        let mut emptied = Vec::new();
        if let (Some(start), Some(best)) = (&start, &best) {
            for change in changed.iter().filter(|change| change.kind == ChangeKind::Modified) {
                let is_blank = |text: Option<String>| text.is_none_or(|text| text.trim().is_empty());
                let now = is_blank(self.diff().source(best, &change.path)?);
                if now && !is_blank(self.diff().source(start, &change.path)?) {
                    emptied.push(change.path.clone());
                }
            }
        }
        let outcome = self.state.rounds.last().and_then(|round| round.outcome.as_ref());
        let said = match outcome.and_then(|outcome| outcome.message.clone()) {
            Some(digest) => String::from_utf8_lossy(&self.ports.journal.fetch(&digest)?).into_owned(),
            None => (self.setup.mask)(&self.tail),
        };
        Ok(FixFacts {
            run_dir: self.setup.run_dir.clone(),
            isolation: self.setup.isolation.to_string(),
            again: self.goes_on(&self.setup.resume_with),
            unclaimed: self.unclaimed_by_all(&changed),
            changed,
            emptied,
            said,
        })
    }

    /// Of all that a run changed, what no block of its fixers names, though they name some.
    fn unclaimed_by_all(&self, changed: &[ClassedChange]) -> BTreeSet<RelPath> {
        let outcomes = self.state.rounds.iter().filter_map(|round| round.outcome.as_ref());
        let claims = outcomes.filter_map(|outcome| outcome.claim.as_ref().ok());
        let is_asked = |change: &&ClassedChange| {
            stands_out(change)
                && !self.policy.is_data_of_tests(&change.path)
                && !is_editors(&change.path)
                && !self.own.written.contains(&change.path)
        };
        let asked = changed.iter().filter(is_asked).map(|change| &change.path);
        beside_named(asked, claims, &self.state.run.project)
    }
}
