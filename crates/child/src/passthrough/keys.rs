//! What the operator types, on its way to the child.
//!
//! A read of a terminal blocks, so it has a thread of its own; but one that is begun only when there
//! is something to read, and that an event ends. So no read of one child's is left behind to take the
//! first key that is meant for the next.
//!
//! Ctrl-C is the child's key, and what it means there is the child's affair. A second one soon after it is
//! for us: whoever presses twice wants out, and a child may not listen. It is not carried over, so that the
//! child does not end by it as if it had been quit.
#![expect(clippy::disallowed_methods, reason = "a second press is one that comes soon")]

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::OwnedFd;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};

use crate::ctrl_c::CtrlC;

/// Keys of one read; a paste comes in many.
const CHUNK: usize = 4096;
/// Two presses of Ctrl-C within this are a wish to stop the run.
const SOON: Duration = Duration::from_secs(1);

/// Keys being carried over by a thread; dropping it ends the thread.
#[derive(Debug)]
pub(super) struct Keys {
    /// Its end tells the thread to end.
    cancel: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl Keys {
    /// Carries over from the operator's terminal to the child's. `to` doesn't block; `stop` is called when
    /// Ctrl-C is pressed twice.
    pub(super) fn carry(from: OwnedFd, to: File, stop: fn()) -> io::Result<Self> {
        let (cancelled, cancel) = io::pipe()?;
        let thread = std::thread::Builder::new()
            .name("tdd-keys".to_owned())
            .spawn(move || carry_over(&from, to, &cancelled, stop))?;
        Ok(Self { cancel: Some(cancel), thread: Some(thread) })
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.cancel = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked reads no more either.
            let _ = thread.join();
        }
    }
}

fn carry_over(from: &OwnedFd, mut to: File, cancelled: &PipeReader, stop: fn()) {
    let mut chunk = [0_u8; CHUNK];
    let mut presses = Presses::default();
    while await_key(from, cancelled) == Next::Read {
        match rustix::io::read(from, &mut chunk) {
            Ok(0) => return,
            Ok(count) => {
                let theirs = presses.until_second(&chunk[..count], Instant::now());
                if !write_all(&mut to, &chunk[..theirs], cancelled) {
                    return;
                }
                if theirs < count {
                    stop();
                }
            }
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(_) => return,
        }
    }
}

/// When Ctrl-C was pressed last.
#[derive(Debug, Default)]
struct Presses {
    keys: CtrlC,
    last: Option<Instant>,
}

impl Presses {
    /// How many of these bytes are the child's: all, or those before the end of a second press.
    fn until_second(&mut self, bytes: &[u8], now: Instant) -> usize {
        for (index, byte) in bytes.iter().enumerate() {
            if !self.keys.ends_with(*byte) {
                continue;
            }
            let is_second = self.last.is_some_and(|last| now.saturating_duration_since(last) <= SOON);
            self.last = Some(now);
            if is_second {
                return index;
            }
        }
        bytes.len()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Read,
    End,
}

/// Waits for a key. Being told to end goes before any key.
fn await_key(from: &OwnedFd, cancelled: &PipeReader) -> Next {
    loop {
        let mut wanted = [PollFd::new(cancelled, PollFlags::IN), PollFd::new(from, PollFlags::IN)];
        match poll(&mut wanted, None) {
            Ok(_) if !wanted[0].revents().is_empty() => return Next::End,
            Ok(_) if wanted[1].revents().contains(PollFlags::IN) => return Next::Read,
            // The terminal is gone; SIGHUP says so to whoever has to know.
            Ok(_) if !wanted[1].revents().is_empty() => return Next::End,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Next::End,
        }
    }
}

/// Whether all of it was written. A child that doesn't read fills its terminal; nothing more is read
/// from the operator's until it does.
fn write_all(to: &mut File, mut bytes: &[u8], cancelled: &PipeReader) -> bool {
    while !bytes.is_empty() {
        match to.write(bytes) {
            Ok(0) => return false,
            Ok(count) => bytes = &bytes[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let mut wanted = [PollFd::new(cancelled, PollFlags::IN), PollFd::new(&*to, PollFlags::OUT)];
                match poll(&mut wanted, None) {
                    Ok(_) if !wanted[0].revents().is_empty() => return false,
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(_) => return false,
                }
            }
            Err(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn the_next_one_s_keys_are_left_alone() {
        let (typed, mut keyboard) = io::pipe().unwrap();
        let (mut child, screen) = io::pipe().unwrap();
        let from = || OwnedFd::from(typed.try_clone().unwrap());
        let keys = Keys::carry(from(), File::from(OwnedFd::from(screen)), || {}).unwrap();
        keyboard.write_all(b"one").unwrap();
        let mut heard = [0; 3];
        child.read_exact(&mut heard).unwrap();
        assert_eq!(&heard, b"one");
        drop(keys);
        keyboard.write_all(b"two").unwrap();
        let (mut next, screen) = io::pipe().unwrap();
        let _keys = Keys::carry(from(), File::from(OwnedFd::from(screen)), || {}).unwrap();
        next.read_exact(&mut heard).unwrap();
        assert_eq!(&heard, b"two");
        assert_eq!(child.read(&mut heard).unwrap(), 0, "the first one's end is closed");
    }

    #[test]
    fn the_second_press_of_ctrl_c_is_for_us_if_it_comes_soon() {
        let begin = Instant::now();
        let at = |ms: u64| begin + Duration::from_millis(ms);
        let mut presses = Presses::default();
        assert_eq!(presses.until_second(b"ab\x03", at(0)), 3, "the first one is the child's");
        assert_eq!(presses.until_second(b"\x03x", at(1500)), 2, "one that comes late is a first one again");
        assert_eq!(presses.until_second(b"x\x03y", at(2000)), 1, "what comes after it is nobody's");
        assert_eq!(Presses::default().until_second(b"\x03\x03", at(0)), 1, "both at once");
    }

    #[test]
    fn a_child_that_reads_nothing_does_not_hold_up_the_end() {
        let (typed, mut keyboard) = io::pipe().unwrap();
        let (_child, screen) = io::pipe().unwrap();
        let screen = File::from(OwnedFd::from(screen));
        rustix::fs::fcntl_setfl(&screen, rustix::fs::OFlags::NONBLOCK).unwrap();
        let keys = Keys::carry(OwnedFd::from(typed), screen, || {}).unwrap();
        // More than a pipe holds: the last write ends only when the thread has read the most of it.
        keyboard.write_all(&vec![b'x'; 100_000]).unwrap();
        drop(keys);
        assert_eq!(keyboard.write(b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
