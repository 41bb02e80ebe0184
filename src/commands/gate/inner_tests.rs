//! Tests that stand among the code, as Rust has them: more of them may be written before a claim, and from the claim to the
//! green those that are there stay as they are.

use super::desk::Desk;
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_core::session::Refusal;
use tdd_snapshot::checkpoints::GitCheckpoints;
use tdd_snapshot::checkpoints::watch::Look;
use tdd_source::{Additions, Language};

pub(super) fn may_hold_tests(path: &RelPath) -> bool {
    Language::of(path.extension()) == Some(Language::Rust)
}

/// Whether a source that holds tests beside its code has more of them now, and nothing else: what the last good tree has
/// is there still.
pub(super) fn only_tests(desk: &Desk, path: &RelPath, old: &[u8], new: &[u8]) -> bool {
    let (Ok(old), Ok(new)) = (std::str::from_utf8(old), std::str::from_utf8(new)) else { return false };
    if !may_hold_tests(path) || old.is_empty() {
        return false;
    }
    if matches!(tdd_source::additions(Language::Rust, old, new), Ok(Additions::OnlyUnits)) {
        return true;
    }
    // What a claim protects is not mended.
    if !desk.state().protecting_within(path).is_empty() || !tdd_source::same_code(old, new).unwrap_or(false) {
        return false;
    }
    let Ok(mut checkpoints) = desk.checkpoints(Look::Quick) else { return false };
    let base = checkpoints.read(&desk.state().good, path).ok().flatten().unwrap_or_default();
    tdd_source::keeps_tests(&String::from_utf8_lossy(&base), old, new).unwrap_or(false)
}

/// The language whose tests stand in a source of its, beside the code.
pub(super) fn language(path: &RelPath) -> Option<Language> {
    Language::of(path.extension()).filter(|language| *language == Language::Rust || language.is_javascript())
}

/// Whether an edit that a claim allows changes tests that the claim protects, by what a tool is going to write.
pub(super) fn weakens(desk: &Desk, path: &RelPath, old: &[u8], new: &[u8]) -> Option<Refusal> {
    let language = language(path)?;
    if desk.state().protecting_within(path).is_empty() || changed(language, path, old, new).is_none() {
        return None;
    }
    // One that was written after the claim is not protected by it.
    let mut checkpoints = desk.checkpoints(Look::Quick).ok()?;
    refusal(desk, &mut checkpoints, (path, language), new)
}

/// The same by what lies in a tree; a file that is gone has lost them.
pub(super) fn weakened(
    desk: &Desk,
    checkpoints: &mut GitCheckpoints,
    path: &RelPath,
    now: &CheckpointId,
) -> Option<Refusal> {
    let language = language(path)?;
    if desk.state().protecting_within(path).is_empty() {
        return None;
    }
    let new = checkpoints.read(now, path).ok().flatten().unwrap_or_default();
    refusal(desk, checkpoints, (path, language), &new)
}

fn refusal(
    desk: &Desk,
    checkpoints: &mut GitCheckpoints,
    (path, language): (&RelPath, Language),
    new: &[u8],
) -> Option<Refusal> {
    desk.state().protecting_within(path).into_iter().find_map(|claim| {
        let at_claim = checkpoints.read(&claim.tree, path).ok().flatten()?;
        let part = changed(language, path, &at_claim, new)?;
        Some(Refusal::Weakened { path: path.clone(), by: claim.test_id.clone(), part })
    })
}

/// The first part that is for tests alone and is not as it was, or is new and no test.
fn changed(language: Language, path: &RelPath, old: &[u8], new: &[u8]) -> Option<String> {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let sources = |text| [(path.as_str(), text)];
    let changed = tdd_source::changed_units(language, &sources(&*old), &sources(&*new));
    changed.into_iter().next().map(|(_, part)| part)
}
