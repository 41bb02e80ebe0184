//! A file that somebody else writes at the end of.
#![expect(clippy::disallowed_methods, reason = "no event tells on every system that a file has grown")]

use std::path::Path;
use std::time::Duration;

/// How often the length is looked at: one `stat` each time.
const LOOK: Duration = Duration::from_millis(100);

/// The length of a file in bytes; 0 if there is none.
pub fn length(path: &Path) -> u64 {
    std::fs::symlink_metadata(path).map_or(0, |about| about.len())
}

/// Waits until the file has another length than `known`, or until `most` has passed.
pub fn wait(path: &Path, known: u64, most: Duration) {
    let mut left = most;
    while length(path) == known && !left.is_zero() {
        let step = left.min(LOOK);
        std::thread::sleep(step);
        left -= step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_has_grown_already_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        assert_eq!(length(&file), 0);
        std::fs::write(&file, "abc").unwrap();
        assert_eq!(length(&file), 3);
        wait(&file, 0, Duration::from_hours(1));
        wait(&file, 3, Duration::ZERO);
    }
}
