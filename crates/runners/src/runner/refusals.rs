//! What is said where the project's command can't be read or can't be run.

use tdd_core::commands::{ProjectCommands, RunnerKind};
use tdd_core::test::Exit;
use tdd_core::trouble::Trouble;

/// The suggestion of contract section 5, filled in.
pub(super) fn underivable(commands: &ProjectCommands, line: &str) -> Trouble {
    let kind = commands.runner;
    let why = if kind == RunnerKind::Junit {
        "kind `junit` needs to know where the command leaves its report".to_owned()
    } else {
        format!("`{line}` is not one plain call of {kind}, so tests can't be chosen")
    };
    let suggestion = format!(
        "write into tdd.yaml how to choose tests, for example:\n\
         runner: {{ kind: junit, all: {line:?}, select: \"{line} {{files}}\", report: build/report.xml }}\n\
         or, if nothing can be read test by test:\n\
         runner: {{ kind: exit-code, all: {line:?} }}"
    );
    Trouble::config("the test command can't be read test by test").because(why).advise(suggestion)
}

/// A shell says by 126 and 127 that there was nothing to run: that is no finding about the project.
pub(super) fn missing_program(exit: Exit, command: &str, said: &str) -> Result<(), Trouble> {
    let Exit::Code(126 | 127) = exit else { return Ok(()) };
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("the shell gave no reason");
    Err(Trouble::environment(format!("the command `{command}` could not be run"))
        .because(last.trim().to_owned())
        .advise("install the program that is missing, or correct the command"))
}
