//! The schemas of what stdout carries for programs, and of `tdd.yaml` (`tdd schema`).
//!
//! Those of objects and events are made from their types, by a test: what is made is kept in `specs/schema`, so that a
//! change of a shape is seen where it is made, and the program prints what is kept there. So it holds nothing of what
//! makes them, which is a quarter of the core's code.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::VERSION;

const LAST: &str = include_str!("../../../specs/schema/last.json");

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// A line of `--json` while a run is at work.
    Events,
    /// The last line, whatever the run came to.
    Last,
    Summary,
    Halt,
    Fix,
    /// `tdd.yaml`.
    Config,
}

impl Name {
    pub const ALL: [Self; 6] = [Self::Events, Self::Last, Self::Summary, Self::Halt, Self::Fix, Self::Config];

    pub fn name(self) -> &'static str {
        match self {
            Self::Events => "events",
            Self::Last => "last",
            Self::Summary => "summary",
            Self::Halt => "halt",
            Self::Fix => "fix",
            Self::Config => "config",
        }
    }

    /// What it is of, for people.
    pub fn about(self) -> &'static str {
        match self {
            Self::Events => "each line of `--json` but the last",
            Self::Last => "the last line of `--json`, and the one of `--json=summary`: all that it may be",
            Self::Summary => "a run that went through; also `summary.json` in its folder",
            Self::Halt => "a run that halted; also `halt.json` in its folder",
            Self::Fix => "a run of `tdd fix`",
            Self::Config => "tdd.yaml",
        }
    }

    /// The schema, as JSON.
    pub fn text(self) -> Cow<'static, str> {
        match self {
            Self::Events => Cow::Borrowed(include_str!("../../../specs/schema/events.json")),
            Self::Last => Cow::Borrowed(LAST),
            Self::Config => Cow::Borrowed(include_str!("../../../specs/schema/config.json")),
            Self::Summary => Cow::Owned(self.only("summary")),
            Self::Halt => Cow::Owned(self.only("halt_report")),
            Self::Fix => Cow::Owned(self.only("fix")),
        }
    }

    fn title(self) -> Value {
        json!(format!("tdd, version {VERSION}: {}", self.about()))
    }

    /// The object of one type, and the definitions that it uses.
    fn only(self, kind: &str) -> String {
        let mut schema: Value = serde_json::from_str(LAST).unwrap_or_default();
        let all = schema["oneOf"].take();
        let is_it = |one: &&Value| one["properties"]["type"]["const"] == kind;
        let one = all.as_array().and_then(|all| all.iter().find(is_it)).cloned();
        schema["title"] = self.title();
        schema["allOf"] = json!([one]);
        let definitions = schema["$defs"].take();
        if let Value::Object(fields) = &mut schema {
            fields.remove("oneOf");
        }
        let mut used = Map::new();
        if let Value::Object(definitions) = &definitions {
            gather(&schema, definitions, &mut used);
        }
        schema["$defs"] = Value::Object(used);
        format!("{schema:#}\n")
    }
}

fn gather(schema: &Value, definitions: &Map<String, Value>, used: &mut Map<String, Value>) {
    match schema {
        Value::Object(fields) => {
            let named = fields.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix("#/$defs/"));
            if let Some((name, definition)) = named.and_then(|name| definitions.get_key_value(name))
                && used.insert(name.clone(), definition.clone()).is_none()
            {
                gather(definition, definitions, used);
            }
            fields.values().for_each(|value| gather(value, definitions, used));
        }
        Value::Array(all) => all.iter().for_each(|value| gather(value, definitions, used)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests;
