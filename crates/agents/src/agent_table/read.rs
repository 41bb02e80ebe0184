//! From YAML to a table: every key known, every value of its type.

use std::collections::BTreeMap;

use serde_yaml::Value;

use super::selector::{conditions, selector, taking};
use super::template::{Placeholder, Template};
use super::{
    AgentFailure, AgentTable, EnvRules, FailureSign, MessageFrom, OwnSandbox, PromptBy, Records, SessionFrom,
    Stdio, StopLadder,
};
use super::{arguments, home, interactive, keys, kit, version};
use crate::agent_stream::select::Selector;
use tdd_core::fix::Writes;
use tdd_core::trouble::Trouble;
use tdd_spec::strict::amount::{duration_ms, size_bytes};
use tdd_spec::strict::{Table, about, entries, list, missing, text, unknown_word, variable, wrong_type};

pub(super) fn table(name: &str, yaml: &Value) -> Result<AgentTable, Trouble> {
    let map = Table::open(format!("agents.{name}"), yaml, &keys::names())?;
    let (message, told) = message(&map)?;
    let own_sandbox = own_sandbox(&map)?;
    let starts = arguments::starts(&map, own_sandbox)?;
    let table = AgentTable {
        name: name.to_owned(),
        argv: starts.first,
        resume_argv: starts.resume,
        prompt: prompt(&map)?,
        stdio: stdio(&map)?,
        session: session(&map, told)?,
        message,
        turns: map.get("turns").map(|value| counting(&map.at("turns"), value)).transpose()?,
        usage: super::usage::sources(&map)?,
        started: map.get("started").map(|value| counting(&map.at("started"), value)).transpose()?,
        settings_seen: map
            .get("settings_seen")
            .map(|value| counting(&map.at("settings_seen"), value))
            .transpose()?,
        denied: takings(&map, "denied")?,
        doing: takings(&map, "doing")?,
        records: records(&map)?,
        error: takings(&map, "error")?,
        resets: takings(&map, "resets")?,
        env: env(&map)?,
        state_dirs: home::state_dirs(&map)?,
        uses_home: home::uses_home(&map)?,
        hide: home::hide(&map)?,
        own_sandbox,
        protect: home::protect(&map)?,
        versions: version::read(&map)?,
        files: files(&map)?,
        ok_exit: ok_exit(&map)?,
        exit_map: exit_map(&map)?,
        failures: failures(&map)?,
        max_turns: max_turns(&map)?,
        wall_ms: duration(&map, "wall")?,
        idle_ms: duration(&map, "idle")?,
        output_cap: size(&map, "output_cap")?,
        stop: stop(&map)?,
        writes: writes(&map)?,
        interactive: interactive::read(&map, own_sandbox)?,
        kit: kit::read(&map)?,
    };
    check_whole(&map, &table)?;
    Ok(table)
}

/// What no single key can tell.
fn check_whole(map: &Table<'_>, table: &AgentTable) -> Result<(), Trouble> {
    if table.resume_argv.is_some() && table.session.is_none() {
        return Err(about(map.at("resume_argv"), "is never used")
            .because("nothing says where the id of a session is found")
            .advise("add `session: new-uuid` or a selector, or take `resume_argv` out"));
    }
    let uses = |placeholder| {
        table.argv.uses(placeholder) || table.resume_argv.as_ref().is_some_and(|argv| argv.uses(placeholder))
    };
    if table.settings_seen.is_some() && table.turns.is_none() {
        return Err(about(map.at("settings_seen"), "would come too late")
            .because("it must be seen before the first turn, and nothing says what a turn is")
            .advise("add `turns:`, or take `settings_seen` out"));
    }
    if table.prompt != PromptBy::Argv && uses(Placeholder::Prompt) {
        return Err(about(map.at("argv"), "uses {prompt}")
            .because("the prompt is an argument only with `prompt: argv`")
            .advise("write `prompt: argv`, or use {prompt_file}"));
    }
    if table.prompt == PromptBy::File && !table.argv.uses(Placeholder::PromptFile) && !uses_run_dir(table) {
        return Err(about(map.at("argv"), "does not give the prompt to the agent")
            .because("with `prompt: file` an argument must name {prompt_file}")
            .advise("add \"{prompt_file}\" to argv, or write `prompt: stdin`"));
    }
    Ok(())
}

