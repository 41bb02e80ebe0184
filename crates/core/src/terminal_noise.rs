//! Removes what a terminal adds to a text: escapes, carriage returns, padding.
//!
//! Each line is read by itself, so whatever is wrong with one line stays in it:
//!
//! ```text
//! text  = line { LF line }            a text without any LF is split at its CRs
//! line  = { redraw CR } shown { CR }  only what was drawn last is kept
//! shown = { escape | control | char }
//! ```
//!
//! What is removed, and the quirk that makes it necessary:
//! - CSI, OSC and DCS escapes: colours around fences, hyperlinks, the line clears of a spinner;
//!   an escape that is not ended ends with its line, so a torn title can't swallow a block;
//! - text before a carriage return within a line: a spinner draws over itself; CRs at the end of
//!   a line go whatever their number, because a terminal in cooked mode doubles them;
//! - control characters but the tab, and byte order marks: no YAML parser takes them;
//! - spaces after the text of a line: some programs pad to the width of the terminal. A line of
//!   nothing but spaces is emptied only if it is [`PADDING`] columns or wider; a narrower one can
//!   be what a test printed.

use std::borrow::Cow;

/// No more than this of a text is looked at; of a longer one the end is kept (contract section 8).
pub const TEXT_LIMIT: usize = 16 * 1024 * 1024;

/// How wide a line of spaces is that only padding can have made.
const PADDING: usize = 40;

/// What [`last_line`] looks at, in bytes, and what it gives, in characters.
const TAIL: usize = 64 * 1024;
const LAST_LINE_CHARS: usize = 200;

/// The text without its noise. Invalid UTF-8 becomes U+FFFD. The number of lines stays the same,
/// but for a text over [`TEXT_LIMIT`] bytes, of which only the last lines are kept.
pub fn clean(bytes: &[u8]) -> String {
    clean_text(&String::from_utf8_lossy(tail(bytes, TEXT_LIMIT))).into_owned()
}

/// [`clean`] for bytes that nobody else needs: most texts have no noise, and 16 MiB are not
/// copied for nothing.
pub fn clean_owned(bytes: Vec<u8>) -> String {
    if bytes.len() > TEXT_LIMIT {
        return clean(&bytes);
    }
    match String::from_utf8(bytes) {
        Ok(text) if is_clean(&text) => text,
        Ok(text) => clean_text(&text).into_owned(),
        Err(error) => clean(error.as_bytes()),
    }
}

/// [`clean`] for text that is UTF-8 already; not cut.
pub fn clean_text(text: &str) -> Cow<'_, str> {
    if is_clean(text) {
        return Cow::Borrowed(text);
    }
    let separator = if text.contains('\n') { '\n' } else { '\r' };
    let mut out = String::with_capacity(text.len());
    for (at, line) in text.split(separator).enumerate() {
        if at > 0 {
            out.push('\n');
        }
        push_clean(line, &mut out);
    }
    Cow::Owned(out)
}

