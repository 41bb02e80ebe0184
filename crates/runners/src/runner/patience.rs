//! What is said of a verification that lasts: nobody should have to guess whether it will end.

use std::cell::RefCell;
use std::pin::pin;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use tdd_core::audience::News;
use tdd_core::ports::Observer;

/// So many times the usual time is long.
const LONG: u32 = 3;
/// Less is long for nobody.
const SHORTEST: Duration = Duration::from_secs(30);
/// Where nobody knows what is usual.
const UNKNOWN: Duration = Duration::from_mins(1);
const AGAIN: Duration = Duration::from_mins(3);

/// How a person stops what runs, and what then.
pub(super) const GOES_ON: &str = "Ctrl-C stops the run, and `tdd resume` goes on with it";
pub(super) const ENDS: &str = "Ctrl-C stops it";

/// When it is said of one verification that it still runs, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// The last of its kind, else the first of all.
    pub(super) usual: Option<Duration>,
    pub(super) deadline: Duration,
    pub(super) stop: &'static str,
}

impl Patience {
    /// After how long something is said, when it was said so many times already.
    fn due(&self, times: u32) -> Duration {
        let first = self.usual.map_or(UNKNOWN, |usual| usual.saturating_mul(LONG).max(SHORTEST));
        first.saturating_add(AGAIN.saturating_mul(times))
    }

    fn words(&self, what: &str, lasts: Duration) -> String {
        let usual =
            self.usual.map_or_else(String::new, |usual| format!(", where it took {} before", words(usual)));
        // One measurement may be several commands.
        let ends = if lasts < self.deadline {
            "its deadline ends it"
        } else {
            "a deadline ends each of its commands"
        };
        format!(
            "{what}: still running after {}{usual}; {ends} after {}; {}",
            words(lasts),
            words(self.deadline),
            self.stop
        )
    }
}

/// The result of `run`, which is `what` to a person; while it lasts, a word now and then.
pub(super) async fn watched<F: Future>(
    run: F,
    patience: Patience,
    what: &str,
    observer: &RefCell<Observer<'_>>,
) -> F::Output {
    let mut run = pin!(run);
    let began = Instant::now();
    let mut times = 0;
    loop {
        let due = patience.due(times);
        match timeout_at(began + due, run.as_mut()).await {
            Ok(done) => return done,
            Err(_) => observer.borrow_mut()(News::Note(patience.words(what, due))),
        }
        times += 1;
    }
}

fn words(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match (seconds / 60, seconds % 60) {
        (0, 0) => format!("{} ms", duration.as_millis()),
        (0, seconds) => format!("{seconds} s"),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, seconds) => format!("{minutes} min {seconds} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patience(usual: Option<u64>) -> Patience {
        let usual = usual.map(Duration::from_secs);
        Patience { usual, deadline: Duration::from_mins(10), stop: GOES_ON }
    }

    #[test]
    fn it_is_said_at_three_times_the_usual_and_rarely_after() {
        for (usual, dues) in [
            (Some(1), [30, 210, 390]),
            (Some(10), [30, 210, 390]),
            (Some(40), [120, 300, 480]),
            (None, [60, 240, 420]),
        ] {
            let told: Vec<u64> = (0..3).map(|times| patience(usual).due(times).as_secs()).collect();
            assert_eq!(told, dues, "{usual:?}");
        }
        let words = patience(Some(12)).words("GREEN AC-1", Duration::from_secs(95));
        assert_eq!(
            words,
            "GREEN AC-1: still running after 1 min 35 s, where it took 12 s before; its deadline ends it \
             after 10 min; Ctrl-C stops the run, and `tdd resume` goes on with it"
        );
        let longer = patience(Some(12)).words("proof", Duration::from_mins(11));
        assert!(longer.contains("; a deadline ends each of its commands after 10 min;"), "{longer}");
        assert!(
            patience(None)
                .words("baseline", Duration::from_mins(1))
                .starts_with("baseline: still running after 1 min;")
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_run_that_lasts_is_told_of_and_one_that_does_not_is_not() {
        for (lasts, want) in [(29, 0), (31, 1), (500, 3)] {
            let mut told = Vec::new();
            let mut observer = |news: News| told.push(news);
            let shared = RefCell::new(&mut observer as Observer<'_>);
            let run = tokio::time::sleep(Duration::from_secs(lasts));
            watched(run, patience(Some(2)), "RED", &shared).await;
            assert_eq!(told.len(), want, "{lasts}");
        }
    }
}
