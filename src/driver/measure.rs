//! From an attempt that returned to findings: put back, diff, run, compare.
//!
//! What a child changed is the difference between the checkpoint right before its fork and one
//! right after it ended, before any run of ours, less by-products (contract section 7).

mod by_name;
mod candidates;
mod cases;
mod coupled;
mod existing;
mod green;
mod held_back;
mod held_out;
mod helpers;
mod homes;
mod in_place;
mod later;
mod more;
mod moved;
mod names;
mod others;
mod proof;
mod rebound;
mod recheck;
mod red;
mod refactor;
mod shared;
mod sources;
mod spelt;
mod touched;
mod unbuilt;
mod uncompiled;
mod units;
mod views;

pub(super) use helpers::Named;
use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::audience::News;
use tdd_core::criterion::CriterionId;
use tdd_core::event::{Event, PassFail, TestIdSource, TestRunFact};
use tdd_core::finding::{ChangeKind, ClassedChange};
use tdd_core::guard::{self, Guard};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::role::{Key, Role};
use tdd_core::state::Phase;
use tdd_core::test::{Outcome, TestReport, TestRun};
use tdd_core::trouble::Trouble;

use super::cycle::Drive;
use super::whose::{held, kept_as, listed};
use super::work_diff::Production;
use tdd_core::ports::{Checkpoints, Protection, World};
pub(super) use touched::{decides_what_is_judged, put_back_touched};

/// The work of one attempt as it lies in the tree.
struct Work {
    base: CheckpointId,
    after: CheckpointId,
    changed: Vec<ClassedChange>,
    /// Paths among `changed` that the role may not change.
    forbidden: Vec<RelPath>,
    /// Protected files that are not as they were, forbidden ones left out, and sources whose
    /// inline tests are not: those are not put back, because they hold the child's work too.
    touched: Vec<RelPath>,
    production: Production,
    /// Protected files that were rewritten before our runs, and are as they were.
    restamped: Vec<RelPath>,
    events: Vec<Event>,
}

