//! Markdown tests that an agent carries out: finds them, sends the agent, reads its logs.
//!
//! What an agent's program does at the end decides nothing here, and neither does what it prints:
//! only the log at the path that it was told counts.

pub mod discovery;
mod log_place;
mod suite;

pub use suite::{News, Suite};
