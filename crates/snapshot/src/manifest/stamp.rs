//! What `lstat` says of a file, by which it is known to be the one that was hashed.
//!
//! The time of the last change of the inode (`ctime`) is part of it, because the other times, the
//! size and the bytes can be set back by anybody, and this one only by who sets the clock.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Longer than a file system's clock stands still: a change within the same tick as the look
/// before it leaves no trace in the times.
const TICK: Duration = Duration::from_millis(100);

/// The bits of a mode that say what a file is, and two of the things that it may be.
const FORMAT: u32 = 0o170_000;
const LINK: u32 = 0o120_000;
const FILE: u32 = 0o100_000;

/// One look at one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    pub(super) mode: u32,
    pub(super) links: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    pub(super) fn of(meta: &Metadata) -> Self {
        Self {
            device: meta.dev(),
            inode: meta.ino(),
            mode: meta.mode(),
            links: meta.nlink(),
            size: meta.size(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        }
    }

    /// Whether a file that has this stamp now and had it before `now` can't have changed between:
    /// its last change is a tick older. A change in the future says that a clock was set.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        let since = |(seconds, nanos): (i64, i64)| {
            let seconds = u64::try_from(seconds).ok()?;
            let at =
                UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_nanos(u64::try_from(nanos).ok()?);
            now.duration_since(at).ok()
        };
        since(self.changed).is_some_and(|age| age > TICK)
    }

    /// Whether what it says now was written so much later than what the other says.
    pub(super) fn is_newer_by(&self, seconds: i64, other: &Self) -> bool {
        self.modified.0.saturating_sub(other.modified.0) > seconds
    }

    pub(super) fn is_link(&self) -> bool {
        self.mode & FORMAT == LINK
    }

    pub(super) fn size_of_file(&self) -> Option<u64> {
        (self.mode & FORMAT == FILE).then_some(self.size)
    }

    /// The same, but for what another name of the same file does to it: package managers keep one
    /// copy of a file for all projects, and each new link to it changes `ctime`.
    pub(super) fn is_same_shared(&self, other: &Self) -> bool {
        let shared = self.links > 1 || other.links > 1;
        shared && Self { links: other.links, changed: other.changed, ..*self } == *other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Stamp = Stamp {
        device: 1,
        inode: 2,
        mode: FILE | 0o644,
        links: 1,
        size: 3,
        modified: (1_000, 0),
        changed: (1_000, 500_000_000),
    };

    #[test]
    fn a_change_within_a_tick_or_in_the_future_is_not_settled() {
        for (ms, want) in [(1_000_400, false), (1_000_500, false), (1_000_599, false), (1_000_601, true)] {
            assert_eq!(AT.is_settled(UNIX_EPOCH + Duration::from_millis(ms)), want, "{ms}");
        }
        let before_the_epoch = Stamp { changed: (-1, 0), ..AT };
        assert!(!before_the_epoch.is_settled(UNIX_EPOCH + Duration::from_secs(9)));
    }

    #[test]
    fn only_what_another_name_does_is_passed_over_and_only_where_there_is_one() {
        let later = Stamp { changed: (2_000, 0), ..AT };
        assert!(!later.is_same_shared(&AT), "it has one name");
        let (two, three) = (Stamp { links: 2, ..AT }, Stamp { links: 3, ..later });
        assert!(three.is_same_shared(&two) && two.is_same_shared(&AT));
        for other in [
            Stamp { inode: 9, ..three },
            Stamp { device: 9, ..three },
            Stamp { size: 9, ..three },
            Stamp { modified: (9, 9), ..three },
            Stamp { mode: FILE | 0o755, ..three },
        ] {
            assert!(!other.is_same_shared(&two), "{other:?}");
        }
    }
}
