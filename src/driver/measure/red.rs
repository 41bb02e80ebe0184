//! RED: every criterion's tests fail, for the right reason, twice; nothing else changed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::driver::cycle::Drive;
use tdd_core::audience::News;
use tdd_core::claim::Claim;
use tdd_core::classify::{self, Sources};
use tdd_core::criterion::CriterionId;
use tdd_core::event::{Event, SupersedeRule};
use tdd_core::evidence::evidence;
use tdd_core::finding::{
    ChangeKind, ClassedChange, CriterionRed, Findings, RedFindings, RedKind, RunRef, Superseded,
};
use tdd_core::greens::GreensChange;
use tdd_core::guard::{self, Guard};
use tdd_core::mapping::Mapping;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Checkpoints, Isolation, Protection, TestOrder, Tests, World};
use tdd_core::role::Key;
use tdd_core::test::{Outcome, TestId, TestReport, TestResult, TestRun};
use tdd_core::trouble::Trouble;

use super::others::told_of_unnamed;
use super::sources::SourceBook;
use super::{Passes, Work, candidates, cases, facts};

/// The runs that a RED rests on.
struct RedRuns {
    first: TestRun,
    second: Option<TestRun>,
    /// Tests that do not compile: the first run tells them, and they took no part in the second.
    told: Vec<TestResult>,
}

/// What a RED is weighed with, besides its runs.
struct Scales<'a> {
    book: &'a SourceBook,
    claim: Option<&'a Claim>,
    work: &'a Work,
}

