//! The commands of a section, each with the words that label it.

use super::Named;
use super::markdown::{Kind, Line};
use crate::text::command_line;

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

/// Fences with these languages hold commands; others hold configuration or code, unless they
/// say nothing and look like it.
const SHELL_LANGUAGES: &[&str] = &["sh", "bash", "shell", "zsh", "console", "shell-session", "terminal"];

/// Programs that a command in a project's notes starts with.
const PROGRAMS: &[&str] = &[
    "ant",
    "bazel",
    "biome",
    "black",
    "bun",
    "bundle",
    "bunx",
    "cargo",
    "clippy",
    "cmake",
    "composer",
    "ctest",
    "deno",
    "docker",
    "dotnet",
    "env",
    "eslint",
    "flake8",
    "go",
    "golangci-lint",
    "gradle",
    "hatch",
    "jest",
    "just",
    "make",
    "mix",
    "mocha",
    "mvn",
    "mypy",
    "nextest",
    "node",
    "nox",
    "npm",
    "npx",
    "pdm",
    "phpunit",
    "pipenv",
    "pnpm",
    "poetry",
    "prettier",
    "py.test",
    "pyright",
    "pytest",
    "python",
    "python3",
    "rake",
    "rspec",
    "ruby",
    "ruff",
    "sbt",
    "sh",
    "bash",
    "stack",
    "swift",
    "task",
    "tox",
    "tsc",
    "turbo",
    "uv",
    "vitest",
    "xcodebuild",
    "yarn",
    "zig",
];

/// Words of a label or a command that say that not all tests are run, or something else is.
const OTHER_WORDS: &[&str] = &[
    "single",
    "one",
    "specific",
    "particular",
    "file",
    "watch",
    "coverage",
    "update",
    "snapshot",
    "snapshots",
    "e2e",
    "benchmark",
    "bench",
    "lint",
    "format",
    "fmt",
    "typecheck",
    "type-check",
    "build",
    "install",
    "dev",
    "start",
    "serve",
    "deploy",
    "release",
    "publish",
    "debug",
    "ui",
    "fix",
    "clean",
    "run-server",
    "migrate",
];

impl Entry {
    pub(super) fn named(&self) -> Named {
        Named { command: self.command.clone(), line: self.line }
    }

    /// Its label says "test" and nothing that narrows it.
    pub(super) fn is_labelled_test(&self) -> bool {
        let words = words(&self.label);
        words.iter().any(|word| matches!(*word, "test" | "tests" | "testing"))
            && !words.iter().any(|word| OTHER_WORDS.contains(word))
            && !command_says_otherwise(&self.command)
    }

    /// It runs tests by the look of the command, and its label does not narrow it.
    pub(super) fn looks_like_test(&self) -> bool {
        runs_tests(&self.command) && !words(&self.label).iter().any(|word| OTHER_WORDS.contains(word))
    }

    /// Its words say that it is for something else than tests.
    pub(super) fn is_something_else(&self) -> bool {
        words(&self.label).iter().any(|word| OTHER_WORDS.contains(word))
            || command_says_otherwise(&self.command)
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
                let says_nothing = matches!(language.as_str(), "" | "text");
                let is_shell = SHELL_LANGUAGES.contains(&language.as_str())
                    || (says_nothing && block.iter().any(looks_like_shell));
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
/// lines have a `$ ` prompt, the others are output.
fn fenced(block: &[Line], above: &str, entries: &mut Vec<Entry>) {
    let prompted = block.iter().any(|line| line.text.trim_start().starts_with("$ "));
    let mut label = above.to_owned();
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
                push(&command, number, &label, entries);
            }
        } else if text.is_empty() {
            above.clone_into(&mut label);
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
            push(text, line.number, &label, entries);
        }
    }
    if let Some((command, number)) = pending {
        push(&command, number, &label, entries);
    }
}

/// Adds a command, its comment behind it taken as a part of its label.
fn push(text: &str, line: usize, label: &str, entries: &mut Vec<Entry>) {
    let (command, comment) = split_comment(text);
    let label = format!("{label} {}", comment.to_lowercase());
    let state = if is_placeholder(command) { State::Inactive } else { State::Active };
    entries.push(Entry { command: command.to_owned(), line, state, label });
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
    if label.contains("gating rule")
        || label.contains("must pass")
        || !(is_command(command) || is_placeholder(command))
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

/// Whether a text looks like a command line: it begins with a program that people run, or a path.
pub(super) fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace().skip_while(|word| is_assignment(word));
    let Some(first) = words.next() else { return false };
    // A sentence may begin with "Make" or "Go"; a program's name is lower case and ends no clause.
    let ends_a_clause = text.ends_with(['.', ':', '?', '!']);
    (PROGRAMS.contains(&first) && !ends_a_clause)
        || first.starts_with("./")
        || first.starts_with("bin/")
        || first.starts_with("scripts/")
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

/// `<your test command>`, `[test command]`, `{{test}}`, `TODO`, `...`: nobody filled it in.
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    let wrapped = [("<", ">"), ("[", "]"), ("{", "}")];
    wrapped.iter().any(|(open, close)| text.starts_with(open) && text.ends_with(close))
        || text.to_lowercase().starts_with("todo")
        || text.starts_with("...")
        || text.starts_with('…')
        || text.to_lowercase().contains("<your")
}

/// Whether a command runs the project's tests, all of them, once.
pub(super) fn runs_tests(command: &str) -> bool {
    if command_says_otherwise(command) {
        return false;
    }
    let runners = [
        "pytest", "py.test", "vitest", "jest", "mocha", "ava", "tox", "nox", "ctest", "rspec", "phpunit",
        "unittest", "nextest",
    ];
    command_line::recognise(command).is_some()
        || command.split_whitespace().any(|word| {
            let word = word.trim_matches(['\'', '"']);
            let name = word.rsplit(['/', ':']).next().unwrap_or(word);
            matches!(word, "test" | "tests" | "t") || word.starts_with("test:") || runners.contains(&name)
        })
}

/// Whether the command's own words narrow it (`test:e2e`, `--watch`, a placeholder for a file).
fn command_says_otherwise(command: &str) -> bool {
    let narrowed = command.contains('<') || command.contains("path/to") || command.contains("::");
    narrowed || words(command).iter().any(|word| OTHER_WORDS.contains(word))
}

fn words(text: &str) -> Vec<&str> {
    let is_edge = |next: char| !(next.is_alphanumeric() || next == '-');
    let words = text.split(is_edge).map(|word| word.trim_matches('-'));
    words.filter(|word| !word.is_empty()).collect()
}
