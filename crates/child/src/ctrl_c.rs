//! Ctrl-C among what a person types at a raw terminal.
//!
//! ```text
//! press = ETX                                                   what terminals send since ever
//!       | ESC "[" "99" { ":" digits } ";" modifiers "u"         where a program asked for kitty's key reports
//!       | ESC "[" "27" ";" modifiers ";" "99" "~"               where it asked for xterm's
//! modifiers = 1 + bits, of which Ctrl is 4 and the locks (64, 128) don't matter [ ":" event ]    event 3 is a release
//! ```
//!
//! What is pasted (between `ESC[200~` and `ESC[201~`) is no key.

/// Longer sequences are none of these.
const LONGEST: usize = 32;
const ETX: u8 = 3;
const CTRL: u16 = 4;
const LOCKS: u16 = 64 | 128;

/// Watches keys on their way, cut anywhere.
#[derive(Debug, Default)]
pub struct CtrlC {
    state: State,
    is_pasted: bool,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Text,
    Escape,
    Sequence(Vec<u8>),
}

impl CtrlC {
    /// Takes in one byte; whether it ends a press of Ctrl-C.
    pub fn ends_with(&mut self, byte: u8) -> bool {
        let (state, is_press) = match (std::mem::take(&mut self.state), byte) {
            (_, 0x1b) => (State::Escape, false),
            (State::Text | State::Escape | State::Sequence(_), ETX) => (State::Text, !self.is_pasted),
            (State::Escape, b'[') => (State::Sequence(Vec::new()), false),
            (State::Sequence(so_far), 0x40..=0x7e) => (State::Text, self.sequence(&so_far, byte)),
            (State::Sequence(mut so_far), _) if so_far.len() < LONGEST => {
                so_far.push(byte);
                (State::Sequence(so_far), false)
            }
            (State::Text | State::Escape | State::Sequence(_), _) => (State::Text, false),
        };
        self.state = state;
        is_press
    }

    fn sequence(&mut self, parameters: &[u8], last: u8) -> bool {
        let text = String::from_utf8_lossy(parameters);
        let parts: Vec<&str> = text.split(';').collect();
        let is_press = match (parts.as_slice(), last) {
            (["200"], b'~') => {
                self.is_pasted = true;
                false
            }
            (["201"], b'~') => {
                self.is_pasted = false;
                false
            }
            ([key, modifiers, ..], b'u') => key.split(':').next() == Some("99") && is_ctrl_pressed(modifiers),
            (["27", modifiers, "99"], b'~') => is_ctrl_pressed(modifiers),
            _ => false,
        };
        is_press && !self.is_pasted
    }
}

fn is_ctrl_pressed(modifiers: &str) -> bool {
    let (bits, event) = modifiers.split_once(':').unwrap_or((modifiers, "1"));
    let bits = bits.parse::<u16>().unwrap_or(1).saturating_sub(1);
    bits & !LOCKS == CTRL && event != "3"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_press_is_known_in_each_of_its_spellings() {
        for (typed, presses) in [
            ("", 0),
            ("c", 0),
            ("\u{3}", 1),
            ("a\u{3}b\u{3}", 2),
            ("\u{1b}[99;5u", 1),
            ("\u{1b}[99;5:1u\u{1b}[99;5:3u", 1),
            ("\u{1b}[99:67;69u", 1),
            ("\u{1b}[99;133u", 1),
            ("\u{1b}[27;5;99~", 1),
            // Ctrl-Shift-C copies; Alt-C, c alone and Ctrl-D are others.
            ("\u{1b}[99;6u\u{1b}[99;3u\u{1b}[99u\u{1b}[100;5u\u{1b}[27;5;100~", 0),
            ("\u{1b}[200~a\u{3}b\u{1b}[201~", 0),
            ("\u{1b}[200~a\u{1b}[201~\u{3}", 1),
            ("\u{1b}\u{1b}[A\u{3}", 1),
        ] {
            let mut keys = CtrlC::default();
            let found = typed.bytes().filter(|byte| keys.ends_with(*byte)).count();
            assert_eq!(found, presses, "{typed:?}");
        }
        let mut keys = CtrlC::default();
        let noise = b"\x1b[".iter().chain(std::iter::repeat_n(&b'9', 10_000)).chain(b"u");
        assert_eq!(noise.filter(|byte| keys.ends_with(**byte)).count(), 0);
    }
}