impl<W: World> Drive<'_, W> {
    pub(super) async fn measure(&mut self) -> Result<Vec<Event>, Trouble> {
        let Phase::Returned { attempt, outcome } = &self.state.phase else {
            return Err(Trouble::internal("a measurement was ordered in a state that has none"));
        };
        let key = attempt.key.clone();
        let claim = outcome.claim.clone().ok();
        let mut told = Vec::new();
        loop {
            let events = match &key {
                Key::TestWriter => self.measure_red(claim.clone()).await?,
                Key::Implementer(id) => self.measure_green(&key, id).await?,
                Key::Refactorer => self.measure_refactor().await?,
            };
            if !std::mem::take(&mut self.own.judges_again) {
                told.extend(events);
                return Ok(told);
            }
            let is_seen = |event: &Event| matches!(event, Event::TreeSeen { .. });
            let (seen, events): (Vec<Event>, Vec<Event>) = events.into_iter().partition(is_seen);
            told.extend(events.into_iter().filter(|event| matches!(event, Event::Restored { .. })));
            // What else came meanwhile would be the role's.
            self.record(&seen)?;
            told.extend(self.discard_what_is_left("the test run")?.1);
        }
    }

    /// Whether a protected file that changed or came while tests ran is held against nobody yet: it is put back, and
    /// the work, of which nothing else was put back, is judged once more without it. A person may have saved it (an
    /// agent's settings, by another session); tests that do so on purpose do it again.
    fn is_judged_again(&mut self, touched: &[RelPath], work: &Work) -> bool {
        let attempt = self.attempt_name();
        let is_first = attempt.is_some() && self.own.judged_again != attempt;
        let is_protected = |path: &RelPath| {
            matches!(self.policy.classify(path), FileClass::Test | FileClass::Gate)
                || self.policy.is_requirement(path)
        };
        let is_clean = work.forbidden.is_empty() && work.touched.is_empty() && !touched.is_empty();
        if !(is_first && is_clean && touched.iter().all(is_protected)) {
            return false;
        }
        self.own.judged_again = attempt;
        self.own.judges_again = true;
        let text = format!(
            "{}: changed while tests ran, perhaps by somebody else; put back, and the work is judged once more",
            listed(touched.iter()).join(", ")
        );
        self.audience.news(&News::Note(text));
        true
    }

    /// All that the run has changed up to this tree, for whoever judges it anew and puts nothing back.
    fn work_since_start(&mut self, tree: &CheckpointId) -> Result<Work, Trouble> {
        let base = self.state.start.clone().ok_or_else(|| Trouble::internal("a run without checkpoint 0"))?;
        let changed = self.differences(&base, tree)?;
        Ok(Work {
            base,
            after: tree.clone(),
            changed,
            forbidden: Vec::new(),
            touched: Vec::new(),
            production: Production::default(),
            restamped: Vec::new(),
            events: Vec::new(),
        })
    }

    /// Takes diff of the tree right after a child ended: git first, because a commit or a reset
    /// by the child must not change what is compared with what.
    fn diff_work(&mut self, key: &Key) -> Result<Work, Trouble> {
        let mut events = self.put_git_back()?;
        let after = self.ports.checkpoints.take(&self.label("after"))?;
        // Before anything is put back or run: a process that goes on judges just this.
        self.record(&[Event::TreeSeen { tree: after.clone() }])?;
        let touched = self.ports.protection.check()?;
        let seen = self.with_ignored(&after, &touched)?;
        let base = match key {
            Key::TestWriter => self.state.start.clone(),
            Key::Implementer(_) | Key::Refactorer => self.state.base(key).cloned(),
        };
        let base = base.ok_or_else(|| Trouble::internal("an attempt has no checkpoint before it"))?;
        let mut changed = self.differences(&base, &after)?;
        self.leave_out_theirs(&mut changed, &after)?;
        let known: BTreeSet<RelPath> = self.ports.checkpoints.files(&base)?.into_iter().collect();
        let mut spared = self.left_by_tests(key.role(), &mut changed, &known);
        events.extend(told_of(&spared));
        let mut edited = held(&self.ports.protection, &touched);
        if changed.iter().any(|change| change.kind == ChangeKind::Submodule) {
            self.refuse_edited(&edited, &seen)?;
        }
        self.hold_submodules((&base, &after), &changed)?;
        let mut forbidden = self.diff().forbidden(key.role(), (&base, &after), &changed)?;
        // All of it by one pause: the next process knows no more what the index held before.
        edited.extend(self.held_since(key, &changed, &forbidden));
        edited.extend(self.ports.checkpoints.staged(&after, &forbidden)?);
        edited.sort();
        edited.dedup();
        self.refuse_edited(&edited, &seen)?;
        let others = self.somebody_elses(&mut changed, &mut forbidden, &known);
        events.extend(others::told_of_others(&others));
        spared.extend(others);
        let (mut touched, told) = put_back_touched(&mut self.ports.protection)?;
        events.extend(told);
        let copied = touched.iter().filter(|path| self.ports.protection.installed(path).is_none());
        events.extend(kept_as(&seen, forbidden.iter().chain(copied)));
        self.hold_taken(&seen, &base, forbidden.iter().chain(&touched).chain(&spared))?;
        let is_settled = |path: &RelPath| forbidden.contains(path) || spared.contains(path);
        touched.retain(|path| !is_settled(path) && self.is_wish(path, &known));
        let restamped = self.ports.protection.rewritten();
        let production = self.read_production(key, &after, (&base, &changed))?;
        self.ports.checkpoints.restore(&base, &forbidden)?;
        self.ports.checkpoints.restore(&base, &spared)?;
        let after = if forbidden.is_empty() && touched.is_empty() && spared.is_empty() {
            after
        } else {
            self.ports.checkpoints.take(&self.label("restored"))?
        };
        events.push(Event::TreeSeen { tree: after.clone() });
        Ok(Work { base, after, changed, forbidden, touched, production, restamped, events })
    }

    pub(super) fn put_git_back(&mut self) -> Result<Vec<Event>, Trouble> {
        if !guard::stands(Guard::GitState) {
            return Ok(Vec::new());
        }
        let what =
            self.ports.checkpoints.restore_git(&self.attempt_name().unwrap_or_else(|| "end".to_owned()))?;
        Ok(if what.is_empty() { Vec::new() } else { vec![Event::Restored { what }] })
    }

    /// The differences with their classes, less by-products.
    pub(super) fn differences(
        &mut self,
        from: &CheckpointId,
        to: &CheckpointId,
    ) -> Result<Vec<ClassedChange>, Trouble> {
        self.diff().differences(from, to)
    }

    /// Takes out of the changes what is no role's wish, but was left by the tests that its child ran:
    /// what the suite itself writes, and new data beside tests. It is put back like anything else.
    fn left_by_tests(
        &self,
        role: Role,
        changed: &mut Vec<ClassedChange>,
        known: &BTreeSet<RelPath>,
    ) -> Vec<RelPath> {
        let own = self.suite_rewrites();
        let is_left = |change: &ClassedChange| {
            let is_new = change.kind == ChangeKind::Added && role != Role::TestWriter;
            let is_data = self.policy.is_data_of_tests(&change.path);
            own.contains(&change.path)
                || (is_new && (is_data || self.is_like_a_leftover(&change.path, known)))
        };
        let left =
            changed.iter().filter(|change| is_left(change)).map(|change| change.path.clone()).collect();
        changed.retain(|change| !is_left(change));
        left
    }

    /// Whether somebody meant to change a protected file that differs: neither what the suite writes
    /// nor new data that a run left.
    fn is_wish(&self, path: &RelPath, known: &BTreeSet<RelPath>) -> bool {
        let is_new_data = !known.contains(path) && self.policy.is_data_of_tests(path);
        let is_left = is_new_data || self.is_like_a_leftover(path, known);
        !is_left && !self.suite_rewrites().contains(path)
    }

    /// Protected files are looked at again after our own runs, because those execute the child's
    /// code. What differs is put back. Data that a run changed speak against the work only where they
    /// may be why it `passes`: a failing test that leaves a seed is red and no more.
    fn touched_by_runs(&mut self, work: &mut Work, passes: Passes) -> Result<(), Trouble> {
        if !guard::stands(Guard::SealAfterRun) {
            return Ok(());
        }
        let mut touched = self.ports.protection.check()?;
        if !touched.is_empty() {
            // It may be a person's: nobody can tell who wrote while tests ran.
            let found = self.ports.checkpoints.take(&self.label("after-tests"))?;
            let found = self.with_ignored(&found, &touched)?;
            let edited = held(&self.ports.protection, &touched);
            self.refuse_edited(&edited, &found)?;
            self.hold_after_runs(&found, &work.after, touched.iter())?;
            self.ports.protection.restore(&touched)?;
            self.tell_touched_by_runs(&touched, &work.touched, &found);
            let known: BTreeSet<RelPath> = self.ports.checkpoints.files(&work.after)?.into_iter().collect();
            let counts = |path: &RelPath| passes == Passes::Yes || !self.policy.is_data_of_tests(path);
            touched.retain(|path| self.is_wish(path, &known) && counts(path));
            if self.is_judged_again(&touched, work) {
                return Ok(());
            }
        }
        touched.extend(self.rewritten_by_runs(work));
        for path in touched {
            if !work.touched.contains(&path) {
                work.touched.push(path);
            }
        }
        Ok(())
    }

    /// Test code that somebody rewrote while our runs ran, and that is as it was: what was judged
    /// meanwhile may have been something else. Recorded snapshots are left out, because runners may
    /// write them anew as they were.
    fn rewritten_by_runs(&mut self, work: &Work) -> Vec<RelPath> {
        let mut rewritten = self.ports.protection.rewritten();
        // Its adapter gives what is new a time of its own.
        let renews = tdd_runners::of(self.state.run.commands.runner).restamps;
        let is_new =
            |path: &RelPath| work.restamped.contains(path) || work.changed.iter().any(|c| c.path == *path);
        rewritten.retain(|path| {
            let is_code = decides_what_is_judged(&self.ports.protection, path);
            let is_own = self.suite_rewrites_code().contains(path) || (renews && is_new(path));
            // What was read-only to the run was written by somebody else.
            is_code && !is_own && !work.forbidden.contains(path) && !self.ports.protection.is_held(path)
        });
        if !guard::stands(Guard::Rewritten) {
            rewritten.clear();
        }
        for path in &rewritten {
            let text = format!("{path} was rewritten while tests ran, and is as it was now");
            self.audience.news(&News::Note(text));
        }
        rewritten
    }

    /// Criteria whose GREEN stage has not begun, those that are not in hand included; their test
    /// files take no part.
    pub(super) fn unreached(&self, but: Option<&CriterionId>) -> Vec<CriterionId> {
        let is_open = |id: &CriterionId| Some(id) != but && !self.state.is_reached(id);
        self.named().into_iter().filter(is_open).collect()
    }

    /// All criteria that a test file may be named after.
    fn named(&self) -> Vec<CriterionId> {
        self.state.run.requirement.criteria.iter().map(|criterion| criterion.id.clone()).collect()
    }
}

