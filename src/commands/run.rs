//! Takes a requirement through the whole cycle.

use std::process::ExitCode;

use crate::cli::RunArgs;
use crate::core::trouble::Trouble;

pub fn run(_args: &RunArgs) -> Result<ExitCode, Trouble> {
    Err(Trouble::internal("not built yet"))
}
