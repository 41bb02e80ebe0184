//! Proves a change: what it is made of, checkouts of it, and what its tests see of it.
//!
//! ```text
//! a change ─► parts ─► production taken back
//!                   └► its bodies ─► stubs, some or all of them
//! a snapshot ─► checkout beside the work tree ◄─ what git ignores, by links
//! ```
//!
//! Refuses to know: who made the change, what is to be proven of it, and the verdict. It runs nothing but git.

mod checkout;
mod ignored;
mod lines;
mod packages;
mod parts;
mod stubs;

pub use checkout::Checkouts;
pub use lines::{ChangedLines, changed_lines};
pub use parts::{Part, parts};
pub use stubs::{Changed, Stubs, has_word};
