//! What a full-screen program has set on a terminal, and how that is taken back.
//!
//! A program that is killed can't clean up after itself: the terminal would stay on the other screen,
//! without a cursor, reporting the mouse. So what goes through to the operator's terminal is watched.
//!
//! ```text
//! sequence = ESC "[" [ "?" | ">" | "<" | "!" ] { digit | ";" | ":" } { " " | "!" | "\"" | "$" } final
//!          | ESC ( "=" | ">" | "c" | "7" | "8" ) | ESC "(" charset | SO | SI
//! ```
//!
//! Lenient as terminals are: what is no such sequence is passed over, and one that is torn apart by
//! the end of a read goes on in the next.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// More private modes than any terminal has.
const MOST_MODES: usize = 64;
/// The longest sequence that is understood, in bytes.
const LONGEST: usize = 64;
/// Modes that a terminal starts with: wrapping at the margin, a cursor that is seen.
const USUALLY_ON: [u16; 2] = [7, 25];

/// What is set now, by the bytes so far.
#[derive(Debug, Default)]
pub struct TerminalModes {
    state: State,
    set: Set,
}

/// What was set and not taken back. It can be noted, for whoever finds the terminal when the program that
/// knew of it was killed; a note is numbers and words, never bytes for a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "one for each thing that a terminal remembers")]
pub struct Set {
    /// Private modes that were switched on, in that order.
    on: Vec<u16>,
    /// Those of [`USUALLY_ON`] that were switched off.
    off: Vec<u16>,
    insert: bool,
    keypad: bool,
    charset: bool,
    margins: bool,
    cursor_style: bool,
    key_reports: u16,
    other_keys: bool,
    anything: bool,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Text,
    Escape,
    Charset,
    Sequence(Vec<u8>),
}

impl TerminalModes {
    /// Watches what goes through.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.set.anything |= !bytes.is_empty();
        for byte in bytes {
            self.state = match (std::mem::take(&mut self.state), byte) {
                (_, 0x1b) => State::Escape,
                (State::Text, byte) => {
                    self.set.text(*byte);
                    State::Text
                }
                (State::Escape, b'[') => State::Sequence(Vec::new()),
                (State::Escape, b'(') => State::Charset,
                (State::Escape, byte) => {
                    self.set.escape(*byte);
                    State::Text
                }
                (State::Charset, byte) => {
                    self.set.charset = *byte != b'B';
                    State::Text
                }
                (State::Sequence(so_far), 0x40..=0x7e) => {
                    self.set.sequence(&so_far, *byte);
                    State::Text
                }
                (State::Sequence(mut so_far), 0x20..=0x3f) if so_far.len() < LONGEST => {
                    so_far.push(*byte);
                    State::Sequence(so_far)
                }
                (State::Sequence(_), _) => State::Text,
            };
        }
    }

    /// What was set and not taken back.
    pub fn set(&self) -> &Set {
        &self.set
    }

    /// What brings the terminal back.
    pub fn undo(&self) -> Vec<u8> {
        self.set.undo()
    }
}

impl Set {
    /// Whether nothing but text went through: the terminal is as it was.
    pub fn is_plain(&self) -> bool {
        *self == Self { anything: self.anything, ..Self::default() }
    }

    /// What brings the terminal back, the newest first; nothing was printed, nothing is needed.
    pub fn undo(&self) -> Vec<u8> {
        let mut out = String::new();
        if !self.anything {
            return out.into_bytes();
        }
        // Ends a sequence that was torn off; then plain letters.
        out.push_str("\u{18}\u{1b}[0m");
        let mut add = |needed: bool, text: &str| out.push_str(if needed { text } else { "" });
        add(self.charset, "\u{1b}(B\u{f}");
        add(self.insert, "\u{1b}[4l");
        add(self.keypad, "\u{1b}>");
        // Setting margins moves the cursor.
        add(self.margins, "\u{1b}7\u{1b}[r\u{1b}8");
        add(self.cursor_style, "\u{1b}[0 q");
        add(self.other_keys, "\u{1b}[>4m");
        add(self.key_reports > 0, &format!("\u{1b}[<{}u", self.key_reports));
        for mode in self.on.iter().rev().take(MOST_MODES) {
            let _ = write!(out, "\u{1b}[?{mode}l");
        }
        for mode in self.off.iter().filter(|mode| USUALLY_ON.contains(mode)).take(MOST_MODES) {
            let _ = write!(out, "\u{1b}[?{mode}h");
        }
        out.into_bytes()
    }

    fn text(&mut self, byte: u8) {
        match byte {
            0x0e => self.charset = true,
            0x0f => self.charset = false,
            _ => {}
        }
    }

    fn escape(&mut self, byte: u8) {
        match byte {
            b'=' => self.keypad = true,
            b'>' => self.keypad = false,
            b'c' => *self = Self { anything: true, ..Self::default() },
            _ => {}
        }
    }

