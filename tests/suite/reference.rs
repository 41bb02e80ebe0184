//! The guide's reference is made from what the program knows: its command line, its settings, its events.
//! `UPDATE_FIXTURES=1 cargo test --test suite -- reference::` writes the pages anew.
#![expect(clippy::disallowed_methods, reason = "a test keeps what it makes")]

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value, json};

use tdd::text::object::schema::Name;
use tdd_agents::agent_table::keys;
use tdd_agents::agent_table::template::Placeholder;

const MADE: &str = "<!-- Made from the program by tests/suite/reference.rs. -->\n\n";

fn commands() -> String {
    let mut page = format!("{MADE}# Commands and flags\n\nAs `tdd COMMAND --help` tells them.\n");
    let mut whole = tdd::cli::whole().term_width(100);
    whole.build();
    let _ = write!(page, "\n## tdd\n\n```text\n{}\n```\n", plain(&mut whole));
    let names: Vec<String> = whole.get_subcommands().map(|one| one.get_name().to_owned()).collect();
    for name in names.iter().filter(|name| *name != "help") {
        let Some(one) = whole.find_subcommand_mut(name) else { continue };
        let _ = write!(page, "\n## tdd {name}\n\n```text\n{}\n```\n", plain(one));
    }
    page
}

fn plain(command: &mut clap::Command) -> String {
    let help = command.render_long_help().to_string();
    help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn schema(name: Name) -> Value {
    serde_json::from_str(&name.text()).unwrap()
}

/// For a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn settings() -> String {
    let mut page = format!(
        "{MADE}# All settings\n\nWhat may stand in `tdd.yaml`; [what they are for](configuration.md). `tdd schema config` \
         prints the same for an editor.\n\n| key | what it may be | what it says |\n|---|---|---|\n"
    );
    rows("", &schema(Name::Config), &mut page);
    page
}

fn rows(path: &str, table: &Value, page: &mut String) {
    for (key, value) in table["properties"].as_object().into_iter().flatten() {
        let key = format!("{path}{key}");
        let _ = writeln!(
            page,
            "| `{key}` | {} | {} |",
            cell(&kind(value)),
            cell(value["description"].as_str().unwrap())
        );
        rows(&format!("{key}."), value, page);
        for choice in value["anyOf"].as_array().into_iter().flatten() {
            rows(&format!("{key}."), choice, page);
        }
    }
}

fn kind(value: &Value) -> String {
    if let Some(words) = value["enum"].as_array() {
        let words = words.iter().filter(|word| !word.is_null());
        return words
            .map(|word| format!("`{}`", word.to_string().trim_matches('"')))
            .collect::<Vec<_>>()
            .join(", ");
    }
    if let Some(choices) = value["anyOf"].as_array() {
        return choices.iter().map(kind).collect::<Vec<_>>().join(", or ");
    }
    let types = value["type"].as_array().cloned().unwrap_or_else(|| vec![value["type"].clone()]);
    let names = types.iter().filter_map(Value::as_str).filter(|name| *name != "null");
    let names: Vec<&str> = names
        .map(|name| match name {
            "object" => "a table",
            "array" => "a list",
            "string" => "a text",
            "integer" => "a whole number",
            "number" => "a number",
            "boolean" => "true or false",
            other => panic!("no word for {other}"),
        })
        .collect();
    let (from, to) = (&value["minimum"], &value["maximum"]);
    let range = if to.is_null() { String::new() } else { format!(", {from} to {to}") };
    names.join(" or ") + &range
}

fn agent_table() -> String {
    let mut page = format!(
        "{MADE}# An agent's table\n\nWhat may stand under `agents:` in `tdd.yaml`, for [an agent of your own](agents.md). \
         A POINTER is a JSON pointer into a line of its stdout, `/result/text`; `where` is pointers with the value that must \
         be there, with a list of such values, or with `{{begins: TEXT, contains: TEXT}}`. A DURATION is `90s` or `30m`, a \
         SIZE `64MiB`.\n\n## Keys\n\n| key | what may stand there | what it says |\n|---|---|---|\n"
    );
    for key in keys::KEYS {
        let _ = writeln!(page, "| `{}` | `{}` | {} |", key.name, cell(key.shape), cell(key.about));
    }
    page.push_str(
        "\n## Placeholders\n\nIn `argv`, `resume_argv`, `env`, `files` and the path of `message`. `{{role}}` is the text \
         `{role}` itself; every other brace is an ordinary character.\n\n| placeholder | what stands there then |\n|---|---|\n",
    );
    for (name, about) in Placeholder::all() {
        let _ = writeln!(page, "| `{{{name}}}` | {} |", cell(about));
    }
    page
}

