//! What changed between two checkpoints, as a patch that `git apply` takes.

use std::path::Path;

use super::git::Git;
use super::place::GitPlace;
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

/// The patch from one checkpoint to another, of these paths alone if any are given. No program that the
/// repository's settings or attributes name is started for it.
pub fn patch(
    repository: &Path,
    (from, to): (&CheckpointId, &CheckpointId),
    paths: &[RelPath],
) -> Result<Vec<u8>, Trouble> {
    let git = Git::own(&GitPlace::find(repository)?);
    let mut args = vec!["diff", "--no-ext-diff", "--no-textconv", "--no-color", "--binary", "--find-renames"];
    args.extend(["--src-prefix=a/", "--dst-prefix=b/", &from.0, &to.0, "--"]);
    args.extend(paths.iter().map(RelPath::as_str));
    git.run(&args, b"")
}

/// A file as it is in a checkpoint; `None` where it holds none of that path.
pub fn file(repository: &Path, of: &CheckpointId, path: &RelPath) -> Result<Option<Vec<u8>>, Trouble> {
    let git = Git::own(&GitPlace::find(repository)?);
    let said = git.ask(&["cat-file", "blob", &format!("{}:{path}", of.0)], b"")?;
    Ok(said.ok.then_some(said.stdout))
}
