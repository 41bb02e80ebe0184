//! How an agent is used by a person who sits at its screen.
//!
//! ```text
//! interactive: { argv: [ argument | group, … ], message: { file: PATH, take: POINTER, skip: [ where, … ] },
//!                quit: TEXT,                  what a person does to leave it, for the line before it starts
//!                transcripts: { in: NAME, of: PATH, files: PATTERN, usage: … },     see `Transcripts`
//!                state_dirs: { … } }          private folders as in `home`; else the person's own are used
//! ```
//!
//! Nothing on a full-screen program's screen is a source for a message: fences are dropped there and
//! lines wrapped. So the program tells the last message of each turn by a hook, as JSON that is appended
//! to a file. The last one that holds a block is it, else the last one. What is skipped was said to nobody:
//! codex also tells of a turn of its own, in which it makes up a title.

use serde_json::Value as Json;

use super::arguments;
use super::home::{self, StateDir};
use super::selector::{conditions, pointer};
use super::template::Placeholder;
use super::template::{Argv, Template};
use super::{AgentTable, MessageFrom, OwnSandbox, PromptBy, SessionFrom, Stdio, usage};
use crate::agent_stream::pointer::Pointer;
use crate::agent_stream::select::Selector;
use crate::agent_stream::usage::UsageSource;
use tdd_core::trouble::Trouble;
use tdd_spec::strict::{Table, list, missing, text, variable};
use tdd_spec::tdd_result;

/// What differs when a person sits at the agent's screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Interactive {
    pub argv: Argv,
    /// Relative to the exchange folder; a JSON document is appended at the end of each turn.
    pub file: Template,
    /// Where the message is in it.
    pub take: Pointer,
    /// Documents of turns that are the program's own.
    pub skip: Vec<Selector>,
    /// What a person does to leave it: `type /exit`.
    pub quit: Option<String>,
    /// Where it keeps what was said, with what it used.
    pub transcripts: Option<Transcripts>,
    /// For a program that can't be told to leave the person's own settings alone.
    pub state_dirs: Vec<StateDir>,
    /// What it keeps in the person's home.
    pub uses_home: Vec<String>,
}

/// JSON lines that the program writes of its sessions into a folder of its own. They are read for figures
/// alone, when it has ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Transcripts {
    /// The variable that names the folder.
    pub variable: String,
    /// It below HOME, where the variable is not set.
    pub of: String,
    /// The parts of a path below it: `*` is any text, `{session}` is the session's id.
    pub files: Vec<String>,
    pub usage: Vec<UsageSource>,
}

/// Where a session's id stands in [`Transcripts::files`].
const SESSION: &str = "{session}";

impl Transcripts {
    /// The patterns of a path's parts, for one session; `None` if they want an id that is not known.
    pub fn patterns(&self, session: Option<&str>) -> Option<Vec<String>> {
        let part = |part: &String| match session {
            Some(id) => Some(part.replace(SESSION, id)),
            None => (!part.contains(SESSION)).then(|| part.clone()),
        };
        self.files.iter().map(part).collect()
    }
}

