//! The thread that reads a child's output: into the log first, then on to whoever listens.
//!
//! A read blocks, so it has a thread of its own. The channel is bounded: a listener that is slow
//! makes the child wait, not our memory grow. Dropping the [`Reading`] ends the thread, also while
//! somebody still holds the other end of the output.
#![expect(clippy::disallowed_methods, reason = "a chunk is put together for a bounded time")]

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use tokio::sync::mpsc;

use crate::session::Happening;

/// A terminal gives at most 4,095 bytes a read, a pipe as much as is asked for. What comes
/// without a pause is put together: to write and to hear each read by itself costs more than the
/// reading.
const CHUNK: usize = 32 * 1024;
/// With [`CHUNK`], the one that waits to be sent included, at most 256 KiB are read but not heard.
const CHUNKS: usize = 7;
/// The longest pause that does not end a chunk, and how long one is put together at most.
const PAUSE: Duration = Duration::from_millis(1);
const LONGEST_CHUNK: Duration = Duration::from_millis(10);

/// Output being read by a thread.
#[derive(Debug)]
pub(super) struct Reading {
    /// Emptied before the rest is dropped: the thread may be waiting to send.
    heard: Option<mpsc::Receiver<Happening>>,
    /// Its end tells the thread to end.
    cancel: Option<PipeWriter>,
    thread: Option<JoinHandle<()>>,
}

impl Reading {
    /// Reads `output` until its end and copies it to `log`.
    pub(super) fn start(output: File, log: File) -> io::Result<Self> {
        let (cancelled, cancel) = io::pipe()?;
        let (send, heard) = mpsc::channel(CHUNKS);
        let thread = std::thread::Builder::new()
            .name("tdd-read".to_owned())
            .spawn(move || read_all(output, log, &cancelled, &send))?;
        Ok(Self { heard: Some(heard), cancel: Some(cancel), thread: Some(thread) })
    }

    /// The next bytes, or the end. After the end it waits for ever. Safe to cancel.
    pub(super) async fn next(&mut self) -> Happening {
        let Some(heard) = self.heard.as_mut() else {
            return std::future::pending().await;
        };
        let Some(happening) = heard.recv().await else {
            self.heard = None;
            return Happening::OutputEnded;
        };
        happening
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        self.heard = None;
        self.cancel = None;
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has nothing more to do either.
            let _ = thread.join();
        }
    }
}

fn read_all(mut output: File, log: File, cancelled: &PipeReader, send: &mpsc::Sender<Happening>) {
    if fcntl_getfl(&output).and_then(|flags| fcntl_setfl(&output, flags | OFlags::NONBLOCK)).is_err() {
        return;
    }
    let mut log = Some(log);
    let mut chunk = vec![0_u8; CHUNK];
    while await_more(&output, cancelled, None) == More::ToRead {
        let (count, then) = fill(&mut output, cancelled, &mut chunk);
        if count > 0 {
            if let Some(Err(error)) = log.as_mut().map(|log| log.write_all(&chunk[..count])) {
                log = None;
                if send.blocking_send(Happening::LogLost(error.into())).is_err() {
                    return;
                }
            }
            if send.blocking_send(Happening::Bytes(chunk[..count].to_vec())).is_err() {
                return;
            }
        }
        if then == Then::Ended {
            return;
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    GoesOn,
    Ended,
}

/// Reads until the chunk is full or there is a pause.
fn fill(output: &mut File, cancelled: &PipeReader, chunk: &mut [u8]) -> (usize, Then) {
    let began = Instant::now();
    let mut count = 0;
    while count < chunk.len() {
        match output.read(&mut chunk[count..]) {
            Ok(0) => return (count, Then::Ended),
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let is_late = count == 0 || began.elapsed() >= LONGEST_CHUNK;
                if is_late || await_more(output, cancelled, Some(PAUSE)) != More::ToRead {
                    return (count, Then::GoesOn);
                }
            }
            // EIO is how a terminal says that nobody has its other side open.
            Err(_) => return (count, Then::Ended),
        }
    }
    (count, Then::GoesOn)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum More {
    /// Which may be the end.
    ToRead,
    NotYet,
    Cancelled,
}

/// Waits until there is something to read, for ever without a `patience`.
fn await_more(output: &File, cancelled: &PipeReader, patience: Option<Duration>) -> More {
    let patience = patience.and_then(|time| Timespec::try_from(time).ok());
    loop {
        let mut wanted = [PollFd::new(output, PollFlags::IN), PollFd::new(cancelled, PollFlags::IN)];
        match poll(&mut wanted, patience.as_ref()) {
            Ok(0) if patience.is_some() => return More::NotYet,
            Ok(_) if !wanted[1].revents().is_empty() => return More::Cancelled,
            Ok(_) if !wanted[0].revents().is_empty() => return More::ToRead,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return More::Cancelled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block_on<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    fn pipe() -> (File, PipeWriter) {
        let (reader, writer) = io::pipe().unwrap();
        (File::from(std::os::fd::OwnedFd::from(reader)), writer)
    }

    #[test]
    fn a_full_disk_is_told_once_and_output_goes_on() {
        use rustix::fs::{Mode, OFlags, open};
        let Ok(full) = open("/dev/full", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty()) else {
            println!("skipped: no /dev/full");
            return;
        };
        let (output, mut writer) = pipe();
        let mut reading = Reading::start(output, File::from(full)).unwrap();
        block_on(async {
            writer.write_all(b"one").unwrap();
            assert!(matches!(reading.next().await, Happening::LogLost(_)));
            assert_eq!(reading.next().await, Happening::Bytes(b"one".to_vec()));
            writer.write_all(b"two").unwrap();
            assert_eq!(reading.next().await, Happening::Bytes(b"two".to_vec()));
            drop(writer);
            assert_eq!(reading.next().await, Happening::OutputEnded);
        });
    }

    #[test]
    fn a_drop_ends_the_thread_though_the_output_is_open() {
        let (output, mut writer) = pipe();
        writer.write_all(b"not heard").unwrap();
        let reading = Reading::start(output, tempfile::tempfile().unwrap()).unwrap();
        drop(reading);
        // The thread, and with it the only reader, is gone.
        assert_eq!(writer.write(b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
