//! Requirements as other tools keep them.
//!
//! ```text
//! Spec Kit  heading "User Story" n … "Acceptance Scenarios" (bold or a heading) { item }   AC-<fr>-US<n>.<item>
//!           item "**FR-" digits "**" …                                                     AC-<fr>-FR.<digits>
//! OpenSpec  heading "Requirement:" name … { heading "Scenario:" name … }     AC-<fr>-<requirement>.<scenario>
//!           but those under "REMOVED Requirements" and "RENAMED Requirements"
//! Kiro      heading "Requirement" n … heading "Acceptance Criteria" { item } AC-<fr>-<n>.<item>
//! ```
//!
//! Told by what the file holds, not by where it lies. Nothing is left out unsaid: a requirement without a
//! criterion, a list that can't be counted, and what still needs clarification is refused with its line.

use super::lines::{Items, Seen};
use super::unnumbered::{add, id};
use super::{Draft, is_section_title};
use crate::requirement::RequirementError;
use tdd_core::requirement::Reading;

mod kiro;
mod open_spec;
mod spec_kit;

type Read<'a> = Result<Vec<Draft<'a>>, RequirementError>;

/// Reads the form that the file has; `None` if it is of none of them.
pub(super) fn read<'a>(
    lines: &[Seen<'a>],
    prefix: &str,
) -> Result<Option<(Reading, Vec<Draft<'a>>)>, RequirementError> {
    let (reading, drafts) = if lines.iter().any(open_spec::is_scenario) {
        (Reading::OpenSpec, open_spec::read(lines, prefix)?)
    } else if kiro::is_it(lines) {
        (Reading::Kiro, kiro::read(lines, prefix)?)
    } else if spec_kit::is_it(lines) {
        (Reading::SpecKit, spec_kit::read(lines, prefix)?)
    } else {
        return Ok(None);
    };
    Ok(Some((reading, drafts)))
}

/// A heading's words without bold marks.
fn words<'a>(line: &Seen<'a>) -> Option<&'a str> {
    line.heading.map(|(_, text)| plain(text))
}

fn plain(text: &str) -> &str {
    text.trim_matches(|char: char| matches!(char, '*' | '_') || char.is_whitespace())
}

/// What follows a word at the head of a text, in any case.
fn behind<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let head = text.get(..word.len())?;
    head.eq_ignore_ascii_case(word).then(|| &text[word.len()..])
}

/// The number that follows a word: `Requirement 3: …`, `User Story 2 - …`.
fn numbered(text: &str, word: &str) -> Option<u64> {
    let rest = behind(text, word)?.strip_prefix(' ')?.trim_start();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let goes_on = rest[digits..].starts_with(|char: char| char.is_alphanumeric());
    rest[..digits].parse().ok().filter(|_| !goes_on)
}
