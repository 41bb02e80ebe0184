//! What an agent's lines tell beside its messages: that it began, that it read its settings, why it
//! failed, what it was refused, when a limit is lifted.

use serde_json::Value;

use super::Trust;
use super::reset::{self, Reset};
use super::select::Selector;
use crate::agent_table::{AgentFailure, AgentTable, FailureSign};
use tdd_core::terminal_noise;

/// Refusals that are kept, and characters of each.
const MOST_DENIED: usize = 50;
const LONGEST_DENIED: usize = 300;
/// Characters of what went wrong.
const LONGEST_ERROR: usize = 500;

#[derive(Debug)]
pub(super) struct Sightings {
    table: Box<AgentTable>,
    started: Sight,
    settings: Sight,
    /// For each failure sign of the table.
    signs: Vec<Sight>,
    /// For each selector of the table's `resets`; the last line counts.
    resets: Vec<Option<Reset>>,
    denied: Vec<String>,
    /// The newest of the texts that say what went wrong.
    error: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    Seen,
    Unseen,
}

impl Sightings {
    pub(super) fn of(table: &AgentTable) -> Self {
        Self {
            started: Sight::Unseen,
            settings: Sight::Unseen,
            signs: vec![Sight::Unseen; table.failures.len()],
            resets: vec![None; table.resets.len()],
            denied: Vec::new(),
            error: None,
            table: Box::new(table.clone()),
        }
    }

    /// Whether there is anything to be told by lines.
    pub(super) fn wants_lines(table: &AgentTable) -> bool {
        table.started.is_some()
            || table.settings_seen.is_some()
            || !table.failures.is_empty()
            || !table.resets.is_empty()
            || !table.error.is_empty()
            || !table.denied.is_empty()
    }

    pub(super) fn line(&mut self, line: &Value) {
        let table = &self.table;
        let counts = |selector: &Option<Selector>| selector.as_ref().is_some_and(|s| s.counts(line));
        if self.started == Sight::Unseen && counts(&table.started) {
            self.started = Sight::Seen;
        }
        if self.settings == Sight::Unseen && counts(&table.settings_seen) {
            self.settings = Sight::Seen;
        }
        for ((_, sign), sight) in table.failures.iter().zip(&mut self.signs) {
            if matches!(sign, FailureSign::Line(selector) if selector.fits(line)) {
                *sight = Sight::Seen;
            }
        }
        for (selector, slot) in table.resets.iter().zip(&mut self.resets) {
            if let Some(found) = selector.parts(line).into_iter().find_map(reset::read) {
                *slot = Some(found);
            }
        }
        for selector in &table.error {
            if let Some(text) = selector.text(line) {
                self.error = Some(short(&text, LONGEST_ERROR)).filter(|text| !text.is_empty());
            }
        }
        for selector in &table.denied {
            for text in selector.parts(line).into_iter().filter_map(Value::as_str) {
                keep(&mut self.denied, text);
            }
        }
    }

    pub(super) fn trust(&self, turns: u32) -> Trust {
        match (&self.table.settings_seen, self.settings) {
            (None, _) | (Some(_), Sight::Seen) => Trust::Earned,
            // Its start alone is no reason yet: the sign may be the next line.
            (Some(_), Sight::Unseen) if turns > 0 => Trust::Lost,
            (Some(_), Sight::Unseen) => Trust::Pending,
        }
    }

    /// Once the child has ended nothing is pending: who began without the sign has lost.
    pub(super) fn has_started(&self) -> bool {
        self.started == Sight::Seen
    }

    pub(super) fn failure(&self, exit: Option<i32>, tail: &str) -> Option<AgentFailure> {
        let table = &self.table;
        if let Some(failure) = exit.and_then(|code| table.exit_map.get(&code)) {
            return Some(*failure);
        }
        let went_wrong = exit.is_some_and(|code| !table.ok_exit.contains(&code));
        let by_line = table.failures.iter().zip(&self.signs).find(|(_, sight)| **sight == Sight::Seen);
        if let Some(((failure, _), _)) = by_line {
            return Some(*failure);
        }
        // What the model or a tool printed is among the last lines, too: a text alone says little.
        let by_text = table.failures.iter().find(|(_, sign)| match sign {
            FailureSign::Line(_) => false,
            FailureSign::Text(text) => went_wrong && tail.contains(text.as_str()),
        });
        if let Some((failure, _)) = by_text {
            return Some(*failure);
        }
        (went_wrong && table.started.is_some() && !self.has_started()).then_some(AgentFailure::Usage)
    }

    /// What a person is told.
    pub(super) fn told(self) -> Told {
        let by_words = || self.error.as_deref().and_then(reset::in_text);
        let reset = self.resets.into_iter().flatten().next().or_else(by_words);
        Told { reset, denied: self.denied, error: self.error }
    }
}

pub(super) struct Told {
    pub(super) reset: Option<Reset>,
    pub(super) denied: Vec<String>,
    pub(super) error: Option<String>,
}

/// Adds a refusal as one short line, once.
pub(super) fn keep(denied: &mut Vec<String>, text: &str) {
    let line = short(text, LONGEST_DENIED);
    if !line.is_empty() && denied.len() < MOST_DENIED && !denied.contains(&line) {
        denied.push(line);
    }
}

/// One line without noise, of so many characters at most.
fn short(text: &str, most: usize) -> String {
    let clean = terminal_noise::clean(text.as_bytes());
    let line = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(most).collect()
}
