//! What changed production code says, against which a rule stands.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;

/// A source that was made to show tests another face than it shows everybody else.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TestAware {
    pub path: RelPath,
    pub kind: TestAwareKind,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TestAwareKind {
    /// It is built in another way where tests are built.
    UnderTest,
    /// It gives the name of an assertion another meaning.
    Shadow,
    /// It asks for what only a test runner leaves, and no criterion is about tests.
    Asks,
    /// It takes what it needs from a file of tests.
    NeedsTests { on: RelPath },
    /// It takes the place of a module that is installed, which this file of tests imports.
    Hides { from: RelPath },
    /// As soon as it is loaded, a function of a library or of the language means something else: one that this file of
    /// tests calls.
    Reassigns { name: String, from: RelPath },
}

impl fmt::Display for TestAware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, kind } = self;
        match kind {
            TestAwareKind::UnderTest => {
                write!(f, "this source is built in another way for tests (`cfg` with `test`): {path}")
            }
            TestAwareKind::Shadow => {
                write!(f, "this source gives the name of an assertion another meaning: {path}")
            }
            TestAwareKind::Asks => write!(f, "this source asks whether a test runner is at work: {path}"),
            TestAwareKind::NeedsTests { on } => write!(
                f,
                "this source needs a file of tests, and fails wherever those are not: {path} takes from {on}; have \
                 what it needs in a source"
            ),
            TestAwareKind::Hides { from } => write!(
                f,
                "this new source takes the place of a module that is installed, which {from} imports: {path}; give it \
                 another name"
            ),
            TestAwareKind::Reassigns { name, from } => write!(
                f,
                "this source gives `{name}`, which {from} calls, another meaning for the whole program: {path}; leave it \
                 as it is, and have a function of your own"
            ),
        }
    }
}

/// A name that others could use before the run, and can't any more as they could.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LostName {
    pub path: RelPath,
    /// `name`, or `Owner.name` of a member.
    pub name: String,
    pub loss: NameLoss,
}

impl fmt::Display for LostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, name, loss } = self;
        match loss {
            NameLoss::Gone => {
                write!(f, "a public name that was there before the run is gone; put it back: {name} ({path})")
            }
            NameLoss::Hidden => {
                f.write_str(
                    "a public name that was there before the run is there under a condition alone now; ",
                )?;
                write!(f, "put it back where it always is: {name} ({path})")
            }
            NameLoss::Changed => {
                f.write_str("a public function can't be called any more as it could before the run; ")?;
                write!(f, "put its parameters and result back: {name} ({path})")
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum NameLoss {
    /// No source declares it any more.
    Gone,
    /// It is declared under a condition alone: `#[cfg(…)]`, `//go:build`, `if`.
    Hidden,
    /// It is called in another way.
    Changed,
}
