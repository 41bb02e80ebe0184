//! Finds the criteria: one pass over the lines, knowing what each stands in.

use std::collections::HashMap;

use super::{CRITERIA_LIMIT, RequirementError};
use crate::core::criterion::{Criterion, CriterionId, Verify};
use crate::text::markdown_line::{self, FenceMark, MarkdownLine};

mod start;
mod verify;

use start::Start;

pub(super) struct Found {
    /// The first heading of level 1.
    pub(super) title: Option<String>,
    pub(super) criteria: Vec<Criterion>,
}

/// Reads the body of a file, whose first line is `first_line` of the file.
pub(super) fn read(body: &str, first_line: usize) -> Result<Found, RequirementError> {
    let lines: Vec<&str> = body.split('\n').collect();
    let mut scan = Scan { closes: Closes::of(&lines), ..Scan::default() };
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        scan.line(line, next, first_line + at)?;
    }
    scan.finish()
}

/// What hides the lines that it spans.
#[derive(Clone, Copy)]
enum Hiding {
    /// The column of the list item that holds the fence: a line before it breaks the fence off.
    Fence {
        mark: FenceMark,
        length: usize,
        margin: usize,
    },
    Comment,
}

/// Something that hides lines, since when, and the first thing hidden that looks like a criterion.
struct Hidden {
    by: Hiding,
    opened: usize,
    start: Option<usize>,
    /// Below that, a heading that would end the section was hidden too.
    has_left_section: bool,
}

impl Hidden {
    /// What is wrong if it was never meant to go so far.
    fn error(&self) -> Option<RequirementError> {
        self.start.map(|hidden| RequirementError::Hidden { opened: self.opened, hidden })
    }
}

/// For each line, the next line that holds `-->` and the next that is blank.
#[derive(Default)]
struct Closes {
    comment: Vec<usize>,
    blank: Vec<usize>,
}

impl Closes {
    fn of(lines: &[&str]) -> Self {
        let next_of = |is: fn(&str) -> bool| {
            let mut next = usize::MAX;
            let mut found: Vec<usize> = lines
                .iter()
                .enumerate()
                .rev()
                .map(|(at, line)| {
                    let later = next;
                    if is(line) {
                        next = at;
                    }
                    later
                })
                .collect();
            found.reverse();
            found
        };
        Self { comment: next_of(|line| line.contains("-->")), blank: next_of(|line| line.trim().is_empty()) }
    }

    /// Whether a comment that begins within the line at `at` ends in the same paragraph.
    fn within_paragraph(&self, at: usize) -> bool {
        match (self.comment.get(at), self.blank.get(at)) {
            (Some(comment), Some(blank)) => *comment != usize::MAX && comment < blank,
            _ => false,
        }
    }
}

#[derive(Default)]
struct Scan<'a> {
    closes: Closes,
    /// How many lines were seen.
    seen: usize,
    hidden: Option<Hidden>,
    /// A fence that was closed, but only by a fence of another section: if one stays open at the
    /// end, it was this one, and the others were taken the wrong way round.
    suspect: Option<RequirementError>,
    in_paragraph: bool,
    /// The columns of the texts of the list items that lines may belong to, outermost first.
    list_indents: Vec<usize>,
    /// The level of the heading whose section we are in, and its line.
    section: Option<usize>,
    section_line: Option<usize>,
    title: Option<String>,
    stray: Vec<usize>,
    ids: HashMap<CriterionId, usize>,
    criteria: Vec<Draft<'a>>,
}

/// A criterion whose text is still being gathered.
struct Draft<'a> {
    id: CriterionId,
    line: usize,
    verify: Option<Verify>,
    first: String,
    /// The column to which the further lines are indented.
    margin: usize,
    rest: Vec<&'a str>,
}

impl<'a> Scan<'a> {
    fn line(&mut self, line: &'a str, next: &str, number: usize) -> Result<(), RequirementError> {
        let at = self.seen;
        self.seen += 1;
        let read = markdown_line::read(line);
        if self.is_hidden(&read, line, number)? {
            self.keep(line);
            return Ok(());
        }
        if read.is_blank() {
            self.in_paragraph = false;
            self.keep(line);
            return Ok(());
        }
        let is_code = read.indent >= self.list_indent() + 4;
        if let Some(fence) = read.fence().filter(|_| !is_code || read.is_item) {
            // A fence ends the paragraph of a nested item, so it belongs to the item that its margin
            // says.
            self.in_paragraph = false;
            self.enter_list(&read);
            let by = Hiding::Fence { mark: fence.mark, length: fence.length, margin: self.list_indent() };
            self.hide(by, number);
            self.keep(line);
            return Ok(());
        }
        if let Some((level, text)) = self.heading_of(&read, next) {
            return self.heading(level, text, line, number);
        }
        let content = self.without_comments(read.content, at, number);
        let begins = (read.is_item || !self.in_paragraph) && !is_code && !read.is_quote();
        if !is_code {
            self.enter_list(&read);
        }
        self.in_paragraph = self.hidden.is_none() && !is_rule(&read);
        let start = if begins { start::of_text(content) } else { None };
        match start {
            Some(start) => self.start(start, read.content_indent, number),
            None if is_code || read.is_quote() => {
                self.keep(line);
                Ok(())
            }
            None => self.text(line, content, number),
        }
    }

