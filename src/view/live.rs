//! A live display for a terminal: a few lines at the bottom that say where the run stands, and
//! above them, for good, the same lines that [`lines`](super::lines) writes.
//!
//! What stays is never printed through the bar, because a hidden bar drops it. The cursor is
//! never hidden and the terminal's modes are never changed, so there is nothing to put back but
//! the few lines themselves: they are cleared at the end of the run, on drop, and a panic first
//! goes to a fresh line and then silences the display.

mod screen;
mod standing;

use std::io::{Stderr, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::child_clock::Clock;
use super::lines::{note, write_line};
use super::tell::{Line, Teller, Tone, brief};
use super::{Detail, Ink};
use screen::Screen;
use tdd_core::audience::{Audience, News};
use tdd_core::event::Event;
use tdd_core::harmless;
use tdd_core::state::State;

/// How often elapsed time is drawn again though nothing happened.
const REDRAW: Duration = Duration::from_millis(250);
/// What a terminal is taken to be when it does not say.
const USUAL_SIZE: (u16, u16) = (80, 24);
/// Where the run stands, and for how long; the criteria; what is going on.
const TEMPLATE: &str = "{spinner} {prefix} {clock}\n  {criteria}\n  {wide_msg}";

/// The live display. Dropping it clears it.
pub struct Live<W: Write + Send + 'static> {
    bar: ProgressBar,
    screen: Screen<W>,
    criteria: Arc<Mutex<String>>,
    clock: Arc<Mutex<Clock>>,
    title: String,
    teller: Teller,
    ink: Ink,
}

impl Live<Stderr> {
    /// On the real stderr, drawn again as time passes.
    pub fn on_stderr(ink: Ink, detail: Detail) -> Self {
        let size = || crossterm::terminal::size().unwrap_or(USUAL_SIZE);
        let mut live = Self::on(std::io::stderr(), size, detail);
        live.ink = ink;
        live.screen.silence_on_panic();
        // It starts a thread, and panics where it can't.
        if std::thread::Builder::new().spawn(|| {}).is_ok() {
            live.bar.enable_steady_tick(REDRAW);
        }
        live
    }
}

impl<W: Write + Send + 'static> Live<W> {
    /// On any writer that understands what a terminal does, as wide and as high as `size` says;
    /// drawn only when told something.
    pub fn on(out: W, size: fn() -> (u16, u16), detail: Detail) -> Self {
        let screen = Screen::new(out, size);
        let criteria = Arc::new(Mutex::new(String::new()));
        let clock = Arc::new(Mutex::new(Clock::default()));
        let target = ProgressDrawTarget::term_like(Box::new(screen.clone()));
        let bar = ProgressBar::with_draw_target(None, target)
            .with_style(style(Arc::clone(&criteria), Arc::clone(&clock)));
        let title = "before RED".to_owned();
        bar.set_prefix(title.clone());
        Self { bar, screen, criteria, clock, title, teller: Teller::new(detail), ink: Ink::Colours }
    }

    /// Lines that stay. They are written to the terminal itself, whatever the bar does.
    fn say(&self, lines: &[Line]) {
        let write = || self.screen.with(|out| lines.iter().for_each(|line| self.ink.line(out, line)));
        if self.screen.is_silent() || self.bar.is_finished() {
            write();
        } else if !lines.is_empty() {
            self.bar.suspend(write);
        }
    }

    fn time(&self, change: impl FnOnce(&mut Clock)) {
        change(&mut self.clock.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn show(&self, state: &State) {
        *self.criteria.lock().unwrap_or_else(PoisonError::into_inner) = standing::row(state, self.ink);
    }
}

impl<W: Write + Send + 'static> Audience for Live<W> {
    fn event(&mut self, state: &State, event: &Event, _ts_ms: u64) {
        self.show(state);
        if let Event::AttemptStarted { attempt } = event
            && let Some(attempt) = attempt.of_cycle()
        {
            self.title = harmless::short(&brief::title(state, &attempt), 100);
            self.bar.set_prefix(self.title.clone());
            self.bar.set_message("");
            self.bar.reset_elapsed();
        }
        if matches!(event, Event::AgentReturned { .. }) {
            self.time(|clock| *clock = Clock::default());
        }
        let lines = self.teller.tell(state, event);
        self.say(&lines);
        if is_last(event) {
            self.bar.finish_and_clear();
        }
    }

    fn news(&mut self, news: &News) {
        match news {
            News::ChildLine { line, .. } => self.bar.set_message(harmless::short(line, 200)),
            News::Turns { count, .. } => self.bar.set_prefix(format!("{}, turn {count}", self.title)),
            News::Running { what, command } => {
                self.bar.set_message(harmless::short(&format!("runs {what}: {command}"), 200));
            }
            News::Note(text) => {
                let write = || self.screen.with(|out| note(out, text));
                if self.screen.is_silent() { write() } else { self.bar.suspend(write) }
            }
            News::Bounds { wall_ms, idle_ms } => {
                self.bar.reset_elapsed();
                let bounds = Clock {
                    wall: Some(Duration::from_millis(*wall_ms)),
                    idle: Duration::from_millis(*idle_ms),
                    silent: Duration::ZERO,
                };
                self.time(|clock| *clock = bounds);
            }
            News::Tick { silent_ms } => {
                self.time(|clock| clock.silent = Duration::from_millis(*silent_ms));
                self.bar.tick();
            }
        }
    }
}

