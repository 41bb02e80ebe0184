//! A shell command line as far as it is one plain runner call; which runner's it is, [`crate::recognised`] asks them.
//!
//! ```text
//! line    = assignment* wrapper* call
//! wrapper = what starts another program (`launchers.rs`)
//! call    = whatever some runner says is a call of it (`runner/<name>/facts.rs`)
//! word    = plain characters, 'quoted', "quoted" or \escaped ones
//! ```
//!
//! Anything that the shell would do more with is no plain call, so that a selection can be added
//! to the end of the line and means what it seems to mean: lists, pipelines, subshells,
//! redirections, substitutions, expansions of braces and homes, comments, a line break. Unquoted
//! `*`, `?` and `[` may stand: they name files, and the adapters expand them.

mod call;
pub mod checker;
pub mod harmless;
mod launchers;
mod node_options;
pub mod parts;
mod unwrapped;
mod words;

pub(crate) use call::{Asked, call_of};
pub use call::{RunnerCall, quote, typed};
pub(crate) use launchers::{CARGO_WITH_VALUE, base_name, plain_call};
pub use node_options::{NODE_REPORTERS, NODE_WITH_VALUE};
pub use unwrapped::unwrapped;
pub use words::words;
