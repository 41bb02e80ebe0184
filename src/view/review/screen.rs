//! The terminal of a review: its other screen, its keys, and the terminal as it was, whatever happens.

use std::io::{self, IsTerminal as _};
use std::mem::ManuallyDrop;
use std::os::fd::AsFd as _;
use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;

use super::draw::draw;
use super::model::{Key, Model};
use crate::view::{Ink, Stderr};
use tdd_child::passthrough::raw::OtherScreen;
use tdd_child::signals::StopSignal;

/// How long a look at signals and at the size may be off.
const TICK: Duration = Duration::from_millis(100);

/// In which ink a whole screen can be drawn, if one can: stdin is a terminal, and stderr one that can move its cursor.
pub fn possible() -> Option<Ink> {
    match Stderr::look() {
        Stderr::Terminal(ink) if io::stdin().is_terminal() => Some(ink),
        Stderr::Terminal(_) | Stderr::Plain => None,
    }
}

/// What came from the person, or instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    Key(Key),
    /// Ctrl-C.
    Interrupt,
    /// Ctrl-Z.
    Suspend,
    /// This signal asks the program to end.
    Stop(i32),
}

/// The other screen, as long as it lives.
pub struct Screen {
    /// Never dropped: at its end ratatui prints what went wrong, and panics where the terminal is gone.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<io::Stderr>>>,
    ink: Ink,
    // After the terminal: what ratatui does at its end is undone by this.
    held: OtherScreen,
}

impl Screen {
    pub fn open(ink: Ink) -> io::Result<Self> {
        let held = OtherScreen::enter(io::stdin().as_fd().try_clone_to_owned()?)?;
        // The library takes its time to listen for the first time, and does not come back from a terminal that goes
        // meanwhile: before anything is shown hardly any does.
        held.wait_for_key(Duration::ZERO)?;
        event::poll(Duration::ZERO)?;
        let terminal = ManuallyDrop::new(Terminal::new(CrosstermBackend::new(io::stderr()))?);
        Ok(Self { terminal, ink, held })
    }

    /// Draws the model, and waits for what comes next. An error where the terminal is gone.
    pub fn next(&mut self, model: &mut Model, stop: &StopSignal) -> io::Result<Heard> {
        self.draw(model)?;
        loop {
            if let Some(signal) = *stop.borrow() {
                return Ok(Heard::Stop(signal));
            }
            if self.held.has_come_back() {
                // Its `clear` would ask the terminal where the cursor is, and wait for the answer.
                let size = self.terminal.size()?;
                self.terminal.resize(Rect::new(0, 0, size.width, size.height))?;
                self.draw(model)?;
            }
            // The library never returns from a terminal that is gone, and may hold keys that came with earlier ones.
            self.held.wait_for_key(Duration::ZERO)?;
            if !event::poll(Duration::ZERO)? {
                self.held.wait_for_key(TICK)?;
                continue;
            }
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => {
                    if let Some(heard) = heard(key) {
                        return Ok(heard);
                    }
                }
                Event::Resize(..) => self.draw(model)?,
                Event::Key(_) | Event::FocusGained | Event::FocusLost | Event::Mouse(_) | Event::Paste(_) => {
                }
            }
        }
    }

    fn draw(&mut self, model: &mut Model) -> io::Result<()> {
        let ink = self.ink;
        self.terminal.draw(|frame| {
            let area = frame.area();
            model.fit(usize::from(area.width), usize::from(area.height));
            draw(frame, model, ink);
        })?;
        Ok(())
    }
}

#[expect(clippy::wildcard_enum_match_arm, reason = "a keyboard has many keys and a review few")]
fn heard(key: KeyEvent) -> Option<Heard> {
    let with_control = key.modifiers.contains(KeyModifiers::CONTROL);
    Some(Heard::Key(match key.code {
        KeyCode::Char('c' | 'd') if with_control => return Some(Heard::Interrupt),
        KeyCode::Char('z') if with_control => return Some(Heard::Suspend),
        KeyCode::Char(_) if with_control => return None,
        KeyCode::Char(one) => Key::Char(one),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::Left | KeyCode::BackTab => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Tab => Key::Char('\t'),
        _ => return None,
    }))
}
