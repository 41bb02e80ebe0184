//! A start with a sandbox around the child.
//!
//! ```text
//! tdd ─► __exec ─► bwrap ─► bwrap, first in its process namespace ─► __within ─► the child
//!        keeps the session,  ends all that is left                   reports the start,
//!        ends as the child                                           tells the end
//! ```
//!
//! `__exec` stays, because a sandbox tells a death by signal as exit code 128 + n, which a child may
//! also return by itself: `__within` waits for the child, writes how it ended into a pipe
//! (`code N\n` or `signal N\n`), and `__exec` ends in the same way. A child that forges that line
//! lies about its own exit only. Before all that `__within` writes `begun\n`: without it the sandbox was not
//! set up, and what it said is why. So its stderr is a pipe, and `__within` gives the child the real one.
//!
//! Signals go to the group, which is the same inside. Whoever stands between ignores those that can
//! be: a sandbox that died of SIGINT would take the child with it before it could tidy up. What is
//! ignored stays so over an exec, so `__within` gives the child the defaults back. SIGKILL to the
//! group, or to `tdd` itself, ends the sandbox, and with it everything in its namespace.

use std::convert::Infallible;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Pid, WaitOptions, waitpid};

use super::{NOT_STARTED, Preparation, READY, Refusal, program};
use crate::unix::{self, Forked};
use tdd_core::test::Exit;
use tdd_core::trouble::Trouble;

/// What can be ignored and would end a program that does not listen.
const DEAF_TO: [i32; 8] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGPIPE,
    libc::SIGALRM,
    libc::SIGUSR1,
    libc::SIGUSR2,
];

/// Longer than any line that `__within` writes.
const LONGEST_STATUS: usize = 64;

const BEGUN: &[u8] = b"begun\n";
const AT_ONCE: Timespec = Timespec { tv_sec: 0, tv_nsec: 0 };

/// Starts the sandbox `program` with the child in it, waits, and ends as the child did. Comes back
/// only if the sandbox could not be started, with the pipe to report it.
pub(super) fn enclose(
    program: &Path,
    preparation: &Preparation,
    report: File,
) -> Result<Infallible, (Refusal, File)> {
    let Started { sandbox, mut told, said } = match start(program, preparation, &report) {
        Ok(started) => started,
        Err(error) => return Err((program::refusal(program, &error), report)),
    };
    if told.read_exact(&mut [0; BEGUN.len()]).is_err() {
        wait(sandbox);
        return Err((Refusal::of_sandbox(&what_was_said(said)), report));
    }
    // Its end, seen by whoever spawned us, says that the child runs.
    drop(report);
    end_like(wait(sandbox), told);
}

/// A sandbox that is being set up.
struct Started {
    sandbox: Child,
    /// What `__within` tells.
    told: File,
    /// Its own stderr.
    said: OwnedFd,
}

fn start(program: &Path, preparation: &Preparation, report: &File) -> io::Result<Started> {
    let (told, tell) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let (said, say) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    let stderr = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 3)?;
    // By descriptor, so that it is this very program whatever lies at its path by then.
    let shim = rustix::fs::open("/proc/self/exe", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let report = report.try_clone()?;
    fcntl_setfd(&tell, FdFlags::empty())?;
    fcntl_setfd(&shim, FdFlags::empty())?;
    fcntl_setfd(&report, FdFlags::empty())?;
    fcntl_setfd(&stderr, FdFlags::empty())?;
    unix::default_signals();
    unix::ignore_signals(&DEAF_TO);
    let (around, argv) = preparation.argv.split_at(preparation.around.min(preparation.argv.len()));
    let mut command = Command::new(program);
    command.args(around.iter().skip(1)).arg("--");
    command.arg(format!("/proc/self/fd/{}", shim.as_raw_fd())).arg("__within");
    command.arg("--report").arg(report.as_raw_fd().to_string());
    command.arg("--status").arg(tell.as_raw_fd().to_string());
    command.arg("--stderr").arg(stderr.as_raw_fd().to_string());
    let sandbox = command.arg("--").args(argv).stderr(say).spawn()?;
    Ok(Started { sandbox, told: told.into(), said })
}

/// What is there by now: whoever said it has ended.
fn what_was_said(said: OwnedFd) -> String {
    let mut text = [0_u8; 4096];
    let is_there = poll(&mut [PollFd::new(&said, PollFlags::IN)], Some(&AT_ONCE)) == Ok(1);
    let count = if is_there { File::from(said).read(&mut text).unwrap_or(0) } else { 0 };
    String::from_utf8_lossy(text.get(..count).unwrap_or_default()).into_owned()
}

fn wait(mut sandbox: Child) -> Option<ExitStatus> {
    sandbox.wait().ok()
}

