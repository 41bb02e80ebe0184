//! Tests inside sources of Rust, and in modules of a target of tests (`tests/it/main.rs`), that do not compile before
//! what their criterion adds is there, and tests of several criteria in one file of Python or JavaScript that imports at
//! its top what is not there, or of Rust or Go that calls it. One of them keeps all tests of its target from being run, so
//! what is said of the target is told apart: by a run without any of them, and by one for each criterion with its own alone.
//!
//! ```text
//! src/lib.rs does not load        without them: `sums` passes
//!                                 means alone   ─► `means` is red, its file lacks `mean`
//!                                 mosts alone   ─► `mosts` is red, its file lacks `most`
//! ```

mod files;
mod nobodys;
mod roots;

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::claim::Claim;
use tdd_core::criterion::CriterionId;
use tdd_core::finding::{ChangeKind, ClassedChange};
use tdd_core::mapping::{self, InlineTest, Mapping, Without};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{TestOrder, Tests, World};
use tdd_core::test::{LoadFailure, Outcome, TestId, TestReport, TestResult, TestRun};
use tdd_core::trouble::Trouble;
use tdd_source::{Language, Outline};

use self::files::{is_shared, with_fewer_modules};
use self::nobodys::{is_file_of_tests, nobodys_tests};
use self::roots::Led;
use super::Work;
use super::by_name::named_by;
use super::cases::means;
use super::homes::{Home, homes, id_in, is_alias};
use super::sources::{SourceBook, words};

