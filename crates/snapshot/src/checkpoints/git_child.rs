//! A git that runs: in a process group of its own, ended where it takes too long, and started again
//! where a Ctrl-C met it before it had begun.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use tdd_core::trouble::Trouble;

/// A git that takes in or gives out a whole tree takes no longer.
const STREAM_DEADLINE: Duration = Duration::from_mins(30);

/// How often a git is started at the most. More than once only where a signal of the terminal met
/// it, more than twice only if somebody leans on Ctrl-C.
pub(super) const STARTS: usize = 20;

/// How long a child that was started is waited for until it has a program of its own: 200 ms.
const MOST_LOOKS: u32 = 10_000;
const BETWEEN_LOOKS: Duration = Duration::from_micros(20);

/// Ends a git that streams for too long, unless it is dropped before.
#[derive(Debug)]
pub(super) struct Watchdog(
    #[expect(dead_code, reason = "its end tells the thread to stop")] mpsc::Sender<()>,
);

impl Watchdog {
    /// Must be dropped before the child is waited for: a number that was given back may belong
    /// to another process.
    /// Without a thread to watch it, the child is ended at once.
    pub(super) fn over(child: &mut Child) -> Result<Self, Trouble> {
        let (end, ended) = mpsc::channel();
        let pid = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw);
        let watch = move || {
            let timed_out = ended.recv_timeout(STREAM_DEADLINE) == Err(mpsc::RecvTimeoutError::Timeout);
            if let (true, Some(pid)) = (timed_out, pid) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        };
        match std::thread::Builder::new().name("tdd-git".to_owned()).spawn(watch) {
            Ok(_) => Ok(Self(end)),
            Err(error) => {
                end_now(child);
                Err(lost(error))
            }
        }
    }
}

/// A thread of ours that can't be started, or a pipe to git that breaks.
pub(super) fn lost(error: std::io::Error) -> Trouble {
    Trouble::environment("git can't be talked to")
        .because(error)
        .mend("see the limits on processes and open files (`ulimit -a`)")
}

pub(super) fn end_now(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Starts a git whose input is streamed by the caller. It has a process group of its own, so
/// that a Ctrl-C at the terminal reaches us alone and no checkpoint is left half done.
pub(super) fn start(mut command: Command) -> Result<Child, Trouble> {
    for _ in 0..STARTS {
        let mut child = spawn(&mut command)?;
        let ended = if is_ending(&child) { child.wait().map(Some) } else { child.try_wait() };
        if !matches!(ended, Ok(Some(status)) if is_from_a_terminal(status)) {
            return Ok(child);
        }
    }
    spawn(&mut command)
}

/// Whether a child that was just started is past its life already, though it can't be waited for
/// yet: the system gives a program's place back before it tells of its end. For a moment before it
/// becomes git, or ends without, it still has our own program. Where there is no `/proc`, nothing is known.
fn is_ending(child: &Child) -> bool {
    let Ok(own) = std::fs::read_link("/proc/self/exe") else { return false };
    let path = format!("/proc/{}/exe", child.id());
    for _ in 0..MOST_LOOKS {
        match std::fs::read_link(&path) {
            Ok(program) if program == own => std::thread::park_timeout(BETWEEN_LOOKS),
            Ok(_) => return false,
            Err(error) => return error.kind() == std::io::ErrorKind::NotFound,
        }
    }
    false
}

pub(super) fn spawn(command: &mut Command) -> Result<Child, Trouble> {
    command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|error| {
        Trouble::environment("git can't be started")
            .because(error)
            .advise("install git 2.30 or later and see that it is on the PATH")
    })
}

/// A forked git is in our process group for a moment, and then a Ctrl-C ends it before it has
/// begun. In its own group no such signal reaches it, so one that ended like this did nothing and
/// can be started again.
pub(super) fn is_from_a_terminal(status: ExitStatus) -> bool {
    matches!(status.signal(), Some(libc::SIGINT | libc::SIGHUP | libc::SIGQUIT))
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read};

    use rustix::process::{Pid, Signal, kill_process_group};

    use super::*;

    /// In the process that the other test starts: streams to many gits while signals rain.
    #[test]
    fn within_the_rain() {
        if std::env::var_os("TDD_TEST_RAIN").is_none() {
            return;
        }
        let _heeded = tdd_child::signals::install_beside().unwrap();
        println!("ready");
        for _ in 0..200 {
            let mut command = Command::new("git");
            command.args(["hash-object", "--stdin"]);
            let mut child = start(command).unwrap();
            drop(child.stdin.take());
            let mut said = String::new();
            child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
            assert!(child.wait().unwrap().success() && said.len() >= 40, "{said}");
        }
    }

    #[test]
    fn ac_tdd_6_7_a_git_that_a_ctrl_c_meets_before_it_has_begun_is_started_again() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "--nocapture", "checkpoints::git_child::tests::within_the_rain"]);
        command.env("TDD_TEST_RAIN", "1").process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let group = Pid::from_child(&child);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        assert!(lines.any(|line| line.contains("ready")));
        let (end, ended) = mpsc::channel::<()>();
        let rest = std::thread::spawn(move || {
            let rest: Vec<String> = lines.collect();
            drop(end);
            rest
        });
        // In showers of half as many as there are starts, with more time between them than a start takes on a busy
        // machine: whatever it is busy with, not all starts of one git are met.
        let (drop, dry) = (Duration::from_millis(1), Duration::from_millis(50));
        let pauses = std::iter::repeat_n(drop, STARTS / 2).chain([dry]).cycle();
        for pause in pauses {
            let _ = kill_process_group(group, Signal::INT);
            if ended.recv_timeout(pause) != Err(mpsc::RecvTimeoutError::Timeout) {
                break;
            }
        }
        let rest = rest.join().unwrap().join("\n");
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert!(child.wait().unwrap().success(), "{rest}\n{said}");
    }
}
