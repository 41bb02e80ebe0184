//! Agents as tables (contract section 12; the shape of `agents:` in `tdd.yaml`).
//!
//! ```text
//! argv:        [ argument | [argument, …], … ]    program and arguments, no shell; see `template`
//! resume_argv: the same                           goes on with {session}, for a format retry
//! prompt:      file | stdin | argv                how the prompt travels; default file
//! stdio:       pty | pipe                         default pty
//! message:     {from: stdout}                     all that was printed, terminal noise removed; default
//!            | {from: file, path: PATH} | {file: PATH}      relative to the exchange folder
//!            | {json: POINTER}                    stdout is one JSON document
//!            | {jsonl: {where: …, take: POINTER, by: POINTER, session: …}}   stdout is JSON lines
//!            | {file: PATH, jsonl: {…}}           the file; the lines if it holds no block
//! session:     new-uuid | POINTER | {where: …, take: POINTER}
//! turns:       POINTER | {where: …, by: POINTER}  each line (group) is a model response that calls tools
//! started:     POINTER | {where: …}               without such a line the agent never began
//! env:         {set: {NAME: text}, pass: [NAME, PREFIX*]}   no `pass`: the environment is inherited
//! files:       {NAME: text}                       made in the exchange folder before the start
//! ok_exit:     [0]
//! exit_map:    {CODE: failure}
//! failures:    {failure: [where | TEXT, …]}       why it ended, looked for when no block came
//! max_turns, wall, idle, output_cap               bounds of one attempt
//! stop:        {interrupt: 2s, terminate: 3s}     how long each signal is waited for
//! kit:         how it is pointed at a scripted model, see `kit`
//!
//! where   = { POINTER: value | [value, …] | {contains: TEXT}, … }
//! failure = not-logged-in | usage | rate-limit | overload | network | turn-cap | budget
//! ```
//!
//! Leniency: `message: {from: {file: PATH}}` is read like `{file: PATH}`, because the settings'
//! own comment can be read both ways.

use std::collections::BTreeMap;

use serde_yaml::Value;

use super::agent_stream::select::Selector;
use crate::core::trouble::Trouble;

pub mod amount;
pub mod kit;
mod read;
mod selector;
pub(in crate::text) mod strict_map;
pub mod template;

use kit::Kit;
use template::{Argv, Template};

/// How one agent program is called and read. Everything in it was checked.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentTable {
    pub name: String,
    pub argv: Argv,
    pub resume_argv: Option<Argv>,
    pub prompt: PromptBy,
    pub stdio: Stdio,
    pub message: MessageFrom,
    pub session: Option<SessionFrom>,
    pub turns: Option<Selector>,
    pub started: Option<Selector>,
    pub env: EnvRules,
    /// Names without folders, and their contents.
    pub files: BTreeMap<String, Template>,
    pub ok_exit: Vec<i32>,
    pub exit_map: BTreeMap<i32, AgentFailure>,
    /// In the order of the table: the first that is seen is it.
    pub failures: Vec<(AgentFailure, FailureSign)>,
    /// At most so many turns, whatever the run allows.
    pub max_turns: Option<u32>,
    /// These replace the run's own bounds.
    pub wall_ms: Option<u64>,
    pub idle_ms: Option<u64>,
    pub output_cap: Option<u64>,
    pub stop: StopLadder,
    /// For the conformance kit.
    pub kit: Option<Kit>,
}

/// How the prompt travels to the child. Never through the terminal's line discipline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptBy {
    /// By `{prompt_file}`; stdin is empty.
    File,
    Stdin,
    /// By `{prompt}`, or as the last argument if the table names it nowhere. At most 128 KiB.
    Argv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stdio {
    Pty,
    Pipe,
}

/// Where the final message is found.
#[derive(Clone, Debug, PartialEq)]
pub enum MessageFrom {
    Stdout,
    /// Relative to the exchange folder. If the file's message holds no block, the stream's
    /// messages are looked through too.
    File {
        path: Template,
        stream: Option<Selector>,
    },
    /// Stdout is one JSON document.
    Json(Selector),
    /// Stdout is JSON lines; the last message that holds a block is it, else the last one.
    JsonLines(Selector),
}

/// Where the session's id comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionFrom {
    /// We make one for `{session}`.
    NewUuid,
    /// The agent tells it; the first one counts.
    Told(Selector),
}

/// Which variables a child gets; [`is_outer_session`] ones never.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnvRules {
    pub set: Vec<(String, Template)>,
    /// Names, or beginnings that end in `*`; `None` inherits all.
    pub pass: Option<Vec<String>>,
}

