//! The commands of a section, each with the words that label it.

use super::Named;
use super::markdown::{Kind, Language, Line};
use super::shape::{
    command_says_otherwise, could_be_command, is_command, is_placeholder, narrows, only_prepares, runs_tests,
    runs_tests_and_more, says_only_test, says_test,
};

/// Whether a command is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Active,
    /// Commented out, or a placeholder that nobody filled in.
    Inactive,
}

/// One command of a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) command: String,
    pub(super) line: usize,
    pub(super) state: State,
    /// Lower-case words around it: a comment, a list item's text, a table's first cell.
    label: String,
}

impl Entry {
    pub(super) fn named(&self) -> Named {
        Named { command: self.command.clone(), line: self.line }
    }

    /// Its label says "test" and nothing that narrows it.
    pub(super) fn is_labelled_test(&self) -> bool {
        says_test(&self.label) && !self.is_something_else()
    }

    /// It runs tests by the look of the command, and its label does not narrow it.
    pub(super) fn looks_like_test(&self) -> bool {
        runs_tests(&self.command) && !narrows(&self.label)
    }

    /// Its label says "test", and its command runs tests among other things.
    pub(super) fn is_test_and_more(&self) -> bool {
        says_test(&self.label) && !narrows(&self.label) && runs_tests_and_more(&self.command)
    }

    /// Its words say that it is for something else than tests.
    pub(super) fn is_something_else(&self) -> bool {
        narrows(&self.label) || command_says_otherwise(&self.command)
    }
}

/// The commands of a section, in order.
pub(super) fn entries(section: &[Line]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut at = 0;
    while at < section.len() {
        let line = &section[at];
        match &line.kind {
            Kind::Code { language, block } => {
                let length = section[at..].iter().take_while(|next| in_block(next, *block)).count();
                let block = &section[at..at + length];
                let is_shell = match language {
                    Language::Shell => true,
                    Language::Unsaid => block.iter().any(looks_like_shell),
                    Language::Other => false,
                };
                if is_shell && !follows_gating_rule(section, at) {
                    fenced(block, &heading_above(section, at), &mut entries);
                }
                at += length;
                continue;
            }
            Kind::Comment if is_command(unbulleted(&line.text)) => {
                let command = unbulleted(&line.text).to_owned();
                let (line, label) = (line.number, String::new());
                entries.push(Entry { command, line, state: State::Inactive, label });
            }
            Kind::Prose if is_listed(&line.text) => inline(line, &mut entries),
            Kind::Blank | Kind::Heading { .. } | Kind::Fence | Kind::Comment | Kind::Prose => {}
        }
        at += 1;
    }
    entries
}

/// For a fence without a language: folder trees and messages are no commands.
fn looks_like_shell(line: &Line) -> bool {
    let text = line.text.trim().trim_start_matches("$ ").trim_start_matches('#').trim();
    is_command(text) || is_placeholder(text)
}

fn in_block(line: &Line, wanted: usize) -> bool {
    matches!(line.kind, Kind::Code { block, .. } if block == wanted)
}

/// Whether a fence belongs to a gating rule right above it: its commands are the gate's.
fn follows_gating_rule(section: &[Line], at: usize) -> bool {
    let above = section[..at].iter().rev().skip_while(|line| matches!(line.kind, Kind::Blank | Kind::Fence));
    let mut paragraph = above.take_while(|line| line.kind == Kind::Prose);
    paragraph.any(|line| line.text.to_lowercase().contains("gating rule"))
}

/// The words of the heading or the prose right above a fence: they label its commands.
fn heading_above(section: &[Line], at: usize) -> String {
    let before = section[..at].iter().rev().find(|line| !matches!(line.kind, Kind::Blank | Kind::Fence));
    match before.map(|line| (&line.kind, &line.text)) {
        Some((Kind::Heading { .. }, text)) => text.to_lowercase(),
        Some((Kind::Prose, text)) if text.trim_end().trim_end_matches('*').ends_with(':') => {
            text.to_lowercase()
        }
        Some((Kind::Prose | Kind::Blank | Kind::Fence | Kind::Code { .. } | Kind::Comment, _)) | None => {
            String::new()
        }
    }
}

