//! Checkouts beside the work tree.

use std::path::PathBuf;

use crate::path::RelPath;
use crate::trouble::Trouble;

/// What of that which git ignores a checkout brings along, by links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bring {
    /// What the project depends on: packages and environments.
    Dependencies,
    /// And what was there before the run, and was not changed since.
    Before,
    /// And whatever came meanwhile. Tools' caches never come along.
    Everything,
}

/// Checkouts of snapshots beside the work tree, for the final proof. The work tree is only read.
pub trait Bench {
    /// An empty folder for a checkout, at the same path each time.
    fn open(&mut self) -> Result<PathBuf, Trouble>;
    /// Brings along what git ignores; says what that was, less what the project depends on.
    fn bring(&mut self, what: Bring) -> Result<Vec<RelPath>, Trouble>;
    /// Paths of the work tree that the checkout leads to.
    fn leads_to(&self) -> Vec<PathBuf>;
    /// Writes files of the checkout, or removes them.
    fn put(&mut self, files: &[(RelPath, Option<Vec<u8>>)]) -> Result<(), Trouble>;
    /// Whether a file of the checkout is surely not this any more, or is gone.
    fn differs(&self, _path: &RelPath, _before: &[u8]) -> bool {
        false
    }
    /// The mode of a file of the checkout.
    fn mode(&self, _path: &RelPath) -> Option<u32> {
        None
    }
    /// Files of the checkout of this path, or one of its kind ([`crate::likeness`]).
    fn like(&self, _path: &RelPath) -> Vec<RelPath> {
        Vec::new()
    }
    /// What a small file of the checkout holds.
    fn read(&self, _path: &RelPath) -> Option<Vec<u8>> {
        None
    }
    /// When something of the work tree itself was last written or given another mode, by a clock that nobody sets.
    fn written_at(&self, _path: &RelPath) -> Option<(i64, i64)> {
        None
    }
    /// It is of no use any more.
    fn close(&mut self);
}
