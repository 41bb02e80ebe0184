//! The operator edited tests on purpose: the unfinished criteria are checked for RED again, on the
//! tree as it is now (contract section 11).

use std::collections::BTreeSet;

use crate::core::criterion::CriterionId;
use crate::core::event::Event;
use crate::core::evidence::evidence;
use crate::core::finding::{ChangeKind, RedFindings};
use crate::core::greens::GreensChange;
use crate::core::mapping::Mapping;
use crate::core::path::RelPath;
use crate::core::policy::FileClass;
use crate::core::state::Progress;
use crate::core::test::TestId;
use crate::core::trouble::Trouble;
use crate::core::weigh;
use crate::driver::drive::Drive;
use crate::driver::ports::{Checkpoints, TestOrder, World};
use crate::driver::stock::Production;

use super::{Work, run_ref};

impl<W: World> Drive<'_, W> {
    pub(in crate::driver) async fn recheck(&mut self) -> Result<Vec<Event>, Trouble> {
        let checkpoint = self.ports.checkpoints.take("edited")?;
        let mut findings = RedFindings::default();
        if self.state.red.is_some() {
            self.check_edited(&checkpoint, &mut findings).await?;
        }
        let seen = self.see_tree()?;
        Ok(vec![seen, Event::Rechecked { findings: Box::new(findings), checkpoint }])
    }

    async fn check_edited(
        &mut self,
        checkpoint: &crate::core::attempt::CheckpointId,
        findings: &mut RedFindings,
    ) -> Result<(), Trouble> {
        let zero = self.state.start.clone().ok_or_else(|| Trouble::internal("a run without checkpoint 0"))?;
        let changed = self.differences(&zero, checkpoint)?;
        let work = Work {
            base: zero,
            after: checkpoint.clone(),
            changed,
            forbidden: Vec::new(),
            touched: Vec::new(),
            production: Production::default(),
            restamped: Vec::new(),
            events: Vec::new(),
        };
        let unfinished = self.unfinished();
        findings.mapping = self.mapping_of_edited(&work);
        let mut book = self.read_sources(&work, &findings.mapping.clone())?;
        let accepted: Vec<CriterionId> = self.of_progress(&[Progress::Accepted]);
        let order = TestOrder {
            label: "RED of edited tests".to_owned(),
            leave_out: findings.mapping.left_out(&accepted),
            told_apart: findings.mapping.owned.values().flat_map(|owned| owned.files.clone()).collect(),
            ..TestOrder::default()
        };
        let first = self.run_tests(&order).await?;
        let second = self.run_tests(&order).await?;
        findings.runs = [&first, &second].map(|run| run_ref(run, &self.setup.mask)).to_vec();
        findings.no_evidence = evidence(&first).err().or(evidence(&second).err());
        let (Some(one), Some(two)) = (&first.report, &second.report) else {
            findings.no_evidence.get_or_insert_with(|| "the runner can't be read test by test".to_owned());
            return Ok(());
        };
        book.existing = self.find_existing(&work.base, one)?;
        let reds = self.reds(&findings.mapping, (one, Some(two)), &book);
        findings.criteria = reds.into_iter().filter(|criterion| unfinished.contains(&criterion.id)).collect();
        let lost: BTreeSet<TestId> = weigh::lost(&self.state.greens, one).into_iter().collect();
        let still = weigh::lost(&self.state.greens, two);
        findings.broken = still.into_iter().filter(|id| lost.contains(id)).collect();
        let open: BTreeSet<&TestId> =
            findings.criteria.iter().flat_map(|c| &c.tests).map(|test| &test.id).collect();
        let greens = weigh::greens(one);
        findings.greens =
            GreensChange::between(&self.state.greens, greens.iter().filter(|id| !open.contains(id)));
        Ok(())
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
        let candidates: Vec<RelPath> = work
            .changed
            .iter()
            .filter(|change| change.class == FileClass::Test && change.kind != ChangeKind::Deleted)
            .map(|change| change.path.clone())
            .collect();
        let tests = std::collections::BTreeMap::new();
        let project = &self.state.run.project;
        let mut mapping = Mapping::assign(&self.named(), &candidates, &tests, project);
        for (id, owned) in self.mapping().owned {
            mapping.owned.entry(id).or_default().ids.extend(owned.ids);
        }
        mapping
    }
}
