//! Parses the command line, calls the command, returns its exit code.

use std::process::ExitCode;

use tdd::cli::Line;

fn main() -> ExitCode {
    match Line::parse(std::env::args_os().collect()) {
        Line::Person(cli) => tdd::commands::run(*cli),
        Line::Wrong(error, near) => tdd::commands::refuse_line(&error, near.as_deref()),
        Line::Ourselves(internal) => tdd::commands::run_internal(&internal),
    }
}
