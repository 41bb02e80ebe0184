//! What a run asks of git.

use std::path::Path;

use crate::attempt::CheckpointId;
use crate::finding::Change;
use crate::path::RelPath;
use crate::trouble::Trouble;

/// Snapshots of the work tree as git objects, outside the user's branch and index.
pub trait Checkpoints {
    /// Snapshots tracked and unignored files byte for byte under `refs/tdd/<run>/<label>`; gives the commit.
    fn take(&mut self, label: &str) -> Result<CheckpointId, Trouble>;
    /// The tree with those of these files besides that git ignores, as they are now; `tree` itself if there are none.
    fn with_ignored(&mut self, tree: &CheckpointId, _: &[RelPath]) -> Result<CheckpointId, Trouble> {
        Ok(tree.clone())
    }
    /// Gives a checkpoint that was taken this label too.
    fn label(&mut self, label: &str, checkpoint: &CheckpointId) -> Result<(), Trouble>;
    /// Every label is on the disk then.
    fn write_labels(&mut self) -> Result<(), Trouble>;
    /// All differences, by-products included, sorted by path.
    fn diff(&mut self, from: &CheckpointId, to: &CheckpointId) -> Result<Vec<Change>, Trouble>;
    /// The files of submodules that differ, one by one: [`Checkpoints::diff`] names a submodule as a whole.
    fn inner_changes(&mut self, _from: &CheckpointId, _to: &CheckpointId) -> Result<Vec<RelPath>, Trouble> {
        Ok(Vec::new())
    }
    /// Makes the work tree equal to `to`: unignored files that `to` lacks are removed.
    fn restore_all(&mut self, to: &CheckpointId) -> Result<(), Trouble> {
        self.restore_all_but(to, &[])
    }
    /// The same, but for these paths.
    fn restore_all_but(&mut self, to: &CheckpointId, spared: &[RelPath]) -> Result<(), Trouble>;
    /// Makes just these paths as they are in `to` (absent there: removed).
    fn restore(&mut self, to: &CheckpointId, paths: &[RelPath]) -> Result<(), Trouble>;
    /// The differences of these paths as a unified diff for a person, at most 64 KiB.
    fn patch(&mut self, from: &CheckpointId, to: &CheckpointId, paths: &[RelPath])
    -> Result<String, Trouble>;
    /// The bytes of a regular file in a snapshot; `None` if there is none.
    fn read(&mut self, at: &CheckpointId, path: &RelPath) -> Result<Option<Vec<u8>>, Trouble>;
    /// All files of a snapshot, sorted.
    fn files(&mut self, at: &CheckpointId) -> Result<Vec<RelPath>, Trouble>;
    /// Writes all files of a snapshot into a folder, byte for byte, with their modes and links.
    fn lay(&mut self, _at: &CheckpointId, _to: &Path) -> Result<(), Trouble> {
        Err(Trouble::internal("these snapshots can't be laid out"))
    }
    /// Puts into a folder in which a snapshot lies each of these files as git gives it back to whoever clones a commit
    /// of it (ends of lines, modes), where that is not as it lies there. Gives those.
    fn give_back(
        &mut self,
        _of: &CheckpointId,
        _laid: &Path,
        _paths: &[RelPath],
    ) -> Result<Vec<RelPath>, Trouble> {
        Ok(Vec::new())
    }
    /// Writes files of the work tree, or removes them.
    fn write(&mut self, _files: &[(RelPath, Option<Vec<u8>>)]) -> Result<(), Trouble> {
        Err(Trouble::internal("these snapshots can't write into the work tree"))
    }
    /// What the run's snapshots hold, `whole` among them, and the `open` ones do not, is out of sight of every child
    /// that can be kept from it. Gives the number of objects that can't be hidden.
    fn hide(&mut self, _whole: &CheckpointId, _open: &[CheckpointId]) -> Result<usize, Trouble> {
        Ok(0)
    }
    /// Nothing of that is to be hidden any more.
    fn show_all(&mut self) -> Result<(), Trouble> {
        Ok(())
    }
    /// The folder of an inner repository that this file lies in: no commit of the outer one can hold it.
    fn inner_repository(&self, _path: &RelPath) -> Option<RelPath> {
        None
    }
    /// What git is in the midst of, and how that ends, where it takes no commit of single files meanwhile.
    fn half_merged(&self) -> Option<String> {
        None
    }
    /// Remembers HEAD, branches, index, stash and hooks path as they are now.
    fn record_git(&mut self) -> Result<(), Trouble>;
    /// Those of these files that somebody has staged since then, just as this snapshot holds them, where no child can
    /// write to git's index.
    fn staged(&mut self, _in: &CheckpointId, _paths: &[RelPath]) -> Result<Vec<RelPath>, Trouble> {
        Ok(Vec::new())
    }
    /// Those of these files that HEAD's commit has, or lacks, just as this snapshot does.
    fn committed(&mut self, _in: &CheckpointId, _paths: &[RelPath]) -> Result<Vec<RelPath>, Trouble> {
        Ok(Vec::new())
    }
    /// Puts back what differs from the last record; says what that was, one line each. Commits
    /// that would be lost stay under `refs/tdd/`.
    fn restore_git(&mut self, label: &str) -> Result<Vec<String>, Trouble>;
}
