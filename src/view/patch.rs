//! A patch on stdout: as it is for a program, in colours and without what could steer it for a terminal.

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};

use super::print;
use tdd_core::harmless;

/// Prints a patch of bytes that a child may have written.
pub fn print(patch: &[u8]) {
    if io::stdout().is_terminal() {
        print::result(&coloured(&String::from_utf8_lossy(patch)));
    } else {
        print::bytes(patch);
    }
}

/// `print` takes the colours away where nobody wants them.
fn coloured(patch: &str) -> String {
    let mut text = String::with_capacity(patch.len());
    for line in patch.split('\n') {
        let code = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] | [b'd', b'i', b'f', b'f', b' ', ..] => "1",
            [b'+', ..] => "32",
            [b'-', ..] => "31",
            [b'@', b'@', ..] => "36",
            _ => "",
        };
        let line = harmless::line(line);
        match code {
            "" => text.push_str(&line),
            code => {
                let _ = write!(text, "\u{1b}[{code}m{line}\u{1b}[0m");
            }
        }
        text.push('\n');
    }
    text.pop();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gets_colours_and_nothing_that_steers_it() {
        let patch =
            "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+\u{1b}]0;title\u{7}new\r\n same\n";
        let shown = coloured(patch);
        assert_eq!(shown.lines().count(), patch.lines().count());
        assert!(shown.contains("\u{1b}[31m-old\u{1b}[0m\n"), "{shown:?}");
        assert!(!shown.contains('\u{7}') && !shown.contains("\u{1b}]") && !shown.contains('\r'), "{shown:?}");
    }
}
