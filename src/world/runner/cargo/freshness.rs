//! Keeps cargo from running old code.
//!
//! cargo rebuilds what has a newer time of change than its last build. A file that was changed and
//! given an old time (restored from an archive, or by somebody who wants the old binary to be
//! judged) is not rebuilt. The system's own change time can't be set, so it tells such files.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime};

use crate::core::path::RelPath;
use crate::world::runner::place::Place;

/// When the last build began; `None` before the first one.
#[derive(Clone, Debug, Default)]
pub(super) struct Freshness {
    since: Option<SystemTime>,
}

impl Freshness {
    /// Gives the time of now to each file that changed since the last build and does not look like
    /// it. Only times are set; what can't be set stays.
    pub(super) fn renew(&mut self, place: &Place) {
        let now = SystemTime::now();
        if let Some(since) = self.since.replace(now) {
            for file in place.files_below(&place.repository) {
                if hides_a_change(place, &file, since) {
                    let opened = File::open(place.absolute(&file));
                    let _ = opened.and_then(|file| file.set_modified(now));
                }
            }
        }
    }
}

fn hides_a_change(place: &Place, file: &RelPath, since: SystemTime) -> bool {
    let Ok(metadata) = std::fs::symlink_metadata(place.absolute(file)) else { return false };
    let (Ok(seconds), Ok(nanoseconds)) =
        (u64::try_from(metadata.ctime()), u32::try_from(metadata.ctime_nsec()))
    else {
        return false;
    };
    let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
    metadata.is_file() && changed >= since && metadata.modified().is_ok_and(|modified| modified < since)
}
