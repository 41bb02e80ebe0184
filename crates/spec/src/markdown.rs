//! What each line of a Markdown file is, as `pulldown-cmark` reads it.
//!
//! Requirements and a project's notes are read by lines, because their grammars and their errors
//! speak of lines; which of them is code, a comment, a quote or a heading is `CommonMark`'s affair.
//!
//! `CommonMark` is not followed where it would take something for hidden that people can see, or
//! show what they meant to hide:
//! - HTML hides nothing but comments: a list right below `<details>` is a list;
//! - a comment with text behind it on its first line is a part of that text;
//! - a comment goes on to its `-->`, though the list item that it began in ends before; within
//!   a paragraph it is one if `-->` comes before a blank line;
//! - several lines above a rule are a paragraph, not a heading: a section must not end by mistake;
//! - blanks of any kind make a blank line.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::markdown_line;

/// A file taken apart.
#[derive(Debug)]
pub(crate) struct Markdown<'a> {
    /// In the file's order, the first at 0.
    pub(crate) lines: Vec<Line<'a>>,
    /// In the order of their first lines.
    pub(crate) blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    pub(crate) kind: Kind,
    /// Where in the text a comment begins that is not its head.
    pub(crate) comment: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Blank,
    /// `begins`: it is the first of its paragraph.
    Text {
        begins: bool,
    },
    Heading {
        level: usize,
    },
    /// A thematic break, or what underlines a heading.
    Rule,
    /// Opens or closes a fenced block.
    Fence,
    /// Within a fenced block, by its index.
    Code {
        block: usize,
    },
    /// Code by its indentation.
    Indented,
    Comment,
    Quote,
}

/// A fenced block or a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// The line that opens it.
    pub(crate) opened: usize,
    /// The lines between the one that opens it and the one that closes it.
    pub(crate) inside: Range<usize>,
    pub(crate) is_closed: bool,
}

const OPEN: &str = "<!--";
const CLOSE: &str = "-->";

/// Stands for a `<` that begins nothing: a byte, so that offsets stay, and no mark of Markdown.
const NO_MARK: char = '\u{1}';

/// A marker of a list or quote this many bytes into its line is text: each line may cost as much
/// time as there are lists and quotes in one another.
const DEEPEST: usize = 100;

/// Reads a text whose lines end in LF. Linear in its length.
pub(crate) fn read(text: &str) -> Markdown<'_> {
    let plain = tamed(text);
    let mut reader = Reader::of(text);
    for (event, range) in Parser::new_ext(&plain, Options::empty()).into_offset_iter() {
        reader.event(&event, range);
    }
    reader.markdown
}

/// What follows the comments at the head of a line's content; `None` if one stays open.
pub(crate) fn behind_comments(content: &str) -> Option<&str> {
    let mut rest = content;
    while let Some(inner) = rest.strip_prefix(OPEN) {
        rest = inner.split_once(CLOSE)?.1.trim_start();
    }
    Some(rest)
}

/// The text with the same offsets, in which no `<` but that of a comment begins HTML, a blank line
/// holds spaces alone, and lists and quotes are not too deep.
fn tamed(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            let end = line.ends_with('\n');
            plain.extend(std::iter::repeat_n(' ', line.len() - usize::from(end)));
            plain.push_str(if end { "\n" } else { "" });
            continue;
        }
        let mut is_text = begins_with_commented_text(line);
        let mut rest = line;
        if let Some(at) = marker_too_deep(line) {
            plain.push_str(&line[..at]);
            plain.push(NO_MARK);
            rest = &line[at + 1..];
        }
        while let Some(at) = rest.find('<') {
            let is_comment = rest[at..].starts_with(OPEN) && !std::mem::take(&mut is_text);
            plain.push_str(&rest[..at]);
            plain.push(if is_comment { '<' } else { NO_MARK });
            rest = &rest[at + 1..];
        }
        plain.push_str(rest);
    }
    plain
}

/// Where the first marker of a list or quote stands that is too far in to be one.
fn marker_too_deep(line: &str) -> Option<usize> {
    let may_precede_text = |byte: &u8| byte.is_ascii_digit() || b" \t>-*+.)".contains(byte);
    let length = line.bytes().take_while(may_precede_text).count();
    let mut pairs = line.as_bytes()[..length].windows(2).enumerate().skip(DEEPEST);
    let deep = pairs.find(|(_, pair)| match pair[1] {
        b'>' => true,
        b'-' | b'*' | b'+' => matches!(pair[0], b' ' | b'\t'),
        b'.' | b')' => pair[0].is_ascii_digit(),
        _ => false,
    });
    deep.map(|(before, _)| before + 1)
}

/// Whether a line's content begins with comments and goes on behind them.
fn begins_with_commented_text(line: &str) -> bool {
    let content = if line.contains(OPEN) { markdown_line::read(line).content } else { "" };
    content.starts_with(OPEN) && behind_comments(content).is_some_and(|behind| !behind.is_empty())
}

