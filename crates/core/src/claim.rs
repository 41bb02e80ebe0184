//! What a child says: its `tdd-result` block, read (contract section 8).

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::criterion::CriterionId;
use crate::path::RelPath;
use crate::role::Role;
use crate::test::Exit;

/// A valid block. A claim can only make a verdict worse.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Claim {
    pub role: Role,
    pub status: ClaimStatus,
    /// Normalised, relative to the repository, in the order given, without repeats.
    pub files: Vec<RelPath>,
    /// Reported, never run.
    pub command: String,
    /// At most 40 lines; shown, never believed.
    pub output_excerpt: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Criterion to test ids or files, as written; may assign among candidates, never add.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tests: BTreeMap<CriterionId, Vec<String>>,
    /// Criterion to ids of existing tests that the requirement changes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub supersedes: BTreeMap<CriterionId, Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dispute: Option<Dispute>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ClaimStatus {
    Ok,
    Failed,
}

/// "These tests are wrong": the operator decides (section 9).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dispute {
    pub tests: Vec<String>,
    pub reason: String,
}

/// Why a message holds no valid claim: mode D.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimError {
    pub kind: ClaimErrorKind,
    /// What happened, why, and what a valid block would have.
    pub message: String,
    /// The line of the message where it went wrong, from 1.
    pub line: Option<usize>,
    /// The dispute that was meant, where its form is what is wrong. Told to a person, and judged by nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meant: Option<Dispute>,
}

/// How messages begin of a child that ended without any word for the role.
const ENDED: &str = "the agent ended";

impl ClaimError {
    /// Of a program that ended with a code of failure and said this last, or nothing.
    pub fn died(exit: Exit, said: &str) -> Self {
        let how = match exit {
            Exit::Code(code) => format!(" with exit code {code}"),
            Exit::Signal(_) | Exit::Deadline | Exit::OutputCap => format!(", {exit}"),
        };
        let said = if said.is_empty() { ", and printed nothing".to_owned() } else { format!(": {said}") };
        Self::of_silence(format!("{ENDED}{how}{said}"))
    }

    /// Of one that ended well and gave no message; the last that it printed, if it printed anything.
    pub fn no_message(printed: Option<&str>) -> Self {
        let last = printed.map(|line| format!("; the last thing it printed was: {line}"));
        let last = last.unwrap_or_else(|| ", and printed nothing".to_owned());
        Self::of_silence(format!("{ENDED} without a final message{last}"))
    }

    fn of_silence(message: String) -> Self {
        Self { kind: ClaimErrorKind::NoBlock, message, line: None, meant: None }
    }

    /// How the child ended, where that is all that is known: what it has not done then is no work that failed.
    pub fn ended(&self) -> Option<&str> {
        // Journals of older programs say `child`.
        let words = [ENDED, "the child ended"];
        let how = words.iter().find_map(|words| self.message.strip_prefix(words));
        how.filter(|_| self.kind == ClaimErrorKind::NoBlock)
    }

    /// Whether its program ended as one that has failed.
    pub fn is_of_death(&self) -> bool {
        self.ended().is_some_and(|how| !how.starts_with(" without "))
    }
}

/// The closed list of the conformance vectors. Serialised by its [`Display`](fmt::Display).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "String", into = "String")]
pub enum ClaimErrorKind {
    NoBlock,
    ManyBlocks,
    UnclosedBlock,
    NotYaml,
    Alias,
    TooLarge,
    MissingField(String),
    DuplicateField,
    InvalidRole,
    WrongRole,
    InvalidStatus,
    InvalidFiles,
    InvalidCommand,
    UnsafePath,
    /// It disputes tests that are not there: a quotation, not a dispute.
    UnknownDispute,
}

const PLAIN_KINDS: [(ClaimErrorKind, &str); 14] = [
    (ClaimErrorKind::NoBlock, "no-block"),
    (ClaimErrorKind::ManyBlocks, "many-blocks"),
    (ClaimErrorKind::UnclosedBlock, "unclosed-block"),
    (ClaimErrorKind::NotYaml, "not-yaml"),
    (ClaimErrorKind::Alias, "alias"),
    (ClaimErrorKind::TooLarge, "too-large"),
    (ClaimErrorKind::DuplicateField, "duplicate-field"),
    (ClaimErrorKind::InvalidRole, "invalid-role"),
    (ClaimErrorKind::WrongRole, "wrong-role"),
    (ClaimErrorKind::InvalidStatus, "invalid-status"),
    (ClaimErrorKind::InvalidFiles, "invalid-files"),
    (ClaimErrorKind::InvalidCommand, "invalid-command"),
    (ClaimErrorKind::UnsafePath, "unsafe-path"),
    (ClaimErrorKind::UnknownDispute, "unknown-dispute"),
];

impl fmt::Display for ClaimErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::MissingField(field) = self {
            return write!(f, "missing-field:{field}");
        }
        let name = PLAIN_KINDS.iter().find(|(kind, _)| kind == self).map_or("", |(_, name)| name);
        f.write_str(name)
    }
}

impl TryFrom<String> for ClaimErrorKind {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if let Some(field) = text.strip_prefix("missing-field:") {
            return Ok(Self::MissingField(field.to_owned()));
        }
        let found = PLAIN_KINDS.into_iter().find(|(_, name)| *name == text);
        found.map(|(kind, _)| kind).ok_or_else(|| format!("`{text}` is no kind of claim error"))
    }
}

impl From<ClaimErrorKind> for String {
    fn from(kind: ClaimErrorKind) -> Self {
        kind.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_block_is_journalled_by_its_name() {
        let missing = (ClaimErrorKind::MissingField("role".to_owned()), "missing-field:role");
        for (kind, name) in PLAIN_KINDS.into_iter().chain([missing]) {
            assert_eq!(kind.to_string(), name);
            assert_eq!(serde_json::to_value(&kind).unwrap(), name);
            assert_eq!(ClaimErrorKind::try_from(name.to_owned()), Ok(kind));
        }
        assert!(ClaimErrorKind::try_from("no-blocks".to_owned()).is_err());
    }
}