impl<W: World> Drive<'_, W> {
    /// Tells what does not compile test by test; what its sources say of it is in the book then.
    pub(super) async fn tell_uncompiled(
        &mut self,
        (mapping, claim): (&mut Mapping, Option<&Claim>),
        (work, book): (&Work, &mut SourceBook),
        run: (&mut TestRun, &TestOrder),
    ) -> Result<Vec<TestResult>, Trouble> {
        let told = self.tell_uncompiled_apart((mapping, claim), work, run).await?;
        if !told.is_empty() {
            self.read_uncompiled(mapping, work, book)?;
        }
        Ok(told)
    }

    /// Puts what is said of each test in the place of what a report says of their target. What it puts there stands for
    /// later runs as well.
    async fn tell_uncompiled_apart(
        &mut self,
        (mapping, claim): (&mut Mapping, Option<&Claim>),
        work: &Work,
        (run, order): (&mut TestRun, &TestOrder),
    ) -> Result<Vec<TestResult>, Trouble> {
        let Some(report) = run.report.as_ref().filter(|report| report.project_broken.is_none()) else {
            return Ok(Vec::new());
        };
        let failures = report.load_failures.clone();
        let mut broken = self.broken_targets(failures, work, mapping)?;
        if broken.is_empty() {
            return Ok(Vec::new());
        }
        let sources = self.changed_sources(work, &broken)?;
        let mut own: Own = BTreeMap::new();
        for root in broken.keys() {
            for id in self.state.covered_by_red() {
                let tests = self.inline_tests((mapping, claim), &sources, (&id, root));
                if !tests.is_empty() {
                    own.insert((root.clone(), id), tests);
                }
            }
        }
        // A file of one criterion's tests waits for it as a whole.
        let of_several = |root: &RelPath| self.criteria_of(root, mapping, &own).len() > 1;
        let is_alone = |root: &&RelPath| is_file_of_tests(root, &broken) && !of_several(root);
        let alone: Vec<RelPath> = broken.keys().filter(is_alone).cloned().collect();
        own.retain(|(root, _), _| !alone.contains(root));
        broken.retain(|root, _| !alone.contains(root));
        let nobodys = nobodys_tests(&sources, (&own, &broken), &self.state.run.project);
        let all: Vec<InlineTest> = own.values().flatten().chain(&nobodys).cloned().collect();
        let asking = asking_for_what_is_told((&all, &broken), &sources);
        // Those that compile among them say more by themselves.
        let cuts = [Some(asking).filter(|some| *some != all), Some(all)];
        let found = self.run_without(cuts.into_iter().flatten(), (&own, &broken), order).await?;
        let Some((mut whole, cut)) = found else { return Ok(Vec::new()) };
        own.retain(|(root, _), tests| {
            tests.retain(|test| cut.contains(test));
            !tests.is_empty() && !is_broken(root, &broken, &whole)
        });
        let mut told = Vec::new();
        for ((root, id), tests) in &own {
            let failures = broken.get(root).map(Vec::as_slice).unwrap_or_default();
            told.extend(self.told_alone((root, id), (tests, &own), failures, order).await?);
            let owned = mapping.owned.entry(id.clone()).or_default();
            owned.ids.retain(|called| !tests.iter().any(|test| is_alias(&called.0, &test.id)));
            let more: Vec<TestId> = tests.iter().map(|test| test.id.clone()).collect();
            owned.ids.extend(more.into_iter().filter(|id| !owned.ids.contains(id)).collect::<Vec<_>>());
            owned.uncompiled.extend(tests.iter().cloned());
        }
        told.extend(self.tell_nobodys((mapping, nobodys), (&own, &broken), work)?);
        whole.tests.extend(told.iter().cloned());
        run.report = Some(whole);
        Ok(told)
    }

    /// Targets that tests keep from being run which can be cut out, with what is said of each.
    fn broken_targets(
        &mut self,
        failures: Vec<LoadFailure>,
        work: &Work,
        mapping: &Mapping,
    ) -> Result<Broken, Trouble> {
        let mut broken: Broken = BTreeMap::new();
        for load in failures {
            if load.file.extension() != "rs" {
                if is_shared(&load, work, mapping) {
                    broken.entry(load.file.clone()).or_default().push(load);
                }
                continue;
            }
            let root = self.root_of(&load.file, work)?;
            let is_of_tests = self.policy.classify(&root) == FileClass::Test
                && (root != load.file || is_shared(&load, work, mapping));
            if is_of_tests || self.policy.classify(&root) == FileClass::Source {
                broken.entry(root).or_default().push(load);
            }
        }
        Ok(broken)
    }

    /// The first run without some of these tests in which a target loads, else the last; with the tests that it was
    /// without.
    async fn run_without(
        &mut self,
        cuts: impl Iterator<Item = Vec<InlineTest>>,
        (own, broken): (&Own, &Broken),
        order: &TestOrder,
    ) -> Result<Option<(TestReport, Vec<InlineTest>)>, Trouble> {
        let mut found = None;
        for cut in cuts {
            if cut.is_empty() {
                continue;
            }
            let label = format!("{} without tests that do not compile", order.label);
            let without = Without { tests: cut.clone(), ..order.without.clone() };
            let rest = self.run_tests(&TestOrder { label, without, ..order.clone() }).await?;
            found = rest.report.filter(|report| report.project_broken.is_none()).map(|report| (report, cut));
            let loads = |report: &TestReport| own.keys().any(|(root, _)| !is_broken(root, broken, report));
            if found.as_ref().is_some_and(|(report, _)| loads(report)) {
                break;
            }
        }
        Ok(found)
    }

    /// What is said of one criterion's tests of a target. `failures` are those of the run with all tests.
    async fn told_alone(
        &mut self,
        (root, id): (&RelPath, &CriterionId),
        (tests, own): (&[InlineTest], &Own),
        failures: &[LoadFailure],
        order: &TestOrder,
    ) -> Result<Vec<TestResult>, Trouble> {
        let others: Vec<InlineTest> =
            own.iter().filter(|((_, other), _)| other != id).flat_map(|(_, tests)| tests).cloned().collect();
        if others.is_empty() {
            return Ok(results(tests, failures));
        }
        let label = format!("{} {id} alone", order.label);
        let without = Without { tests: others, ..order.without.clone() };
        let mut alone = TestOrder { label, without, ..order.clone() };
        if root.extension() == "rs" {
            alone.only_ids = tests.iter().map(|test| test.id.clone()).collect();
        } else {
            // A file that does not load has no test that could be selected.
            alone.only_files = vec![root.clone()];
        }
        let Some(report) = self.run_tests(&alone).await?.report else { return Ok(Vec::new()) };
        let known: BTreeSet<&RelPath> = failures.iter().map(|load| &load.file).chain([root]).collect();
        let files: BTreeSet<&RelPath> = tests.iter().map(|test| &test.file).collect();
        let is_of_target = |load: &&LoadFailure| known.contains(&load.file) || files.contains(&load.file);
        let failures: Vec<LoadFailure> = report.load_failures.iter().filter(is_of_target).cloned().collect();
        if failures.is_empty() {
            let is_own = |test: &TestResult| {
                tests.iter().any(|own| own.id == test.id || test.id.made_from().any(|from| own.id.0 == from))
            };
            return Ok(report.tests.into_iter().filter(is_own).collect());
        }
        Ok(results(tests, &failures))
    }

    /// The sources of Rust that the test-writer changed, and the files of others that do not load, each read once.
    fn changed_sources(&mut self, work: &Work, broken: &Broken) -> Result<Vec<Changed>, Trouble> {
        let is_source = |change: &&ClassedChange| {
            (change.path.extension() == "rs" || broken.contains_key(&change.path))
                && change.kind != ChangeKind::Deleted
                && !work.forbidden.contains(&change.path)
        };
        let mut sources = Vec::new();
        for change in work.changed.iter().filter(is_source) {
            let Some(language) = Language::of(change.path.extension()) else { continue };
            let before = self.source(&work.base, &change.path)?.unwrap_or_default();
            let after = self.source(&work.after, &change.path)?.unwrap_or_default();
            sources.push(Changed {
                path: mapping::in_project(&change.path, &self.state.run.project).to_owned(),
                file: change.path.clone(),
                before: tdd_source::outline(language, &before),
                after: tdd_source::outline(language, &after),
                declared: tdd_source::declared(language, &after),
                ids: if language == Language::Rust {
                    Vec::new()
                } else {
                    self.ports.tests.declared(&change.path, after.as_bytes())
                },
                led: if language == Language::Rust { self.led_to(&change.path, &work.after)? } else { None },
            });
        }
        Ok(sources)
    }

    /// Tests of a target that a block gives to a criterion, by `tests:` or `supersedes:`, or that name it, and that stand
    /// in changed sources, new or otherwise than before.
    fn inline_tests(
        &self,
        (mapping, claim): (&Mapping, Option<&Claim>),
        sources: &[Changed],
        (id, target): (&CriterionId, &RelPath),
    ) -> Vec<InlineTest> {
        let owned = mapping.of(id).map(|owned| owned.ids.clone()).unwrap_or_default();
        let superseded = claim.and_then(|claim| claim.supersedes.get(id)).cloned().unwrap_or_default();
        let is_superseded = |id: &TestId| superseded.iter().any(|name| means(name, id));
        let known = self.known_tests().into_iter().filter(|id| is_superseded(id)).cloned();
        let target = mapping::in_project(target, &self.state.run.project);
        let mut found: Vec<InlineTest> = Vec::new();
        let in_files = in_owned_files(mapping, sources, id);
        for named in
            owned.into_iter().chain(known).chain(self.named_inside(mapping, sources, id)).chain(in_files)
        {
            for home in homes(&named).into_iter().chain(with_fewer_modules(&named)) {
                let held = sources.iter().find_map(|source| Some((source, source.holds(&home)?)));
                let Some((source, name)) = held else { continue };
                let now = source.after.body(&name);
                let Some(test) = id_in(target, &source.called(&name)) else { continue };
                let as_told = source.ids.iter().find(|id| is_alias(&id.0, &test));
                let test = as_told.cloned().unwrap_or(test);
                // What a superseded test says may stand in its rows.
                let is_changed = now != source.before.body(&name) || is_superseded(&named);
                let is_new = now.is_some() && is_changed;
                if is_new && found.iter().all(|known| known.id != test) {
                    found.push(InlineTest { id: test, file: source.file.clone(), name });
                }
            }
        }
        found
    }

    /// Tests in changed sources that name this criterion and that no block gives to any.
    fn named_inside(&self, mapping: &Mapping, sources: &[Changed], id: &CriterionId) -> Vec<TestId> {
        let covered = self.state.covered_by_red();
        let is_given = |test: &TestId| mapping.owned.values().any(|owned| owned.ids.contains(test));
        let all = sources
            .iter()
            .flat_map(|source| source.declared.iter().map(|name| TestId(format!("{}::{name}", source.path))));
        all.filter(|test| named_by(test, &covered) == Some(id) && !is_given(test)).collect()
    }
}

