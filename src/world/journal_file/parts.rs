//! The folders in a run's folder that are all ours to make.

use tdd_child::run_folder::{CANARIES, CHILDREN, LOGS, SEALED, SIDE_FILES, STATE, TESTS};
use tdd_snapshot::checkpoints;

pub(super) const ALL: [&str; 8] =
    [SIDE_FILES, CANARIES, checkpoints::SCRATCH, CHILDREN, LOGS, SEALED, STATE, TESTS];
