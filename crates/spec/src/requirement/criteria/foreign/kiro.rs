//! Kiro: numbered requirements, each with a list of criteria in EARS form.

use super::{Draft, Items, Read, Seen, add, id, is_section_title, numbered, words};

const WRITE: Option<&str> =
    Some("write its criteria as a list under `#### Acceptance Criteria`, or take it out");

fn requirement(line: &Seen<'_>) -> Option<u64> {
    numbered(words(line)?, "requirement")
}

pub(super) fn is_it(lines: &[Seen<'_>]) -> bool {
    let first = lines.iter().position(|line| requirement(line).is_some());
    first.is_some_and(|first| lines[first..].iter().any(is_section))
}

fn is_section(line: &Seen<'_>) -> bool {
    let bold = line.begins.filter(|_| line.item.is_none());
    words(line).or(bold).is_some_and(is_section_title)
}

pub(super) fn read<'a>(lines: &[Seen<'a>], prefix: &str) -> Read<'a> {
    let mut drafts: Vec<Draft<'a>> = Vec::new();
    // The requirement that we are in, and its list once we are in that.
    let mut open: Option<(&Seen<'a>, u64, usize)> = None;
    let mut items: Option<Items> = None;
    let mut seen = Vec::new();
    for line in lines {
        if let Some(number) = requirement(line) {
            close(open, drafts.len())?;
            if seen.contains(&number) {
                return Err(line.unread("its number stands twice", Some("number the requirements on")));
            }
            seen.push(number);
            (open, items) = (Some((line, number, drafts.len())), None);
        } else if is_section(line) {
            items = open.is_some().then(Items::default);
        } else if line.heading.is_some() {
            items = None;
        } else if let (Some((_, number, _)), Some(items)) = (open, &mut items) {
            match items.next(line)? {
                Some(item) => {
                    let id = id(&format!("{prefix}-{number}"), item)?;
                    drafts.push(Draft::new(id, line, line.begins.unwrap_or_default().to_owned()));
                }
                None => add(drafts.as_mut_slice(), line)?,
            }
        }
    }
    close(open, drafts.len())?;
    Ok(drafts)
}

fn close(
    open: Option<(&Seen<'_>, u64, usize)>,
    now: usize,
) -> Result<(), crate::requirement::RequirementError> {
    match open {
        Some((line, _, then)) if then == now => Err(line.unread("no criterion was found for it", WRITE)),
        _ => Ok(()),
    }
}