impl<W: World> Drive<'_, W> {
    pub(super) async fn measure_red(&mut self, claim: Option<Claim>) -> Result<Vec<Event>, Trouble> {
        let mut work = self.diff_work(&Key::TestWriter)?;
        self.keep_the_first_tests(&mut work)?;
        let claim = self.with_the_first_claim(claim);
        let claim = claim.map(|claim| self.spelt_in_full(claim, &work)).transpose()?;
        let mut mapping = self.with_the_first_mapping(self.map_tests(&work, claim.as_ref()));
        let mut book = self.read_sources(&work, &mapping)?;
        self.ports.protection.seal(&[FileClass::Gate, FileClass::Test], &[])?;
        let mut findings = RedFindings {
            changed: work.changed.clone(),
            forbidden: work.forbidden.clone(),
            ..RedFindings::default()
        };
        let mut events = std::mem::take(&mut work.events);
        let runs = self.run_red((&mut mapping, claim.as_ref()), &mut book, &work).await?;
        findings.mapping = mapping.clone();
        let is_told = runs.as_ref().is_none_or(|runs| runs.first.report.is_some());
        let first = runs.as_ref().and_then(|runs| runs.first.report.as_ref());
        let hiding = first.map(|report| report.hiding.clone()).unwrap_or_default();
        match runs {
            Some(runs) => {
                let scales = Scales { book: &book, claim: claim.as_ref(), work: &work };
                self.classify_red(&runs, &scales, &mut findings);
                self.refuse_what_needs_later_files(&work, &mut findings).await?;
                if let Some(report) = &runs.first.report {
                    self.show_other_projects(&work, report)?;
                    self.refuse_what_waits_for_later(&book.shared, report, &mut findings);
                    self.refuse_names_of_its_own(&work, report, &mut findings)?;
                    let own: BTreeSet<&TestId> =
                        findings.criteria.iter().flat_map(|c| &c.tests).map(|test| &test.id).collect();
                    events.extend(facts(&runs.first, report, |test| own.contains(&test.id)));
                }
            }
            None => self.classify_coupled(&mapping, &book, &mut findings).await?,
        }
        if is_told {
            findings.rebound = self.rebound((&work, &book), &findings, &hiding)?;
        }
        self.touched_by_runs(&mut work, Passes::No)?;
        self.show_changed_tests(&work, &book, &findings)?;
        self.show_weak_tests(&book, &findings);
        if let Some(path) = work.touched.first() {
            findings.no_evidence = Some(format!("the protected file {path} was changed"));
        }
        events.extend(told_of_unnamed(&self.leave_out_unnamed(claim.as_ref(), &work, &mut findings)?));
        events.push(self.state.attempt_measured(Findings::Red(findings)));
        Ok(events)
    }

    /// All criteria's tests at once; `None` where one file could hide what another would tell.
    async fn run_red(
        &mut self,
        (mapping, claim): (&mut Mapping, Option<&Claim>),
        book: &mut SourceBook,
        work: &Work,
    ) -> Result<Option<RedRuns>, Trouble> {
        let is_coupled = self.ports.tests.isolation() == Isolation::Coupled;
        let tells_tests = self.state.baseline.as_ref().is_some_and(|baseline| baseline.test.collected > 0);
        if is_coupled && !tells_tests {
            return Ok(None);
        }
        let owned = mapping.owned.values().flat_map(|owned| &owned.files);
        let told_apart = if is_coupled { owned.cloned().collect() } else { Vec::new() };
        let order = TestOrder { label: "RED".to_owned(), told_apart, ..TestOrder::default() };
        let mut first = self.run_tests(&order).await?;
        if let Some(report) = &first.report {
            self.spell_out_unloaded(mapping, work, report)?;
        }
        let told = self.tell_uncompiled((mapping, claim), (work, book), (&mut first, &order)).await?;
        if is_coupled && !self.tells_all(&first, mapping, work) {
            return Ok(None);
        }
        if let Some(report) = &first.report {
            Self::disown_moved(mapping, &self.moved_examples(claim, book, report));
            cases::spell_out(mapping, claim, report, &self.known_tests());
            let greens = self.state.baseline.as_ref().map(|baseline| baseline.test.greens.as_slice());
            let order = self.state.covered_by_red();
            cases::own_what_holds_cases(mapping, &order, report, greens.unwrap_or_default());
            self.own_new_of_listed(mapping, work, report)?;
            self.own_by_name(mapping, work, report)?;
            self.own_inherited(mapping, work, report);
            let known = self.known_tests();
            let changed = (work.changed.as_slice(), self.state.run.project.as_str());
            let does_not_load = |file: &RelPath| report.load_failures.iter().any(|load| load.file == *file);
            let has_new = candidates::own_new_files(mapping, changed, &does_not_load);
            if cases::hold_back(mapping, changed, report, (claim, &known)) || has_new {
                *book = self.read_sources(work, mapping)?;
            }
            book.existing = self.find_existing(&work.base, report)?;
            book.absent_too = self.find_absent_too(work, report)?;
            book.nowhere = self.find_nowhere(work, report)?;
        }
        let all_missing =
            first.report.as_ref().is_some_and(|report| self.only_missing(mapping, report, book));
        let again = self.red_again(mapping, first.report.as_ref(), order);
        let second = match again.filter(|_| !all_missing) {
            Some(mut again) => {
                again.without.tests = mapping.uncompiled();
                let cut: BTreeSet<&TestId> = again.without.tests.iter().map(|test| &test.id).collect();
                again.only_ids.retain(|id| !cut.contains(id));
                Some(self.run_tests(&again).await?)
            }
            None => None,
        };
        Ok(Some(RedRuns { first, second, told }))
    }

    /// What has to be seen twice: the criteria's tests, and known greens that broke. `None` if there is
    /// nothing of that kind.
    fn red_again(
        &self,
        mapping: &Mapping,
        first: Option<&TestReport>,
        order: TestOrder,
    ) -> Option<TestOrder> {
        let label = "RED again".to_owned();
        let Some(report) = first else { return Some(TestOrder { label, ..order }) };
        let only_files: Vec<RelPath> = mapping.owned.values().flat_map(|owned| owned.files.clone()).collect();
        let mut only_ids: Vec<TestId> = mapping.owned.values().flat_map(|owned| owned.ids.clone()).collect();
        let known = self.state.baseline.as_ref().map(|baseline| baseline.test.greens.as_slice());
        // A file of another runner's would end this one before its first test.
        only_ids.retain(|id| report.tells_of(id.file()));
        only_ids.extend(classify::lost(known.unwrap_or_default(), report));
        let nothing = only_files.is_empty() && only_ids.is_empty();
        (!nothing).then_some(TestOrder { label, only_files, only_ids, ..order })
    }

    fn only_missing(&self, mapping: &Mapping, report: &TestReport, book: &SourceBook) -> bool {
        let reds = self.reds(mapping, (report, None), book);
        reds.iter().flat_map(|criterion| &criterion.tests).all(|test| test.kind == RedKind::Missing)
    }

    pub(super) fn reds(
        &self,
        mapping: &Mapping,
        runs: (&TestReport, Option<&TestReport>),
        book: &SourceBook,
    ) -> Vec<CriterionRed> {
        let declared = |file: &RelPath| book.declared(file);
        let body = |file: &RelPath, id: &TestId| book.body(file, id);
        let covered = self.state.covered_by_red();
        let takes_part = |id: &CriterionId, file: &RelPath| mapping.is_reached_with(file, id, &covered);
        let sources = Sources { declared: &declared, body: &body, takes_part: &takes_part };
        covered.iter().map(|id| classify::criterion_red(id, mapping, runs, &sources)).collect()
    }

    fn classify_red(&self, runs: &RedRuns, scales: &Scales<'_>, findings: &mut RedFindings) {
        let Scales { book, claim, work } = scales;
        findings.runs = [Some(&runs.first), runs.second.as_ref()]
            .into_iter()
            .flatten()
            .map(|run| RunRef::of(run, &self.setup.mask))
            .collect();
        let weak =
            evidence(&runs.first).err().or_else(|| runs.second.as_ref().and_then(|run| evidence(run).err()));
        findings.no_evidence = weak;
        let Some(first) = &runs.first.report else { return };
        let second = runs.second.as_ref().and_then(|run| run.report.clone()).map(|mut report| {
            report.tests.extend(runs.told.iter().cloned());
            report
        });
        let second = second.as_ref();
        findings.criteria = self.reds(&findings.mapping.clone(), (first, second), book);
        let known =
            self.state.baseline.as_ref().map(|baseline| baseline.test.greens.clone()).unwrap_or_default();
        findings.superseded = self.superseded(*claim, (work, &self.held_back(&findings.mapping)), first);
        findings.moved = self.moved_examples(*claim, book, first);
        let moved: BTreeSet<TestId> = findings.moved.iter().map(|one| one.id.clone()).collect();
        findings.superseded.retain(|one| !moved.contains(&one.id));
        findings.no_such_tests = self.no_such_tests(&findings.superseded);
        self.judge_held_back(book, &known, findings);
        let held_back = self.held_back(&findings.mapping);
        findings.vacuous = book.vacuous(&findings.criteria);
        let set_aside: BTreeSet<&TestId> = findings.superseded.iter().map(|test| &test.id).collect();
        let changed = book.changed_tests(&known, &cases::answered_for(&findings.superseded));
        self.leave_untouched(&mut findings.criteria, (&known, &changed));
        let is_named = |id: &TestId| set_aside.contains(id) || moved.contains(id);
        findings.unlisted = changed.into_iter().filter(|id| !is_named(id)).collect();
        findings.unowned = self.unowned(&findings.mapping, first, (&set_aside, book));
        let unlisted: BTreeSet<&TestId> = findings.unlisted.iter().collect();
        let lost: BTreeSet<TestId> = classify::lost(&known, first).into_iter().collect();
        // A known green that is red once in two runs is flaky, not broken.
        let still = |id: &TestId| second.is_none_or(|report| classify::lost(&known, report).contains(id));
        let is_expected = |case: &TestId| set_aside.contains(case) || !known.contains(case);
        let is_held = |id: &TestId| !cases::is_red_by_its_cases(id, first, &is_expected);
        let waits = |id: &TestId| held_back.contains(id.file());
        let own = lost.iter().filter(|id| !set_aside.contains(id) && !unlisted.contains(id) && !waits(id));
        let own: BTreeSet<TestId> = own.cloned().collect();
        let moved = cases::Renumbered::of(&own, first, &self.known_tests());
        let broken = own.iter().filter(|id| still(id) && is_held(id) && !moved.gone.contains(id));
        findings.broken = broken.cloned().collect();
        let stays = known.iter().filter(|id| !set_aside.contains(id) && !lost.contains(*id));
        let already = |criterion: &&CriterionRed| self.state.run.plan.already_green.contains(&criterion.id);
        let passed = findings.criteria.iter().filter(already).flat_map(|criterion| &criterion.tests);
        let passed = passed.filter(|test| test.kind == RedKind::Passed).map(|test| &test.id);
        findings.greens = GreensChange::between(&self.state.greens, stays.chain(passed).chain(&moved.now));
    }

    /// That its file does not load says nothing of a test that is as it was; one that is gone has another in its place.
    fn judge_held_back(&self, book: &SourceBook, known: &[TestId], findings: &mut RedFindings) {
        let held_back = self.held_back(&findings.mapping);
        let changed = book.changed_tests(known, &BTreeMap::new());
        let mut replacing = book.new_in(&findings.mapping, known);
        for test in findings.superseded.iter_mut().filter(|test| held_back.contains(test.id.file())) {
            test.changed &= changed.contains(&test.id);
            if !book.still_declares(&findings.mapping, &test.id) && replacing.pop().is_none() {
                test.kind = RedKind::None;
            }
        }
    }

    /// New tests and files that are red and belong to nobody, so that they would stay red for ever.
    fn unowned(
        &self,
        mapping: &Mapping,
        report: &TestReport,
        (set_aside, book): (&BTreeSet<&TestId>, &SourceBook),
    ) -> Vec<TestId> {
        if self.state.baseline.is_none() {
            return Vec::new();
        }
        let mut known = self.known_tests();
        known.extend(set_aside);
        // A criterion that this run does not work on will have nobody to turn its tests green.
        let plan = &self.state.run.plan.criteria;
        let in_hand = || mapping.owned.iter().filter(|(id, _)| plan.contains(id));
        let owned = in_hand().flat_map(|(id, _)| mapping.results(id, report));
        let owned: BTreeSet<&TestId> = owned.map(|test| &test.id).collect();
        let files: BTreeSet<&RelPath> =
            in_hand().flat_map(|(_, owned)| owned.files.iter().chain(&owned.held_back)).collect();
        let failed = report.tests.iter().filter(|test| matches!(test.outcome, Outcome::Failed(_)));
        let failed = failed.map(|test| test.id.clone()).filter(|id| !owned.contains(id));
        let is_helper = |file: &RelPath| {
            !book.shared.holds_tests(file)
                && (report.keeps_others_back(file, &files) || book.shared.is_waited_for(file, report))
        };
        let loads = report.load_failures.iter().filter(|load| !files.contains(&load.file));
        let loads = loads.filter(|load| !is_helper(&load.file));
        let loads = loads.map(|load| TestId(load.file.to_string()));
        failed.chain(loads).filter(|id| !known.contains(id)).collect()
    }

    /// Existing test files that the test-writer changed are shown with their diff: a weaker helper
    /// or a superseded expectation is for a person to judge (contract section 7).
    fn show_changed_tests(
        &mut self,
        work: &Work,
        book: &SourceBook,
        findings: &RedFindings,
    ) -> Result<(), Trouble> {
        // In Rust a source holds tests, or what exists for them alone: of a test-writer's all that may differ.
        let is_of_tests = |change: &ClassedChange| {
            let in_source = change.class == FileClass::Source && change.path.extension() == "rs";
            (change.class == FileClass::Test || in_source) && !work.forbidden.contains(&change.path)
        };
        let existing = work.changed.iter().filter(|c| is_of_tests(c) && c.kind != ChangeKind::Added);
        let paths: Vec<RelPath> = existing.map(|change| change.path.clone()).collect();
        if paths.is_empty() {
            return Ok(());
        }
        let mut text = String::from("existing test files were changed:");
        for test in &findings.superseded {
            let _ = write!(text, "\n  superseded by {}: {}", test.criterion, test.id);
        }
        for test in &findings.moved {
            let _ = write!(text, "\n  moved to another example for {}: {}", test.criterion, test.id);
        }
        for (path, assertion) in book.lost_assertions() {
            let _ = write!(text, "\n  no longer asserted in {path}: {assertion}");
        }
        let patch = self.ports.checkpoints.patch(&work.base, &work.after, &paths)?;
        let _ = write!(text, "\n{}", (self.setup.mask)(&patch));
        self.audience.news(&News::Note(text));
        Ok(())
    }

    /// What a person has to know of tests that say little, or that can't be read.
    fn show_weak_tests(&mut self, book: &SourceBook, findings: &RedFindings) {
        let vacuous = findings.vacuous.iter().map(|vacuous| {
            let test = &vacuous.test;
            format!("an assertion of {test} holds whatever the code does, or hardly looks: {}", vacuous.what)
        });
        let unseen = book.unseen(&findings.criteria).into_iter();
        let unseen = unseen.map(|(test, what)| format!("what `{what}` expects can't be read: {test}"));
        let unread =
            book.unread().map(|(file, why)| format!("{file} can't be read for what it expects: {why}"));
        for line in vacuous.chain(unseen).chain(unread) {
            self.audience.news(&News::Note((self.setup.mask)(&line)));
        }
    }

    fn superseded(
        &self,
        claim: Option<&Claim>,
        (work, held_back): (&Work, &BTreeSet<&str>),
        report: &TestReport,
    ) -> Vec<Superseded> {
        if self.state.run.plan.supersede == SupersedeRule::Refuse {
            return Vec::new();
        }
        let (mut all, mut replacing) = (Vec::new(), self.replacing(report));
        // Only a criterion in hand can change what a test says: nobody would turn it green again.
        let covered = self.state.covered_by_red();
        let claimed = claim.iter().flat_map(|claim| &claim.supersedes);
        let in_hand = |id| covered.contains(id) || !guard::stands(Guard::SupersedeScope);
        for (criterion, tests) in claimed.filter(|(id, _)| in_hand(id)) {
            for (id, kind) in self.meant(tests, (report, held_back), &mut replacing) {
                let project = &self.state.run.project;
                let mut changed = work.changed.iter();
                let changed = changed.any(|change| candidates::may_decide(&change.path, project, &id));
                all.push(Superseded { criterion: criterion.clone(), id, changed, kind });
            }
        }
        all
    }
}
