//! A child on the operator's own terminal.
//!
//! ```text
//! operator's terminal (raw) ──keys──► the child's terminal ──► the child
//!                           ◄─bytes── (and into the log)   ◄──
//! ```
//!
//! The child has a terminal of its own between us and it, so that it can be ended like any other one,
//! and so that the operator's is put back whatever the child did to it: by its modes and by what was
//! printed on it ([`child::terminal_modes`](crate::terminal_modes)). Ctrl-C is a key like any
//! other here, and what it means is the child's terminal's affair; a second one soon after it is a SIGINT to
//! ourselves. Signals sent to us climb the stop ladder ([`child::session`](crate::session)), as
//! without a terminal. A SIGKILL leaves the terminal as it is: what is to be put back is noted ([`left`]).

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::stdio::{stdin, stdout};
use rustix::termios::{Winsize, isatty, tcgetpgrp, tcgetwinsize, tcsetwinsize};
use tokio::signal::unix::{SignalKind, signal};

use crate::process::{Size, SpawnOrder};
use crate::pty;
use crate::session::{self, Heard, Lived, SessionLimits};
use crate::signals::StopSignal;
use crate::terminal_modes::TerminalModes;
use tdd_core::trouble::Trouble;

mod keys;
pub mod left;
pub mod lent;
pub mod raw;

use keys::Keys;
use left::Noted;
use raw::Raw;

/// The terminal that the operator sits at: stdin and stdout. One child at a time has it.
#[derive(Clone, Copy, Debug)]
pub struct Operator(());

impl Operator {
    /// A trouble of the user's if stdin or stdout is no terminal, or if it is another job's.
    pub fn at_terminal() -> Result<Self, Trouble> {
        let refused = |why: &str| {
            Trouble::user("--interactive needs a terminal")
                .because(why)
                .advise("run it in a terminal, in the foreground, or leave --interactive out")
        };
        if !isatty(stdin()) {
            return Err(refused("stdin is none: nobody could type"));
        }
        if !isatty(stdout()) {
            return Err(refused("stdout is none: nobody could see the agent's screen"));
        }
        match tcgetpgrp(stdin()) {
            Ok(group) if group == rustix::process::getpgrp() => Ok(Self(())),
            Ok(_) | Err(_) => Err(refused("it is another job's: tdd runs in the background")),
        }
    }

    /// Starts a child and lets it have the terminal until its end; its `size` and `stdin` are the
    /// terminal's. The outer trouble: it can't be started, or the terminal can't be put back.
    pub async fn attend(
        self,
        order: &SpawnOrder,
        limits: &SessionLimits,
        stop: &mut StopSignal,
    ) -> Result<Lived, Trouble> {
        let shared = |error: io::Error| Trouble::environment("the terminal can't be shared").because(error);
        // The runtime makes such a pair for its signals, and panics where it can't.
        drop(UnixStream::pair().map_err(shared)?);
        let mut resized = signal(SignalKind::window_change()).map_err(shared)?;
        let keyboard = stdin().try_clone_to_owned().map_err(shared)?;
        let mut screen = Screen::on(stdout()).map_err(shared)?;
        let order = SpawnOrder { size: size(stdin()), ..order.clone() };
        screen.noted = Noted::terminal(stdin());
        // Before the child can ask its terminal anything: the answer would be shown as if typed.
        let raw = Raw::enter(keyboard.try_clone().map_err(shared)?).map_err(shared)?;
        let (mut child, theirs) = pty::spawn_interactive(&order)?;
        let keys =
            Keys::carry(keyboard, theirs.try_clone().map_err(shared)?, interrupt_us).map_err(shared)?;
        let mut on_output = |bytes: &[u8]| {
            screen.show(bytes);
            Heard::Continue
        };
        let lived = tokio::select! {
            lived = session::live(&mut child, limits, stop, &mut on_output) => lived,
            never = async {
                loop {
                    // It may have changed between the start and the first wait.
                    hand_on_size(stdin(), &theirs);
                    if resized.recv().await.is_none() {
                        std::future::pending::<()>().await;
                    }
                }
            } => never,
        };
        drop(keys);
        drop(child);
        screen.clean_up();
        let restored = raw.restore();
        // As late as that: the note is for whoever finds the terminal not restored.
        drop(screen);
        restored.map_err(|error| {
            Trouble::environment("the terminal can't be restored")
                .because(error)
                .advise("type `reset` and Enter, even if you don't see it")
        })?;
        Ok(lived)
    }
}

/// The operator's screen, written to as the bytes come.
struct Screen {
    out: File,
    modes: TerminalModes,
    /// `None` where it can't be noted.
    noted: Option<Noted>,
}

impl Screen {
    fn on(terminal: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self {
            out: File::from(terminal.try_clone_to_owned()?),
            modes: TerminalModes::default(),
            noted: None,
        })
    }

    fn show(&mut self, bytes: &[u8]) {
        self.modes.feed(bytes);
        if let Some(noted) = &mut self.noted {
            noted.update(self.modes.set());
        }
        self.write(bytes);
    }

    fn clean_up(&mut self) {
        let undo = self.modes.undo();
        self.write(&undo);
    }

    /// A terminal that has gone away, or takes nothing for a second, stops nothing.
    fn write(&mut self, mut bytes: &[u8]) {
        let second = Timespec { tv_sec: 1, tv_nsec: 0 };
        while !bytes.is_empty() {
            match self.out.write(bytes) {
                Ok(0) => return,
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Somebody who shares the terminal has set it so.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    let mut wanted = [PollFd::new(&self.out, PollFlags::OUT)];
                    if !matches!(poll(&mut wanted, Some(&second)), Ok(1..)) {
                        return;
                    }
                }
                Err(_) => return,
            }
        }
    }
}

/// Ctrl-C was pressed twice; as if somebody had sent it.
fn interrupt_us() {
    let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::INT);
}

fn size(terminal: BorrowedFd<'_>) -> Size {
    let usual = Size::default();
    match tcgetwinsize(terminal) {
        Ok(Winsize { ws_row: rows @ 1.., ws_col: cols @ 1.., .. }) => Size { rows, cols },
        Ok(_) | Err(_) => usual,
    }
}

/// The system tells the child by SIGWINCH, if it is another one.
fn hand_on_size(from: BorrowedFd<'_>, to: &File) {
    let Size { rows, cols } = size(from);
    let size = Winsize { ws_row: rows, ws_col: cols, ws_xpixel: 0, ws_ypixel: 0 };
    let _ = tcsetwinsize(to, size);
}
