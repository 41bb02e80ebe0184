//! What a scripted agent does to its folder.
#![expect(clippy::disallowed_methods, reason = "a scripted agent writes files, starts programs and prints")]

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use tdd_agents::base64;
use tdd_agents::cassette::{Action, BASE64_PATH};
use tdd_core::trouble::Trouble;

/// Does one after the other; the first that fails ends it.
pub(super) fn do_all(actions: &[Action]) -> Result<(), Trouble> {
    actions.iter().try_for_each(one)
}

/// Prints bytes as they are. A closed stdout ends nothing here.
pub(super) fn say(bytes: &[u8]) {
    let mut line = bytes.to_vec();
    if !line.ends_with(b"\n") {
        line.push(b'\n');
    }
    // Whole lines go out in one write.
    say_exactly(&line);
}

/// The same without a newline that is not there.
pub(super) fn say_exactly(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

fn one(action: &Action) -> Result<(), Trouble> {
    let (done, what) = match action {
        Action::Delete(path) => (delete(&below(path)?), path),
        Action::Write(path, content) => (write(&below(path)?, content.as_bytes()), path),
        Action::WriteBytes(path, content) => (write(&below(path)?, content), path),
        Action::Link(path, target) => (link(&below(path)?, &spelled(target)), path),
        Action::Append(path, content) => (append(&below(path)?, content.as_bytes()), path),
        Action::Chmod(path, mode) => {
            (std::fs::set_permissions(below(path)?, std::fs::Permissions::from_mode(*mode)), path)
        }
        Action::Run(argv) => return run(argv),
    };
    done.map_err(|error| Trouble::environment(format!("`{what}` could not be changed")).because(error))
}

/// A cassette's path, which must stay below the folder that the agent runs in.
pub(super) fn below(path: &str) -> Result<PathBuf, Trouble> {
    let written = spelled(path);
    let stays = !path.is_empty()
        && written.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if stays {
        return Ok(written);
    }
    Err(Trouble::config(format!("`{path}` leaves the folder"))
        .because("a cassette's paths are relative to the folder that the agent runs in")
        .advise("write a path without `..` and without a leading `/`"))
}

fn delete(path: &Path) -> std::io::Result<()> {
    if path.is_dir() && !path.is_symlink() {
        return std::fs::remove_dir_all(path);
    }
    std::fs::remove_file(path)
}

fn write(path: &Path, content: &[u8]) -> std::io::Result<()> {
    make_parent(path)?;
    std::fs::write(path, content)
}

fn link(path: &Path, target: &Path) -> std::io::Result<()> {
    make_parent(path)?;
    if path.is_symlink() {
        std::fs::remove_file(path)?;
    }
    std::os::unix::fs::symlink(target, path)
}

fn make_parent(path: &Path) -> std::io::Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => std::fs::create_dir_all(folder),
        None => Ok(()),
    }
}

/// A path as a cassette spells it, whatever its bytes.
fn spelled(path: &str) -> PathBuf {
    let bytes = path.strip_prefix(BASE64_PATH).and_then(base64::decode);
    PathBuf::from(bytes.map_or_else(|| OsString::from(path), OsString::from_vec))
}

pub(super) fn append(path: &Path, content: &[u8]) -> std::io::Result<()> {
    std::fs::OpenOptions::new().append(true).create(true).open(path)?.write_all(content)
}

/// What the program prints is printed by the agent too; its exit code is its own affair, as it is
/// for an agent's shell tool.
fn run(argv: &[String]) -> Result<(), Trouble> {
    let Some((program, arguments)) = argv.split_first() else { return Ok(()) };
    let status = Command::new(program).args(arguments).stdin(Stdio::null()).status();
    status
        .map(|_| ())
        .map_err(|error| Trouble::environment(format!("`{program}` could not be started")).because(error))
}
