//! One JSON object a line on stdout: the journal's event with `ts`, and nothing else.
//!
//! The journal keeps everything; this stream is for following a run. So what can be long is
//! shortened, always in the same way: `output`, `output_excerpt`, `text`, `greens`,
//! `gained` and `lost` are replaced by their size (`output_bytes`, `greens_count`, …); any other
//! text over [`TEXT_LIMIT`] bytes is cut, and any other list over [`LIST_LIMIT`] entries too, with the whole
//! size beside it under the same name plus `_bytes` or `_count`.

use std::io::Write;

use serde_json::{Map, Value};

use super::{lines, print};
use crate::text::object::{SIZES_ONLY, VERSION};
use tdd_core::audience::{Audience, News};
use tdd_core::event::Event;
use tdd_core::state::State;

/// Texts up to so many bytes are shown whole.
pub const TEXT_LIMIT: usize = 2000;
/// Lists up to so many entries are shown whole.
pub const LIST_LIMIT: usize = 100;

/// Writes events to `out` and notes to `aside`. Closed streams stop nothing.
pub struct Json<W, A> {
    out: W,
    aside: A,
}

impl<W: Write, A: Write> Json<W, A> {
    pub fn new(out: W, aside: A) -> Self {
        Self { out, aside }
    }
}

impl<W: Write, A: Write> Audience for Json<W, A> {
    fn event(&mut self, _state: &State, event: &Event, ts_ms: u64) {
        let whole = format!("{}\n", line(event, ts_ms));
        print::note(self.out.write_all(whole.as_bytes()).and_then(|()| self.out.flush()));
    }

    fn news(&mut self, news: &News) {
        match news {
            News::Note(text) => lines::note(&mut self.aside, text),
            News::ChildLine { .. }
            | News::Turns { .. }
            | News::Bounds { .. }
            | News::Running { .. }
            | News::Tick { .. } => {}
        }
    }
}

/// The object for one event.
pub fn line(event: &Event, ts_ms: u64) -> Value {
    let mut object = Map::new();
    object.insert("v".to_owned(), VERSION.into());
    object.insert("ts".to_owned(), ts_ms.into());
    match serde_json::to_value(event) {
        Ok(Value::Object(fields)) => object.extend(shorten_fields(fields)),
        Ok(_) | Err(_) => {
            object.insert("type".to_owned(), event.name().into());
        }
    }
    Value::Object(object)
}

fn shorten_fields(fields: Map<String, Value>) -> Map<String, Value> {
    let mut short = Map::new();
    for (name, value) in fields {
        let size = match &value {
            Value::String(text) if text.len() > TEXT_LIMIT => Some(("bytes", text.len())),
            Value::Array(list) if list.len() > LIST_LIMIT => Some(("count", list.len())),
            Value::String(text) if SIZES_ONLY.contains(&name.as_str()) => Some(("bytes", text.len())),
            Value::Array(list) if SIZES_ONLY.contains(&name.as_str()) => Some(("count", list.len())),
            Value::String(_)
            | Value::Array(_)
            | Value::Object(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_) => None,
        };
        if let Some((unit, size)) = size {
            short.insert(format!("{name}_{unit}"), size.into());
        }
        if size.is_none() || !SIZES_ONLY.contains(&name.as_str()) {
            short.insert(name, shorten(value));
        }
    }
    short
}

fn shorten(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > TEXT_LIMIT => Value::String(cut(&text)),
        Value::Array(list) => list.into_iter().take(LIST_LIMIT).map(shorten).collect(),
        Value::Object(fields) => Value::Object(shorten_fields(fields)),
        whole @ (Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_)) => whole,
    }
}

fn cut(text: &str) -> String {
    let mut end = TEXT_LIMIT;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}
