//! Parses the command line, calls the command, returns its exit code.

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    tdd::commands::run(tdd::cli::Cli::parse())
}
