//! The lines of a file as the readers of other forms look at them, and how the items of a list are counted.

use crate::markdown::{self, Kind, Markdown};
use crate::markdown_line;
use crate::requirement::RequirementError;

use super::{heading_text, start, without_anchor};

/// One line of the body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen<'a> {
    /// In the file, from 1.
    pub(super) number: usize,
    pub(super) text: &'a str,
    /// Level and words of a heading.
    pub(super) heading: Option<(usize, &'a str)>,
    /// Begins an item or a paragraph, and what it is without marker, box and comments at its head.
    pub(super) begins: Option<&'a str>,
    /// Where a list item begins and where its content does.
    pub(super) item: Option<(usize, usize)>,
    /// Text at all, rather than code, a comment or a quote.
    pub(super) is_text: bool,
}

impl Seen<'_> {
    /// Where what begins here stands in its line.
    pub(super) fn begins_at(&self) -> usize {
        self.begins.map_or(0, |content| content.as_ptr() as usize - self.text.as_ptr() as usize)
    }

    pub(super) fn unread(&self, why: &'static str, next: Option<&'static str>) -> RequirementError {
        let seen: String = self.text.trim().chars().take(SHOWN).collect();
        RequirementError::Unread { line: self.number, seen, why, next }
    }
}

/// How much of a line a message quotes.
const SHOWN: usize = 80;

pub(super) fn all<'a>(markdown: &Markdown<'a>, first_line: usize) -> Vec<Seen<'a>> {
    let of = |(at, line): (usize, &markdown::Line<'a>)| {
        let read = markdown_line::read(line.text);
        let words = heading_text(&read).map(without_anchor);
        let heading =
            if let Kind::Heading { level } = line.kind { words.map(|text| (level, text)) } else { None };
        let is_text = matches!(line.kind, Kind::Text { .. } | Kind::Heading { .. });
        let begins = matches!(line.kind, Kind::Text { begins: true }) || (is_text && read.is_item);
        let content = start::without_box(markdown::behind_comments(read.content).unwrap_or_default());
        Seen {
            number: first_line + at,
            text: line.text,
            heading,
            begins: (begins && heading.is_none()).then_some(content),
            item: (begins && read.is_item).then_some((read.indent, read.content_indent)),
            is_text,
        }
    };
    markdown.lines.iter().enumerate().map(of).collect()
}

/// Counts the top-level items of one list style.
#[derive(Default)]
pub(super) struct Items {
    style: Option<char>,
    /// The column of the text of the item before.
    content: Option<usize>,
    count: u64,
    /// Numbers of a numbered list, if they are not all 1 as some write them.
    is_all_ones: bool,
}

impl Items {
    /// The number of the item that begins here; `None` if none does, or one below another.
    pub(super) fn next(&mut self, line: &Seen<'_>) -> Result<Option<u64>, RequirementError> {
        let Some((indent, content)) = line.item else { return Ok(None) };
        if self.content.is_some_and(|above| indent >= above) {
            return Ok(None);
        }
        let marker = line.text.trim_start();
        let digits = marker.bytes().take_while(u8::is_ascii_digit).count();
        let style = marker[digits..].chars().next();
        if self.style.is_some() && self.style != style {
            return Err(line.unread("its list is of another style than the one before", None));
        }
        self.style = style;
        self.content = Some(content);
        self.count += 1;
        let shown: Option<u64> = marker[..digits].parse().ok();
        if self.count == 1 {
            self.is_all_ones = true;
        }
        let fits = shown.is_none_or(|shown| shown == self.count || (self.is_all_ones && shown == 1));
        self.is_all_ones &= shown.is_none_or(|shown| shown == 1);
        if !fits {
            return Err(line.unread("its number is not its place among the items", None));
        }
        if line.begins.is_none_or(|content| content.trim().is_empty()) {
            return Err(
                line.unread("it holds no text", Some("write the criterion there, or take the item out"))
            );
        }
        Ok(Some(self.count))
    }
}
