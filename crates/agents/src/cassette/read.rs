//! From YAML to a cassette: every key known, every value of its type.

use serde_yaml::Value;

use super::{Action, ByCriterion, Cassette, Entry, LastMessage, MOST_TURNS, Misbehaviour, Say};
use crate::base64;
use tdd_core::claim::{ClaimStatus, Dispute};
use tdd_core::criterion::CriterionId;
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;
use tdd_core::usage::{Usage, Usd};
use tdd_spec::strict::amount::duration_ms;
use tdd_spec::strict::{Table, about, entries, list, missing, text, texts, unfit, unknown_word, wrong_type};

const ENTRY: &[&str] = &[
    "role",
    "criterion",
    "number",
    "takes",
    "prompt_has",
    "prompt_lacks",
    "delete",
    "write",
    "write_bytes",
    "append",
    "link",
    "chmod",
    "run",
    "print",
    "usage",
    "turns",
    "say",
    "raw",
    "misbehave",
];
const SAY: &[&str] =
    &["role", "status", "files", "command", "output_excerpt", "notes", "tests", "supersedes", "dispute"];
const ROLES: &[&str] = &["test-writer", "implementer", "refactorer", "fixer"];
const WORDS: &[&str] = &[
    "none",
    "no-block",
    "two-blocks",
    "unclosed-block",
    "wrong-role",
    "hang",
    "flood",
    "ignore-term",
    "daemon",
    "touch-test",
    "exit",
    "garbage",
    "crash",
    "silence",
];

pub(super) fn cassette(yaml: &Value) -> Result<Cassette, Trouble> {
    let items = if yaml.is_null() { &[] } else { list("cassette", yaml)? };
    let entries: Result<Vec<Entry>, Trouble> =
        items.iter().enumerate().map(|(index, item)| entry(&format!("entry {}", index + 1), item)).collect();
    Ok(Cassette { entries: entries? })
}

fn entry(at: &str, value: &Value) -> Result<Entry, Trouble> {
    let map = Table::open(at, value, ENTRY)?;
    let Some(role) = role(&map)? else {
        return Err(missing(&map.at("role"), "one of test-writer, implementer, refactorer, fixer"));
    };
    Ok(Entry {
        role,
        criterion: criterion(&map)?,
        number: map.number("number", 1..=u8::MAX)?,
        takes_ms: takes(&map)?,
        prompt_has: map.texts("prompt_has")?.unwrap_or_default(),
        prompt_lacks: map.texts("prompt_lacks")?.unwrap_or_default(),
        actions: actions(&map)?,
        print: map.text("print")?,
        usage: usage(&map)?,
        turns: turns(&map)?,
        last: last(&map, role)?,
        misbehave: misbehave(&map)?,
    })
}

fn role(map: &Table<'_>) -> Result<Option<Role>, Trouble> {
    let Some(name) = map.text("role")? else { return Ok(None) };
    Role::from_name(&name).map(Some).ok_or_else(|| unknown_word(&map.at("role"), &name, ROLES))
}

fn criterion(map: &Table<'_>) -> Result<Option<CriterionId>, Trouble> {
    let Some(id) = map.text("criterion")? else { return Ok(None) };
    let read = CriterionId::parse(&id);
    read.map(Some).ok_or_else(|| {
        wrong_type(&map.at("criterion"), &Value::String(id), "a criterion id, like AC-DEMO-1.1")
    })
}

fn actions(map: &Table<'_>) -> Result<Vec<Action>, Trouble> {
    let mut actions: Vec<Action> =
        map.texts("delete")?.unwrap_or_default().into_iter().map(Action::Delete).collect();
    actions.extend(map.text_map("write")?.into_iter().map(|(path, content)| Action::Write(path, content)));
    for (path, content) in map.text_map("write_bytes")? {
        let at = format!("{}.{path}", map.at("write_bytes"));
        let bytes = base64::decode(&content)
            .ok_or_else(|| unfit(&at, "it is no base64", "Encode its bytes as base64."))?;
        actions.push(Action::WriteBytes(path, bytes));
    }
    actions.extend(map.text_map("append")?.into_iter().map(|(path, content)| Action::Append(path, content)));
    actions.extend(map.text_map("link")?.into_iter().map(|(path, target)| Action::Link(path, target)));
    for (path, mode) in map.text_map("chmod")? {
        let bits = u32::from_str_radix(&mode, 8).ok().filter(|bits| *bits <= 0o7777);
        let at = format!("{}.{path}", map.at("chmod"));
        let bits =
            bits.ok_or_else(|| wrong_type(&at, &Value::String(mode), "a quoted octal mode, like \"0644\""))?;
        actions.push(Action::Chmod(path, bits));
    }
    if let Some(value) = map.get("run") {
        let at = map.at("run");
        let items = list(&at, value)?;
        let commands = match items.first() {
            Some(Value::Sequence(_)) => {
                items.iter().map(|item| texts(&at, item)).collect::<Result<Vec<_>, _>>()?
            }
            Some(_) | None => vec![texts(&at, value)?],
        };
        if commands.iter().any(Vec::is_empty) {
            return Err(unfit(&at, "it is an empty list", "It wants a program and its arguments."));
        }
        actions.extend(commands.into_iter().map(Action::Run));
    }
    Ok(actions)
}

