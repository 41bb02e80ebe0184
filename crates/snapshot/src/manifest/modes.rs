//! Files of which the mode alone is not as it was sealed.

use std::os::unix::fs::MetadataExt;

use tdd_core::path::RelPath;
use tdd_core::trouble::Trouble;

use super::troubles::unreadable;
use super::{Manifest, Sealed, survey};

impl Manifest {
    pub(super) fn of_other_modes(&self) -> Result<Vec<RelPath>, Trouble> {
        let (pass, mut alone) = (self.pass()?, Vec::new());
        for path in self.differing()? {
            let Some(Sealed::File { hash, .. }) = self.sealed.get(&path).map(|entry| &entry.sealed) else {
                continue;
            };
            let is_linked = self.lstat(&pass, &path).ok().flatten().is_some_and(|about| about.nlink() > 1);
            let now = self.look(&pass, &path, None).map_err(|error| unreadable(&path, &error))?;
            let is_same = matches!(&now, Some((Sealed::File { hash: now, .. }, _)) if now == hash);
            alone.extend(survey::shown(&path).filter(|_| is_same && !is_linked));
        }
        Ok(alone)
    }
}
