//! What an agent keeps of its person's own word beside the project's settings (`.claude/settings.local.json`): it
//! writes there itself in mid-turn, and by other keys of it hooks are switched off. Those keys are put back, be the
//! file ignored by git or not. Its text is not kept in git, since permissions often hold a secret.
//!
//! ```text
//! .tdd/sessions/<session>/own-settings     the keys that settle the gate, as a person has left them
//! .tdd/sessions/<session>/own-settings-new the last text that was put back
//! ```
#![expect(clippy::disallowed_methods, reason = "the settings are on the disk")]

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::desk::Desk;
use tdd_child::regular_file;
use tdd_core::event::GateMode;
use tdd_core::path::RelPath;

const SEEN: &str = "own-settings";
const NEW: &str = "own-settings-new";
const LARGEST: u64 = 4 << 20;
/// Where a person is asked and answers in mid-turn, that is what is written then.
const ANSWERS: [&str; 4] =
    ["permissions", "enabledMcpjsonServers", "disabledMcpjsonServers", "enableAllProjectMcpServers"];

/// Of the agents that have hooks, this one alone writes to a project's folder in mid-turn.
fn file(agent: &str) -> Option<&'static str> {
    (agent == "claude").then_some(".claude/settings.local.json")
}

fn path(desk: &Desk) -> Option<PathBuf> {
    file(&desk.state().started.agent).map(|file| desk.place.project.join(file))
}

/// Whether it is that file.
pub(super) fn is_it(desk: &Desk, path: &RelPath) -> bool {
    let file = file(&desk.state().started.agent).map(|file| desk.place.in_repository(file));
    file.is_some_and(|file| file == path.as_str())
}

/// Whether two texts of it differ in answers of the person's alone.
pub(super) fn settle_the_same(before: Option<&[u8]>, now: Option<&[u8]>) -> bool {
    let (before, now) = (before.unwrap_or_default(), now.unwrap_or_default());
    settling(before).is_some_and(|before| settling(now) == Some(before))
}

/// What is there when a turn begins is a person's.
pub(super) fn settle(desk: &Desk) {
    let Some(now) = path(desk).and_then(|path| read(&path).ok()) else { return };
    keep(desk, SEEN, &settling(&now).map_or(Value::Null, Value::Object));
}

/// In words what was put back; nothing where it settles what it did.
pub(super) fn put_back(desk: &Desk) -> String {
    let Some(path) = path(desk).filter(|_| desk.state().started.mode == GateMode::Strict) else {
        return String::new();
    };
    let Ok(now) = read(&path) else { return String::new() };
    let kept = regular_file::head(&desk.session.folder.join(SEEN), LARGEST).ok();
    let Some(before) = kept.and_then(|kept| serde_json::from_slice::<Value>(&kept).ok()) else {
        settle(desk);
        return String::new();
    };
    // A person's text that can't be read switches nothing; one that has come to be so, nobody knows.
    let other = settling(&now);
    let is_same = other.as_ref() == before.as_object();
    if is_same {
        return String::new();
    }
    let before = before.as_object().cloned().unwrap_or_default();
    let other = other.unwrap_or_default();
    let mut text = object(&now).unwrap_or_default();
    text.retain(|key, _| ANSWERS.contains(&key.as_str()));
    text.extend(before.clone());
    let _ = regular_file::write_private(&desk.session.folder.join(NEW), &now);
    let differing = |key: &&String| before.get(*key) != other.get(*key);
    let mut keys: Vec<&str> =
        other.keys().chain(before.keys()).filter(differing).map(String::as_str).collect();
    keys.sort_unstable();
    keys.dedup();
    let keys = match keys.as_slice() {
        [] => "what can't be read".to_owned(),
        keys => tdd_core::harmless::line(&keys.join(", ")),
    };
    let name = file(&desk.state().started.agent).unwrap_or_default();
    match write(&path, &text) {
        Ok(()) => format!(
            "tdd: {name} refused: {keys} in it may switch the gate off; only a person edits it. Put back; kept as {}",
            session_file(desk)
        ),
        Err(error) => format!(
            "tdd: {name} refused: {keys} in it may switch the gate off; it can't be put back ({error}). Stop and tell the \
             person"
        ),
    }
}

fn session_file(desk: &Desk) -> String {
    format!(".tdd/sessions/{}/{NEW}", desk.state().started.session.0)
}

/// Its text, through a link, too; none where it is not there.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match regular_file::open_linked(path) {
        Ok(file) => file.take(LARGEST).read_to_end(&mut bytes).map(|_| bytes),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(bytes),
        Err(error) => Err(error),
    }
}

/// No text is left where there is nothing to say.
fn write(path: &Path, text: &Map<String, Value>) -> io::Result<()> {
    if text.is_empty() {
        let gone = std::fs::remove_file(path);
        return gone
            .or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) });
    }
    let mut bytes = serde_json::to_vec_pretty(text)?;
    bytes.push(b'\n');
    regular_file::write(path, bytes)
}

fn object(text: &[u8]) -> Option<Map<String, Value>> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    if text.trim_ascii().is_empty() {
        return Some(Map::new());
    }
    serde_json::from_slice(text).ok()
}

fn settling(text: &[u8]) -> Option<Map<String, Value>> {
    let mut text = object(text)?;
    text.retain(|key, _| !ANSWERS.contains(&key.as_str()));
    Some(text)
}

/// Where it can't be kept nothing is put back.
fn keep(desk: &Desk, name: &str, value: &Value) {
    let at = desk.session.folder.join(name);
    let bytes = value.to_string().into_bytes();
    if regular_file::head(&at, LARGEST).is_ok_and(|kept| kept == bytes) {
        return;
    }
    let _ = regular_file::write_private(&at, &bytes);
}
