//! Markdown tests: what came of one is an agent's word, and never more.

use serde::{Deserialize, Serialize};

use super::test::Exit;

/// What an agent's log says, or what is said of it when it says nothing that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Pass,
    Fail,
}

impl Status {
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
        }
    }
}

/// What came of one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Relative to the suite's root, with `/` between its parts.
    pub test: String,
    /// Where the agent was told to write its log; absolute. Empty if it came to no log.
    pub log: String,
    pub status: Status,
    /// Why it failed; `None` on success.
    pub reason: Option<String>,
    /// The line of the log that broke a rule of the front matter.
    pub line: Option<usize>,
    /// How the agent's program ended, for a diagnosis: it decides nothing. `None` if it never
    /// ran, or was stopped by us.
    pub exit: Option<Exit>,
    pub duration_ms: u64,
    /// The file with all that the program printed; kept for a test that failed.
    pub output: Option<String>,
}

/// What came of the Markdown test of a criterion (`verify: mdtest PATH`): an agent's word. It is
/// journalled and shown, and no verdict looks at it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AgentWord {
    pub test: String,
    pub status: Status,
    /// Why it failed; masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Where the log is kept; empty if there is none.
    pub log: String,
}

/// How many there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub total: usize,
    pub passed: usize,
    pub failed: usize,
}

impl Totals {
    pub fn of(outcomes: &[Outcome]) -> Self {
        let passed = outcomes.iter().filter(|outcome| outcome.status == Status::Pass).count();
        Self { total: outcomes.len(), passed, failed: outcomes.len() - passed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_add_up() {
        let outcome = |status| Outcome {
            test: "a.test.md".into(),
            log: "/a.log.md".into(),
            status,
            reason: None,
            line: None,
            exit: None,
            duration_ms: 1,
            output: None,
        };
        let all = [Status::Pass, Status::Fail, Status::Fail].map(outcome);
        assert_eq!(Totals::of(&all), Totals { total: 3, passed: 1, failed: 2 });
        assert_eq!(Totals::of(&[]), Totals::default());
        assert_eq!([Status::Pass.name(), Status::Fail.name()], ["pass", "fail"]);
    }
}
