//! Markdown tests: what came of one is an agent's word, and never more.

use serde::{Deserialize, Serialize};

use crate::test::Exit;

/// What an agent's log says, or what is said of it when it says nothing that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// Who says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Voice {
    /// The agent's log.
    #[default]
    Agent,
    /// `tdd`, since there is no word of the agent's that counts.
    Tdd,
}

impl Voice {
    pub fn is_agent(&self) -> bool {
        *self == Self::Agent
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
    pub voice: Voice,
    /// Why it failed; `None` on success. The agent's own reason, where it is the agent that says so.
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

impl Outcome {
    /// Why it failed, and who says so.
    pub fn words(&self) -> String {
        let reason = self.reason.as_deref();
        match (self.status, self.voice) {
            (Status::Pass, _) => String::new(),
            (Status::Fail, Voice::Tdd) => reason.unwrap_or("no reason is known").to_owned(),
            (Status::Fail, Voice::Agent) => reason.map_or_else(
                || "the agent says fail".to_owned(),
                |why| format!("the agent says fail: {why}"),
            ),
        }
    }
}

/// A test that a suite which was cut short came to no outcome of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    pub test: String,
    pub how: Cut,
}

/// How far such a test came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Its agent was at work, or could not be started; why it was cut off.
    Interrupted(String),
    NotRun,
}

impl Cut {
    pub fn name(&self) -> &'static str {
        match self {
            Self::Interrupted(_) => "interrupted",
            Self::NotRun => "not run",
        }
    }
}

/// What came of a suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Results {
    /// Of each test that ended, in the order of the tests.
    pub outcomes: Vec<Outcome>,
    /// The others; none if the suite was not cut short.
    pub unfinished: Vec<Unfinished>,
}

/// What came of the Markdown test of a criterion (`verify: mdtest PATH`): an agent's word. It is
/// journalled and shown, and no verdict looks at it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentWord {
    pub test: String,
    pub status: Status,
    #[serde(default, skip_serializing_if = "Voice::is_agent")]
    pub voice: Voice,
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
    pub interrupted: usize,
    pub not_run: usize,
}

impl Totals {
    pub fn of(results: &Results) -> Self {
        let Results { outcomes, unfinished } = results;
        let passed = outcomes.iter().filter(|outcome| outcome.status == Status::Pass).count();
        let not_run = unfinished.iter().filter(|test| test.how == Cut::NotRun).count();
        Self {
            total: outcomes.len() + unfinished.len(),
            passed,
            failed: outcomes.len() - passed,
            interrupted: unfinished.len() - not_run,
            not_run,
        }
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
            voice: Voice::Agent,
            reason: None,
            line: None,
            exit: None,
            duration_ms: 1,
            output: None,
        };
        let all = [Status::Pass, Status::Fail, Status::Fail].map(outcome);
        let cut = |how| Unfinished { test: "b.test.md".into(), how };
        let unfinished = vec![cut(Cut::Interrupted("why".into())), cut(Cut::NotRun), cut(Cut::NotRun)];
        let results = Results { outcomes: all.into(), unfinished };
        let want = Totals { total: 6, passed: 1, failed: 2, interrupted: 1, not_run: 2 };
        assert_eq!(Totals::of(&results), want);
        assert_eq!(Totals::of(&Results::default()), Totals::default());
        assert_eq!([Status::Pass.name(), Status::Fail.name()], ["pass", "fail"]);
    }
}
