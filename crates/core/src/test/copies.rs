//! What changed copies of the judged tests told.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::TestId;

/// What became of copies of the judged tests in which one expectation each was changed (contract
/// section 7): each must fail by it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Copies {
    /// Tests whose changed copies failed as they must.
    pub seen: usize,
    /// Tests that pass whatever they expect, although what they expect is reached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub toothless: Vec<TestId>,
    /// Tests of which no copy tells anything.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub untold: Vec<Untold>,
}

impl Copies {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A test of which no copy tells anything.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Untold {
    pub test: TestId,
    pub why: UntoldWhy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum UntoldWhy {
    /// The grammar found no expectation in it that could be changed.
    NothingToChange,
    /// Its runner can't build a copy beside it.
    NoPlace,
    /// There were more tests or there was less time than the budget of a run takes.
    Budget,
    /// A copy in which nothing was changed fails too, or none ran: it can't be run twice.
    NotRepeatable,
    /// The changed expectation is never reached.
    NotReached,
    /// None of its expectations is.
    NeverReached,
    /// Its copies failed, but by something else than what they expect.
    Otherwise,
}

impl fmt::Display for UntoldWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NothingToChange => "no expectation was found in it that could be changed",
            Self::NoPlace => "no copy can be built beside it",
            Self::Budget => {
                "its turn did not come: a run has so many changed copies of tests, and so much time for them"
            }
            Self::NotRepeatable => "a copy of it fails even unchanged",
            Self::NotReached => "what it expects is not reached when it runs",
            Self::NeverReached => "nothing that it expects is reached when it runs",
            Self::Otherwise => "its copies fail by something else than what they expect",
        })
    }
}