struct Reader<'a> {
    text: &'a str,
    markdown: Markdown<'a>,
    /// Where each line begins.
    starts: Vec<usize>,
    /// Where each blank line begins.
    blanks: Vec<usize>,
    /// Where each `-->` stands.
    closes: Vec<usize>,
    /// What begins before this offset is a part of what was read.
    passed: usize,
    /// The next text is the first of a paragraph.
    begins: bool,
    /// Where the content of the fenced block ends that is being read.
    code_end: Option<usize>,
}

impl<'a> Reader<'a> {
    fn of(text: &'a str) -> Self {
        let mut reader = Self {
            text,
            markdown: Markdown { lines: Vec::new(), blocks: Vec::new() },
            starts: Vec::new(),
            blanks: Vec::new(),
            closes: text.match_indices(CLOSE).map(|(at, _)| at).collect(),
            passed: 0,
            begins: true,
            code_end: None,
        };
        let mut start = 0;
        for line in text.split('\n') {
            let is_blank = line.trim().is_empty();
            let kind = if is_blank { Kind::Blank } else { Kind::Text { begins: false } };
            reader.markdown.lines.push(Line { text: line, kind, comment: None });
            reader.starts.push(start);
            if is_blank {
                reader.blanks.push(start);
            }
            start += line.len() + 1;
        }
        reader
    }

    fn event(&mut self, event: &Event<'_>, range: Range<usize>) {
        if self.code_end.is_some() {
            self.code(event, range);
        } else if range.start < self.passed {
            // It stands in a quote, code or a comment.
        } else if let Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))) = event {
            self.code_end = Some(range.start);
        } else if let Event::Start(Tag::Heading { level, .. }) = event {
            self.heading(*level as usize, &range);
        } else if matches!(event, Event::Start(Tag::HtmlBlock)) {
            let opened = self.line_at(range.start);
            self.set(opened..opened + 1, Kind::Comment);
            self.comment(opened, self.close(range.start));
            self.begins = true;
        } else if matches!(event, Event::Start(Tag::BlockQuote(_))) {
            self.pass(&range, Kind::Quote);
        } else if matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Indented))) {
            self.pass(&range, Kind::Indented);
        } else if matches!(event, Event::Rule) {
            self.pass(&range, Kind::Rule);
        } else if is_of_block(event) {
            self.begins = true;
        } else {
            self.inline(event, range.start);
        }
    }

    /// The line that holds an offset.
    fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    fn last_line(&self, range: &Range<usize>) -> usize {
        self.line_at(range.end.saturating_sub(1).max(range.start))
    }

    fn set(&mut self, lines: Range<usize>, kind: Kind) {
        for line in self.markdown.lines.get_mut(lines).unwrap_or_default() {
            if line.kind != Kind::Blank || matches!(kind, Kind::Code { .. } | Kind::Comment) {
                line.kind = kind;
            }
        }
    }

    fn pass(&mut self, range: &Range<usize>, kind: Kind) {
        self.set(self.line_at(range.start)..self.last_line(range) + 1, kind);
        self.passed = range.end;
        self.begins = true;
    }

    /// An event within a fenced block: its content, or its end.
    fn code(&mut self, event: &Event<'_>, range: Range<usize>) {
        if !matches!(event, Event::End(TagEnd::CodeBlock)) {
            self.code_end = Some(range.end);
            return;
        }
        let Some(code_end) = self.code_end.take() else { return };
        let (opened, last) = (self.line_at(range.start), self.last_line(&range));
        // A fence that stays open ends with its content.
        let is_closed = last > opened && self.starts[last] >= code_end;
        let inside = opened + 1..if is_closed { last } else { last + 1 };
        self.pass(&range, Kind::Fence);
        self.set(inside.clone(), Kind::Code { block: self.markdown.blocks.len() });
        self.markdown.blocks.push(Block { opened, inside, is_closed });
    }

    fn heading(&mut self, level: usize, range: &Range<usize>) {
        let (first, last) = (self.line_at(range.start), self.last_line(range));
        self.begins = last > first + 1;
        if last > first {
            self.set(last..last + 1, Kind::Rule);
        }
        if !self.begins {
            self.set(first..first + 1, Kind::Heading { level });
        }
    }

    fn inline(&mut self, event: &Event<'_>, start: usize) {
        let line = self.line_at(start);
        let kind = &mut self.markdown.lines[line].kind;
        if std::mem::take(&mut self.begins) && matches!(kind, Kind::Text { .. }) {
            *kind = Kind::Text { begins: true };
        }
        let may_be_comment = matches!(event, Event::Text(_) | Event::InlineHtml(_));
        if may_be_comment && self.text.as_bytes()[start..].starts_with(OPEN.as_bytes()) {
            let blank = self.blanks.partition_point(|blank| *blank < start);
            let limit = self.blanks.get(blank).copied().unwrap_or(self.text.len());
            if let Some(close) = self.close(start).filter(|close| *close < limit) {
                self.markdown.lines[line].comment.get_or_insert(start - self.starts[line]);
                self.comment(line, Some(close));
            }
        }
    }

    /// Where the comment that begins at `start` is closed.
    fn close(&self, start: usize) -> Option<usize> {
        let close = self.closes.partition_point(|close| *close < start + OPEN.len());
        self.closes.get(close).copied()
    }

    fn comment(&mut self, opened: usize, close: Option<usize>) {
        let end = self.markdown.lines.len();
        let last = close.map_or(end, |close| self.line_at(close));
        self.set(opened + 1..(last + 1).min(end), Kind::Comment);
        self.passed = close.map_or(self.text.len(), |close| close + CLOSE.len());
        if last > opened {
            let (inside, is_closed) = (opened + 1..last, close.is_some());
            self.markdown.blocks.push(Block { opened, inside, is_closed });
        }
    }
}

