//! Names of old tests that were given another meaning.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::path::RelPath;
use crate::test::TestId;

/// A name that an existing test uses and that means something else now, though the test reads as it did.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rebound {
    pub name: String,
    /// The line of the test's file that gives the name its other meaning, from 1; 0 if it has none any more.
    pub line: u32,
    /// The first test that uses it.
    pub test: TestId,
    /// How many more tests of the file do.
    pub more: usize,
    /// The file that gives it, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<RelPath>,
}

impl fmt::Display for Rebound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, line, test, more, by } = self;
        if let (Some(by), 0) = (by, line) {
            write!(
                f,
                "`{name}` means something else for all tests: {by} is loaded in its place, and existing tests import it; \
                 give the new file another name: {test}"
            )?;
            return if *more > 0 { write!(f, " and {more} more") } else { Ok(()) };
        }
        if let Some(by) = by {
            write!(
                f,
                "`{name}` means something else for all tests as soon as {by} is loaded (line {line}), and existing \
                 tests call it; change it within a test, and put it back: {test}"
            )?;
            return if *more > 0 { write!(f, " and {more} more") } else { Ok(()) };
        }
        match line {
            0 => write!(f, "`{name}` means nothing any more in this file")?,
            line => write!(f, "`{name}` means something else since line {line} of this file")?,
        }
        f.write_str(
            ", and an existing test uses it that is not named in `supersedes:`; call what is new by another ",
        )?;
        write!(f, "name: {test}")?;
        if *more > 0 { write!(f, " and {more} more") } else { Ok(()) }
    }
}
