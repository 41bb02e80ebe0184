//! The operator's terminal in raw mode, and on its other screen, and back.
//!
//! What it was is known to the whole process, because others than the owner may have to put it back:
//! a panic before it prints, and the thread that hears SIGTSTP before it stops us.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

static HELD: Mutex<Option<Held>> = Mutex::new(None);
static HOOK: Once = Once::new();

struct Held {
    terminal: OwnedFd,
    before: Termios,
    raw: Termios,
    screen: Screen,
}

/// Where the terminal shows what we draw.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Screen {
    /// Among all that was printed before.
    Own,
    /// The one that leaves nothing behind.
    Other,
    /// The same, after it was left and come back to: it is empty.
    OtherAnew,
}

/// The other screen, without the cursor; and back.
const TO_OTHER: &[u8] = b"\x1b[?1049h\x1b[?25l";
const TO_OWN: &[u8] = b"\x1b[?25h\x1b[?1049l";

/// The terminal is raw as long as this lives.
#[derive(Debug)]
#[must_use = "the terminal is put back when this is dropped"]
pub(super) struct Raw(());

impl Raw {
    /// Keys typed before stay where they are.
    pub(super) fn enter(terminal: OwnedFd) -> io::Result<Self> {
        Self::show(terminal, Screen::Own)
    }

    fn show(terminal: OwnedFd, screen: Screen) -> io::Result<Self> {
        let before = tcgetattr(&terminal)?;
        let mut raw = before.clone();
        raw.make_raw();
        HOOK.call_once(put_back_on_panic);
        tcsetattr(&terminal, OptionalActions::Now, &raw)?;
        let now = Held { terminal, before, raw, screen };
        now.say(TO_OTHER);
        *held() = Some(now);
        Ok(Self(()))
    }

    /// Puts the terminal back and looks whether it is.
    pub(super) fn restore(self) -> io::Result<()> {
        let restored = held().take().map_or(Ok(()), |held| held.put_back());
        // Which finds nothing to do any more.
        drop(self);
        restored
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        if let Some(held) = held().take() {
            let _ = held.put_back();
        }
    }
}

/// The terminal is raw and on its other screen as long as this lives.
#[derive(Debug)]
#[must_use = "the terminal is put back when this is dropped"]
pub struct OtherScreen(Raw);

impl OtherScreen {
    /// An error where it is no terminal, or one that is gone.
    pub fn enter(terminal: OwnedFd) -> io::Result<Self> {
        Raw::show(terminal, Screen::Other).map(Self)
    }

    /// Whether it was left since this was last asked, so that all is to be drawn again.
    pub fn has_come_back(&self) -> bool {
        let mut held = held();
        let anew = held.as_mut().filter(|held| held.screen == Screen::OtherAnew);
        anew.map(|held| held.screen = Screen::Other).is_some()
    }
}

impl Held {
    /// Tells the terminal which screen to show, where that is not its own.
    fn say(&self, word: &[u8]) {
        if self.screen != Screen::Own {
            let _ = rustix::io::write(&self.terminal, word);
        }
    }

    fn put_back(&self) -> io::Result<()> {
        self.say(TO_OWN);
        // Not after a drain: a terminal whose output is held up would never be put back.
        tcsetattr(self.terminal.as_fd(), OptionalActions::Now, &self.before)?;
        let now = tcgetattr(self.terminal.as_fd())?;
        let modes = |termios: &Termios| {
            (termios.input_modes, termios.output_modes, termios.control_modes, termios.local_modes)
        };
        if modes(&now) == modes(&self.before) {
            return Ok(());
        }
        Err(io::Error::other("it did not take its modes back"))
    }
}

/// Before we are stopped by SIGTSTP: whoever continues us types at a usable terminal meanwhile.
pub fn step_aside() {
    if let Some(held) = held().as_ref() {
        let _ = held.put_back();
    }
}

/// After that.
pub fn come_back() {
    if let Some(held) = held().as_mut() {
        let _ = tcsetattr(held.terminal.as_fd(), OptionalActions::Now, &held.raw);
        held.say(TO_OTHER);
        if held.screen == Screen::Other {
            held.screen = Screen::OtherAnew;
        }
    }
}

fn held() -> MutexGuard<'static, Option<Held>> {
    HELD.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A panic's message is to be read, and a panic may end the process without dropping anything.
fn put_back_on_panic() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        // The thread that panics may hold the lock.
        let mut guard = match HELD.try_lock() {
            Ok(guard) => Some(guard),
            Err(std::sync::TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) => None,
        };
        if let Some(held) = guard.as_mut().and_then(|held| held.take()) {
            let _ = held.put_back();
        }
        drop(guard);
        before(info);
    }));
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use portable_pty::{MasterPty, PtySize, native_pty_system};
    use rustix::termios::LocalModes;

    use super::*;
    use crate::unix;

    /// One test for all: the terminal that is raw is the process's.
    #[test]
    fn the_terminal_is_put_back_by_whoever_comes_first() {
        let pair = native_pty_system().openpty(PtySize::default()).unwrap();
        let terminal = unix::duplicate(pair.master.as_ref(), MasterPty::as_raw_fd).unwrap();
        let lines =
            || tcgetattr(&terminal).unwrap().local_modes.contains(LocalModes::ICANON | LocalModes::ECHO);
        let enter = || Raw::enter(terminal.try_clone().unwrap()).unwrap();
        assert!(lines());

        let raw = enter();
        assert!(!lines());
        raw.restore().unwrap();
        assert!(lines(), "by its owner");

        drop(enter());
        assert!(lines(), "by an error that drops it");

        let raw = enter();
        step_aside();
        assert!(lines(), "while we are stopped");
        come_back();
        assert!(!lines());
        drop(raw);

        let raw = enter();
        let seen = Mutex::new(None);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            struct Late<'a>(&'a Mutex<Option<bool>>, &'a dyn Fn() -> bool);
            impl Drop for Late<'_> {
                fn drop(&mut self) {
                    *self.0.lock().unwrap() = Some((self.1)());
                }
            }
            let _late = Late(&seen, &lines);
            panic!("on purpose: the terminal is to be put back before this is printed");
        }));
        assert!(caught.is_err());
        assert_eq!(*seen.lock().unwrap(), Some(true), "by a panic, before anything is dropped");
        raw.restore().unwrap();
        assert!(lines());

        // The other screen is left by a panic, too, with the cursor, before its message.
        let own =
            std::fs::File::options().read(true).write(true).open(pair.master.tty_name().unwrap()).unwrap();
        let other = OtherScreen::enter(own.into()).unwrap();
        let caught =
            catch_unwind(|| panic!("on purpose: the other screen is to be left before this is printed"));
        assert!(caught.is_err() && held().is_none());
        drop(other);
        let mut said = [0; 256];
        let count = pair.master.try_clone_reader().unwrap().read(&mut said).unwrap();
        assert_eq!(said[..count], [TO_OTHER, TO_OWN].concat());
        assert!(lines());
    }
}
