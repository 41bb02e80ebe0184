//! How a run of `tdd fix` ended, for programs.

use serde::Serialize;

use super::parts::{SetAside, Step};
use super::usage::Used;
use tdd_core::event::RunId;
use tdd_core::finding::ClassedChange;
use tdd_core::path::RelPath;
use tdd_core::test::{Exit, TestId};

/// What a run of `tdd fix` came to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FixReport {
    pub outcome: Outcome,
    /// Why it halted, or was skipped.
    pub why: Option<String>,
    pub task: String,
    /// All else; not there where no check was run.
    #[serde(flatten)]
    pub run: Option<Box<FixRun>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Fixed,
    Halted,
    Skipped,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FixRun {
    pub run: RunId,
    /// Always `fixer`.
    pub role: String,
    pub agent: String,
    /// Fixers that were forked.
    pub forks: usize,
    pub retries: u8,
    /// What the best state's checks came to.
    pub checks: Vec<CheckReport>,
    /// Tests that had passed and do not any more.
    pub lost: Vec<TestId>,
    /// Tests that had failed and are not there any more.
    pub gone: Vec<TestId>,
    /// Whether every check could be made and read.
    pub loads: bool,
    /// Failures after each fixer, the first before any; `null` where it was not measured.
    pub rounds: Vec<Option<usize>>,
    pub changed: Vec<ClassedChange>,
    /// Files of `changed` that hold nothing any more.
    pub emptied: Vec<RelPath>,
    /// What no fixer may change, and was put back.
    pub put_back: Vec<String>,
    /// Why states were taken back whatever their checks said.
    pub taken_back: Vec<String>,
    /// The last lines of the fixer's last message, of a halt.
    pub said: Vec<String>,
    pub left_in_git: Vec<String>,
    pub set_aside: Vec<SetAside>,
    pub usage: Used,
    pub isolation: String,
    pub run_dir: String,
    pub next: Vec<Step>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckReport {
    pub command: String,
    /// What it is read as, in words.
    pub kind: String,
    /// Where it was found.
    pub source: String,
    pub green: bool,
    /// How its process ended.
    pub ended: Exit,
    pub failures: usize,
    pub tests_green: usize,
    pub tests_skipped: Vec<TestId>,
    /// Why it could not be made, or be read.
    pub unloaded: Option<String>,
    pub log: String,
    pub complaints: Vec<String>,
}
