//! Finds the criteria: one pass over the lines, knowing what each stands in.

use std::collections::HashMap;
use std::ops::Range;

use super::{CRITERIA_LIMIT, RequirementError};
use crate::markdown::{self, Block, Kind, Line, Markdown};
use crate::markdown_line::{self, MarkdownLine};
use tdd_core::criterion::{Criterion, CriterionId, Verify};
use tdd_core::requirement::Reading;

mod foreign;
mod lines;
mod short;
mod start;
mod unnumbered;
mod verify;

use lines::Seen;
use start::Start;

pub(super) struct Found {
    /// The first heading of level 1.
    pub(super) title: Option<String>,
    pub(super) reading: Reading,
    pub(super) criteria: Vec<Criterion>,
    /// By the line of each criterion whose id the file does not hold in full: what would write it there.
    pub(super) edits: Vec<(usize, Edit)>,
}

/// A change to one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) at: Range<usize>,
    pub(super) text: String,
}

/// Reads the body of a file, whose first line is `first_line` of the file. Where it does not hold the ids in
/// full, they get this prefix.
pub(super) fn read(body: &str, first_line: usize, prefix: &str) -> Result<Found, RequirementError> {
    let markdown = markdown::read(body);
    let mut scan = Scan { first_line, ..Scan::default() };
    let mut blocks = markdown.blocks.iter().peekable();
    for (at, line) in markdown.lines.iter().enumerate() {
        scan.line(line, first_line + at)?;
        while let Some(block) = blocks.next_if(|block| block.opened == at) {
            scan.block(block, &markdown)?;
        }
    }
    if let Some(error) = scan.open.take() {
        return Err(error);
    }
    let lines = lines::all(&markdown, first_line);
    if !scan.criteria.is_empty() {
        unnumbered::mixed(&lines)?;
        return Ok(scan.found(Reading::Written));
    }
    if scan.stray.is_empty() { scan.without_ids(&lines, prefix) } else { Err(scan.nothing()) }
}

#[derive(Default)]
struct Scan<'a> {
    first_line: usize,
    /// A block that was closed, but only by a fence of another section: if one stays open at the
    /// end, it was this one, and the others were taken the wrong way round.
    suspect: Option<RequirementError>,
    /// The block that is open at the end of the file, if it, or the suspect, hides a criterion.
    open: Option<RequirementError>,
    /// The column of the text of the list item that a line may belong to.
    margin: usize,
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
    edit: Option<Edit>,
}

impl<'a> Scan<'a> {
    fn line(&mut self, line: &Line<'a>, number: usize) -> Result<(), RequirementError> {
        let begins = match line.kind {
            Kind::Heading { .. } => true,
            Kind::Text { begins } => begins,
            Kind::Blank
            | Kind::Rule
            | Kind::Fence
            | Kind::Code { .. }
            | Kind::Indented
            | Kind::Comment
            | Kind::Quote => {
                self.keep(line.text);
                return Ok(());
            }
        };
        let read = markdown_line::read(line.text);
        if let Kind::Heading { level } = line.kind
            && let Some(text) = heading_text(&read)
        {
            return self.heading(level, text, line.text, number);
        }
        let content = markdown::behind_comments(read.content).unwrap_or_default();
        // CommonMark lets no number but 1 begin a list right below a paragraph; people do.
        let begins = begins || (read.is_item && read.indent < self.margin + 4);
        if begins {
            self.margin = if read.is_item { read.content_indent } else { self.margin.min(read.indent) };
        }
        match start::of_text(content).filter(|_| begins) {
            Some(start) => self.start(start, read.content_indent, number),
            None => self.text(line.text, content, number),
        }
    }

