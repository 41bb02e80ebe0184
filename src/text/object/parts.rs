//! What several objects hold.

use serde::Serialize;

use crate::text::summary::of_git;
use tdd_core::attempt::CheckpointId;
use tdd_core::machine::Facts;
use tdd_core::path::RelPath;

/// A command for a person to choose.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Step {
    pub what: String,
    pub command: String,
}

/// What was put back or stands in the tree, and may be a person's.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum SetAside {
    /// Files.
    Files {
        paths: Vec<RelPath>,
        /// The tree that holds them.
        kept: CheckpointId,
        /// A role may have left them: its block names none of them.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        perhaps_a_roles: bool,
    },
    /// Of git's own state, in words, with the command that brings it back.
    Git { git: String },
}

impl SetAside {
    /// All of a run.
    pub fn of(facts: &Facts) -> Vec<Self> {
        let one = |perhaps_a_roles| {
            move |(paths, kept): &(Vec<RelPath>, CheckpointId)| Self::Files {
                paths: paths.clone(),
                kept: kept.clone(),
                perhaps_a_roles,
            }
        };
        let files = facts.set_aside.iter().map(one(false)).chain(facts.unnamed.iter().map(one(true)));
        files.chain(of_git(facts).map(|git| Self::Git { git: git.clone() })).collect()
    }
}
