//! What is said where protected files can't be looked at.

use std::io;
use std::path::Path;

use tdd_core::trouble::Trouble;

pub(super) fn unusable(path: &Path, error: &io::Error) -> Trouble {
    Trouble::environment(format!("{} can't be used", path.display()))
        .because(error)
        .mend("see that the folder is there, may be written, and has room")
}

pub(super) fn unreadable(path: &[u8], error: &io::Error) -> Trouble {
    let path = String::from_utf8_lossy(path);
    Trouble::environment(format!("the protected file {path} can't be read or put back"))
        .because(error)
        .mend("see that you own it and that nothing else writes to it")
}
