//! What is known of each runner without running it. A runner's own file fills one [`Runner`]; `registry.rs` names
//! them all.

use std::fmt;
use std::path::Path;

use super::adapter::Adapter;
use super::refusals::underivable;
use crate::canary_text::Secret;
use crate::command_line::{Asked, RunnerCall, call_of};
use tdd_core::commands::{ProjectCommands, RunnerKind, RunnerTable};
use tdd_core::trouble::Trouble;
use tdd_source::Language;

/// A runner of tests, or a format that any runner's report may have.
pub struct Runner {
    pub kind: RunnerKind,
    /// Which files hold tests, as globs, unless a project says so itself.
    pub test_files: &'static [&'static str],
    /// Where a new test file lies; `None` if nobody can say.
    pub placement: Option<Placement>,
    /// How a call is made to write a JUnit report, too.
    pub junit: Option<Junit>,
    /// The programs that an environment of the project's must hold to be used for it; none for a runner that
    /// knows no such environments.
    pub environment: &'static [&'static str],
    /// Its exit code for a command line that it can't use, where it has one of its own.
    pub usage_error: Option<i32>,
    /// Its adapter gives new files a time of its own, so that a build sees them.
    pub restamps: bool,
    /// Whether its report tells of single tests.
    pub tells_tests: bool,
    /// What its verdicts are read from, in words.
    pub read_by: &'static str,
    /// The length of a call up to the runner's own name, if these words, of which the first is a program, are one.
    pub(crate) called_by: Asked,
    /// A test file that fails, made of one of the project's; `None` leaves it to the file's language.
    pub(crate) failing: fn(Language, &Source<'_>) -> Option<String>,
    pub(super) adapter: fn(&Making<'_>) -> Result<Box<dyn Adapter>, Trouble>,
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())
    }
}

/// Where the test file of something new lies: `tests/test_<name>.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Where there are no tests yet to lie beside.
    pub folder: &'static str,
    pub prefix: &'static str,
    /// Behind the name, with its dot.
    pub suffix: &'static str,
    /// The project's tests may have another suffix behind `.test.` or `.spec.`: `spec.tsx`.
    pub suffix_varies: bool,
    /// A file is found right in a folder of this name alone.
    pub only_in: Option<&'static str>,
}

/// How a call is made to write a JUnit report; `{report}` stands for its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Junit {
    /// These options, behind the call and before its files.
    Behind(&'static str),
    /// These words in the place of that one.
    Instead(&'static str, &'static str),
}

/// A file of the project's that a failing one is made of.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub text: &'a str,
    pub extension: &'a str,
    pub secret: &'a Secret,
}

/// What an adapter is made of.
pub(super) struct Making<'a> {
    pub(super) called_by: Asked,
    pub(super) commands: &'a ProjectCommands,
    pub(super) table: Option<&'a RunnerTable>,
    /// The run's private folder.
    pub(super) work: &'a Path,
}

impl Making<'_> {
    /// The command that runs all tests.
    pub(super) fn line(&self) -> &str {
        self.table.map_or(self.commands.test.as_str(), |table| table.all.as_str())
    }

    /// The call that it is.
    pub(super) fn call(&self) -> Result<RunnerCall, Trouble> {
        call_of(self.called_by, self.line()).ok_or_else(|| self.underivable())
    }

    pub(super) fn underivable(&self) -> Trouble {
        underivable(self.commands, self.line())
    }
}

/// No command line is a call of it.
pub(super) fn is_never_called(_: &[&str]) -> Option<usize> {
    None
}

/// As any test of its language fails.
pub(super) fn fails_as_its_language(_: Language, _: &Source<'_>) -> Option<String> {
    None
}
