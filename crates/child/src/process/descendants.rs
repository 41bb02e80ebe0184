//! Who descends from a child, and their end.
//!
//! A descendant can leave its parent's group and session, and lose its parent; what it can't leave
//! is us: as a subreaper we become the parent of every orphan. So a child's descendants are, by turns,
//! - whoever is in the leader's session or group, or has the leader as its parent;
//! - of our own adopted children, those that carry the child's mark in their environment, and, if
//!   just one child is attended, also those that hide it;
//! - and all descendants of these.
//!
//! Adopted are those of our children that we did not spawn: every leader is in the register, and
//! whatever else this program runs (git) stays in our own session, which an orphan has left for
//! good, since each leader is put into a session of its own before it execs.
//!
//! Where there is no `/proc` only the leader's group is ended (untested there).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::Pid;
use tokio::time::Instant;

use crate::unix::proc_table::{self, Life, Process};
use tdd_core::event::Leaked;
use tdd_core::guard::{self, Guard};
use tdd_core::harmless;

/// The variable that marks a child's descendants.
pub const MARK: &str = "TDD_CHILD";
/// The longest time that one sweep takes.
const LONGEST_SWEEP: Duration = Duration::from_secs(3);
/// How long a sweep waits for those that are between two programs: a loaded machine needs milliseconds.
const LONGEST_EXEC: Duration = Duration::from_millis(100);
const EXEC_LOOK: Duration = Duration::from_millis(1);
/// From this round on they may be breeding faster than we kill, so no time is lost.
const HURRY_FROM: u32 = 3;

/// The leaders that were spawned and not yet waited for. The lock is also held from a fork until
/// its entry, and during a sweep, so that no sweep takes a leader for an orphan.
static LEADERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());
/// Whether this process has children that are none of ours; see [`spare_unmarked`].
static HAS_OTHERS: AtomicBool = AtomicBool::new(false);
static NEXT_MARK: AtomicU64 = AtomicU64::new(1);

