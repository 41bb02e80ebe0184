//! Words for paths and what becomes of them. Pure.

use super::LISTED;
use tdd_core::finding::{Change, ChangeKind};
use tdd_core::harmless::line;

pub(super) fn files(count: usize) -> String {
    if count == 1 { "1 file".to_owned() } else { format!("{count} files") }
}

/// Paths with what is the matter with each.
pub(super) fn listed(changes: &[Change], words: fn(ChangeKind) -> &'static str) -> String {
    let one = |change: &Change| format!("  {} ({})", line(change.path.as_str()), words(change.kind));
    let mut lines: Vec<String> = changes.iter().take(LISTED).map(one).collect();
    if changes.len() > LISTED {
        lines.push(format!("  and {} more", changes.len() - LISTED));
    }
    lines.join("\n")
}

/// What the way back does to a path.
pub(super) fn action(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "brought back",
        ChangeKind::Deleted => "removed",
        ChangeKind::Modified => "changed back",
        ChangeKind::Retyped => "mode or kind changed back",
        ChangeKind::Submodule => "a submodule, left alone",
    }
}

/// What the path is now, as somebody who looks back sees it.
pub(super) fn present(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "deleted",
        ChangeKind::Deleted => "not there before the run",
        ChangeKind::Modified => "changed",
        ChangeKind::Retyped => "mode or kind changed",
        ChangeKind::Submodule => "a submodule",
    }
}
