//! GREEN: the criterion's own tests pass, nothing that was green is red, no rule was broken.

use std::collections::BTreeSet;

use crate::driver::cycle::Drive;
use tdd_core::attempt::CheckpointId;
use tdd_core::classify;
use tdd_core::criterion::{CriterionId, Verify};
use tdd_core::event::{Event, Refactoring, Regression};
use tdd_core::evidence::evidence;
use tdd_core::finding::{CriterionRed, Findings, GreenFindings, GreenJudge, Judged, Notice, RunRef};
use tdd_core::greens::GreensChange;
use tdd_core::mapping::{Mapping, Without};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{CanaryWish, TestOrder, World};
use tdd_core::role::Key;
use tdd_core::state::Progress;
use tdd_core::test::{TestId, TestReport, TestRun};
use tdd_core::trouble::Trouble;

use super::{Passes, Work, facts};

/// Below this baseline the tests of others are run with every attempt (contract section 7).
const QUICK_BASELINE_MS: u64 = 60_000;

/// What one verifying run of a criterion has to look at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// Everything but the files of criteria not yet reached.
    All,
    /// The criterion's own tests first; the rest only if they pass.
    OwnThenAll,
    OwnOnly,
}

impl<W: World> Drive<'_, W> {
    pub(super) async fn measure_green(&mut self, key: &Key, id: &CriterionId) -> Result<Vec<Event>, Trouble> {
        let mut work = self.diff_work(key)?;
        let mut findings = GreenFindings {
            changed: work.changed.clone(),
            forbidden: work.forbidden.clone(),
            weakened: work.production.weakened.clone(),
            test_aware: work.production.test_aware.clone(),
            notices: work.production.notices.clone(),
            ..GreenFindings::default()
        };
        findings.notices.extend(self.unseen(&work)?);
        let (aware, told) = self.newly_reassigned(&work.after, &work.changed)?;
        findings.test_aware.extend(aware);
        findings.notices.extend(told);
        let mut events = std::mem::take(&mut work.events);
        let red = self.red_of(id);
        findings.judged_by = if red.is_some() { GreenJudge::OwnTests } else { GreenJudge::TheRest };
        let run = self.run_green((id, &work.after), red.as_ref(), &mut findings).await?;
        if let Some(run) = &run {
            findings.loaded = self.newly_loaded(run, &work.changed, &work.after)?;
            findings.test_aware.extend(self.newly_hiding(run, &work.changed)?);
        }
        if self.state.verify(id) == Verify::Gate {
            let without = self.mapping().without(&self.unreached(Some(id)));
            let label = format!("gate for {id}");
            let gate = self.run_gate(&label, &without).await?;
            findings.gate_red =
                !gate.exit.is_success() && !self.gate_misses_what_is_hidden(&work.after, &label).await?;
            findings.runs.push(RunRef::of(&gate, &self.setup.mask));
        }
        let passes =
            findings.failed.is_empty() && findings.vanished.is_empty() && findings.no_evidence.is_none();
        self.touched_by_runs(&mut work, if passes { Passes::Yes } else { Passes::No })?;
        findings.touched = work.touched.clone();
        if passes && findings.skipped.is_empty() && !self.own.judges_again {
            findings.held_out = self.held_out_red(&work.after, &findings.passed).await?;
        }
        let unchanged = match self.state.good.clone().filter(|good| *good != work.base) {
            Some(good) => self.differences(&good, &work.after)?.is_empty(),
            None => work.changed.is_empty(),
        };
        if unchanged && self.state.verify(id) == Verify::Gate {
            findings.notices.push(Notice::UnchangedForGate(id.clone()));
        }
        findings.early_green =
            unchanged && passes && findings.skipped.is_empty() && !findings.passed.is_empty();
        events.extend(corpus_facts(&findings, &work, run.as_ref()));
        events.push(self.state.attempt_measured(Findings::Green(findings)));
        Ok(events)
    }

    fn red_of(&self, id: &CriterionId) -> Option<CriterionRed> {
        self.state.red.as_ref()?.criteria.iter().find(|criterion| criterion.id == *id).cloned()
    }

    pub fn mapping(&self) -> Mapping {
        self.state.red.as_ref().map(|red| red.mapping.clone()).unwrap_or_default()
    }

    async fn run_green(
        &mut self,
        (id, tree): (&CriterionId, &CheckpointId),
        red: Option<&CriterionRed>,
        findings: &mut GreenFindings,
    ) -> Result<Option<TestRun>, Trouble> {
        let without = self.mapping().without(&self.unreached(Some(id)));
        let label = format!("GREEN {id}");
        let canary = self.canary_of_green(red, &without);
        let told_apart = red.map(|red| red.files.clone()).unwrap_or_default();
        let all = TestOrder { label: label.clone(), without, told_apart, canary, ..TestOrder::default() };
        if red.is_none()
            && let Some((judged, run)) = self.judged_already(tree, &all)?
        {
            findings.runs.push(run);
            findings.collected_before = self.collected_without(&all);
            findings.collected_now = judged.collected;
            findings.judged_at = Some(judged.tree);
            return Ok(None);
        }
        let scope = if red.is_some() { self.scope() } else { Scope::All };
        let first = match (scope, red) {
            (Scope::OwnThenAll | Scope::OwnOnly, Some(red)) => {
                let ids = self.mapping().of(id).map(|owned| owned.ids.clone()).unwrap_or_default();
                TestOrder { only_files: red.files.clone(), only_ids: ids, ..all.clone() }
            }
            (Scope::All, _) | (_, None) => all.clone(),
        };
        let narrowed = first != all;
        let mut run = self.run_tests(&first).await?;
        self.classify_own(&run, red, findings);
        if let (Some(report), Some(red)) = (&run.report, red) {
            findings.failed.extend(self.unbuilt_with_all(report, red, tree)?);
        }
        if !narrowed {
            self.classify_rest(&run, (&all, tree), findings).await?;
        } else if scope == Scope::OwnThenAll && findings.failed.is_empty() && findings.vanished.is_empty() {
            run = self.run_tests(&TestOrder { label: format!("regression {id}"), ..all.clone() }).await?;
            self.classify_own(&run, red, findings);
            self.classify_rest(&run, (&all, tree), findings).await?;
        } else {
            let known = &self.state.greens;
            findings.greens = GreensChange::between(known, known.iter().chain(&findings.passed));
        }
        if let Some(red) = red {
            self.show_only_own(&run, (red, &all), findings).await?;
        }
        Ok(Some(run))
    }

    /// A retry is shown what the criterion's tests print, and those that regressed, and nothing of
    /// others (contract section 9). They are run once more for it where the run that judges held more;
    /// where they do not fail without the others, it is shown after all.
    async fn show_only_own(
        &mut self,
        run: &TestRun,
        (red, all): (&CriterionRed, &TestOrder),
        findings: &mut GreenFindings,
    ) -> Result<(), Trouble> {
        let Some(report) = run.report.as_ref().filter(|_| !red.files.is_empty()) else { return Ok(()) };
        let own = [&findings.passed, &findings.failed, &findings.skipped, &findings.regressed];
        let own: BTreeSet<&TestId> = own.into_iter().flatten().collect();
        let failing = [&findings.failed, &findings.skipped, &findings.vanished, &findings.regressed];
        let failing: Vec<TestId> = failing.into_iter().flatten().cloned().collect();
        if failing.is_empty() || report.tests.iter().all(|test| own.contains(&test.id)) {
            return Ok(());
        }
        let mut ids = self.mapping().of(&red.id).map(|owned| owned.ids.clone()).unwrap_or_default();
        ids.extend(findings.regressed.iter().cloned());
        let order = TestOrder {
            label: format!("{}, for the retry", all.label),
            only_files: red.files.clone(),
            only_ids: ids,
            canary: CanaryWish::None,
            ..all.clone()
        };
        let shown = self.run_tests(&order).await?;
        let still = shown.report.as_ref().is_none_or(|report| !classify::lost(&failing, report).is_empty());
        if still {
            findings.runs.push(RunRef { in_place: true, ..RunRef::of(&shown, &self.setup.mask) });
        }
        Ok(())
    }

    /// A canary like the criterion's own tests; for a criterion without tests, and for all of them
    /// together, like every judged test that takes part. Where there is none yet, nothing is judged
    /// that a canary could vouch for.
    pub(super) fn canary_like(&self, red: Option<&CriterionRed>) -> CanaryWish {
        let files: Vec<RelPath> = if let Some(red) = red.filter(|red| !red.files.is_empty()) {
            red.files.clone()
        } else if let Some(red) = red.filter(|red| !red.tests.is_empty()) {
            self.files_that_others_share(red)
        } else {
            let mapping = self.mapping();
            let reached = mapping.owned.iter().filter(|(id, _)| self.state.is_reached(id));
            let own = reached.flat_map(|(_, own)| &own.files).cloned();
            let reds = self.state.red.iter().flat_map(|red| &red.criteria);
            let reds = reds.filter(|red| red.files.is_empty() && self.state.is_reached(&red.id));
            let shared: BTreeSet<RelPath> = reds.flat_map(|red| self.files_that_others_share(red)).collect();
            own.chain(shared).take(MOST_IMITATED).collect()
        };
        // Tests that lie inside sources have no file to lie beside; that a run of them carries no
        // canary is to be said all the same.
        let has_tests = red.is_some_and(|red| !red.tests.is_empty());
        if files.is_empty() && !has_tests { CanaryWish::None } else { CanaryWish::Beside(files) }
    }

    /// Files of tests that hold this criterion's beside others, as new rows of a table that was there.
    fn files_that_others_share(&self, red: &CriterionRed) -> Vec<RelPath> {
        let files: BTreeSet<RelPath> = red.tests.iter().filter_map(|test| self.file_of(&test.id)).collect();
        files.into_iter().filter(|file| self.policy.classify(file) == FileClass::Test).collect()
    }

    /// A run that the work is judged by. Its copies are made of whole files: what one shows of a test that was there
    /// before, and is no criterion's, is nobody's work.
    pub(super) fn judging(&self, run: &TestRun) -> RunRef {
        let mut reference = RunRef::of(run, &self.setup.mask);
        let known = self.known_tests();
        let reds = self.state.red.iter().flat_map(|red| &red.criteria).flat_map(|red| &red.tests);
        let own: BTreeSet<&TestId> = reds.map(|test| &test.id).collect();
        let counts = |id: &TestId| !known.contains(id) || own.contains(id);
        reference.copies.toothless.retain(&counts);
        reference.copies.untold.retain(|untold| counts(&untold.test));
        reference
    }

    /// Where nothing is left out, the run may vouch for the whole: what comes after it on the same
    /// tree is not run again, so its canary is like all that are judged.
    fn canary_of_green(&self, red: Option<&CriterionRed>, without: &Without) -> CanaryWish {
        let own = self.canary_like(red);
        let is_whole = without.is_empty() && self.state.run.plan.refactor == Refactoring::Once;
        let (CanaryWish::Beside(mut files), true) = (own.clone(), is_whole) else { return own };
        if let CanaryWish::Beside(all) = self.canary_like(None) {
            let more: Vec<RelPath> = all.into_iter().filter(|file| !files.contains(file)).collect();
            files.extend(more);
        }
        CanaryWish::Beside(files)
    }

    fn scope(&self) -> Scope {
        let baseline = self.state.baseline.as_ref().map_or(0, |baseline| baseline.test.duration_ms);
        match self.state.run.plan.regression {
            Regression::Attempt => Scope::All,
            Regression::Auto if baseline < QUICK_BASELINE_MS => Scope::All,
            Regression::Auto | Regression::Criterion => Scope::OwnThenAll,
            Regression::End if self.is_last() => Scope::OwnThenAll,
            Regression::End => Scope::OwnOnly,
        }
    }

    /// Whether nothing comes after this criterion that would run the tests of others.
    fn is_last(&self) -> bool {
        let open = |progress: &&Progress| matches!(progress, Progress::Pending | Progress::Red);
        self.state.run.plan.refactor == Refactoring::Off
            && self.state.progress.values().filter(open).count() <= 1
    }

    fn classify_own(&self, run: &TestRun, red: Option<&CriterionRed>, findings: &mut GreenFindings) {
        findings.runs.push(self.judging(run));
        findings.no_evidence = findings.no_evidence.take().or(evidence(run).err());
        match (&run.report, red) {
            (Some(report), Some(red)) => {
                let own = classify::own(red, &self.mapping(), report);
                (findings.passed, findings.failed) = (own.passed, own.failed);
                (findings.skipped, findings.vanished) = (own.skipped, own.vanished);
                let known = std::mem::take(&mut findings.notices).into_iter();
                let known = known.filter(|notice| !matches!(notice, Notice::SkipsItself(_)));
                findings.notices =
                    known.chain(own.skips_itself.into_iter().map(Notice::SkipsItself)).collect();
            }
            (None, red) => {
                findings.judged_by = GreenJudge::ExitCode;
                if !run.exit.is_success() {
                    let name =
                        red.map_or_else(|| run.command.clone(), |red| format!("the tests of {}", red.id));
                    findings.failed = vec![TestId(name)];
                }
            }
            (Some(_), None) => {}
        }
    }

    /// No regression, and no fewer tests than before.
    async fn classify_rest(
        &mut self,
        run: &TestRun,
        (order, tree): (&TestOrder, &CheckpointId),
        findings: &mut GreenFindings,
    ) -> Result<(), Trouble> {
        findings.judged = Some(Box::new(Judged {
            tree: tree.clone(),
            without: order.without.clone(),
            imitated: match &order.canary {
                CanaryWish::None => Vec::new(),
                CanaryWish::Beside(files) => files.clone(),
            },
            green: self.is_no_worse(run),
            collected: run.report.as_ref().map_or(0, |report| report.tests.len()),
            run: findings.runs.len().saturating_sub(1),
        }));
        let Some(report) = &run.report else { return Ok(()) };
        (findings.regressed, findings.flaky) = self.regressions(report, order).await?;
        findings.unbuilt = self.newly_unbuilt(report);
        findings.collected_before = self.collected_without(order);
        findings.collected_now = report.tests.len();
        let flaky: BTreeSet<&TestId> = findings.flaky.iter().collect();
        let mut greens: BTreeSet<TestId> = classify::greens(report).into_iter().collect();
        greens.extend(flaky.into_iter().cloned());
        findings.greens = GreensChange::between(&self.state.greens, &greens);
        Ok(())
    }

    /// A regressed test counts if it fails again alone, or again among all others: then others pollute what it
    /// finds. Else it is flaky.
    pub(super) async fn regressions(
        &mut self,
        report: &TestReport,
        order: &TestOrder,
    ) -> Result<(Vec<TestId>, Vec<TestId>), Trouble> {
        let mut lost = self.not_green_now(&self.state.greens, report);
        lost.extend(self.not_green_now(&self.held_back_until_now(&order.without.files), report));
        if lost.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let alone = TestOrder {
            label: format!("{} again, alone", order.label),
            only_ids: lost.clone(),
            without: order.without.clone(),
            ..TestOrder::default()
        };
        let again = self.run_tests(&alone).await?;
        let still: BTreeSet<TestId> = match (&again.report, evidence(&again)) {
            (Some(report), Ok(())) => self.not_green_now(&lost, report).into_iter().collect(),
            (Some(_) | None, _) => lost.iter().cloned().collect(),
        };
        let (mut regressed, alone): (Vec<TestId>, Vec<TestId>) =
            lost.into_iter().partition(|id| still.contains(id));
        if alone.is_empty() {
            return Ok((regressed, alone));
        }
        let whole = TestOrder {
            label: format!("{} again, whole", order.label),
            without: order.without.clone(),
            ..TestOrder::default()
        };
        let again = self.run_tests(&whole).await?;
        let (Some(report), Ok(())) = (&again.report, evidence(&again)) else { return Ok((regressed, alone)) };
        let polluted: BTreeSet<TestId> = self.not_green_now(&alone, report).into_iter().collect();
        regressed.extend(polluted.iter().cloned());
        Ok((regressed, alone.into_iter().filter(|id| !polluted.contains(id)).collect()))
    }

    /// Those of `greens` that did not pass in this run, or have a namesake that did not.
    pub(super) fn not_green_now(&self, greens: &[TestId], report: &TestReport) -> Vec<TestId> {
        let baseline = self.state.baseline.as_ref();
        let known = baseline.map(|baseline| baseline.test.not_green()).unwrap_or_default();
        let mut lost = classify::lost(greens, report);
        self.but_called_otherwise(&mut lost, report);
        lost.extend(classify::lost_by_namesake(greens, &known, report));
        lost.sort();
        lost.dedup();
        lost
    }

    /// The files whose tests are the criterion's, for a prompt.
    pub fn files_of(&self, id: &CriterionId) -> Vec<RelPath> {
        self.mapping().of(id).map(|owned| owned.files.clone()).unwrap_or_default()
    }
}

/// The claims that this edit advances these tests, then what the tests said: a corpus finds its
/// red → edit → green triples in this order.
fn corpus_facts(findings: &GreenFindings, work: &Work, run: Option<&TestRun>) -> Vec<Event> {
    let own: BTreeSet<&TestId> =
        findings.passed.iter().chain(&findings.failed).chain(&findings.regressed).collect();
    let mut events = Vec::new();
    let sources =
        work.changed.iter().filter(|change| change.class == FileClass::Source).take(MOST_CLAIMED_FILES);
    for change in sources {
        for test_id in findings.passed.iter().chain(&findings.failed).take(MOST_CLAIMED_TESTS) {
            events.push(Event::EditClaim { test_id: test_id.clone(), edit_target: change.path.clone() });
        }
    }
    if let Some(run) = run
        && let Some(report) = &run.report
    {
        events.extend(facts(run, report, |test| own.contains(&test.id)));
    }
    events
}

/// Files that the canary of a whole suite is like: each is run once more where it is a process.
const MOST_IMITATED: usize = 8;

/// A child that rewrites a thousand files must not make a million events.
const MOST_CLAIMED_FILES: usize = 32;
const MOST_CLAIMED_TESTS: usize = 32;
