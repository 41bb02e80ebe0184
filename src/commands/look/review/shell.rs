//! A shell of the operator's in the work tree.

use std::process::Command;

use super::{Halted, lend};
use crate::view::print;
use tdd_core::harmless;
use tdd_core::trouble::Trouble;

/// Opens it, and comes back when it ends. Nothing that is done there is judged before a command says so.
#[expect(clippy::disallowed_methods, reason = "the shell is the person's, on the person's terminal")]
pub(super) fn open(halted: &Halted) -> Result<(), Trouble> {
    let named = std::env::var("SHELL").ok().filter(|value| !value.trim().is_empty());
    let shell = named.unwrap_or_else(|| "/bin/sh".to_owned());
    print::message("a shell in the work tree; `exit` comes back to the review");
    if let Err(error) = lend::to(Command::new(&shell).current_dir(&halted.repository))? {
        print::message(&format!("`{}` can't be started: {error}; set SHELL", harmless::line(&shell)));
    }
    Ok(())
}
