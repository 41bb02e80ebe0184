//! What `tdd doctor` says of a project and its machine, as data.
//!
//! Nothing here is a verdict on a run: a run measures everything again for itself.

use serde::{Deserialize, Serialize};

use crate::test::Exit;
use crate::trouble::Trouble;

/// Whether a finding is in the way of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Grade {
    Ok,
    /// A run begins all the same, and the person should know.
    Warning,
    /// A run would be refused, or what it says would be worth less than it seems.
    Problem,
}

impl Grade {
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }
}

/// What was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Subject {
    Git,
    Settings,
    Agent,
    Sandbox,
    Ignored,
    Tools,
    Test,
    Gate,
    Requirements,
    Runs,
    Lock,
    Leftovers,
    Disk,
}

impl Subject {
    pub fn name(self) -> &'static str {
        match self {
            Self::Git => "git",
            Self::Settings => "settings",
            Self::Agent => "agent",
            Self::Sandbox => "sandbox",
            Self::Ignored => "ignored",
            Self::Tools => "tools",
            Self::Test => "test",
            Self::Gate => "gate",
            Self::Requirements => "requirements",
            Self::Runs => "runs",
            Self::Lock => "lock",
            Self::Leftovers => "leftovers",
            Self::Disk => "disk",
        }
    }
}

/// One thing that was looked at, and what is to be said of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    pub subject: Subject,
    pub grade: Grade,
    /// One sentence without a full stop.
    pub what: String,
    /// May be empty; may have several lines.
    pub why: String,
    /// What the person can do; empty where there is nothing to do.
    pub next: String,
}

impl Finding {
    pub fn ok(subject: Subject, what: impl Into<String>) -> Self {
        Self { subject, grade: Grade::Ok, what: what.into(), why: String::new(), next: String::new() }
    }

    /// What a run would refuse with this trouble, or what can't be found out because of it.
    pub fn problem(subject: Subject, trouble: Trouble) -> Self {
        let Trouble { what, why, next, .. } = trouble;
        Self { subject, grade: Grade::Problem, what, why, next }
    }

    pub fn warning(subject: Subject, trouble: Trouble) -> Self {
        Self { grade: Grade::Warning, ..Self::problem(subject, trouble) }
    }
}

/// What a command of the project did with a test that must fail, put into a copy of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It ended red, and what it says names that test.
    Seen,
    /// It ended red without naming the test: another rule may have refused the file.
    Unnamed,
    /// It let the test pass, and refused the file only when that was no program any more.
    OfBrokenSource,
    /// It ended well whatever the tests were.
    None,
    /// It could not be tried, and why.
    NotShown(String),
}

/// A command of the project, tried in a copy of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    pub command: String,
    /// Without any test of ours.
    pub exit: Exit,
    /// Tests that it collected and those of them that are red, where its runner tells.
    pub tests: Option<(usize, usize)>,
    /// Why a report that should be there is none.
    pub unreadable: Option<String>,
    /// The end of what it printed.
    pub said: String,
    pub refusal: Refusal,
    pub duration_ms: u64,
}
