//! Parses the command line, calls the command, returns its exit code.

use std::process::ExitCode;

use tdd::cli::Line;

fn main() -> ExitCode {
    tdd::bug::ends_the_program();
    match Line::parse(std::env::args_os().collect()) {
        Line::Person(cli, reader) => tdd::commands::run(*cli, reader),
        Line::Wrong(error, near, reader) => tdd::commands::refuse_line(&error, near.as_deref(), reader),
        Line::Ourselves(internal) => tdd::commands::run_internal(&internal),
    }
}
