//! Names that existing tests use and that mean something else since their file was changed.

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::finding::{Rebound, RedFindings};
use tdd_core::mapping;
use tdd_core::path::RelPath;
use tdd_core::ports::World;
use tdd_core::test::TestId;
use tdd_core::trouble::Trouble;
use tdd_source::{Files, Origin, Place};

use super::Work;
use super::sources::{Rewritten, SourceBook};

/// A name that is shown; a longer one is cut.
const LONGEST: usize = 80;

/// One for each of these names that known tests of the file use, those left out that are `answered` for.
fn used_by(
    file: &Rewritten,
    rebound: &[tdd_source::Rebound],
    (known, answered): (&[TestId], &BTreeSet<&TestId>),
) -> Vec<Rebound> {
    let led_to = file.led_to(known);
    let mut names: BTreeMap<&str, Vec<(&TestId, u32)>> = BTreeMap::new();
    for id in known.iter().filter(|id| !answered.contains(id)) {
        let Some(home) = file.home(id, led_to) else { continue };
        for one in rebound.iter().filter(|one| is_of(one.test.as_deref(), &home.name)) {
            names.entry(&one.name).or_default().push((id, one.line));
        }
    }
    let of_name = |(name, mut uses): (&str, Vec<(&TestId, u32)>)| {
        uses.dedup_by_key(|(id, _)| *id);
        let (test, line) = *uses.first()?;
        let name = name.chars().take(LONGEST).collect();
        Some(Rebound { name, line, test: test.clone(), more: uses.len() - 1, by: None })
    };
    names.into_iter().filter_map(of_name).collect()
}

/// Whether it is this test that uses a name; `None`: all of the file.
fn is_of(test: Option<&str>, name: &str) -> bool {
    let spelt = |name: &str| name.replace("::", ".");
    let plain = name.split('[').next().unwrap_or(name);
    test.is_none_or(|test| test == name || spelt(test) == spelt(plain))
}

impl<W: World> Drive<'_, W> {
    /// Names that tests use which the findings neither name as changed nor as superseded.
    pub(super) fn rebound(
        &mut self,
        (work, book): (&Work, &SourceBook),
        findings: &RedFindings,
        hiding: &BTreeSet<RelPath>,
    ) -> Result<Vec<Rebound>, Trouble> {
        let Some(baseline) = &self.state.baseline else { return Ok(Vec::new()) };
        let known = baseline.test.greens.clone();
        let superseded = findings.superseded.iter().map(|test| &test.id);
        let answered: BTreeSet<&TestId> = findings.unlisted.iter().chain(superseded).collect();
        let mut by_others = self.rebound_elsewhere(work, (&known, &answered))?;
        by_others.extend(self.in_place_of_others((work, hiding), (&known, &answered))?);
        if book.rewritten.is_empty() {
            return Ok(by_others);
        }
        let files = self.helper_book(&work.after)?.files;
        let of_file = |file| used_by(file, &self.rebound_in(&files, file), (&known, &answered));
        Ok(book.rewritten.iter().flat_map(of_file).chain(by_others).collect())
    }

    /// Functions that another file of tests reassigns as it is loaded.
    fn rebound_elsewhere(
        &mut self,
        work: &Work,
        (known, answered): (&[TestId], &BTreeSet<&TestId>),
    ) -> Result<Vec<Rebound>, Trouble> {
        let Some(zero) = self.state.facts.zero.clone() else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for (by, what, from) in self.diff().reassigned_by_tests((&zero, &work.after), &work.changed)? {
            let file = mapping::in_project(&from, &self.state.run.project);
            let mut tests = known.iter().filter(|id| id.file() == file && !answered.contains(id));
            if let Some(test) = tests.next() {
                let name = what.shown.chars().take(LONGEST).collect();
                let more = tests.count();
                found.push(Rebound { name, line: what.line, test: test.clone(), more, by: Some(by) });
            }
        }
        Ok(found)
    }

    fn rebound_in(&self, files: &Files, file: &Rewritten) -> Vec<tdd_source::Rebound> {
        let (Some(language), Some(after)) = (file.language, &file.after) else { return Vec::new() };
        let path = &file.file;
        let origin = |from: &str| match files.place(language, path, from) {
            Place::Absent => Origin::Absent,
            Place::Own | Place::Library => Origin::Library,
            Place::Files(files) if files.iter().any(|file| self.takes_part(file)) => {
                Origin::Tests(files.into_iter().collect())
            }
            Place::Files(files) => Origin::Production(files.into_iter().collect()),
        };
        // What no grammar reads counts as changed as a whole.
        tdd_source::rebound(language, &file.before, after, &origin).unwrap_or_default()
    }
}
