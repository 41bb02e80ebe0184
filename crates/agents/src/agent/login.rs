//! Whether a person seems to be logged in to an agent, told without reading any credential: a file is
//! only looked for, and of a variable only the name counts.

use super::home::persons_own;
use super::{AgentSetup, RoleAgent};

/// Variables that log in to the agent whose private folder the first word names.
const VARIABLES: [(&str, &[&str]); 5] = [
    (
        "CLAUDE_CONFIG_DIR",
        &[
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "CLAUDE_CODE_OAUTH_TOKEN",
            "CLAUDE_CODE_USE_BEDROCK",
            "CLAUDE_CODE_USE_VERTEX",
        ],
    ),
    ("CODEX_HOME", &["OPENAI_API_KEY", "CODEX_API_KEY"]),
    ("GEMINI_CLI_HOME", &["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"]),
    ("XDG_DATA_HOME", ANY_PROVIDER),
    ("PI_CODING_AGENT_DIR", ANY_PROVIDER),
];
/// Programs that speak to whichever provider there is a key for.
const ANY_PROVIDER: &[&str] =
    &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"];

/// Signs of a log-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Login {
    /// This file or variable is there; whether it is still good only a run can tell.
    Seen(String),
    /// None of these is there.
    NotSeen(Vec<String>),
    /// The table names no place where a log-in would lie.
    NotTold,
}

pub(super) fn look(setup: &AgentSetup, agent: &RoleAgent) -> Login {
    let mut missed = Vec::new();
    for dir in &agent.table.state_dirs {
        let own = persons_own(dir, setup);
        for path in dir.carry.iter().filter(|path| holds_login(path)) {
            let Some(file) = own.as_ref().map(|own| own.join(path)) else { continue };
            if file.is_file() {
                return Login::Seen(format!("the file {}", file.display()));
            }
            missed.push(file.display().to_string());
        }
        let known = VARIABLES.into_iter().filter(|(variable, _)| dir.variable == *variable);
        for name in known.flat_map(|(_, names)| names) {
            if setup.env.iter().any(|(key, value)| key == name && !value.is_empty()) {
                return Login::Seen(format!("the variable {name}"));
            }
            missed.push((*name).to_owned());
        }
    }
    if missed.is_empty() { Login::NotTold } else { Login::NotSeen(missed) }
}

/// Settings are carried along, too; what logs in is named so by all of the programs.
fn holds_login(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.contains("auth") || name.contains("cred")
}
