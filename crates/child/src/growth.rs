//! A file that somebody else writes at the end of.
#![expect(clippy::disallowed_methods, reason = "no event tells on every system that a file has grown")]

use std::path::Path;
use std::time::{Duration, Instant};

/// How often the length is looked at: one `stat` each time.
const LOOK: Duration = Duration::from_millis(100);

/// The length of a file in bytes; 0 if there is none.
pub fn length(path: &Path) -> u64 {
    std::fs::symlink_metadata(path).map_or(0, |about| about.len())
}

/// Of the time of whoever reads a file again at each growth, so much is rest for each part of work.
const REST: u32 = 9;
/// And no more at once: who looks on wants to see what happens.
const LONGEST_REST: Duration = Duration::from_secs(1);

/// Waits for a file to grow, for a reader that works through all of it each time: a long file that grows
/// quickly takes a tenth of a core and not a whole one.
#[derive(Debug)]
pub struct Waiting {
    work_began: Instant,
}

impl Waiting {
    #[expect(clippy::new_without_default, reason = "it begins now")]
    pub fn new() -> Self {
        Self { work_began: Instant::now() }
    }

    /// Until the file has another length than `known`, or until `most` has passed.
    pub fn wait(&mut self, path: &Path, known: u64, most: Duration) {
        std::thread::sleep(rest(self.work_began.elapsed()));
        wait(path, known, most);
        self.work_began = Instant::now();
    }
}

fn rest(work: Duration) -> Duration {
    (work * REST).min(LONGEST_REST)
}

fn wait(path: &Path, known: u64, most: Duration) {
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

    #[test]
    fn whoever_reads_a_long_file_again_and_again_rests_in_between() {
        assert_eq!(rest(Duration::ZERO), Duration::ZERO);
        assert_eq!(rest(Duration::from_millis(20)), Duration::from_millis(180));
        assert_eq!(rest(Duration::from_hours(1)), LONGEST_REST);
    }
}
