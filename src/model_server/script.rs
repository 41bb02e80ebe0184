//! The script: which rule fits a conversation, and what it answers at which turn.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::request::Asked;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Script {
    #[serde(default)]
    rules: Vec<Rule>,
    /// Texts that are told in the log where a request holds them.
    #[serde(default)]
    look_for: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    when: When,
    #[serde(default)]
    turns: Vec<Turn>,
    #[serde(default)]
    forever: Option<Turn>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct When {
    role: Option<String>,
    criterion: Option<String>,
    #[serde(default)]
    system: Texts,
    #[serde(default)]
    prompt: Texts,
    #[serde(default)]
    last: Texts,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    All(Vec<String>),
}

impl Default for Texts {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Texts {
    fn all_in(&self, text: &str) -> bool {
        match self {
            Self::One(one) => text.contains(one),
            Self::All(all) => all.iter().all(|one| text.contains(one)),
        }
    }
}

/// What one response holds, in its order.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Turn {
    All(Vec<Step>),
    One(Box<Step>),
}

impl Turn {
    pub(super) fn steps(&self) -> &[Step] {
        match self {
            Self::All(steps) => steps,
            Self::One(step) => std::slice::from_ref(step),
        }
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Step {
    Say(String),
    Flood(usize),
    Write { path: String, content: String },
    Edit { path: String, old: String, new: String },
    Run(String),
    Read(String),
    Tool { name: String, with: Value },
    Usage(Usage),
    Fault(Fault),
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Usage {
    /// All of the input, what was cached included.
    #[serde(default)]
    pub input: u64,
    #[serde(default)]
    pub cached: u64,
    #[serde(default)]
    pub output: u64,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Fault {
    Word(Breach),
    Timed { kind: Breach, times: Option<u32> },
    Status(Refusal),
}

/// An answer that goes wrong on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Breach {
    /// No byte, not even a status.
    Hang,
    /// The connection breaks in the middle of the stream.
    Cut,
    /// A whole answer that holds nothing.
    Empty,
    /// One text that never ends.
    EndlessText,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Refusal {
    pub status: u16,
    /// Seconds.
    pub retry_after: Option<u64>,
    /// For so many requests; for all if not given.
    pub times: Option<u32>,
    pub message: Option<String>,
    /// The error's type in the API's words.
    pub code: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
}

impl Fault {
    pub(super) fn times(&self) -> Option<u32> {
        match self {
            Self::Word(_) => None,
            Self::Timed { times, .. } => *times,
            Self::Status(refusal) => refusal.times,
        }
    }
}

impl Script {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let value: Value = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    /// What it looks for in each request.
    pub(super) fn found_in(&self, request: &str) -> Vec<&str> {
        self.look_for.iter().map(String::as_str).filter(|text| request.contains(text)).collect()
    }

    /// The first rule that fits, with its place.
    pub(super) fn rule(&self, asked: &Asked) -> Option<(usize, &Rule)> {
        self.rules.iter().enumerate().find(|(_, rule)| rule.when.fits(asked))
    }
}

impl Rule {
    pub(super) fn turn(&self, number: usize) -> Option<&Turn> {
        self.turns.get(number).or(self.forever.as_ref())
    }
}

impl When {
    fn fits(&self, asked: &Asked) -> bool {
        let (prompts, last) = (asked.prompts(), asked.last_prompt());
        let role = self.role.as_ref().is_none_or(|role| {
            let named = format!("role: {role}");
            asked.system.contains(&named) || prompts.contains(&named)
        });
        role && self.criterion.as_ref().is_none_or(|id| names(&prompts, id))
            && self.system.all_in(&asked.system)
            && self.prompt.all_in(&prompts)
            && self.last.all_in(&last)
    }
}

/// Whether a text names this criterion, and not just one whose number begins like its.
fn names(text: &str, id: &str) -> bool {
    let whole = |at: usize| !text[at + id.len()..].starts_with(|next: char| next.is_ascii_digit());
    text.match_indices(id).any(|(at, _)| whole(at))
}
