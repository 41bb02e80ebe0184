//! Tests that no criterion has, in a file that does not load before what several criteria add is there: nobody's slip denies
//! the tests of others.

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::criterion::CriterionId;
use tdd_core::mapping::{self, InlineTest, Mapping};
use tdd_core::path::RelPath;
use tdd_core::ports::World;
use tdd_core::test::TestResult;
use tdd_core::trouble::Trouble;
use tdd_source::{Language, TestFile};

use super::{Broken, Changed, Own, results};
use crate::driver::measure::Work;
use crate::driver::measure::homes::{id_in, is_alias};

impl<W: World> Drive<'_, W> {
    /// Criteria to which a block gives tests of this file, or that have some in it.
    pub(super) fn criteria_of(&self, root: &RelPath, mapping: &Mapping, own: &Own) -> BTreeSet<CriterionId> {
        let path = mapping::in_project(root, &self.state.run.project);
        let lists = |id: &CriterionId| {
            mapping.of(id).is_some_and(|owned| owned.ids.iter().any(|id| id.file() == path))
        };
        let has = |id: &CriterionId| own.contains_key(&(root.clone(), id.clone()));
        self.state.covered_by_red().into_iter().filter(|id| lists(id) || has(id)).collect()
    }

    /// What is said of tests that no criterion has, in files that load without them: what their file lacks, unless a mark keeps
    /// them from running: then they wait with the last criterion of the file.
    pub(super) fn tell_nobodys(
        &mut self,
        (mapping, nobodys): (&mut Mapping, Vec<InlineTest>),
        (own, broken): (&Own, &Broken),
        work: &Work,
    ) -> Result<Vec<TestResult>, Trouble> {
        let mut told = Vec::new();
        let mut read: BTreeMap<RelPath, Option<TestFile>> = BTreeMap::new();
        for test in nobodys {
            let last = own.keys().rfind(|(root, _)| *root == test.file);
            let (Some((root, last)), Some(failures)) = (last, broken.get(&test.file)) else { continue };
            if !read.contains_key(root) {
                let source = self.source(&work.after, root)?.unwrap_or_default();
                let language = Language::of(root.extension());
                let of_file = language.and_then(|language| TestFile::read(language, &source).ok());
                read.insert(root.clone(), of_file);
            }
            // What its own text keeps from being run is awaited by nobody.
            let facts = read.get(root).and_then(|read| read.as_ref()?.body(&test.name));
            if facts.is_some_and(|facts| facts.may_skip) {
                mapping.owned.entry(last.clone()).or_default().uncompiled.push(test);
            } else {
                told.extend(results(std::slice::from_ref(&test), failures));
            }
        }
        Ok(told)
    }
}

/// Whether this is a file of tests by itself, and no root of a target that others are modules of.
pub(super) fn is_file_of_tests(root: &RelPath, broken: &Broken) -> bool {
    let mut failures = broken.get(root).into_iter().flatten();
    root.extension() != "rs" || (root.as_str().contains("tests/") && failures.all(|load| load.file == *root))
}

/// Those that a test of Go stands in: `TestA/b` for `TestA/b/c`, and `TestA`.
fn outer_of(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(name.rsplit_once('/'), |(outer, _)| outer.rsplit_once('/')).map(|(outer, _)| outer)
}

/// New and changed tests of files of tests with several criteria's, which are none of theirs.
pub(super) fn nobodys_tests(
    sources: &[Changed],
    (own, broken): (&Own, &Broken),
    project: &str,
) -> Vec<InlineTest> {
    let mut found = Vec::new();
    for source in sources.iter().filter(|source| is_file_of_tests(&source.file, broken)) {
        let has = |name: &str| {
            own.iter()
                .any(|((root, _), tests)| *root == source.file && tests.iter().any(|test| test.name == name))
        };
        if !own.keys().any(|(root, _)| *root == source.file) {
            continue;
        }
        // What stands in a criterion's test is its own.
        let has = |name: &str| has(name) || outer_of(name).any(has);
        let is_so = |name: &&String| !has(name) && source.after.body(name) != source.before.body(name);
        for name in source.declared.iter().filter(is_so) {
            let path = mapping::in_project(&source.file, project);
            if let Some(test) = id_in(path, &source.called(name)) {
                let as_told = source.ids.iter().find(|id| is_alias(&id.0, &test));
                let id = as_told.cloned().unwrap_or(test);
                found.push(InlineTest { id, file: source.file.clone(), name: name.clone() });
            }
        }
    }
    found
}
