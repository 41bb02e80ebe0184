//! Half a move: the new file is taken back, and that its old place is empty would stand by itself, as a test that is
//! removed does. Neither would be left, so the old file is put back as well.

use tdd_core::attempt::CheckpointId;
use tdd_core::finding::{Change, ChangeKind};
use tdd_core::harmless;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_snapshot::checkpoints::GitCheckpoints;

/// Files that are read on either side.
const MOST: usize = 200;
/// Moves that are told one by one.
const NAMED: usize = 3;

/// What is gone.
pub(super) fn vanished(changes: &[Change]) -> Vec<RelPath> {
    let gone = changes.iter().filter(|change| change.kind == ChangeKind::Deleted);
    gone.map(|change| change.path.clone()).take(MOST).collect()
}

/// Of what is gone and would stay so: what lies in a new file that is taken back, each with that file.
pub(super) fn sources(
    checkpoints: &mut GitCheckpoints,
    (before, now): (&CheckpointId, &CheckpointId),
    (vanished, taken_back): (&[RelPath], &[RelPath]),
) -> Vec<(RelPath, RelPath)> {
    let gone: Vec<&RelPath> = vanished.iter().filter(|path| !taken_back.contains(path)).collect();
    if gone.is_empty() {
        return Vec::new();
    }
    let mut read = |tree, path: &RelPath| checkpoints.read(tree, path).ok().flatten();
    let mut arrived = Vec::new();
    for path in taken_back.iter().take(MOST) {
        if read(before, path).is_none() {
            arrived.extend(read(now, path).map(|text| (path, text)));
        }
    }
    let mut sources = Vec::new();
    for from in gone {
        let Some(text) = read(before, from) else { continue };
        // Empty files are all alike.
        let is_it =
            |(to, new): &&(&RelPath, Vec<u8>)| *new == text && (!text.is_empty() || name(to) == name(from));
        if let Some((to, _)) = arrived.iter().find(is_it) {
            sources.push((from.clone(), (*to).clone()));
        }
    }
    sources
}

fn name(path: &RelPath) -> &str {
    path.as_str().rsplit('/').next().unwrap_or_default()
}

pub(super) fn told(sources: &[(RelPath, RelPath)]) -> String {
    let line = |(from, to): &(RelPath, RelPath)| {
        let (from, to) = (harmless::line(from.as_str()), harmless::line(to.as_str()));
        format!("\ntdd: {from} is put back, too: it was moved to {to}")
    };
    sources.iter().take(NAMED).map(line).collect()
}
