//! Code that does not compile any more, though all tests do: an example, a program without tests, a library that its
//! tests alone complete. The command itself fails of it, in whoever's hands.

use std::collections::BTreeSet;

use crate::driver::cycle::Drive;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::World;
use tdd_core::test::{TestId, TestReport};

/// Letters of what a compiler says of a project that it names no file of.
const LONGEST: usize = 160;

impl<W: World> Drive<'_, W> {
    /// Sources, and what is said where no file can be named, that this run of all tests could not build and the baseline
    /// could.
    pub(super) fn newly_unbuilt(&self, report: &TestReport) -> Vec<String> {
        let Some(baseline) = &self.state.baseline else { return Vec::new() };
        let mapping = self.mapping();
        let waits: BTreeSet<RelPath> = mapping.uncompiled().into_iter().map(|test| test.file).collect();
        let is_new = |file: &&RelPath| {
            self.policy.classify(file) == FileClass::Source
                && !waits.contains(*file)
                && !baseline.test.reds.contains(&TestId(file.to_string()))
        };
        let files: BTreeSet<&RelPath> =
            report.load_failures.iter().map(|load| &load.file).filter(is_new).collect();
        let mut all: Vec<String> = files.into_iter().map(RelPath::to_string).collect();
        let first_line = |said: &str| said.lines().next().unwrap_or_default().chars().take(LONGEST).collect();
        all.extend(report.project_broken.iter().map(|broken| first_line(&broken.message)));
        all
    }
}
