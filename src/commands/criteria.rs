//! Prints the criteria of a requirement.

use std::process::ExitCode;

use crate::cli::CriteriaArgs;
use crate::core::trouble::Trouble;

pub fn run(_args: &CriteriaArgs) -> Result<ExitCode, Trouble> {
    Err(Trouble::internal("not built yet"))
}
