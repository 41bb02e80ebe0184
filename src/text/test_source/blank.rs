//! Replaces comments and the insides of strings by spaces, byte for byte.

use std::ops::Range;

use super::Language;

/// The code alone. Quotes stay, so that a string is still seen to be one; line ends stay too.
pub(super) fn blank(language: Language, source: &str) -> String {
    let bytes = source.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let (kept_head, end, kept_tail) = token(language, bytes, at);
        for byte in code.iter_mut().take(end - kept_tail.min(end)).skip(at + kept_head) {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    // Only whole tokens were blanked, so this is still UTF-8; if not, nothing is found.
    String::from_utf8(code).unwrap_or_default()
}

/// The text with blanks in place of these parts, so that places stay.
pub(super) fn without(text: &str, spans: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for at in spans.iter().flat_map(Clone::clone) {
        if let Some(byte) = bytes.get_mut(at).filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// The source without what a formatter may change: comments, white space outside strings, and
/// commas before a closing bracket.
pub(super) fn condensed(language: Language, source: &str) -> String {
    let bytes = source.as_bytes();
    let mut code: Vec<u8> = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let (kept_head, end, _) = token(language, bytes, at);
        let end = end.clamp(at + 1, bytes.len());
        match (kept_head, bytes[at]) {
            (0, _) => {}
            (1, byte) if end == at + 1 => {
                if matches!(byte, b')' | b']' | b'}') && code.last() == Some(&b',') {
                    code.pop();
                }
                if !byte.is_ascii_whitespace() {
                    code.push(byte);
                }
            }
            _ => code.extend_from_slice(&bytes[at..end]),
        }
        at = end;
    }
    String::from_utf8_lossy(&code).into_owned()
}

/// What begins at `at`: bytes kept at its head, its end, and bytes kept at its tail. Plain code is
/// one byte, all kept.
fn token(language: Language, bytes: &[u8], at: usize) -> (usize, usize, usize) {
    let rest = &bytes[at..];
    match language {
        Language::Python => match rest {
            [b'#', ..] => (0, line_end(bytes, at), 0),
            [b'"', b'"', b'"', ..] => closed(bytes, at, 3, b"\"\"\"", Lines::Many),
            [b'\'', b'\'', b'\'', ..] => closed(bytes, at, 3, b"'''", Lines::Many),
            [quote @ (b'"' | b'\''), ..] => closed(bytes, at, 1, &[*quote], Lines::One),
            _ => (1, at + 1, 0),
        },
        Language::JavaScript => match rest {
            [b'/', b'/', ..] => (0, line_end(bytes, at), 0),
            [b'/', b'*', ..] => (0, find(bytes, at + 2, b"*/").map_or(bytes.len(), |end| end + 2), 0),
            [b'`', ..] => closed(bytes, at, 1, b"`", Lines::Many),
            [quote @ (b'"' | b'\''), ..] => closed(bytes, at, 1, &[*quote], Lines::One),
            [b'/', ..] if begins_regex(bytes, at) => closed(bytes, at, 1, b"/", Lines::One),
            _ => (1, at + 1, 0),
        },
        Language::Rust => rust_token(bytes, at),
    }
}

fn rust_token(bytes: &[u8], at: usize) -> (usize, usize, usize) {
    let in_word = at > 0 && super::is_word(bytes[at - 1]);
    match &bytes[at..] {
        [b'/', b'/', ..] => (0, line_end(bytes, at), 0),
        [b'/', b'*', ..] => (0, nested_comment_end(bytes, at), 0),
        [b'"', ..] => closed(bytes, at, 1, b"\"", Lines::Many),
        [b'r', b'"' | b'#', ..] if !in_word || bytes[at - 1] == b'b' => raw_string(bytes, at),
        [b'\'', b'\\', ..] => closed(bytes, at, 1, b"'", Lines::One),
        // A character, not a lifetime: one character and then the quote.
        [b'\'', rest @ ..] => {
            let width = rest.iter().skip(1).take_while(|byte| (0x80..0xC0).contains(*byte)).count() + 1;
            if rest.get(width) == Some(&b'\'') { (1, at + width + 2, 1) } else { (1, at + 1, 0) }
        }
        _ => (1, at + 1, 0),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Lines {
    One,
    Many,
}

/// A string up to its closing quotes; on one line, the line's end closes it too.
fn closed(bytes: &[u8], at: usize, head: usize, quotes: &[u8], lines: Lines) -> (usize, usize, usize) {
    let mut end = at + head;
    while end < bytes.len() {
        if bytes[end] == b'\\' {
            end += 2;
        } else if bytes[end..].starts_with(quotes) {
            return (head, end + quotes.len(), quotes.len());
        } else if lines == Lines::One && bytes[end] == b'\n' {
            return (head, end, 0);
        } else {
            end += 1;
        }
    }
    (head, bytes.len(), 0)
}

fn raw_string(bytes: &[u8], at: usize) -> (usize, usize, usize) {
    let hashes = bytes[at + 1..].iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(at + 1 + hashes) != Some(&b'"') {
        return (1, at + 1, 0);
    }
    let mut quotes = vec![b'"'];
    quotes.extend(std::iter::repeat_n(b'#', hashes));
    let head = hashes + 2;
    let end = find(bytes, at + head, &quotes).map_or(bytes.len(), |end| end + quotes.len());
    (head, end, quotes.len())
}

fn nested_comment_end(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0usize;
    let mut end = at;
    while end < bytes.len() {
        if bytes[end..].starts_with(b"/*") {
            depth += 1;
            end += 2;
        } else if bytes[end..].starts_with(b"*/") {
            depth -= 1;
            end += 2;
            if depth == 0 {
                return end;
            }
        } else {
            end += 1;
        }
    }
    end
}

/// A `/` begins a regular expression where no value can stand before it.
fn begins_regex(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].iter().rev().find(|byte| !byte.is_ascii_whitespace());
    before.is_none_or(|byte| b"(,=:[!&|?{};+*%~^<>".contains(byte))
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    find(bytes, at, b"\n").unwrap_or(bytes.len())
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(what.len()).position(|window| window == what).map(|at| from + at)
}
