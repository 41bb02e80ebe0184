//! Names that existing tests use and that mean something else since their file was changed.

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::finding::Rebound;
use tdd_core::path::RelPath;
use tdd_core::ports::World;
use tdd_core::test::TestId;
use tdd_source::{Files, Language, Origin, Place};

use super::sources::SourceBook;

/// A name that is shown; a longer one is cut.
const LONGEST: usize = 80;

impl SourceBook {
    /// One for each file and name that known tests use, those left out that are `answered` for.
    pub(super) fn rebound(&self, known: &[TestId], answered: &BTreeSet<&TestId>) -> Vec<Rebound> {
        let mut found = Vec::new();
        for file in self.rewritten.iter().filter(|file| !file.rebound.is_empty()) {
            let led_to = file.led_to(known);
            let mut names: BTreeMap<&str, Vec<(&TestId, u32)>> = BTreeMap::new();
            for id in known.iter().filter(|id| !answered.contains(id)) {
                let Some(home) = file.home(id, led_to) else { continue };
                for one in file.rebound.iter().filter(|one| is_of(one.test.as_deref(), &home.name)) {
                    names.entry(&one.name).or_default().push((id, one.line));
                }
            }
            for (name, mut uses) in names {
                uses.dedup_by_key(|(id, _)| *id);
                let Some((test, line)) = uses.first() else { continue };
                found.push(Rebound {
                    name: name.chars().take(LONGEST).collect(),
                    line: *line,
                    test: (*test).clone(),
                    more: uses.len() - 1,
                });
            }
        }
        found
    }
}

/// Whether it is this test that uses a name; `None`: all of the file.
fn is_of(test: Option<&str>, name: &str) -> bool {
    let spelt = |name: &str| name.replace("::", ".");
    let plain = name.split('[').next().unwrap_or(name);
    test.is_none_or(|test| test == name || spelt(test) == spelt(plain))
}

impl<W: World> Drive<'_, W> {
    pub(super) fn rebound_in(
        &self,
        files: &Files,
        path: &RelPath,
        (before, after): (&str, Option<&str>),
    ) -> Vec<tdd_source::Rebound> {
        let (Some(language), Some(after)) = (Language::of(path.extension()), after) else {
            return Vec::new();
        };
        let origin = |from: &str| match files.place(language, path, from) {
            Place::Absent => Origin::Absent,
            Place::Own | Place::Library => Origin::Library,
            Place::Files(files) if files.iter().any(|file| self.takes_part(file)) => {
                Origin::Tests(files.into_iter().collect())
            }
            Place::Files(files) => Origin::Production(files.into_iter().collect()),
        };
        // What no grammar reads counts as changed as a whole.
        tdd_source::rebound(language, before, after, &origin).unwrap_or_default()
    }
}
