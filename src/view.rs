//! From events to what a person or a machine sees. The only room that prints.

pub mod checkup;
mod child_clock;
pub mod dialog;
pub mod fix;
pub mod json;
pub mod lines;
pub mod live;
pub mod mdtest;
pub mod patch;
pub mod print;
pub mod review;
pub mod tell;

use std::io::IsTerminal;

use anstream::ColorChoice;

use tdd_core::audience::{Audience, News};
use tdd_core::event::Event;
use tdd_core::state::State;

/// How a run is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing but results and errors.
    Quiet,
    /// One JSON object a line on stdout, and plain lines on stderr where they are wanted, too.
    Json(Option<Detail>),
    /// Plain lines on stderr.
    Lines(Detail),
    /// A live display on stderr, which is a terminal.
    Live(Ink, Detail),
}

/// How much is told of what went well.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// A line for RED, for each criterion and for REFACTOR, and whatever failed.
    #[default]
    Brief,
    /// Every step.
    Full,
}

/// Whether colours may be used; shapes and brightness say the same without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    Colours,
    None,
}

/// What the person asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    Progress(Detail),
    /// Objects on stdout; progress on stderr where some is named.
    Json(Option<Detail>),
    Quiet,
}

/// What stderr is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stderr {
    /// A pipe, a file, or a terminal that can't move its cursor (`TERM=dumb`).
    Plain,
    /// Without colours where its user wants none (`NO_COLOR`, `CLICOLOR=0`).
    Terminal(Ink),
}

impl Stderr {
    /// Looks at the real stderr, by anstream's rules for colours.
    pub fn look() -> Self {
        let stderr = std::io::stderr();
        let coloured = anstream::AutoStream::choice(&stderr) != ColorChoice::Never;
        // `console` reads TERM here and says no for `dumb`, which anstream overrules in CI.
        let unfit = indicatif::ProgressDrawTarget::stderr().is_hidden();
        let ink = if coloured { Ink::Colours } else { Ink::None };
        if stderr.is_terminal() && !unfit { Self::Terminal(ink) } else { Self::Plain }
    }
}

/// Which way of showing fits.
pub fn mode(wish: Wish, stderr: Stderr) -> Mode {
    match (wish, stderr) {
        (Wish::Quiet, _) => Mode::Quiet,
        (Wish::Json(beside), _) => Mode::Json(beside),
        (Wish::Progress(detail), Stderr::Plain) => Mode::Lines(detail),
        (Wish::Progress(detail), Stderr::Terminal(ink)) => Mode::Live(ink, detail),
    }
}

/// The audience for a mode. Dropping it leaves the terminal as it was.
pub fn audience(mode: Mode) -> Box<dyn Audience> {
    match mode {
        Mode::Quiet => Box::new(Silence),
        Mode::Json(None) => Box::new(json::Json::new(std::io::stdout(), anstream::stderr())),
        Mode::Json(Some(detail)) => Box::new(Both(
            json::Json::new(std::io::stdout(), std::io::sink()),
            lines::Lines::new(anstream::stderr(), detail),
        )),
        Mode::Lines(detail) => Box::new(lines::Lines::new(anstream::stderr(), detail)),
        Mode::Live(ink, detail) => Box::new(live::Live::on_stderr(ink, detail)),
    }
}

/// Programs on stdout and people on stderr hear the same.
struct Both<P, L>(P, L);

impl<S, P: Audience<S>, L: Audience<S>> Audience<S> for Both<P, L> {
    fn event(&mut self, state: &S, event: &Event, ts_ms: u64) {
        self.0.event(state, event, ts_ms);
        self.1.event(state, event, ts_ms);
    }

    fn news(&mut self, news: &News) {
        self.0.news(news);
        self.1.news(news);
    }
}

/// Hears everything and says nothing.
struct Silence;

impl Audience for Silence {
    fn event(&mut self, _state: &State, _event: &Event, _ts_ms: u64) {}

    fn news(&mut self, _news: &News) {}
}
