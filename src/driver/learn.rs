//! What the project itself tells before anybody forked: which files its runner takes for tests,
//! and what its own commands leave behind.

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::audience::News;
use tdd_core::counted::and_more;
use tdd_core::event::Event;
use tdd_core::finding::{ClassedChange, TestAware};
use tdd_core::likeness;
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, TOLD_SUPPORT};
use tdd_core::test::{TestId, TestRun};
use tdd_core::trouble::Trouble;

use super::cycle::Drive;
use super::whose::is_of_a_canary;
use tdd_core::ports::{Protection, World};
use tdd_source::Language;

/// Unprotected files that are named one by one.
const NAMED: usize = 20;

impl<W: World> Drive<'_, W> {
    /// Looks at checkpoint 0, the baseline and what lies between, and settles the policy by it; does nothing
    /// before the baseline.
    pub(super) fn learn(&mut self) -> Result<Option<Event>, Trouble> {
        let (Some(zero), Some(start)) = (self.state.facts.zero.clone(), self.state.start.clone()) else {
            return Ok(None);
        };
        let reported = (self.reported_files(), &self.loaded_at_baseline());
        let theirs = self.state.facts.theirs.clone();
        let learned = self.diff().learned((&zero, &start), reported, &theirs)?;
        let before = self.files_of_zero()?;
        let written = self.suite_rewrites().into_iter().chain(learned.by_products.iter().cloned());
        self.own.left = written.filter(|path| !before.contains(path)).collect();
        let settled = self.settle_policy(learned);
        let mut rewritten = self.suite_rewrites();
        rewritten.extend(self.suite_rewrites_code().iter().cloned());
        self.ports.protection.let_rewrite(&rewritten);
        let left = self.state.baseline.as_ref().map(|baseline| baseline.test.left_in_tools.clone());
        self.ports.protection.learn_tools(&left.unwrap_or_default());
        self.name_unprotected(&zero)?;
        Ok(Some(settled))
    }

    /// What the suite itself was seen writing at the baseline.
    pub(super) fn suite_rewrites(&self) -> Vec<RelPath> {
        self.state.baseline.as_ref().map(|baseline| baseline.test.rewritten.clone()).unwrap_or_default()
    }

    /// What the runner itself had loaded then, beside tests.
    fn loaded_at_baseline(&self) -> BTreeSet<RelPath> {
        self.state.baseline.as_ref().map(|baseline| baseline.test.loaded.clone()).unwrap_or_default()
    }

    /// Files of this work that the runner has come to load by itself, and nothing else of the project does: what decides
    /// how tests run, whatever it is called. No role but a requirement may bring that.
    pub(super) fn newly_loaded(
        &mut self,
        run: &TestRun,
        changed: &[ClassedChange],
        tree: &CheckpointId,
    ) -> Result<Vec<RelPath>, Trouble> {
        let Some(report) = &run.report else { return Ok(Vec::new()) };
        let known = self.loaded_at_baseline();
        let is_new = |path: &RelPath| report.loaded.contains(path) && !known.contains(path);
        let is_own = |change: &&ClassedChange| change.class == FileClass::Source && is_new(&change.path);
        let new: BTreeSet<RelPath> =
            changed.iter().filter(is_own).map(|change| change.path.clone()).collect();
        if new.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.diff().loaded_alone(tree, &new, &report.loaded)?.into_iter().collect())
    }

    /// Sources of this work by which tests take something else than what is installed.
    pub(super) fn newly_hiding(
        &mut self,
        run: &TestRun,
        changed: &[ClassedChange],
    ) -> Result<Vec<TestAware>, Trouble> {
        match (&run.report, self.state.facts.zero.clone()) {
            (Some(report), Some(zero)) => self.diff().hiding((&zero, &report.hiding), changed),
            (None, _) | (_, None) => Ok(Vec::new()),
        }
    }

    /// Code of tests that it was seen writing as it was.
    pub(super) fn suite_rewrites_code(&self) -> &[RelPath] {
        self.state
            .baseline
            .as_ref()
            .map(|baseline| baseline.test.rewritten_code.as_slice())
            .unwrap_or_default()
    }

    /// Whether a new file was left for a canary's test, or is like one that the suite itself left at the baseline: of
    /// its name, in new folders below the same one. Tests that make folders of their own give those other names each time, and
    /// others name what they leave by time or process, but no code.
    pub(super) fn is_like_a_leftover(&self, path: &RelPath, known: &BTreeSet<RelPath>) -> bool {
        let place = |path: &RelPath| {
            let ends = path.as_str().rmatch_indices('/').map(|(at, _)| &path.as_str()[..at]);
            let mut folders = ends.filter(|folder| known.iter().any(|file| file.is_within(folder)));
            let folder = folders.next().unwrap_or_default();
            // What lies in a known folder itself may be loaded with all that is there.
            let is_in_a_new_one = path.as_str().len() > folder.len() + 1 + path.file_name().len();
            is_in_a_new_one.then(|| (folder.to_owned(), path.file_name().to_owned()))
        };
        if known.contains(path) {
            return false;
        }
        let is_code = Language::of(path.extension()).is_some();
        let is_alike = |left: &RelPath| !is_code && likeness::is_named_like(left, path);
        if is_of_a_canary(path) {
            return true;
        }
        let own = place(path);
        self.own.left.iter().any(|left| is_alike(left) || (own.is_some() && place(left) == own))
    }

    /// Files that hold tests by their name, but are sources to the rules, in a language without a
    /// grammar: nobody can tell what of them is a test (contract section 7).
    fn name_unprotected(&mut self, zero: &CheckpointId) -> Result<(), Trouble> {
        let named = self.diff().unprotected_tests(zero)?;
        let support = &self.policy.effective().learned.support;
        for note in unprotected_notes(&named).into_iter().chain(support_note(support)) {
            self.audience.news(&note);
        }
        Ok(())
    }

    /// The files that the baseline's ids name.
    pub(super) fn reported_files(&self) -> BTreeSet<RelPath> {
        let Some(baseline) = &self.state.baseline else { return BTreeSet::new() };
        let ids = baseline.test.greens.iter().chain(&baseline.test.reds).chain(&baseline.test.flaky);
        ids.filter_map(|id| self.file_of(id)).collect()
    }

    /// The file that an id begins with.
    pub(super) fn file_of(&self, id: &TestId) -> Option<RelPath> {
        RelPath::new(format!("{}/{}", self.state.run.project, id.file()).trim_start_matches('/'))
    }
}

/// What a person is told of what tests alone rest on.
pub(super) fn support_note(support: &BTreeSet<RelPath>) -> Option<News> {
    let named: Vec<&str> = support.iter().take(TOLD_SUPPORT).map(RelPath::as_str).collect();
    let more = and_more(support.len() - named.len());
    let note = format!("protected like tests, which alone rest on it: {}{more}", named.join(", "));
    (!named.is_empty()).then_some(News::Note(note))
}

/// What a person is told of them.
pub(super) fn unprotected_notes(named: &[RelPath]) -> Vec<News> {
    let mut notes: Vec<String> =
        named.iter().take(NAMED).map(|path| format!("unprotected tests: {path}")).collect();
    if named.len() > NAMED {
        notes.push(format!("unprotected tests: {} files more", named.len() - NAMED));
    }
    notes.into_iter().map(News::Note).collect()
}
