//! A requirement's Markdown file (contract sections 3 and 4).
//!
//! ```text
//! file      = [ front matter ] { line }
//! section   = heading "Acceptance Criteria" [ ":" ] [ "{#anchor}" ] { line }
//!             up to the next heading of the same or a higher level
//! criterion = ( list item [ box ] | heading | paragraph ) id { line }
//! id        = "AC-" prefix "." digits, plain, bold or in backticks
//! verify    = [ marker ] "verify:" (any case) ( "test" | "gate" | "manual" | "mdtest" path )
//! ```
//!
//! Where no criterion begins with such an id, other forms are read (`criteria/unnumbered.rs` has the grammar of
//! numbers alone and of plain lists, `criteria/foreign.rs` those of other tools), with the requirement's own prefix.
//!
//! Byte order mark, CRLF and lone CR are normalised before anything is looked at. What stands in
//! fenced code, HTML comments or block quotes, or begins within a paragraph, is no criterion.
//!
//! Leniencies, each met in real files:
//! - a front matter is read key by key, so `title: fix probe #26: x` is a title and an unknown key
//!   may hold anything;
//! - a dash, a parenthesis or nothing may stand between id and text;
//! - `verify:` followed by prose is prose: only one word after it is taken for a kind.
//!
//! Never guessed: a fence that is not closed where it should be and hides what looks like a criterion.

use std::collections::HashMap;
use std::fmt;

use crate::front_matter::{self, FrontMatterError};
use tdd_core::criterion::{Criterion, CriterionId, Verify};
use tdd_core::requirement::Reading;

mod criteria;
mod header;

/// A larger file is not read.
pub const SIZE_LIMIT: usize = 4 * 1024 * 1024;

/// What `tdd new` leaves to be filled in: a criterion that nobody wrote.
pub const PLACEHOLDER: &str = "(what can be seen from outside when it holds)";

/// More criteria than this are refused.
pub const CRITERIA_LIMIT: usize = 1000;

/// What the front matter says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    pub id: Option<String>,
    /// Every value under `tracker:`.
    pub trackers: Vec<String>,
    pub title: Option<String>,
    /// Every value under `depends_on:`: requirements that are to be worked on before this one.
    pub depends_on: Vec<String>,
    /// Every value under `allow_config:`: files that decide how tests or the gate run, and that this feature needs.
    pub allow_config: Vec<String>,
    pub needs_technical_review: bool,
}

/// A requirement as its file tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    pub header: Header,
    /// The front matter's title, else the first heading of level 1.
    pub title: Option<String>,
    pub reading: Reading,
    /// In the file's order; never empty.
    pub criteria: Vec<Criterion>,
}

/// Why a file is no requirement that a run could take up. Lines are from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequirementError {
    TooLarge {
        bytes: u64,
    },
    NotUtf8 {
        line: usize,
    },
    FrontMatter {
        line: usize,
        why: String,
    },
    NoSection {
        stray: Vec<usize>,
    },
    NoCriterion {
        section: usize,
        stray: Vec<usize>,
    },
    Duplicate {
        id: CriterionId,
        first: usize,
        second: usize,
    },
    TooMany {
        line: usize,
    },
    Verify {
        line: usize,
        found: String,
    },
    /// A fence or a comment that is never closed hides what looks like a criterion.
    Hidden {
        opened: usize,
        hidden: usize,
    },
    /// A line that looks like a criterion, or like an id, and can't be read as one.
    Unread {
        line: usize,
        seen: String,
        why: &'static str,
        /// What to do; `None`: give it its id.
        next: Option<&'static str>,
    },
    /// The requirement's name makes no ids.
    Prefix {
        prefix: String,
    },
}