    /// Whether the line stands in a fence or comment; notes where that ends.
    fn is_hidden(
        &mut self,
        read: &MarkdownLine<'_>,
        line: &str,
        number: usize,
    ) -> Result<bool, RequirementError> {
        let Some(mut hidden) = self.hidden.take() else { return Ok(false) };
        let fence = read.fence().filter(|_| !read.is_item);
        let ends = match hidden.by {
            Hiding::Comment => line.contains("-->"),
            Hiding::Fence { margin, .. } if !read.is_blank() && read.indent < margin => {
                // The list item that held the fence is over, and the fence with it.
                self.in_paragraph = false;
                return hidden.error().map_or(Ok(false), Err);
            }
            Hiding::Fence { mark, length, .. } => {
                let same = fence.filter(|it| it.mark == mark && it.length >= length);
                // Another fence opens: this one should have been closed before.
                if let Some(error) = same.filter(|it| !it.info.is_empty()).and_then(|_| hidden.error()) {
                    return Err(error);
                }
                same.is_some()
            }
        };
        if ends {
            if hidden.has_left_section && self.suspect.is_none() {
                self.suspect = hidden.error();
            }
            self.in_paragraph = false;
            return Ok(true);
        }
        if hidden.start.is_some() {
            let level = read.heading().map(|(level, _)| level);
            hidden.has_left_section |= level.zip(self.section).is_some_and(|(level, own)| level <= own);
        } else if start::of_text(read.content).is_some() {
            hidden.start = Some(number);
        }
        self.hidden = Some(hidden);
        Ok(true)
    }

    fn hide(&mut self, by: Hiding, opened: usize) {
        self.hidden = Some(Hidden { by, opened, start: None, has_left_section: false });
        self.in_paragraph = false;
    }

