//! Selectors as the tables write them.

use serde_json::Value as Json;
use serde_yaml::Value;

use crate::agent_stream::pointer::Pointer;
use crate::agent_stream::select::{By, Condition, Selector};
use tdd_core::trouble::Trouble;
use tdd_spec::strict::{Table, about, entries, missing, text, wrong_type};

/// A pointer alone, or a mapping with `where` and the other keys of `known`.
pub(super) fn selector(at: &str, value: &Value, known: &[&str]) -> Result<Selector, Trouble> {
    if let Value::String(pointer) = value {
        return Ok(Selector { filter: Vec::new(), take: Some(self::pointer(at, pointer)?), by: None });
    }
    let map = Table::open(at, value, known)?;
    let filter = match map.get("where") {
        Some(value) => conditions(&map.at("where"), value)?,
        None => Vec::new(),
    };
    let at_key = |key: &str| -> Result<Option<Pointer>, Trouble> {
        map.text(key)?.map(|text| pointer(&map.at(key), &text)).transpose()
    };
    let take = at_key("take")?;
    let by = match map.get("by").and_then(Value::as_str) {
        Some("run") => Some(By::Run),
        Some(_) | None => at_key("by")?.map(By::Value),
    };
    if filter.is_empty() && take.is_none() {
        return Err(about(at, "selects nothing")
            .because("it has neither `where` nor `take`")
            .advise("say which lines are meant: where: {/type: result}"));
    }
    Ok(Selector { filter, take, by })
}

/// The same, and it must say what to take.
pub(super) fn taking(at: &str, value: &Value, known: &[&str]) -> Result<Selector, Trouble> {
    let selector = selector(at, value, known)?;
    if selector.take.is_none() {
        return Err(about(at, "does not say what to take")
            .because("a matching line is found, but not the text in it")
            .advise("add `take:` with a JSON pointer, for example take: /message/content/*/text"));
    }
    Ok(selector)
}

pub(super) fn conditions(at: &str, value: &Value) -> Result<Vec<Condition>, Trouble> {
    entries(at, value)?
        .into_iter()
        .map(|(key, value)| condition(&format!("{at}.{key}"), &key, value))
        .collect()
}

fn condition(at: &str, key: &str, value: &Value) -> Result<Condition, Trouble> {
    let place = pointer(at, key)?;
    match value {
        Value::Sequence(items) if !items.is_empty() => Ok(Condition::one_of(
            place,
            items.iter().map(|item| scalar(at, item)).collect::<Result<Vec<_>, _>>()?,
        )),
        Value::Mapping(_) => {
            let map = Table::open(at, value, &["begins", "contains"])?;
            let text = |key: &str| map.text(key).map(Option::unwrap_or_default);
            match (text("begins")?, text("contains")?) {
                (begins, contains) if begins.is_empty() && contains.is_empty() => {
                    Err(missing(&map.at("contains"), "a text"))
                }
                (begins, contains) => Ok(Condition::text(place, begins, contains)),
            }
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Sequence(_)
        | Value::Tagged(_) => Ok(Condition::one_of(place, vec![scalar(at, value)?])),
    }
}

fn scalar(at: &str, value: &Value) -> Result<Json, Trouble> {
    match value {
        Value::Null => Ok(Json::Null),
        Value::Bool(value) => Ok(Json::Bool(*value)),
        Value::Number(number) => {
            let whole = number.as_i64().map(Json::from).or_else(|| number.as_u64().map(Json::from));
            whole.ok_or_else(|| wrong_type(at, value, "a text, a whole number, true, false or null"))
        }
        Value::String(_) => text(at, value).map(Json::String),
        Value::Sequence(_) | Value::Mapping(_) | Value::Tagged(_) => {
            Err(wrong_type(at, value, "a text, a whole number, true, false or null"))
        }
    }
}

pub(super) fn pointer(at: &str, text: &str) -> Result<Pointer, Trouble> {
    Pointer::parse(text).ok_or_else(|| {
        about(at, format_args!("is no JSON pointer: `{text}`"))
            .because("a pointer begins with `/` and has `/` between its parts; `*` is every item of a list")
            .advise("for example /message/content/*/text")
    })
}
