//! The classes of files.

use serde::{Deserialize, Serialize};

/// What a path is to the rules. The first class that fits, in the order of this list, is it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum FileClass {
    /// What running tests leaves: never counted as a change.
    ByProduct,
    /// Decides which tests run or how.
    Gate,
    /// Written by a package manager as dependencies change.
    Lock,
    /// Part gate, part ordinary: protected by key.
    Mixed,
    Test,
    Source,
}