/// A table may name the exchange folder instead: the prompt is always `prompt.md` there.
fn uses_run_dir(table: &AgentTable) -> bool {
    table.argv.uses(Placeholder::RunDir)
        || table
            .env
            .set
            .iter()
            .any(|(_, value)| value.uses(Placeholder::RunDir) || value.uses(Placeholder::PromptFile))
}

fn prompt(map: &Table<'_>) -> Result<PromptBy, Trouble> {
    match map.text("prompt")?.as_deref() {
        None | Some("file") => Ok(PromptBy::File),
        Some("stdin") => Ok(PromptBy::Stdin),
        Some("argv") => Ok(PromptBy::Argv),
        Some(other) => Err(unknown_word(&map.at("prompt"), other, &["file", "stdin", "argv"])),
    }
}

fn stdio(map: &Table<'_>) -> Result<Stdio, Trouble> {
    match map.text("stdio")?.as_deref() {
        None | Some("pty") => Ok(Stdio::Pty),
        Some("pipe") => Ok(Stdio::Pipe),
        Some(other) => Err(unknown_word(&map.at("stdio"), other, &["pty", "pipe"])),
    }
}

/// The message, and the session that `jsonl:` may name beside it.
fn message(map: &Table<'_>) -> Result<(MessageFrom, Option<SessionFrom>), Trouble> {
    let Some(value) = map.get("message") else { return Ok((MessageFrom::Stdout, None)) };
    let outer = Table::open(map.at("message"), value, &["from", "path", "file", "json", "jsonl"])?;
    let inner = match outer.get("from") {
        Some(from @ Value::Mapping(_)) => Table::open(outer.at("from"), from, &["file", "json", "jsonl"])?,
        _ => outer.clone(),
    };
    let from = if inner.has("from") { inner.text("from")? } else { None };
    let is = |keys: &[&str]| {
        let all = ["from", "path", "file", "json", "jsonl"];
        all.iter().all(|key| inner.has(key) == keys.contains(key))
    };
    match from.as_deref() {
        Some("stdout") if is(&["from"]) => Ok((MessageFrom::Stdout, None)),
        Some("file") if is(&["from", "path"]) => {
            Ok((MessageFrom::File { path: path(&inner, "path")?, stream: None }, None))
        }
        Some("file") => Err(no_place(outer.path()).because("`from: file` needs `path:` and nothing else")),
        Some(word) if word != "stdout" => Err(unknown_word(&inner.at("from"), word, &["stdout", "file"])),
        None if is(&["file"]) => Ok((MessageFrom::File { path: path(&inner, "file")?, stream: None }, None)),
        None if is(&["json"]) => {
            let document = inner.get("json").unwrap_or(&Value::Null);
            Ok((MessageFrom::Json(taking(&inner.at("json"), document, &["where", "take"])?), None))
        }
        None if is(&["jsonl"]) => {
            lines(&inner).map(|(lines, session)| (MessageFrom::JsonLines(lines), session))
        }
        None if is(&["file", "jsonl"]) => {
            let path = path(&inner, "file")?;
            lines(&inner).map(|(lines, session)| (MessageFrom::File { path, stream: Some(lines) }, session))
        }
        _ => Err(no_place(outer.path())),
    }
}

fn no_place(at: &str) -> Trouble {
    about(at, "does not name one place")
        .because("the final message is found in exactly one way")
        .advise("write one of {from: stdout}, {file: PATH}, {json: POINTER}, {jsonl: {where: …, take: …}}")
}

fn lines(map: &Table<'_>) -> Result<(Selector, Option<SessionFrom>), Trouble> {
    let at = map.at("jsonl");
    let value = map.get("jsonl").unwrap_or(&Value::Null);
    let lines = taking(&at, value, &["where", "take", "by", "session"])?;
    let told = match value.get("session") {
        Some(value) => Some(session_from(&format!("{at}.session"), value)?),
        None => None,
    };
    Ok((lines, told))
}

