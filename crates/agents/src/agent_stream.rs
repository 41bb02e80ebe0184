//! What an agent prints, read while it prints it (contract section 8).
//!
//! ```text
//! lines    = { line } ;  line = [ noise ] JSON-value [ noise ] ( LF | CR LF )
//! document = [ noise ] JSON-value [ noise ]
//! text     = anything
//! ```
//!
//! A table says which of the three it is and which parts mean something. Lines that are no JSON
//! are passed over: programs print warnings between their events, and stderr comes the same way.
//! Noise before a line's first `{` is passed over too: a terminal's escape codes.
//!
//! What a hostile child may print is bounded: a line over [`MAX_LINE`] is passed over, of a text
//! or a document only the last [`MAX_TEXT`] bytes are kept, and of a message no more than that.

use std::collections::{BTreeSet, VecDeque};

use serde_json::Value;

use crate::agent_table::{AgentFailure, AgentTable, MessageFrom, Records, SessionFrom};
use tdd_core::terminal_noise;
use tdd_core::usage::{ChildUse, Usage};
use tdd_spec::tdd_result;

mod codex;
mod lines;
mod messages;
pub mod pointer;
pub mod reset;
pub mod select;
mod sightings;
pub mod usage;

pub use lines::MAX_LINE;
use lines::{Lines, parse};
use messages::Messages;
use reset::Reset;
use select::Selector;
use sightings::{Sightings, Told};
use usage::Meter;

/// Bytes of a text, a document or one message that are kept: 16 MiB.
pub const MAX_TEXT: usize = terminal_noise::TEXT_LIMIT;

/// Bytes at the end from which the last lines are taken for a person.
const TAIL: usize = 32 << 10;
/// Turns that are told apart by their group; a table whose groups never repeat has no use for more.
const MAX_GROUPS: usize = 10_000;
/// Bytes of a session's id; it comes back as an argument.
const MAX_SESSION: usize = 256;

/// Reads one attempt's output by the selectors of its table.
#[derive(Debug)]
pub struct AgentStream {
    plan: Plan,
    lines: Lines,
    /// All that is kept of a text or a document.
    text: Tail,
    tail: Tail,
    messages: Messages,
    session: Option<String>,
    turns: u32,
    meter: Meter,
    /// What the session had used before this child.
    used_before: Usage,
    groups: BTreeSet<String>,
    /// The line before counted as a turn, or as a part of one.
    in_turn: bool,
    sightings: Sightings,
    /// What the agent's own record tells besides.
    record: Option<codex::Record>,
    /// The newest call of a tool, if nothing was said since.
    doing: Option<String>,
    shown: String,
}

/// What the table says, without what concerns the start of the child.
#[derive(Debug)]
struct Plan {
    shape: Shape,
    message: Option<Selector>,
    session: Option<Selector>,
    turns: Option<Selector>,
    doing: Vec<Selector>,
    has_signs: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Text,
    Document,
    Lines,
}

/// What was found once the child has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The last assistant message that holds a block, else the last one.
    pub message: Option<String>,
    pub session: Option<String>,
    /// `None` if the table can't tell.
    pub turns: Option<u32>,
    pub used: ChildUse,
    /// Why the program failed, as far as its exit code and its lines tell.
    pub failure: Option<AgentFailure>,
    /// What the agent says went wrong, as one line.
    pub error: Option<String>,
    /// When a usage limit is lifted, as far as a line says it.
    pub reset: Option<Reset>,
    /// What the agent's own program refused its model: paths and commands, as it told them.
    pub denied: Vec<String>,
    pub trust: Trust,
    /// The last lines, noise removed, at most 4 KiB.
    pub tail: String,
}

/// Whether an agent showed that it works by the settings that it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// It did, or its table asks for no such sign.
    Earned,
    /// It began, or called tools, and the sign was not seen: what it may not do is not known to it.
    Lost,
    /// It did nothing yet.
    Pending,
}

