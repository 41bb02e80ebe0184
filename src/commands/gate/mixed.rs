//! Files that are part code and part settings of the tests (`pyproject.toml`, `package.json`, `Cargo.toml`): a claim is
//! about the first part alone, as in a run.

use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::ports::Checkpoints as _;
use tdd_core::role::Role;
use tdd_core::session::Refusal;
use tdd_snapshot::checkpoints::GitCheckpoints;
use tdd_spec::mixed_file::{self, KeyChange, MixedError};

/// The first key that differs and decides how tests run.
pub(super) fn changed(path: &RelPath, old: Option<&[u8]>, new: Option<&[u8]>) -> Option<Refusal> {
    let name = path.file_name();
    let refused = |part: String| Some(Refusal::Part { path: path.clone(), part });
    match mixed_file::changed_keys(name, old, new) {
        Ok(keys) => keys.into_iter().find(|change| !may_stand(name, change)).and_then(|key| refused(key.key)),
        Err(MixedError::NotMixed) => None,
        Err(why @ (MixedError::Deleted | MixedError::Unreadable(_))) => refused(why.to_string()),
    }
}

/// The same by what lies in two trees.
pub(super) fn changed_in(
    checkpoints: &mut GitCheckpoints,
    path: &RelPath,
    (before, now): (&CheckpointId, &CheckpointId),
) -> Option<Refusal> {
    if !mixed_file::is_mixed(path.file_name()) {
        return None;
    }
    let mut read = |tree| checkpoints.read(tree, path).ok().flatten();
    let (old, new) = (read(before), read(now));
    changed(path, old.as_deref(), new.as_deref())
}

/// Whoever writes tests and code in one session may change what either role may, and other versions of what is there.
fn may_stand(name: &str, change: &KeyChange) -> bool {
    let roles = [Role::TestWriter, Role::Implementer];
    roles.iter().any(|role| mixed_file::may_change(*role, name, change))
        || mixed_file::may_be_replaced(name, change)
}