/// The right to fork a leader.
pub struct Register(MutexGuard<'static, BTreeSet<i32>>);

impl Register {
    pub fn open() -> Self {
        // The set is right even if a thread panicked while it held the lock.
        Self(LEADERS.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn enter(mut self, leader: Pid) {
        self.0.insert(leader.as_raw_nonzero().get());
    }
}

/// From now on only those descendants are swept that are in the leader's session or carry its mark: this process also
/// starts programs by other means, which no sweep can tell from orphans.
pub fn spare_unmarked() {
    HAS_OTHERS.store(true, Ordering::Relaxed);
}

/// The leader was waited for; its process id may be anybody's now.
pub fn strike_out(leader: Pid) {
    Register::open().0.remove(&leader.as_raw_nonzero().get());
}

/// What marks the descendants of one child, `PID-START.N`: our process id and start time, so that
/// it is unique while the system is up, also after our end, and a number for the child.
#[derive(Clone, Debug)]
pub struct Mark(String);

impl Mark {
    /// The mark of the next child.
    pub fn next() -> Self {
        let us = std::process::id();
        let started = proc_table::process(us.cast_signed()).map_or(0, |one| one.started);
        Self(format!("{us}-{started}.{}", NEXT_MARK.fetch_add(1, Ordering::Relaxed)))
    }

    /// Name and value of the variable to set.
    pub fn variable(&self) -> (OsString, OsString) {
        (MARK.into(), self.0.clone().into())
    }

    fn assignment(&self) -> Vec<u8> {
        let (name, value) = self.variable();
        [name.as_bytes(), value.as_bytes()].join(&b'=')
    }
}

/// Whom a round looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// All processes of the system: takes milliseconds, misses nobody who lives so long.
    Everybody,
    /// Our own children: fast enough for those who fork and end before a long look has come to them.
    Adopted,
}

/// Ends all descendants of a leader that has ended itself, and waits for them; gives their number; `noted` gets their
/// names. What a signal of ours does not end in time (another user's process) is left.
pub fn sweep(leader: Pid, mark: &Mark, noted: &Ended) -> usize {
    if !guard::stands(Guard::Descendants) {
        return 0;
    }
    let register = Register::open();
    let deadline = Instant::now() + LONGEST_SWEEP;
    let mut ended = BTreeMap::new();
    let (mut look, mut nobody_since) = (Look::Everybody, None);
    let exec_deadline = Instant::now() + LONGEST_EXEC;
    for round in 1_u32.. {
        let table = match look {
            Look::Everybody => proc_table::processes(),
            Look::Adopted => proc_table::our_children(),
        };
        let descendants = find(leader, mark, &register, &table);
        // One look is not enough: who forks and ends while it lasts is missed, but leaves a zombie.
        let is_over =
            descendants.is_empty() && nobody_since == Some(Look::Everybody) && look == Look::Adopted;
        if Instant::now() >= deadline {
            break;
        }
        if is_over {
            let changing = between_programs(leader, &register, &table);
            if changing.is_empty() || Instant::now() >= exec_deadline {
                break;
            }
            await_end(&changing, Instant::now() + EXEC_LOOK);
        }
        descendants.iter().for_each(reap);
        let alive: Vec<Process> = descendants.iter().filter(|one| one.life == Life::Alive).copied().collect();
        for one in &alive {
            // A process that comes up again is one that did not end at once.
            if ended.insert((one.pid, one.started), *one).is_none() {
                note_ended(one.pid, noted);
            }
            send_kill(one);
        }
        if round < HURRY_FROM {
            await_end(&alive, deadline);
        }
        nobody_since = descendants.is_empty().then_some(look);
        look = match (nobody_since, look) {
            (None, _) if round >= HURRY_FROM => Look::Adopted,
            (Some(_), Look::Everybody) => Look::Adopted,
            (Some(_), Look::Adopted) | (None, _) => Look::Everybody,
        };
    }
    let ended: Vec<Process> = ended.into_values().collect();
    await_end(&ended, deadline);
    // By now their parents have ended too, so they are ours. A zombie carries no mark any more, so
    // the rounds may not have known them.
    ended.iter().for_each(reap);
    ended.len()
}

/// The processes that sweeps have ended, for whoever started what left them: every order that holds
/// a clone of it adds to the same list.
#[derive(Clone, Debug, Default)]
pub struct Ended(Arc<Mutex<Vec<Leaked>>>);

impl Ended {
    /// Those since this was last called.
    pub fn take(&self) -> Vec<Leaked> {
        std::mem::take(&mut self.all())
    }

    fn note(&self, one: Leaked) {
        let mut all = self.all();
        if all.len() < MOST_ENDED {
            all.push(one);
        }
    }

    fn all(&self) -> MutexGuard<'_, Vec<Leaked>> {
        // The list is right even if a thread panicked while it held the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who forks without end is named so often, and no more.
const MOST_ENDED: usize = 50;
/// The program that fences our children, by the name of its file.
const FENCE: &str = "bwrap";

/// A fence's own processes end a moment after what they fence, and what has no command line any more
/// is ending by itself: neither was left by anybody.
fn note_ended(pid: i32, noted: &Ended) {
    let is_fence = proc_table::executable(pid).is_some_and(|path| path.ends_with(FENCE));
    let Some(command) = proc_table::command_line(pid).filter(|command| !command.is_empty() && !is_fence)
    else {
        return;
    };
    noted.note(Leaked { pid, command: harmless::short(&command, 200) });
}

/// Those who may be the leader's and have no environment. In the midst of an exec nobody has one, so that
/// a mark which was there before, and will be there again, is not seen.
fn between_programs(leader: Pid, register: &Register, table: &[Process]) -> Vec<Process> {
    let us = std::process::id().cast_signed();
    let started = proc_table::process(leader.as_raw_nonzero().get()).map_or(0, |one| one.started);
    let our_session = proc_table::process(us).map_or(0, |one| one.session);
    let is_changing = |one: &&Process| {
        one.parent == us
            && one.life == Life::Alive
            && one.session != our_session
            && one.started >= started
            && !register.0.contains(&one.pid)
            && proc_table::has_no_environment(one.pid)
    };
    table.iter().filter(is_changing).copied().collect()
}

fn find(leader: Pid, mark: &Mark, register: &Register, table: &[Process]) -> Vec<Process> {
    let leader = leader.as_raw_nonzero().get();
    let us = std::process::id().cast_signed();
    let assignment = mark.assignment();
    let started = proc_table::process(leader).map_or(0, |one| one.started);
    let our_session = proc_table::process(us).map_or(0, |one| one.session);
    let is_only_one = register.0.len() <= 1 && !HAS_OTHERS.load(Ordering::Relaxed);
    let is_ours = |one: &Process| {
        one.session == leader
            || one.group == leader
            || one.parent == leader
            || (one.parent == us
                && one.session != our_session
                && one.started >= started
                && (is_only_one || proc_table::has_variable(one.pid, &assignment)))
    };
    let may_descend = |one: &Process| one.pid != us && !register.0.contains(&one.pid);
    let roots = table.iter().filter(|one| may_descend(one) && is_ours(one)).copied().collect();
    let mut descendants = proc_table::with_descendants(table, roots);
    descendants.retain(may_descend);
    descendants
}

/// Stops all that descends from children of ours; who forks meanwhile is found in the next round.
/// What is in our own session (git) is left to end by itself.
pub fn stop_all() {
    let our_session = proc_table::process(std::process::id().cast_signed()).map_or(0, |one| one.session);
    signal_all(rustix::process::Signal::STOP, |one| one.session != our_session);
}

/// Continues all our descendants, whoever stopped them.
pub fn continue_all() {
    signal_all(rustix::process::Signal::CONT, |_| true);
}

fn signal_all(signal: rustix::process::Signal, wanted: impl Fn(&Process) -> bool) {
    const ROUNDS: usize = 5;
    let us = std::process::id().cast_signed();
    let mut reached = BTreeSet::new();
    for _ in 0..ROUNDS {
        let mut descendants = proc_table::descendants(us);
        descendants.retain(|one| wanted(one) && reached.insert((one.pid, one.started)));
        if descendants.is_empty() {
            return;
        }
        for one in &descendants {
            send(one, signal);
        }
    }
}

/// Takes the exit status of an adopted child that has ended, so that it does not stay a zombie.
/// Another's zombie is its parent's to wait for, and becomes ours when that ends.
fn reap(ended: &Process) {
    let us = std::process::id().cast_signed();
    let is_adopted =
        |now: Process| now.started == ended.started && now.life == Life::Zombie && now.parent == us;
    if proc_table::process(ended.pid).is_some_and(is_adopted)
        && let Some(pid) = Pid::from_raw(ended.pid)
    {
        let _ = rustix::process::waitpid(Some(pid), rustix::process::WaitOptions::NOHANG);
    }
}

/// Ends processes that are nobody's children of ours, and waits for their end until `deadline`.
pub fn end_strangers(all: &[Process], deadline: Instant) {
    all.iter().for_each(send_kill);
    await_end(all, deadline);
}

fn send_kill(to: &Process) {
    send(to, rustix::process::Signal::KILL);
}

/// Sends a signal to a process, and never to another one that got its id.
#[cfg(target_os = "linux")]
pub fn send(to: &Process, signal: rustix::process::Signal) {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    let Some(pid) = Pid::from_raw(to.pid) else { return };
    // The descriptor pins the process; only then does its start time prove that it is the one.
    if let Ok(pinned) = pidfd_open(pid, PidfdFlags::empty())
        && proc_table::process(to.pid).is_some_and(|now| now.started == to.started)
    {
        let _ = pidfd_send_signal(&pinned, signal);
    }
}

#[cfg(not(target_os = "linux"))]
pub fn send(_to: &Process, _signal: rustix::process::Signal) {}

/// Waits until all of them have ended or become zombies.
#[cfg(target_os = "linux")]
fn await_end(all: &[Process], deadline: Instant) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::process::{PidfdFlags, pidfd_open};
    for one in all {
        let Some(pid) = Pid::from_raw(one.pid) else { continue };
        let Ok(pinned) = pidfd_open(pid, PidfdFlags::empty()) else { continue };
        if proc_table::process(one.pid).is_none_or(|now| now.started != one.started) {
            continue;
        }
        let timeout = Timespec::try_from(deadline.saturating_duration_since(Instant::now())).ok();
        let _ = poll(&mut [PollFd::new(&pinned, PollFlags::IN)], timeout.as_ref());
    }
}

#[cfg(not(target_os = "linux"))]
fn await_end(_all: &[Process], _deadline: Instant) {}