impl AgentStream {
    pub fn new(table: &AgentTable) -> Self {
        let message = match &table.message {
            MessageFrom::Stdout => None,
            MessageFrom::File { stream, .. } => stream.clone(),
            MessageFrom::Json(selector) | MessageFrom::JsonLines(selector) => Some(selector.clone()),
        };
        let session = match &table.session {
            Some(SessionFrom::Told(selector)) => Some(selector.clone()),
            Some(SessionFrom::NewUuid) | None => None,
        };
        let shape = match &table.message {
            MessageFrom::Stdout => Shape::Text,
            MessageFrom::Json(_) => Shape::Document,
            MessageFrom::File { .. } | MessageFrom::JsonLines(_) => Shape::Lines,
        };
        Self {
            lines: Lines::default(),
            text: Tail::of(MAX_TEXT),
            tail: Tail::of(TAIL),
            messages: Messages::default(),
            session: None,
            turns: 0,
            meter: Meter::new(&table.usage),
            used_before: Usage::default(),
            groups: BTreeSet::new(),
            in_turn: false,
            sightings: Sightings::of(table),
            record: table.records.map(|Records::Codex| codex::Record::default()),
            doing: None,
            shown: String::new(),
            plan: Plan {
                shape,
                message,
                session,
                turns: table.turns.clone(),
                doing: table.doing.clone(),
                has_signs: Sightings::wants_lines(table),
            },
        }
    }

    /// The child goes on with a session that had used this already.
    #[must_use = "this returns the stream"]
    pub fn after(mut self, used: Usage) -> Self {
        self.used_before = used;
        self
    }

    /// What the child used until now, as far as it told.
    pub fn used(&self) -> ChildUse {
        self.meter.read(&self.used_before)
    }

    /// Hears some more output, cut anywhere.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.tail.push(bytes);
        if self.plan.shape != Shape::Lines {
            self.text.push(bytes);
        }
        if self.plan.shape != Shape::Document && self.wants_lines() {
            let mut lines = std::mem::take(&mut self.lines);
            lines.feed(bytes, &mut |value| self.line(value));
            self.lines = lines;
        }
    }

    /// Hears some more of the agent's own record, cut anywhere.
    pub fn hear_record(&mut self, bytes: &[u8]) {
        if let Some(record) = &mut self.record {
            record.feed(bytes, &mut |line| self.meter.hear(line));
        }
    }

    /// Model responses that called tools until now; `None` if the table can't tell. A record that tells
    /// of any tells of all.
    pub fn turns(&self) -> Option<u32> {
        self.plan.turns.as_ref()?;
        Some(self.record.as_ref().and_then(codex::Record::turns).unwrap_or(self.turns))
    }

    /// Whether its settings were read; asked after each chunk, so that no tool is called without them.
    pub fn trust(&self) -> Trust {
        self.sightings.trust(self.turns)
    }

    /// The newest line that is worth showing, at most 200 characters; `None` if it is the same
    /// as at the last call.
    pub fn news(&mut self) -> Option<String> {
        let said = || match self.plan.shape {
            Shape::Lines if self.plan.message.is_some() => self.messages.newest_line(),
            Shape::Lines | Shape::Document | Shape::Text => terminal_noise::last_line(self.tail.end(TAIL)),
        };
        let line = self.doing.clone().or_else(said)?;
        if line == self.shown {
            return None;
        }
        self.shown.clone_from(&line);
        Some(line)
    }

    /// Reads what is left. `exit` is the code if the child ended by itself with one.
    pub fn finish(mut self, exit: Option<i32>) -> Found {
        if self.plan.shape == Shape::Document {
            if let Some(document) = self.document() {
                self.line(&document);
            }
        } else if self.wants_lines() {
            let mut lines = std::mem::take(&mut self.lines);
            lines.finish(&mut |value| self.line(value));
        }
        if let Some(record) = &mut self.record {
            record.finish(&mut |line| self.meter.hear(line));
        }
        let tail = last_bytes(&terminal_noise::clean(self.tail.end(TAIL)), 4 << 10).to_owned();
        let failure = self.sightings.failure(exit, &tail);
        let trust = match self.trust() {
            // Nothing more will come: who began without the sign has not read its settings.
            Trust::Pending if self.sightings.has_started() => Trust::Lost,
            trust @ (Trust::Pending | Trust::Earned | Trust::Lost) => trust,
        };
        let (turns, used) = (self.turns(), self.used());
        let message = match self.plan.shape {
            Shape::Text => {
                let text = terminal_noise::clean_owned(std::mem::take(&mut self.text.kept).into());
                let text = self.without_told_lines(text);
                (!text.trim().is_empty()).then_some(text)
            }
            Shape::Document | Shape::Lines => self.messages.finish(),
        };
        let Told { reset, mut denied, error } = self.sightings.told();
        denied.extend(self.record.as_mut().map(codex::Record::denied).unwrap_or_default());
        Found { message, session: self.session, turns, used, failure, error, reset, denied, trust, tail }
    }

    fn wants_lines(&self) -> bool {
        self.plan.shape == Shape::Lines
            || self.plan.turns.is_some()
            || self.plan.session.is_some()
            || !self.meter.is_idle()
            || self.plan.has_signs
    }

    /// Lines that a selector counts are no part of a message that is all of the text.
    fn without_told_lines(&self, text: String) -> String {
        if self.meter.is_idle() && self.plan.turns.is_none() {
            return text;
        }
        let counts = |value: &Value| {
            self.meter.knows(value) || self.plan.turns.as_ref().is_some_and(|turns| turns.fits(value))
        };
        let is_told =
            |line: &str| line.starts_with('{') && parse(line.as_bytes()).as_ref().is_some_and(counts);
        text.split_inclusive('\n').filter(|line| !is_told(line)).collect()
    }

    fn line(&mut self, line: &Value) {
        let message = self.plan.message.as_ref().and_then(|selector| selector.text(line));
        if message.is_some() {
            self.doing = None;
        }
        if let Some(text) = self.plan.doing.iter().find_map(|selector| selector.text(line)) {
            self.doing = text.lines().find_map(|line| terminal_noise::last_line(line.as_bytes()));
        }
        if let Some(selector) = &self.plan.message {
            match message {
                Some(text) if selector.goes_by_run() => self.messages.piece(&text),
                Some(text) => self.messages.push(selector.group(line), &text),
                None if selector.goes_by_run() => self.messages.close(),
                None => {}
            }
        }
        if let (None, Some(selector)) = (&self.session, &self.plan.session) {
            self.session = selector.text(line).filter(|id| is_session_id(id));
        }
        if let Some(selector) = &self.plan.turns {
            let counts = selector.counts(line);
            let goes_on = selector.goes_by_run() && self.in_turn;
            if counts && !goes_on && is_new(&mut self.groups, selector.group(line)) {
                self.turns = self.turns.saturating_add(1);
            }
            self.in_turn = counts;
        }
        self.meter.hear(line);
        self.sightings.line(line);
    }

    /// The one document of the output: the first line start from which something can be read
    /// that holds the message, because warnings may stand before it.
    fn document(&mut self) -> Option<Value> {
        const TRIES: usize = 16;
        let message = self.plan.message.clone();
        let text = self.text.end(MAX_TEXT);
        let starts = std::iter::once(0)
            .chain(text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1))
            .filter(|at| text.get(*at..).is_some_and(lines::opens));
        let mut first = None;
        for start in starts.take(TRIES) {
            let Some(value) = text.get(start..).and_then(parse) else { continue };
            if message.as_ref().is_some_and(|selector| selector.text(&value).is_some()) {
                return Some(value);
            }
            first = first.or(Some(value));
        }
        first
    }
}