fn path(map: &Table<'_>, key: &str) -> Result<Template, Trouble> {
    match map.text(key)?.filter(|path| !path.is_empty()) {
        Some(path) => Template::read(&map.at(key), &path),
        None => Err(missing(&map.at(key), "the path of the message's file")),
    }
}

fn session(map: &Table<'_>, told: Option<SessionFrom>) -> Result<Option<SessionFrom>, Trouble> {
    match map.get("session") {
        None => Ok(told),
        Some(_) if told.is_some() => Err(about(map.at("session"), "is said twice")
            .because("`message.jsonl.session` says it too")
            .advise("take one of them out")),
        Some(value) => session_from(&map.at("session"), value).map(Some),
    }
}

fn session_from(at: &str, value: &Value) -> Result<SessionFrom, Trouble> {
    if matches!(value, Value::String(word) if word == "new-uuid") {
        return Ok(SessionFrom::NewUuid);
    }
    taking(at, value, &["where", "take"]).map(SessionFrom::Told)
}

fn counting(at: &str, value: &Value) -> Result<Selector, Trouble> {
    selector(at, value, &["where", "take", "by"])
}

/// A list of selectors, each of which says what to take.
fn takings(map: &Table<'_>, key: &str) -> Result<Vec<Selector>, Trouble> {
    let at = map.at(key);
    let Some(value) = map.get(key) else { return Ok(Vec::new()) };
    let items = list(&at, value)?.iter().enumerate();
    items.map(|(index, item)| taking(&format!("{at}[{index}]"), item, &["where", "take"])).collect()
}

fn own_sandbox(map: &Table<'_>) -> Result<OwnSandbox, Trouble> {
    // YAML has two spellings of a switch, and a person may mean either.
    match map.get("own_sandbox") {
        None | Some(Value::Bool(false)) => Ok(OwnSandbox::Off),
        Some(Value::Bool(true)) => Ok(OwnSandbox::On),
        Some(value) => match text(&map.at("own_sandbox"), value)?.as_str() {
            "on" => Ok(OwnSandbox::On),
            "off" => Ok(OwnSandbox::Off),
            other => Err(unknown_word(&map.at("own_sandbox"), other, &["on", "off"])),
        },
    }
}

fn records(map: &Table<'_>) -> Result<Option<Records>, Trouble> {
    match map.text("records")?.as_deref() {
        None => Ok(None),
        Some("codex") => Ok(Some(Records::Codex)),
        Some(other) => Err(unknown_word(&map.at("records"), other, &["codex"])),
    }
}

fn env(map: &Table<'_>) -> Result<EnvRules, Trouble> {
    let Some(value) = map.get("env") else { return Ok(EnvRules::default()) };
    let inner = Table::open(map.at("env"), value, &["set", "pass"])?;
    let mut set = Vec::new();
    for (name, value) in inner.text_map("set")? {
        let at = format!("{}.{name}", inner.at("set"));
        variable(&at, &name)?;
        set.push((name, Template::read(&at, &value)?));
    }
    let pass = inner.texts("pass")?;
    for name in pass.iter().flatten() {
        variable(&inner.at("pass"), name)?;
    }
    Ok(EnvRules { set, pass })
}

fn files(map: &Table<'_>) -> Result<BTreeMap<String, Template>, Trouble> {
    let mut files = BTreeMap::new();
    for (name, content) in map.text_map("files")? {
        let at = format!("{}.{name}", map.at("files"));
        let is_plain = !name.is_empty() && !name.contains('/') && !name.starts_with('.');
        if !is_plain || ["prompt.md", "role.md"].contains(&name.as_str()) {
            return Err(about(&at, "is no name for a generated file")
                .because("such files lie beside prompt.md and role.md in the exchange folder")
                .advise("use a plain name, for example role.json"));
        }
        files.insert(name, Template::read(&at, &content)?);
    }
    Ok(files)
}

