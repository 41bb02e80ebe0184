//! `tdd fix`: run the checks, ask a fixer, run them again. A machine of its own, smaller than the
//! cycle's, and a fold over the same kind of journal.
//!
//! ```text
//! opening ──checkpoint_zero──► measuring ◄──agent_returned── forked
//!                                  │                           ▲
//!                                  │ fix_measured              │ attempt_started
//!                                  ├─ the best is green ─► finishing ──finished──► ended
//!                                  ├─ worse than the best ─► taking-back ──work_rolled_back──┐
//!                                  ├─ a retry is left ─► due ─────────────────►─┘            │
//!                                  └─ none is left ─► halting ──halted──► ended   ◄─────────-┘ (due or halting)
//! ```
//!
//! What an agent says leads nowhere but to another run of the checks. An answer that did not come,
//! or one that disputes a test, ends the loop after that run.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::attempt::{AgentReturn, Attempt, CheckpointId};
use crate::commands::RunnerKind;
use crate::facts::Facts;
use crate::finding::{ClassedChange, RunRef, TestAware};
use crate::path::RelPath;
use crate::role::Asked;
use crate::run_name::RunId;
use crate::test::TestId;
use crate::usage::{CapPlan, Tally};

pub mod classify;
mod machine;
mod must_pass;
mod score;

pub use machine::FixEffect;
pub use must_pass::{MustPass, Skips, Told, Unloaded};
pub use score::{Fault, Score};

/// How often a fixer is asked if nothing is said.
pub const RETRIES: u8 = 3;
/// Complaints of one check that are kept: so many of the first and so many of the last.
pub const KEPT_COMPLAINTS: usize = 50;

/// A program that checks types, and whose output is read error by error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TypeChecker {
    Tsc,
    Cargo,
    Mypy,
    Go,
}

impl TypeChecker {
    pub fn name(self) -> &'static str {
        match self {
            Self::Tsc => "tsc",
            Self::Cargo => "cargo check",
            Self::Mypy => "mypy",
            Self::Go => "go vet",
        }
    }
}

/// What a check is, and so who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CheckKind {
    Types(TypeChecker),
    Tests(RunnerKind),
    /// Read by its exit code alone.
    Command,
}

/// One command that has to pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    pub kind: CheckKind,
    pub command: String,
    /// `--check`, `tdd.yaml`, `found Cargo.toml`.
    pub source: String,
    /// Milliseconds.
    pub deadline_ms: u64,
}

/// What an agent or a role writes: `code: false` in `tdd.yaml` says that it is no code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Writes {
    #[default]
    Code,
    Documents,
}

impl From<bool> for Writes {
    /// As the key `code` says it.
    fn from(code: bool) -> Self {
        if code { Self::Code } else { Self::Documents }
    }
}

/// Whether the fixer may change test files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TestEdits {
    #[default]
    Refused,
    /// `--allow-test-edits`: gate files stay protected.
    Allowed,
}

/// All that was decided before the first check ran.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FixStarted {
    pub run: RunId,
    pub version: String,
    /// The title of the task whose work is to be mended; masked.
    pub task: String,
    pub checks: Vec<Check>,
    pub agent: String,
    /// Where the project lies in the repository; empty for the root.
    pub project: String,
    pub retries: u8,
    pub test_edits: TestEdits,
    #[serde(default, skip_serializing_if = "CapPlan::is_none")]
    pub caps: CapPlan,
}

/// One type error or failed test, bounded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Complaint {
    /// The test, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TestId>,
    pub text: String,
}

/// What one run of one check came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckFinding {
    pub run: RunRef,
    pub passed: Passed,
    /// Tests that passed, sorted.
    pub greens: Vec<TestId>,
    /// Tests that failed, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reds: Vec<TestId>,
    /// Tests that were skipped, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<TestId>,
    /// Before the first fixer: files whose tests are not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unloaded_files: Vec<Unloaded>,
    /// The first and the last; empty if nothing could be parsed.
    pub complaints: Vec<Complaint>,
    /// How many there are in all; 1 for a failure that could not be parsed.
    pub failures: usize,
    /// How many of them are tests that were red and neither passed nor failed this time.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub evaded: usize,
    /// Why the check could not be made, or be read: what does not load is worse than what fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unloaded: Option<String>,
}

/// By exit code and report together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Passed {
    Yes,
    No,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl CheckFinding {
    pub fn is_green(&self) -> bool {
        self.passed == Passed::Yes
    }
}

