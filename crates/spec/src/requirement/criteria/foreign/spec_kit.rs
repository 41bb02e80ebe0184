//! Spec Kit: user stories with acceptance scenarios, and functional requirements.

use std::collections::HashMap;

use super::{Draft, Items, Read, Seen, add, behind, id, numbered, plain, words};
use crate::requirement::RequirementError;

const CLARIFY: Option<&str> = Some("answer it there, then run it");
const NUMBER: Option<&str> = Some("number it like `**FR-001**: …`");

/// The number of a functional requirement, and what follows it; `None` if the line begins none.
fn functional<'a>(line: &Seen<'a>) -> Option<Result<(u64, &'a str), RequirementError>> {
    line.item?;
    let content = line.begins?.trim_start_matches(['*', '`']);
    let named = content.strip_prefix("FR-")?;
    let digits = named.bytes().take_while(u8::is_ascii_digit).count();
    let after = named[digits..].trim_start_matches(['*', '`']);
    let ends = after.is_empty() || after.starts_with([':', ' ', '.', '—', '–']);
    let number = named[..digits].parse().ok().filter(|_| ends);
    Some(match number {
        Some(number) => Ok((number, line.begins.unwrap_or_default())),
        None => Err(line.unread("its number can't be read", NUMBER)),
    })
}

fn scenarios(line: &Seen<'_>) -> bool {
    let bold = line.begins.filter(|_| line.item.is_none());
    let said = words(line).or(bold.map(plain));
    said.is_some_and(|said| behind(said, "acceptance scenarios").is_some())
}

pub(super) fn is_it(lines: &[Seen<'_>]) -> bool {
    let has_story =
        lines.iter().any(|line| words(line).is_some_and(|words| numbered(words, "user story").is_some()));
    let has_scenarios = lines.iter().any(scenarios);
    has_scenarios || (has_story && lines.iter().any(|line| functional(line).is_some()))
}

pub(super) fn read<'a>(lines: &[Seen<'a>], prefix: &str) -> Read<'a> {
    let mut drafts: Vec<Draft<'a>> = Vec::new();
    let mut ids = HashMap::new();
    let mut story: Option<u64> = None;
    let mut items: Option<Items> = None;
    let mut is_in_functional = false;
    for line in lines {
        if scenarios(line) {
            (items, is_in_functional) = (Some(Items::default()), false);
            continue;
        }
        if let Some(words) = words(line) {
            story = numbered(words, "user story").or(story);
            (items, is_in_functional) = (None, false);
            continue;
        }
        let begun = if let Some(functional) = functional(line) {
            let (number, text) = functional?;
            items = None;
            is_in_functional = true;
            Some((id(&format!("{prefix}-FR"), number)?, text))
        } else if let Some(items) = &mut items {
            let number = items.next(line)?;
            let story = story.map_or_else(String::new, |story| story.to_string());
            let id = |number| id(&format!("{prefix}-US{story}"), number);
            number.map(|number| Ok((id(number)?, line.begins.unwrap_or_default()))).transpose()?
        } else {
            None
        };
        let is_within = items.is_some() || is_in_functional;
        if is_within && line.is_text && line.text.contains("[NEEDS CLARIFICATION") {
            return Err(line.unread("it still needs clarification", CLARIFY));
        }
        match begun {
            Some((id, text)) => {
                if let Some(first) = ids.insert(id.clone(), line.number) {
                    return Err(RequirementError::Duplicate { id, first, second: line.number });
                }
                drafts.push(Draft::new(id, line, text.to_owned()));
            }
            None if is_within => add(drafts.as_mut_slice(), line)?,
            None => {}
        }
    }
    Ok(drafts)
}
