//! Prepares and execs a child.

use std::process::ExitCode;

use crate::cli::{ExecArgs, WithinArgs};
use tdd_child::exec::{self, Preparation, Terminal, within};
use tdd_core::trouble::Trouble;

/// Returns only if the child could not be started; whoever spawned us has been told why then.
pub fn run(args: &ExecArgs) -> Result<ExitCode, Trouble> {
    let preparation = Preparation {
        argv: args.argv.clone(),
        cwd: args.cwd.clone(),
        parent: args.parent,
        stdin: args.stdin.clone(),
        terminal: if args.tty { Terminal::Controlling } else { Terminal::None },
        around: args.around,
    };
    exec::become_child(&preparation)?;
    Ok(ExitCode::from(exec::NOT_STARTED))
}

/// Becomes the parent of the child, inside a sandbox; gives the child's exit code.
pub fn run_within(args: &WithinArgs) -> Result<ExitCode, Trouble> {
    within::run(args.report, args.status, args.stderr, &args.argv).map(ExitCode::from)
}
