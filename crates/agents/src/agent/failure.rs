//! What keeps an agent's program from its work, for a person, and whether it is tried again.

use std::path::Path;

use crate::agent_stream::Found;
use crate::agent_stream::reset::Reset;
use crate::agent_table::template::{Missing, Placeholder};
use crate::agent_table::{AgentFailure, AgentTable};
use tdd_core::trouble::{Trouble, TroubleKind, Why};

/// Why an attempt came to nothing without the role's doing, and whether it is worth while to try
/// again at once.
#[derive(Debug)]
pub(super) struct Setback {
    pub(super) trouble: Box<Trouble>,
    pub(super) again: Again,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// After one of the back-off's waits.
    Soon,
    No,
}

impl From<Trouble> for Setback {
    fn from(trouble: Trouble) -> Self {
        Self { trouble: Box::new(trouble), again: Again::No }
    }
}

/// The raw log could not be written.
pub(super) fn unlogged(log: &Path, why: &Why) -> Trouble {
    Trouble::environment(format!("what the agent printed can't be kept in {}", log.display()))
        .because(why.clone())
        .mend("make room on the disk")
}

/// What an agent program failed of; no role's fault, so nobody's attempt is spent.
pub(super) fn failed(table: &AgentTable, failure: AgentFailure, found: &Found, log: &Path) -> Setback {
    use TroubleKind::{Environment, Passing};
    let name = &table.name;
    let (kind, again, what, next) = match failure {
        AgentFailure::NoCredit => (
            Environment,
            Again::No,
            "has no credit left",
            "top up the account at the agent's vendor, or use another one (logging in anew or waiting does not help)",
        ),
        AgentFailure::NotLoggedIn => {
            (Environment, Again::No, "is not logged in", "log in with the agent's own program")
        }
        AgentFailure::Usage => (
            Environment,
            Again::No,
            "refused its task",
            "see what it said, and the table's `argv` and `model` in tdd.yaml",
        ),
        AgentFailure::UsageLimit => {
            (Passing, Again::No, "is out of what its account may use", "wait until the limit is lifted")
        }
        AgentFailure::RateLimit => {
            (Passing, Again::Soon, "is out of its rate limit", "wait until the limit is lifted")
        }
        AgentFailure::Overload => {
            (Passing, Again::Soon, "could not work: its model's service is overloaded", "wait a little")
        }
        AgentFailure::Network => {
            (Passing, Again::Soon, "could not reach its model's service", "see the network and the service")
        }
        AgentFailure::TurnCap | AgentFailure::Budget => {
            (Passing, Again::No, "spent what it may spend", "see the limits")
        }
    };
    let said = or_nothing(said(found));
    let until = match failure {
        AgentFailure::UsageLimit | AgentFailure::RateLimit => found.reset.as_ref().map(until),
        AgentFailure::NoCredit
        | AgentFailure::NotLoggedIn
        | AgentFailure::Usage
        | AgentFailure::Overload
        | AgentFailure::Network
        | AgentFailure::TurnCap
        | AgentFailure::Budget => None,
    };
    let until = until.unwrap_or_default();
    let trouble = Trouble::new(kind, format!("the agent `{name}` {what}{until}"))
        .because(format!("it said: {said}\nall of it is in {}", log.display()))
        .mend(next);
    Setback { trouble: Box::new(trouble), again }
}

/// Lines of what a program printed last: some say what is wrong, and then at length what to do.
const LAST_LINES: usize = 5;

/// What the agent says went wrong, or the last that it printed, in one line.
pub(super) fn said(found: &Found) -> String {
    let said = found.error.clone().unwrap_or_else(|| {
        let lines: Vec<&str> = found.tail.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines[lines.len().saturating_sub(LAST_LINES)..].join(" / ")
    });
    said.trim().chars().take(300).collect()
}

fn or_nothing(said: String) -> String {
    if said.is_empty() { "nothing".to_owned() } else { said }
}

/// When a limit is lifted, for a person.
fn until(reset: &Reset) -> String {
    match reset {
        Reset::At(seconds) => {
            let time = i64::try_from(*seconds).ok().and_then(|at| jiff::Timestamp::from_second(at).ok());
            time.map_or(String::new(), |time| format!(" until {}", time.strftime("%Y-%m-%d %H:%M UTC")))
        }
        Reset::Words(words) => format!(" until {words}"),
    }
}

/// The agent did not work by the settings that it was given.
pub(super) fn distrusted(table: &AgentTable, found: &Found, log: &Path) -> Trouble {
    let name = &table.name;
    let said = or_nothing(said(found));
    Trouble::environment(format!("the agent `{name}` did not read its settings"))
        .because(format!(
            "they say what it may not do, and the sign that it read them was not seen in its stream, so nothing \
             that it did is believed; it said: {said}\nall of it is in {}",
            log.display()
        ))
        .advise(format!(
            "see `files` and `settings_seen` of agents.{name} (one wrong value can make a program drop them all), \
             and whether this version of the program still tells it"
        ))
}

/// The trouble of a placeholder without a value.
pub(super) fn missing(table: &str, missing: Missing) -> Trouble {
    let name = missing.0.name();
    let (why, next) = match missing.0 {
        Placeholder::Model => (
            "no model is set for this role",
            "set a model, or write the arguments as a group: [--model, \"{model}\"]".to_owned(),
        ),
        Placeholder::Session => (
            "the agent's session is not known before it has begun",
            "write `session: new-uuid`, or use {session} in resume_argv alone".to_owned(),
        ),
        Placeholder::Cassette => {
            ("the scripted agent needs a cassette", "a run names one: tdd <FR> --cassette FILE".to_owned())
        }
        Placeholder::Prompt => ("the prompt is no argument here", "write `prompt: argv`".to_owned()),
        Placeholder::Cwd
        | Placeholder::CwdJson
        | Placeholder::RunDir
        | Placeholder::PromptFile
        | Placeholder::RoleFile
        | Placeholder::MessageFile
        | Placeholder::Tdd => {
            ("the path is no UTF-8", "rename the folder, or set TMPDIR to another".to_owned())
        }
        Placeholder::Role
        | Placeholder::RoleText
        | Placeholder::RoleJson
        | Placeholder::Criterion
        | Placeholder::Number
        | Placeholder::Protected
        | Placeholder::OwnSandbox
        | Placeholder::MaxTurns
        | Placeholder::MaxUsd
        | Placeholder::MaxTokens => ("it is not known yet", format!("take {{{name}}} out")),
    };
    Trouble::config(format!("agents.{table}: there is no value for {{{name}}}")).because(why).advise(next)
}
