//! Cases of a table that a runner tells as tests of their own: by which names a block means them, and which of them
//! changed with the rows of the table.
//!
//! ```text
//! pytest      tests/a.py::test_roman        test_roman[4-IV]
//! Go          a_test.go::TestRoman          TestRoman/four
//! JavaScript  test/a.test.js::roman         roman > of 4
//! Rust        tests/a.rs::roman             roman::case_4
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::claim::Claim;
use tdd_core::criterion::CriterionId;
use tdd_core::finding::{ChangeKind, ClassedChange, NoSuchTest, RedKind, Superseded};
use tdd_core::mapping::{self, Mapping};
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::World;
use tdd_core::test::{FailureKind, Outcome, TestId, TestReport, TestResult};

use super::Work;
use super::homes::is_alias;

/// Whether a test is a case of what this name means.
pub(super) fn is_case_of(id: &TestId, name: &str) -> bool {
    let rest = id.0.strip_prefix(name).filter(|_| name.contains("::"));
    rest.is_some_and(|rest| ["[", "/", " > ", "::"].iter().any(|joint| rest.starts_with(joint)))
}

/// Whether a name means a test: by its id, by the one that namesakes share, or as one of its cases.
pub(super) fn means(name: &str, id: &TestId) -> bool {
    id.0 == name || id.shared() == name || is_case_of(id, name) || is_alias(name, id)
}

fn is_red(test: &TestResult) -> bool {
    matches!(test.outcome, Outcome::Failed(_))
}

/// The test whose case this is, by its name.
pub(super) fn table_of(id: &TestId) -> Option<&str> {
    let bracket = id.0.ends_with(']').then(|| id.0.find('[')).flatten();
    bracket.or_else(|| id.0.rfind('/').filter(|at| id.0[..*at].contains("::"))).map(|at| &id.0[..at])
}

/// Puts the cases that a report tells in the place of the names that a block calls them by: new ones, and those that it
/// supersedes and that are red.
pub(super) fn spell_out(
    mapping: &mut Mapping,
    claim: Option<&Claim>,
    report: &TestReport,
    known: &BTreeSet<&TestId>,
) {
    for (criterion, owned) in &mut mapping.owned {
        let superseded = claim.and_then(|claim| claim.supersedes.get(criterion));
        let is_superseded = |id: &TestId| superseded.is_some_and(|ids| ids.contains(&id.0));
        let mut more: Vec<TestId> = Vec::new();
        for name in &owned.ids {
            let is_meant = |id: &TestId| is_case_of(id, &name.0) || (*id != *name && is_alias(&name.0, id));
            let cases = report.tests.iter().filter(|test| is_meant(&test.id));
            let taken = cases
                .filter(|test| if is_superseded(name) { is_red(test) } else { !known.contains(&test.id) });
            more.extend(taken.map(|test| test.id.clone()));
        }
        more.retain(|id| !owned.ids.contains(id));
        let needless = superseded.map(|ids| needless(ids, report, known)).unwrap_or_default();
        owned.ids.retain(|id| !needless.contains(id));
        owned.ids.append(&mut more);
    }
}

/// A test of Go that is red by its new cases alone has to be green again: it is the last criterion's, in this order, that
/// has one of them.
pub(super) fn own_what_holds_cases(
    mapping: &mut Mapping,
    order: &[CriterionId],
    report: &TestReport,
    greens: &[TestId],
) {
    let is_owned = |mapping: &Mapping, id: &CriterionId, case: &TestId| {
        mapping.owned.get(id).is_some_and(|owned| owned.ids.contains(case))
    };
    for id in greens {
        let is_new = |case: &TestId| order.iter().any(|criterion| is_owned(mapping, criterion, case));
        if !is_red_by_its_cases(id, report, &is_new) {
            continue;
        }
        let has_one = |criterion: &&CriterionId| {
            report.tests.iter().any(|test| {
                is_red(test) && is_case_of(&test.id, &id.0) && is_owned(mapping, criterion, &test.id)
            })
        };
        let last = order.iter().rev().find(has_one).cloned();
        if let Some(owned) = last.and_then(|last| mapping.owned.get_mut(&last))
            && !owned.ids.contains(id)
        {
            owned.ids.push(id.clone());
        }
    }
}

