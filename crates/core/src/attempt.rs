//! One fork of one role, from spawn to verdict.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::claim::{Claim, ClaimError};
use crate::role::{Asked, Key};
use crate::test::Exit;

/// A git commit that holds a snapshot of the work tree, as 40 or 64 hex digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct CheckpointId(pub String);

impl fmt::Display for CheckpointId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// BLAKE3 of some bytes, as 64 hex digits; names a side file of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Digest(pub String);

/// Why this attempt is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum AttemptKind {
    First,
    /// After a failure of modes A, B, C or E: a new fork with the raw output.
    Semantic,
    /// After a format violation: only the block is asked for again.
    Format,
}

/// One fork: of a cycle's key, or, as any is journalled before it is made, of whoever was asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Attempt<K = Key> {
    pub key: K,
    /// The number of the fork within its key, from 1.
    pub number: u8,
    pub kind: AttemptKind,
    /// The tree right before the fork.
    pub before: CheckpointId,
    /// The parts that the prompt was made of, each with the hash of its bytes.
    pub prompt: Vec<PromptPart>,
}

impl<K> Attempt<K> {
    fn with<O>(self, key: O) -> Attempt<O> {
        let Self { number, kind, before, prompt, .. } = self;
        Attempt { key, number, kind, before, prompt }
    }
}

impl From<Attempt> for Attempt<Asked> {
    fn from(attempt: Attempt) -> Self {
        let key = attempt.key.clone().into();
        attempt.with(key)
    }
}

impl Attempt<Asked> {
    /// The same as one of a cycle; `None` for a fixer's.
    pub fn of_cycle(&self) -> Option<Attempt> {
        match &self.key {
            Asked::Fixer => None,
            Asked::Key(key) => Some(self.clone().with(key.clone())),
        }
    }
}

/// One part of a prompt: what it is, and the hash of its text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromptPart {
    pub name: String,
    pub digest: Digest,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AgentEnd {
    /// By itself.
    Exited(Exit),
    /// By us.
    Exhausted(Exhaustion),
}

/// What ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Exhaustion {
    Turns,
    Wall,
    Idle,
    Output,
    /// The agent's own token or cost cap.
    Cost,
}

impl fmt::Display for Exhaustion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Turns => "its turn cap was reached",
            Self::Wall => "its deadline passed",
            Self::Idle => "it was silent for longer than its idle deadline",
            Self::Output => "it printed more than its output cap",
            Self::Cost => "its token or cost cap was reached",
        })
    }
}

/// A bound that ended a child, as it stood then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Bound {
    /// Turns, milliseconds, or bytes.
    pub amount: u64,
    pub set_by: SetBy,
}

/// Who had set a bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum SetBy {
    /// It is the usual one.
    #[default]
    Nobody,
    /// A flag of the command line, of this or an earlier command of the run.
    Flag,
    /// `tdd.yaml`
    Settings,
    /// The table of the role's agent.
    Agent,
}

/// What came back from a child; what it said is a claim, nothing more.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentReturn {
    pub end: AgentEnd,
    /// What ended it; none of a child that ended by itself, of a cap on tokens or cost, and in older journals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    pub claim: Result<Claim, ClaimError>,
    /// The agent's session, where its table says how to find it.
    pub session: Option<String>,
    /// Model responses that called tools, where the stream tells them.
    pub turns: Option<u32>,
    pub duration_ms: u64,
    /// How long it had printed nothing when it ended: all of its time where it never did. None in older journals,
    /// and where nothing is read off a screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent_ms: Option<u64>,
    /// The raw log of all that the child printed, unmasked, mode 0600.
    pub log: String,
    /// The side file with the final message, if there was one.
    pub message: Option<Digest>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ran_out_is_told_in_words_of_its_own() {
        for (what, word) in [
            (Exhaustion::Turns, "turn cap"),
            (Exhaustion::Wall, "its deadline"),
            (Exhaustion::Idle, "idle deadline"),
            (Exhaustion::Output, "output cap"),
            (Exhaustion::Cost, "cost cap"),
        ] {
            assert!(what.to_string().contains(word), "{what}");
        }
        assert_eq!(CheckpointId("abc".into()).to_string(), "abc");
    }
}