impl RequirementError {
    /// The line to look at first, if the error has one.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::NotUtf8 { line }
            | Self::FrontMatter { line, .. }
            | Self::TooMany { line }
            | Self::Unread { line, .. }
            | Self::Verify { line, .. } => Some(*line),
            Self::NoCriterion { section, .. } => Some(*section),
            Self::Duplicate { second, .. } => Some(*second),
            Self::Hidden { opened, .. } => Some(*opened),
            Self::NoSection { stray } => stray.first().copied(),
            Self::TooLarge { .. } | Self::Prefix { .. } => None,
        }
    }

    /// What a person can do about it; examples have the requirement's own prefix.
    pub fn advice(&self, prefix: &str) -> String {
        let advice = match self {
            Self::TooLarge { .. } => {
                "a requirement is a few pages of Markdown: name another file or split it"
            }
            Self::NotUtf8 { .. } => "save the file as UTF-8",
            Self::FrontMatter { .. } => "correct the front matter between the two `---` lines",
            Self::NoSection { .. } => {
                let section = "put the criteria under a heading `## Acceptance Criteria`, one a list item";
                return format!("{section}: `- AC-{prefix}.1: …`");
            }
            Self::NoCriterion { .. } => {
                return format!("put the criteria into that section, one a list item: `- AC-{prefix}.1: …`");
            }
            Self::Unread { next: None, .. } => {
                return format!("give each criterion its id, like `AC-{prefix}.1: …`");
            }
            Self::Unread { next: Some(next), .. } => next,
            Self::Duplicate { .. } => "give each criterion a number of its own",
            Self::TooMany { .. } => "split the requirement",
            Self::Verify { .. } => "write `verify: test`, `gate`, `mdtest PATH` or `manual`",
            Self::Hidden { .. } => "close it, or take the id out of it",
            Self::Prefix { .. } => "write the ids into the file: `- AC-STE-12.1: …`",
        };
        advice.to_owned()
    }
}

impl fmt::Display for RequirementError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge { bytes } => write!(f, "it has {bytes} bytes; at most 4 MiB are read"),
            Self::NotUtf8 { line } => write!(f, "line {line} is not UTF-8"),
            Self::FrontMatter { line, why } => {
                write!(f, "line {line}: the front matter can't be read: {why}")
            }
            Self::NoSection { stray } => {
                f.write_str("it has no `Acceptance Criteria` section")?;
                write_stray(f, stray)
            }
            Self::NoCriterion { section, stray } => {
                write!(f, "the Acceptance Criteria section on line {section} holds no criterion")?;
                write_stray(f, stray)
            }
            Self::Duplicate { id, first, second } => {
                write!(f, "{id} stands on line {first} and on line {second}")
            }
            Self::TooMany { line } => {
                write!(
                    f,
                    "line {line} begins criterion {}; at most {CRITERIA_LIMIT} are read",
                    CRITERIA_LIMIT + 1
                )
            }
            Self::Verify { line, found } => {
                write!(f, "line {line}: `verify: {found}` is no way to judge a criterion")?;
                let is_outside = found.to_ascii_lowercase().starts_with("mdtest ");
                f.write_str(if is_outside { ": the path must lie within the project's folder" } else { "" })
            }
            Self::Unread { line, seen, why, .. } => write!(f, "line {line} is `{seen}`: {why}"),
            Self::Prefix { prefix } => write!(f, "no id can be made of its name `{prefix}`"),
            Self::Hidden { opened, hidden } => write!(
                f,
                "the code fence or comment opened on line {opened} is not closed where it should be and hides the criterion on \
                 line {hidden}"
            ),
        }
    }
}

impl std::error::Error for RequirementError {}

/// How many stray lines a message names.
const STRAY_SHOWN: usize = 10;

fn write_stray(f: &mut fmt::Formatter<'_>, stray: &[usize]) -> fmt::Result {
    if stray.is_empty() {
        return Ok(());
    }
    let shown: Vec<String> = stray.iter().take(STRAY_SHOWN).map(ToString::to_string).collect();
    let more = if stray.len() > STRAY_SHOWN { ", …" } else { "" };
    let lines = if stray.len() == 1 { "line" } else { "lines" };
    write!(f, "; `AC-` items stand outside it on {lines} {}{more}", shown.join(", "))
}

