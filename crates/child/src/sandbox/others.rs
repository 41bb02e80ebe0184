//! Other people's and sessions' work trees inside this one: no child works there.

use std::path::{Path, PathBuf};

use super::fence::{Fence, Rule};
use crate::other_work_trees;

/// For a role: they hold requirements and journals as well.
pub(super) fn mask(fence: &mut Fence, inside: &[PathBuf]) {
    for other in inside {
        fence.set(other, Rule::Masked);
    }
}

/// For a command of the project's, which may look into them.
pub(super) fn protect(fence: &mut Fence, inside: &[PathBuf]) {
    for other in inside {
        fence.protect(other);
    }
}

/// Those in this repository, whose folders of git's are these.
pub(super) fn inside(git: &[PathBuf], repository: &Path) -> Vec<PathBuf> {
    // The last one is what all work trees share.
    let inside = git.last().map(|common| other_work_trees::inside(common, repository));
    inside.unwrap_or_default().into_iter().map(|other| repository.join(other)).collect()
}
