//! What is kept is what the types make.

use schemars::generate::{SchemaGenerator, SchemaSettings};
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};
use tdd_core::event::Event;

use super::Name;
use crate::text::object::{Object, SIZES_ONLY, VERSION};

#[expect(clippy::disallowed_methods, reason = "a test keeps what it makes")]
#[test]
fn ac_tdd_6_18_the_kept_schemas_are_those_of_the_types() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/schema");
    for name in Name::ALL {
        let Some(made) = made(name) else { continue };
        let made = serde_json::to_string_pretty(&made).unwrap() + "\n";
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            std::fs::write(folder.join(format!("{}.json", name.name())), &made).unwrap();
        } else {
            assert!(
                made == name.text(),
                "{}.json is another one: UPDATE_FIXTURES=1 writes it anew; a field that is gone, or means something \
                 else, is a new version",
                name.name()
            );
        }
    }
}

/// The schema as the types have it, of what is kept and made from types.
fn made(name: Name) -> Option<Value> {
    let mut schema = match name {
        Name::Events => events(),
        Name::Last => of::<Object>(),
        Name::Config | Name::Summary | Name::Halt | Name::Fix => return None,
    };
    schema["title"] = name.title();
    Some(schema)
}

fn of<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(Plain);
    SchemaGenerator::new(settings).into_root_schema_for::<T>().to_value()
}

/// An event of the journal, as the stream shows it: with `ts`, and with what is long by its size.
fn events() -> Value {
    let mut schema = of::<Event>();
    shorten(&mut schema);
    schema["properties"]["v"] = json!({ "description": "The version of its shape.", "const": VERSION });
    schema["properties"]["ts"] =
        json!({ "description": "Milliseconds since the epoch.", "type": "integer", "minimum": 0 });
    schema["required"] = json!(["v", "ts", "type"]);
    schema
}

/// What is only told by its size is no field that must be there.
fn shorten(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Array(required)) = fields.get_mut("required") {
                required.retain(|name| !SIZES_ONLY.iter().any(|size| name == size));
            }
            fields.values_mut().for_each(shorten);
        }
        Value::Array(all) => all.iter_mut().for_each(shorten),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Without what is for readers of the code alone: links to it, and the sizes of its numbers.
#[derive(Clone, Debug)]
struct Plain;

impl Transform for Plain {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(Value::String(text)) = schema.get_mut("description") {
            *text = unlinked(text);
        }
        let is_size = |format: &str| format.starts_with("uint") || format.starts_with("int");
        if schema.get("format").and_then(Value::as_str).is_some_and(is_size) {
            schema.remove("format");
        }
        transform_subschemas(self, schema);
    }
}

/// `[`Name`](path)` and `[`Name`]` as `Name` in backquotes, and no line that is broken.
fn unlinked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("[`") {
        out.push_str(&rest[..at]);
        let Some(end) = rest[at..].find("`]").map(|end| at + end + 1) else { break };
        out.push_str(&rest[at + 1..end]);
        rest = &rest[end + 1..];
        if rest.starts_with('(') {
            rest = rest.find(')').map_or(rest, |close| &rest[close + 1..]);
        }
    }
    out.push_str(rest);
    out.replace('\n', " ")
}
