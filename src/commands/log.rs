//! Prints the journal of a run.

use std::process::ExitCode;

use crate::cli::LogArgs;
use crate::core::trouble::Trouble;

pub fn run(_args: &LogArgs) -> Result<ExitCode, Trouble> {
    Err(Trouble::internal("not built yet"))
}