/// An editor completes the keys of an agent's table: the schema of `tdd.yaml` has them as the table's reader does.
fn with_agents(schema: &str) -> String {
    let mut schema: Value = serde_json::from_str(schema).unwrap();
    let about = |key: &keys::Key| {
        (key.name.to_owned(), json!({ "description": format!("{}: {}", key.shape, key.about) }))
    };
    let known: serde_json::Map<String, Value> = keys::KEYS.iter().map(about).collect();
    schema["properties"]["agents"]["additionalProperties"] =
        json!({ "type": ["object", "null"], "properties": known, "additionalProperties": false });
    format!("{schema:#}\n")
}

#[test]
fn ac_tdd_6_24_an_editor_knows_every_key_of_an_agents_table() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs/schema/config.json");
    let kept = std::fs::read_to_string(&file).unwrap();
    let made = with_agents(&kept);
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::write(&file, made).unwrap();
    } else {
        assert!(kept == made, "specs/schema/config.json lacks keys; UPDATE_FIXTURES=1 writes them");
    }
}

fn events() -> String {
    let mut page = format!(
        "{MADE}# What programs read\n\nEach line of `--json` is one of these objects, with the version of its shape, `v`; what \
         happens while a run is at work has its time, too, `ts`, in milliseconds since the epoch; the [last line](pipelines.md#for-programs) is one of the second \
         table and carries the exit code, `exit`. `tdd schema events` and `tdd schema last` print all of it, down to the \
         last field.\n\n## While a run is at work\n\n| type | what it tells | fields |\n|---|---|---|\n"
    );
    objects(&schema(Name::Events), &mut page);
    page.push_str("\n## The last line\n\n| type | what it tells | fields |\n|---|---|---|\n");
    objects(&schema(Name::Last), &mut page);
    page
}

fn objects(schema: &Value, page: &mut String) {
    for one in schema["oneOf"].as_array().unwrap() {
        let named = |value: &Value| {
            let name = value["$ref"].as_str()?.strip_prefix("#/$defs/")?;
            Some(schema["$defs"][name].clone())
        };
        let whole = named(one).unwrap_or(Value::Null);
        let about = one["description"].as_str().or(whole["description"].as_str()).unwrap_or_default();
        let mut fields: Vec<String> = [one, &whole]
            .into_iter()
            .flat_map(|value| value["properties"].as_object().into_iter().flatten())
            .filter(|(name, _)| *name != "type")
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        fields.dedup();
        let kind = one["properties"]["type"]["const"].as_str().unwrap();
        let _ = writeln!(page, "| `{kind}` | {} | {} |", cell(about), fields.join(", "));
    }
}

/// What `tdd explain` tells, by what it is of.
fn glossary() -> String {
    let mut page = format!(
        "{MADE}# Glossary\n\nWhat `tdd explain WORD` says, all of it. It knows the words of the journal and of `--json`, too: \
         `tdd explain run_started`.\n"
    );
    let mut kind = "";
    for topic in tdd::text::explain::topics() {
        if topic.kind != kind {
            kind = topic.kind;
            let _ = write!(page, "\n## {kind}\n\n| word | what it means |\n|---|---|\n");
        }
        let _ = writeln!(page, "| {} | {} |", cell(&topic.names.join(", ")), cell(&topic.text));
    }
    page
}

#[test]
fn ac_tdd_6_23_the_reference_of_the_guide_is_made_from_the_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src");
    let pages = [
        ("cli.md", commands()),
        ("settings.md", settings()),
        ("events.md", events()),
        ("agent-table.md", agent_table()),
        ("glossary.md", glossary()),
    ];
    for (name, made) in pages {
        let file = folder.join(name);
        if std::env::var_os("UPDATE_FIXTURES").is_some() {
            std::fs::write(&file, made).unwrap();
            continue;
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        let differs = kept.lines().zip(made.lines()).find(|(kept, made)| kept != made);
        assert!(kept == made, "{name} is another one, from {differs:?}; UPDATE_FIXTURES=1 writes it anew");
    }
}