    /// Looks for what a block hides that is more likely a criterion than an example: nobody closed
    /// it where it should be.
    fn block(&mut self, block: &Block, markdown: &Markdown<'a>) -> Result<(), RequirementError> {
        let opener = markdown_line::read(markdown.lines[block.opened].text).fence();
        let mut found: Option<RequirementError> = None;
        let mut has_left_section = false;
        for at in block.inside.clone() {
            let read = markdown_line::read(markdown.lines[at].text);
            let Some(error) = &found else {
                let is_criterion = start::of_text(read.content).is_some();
                let line = |at| self.first_line + at;
                let hidden = RequirementError::Hidden { opened: line(block.opened), hidden: line(at) };
                found = is_criterion.then_some(hidden);
                continue;
            };
            let opens = |fence: &markdown_line::Fence<'_>| !fence.info.is_empty() && !read.is_item;
            if let Some((fence, opener)) = read.fence().filter(opens).zip(opener)
                && fence.mark == opener.mark
                && fence.length >= opener.length
            {
                // Another fence opens: this one should have been closed before.
                return Err(error.clone());
            }
            let level = read.heading().map(|(level, _)| level);
            has_left_section |= level.zip(self.section).is_some_and(|(level, own)| level <= own);
        }
        if block.is_closed {
            if has_left_section && self.suspect.is_none() {
                self.suspect = found;
            }
            return Ok(());
        }
        if let Some(error) = found {
            return Err(error);
        }
        if markdown.lines[block.inside.end..].iter().all(|line| line.kind == Kind::Blank) {
            self.open = self.suspect.clone();
        }
        Ok(())
    }

    fn heading(
        &mut self,
        level: usize,
        text: &str,
        line: &'a str,
        number: usize,
    ) -> Result<(), RequirementError> {
        self.margin = 0;
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
        self.criteria.push(Draft {
            id,
            line: number,
            verify: None,
            first: text,
            margin,
            rest: Vec::new(),
            edit: None,
        });
        Ok(())
    }

    /// A line that begins nothing: a `verify:` line or text.
    fn text(&mut self, line: &'a str, content: &str, number: usize) -> Result<(), RequirementError> {
        let draft = self.criteria.last_mut().filter(|_| self.section.is_some());
        if let Some(draft) = draft
            && let Some(verify) = verify::read(content)
        {
            return draft.verified(verify, content, number);
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

    /// Reads the criteria of a file that holds no id in full.
    fn without_ids(mut self, lines: &[Seen<'a>], prefix: &str) -> Result<Found, RequirementError> {
        let read = match foreign::read(lines, prefix)? {
            None if self.section_line.is_some() => Some(unnumbered::read(lines, prefix)?),
            other => other,
        };
        let Some((reading, drafts)) = read.filter(|(_, drafts)| !drafts.is_empty()) else {
            return Err(self.nothing());
        };
        if let Some(more) = drafts.get(CRITERIA_LIMIT) {
            return Err(RequirementError::TooMany { line: more.line });
        }
        self.criteria = drafts;
        Ok(self.found(reading))
    }

    /// Why there is no criterion.
    fn nothing(self) -> RequirementError {
        match self.section_line {
            None => RequirementError::NoSection { stray: self.stray },
            Some(section) => RequirementError::NoCriterion { section, stray: self.stray },
        }
    }

    fn found(self, reading: Reading) -> Found {
        let edit = |draft: &mut Draft<'a>| Some((draft.line, draft.edit.take()?));
        let mut drafts = self.criteria;
        let edits = drafts.iter_mut().filter_map(edit).collect();
        Found { title: self.title, reading, criteria: drafts.into_iter().map(Draft::finish).collect(), edits }
    }
}

impl<'a> Draft<'a> {
    fn new(id: CriterionId, line: &Seen<'a>, first: String) -> Self {
        let margin = line.item.map_or(0, |(_, content)| content);
        Self { id, line: line.number, verify: None, first, margin, rest: Vec::new(), edit: None }
    }

    fn edited(self, edit: Edit) -> Self {
        Self { edit: Some(edit), ..self }
    }

    /// Takes in a `verify:` line.
    fn verified(
        &mut self,
        verify: Result<Verify, String>,
        content: &str,
        number: usize,
    ) -> Result<(), RequirementError> {
        let wrong = |found: String| RequirementError::Verify { line: number, found };
        if self.verify.replace(verify.map_err(wrong)?).is_some() {
            return Err(wrong(format!("{} (the second for {})", content.trim(), self.id)));
        }
        Ok(())
    }

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

/// The text of a heading, be it marked by `#` or underlined; `None` if it is text all the same.
fn heading_text<'a>(read: &MarkdownLine<'a>) -> Option<&'a str> {
    // What an item begins with, or holds far below, is the item's text: it ends no section.
    if read.is_item || read.indent > 3 {
        return None;
    }
    let marked = read.heading().map(|(_, text)| text);
    // A rule under a criterion is a rule: its author did not mean the criterion for a heading.
    marked.or_else(|| start::of_text(read.content).is_none().then_some(read.content))
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