impl Ink {
    fn line(self, out: &mut impl Write, line: &Line) {
        match self {
            Self::Colours => write_line(out, line),
            Self::None => write_line(out, &Line { tone: Tone::Plain, text: line.text.clone() }),
        }
    }
}

impl<W: Write + Send + 'static> Drop for Live<W> {
    fn drop(&mut self) {
        // After a panic the display is silent, and its lock may be what panicked.
        if !self.screen.is_silent() && !std::thread::panicking() {
            self.bar.finish_and_clear();
        }
        self.screen.silence();
    }
}

fn style(criteria: Arc<Mutex<String>>, clock: Arc<Mutex<Clock>>) -> ProgressStyle {
    let key = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
        let _ = out.write_str(&criteria.lock().unwrap_or_else(PoisonError::into_inner));
    };
    let style = ProgressStyle::with_template(TEMPLATE).unwrap_or_else(|_| ProgressStyle::default_spinner());
    let time = move |bar: &ProgressState, out: &mut dyn std::fmt::Write| {
        let clock = *clock.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = out.write_str(&clock.words(bar.elapsed()));
    };
    style.with_key("criteria", key).with_key("clock", time)
}

/// After these the terminal belongs to the report or the summary.
fn is_last(event: &Event) -> bool {
    match event {
        Event::Halted { .. }
        | Event::Finished { .. }
        | Event::Refused { .. }
        | Event::Paused { .. }
        | Event::Stopped { .. } => true,
        Event::RunStarted(_)
        | Event::FixStarted(_)
        | Event::FixMeasured { .. }
        | Event::CheckpointZero { .. }
        | Event::BaselineMeasured { .. }
        | Event::AttemptStarted { .. }
        | Event::Used { .. }
        | Event::Worked { .. }
        | Event::Capped { .. }
        | Event::AgentReturned { .. }
        | Event::AttemptMeasured { .. }
        | Event::WorkKept { .. }
        | Event::WorkRolledBack { .. }
        | Event::GateMeasured { .. }
        | Event::Proved { .. }
        | Event::HeldOut { .. }
        | Event::TreeSeen { .. }
        | Event::Resumed
        | Event::AttemptCut { .. }
        | Event::WorkTaken { .. }
        | Event::Decided { .. }
        | Event::Rechecked { .. }
        | Event::TestRun(_)
        | Event::Session(_)
        | Event::EditClaim { .. }
        | Event::Isolated { .. }
        | Event::PolicySettled { .. }
        | Event::Restored { .. }
        | Event::Edited { .. }
        | Event::MdtestHeard { .. }
        | Event::Denied { .. }
        | Event::Glimpsed { .. }
        | Event::Unknown { .. }
        | Event::Undone { .. }
        | Event::Leaked { .. } => false,
    }
}
