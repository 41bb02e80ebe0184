//! One child's life: from spawn through output, deadlines and stop to the last descendant's end.
//!
//! Knows no adapter: a child on a terminal, one on a pipe and a scripted one live alike.

mod life;

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use self::life::{Life, Occurrence, Order};
use tdd_core::attempt::Exhaustion;
use tdd_core::test::Exit;
use tdd_core::trouble::Why;

/// What a child can do that is of interest here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Happening {
    /// It printed this; never empty.
    Bytes(Vec<u8>),
    /// It printed into a file of its own: so many bytes altogether until now.
    Written(u64),
    /// No process holds the output any more; no `Bytes` follow.
    OutputEnded,
    /// The leader ended. Its descendants may go on, and output may follow.
    Exited(Exit),
    /// What it printed can't be kept any more (a full disk), and why.
    LogLost(Why),
}

/// A child that was started, with its group and its descendants.
///
/// Obligations, checked by contract tests over every implementation:
/// - `next` is cancel-safe: what it did not return is returned by a later call.
/// - `next` gives `Exited` once and `OutputEnded` at most once; after both it waits for ever.
/// - Bytes come in order and complete, and at most 256 KiB of them are held between calls.
/// - The leader's process id is not given back to the system before `sweep` or drop, so a signal
///   to the group can't reach a stranger. Signals to a group that is gone are no error.
/// - After `sweep` no process of the child's is left; it takes at most a few seconds.
/// - Dropping it kills and sweeps what is left.
#[expect(async_fn_in_trait, reason = "used on one thread; no future has to be Send")]
pub trait Child {
    async fn next(&mut self) -> Happening;
    /// SIGINT to the group.
    fn interrupt(&mut self);
    /// SIGTERM to the group, and SIGCONT in case it is stopped.
    fn terminate(&mut self);
    /// SIGKILL to the group.
    fn kill(&mut self);
    /// Ends every descendant that is left, in whichever session or group; gives their number.
    fn sweep(&mut self) -> usize;
}

/// Bounds of one child. Deadlines run on the monotonic clock, from the call of [`live`], and stand
/// still while this program is stopped (SIGTSTP, SIGSTOP).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    pub wall: Duration,
    /// The longest silence; `None` for commands that may be silent.
    pub idle: Option<Duration>,
    pub output_bytes: u64,
    pub ladder: Ladder,
    /// After the leader's end: how long the output must be silent to count as ended.
    pub drain: Duration,
}

impl SessionLimits {
    /// The drain time that measurements called for: 100 ms.
    pub const DRAIN: Duration = Duration::from_millis(100);
}

/// How long each step of the stop ladder waits for the child's end before the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ladder {
    /// After SIGINT.
    pub interrupt: Duration,
    /// After SIGTERM, before SIGKILL.
    pub terminate: Duration,
}

impl Default for Ladder {
    fn default() -> Self {
        Self { interrupt: Duration::from_secs(5), terminate: Duration::from_secs(5) }
    }
}

/// What the listener wants after it heard some output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    Continue,
    /// The child used up something that only its listener can count: stop it.
    Enough(Exhaustion),
}

/// How a child's life ended. None of its processes is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lived {
    pub end: SessionEnd,
    pub output_bytes: u64,
    /// Processes that outlived the leader, or the signals to its group, and were ended by us.
    pub leaked: usize,
    /// How long this program was stopped meanwhile; no deadline counts it.
    pub absent: Duration,
}

/// Why it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// By itself: a code or a signal.
    Exited(Exit),
    /// By us, because a bound was reached.
    Exhausted(Exhaustion),
    /// By us, because this signal asked us to stop.
    Stopped(i32),
    /// By us, because its output could not be kept, and why.
    Unlogged(Why),
}

