//! Which of the test-writer's files and tests are a criterion's, and which changed files bear on an older test.

use std::collections::BTreeMap;

use crate::driver::cycle::Drive;
use tdd_core::audience::News;
use tdd_core::claim::Claim;
use tdd_core::commands::RunnerKind;
use tdd_core::criterion::CriterionId;
use tdd_core::event::SupersedeRule;
use tdd_core::finding::{ChangeKind, ClassedChange, CriterionRed, RedKind, RedTest};
use tdd_core::mapping::{self, Mapping};
use tdd_core::path::RelPath;
use tdd_core::policy::{self, FileClass};
use tdd_core::ports::{Checkpoints, Isolation, Tests, World};
use tdd_core::test::{TestId, TestReport};
use tdd_core::trouble::Trouble;
use tdd_source::Language;

use super::sources::SourceBook;
use super::{Work, homes};

impl<W: World> Drive<'_, W> {
    pub(super) fn map_tests(&self, work: &Work, claim: Option<&Claim>) -> Mapping {
        let tests = claim.map(|claim| claim.tests.clone()).unwrap_or_default();
        let mut mapping = self.assigned(work, &tests);
        self.map_units(work, &tests, &mut mapping);
        if self.state.run.plan.supersede == SupersedeRule::AsListed {
            let covered = self.state.covered_by_red();
            let claimed = claim.map(|claim| claim.supersedes.clone()).unwrap_or_default();
            for (id, tests) in claimed.into_iter().filter(|(id, _)| covered.contains(id)) {
                let owned = mapping.owned.entry(id).or_default();
                let more = tests.into_iter().map(TestId).filter(|id| !owned.ids.contains(id));
                owned.ids.extend(more.collect::<Vec<_>>());
            }
        }
        mapping
    }

    /// By file name, and by what the block lists. Candidates are test files that are new or changed since checkpoint 0.
    pub(super) fn assigned(&self, work: &Work, tests: &BTreeMap<CriterionId, Vec<String>>) -> Mapping {
        let candidates: Vec<RelPath> = work
            .changed
            .iter()
            .filter(|change| change.class == FileClass::Test && change.kind != ChangeKind::Deleted)
            .map(|change| change.path.clone())
            .collect();
        let project = &self.state.run.project;
        let mut mapping = Mapping::assign(&self.named(), &candidates, tests, project);
        // What a package needs is told of its files, and of those before anything has run. A criterion that has nothing yet
        // may have tests by their names in any of them.
        let has_some = |id: &CriterionId| mapping.of(id).is_some();
        if self.ports.tests.isolation() == Isolation::Coupled
            && self.state.covered_by_red().iter().all(has_some)
        {
            own_new_files(&mut mapping, (&work.changed, project), &|_| true);
        }
        if self.state.run.commands.runner == RunnerKind::Pytest {
            self.drop_data(&mut mapping);
        }
        mapping
    }

    /// A file that no grammar reads, beside code or listed tests of the same criterion, is what these read: pytest, asked for
    /// its tests, runs none at all. Unless its like holds tests in this project, as YAML does for some plugins.
    fn drop_data(&self, mapping: &mut Mapping) {
        let known = self.known_tests();
        let like = |file: &RelPath| {
            let same =
                |id: &&TestId| RelPath::new(id.file()).is_some_and(|of| of.extension() == file.extension());
            known.iter().any(same)
        };
        let may_hold = |file: &RelPath| Language::of(file.extension()).is_some() || like(file);
        for owned in mapping.owned.values_mut() {
            if !owned.ids.is_empty() || owned.files.iter().any(may_hold) {
                owned.files.retain(may_hold);
            }
        }
    }

    /// In a file that bears a criterion's name and was there before, as after an earlier run, tests that are as they were are
    /// none that it has to see failing.
    pub(super) fn leave_untouched(
        &self,
        criteria: &mut [CriterionRed],
        (known, changed): (&[TestId], &[TestId]),
    ) {
        let already = |id: &CriterionId| self.state.run.plan.already_green.contains(id);
        for criterion in criteria.iter_mut().filter(|criterion| !already(&criterion.id)) {
            let is_untouched = |id: &TestId| known.contains(id) && !changed.contains(id);
            // A row that says something else may be called as it was.
            let is_more = |test: &RedTest| test.kind != RedKind::Passed || !is_untouched(&test.id);
            let rest = criterion.tests.iter().any(is_more);
            criterion.tests.retain(|test| !rest || test.kind != RedKind::Passed || !is_untouched(&test.id));
        }
    }

    pub(super) fn leave_what_stayed(&self, criteria: &mut [CriterionRed], book: &SourceBook) {
        let known = self.state.baseline.as_ref().map(|baseline| baseline.test.greens.as_slice());
        let known = known.unwrap_or_default();
        self.leave_untouched(criteria, (known, &book.changed_tests(known, &BTreeMap::new())));
    }

    /// Tests that the test-writer added inside sources, and new ones of a file that makes tests of data, are assigned one
    /// by one: the file is not theirs, and is never left out.
    fn map_units(&self, work: &Work, tests: &BTreeMap<CriterionId, Vec<String>>, mapping: &mut Mapping) {
        let is_shared = |path: &str| {
            let mut sources = work.changed.iter().filter(|change| change.class == FileClass::Source);
            let mut allowed = sources.by_ref().filter(|change| !work.forbidden.contains(&change.path));
            allowed.any(|change| mapping::in_project(&change.path, &self.state.run.project) == path)
                || self.is_unchanged_test_file(path, work)
        };
        // A module may have a file of its own, which an id does not name.
        let is_module_of = |entry: &str| {
            let all = homes::homes(&TestId(entry.to_owned()));
            let is_changed = |file: &str| {
                let mut changes = work.changed.iter().filter(|change| !work.forbidden.contains(&change.path));
                changes.any(|change| mapping::in_project(&change.path, &self.state.run.project) == file)
            };
            all.iter().skip(1).any(|home| is_changed(&home.file))
        };
        let known = self.known_tests();
        for (criterion, entries) in tests.iter().filter(|(id, _)| self.named().contains(id)) {
            let ids = entries.iter().filter(|entry| {
                entry.split_once("::").is_some_and(|(path, _)| is_shared(path) || is_module_of(entry))
            });
            let ids: Vec<TestId> =
                ids.map(|id| TestId(id.clone())).filter(|id| !known.contains(id)).collect();
            if !ids.is_empty() {
                mapping.owned.entry(criterion.clone()).or_default().ids.extend(ids);
            }
        }
    }
}

