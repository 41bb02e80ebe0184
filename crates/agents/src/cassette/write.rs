//! From what children did to a cassette: what `--record` keeps.
//!
//! ```text
//! recording = header { note | entry }
//! header    = "# tdd recording of " run LF …
//! note      = "# " what could not be recorded LF
//! ```
//!
//! Text is written as text, anything else as base64, under the keys that the reader knows.

use std::fmt::Write as _;

use serde_yaml::{Mapping, Value};

use crate::base64;
use tdd_core::attempt::{AgentEnd, Exhaustion};
use tdd_core::criterion::CriterionId;
use tdd_core::harmless;
use tdd_core::role::Role;
use tdd_core::terminal_noise;
use tdd_core::test::Exit;
use tdd_core::usage::Usage;

use super::{BASE64_PATH, MOST_TURNS};

const HEADER: &str = "# tdd recording of ";
/// The signal of a scripted crash.
const SIGABRT: i32 = 6;

/// One attempt as it went.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub role: Role,
    pub criterion: Option<CriterionId>,
    /// From 1, counting only attempts whose child came back.
    pub number: usize,
    pub actions: Vec<RecordedAction>,
    pub message: Option<String>,
    pub usage: Usage,
    pub turns: Option<u32>,
    pub duration_ms: u64,
    pub end: AgentEnd,
    /// What of it could not be recorded.
    pub lost: Vec<String>,
}

/// One file as it was left. Paths and targets are bytes: names need not be UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedAction {
    Delete(Vec<u8>),
    Write(Vec<u8>, Vec<u8>),
    Chmod(Vec<u8>, u32),
    Link(Vec<u8>, Vec<u8>),
}

/// The whole file. `about` are lines for its head, for people.
pub fn render(run: &str, about: &[String], entries: &[Recorded]) -> String {
    let mut text = format!("{HEADER}{}\n", harmless::line(run));
    for line in about {
        let _ = writeln!(text, "# {}", harmless::line(line));
    }
    for entry in entries {
        text.push('\n');
        let mut lost = entry.lost.clone();
        let yaml = yaml(entry, &mut lost);
        for line in &lost {
            let _ = writeln!(text, "# not recorded: {}", harmless::line(line));
        }
        text.push_str(&serde_yaml::to_string(&Value::Sequence(vec![yaml])).unwrap_or_default());
    }
    text
}

/// What of these attempts a replay can't do again, one line each.
pub fn losses(entries: &[Recorded]) -> Vec<String> {
    let mut all = Vec::new();
    for entry in entries {
        let mut lost = entry.lost.clone();
        let _ = yaml(entry, &mut lost);
        let of = entry.criterion.as_ref().map(|id| format!(" of {id}")).unwrap_or_default();
        all.extend(
            lost.into_iter().map(|line| format!("{}{of}, attempt {}: {line}", entry.role, entry.number)),
        );
    }
    all
}

/// Whether a file with this text is a recording of that run.
pub fn is_recording_of(text: &str, run: &str) -> bool {
    text.lines().next().and_then(|line| line.strip_prefix(HEADER)) == Some(run)
}

fn yaml(entry: &Recorded, lost: &mut Vec<String>) -> Value {
    let mut map = Mapping::new();
    let mut put = |key: &str, value: Value| map.insert(Value::from(key), value);
    put("role", entry.role.name().into());
    if let Some(id) = &entry.criterion {
        put("criterion", id.to_string().into());
    }
    put("number", Value::from(entry.number));
    put("takes", format!("{}ms", entry.duration_ms.max(1)).into());
    for (key, value) in actions(&entry.actions) {
        put(key, value);
    }
    if entry.usage != Usage::default() {
        put("usage", usage(&entry.usage));
    }
    if let Some(turns) = entry.turns.filter(|turns| *turns > 0) {
        put("turns", turns.min(MOST_TURNS).into());
    }
    let (misbehave, speaks) = ending(entry, lost);
    if let Some(message) = &entry.message {
        if terminal_noise::clean(message.as_bytes()) != *message {
            lost.push("control characters of the final message".to_owned());
        }
        put(if speaks { "raw" } else { "print" }, message.as_str().into());
    }
    if let Some(misbehave) = misbehave {
        put("misbehave", misbehave);
    }
    Value::Mapping(map)
}

