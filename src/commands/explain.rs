//! Says what a word of tdd's means: `tdd explain B`. Exit code 0, or 2 with the nearest words.

use std::process::ExitCode;

use crate::cli::set_up::ExplainArgs;
use crate::text::explain;
use crate::view::print;
use tdd_core::trouble::Trouble;

pub fn run(args: &ExplainArgs) -> Result<ExitCode, Trouble> {
    if args.words.is_empty() {
        print::result(&explain::list(&explain::topics()));
        return Ok(ExitCode::SUCCESS);
    }
    let word = args.words.join(" ");
    let topics = explain::of(&word).map_err(|near| {
        let unknown = Trouble::user(format!("`{word}` is no word of tdd's"));
        match near.as_slice() {
            [] => unknown.advise("`tdd explain` lists them: modes, exit codes, red kinds, words"),
            near => {
                unknown.advise(format!("did you mean {}? `tdd explain` lists all of them", near.join(", ")))
            }
        }
    })?;
    print::result(&explain::list(&topics));
    Ok(ExitCode::SUCCESS)
}
