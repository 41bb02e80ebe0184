//! One run of one test, as a corpus wants it.

use serde::{Deserialize, Serialize};

use crate::attempt::{CheckpointId, Digest};
use crate::path::RelPath;
use crate::test::{FailureKind, TestId};

/// The fields of source document 000.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestRunFact {
    pub test_id: TestId,
    pub test_id_source: TestIdSource,
    pub status: PassFail,
    /// Beside `fail`: how it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<FailureKind>,
    pub command: String,
    pub duration_ms: u64,
    /// The file that holds it, relative to the repository, where its id does not tell; in a session's journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<RelPath>,
    /// The tree that it ran on; in a session's journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<CheckpointId>,
    /// The side file with what the run printed, bounded and masked; in a session's journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Digest>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum TestIdSource {
    Native,
    Annotation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PassFail {
    Pass,
    Fail,
}
