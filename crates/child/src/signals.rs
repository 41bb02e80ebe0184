//! Signals as values.
//!
//! They are heard by a thread of their own, so that they are noted also while the program does
//! something else than wait. SIGTSTP (Ctrl-Z) is carried out by that thread: the children are in
//! sessions of their own and would go on without us, so they are stopped first and continued after
//! us. The deadlines of a child stand still meanwhile (`child::session`), by the monotonic clock
//! alone, so that holds for a SIGSTOP too, though that one does not stop the children.
//!
//! Whoever waits is told of a signal and acts on it. Something that does not wait but is stuck all the
//! same (a full pipe that nobody reads our output from) would never hear of it, so after the second
//! signal the program has a last time to end by itself.
//!
//! SIGPIPE needs nothing: Rust programs ignore it, so a closed stdout is
//! an error of `write`, which the views overlook. SIGXFSZ is ignored ([`ignore_file_size`]), so a file that
//! may not grow is an error, too.
#![expect(clippy::disallowed_methods, reason = "the last time runs by the clock that never steps back")]

use std::io::{self, PipeReader, Read};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::sync::watch;

use crate::passthrough::raw;
use crate::process::descendants;
use crate::unix;
use tdd_core::trouble::Trouble;

/// Tells every wait of the program that a signal asked it to stop; `None` until then. The
/// number is the signal's: 1, 2, 3 or 15.
pub type StopSignal = watch::Receiver<Option<i32>>;

/// How long the program has to end by itself after the second signal. What it does then is to kill its
/// children and to write down where it stands.
const LAST_TIME: Duration = Duration::from_secs(10);

/// Listens to SIGHUP, SIGINT, SIGQUIT and SIGTERM for the rest of the program; from now on they end it no
/// more by themselves. One that we were started to ignore (`nohup`, a shell's background job)
/// stays ignored. Each arrival is a change of the value, so whoever waits can tell the second
/// signal, which kills at once, from the first, which stops in order.
pub fn install() -> Result<StopSignal, Trouble> {
    heeding(Second::Ends)
}

/// The same while a program of the person's own has the terminal: a Ctrl-C is for that one, however often it comes.
pub fn install_beside() -> Result<StopSignal, Trouble> {
    heeding(Second::IsAsTheFirst)
}

/// What a second signal does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Second {
    /// The program has a last time to end by itself.
    Ends,
    IsAsTheFirst,
}

fn heeding(second: Second) -> Result<StopSignal, Trouble> {
    let (send, stop) = watch::channel(None);
    listen(send, second).map_err(|error| {
        Trouble::environment("signals can't be listened to")
            .because(error)
            .advise("check the limits on threads and open files (ulimit -a)")
    })?;
    Ok(stop)
}

/// From now on a file that reaches the limit on its size (`ulimit -f`) is an error and not our end.
/// Children have the signal as ever.
pub fn ignore_file_size() {
    unix::ignore_signals(&[libc::SIGXFSZ]);
}

/// Undoes [`install`]: where a program only asks its person something, a Ctrl-C ends it at once.
pub fn uninstall() {
    unix::give_back_signals(&[libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGTSTP]);
}

fn listen(send: watch::Sender<Option<i32>>, second: Second) -> io::Result<()> {
    // `nohup` has SIGHUP ignored, and means it. That a shell has SIGINT ignored for what it
    // starts in the background is no wish of anybody's: who sends it wants the run to stop.
    let is_nohup = unix::is_ignored(libc::SIGHUP);
    let stops = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM];
    let heeded = stops.into_iter().filter(|signal| !(is_nohup && *signal == libc::SIGHUP));
    let rests = (!unix::is_ignored(libc::SIGTSTP)).then_some(libc::SIGTSTP);
    let all: Vec<i32> = heeded.chain(rests).collect();
    // The thread first: from the moment on at which a signal no longer ends us, somebody listens.
    let (heard, noted) = io::pipe()?;
    let forward = move || {
        let mut count: u32 = 0;
        let mut ends: Option<(Instant, i32)> = None;
        loop {
            match next(&heard, ends.map(|(end, _)| end)) {
                Heard::Signal(libc::SIGTSTP) => rest(),
                Heard::Signal(signal) => {
                    send.send_replace(Some(signal));
                    count += 1;
                    if count == 2 && second == Second::Ends {
                        ends = Some((Instant::now() + LAST_TIME, signal));
                    }
                }
                Heard::TimeIsUp => {
                    if let Some((_, signal)) = ends.take() {
                        end_anyway(signal);
                    }
                }
                Heard::NoMore => return,
            }
        }
    };
    std::thread::Builder::new().name("tdd-signals".to_owned()).spawn(forward)?;
    unix::note_signals(&all, noted.into())
}

enum Heard {
    Signal(i32),
    TimeIsUp,
    /// The signals could not be set up.
    NoMore,
}

fn next(heard: &PipeReader, end: Option<Instant>) -> Heard {
    loop {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        let mut signal = [0];
        match poll(&mut [PollFd::new(heard, PollFlags::IN)], left.as_ref()) {
            Ok(0) => return Heard::TimeIsUp,
            Ok(_) => match (&*heard).read(&mut signal) {
                Ok(0) => return Heard::NoMore,
                Ok(_) => return Heard::Signal(i32::from(signal[0])),
                Err(_) => {}
            },
            Err(_) => {}
        }
    }
}

/// Ends the program as the signal would have done. Its children get SIGKILL from the system, and the
/// next command finds what is left in the journal and the notes.
fn end_anyway(signal: i32) {
    raw::step_aside();
    unix::end_by(signal);
}

/// Stops the children, then ourselves; when we are continued, so are they.
fn rest() {
    descendants::stop_all();
    raw::step_aside();
    unix::stop_ourselves();
    raw::come_back();
    descendants::continue_all();
}
