//! Keeps cargo from running old code.
//!
//! cargo rebuilds what has a newer time of change than its last build. A file that was changed and
//! given an old time (restored from an archive, or by somebody who wants the old binary to be
//! judged) is not rebuilt. So files are compared with how they were before the last build, by what
//! can't be set: the system's own change time, the size and the inode. Nothing is read for it.
//!
//! A package has one name in a target directory wherever it lies: in the work tree and in a checkout
//! of it. What was built in the one is no build of the other, however old the files of that are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::runner::place::Place;
use crate::runner::stamp::Stamp;
use tdd_child::regular_file;
use tdd_core::path::RelPath;

/// How the files were before the last build; empty before the first one.
#[derive(Clone, Debug, Default)]
pub(super) struct Freshness {
    seen: BTreeMap<RelPath, Stamp>,
    /// Where they lay, and when the last build had ended.
    built: Option<(PathBuf, SystemTime)>,
}

/// Whether cargo will see by itself what is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    Clear,
    /// The last build was of another folder: of the project's own packages nothing is to be taken for built.
    Elsewhere,
    /// A symbolic link leads elsewhere now: what lies behind it may look old and can't be given
    /// another time safely, so only a build from scratch is sure to see it.
    Blocked,
}

impl Freshness {
    /// Gives the time of now to each file that was changed since the last build and looks older than
    /// that. Only times are set; what can't be set stays. All else is left alone: whoever watches the
    /// tree sees a time that is set, too.
    pub(super) fn renew(&mut self, place: &Place) -> Sight {
        let is_elsewhere = self.built.as_ref().is_some_and(|(folder, _)| *folder != place.repository);
        let since = self.built.as_ref().map(|(_, at)| *at);
        let mut sight = if is_elsewhere { Sight::Elsewhere } else { Sight::Clear };
        let mut seen = BTreeMap::new();
        for file in place.files_below(&place.repository) {
            let path = place.absolute(&file);
            let Some(stamp) = Stamp::of(&path) else { continue };
            let has_former = !is_elsewhere && !self.seen.is_empty();
            let changed = has_former && self.seen.get(&file) != Some(&stamp);
            if changed && path.is_symlink() {
                sight = Sight::Blocked;
            } else if changed && !since.is_some_and(|since| is_newer(&path, since)) {
                touch(&path);
            }
            // Giving it a time has changed the stamp.
            seen.extend(Stamp::of(&path).map(|stamp| (file, stamp)));
        }
        self.seen = seen;
        sight
    }

    /// A build of what lies here has ended.
    pub(super) fn built(&mut self, place: &Place) {
        self.built = Some((place.repository.clone(), SystemTime::now()));
    }
}

/// Whether cargo sees that it is newer than what was built until then.
fn is_newer(path: &Path, than: SystemTime) -> bool {
    std::fs::symlink_metadata(path).and_then(|meta| meta.modified()).is_ok_and(|at| at > than)
}

fn touch(path: &Path) {
    let _ = regular_file::open(path).and_then(|file| file.set_modified(SystemTime::now()));
}
