//! Tests that say by their own names whose they are, in files that do not: `test_ac_ste_12_1_adds`.

use std::collections::BTreeSet;

use crate::driver::cycle::Drive;
use tdd_core::criterion::CriterionId;
use tdd_core::finding::{ChangeKind, ClassedChange};
use tdd_core::mapping::{self, Mapping};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Checkpoints, Tests, World};
use tdd_core::test::{Outcome, TestId, TestReport};
use tdd_core::trouble::Trouble;

use super::Work;
use super::cases::is_case_of;
use super::homes::is_alias;

impl<W: World> Drive<'_, W> {
    /// Where a block lists a file that held tests before, its new tests are meant: those of it that were there are no
    /// criterion's.
    pub(super) fn own_new_of_listed(
        &mut self,
        mapping: &mut Mapping,
        work: &Work,
        report: &TestReport,
    ) -> Result<(), Trouble> {
        let known: BTreeSet<TestId> = self.known_tests().into_iter().cloned().collect();
        let held: BTreeSet<RelPath> = known.iter().filter_map(|id| self.file_of(id)).collect();
        let covered = self.state.covered_by_red();
        for (criterion, owned) in &mut mapping.owned {
            let is_old =
                |file: &RelPath| held.contains(file) && !mapping::names_criterion(file.as_str(), criterion);
            let (old, own): (Vec<RelPath>, Vec<RelPath>) =
                std::mem::take(&mut owned.files).into_iter().partition(is_old);
            owned.files = own;
            for (_, id) in self.tests_in(&old, work, report)? {
                let is_other = named_by(&id, &covered).is_some_and(|named| named != criterion);
                if !known.contains(&id) && !is_other && !owned.ids.contains(&id) {
                    owned.ids.push(id);
                }
            }
        }
        Ok(())
    }

    /// A test of a class that others inherit runs once more in each of them: in a file that nobody has changed a new red
    /// one of this name is its criterion's, if one alone has it.
    pub(super) fn own_inherited(&self, mapping: &mut Mapping, work: &Work, report: &TestReport) {
        let known = self.known_tests();
        let method = |id: &TestId| {
            let name = id.0.split('[').next().unwrap_or(&id.0);
            let (class, method) = name.rsplit_once("::")?;
            (class.contains("::") && RelPath::new(id.file())?.extension() == "py").then(|| method.to_owned())
        };
        let is_red = |id: &TestId, outcome: &Outcome| {
            matches!(outcome, Outcome::Failed(_))
                && !known.contains(id)
                && mapping.owned.values().all(|owned| !owned.ids.contains(id))
        };
        let red = report.tests.iter().filter(|test| is_red(&test.id, &test.outcome));
        let new = red.filter(|test| self.is_unchanged_test_file(test.id.file(), work));
        let mut found: Vec<(CriterionId, TestId)> = Vec::new();
        for (id, name) in new.filter_map(|test| Some((&test.id, method(&test.id)?))) {
            let has_it = |id: &TestId| method(id).as_ref() == Some(&name);
            let mut owners = mapping.owned.iter().filter(|(_, owned)| owned.ids.iter().any(has_it));
            if let (Some((owner, _)), None) = (owners.next(), owners.next()) {
                found.push((owner.clone(), id.clone()));
            }
        }
        for (owner, id) in found {
            mapping.owned.entry(owner).or_default().ids.push(id);
        }
    }

    /// Puts the tests of a class, suite or table of a file that does not load in the place of the name that a block calls them
    /// by.
    pub(super) fn spell_out_unloaded(
        &mut self,
        mapping: &mut Mapping,
        work: &Work,
        report: &TestReport,
    ) -> Result<(), Trouble> {
        let loads = report.load_failures.iter().map(|load| load.file.clone()).collect::<BTreeSet<_>>();
        for file in loads {
            let path = mapping::in_project(&file, &self.state.run.project);
            let is_listed = |id: &&TestId| id.file() == path && id.0.len() > path.len();
            if !mapping.owned.values().flat_map(|owned| &owned.ids).any(|id| is_listed(&id)) {
                continue;
            }
            let Some(source) = self.ports.checkpoints.read(&work.after, &file)? else { continue };
            let declared = self.ports.tests.declared(&file, &source);
            for owned in mapping.owned.values_mut() {
                let mut spelt: Vec<TestId> = Vec::new();
                for id in std::mem::take(&mut owned.ids) {
                    // A test that holds others is one itself: `TestA` of `TestA/one`.
                    let is_it = |test: &TestId| *test == id || is_alias(&id.0, test);
                    let is_test = !is_listed(&&id) || declared.iter().any(is_it);
                    let inner = declared.iter().filter(|test| !is_test && is_case_of(test, &id.0));
                    let inner: Vec<TestId> = inner.cloned().collect();
                    spelt.extend(if inner.is_empty() { vec![id] } else { inner });
                }
                let mut kept = BTreeSet::new();
                spelt.retain(|id| kept.insert(id.clone()));
                owned.ids = spelt;
            }
        }
        Ok(())
    }

    /// All tests of these files: as they ran, or as a file says that does not load.
    fn tests_in(
        &mut self,
        files: &[RelPath],
        work: &Work,
        report: &TestReport,
    ) -> Result<Vec<(RelPath, TestId)>, Trouble> {
        let ran = report.tests.iter().filter_map(|test| Some((test.file.clone()?, test.id.clone())));
        let mut found: Vec<(RelPath, TestId)> = ran.filter(|(file, _)| files.contains(file)).collect();
        for load in report.load_failures.iter().filter(|load| files.contains(&load.file)) {
            if let Some(source) = self.ports.checkpoints.read(&work.after, &load.file)? {
                let declared = self.ports.tests.declared(&load.file, &source);
                found.extend(declared.into_iter().map(|id| (load.file.clone(), id)));
            }
        }
        Ok(found)
    }

    /// New tests of changed files that do not pass, or whose file does not load, and that name one criterion: they are its,
    /// unless somebody has them by their file or by the block.
    pub(super) fn own_by_name(
        &mut self,
        mapping: &mut Mapping,
        work: &Work,
        report: &TestReport,
    ) -> Result<(), Trouble> {
        let is_changed =
            |change: &&ClassedChange| change.class == FileClass::Test && change.kind != ChangeKind::Deleted;
        let changed: Vec<RelPath> =
            work.changed.iter().filter(is_changed).map(|change| change.path.clone()).collect();
        let mut new = self.tests_in(&changed, work, report)?;
        let is_red = |id: &TestId| {
            report.tests.iter().all(|test| test.id != *id || matches!(test.outcome, Outcome::Failed(_)))
        };
        let known = self.known_tests();
        new.retain(|(_, id)| is_red(id) && !known.contains(id));
        let covered = self.state.covered_by_red();
        for (file, id) in new {
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
