//! The terminal as the live display uses it: a writer that can be silenced from a panic hook.

use std::fmt;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crossterm::cursor::{MoveDown, MoveLeft, MoveRight, MoveToColumn, MoveUp};
use crossterm::terminal::{Clear, ClearType};
use crossterm::{Command, queue};
use indicatif::TermLike;

use super::USUAL_SIZE;

/// Shared by the bar, which draws, and the view, which writes what stays. No write fails: a
/// terminal that has gone away stops nothing.
pub(super) struct Screen<W> {
    out: Arc<Mutex<W>>,
    /// A frame as it grows: it goes out by one write, so that the `^C` that a terminal echoes comes before or
    /// after it. Between two of its rows it would push what follows a row too low, and a row would stay for ever.
    frame: Arc<Mutex<Vec<u8>>>,
    silent: Arc<AtomicBool>,
    written: Arc<Written>,
    size: fn() -> (u16, u16),
}

/// Where the bar is in its drawing.
#[derive(Debug, Default)]
struct Written {
    /// A line is there, and its blanks come next.
    is_line: AtomicBool,
    /// The blanks came too: another line begins on the next row.
    is_filled: AtomicBool,
}

impl<W> Clone for Screen<W> {
    fn clone(&self) -> Self {
        Self {
            out: Arc::clone(&self.out),
            frame: Arc::clone(&self.frame),
            silent: Arc::clone(&self.silent),
            written: Arc::clone(&self.written),
            size: self.size,
        }
    }
}

impl<W> fmt::Debug for Screen<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").field("silent", &self.is_silent()).finish_non_exhaustive()
    }
}

impl<W> Screen<W> {
    pub(super) fn new(out: W, size: fn() -> (u16, u16)) -> Self {
        let out = Arc::new(Mutex::new(out));
        Self { out, frame: Arc::default(), silent: Arc::default(), written: Arc::default(), size }
    }

    pub(super) fn is_silent(&self) -> bool {
        self.silent.load(Ordering::Relaxed)
    }

    /// From now on nothing is drawn; [`with`](Self::with) still writes.
    pub(super) fn silence(&self) {
        self.silent.store(true, Ordering::Relaxed);
    }

    pub(super) fn with(&self, write: impl FnOnce(&mut W)) {
        write(&mut self.out.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// A panic's message starts on a line of its own, and no later drawing erases it. The hook
    /// takes no lock of ours, because the thread that panics may hold it.
    pub(super) fn silence_on_panic(&self) {
        let silent = Arc::downgrade(&self.silent);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if let Some(silent) = silent.upgrade()
                && !silent.swap(true, Ordering::Relaxed)
            {
                let _ = io::stderr().write_all(b"\r\n");
            }
            before(info);
        }));
    }
}

impl<W: Write> Screen<W> {
    fn draw(&self, write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) {
        if !self.is_silent() {
            let _ = write(&mut self.frame.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn step<C: Command>(&self, steps: usize, command: impl FnOnce(u16) -> C) {
        let steps = u16::try_from(steps).unwrap_or(u16::MAX);
        if steps > 0 {
            self.draw(|out| queue!(out, command(steps)));
        }
    }
}

/// A terminal that says 0 does not know; one that is narrower than a word is taken to be wider.
fn fit(said: u16, usual: u16) -> u16 {
    if said == 0 { usual } else { said.max(4) }
}

impl<W: Write + Send + 'static> TermLike for Screen<W> {
    fn width(&self) -> u16 {
        fit((self.size)().0, USUAL_SIZE.0)
    }

    fn height(&self) -> u16 {
        fit((self.size)().1, USUAL_SIZE.1)
    }

    fn move_cursor_up(&self, n: usize) -> io::Result<()> {
        self.step(n, MoveUp);
        Ok(())
    }

    fn move_cursor_down(&self, n: usize) -> io::Result<()> {
        self.step(n, MoveDown);
        Ok(())
    }

    fn move_cursor_right(&self, n: usize) -> io::Result<()> {
        self.step(n, MoveRight);
        Ok(())
    }

    fn move_cursor_left(&self, n: usize) -> io::Result<()> {
        self.step(n, MoveLeft);
        Ok(())
    }

    fn write_line(&self, s: &str) -> io::Result<()> {
        self.draw(|out| writeln!(out, "{s}"));
        Ok(())
    }

    /// The bar writes a line and then the blanks that fill it, by which it comes to the next one. A line break
    /// does the same, and nothing wraps where the terminal has become narrower meanwhile.
    fn write_str(&self, s: &str) -> io::Result<()> {
        if self.written.is_line.fetch_xor(true, Ordering::Relaxed) {
            self.written.is_filled.store(true, Ordering::Relaxed);
            return Ok(());
        }
        let breaks = if self.written.is_filled.swap(false, Ordering::Relaxed) { "\r\n" } else { "" };
        self.draw(|out| write!(out, "{breaks}{}", s.trim_end_matches(' ')));
        Ok(())
    }

    fn clear_line(&self) -> io::Result<()> {
        self.draw(|out| queue!(out, MoveToColumn(0), Clear(ClearType::CurrentLine)));
        Ok(())
    }

    /// The cursor waits at the beginning of the last line. At its end, where the bar leaves it, the `^C` that a
    /// terminal echoes would go to the next line, and what is cleared then would be a line too low.
    fn flush(&self) -> io::Result<()> {
        self.written.is_line.store(false, Ordering::Relaxed);
        self.written.is_filled.store(false, Ordering::Relaxed);
        self.draw(|out| queue!(out, MoveToColumn(0)));
        let frame = std::mem::take(&mut *self.frame.lock().unwrap_or_else(PoisonError::into_inner));
        if !self.is_silent() {
            self.with(|out| {
                let _ = out.write_all(&frame).and_then(|()| out.flush());
            });
        }
        Ok(())
    }
}
