//! The sources of tests, read once from checkpoints, for what reports do not tell.

use std::collections::BTreeMap;

use crate::core::finding::ChangeKind;
use crate::core::mapping::{self, Mapping};
use crate::core::path::RelPath;
use crate::core::policy::FileClass;
use crate::core::test::TestId;
use crate::core::trouble::Trouble;
use crate::core::weigh::Body;
use crate::driver::drive::Drive;
use crate::driver::ports::{Checkpoints, Tests, World};

use super::Work;

/// One test file that the test-writer wrote or changed.
struct Source {
    declared: Vec<TestId>,
    after: Vec<u8>,
}

/// An existing test file that differs from what it was.
struct Rewritten {
    /// As ids spell it.
    path: String,
    before: Vec<u8>,
    /// `None` if it is gone.
    after: Option<Vec<u8>>,
}

/// What can be known of tests without running them.
#[derive(Default)]
pub(super) struct SourceBook {
    sources: BTreeMap<RelPath, Source>,
    rewritten: Vec<Rewritten>,
}

impl SourceBook {
    pub(super) fn declared(&self, file: &RelPath) -> Vec<TestId> {
        self.sources.get(file).map(|source| source.declared.clone()).unwrap_or_default()
    }

    pub(super) fn body(&self, file: &RelPath, id: &TestId) -> Body {
        let Some(source) = self.sources.get(file) else { return Body::default() };
        let _ = (&source.after, id);
        Body::default()
    }

    /// Known tests whose body is not what it was. Where bodies can't be told apart, every known
    /// test of a file that changed counts as changed.
    pub(super) fn changed_tests(&self, known: &[TestId]) -> Vec<TestId> {
        let mut changed = Vec::new();
        for file in &self.rewritten {
            let of_file = known.iter().filter(|id| id.0.split("::").next() == Some(file.path.as_str()));
            let _ = (&file.before, &file.after);
            changed.extend(of_file.cloned());
        }
        changed
    }
}

impl<W: World> Drive<'_, W> {
    pub(super) fn read_sources(&mut self, work: &Work, mapping: &Mapping) -> Result<SourceBook, Trouble> {
        let mut book = SourceBook::default();
        for file in mapping.owned.values().flat_map(|owned| &owned.files) {
            if let Some(after) = self.ports.checkpoints.read(&work.after, file)? {
                let declared = self.ports.tests.declared(file, &after);
                book.sources.insert(file.clone(), Source { declared, after });
            }
        }
        for change in work.changed.iter().filter(|change| change.class == FileClass::Test) {
            if change.kind == ChangeKind::Added {
                continue;
            }
            if let Some(before) = self.ports.checkpoints.read(&work.base, &change.path)? {
                let after = self.ports.checkpoints.read(&work.after, &change.path)?;
                let path = mapping::in_project(&change.path, &self.state.run.project).to_owned();
                book.rewritten.push(Rewritten { path, before, after });
            }
        }
        Ok(book)
    }
}
