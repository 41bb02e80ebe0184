//! Where a child's life stands, and what every occurrence asks for: no wait, no effect.

use std::time::Duration;

use tokio::time::Instant;

use super::{Happening, Heard, Lived, SessionEnd, SessionLimits};
use tdd_core::attempt::Exhaustion;
use tdd_core::test::Exit;

/// How often the listener hears an empty slice.
const TICK: Duration = Duration::from_millis(200);
/// The loop wakes at every tick. When so much time has passed since it was awake, it is because we
/// did not run: stopped (SIGTSTP, SIGSTOP), or held up by a terminal that takes no output. That
/// time is the child's to have back.
const ABSENCE: Duration = Duration::from_secs(1);
/// After SIGKILL: how long to wait for the leader's end before it is given up as unkillable.
const LAST_WAIT: Duration = Duration::from_secs(5);
/// After the leader's end: how long output is read at most while somebody else goes on printing.
const LONGEST_DRAIN: Duration = Duration::from_secs(2);
/// After the sweep: how long the rest of the output is read at most.
const LONGEST_REST: Duration = Duration::from_secs(5);

/// All that can end a wait.
pub(super) enum Occurrence {
    Child(Happening),
    Stop(i32),
    /// Some deadline passed; which one is seen by the clock.
    Due,
}

/// What is to be done to the child before the next wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Wait,
    Interrupt,
    Terminate,
    Kill,
    Sweep,
    Done,
}

/// Where a child's life stands. Each phase has a deadline of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Running,
    /// We are ending it; at `due` the next rung is climbed.
    Ending {
        rung: Rung,
        due: Instant,
    },
    /// The leader ended by itself; output of others may follow.
    Draining {
        until: Instant,
    },
    /// Nothing is alive any more; what is on its way still comes in.
    Emptying {
        until: Instant,
    },
}

/// How far the stop ladder was climbed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rung {
    Interrupted,
    Terminated,
    Killed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Output {
    Open,
    Ended,
}

pub(super) struct Life {
    limits: SessionLimits,
    phase: Phase,
    wall: Instant,
    next_tick: Instant,
    /// When the last occurrence was handled.
    awake: Instant,
    absent: Duration,
    last_output: Instant,
    output: Output,
    output_bytes: u64,
    /// How the leader ended, once it has.
    exit: Option<Exit>,
    /// Why we ended it, once we have begun to.
    ended_by_us: Option<SessionEnd>,
    leaked: usize,
}

impl Life {
    pub(super) fn new(limits: SessionLimits, now: Instant) -> Self {
        Self {
            limits,
            phase: Phase::Running,
            wall: after(now, limits.wall),
            next_tick: now + TICK,
            awake: now,
            absent: Duration::ZERO,
            last_output: now,
            output: Output::Open,
            output_bytes: 0,
            exit: None,
            ended_by_us: None,
            leaked: 0,
        }
    }

    pub(super) fn handle(
        &mut self,
        occurrence: Occurrence,
        on_output: &mut dyn FnMut(&[u8]) -> Heard,
    ) -> Order {
        self.come_back(Instant::now());
        let order = match occurrence {
            Occurrence::Stop(signal) => self.stop(signal, Instant::now()),
            Occurrence::Child(happening) => self.happened(happening, on_output),
            Occurrence::Due => Order::Wait,
        };
        // The deadlines are looked at after every occurrence: a flood must not hide them, and
        // output that waited while we were held up must count before the idle deadline does.
        let now = Instant::now();
        let order = if order == Order::Wait { self.overdue(now) } else { order };
        let ticks = order == Order::Wait && now >= self.next_tick;
        if ticks {
            self.next_tick = now + TICK;
        }
        let order = if ticks { self.heard(on_output(&[])) } else { order };
        self.awake = now;
        order
    }