/// Whether a run speaks for the work as far as its tests go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passes {
    Yes,
    No,
}

/// What a person is told of what tests left.
fn told_of(left: &[RelPath]) -> Option<Event> {
    let what: Vec<String> = left.iter().map(|path| format!("tests left {path}; put back")).collect();
    (!what.is_empty()).then_some(Event::Restored { what })
}

/// The `test_run` facts of these tests, for a corpus (contract section 11).
pub(super) fn facts<'a>(
    run: &TestRun,
    report: &'a TestReport,
    wanted: impl Fn(&'a tdd_core::test::TestResult) -> bool,
) -> Vec<Event> {
    let fact = |test: &tdd_core::test::TestResult| {
        let (status, kind) = match &test.outcome {
            Outcome::Passed => (PassFail::Pass, None),
            Outcome::Failed(failure) => (PassFail::Fail, Some(failure.kind)),
            Outcome::Skipped => return None,
        };
        Some(Event::TestRun(TestRunFact {
            test_id: test.id.clone(),
            test_id_source: TestIdSource::Native,
            status,
            kind,
            command: run.command.clone(),
            duration_ms: test.duration_ms,
            file: None,
            tree: None,
            output: None,
        }))
    };
    report.tests.iter().filter(|test| wanted(test)).filter_map(fact).collect()
}
