//! Keeps cargo from running old code.
//!
//! cargo rebuilds what has a newer time of change than its last build. A file that was changed and
//! given an old time (restored from an archive, or by somebody who wants the old binary to be
//! judged) is not rebuilt. So files are compared with how they were before the last build, by what
//! can't be set: the system's own change time, the size and the inode. Nothing is read for it.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use crate::runner::place::Place;
use crate::runner::stamp::Stamp;
use tdd_child::regular_file;
use tdd_core::path::RelPath;

/// How the files were before the last build; empty before the first one.
#[derive(Clone, Debug, Default)]
pub(super) struct Freshness {
    seen: BTreeMap<RelPath, Stamp>,
}

/// Whether cargo will see by itself what is new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    Clear,
    /// A symbolic link leads elsewhere now: what lies behind it may look old and can't be given
    /// another time safely, so only a build from scratch is sure to see it.
    Blocked,
}

impl Freshness {
    /// Gives the time of now to each file that was changed since the last build. Only times are
    /// set; what can't be set stays.
    pub(super) fn renew(&mut self, place: &Place) -> Sight {
        let mut sight = Sight::Clear;
        let mut seen = BTreeMap::new();
        for file in place.files_below(&place.repository) {
            let path = place.absolute(&file);
            let Some(stamp) = Stamp::of(&path) else { continue };
            let changed = !self.seen.is_empty() && self.seen.get(&file) != Some(&stamp);
            if changed && path.is_symlink() {
                sight = Sight::Blocked;
            } else if changed {
                touch(&path);
            }
            // Giving it a time has changed the stamp.
            seen.extend(Stamp::of(&path).map(|stamp| (file, stamp)));
        }
        self.seen = seen;
        sight
    }
}

fn touch(path: &Path) {
    let _ = regular_file::open(path).and_then(|file| file.set_modified(SystemTime::now()));
}