/// Reads one fence. A `# comment` labels the commands below it, up to a blank line. Where some
/// lines have a `$ ` prompt, the others are output. A line that only prepares (`cd app`) goes before
/// the commands below it, up to a blank line, as it does in a shell.
fn fenced(block: &[Line], above: &str, entries: &mut Vec<Entry>) {
    let prompted = block.iter().any(|line| line.text.trim_start().starts_with("$ "));
    let mut label = above.to_owned();
    let mut prepared = String::new();
    let mut pending: Option<(String, usize)> = None;
    for line in block {
        let trimmed = line.text.trim();
        let text = trimmed.strip_prefix("$ ").map_or(trimmed, str::trim);
        let is_output = prompted && text == trimmed && !text.starts_with('#') && !text.is_empty();
        if is_output && pending.is_none() {
            continue;
        }
        if let Some((mut command, number)) = pending.take() {
            command.push(' ');
            command.push_str(text.trim_end_matches('\\').trim());
            if text.ends_with('\\') {
                pending = Some((command, number));
            } else {
                push(&command, number, &label, &mut prepared, entries);
            }
        } else if text.is_empty() {
            above.clone_into(&mut label);
            prepared.clear();
        } else if let Some(comment) = text.strip_prefix('#') {
            let comment = comment.trim_start_matches('#').trim();
            if is_command(comment) {
                let (command, label) = (comment.to_owned(), label.clone());
                entries.push(Entry { command, line: line.number, state: State::Inactive, label });
            } else {
                label = comment.to_lowercase();
            }
        } else if let Some(begin) = text.strip_suffix('\\') {
            pending = Some((begin.trim().to_owned(), line.number));
        } else {
            push(text, line.number, &label, &mut prepared, entries);
        }
    }
    if let Some((command, number)) = pending {
        push(&command, number, &label, &mut prepared, entries);
    }
}

/// Adds a command behind what prepares it, its comment behind it taken as a part of its label.
fn push(text: &str, line: usize, label: &str, prepared: &mut String, entries: &mut Vec<Entry>) {
    let (command, comment) = split_comment(text);
    let joint = if prepared.is_empty() { "" } else { " && " };
    if only_prepares(command) {
        prepared.push_str(joint);
        prepared.push_str(command.trim_end_matches(['&', ';', ' ']));
        return;
    }
    let label = format!("{label} {}", comment.to_lowercase());
    let state = if is_placeholder(command) { State::Inactive } else { State::Active };
    entries.push(Entry { command: format!("{prepared}{joint}{command}"), line, state, label });
}

/// `npm test   # all tests`: a hash after a blank, outside quotes.
fn split_comment(text: &str) -> (&str, &str) {
    let mut quote: Option<char> = None;
    let mut before = ' ';
    for (at, next) in text.char_indices() {
        match quote {
            Some(open) if next == open => quote = None,
            None if matches!(next, '\'' | '"') => quote = Some(next),
            None if next == '#' && before.is_whitespace() => {
                return (text[..at].trim_end(), text[at + 1..].trim());
            }
            Some(_) | None => {}
        }
        before = next;
    }
    (text, "")
}

fn is_listed(text: &str) -> bool {
    let text = text.trim_start();
    let is_numbered = text
        .split_once(['.', ')'])
        .is_some_and(|(number, _)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
    text.starts_with(['-', '*', '+', '|']) || is_numbered
}

fn unbulleted(text: &str) -> &str {
    text.trim().trim_start_matches(['-', '*', '+']).trim().trim_matches('`')
}

/// A list item or a table row: its first code span is the command, its other words are the label.
fn inline(line: &Line, entries: &mut Vec<Entry>) {
    let spans = spans(&line.text);
    let Some(command) = spans.first().map(|span| span.inner) else { return };
    let label = line.text.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    // Words that are nothing but "run all tests" make a command of a program that is not known.
    let is_unknown_test = says_only_test(&label) && could_be_command(command);
    if label.contains("gating rule")
        || label.contains("must pass")
        || !(is_command(command) || is_placeholder(command) || is_unknown_test)
    {
        return;
    }
    let state = if is_placeholder(command) { State::Inactive } else { State::Active };
    entries.push(Entry { command: command.to_owned(), line: line.number, state, label });
}

/// `code` in a line: its text, and where it begins and ends, ticks included.
pub(super) struct Span<'a> {
    pub(super) inner: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The code spans of a text, in order.
pub(super) fn spans(text: &str) -> Vec<Span<'_>> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let ticks = text[start..].bytes().take_while(|byte| *byte == b'`').count();
        let inside = start + ticks;
        let Some(length) = text[inside..].find(&text[start..inside]) else { break };
        let inner = text[inside..inside + length].trim();
        at = inside + length + ticks;
        if !inner.is_empty() {
            spans.push(Span { inner, start, end: at });
        }
    }
    spans
}
