//! The terminal, lent to a program of the person's own, and what is done where that left it otherwise.

use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, ExitStatus};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

use crate::signals::StopSignal;

/// How long a signal to us may wait.
const TICK: Duration = Duration::from_millis(100);
/// How long the program has to end by itself when we are asked to.
const LAST_TIME: Duration = Duration::from_secs(2);
/// What a program that was killed has not taken back: pastes, mouse, keypad, cursor, colours, the other screen.
const AS_USUAL: &[u8] =
    b"\x18\x1b[0m\x1b[?2004l\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l\x1b[?1l\x1b>\x1b[?25h\x1b[?1049l";

/// A terminal's modes from before it was lent.
pub struct Lent {
    terminal: OwnedFd,
    before: Termios,
}

impl fmt::Debug for Lent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lent").finish_non_exhaustive()
    }
}

/// How a program that had the terminal has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    ByItself(ExitStatus),
    /// This signal asked us to end meanwhile; the program was ended first.
    Stopped(i32),
}

impl Lent {
    /// `None` where it is no terminal.
    pub fn of(terminal: OwnedFd) -> Option<Self> {
        let before = tcgetattr(&terminal).ok()?;
        Some(Self { terminal, before })
    }

    /// Puts the terminal back as it was; also what is drawn on it, where the program was killed.
    fn take_back(&self, status: ExitStatus) {
        if status.signal().is_some() {
            let _ = rustix::io::write(&self.terminal, AS_USUAL);
        }
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.before);
    }
}

/// Waits for the program. Ctrl-C is the program's, as git has it; what asks us to end ends it, too.
pub fn attend(mut child: Child, stop: &StopSignal, lent: Option<&Lent>) -> io::Result<Ended> {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (tell, told) = channel();
    let waits = std::thread::Builder::new().name("tdd-attends".to_owned());
    waits.spawn(move || tell.send(child.wait()))?;
    let mut asked = None;
    let status = loop {
        let patience = if asked.is_some() { LAST_TIME } else { TICK };
        match told.recv_timeout(patience) {
            Ok(status) => break status?,
            Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("its end was missed")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let signal = (*stop.borrow()).filter(|signal| matches!(*signal, libc::SIGHUP | libc::SIGTERM));
        let Some((signal, pid)) = signal.zip(pid) else { continue };
        let _ = kill_process(pid, if asked.is_some() { Signal::KILL } else { Signal::TERM });
        asked = Some(signal);
    };
    if let Some(lent) = lent {
        lent.take_back(status);
    }
    Ok(asked.map_or(Ended::ByItself(status), Ended::Stopped))
}
