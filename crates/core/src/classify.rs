//! From reports to findings: what a run says of each criterion and of the tests of others.

use std::collections::{BTreeMap, BTreeSet};

use crate::criterion::CriterionId;
use crate::finding::{CriterionRed, RedKind, RedTest, Seen, Why};
use crate::guard::{self, Guard};
use crate::mapping::Mapping;
use crate::path::RelPath;
use crate::test::{Failure, FailureKind, Outcome, TestId, TestReport, TestResult};

mod left;
mod mark;
mod own;
mod told;
mod vanished;

use left::Left;
pub use left::counting;
pub use mark::Mark;
pub use own::{Own, own};

/// What the source of a test says of it, as far as it can be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    pub expectation: Expectation,
    /// The names that its expectations look at; `None` if the source could not be read, or is judged as
    /// a whole.
    pub looks_at: Option<BTreeSet<String>>,
    /// Calls that may hold an expectation that can't be read.
    pub asks: Vec<Ask>,
    pub conditional: Conditional,
    /// What is said to be absent and stood in the project before the test was written: then it is
    /// the test that asks for it in the wrong way.
    pub existing: BTreeSet<String>,
    /// Names beside the one that a runner says to be absent, which its file asks for and which are not there
    /// either: a runner stops at the first.
    pub absent_too: BTreeSet<String>,
    /// Why the runner would never run it, though it looks like a test.
    pub never_run: Option<&'static str>,
    pub mark: Mark,
    /// Its own text may keep it from being run, here or elsewhere.
    pub may_skip: bool,
    /// A module that its file imports and that is nowhere in the project, named by none of its manifests, and the
    /// line of the import.
    pub nowhere: Option<(String, u32)>,
    /// A name that the test uses and that stands for nothing, and its line.
    pub undefined: Option<(String, u32)>,
    /// The line on which the test begins; 0 if that is not known.
    pub line: u32,
}

/// A call that may expect something of what it is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ask {
    /// Names of whoever is called. What is itself absent is the code under test, and asks nothing.
    pub of: BTreeSet<String>,
    pub given: BTreeSet<String>,
}

impl Ask {
    fn is_of(&self, absent: &str) -> bool {
        self.given.contains(absent) && !self.of.contains(absent)
    }
}

/// Whether a body holds an expectation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expectation {
    Held,
    Absent,
    /// It lives only in a snapshot that nobody has recorded: no code could meet it yet.
    Unrecorded,
    #[default]
    Unknown,
}

/// Whether any code could make the test pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Conditional {
    #[default]
    Conditional,
    /// `assert False`, `todo!()` and the like as the whole body.
    Unconditional,
}

/// What is asked of the sources while a RED is classified.
pub struct Sources<'a> {
    /// Ids that the source of a file declares.
    pub declared: &'a dyn Fn(&RelPath) -> Vec<TestId>,
    pub body: &'a dyn Fn(&RelPath, &TestId) -> Body,
    /// Whether this file of tests takes part when work for this criterion is judged.
    pub takes_part: &'a dyn Fn(&CriterionId, &RelPath) -> bool,
}

