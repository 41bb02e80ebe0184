//! Plain lines for a stderr that is no terminal, or a terminal that wants no colour.

use std::io::Write;

use super::Detail;
use super::tell::{Line, Teller, Tone};
use tdd_core::audience::{Audience, News};
use tdd_core::event::Event;
use tdd_core::harmless;
use tdd_core::state::State;

/// Writes what happens to `out`, a line each. A closed `out` stops nothing.
pub struct Lines<W> {
    out: W,
    teller: Teller,
    detail: Detail,
}

impl<W: Write> Lines<W> {
    pub fn new(out: W, detail: Detail) -> Self {
        Self { out, teller: Teller::new(detail), detail }
    }
}

impl<W: Write> Audience for Lines<W> {
    fn event(&mut self, state: &State, event: &Event, _ts_ms: u64) {
        for line in self.teller.tell(state, event) {
            write_line(&mut self.out, &line);
        }
    }

    /// A child's own lines and the tick are left out: a log has no use for what is gone at once.
    fn news(&mut self, news: &News) {
        match news {
            News::Running { what, command } if self.detail == Detail::Full => {
                let text = harmless::short(&format!("  runs {what}: {command}"), 400);
                write_line(&mut self.out, &Line { tone: Tone::Dim, text });
            }
            News::Note(text) => note(&mut self.out, text),
            News::Running { .. }
            | News::ChildLine { .. }
            | News::Turns { .. }
            | News::Bounds { .. }
            | News::Tick { .. } => {}
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