/// The last line that shows anything, at most 200 characters of it, on one line and free of
/// characters that turn the direction of writing; `None` if there is none in the last 64 KiB.
pub fn last_line(bytes: &[u8]) -> Option<String> {
    let text = clean(tail(bytes, TAIL));
    let line = text.rsplit('\n').map(str::trim).find(|line| !line.is_empty())?;
    let shown: String = line
        .chars()
        .filter(|char| !matches!(char, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
        .map(|char| if matches!(char, '\t' | '\u{2028}' | '\u{2029}') { ' ' } else { char })
        .collect();
    Some(shorten(&shown, LAST_LINE_CHARS))
}

/// At most `limit` characters of `text`; a cut is shown by `…`.
pub fn shorten(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(limit.saturating_sub(1)).collect();
    short.push('…');
    short
}

/// The last `limit` bytes, from the start of a line if there is one.
fn tail(bytes: &[u8], limit: usize) -> &[u8] {
    let Some(from) = bytes.len().checked_sub(limit).filter(|from| *from > 0) else {
        return bytes;
    };
    let cut = &bytes[from..];
    cut.iter().position(|byte| *byte == b'\n').map_or(cut, |at| &cut[at + 1..])
}

/// Whether no line of the text has any noise. Most messages are so, and millions of lines of a
/// hostile one need not be looked at one by one.
fn is_clean(text: &str) -> bool {
    let is_padded = text.contains(" \n") || text.contains("\t\n") || text.ends_with([' ', '\t']);
    !is_padded && text.bytes().all(|byte| is_quiet(byte) || byte == b'\n')
}

fn push_clean(line: &str, out: &mut String) {
    if line.is_empty() {
        return;
    }
    let start = out.len();
    if line.bytes().all(is_quiet) {
        out.push_str(line);
    } else {
        push_shown(line, out);
    }
    let shown = &out[start..];
    let text = shown.trim_end_matches([' ', '\t']);
    let kept = if text.is_empty() && shown.len() < PADDING { shown.len() } else { text.len() };
    out.truncate(start + kept);
}

/// A byte that can't be part of any noise. `0xC2` leads the C1 controls, `0xEF` the mark.
fn is_quiet(byte: u8) -> bool {
    (byte >= b' ' && !matches!(byte, 0x7f | 0xc2 | 0xef)) || byte == b'\t'
}

fn push_shown(line: &str, out: &mut String) {
    let stripped;
    let plain = if line.contains('\u{1b}') {
        stripped = anstream::adapter::strip_str(line).to_string();
        stripped.as_str()
    } else {
        line
    };
    let drawn = plain.trim_end_matches(is_dropped);
    let last = drawn.rfind('\r').map_or(drawn, |at| &drawn[at + 1..]);
    out.extend(last.chars().filter(|char| !is_dropped(*char)));
}

fn is_dropped(char: char) -> bool {
    (char.is_control() && char != '\t') || char == '\u{feff}'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_goes_and_text_stays() {
        for (noisy, want) in [
            ("a\x1b[31mb\x1b[0m c", "ab c"),
            ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
            ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
            ("\x1b[?25l\x1b[2K\x1b[1G- thinking\r\x1b[2KDone.\nx", "Done.\nx"),
            ("a\r\r\nb\r\n", "a\nb\n"),
            ("a\rb\rc", "a\nb\nc"),
            ("\u{feff}a\x07b\0c\x7f\u{9b}", "abc"),
            ("\ta\u{a0}b\u{2028}c", "\ta\u{a0}b\u{2028}c"),
            ("a   \n   \nb", "a\n   \nb"),
            ("a\x1b]0;never ended\nb", "a\nb"),
            ("a\x1b[31\nb\x1b", "a\nb"),
            ("", ""),
        ] {
            assert_eq!(clean(noisy.as_bytes()), want, "{noisy:?}");
            assert_eq!(clean(want.as_bytes()), want, "cleaning twice changes nothing: {noisy:?}");
        }
        assert_eq!(clean(&[b'a', 0xff, b'b']), "a\u{fffd}b");
        assert_eq!(clean(format!("a\n{}\nb", " ".repeat(200)).as_bytes()), "a\n\nb");
    }

    #[test]
    fn the_end_of_a_text_over_the_limit_is_kept() {
        let text = format!("{}\nlast", "x".repeat(TEXT_LIMIT));
        assert_eq!(clean(text.as_bytes()), "last");
    }

    #[test]
    fn the_last_line_is_the_last_that_shows_anything() {
        for (text, want) in [
            ("one\ntwo\n\n  \n", Some("two")),
            ("\x1b[2K\x1b[1Gspin 1\r\x1b[2Kspin 2\r", Some("spin 2")),
            ("a\u{202e}b\tc", Some("ab c")),
            ("\x1b[0m\n \n", None),
            ("", None),
        ] {
            assert_eq!(last_line(text.as_bytes()).as_deref(), want, "{text:?}");
        }
        let long = last_line("y".repeat(500).as_bytes()).unwrap();
        assert_eq!((long.chars().count(), long.ends_with('…')), (200, true));
    }
}
