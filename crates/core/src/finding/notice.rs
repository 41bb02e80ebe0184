//! What is told of work that was kept.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::criterion::CriterionId;
use crate::path::RelPath;
use crate::test::TestId;

/// One thing for a person to look at. No verdict rests on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Notice {
    /// A source looks for what only a test runner leaves; the line, at most 120 characters.
    LooksForTests { path: RelPath, what: String },
    /// A source ends the process by itself, which tests don't survive; the line, as above.
    EndsProcess { path: RelPath, what: String },
    /// A source gives what is not the project's own another meaning, at least when it is asked to; a file of tests from
    /// before says that name.
    Reassigns { path: RelPath, name: String, from: RelPath },
    /// A source can't be loaded without a package that this manifest names for development alone.
    ForDevelopment { path: RelPath, package: String, manifest: RelPath },
    /// The refactorer took a name away that others may use.
    RemovedName { path: RelPath, name: String },
    /// The refactorer made a name that others may use, and no test speaks of it.
    NewName { path: RelPath, name: String },
    /// An example in a source that the test command runs as a test was changed or removed.
    ChangedExample(TestId),
    /// A test of the criterion was skipped, as its own text says that it may be.
    SkipsItself(TestId),
    /// The gate, which judges this criterion, is green, and nothing was changed for it.
    UnchangedForGate(CriterionId),
    /// The role says that it changed this file, and no snapshot holds it.
    Unseen(RelPath),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LooksForTests { path, what } => {
                write!(f, "{path} looks whether tests run: {what}")
            }
            Self::EndsProcess { path, what } => {
                write!(f, "{path} ends the process by itself, and tests with it: {what}")
            }
            Self::Reassigns { path, name, from } => {
                write!(f, "{path} gives `{name}` another meaning for the whole program; {from} speaks of it")
            }
            Self::ForDevelopment { path, package, manifest } => {
                write!(
                    f,
                    "{path} needs {package}, which {manifest} names for development alone: whoever installs "
                )?;
                f.write_str("the project does not get it")
            }
            Self::RemovedName { path, name } => {
                write!(f, "a public name is gone from {path}: {name}")
            }
            Self::NewName { path, name } => {
                write!(f, "a public name is new in {path}, and no test speaks of it: {name}")
            }
            Self::ChangedExample(test) => {
                write!(f, "an example that the test command runs is not what it was: {test}")
            }
            Self::SkipsItself(test) => {
                write!(f, "a test of this run skips itself, so it says nothing of the work: {test}")
            }
            Self::UnchangedForGate(id) => {
                write!(
                    f,
                    "nothing was changed for {id}, which the gate judges: it held before, or the gate does not ask "
                )?;
                f.write_str("for it")
            }
            Self::Unseen(path) => {
                write!(f, "a role says that it changed {path}, and no snapshot holds it: ")?;
                f.write_str(
                    "git ignores it, so that no commit has it and `undo` leaves it, or it is not there",
                )
            }
        }
    }
}
