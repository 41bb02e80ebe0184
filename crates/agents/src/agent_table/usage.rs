//! Where a program tells its use.
//!
//! ```text
//! usage:  source | [source, …]    of several that tell a figure the largest counts
//! source: {where: …, by: POINTER, of: call | run | session, input: at, cached: at, output: at, usd: at}
//! at:     POINTER | [POINTER, …]  numbers there are added
//! ```
//!
//! `of` says what a line covers: one `call` of the model (all lines are added; those with the same
//! value at `by` are one call), the whole `run` of the program until then (the last line counts),
//! or the whole `session`, of which what it had before a resumption is subtracted. `input` is all
//! that the model read, `cached` the part of it that came from a cache.

use serde_yaml::Value;

use super::selector::{conditions, pointer};
use crate::agent_stream::pointer::Pointer;
use crate::agent_stream::select::{By, Selector};
use crate::agent_stream::usage::{Span, UsageSource};
use crate::agent_table::AgentTable;
use tdd_core::trouble::Trouble;
use tdd_core::usage::{Cap, Caps};
use tdd_spec::strict::{Table, about, list, missing, text, unknown_word};

const KEYS: &[&str] = &["where", "by", "of", "input", "cached", "output", "usd"];

pub(super) fn sources(map: &Table<'_>) -> Result<Vec<UsageSource>, Trouble> {
    let at = map.at("usage");
    match map.get("usage") {
        None => Ok(Vec::new()),
        Some(Value::Sequence(items)) => {
            items.iter().enumerate().map(|(index, item)| source(&format!("{at}[{index}]"), item)).collect()
        }
        Some(single) => Ok(vec![source(&at, single)?]),
    }
}

impl AgentTable {
    /// The first of these bounds that can't hold, because the program never tells its figure.
    pub fn cannot_hold(&self, caps: &Caps) -> Option<Cap> {
        let tells_usd = self.usage.iter().any(|source| !source.usd.is_empty());
        let tells_tokens =
            self.usage.iter().any(|source| !source.input.is_empty() || !source.output.is_empty());
        if caps.usd.is_some() && !tells_usd {
            return Some(Cap::Usd);
        }
        (caps.tokens.is_some() && !tells_tokens).then_some(Cap::Tokens)
    }
}

fn source(at: &str, value: &Value) -> Result<UsageSource, Trouble> {
    let map = Table::open(at, value, KEYS)?;
    let filter = match map.get("where") {
        Some(value) => conditions(&map.at("where"), value)?,
        None => Vec::new(),
    };
    let by = map.text("by")?.map(|text| pointer(&map.at("by"), &text).map(By::Value)).transpose()?;
    let source = UsageSource {
        lines: Selector { filter, take: None, by },
        span: span(&map)?,
        input: places(&map, "input")?,
        cached: places(&map, "cached")?,
        output: places(&map, "output")?,
        usd: places(&map, "usd")?,
    };
    let tells = [&source.input, &source.cached, &source.output, &source.usd];
    if tells.into_iter().all(Vec::is_empty) {
        return Err(about(at, "tells nothing")
            .because("it says which lines are meant, but not where a figure stands in them")
            .advise("add one of `input:`, `cached:`, `output:`, `usd:`, for example usd: /total_cost_usd"));
    }
    if source.span != Span::Call && source.lines.by.is_some() {
        return Err(about(map.at("by"), "means nothing")
            .because("of a run or a session the last line counts, so lines are not put together")
            .advise("take it out, or write `of: call`"));
    }
    Ok(source)
}

fn span(map: &Table<'_>) -> Result<Span, Trouble> {
    let names = Span::WORDS.map(|(name, _)| name);
    let Some(word) = map.text("of")? else {
        return Err(missing(&map.at("of"), "one of call, run, session"));
    };
    let found = Span::WORDS.into_iter().find(|(name, _)| *name == word);
    found.map(|(_, span)| span).ok_or_else(|| unknown_word(&map.at("of"), &word, &names))
}

fn places(map: &Table<'_>, key: &str) -> Result<Vec<Pointer>, Trouble> {
    let at = map.at(key);
    match map.get(key) {
        None => Ok(Vec::new()),
        Some(single @ Value::String(_)) => Ok(vec![pointer(&at, &text(&at, single)?)?]),
        Some(several) => list(&at, several)?.iter().map(|item| pointer(&at, &text(&at, item)?)).collect(),
    }
}
