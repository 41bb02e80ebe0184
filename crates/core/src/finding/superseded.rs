//! Old tests whose expectation a criterion changes.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::RedKind;
use crate::criterion::CriterionId;
use crate::test::TestId;

/// An existing test that the block's `supersedes:` names.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Superseded {
    pub criterion: CriterionId,
    pub id: TestId,
    /// The file that holds it really changed since checkpoint 0.
    pub changed: bool,
    pub kind: RedKind,
}

/// An existing test that the block's `supersedes:` names, that passes as it did, and that differs from what it was in
/// numbers and texts alone: its own example says something else once the criterion holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MovedExample {
    pub criterion: CriterionId,
    pub id: TestId,
}

/// A name in `supersedes:` that is no existing test's.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoSuchTest {
    pub named: TestId,
    /// The existing test that may be meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<TestId>,
}

impl fmt::Display for NoSuchTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`supersedes:` names a test that was not among those before the run: {}", self.named)?;
        match &self.nearest {
            Some(nearest) => write!(f, "; did you mean {nearest}?"),
            None => f.write_str("; name existing tests as the runner calls them"),
        }
    }
}