/// What was measured of one state of the tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FixFindings {
    /// The tree that was measured.
    pub tree: CheckpointId,
    /// One for each check, in their order.
    pub checks: Vec<CheckFinding>,
    /// What the fixer changed, less by-products.
    pub changed: Vec<ClassedChange>,
    /// Protected files that it, or a run of its code, changed; put back before the checks ran.
    pub put_back: Vec<RelPath>,
    /// Sources in which a test was changed or removed: they can't be put back without the work.
    pub weakened: Vec<RelPath>,
    /// Protected files that were changed while the checks ran: what was judged may have been another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rewritten: Vec<RelPath>,
    /// Files of installed tools that were changed: no copy was kept that could be put back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<RelPath>,
    /// Sources that behave otherwise under test: no more acceptable than a changed test.
    #[serde(rename = "slanted")]
    pub test_aware: Vec<TestAware>,
    /// Known greens that failed once and passed when run again.
    pub flaky: Vec<TestId>,
}

/// How findings were judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FixJudgement {
    /// The state is no worse than the best one so far, and is the best one now.
    pub kept: bool,
    /// All checks are green on it, by honest work.
    pub fixed: bool,
}

impl FixFindings {
    pub fn failures(&self) -> usize {
        self.checks.iter().map(|check| check.failures).sum()
    }

    fn greens(&self) -> BTreeSet<&TestId> {
        self.checks.iter().flat_map(|check| &check.greens).collect()
    }
}

/// One state of the tree: as it was at the start, or as a fork left it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Round {
    /// `None` for the start.
    pub attempt: Option<Attempt<Asked>>,
    pub outcome: Option<Box<AgentReturn>>,
    pub findings: Option<FixFindings>,
    pub used: Tally,
    pub kept_as: Option<CheckpointId>,
}

impl Round {
    /// How many failures were left; `None` if it was not measured.
    pub fn failures(&self) -> Option<usize> {
        self.findings.as_ref().map(FixFindings::failures)
    }
}

/// Where a run of `tdd fix` stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FixPhase {
    Opening,
    Measuring,
    Due,
    Forked,
    /// The last round is worse than the best one; the tree goes back to that.
    TakingBack {
        to: CheckpointId,
        then: AfterTakingBack,
    },
    Halting {
        why: FixHalt,
    },
    Finishing,
    Ended {
        end: FixEnd,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AfterTakingBack {
    Retry,
    Halt(FixHalt),
}

/// Why the loop ended without all checks green.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FixHalt {
    RetriesSpent,
    /// The last fixer ended without a final message, or was stopped.
    NoAnswer,
    /// The last fixer says that a test is wrong; a person decides.
    Disputed,
}

impl FixHalt {
    pub fn words(self) -> &'static str {
        match self {
            Self::RetriesSpent => "the retries are spent",
            Self::NoAnswer => "the fixer did not answer",
            Self::Disputed => "the fixer says that a test is wrong; a person decides",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FixEnd {
    /// All checks are green by our own runs.
    Fixed,
    Halted(FixHalt),
    /// Refused before the first child came back.
    Refused,
}

/// All that is known of a run of `tdd fix`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FixState {
    pub run: FixStarted,
    pub phase: FixPhase,
    pub facts: Facts,
    /// The start, then one for each fork.
    pub rounds: Vec<Round>,
    /// Which of them is the best that was measured.
    pub best: Option<usize>,
    /// Tests that were green in a state that was once the best.
    pub known: BTreeSet<TestId>,
    /// Tests that were red before the first fixer; one entry for each check.
    pub must_pass: Vec<MustPass>,
}

impl FixState {
    /// The state right after `fix_started`.
    pub fn open(run: FixStarted) -> Self {
        Self {
            run,
            phase: FixPhase::Opening,
            facts: Facts::default(),
            rounds: vec![Round::default()],
            best: None,
            known: BTreeSet::new(),
            must_pass: Vec::new(),
        }
    }

    /// The best state of the tree that was measured, and what was measured of it.
    pub fn best(&self) -> Option<&FixFindings> {
        self.rounds.get(self.best?)?.findings.as_ref()
    }

    /// What all children used.
    pub fn used(&self) -> Tally {
        let mut all = Tally::default();
        self.rounds.iter().for_each(|round| all.join(&round.used));
        all
    }
}

#[cfg(test)]
mod tests;