/// Attends a child until its end. `on_output` hears all output in order up to the cap, and about
/// every 200 ms an empty slice, for a display of elapsed time.
///
/// A stop that was asked before, or is asked meanwhile, climbs the ladder; a second one kills at
/// once. So does the output cap, since a flood goes on through every step of the ladder.
pub async fn live<C: Child>(
    child: &mut C,
    limits: &SessionLimits,
    stop: &mut watch::Receiver<Option<i32>>,
    on_output: &mut dyn FnMut(&[u8]) -> Heard,
) -> Lived {
    let mut life = Life::new(*limits, Instant::now());
    let asked = *stop.borrow_and_update();
    let mut order = asked.map_or(Order::Wait, |signal| life.stop(signal, Instant::now()));
    loop {
        match order {
            Order::Wait | Order::Done => {}
            Order::Interrupt => child.interrupt(),
            Order::Terminate => child.terminate(),
            Order::Kill => child.kill(),
            Order::Sweep => life.swept(child.sweep(), Instant::now()),
        }
        if order == Order::Done || life.is_over() {
            return life.lived();
        }
        let occurrence = tokio::select! {
            biased;
            signal = asked_to_stop(stop) => Occurrence::Stop(signal),
            happening = child.next(), if life.listens() => Occurrence::Child(happening),
            () = sleep_until(life.due()) => Occurrence::Due,
        };
        order = life.handle(occurrence, on_output);
    }
}

