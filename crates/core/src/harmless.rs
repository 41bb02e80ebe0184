//! Words from outside (child output, file names, test ids) made fit for a person's terminal.
//!
//! Escape sequences go, tabs become spaces, line ends become `\n`; every other control character
//! and every character that turns the direction of writing becomes `�`, because a test's name
//! must not be able to move the cursor, set a title or show itself as something else.

/// Many lines. Carriage returns alone are line ends too, as progress bars write them.
pub fn lines(text: &str) -> String {
    let text = anstream::adapter::strip_str(text).to_string();
    text.replace("\r\n", "\n").chars().map(|c| if c == '\r' { '\n' } else { tame(c) }).collect()
}

/// One line: line ends become spaces.
pub fn line(text: &str) -> String {
    lines(text).replace('\n', " ")
}

/// One line of at most `limit` characters, the last of them `…` if something was cut.
pub fn short(text: &str, limit: usize) -> String {
    let text = line(text);
    if text.chars().count() <= limit {
        return text;
    }
    text.chars().take(limit.saturating_sub(1)).chain(['…']).collect()
}

/// The last `count` lines, each at most `width` characters.
pub fn tail(text: &str, count: usize, width: usize) -> Vec<String> {
    let text = lines(text);
    let all: Vec<&str> = text.trim_end().lines().collect();
    all[all.len().saturating_sub(count)..].iter().map(|line| short(line, width)).collect()
}

/// A word as a POSIX shell reads it back: quoted only where it must be.
pub fn shell_word(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:@%+=,".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// The same for a line that a person copies from their terminal: what would move the cursor or break the line is told
/// by its bytes, as bash, zsh and ksh read it.
pub fn typed_word(word: &str) -> String {
    if word.chars().all(is_tame) {
        return shell_word(word);
    }
    let mut typed = "$'".to_owned();
    for letter in word.chars() {
        match letter {
            '\n' => typed.push_str("\\n"),
            '\t' => typed.push_str("\\t"),
            '\\' | '\'' => typed.extend(['\\', letter]),
            letter if is_tame(letter) => typed.push(letter),
            letter => {
                let mut bytes = [0; 4];
                typed.extend(letter.encode_utf8(&mut bytes).bytes().map(|byte| format!("\\x{byte:02x}")));
            }
        }
    }
    typed + "'"
}

/// Whether a character can do no harm within a line.
pub fn is_tame(c: char) -> bool {
    !c.is_control() && !misleads(c)
}

fn tame(c: char) -> char {
    match c {
        '\n' => '\n',
        '\t' => ' ',
        c if c.is_control() || misleads(c) => '�',
        c => c,
    }
}

fn misleads(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}'
        | '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_moves_a_cursor_gets_through() {
        for (text, want) in [
            ("plain ü ✓", "plain ü ✓"),
            ("\u{1b}[31mred\u{1b}[0m", "red"),
            ("a\u{1b}]0;title\u{7}b", "ab"),
            ("10%\r20%\r\n", "10%\n20%\n"),
            ("a\tb\u{8}\u{0}c", "a b��c"),
            ("x\u{202e}txt.sh", "x�txt.sh"),
        ] {
            let got = lines(text);
            assert!(!got.contains('\u{1b}'), "{got:?}");
            assert_eq!(got.replace('�', ""), want.replace('�', ""), "{text:?}");
        }
        assert_eq!(line("a\nb"), "a b");
    }

    #[test]
    fn long_words_and_long_tails_are_cut() {
        assert_eq!(short("abcdef", 4), "abc…");
        assert_eq!(short("abcd", 4), "abcd");
        assert_eq!(tail("1\n2\n3\n\n", 2, 9), ["2", "3"]);
        assert!(tail("", 2, 9).is_empty());
    }

    #[test]
    fn a_shell_reads_its_words_back() {
        for (word, want) in [("STE-12", "STE-12"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("", "''")] {
            assert_eq!(shell_word(word), want);
        }
        assert_eq!(shell_word("$(x)"), "'$(x)'");
        for (word, want) in
            [("a b", "'a b'"), ("a\n'\\\u{1b}", r"$'a\n\'\\\x1b'"), ("\u{202e}", r"$'\xe2\x80\xae'")]
        {
            assert_eq!(typed_word(word), want);
        }
    }
}
