//! Results on stdout and messages on stderr; a closed stream stops nothing.

use std::io::{self, IsTerminal as _, Write};
use std::sync::OnceLock;

use tdd_core::trouble::Trouble;

/// Why something that was written to stdout is not there: the first such error.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Writes `text` to stdout. A closed stdout stops nothing.
pub fn result(text: &str) {
    let mut out = anstream::stdout().lock();
    note(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Writes `text` in place of what is on the screen; one after the other where stdout is no terminal.
pub fn screen(text: &str) {
    let clear = if io::stdout().is_terminal() { "\u{1b}[H\u{1b}[2J" } else { "" };
    let mut out = io::stdout().lock();
    note(out.write_all(clear.as_bytes()));
    drop(out);
    result(text);
}

/// Whether nobody reads stdout any more.
pub fn is_closed() -> bool {
    LOST.get().is_some()
}

/// Writes bytes to stdout as they are: they are not for a terminal.
pub fn bytes(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    note(out.write_all(bytes).and_then(|()| out.flush()));
}

/// Notes what a write to stdout came to.
pub(super) fn note(written: io::Result<()>) {
    if let Err(error) = written {
        let _ = LOST.set(error);
    }
}

/// Why what was printed on stdout is not whole. That a reader has gone (`| head`) is its own wish.
pub fn lost() -> Option<&'static io::Error> {
    LOST.get().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
}

/// Writes both as they are, and tells whether they are there: for whoever must not go on unheard.
pub fn answer(out: &str, err: &str) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    stderr.write_all(err.as_bytes())?;
    let mut stdout = io::stdout().lock();
    stdout.write_all(out.as_bytes())?;
    stdout.flush()
}

/// Writes one line to stderr.
pub fn message(text: &str) {
    let mut err = anstream::stderr().lock();
    let _ = writeln!(err, "{text}");
}

/// Tells a person of a trouble.
pub fn trouble(trouble: &Trouble) {
    message(&format!("tdd: {trouble}"));
}
