//! What the schemas say of the words that lines of `--json` and of the journal hold.

use serde_json::Value;

use super::Topic;
use crate::text::object::schema::Name;

const WORDS: &str = "Words of the journal and of `--json`";

/// A word that is one of several that a field may hold, or the `type` of a line.
pub(super) fn of(word: &str) -> Vec<Topic> {
    let mut found: Vec<Topic> = Vec::new();
    for schema in [Name::Events, Name::Last].map(schema) {
        let lines = lines(&schema, word).map(|about| ("a line of `--json`".to_owned(), about));
        let types = schema["$defs"].as_object().into_iter().flatten();
        let types = types.filter_map(|(name, one)| Some((format!("of {name}"), said_of(word, one, None)?)));
        for (of, about) in lines.chain(types) {
            let topic = Topic { names: vec![word.to_owned()], kind: WORDS, text: format!("{of}: {about}") };
            if !found.contains(&topic) {
                found.push(topic);
            }
        }
    }
    found
}

/// What is said of the lines of this `type`.
fn lines(schema: &Value, word: &str) -> impl Iterator<Item = String> {
    let all = schema["oneOf"].as_array().into_iter().flatten();
    all.filter(move |one| one["properties"]["type"]["const"] == word).filter_map(|one| {
        let named = one["$ref"].as_str().and_then(|name| name.rsplit('/').next());
        about(one).or_else(|| about(&schema["$defs"][named?]))
    })
}

/// What stands nearest above the word.
fn said_of(word: &str, value: &Value, above: Option<&str>) -> Option<String> {
    let near = about(value).or_else(|| above.map(str::to_owned));
    let is_it = |one: &Value| one.as_str() == Some(word);
    let choice = value["enum"].as_array();
    // A variant that holds something: an object of this one field.
    let holds_one = |names: &Vec<Value>| names.len() == 1 && is_it(&names[0]);
    let is_variant =
        value["additionalProperties"] == false && value["required"].as_array().is_some_and(holds_one);
    if is_variant && value["description"].is_string() {
        return near;
    }
    if is_it(&value["const"]) || choice.is_some_and(|choice| choice.iter().any(is_it)) {
        return near;
    }
    let fields = value.as_object().into_iter().flat_map(|fields| fields.values());
    fields.chain(value.as_array().into_iter().flatten()).find_map(|one| said_of(word, one, near.as_deref()))
}

fn about(value: &Value) -> Option<String> {
    Some(value["description"].as_str()?.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn schema(name: Name) -> Value {
    serde_json::from_str(&name.text()).unwrap_or_default()
}