/// One criterion in the first run, and whether the second one says the same.
pub fn criterion_red(
    id: &CriterionId,
    mapping: &Mapping,
    runs: (&TestReport, Option<&TestReport>),
    sources: &Sources<'_>,
) -> CriterionRed {
    let (first, second) = runs;
    let files = mapping.of(id).map(|owned| owned.files.clone()).unwrap_or_default();
    let again: BTreeMap<&TestId, &Outcome> =
        second.map(|report| report.tests.iter().map(|t| (&t.id, &t.outcome)).collect()).unwrap_or_default();
    let (mut tests, mut left) = (Vec::new(), Left::default());
    for test in mapping.results(id, first) {
        let body = test.file.as_ref().map(|file| (sources.body)(file, &test.id)).unwrap_or_default();
        let mut kind = kind_of(&test.outcome, &body);
        let differs = |other: &&Outcome| passes(other) != passes(&test.outcome);
        if second.is_some() && again.get(&test.id).is_none_or(differs) {
            kind = RedKind::Flaky;
        }
        left.see(&test.id, &test.outcome, &body);
        let message = first_line(&test.outcome, &body);
        let why = why(&test.outcome, &body, kind);
        tests.push(RedTest { id: test.id.clone(), kind, seen: Seen::Reported, message, why });
    }
    for file in &files {
        if let Some(failure) = first.load_failure(file, &|other| (sources.takes_part)(id, other)) {
            tests.extend(not_loaded((file, (sources.declared)(file)), &failure, sources, &mut left));
        }
    }
    let owned = mapping.of(id);
    for file in owned.iter().flat_map(|owned| &owned.held_back) {
        let own = owned.iter().flat_map(|owned| &owned.ids);
        let declared = (sources.declared)(file);
        let is_declared = |test: &&TestId| {
            declared.contains(test)
                || test.made_from().any(|function| declared.iter().any(|id| id.0 == function))
        };
        let own: Vec<TestId> = own.filter(is_declared).cloned().collect();
        if let Some(failure) = first.load_failure(file, &|other| (sources.takes_part)(id, other))
            && !own.is_empty()
        {
            let asks =
                |test: &RedTest| told::asks_for_what_is_told(&failure, &(sources.body)(file, &test.id));
            let mut own = not_loaded((file, own), &failure, sources, &mut left);
            own.iter_mut().filter(|test| !asks(test)).for_each(|test| test.kind = RedKind::None);
            tests.extend(own);
        }
    }
    CriterionRed { id: id.clone(), files, may_skip: left.leave(&mut tests), tests }
}

/// The tests of a file that does not load, by the names that its source tells.
fn not_loaded(
    (file, declared): (&RelPath, Vec<TestId>),
    failure: &Failure,
    sources: &Sources<'_>,
    left: &mut Left,
) -> Vec<RedTest> {
    let message = failure.message.lines().next().unwrap_or_default().to_owned();
    let mut one = |id: TestId, seen: Seen| {
        let body = (sources.body)(file, &id);
        left.see_unloaded(&id, failure, &body);
        let kind = match failure.kind {
            FailureKind::Missing if body.never_run.is_some() => RedKind::None,
            FailureKind::Missing => kind_of_failure(failure, &body),
            FailureKind::Timeout => RedKind::Timeout,
            FailureKind::Crash => RedKind::Crash,
            FailureKind::Assertion | FailureKind::Error | FailureKind::Load => RedKind::Load,
        };
        let message = marked(failure, &body).unwrap_or_else(|| message.clone());
        let why = why_of(failure, &body, kind);
        RedTest { id, kind, seen, message, why }
    };
    // Names that only a run knows: the file stands for its tests.
    if declared.is_empty() {
        return vec![one(TestId(file.to_string()), Seen::FileOnly)];
    }
    declared.into_iter().map(|id| one(id, Seen::Declared)).collect()
}

fn kind_of(outcome: &Outcome, body: &Body) -> RedKind {
    match outcome {
        Outcome::Passed => RedKind::Passed,
        Outcome::Skipped => RedKind::None,
        Outcome::Failed(failure) => kind_of_failure(failure, body),
    }
}

fn kind_of_failure(failure: &Failure, body: &Body) -> RedKind {
    if body.conditional == Conditional::Unconditional || body.undefined.is_some() {
        return RedKind::Unconditional;
    }
    let is_unrecorded = body.expectation == Expectation::Unrecorded;
    match failure.kind {
        FailureKind::Assertion | FailureKind::Error | FailureKind::Missing if is_unrecorded => RedKind::None,
        FailureKind::Assertion => RedKind::Assertion,
        // The call threw, and nothing would look at what it gives once it does not.
        FailureKind::Error if body.expectation == Expectation::Absent => RedKind::None,
        FailureKind::Error => RedKind::Error,
        FailureKind::Missing if failure.absent.iter().any(|absent| body.existing.contains(absent)) => {
            RedKind::Load
        }
        FailureKind::Missing if body.mark.discounts(failure.absent.as_deref()).is_some() => RedKind::None,
        FailureKind::Missing if is_vacuous_of_all(body, failure) => RedKind::None,
        FailureKind::Missing => RedKind::Missing,
        FailureKind::Load => RedKind::Load,
        FailureKind::Timeout => RedKind::Timeout,
        FailureKind::Crash => RedKind::Crash,
    }
}