/// How it ended, and whether the final message comes as one.
fn ending(entry: &Recorded, lost: &mut Vec<String>) -> (Option<Value>, bool) {
    let word = |word: &str| Some(Value::from(word));
    match entry.end {
        AgentEnd::Exited(Exit::Code(0)) if entry.message.is_none() => (word("silence"), true),
        AgentEnd::Exited(Exit::Code(0)) => (None, true),
        AgentEnd::Exited(Exit::Code(code)) => {
            let exit = Mapping::from_iter([(Value::from("exit"), Value::from(code.clamp(0, 255)))]);
            (Some(Value::Mapping(exit)), true)
        }
        AgentEnd::Exited(Exit::Signal(signal)) => {
            if signal != SIGABRT {
                lost.push(format!("its end by signal {signal}; a replay ends by signal {SIGABRT}"));
            }
            (word("crash"), false)
        }
        AgentEnd::Exited(Exit::Deadline | Exit::OutputCap) => (word("hang"), false),
        AgentEnd::Exhausted(Exhaustion::Output) => (word("flood"), false),
        // The turns and figures above reach the same bound again; silence reaches its deadline.
        AgentEnd::Exhausted(Exhaustion::Turns | Exhaustion::Wall | Exhaustion::Idle | Exhaustion::Cost) => {
            (word("hang"), false)
        }
    }
}

fn actions(actions: &[RecordedAction]) -> Vec<(&'static str, Value)> {
    let mut deleted = Vec::new();
    let [mut texts, mut bytes, mut modes, mut links] = [const { Vec::new() }; 4];
    for action in actions {
        match action {
            RecordedAction::Delete(gone) => deleted.push(Value::from(path(gone))),
            RecordedAction::Write(to, content) => match plain(content) {
                Some(text) => texts.push((path(to), text.to_owned())),
                None => bytes.push((path(to), base64::encode(content))),
            },
            RecordedAction::Chmod(of, mode) => modes.push((path(of), format!("{mode:04o}"))),
            RecordedAction::Link(at, target) => links.push((path(at), path(target))),
        }
    }
    let map = |pairs: Vec<(String, String)>| {
        Value::Mapping(pairs.into_iter().map(|(key, value)| (Value::from(key), Value::from(value))).collect())
    };
    let mut all = Vec::new();
    if !deleted.is_empty() {
        all.push(("delete", Value::Sequence(deleted)));
    }
    for (key, pairs) in [("write", texts), ("write_bytes", bytes), ("link", links), ("chmod", modes)] {
        if !pairs.is_empty() {
            all.push((key, map(pairs)));
        }
    }
    all
}

/// A text that YAML gives back as it was.
fn plain(bytes: &[u8]) -> Option<&str> {
    let is_odd = |letter: char| {
        (letter.is_control() && !"\n\t".contains(letter)) || "\u{feff}\u{2028}\u{2029}".contains(letter)
    };
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains(is_odd))
}

fn path(bytes: &[u8]) -> String {
    match plain(bytes).filter(|text| !text.starts_with(BASE64_PATH)) {
        Some(text) => text.to_owned(),
        None => format!("{BASE64_PATH}{}", base64::encode(bytes)),
    }
}

fn usage(usage: &Usage) -> Value {
    let counts = [("input", usage.input), ("cached", usage.cached), ("output", usage.output)];
    let mut map: Mapping =
        counts.into_iter().filter_map(|(key, count)| Some((Value::from(key), Value::from(count?)))).collect();
    if let Some(usd) = usage.usd {
        map.insert(Value::from("usd"), Value::from(usd.dollars()));
    }
    Value::Mapping(map)
}

#[cfg(test)]
mod tests {
    use super::super::{Action, Cassette, LastMessage, Misbehaviour};
    use super::*;
    use tdd_core::usage::Usd;

    fn recorded() -> Recorded {
        Recorded {
            role: Role::Implementer,
            criterion: CriterionId::new("X", 1),
            number: 2,
            actions: Vec::new(),
            message: Some("Done:\n  yes, \"all\" # of it\n".to_owned()),
            usage: Usage::default(),
            turns: None,
            duration_ms: 1500,
            end: AgentEnd::Exited(Exit::Code(0)),
            lost: Vec::new(),
        }
    }

