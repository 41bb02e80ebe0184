//! The folders in a run's folder that are all ours to make.

use std::path::Path;

use tdd_child::run_folder::{CANARIES, CHILDREN, LOGS, SEALED, SIDE_FILES, STATE, TESTS};
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints;

pub(super) const ALL: [&str; 8] =
    [SIDE_FILES, CANARIES, checkpoints::SCRATCH, CHILDREN, LOGS, SEALED, STATE, TESTS];

/// The trouble of one that is no folder any more.
pub(super) fn replaced_by_another(folder: &Path) -> Trouble {
    let kind = std::fs::read_link(folder).map_or_else(
        |_| "it is no folder".to_owned(),
        |target| format!("it is a link to {}", target.display()),
    );
    let what = format!(
        "{}, where the run's records lie, was replaced by somebody else while a child ran; nothing more will be done",
        folder.display()
    );
    Trouble::environment(what)
        .because(kind)
        .mend("see what did that (the agent of the last attempt could), and remove what lies there")
}
