//! How a criterion begins that holds its number alone: `AC-1: …`, `AC1: …`, `AC-1 …`.

use std::ops::Range;

/// The beginning of a criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Short {
    pub(super) number: u64,
    /// What follows it on its line.
    pub(super) text: String,
    /// Where it stands in the content, without marks.
    pub(super) at: Range<usize>,
}

/// Reads the content of a list item, heading or paragraph, its box taken off; `None` if it begins with none.
pub(super) fn of_text(content: &str) -> Option<Short> {
    let is_mark = |char: char| matches!(char, '*' | '_' | '`');
    let named = content.trim_start_matches(is_mark);
    let marks = &content[..content.len() - named.len()];
    let behind = named.strip_prefix("AC")?;
    let digits = behind.strip_prefix('-').unwrap_or(behind);
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    let after = &digits[count..];
    let number = digits[..count].parse().ok().filter(|_| ends(after))?;
    let length = named.len() - after.len();
    let mut text = after.to_owned();
    // As for an id that is written in full: the marks close somewhere behind it.
    for mark in marks.chars().rev() {
        if let Some(at) = text.find(mark) {
            text.remove(at);
        }
    }
    let is_separator = |char: char| matches!(char, ':' | '—' | '–' | '-' | '.' | ')') || char.is_whitespace();
    let at = marks.len()..marks.len() + length;
    Some(Short { number, text: text.trim_start_matches(is_separator).to_owned(), at })
}

/// Whether nothing follows that would make another word, or a range, of it.
fn ends(after: &str) -> bool {
    let mut chars = after.chars();
    match chars.next() {
        None | Some(':' | '*' | '_' | '`' | ')' | '—' | '–') => true,
        Some('.' | '-') => chars.next().is_none_or(char::is_whitespace),
        Some(char) => char.is_whitespace(),
    }
}

/// Whether a line says something that looks like an id, wherever it stands: `AC-…` or `AC1`, as a word.
pub(super) fn is_spoken_of(line: &str) -> bool {
    line.match_indices("AC").any(|(at, found)| {
        let before = line[..at].chars().next_back();
        let after = &line[at + found.len()..];
        let name = after.strip_prefix('-').unwrap_or(after);
        let is_named = name.starts_with(|char: char| char.is_ascii_alphanumeric());
        let is_number = name.starts_with(|char: char| char.is_ascii_digit());
        before.is_none_or(|char| !char.is_alphanumeric()) && is_named && (after.starts_with('-') || is_number)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_and_other_words_are_not() {
        for (content, want) in [
            ("AC-1: text", Some((1, "text", "AC-1"))),
            ("AC1: text", Some((1, "text", "AC1"))),
            ("AC-12 text", Some((12, "text", "AC-12"))),
            ("**AC-1**: text **b**", Some((1, "text **b**", "AC-1"))),
            ("**AC-1: Title.** text", Some((1, "Title. text", "AC-1"))),
            ("AC-1. Text", Some((1, "Text", "AC-1"))),
            ("AC-1 - text", Some((1, "text", "AC-1"))),
            ("`AC01` text", Some((1, "text", "AC01"))),
            ("AC-1.2 text", None),
            ("AC-1..3 text", None),
            ("AC-1-x text", None),
            ("AC-1a text", None),
            ("AC text", None),
            ("ACME 1 text", None),
            ("see AC-1", None),
        ] {
            let got = of_text(content).map(|it| (it.number, it.text, content[it.at].to_owned()));
            let want = want.map(|(number, text, id)| (number, text.to_owned(), id.to_owned()));
            assert_eq!(got, want, "{content:?}");
        }
    }

    #[test]
    fn a_word_like_an_id_is_seen_and_other_words_are_not() {
        for (line, want) in [
            ("as in AC-STE-1", true),
            ("(AC1)", true),
            ("an AC unit, AC/DC, MAC-1, HVAC1", false),
            ("AC-", false),
            ("ACME", false),
        ] {
            assert_eq!(is_spoken_of(line), want, "{line:?}");
        }
    }
}