/// Of two places where the message may be, the one that holds a block; else the first that holds
/// anything.
pub fn better_message(first: Option<String>, second: Option<String>) -> Option<String> {
    let holds = |message: &Option<String>| message.as_deref().is_some_and(tdd_result::holds_block);
    if !holds(&first) && holds(&second) {
        return second;
    }
    first.filter(|text| !text.trim().is_empty()).or(second)
}

/// An id comes back to us as an argument of the agent: no option, nothing endless.
fn is_session_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_SESSION && !id.starts_with('-') && !id.chars().any(char::is_control)
}

fn is_new(groups: &mut BTreeSet<String>, group: Option<String>) -> bool {
    match group {
        None => true,
        Some(_) if groups.len() >= MAX_GROUPS => true,
        Some(group) => groups.insert(group.chars().take(MAX_SESSION).collect()),
    }
}

/// The last `most` bytes, less a first character that was cut.
fn last_bytes(text: &str, most: usize) -> &str {
    let mut start = text.len().saturating_sub(most);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..).unwrap_or("")
}

/// The last bytes of something endless: a ring, so that no more than these are ever held.
#[derive(Debug)]
struct Tail {
    kept: VecDeque<u8>,
    most: usize,
}

impl Tail {
    fn of(most: usize) -> Self {
        Self { kept: VecDeque::new(), most }
    }

    fn push(&mut self, bytes: &[u8]) {
        let fresh = bytes.get(bytes.len().saturating_sub(self.most)..).unwrap_or(bytes);
        // Room first, so that the ring never grows beyond its bound.
        let too_many = (self.kept.len() + fresh.len()).saturating_sub(self.most);
        self.kept.drain(..too_many);
        self.kept.extend(fresh);
    }

    fn end(&mut self, most: usize) -> &[u8] {
        let kept = self.kept.make_contiguous();
        kept.get(kept.len().saturating_sub(most)..).unwrap_or(kept)
    }
}

#[cfg(test)]
mod tests;
