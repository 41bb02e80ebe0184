//! `OpenSpec`: requirements with scenarios. A criterion is a scenario, with what its requirement says.

use super::{Draft, Read, Seen, behind, id, words};
use crate::requirement::RequirementError;

const WRITE: Option<&str> = Some("write a heading `#### Scenario: …` below it, or take it out");

pub(super) fn is_scenario(line: &Seen<'_>) -> bool {
    words(line).is_some_and(|words| behind(words, "scenario:").is_some())
}

fn requirement<'a>(line: &Seen<'a>) -> Option<&'a str> {
    behind(words(line)?, "requirement:").map(str::trim)
}

/// Whether a heading begins requirements that are of the past.
fn takes_away(words: &str) -> bool {
    behind(words, "removed requirements").is_some() || behind(words, "renamed requirements").is_some()
}

struct Open<'l, 'a> {
    line: &'l Seen<'a>,
    level: usize,
    name: &'a str,
    number: u64,
    scenarios: u64,
    /// What it says above its scenarios.
    says: Vec<&'a str>,
}

pub(super) fn read<'a>(lines: &[Seen<'a>], prefix: &str) -> Read<'a> {
    let mut drafts: Vec<Draft<'a>> = Vec::new();
    let mut open: Option<Open<'_, 'a>> = None;
    let (mut requirements, mut is_past) = (0, false);
    for line in lines {
        if let Some(name) = requirement(line).filter(|_| !is_past) {
            close(open.take())?;
            requirements += 1;
            let level = line.heading.map_or(0, |(level, _)| level);
            open = Some(Open { line, level, name, number: requirements, scenarios: 0, says: Vec::new() });
        } else if let Some(open) = open.as_mut().filter(|_| is_scenario(line)) {
            open.scenarios += 1;
            let id = id(&format!("{prefix}-{}", open.number), open.scenarios)?;
            let mut draft = Draft::new(id, line, open.name.to_owned());
            draft.rest.extend(&open.says);
            draft.rest.push(line.text);
            drafts.push(draft);
        } else if let Some((level, text)) = line.heading
            && open.as_ref().is_none_or(|open| level <= open.level)
        {
            close(open.take())?;
            is_past = if level <= 2 { takes_away(text) } else { is_past };
        } else if let Some(open) = &mut open {
            match drafts.last_mut().filter(|_| open.scenarios > 0) {
                Some(draft) => draft.rest.push(line.text),
                None => open.says.push(line.text),
            }
        }
    }
    close(open)?;
    Ok(drafts)
}

fn close(open: Option<Open<'_, '_>>) -> Result<(), RequirementError> {
    match open {
        Some(open) if open.scenarios == 0 => Err(open.line.unread("the requirement has no scenario", WRITE)),
        _ => Ok(()),
    }
}
