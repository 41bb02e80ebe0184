//! What stdout carries for programs has the shape that `tdd schema` tells: the kept schemas are those of the types,
//! and every line that any test of this suite sees is held against them ([`hold`]).

use std::collections::BTreeSet;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use tdd::text::config;
use tdd::text::object::schema::Name;

use super::sandbox::Sandbox;

static EVENTS: LazyLock<Validator> = LazyLock::new(|| validator(Name::Events));
static LAST: LazyLock<Validator> = LazyLock::new(|| validator(Name::Last));
/// The types of a last line.
static KINDS: LazyLock<Vec<String>> = LazyLock::new(|| kinds(&schema(Name::Last)));

fn schema(name: Name) -> Value {
    serde_json::from_str(&name.text()).unwrap()
}

fn validator(name: Name) -> Validator {
    jsonschema::draft202012::new(&schema(name)).unwrap()
}

/// Holds each line that is an object of `tdd`'s, in a version that has a schema, against it.
pub fn hold(stdout: &str) {
    for line in stdout.lines().filter(|line| line.starts_with('{')) {
        let Ok(value) = serde_json::from_str::<Value>(line) else { continue };
        if let Some(wrong) = wrong(&value) {
            panic!("{wrong}\nin: {line}");
        }
    }
}

/// What is wrong with an object; lines of a journal have a `seq`, and are described in `specs/journal.md`.
fn wrong(value: &Value) -> Option<String> {
    let (Some(kind), Some(_), None) = (value["type"].as_str(), value.get("v"), value.get("seq")) else {
        return None;
    };
    let validator = match (value.get("ts"), KINDS.iter().any(|known| known == kind)) {
        (Some(_), _) => &EVENTS,
        (None, true) => &LAST,
        (None, false) => return None,
    };
    validator.validate(value).err().map(|error| format!("{} at {}", error, error.instance_path()))
}

fn kinds(schema: &Value) -> Vec<String> {
    let all = schema["oneOf"].as_array().unwrap();
    all.iter().filter_map(|one| one["properties"]["type"]["const"].as_str()).map(str::to_owned).collect()
}

/// A run that ends well, one that halts and one that is never begun: the last line has the code that the program ends
/// with, and nothing else is on stdout.
#[test]
fn ac_tdd_6_19_the_last_line_carries_the_exit_code() {
    left_to_the_night!();
    let sandbox = Sandbox::with(&[("README.md", "x")]);
    for (args, kind) in [
        (&["demo", "--json"][..], "summary"),
        (&["demo", "--halt", "B", "--json=summary"], "halt_report"),
        (&["STE-99", "--json"], "error"),
        (&["STE-99", "--all", "--json=summary"], "error"),
        (&["wait", "nobody", "--json"], "error"),
        (&["status", "nobody", "--json"], "error"),
        (&["fix", "--no-such-flag", "--json"], "error"),
        (&["fix", "--check", "true", "--max-retries", "0", "--json"], "fix"),
    ] {
        let ran = sandbox.tdd(args);
        let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let last = lines.last().unwrap();
        assert_eq!((&last["type"], &last["exit"]), (&kind.into(), &ran.code.into()), "{args:?}: {last}");
        assert_eq!(wrong(last), None, "{args:?}");
        assert!(lines.iter().rev().skip(1).all(|line| line.get("exit").is_none()), "{args:?}");
        assert_eq!(lines.len() == 1, args[args.len() - 1] != "--json" || kind == "error", "{args:?}");
    }
}

/// The twin: people are told as ever, and what only looks like the flag is none.
#[test]
fn ac_tdd_6_19_a_person_reads_words_alone() {
    let sandbox = Sandbox::with(&[("README.md", "x")]);
    assert_eq!(sandbox.tdd(&["STE-99"]).expect(2).says(&["no requirement STE-99"]).stdout, "");
    assert_eq!(sandbox.tdd(&["wait", "--", "--json"]).expect(2).stdout, "");
}

