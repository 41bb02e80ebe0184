//! Runs the whole cycle on a built-in project.

use std::process::ExitCode;

use crate::cli::DemoArgs;
use crate::core::trouble::Trouble;

pub fn run(_args: &DemoArgs) -> Result<ExitCode, Trouble> {
    Err(Trouble::internal("not built yet"))
}