/// Whether a name fits a pattern in which `*` is any text.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else { return rest.is_empty() };
    for part in between {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

impl Interactive {
    /// The message in what the hook wrote.
    pub fn message(&self, written: &str) -> Option<String> {
        let documents = serde_json::Deserializer::from_str(written).into_iter::<Json>();
        let messages = documents.map_while(Result::ok).filter_map(|json| {
            let is_own = self.skip.iter().any(|own| own.fits(&json));
            self.take.text(&json).filter(|message| !is_own || tdd_result::holds_block(message))
        });
        let told = messages.filter(|message| !message.trim().is_empty());
        told.fold(None, |best, next| match best {
            Some(best) if tdd_result::holds_block(&best) && !tdd_result::holds_block(&next) => Some(best),
            Some(_) | None => Some(next),
        })
    }
}

impl AgentTable {
    /// The table for a person's use: the prompt is an argument, the message comes from the hook's
    /// file, and nothing is read off the screen. The person's own home is used where the table names
    /// no other, because a new one begins with questions. `None` if the table doesn't say how.
    pub fn in_person(&self) -> Option<Self> {
        let interactive = self.interactive.clone()?;
        let has_session = interactive.argv.uses(Placeholder::Session);
        Some(Self {
            argv: interactive.argv,
            resume_argv: None,
            prompt: PromptBy::Argv,
            stdio: Stdio::Pty,
            message: MessageFrom::File { path: interactive.file, stream: None },
            session: has_session.then_some(SessionFrom::NewUuid),
            turns: None,
            usage: Vec::new(),
            started: None,
            settings_seen: None,
            denied: Vec::new(),
            doing: Vec::new(),
            records: None,
            resets: Vec::new(),
            state_dirs: interactive.state_dirs,
            uses_home: interactive.uses_home,
            exit_map: std::collections::BTreeMap::new(),
            failures: Vec::new(),
            max_turns: None,
            wall_ms: None,
            idle_ms: None,
            output_cap: None,
            ..self.clone()
        })
    }
}

const KEYS: &[&str] = &["argv", "message", "quit", "transcripts", "state_dirs", "uses_home"];

pub(super) fn read(map: &Table<'_>, own_sandbox: OwnSandbox) -> Result<Option<Interactive>, Trouble> {
    let Some(value) = map.get("interactive") else { return Ok(None) };
    let inner = Table::open(map.at("interactive"), value, KEYS)?;
    let absent = |key: &str, wanted: &str| missing(&inner.at(key), wanted);
    let argv = inner.get("argv").ok_or_else(|| absent("argv", "a program and its arguments"))?;
    let message = inner.get("message").ok_or_else(|| absent("message", "{file: PATH, take: POINTER}"))?;
    let message = Table::open(inner.at("message"), message, &["file", "take", "skip"])?;
    let said = |key: &str, wanted: &str| match message.get(key) {
        Some(value) => text(&message.at(key), value),
        None => Err(missing(&message.at(key), wanted)),
    };
    let file = said("file", "the path of a file")?;
    let take = said("take", "a JSON pointer")?;
    Ok(Some(Interactive {
        argv: arguments::sandboxed(&inner.at("argv"), argv, own_sandbox)?,
        file: Template::read(&message.at("file"), &file)?,
        take: pointer(&message.at("take"), &take)?,
        skip: own_turns(&message)?,
        quit: inner.text("quit")?,
        transcripts: transcripts(&inner)?,
        state_dirs: home::state_dirs(&inner)?,
        uses_home: home::uses_home(&inner)?,
    }))
}

fn own_turns(message: &Table<'_>) -> Result<Vec<Selector>, Trouble> {
    let Some(value) = message.get("skip") else { return Ok(Vec::new()) };
    let at = message.at("skip");
    let own = list(&at, value)?.iter().map(|item| conditions(&at, item));
    own.map(|filter| Ok(Selector { filter: filter?, take: None, by: None })).collect()
}

fn transcripts(map: &Table<'_>) -> Result<Option<Transcripts>, Trouble> {
    let Some(value) = map.get("transcripts") else { return Ok(None) };
    let inner = Table::open(map.at("transcripts"), value, &["in", "of", "files", "usage"])?;
    let said = |key: &str, wanted: &str| match inner.get(key) {
        Some(value) => text(&inner.at(key), value),
        None => Err(missing(&inner.at(key), wanted)),
    };
    let name = said("in", "the variable that names a folder")?;
    variable(&inner.at("in"), &name)?;
    let of = home::relative(&inner.at("of"), &said("of", "a folder below HOME, like .codex")?)?;
    let files = said("files", "a path below that folder, like sessions/*.jsonl")?;
    let files = home::relative(&inner.at("files"), &files)?;
    let usage = usage::sources(&inner)?;
    if usage.is_empty() {
        return Err(missing(&inner.at("usage"), "where its lines tell figures"));
    }
    let files = files.split('/').map(str::to_owned).collect();
    Ok(Some(Transcripts { variable: name, of, files, usage }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_table::{builtin, read_text};

    const TABLE: &str = "argv: [a, \"{prompt_file}\"]\nsession: new-uuid\nwall: 9s\ninteractive:\n  \
                         argv: [a, --see, \"{prompt}\"]\n  message: {file: stop.json, take: /last}\n";

    #[test]
    fn a_person_s_use_has_its_own_argv_and_message() {
        let table = read_text("a", TABLE).unwrap();
        let own = table.in_person().unwrap();
        let argv = own.argv.fill(&|what| Some(format!("<{}>", what.name()))).unwrap();
        assert_eq!(argv, ["a", "--see", "<prompt>"]);
        assert_eq!((own.prompt, own.wall_ms, own.session.is_none()), (PromptBy::Argv, None, true));
        let interactive = table.interactive.unwrap();
        for (written, message) in [
            (r#"{"last": "done\n"}"#, Some("done\n")),
            (r#"{"last": "  "}"#, None),
            (r#"{"other": 1}"#, None),
            ("", None),
            ("{\"last\": \"one\"}\n{\"last\": \"two\"}{\"la", Some("two")),
            (
                "{\"last\": \"```tdd-result\\n```\"}\n{\"last\": \"A title\"}\n{\"last\": \" \"}\n",
                Some("```tdd-result\n```"),
            ),
        ] {
            assert_eq!(interactive.message(written).as_deref(), message, "{written}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        for (interactive, word) in [
            ("{argv: [a]}", "interactive.message"),
            ("{message: {file: a, take: /b}}", "interactive.argv"),
            ("{argv: [a], message: {file: a}}", "interactive.message.take"),
            ("{argv: [a], message: {file: a, take: b}}", "interactive.message.take"),
            ("{argv: [a], message: {file: a, take: /b, more: 1}}", "more"),
            ("{argv: [a], message: {file: a, take: /b}, transcripts: {}}", "interactive.transcripts.in"),
            (
                "{argv: [a], message: {file: a, take: /b}, transcripts: {in: H, of: .a, files: ../x}}",
                "interactive.transcripts.files",
            ),
            (
                "{argv: [a], message: {file: a, take: /b}, transcripts: {in: H, of: .a, files: x}}",
                "interactive.transcripts.usage",
            ),
        ] {
            let text = format!("argv: [a, \"{{prompt_file}}\"]\ninteractive: {interactive}\n");
            let trouble = read_text("a", &text).unwrap_err();
            assert!(trouble.to_string().contains(word), "{interactive}: {trouble}");
        }
    }

    #[test]
    fn a_turn_of_the_program_s_own_says_nothing() {
        let codex = read_text("codex", builtin("codex").unwrap()).unwrap().interactive.unwrap();
        let told = |input: &str, message: &str| {
            serde_json::json!({ "input-messages": [input], "last-assistant-message": message }).to_string()
        };
        let title = told("Generate a concise, single-line task title of at most", "Write tests");
        assert_eq!(codex.message(&title), None);
        assert_eq!(codex.message(&told("Another wording", r#"{"title":"Write tests"}"#)), None);
        assert_eq!(codex.message(&(told("Do it", "I did") + &title)).as_deref(), Some("I did"));
        let block = "```tdd-result\n```";
        assert_eq!(codex.message(&told("Generate a concise", block)).as_deref(), Some(block));
    }

    #[test]
    fn transcripts_are_named_by_patterns() {
        for (pattern, name, want) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "anything", true),
            ("rollout-*.jsonl", "rollout-1.jsonl", true),
            ("rollout-*.jsonl", "rollout-1.json", false),
            ("a*b*c", "a-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("a*a", "a", false),
        ] {
            assert_eq!(fits(pattern, name), want, "{pattern} {name}");
        }
        let (claude, codex) = ("claude", "codex");
        let of = |name| read_text(name, builtin(name).unwrap()).unwrap().interactive.unwrap();
        let transcripts = of(claude).transcripts.unwrap();
        assert_eq!(transcripts.patterns(Some("id")).unwrap(), ["projects", "*", "id.jsonl"]);
        assert_eq!(transcripts.patterns(None), None);
        assert!(of(codex).transcripts.unwrap().patterns(None).is_some());
        for name in [claude, codex] {
            assert!(of(name).quit.is_some_and(|words| words.contains('/')), "{name}");
        }
    }

    /// Claude is told by its arguments to leave the person's own settings alone, codex can't be.
    #[test]
    fn claude_and_codex_can_be_used_by_a_person() {
        for (name, homes) in [("claude", &[][..]), ("codex", &["CODEX_HOME"])] {
            let table = read_text(name, builtin(name).unwrap()).unwrap().in_person().unwrap();
            let found: Vec<_> = table.state_dirs.iter().map(|dir| dir.variable.as_str()).collect();
            assert_eq!(found, homes, "{name}");
        }
    }
}
