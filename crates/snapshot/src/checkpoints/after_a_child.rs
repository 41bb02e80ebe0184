//! What is told where git fails after a child.

use std::path::Path;

use super::GitCheckpoints;
use tdd_core::trouble::Trouble;

impl GitCheckpoints {
    /// A trouble with git after a child, with what is known of its cause: what git says of a
    /// folder that was destroyed sounds like a fault of ours or of the disk.
    pub(super) fn after_a_child(&self, trouble: Trouble, label: &str) -> Trouble {
        let folder = |path: &Path| path.is_dir();
        let trouble = if !folder(&self.place.git_dir) || !folder(&self.place.common_dir.join("objects")) {
            trouble.mend(
                "the repository's commits and the run's checkpoints were in it: bring it back from where it was \
                 moved or from a copy (without one they are gone, and only the files of the work tree are left)",
            )
        } else if !folder(&self.folders.for_objects()) {
            trouble.advise(
                "the run's own folder is gone, so this run can't go on: start anew with `tdd <FR> --new`; its \
                 checkpoints stay under refs/tdd/",
            )
        } else if self.refs.values().any(|commit| !self.own.holds(commit)) {
            trouble.advise(
                "checkpoints of this run were deleted from the repository, and other objects may be: run \
                 `git fsck`, bring what it misses back from a clone, then start anew with `tdd <FR> --new`",
            )
        } else if self.place.is_as_found() {
            return trouble;
        } else {
            trouble
        };
        let attempt =
            label.strip_prefix("after-").or_else(|| label.strip_prefix("restored-")).unwrap_or(label);
        let when = if attempt == "end" {
            "while the last child ran".to_owned()
        } else {
            format!("while the child of the attempt {attempt} ran")
        };
        let what = format!("{}; the cause arose {when}", trouble.what);
        Trouble { what, ..trouble }
    }
}