    /// Puts every deadline off by the time that we did not run.
    fn come_back(&mut self, now: Instant) {
        let absent = now.saturating_duration_since(self.awake);
        if absent < ABSENCE {
            return;
        }
        self.absent = self.absent.saturating_add(absent);
        self.wall = after(self.wall, absent);
        self.last_output = after(self.last_output, absent);
        match &mut self.phase {
            Phase::Running => {}
            Phase::Ending { due: deadline, .. }
            | Phase::Draining { until: deadline }
            | Phase::Emptying { until: deadline } => *deadline = after(*deadline, absent),
        }
    }

    /// A child whose output and leader have both ended has nothing more to say.
    pub(super) fn listens(&self) -> bool {
        self.output == Output::Open || self.exit.is_none()
    }

    pub(super) fn due(&self) -> Instant {
        let own = match self.phase {
            Phase::Running => match self.limits.idle {
                Some(idle) => self.wall.min(after(self.last_output, idle)),
                None => self.wall,
            },
            Phase::Ending { due, .. } => due,
            Phase::Draining { until } => until.min(after(self.last_output, self.limits.drain)),
            Phase::Emptying { until } => until,
        };
        own.min(self.next_tick)
    }

    fn happened(&mut self, happening: Happening, on_output: &mut dyn FnMut(&[u8]) -> Heard) -> Order {
        match happening {
            Happening::Bytes(bytes) => {
                let was_within = self.output_bytes <= self.limits.output_bytes;
                let heard = if was_within { on_output(&bytes) } else { Heard::Continue };
                let total = self.output_bytes.saturating_add(bytes.len() as u64);
                let order = self.printed(total);
                if order == Order::Wait { self.heard(heard) } else { order }
            }
            Happening::Written(total) if total > self.output_bytes => self.printed(total),
            Happening::Written(_) => Order::Wait,
            Happening::OutputEnded => {
                self.output = Output::Ended;
                self.maybe_over()
            }
            Happening::Exited(exit) => self.exited(exit, Instant::now()),
            Happening::LogLost(why) => self.end(SessionEnd::Unlogged(why), Instant::now()),
        }
    }

    fn exited(&mut self, exit: Exit, now: Instant) -> Order {
        self.exit = Some(exit);
        match self.phase {
            Phase::Running => {
                self.phase = Phase::Draining { until: now + LONGEST_DRAIN };
                self.last_output = now;
                self.maybe_over()
            }
            Phase::Ending { .. } => Order::Sweep,
            Phase::Draining { .. } | Phase::Emptying { .. } => Order::Wait,
        }
    }

    /// The rest of a life whose output has ended: nothing is waited for any more.
    fn maybe_over(&mut self) -> Order {
        match (self.phase, self.output) {
            (Phase::Draining { .. }, Output::Ended) => Order::Sweep,
            (Phase::Emptying { .. }, Output::Ended) => Order::Done,
            (Phase::Running | Phase::Ending { .. }, _) | (_, Output::Open) => Order::Wait,
        }
    }

    fn printed(&mut self, total: u64) -> Order {
        self.last_output = Instant::now();
        self.output_bytes = total;
        if total <= self.limits.output_bytes {
            return Order::Wait;
        }
        let flood = SessionEnd::Exhausted(Exhaustion::Output);
        match self.phase {
            Phase::Running | Phase::Ending { rung: Rung::Interrupted | Rung::Terminated, .. } => {
                self.ended_by_us.get_or_insert(flood);
                self.climb(Rung::Killed, self.last_output)
            }
            Phase::Draining { .. } => {
                self.ended_by_us = Some(flood);
                Order::Sweep
            }
            Phase::Emptying { .. } => {
                self.ended_by_us.get_or_insert(flood);
                Order::Wait
            }
            Phase::Ending { rung: Rung::Killed, .. } => Order::Wait,
        }
    }

    fn heard(&mut self, heard: Heard) -> Order {
        match heard {
            Heard::Continue => Order::Wait,
            Heard::Enough(what) => self.end(SessionEnd::Exhausted(what), Instant::now()),
        }
    }

