//! `tdd __exec`: checks, prepares and execs, so that a failure to start is a real error.
//!
//! The two sides of a start. [`become_child`] runs in the new process, [`read_report`] in the one
//! that spawned it. Between them is a pair of sockets: one is handed over as descriptor 0 and closed by
//! a successful exec, so that its end tells the parent that the child runs. Grammar of what goes down
//! and what comes up:
//!
//! ```text
//! leave   = "!"                             whoever comes after the parent knows of the child now
//! report  = [ "ready\n" [ refusal ] ]       nothing at all: the shim itself did not run
//! refusal = JSON {"errno": n, "why": "…", "next": "…", "is_of_sandbox": whether a sandbox could not be set up}
//! ```
//!
//! `ready` is written right before the exec; a check that failed writes its refusal alone. Nothing is
//! executed without leave: a program that runs before it was noted would be nobody's if we were killed.
//!
//! With a fence around it the child is not this process but its grandchild or further down, and the
//! report is written there: see [`within`].
#![expect(clippy::disallowed_methods, reason = "reads the environment and the disk to start a child")]

mod program;
pub mod within;

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};

use crate::unix;
use tdd_core::harmless;
use tdd_core::trouble::Trouble;

/// The shim's exit code when it could not start the child. The report is what counts; the child's
/// own exit code may be the same.
pub const NOT_STARTED: u8 = 125;

/// Reports are shorter; what is longer is cut.
const LONGEST_REPORT: u64 = 16 * 1024;
/// Characters of what a sandbox says before it ends.
const LONGEST_COMPLAINT: usize = 400;

/// A start takes about 1 ms; a working directory on a dead network drive takes for ever.
const START_DEADLINE: Duration = Duration::from_secs(30);

const READY: &str = "ready\n";
const LEAVE: &[u8] = b"!";

static SHIM: OnceLock<PathBuf> = OnceLock::new();

/// The binary whose `__exec` starts children: this program itself, unless [`use_shim`] was called.
pub fn shim() -> PathBuf {
    if let Some(named) = SHIM.get() {
        return named.clone();
    }
    // Set by cargo for integration tests, where this program is the test binary.
    if let Some(built) = std::env::var_os("CARGO_BIN_EXE_tdd") {
        return PathBuf::from(built);
    }
    if cfg!(target_os = "linux") {
        // Stays right when the binary is replaced during a run.
        return PathBuf::from("/proc/self/exe");
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("tdd"))
}

/// Names another binary for [`shim`]; for tests, whose own binary has no `__exec`. The first call wins.
pub fn use_shim(path: PathBuf) {
    let _ = SHIM.set(path);
}

/// What is to be done before the exec.
#[derive(Clone, Debug)]
pub struct Preparation {
    pub argv: Vec<OsString>,
    pub cwd: PathBuf,
    /// The process id of whoever spawned us.
    pub parent: u32,
    /// `/dev/null` if not given.
    pub stdin: Option<PathBuf>,
    pub terminal: Terminal,
    /// How many words at the beginning of `argv` are those of a sandbox that stays around the child.
    pub around: usize,
}

/// Whether the child has a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminal {
    None,
    /// Stdout is the terminal that becomes the controlling one.
    Controlling,
}

/// Why a child could not be started, as the shim tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    errno: i32,
    why: String,
    next: String,
    #[serde(default)]
    is_of_sandbox: bool,
}

impl Refusal {
    fn new(error: &io::Error, why: impl Into<String>) -> Self {
        Self {
            errno: error.raw_os_error().unwrap_or(0),
            why: why.into(),
            next: String::new(),
            is_of_sandbox: false,
        }
    }

    /// A sandbox around the child ended before the child began; `said` is what it said last.
    fn of_sandbox(said: &str) -> Self {
        let said = harmless::short(said.trim(), LONGEST_COMPLAINT);
        let said = if said.is_empty() { "it ended without a word" } else { &said };
        Self {
            errno: 0,
            why: format!("the OS sandbox around it can't be set up: {said}"),
            next: "go on without it: --sandbox audit".to_owned(),
            is_of_sandbox: true,
        }
    }

    /// Whether a sandbox is the cause: no program has begun, and the next try may succeed.
    pub fn is_of_sandbox(&self) -> bool {
        self.is_of_sandbox
    }

    fn advise(mut self, next: impl Into<String>) -> Self {
        self.next = next.into();
        self
    }

    /// `program` is what the person asked for.
    pub fn trouble(self, program: &str) -> Trouble {
        Trouble::environment(format!("can't start `{program}`")).because(self.why).advise(self.next)
    }
}

/// Turns this process into the child. Returns only on failure, which it has reported to whoever
/// spawned us; `Err` if there is nobody to report to.
pub fn become_child(preparation: &Preparation) -> Result<(), Trouble> {
    // Descriptor 0 becomes the child's stdin, so the socket moves out of its way.
    let mut report = rustix::io::fcntl_dupfd_cloexec(io::stdin().as_fd(), 3)
        .map(std::fs::File::from)
        .map_err(|error| {
            Trouble::internal("`__exec` was called without a socket for its report")
                .because(std::io::Error::from(error))
        })?;
    let prepared = prepare(preparation).and_then(|program| await_leave(&report).map(|()| program));
    let refusal = match prepared {
        Err(refusal) => refusal,
        Ok(program) if preparation.around > 0 => match within::enclose(&program, preparation, report) {
            Ok(never) => match never {},
            Err((refusal, pipe)) => {
                report = pipe;
                refusal
            }
        },
        Ok(program) => {
            unix::default_signals();
            report
                .write_all(READY.as_bytes())
                .map_err(|error| Trouble::internal("`__exec` can't report").because(error))?;
            let error = unix::exec(&program, &preparation.argv);
            program::refusal(&program, &error)
        }
    };
    let text = serde_json::to_string(&refusal).unwrap_or_default();
    report.write_all(text.as_bytes()).map_err(|_| Trouble::environment(refusal.why))
}