fn exit_code(at: &str, value: &Value) -> Result<i32, Trouble> {
    let code = value.as_u64().filter(|code| *code <= 255).and_then(|code| i32::try_from(code).ok());
    code.ok_or_else(|| wrong_type(at, value, "an exit code from 0 to 255"))
}

fn ok_exit(map: &Table<'_>) -> Result<Vec<i32>, Trouble> {
    let at = map.at("ok_exit");
    match map.get("ok_exit") {
        None => Ok(vec![0]),
        Some(single @ Value::Number(_)) => Ok(vec![exit_code(&at, single)?]),
        Some(value) => list(&at, value)?.iter().map(|code| exit_code(&at, code)).collect(),
    }
}

fn exit_map(map: &Table<'_>) -> Result<BTreeMap<i32, AgentFailure>, Trouble> {
    let at = map.at("exit_map");
    let Some(value) = map.get("exit_map") else { return Ok(BTreeMap::new()) };
    let Value::Mapping(codes) = value else {
        return Err(wrong_type(&at, value, "a mapping of exit codes to failures"));
    };
    codes.iter().map(|(code, word)| Ok((exit_code(&at, code)?, failure(&at, &text(&at, word)?)?))).collect()
}

fn failure(at: &str, word: &str) -> Result<AgentFailure, Trouble> {
    let found = AgentFailure::ALL.into_iter().find(|failure| failure.name() == word);
    found.ok_or_else(|| unknown_word(at, word, &AgentFailure::ALL.map(AgentFailure::name)))
}

fn failures(map: &Table<'_>) -> Result<Vec<(AgentFailure, FailureSign)>, Trouble> {
    let at = map.at("failures");
    let Some(value) = map.get("failures") else { return Ok(Vec::new()) };
    let mut failures = Vec::new();
    for (word, signs) in entries(&at, value)? {
        let failure = failure(&at, &word)?;
        let at = format!("{at}.{word}");
        for sign in list(&at, signs)? {
            let sign = match sign.as_str() {
                Some(text) if !text.is_empty() => FailureSign::Text(text.to_owned()),
                Some(_) | None => {
                    FailureSign::Line(Selector { filter: conditions(&at, sign)?, take: None, by: None })
                }
            };
            failures.push((failure, sign));
        }
    }
    Ok(failures)
}

fn max_turns(map: &Table<'_>) -> Result<Option<u32>, Trouble> {
    map.number("max_turns", 1..=u32::MAX)
}

fn writes(map: &Table<'_>) -> Result<Writes, Trouble> {
    let Some(value) = map.get("code") else { return Ok(Writes::Code) };
    let code = value.as_bool().ok_or_else(|| wrong_type(&map.at("code"), value, "true or false"))?;
    Ok(Writes::from(code))
}

fn duration(map: &Table<'_>, key: &str) -> Result<Option<u64>, Trouble> {
    let Some(value) = map.get(key) else { return Ok(None) };
    let read = value.as_str().and_then(duration_ms);
    read.map(Some).ok_or_else(|| wrong_type(&map.at(key), value, "a duration with its unit, like 30m or 90s"))
}

fn size(map: &Table<'_>, key: &str) -> Result<Option<u64>, Trouble> {
    let Some(value) = map.get(key) else { return Ok(None) };
    let read = value.as_str().and_then(size_bytes).or_else(|| value.as_u64().filter(|bytes| *bytes > 0));
    read.map(Some).ok_or_else(|| wrong_type(&map.at(key), value, "a size with its unit, like 64MiB"))
}

fn stop(map: &Table<'_>) -> Result<StopLadder, Trouble> {
    let Some(value) = map.get("stop") else { return Ok(StopLadder::default()) };
    let inner = Table::open(map.at("stop"), value, &["interrupt", "terminate"])?;
    let default = StopLadder::default();
    Ok(StopLadder {
        interrupt_ms: duration(&inner, "interrupt")?.unwrap_or(default.interrupt_ms),
        terminate_ms: duration(&inner, "terminate")?.unwrap_or(default.terminate_ms),
    })
}
