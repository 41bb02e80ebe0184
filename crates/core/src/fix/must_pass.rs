//! Tests that a run of `tdd fix` owes: those that were red before the first fixer must have passed
//! at the end (contract section 7, *what counts as a passing run*). One that is skipped, or is in no
//! report any more, has not passed, however green the command is.
//!
//! A name may change without a cheat where it is made of values (`test_a[3]`, a title of `test.each`),
//! so a test that is gone is forgiven where its file shows as many tests as it did, and none of them
//! is skipped that was not. Of a file that did not load nobody knows the names: some test of it must
//! pass, and none may be skipped unless the file itself speaks of skipping.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{CheckFinding, Complaint, Passed};
use crate::path::RelPath;
use crate::test::TestId;

/// A file of which no test was known before the first fixer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unloaded {
    pub file: RelPath,
    pub told: Told,
    pub skips: Skips,
}

/// How a file came to be one whose tests are not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// The runner named it, so it takes part: some test of it has to pass.
    ByName,
    /// Nothing loaded at all, and whether it takes part is not known.
    ByNobody,
}

/// Whether a file speaks of skipping tests: then a skip may be its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Skips {
    Itself,
    Never,
}

/// What one check owes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MustPass {
    reds: BTreeSet<TestId>,
    /// Skipped before any fixer.
    skipped: BTreeSet<TestId>,
    /// How many tests a file showed before any fixer; by the part of an id that names it.
    sizes: BTreeMap<String, usize>,
    unloaded: Vec<Unloaded>,
}

impl MustPass {
    /// What the check came to before the first fixer.
    pub fn at_start(finding: &CheckFinding) -> Self {
        let mut sizes: BTreeMap<String, usize> = BTreeMap::new();
        for id in finding.greens.iter().chain(&finding.reds).chain(&finding.skipped) {
            *sizes.entry(file_of(id).to_owned()).or_default() += 1;
        }
        Self {
            reds: finding.reds.iter().cloned().collect(),
            skipped: finding.skipped.iter().cloned().collect(),
            sizes,
            unloaded: finding.unloaded_files.clone(),
        }
    }

    /// What was red in a state that was kept, in a file that did not load before, is owed too.
    pub fn learn(&mut self, finding: &CheckFinding) {
        for id in &finding.reds {
            if self.unloaded.iter().any(|unloaded| is_of(id, &unloaded.file)) {
                self.reds.insert(id.clone());
            }
        }
    }

    /// Adds to a finding what it owes and does not show: each is a failure of the check. What does not
    /// load shows nothing, and is red already.
    pub fn hold(&self, finding: &mut CheckFinding) {
        if finding.unloaded.is_some() {
            return;
        }
        let mut evaded = Vec::new();
        for id in &self.reds {
            if finding.shows(id) {
                continue;
            }
            if finding.skipped.binary_search(id).is_ok() {
                evaded.push(complaint(id, "it failed before, and is skipped now"));
            } else if !self.is_replaced(file_of(id), finding) {
                evaded.push(complaint(id, "it failed before, and is in no report now"));
            }
        }
        for unloaded in &self.unloaded {
            let is_of = |id: &&TestId| is_of(id, &unloaded.file);
            let shown = finding.greens.iter().chain(&finding.reds).any(|id| is_of(&id));
            if unloaded.told == Told::ByName && !shown {
                let text = format!("{}: it did not load before, and no test of it passes now", unloaded.file);
                evaded.push(Complaint { test: None, text });
            }
            if unloaded.skips == Skips::Never {
                let skipped = finding.skipped.iter().filter(is_of);
                let new = skipped.filter(|id| !self.skipped.contains(*id) && !self.reds.contains(*id));
                evaded.extend(
                    new.map(|id| complaint(id, "its file did not load before, and it is skipped now")),
                );
            }
        }
        if !evaded.is_empty() {
            finding.passed = Passed::No;
            finding.failures += evaded.len();
            finding.evaded += evaded.len();
            evaded.truncate(super::KEPT_COMPLAINTS);
            finding.complaints.splice(0..0, evaded);
        }
    }

    /// Tests that were red, and whose file shows others in their place.
    pub fn gone<'a>(&'a self, finding: &'a CheckFinding) -> impl Iterator<Item = &'a TestId> {
        self.reds.iter().filter(|id| !finding.shows(id) && finding.skipped.binary_search(id).is_err())
    }

    fn is_replaced(&self, file: &str, finding: &CheckFinding) -> bool {
        let is_here = |id: &&TestId| file_of(id) == file;
        let shown = finding.greens.iter().chain(&finding.reds).filter(is_here).count();
        let mut skipped = finding.skipped.iter().filter(is_here);
        let before = self.skipped.iter().filter(is_here).count();
        shown + before >= self.sizes.get(file).copied().unwrap_or_default()
            && skipped.all(|id| self.skipped.contains(id))
    }
}

impl CheckFinding {
    /// Whether the test passed or failed in it.
    fn shows(&self, id: &TestId) -> bool {
        self.greens.binary_search(id).is_ok() || self.reds.binary_search(id).is_ok()
    }
}

fn complaint(id: &TestId, what: &str) -> Complaint {
    Complaint { test: Some(id.clone()), text: format!("{id}: {what}") }
}

/// The part of an id that names its file, relative to the project.
fn file_of(id: &TestId) -> &str {
    id.0.split_once("::").map_or("", |(file, _)| file)
}

/// Whether a test is of a file that is named relative to the repository.
fn is_of(id: &TestId, file: &RelPath) -> bool {
    let below = file_of(id);
    let above = file.as_str().strip_suffix(below);
    !below.is_empty() && above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
}
