//! What a state of the tree is worth: put back what may not be changed, then run every check.

use std::collections::BTreeSet;

use crate::driver::apart::Found;
use crate::driver::fork::without_secrets;
use crate::driver::learn::{support_note, unprotected_notes};
use crate::driver::meanwhile;
use crate::driver::measure::{decides_what_is_judged, put_back_touched};
use crate::driver::whose::{self, is_of_a_canary, is_own_writing, kept_as, written_beside_tests};
use tdd_core::attempt::CheckpointId;
use tdd_core::event::Event;
use tdd_core::finding::{ClassedChange, RunRef, TestAware};
use tdd_core::fix::classify::finding;
use tdd_core::fix::{CheckFinding, CheckKind, FixFindings, Skips, TestEdits, Told, Unloaded};
use tdd_core::machine::Machine;
use tdd_core::path::RelPath;
use tdd_core::policy::{self, FileClass};
use tdd_core::ports::{CanaryWish, Checkpoints, Checks, Protection, World};
use tdd_core::role::Role;
use tdd_core::test::TestRun;
use tdd_core::trouble::Trouble;

use crate::driver::work_diff::Production;
use tdd_source::Language;

use super::FixDrive;
use super::fork::sealed_classes;

/// Judged test files that a canary imitates, at most.
const MOST_IMITATED: usize = 20;

/// A tree as a fixer left it, less what it may not have changed.
#[derive(Default)]
struct Work {
    changed: Vec<ClassedChange>,
    put_back: Vec<RelPath>,
    weakened: Vec<RelPath>,
    test_aware: Vec<TestAware>,
}

