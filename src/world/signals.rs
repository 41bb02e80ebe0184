//! Signals as values.

use tokio::sync::watch;

use crate::core::trouble::Trouble;

/// Tells every wait of the program that a signal asked it to stop; `None` until then. The
/// number is the signal's: 1, 2 or 15.
pub type StopSignal = watch::Receiver<Option<i32>>;

/// Listens to SIGHUP, SIGINT and SIGTERM for the rest of the program.
pub fn install() -> Result<StopSignal, Trouble> {
    Err(Trouble::internal("not built yet"))
}