/// Tests in files that are a criterion's as a whole.
fn in_owned_files(mapping: &Mapping, sources: &[Changed], id: &CriterionId) -> Vec<TestId> {
    let files = mapping.of(id).map(|owned| owned.files.as_slice()).unwrap_or_default();
    let own = sources.iter().filter(|source| files.contains(&source.file));
    own.flat_map(|source| source.declared.iter().map(|name| TestId(format!("{}::{name}", source.path))))
        .collect()
}

/// A source that the test-writer changed, and what it says of tests.
struct Changed {
    /// As ids spell it.
    path: String,
    file: RelPath,
    before: Outline,
    after: Outline,
    declared: Vec<String>,
    /// As the runner calls them, where that does not depend on a target.
    ids: Vec<TestId>,
    led: Option<Led>,
}

impl Changed {
    /// What a test is called in this source, if it stands there.
    fn holds(&self, home: &Home) -> Option<String> {
        if self.path == home.file {
            if self.file.extension() != "py" {
                return Some(home.name.clone());
            }
            // Python's ids are spelled with either sign between class and test, and a row stands in its function.
            let function = home.name.split('[').next().unwrap_or_default();
            return Some(function.replace('.', "::"));
        }
        let led = self.led.as_ref().filter(|led| led.owner == home.file)?;
        Some(home.name.strip_prefix(&led.module)?.strip_prefix("::")?.to_owned())
    }