/// The same of what is absent beside it.
fn is_vacuous_of_all(body: &Body, failure: &Failure) -> bool {
    let mut beside = body.absent_too.iter().chain(&failure.absent_too);
    is_vacuous(body, failure.absent.as_deref())
        && beside.all(|other| body.existing.contains(other) || is_vacuous(body, Some(other)))
}

/// Whether a body expects nothing of what is absent: writing that down, empty, would make the test
/// pass. Where nobody can say what is absent, an expectation of anything does.
fn is_vacuous(body: &Body, absent: Option<&str>) -> bool {
    let absent = absent.map(absent_name).filter(|name| !name.is_empty());
    let asks = |absent: Option<&str>| match absent {
        Some(absent) => body.asks.iter().any(|ask| ask.is_of(absent)),
        None => !body.asks.is_empty(),
    };
    match (body.expectation, &body.looks_at, absent) {
        (Expectation::Absent | Expectation::Unrecorded, _, _) => true,
        (Expectation::Held | Expectation::Unknown, None, _) | (Expectation::Held, Some(_), None) => false,
        (Expectation::Held | Expectation::Unknown, Some(names), Some(absent)) => {
            !names.contains(absent) && !asks(Some(absent))
        }
        (Expectation::Unknown, Some(names), None) => names.is_empty() && !asks(None),
    }
}

