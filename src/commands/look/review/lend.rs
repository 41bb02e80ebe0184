//! The terminal for a program of the operator's: an editor, a shell.

use std::io;
use std::os::fd::AsFd as _;
use std::process::{Command, ExitStatus};

use tdd_child::passthrough::lent::{Ended, Lent, attend};
use tdd_child::signals;
use tdd_core::trouble::Trouble;

/// Runs it, and comes back when it ends, with the terminal as it was. An error where we are asked to end meanwhile.
pub(super) fn to(command: &mut Command) -> Result<io::Result<ExitStatus>, Trouble> {
    let stop = signals::install_beside()?;
    let terminal = io::stdin().as_fd().try_clone_to_owned().ok();
    let lent = terminal.and_then(Lent::of);
    let ended = command.spawn().and_then(|child| attend(child, &stop, lent.as_ref()));
    signals::uninstall();
    match ended {
        Ok(Ended::ByItself(status)) => Ok(Ok(status)),
        Ok(Ended::Stopped(signal)) => Err(Trouble::stopped(signal)),
        Err(error) => Ok(Err(error)),
    }
}
