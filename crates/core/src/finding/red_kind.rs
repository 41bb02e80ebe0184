//! What kind of red a new test is.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What a red is (contract section 7); `Assertion`, `Error` and `Missing` are accepted as RED.
///
/// `Unrelated` comes of a command that can't be read test by test and was red before: its failure
/// says nothing of the new tests. Where tests can be read, a known or foreign test that fails is
/// named by its id instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum RedKind {
    Assertion,
    Error,
    Missing,
    Load,
    Unconditional,
    None,
    Passed,
    Unrelated,
    Flaky,
    Timeout,
    Crash,
}

impl RedKind {
    pub const ALL: [Self; 11] = [
        Self::Assertion,
        Self::Error,
        Self::Missing,
        Self::Load,
        Self::Unconditional,
        Self::None,
        Self::Passed,
        Self::Unrelated,
        Self::Flaky,
        Self::Timeout,
        Self::Crash,
    ];

    pub fn is_accepted(self) -> bool {
        match self {
            Self::Assertion | Self::Error | Self::Missing => true,
            Self::Load
            | Self::Unconditional
            | Self::None
            | Self::Passed
            | Self::Unrelated
            | Self::Flaky
            | Self::Timeout
            | Self::Crash => false,
        }
    }

    /// What a test of this kind does, for somebody who does not know the kinds by heart.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Assertion => "an expectation failed",
            Self::Error => "it ran and threw",
            Self::Missing => "what it asks for does not exist yet",
            Self::Load => "its file does not load for a reason that no new code can mend",
            Self::Unconditional => "it fails whatever the code does",
            Self::None => "it was not run, has a mark (skip, xfail), or it expects nothing that can fail",
            Self::Passed => "it passes before any code was written",
            Self::Unrelated => "only other tests fail",
            Self::Flaky => "two runs differ",
            Self::Timeout => "it did not end in time",
            Self::Crash => "its process died",
        }
    }

    /// What a reader had better do about a red that counts and proves less than a failed expectation.
    pub fn advice(self) -> Option<&'static str> {
        (self == Self::Missing).then_some(
            "its expectation was never seen failing, so read what it expects before you rely on it",
        )
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Assertion => "assertion",
            Self::Error => "error",
            Self::Missing => "missing",
            Self::Load => "load",
            Self::Unconditional => "unconditional",
            Self::None => "none",
            Self::Passed => "passed",
            Self::Unrelated => "unrelated",
            Self::Flaky => "flaky",
            Self::Timeout => "timeout",
            Self::Crash => "crash",
        }
    }
}

impl fmt::Display for RedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
