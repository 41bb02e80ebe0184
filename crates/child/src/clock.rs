//! The system's clocks.
#![expect(clippy::disallowed_methods, reason = "this is where the time comes from")]

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use tdd_core::ports::Clock;
use tdd_core::trouble::Trouble;

use crate::random;

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

    fn random(&self, count: usize) -> Result<Vec<u8>, Trouble> {
        let mut bytes = Vec::new();
        while bytes.len() < count {
            bytes.extend(random::bytes::<64>()?);
        }
        bytes.truncate(count);
        Ok(bytes)
    }
}
