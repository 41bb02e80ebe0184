//! Finds the project's commands in `CLAUDE.md` and `AGENTS.md` (contract section 5).
//!
//! ```text
//! file    = … section … rule …              either may be missing, the rule may be in the section
//! section = heading "Key Commands" entry*   up to the next heading of the same or a higher level
//! entry   = line of a shell fence, labelled by the `# comment` above it or behind it
//!         | list item or table row with `code`, labelled by its own words
//! rule    = paragraph or list item with "gating rule", or that says that something "must pass"
//! gate    = `code` (("&&" | "and" | "then" | ",") `code`)* in the rule
//!         | the fence that follows a rule which ends in a colon, its lines joined by &&
//! ```
//!
//! Leniencies, each for a file that people really have (`fixtures/claude-md`): a `$ ` prompt before
//! a command, a fence without a language, `\` at a line's end, a `cd` above the command, a rule without bold type, a rule in
//! prose. Never guessed: between two test commands that fit equally well nothing is chosen.

mod entry;
mod markdown;
mod rule;
mod shape;

use entry::Entry;
use markdown::Line;

/// The largest file that is looked at; what follows is ignored.
pub const MAX_BYTES: usize = 1024 * 1024;
/// More candidates than this are not listed.
const MOST: usize = 20;

/// What a file says about the two commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyCommands {
    pub test: Pick,
    /// [`Pick::Nothing`] if the file names none: then the test command is the gate.
    pub gate: Pick,
}

/// What was found for one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    One(Named),
    /// More than one fits; a person must decide.
    Several(Vec<Named>),
    /// A template: commands are there, and each is commented out or a placeholder. Its line.
    CommentedOut(usize),
    Nothing,
}

/// A command and the line where it stands, from 1.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    pub command: String,
    pub line: usize,
}

/// Reads `CLAUDE.md` or `AGENTS.md`.
pub fn read(file: &str) -> KeyCommands {
    let lines = markdown::lines(bounded(file));
    let section = markdown::section(&lines, "key commands");
    let gate = rule::gate(section, &lines);
    let test = test(section, &gate);
    KeyCommands { test, gate }
}

fn bounded(text: &str) -> &str {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn test(section: &[Line], gate: &Pick) -> Pick {
    let entries = entry::entries(section);
    let (active, inactive): (Vec<Entry>, Vec<Entry>) =
        entries.into_iter().partition(|entry| entry.state == entry::State::Active);
    let named = distinct(active.iter().filter(|entry| entry.is_labelled_test()));
    if let Some(pick) = decide(named, gate) {
        return pick;
    }
    let looks = distinct(active.iter().filter(|entry| entry.looks_like_test()));
    if let Some(pick) = decide(looks, gate) {
        return pick;
    }
    if let ([only], Pick::Nothing) = (active.as_slice(), gate)
        && !only.is_something_else()
    {
        return Pick::One(only.named());
    }
    let in_gate = match gate {
        Pick::One(gate) => Some(test_in_gate(gate)),
        Pick::Several(_) | Pick::CommentedOut(_) | Pick::Nothing => None,
    };
    if let Some(pick @ (Pick::One(_) | Pick::Several(_))) = in_gate {
        return pick;
    }
    // Named as the tests, it must not be passed over for what is found elsewhere.
    let more = distinct(active.iter().filter(|entry| entry.is_test_and_more()));
    if let Some(pick) = decide(more, gate) {
        return pick;
    }
    if in_gate.is_some() {
        return Pick::Nothing;
    }
    match inactive.first() {
        Some(entry) if active.is_empty() => Pick::CommentedOut(entry.line),
        _ => Pick::Nothing,
    }
}

/// One candidate is it; of several, the one that the gate holds too.
fn decide(candidates: Vec<Named>, gate: &Pick) -> Option<Pick> {
    match candidates.as_slice() {
        [] => None,
        [only] => Some(Pick::One(only.clone())),
        _ => {
            let parts = match gate {
                Pick::One(gate) => rule::parts(&gate.command),
                Pick::Several(_) | Pick::CommentedOut(_) | Pick::Nothing => Vec::new(),
            };
            let mut in_gate = candidates.iter().filter(|candidate| parts.contains(&candidate.command));
            match (in_gate.next(), in_gate.next()) {
                (Some(only), None) => Some(Pick::One(only.clone())),
                _ => Some(Pick::Several(candidates)),
            }
        }
    }
}

/// The one part of a gate that runs tests; the whole gate if it has only one part.
fn test_in_gate(gate: &Named) -> Pick {
    let parts = rule::parts(&gate.command);
    if parts.len() == 1 {
        return Pick::One(gate.clone());
    }
    let tests = parts.into_iter().filter(|part| shape::runs_tests(part));
    let tests: Vec<Named> = tests.map(|command| Named { command, line: gate.line }).collect();
    match tests.as_slice() {
        [] => Pick::Nothing,
        [only] => Pick::One(only.clone()),
        _ => Pick::Several(tests),
    }
}

fn distinct<'a>(entries: impl Iterator<Item = &'a Entry>) -> Vec<Named> {
    let mut named: Vec<Named> = Vec::new();
    for entry in entries {
        if named.len() < MOST && !named.iter().any(|known| known.command == entry.command) {
            named.push(entry.named());
        }
    }
    named
}

#[cfg(test)]
mod tests;