impl<W: World, C: Checks> FixDrive<'_, W, C> {
    pub(super) async fn measure(&mut self) -> Result<Vec<Event>, Trouble> {
        let attempt = self.state.rounds.last().and_then(|round| round.attempt.clone());
        let Some(attempt) = attempt else { return self.measure_start().await };
        let (number, before) = (attempt.number, attempt.before);
        let mut events = self.put_git_back(&format!("fixer-{number}"))?;
        let after = self.ports.checkpoints.take(&format!("after-fixer-{number}"))?;
        let (mut work, told) = self.diff_work(&before, &after)?;
        events.extend(told);
        let tree = if work.put_back.is_empty() {
            after
        } else {
            self.ports.checkpoints.take(&format!("restored-fixer-{number}"))?
        };
        events.push(Event::TreeSeen { tree: tree.clone() });
        let restamped = self.ports.protection.rewritten();
        let (checks, flaky) = self.run_checks(&format!("after fixer {number}")).await?;
        let found = self.ports.checkpoints.take(&format!("after-runs-fixer-{number}"))?;
        let touched = self.ports.protection.check()?;
        let found = self.with_ignored(&found, &touched)?;
        self.refuse_edited(&touched, (&found, &before))?;
        self.hold_after_checks(&found, &before, &touched)?;
        let (touched, told) = put_back_touched(&mut self.ports.protection)?;
        let copied = touched.iter().filter(|path| self.ports.protection.installed(path).is_none());
        events.extend(told.into_iter().chain(kept_as(&found, copied)));
        let tools = self.beyond_repair(&work, &touched)?;
        let mut rewritten = self.rewritten_by_runs(&restamped, &work.changed);
        rewritten.extend(touched.iter().filter(|path| self.decides(path) && !tools.contains(path)).cloned());
        rewritten.retain(|path| !self.own.written.contains(path));
        work.put_back.extend(touched);
        events.extend(self.discard_what_runs_left(&tree)?);
        let Work { changed, mut put_back, weakened, mut test_aware } = work;
        let hiding = self.own.hiding.clone();
        let zero = self.zero()?;
        test_aware.extend(self.diff().hiding((&zero, &hiding), &changed)?);
        test_aware.extend(self.diff().reassigning((&zero, &tree), &changed)?.0);
        put_back.sort();
        put_back.dedup();
        put_back.retain(|path| {
            !tools.contains(path) && !self.own.written.contains(path) && !is_of_a_canary(path)
        });
        let findings =
            FixFindings { tree, checks, changed, put_back, weakened, rewritten, tools, test_aware, flaky };
        events.push(self.state.fix_measured(findings));
        Ok(events)
    }

    /// Before any fixer. What the checks themselves leave is no work of anybody's from here on.
    async fn measure_start(&mut self) -> Result<Vec<Event>, Trouble> {
        let zero = self.zero()?;
        self.ports.protection.look_at_tools()?;
        self.ports.protection.seal(sealed_classes(self.state.run.test_edits), &[])?;
        self.ports.protection.loosen();
        let (mut checks, flaky) = self.run_checks("at the start").await?;
        self.learn_what_checks_write().await?;
        let left = self.ports.protection.left_in_tools();
        self.ports.protection.learn_tools(&left);
        for (at, check) in checks.iter_mut().enumerate() {
            check.unloaded_files = self.unknown_tests(at, &zero, check)?;
        }
        let tree = self.ports.checkpoints.take("start")?;
        let loaded = self.own.loaded.clone();
        let reported = (self.own.judged.iter().cloned().collect(), &loaded);
        let theirs = self.state.facts.theirs.clone();
        let learned = self.diff().learned((&zero, &tree), reported, &theirs)?;
        let settled = self.settle_policy(learned);
        let named = self.diff().unprotected_tests(&zero)?;
        self.tell(&unprotected_notes(&named));
        let support = support_note(&self.policy.effective().learned.support);
        self.tell(support.as_slice());
        let findings = FixFindings {
            tree: tree.clone(),
            checks,
            changed: Vec::new(),
            put_back: Vec::new(),
            weakened: Vec::new(),
            rewritten: Vec::new(),
            tools: Vec::new(),
            test_aware: Vec::new(),
            flaky,
        };
        Ok(vec![settled, Event::TreeSeen { tree }, self.state.fix_measured(findings)])
    }

    /// Data beside tests that the checks themselves write, before anybody forked: not made read-only, and
    /// put back without a word.
    async fn learn_what_checks_write(&mut self) -> Result<(), Trouble> {
        const LABEL: &str = "seen-start";
        let mut found = Found::default();
        self.find_beside_tests(LABEL, &mut found)?;
        let known = self.files_of_zero()?;
        let written = written_beside_tests(&mut self.ports.protection, &self.policy, &known)?;
        let mut written = written.into_iter().collect();
        let events = self.learn_whose(&found, &mut written, LABEL).await?;
        self.record(&events)?;
        let written: Vec<RelPath> = written.into_iter().collect();
        self.ports.protection.let_rewrite(&written);
        let policy = &self.policy;
        (self.own.written, self.own.written_as_it_was) =
            written.into_iter().partition(|path| is_own_writing(policy, &known, path));
        Ok(())
    }

    /// The files whose tests are still to be known: those of them that declare tests at all, and what
    /// they say of skipping, since no fixer may change that.
    fn unknown_tests(
        &mut self,
        at: usize,
        zero: &CheckpointId,
        check: &CheckFinding,
    ) -> Result<Vec<Unloaded>, Trouble> {
        let mut named = check.unloaded_files.clone();
        let is_tests = matches!(self.state.run.checks[at].kind, CheckKind::Tests(_));
        let shows_none = check.greens.is_empty() && check.reds.is_empty() && check.skipped.is_empty();
        if !(is_tests && check.unloaded.is_some()) {
            return Ok(Vec::new());
        }
        let files = self.ports.checkpoints.files(zero)?;
        if named.is_empty() && shows_none {
            let tests = files.iter().filter(|file| self.policy.classify(file) == FileClass::Test);
            // Where else could a program skip the test that calls it?
            let python = tests.filter(|file| Language::of(file.extension()) == Some(Language::Python));
            let unloaded =
                |file: &RelPath| Unloaded { file: file.clone(), told: Told::ByNobody, skips: Skips::Never };
            named.extend(python.map(unloaded));
        }
        let mut around = false;
        for file in files.iter().filter(|file| file.file_name() == "conftest.py") {
            around |=
                self.diff().source(zero, file)?.is_some_and(|text| tdd_source::speaks_of_skipping(&text));
        }
        let mut unknown = Vec::new();
        for mut unloaded in named {
            let source = self.diff().source(zero, &unloaded.file)?.unwrap_or_default();
            let language = Language::of(unloaded.file.extension());
            if language.is_none_or(|language| tdd_source::declared(language, &source).is_empty()) {
                continue;
            }
            if around || tdd_source::speaks_of_skipping(&source) {
                unloaded.skips = Skips::Itself;
            }
            unknown.push(unloaded);
        }
        Ok(unknown)
    }

    fn diff_work(
        &mut self,
        before: &CheckpointId,
        after: &CheckpointId,
    ) -> Result<(Work, Vec<Event>), Trouble> {
        let edits = self.state.run.test_edits;
        let changed = self.diff().differences(before, after)?;
        self.hold_submodules((before, after), &changed)?;
        let mut diff = self.diff();
        let judged: Vec<ClassedChange> = changed
            .iter()
            .filter(|change| edits == TestEdits::Refused || change.class != FileClass::Test)
            .cloned()
            .collect();
        let forbidden = diff.forbidden(Role::Fixer, (before, after), &judged)?;
        let Production { mut weakened, test_aware, .. } = diff.production((before, after), &changed)?;
        if edits == TestEdits::Allowed {
            weakened.clear();
        }
        let touched = self.ports.protection.check()?;
        let after = &self.with_ignored(after, &touched)?;
        self.refuse_edited(&touched, (after, before))?;
        let held = self.ports.checkpoints.diff(before, after)?;
        let differ: BTreeSet<&RelPath> = held.iter().map(|change| &change.path).collect();
        let taken: BTreeSet<&RelPath> = forbidden.iter().chain(&touched).collect();
        // Of an installed tool's files no checkpoint has any.
        let taken =
            taken.into_iter().filter(|path| differ.contains(path) && !self.own.written.contains(path));
        let taken: Vec<RelPath> = taken.cloned().collect();
        if !taken.is_empty() {
            self.hold_unknown(taken, after)?;
        }
        let (touched, told) = put_back_touched(&mut self.ports.protection)?;
        self.ports.checkpoints.restore(before, &forbidden)?;
        weakened.retain(|path| !forbidden.contains(path));
        let put_back: Vec<RelPath> = forbidden.into_iter().chain(touched).collect();
        let copied = put_back.iter().filter(|path| self.ports.protection.installed(path).is_none());
        let told = told.into_iter().chain(kept_as(after, copied)).collect();
        Ok((Work { changed, put_back, weakened, test_aware }, told))
    }

    /// Files of installed tools that are not as they were: there is no copy of them.
    fn beyond_repair(&mut self, work: &Work, touched: &[RelPath]) -> Result<Vec<RelPath>, Trouble> {
        if work.put_back.is_empty() && touched.is_empty() {
            return Ok(Vec::new());
        }
        self.ports.protection.check()
    }

    fn refuse_edited(
        &mut self,
        touched: &[RelPath],
        (kept, before): (&CheckpointId, &CheckpointId),
    ) -> Result<(), Trouble> {
        let edited = whose::held(&self.ports.protection, touched);
        if !edited.is_empty() {
            whose::hold_theirs(&mut self.ports.checkpoints, kept)?;
            self.record(&[whose::no_childs(&edited, kept)])?;
        }
        let known = if edited.is_empty() { Vec::new() } else { self.ports.checkpoints.files(before)? };
        let ignored = meanwhile::ignored(&self.ports.protection, &edited, &known);
        meanwhile::refuse_edited((&edited, &[]), (kept, Some((before, &known, &ignored))), None)
    }

    /// Where files are put back after checks ran, nobody can tell who wrote them; but for those that the checks
    /// themselves write.
    fn hold_after_checks(
        &mut self,
        found: &CheckpointId,
        base: &CheckpointId,
        changed: &[RelPath],
    ) -> Result<(), Trouble> {
        let differ = self.ports.checkpoints.diff(base, found)?;
        let is_held = |path: &&RelPath| {
            !self.own.written.contains(path)
                && !is_of_a_canary(path)
                && differ.iter().any(|change| change.path == **path)
        };
        let held: Vec<RelPath> = changed.iter().filter(is_held).cloned().collect();
        if held.is_empty() {
            return Ok(());
        }
        let known: BTreeSet<RelPath> = self.ports.checkpoints.files(base)?.into_iter().collect();
        self.note_put_back(held.into_iter(), (found, &known))
    }

    /// Whether a protected file could have been another one while the checks ran. Snapshots that a
    /// runner renews are none.
    fn decides(&self, path: &RelPath) -> bool {
        let class = self.policy.classify(path);
        class == FileClass::Gate || (class == FileClass::Test && Language::of(path.extension()).is_some())
    }

    /// Test code that was rewritten while the checks ran, and is as it was: what was judged meanwhile
    /// may have been something else.
    fn rewritten_by_runs(&mut self, before: &[RelPath], changed: &[ClassedChange]) -> Vec<RelPath> {
        let mut rewritten = self.ports.protection.rewritten();
        rewritten.retain(|path| {
            let is_code = decides_what_is_judged(&self.ports.protection, path);
            let own = self.own.written.contains(path) || self.own.written_as_it_was.contains(path);
            is_code && !own && !before.contains(path) && !changed.iter().any(|change| change.path == *path)
        });
        rewritten
    }

    /// Every check once, and a second time where a known green is missing: it counts as lost only
    /// if it fails again.
    pub(super) async fn run_checks(
        &mut self,
        label: &str,
    ) -> Result<(Vec<CheckFinding>, Vec<tdd_core::test::TestId>), Trouble> {
        let canary = self.canary()?;
        let mut findings = Vec::new();
        for at in 0..self.state.run.checks.len() {
            findings.push(self.run_check(at, label, &canary).await?);
        }
        let greens: BTreeSet<_> = findings.iter().flat_map(|check| &check.greens).cloned().collect();
        let lost: BTreeSet<_> = self.state.known.difference(&greens).cloned().collect();
        let mut flaky = Vec::new();
        if !lost.is_empty() {
            for (at, first) in findings.iter_mut().enumerate() {
                if !self.had_greens(at) {
                    continue;
                }
                let second = self.run_check(at, &format!("{label}, again"), &canary).await?;
                *first = first.with_second(second);
            }
            let again: BTreeSet<_> = findings.iter().flat_map(|check| &check.greens).cloned().collect();
            flaky.extend(lost.intersection(&again).cloned());
        }
        for (must_pass, finding) in self.state.must_pass.iter().zip(&mut findings) {
            must_pass.hold(finding);
        }
        Ok((findings, flaky))
    }

    /// Whether this check told tests apart in the best state.
    fn had_greens(&self, at: usize) -> bool {
        let best = self.state.best().and_then(|best| best.checks.get(at));
        best.is_some_and(|check| !check.greens.is_empty())
    }

    async fn run_check(
        &mut self,
        at: usize,
        label: &str,
        canary: &CanaryWish,
    ) -> Result<CheckFinding, Trouble> {
        let kind = self.state.run.checks[at].kind;
        let (audience, mask) = (&mut *self.audience, &self.setup.mask);
        let tell = &mut |news| audience.news(&without_secrets(news, mask));
        let mut checked = self.own.checks.run(at, label, canary, tell).await?;
        checked.run.command = mask(&checked.run.command);
        self.note_judged(&checked.run);
        let reference = RunRef::of(&checked.run, &self.setup.mask);
        let mut found = finding(kind, &checked.run, &checked.types, reference);
        for complaint in &mut found.complaints {
            complaint.text = (self.setup.mask)(&complaint.text);
        }
        Ok(found)
    }

    fn note_judged(&mut self, run: &TestRun) {
        let Some(report) = &run.report else { return };
        self.own.loaded.extend(report.loaded.iter().cloned());
        self.own.hiding.extend(report.hiding.iter().cloned());
        let loaded = report.tests.iter().filter_map(|test| test.file.as_ref());
        for file in loaded.chain(report.load_failures.iter().map(|load| &load.file)) {
            if let Err(at) = self.own.judged.binary_search(file) {
                self.own.judged.insert(at, file.clone());
            }
        }
    }

    /// Code that a fixer wrote may patch the runner, so its runs carry a test that must fail, beside
    /// the tests that are judged. Where none loaded yet, beside those that look like tests.
    fn canary(&mut self) -> Result<CanaryWish, Trouble> {
        if self.state.forks() == 0 {
            return Ok(CanaryWish::None);
        }
        let mut files = self.own.judged.clone();
        if files.is_empty() {
            let zero = self.zero()?;
            files = self.ports.checkpoints.files(&zero)?;
            let policy = &self.policy;
            files.retain(|file| policy.classify(file) == FileClass::Test && policy::names_a_test(file));
        }
        files.truncate(MOST_IMITATED);
        Ok(if files.is_empty() { CanaryWish::None } else { CanaryWish::Beside(files) })
    }

    /// Runs execute the fixer's code: what they changed in the tree is put back.
    fn discard_what_runs_left(&mut self, measured: &CheckpointId) -> Result<Option<Event>, Trouble> {
        let now = self.ports.checkpoints.take("after-runs")?;
        let left = self.diff().differences(measured, &now)?;
        let left: Vec<RelPath> = left.into_iter().map(|change| change.path).collect();
        let base = self.state.rounds.last().and_then(|round| round.attempt.as_ref());
        let base = base.map_or_else(|| measured.clone(), |attempt| attempt.before.clone());
        self.hold_after_checks(&now, &base, &left)?;
        self.diff().put_back_what_is_left((measured, &now), "a check")
    }
}