/// Files with tests of others that do not load for want of what one criterion adds: the whole file waits for it. Whether
/// there are any.
pub(super) fn hold_back(
    mapping: &mut Mapping,
    (changed, project): (&[ClassedChange], &str),
    report: &TestReport,
    (claim, known): (Option<&Claim>, &BTreeSet<&TestId>),
) -> bool {
    let missing = report.load_failures.iter().filter(|load| load.failure.kind == FailureKind::Missing);
    let files: BTreeSet<&RelPath> = missing.map(|load| &load.file).collect();
    let is_superseded = |criterion: &CriterionId, id: &TestId| {
        let named = claim.and_then(|claim| claim.supersedes.get(criterion));
        named.is_some_and(|names| names.iter().any(|name| means(name, id)))
    };
    for file in files {
        let mut of_file = changed.iter().filter(|change| change.path == *file);
        let is_changed =
            of_file.any(|change| change.class == FileClass::Test && change.kind == ChangeKind::Modified);
        if !is_changed || mapping.owned.values().any(|owned| owned.files.contains(file)) {
            continue;
        }
        let path = mapping::in_project(file, project);
        // A test that was there and stays what it was is none of a criterion's, whoever lists it.
        for (criterion, owned) in &mut mapping.owned {
            let is_known = |id: &TestId| known.contains(id) || known.iter().any(|known| means(&id.0, known));
            let is_old = |id: &TestId| is_known(id) && !is_superseded(criterion, id);
            owned.ids.retain(|id| id.file() != path || !is_old(id));
        }
        let mut owners =
            mapping.owned.values_mut().filter(|owned| owned.ids.iter().any(|id| id.file() == path));
        // Of two criteria neither could be judged before the other.
        if let (Some(owner), None) = (owners.next(), owners.next()) {
            owner.held_back.push(file.clone());
        }
    }
    !mapping.held_back().is_empty()
}

/// Names of tests that a block supersedes beside others of their file and that pass as they did: they say what they said,
/// and stay what they are, tests that have to pass.
fn needless(names: &[String], report: &TestReport, known: &BTreeSet<&TestId>) -> Vec<TestId> {
    let told = |name: &str| report.tests.iter().find(|test| test.id.0 == name);
    let passes = |name: &&String| told(name).is_some_and(|test| test.outcome == Outcome::Passed);
    let (same, others): (Vec<&String>, Vec<&String>) = names.iter().partition(passes);
    let is_beside = |id: &TestId| others.iter().any(|other| TestId((*other).clone()).file() == id.file());
    let same = same.into_iter().map(|name| TestId(name.clone()));
    same.filter(|id| known.contains(id) && is_beside(id)).collect()
}

/// Cases that are told by another name only because rows stand before them that did not, or stood there: what is gone,
/// and what passes in its place.
#[derive(Default)]
pub(super) struct Renumbered {
    pub(super) gone: BTreeSet<TestId>,
    pub(super) now: Vec<TestId>,
}

impl Renumbered {
    pub(super) fn of(lost: &BTreeSet<TestId>, report: &TestReport, known: &BTreeSet<&TestId>) -> Self {
        let mut found = Self::default();
        let is_told = |id: &TestId| report.tests.iter().any(|test| test.id == *id);
        let mut gone: BTreeMap<&str, Vec<&TestId>> = BTreeMap::new();
        for id in lost.iter().filter(|id| !is_told(id)) {
            if let Some(table) = table_of(id) {
                gone.entry(table).or_default().push(id);
            }
        }
        for (table, gone) in gone {
            let new = report.tests.iter().filter(|test| table_of(&test.id) == Some(table));
            let new = new.filter(|test| test.outcome == Outcome::Passed && !known.contains(&test.id));
            let now: Vec<TestId> = new.map(|test| test.id.clone()).collect();
            if now.len() >= gone.len() {
                found.gone.extend(gone.into_iter().cloned());
                found.now.extend(now);
            }
        }
        found
    }
}

/// Tests whose cases were called otherwise at RED than before it, as where a name holds the time: `greens` are those of
/// now. Such a case is called otherwise in each run.
fn never_called_the_same<'t>(baseline: &'t [TestId], greens: &'t [TestId]) -> BTreeSet<&'t str> {
    let tables = |of: &'t [TestId], but: &BTreeSet<&TestId>| -> BTreeSet<&'t str> {
        of.iter().filter(|id| !but.contains(id)).filter_map(table_of).collect()
    };
    let gone = tables(baseline, &greens.iter().collect());
    let came = tables(greens, &baseline.iter().collect());
    gone.intersection(&came).copied().collect()
}

