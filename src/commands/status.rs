//! Shows where runs stand.

use std::process::ExitCode;

use crate::cli::StatusArgs;
use crate::core::trouble::Trouble;

pub fn run(_args: &StatusArgs) -> Result<ExitCode, Trouble> {
    Err(Trouble::internal("not built yet"))
}
