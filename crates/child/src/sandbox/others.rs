//! Other people's and sessions' work trees inside this one: no child works there.

use std::path::PathBuf;

use super::fence::{Fence, Rule};
use super::paths::SandboxPaths;
use crate::other_work_trees;

/// For a role: they hold requirements and journals as well.
pub(super) fn mask(fence: &mut Fence, paths: &SandboxPaths) {
    for other in inside(paths) {
        fence.set(&other, Rule::Masked);
    }
}

/// For a command of the project's, which may look into them.
pub(super) fn protect(fence: &mut Fence, paths: &SandboxPaths) {
    for other in inside(paths) {
        fence.protect(&other);
    }
}

fn inside(paths: &SandboxPaths) -> Vec<PathBuf> {
    // The last one is what all work trees share.
    let inside = paths.git.last().map(|common| other_work_trees::inside(common, &paths.repository));
    inside.unwrap_or_default().into_iter().map(|other| paths.repository.join(other)).collect()
}