/// Whether a test that holds others is red, and by nothing but these: Go tells it as one that failed itself.
pub(super) fn is_red_by_its_cases(
    id: &TestId,
    report: &TestReport,
    is_expected: &dyn Fn(&TestId) -> bool,
) -> bool {
    let mut cases = report.tests.iter().filter(|test| is_case_of(&test.id, &id.0) && is_red(test)).peekable();
    let holds = format!("{}/", id.0);
    cases.peek().is_some() && cases.all(|case| case.id.0.starts_with(&holds) && is_expected(&case.id))
}

impl<W: World> Drive<'_, W> {
    /// Leaves out what is only called otherwise in each run, and passes.
    pub(super) fn but_called_otherwise(&self, lost: &mut Vec<TestId>, report: &TestReport) {
        let Some(baseline) = self.state.baseline.as_ref().filter(|_| !lost.is_empty()) else { return };
        let tables = never_called_the_same(&baseline.test.greens, &self.state.greens);
        let is_of_one = |id: &&TestId| table_of(id).is_some_and(|table| tables.contains(table));
        let of_them: BTreeSet<TestId> = lost.iter().filter(is_of_one).cloned().collect();
        let known = self.known_tests().into_iter().chain(&self.state.greens).collect();
        let moved = Renumbered::of(&of_them, report, &known);
        lost.retain(|id| !moved.gone.contains(id));
    }

    pub(super) fn known_tests(&self) -> BTreeSet<&TestId> {
        let Some(baseline) = self.state.baseline.as_ref().map(|baseline| &baseline.test) else {
            return BTreeSet::new();
        };
        baseline.greens.iter().chain(&baseline.reds).chain(&baseline.flaky).collect()
    }

    /// Whether this is a file of tests, as ids spell it, that nobody has changed: its tests may be made of data that was.
    pub(super) fn is_unchanged_test_file(&self, path: &str, work: &Work) -> bool {
        self.file_of(&TestId(path.to_owned())).is_some_and(|file| {
            self.policy.classify(&file) == FileClass::Test
                && work.changed.iter().all(|change| change.path != file)
        })
    }

    /// Whether this test lies in a source, beside code or in its documentation.
    fn is_among_code(&self, id: &TestId) -> bool {
        self.file_of(id).is_some_and(|file| self.policy.classify(&file) != FileClass::Test)
    }

    /// What the names of `supersedes:` mean for one criterion, with what became of each: tests that are told still, but
    /// those that pass beside others which do not (they say what they said), and tests of which nothing is told any
    /// more: a new test of the same file has to be red for each of these, or, for a row and for what lies among code, one
    /// of the criterion's own.
    /// Of one whose whole file waits for the criterion that is so by its file.
    pub(super) fn meant(
        &self,
        names: &[String],
        (report, held_back): (&TestReport, &BTreeSet<&str>),
        replacing: &mut Replacing,
    ) -> Vec<(TestId, RedKind)> {
        let known = self.known_tests();
        let needless = needless(names, report, &known);
        let is_among_code = |id: &TestId| self.is_among_code(id);
        let mut all = Vec::new();
        for name in names.iter().filter(|name| !needless.iter().any(|id| id.0 == **name)) {
            let told = report.tests.iter().filter(|test| means(name, &test.id));
            let mut kinds: Vec<(TestId, RedKind)> =
                told.map(|test| (test.id.clone(), red_kind(&test.outcome))).collect();
            let is_told = |id: &TestId| report.tests.iter().any(|test| test.id == *id);
            let gone = known.iter().filter(|id| means(name, id) && !is_told(id));
            let mut kind_of_gone = |id: &TestId| {
                if held_back.contains(id.file()) {
                    RedKind::Missing
                } else {
                    replacing.take(id, report, &is_among_code)
                }
            };
            let replaced: Vec<(TestId, RedKind)> = gone.map(|id| ((*id).clone(), kind_of_gone(id))).collect();
            if !replaced.is_empty() || kinds.iter().any(|(_, kind)| *kind != RedKind::Passed) {
                kinds.retain(|(_, kind)| *kind != RedKind::Passed);
            }
            kinds.extend(replaced);
            if kinds.is_empty() {
                kinds.push((TestId(name.clone()), RedKind::None));
            }
            all.extend(kinds.into_iter().filter(|(id, _)| !all_has(&all, id)).collect::<Vec<_>>());
        }
        all
    }

    /// What is superseded, and was nobody's name.
    pub(super) fn no_such_tests(&self, superseded: &[Superseded]) -> Vec<NoSuchTest> {
        let known = self.known_tests();
        let unknown = superseded.iter().filter(|one| !known.iter().any(|id| means(&one.id.0, id)));
        let no_such = unknown.map(|one| NoSuchTest {
            named: one.id.clone(),
            nearest: one.id.most_like(known.iter().copied()).cloned(),
        });
        no_such.collect()
    }

    /// New tests that are red: what may stand for tests that are gone.
    pub(super) fn replacing(&self, report: &TestReport) -> Replacing {
        let known = self.known_tests();
        let new = report.tests.iter().filter(|test| is_red(test) && !known.contains(&test.id));
        Replacing { left: new.map(|test| (test.id.clone(), red_kind(&test.outcome))).collect() }
    }
}

