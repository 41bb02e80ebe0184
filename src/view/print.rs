//! Results on stdout and messages on stderr; a closed stream stops nothing.

use std::io::Write;

use crate::core::trouble::Trouble;

/// Writes `text` to stdout. A closed stdout stops nothing.
pub fn result(text: &str) {
    let mut out = anstream::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
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