    fn sequence(&mut self, parameters: &[u8], last: u8) {
        let (mark, rest) = match parameters.first() {
            Some(mark @ (b'?' | b'>' | b'<')) => (*mark, &parameters[1..]),
            _ => (b' ', parameters),
        };
        let digits = rest.iter().position(|byte| !matches!(byte, b'0'..=b';')).unwrap_or(rest.len());
        let (numbers, after) = rest.split_at(digits);
        let text = String::from_utf8_lossy(numbers);
        let numbers: Vec<u16> = text.split(';').map(|part| part.parse().unwrap_or(0)).collect();
        match (mark, after, last) {
            (b'?', b"", b'h') => numbers.iter().for_each(|mode| self.switch_on(*mode)),
            (b'?', b"", b'l') => numbers.iter().for_each(|mode| self.switch_off(*mode)),
            (b' ', b"", b'h' | b'l') if numbers.contains(&4) => self.insert = last == b'h',
            (b' ', b"", b'r') => self.margins = numbers.iter().any(|number| *number > 0),
            (b' ', b" ", b'q') => self.cursor_style = numbers[0] > 0,
            (b' ', b"!", b'p') => {
                (self.insert, self.keypad, self.charset, self.margins) = (false, false, false, false);
            }
            (b'>', b"", b'u') => self.key_reports = self.key_reports.saturating_add(1),
            (b'<', b"", b'u') => self.key_reports = self.key_reports.saturating_sub(numbers[0].max(1)),
            (b'>', b"", b'm') if numbers[0] == 4 => {
                self.other_keys = numbers.get(1).is_some_and(|level| *level > 0);
            }
            _ => {}
        }
    }

    fn switch_on(&mut self, mode: u16) {
        self.off.retain(|off| *off != mode);
        if !USUALLY_ON.contains(&mode) && !self.on.contains(&mode) && self.on.len() < MOST_MODES {
            self.on.push(mode);
        }
    }

    fn switch_off(&mut self, mode: u16) {
        self.on.retain(|on| *on != mode);
        if USUALLY_ON.contains(&mode) && !self.off.contains(&mode) {
            self.off.push(mode);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_is_taken_back_and_nothing_else() {
        for (printed, undo) in [
            ("", ""),
            ("hello", "\u{18}\u{1b}[0m"),
            ("\u{1b}[?1049h\u{1b}[?25l", "\u{18}\u{1b}[0m\u{1b}[?1049l\u{1b}[?25h"),
            ("\u{1b}[?1049h\u{1b}[?25lx\u{1b}[?25h\u{1b}[?1049l", "\u{18}\u{1b}[0m"),
            ("\u{1b}[?1000;1006h\u{1b}[?2004h", "\u{18}\u{1b}[0m\u{1b}[?2004l\u{1b}[?1006l\u{1b}[?1000l"),
            ("\u{1b}[>1u\u{1b}[>1u\u{1b}[<1u", "\u{18}\u{1b}[0m\u{1b}[<1u"),
            ("\u{1b}[>4;2m", "\u{18}\u{1b}[0m\u{1b}[>4m"),
            (
                "\u{1b}[2;10r\u{1b}=\u{1b}[3 q\u{1b}(0",
                "\u{18}\u{1b}[0m\u{1b}(B\u{f}\u{1b}>\u{1b}7\u{1b}[r\u{1b}8\u{1b}[0 q",
            ),
            ("\u{1b}[?1049h\u{1b}c", "\u{18}\u{1b}[0m"),
            ("\u{1b}[31m\u{1b}]0;title ?1049h\u{7}", "\u{18}\u{1b}[0m"),
        ] {
            let mut modes = TerminalModes::default();
            modes.feed(printed.as_bytes());
            assert_eq!(String::from_utf8(modes.undo()).unwrap(), undo, "{printed:?}");
            // The same in single bytes: reads tear sequences apart.
            let mut modes = TerminalModes::default();
            printed.as_bytes().chunks(1).for_each(|byte| modes.feed(byte));
            assert_eq!(String::from_utf8(modes.undo()).unwrap(), undo, "{printed:?}, torn");
        }
    }

    #[test]
    fn what_is_set_can_be_noted() {
        let mut modes = TerminalModes::default();
        modes.feed(b"text");
        assert!(modes.set().is_plain());
        modes.feed(b"\x1b[?1049h\x1b[?25l\x1b[>1u\x1b[?2004h\x1b[?20");
        assert!(!modes.set().is_plain());
        let note = serde_json::to_string(modes.set()).unwrap();
        let read: Set = serde_json::from_str(&note).unwrap();
        assert_eq!((&read, read.undo()), (modes.set(), modes.undo()));
        for forged in [r#"{"on": ["1049h"]}"#, r#"{"on": [70000]}"#, r#"{"bytes": "x"}"#] {
            assert!(serde_json::from_str::<Set>(forged).is_err(), "{forged}");
        }
        let many: Set = serde_json::from_value(serde_json::json!({
            "anything": true, "on": vec![1; 5000], "off": vec![9; 5000]
        }))
        .unwrap();
        assert!(many.undo().len() < 1000, "a forged note is bounded");
    }

    #[test]
    fn garbage_is_bounded() {
        let mut modes = TerminalModes::default();
        for mode in 0..2000_u16 {
            modes.feed(format!("\u{1b}[?{mode}h").as_bytes());
        }
        modes.feed(b"\x1b[?");
        modes.feed(&[b'1'; 10_000]);
        modes.feed(b"h\x1b[?99999999h\x1b[u\x1b[<u\x1b[;;;m\xff");
        assert!(modes.undo().len() < 1000);
    }
}
