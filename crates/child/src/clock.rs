//! The system's clocks.
#![expect(clippy::disallowed_methods, reason = "this is where the time comes from")]

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use tdd_core::ports::Clock;

/// The time of day, and the time since this value was made.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    began: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { began: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn monotonic_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
