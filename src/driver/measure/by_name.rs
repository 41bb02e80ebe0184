//! Tests that say by their own names whose they are, in files that were there before: `test_ac_ste_12_1_adds`.

use crate::driver::cycle::Drive;
use tdd_core::criterion::CriterionId;
use tdd_core::finding::ChangeKind;
use tdd_core::mapping::{self, Mapping};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Checkpoints, Tests, World};
use tdd_core::test::{FailureKind, Outcome, TestId, TestReport};
use tdd_core::trouble::Trouble;

use super::Work;

impl<W: World> Drive<'_, W> {
    /// New tests of changed files that are red, or whose file lacks something, and that name one criterion: they are
    /// its, unless somebody has them by their file or by the block.
    pub(super) fn own_by_name(
        &mut self,
        mapping: &mut Mapping,
        work: &Work,
        report: &TestReport,
    ) -> Result<(), Trouble> {
        let is_changed = |file: &RelPath| {
            let mut changes = work.changed.iter().filter(|change| change.path == *file);
            changes.any(|change| change.class == FileClass::Test && change.kind == ChangeKind::Modified)
        };
        let red = report.tests.iter().filter(|test| matches!(test.outcome, Outcome::Failed(_)));
        let red = red.filter_map(|test| Some((test.file.clone()?, test.id.clone())));
        let mut new: Vec<(RelPath, TestId)> = red.filter(|(file, _)| is_changed(file)).collect();
        for load in report.load_failures.iter().filter(|load| load.failure.kind == FailureKind::Missing) {
            if is_changed(&load.file)
                && let Some(source) = self.ports.checkpoints.read(&work.after, &load.file)?
            {
                let declared = self.ports.tests.declared(&load.file, &source);
                new.extend(declared.into_iter().map(|id| (load.file.clone(), id)));
            }
        }
        let known = self.known_tests();
        let covered = self.state.covered_by_red();
        for (file, id) in new.into_iter().filter(|(_, id)| !known.contains(id)) {
            let is_owned = mapping.owned.values().any(|owned| {
                owned.files.contains(&file) || owned.ids.iter().any(|own| *own == id || own.0 == id.shared())
            });
            let criterion = named_by(&id, &covered).filter(|_| !is_owned);
            if let Some(criterion) = criterion {
                mapping.owned.entry(criterion.clone()).or_default().ids.push(id);
            }
        }
        Ok(())
    }
}

/// The one criterion that the name of a test names.
pub(super) fn named_by<'c>(id: &TestId, criteria: &'c [CriterionId]) -> Option<&'c CriterionId> {
    let (_, name) = id.0.split_once("::")?;
    let mut naming = criteria.iter().filter(|criterion| mapping::names_criterion(name, criterion));
    let first = naming.next()?;
    naming.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_test_names_one_criterion_or_none() {
        let ids = ["AC-STE-1.1", "AC-STE-1.2"].map(|id| CriterionId::parse(id).unwrap());
        for (id, want) in [
            ("tests/test_a.py::test_ac_ste_1_1_adds", Some(&ids[0])),
            ("a_test.go::TestAcSte1_2Adds", Some(&ids[1])),
            ("test/a.test.js::cart > AC-STE-1.1: adds", Some(&ids[0])),
            ("tests/test_a.py::TestAcSte1_1::test_adds", Some(&ids[0])),
            ("tests/test_ac_ste_1_1.py::test_adds", None),
            ("tests/test_a.py::test_ac_ste_1_1_like_ac_ste_1_2", None),
            ("tests/test_a.py::test_ac_ste_1_10", None),
        ] {
            assert_eq!(named_by(&TestId(id.to_owned()), &ids), want, "{id}");
        }
    }
}
