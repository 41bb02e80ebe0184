//! One file per subcommand; each wires the world into the driver. The only room with anyhow.

pub mod agent;
pub mod criteria;
pub mod demo;
pub mod exec;
pub mod log;
pub mod parse;
pub mod run;
pub mod status;

use std::process::ExitCode;

use crate::cli::{Cli, Command};
use crate::core::trouble::Trouble;
use crate::exit::Exit;
use crate::view::print;

/// Runs one subcommand and gives its exit code. The only place that prints an error.
pub fn run(cli: Cli) -> ExitCode {
    let outcome = match cli.command {
        None => run::run(&cli.run),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Criteria(args)) => criteria::run(&args),
        Some(Command::Parse(args)) => parse::run(&args),
        Some(Command::Status(args)) => status::run(&args),
        Some(Command::Log(args)) => log::run(&args),
        Some(Command::Demo(args)) => demo::run(&args),
        Some(Command::Exec(args)) => exec::run(&args),
        Some(Command::Agent(args)) => agent::run(&args),
    };
    outcome.unwrap_or_else(|trouble| report(&trouble))
}

fn report(trouble: &Trouble) -> ExitCode {
    print::trouble(trouble);
    ExitCode::from(Exit::of_trouble(trouble).code())
}
