//! Runners of tests: how a command line is recognised, how tests are selected and run, what a report says, and
//! the planted test that shows that a run can fail.

pub mod canary_text;
pub mod check_report;
pub mod checks;
pub mod command_line;
pub mod foreign;
pub mod gate_files;
pub mod gate_names;
pub mod lock_file;
pub mod recipe;
mod recognised;
pub mod runner;
pub mod test_report;

pub use recognised::{read_as, recognise};
pub use runner::{Junit, Placement, Runner, is_named_after_one, of};