/// The next stop signal. Waits for ever once nobody can send one any more.
async fn asked_to_stop(stop: &mut watch::Receiver<Option<i32>>) -> i32 {
    loop {
        if stop.changed().await.is_err() {
            return std::future::pending().await;
        }
        if let Some(signal) = *stop.borrow_and_update() {
            return signal;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// A child that does what the script says, each at its second, and notes what is done to it.
    struct Scripted {
        born: Instant,
        script: VecDeque<(u64, Happening)>,
        /// How it reacts to SIGKILL.
        when_killed: Option<Happening>,
        done: Vec<(u64, &'static str)>,
    }

    impl Scripted {
        fn note(&mut self, what: &'static str) {
            self.done.push((self.born.elapsed().as_secs(), what));
        }
    }

    impl Child for Scripted {
        async fn next(&mut self) -> Happening {
            let Some((second, _)) = self.script.front() else { return std::future::pending().await };
            sleep_until(self.born + Duration::from_secs(*second)).await;
            self.script.pop_front().map_or(Happening::OutputEnded, |(_, happening)| happening)
        }
        fn interrupt(&mut self) {
            self.note("interrupt");
        }
        fn terminate(&mut self) {
            self.note("terminate");
        }
        fn kill(&mut self) {
            self.note("kill");
            if let Some(happening) = self.when_killed.take() {
                self.script.push_front((0, happening));
            }
        }
        fn sweep(&mut self) -> usize {
            self.note("sweep");
            3
        }
    }

    fn limits() -> SessionLimits {
        SessionLimits {
            wall: Duration::from_secs(100),
            idle: Some(Duration::from_secs(30)),
            output_bytes: 8,
            ladder: Ladder { interrupt: Duration::from_secs(10), terminate: Duration::from_secs(20) },
            drain: SessionLimits::DRAIN,
        }
    }

    /// Runs on a clock that jumps to the next deadline. Gives the end, what was done to the child
    /// and when, and the second of the return.
    fn play(
        script: &[(u64, Happening)],
        when_killed: Option<Happening>,
    ) -> (Lived, Vec<(u64, &'static str)>, u64) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().start_paused(true).build().unwrap().block_on(async {
            let born = Instant::now();
            let script = script.iter().cloned().collect();
            let mut child = Scripted { born, script, when_killed, done: Vec::new() };
            let (_send, mut stop) = watch::channel(None);
            let lived = live(&mut child, &limits(), &mut stop, &mut |_| Heard::Continue).await;
            (lived, child.done, born.elapsed().as_secs())
        })
    }

    /// A child in whose second 1 this program is stopped for some time.
    struct Stopped {
        child: Scripted,
        absence: Option<Duration>,
    }

    impl Child for Stopped {
        async fn next(&mut self) -> Happening {
            if self.absence.is_some() {
                sleep_until(self.child.born + Duration::from_secs(1)).await;
                if let Some(absence) = self.absence.take() {
                    tokio::time::advance(absence).await;
                }
            }
            self.child.next().await
        }
        fn interrupt(&mut self) {
            self.child.interrupt();
        }
        fn terminate(&mut self) {
            self.child.terminate();
        }
        fn kill(&mut self) {
            self.child.kill();
        }
        fn sweep(&mut self) -> usize {
            self.child.sweep()
        }
    }

    #[test]
    fn deadlines_stand_still_while_we_are_stopped() {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let done = runtime.enable_time().start_paused(true).build().unwrap().block_on(async {
            let script = VecDeque::from([(2, bytes(1)), (510, bytes(1))]);
            let child = Scripted { born: Instant::now(), script, when_killed: None, done: Vec::new() };
            let mut child = Stopped { child, absence: Some(Duration::from_secs(500)) };
            let (_send, mut stop) = watch::channel(None);
            let lived = live(&mut child, &limits(), &mut stop, &mut |_| Heard::Continue).await;
            assert_eq!(lived.end, SessionEnd::Exhausted(Exhaustion::Idle));
            assert_eq!(lived.absent.as_secs(), 500);
            child.child.done
        });
        assert_eq!(done[0], (540, "interrupt"), "30 s after the last output, though 500 were slept through");
    }

    fn bytes(count: usize) -> Happening {
        Happening::Bytes(vec![b'x'; count])
    }

    #[test]
    fn a_child_that_ends_is_swept_and_its_last_words_are_heard() {
        let exited = Happening::Exited(Exit::Code(0));
        for script in [
            vec![(5, bytes(3)), (6, Happening::OutputEnded), (7, exited.clone())],
            vec![(5, bytes(3)), (7, exited.clone()), (7, Happening::OutputEnded)],
            vec![(7, exited), (7, bytes(3)), (8, Happening::OutputEnded)],
        ] {
            let (lived, done, _) = play(&script, None);
            assert_eq!(done, [(7, "sweep")], "{script:?}");
            let want = Lived {
                end: SessionEnd::Exited(Exit::Code(0)),
                output_bytes: 3,
                leaked: 3,
                absent: Duration::ZERO,
            };
            assert_eq!(lived, want, "{script:?}");
        }
    }

    #[test]
    fn an_unkillable_child_is_given_up() {
        let (lived, done, second) = play(&[(1, bytes(1))], None);
        let want = [(31, "interrupt"), (41, "terminate"), (61, "kill"), (66, "sweep")];
        assert_eq!(done, want);
        assert_eq!(lived.end, SessionEnd::Exhausted(Exhaustion::Idle));
        assert_eq!(second, 71, "the rest of its output is waited for, but not for ever");
    }

    #[test]
    fn a_flood_skips_the_ladder() {
        let killed = Happening::Exited(Exit::Signal(9));
        for flood in [bytes(9), Happening::Written(9)] {
            let script = [(1, flood), (1, bytes(9)), (1, bytes(9)), (2, Happening::OutputEnded)];
            let (lived, done, _) = play(&script, Some(killed.clone()));
            assert_eq!(done, [(1, "kill"), (1, "sweep")]);
            assert_eq!(lived.end, SessionEnd::Exhausted(Exhaustion::Output));
        }
    }

    #[test]
    fn output_that_never_ends_does_not_hold_up_the_end() {
        let mut script = vec![(1, Happening::Exited(Exit::Code(5)))];
        script.extend((2..20).map(|second| (second, Happening::Written(1))));
        let (lived, done, second) = play(&script, None);
        assert_eq!(done, [(1, "sweep")]);
        assert_eq!((lived.end, second), (SessionEnd::Exited(Exit::Code(5)), 6));
    }

    #[test]
    fn a_lost_log_ends_the_child() {
        let script = [(1, Happening::LogLost("full".into())), (2, Happening::Exited(Exit::Code(0)))];
        let (lived, done, _) = play(&script, None);
        assert_eq!(done, [(1, "interrupt"), (2, "sweep")]);
        assert_eq!(lived.end, SessionEnd::Unlogged("full".into()));
    }
}
