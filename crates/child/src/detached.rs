//! A process that goes on when the one that started it, and its terminal, are gone.
#![expect(
    clippy::disallowed_methods,
    reason = "this is where such a process is started, and where it speaks into a file"
)]

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use rustix::fs::OFlags;

/// What a process came to that was started.
#[derive(Debug)]
pub enum Started {
    /// It goes on, and said this behind the sign.
    GoesOn { pid: u32, word: String },
    /// It has ended.
    Ended(ExitStatus),
}

/// Starts a program without input and waits until it says a line that begins with `sign`, or ends. Gives what it
/// printed before, both streams in one.
pub fn start(program: &Path, args: &[OsString], sign: &str) -> io::Result<(Started, String)> {
    let (said, speaks) = io::pipe()?;
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(speaks.try_clone()?).stderr(speaks);
    let mut child = command.spawn()?;
    // Ours of the pipe's ends go with it, so that its end is seen.
    drop(command);
    let mut text = String::new();
    let mut said = BufReader::new(said);
    let mut line = Vec::new();
    while said.read_until(b'\n', &mut line)? > 0 {
        let words = String::from_utf8_lossy(&line);
        if let Some(word) = words.strip_prefix(sign) {
            return Ok((Started::GoesOn { pid: child.id(), word: word.trim_end().to_owned() }, text));
        }
        text.push_str(&words);
        line.clear();
    }
    Ok((Started::Ended(child.wait()?), text))
}

/// Leaves the terminal and the group of whoever started this process: their signals are not for it any more.
pub fn leave_terminal() {
    // It fails for the leader of a group, which has been put into one of its own.
    let _ = rustix::process::setsid();
}

/// From now on what this process prints goes to the end of `file`.
pub fn speak_into(file: &File) -> io::Result<()> {
    rustix::stdio::dup2_stdout(file)?;
    rustix::stdio::dup2_stderr(file)?;
    Ok(())
}

/// A file to speak into that its owner alone can read; nowhere if it can't be had.
pub fn file_for(path: &Path) -> io::Result<File> {
    let no_link = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .custom_flags(no_link)
        .open(path)
        .or_else(|_| OpenOptions::new().write(true).open("/dev/null"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> (Started, String) {
        let args = ["-c", script].map(OsString::from);
        start(Path::new("/bin/sh"), &args, "at work on ").unwrap()
    }

    #[test]
    fn whoever_gives_the_sign_is_not_waited_for() {
        let (started, said) = shell("echo one; echo two >&2; echo at work on x-1; exec sleep 1000");
        let Started::GoesOn { pid, word } = started else { panic!("{started:?}") };
        assert_eq!((word.as_str(), said.as_str()), ("x-1", "one\ntwo\n"));
        let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }

    #[test]
    fn whoever_ends_first_is_told_with_what_it_said() {
        let (started, said) = shell("echo no agent >&2; exit 2");
        let Started::Ended(status) = started else { panic!("{started:?}") };
        assert_eq!((status.code(), said.as_str()), (Some(2), "no agent\n"));
    }
}
