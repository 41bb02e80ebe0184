//! The system's clocks.
#![expect(clippy::disallowed_methods, reason = "this is where the time comes from")]

use std::time::{SystemTime, UNIX_EPOCH};

use crate::driver::ports::Clock;

/// The time of day.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }
}
