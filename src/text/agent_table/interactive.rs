//! How an agent is used by a person who sits at its screen.
//!
//! ```text
//! interactive: { argv: [ argument | group, … ], message: { file: PATH, take: POINTER },
//!                state_dirs: { … } }          private folders as in `home`; else the person's own are used
//! ```
//!
//! Nothing on a full-screen program's screen is a source for a message: fences are dropped there and
//! lines wrapped. So the program tells the last message of each turn by a hook, as JSON that is appended
//! to a file. The last one that holds a block is it, else the last one: codex also tells of a turn of its
//! own, in which it makes up a title.

use serde_json::Value as Json;
use serde_yaml::Value;

use super::arguments;
use super::home::{self, StateDir};
use super::selector::pointer;
use super::strict_map::{StrictMap, text, wrong_type};
use super::template::{Argv, Template};
use super::{AgentTable, MessageFrom, OwnSandbox, PromptBy, Stdio};
use crate::core::trouble::Trouble;
use crate::text::agent_stream::pointer::Pointer;
use crate::text::tdd_result;

/// What differs when a person sits at the agent's screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Interactive {
    pub argv: Argv,
    /// Relative to the exchange folder; a JSON document is appended at the end of each turn.
    pub file: Template,
    /// Where the message is in it.
    pub take: Pointer,
    /// For a program that can't be told to leave the person's own settings alone.
    pub state_dirs: Vec<StateDir>,
}

impl Interactive {
    /// The message in what the hook wrote.
    pub fn message(&self, written: &str) -> Option<String> {
        let documents = serde_json::Deserializer::from_str(written).into_iter::<Json>();
        let messages = documents.map_while(Result::ok).filter_map(|json| self.take.text(&json));
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
        Some(Self {
            argv: interactive.argv,
            resume_argv: None,
            prompt: PromptBy::Argv,
            stdio: Stdio::Pty,
            message: MessageFrom::File { path: interactive.file, stream: None },
            session: None,
            turns: None,
            usage: Vec::new(),
            started: None,
            settings_seen: None,
            denied: Vec::new(),
            records: None,
            resets: Vec::new(),
            state_dirs: interactive.state_dirs,
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

pub(super) fn read(map: &StrictMap<'_>, own_sandbox: OwnSandbox) -> Result<Option<Interactive>, Trouble> {
    let Some(value) = map.get("interactive") else { return Ok(None) };
    let inner = StrictMap::open(map.at("interactive"), value, &["argv", "message", "state_dirs"])?;
    let absent = |key: &str, wanted: &str| wrong_type(&inner.at(key), &Value::Null, wanted);
    let argv = inner.get("argv").ok_or_else(|| absent("argv", "a program and its arguments"))?;
    let message = inner.get("message").ok_or_else(|| absent("message", "{file: PATH, take: POINTER}"))?;
    let message = StrictMap::open(inner.at("message"), message, &["file", "take"])?;
    let said = |key: &str, wanted: &str| match message.get(key) {
        Some(value) => text(&message.at(key), value),
        None => Err(wrong_type(&message.at(key), &Value::Null, wanted)),
    };
    let file = said("file", "the path of a file")?;
    let take = said("take", "a JSON pointer")?;
    Ok(Some(Interactive {
        argv: arguments::sandboxed(&inner.at("argv"), argv, own_sandbox)?,
        file: Template::read(&message.at("file"), &file)?,
        take: pointer(&message.at("take"), &take)?,
        state_dirs: home::state_dirs(&inner)?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::agent_table::{builtin, read_text};

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
        ] {
            let text = format!("argv: [a, \"{{prompt_file}}\"]\ninteractive: {interactive}\n");
            let trouble = read_text("a", &text).unwrap_err();
            assert!(trouble.to_string().contains(word), "{interactive}: {trouble}");
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
