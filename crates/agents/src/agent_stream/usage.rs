//! What a program tells of its use, read while it prints.
//!
//! ```text
//! figure = number, at least 0, finite ;   tokens are whole and at most 10^12, dollars at most 10^6
//! ```
//!
//! A figure that is none of these counts as not told. A value that is no number is passed over:
//! programs write null for what they don't know.

use serde_json::Value;

use super::pointer::Pointer;
use super::select::Selector;
use tdd_core::usage::{ChildUse, MOST_TOKENS, Usage, Usd};

/// One kind of line that tells some figures.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageSource {
    /// Which lines; its `by` says which of them belong to one call.
    pub lines: Selector,
    pub span: Span,
    /// Where the figures stand; numbers at several places are added.
    pub input: Vec<Pointer>,
    pub cached: Vec<Pointer>,
    pub output: Vec<Pointer>,
    pub usd: Vec<Pointer>,
}

/// What a figure covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Span {
    /// One call of the model: all of them are added.
    Call,
    /// All of this run of the program until now: the last one counts.
    Run,
    /// All of the session until now, earlier runs of the program included: the last one counts,
    /// less what the session had before.
    Session,
}

impl Span {
    pub const WORDS: [(&'static str, Self); 3] =
        [("call", Self::Call), ("run", Self::Run), ("session", Self::Session)];
}

/// Adds up what the lines of one child tell.
#[derive(Debug)]
pub(super) struct Meter {
    readings: Vec<Reading>,
}

#[derive(Debug)]
struct Reading {
    source: UsageSource,
    /// Calls that are over, or the last figures of a run or session.
    sum: Usage,
    /// The call that lines may still belong to: the largest figures of its lines count, because
    /// a program may repeat them with each block of a message.
    open: Option<(String, Usage)>,
}

impl Meter {
    pub(super) fn new(sources: &[UsageSource]) -> Self {
        let reading =
            |source: &UsageSource| Reading { source: source.clone(), sum: Usage::default(), open: None };
        Self { readings: sources.iter().map(reading).collect() }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.readings.is_empty()
    }

    /// Takes in a line that tells something; passes over any other.
    pub(super) fn hear(&mut self, line: &Value) {
        for reading in &mut self.readings {
            if reading.source.lines.fits(line) {
                reading.hear(line);
            }
        }
    }

    /// Whether the line is one of those that tell figures.
    pub(super) fn knows(&self, line: &Value) -> bool {
        self.readings.iter().any(|reading| reading.source.lines.fits(line))
    }

    /// What was told until now, where the session had used `before` when this child began. Of several
    /// sources the largest figures count: claude leaves the last message out of its total where it ends
    /// at a cap.
    pub(super) fn read(&self, before: &Usage) -> ChildUse {
        let mut used = ChildUse::default();
        for reading in &self.readings {
            let told = reading.told();
            match reading.source.span {
                Span::Call | Span::Run => used.usage = larger(&used.usage, &told),
                Span::Session => {
                    used.usage = larger(&used.usage, &told.since(before));
                    used.session = used.session.or(&told);
                }
            }
        }
        used.session = used.session.or(before);
        used
    }
}

impl Reading {
    fn hear(&mut self, line: &Value) {
        let told = self.source.figures(line);
        if self.source.span != Span::Call {
            self.sum = told.or(&self.sum);
            return;
        }
        let group = self.source.lines.group(line);
        match (&mut self.open, group) {
            (Some((open, largest)), Some(group)) if *open == group => *largest = larger(largest, &told),
            (_, Some(group)) => {
                self.close();
                self.open = Some((group, told));
            }
            (_, None) => self.sum = self.sum.plus(&told),
        }
    }

    fn close(&mut self) {
        if let Some((_, usage)) = self.open.take() {
            self.sum = self.sum.plus(&usage);
        }
    }

    fn told(&self) -> Usage {
        match &self.open {
            Some((_, usage)) => self.sum.plus(usage),
            None => self.sum,
        }
    }
}

impl UsageSource {
    fn figures(&self, line: &Value) -> Usage {
        Usage {
            input: tokens(&self.input, line),
            cached: tokens(&self.cached, line),
            output: tokens(&self.output, line),
            usd: dollars(&self.usd, line),
        }
    }
}

fn larger(one: &Usage, other: &Usage) -> Usage {
    Usage {
        input: one.input.max(other.input),
        cached: one.cached.max(other.cached),
        output: one.output.max(other.output),
        usd: one.usd.max(other.usd),
    }
}

fn numbers<'v>(places: &[Pointer], line: &'v Value) -> Vec<&'v Value> {
    places.iter().flat_map(|place| place.find(line)).filter(|value| value.is_number()).collect()
}

fn tokens(places: &[Pointer], line: &Value) -> Option<u64> {
    let numbers = numbers(places, line);
    let add = |sum: u64, number: &&Value| Some(sum.saturating_add(whole(number)?));
    let sum = numbers.iter().try_fold(0_u64, add)?;
    (!numbers.is_empty() && sum <= MOST_TOKENS).then_some(sum)
}

/// A whole number, `12` or `12.0`: some programs have only one kind of number.
fn whole(number: &Value) -> Option<u64> {
    number.as_u64().or_else(|| {
        let written = number.as_f64()?;
        let is_whole = (0.0..=1e12).contains(&written) && written.fract() == 0.0;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it is whole, not negative and far below 2^53"
        )]
        is_whole.then_some(written as u64)
    })
}

fn dollars(places: &[Pointer], line: &Value) -> Option<Usd> {
    let numbers = numbers(places, line);
    let amounts: Option<Vec<f64>> =
        numbers.iter().map(|number| number.as_f64().filter(|amount| *amount >= 0.0)).collect();
    let amounts = amounts.filter(|amounts| !amounts.is_empty())?;
    Usd::of_dollars(amounts.iter().sum())
}

#[cfg(test)]
mod tests;
