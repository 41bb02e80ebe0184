//! What an undo takes for the run's own, and what it leaves as it is.

use std::collections::BTreeSet;

use crate::checkpoints::census::Entries;
use crate::checkpoints::shown;
use tdd_core::attempt::CheckpointId;
use tdd_core::path::RelPath;
use tdd_core::policy::Policy;

/// Which states of files are the run's own.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// Trees of the run, the likeliest first.
    pub trees: Vec<CheckpointId>,
    /// From when to when the run was at work after the last of them, ms since the epoch; `None`
    /// if it was not, or its end is not known.
    pub at_work: Option<(u64, u64)>,
    /// From its first event to its last, ms since the epoch.
    pub lived: Option<(u64, u64)>,
    /// What somebody else is known to have changed while the run was at work.
    pub edited: BTreeSet<RelPath>,
    /// Tells what was no part of the run.
    pub policy: Option<Policy>,
}

impl Own {
    /// What somebody else has written meanwhile and was no part of the run stays as it is.
    pub(super) fn leave_alone(&self, wanted: &mut Entries, now: &Entries) {
        let Some(policy) = &self.policy else { return };
        let is_next = |path: &[u8]| policy.is_next_requirement(&shown(path));
        wanted.retain(|path, _| !is_next(path));
        let next = now.iter().filter(|(path, _)| is_next(path));
        wanted.extend(next.map(|(path, entry)| (path.clone(), entry.clone())));
    }
}