fn takes(map: &Table<'_>) -> Result<Option<u64>, Trouble> {
    let Some(text) = map.text("takes")? else { return Ok(None) };
    let read = duration_ms(&text);
    read.map(Some).ok_or_else(|| {
        wrong_type(&map.at("takes"), &Value::String(text), "a duration with its unit, like 1500ms")
    })
}

fn usage(map: &Table<'_>) -> Result<Vec<Usage>, Trouble> {
    let at = map.at("usage");
    match map.get("usage") {
        None => Ok(Vec::new()),
        Some(Value::Sequence(calls)) => calls.iter().map(|call| one_usage(&at, call)).collect(),
        Some(single) => Ok(vec![one_usage(&at, single)?]),
    }
}

fn one_usage(at: &str, value: &Value) -> Result<Usage, Trouble> {
    let map = Table::open(at, value, &["input", "cached", "output", "usd"])?;
    let usd = map.get("usd").map(|value| {
        let amount = value.as_f64().and_then(Usd::of_dollars);
        amount.ok_or_else(|| wrong_type(&map.at("usd"), value, "an amount of dollars, like 0.25"))
    });
    Ok(Usage {
        input: map.number("input", 0..=u64::MAX)?,
        cached: map.number("cached", 0..=u64::MAX)?,
        output: map.number("output", 0..=u64::MAX)?,
        usd: usd.transpose()?,
    })
}

fn turns(map: &Table<'_>) -> Result<u32, Trouble> {
    Ok(map.number("turns", 0..=MOST_TURNS)?.unwrap_or(0))
}

fn last(map: &Table<'_>, role: Role) -> Result<LastMessage, Trouble> {
    match (map.get("say"), map.text("raw")?) {
        (Some(_), Some(_)) => Err(about(map.path(), "has both `say` and `raw`")
            .because("there is one final message")
            .advise("take one of them out")),
        (Some(value), None) => say(&map.at("say"), value, role).map(Box::new).map(LastMessage::Say),
        (None, Some(raw)) => Ok(LastMessage::Raw(raw)),
        (None, None) => Ok(LastMessage::Nothing),
    }
}

fn say(at: &str, value: &Value, role: Role) -> Result<Say, Trouble> {
    let map = Table::open(at, value, SAY)?;
    let status = match map.text("status")?.as_deref() {
        None | Some("ok") => ClaimStatus::Ok,
        Some("failed") => ClaimStatus::Failed,
        Some(other) => return Err(unknown_word(&map.at("status"), other, &["ok", "failed"])),
    };
    let dispute = match map.get("dispute") {
        None => None,
        Some(value) => {
            let inner = Table::open(map.at("dispute"), value, &["tests", "reason"])?;
            Some(Dispute {
                tests: inner.texts("tests")?.unwrap_or_default(),
                reason: inner.text("reason")?.unwrap_or_else(|| "the test is wrong".to_owned()),
            })
        }
    };
    Ok(Say {
        role: self::role(&map)?.unwrap_or(role),
        status,
        files: map.texts("files")?.unwrap_or_default(),
        command: map.text("command")?.unwrap_or_else(|| "the test command".to_owned()),
        output_excerpt: map.text("output_excerpt")?.unwrap_or_else(|| "as expected".to_owned()),
        notes: map.text("notes")?,
        tests: by_criterion(&map, "tests")?,
        supersedes: by_criterion(&map, "supersedes")?,
        dispute,
    })
}

fn by_criterion(map: &Table<'_>, key: &str) -> Result<ByCriterion, Trouble> {
    let at = map.at(key);
    let Some(value) = map.get(key) else { return Ok(ByCriterion::new()) };
    entries(&at, value)?
        .into_iter()
        .map(|(criterion, ids)| Ok((criterion.clone(), texts(&format!("{at}.{criterion}"), ids)?)))
        .collect()
}

/// A word, or `touch-test: PATH` and `exit: N`.
fn misbehave(map: &Table<'_>) -> Result<Misbehaviour, Trouble> {
    let at = map.at("misbehave");
    let Some(value) = map.get("misbehave") else { return Ok(Misbehaviour::None) };
    if value.is_mapping() {
        let inner = Table::open(&at, value, &["touch-test", "exit"])?;
        return match (inner.text("touch-test")?, inner.number("exit", 0..=u8::MAX)?) {
            (Some(path), None) => Ok(Misbehaviour::TouchTest(path)),
            (None, Some(code)) => Ok(Misbehaviour::Exit(code)),
            (Some(_), Some(_)) | (None, None) => {
                Err(wrong_type(&at, value, "one of touch-test: PATH and exit: N"))
            }
        };
    }
    Ok(match text(&at, value)?.as_str() {
        "none" => Misbehaviour::None,
        "no-block" => Misbehaviour::NoBlock,
        "two-blocks" => Misbehaviour::TwoBlocks,
        "unclosed-block" => Misbehaviour::UnclosedBlock,
        "wrong-role" => Misbehaviour::WrongRole,
        "hang" => Misbehaviour::Hang,
        "flood" => Misbehaviour::Flood,
        "ignore-term" => Misbehaviour::IgnoreTerm,
        "daemon" => Misbehaviour::Daemon,
        "garbage" => Misbehaviour::Garbage,
        "crash" => Misbehaviour::Crash,
        "silence" => Misbehaviour::Silence,
        other => return Err(unknown_word(&at, other, WORDS)),
    })
}
