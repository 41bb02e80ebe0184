//! What a run needs to know besides its state.

use tdd_core::event::RunId;
use tdd_core::isolation::{Confinement, Reach};
use tdd_core::path::RelPath;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::ports::{Limits, Skills};
use tdd_core::role::Key;
use tdd_core::test::TestRun;
use tdd_core::turns::TurnCaps;

use super::flags::Flags;

/// What a run needs to know besides its state; decided before it starts.
pub struct Setup {
    pub policy: Policy,
    pub skills: Skills,
    /// Bounds of one child, but for its turns.
    pub limits: Limits,
    /// Turns of one child (contract section 9).
    pub turns: TurnCaps,
    /// Reports that the commands write into the tree; by-products, wherever they lie.
    pub reports: Vec<RelPath>,
    /// The text of the project's `tdd.yaml`, for where a setting stands in it.
    pub settings: String,
    /// The run's folder, for people.
    pub run_dir: String,
    /// What a command that goes on with the run must repeat: ` --cassette FILE`, or nothing.
    pub resume_with: Flags,
    /// A later run, whose work may lie in the tree that this one goes on with.
    pub later: Option<RunId>,
    /// A halted run of another requirement, whose work lies in the tree that this one begins with.
    pub halted_beside: Option<RunId>,
    /// The level of isolation and what it does not prevent, for people.
    pub isolation: Confinement,
    /// What children may reach, where anything is prevented.
    pub fences: Option<Reach>,
    /// Spellings of the repository's absolute path, the canonical one first, for absolute paths
    /// in claims.
    pub roots: Vec<String>,
    /// Masks secrets; applied to whatever is kept or shown.
    pub mask: Box<dyn Fn(&str) -> String>,
}

impl Setup {
    /// What may be green by hand and red here.
    pub(super) fn fences_of(&self, run: &TestRun) -> String {
        self.fences.as_ref().map_or_else(String::new, |reach| reach.fences(&run.output) + "\n")
    }

    pub(super) fn pass_first(&self, run: &TestRun) -> String {
        let (fences, command, log) = (self.fences_of(run), &run.command, &run.log);
        format!("{fences}make `{command}` pass first (all of its output: {log})")
    }
}

/// What a role must leave alone while it runs. The test-writer may change tests, but no gate file.
pub(super) fn sealed_classes(key: &Key) -> &'static [FileClass] {
    match key {
        Key::TestWriter => &[FileClass::Gate],
        Key::Implementer(_) | Key::Refactorer => &[FileClass::Gate, FileClass::Test],
    }
}