    fn read_back(entry: &Recorded) -> super::super::Entry {
        let text = render("run", &["one".to_owned()], std::slice::from_ref(entry));
        let read = Cassette::read(&text).unwrap_or_else(|trouble| panic!("{trouble}\n{text}"));
        read.entries.into_iter().next().unwrap()
    }

    #[test]
    fn what_was_recorded_is_read_back() {
        let entry = recorded();
        let read = read_back(&entry);
        assert_eq!((read.role, read.number, read.takes_ms), (entry.role, Some(2), Some(1500)));
        assert_eq!(read.criterion, entry.criterion);
        assert_eq!(read.last, LastMessage::Raw(entry.message.unwrap()));
        assert_eq!(read.misbehave, Misbehaviour::None);
    }

    #[test]
    fn files_are_read_back_whatever_they_hold() {
        let odd = b"n\xff\xfe".to_vec();
        let actions = vec![
            RecordedAction::Delete(b"gone: yes".to_vec()),
            RecordedAction::Write(b"a b.txt".to_vec(), b"  one\n\ttwo  \n\n# three: '\"\n".to_vec()),
            RecordedAction::Write(b"null".to_vec(), b"true".to_vec()),
            RecordedAction::Write(b"empty".to_vec(), Vec::new()),
            RecordedAction::Write(odd.clone(), b"x\r\n\0".to_vec()),
            RecordedAction::Link(b"link".to_vec(), odd.clone()),
            RecordedAction::Chmod(b"a b.txt".to_vec(), 0o755),
        ];
        let read = read_back(&Recorded { actions, ..recorded() });
        let odd = format!("{BASE64_PATH}{}", base64::encode(&odd));
        let want = [
            Action::Delete("gone: yes".into()),
            Action::Write("a b.txt".into(), "  one\n\ttwo  \n\n# three: '\"\n".into()),
            Action::Write("null".into(), "true".into()),
            Action::Write("empty".into(), String::new()),
            Action::WriteBytes(odd.clone(), b"x\r\n\0".to_vec()),
            Action::Link("link".into(), odd),
            Action::Chmod("a b.txt".into(), 0o755),
        ];
        assert_eq!(read.actions, want);
    }

    #[test]
    fn each_end_is_played_again_or_named_as_lost() {
        for (end, message, want, losses) in [
            (AgentEnd::Exited(Exit::Code(3)), Some("x"), Misbehaviour::Exit(3), 0),
            (AgentEnd::Exited(Exit::Code(0)), None, Misbehaviour::Silence, 0),
            (AgentEnd::Exited(Exit::Signal(6)), None, Misbehaviour::Crash, 0),
            (AgentEnd::Exited(Exit::Signal(9)), None, Misbehaviour::Crash, 1),
            (AgentEnd::Exhausted(Exhaustion::Turns), Some("x"), Misbehaviour::Hang, 0),
            (AgentEnd::Exhausted(Exhaustion::Idle), None, Misbehaviour::Hang, 0),
            (AgentEnd::Exhausted(Exhaustion::Output), None, Misbehaviour::Flood, 0),
            (AgentEnd::Exited(Exit::Code(0)), Some("\u{1b}[1mx"), Misbehaviour::None, 1),
        ] {
            let entry = Recorded { end, message: message.map(str::to_owned), ..recorded() };
            assert_eq!(read_back(&entry).misbehave, want, "{end:?}");
            assert_eq!(super::losses(&[entry]).len(), losses, "{end:?}");
        }
    }

    #[test]
    fn figures_and_the_head_are_kept() {
        let usage = Usage { input: Some(7), cached: None, output: Some(2), usd: Some(Usd(42_137)) };
        let read = read_back(&Recorded { usage, turns: Some(3), ..recorded() });
        assert_eq!((read.usage, read.turns), (vec![usage], 3));
        let text = render("run-1", &["by\nnight".to_owned()], &[]);
        assert!(is_recording_of(&text, "run-1") && !is_recording_of(&text, "run-2"));
        assert!(text.lines().all(|line| line.starts_with('#')), "{text}");
    }
}
