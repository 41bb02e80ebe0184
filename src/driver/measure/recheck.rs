//! The operator edited files on purpose: unfinished criteria whose tests are not as they were in the
//! last good tree are checked for RED again, on the tree as it is now (contract section 11). Whose
//! tests are as they were was seen RED before; code that was mended by hand may make them green.

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::attempt::CheckpointId;
use tdd_core::classify;
use tdd_core::criterion::{CriterionId, Verify};
use tdd_core::event::Event;
use tdd_core::evidence::evidence;
use tdd_core::finding::{CriterionRed, RedFindings, RunRef};
use tdd_core::greens::GreensChange;
use tdd_core::mapping::Mapping;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Checkpoints, TestOrder, World};
use tdd_core::state::{Phase, Progress};
use tdd_core::test::{TestId, TestReport};
use tdd_core::trouble::Trouble;

use super::Work;

impl<W: World> Drive<'_, W> {
    pub async fn recheck(&mut self) -> Result<Vec<Event>, Trouble> {
        let known = self.state.facts.tree.clone();
        let checkpoint = self.ports.checkpoints.take("edited")?;
        let mut findings = RedFindings::default();
        if self.state.red.is_some() {
            self.check_edited(&checkpoint, &mut findings).await?;
        }
        let stands = self.state.edit_faults(&findings).is_empty();
        let rechecked = self.state.edit_rechecked(findings, checkpoint.clone());
        // What does not stand stays a change that nobody has answered for.
        if !stands {
            return Ok(vec![rechecked]);
        }
        let edited = known.map(|known| self.gone_on_with(&known, &checkpoint)).transpose()?.flatten();
        Ok(edited.into_iter().chain([self.see_tree()?, rechecked]).collect())
    }

    /// A criterion that came to the requirement after RED, in an edit that did not stand or was gone on from.
    pub(in crate::driver) fn without_red(&self, id: &CriterionId) -> Trouble {
        let run = &self.state.run.run;
        Trouble::passing(format!("no test of {id} was seen failing"))
            .because("it came to the requirement after RED, and its work would be judged by nothing")
            .advise(format!(
                "write its test in a file that names it, or take it out of the requirement, then:\n  \
                 tdd resume {run} --edited\n\
                 or begin again with all criteria:\n  tdd resume {run} --abandon, then tdd {}",
                self.state.run.requirement.id
            ))
    }

    async fn check_edited(
        &mut self,
        checkpoint: &CheckpointId,
        findings: &mut RedFindings,
    ) -> Result<(), Trouble> {
        let work = self.work_since_start(checkpoint)?;
        let unfinished = self.unfinished();
        findings.mapping = self.mapping_of_edited(&work);
        let (edited, finished) = self.edited(&findings.mapping, checkpoint, &unfinished)?;
        findings.finished = finished;
        let mut book = self.read_sources(&work, &findings.mapping.clone())?;
        let accepted: Vec<CriterionId> = self.of_progress(&[Progress::Accepted]);
        let mut order = TestOrder {
            label: "RED of edited tests".to_owned(),
            without: findings.mapping.without(&accepted),
            told_apart: findings.mapping.owned.values().flat_map(|owned| owned.files.clone()).collect(),
            // Code that a child wrote may have been brought back and called the operator's own.
            canary: self.canary_like(None),
            ..TestOrder::default()
        };
        let mut first = self.run_tests(&order).await?;
        let mut mapping = std::mem::take(&mut findings.mapping);
        for owned in mapping.owned.values_mut() {
            owned.uncompiled.retain(|test| order.without.tests.contains(test));
        }
        let told =
            self.tell_uncompiled((&mut mapping, None), (&work, &mut book), (&mut first, &order)).await?;
        order.without.tests = mapping.uncompiled();
        findings.mapping = mapping;
        let mut second = self.run_tests(&order).await?;
        findings.runs = [&first, &second].map(|run| RunRef::of(run, &self.setup.mask)).to_vec();
        findings.no_evidence = evidence(&first).err().or(evidence(&second).err());
        if let Some(report) = &mut second.report {
            report.tests.extend(told);
        }
        let (Some(one), Some(two)) = (&first.report, &second.report) else {
            // Where nothing failed, tests that are as they were seen red need not be red again.
            let has_halted = matches!(self.state.phase, Phase::Rechecking { halt: Some(_), .. });
            if edited.is_empty() && findings.no_evidence.is_none() && !has_halted {
                return Ok(());
            }
            findings.no_evidence.get_or_insert_with(|| "the runner can't be read test by test".to_owned());
            return Ok(());
        };
        book.existing = self.find_existing(&work.base, one)?;
        let reds = self.reds(&findings.mapping, (one, Some(two)), &book);
        let reds: Vec<_> = reds.into_iter().filter(|criterion| unfinished.contains(&criterion.id)).collect();
        let greens = classify::greens(one);
        findings.by_hand = self.green_by_hand([one, two], &unfinished, &edited);
        let is_open = |id: &CriterionId| !findings.by_hand.contains(id);
        let open: BTreeSet<&TestId> = reds
            .iter()
            .filter(|criterion| is_open(&criterion.id))
            .flat_map(|criterion| &criterion.tests)
            .map(|test| &test.id)
            .collect();
        let lost: BTreeSet<TestId> = classify::lost(&self.state.greens, one).into_iter().collect();
        let still = classify::lost(&self.state.greens, two);
        findings.broken = still.into_iter().filter(|id| lost.contains(id)).collect();
        findings.greens =
            GreensChange::between(&self.state.greens, greens.iter().filter(|id| !open.contains(id)));
        findings.criteria = reds.into_iter().filter(|criterion| edited.contains(&criterion.id)).collect();
        self.leave_what_stayed(&mut findings.criteria, &book);
        Ok(())
    }

    /// Criteria whose own tests nobody has changed since they were seen red, and that all pass now, in both runs.
    /// A test whose file did not load may have had another name then (contract section 7).
    fn green_by_hand(
        &self,
        reports: [&TestReport; 2],
        unfinished: &[CriterionId],
        edited: &[CriterionId],
    ) -> Vec<CriterionId> {
        let red = self.state.red.iter().flat_map(|red| &red.criteria);
        let mapping = self.mapping();
        let passes = |red: &CriterionRed, report: &TestReport| {
            let own = classify::own(red, &mapping, report);
            let is_bare = own.failed.is_empty() && own.skipped.is_empty() && own.vanished.is_empty();
            is_bare && !own.passed.is_empty()
        };
        let is_whole =
            |red: &&CriterionRed| !red.tests.is_empty() && reports.iter().all(|report| passes(red, report));
        let is_open = |id: &CriterionId| unfinished.contains(id) && !edited.contains(id);
        let whole = red.filter(|red| is_open(&red.id) && self.state.verify(&red.id) == Verify::Test);
        whole.filter(is_whole).map(|red| red.id.clone()).collect()
    }

    /// Whose tests may say something else than when they were seen RED: those of `unfinished`, which
    /// can be checked again, and finished ones, which can't.
    fn edited(
        &mut self,
        mapping: &Mapping,
        checkpoint: &CheckpointId,
        unfinished: &[CriterionId],
    ) -> Result<(Vec<CriterionId>, Vec<CriterionId>), Trouble> {
        let (Some(good), Some(red)) = (self.state.good.clone(), self.state.red.clone()) else {
            return Ok((unfinished.to_vec(), Vec::new()));
        };
        let changed = self.differences(&good, checkpoint)?;
        let between = (&good, checkpoint);
        let inline = self.diff().production(between, &changed)?.weakened;
        let tests = changed.into_iter().filter(|change| change.class == FileClass::Test);
        let files: Vec<RelPath> = tests.map(|change| change.path).chain(inline).collect();
        let owns = |mapping: &Mapping, id: &CriterionId, file: &RelPath| {
            mapping.owned.get(id).is_some_and(|owned| owned.files.contains(file))
        };
        let is_whose =
            |id: &CriterionId, file: &RelPath| owns(&red.mapping, id, file) || owns(mapping, id, file);
        let has_edits = |id: &CriterionId| files.iter().any(|file| is_whose(id, file));
        // What belongs to no criterion, as a helper does, may matter to each.
        let matters_to_all = files.iter().any(|file| !self.named().iter().any(|id| is_whose(id, file)));
        let was_red = |id: &CriterionId| red.criteria.iter().any(|known| known.id == *id);
        let is_open = |id: &&CriterionId| matters_to_all || !was_red(id) || has_edits(id);
        let mut finished = self.of_progress(&[Progress::Green]);
        finished.retain(has_edits);
        Ok((unfinished.iter().filter(is_open).cloned().collect(), finished))
    }

    fn of_progress(&self, wanted: &[Progress]) -> Vec<CriterionId> {
        let has = |id: &&CriterionId| {
            self.state.progress.get(*id).is_some_and(|progress| wanted.contains(progress))
        };
        self.state.run.plan.criteria.iter().filter(has).cloned().collect()
    }

    fn unfinished(&self) -> Vec<CriterionId> {
        let open = self.of_progress(&[Progress::Pending, Progress::Red]);
        let covered = self.state.covered_by_red();
        open.into_iter().filter(|id| covered.contains(id)).collect()
    }

    /// By file name, over all test files that are not as they were at checkpoint 0; single tests
    /// that the test-writer assigned stay with their criteria.
    fn mapping_of_edited(&self, work: &Work) -> Mapping {
        let mut mapping = self.assigned(work, &BTreeMap::new());
        for (id, owned) in self.mapping().owned {
            mapping.owned.entry(id).or_default().ids.extend(owned.ids);
        }
        mapping
    }
}
