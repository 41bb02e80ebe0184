//! Prepares and execs a child.

use std::process::ExitCode;

use crate::cli::ExecArgs;
use crate::core::trouble::Trouble;

pub fn run(_args: &ExecArgs) -> Result<ExitCode, Trouble> {
    Err(Trouble::internal("not built yet"))
}