#[test]
fn ac_tdd_6_18_each_schema_is_printed_and_says_no_to_what_is_none() {
    let sandbox = Sandbox::empty();
    let names = sandbox.tdd(&["schema"]).expect(0).stdout;
    for name in Name::ALL {
        assert!(names.contains(name.name()), "{names}");
        let printed = sandbox.tdd(&["schema", name.name()]).expect(0).stdout;
        let schema: Value = serde_json::from_str(&printed).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{}", name.name());
        // Of `tdd.yaml` nothing need be there, and nothing unknown may be.
        let none =
            if name == Name::Config { serde_json::json!({ "tset": "make" }) } else { serde_json::json!({}) };
        assert!(!validator.is_valid(&none), "{}", name.name());
    }
    sandbox.tdd(&["schema", "evnets"]).expect(2).says(&["events"]);
}

/// Every key is in both, and what one of them takes or refuses, the other does.
#[test]
fn ac_tdd_6_20_the_schema_of_the_settings_is_that_of_their_reader() {
    let schema = schema(Name::Config);
    let told: BTreeSet<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(told, config::KEYS.iter().copied().collect());
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let documents = [include_str!("../../docs/src/configuration.md"), include_str!("../../docs/src/use.md")];
    let blocks = documents.iter().flat_map(|text| text.split("```yaml\n").skip(1));
    let of_docs = blocks.map(|block| (block.split("```").next().unwrap(), true));
    let cases = [
        ("", true),
        ("test: make\ngate:\n", true),
        ("tset: make\n", false),
        ("test: 5\n", false),
        ("test: ''\n", false),
        ("runner: { kind: junit, all: make, report: out.xml, select: 'make {files}' }\n", true),
        ("runner: { kind: junti, all: make, report: out.xml }\n", false),
        ("runner: { kind: exit-code, all: make, select: make }\n", false),
        ("runner: { all: make }\n", false),
        ("roles: { implementer: { agent: codex, model: m, max_turns: 3 }, fixer: { code: false } }\n", true),
        ("roles: { implementor: { agent: codex } }\n", false),
        ("roles: { implementer: { max_turns: 0 } }\n", false),
        ("budgets: { semantic: 9, format: 0 }\n", true),
        ("budgets: { semantic: 0 }\n", false),
        ("budgets: { format: -1 }\n", false),
        ("budgets: { semantic: 1.5 }\n", false),
        ("deadline: 1h30m\nidle_deadline: 5s\n", true),
        ("deadline: 90\n", false),
        ("deadline: 10min\n", false),
        ("backoff: []\n", true),
        ("backoff: [0s, 1m]\n", true),
        ("backoff: [soon]\n", false),
        ("max_usd: 5\nmax_usd_attempt: $0.50\nmax_tokens: 2M\nmax_wall: 1h\n", true),
        ("max_usd: dear\n", false),
        ("max_tokens: -2\n", false),
        ("sandbox: audit\n", true),
        ("sandbox: { home: rw, network: off, hide: ['~/notes', '!~/.ssh'] }\n", true),
        ("sandbox: { network: false }\n", true),
        ("sandbox: loose\n", false),
        ("sandbox: { hide: [notes] }\n", false),
        ("sandbox: { hidden: [] }\n", false),
        ("proof: quick\nregression: end\non_missing_block: take\n", true),
        ("proof: none\n", false),
        ("session_gate: { mode: warn, free: ['docs/**'], tools: { Look: read } }\n", true),
        ("session_gate: { tools: { Look: see } }\n", false),
        ("test_command_for: 'make test ONLY={id}'\n", true),
        ("test_command_for: make test\n", false),
        ("fix: { checks: ['mypy .'], max_retries: 3, type_deadline: 60s }\n", true),
        ("fix: { max_retries: 21 }\n", false),
        ("- test\n", false),
    ];
    let mut seen = 0;
    for (text, is_taken) in cases.into_iter().chain(of_docs) {
        let value: Value = serde_yaml::from_str(text).unwrap();
        let read = config::read("tdd.yaml", text);
        assert_eq!(read.is_ok(), is_taken, "{text}: {read:?}");
        assert_eq!(validator.is_valid(&value), is_taken, "{text}: {:?}", validator.validate(&value).err());
        seen += 1;
    }
    assert!(seen > 42, "the examples of the guide are not found: {seen}");
}
