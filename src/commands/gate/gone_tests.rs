//! Whether a repository has tests, and those that HEAD has and the tree has no more: a person who removes all of them
//! commits that.

use crate::world::project::Place;
use tdd_child::regular_file;
use tdd_core::attempt::CheckpointId;
use tdd_core::finding::ChangeKind;
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::ports::Checkpoints as _;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::GitCheckpoints;

/// A source that is looked into for tests of its own.
const LARGEST_SOURCE: u64 = 2 << 20;

/// Whether any file holds tests: by its name, or, in a language that keeps them among the code, by what it says.
pub(super) fn has_some(place: &Place, policy: &Policy, files: &[RelPath]) -> bool {
    let text = |path: &RelPath| {
        regular_file::head(&place.repository.join(path.as_str()), LARGEST_SOURCE).unwrap_or_default()
    };
    files.iter().any(|path| is_test(policy, path))
        || files.iter().filter(|path| may_hold(path)).any(|path| holds_some(&text(path)))
}

fn is_test(policy: &Policy, path: &RelPath) -> bool {
    policy.classify(path) == FileClass::Test && !policy.is_data_of_tests(path)
}

fn may_hold(path: &RelPath) -> bool {
    matches!(path.extension(), "rs" | "ts" | "js")
}

fn holds_some(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    text.contains("#[test]") || text.contains("#[cfg(test)]") || text.contains("import.meta.vitest")
}

/// Files of HEAD that hold tests, and are gone or hold none in this tree.
pub(super) fn since_head(
    checkpoints: &mut GitCheckpoints,
    policy: &Policy,
    (head, tree): &(Option<CheckpointId>, CheckpointId),
) -> Result<Vec<RelPath>, Trouble> {
    let Some(head) = head else { return Ok(Vec::new()) };
    let mut gone = Vec::new();
    for change in checkpoints.diff(head, tree)? {
        let (path, is_deleted) = (change.path, change.kind == ChangeKind::Deleted);
        let mut holds = |at| checkpoints.read(at, &path).ok().flatten().is_some_and(|text| holds_some(&text));
        if is_deleted && is_test(policy, &path) || may_hold(&path) && holds(head) && !holds(tree) {
            gone.push(path);
        }
    }
    Ok(gone)
}
