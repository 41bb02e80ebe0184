//! The scripted agent: does what a cassette says.

use std::process::ExitCode;

use crate::cli::AgentArgs;
use crate::core::trouble::Trouble;

pub fn run(_args: &AgentArgs) -> Result<ExitCode, Trouble> {
    Err(Trouble::internal("not built yet"))
}