    /// Where modules that follow their names would have it.
    fn called(&self, name: &str) -> Home {
        match &self.led {
            Some(led) => Home { file: led.owner.clone(), name: format!("{}::{name}", led.module) },
            None => Home { file: self.path.clone(), name: name.to_owned() },
        }
    }
}

/// Those of these tests that say what the failures speak of.
fn asking_for_what_is_told(
    (tests, broken): (&[InlineTest], &Broken),
    sources: &[Changed],
) -> Vec<InlineTest> {
    let last = |name: &String| name.rsplit(['.', ':', '#']).next().unwrap_or(name).to_owned();
    let mut wanted = BTreeSet::new();
    for failure in broken.values().flatten().map(|load| &load.failure) {
        let absent: BTreeSet<String> = failure.all_absent().map(last).collect();
        wanted.extend(if absent.is_empty() { words(&failure.message) } else { absent });
    }
    let asks = |test: &&InlineTest| {
        let source = sources.iter().find(|source| source.file == test.file);
        let body = source.and_then(|source| source.after.body(&test.name)).unwrap_or_default();
        !words(body).is_disjoint(&wanted)
    };
    tests.iter().filter(asks).cloned().collect()
}

/// Failures of a target's files, by its root.
type Broken = BTreeMap<RelPath, Vec<LoadFailure>>;

/// Tests by the root of their target and the criterion whose they are.
type Own = BTreeMap<(RelPath, CriterionId), Vec<InlineTest>>;

/// Whether a target does not load in this report either.
fn is_broken(root: &RelPath, broken: &Broken, report: &TestReport) -> bool {
    let of_target = broken.get(root).into_iter().flatten().map(|load| &load.file).chain([root]);
    of_target.into_iter().any(|file| report.load_failures.iter().any(|load| load.file == *file))
}

/// A report in which tests that are known not to compile are told one by one, where their file or target does not load.
pub(super) fn told_one_by_one(report: &TestReport, mapping: &Mapping, project: &str) -> TestReport {
    let mut report = report.clone();
    let all = mapping.owned.values().flat_map(|owned| &owned.uncompiled);
    let is_of = |load: &LoadFailure, test: &InlineTest| {
        load.file == test.file || mapping::in_project(&load.file, project) == test.id.file()
    };
    let failures = std::mem::take(&mut report.load_failures);
    let mut told: BTreeSet<&RelPath> = BTreeSet::new();
    for test in all {
        let of_test: Vec<LoadFailure> = failures.iter().filter(|load| is_of(load, test)).cloned().collect();
        report.tests.extend(results(std::slice::from_ref(test), &of_test));
        told.extend(failures.iter().filter(|load| is_of(load, test)).map(|load| &load.file));
    }
    report.load_failures = failures.iter().filter(|load| !told.contains(&load.file)).cloned().collect();
    report
}

/// Each test with the failure of its own file, else of another one of its target; none without any.
fn results(tests: &[InlineTest], failures: &[LoadFailure]) -> Vec<TestResult> {
    let result = |test: &InlineTest| {
        let own = failures.iter().find(|load| load.file == test.file).or_else(|| failures.first())?;
        Some(TestResult {
            id: test.id.clone(),
            file: Some(test.file.clone()),
            outcome: Outcome::Failed(own.failure.clone()),
            duration_ms: 0,
        })
    };
    tests.iter().filter_map(result).collect()
}
