//! Reads a final message and prints its claim.

use std::process::ExitCode;

use crate::cli::ParseArgs;
use crate::core::trouble::Trouble;

pub fn run(_args: &ParseArgs) -> Result<ExitCode, Trouble> {
    Err(Trouble::internal("not built yet"))
}
