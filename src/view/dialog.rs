//! Questions to a person at a terminal. Nothing is ever asked where there is none.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

/// Whether somebody can be asked: stdin and stderr are a terminal.
pub fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// A line that the person types, trimmed; `None` at the end of the input.
pub fn ask(prompt: &str) -> Option<String> {
    let mut err = anstream::stderr().lock();
    let _ = write!(err, "{prompt}").and_then(|()| err.flush());
    drop(err);
    let mut line = String::new();
    let read = io::stdin().lock().read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim().to_owned())
}

/// Whether the person says yes.
pub fn agrees(question: &str) -> bool {
    ask(question).is_some_and(|word| matches!(word.to_ascii_lowercase().as_str(), "y" | "yes"))
}
