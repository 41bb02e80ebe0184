//! The thread that reads a child's output: into the log first, then on to whoever listens.
//!
//! A read blocks, so it has a thread of its own. The channel is bounded: a listener that is slow
//! makes the child wait, not our memory grow. Dropping the [`Reading`] ends the thread, also while
//! somebody still holds the other end of the output.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, poll};
use tokio::sync::mpsc;

use crate::driver::session::Happening;

/// A terminal gives at most 4,095 bytes a read, a pipe as much as is asked for.
const CHUNK: usize = 16 * 1024;
/// With [`CHUNK`] it makes at most 256 KiB that are read but not yet heard.
const CHUNKS: usize = 16;

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
    let mut log = Some(log);
    let mut chunk = vec![0_u8; CHUNK];
    while is_readable(&output, cancelled) {
        let count = match output.read(&mut chunk) {
            // EIO is how a terminal says that nobody has its other side open.
            Ok(0) | Err(_) => return,
            Ok(count) => count,
        };
        if let Some(Err(error)) = log.as_mut().map(|log| log.write_all(&chunk[..count])) {
            log = None;
            if send.blocking_send(Happening::LogLost(error.to_string())).is_err() {
                return;
            }
        }
        if send.blocking_send(Happening::Bytes(chunk[..count].to_vec())).is_err() {
            return;
        }
    }
}

/// Waits until there is something to read, which may be the end. `false` if it was cancelled.
fn is_readable(output: &File, cancelled: &PipeReader) -> bool {
    loop {
        let mut wanted = [PollFd::new(output, PollFlags::IN), PollFd::new(cancelled, PollFlags::IN)];
        match poll(&mut wanted, None) {
            Ok(_) if !wanted[1].revents().is_empty() => return false,
            Ok(_) if !wanted[0].revents().is_empty() => return true,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
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
