//! A child on a pseudo-terminal.

use super::process::{Attended, SpawnOrder};
use crate::core::trouble::Trouble;

/// A child whose stdout, stderr and controlling terminal are a PTY.
pub type PtyChild = Attended;

/// Starts a child on a terminal of its own, with echo and output processing off, so that its
/// bytes come as it wrote them. Errors and obligations are those of
/// [`spawn_piped`](super::process::spawn_piped).
pub fn spawn(_order: &SpawnOrder) -> Result<PtyChild, Trouble> {
    Err(Trouble::internal("not built yet"))
}
