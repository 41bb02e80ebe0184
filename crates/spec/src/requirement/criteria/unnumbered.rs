//! A section whose criteria hold their number alone, or none: `AC-1: …`, or the items of one list.
//!
//! ```text
//! short   = ( list item [ box ] | heading | paragraph ) "AC" [ "-" ] digits { line }
//! counted = list item { line }     top-level, in one list style; only where nothing in the section looks
//!                                  like an id
//! ```

use std::collections::HashMap;

use super::lines::{Items, Seen};
use super::{Draft, Edit, is_section_title, short, verify};
use crate::requirement::RequirementError;
use tdd_core::criterion::CriterionId;
use tdd_core::requirement::Reading;

/// Reads them, with ids of this prefix; none if the sections hold nothing of the kind.
pub(super) fn read<'a>(
    lines: &[Seen<'a>],
    prefix: &str,
) -> Result<(Reading, Vec<Draft<'a>>), RequirementError> {
    let section = of_sections(lines);
    let begins =
        |line: &Seen<'a>| line.heading.map(|(_, text)| text).or(line.begins).and_then(short::of_text);
    if section.iter().any(|line| begins(line).is_some()) {
        return Ok((Reading::Short, with_numbers(&section, prefix)?));
    }
    if let Some(line) = section.iter().find(|line| short::is_spoken_of(line.text)) {
        return Err(line.unread("the id in it can't be read", None));
    }
    Ok((Reading::Counted, counted(&section, prefix)?))
}

/// The first line that begins with a number alone, where others begin with an id: nobody means that.
pub(super) fn mixed(lines: &[Seen<'_>]) -> Result<(), RequirementError> {
    let is_short = |line: &&Seen<'_>| {
        line.heading.map(|(_, text)| text).or(line.begins).and_then(short::of_text).is_some()
    };
    let found = of_sections(lines).into_iter().find(|line| is_short(line));
    found.map_or(Ok(()), |line| Err(line.unread("others in the section have an id in full", None)))
}

/// The lines of all sections, without their headings.
fn of_sections<'l, 'a>(lines: &'l [Seen<'a>]) -> Vec<&'l Seen<'a>> {
    let mut section: Option<usize> = None;
    let mut inside = Vec::new();
    for line in lines {
        if let Some((level, text)) = line.heading {
            if is_section_title(text) {
                section = Some(section.map_or(level, |open| open.min(level)));
                continue;
            }
            section = section.filter(|open| level > *open);
        }
        if section.is_some() {
            inside.push(line);
        }
    }
    inside
}

fn with_numbers<'a>(section: &[&Seen<'a>], prefix: &str) -> Result<Vec<Draft<'a>>, RequirementError> {
    let mut drafts: Vec<Draft<'a>> = Vec::new();
    let mut ids: HashMap<u64, usize> = HashMap::new();
    // The column of the items that are criteria.
    let mut column = None;
    for line in section {
        let content = line.heading.map(|(_, text)| text).or(line.begins);
        let Some(short) = content.and_then(short::of_text) else {
            let is_beside =
                line.item.is_some_and(|(indent, _)| column.is_some_and(|column| indent <= column));
            if is_beside && line.begins.and_then(verify::read).is_none() {
                return Err(line.unread("others in its list begin with an id", None));
            }
            add(&mut drafts, line)?;
            continue;
        };
        if let Some(first) = ids.insert(short.number, line.number) {
            let id = id(prefix, short.number)?;
            return Err(RequirementError::Duplicate { id, first, second: line.number });
        }
        let at = content.map_or(0, |content| content.as_ptr() as usize - line.text.as_ptr() as usize);
        let id = id(prefix, short.number)?;
        let edit = Edit { at: at + short.at.start..at + short.at.end, text: id.to_string() };
        column = column.or(line.item.map(|(indent, _)| indent));
        drafts.push(Draft::new(id, line, short.text).edited(edit));
    }
    Ok(drafts)
}

fn counted<'a>(section: &[&Seen<'a>], prefix: &str) -> Result<Vec<Draft<'a>>, RequirementError> {
    let mut drafts: Vec<Draft<'a>> = Vec::new();
    let mut items = Items::default();
    for line in section {
        if line.begins.is_some_and(|content| verify::read(content).is_some()) {
            add(&mut drafts, line)?;
            continue;
        }
        let Some(number) = items.next(line)? else {
            add(&mut drafts, line)?;
            continue;
        };
        let id = id(prefix, number)?;
        let at = line.begins_at();
        let edit = Edit { at: at..at, text: format!("{id}: ") };
        drafts.push(Draft::new(id, line, line.begins.unwrap_or_default().to_owned()).edited(edit));
    }
    Ok(drafts)
}

/// A line that begins nothing goes to the criterion before it.
pub(super) fn add<'a>(drafts: &mut [Draft<'a>], line: &Seen<'a>) -> Result<(), RequirementError> {
    let Some(draft) = drafts.last_mut() else { return Ok(()) };
    let read = crate::markdown_line::read(line.text);
    let said = line.begins.unwrap_or(read.content);
    if let Some(kind) = verify::read(said).filter(|_| line.is_text) {
        return draft.verified(kind, said, line.number);
    }
    draft.rest.push(line.text);
    Ok(())
}

pub(super) fn id(prefix: &str, number: u64) -> Result<CriterionId, RequirementError> {
    CriterionId::new(prefix, number).ok_or_else(|| RequirementError::Prefix { prefix: prefix.to_owned() })
}
