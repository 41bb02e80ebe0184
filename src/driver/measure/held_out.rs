//! Work is judged by tests that no role has seen, in a checkout beside the work tree: whatever becomes of us, they
//! are never in the tree while a role may come again.

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::attempt::CheckpointId;
use tdd_core::audience::News;
use tdd_core::criterion::CriterionId;
use tdd_core::evidence::evidence;
use tdd_core::finding::RedKind;
use tdd_core::path::RelPath;
use tdd_core::ports::{Bench, Bring, CanaryWish, TestOrder, Tests, World};
use tdd_core::test::{Outcome, TestId, TestReport, TestRun};
use tdd_core::trouble::{Obstacle, Trouble, TroubleKind};

/// Results of hidden tests of one criterion.
pub(crate) struct HiddenResults {
    passed: Vec<TestId>,
    /// As many as were hidden, all passed.
    pub(crate) is_green: bool,
}

impl HiddenResults {
    pub(crate) fn passed(self) -> Vec<TestId> {
        self.passed
    }
}

impl<W: World> Drive<'_, W> {
    /// Criteria whose hidden tests are red on this tree, twice. `passed` are shown tests that are green on it.
    pub(super) async fn held_out_red(
        &mut self,
        tree: &CheckpointId,
        passed: &[TestId],
    ) -> Result<Vec<CriterionId>, Trouble> {
        let due = self.state.held_out_due();
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let judged = self.judge_in_checkout(&due, tree, passed).await;
        self.ports.tests.work_in(None);
        self.ports.bench.close();
        let why = match judged {
            Ok(Some(red)) => return Ok(red),
            Ok(None) => "the shown ones do not pass there".to_owned(),
            Err(trouble)
                if trouble.kind == TroubleKind::Environment
                    && !trouble.obstacle.is_some_and(Obstacle::passes) =>
            {
                (self.setup.mask)(&trouble.what)
            }
            Err(trouble) => return Err(trouble),
        };
        let text =
            format!("held-out tests can't be judged in a checkout, so they are at the end alone: {why}");
        self.audience.news(&News::Note(text));
        Ok(Vec::new())
    }

    /// `None` where nothing can be told, because what passes in the work tree does not in a checkout.
    async fn judge_in_checkout(
        &mut self,
        due: &[CriterionId],
        tree: &CheckpointId,
        passed: &[TestId],
    ) -> Result<Option<Vec<CriterionId>>, Trouble> {
        let held = self.held()?;
        let files = self.whole_files(&held)?;
        let mapping = self.state.mapping_with_hidden();
        let owned: Vec<_> = due.iter().filter_map(|id| mapping.of(id)).collect();
        let only_files: Vec<RelPath> = owned.iter().flat_map(|owned| owned.files.clone()).collect();
        let order = TestOrder {
            label: "held-out tests".to_owned(),
            leave_out: mapping.left_out(&self.unreached(None)),
            told_apart: only_files.clone(),
            only_files,
            canary: CanaryWish::None,
            ..TestOrder::default()
        };
        let shown: BTreeSet<TestId> = self.state.greens.iter().chain(passed).cloned().collect();
        for bring in [Bring::Dependencies, Bring::Before, Bring::Everything] {
            self.check_out(tree, bring)?;
            self.ports.bench.put(&files)?;
            let run = self.run_unseen(&order).await?;
            let Some(report) = run.report.as_ref().filter(|_| evidence(&run).is_ok()) else { continue };
            if !self.shown_pass(due, report, &shown) {
                continue;
            }
            let mut red = self.red_among(due, report, &shown);
            if !red.is_empty() {
                let again = self.run_unseen(&order).await?;
                if let Some(report) = again.report.as_ref().filter(|_| evidence(&again).is_ok()) {
                    red = self.red_among(&red, report, &shown);
                }
            }
            return Ok(Some(red));
        }
        Ok(None)
    }

    fn red_among(
        &self,
        due: &[CriterionId],
        report: &TestReport,
        shown: &BTreeSet<TestId>,
    ) -> Vec<CriterionId> {
        let is_red = |id: &&CriterionId| !self.hidden_results(id, report, shown).is_green;
        due.iter().filter(is_red).cloned().collect()
    }

    /// Whether the criteria's shown tests, which pass in the work tree, pass here, too.
    fn shown_pass(&self, due: &[CriterionId], report: &TestReport, shown: &BTreeSet<TestId>) -> bool {
        let mapping = self.state.mapping_with_hidden();
        due.iter().all(|id| {
            let mut own =
                mapping.results(id, report).into_iter().filter(|test| shown.contains(&test.id)).peekable();
            own.peek().is_some() && own.all(|test| test.outcome == Outcome::Passed)
        })
    }

    pub(crate) fn hidden_results(
        &self,
        id: &CriterionId,
        report: &TestReport,
        shown: &BTreeSet<TestId>,
    ) -> HiddenResults {
        let mapping = self.state.mapping_with_hidden();
        let results = mapping.results(id, report);
        let hidden: Vec<_> = results.into_iter().filter(|test| !shown.contains(&test.id)).collect();
        let wanted = self.state.held.iter().flat_map(|held| &held.red).filter(|red| red.id == *id);
        let wanted: usize = wanted.map(|red| red.tests.len()).sum();
        let passed: Vec<TestId> = hidden
            .iter()
            .filter(|test| test.outcome == Outcome::Passed)
            .map(|test| test.id.clone())
            .collect();
        let loads = |file: &RelPath| report.load_failures.iter().all(|load| load.file != *file);
        let all_load = mapping.of(id).is_some_and(|owned| owned.files.iter().all(loads));
        let is_green = all_load && hidden.len() >= wanted && passed.len() == hidden.len();
        HiddenResults { passed, is_green }
    }

    /// A run of which nobody is told more than its label: its command names what is hidden.
    pub(crate) async fn run_unseen(&mut self, order: &TestOrder) -> Result<TestRun, Trouble> {
        let is_whole = order.only_files.is_empty() && order.only_ids.is_empty();
        let counted = if is_whole { &mut self.runs.whole } else { &mut self.runs.narrowed };
        *counted = counted.saturating_add(1);
        let audience = &mut *self.audience;
        let tell = &mut |news| {
            if let News::Running { what, .. } = news {
                let command = "the test command".to_owned();
                audience.news(&News::Running { what, command });
            }
        };
        self.ports.tests.run(order, tell).await
    }

    /// How each test of the criteria fails in this run of the tree on which RED was accepted, or a part of it.
    pub(crate) fn kinds(
        &mut self,
        whole: &CheckpointId,
        report: &TestReport,
    ) -> Result<BTreeMap<TestId, RedKind>, Trouble> {
        let work = self.work_since_start(whole)?;
        let mapping = self.mapping();
        let mut book = self.read_sources(&work, &mapping)?;
        book.existing = self.find_existing(&work.base, report)?;
        book.absent_too = self.find_absent_too(&work, report)?;
        book.nowhere = self.find_nowhere(&work, report)?;
        let reds = self.reds(&mapping, (report, None), &book);
        Ok(reds.into_iter().flat_map(|red| red.tests).map(|test| (test.id, test.kind)).collect())
    }
}