/// By which a folder says that it is a project.
const MANIFESTS: [&str; 5] = ["package.json", "pyproject.toml", "Cargo.toml", "go.mod", "deno.json"];
/// Files of other projects that are named.
const MOST_NAMED: usize = 3;

impl<W: World> Drive<'_, W> {
    /// Tests that were written in another project of the repository can be none of a criterion's: this run's command does not
    /// run them. A note for the person, who alone can part the requirement.
    pub(super) fn show_other_projects(&mut self, work: &Work, report: &TestReport) -> Result<(), Trouble> {
        let mut named: Vec<RelPath> = work.changed.iter().map(|change| change.path.clone()).collect();
        named.retain(|path| Language::of(path.extension()).is_some() && policy::names_a_test(path));
        let is_run = |folder: &str| {
            let told = report.tests.iter().map(|test| test.file.as_ref());
            let broken = report.load_failures.iter().map(|load| Some(&load.file));
            told.chain(broken).flatten().any(|file| file.is_within(folder))
        };
        named.retain(|path| !is_run(path.folder()));
        if named.is_empty() {
            return Ok(());
        }
        let files = self.ports.checkpoints.files(&work.after)?;
        let project = self.state.run.project.clone();
        let mut left = MOST_NAMED;
        for path in named {
            let folders =
                std::iter::successors(Some(path.folder()), |folder| Some(folder.rsplit_once('/')?.0));
            let mut inside = folders.take_while(|folder| !folder.is_empty() && *folder != project);
            let found = inside.find_map(|folder| {
                let is_manifest =
                    |file: &&RelPath| file.folder() == folder && MANIFESTS.contains(&file.file_name());
                Some((folder, files.iter().find(is_manifest)?))
            });
            let Some((folder, manifest)) = found.filter(|(folder, _)| !is_run(folder) && left > 0) else {
                continue;
            };
            left -= 1;
            self.audience.news(&News::Note(format!(
                "{path} is of another project ({manifest}), and `{}` does not run its tests: what concerns {folder}/ \
                 needs a requirement of its own there",
                self.state.run.commands.test
            )));
        }
        Ok(())
    }
}

/// New files that do not load and of whose tests a block gives some to one criterion, and to no other: they are its own as a
/// whole. Whether there are any.
pub(super) fn own_new_files(
    mapping: &mut Mapping,
    (changed, project): (&[ClassedChange], &str),
    does_not_load: &dyn Fn(&RelPath) -> bool,
) -> bool {
    let new = changed.iter().filter(|change| {
        change.class == FileClass::Test && change.kind == ChangeKind::Added && does_not_load(&change.path)
    });
    let mut found = false;
    for file in new.map(|change| &change.path) {
        if mapping.owned.values().any(|owned| owned.files.contains(file)) {
            continue;
        }
        let path = mapping::in_project(file, project);
        let is_in = |id: &TestId| id.file() == path;
        let mut owners = mapping.owned.values_mut().filter(|owned| owned.ids.iter().any(is_in));
        if let (Some(owner), None) = (owners.next(), owners.next()) {
            owner.ids.retain(|id| !is_in(id));
            owner.files.push(file.clone());
            found = true;
        }
    }
    found
}

/// Whether what is changed in this file, whose path is relative to the project, may change what the test expects: a file
/// that it may stand in, or one that no grammar reads, as snapshots and other records are. That it does, its red tells.
pub(super) fn may_decide(path: &RelPath, project: &str, id: &TestId) -> bool {
    let in_project = mapping::in_project(path, project);
    homes::homes(id).iter().any(|home| home.file == in_project) || Language::of(path.extension()).is_none()
}