fn all_has(all: &[(TestId, RedKind)], id: &TestId) -> bool {
    all.iter().any(|(known, _)| known == id)
}

/// New tests that are red, less those that stand for one that is gone.
pub(super) struct Replacing {
    left: Vec<(TestId, RedKind)>,
}

impl Replacing {
    /// A row may have been moved to where the criterion's tests lie, as long as there are others of its table, and so may
    /// a test inside a source or an example in its documentation.
    fn take(
        &mut self,
        gone: &TestId,
        report: &TestReport,
        is_among_code: &dyn Fn(&TestId) -> bool,
    ) -> RedKind {
        let of_file = self.left.iter().position(|(id, _)| id.file() == gone.file());
        let is_row = || {
            let table = table_of(gone);
            table.is_some() && report.tests.iter().any(|test| table_of(&test.id) == table)
        };
        let at =
            of_file.or_else(|| (!self.left.is_empty() && (is_row() || is_among_code(gone))).then_some(0));
        at.map_or(RedKind::None, |at| self.left.remove(at).1)
    }
}

/// The tests of each file that are superseded, without those that only hold others: those of them that are rows answer for
/// as many rows of its tables.
pub(super) fn answered_for(superseded: &[Superseded]) -> BTreeMap<String, Vec<TestId>> {
    let holds_others = |id: &TestId| superseded.iter().any(|other| is_case_of(&other.id, &id.0));
    let mut answered: BTreeMap<String, Vec<TestId>> = BTreeMap::new();
    // Two criteria may name one test.
    let ids: BTreeSet<&TestId> =
        superseded.iter().map(|one| &one.id).filter(|id| !holds_others(id)).collect();
    for id in ids {
        answered.entry(id.file().to_owned()).or_default().push(id.clone());
    }
    answered
}

fn red_kind(outcome: &Outcome) -> RedKind {
    match outcome {
        Outcome::Passed => RedKind::Passed,
        Outcome::Skipped => RedKind::None,
        Outcome::Failed(failure) => match failure.kind {
            FailureKind::Assertion => RedKind::Assertion,
            FailureKind::Error => RedKind::Error,
            FailureKind::Missing => RedKind::Missing,
            FailureKind::Load => RedKind::Load,
            FailureKind::Timeout => RedKind::Timeout,
            FailureKind::Crash => RedKind::Crash,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> TestId {
        TestId(text.to_owned())
    }

    #[test]
    fn a_name_means_its_cases_and_no_other_test() {
        for (name, case, want) in [
            ("a.py::test_a", "a.py::test_a[1-x]", true),
            ("a_test.go::TestA", "a_test.go::TestA/one", true),
            ("a.js::suite", "a.js::suite > one", true),
            ("a.rs::roman", "a.rs::roman::case_1", true),
            ("a.py::A", "a.py::A::test_a", true),
            ("a.py::test_a", "a.py::test_ab", false),
            ("a.py::test_a", "a.py::test_a", false),
            ("a.py", "a.py::test_a", false),
            ("", "a.py::test_a", false),
        ] {
            assert_eq!(is_case_of(&id(case), name), want, "{name} {case}");
        }
    }

    #[test]
    fn who_only_holds_others_answers_for_no_row() {
        let one = |text: &str| Superseded {
            criterion: tdd_core::criterion::CriterionId::parse("AC-STE-1.1").unwrap(),
            id: id(text),
            changed: true,
            kind: RedKind::Assertion,
        };
        let answered = answered_for(&[
            one("a_test.go::TestA"),
            one("a_test.go::TestA/four"),
            one("b.py::test_b[1]"),
            one("b.py::test_b[1]"),
        ]);
        let of = |file: &str, case: &str| (file.to_owned(), vec![id(case)]);
        assert_eq!(
            answered,
            BTreeMap::from([of("a_test.go", "a_test.go::TestA/four"), of("b.py", "b.py::test_b[1]")])
        );
    }
}
