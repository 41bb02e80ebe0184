//! Plain lines for a stderr that is no terminal, or a terminal that wants no colour.

use std::io::Write;
use std::time::Duration;

use super::Detail;
use super::child_clock::Clock;
use super::tell::{Line, Teller, Tone, brief};
use tdd_child::clock::SystemClock;
use tdd_core::audience::{Audience, News};
use tdd_core::event::Event;
use tdd_core::harmless;
use tdd_core::ports::Clock as _;
use tdd_core::state::State;

/// How long a child may be at work without a word: services that run such logs end what says nothing for
/// ten minutes.
const QUIET: Duration = Duration::from_mins(5);

/// Writes what happens to `out`, a line each. A closed `out` stops nothing.
pub struct Lines<W> {
    out: W,
    teller: Teller,
    detail: Detail,
    quiet: Duration,
    time: SystemClock,
    child: Option<Child>,
}

/// A child at work.
struct Child {
    since: Duration,
    told: Duration,
    clock: Clock,
}

impl<W: Write> Lines<W> {
    pub fn new(out: W, detail: Detail) -> Self {
        Self {
            out,
            teller: Teller::new(detail),
            detail,
            quiet: QUIET,
            time: SystemClock::default(),
            child: None,
        }
    }

    /// The same with a word about a child at work every so often.
    #[must_use]
    pub fn every(self, quiet: Duration) -> Self {
        Self { quiet, ..self }
    }

    fn now(&self) -> Duration {
        Duration::from_millis(self.time.monotonic_ms())
    }

    fn tick(&mut self, silent_ms: u64) {
        let now = self.now();
        let is_due = |child: &&mut Child| now.saturating_sub(child.told) >= self.quiet;
        let Some(child) = self.child.as_mut().filter(is_due) else { return };
        child.told = now;
        child.clock.silent = Duration::from_millis(silent_ms);
        let text = format!("  still at work: {}", child.clock.words(now.saturating_sub(child.since)));
        write_line(&mut self.out, &Line { tone: Tone::Dim, text });
    }
}

impl<W: Write> Audience for Lines<W> {
    fn event(&mut self, state: &State, event: &Event, _ts_ms: u64) {
        for line in self.teller.tell(state, event) {
            write_line(&mut self.out, &line);
        }
        if let (Event::AttemptStarted { attempt }, Detail::Brief) = (event, self.detail) {
            let line = attempt.of_cycle().map(|attempt| brief::begins(state, &attempt));
            if let Some(line) = line {
                write_line(&mut self.out, &line);
            }
        }
        if matches!(event, Event::AgentReturned { .. }) {
            self.child = None;
        }
    }

    /// A child's own lines are left out: a log has no use for what is gone at once.
    fn news(&mut self, news: &News) {
        match news {
            News::Running { what, command } if self.detail == Detail::Full => {
                let text = harmless::short(&format!("  runs {what}: {command}"), 400);
                write_line(&mut self.out, &Line { tone: Tone::Dim, text });
            }
            News::Note(text) => note(&mut self.out, text),
            News::Bounds { wall_ms, idle_ms } => {
                let clock = Clock {
                    wall: Some(Duration::from_millis(*wall_ms)),
                    idle: Duration::from_millis(*idle_ms),
                    silent: Duration::ZERO,
                };
                let since = self.now();
                self.child = Some(Child { since, told: since, clock });
            }
            News::Tick { silent_ms } => self.tick(*silent_ms),
            News::Running { .. } | News::ChildLine { .. } | News::Turns { .. } => {}
        }
    }
}

/// Writes a note, whole lines, none of them able to harm a terminal.
pub(super) fn note(out: &mut impl Write, text: &str) {
    for text in harmless::lines(text).lines() {
        write_line(out, &Line { tone: Tone::Plain, text: text.to_owned() });
    }
}

/// One `write` for one line, so that lines of several writers do not mix.
pub(super) fn write_line(out: &mut impl Write, line: &Line) {
    let (on, off) = match line.tone {
        Tone::Plain => ("", ""),
        Tone::Heading => ("\u{1b}[1m", "\u{1b}[0m"),
        Tone::Good => ("\u{1b}[32m", "\u{1b}[0m"),
        Tone::Bad => ("\u{1b}[31m", "\u{1b}[0m"),
        Tone::Dim => ("\u{1b}[2m", "\u{1b}[0m"),
    };
    let whole = format!("{on}{}{off}\n", line.text);
    let _ = out.write_all(whole.as_bytes()).and_then(|()| out.flush());
}