    pub(super) fn stop(&mut self, signal: i32, now: Instant) -> Order {
        match (self.phase, &self.ended_by_us) {
            (Phase::Ending { rung, .. }, Some(SessionEnd::Stopped(_))) if rung != Rung::Killed => {
                self.climb(Rung::Killed, now)
            }
            // It ended by itself; only the wait for others' output is cut short.
            (Phase::Draining { .. }, _) => Order::Sweep,
            (Phase::Running | Phase::Ending { .. } | Phase::Emptying { .. }, _) => {
                self.end(SessionEnd::Stopped(signal), now)
            }
        }
    }

    /// Begins to end a child that runs. The first reason counts, but for a signal: whoever sent
    /// it wants to know that it was heeded.
    fn end(&mut self, why: SessionEnd, now: Instant) -> Order {
        match self.phase {
            Phase::Running => {
                self.ended_by_us = Some(why);
                self.climb(Rung::Interrupted, now)
            }
            Phase::Ending { .. } => {
                if matches!(why, SessionEnd::Stopped(_)) {
                    self.ended_by_us = Some(why);
                }
                Order::Wait
            }
            Phase::Draining { .. } | Phase::Emptying { .. } => Order::Wait,
        }
    }

    fn climb(&mut self, rung: Rung, now: Instant) -> Order {
        let (wait, order) = match rung {
            Rung::Interrupted => (self.limits.ladder.interrupt, Order::Interrupt),
            Rung::Terminated => (self.limits.ladder.terminate, Order::Terminate),
            Rung::Killed => (LAST_WAIT, Order::Kill),
        };
        self.phase = Phase::Ending { rung, due: after(now, wait) };
        order
    }

    /// What a deadline that has passed asks for.
    fn overdue(&mut self, now: Instant) -> Order {
        match self.phase {
            Phase::Running if now >= self.wall => self.end(SessionEnd::Exhausted(Exhaustion::Wall), now),
            Phase::Running if self.limits.idle.is_some_and(|idle| now >= after(self.last_output, idle)) => {
                self.end(SessionEnd::Exhausted(Exhaustion::Idle), now)
            }
            Phase::Ending { rung, due } if now >= due => match rung {
                Rung::Interrupted => self.climb(Rung::Terminated, now),
                Rung::Terminated => self.climb(Rung::Killed, now),
                Rung::Killed => Order::Sweep,
            },
            Phase::Draining { until } if now >= until.min(after(self.last_output, self.limits.drain)) => {
                Order::Sweep
            }
            Phase::Emptying { until } if now >= until => Order::Done,
            Phase::Running | Phase::Ending { .. } | Phase::Draining { .. } | Phase::Emptying { .. } => {
                Order::Wait
            }
        }
    }

    /// The descendants are gone, so the output ends as soon as what is on its way has come in.
    pub(super) fn swept(&mut self, leaked: usize, now: Instant) {
        self.leaked += leaked;
        self.awake = now;
        self.phase = Phase::Emptying { until: now + LONGEST_REST };
    }

    /// Everything is swept, and all that was printed has come in.
    pub(super) fn is_over(&self) -> bool {
        matches!((self.phase, self.output), (Phase::Emptying { .. }, Output::Ended))
    }

    pub(super) fn lived(self) -> Lived {
        // A leader that SIGKILL did not end was given up; it counts as killed.
        let by_itself = SessionEnd::Exited(self.exit.unwrap_or(Exit::Signal(9)));
        Lived {
            end: self.ended_by_us.unwrap_or(by_itself),
            output_bytes: self.output_bytes,
            leaked: self.leaked,
            absent: self.absent,
        }
    }
}

/// A bound so large that the clock can't hold it means never.
fn after(from: Instant, wait: Duration) -> Instant {
    from.checked_add(wait).unwrap_or_else(|| from + Duration::from_secs(1 << 31))
}
