//! Signals as values.
//!
//! They are heard by a thread of their own, so that they are noted also while the program does
//! something else than wait. SIGTSTP (Ctrl-Z) is carried out by that thread: the children are in
//! sessions of their own and would go on without us, so they are stopped first and continued after
//! us. The deadlines of a child stand still meanwhile (`driver::session`), by the monotonic clock
//! alone, so that holds for a SIGSTOP too, though that one does not stop the children.
//!
//! Whoever waits is told of a signal and acts on it. Something that does not wait but is stuck all the
//! same (a full pipe that nobody reads our output from) would never hear of it, so after the second
//! signal the program has a last time to end by itself.
//!
//! SIGPIPE needs nothing: Rust programs ignore it, so a closed stdout is
//! an error of `write`, which the views overlook. SIGXFSZ is ignored ([`ignore_file_size`]), so a file that
//! may not grow is an error, too.

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use super::passthrough::raw;
use super::process::kin;
use super::unix;
use crate::core::trouble::Trouble;

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
    let (send, stop) = watch::channel(None);
    listen(send).map_err(|error| {
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

fn listen(send: watch::Sender<Option<i32>>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    // Registered before this returns, so that none is missed.
    let mut listeners = {
        let _inside = runtime.enter();
        let kinds =
            [SignalKind::hangup(), SignalKind::interrupt(), SignalKind::quit(), SignalKind::terminate()];
        // `nohup` has SIGHUP ignored, and means it. That a shell has SIGINT ignored for what it
        // starts in the background is no wish of anybody's: who sends it wants the run to stop.
        let is_nohup = unix::is_ignored(SignalKind::hangup().as_raw_value());
        let heeded = kinds.into_iter().filter(|kind| !(is_nohup && *kind == SignalKind::hangup()));
        let stops = SignalKind::from_raw(libc::SIGTSTP);
        let stops = (!unix::is_ignored(libc::SIGTSTP)).then_some(stops);
        let all = heeded.chain(stops);
        all.map(|kind| Ok((kind.as_raw_value(), signal(kind)?))).collect::<io::Result<Vec<_>>>()?
    };
    let forward = move || {
        runtime.block_on(async {
            let mut heard: u32 = 0;
            loop {
                match poll_fn(|context| next(&mut listeners, context)).await {
                    libc::SIGTSTP => rest(),
                    number => {
                        send.send_replace(Some(number));
                        heard += 1;
                        if heard == 2 {
                            tokio::spawn(end_anyway(number));
                        }
                    }
                }
            }
        });
    };
    std::thread::Builder::new().name("tdd-signals".to_owned()).spawn(forward)?;
    Ok(())
}

/// Ends the program as the signal would have done. Its children get SIGKILL from the system, and the
/// next command finds what is left in the journal and the notes.
async fn end_anyway(signal: i32) {
    tokio::time::sleep(LAST_TIME).await;
    raw::step_aside();
    unix::end_by(signal);
}

/// Stops the children, then ourselves; when we are continued, so are they.
fn rest() {
    kin::stop_all();
    raw::step_aside();
    unix::stop_ourselves();
    raw::come_back();
    kin::continue_all();
}

fn next(listeners: &mut [(i32, Signal)], context: &mut Context<'_>) -> Poll<i32> {
    for (number, listener) in listeners {
        if listener.poll_recv(context) == Poll::Ready(Some(())) {
            return Poll::Ready(*number);
        }
    }
    Poll::Pending
}
