//! Signals as values.

use tokio::sync::watch;

/// Tells every wait of the program that a signal asked it to stop; `None` until then. The
/// number is the signal's: 1, 2 or 15.
pub type StopSignal = watch::Receiver<Option<i32>>;