fn await_leave(mut socket: &std::fs::File) -> Result<(), Refusal> {
    socket
        .read_exact(&mut [0; LEAVE.len()])
        .map_err(|error| Refusal::new(&error, format!("`tdd` gave no leave to start it: {error}")))
}

/// Lets the shim start the child. One that is gone already has no need of it.
pub fn give_leave(mut socket: &UnixStream) {
    let _ = socket.write_all(LEAVE);
}

fn prepare(preparation: &Preparation) -> Result<PathBuf, Refusal> {
    let or = |why: &'static str| move |error: rustix::io::Errno| Refusal::new(&error.into(), why);
    unix::die_with_parent().map_err(|error| Refusal::new(&error, "the death signal can't be set"))?;
    // The parent may have ended before the line above; then nobody is left to send the signal.
    if rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get().cast_unsigned())
        != Some(preparation.parent)
    {
        return Err(Refusal::new(&io::ErrorKind::Interrupted.into(), "`tdd` itself ended meanwhile"));
    }
    rustix::process::setsid().map_err(or("no session of its own can be made"))?;
    match preparation.terminal {
        Terminal::None => {}
        Terminal::Controlling => rustix::process::ioctl_tiocsctty(io::stdout().as_fd())
            .map_err(or("the terminal can't become the controlling one"))?,
    }
    rustix::stdio::dup2_stdin(open_stdin(preparation)?).map_err(or("stdin can't be set"))?;
    enter(preparation)?;
    let program = program::find(preparation.argv.first(), std::env::var_os("PATH"))?;
    unix::close_descriptors_on_exec()
        .map_err(|error| Refusal::new(&error, "inherited descriptors can't be closed"))?;
    Ok(program)
}

fn open_stdin(preparation: &Preparation) -> Result<OwnedFd, Refusal> {
    let path = preparation.stdin.clone().unwrap_or_else(|| PathBuf::from("/dev/null"));
    rustix::fs::open(&path, OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY, Mode::empty())
        .map_err(|error| Refusal::new(&error.into(), format!("{} can't be read: {error}", path.display())))
}

fn enter(preparation: &Preparation) -> Result<(), Refusal> {
    let cwd = &preparation.cwd;
    std::env::set_current_dir(cwd).map_err(|error| {
        let why = match error.raw_os_error() {
            Some(libc::ENOENT) => "does not exist".to_owned(),
            Some(libc::ENOTDIR) => "is not a directory".to_owned(),
            Some(libc::EACCES) => "may not be entered".to_owned(),
            _ => format!("can't be entered: {error}"),
        };
        Refusal::new(&error, format!("the working directory {} {why}", cwd.display()))
            .advise("check whether the folder was moved or removed meanwhile")
    })
}

/// Waits until the shim has exec'd or refused.
pub fn read_report(mut socket: UnixStream) -> Result<(), Refusal> {
    let deadline = Instant::now() + START_DEADLINE;
    let mut report = Vec::new();
    let ended = loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).ok();
        let mut wanted = [PollFd::new(&socket, PollFlags::IN)];
        match poll(&mut wanted, timeout.as_ref()) {
            Ok(0) => return Err(too_slow()),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => break Err(error.into()),
        }
        let mut chunk = [0_u8; 4096];
        match socket.read(&mut chunk) {
            Ok(0) => break Ok(()),
            // It refused, or ended, before it had read that it may start.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => break Ok(()),
            Ok(count) if report.len() as u64 <= LONGEST_REPORT => report.extend_from_slice(&chunk[..count]),
            Ok(_) => {}
            Err(error) => break Err(error),
        }
    };
    ended.map_err(|error: io::Error| Refusal::new(&error, format!("its start can't be watched: {error}")))?;
    understand(&report)
}

fn understand(report: &[u8]) -> Result<(), Refusal> {
    let text = String::from_utf8_lossy(report);
    let rest = match text.strip_prefix(READY) {
        Some("") => return Ok(()),
        Some(rest) => rest,
        None => &text,
    };
    Err(serde_json::from_str(rest).unwrap_or_else(|_| Refusal {
        errno: 0,
        why: "the program that prepares children (`tdd __exec`) did not run".to_owned(),
        next: "check that the `tdd` binary is still where it was and is the same version".to_owned(),
        is_of_sandbox: false,
    }))
}

fn too_slow() -> Refusal {
    Refusal {
        errno: 0,
        why: format!("it was not running after {} s", START_DEADLINE.as_secs()),
        next: "check whether its folder is on a drive that does not answer".to_owned(),
        is_of_sandbox: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_happened() {
        assert_eq!(understand(b"ready\n"), Ok(()));
        let refusal =
            Refusal { errno: 2, why: "no\nsuch".to_owned(), next: String::new(), is_of_sandbox: false };
        let json = serde_json::to_string(&refusal).unwrap();
        assert_eq!(understand(json.as_bytes()), Err(refusal.clone()));
        assert_eq!(understand(format!("ready\n{json}").as_bytes()), Err(refusal));
        for broken in ["", "read", "ready\nx", "usage: tdd"] {
            let error = understand(broken.as_bytes()).unwrap_err();
            assert!(error.why.contains("__exec"), "{broken:?}: {error:?}");
        }
    }
}
