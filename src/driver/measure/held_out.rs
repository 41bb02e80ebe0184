//! Work is judged by tests that no role has seen, in a checkout beside the work tree: whatever becomes of us, they
//! are never in the tree while a role may come again.

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::attempt::CheckpointId;
use tdd_core::audience::{Audience, News};
use tdd_core::criterion::CriterionId;
use tdd_core::evidence::evidence;
use tdd_core::finding::{CriterionRed, RedKind};
use tdd_core::held_out::{HeldOut, Where};
use tdd_core::mapping::Without;
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
        let due = self.judged_by_what_is_hidden()?;
        if due.is_empty() {
            return Ok(Vec::new());
        }
        let judged = self.judge_in_checkout(&due, tree, passed).await;
        let why = match self.left_checkout(judged)? {
            Ok(Some(red)) => return Ok(red),
            Ok(None) => "the shown ones do not pass there".to_owned(),
            Err(why) => why,
        };
        let text =
            format!("held-out tests can't be judged in a checkout, so they are at the end alone: {why}");
        self.audience.news(&News::Note(text));
        Ok(Vec::new())
    }

    /// What a person has changed since is theirs: it judges as it lies in the tree, and so do the tests beside it.
    fn judged_by_what_is_hidden(&mut self) -> Result<Vec<CriterionId>, Trouble> {
        let mut due = self.state.held_out_due();
        if due.is_empty() {
            return Ok(due);
        }
        let held = self.held()?;
        let edited = self.edited_meanwhile_in(&held, self.state.good.clone())?;
        let is_edited = |red: &&CriterionRed| red.files.iter().any(|file| edited.contains(file));
        let theirs: Vec<&CriterionId> = held.red.iter().filter(is_edited).map(|red| &red.id).collect();
        due.retain(|id| !theirs.contains(&id));
        Ok(due)
    }

    /// Back in the work tree. What keeps us from a checkout is no fault of the work: then there is but a word why.
    fn left_checkout<T>(&mut self, made: Result<T, Trouble>) -> Result<Result<T, String>, Trouble> {
        self.ports.tests.work_in(None);
        self.ports.bench.close();
        match made {
            Ok(made) => Ok(Ok(made)),
            Err(trouble)
                if trouble.kind == TroubleKind::Environment
                    && !trouble.obstacle.is_some_and(Obstacle::passes) =>
            {
                Ok(Err((self.setup.mask)(&trouble.what)))
            }
            Err(trouble) => Err(trouble),
        }
    }

    /// Whether a gate that is red in this tree is so only because tests are hidden that use a helper, cover code or
    /// need an import: it is green in a checkout that has them.
    pub(in crate::driver) async fn gate_misses_what_is_hidden(
        &mut self,
        tree: &CheckpointId,
        label: &str,
    ) -> Result<bool, Trouble> {
        let is_out = |held: &&HeldOut| held.place == Where::Out && held.hides();
        let Some(held) = self.state.held.as_deref().filter(is_out).cloned() else { return Ok(false) };
        let made = self.try_gate_with_hidden(tree, &held, label).await;
        let is_green = self.left_checkout(made)?.unwrap_or(false);
        if is_green {
            let text = "the gate is red without the held-out tests, and green in a checkout that has them: it counts as \
                        green";
            self.audience.news(&News::Note(text.to_owned()));
        }
        Ok(is_green)
    }

    async fn try_gate_with_hidden(
        &mut self,
        tree: &CheckpointId,
        held: &HeldOut,
        label: &str,
    ) -> Result<bool, Trouble> {
        let back = self.whole_files(held)?;
        let leave_out = self.state.mapping_with_hidden().without(&self.unreached(None));
        for bring in [Bring::Before, Bring::Everything] {
            self.check_out(tree, bring)?;
            // Where it is green without them, too, it looks at less in a checkout, and nothing is known.
            let without = self.run_gate_unseen(&format!("{label}, in a checkout"), &leave_out).await?;
            if without.exit.is_success() {
                return Ok(false);
            }
            self.ports.bench.put(&back)?;
            let with = self.run_gate_unseen(&format!("{label}, with the held-out tests"), &leave_out).await?;
            if with.exit.is_success() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    async fn run_gate_unseen(&mut self, label: &str, without: &Without) -> Result<TestRun, Trouble> {
        self.runs.gate = self.runs.gate.saturating_add(1);
        let audience = &mut *self.audience;
        let tell = &mut |news| without_its_command(&mut *audience, news, "the gate");
        self.ports.tests.run_gate(label, without, tell).await
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
            without: mapping.without(&self.unreached(None)),
            told_apart: only_files.clone(),
            only_files,
            canary: CanaryWish::None,
            ..TestOrder::default()
        };
        // A runner may ask something of the whole that a part can't give, such as a coverage; the canary has it
        // exit as where tests fail, whatever it thinks of that.
        let canary = CanaryWish::Beside(order.only_files.clone());
        let whole = TestOrder { only_files: Vec::new(), canary, ..order.clone() };
        let shown: BTreeSet<TestId> = self.state.greens.iter().chain(passed).cloned().collect();
        for bring in [Bring::Dependencies, Bring::Before, Bring::Everything] {
            self.check_out(tree, bring)?;
            self.ports.bench.put(&files)?;
            let alone = self.red_in(&order, due, &shown).await?;
            match &alone {
                Some(red) if red.is_empty() => return Ok(alone),
                Some(_) | None => {}
            }
            // Some pass only where others ran before them, as they do in the whole.
            let asked = alone.clone().unwrap_or_else(|| due.to_vec());
            if let Some(red) = self.red_in(&whole, &asked, &shown).await?.or(alone) {
                return Ok(Some(red));
            }
        }
        Ok(None)
    }

    /// Which of these criteria are red there; `None` where such a run is no evidence of that.
    async fn red_in(
        &mut self,
        order: &TestOrder,
        due: &[CriterionId],
        shown: &BTreeSet<TestId>,
    ) -> Result<Option<Vec<CriterionId>>, Trouble> {
        let run = self.run_unseen(order).await?;
        let report = run.report.as_ref().filter(|_| evidence(&run).is_ok());
        let report = report.filter(|report| self.shown_pass(due, report, shown));
        Ok(report.map(|report| self.red_among(due, report, shown)))
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
        let reds = self.state.held.iter().flat_map(|held| &held.red).filter(|red| red.id == *id);
        let known: BTreeSet<&TestId> = reds.flat_map(|red| &red.tests).map(|test| &test.id).collect();
        // A person may have put them back into the tree: they are shown, then, and hidden ones all the same.
        let is_hidden = |test: &TestId| !shown.contains(test) || known.contains(test);
        let hidden: Vec<_> = results.into_iter().filter(|test| is_hidden(&test.id)).collect();
        let wanted = known.len();
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
        let tell = &mut |news| without_its_command(&mut *audience, news, "the test command");
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

fn without_its_command(audience: &mut dyn Audience, news: News, command: &str) {
    if let News::Running { what, .. } = news {
        audience.news(&News::Running { what, command: command.to_owned() });
    }
}
