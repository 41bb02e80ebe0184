//! How long a verification may last, and how much it may print.

use std::time::Duration;

use super::ProjectTests;
use super::patience::Patience;
use super::verification::Bounds;

const SHORTEST_DEADLINE: Duration = Duration::from_mins(10);
const BUILD_DEADLINE: Duration = Duration::from_hours(1);

impl ProjectTests {
    pub(super) fn patience(&self, label: &str, ends: Option<u64>) -> Patience {
        let usual = self.last_ms.get(label).copied().or(self.first_ms).map(Duration::from_millis);
        Patience { usual, deadline: self.ending(ends), stop: self.after_stop }
    }

    /// Of the next verification; [`super::RunnerSetup::deadline`] says how it is found.
    pub fn deadline(&self) -> Duration {
        let threefold = self.first_ms.map(|first| Duration::from_millis(first.saturating_mul(3)));
        self.deadline.unwrap_or_else(|| threefold.unwrap_or_default().max(SHORTEST_DEADLINE))
    }

    /// The same for one that is to end after so many milliseconds, if that is earlier.
    fn ending(&self, ends: Option<u64>) -> Duration {
        let usual = self.deadline();
        ends.map_or(usual, |ends| usual.min(Duration::from_millis(ends)))
    }

    pub(super) fn bounds(&self, ends: Option<u64>) -> Bounds {
        // Of all that is built before the tests. A first build has to compile what the project depends on, so no build
        // is measured by another.
        let build_deadline = self.deadline.unwrap_or(BUILD_DEADLINE);
        Bounds { deadline: self.ending(ends), build_deadline, output_cap: self.output_cap }
    }
}
