//! What this process has seen to be put back after tests ran.

use std::collections::BTreeMap;

use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;

/// New files that were put back after tests ran, as this process saw them: it has put back each of them before
/// the next such look.
#[derive(Default)]
pub(super) struct Sightings(pub(super) Vec<Sighting>);

pub(super) struct Sighting {
    pub(super) kept: CheckpointId,
    /// Each with whether it is known by now that tests make it.
    pub(super) new: BTreeMap<RelPath, bool>,
}
