//! What a whole run of a suite came to.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::attempt::CheckpointId;
use crate::mapping::Without;
use crate::path::RelPath;
use crate::test::{Exit, TestId, is_zero};

/// One suite on the untouched tree: what is red here is left out of every later judgement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuiteBaseline {
    pub command: String,
    pub exit: Option<Exit>,
    /// Of the tests alone, where it can be told.
    pub duration_ms: u64,
    /// Of the build before them: the first one of a run says nothing about the next ones.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub build_ms: u64,
    pub greens: Vec<TestId>,
    /// Red in both runs.
    pub reds: Vec<TestId>,
    /// Red in one run of two.
    pub flaky: Vec<TestId>,
    pub skipped: usize,
    /// Skipped tests that share their id with another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped_namesakes: Vec<TestId>,
    /// Protected files that the suite itself wrote: what becomes of them while tests run is nobody's fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewritten: Vec<RelPath>,
    /// Code of tests that the suite itself wrote as it was: it may do so again, and nothing else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewritten_code: Vec<RelPath>,
    /// Tests that the report holds, whatever they did.
    pub collected: usize,
    pub log: String,
    /// What the runner itself has loaded beside tests.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub loaded: BTreeSet<RelPath>,
    /// Where installed modules lie in the repository, as [`crate::test::TestReport::import_roots`] says.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub import_roots: BTreeSet<String>,
    /// Files of tool folders (`node_modules`, `.venv`, …) that the baseline's runs wrote or removed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_in_tools: Vec<RelPath>,
}

impl SuiteBaseline {
    /// Tests that were seen and not green: nothing is owed by them.
    pub fn not_green(&self) -> BTreeSet<&TestId> {
        self.reds.iter().chain(&self.flaky).chain(&self.skipped_namesakes).collect()
    }
}

/// A whole run of the test command that a verdict rests on: what was judged by it is not judged again.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Judged {
    pub tree: CheckpointId,
    /// What took no part.
    #[serde(flatten)]
    pub without: Without,
    /// The files that its canary was like.
    pub imitated: Vec<RelPath>,
    /// Nothing was red that was not so at baseline.
    pub green: bool,
    pub collected: usize,
    /// Which of the findings' runs it is.
    pub run: usize,
}