    /// The content without the comments at its head. One that stays open hides what follows: at
    /// the head of a line to its end wherever that is, later in a line only within the paragraph.
    fn without_comments<'t>(&mut self, content: &'t str, at: usize, number: usize) -> &'t str {
        let mut rest = content;
        while let Some(inner) = rest.strip_prefix("<!--") {
            let Some(end) = inner.find("-->") else {
                self.hide(Hiding::Comment, number);
                return "";
            };
            rest = inner[end + 3..].trim_start();
        }
        if let Some(open) = rest.rfind("<!--") {
            let is_closed = rest[open..].contains("-->");
            let is_code = rest[..open].matches('`').count() % 2 == 1;
            if !is_closed && !is_code && self.closes.within_paragraph(at) {
                self.hide(Hiding::Comment, number);
            }
        }
        rest
    }

    /// The column of the text of the innermost list item that a line may belong to.
    fn list_indent(&self) -> usize {
        self.list_indents.last().copied().unwrap_or_default()
    }

    fn enter_list(&mut self, read: &MarkdownLine<'_>) {
        if read.is_item || !self.in_paragraph {
            while self.list_indent() > read.indent {
                self.list_indents.pop();
            }
        }
        if read.is_item {
            self.list_indents.push(read.content_indent);
        }
    }

    /// The level and text of a heading, be it marked by `#` or underlined.
    fn heading_of<'t>(&self, read: &MarkdownLine<'t>, next: &str) -> Option<(usize, &'t str)> {
        if let Some(heading) = read.heading() {
            return Some(heading);
        }
        let may_be =
            !self.in_paragraph && !read.is_item && !read.is_quote() && read.indent < 4 && !is_rule(read);
        // A rule under a criterion is a rule: its author did not mean the criterion for a heading.
        if !may_be || start::of_text(read.content).is_some() {
            return None;
        }
        let line = next.trim_end();
        let is_indented = next.starts_with("    ") || next.starts_with('\t');
        let line = line.trim_start();
        let level = match line.as_bytes().first()? {
            b'=' => 1,
            b'-' => 2,
            _ => return None,
        };
        let is_line = line.bytes().all(|byte| byte == line.as_bytes()[0]) && !is_indented;
        is_line.then_some((level, read.content))
    }

    fn heading(
        &mut self,
        level: usize,
        text: &str,
        line: &'a str,
        number: usize,
    ) -> Result<(), RequirementError> {
        self.in_paragraph = false;
        self.list_indents.clear();
        let text = without_anchor(text);
        if level == 1 && self.title.is_none() && !text.is_empty() {
            self.title = Some(text.to_owned());
        }
        if is_section_title(text) {
            self.section = Some(self.section.map_or(level, |open| open.min(level)));
            self.section_line.get_or_insert(number);
            return Ok(());
        }
        if self.section.is_some_and(|open| level <= open) {
            self.section = None;
        }
        if let Some(start) = start::of_text(text) {
            return self.start(start, 0, number);
        }
        self.keep(line);
        Ok(())
    }

    fn start(&mut self, start: Start, margin: usize, number: usize) -> Result<(), RequirementError> {
        if self.section.is_none() {
            self.stray.push(number);
            return Ok(());
        }
        if let Some(first) = self.ids.insert(start.id.clone(), number) {
            return Err(RequirementError::Duplicate { id: start.id, first, second: number });
        }
        if self.criteria.len() == CRITERIA_LIMIT {
            return Err(RequirementError::TooMany { line: number });
        }
        let Start { id, text } = start;
        self.criteria.push(Draft { id, line: number, verify: None, first: text, margin, rest: Vec::new() });
        Ok(())
    }

    /// A line that begins nothing: a `verify:` line or text.
    fn text(&mut self, line: &'a str, content: &str, number: usize) -> Result<(), RequirementError> {
        let draft = self.criteria.last_mut().filter(|_| self.section.is_some());
        if let Some(draft) = draft
            && let Some(verify) = verify::read(content)
        {
            let wrong = |found: String| RequirementError::Verify { line: number, found };
            let verify = verify.map_err(wrong)?;
            if draft.verify.replace(verify).is_some() {
                return Err(wrong(format!("{} (the second for {})", content.trim(), draft.id)));
            }
            return Ok(());
        }
        self.keep(line);
        Ok(())
    }

    /// Adds the line to the text of the criterion that it belongs to.
    fn keep(&mut self, line: &'a str) {
        if let Some(draft) = self.criteria.last_mut().filter(|_| self.section.is_some()) {
            draft.rest.push(line);
        }
    }

    fn finish(self) -> Result<Found, RequirementError> {
        if let Some(error) = self.hidden.and_then(|hidden| hidden.error().or(self.suspect)) {
            return Err(error);
        }
        let stray = self.stray;
        let Some(section) = self.section_line else { return Err(RequirementError::NoSection { stray }) };
        if self.criteria.is_empty() {
            return Err(RequirementError::NoCriterion { section, stray });
        }
        let criteria = self.criteria.into_iter().map(Draft::finish).collect();
        Ok(Found { title: self.title, criteria })
    }
}

impl Draft<'_> {
    fn finish(self) -> Criterion {
        let mut text = self.first;
        for line in &self.rest {
            let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
            text.push('\n');
            text.push_str(line[blanks.min(self.margin)..].trim_end());
        }
        Criterion {
            id: self.id,
            line: self.line,
            verify: self.verify.unwrap_or_default(),
            text: text.trim().to_owned(),
        }
    }
}

/// `---`, `***` and `===` lines: no text.
fn is_rule(read: &MarkdownLine<'_>) -> bool {
    let mark = read.content.as_bytes().first().copied().unwrap_or_default();
    let is_mark = matches!(mark, b'-' | b'*' | b'_' | b'=');
    is_mark && !read.is_item && read.content.bytes().all(|byte| byte == mark || byte == b' ')
}

fn without_anchor(text: &str) -> &str {
    let text = text.trim_end();
    let anchor = text.ends_with('}').then(|| text.rfind("{#")).flatten();
    anchor.map_or(text, |at| text[..at].trim_end())
}

fn is_section_title(text: &str) -> bool {
    let is_mark = |char: char| matches!(char, '*' | '_' | ':') || char.is_whitespace();
    let words: Vec<&str> = text.trim_matches(is_mark).split_whitespace().collect();
    matches!(words.as_slice(), [a, b] if a.eq_ignore_ascii_case("acceptance") && b.eq_ignore_ascii_case("criteria"))
}
