//! What git has brought into the tree that would be refused else: another branch, a merge, what a stash held, or a state
//! that was known before and is gone back to.
//!
//! While a claim is open none of it counts: the end of the turn is to judge the claim, and the tree that it would go back
//! to is of the other state.

use std::collections::BTreeMap;

use super::desk::Desk;
use super::settings;
use crate::world::config_file;
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::Checkpoints as _;
use tdd_core::session::Refusal;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::GitCheckpoints;
use tdd_snapshot::checkpoints::returning::Knowledge;

/// Those of the refused files that stand as git has laid them.
pub(super) fn by_git(
    desk: &Desk,
    checkpoints: &mut GitCheckpoints,
    trees: (&CheckpointId, &CheckpointId),
    refused: &BTreeMap<RelPath, Refusal>,
) -> Result<Vec<RelPath>, Trouble> {
    let is_guarded = |refusal: &Refusal| matches!(refusal, Refusal::Guarded { .. });
    let settings = RelPath::new(&desk.place.in_repository(config_file::NAME));
    let mut paths = Vec::new();
    for (path, refusal) in refused {
        if !is_guarded(refusal) || (Some(path) == settings.as_ref() && is_same(checkpoints, trees, path)?) {
            paths.push(path.clone());
        }
    }
    let state = desk.state();
    let (Some(began), Some(seen)) = (&state.started.git, &state.git) else { return Ok(Vec::new()) };
    if !state.claims.is_empty() || paths.is_empty() {
        return Ok(Vec::new());
    }
    let known = (&began.tips, seen);
    let mut brought = checkpoints.brought(known, trees, &paths)?;
    if brought.len() < paths.len() {
        brought.extend(checkpoints.merged(known, trees, &paths)?);
        brought.extend(checkpoints.chosen(known, trees, &paths)?);
        brought.extend(checkpoints.updated_submodules(known, trees, &paths)?);
    }
    let is_left = |brought: &[RelPath]| paths.iter().any(|path| !brought.contains(path));
    if !is_left(&brought) {
        return Ok(brought);
    }
    let is_code =
        |path: &RelPath| !desk.rules.is_free(path) && desk.rules.policy().classify(path) != FileClass::Test;
    let mut states = state.known.clone();
    states.push(state.started.tree.clone());
    let knowledge =
        Knowledge { commits: known, began: &began.head, states: &states, own: &state.own, is_code: &is_code };
    brought.extend(checkpoints.gone_back(&knowledge, trees, &paths)?);
    if is_left(&brought) {
        brought.extend(checkpoints.unstashed(&knowledge, trees, &paths)?);
    }
    Ok(brought)
}

/// Whether another text of `tdd.yaml` settles nothing otherwise for tests and sessions, so that it may come with its branch.
fn is_same(
    checkpoints: &mut GitCheckpoints,
    (before, now): (&CheckpointId, &CheckpointId),
    path: &RelPath,
) -> Result<bool, Trouble> {
    let (Some(before), Some(now)) = (checkpoints.read(before, path)?, checkpoints.read(now, path)?) else {
        return Ok(false);
    };
    Ok(settings::settle_the_same(&before, &now))
}