/// Reads a whole file. Linear in its length. Criteria whose ids it does not hold in full get ids of this
/// prefix, which is the requirement's own.
pub fn read(bytes: &[u8], prefix: &str) -> Result<Parsed, RequirementError> {
    let text = normalised(bytes)?;
    let (header, body, body_line) = split(&text)?;
    let found = criteria::read(body, body_line, prefix)?;
    let title = header.title.clone().or(found.title);
    if let Some(empty) = found.criteria.iter().find(|criterion| criterion.text == PLACEHOLDER) {
        return Err(RequirementError::Unread {
            line: empty.line,
            seen: format!("{}: {PLACEHOLDER}", empty.id),
            why: "nobody has filled it in yet",
            next: Some("write there what can be seen from outside when it holds"),
        });
    }
    // What a Markdown test judges is told there.
    let says_nothing = |it: &&Criterion| it.text.is_empty() && !matches!(it.verify, Verify::Mdtest(_));
    if let Some(empty) = found.criteria.iter().find(says_nothing) {
        return Err(RequirementError::Unread {
            line: empty.line,
            seen: format!("{}:", empty.id),
            why: "it says nothing",
            next: Some("write there what can be seen from outside when it holds"),
        });
    }
    Ok(Parsed { header, title, reading: found.reading, criteria: found.criteria })
}

/// The file with its criteria's ids in full; `None` if it holds them, or is of another tool's form.
pub fn with_ids(bytes: &[u8], prefix: &str) -> Result<Option<String>, RequirementError> {
    let text = normalised(bytes)?;
    let (_, body, body_line) = split(&text)?;
    let found = criteria::read(body, body_line, prefix)?;
    if found.edits.is_empty() {
        return Ok(None);
    }
    let edits: HashMap<usize, _> = found.edits.into_iter().collect();
    let original = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(original.len() + 16 * edits.len());
    for (at, line) in lines_with_ends(&original).enumerate() {
        let mark = if at == 0 && line.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        match edits.get(&(at + 1)) {
            None => out.push_str(line),
            Some(edit) => {
                out.push_str(&line[..mark + edit.at.start]);
                out.push_str(&edit.text);
                out.push_str(&line[mark + edit.at.end..]);
            }
        }
    }
    Ok(Some(out))
}

/// The lines with what ends them, be it LF, CRLF or CR.
fn lines_with_ends(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest
            .find(['\r', '\n'])
            .map_or(rest.len(), |at| at + if rest[at..].starts_with("\r\n") { 2 } else { 1 });
        let (line, more) = rest.split_at(end);
        rest = more;
        (!line.is_empty()).then_some(line)
    })
}

/// Reads the front matter alone; a file may be given by its head only.
pub fn header(bytes: &[u8]) -> Result<Header, RequirementError> {
    let text = normalised(bytes)?;
    split(&text).map(|(header, _, _)| header)
}

fn split(text: &str) -> Result<(Header, &str, usize), RequirementError> {
    match front_matter::split(text) {
        Ok(parts) => Ok((header::read(parts.yaml)?, parts.body, parts.body_line)),
        Err(FrontMatterError::Empty | FrontMatterError::NotAtStart) => Ok((Header::default(), text, 1)),
        Err(why @ FrontMatterError::Unclosed) => {
            Err(RequirementError::FrontMatter { line: 1, why: why.to_string() })
        }
    }
}

/// UTF-8 without a byte order mark, with LF alone between lines.
fn normalised(bytes: &[u8]) -> Result<String, RequirementError> {
    if bytes.len() > SIZE_LIMIT {
        return Err(RequirementError::TooLarge { bytes: bytes.len() as u64 });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        RequirementError::NotUtf8 { line: before.split(|byte| *byte == b'\n').count() }
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    Ok(text.replace("\r\n", "\n").replace('\r', "\n"))
}

#[cfg(test)]
mod other_forms_tests;

#[cfg(test)]
mod tests;
