//! What other programs tell of the command line, made from it: completions and the manual's pages.
#![expect(clippy::disallowed_methods, reason = "writes pages that a person asked for")]

use std::process::ExitCode;

use crate::cli::set_up::{CompletionsArgs, ManArgs, SchemaArgs};
use crate::cli::whole;
use crate::text::object::schema::Name;
use crate::view::print;
use tdd_core::harmless;
use tdd_core::trouble::Trouble;

pub fn completions(args: &CompletionsArgs) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut whole(), "tdd", &mut script);
    print::bytes(&script);
    ExitCode::SUCCESS
}

pub fn schema(args: &SchemaArgs) -> Result<ExitCode, Trouble> {
    let Some(name) = &args.name else {
        print::result(&Name::ALL.map(|one| format!("{:8} {}\n", one.name(), one.about())).concat());
        return Ok(ExitCode::SUCCESS);
    };
    let Some(one) = Name::ALL.into_iter().find(|one| one.name() == name) else {
        return Err(Trouble::user(format!("no schema `{}`", harmless::line(name)))
            .advise(format!("name one of {}", Name::ALL.map(Name::name).join(", "))));
    };
    print::result(&one.text());
    Ok(ExitCode::SUCCESS)
}

pub fn man(args: &ManArgs) -> Result<ExitCode, Trouble> {
    let unwritable = |error: std::io::Error| {
        Trouble::environment(format!("the pages can't be written to {}", args.folder.display()))
            .because(error)
            .advise("name a folder that you may write to, for example ~/.local/share/man/man1")
    };
    std::fs::create_dir_all(&args.folder).map_err(unwritable)?;
    clap_mangen::generate_to(whole(), &args.folder).map_err(unwritable)?;
    print::result(&format!("The pages of the manual were written to {}\n", args.folder.display()));
    Ok(ExitCode::SUCCESS)
}