/// Why an agent program failed where the role did nothing wrong, or what ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AgentFailure {
    NotLoggedIn,
    /// It does not know its arguments, or the model refuses the request.
    Usage,
    RateLimit,
    Overload,
    Network,
    TurnCap,
    /// The attempt's token or cost cap.
    Budget,
}

impl AgentFailure {
    pub const ALL: [Self; 7] = [
        Self::NotLoggedIn,
        Self::Usage,
        Self::RateLimit,
        Self::Overload,
        Self::Network,
        Self::TurnCap,
        Self::Budget,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::NotLoggedIn => "not-logged-in",
            Self::Usage => "usage",
            Self::RateLimit => "rate-limit",
            Self::Overload => "overload",
            Self::Network => "network",
            Self::TurnCap => "turn-cap",
            Self::Budget => "budget",
        }
    }
}

/// What tells a failure.
#[derive(Clone, Debug, PartialEq)]
pub enum FailureSign {
    /// A line of the JSON stream.
    Line(Selector),
    /// A text among the last lines, when the exit code is none of `ok_exit`.
    Text(String),
}

/// How long each signal is waited for before the next, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopLadder {
    pub interrupt_ms: u64,
    pub terminate_ms: u64,
}

impl Default for StopLadder {
    fn default() -> Self {
        Self { interrupt_ms: 2_000, terminate_ms: 3_000 }
    }
}

impl AgentTable {
    /// Whether a format retry can go on in the session of the attempt before.
    pub fn resumes(&self) -> bool {
        self.resume_argv.is_some() && self.session.is_some()
    }
}

impl EnvRules {
    /// Whether a variable of our own environment goes on to the child.
    pub fn passes(&self, name: &str) -> bool {
        let listed = |pass: &Vec<String>| {
            pass.iter().any(|item| match item.strip_suffix('*') {
                Some(beginning) => name.starts_with(beginning),
                None => item == name,
            })
        };
        !is_outer_session(name) && self.pass.as_ref().is_none_or(listed)
    }
}

/// Variables that tie a process to a repository or to an agent session around it. A child that
/// got them would work on the wrong index, or take itself for a part of that session.
pub fn is_outer_session(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INDEX_VERSION",
        "GIT_OBJECT_DIRECTORY",
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_CONFIG",
        "GIT_CONFIG_PARAMETERS",
        "GIT_CONFIG_COUNT",
        "GIT_GRAFT_FILE",
        "GIT_SHALLOW_FILE",
        "GIT_REPLACE_REF_BASE",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_REFLOG_ACTION",
        "CLAUDECODE",
        "CLAUDE_PROJECT_DIR",
        "CLAUDE_PLUGIN_ROOT",
        "CLAUDE_ENV_FILE",
        "CODEX_SANDBOX",
        "CODEX_SANDBOX_NETWORK_DISABLED",
        "CODEX_THREAD_ID",
    ];
    // The settings among them (which provider, which token) must go on, or the child is not
    // logged in; what speaks of the session must not.
    const SESSION_WORDS: &[&str] =
        &["ENTRYPOINT", "SESSION", "SSE_PORT", "EXECPATH", "REMOTE", "AGENT", "PARENT", "CHILD", "TASK"];
    NAMES.contains(&name)
        || name.starts_with("GIT_CONFIG_KEY_")
        || name.starts_with("GIT_CONFIG_VALUE_")
        || name
            .strip_prefix("CLAUDE_CODE_")
            .is_some_and(|rest| SESSION_WORDS.iter().any(|word| rest.contains(word)))
}

/// Reads the table of the agent `name` (the value under `agents:` → `name:`). Every key is known,
/// every placeholder too; the trouble names the key and the nearest known one.
pub fn read(name: &str, yaml: &Value) -> Result<AgentTable, Trouble> {
    read::table(name, yaml)
}

/// Reads a table from the text of a file of its own, as the built-in ones are.
pub fn read_text(name: &str, text: &str) -> Result<AgentTable, Trouble> {
    let yaml: Value = serde_yaml::from_str(text).map_err(|error| {
        let place = error.location().map_or(String::new(), |place| format!(" in line {}", place.line()));
        Trouble::config(format!("the table of the agent `{name}` is no YAML{place}"))
            .because(error)
            .advise("mend that line")
    })?;
    read(name, &yaml)
}

/// The names of the built-in tables.
pub const BUILTIN: [&str; 3] = ["claude", "codex", "scripted"];

/// The text of a built-in table, as [`read_text`] reads it.
pub fn builtin(name: &str) -> Option<&'static str> {
    match name {
        "claude" => Some(include_str!("../../skills/agents/claude.yaml")),
        "codex" => Some(include_str!("../../skills/agents/codex.yaml")),
        "scripted" => Some(include_str!("../../skills/agents/scripted.yaml")),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
