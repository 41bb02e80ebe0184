//! What other programs tell of the command line, made from it: completions and the manual's pages.
#![expect(clippy::disallowed_methods, reason = "writes pages that a person asked for")]

use std::process::ExitCode;

use crate::cli::set_up::{CompletionsArgs, ManArgs};
use crate::cli::whole;
use crate::view::print;
use tdd_core::trouble::Trouble;

pub fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut whole(), "tdd", &mut script);
    print::bytes(&script);
    ExitCode::SUCCESS
}

pub fn man(args: &ManArgs) -> Result<ExitCode, Trouble> {
    let unwritable = |error: std::io::Error| {
        Trouble::environment(format!("the pages can't be written to {}", args.folder.display()))
            .because(error)
            .advise("name a folder that you may write to, for example ~/.local/share/man/man1")
    };
    std::fs::create_dir_all(&args.folder).map_err(unwritable)?;
    clap_mangen::generate_to(whole(), &args.folder).map_err(unwritable)?;
    print::result(&format!("{}\n", args.folder.display()));
    Ok(ExitCode::SUCCESS)
}
