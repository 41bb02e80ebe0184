//! The scripted model server as a program of its own.

use std::process::ExitCode;

use crate::cli::ModelServerArgs;
use crate::model_server::{Until, Wish, serve};
use crate::view::print;
use tdd_core::trouble::Trouble;

/// Exit 2 if it can't be begun, with a line on stdout: whoever started it reads what it says there.
pub fn run(args: &ModelServerArgs) -> Result<ExitCode, Trouble> {
    let wish = Wish {
        script: &args.script,
        log: args.log.as_deref(),
        bodies: args.bodies.clone(),
        port: args.port,
        until: if args.until_stdin_ends { Until::StdinEnds } else { Until::Killed },
    };
    match serve(wish, &mut |url| print::result(&format!("listening on {url}\n"))) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(why) => {
            print::result(&format!("model server: {why}\n"));
            Ok(ExitCode::from(2))
        }
    }
}