/// Whether the event begins or ends a block.
fn is_of_block(event: &Event<'_>) -> bool {
    matches!(
        event,
        Event::Start(Tag::Paragraph | Tag::List(_) | Tag::Item)
            | Event::End(
                TagEnd::Paragraph
                    | TagEnd::Heading(_)
                    | TagEnd::BlockQuote(_)
                    | TagEnd::CodeBlock
                    | TagEnd::HtmlBlock
                    | TagEnd::List(_)
                    | TagEnd::Item
            )
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One letter for each line.
    fn kinds(text: &str) -> String {
        let kind = |line: &Line<'_>| match line.kind {
            Kind::Blank => '.',
            Kind::Text { begins: true } => 'T',
            Kind::Text { begins: false } => 't',
            Kind::Heading { .. } => 'H',
            Kind::Rule => '-',
            Kind::Fence => 'F',
            Kind::Code { .. } => 'c',
            Kind::Indented => 'i',
            Kind::Comment => '!',
            Kind::Quote => '>',
        };
        read(text).lines.iter().map(kind).collect()
    }

    #[test]
    fn each_line_is_what_commonmark_says() {
        for (text, want) in [
            ("a\nb\n\nc", "Tt.T"),
            ("# a\nb\n===\nc\n***", "HH-T-"),
            ("- a\n  b\n- c\n\n  d", "TtT.T"),
            ("```\na\n\n```\nb", "FccFT"),
            ("- a\n  ~~~\n  b\n- c\n  ~~~", "TFcTF"),
            ("- ```\n\n\na", "FccT"),
            ("> a\nb\n\n- > c\n- d", ">>.>T"),
            ("a\n\n    b\nc", "T.iT"),
            ("<!-- a\n\nb -->\nc", "!!!T"),
            ("a <!-- b\nc --> d\ne `<!--`\nf -->", "T!tt"),
        ] {
            assert_eq!(kinds(text), want, "{text:?}");
        }
    }

    #[test]
    fn what_people_see_is_not_hidden_and_what_they_hide_is_not_seen() {
        for (text, want) in [
            ("<details>\n- a\n</details>", "TTt"),
            ("- <!-- a --> b\n  c", "Tt"),
            ("<!-- a --> <!-- b -->\nc", "!T"),
            ("- a <!-- b\n- c -->\n- d", "T!T"),
            ("- <!-- b\n- c\n\n-->\n- d", "!!!!T"),
            ("a <!-- b\n\n-->", "T.T"),
            ("a\nb\n---", "Tt-"),
            ("a\n\u{a0}\nb", "T.T"),
        ] {
            assert_eq!(kinds(text), want, "{text:?}");
        }
    }

    #[test]
    fn markers_too_deep_are_text() {
        let deepest = |marker: &str| format!("{}{marker}", " ".repeat(DEEPEST));
        for (line, want) in [
            (deepest("- a"), None),
            (deepest(" - a"), Some(DEEPEST + 1)),
            (deepest(" > a"), Some(DEEPEST + 1)),
            (deepest(" 12) a"), Some(DEEPEST + 3)),
            (deepest(" -"), Some(DEEPEST + 1)),
            (deepest(" a - b"), None),
            ("- ".repeat(DEEPEST), Some(DEEPEST + 2)),
            ("-".repeat(2 * DEEPEST), None),
        ] {
            assert_eq!(marker_too_deep(&line), want, "{line:?}");
        }
    }

    #[test]
    fn a_block_knows_whether_it_was_closed() {
        for (text, inside, is_closed) in [
            ("```\na\n```", 1..2, true),
            ("```\n```", 1..1, true),
            ("```\na\n``", 1..3, false),
            ("- ```\n  a\n- b", 1..2, false),
            ("- ```\n\n\nb", 1..3, false),
            ("- b\n\n  ```\n  a\n  ````", 3..4, true),
            ("<!--\na\n-->", 1..2, true),
            ("<!--\na", 1..2, false),
        ] {
            let opened = inside.start - 1;
            assert_eq!(read(text).blocks, [Block { opened, inside, is_closed }], "{text:?}");
        }
    }
}
