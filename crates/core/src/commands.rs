//! The project's two commands and who reads them (contract section 5).

use crate::test::TestId;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Which of the two commands is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Suite {
    /// Judges RED and GREEN.
    Test,
    /// Judges REFACTOR; the stricter one.
    Gate,
}

/// Which adapter reads a test command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RunnerKind {
    Cargo,
    Nextest,
    Pytest,
    Unittest,
    Vitest,
    Jest,
    Bun,
    Node,
    Go,
    Deno,
    Junit,
    Tap,
    ExitCode,
}

impl RunnerKind {
    pub const ALL: [Self; 13] = [
        Self::Cargo,
        Self::Nextest,
        Self::Pytest,
        Self::Unittest,
        Self::Vitest,
        Self::Jest,
        Self::Bun,
        Self::Node,
        Self::Go,
        Self::Deno,
        Self::Junit,
        Self::Tap,
        Self::ExitCode,
    ];

    /// A test's id as this runner reports it, where sources spell a class and its test with `::`.
    pub fn spelt(self, id: TestId) -> TestId {
        match id.0.split_once("::") {
            Some((file, name)) if self == Self::Unittest => {
                TestId(format!("{file}::{}", name.replace("::", ".")))
            }
            Some(_) | None => id,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Nextest => "nextest",
            Self::Pytest => "pytest",
            Self::Unittest => "unittest",
            Self::Vitest => "vitest",
            Self::Jest => "jest",
            Self::Bun => "bun",
            Self::Node => "node",
            Self::Go => "go",
            Self::Deno => "deno",
            Self::Junit => "junit",
            Self::Tap => "tap",
            Self::ExitCode => "exit-code",
        }
    }
}

impl fmt::Display for RunnerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The commands as flags and `tdd.yaml` name them; the rest is found in the project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CommandSettings {
    /// `--test` and `--gate`.
    pub flag_test: Option<String>,
    pub flag_gate: Option<String>,
    /// `test:` and `gate:` of `tdd.yaml`.
    pub file_test: Option<String>,
    pub file_gate: Option<String>,
    /// `runner:` of `tdd.yaml`.
    pub runner: Option<RunnerTable>,
}

/// The commands as chosen, with where each came from, for the first line of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProjectCommands {
    pub test: String,
    pub test_source: String,
    pub gate: String,
    pub gate_source: String,
    pub runner: RunnerKind,
}

impl ProjectCommands {
    /// The same in other words: with secrets masked, to be kept and shown. Two commands that differ stay two.
    #[must_use = "this returns the commands in other words"]
    pub fn with_words(self, mask: impl Fn(&str) -> String) -> Self {
        let (test, gate) = (mask(&self.test), mask(&self.gate));
        let became_one = test == gate && self.test != self.gate;
        Self {
            gate: if became_one { format!("{gate} # not the test command") } else { gate },
            test,
            test_source: mask(&self.test_source),
            gate_source: mask(&self.gate_source),
            runner: self.runner,
        }
    }
}

/// `runner:` of `tdd.yaml`: how to run, select and read tests where no adapter can derive it
/// (contract section 5).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct RunnerTable {
    pub kind: RunnerKind,
    /// The command that runs all tests.
    pub all: String,
    /// The command that runs some test files; `{files}` stands for their paths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub select: Option<String>,
    /// Where the command leaves its report, relative to the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_differ_by_a_secret_alone_stay_two() {
        let commands = |test: &str, gate: &str| ProjectCommands {
            test: test.into(),
            test_source: "tdd.yaml".into(),
            gate: gate.into(),
            gate_source: "--gate".into(),
            runner: RunnerKind::Pytest,
        };
        let masked = |test, gate| {
            let masked = commands(test, gate).with_words(|text| text.replace("one", "*").replace("two", "*"));
            (masked.test, masked.gate)
        };
        assert_eq!(masked("T=one t", "T=one t"), ("T=* t".into(), "T=* t".into()));
        let (test, gate) = masked("T=one t", "T=two t");
        assert!(test != gate && gate.starts_with("T=* t"), "{gate}");
    }

    /// `tdd.yaml` and the journal are read by these names.
    #[test]
    fn an_adapter_is_shown_by_the_name_that_it_is_written_with() {
        for kind in RunnerKind::ALL {
            assert_eq!(kind.name(), kind.to_string());
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        }
    }
}
