//! `tdd doctor`: whether what a run needs is there and does what it promises.
//!
//! Without `--agent` it looks at the project and the machine, and tries the project's commands.
//!
//! With `--agent` the conformance kit drives that agent's real program through the same table and
//! adapter as a run does, with a scripted model server in the model's place.

mod checkup;
mod kit;

use std::process::ExitCode;

use crate::cli::DoctorArgs;
use tdd_core::trouble::Trouble;

/// Exit 0 if all is well, 1 if something is not, 2 if it can't be found out.
pub fn run(args: &DoctorArgs) -> Result<ExitCode, Trouble> {
    if args.agent.is_empty() {
        return checkup::run(args);
    }
    kit::run(args)
}
