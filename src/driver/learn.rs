//! What the project itself tells before anybody forked: which files its runner takes for tests,
//! and what its own commands leave behind.

use std::collections::BTreeSet;

use crate::core::attempt::CheckpointId;
use crate::core::audience::News;
use crate::core::path::RelPath;
use crate::core::policy::{self, FileClass, Learned};
use crate::core::test::TestId;
use crate::core::trouble::Trouble;
use crate::text::test_source::{self, Language};

use super::drive::Drive;
use super::ports::{Checkpoints, World};

/// Unprotected files that are named one by one.
const NAMED: usize = 20;

impl<W: World> Drive<'_, W> {
    /// Looks at checkpoint 0, the baseline and what lies between; does nothing before the baseline.
    pub(super) fn learn(&mut self) -> Result<(), Trouble> {
        let (Some(zero), Some(start)) = (self.state.zero.clone(), self.state.start.clone()) else {
            return Ok(());
        };
        let mut learned = Learned::default();
        learned.by_products.extend(self.setup.reports.iter().cloned());
        for path in self.ports.checkpoints.files(&zero)? {
            if self.setup.policy.looks_like_by_product(&path) {
                learned.kept.insert(path);
            }
        }
        // No child has run yet: what differs was left by the project's own commands. Tests and
        // gate files stay protected all the same.
        for change in self.ports.checkpoints.diff(&zero, &start)? {
            match self.setup.policy.classify(&change.path) {
                FileClass::Source | FileClass::Lock | FileClass::ByProduct => {
                    learned.by_products.insert(change.path);
                }
                FileClass::Test | FileClass::Gate | FileClass::Mixed => {}
            }
        }
        for path in self.reported_files() {
            if self.setup.policy.classify(&path) == FileClass::Source && self.holds_tests(&path)? {
                learned.tests.insert(path);
            }
        }
        self.setup.policy.learn(learned);
        self.name_unprotected(&zero)
    }

    /// Files that hold tests by their name, but are sources to the rules, in a language without a
    /// grammar: nobody can tell what of them is a test (contract section 7).
    fn name_unprotected(&mut self, zero: &CheckpointId) -> Result<(), Trouble> {
        let mut named = Vec::new();
        for path in self.ports.checkpoints.files(zero)? {
            let is_source = self.setup.policy.classify(&path) == FileClass::Source;
            if is_source && Language::of(path.extension()).is_none() && policy::names_a_test(&path) {
                named.push(path);
            }
        }
        for path in named.iter().take(NAMED) {
            self.audience.news(&News::Note(format!("unprotected tests: {path}")));
        }
        if named.len() > NAMED {
            let more = named.len() - NAMED;
            self.audience.news(&News::Note(format!("unprotected tests: {more} files more")));
        }
        Ok(())
    }

    /// The files that the baseline's ids name.
    fn reported_files(&self) -> BTreeSet<RelPath> {
        let Some(baseline) = &self.state.baseline else { return BTreeSet::new() };
        let ids = baseline.test.greens.iter().chain(&baseline.test.reds).chain(&baseline.test.flaky);
        let in_repository = |id: &TestId| {
            let path = id.0.split("::").next()?;
            RelPath::new(format!("{}/{path}", self.state.run.project).trim_start_matches('/'))
        };
        ids.filter_map(in_repository).collect()
    }

    /// Whether a file is a test file by what it holds. In Rust tests lie inside sources, so there
    /// a file that holds some says nothing about the whole of it.
    fn holds_tests(&mut self, path: &RelPath) -> Result<bool, Trouble> {
        let language = Language::of(path.extension()).filter(|language| *language != Language::Rust);
        let (Some(language), Some(zero)) = (language, self.state.zero.clone()) else { return Ok(false) };
        let source = self.ports.checkpoints.read(&zero, path)?.unwrap_or_default();
        Ok(!test_source::declared(language, &String::from_utf8_lossy(&source)).is_empty())
    }
}
