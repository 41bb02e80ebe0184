//! How a scripted agent misbehaves.
#![expect(clippy::disallowed_methods, reason = "a misbehaving child starts processes")]

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use tokio::signal::unix::{SignalKind, signal};

use super::actions;
use crate::cli::AgentArgs;
use tdd_agents::cassette::Misbehaviour;
use tdd_core::trouble::Trouble;

/// The role of the process that is left behind; no cassette can name it.
pub(super) const DAEMON_ROLE: &str = "(daemon)";

/// Even a forgotten process ends some day: 15 minutes.
const LONGEST: Duration = Duration::from_mins(15);

/// What happens between `print:` and the final message. Returns only if a message is to follow.
pub(super) fn before_the_message(how: &Misbehaviour, args: &AgentArgs) -> Result<(), Trouble> {
    match how {
        Misbehaviour::None
        | Misbehaviour::NoBlock
        | Misbehaviour::TwoBlocks
        | Misbehaviour::UnclosedBlock
        | Misbehaviour::WrongRole
        | Misbehaviour::Exit(_)
        | Misbehaviour::Silence => Ok(()),
        Misbehaviour::Hang => hang(),
        Misbehaviour::IgnoreTerm => ignore_term(),
        Misbehaviour::Flood => flood(),
        Misbehaviour::Crash => crash(),
        Misbehaviour::Daemon => leave_a_daemon(args),
        Misbehaviour::TouchTest(path) => actions::append(&actions::below(path)?, b"\n")
            .map_err(|error| Trouble::environment(format!("`{path}` could not be touched")).because(error)),
        Misbehaviour::Garbage => {
            actions::say(
                b"\xff\xfe\x80 \0\0 \x1b[31m\x1b]0;title\x07\x1b[2J\x08\x08 \xc3\x28 \x1b[?1049h\x1b(0\r",
            );
            Ok(())
        }
    }
}

/// Waits until it is killed. The end of its time is an error, so that a test that waits for it fails.
fn hang() -> ! {
    let end = Instant::now() + LONGEST;
    while Instant::now() < end {
        std::thread::park_timeout(LONGEST);
    }
    std::process::exit(124)
}

fn ignore_term() -> Result<(), Trouble> {
    let failed = |error: std::io::Error| Trouble::internal("a signal can't be ignored").because(error);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(failed)?;
    let _entered = runtime.enter();
    let _interrupt = signal(SignalKind::interrupt()).map_err(failed)?;
    let _terminate = signal(SignalKind::terminate()).map_err(failed)?;
    actions::say(b"I do not listen.");
    hang()
}

fn flood() -> ! {
    let line = [b'x'; 79];
    let mut block = Vec::new();
    for _ in 0..200 {
        block.extend_from_slice(&line);
        block.push(b'\n');
    }
    let mut out = std::io::stdout().lock();
    while out.write_all(&block).is_ok() {}
    std::process::exit(1)
}

/// A core file would lie in the work tree and look like the role's work.
fn crash() -> ! {
    let none = rustix::process::Rlimit { current: Some(0), maximum: Some(0) };
    let _ = rustix::process::setrlimit(rustix::process::Resource::Core, none);
    std::process::abort()
}

/// Starts a process in a session of its own, and waits until it is there: it says so through the
/// socket that is its stdin. It keeps our stdout and stderr.
fn leave_a_daemon(args: &AgentArgs) -> Result<(), Trouble> {
    let failed = |error: std::io::Error| Trouble::internal("no daemon could be left").because(error);
    let (mut ours, theirs) = UnixStream::pair().map_err(failed)?;
    let program = std::env::current_exe().map_err(failed)?;
    let child = Command::new(program)
        .args(["__agent", "--role", DAEMON_ROLE, "--cassette"])
        .arg(&args.cassette)
        .arg("--prompt-file")
        .arg(&args.prompt_file)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .spawn()
        .map_err(failed)?;
    drop(child);
    ours.set_read_timeout(Some(Duration::from_secs(20))).map_err(failed)?;
    ours.read_exact(&mut [0]).map_err(failed)
}

pub(super) fn be_a_daemon() -> Result<ExitCode, Trouble> {
    let failed = |error: rustix::io::Errno| {
        Trouble::internal("no session of its own").because(std::io::Error::from(error))
    };
    rustix::process::setsid().map_err(failed)?;
    rustix::io::write(rustix::stdio::stdin(), b".").map_err(failed)?;
    hang()
}
