//! Agents as tables (contract section 12; the shape of `agents:` in `tdd.yaml`). What may stand in one: [`keys`].

use std::collections::BTreeMap;

use serde_yaml::Value;

use crate::agent_stream::select::Selector;
use crate::agent_stream::usage::UsageSource;
use tdd_core::fix::Writes;
use tdd_core::trouble::Trouble;
use tdd_spec::strict;

mod arguments;
pub mod home;
pub mod interactive;
pub mod keys;
pub mod kit;
pub mod layers;
pub mod outer;
mod read;
mod selector;
pub mod template;
mod usage;
pub mod version;

pub use home::{Protect, StateDir};
pub use interactive::Interactive;
use kit::Kit;
pub use outer::is_outer_session;
use template::{Argv, Template};
use version::Versions;

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
    /// Of several the largest figure counts; empty if the program tells none.
    pub usage: Vec<UsageSource>,
    pub started: Option<Selector>,
    /// Without such a line the agent's settings were dropped, and with them what it may not do.
    pub settings_seen: Option<Selector>,
    /// What the agent's own program refused its model.
    pub denied: Vec<Selector>,
    /// What it does now, for a person who looks on.
    pub doing: Vec<Selector>,
    pub records: Option<Records>,
    pub error: Vec<Selector>,
    pub resets: Vec<Selector>,
    pub env: EnvRules,
    pub state_dirs: Vec<StateDir>,
    /// Below the person's home: what the program keeps there and reads and writes as its own.
    pub uses_home: Vec<String>,
    /// The last parts of paths in a repository that are out of its sight.
    pub hide: Vec<String>,
    pub own_sandbox: OwnSandbox,
    pub protect: Option<Protect>,
    pub versions: Option<Versions>,
    /// Names without folders, and their contents.
    pub files: BTreeMap<String, Template>,
    pub ok_exit: Vec<i32>,
    pub exit_map: BTreeMap<i32, AgentFailure>,
    /// In the order of the table: the first line that is seen is it, else the first text.
    pub failures: Vec<(AgentFailure, FailureSign)>,
    /// At most so many turns, whatever the run allows.
    pub max_turns: Option<u32>,
    /// These replace the run's own bounds.
    pub wall_ms: Option<u64>,
    pub idle_ms: Option<u64>,
    pub output_cap: Option<u64>,
    pub stop: StopLadder,
    pub writes: Writes,
    /// How a person uses it; `None` if only headless use is known.
    pub interactive: Option<Interactive>,
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

/// Whether the agent's own sandbox is on, inside ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OwnSandbox {
    On,
    #[default]
    Off,
}

/// An agent that tells in its own records what its stream leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Records {
    Codex,
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
    /// The account has no money left: neither a log-in nor waiting helps.
    NoCredit,
    NotLoggedIn,
    /// It does not know its arguments, or the model refuses the request.
    Usage,
    /// What the account may use in some hours or days is spent: no waiting of minutes helps.
    UsageLimit,
    RateLimit,
    Overload,
    Network,
    TurnCap,
    /// The attempt's token or cost cap.
    Budget,
}

impl AgentFailure {
    pub const ALL: [Self; 9] = [
        Self::NoCredit,
        Self::NotLoggedIn,
        Self::Usage,
        Self::UsageLimit,
        Self::RateLimit,
        Self::Overload,
        Self::Network,
        Self::TurnCap,
        Self::Budget,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::NoCredit => "no-credit",
            Self::NotLoggedIn => "not-logged-in",
            Self::Usage => "usage",
            Self::UsageLimit => "usage-limit",
            Self::RateLimit => "rate-limit",
            Self::Overload => "overload",
            Self::Network => "network",
            Self::TurnCap => "turn-cap",
            Self::Budget => "budget",
        }
    }

    /// Whether the role ran out of something: its attempt is spent. Nothing else is its fault.
    pub fn is_of_role(self) -> bool {
        match self {
            Self::TurnCap | Self::Budget => true,
            Self::NoCredit
            | Self::NotLoggedIn
            | Self::Usage
            | Self::UsageLimit
            | Self::RateLimit
            | Self::Overload
            | Self::Network => false,
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

/// Reads the table of the agent `name` (the value under `agents:` → `name:`). Every key is known,
/// every placeholder too; the trouble names the key and the nearest known one.
pub fn read(name: &str, yaml: &Value) -> Result<AgentTable, Trouble> {
    match yaml.get("like") {
        Some(base) => read::table(name, &like(name, base, yaml)?),
        None => read::table(name, yaml),
    }
}

/// A built-in table with this one's keys instead of its own.
fn like(name: &str, base: &Value, own: &Value) -> Result<Value, Trouble> {
    let at = format!("agents.{name}.like");
    let base = strict::text(&at, base)?;
    let text = builtin(&base).ok_or_else(|| strict::unknown_word(&at, &base, &BUILTIN))?;
    let mut merged = yaml(&base, text)?;
    let both = merged.as_mapping_mut().zip(own.as_mapping());
    if let Some((merged, own)) = both {
        for (key, value) in own.iter().filter(|(key, _)| key.as_str() != Some("like")) {
            let value = match (key.as_str(), merged.get(key)) {
                (Some("env"), Some(base)) => with_variables(base, value),
                _ => value.clone(),
            };
            merged.insert(key.clone(), value);
        }
        // A list of its own says how a session goes on; the base's cases are gone with its list.
        if own.contains_key("argv") && !own.contains_key("resume_argv") {
            merged.remove("resume_argv");
        }
    }
    Ok(merged)
}

/// A base's variables and these: one that is set more must not take out those by which an agent finds its
/// role.
fn with_variables(base: &Value, own: &Value) -> Value {
    let mut both = base.clone();
    let Some((merged, own)) = both.as_mapping_mut().zip(own.as_mapping()) else { return own.clone() };
    for (key, value) in own {
        let set = merged.get_mut(key).filter(|_| key.as_str() == Some("set"));
        match set.and_then(Value::as_mapping_mut).zip(value.as_mapping()) {
            Some((set, more)) => set.extend(more.clone()),
            None => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    both
}

/// Reads a table from the text of a file of its own, as the built-in ones are.
pub fn read_text(name: &str, text: &str) -> Result<AgentTable, Trouble> {
    read(name, &yaml(name, text)?)
}

fn yaml(name: &str, text: &str) -> Result<Value, Trouble> {
    serde_yaml::from_str(text).map_err(|error| {
        let place = error.location().map_or(String::new(), |place| format!(" in line {}", place.line()));
        Trouble::config(format!("the table of the agent `{name}` is no YAML{place}"))
            .because(error.to_string())
            .advise("mend that line")
    })
}

/// What `auto` may be, in the order in which they are looked for.
pub const AUTO: [&str; 2] = ["claude", "codex"];

/// The names of the built-in tables.
pub const BUILTIN: [&str; 6] = ["claude", "codex", "gemini", "opencode", "pi", "scripted"];

/// The text of a built-in table, as [`read_text`] reads it.
pub fn builtin(name: &str) -> Option<&'static str> {
    match name {
        "claude" => Some(include_str!("../tables/claude.yaml")),
        "codex" => Some(include_str!("../tables/codex.yaml")),
        "gemini" => Some(include_str!("../tables/gemini.yaml")),
        "opencode" => Some(include_str!("../tables/opencode.yaml")),
        "pi" => Some(include_str!("../tables/pi.yaml")),
        "scripted" => Some(include_str!("../tables/scripted.yaml")),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