/// Ends this process as the child has ended; if that was not told, as the sandbox has.
fn end_like(sandbox: Option<ExitStatus>, told: File) -> ! {
    use std::os::unix::process::ExitStatusExt;
    let of_sandbox = || {
        let status = sandbox?;
        status.code().map(Exit::Code).or(status.signal().map(Exit::Signal))
    };
    let code = match read_status(told).or_else(of_sandbox) {
        Some(Exit::Code(code)) => code,
        Some(Exit::Signal(signal)) => {
            // A core file of ours would lie in the work tree and look like somebody's work.
            let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
            let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
            unix::end_by(signal);
            128 + signal
        }
        Some(Exit::Deadline | Exit::OutputCap) | None => i32::from(NOT_STARTED),
    };
    std::process::exit(code)
}

/// What was told when the sandbox ended: it is there by then, or will never be.
fn read_status(mut told: File) -> Option<Exit> {
    if poll(&mut [PollFd::new(&told, PollFlags::IN)], Some(&AT_ONCE)) != Ok(1) {
        return None;
    }
    let mut line = [0_u8; LONGEST_STATUS];
    let count = told.read(&mut line).ok()?;
    understand(line.get(..count)?)
}

fn understand(line: &[u8]) -> Option<Exit> {
    let line = std::str::from_utf8(line).ok()?.strip_suffix('\n')?;
    let (kind, number) = line.split_once(' ')?;
    let number: i32 = number.parse().ok()?;
    match kind {
        "code" if (0..=255).contains(&number) => Some(Exit::Code(number)),
        "signal" if (1..=64).contains(&number) => Some(Exit::Signal(number)),
        _ => None,
    }
}

/// Starts the child inside the sandbox and waits for it; gives the exit code for the sandbox to
/// pass on. `report`, `status` and `stderr` are descriptors that `__exec` handed down.
pub fn run(report: i32, status: i32, stderr: i32, argv: &[OsString]) -> Result<u8, Trouble> {
    let lost = |error: io::Error| Trouble::internal("`__within` was called by hand").because(error);
    let mut report = File::from(unix::inherited(report).map_err(lost)?);
    let mut status = File::from(unix::inherited(status).map_err(lost)?);
    let stderr = unix::inherited(stderr).map_err(lost)?;
    rustix::stdio::dup2_stderr(&stderr).map_err(|error| lost(error.into()))?;
    drop(stderr);
    status.write_all(BEGUN).map_err(lost)?;
    let refused = |mut report: File, refusal: &Refusal| {
        let text = serde_json::to_string(refusal).unwrap_or_default();
        let _ = report.write_all(text.as_bytes());
        NOT_STARTED
    };
    let path = std::env::var_os("PATH");
    let program = match program::find(argv.first(), path) {
        Ok(program) => program,
        Err(refusal) => return Ok(refused(report, &refusal)),
    };
    match unix::fork() {
        Err(error) => Ok(refused(report, &Refusal::new(&error, "no process can be forked"))),
        Ok(Forked::Child) => {
            unix::default_signals();
            let closed = unix::close_descriptors_on_exec();
            let error = match closed.and_then(|()| report.write_all(READY.as_bytes())) {
                Ok(()) => unix::exec(&program, argv),
                Err(error) => error,
            };
            Ok(refused(report, &program::refusal(&program, &error)))
        }
        Ok(Forked::Parent(child)) => {
            drop(report);
            let (line, code) = match await_end(child) {
                Exit::Signal(signal) => (format!("signal {signal}\n"), 128 + signal),
                Exit::Code(code) => (format!("code {code}\n"), code),
                Exit::Deadline | Exit::OutputCap => (String::new(), i32::from(NOT_STARTED)),
            };
            let _ = status.write_all(line.as_bytes());
            Ok(u8::try_from(code).unwrap_or(NOT_STARTED))
        }
    }
}

fn await_end(child: Pid) -> Exit {
    loop {
        match waitpid(Some(child), WaitOptions::empty()) {
            Ok(Some((_, status))) => {
                let signal = status.terminating_signal().map(Exit::Signal);
                return signal.or(status.exit_status().map(Exit::Code)).unwrap_or(Exit::Signal(9));
            }
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Exit::Signal(9),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_by_one_whole_line() {
        for (line, want) in [
            ("code 0\n", Some(Exit::Code(0))),
            ("code 137\n", Some(Exit::Code(137))),
            ("signal 9\n", Some(Exit::Signal(9))),
            ("signal 0\n", None),
            ("code 256\n", None),
            ("code -1\n", None),
            ("code 1", None),
            ("code 1\ncode 0\n", None),
            ("", None),
            ("stopped 3\n", None),
        ] {
            assert_eq!(understand(line.as_bytes()), want, "{line:?}");
        }
    }
}
