//! The process that we fork: its start through the shim, its end, signals to its group.
//!
//! The shim makes it the leader of a session and a group. It is not waited for (stays a zombie)
//! until its descendants were swept: so long nobody else can get its process id, and signals to its group
//! reach its descendants or nobody.

#![expect(clippy::disallowed_methods, reason = "this is where children are started")]

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::thread::JoinHandle;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::sync::oneshot;

use super::SpawnOrder;
use super::descendants::{self, Ended, Mark, Register};
use super::order::{EnvBase, EnvPlan, StdinPlan};
use crate::exec::{self, Terminal};
use crate::leftovers::Noted;
use crate::sandbox::Enclosure;
use crate::unix;
use tdd_core::test::Exit;
use tdd_core::trouble::{Trouble, Why};

/// How long a killed leader may take to end before it is left to the system.
const LAST_WAIT: Duration = Duration::from_secs(5);
/// How often a program is started that did not begin.
const TRIES: u32 = 3;

/// A forked process, the leader of its session and group.
#[derive(Debug)]
pub(super) struct Leader {
    pid: Pid,
    mark: Mark,
    /// Until it was waited for.
    process: Option<std::process::Child>,
    exit: Option<oneshot::Receiver<Exit>>,
    watcher: Option<JoinHandle<()>>,
    descendants: Descendants,
    ended: Ended,
    /// For whoever comes after us, if we are killed. Dropped last: when all descendants are gone.
    _noted: Noted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Descendants {
    MayLive,
    Swept,
}

/// Why no program runs.
enum NotStarted {
    /// The shim was ended by a signal of the terminal.
    Interrupted,
    /// The sandbox around it could not be set up.
    Unfenced(Trouble),
    Refused(Trouble),
}

impl From<Trouble> for NotStarted {
    fn from(trouble: Trouble) -> Self {
        Self::Refused(trouble)
    }
}

/// Where its output goes: stdout and stderr.
pub(super) struct Streams {
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
    pub(super) terminal: Terminal,
}

impl Leader {
    /// Forks, and waits until the program runs.
    ///
    /// Until the shim has made its session, a Ctrl-C at our terminal ends it too. The program has
    /// not begun then, so it is started again: whoever attends it hears of the signal and ends it
    /// in order. It has not begun either where a sandbox could not be set up: on a busy machine that
    /// may succeed at the next try.
    pub(super) fn start(order: &SpawnOrder, streams: &Streams) -> Result<Self, Trouble> {
        let mut last = None;
        for _ in 0..TRIES {
            match Self::start_once(order, streams) {
                Err(NotStarted::Interrupted) => {}
                Err(NotStarted::Unfenced(trouble)) => last = Some(trouble),
                Err(NotStarted::Refused(trouble)) => return Err(trouble),
                Ok(leader) => return Ok(leader),
            }
        }
        Err(last.unwrap_or_else(|| {
            Trouble::environment("a child can't be started").because("signals end it again and again")
        }))
    }

    fn start_once(order: &SpawnOrder, streams: &Streams) -> Result<Self, NotStarted> {
        let program = order.argv.first().map(|name| name.to_string_lossy().into_owned());
        let program = program.unwrap_or_default();
        let failed =
            |error: io::Error| Trouble::environment(format!("can't start `{program}`")).because(error);
        unix::become_subreaper().map_err(failed)?;
        let (report, reporter) = UnixStream::pair().map_err(failed)?;
        let mark = Mark::next();
        let (stdout, stderr) = (streams.stdout.try_clone(), streams.stderr.try_clone());
        let mut command = shim_command(order, streams.terminal);
        command.stdout(stdout.map_err(failed)?).stderr(stderr.map_err(failed)?);
        let (name, value) = mark.variable();
        command.env(name, value).stdin(OwnedFd::from(reporter));
        let register = Register::open();
        let process = command.spawn().map_err(|error| not_forked(&program, &error))?;
        // Closes our copies of its socket and of the output, whose ends would never be seen else.
        drop(command);
        let pid = Pid::from_child(&process);
        register.enter(pid);
        let noted = Noted::child(pid.as_raw_nonzero().get());
        let mut leader = Self {
            pid,
            mark,
            process: Some(process),
            exit: None,
            watcher: None,
            descendants: Descendants::MayLive,
            ended: order.ended.clone(),
            _noted: noted,
        };
        exec::give_leave(&report);
        if let Err(refusal) = exec::read_report(report) {
            if was_interrupted(pid) {
                return Err(NotStarted::Interrupted);
            }
            let is_of_sandbox = refusal.is_of_sandbox();
            let trouble = refusal.trouble(&program);
            return Err(if is_of_sandbox {
                NotStarted::Unfenced(trouble)
            } else {
                NotStarted::Refused(trouble)
            });
        }
        leader.watch().map_err(failed)?;
        Ok(leader)
    }

    pub(super) fn pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Its end; once. Waits for ever after that. Safe to cancel.
    pub(super) async fn exited(&mut self) -> Exit {
        let Some(exit) = self.exit.as_mut() else {
            return std::future::pending().await;
        };
        let ended = exit.await;
        self.exit = None;
        // The watcher always answers; if its thread was lost, nothing is known but the end.
        ended.unwrap_or(Exit::Signal(9))
    }