/// The last name of what is absent: of a path (`../src/shop.mjs`, `shop/cart`) the file's without
/// what follows its first dot, of anything else (`shop::Cart::add`, `shop.total`) the last word.
pub fn absent_name(absent: &str) -> &str {
    if let Some((_, file)) = absent.rsplit_once('/') {
        return match file.rsplit_once('#') {
            Some((_, export)) => export,
            None => file.split('.').next().unwrap_or(file),
        };
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    absent.trim_end_matches(|c| !is_part(c)).rsplit(|c| !is_part(c)).next().unwrap_or(absent)
}

fn passes(outcome: &Outcome) -> bool {
    *outcome == Outcome::Passed
}

/// What is said of a test that will never count.
fn marked(failure: &Failure, body: &Body) -> Option<String> {
    let written =
        body.mark.discounts(failure.absent.as_deref()).filter(|_| failure.kind == FailureKind::Missing);
    written.map(|written| format!("does not count, by its mark: {written}"))
}

/// Why a test is no RED, in words for people, where its source tells.
fn why(outcome: &Outcome, body: &Body, kind: RedKind) -> Option<Why> {
    let words = match (outcome, kind) {
        (Outcome::Failed(failure), _) => return why_of(failure, body, kind),
        (Outcome::Passed, RedKind::Passed) => "passes before any code was written",
        (Outcome::Skipped, _) => "was skipped or not run",
        (Outcome::Passed, _) => return None,
    };
    (body.line > 0).then(|| Why { words: words.to_owned(), line: Some(body.line) })
}

fn why_of(failure: &Failure, body: &Body, kind: RedKind) -> Option<Why> {
    if let (RedKind::Unconditional, Some((name, line))) = (kind, &body.undefined) {
        let words = format!("can never pass: it uses `{name}`, which nothing in its file defines or imports");
        return Some(Why { words, line: Some(*line) });
    }
    if let (RedKind::Load, Some(module)) = (kind, failure.absent.as_ref())
        && body.existing.contains(module)
        && failure.message.starts_with("ModuleNotFoundError")
    {
        let words = format!(
            "needs the module `{module}`, which is in the project, and the test command does not find it: no new code mends that \
             (`python3 -m pytest` looks in the project's folder, `pytest` alone does not; or set `pythonpath`)"
        );
        return Some(Why { words, line: None });
    }
    if kind != RedKind::None || failure.kind != FailureKind::Missing || body.line == 0 {
        return None;
    }
    if let Some(why) = body.never_run {
        return Some(Why { words: format!("would never run: {why}"), line: Some(body.line) });
    }
    let absent = failure.absent.as_deref();
    let told = absent.map(|absent| absent.split('.').next().unwrap_or(absent));
    if let Some((module, line)) = body.nowhere.as_ref().filter(|(module, _)| Some(module.as_str()) != told) {
        let words = format!(
            "does not load: its file imports `{module}`, which is not in the project, and none of its manifests has a \
             package of that name (if one of another name brings it, see that it is installed)"
        );
        return Some(Why { words, line: Some(*line) });
    }
    if let Some(module) = absent.filter(|_| failure.message.starts_with("ModuleNotFoundError")) {
        let words = format!(
            "does not load and asks nothing of what is missing: the module `{module}` is neither in the project nor \
             installed"
        );
        return Some(Why { words, line: None });
    }
    let words = match (marked(failure, body), failure.absent.as_deref().map(absent_name)) {
        (Some(marked), _) => marked,
        (None, Some(absent)) if body.expectation == Expectation::Held => format!(
            "fails only because `{absent}` is missing, and expects nothing of it: nobody has seen it fail for what it \
             expects; let it expect something of `{absent}`, or put it where it can be run without that"
        ),
        (None, Some(absent)) => format!("fails only because `{absent}` is missing, and expects nothing"),
        (None, None) => return None,
    };
    Some(Why { words, line: Some(body.line) })
}

fn first_line(outcome: &Outcome, body: &Body) -> String {
    let Outcome::Failed(failure) = outcome else { return String::new() };
    let said = || failure.message.lines().next().unwrap_or_default().to_owned();
    marked(failure, body).unwrap_or_else(said)
}

/// Tests of `greens` that did not pass in this run.
///
/// An id that vanished counts as moved, not lost, if exactly one new id with the same own name
/// passes: tests inside sources move when their module does, examples of documentation with their function.
pub fn lost(greens: &[TestId], report: &TestReport) -> Vec<TestId> {
    let known: BTreeSet<&TestId> = greens.iter().collect();
    let outcomes: BTreeMap<&TestId, bool> =
        report.tests.iter().map(|test| (&test.id, passes(&test.outcome))).collect();
    let mut new_names: BTreeMap<&str, usize> = BTreeMap::new();
    for (id, _) in outcomes.iter().filter(|(id, passed)| **passed && !known.contains(*id)) {
        *new_names.entry(id.own_name()).or_default() += 1;
    }
    let is_lost = |id: &&TestId| match outcomes.get(id) {
        Some(passed) => !passed,
        None => new_names.get(id.own_name()) != Some(&1),
    };
    greens.iter().filter(is_lost).cloned().collect()
}

/// Tests of `greens` with a namesake that did not pass and is neither among them nor known to fail:
/// which of the two is the test that was green nobody can tell, so both must be.
pub fn lost_by_namesake(greens: &[TestId], known: &BTreeSet<&TestId>, report: &TestReport) -> Vec<TestId> {
    let is_numbered = |test: &&TestResult| test.id.shared() != test.id.0;
    let mut bad = report.tests.iter().filter(is_numbered).filter(|test| !passes(&test.outcome)).peekable();
    if bad.peek().is_none() || !guard::stands(Guard::DoubleIds) {
        return Vec::new();
    }
    let greens: BTreeSet<&TestId> = greens.iter().collect();
    let mut lost = BTreeSet::new();
    for test in bad.filter(|test| !greens.contains(&test.id) && !known.contains(&test.id)) {
        let shared = test.id.shared();
        lost.extend(greens.iter().find(|id| id.0 == shared || id.shared() == shared).map(|id| (*id).clone()));
    }
    lost.into_iter().collect()
}

/// The ids that passed, sorted.
pub fn greens(report: &TestReport) -> Vec<TestId> {
    let passed = report.tests.iter().filter(|test| passes(&test.outcome)).map(|test| test.id.clone());
    passed.collect::<BTreeSet<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests;
