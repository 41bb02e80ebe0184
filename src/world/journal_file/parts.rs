//! The folders in a run's folder, by name. What lies behind a link in the place of one is not ours.

use crate::world::checkpoints;

/// Payloads that are too long for a line, each named by its hash.
pub const SIDE_FILES: &str = "files";
/// Where canaries lie in the work tree, for whoever has to remove them.
pub const CANARIES: &str = "canaries";
/// The children that run, for whoever has to end them.
pub const CHILDREN: &str = "children";
/// What the agents said.
pub const LOGS: &str = "logs";
/// Copies of protected files.
pub const SEALED: &str = "sealed";
/// The agents' homes and sessions.
pub const STATE: &str = "state";
/// What the runs of the test command said, and their private folders.
pub const TESTS: &str = "tests";

pub(super) const ALL: [&str; 8] =
    [SIDE_FILES, CANARIES, checkpoints::SCRATCH, CHILDREN, LOGS, SEALED, STATE, TESTS];
