//! One line of Markdown, by itself.
//!
//! ```text
//! line    = [indent] { marker } content
//! marker  = ( "-" | "*" | "+" | 1-9 digits ( "." | ")" ) ) space
//! content = fence | heading | text
//! fence   = 3 or more "`" or "~", info            (no "`" in the info of a fence of backticks)
//! ```
//!
//! For a message of an agent no full Markdown parser is used: it costs three times the budget for 16 MiB,
//! takes an unclosed fence for a block, and lets an earlier unclosed fence swallow a later one. Files
//! are read by [`markdown`](crate::markdown), which says what a line stands in; this takes it apart.
//! Fences count at any indentation, because a terminal or a list puts a margin before them.

/// More markers on one line than this are text.
const MARKERS: usize = 8;

/// What a line is, without knowing the lines before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MarkdownLine<'a> {
    /// The column at which the line's first mark or character stands, from 0.
    pub(crate) indent: usize,
    /// The column at which the content after the list markers stands.
    pub(crate) content_indent: usize,
    pub(crate) is_item: bool,
    /// Without indentation, list markers and what follows the text.
    pub(crate) content: &'a str,
}

/// The line that opens or closes a fenced block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fence<'a> {
    pub(crate) mark: FenceMark,
    /// How many marks.
    pub(crate) length: usize,
    /// What follows the marks, trimmed; a closing fence has nothing.
    pub(crate) info: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FenceMark {
    Backtick,
    Tilde,
}

/// Takes a line apart.
pub(crate) fn read(line: &str) -> MarkdownLine<'_> {
    let (indent, mut content) = indentation(line, 0);
    let mut content_indent = indent;
    let mut is_item = false;
    for _ in 0..MARKERS {
        let Some(width) = marker_width(content) else { break };
        let (column, rest) = indentation(&content[width..], content_indent + width);
        // A marker with nothing behind it holds what follows one column on.
        content_indent = if rest.is_empty() { content_indent + width + 1 } else { column };
        content = rest;
        is_item = true;
    }
    MarkdownLine { indent, content_indent, is_item, content: content.trim_end() }
}

impl<'a> MarkdownLine<'a> {
    /// The fence that this line is, if it is one.
    pub(crate) fn fence(&self) -> Option<Fence<'a>> {
        let (mark, char) = match self.content.as_bytes().first()? {
            b'`' => (FenceMark::Backtick, '`'),
            b'~' => (FenceMark::Tilde, '~'),
            _ => return None,
        };
        let info = self.content.trim_start_matches(char);
        let length = self.content.len() - info.len();
        let is_inline_code = mark == FenceMark::Backtick && info.contains('`');
        (length >= 3 && !is_inline_code).then(|| Fence { mark, length, info: info.trim() })
    }

    /// The level (1 to 6) and text of a heading written with `#`.
    pub(crate) fn heading(&self) -> Option<(usize, &'a str)> {
        let text = self.content.trim_start_matches('#');
        let level = self.content.len() - text.len();
        let is_heading = (1..=6).contains(&level) && (text.is_empty() || text.starts_with([' ', '\t']));
        if !is_heading || self.is_item || self.indent > 3 {
            return None;
        }
        let text = text.trim();
        let open = text.trim_end_matches('#');
        Some((level, if open.is_empty() || open.ends_with([' ', '\t']) { open.trim_end() } else { text }))
    }
}

/// The column of the first character that is no blank, and the text from there.
fn indentation(text: &str, column: usize) -> (usize, &str) {
    let rest = text.trim_start();
    let blanks = &text[..text.len() - rest.len()];
    let after = blanks.chars().fold(column, |at, char| if char == '\t' { (at / 4 + 1) * 4 } else { at + 1 });
    (after, rest)
}

/// The width of the list marker at the head of `text`, without the blank behind it.
fn marker_width(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = *text.as_bytes().get(digits)?;
    let fits = match digits {
        0 => matches!(mark, b'-' | b'*' | b'+'),
        1..=9 => matches!(mark, b'.' | b')'),
        _ => false,
    };
    let after = text.as_bytes().get(digits + 1);
    (fits && after.is_none_or(|byte| matches!(byte, b' ' | b'\t'))).then_some(digits + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_taken_apart() {
        for (line, indent, content_indent, is_item, content) in [
            ("text  ", 0, 0, false, "text"),
            ("  - [x] a", 2, 4, true, "[x] a"),
            ("12) a", 0, 4, true, "a"),
            ("- - a", 0, 4, true, "a"),
            ("\t* a", 4, 6, true, "a"),
            ("-a", 0, 0, false, "-a"),
            ("-", 0, 2, true, ""),
            ("**bold**", 0, 0, false, "**bold**"),
            ("", 0, 0, false, ""),
        ] {
            let want = MarkdownLine { indent, content_indent, is_item, content };
            assert_eq!(read(line), want, "{line:?}");
        }
    }

    #[test]
    fn fences_and_headings_are_told_from_text() {
        let fence = |line| read(line).fence().map(|fence| (fence.length, fence.info.to_owned()));
        assert_eq!(fence("``` tdd-result yaml"), Some((3, "tdd-result yaml".to_owned())));
        assert_eq!(fence("  1. ~~~~ `x`"), Some((4, "`x`".to_owned())));
        for text in ["``x", "```a``` b", "> ```", "x ```", ""] {
            assert_eq!(fence(text), None, "{text:?}");
        }
        let heading = |line| read(line).heading();
        assert_eq!(heading("## A b ##"), Some((2, "A b")));
        assert_eq!(heading("# C#"), Some((1, "C#")));
        for text in ["#a", "####### a", "- # a", "    # a", "a"] {
            assert_eq!(heading(text), None, "{text:?}");
        }
    }
}