    /// To the whole group. Once the leader was waited for there is no group to be reached.
    pub(super) fn signal(&self, signal: Signal) {
        if self.process.is_some() {
            let _ = kill_process_group(self.pid, signal);
        }
    }

    /// Ends all descendants; see [`descendants::sweep`]. The leader must have ended or have been killed.
    pub(super) fn sweep(&mut self) -> usize {
        if self.descendants == Descendants::Swept {
            return 0;
        }
        let leaked = descendants::sweep(self.pid, &self.mark, &self.ended);
        self.signal(Signal::KILL);
        self.descendants = Descendants::Swept;
        leaked
    }

    fn watch(&mut self) -> io::Result<()> {
        let pid = self.pid;
        let (send, exit) = oneshot::channel();
        let watch = move || {
            let _ = send.send(await_exit(pid));
        };
        self.watcher = Some(std::thread::Builder::new().name("tdd-wait".to_owned()).spawn(watch)?);
        self.exit = Some(exit);
        Ok(())
    }
}

impl Drop for Leader {
    /// Kills what is left and gives the process id back.
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        // The shim, before it has made its group.
        if let Some(process) = self.process.as_mut() {
            let _ = process.kill();
        }
        if !has_ended(self.pid, LAST_WAIT) {
            return;
        }
        self.sweep();
        if let Some(watcher) = self.watcher.take() {
            let _ = watcher.join();
        }
        if let Some(mut process) = self.process.take() {
            let _ = process.wait();
            descendants::strike_out(self.pid);
        }
    }
}

fn shim_command(order: &SpawnOrder, terminal: Terminal) -> Command {
    let mut command = Command::new(&order.shim);
    command.arg0("tdd").arg("__exec").arg("--cwd").arg(&order.cwd);
    command.arg("--parent").arg(std::process::id().to_string());
    match terminal {
        Terminal::None => {}
        Terminal::Controlling => {
            command.arg("--tty");
        }
    }
    match &order.stdin {
        StdinPlan::Null => {}
        StdinPlan::File(path) => {
            command.arg("--stdin").arg(path);
        }
    }
    match &order.enclosure {
        None => command.arg("--"),
        Some(Enclosure::Around(words)) => {
            command.arg("--around").arg(words.len().to_string()).arg("--").args(words)
        }
        Some(Enclosure::Before(words)) => command.arg("--").args(words),
    };
    command.args(&order.argv);
    set_environment(&mut command, &order.env, order);
    command
}

fn set_environment(command: &mut Command, plan: &EnvPlan, order: &SpawnOrder) {
    match &plan.base {
        EnvBase::Inherit { remove } => {
            // What we have inherited names our own directory.
            command.env("PWD", &order.cwd);
            for name in remove {
                command.env_remove(name);
            }
        }
        EnvBase::Clear { pass } => {
            command.env_clear();
            for name in pass {
                if let Some(value) = std::env::var_os(name) {
                    command.env(name, value);
                }
            }
        }
    }
    command.envs(&plan.set);
}

fn not_forked(program: &str, error: &io::Error) -> Trouble {
    let trouble = Trouble::environment(format!("can't start `{program}`"));
    match error.raw_os_error() {
        Some(libc::E2BIG) => trouble
            .because("an argument is longer than 128 KiB, or all of them with the environment than allowed")
            .advise("hand long texts over in a file"),
        _ => trouble
            .because(Why::of("the program that prepares children (`tdd __exec`) can't run", error))
            .advise("see that this program is still where it was, and may be run"),
    }
}

/// Blocks until the process ends; leaves it to be waited for.
fn await_exit(pid: Pid) -> Exit {
    loop {
        match waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
            Ok(Some(status)) => {
                let signal = status.terminating_signal().map(Exit::Signal);
                return signal.or(status.exit_status().map(Exit::Code)).unwrap_or(Exit::Signal(9));
            }
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return Exit::Signal(9),
        }
    }
}

/// Whether a shim that has reported no start was ended as a terminal does it.
fn was_interrupted(pid: Pid) -> bool {
    // Its end of the report is closed a moment before it can be waited for.
    has_ended(pid, Duration::from_secs(1))
        && waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG)
            .is_ok_and(|status| {
                let signal = status.and_then(|status| status.terminating_signal());
                matches!(signal, Some(libc::SIGINT | libc::SIGHUP | libc::SIGQUIT))
            })
}

/// Whether the process ends within a time.
#[cfg(target_os = "linux")]
fn has_ended(pid: Pid, within: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{PidfdFlags, pidfd_open};
    let Ok(pinned) = pidfd_open(pid, PidfdFlags::empty()) else { return true };
    let timeout = Timespec::try_from(within).ok();
    matches!(poll(&mut [PollFd::new(&pinned, PollFlags::IN)], timeout.as_ref()), Ok(1))
}

#[cfg(not(target_os = "linux"))]
fn has_ended(_pid: Pid, _within: Duration) -> bool {
    true
}
