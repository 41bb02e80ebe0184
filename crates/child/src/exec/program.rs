//! Finding the program to exec, and saying why it could not be.
//!
//! Grammar of a script's first line, of which the system reads at most 255 bytes:
//!
//! ```text
//! shebang = "#!" blanks interpreter [ blanks argument ] "\n"
//! ```

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Refusal;
use crate::regular_file;

/// The file to exec. A name with a `/` is taken as it is, from the child's directory; any other is
/// looked up in `path`. A file that is there but not executable is found only if no other is.
pub(super) fn find(name: Option<&OsString>, path: Option<OsString>) -> Result<PathBuf, Refusal> {
    let missing = io::Error::from_raw_os_error(rustix::io::Errno::NOENT.raw_os_error());
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        return Err(Refusal::new(&missing, "the command is empty"));
    };
    if name.as_bytes().contains(&b'/') {
        return Ok(PathBuf::from(name));
    }
    let path = path.unwrap_or_else(|| OsString::from("/usr/bin:/bin"));
    let candidates = || std::env::split_paths(&path).map(|folder| folder.join(name));
    let is_file = |candidate: &PathBuf| candidate.metadata().is_ok_and(|data| data.is_file());
    candidates()
        .find(|candidate| is_file(candidate) && is_executable(candidate))
        .or_else(|| candidates().find(is_file))
        .ok_or_else(|| {
            let why = format!("no program `{}` is in PATH ({})", name.display(), path.display());
            Refusal::new(&missing, why).advise("install it, or give its full path")
        })
}

/// Why `program` could not be exec'd.
pub(super) fn refusal(program: &Path, error: &io::Error) -> Refusal {
    let shown = program.display();
    let data = program.metadata();
    let interpreter = interpreter_of(program);
    let (why, next) = match (error.raw_os_error(), data) {
        (Some(libc::ENOENT | libc::ENOTDIR), Err(_)) => {
            (format!("there is no file {shown}"), "check its path".to_owned())
        }
        (Some(libc::ENOENT | libc::ENOTDIR), Ok(_)) => match interpreter {
            Some(name) => (
                format!("the first line of {shown} asks for `{}`, which is not there", name.display()),
                "correct that line, or install the interpreter".to_owned(),
            ),
            None => (
                format!("{shown} needs a loader that this system does not have"),
                "install a build of it for this system".to_owned(),
            ),
        },
        (Some(libc::EACCES), Ok(data)) if data.is_dir() => {
            (format!("{shown} is a directory"), "give the path of a program".to_owned())
        }
        (Some(libc::EACCES), Ok(_)) if !is_executable(program) => {
            (format!("{shown} is not executable"), format!("chmod +x {shown}"))
        }
        (Some(libc::EACCES), Ok(_)) => match interpreter {
            Some(name) => (
                format!("the interpreter `{}` of {shown} can't be executed", name.display()),
                "correct the first line of the file, or make the interpreter executable".to_owned(),
            ),
            None => (format!("{shown} may not be executed here"), "check the mount option noexec".to_owned()),
        },
        (Some(libc::ENOEXEC), Ok(_)) => (
            format!("{shown} has no `#!` line and is no program of this system"),
            "begin a script with a line like `#!/bin/sh`; get a build for this system else".to_owned(),
        ),
        (Some(libc::E2BIG), _) => (
            "an argument is longer than 128 KiB, or all of them with the environment than the system allows"
                .to_owned(),
            "hand long texts over in a file".to_owned(),
        ),
        _ => (format!("{shown} can't be executed: {error}"), String::new()),
    };
    Refusal::new(error, why).advise(next)
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.permissions().mode() & 0o111 != 0)
}

fn interpreter_of(program: &Path) -> Option<PathBuf> {
    let head = regular_file::head(program, 255).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let word = line.split(|byte| matches!(byte, b' ' | b'\t')).find(|word| !word.is_empty())?;
    Some(PathBuf::from(OsStr::from_bytes(word)))
}
