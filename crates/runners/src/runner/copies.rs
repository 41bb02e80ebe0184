//! Copies of the judged tests in which one expectation each is changed, so that they must fail.
//!
//! ```text
//! judged file ─► mutants ─► copies beside it: each test changed in some, unchanged in others ─► the run
//!                                                       │
//!                    seen failing ◄─────────────────────┤
//!                                                       ▼ a changed one that did not fail, or an unchanged that did
//!                           in a copy of the tree, in the judged file's own place: changed, changed in
//!                           another way, unchanged, and with a certain failure where the expectation stood
//! ```
//!
//! A copy beside its judged test may fail or pass for reasons of its own: a name that is asserted on, a
//! table that exists already, a counter. So what it does not show as it must is looked at once more where
//! name, neighbours and order are the judged test's own, and only there a test can be called toothless.

mod confirm;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::canary::{self, Judged, PlantedCanary};
use super::place::Place;
use super::verification::Heard;
use crate::canary_text::{Script, Secret};
use tdd_child::random;
use tdd_core::path::RelPath;
use tdd_core::ports::Confirm;
use tdd_core::test::{Copies, FailureKind, Outcome, TestId, TestReport, TestResult, Untold, UntoldWhy};
use tdd_core::trouble::Trouble;
use tdd_source::{Fails, Language, Reach, TestMutants, mutants, mutated};

use confirm::Others;
pub(super) use confirm::{Round, Suspects};

/// Copies of one file; one of them is unchanged, test by test.
const MOST_COPIES: usize = 4;

/// Runs of copied tests in one verification.
const MOST_RUNS: usize = 120;

/// Tests that are told of, of each kind.
const MOST_TOLD: usize = 20;

/// What a test is in one copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Unchanged,
    /// This claim of it is changed.
    Changed(usize),
}

/// One copy of a judged file.
#[derive(Clone, Debug)]
pub(super) struct Copied {
    pub(super) judged: RelPath,
    pub(super) text: String,
    /// By the test's place in the file.
    parts: BTreeMap<usize, Part>,
    /// The names of its tests that take part.
    pub(super) tests: Vec<String>,
}

/// A judged file and what can be changed in it.
#[derive(Clone, Debug)]
struct Source {
    file: Judged,
    language: Language,
    tests: Vec<TestMutants>,
}

/// All copies of one verification.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    sources: Vec<Source>,
    pub(super) copies: Vec<Copied>,
}

impl Plan {
    /// The copies of a run that carries a canary.
    pub(super) fn of(place: &Place, wanted: Option<&[RelPath]>) -> Result<Self, Trouble> {
        let judged = canary::judged(place, wanted).unwrap_or_default();
        let mut plan = Self::default();
        let mut left = MOST_RUNS;
        for file in judged {
            let Some(language) = Language::of(file.path.extension()) else { continue };
            let tests = mutants(language, &file.source, seed()?, Reach::Any);
            if tests.is_empty() {
                continue;
            }
            let source = Source { file, language, tests };
            if source.takes_copies() {
                plan.copies.extend(source.copies(&mut left)?);
            }
            plan.sources.push(source);
        }
        Ok(plan)
    }

    /// Plants each copy beside its judged file, under a name of the same kind.
    pub(super) fn plant(
        &self,
        place: &Place,
        named: impl Fn(&RelPath, &str) -> String,
    ) -> Result<Vec<PlantedCanary>, Trouble> {
        let one = |copy: &Copied| {
            let secret = canary::secret()?;
            let file = place.absolute(&copy.judged);
            let folder = file.parent().unwrap_or(&place.project);
            let name = named(&copy.judged, &secret.name);
            Self::write((place, folder, &name), copy, secret)
        };
        self.copies.iter().map(one).collect()
    }

    fn write(
        (place, folder, name): (&Place, &Path, &str),
        copy: &Copied,
        secret: Secret,
    ) -> Result<PlantedCanary, Trouble> {
        let comment = if copy.judged.extension() == "py" { "#" } else { "//" };
        // By this word it is known for ours if we are killed.
        let source = format!("{}\n{comment} {}\n", copy.text, secret.token);
        let script = Script { source, tests: copy.tests.clone() };
        PlantedCanary::plant(place, folder, name, (secret, &script))
    }

    /// What the copies beside the judged tests have shown, and which have to be looked at once more.
    fn weigh(&self, report: &TestReport, heard: &Heard, confirm: Confirm) -> (Copies, Suspects) {
        let mut found = Copies::default();
        let mut suspects = Suspects::default();
        for (at, source) in self.sources.iter().enumerate() {
            let of_source = |copy: &&(usize, &Copied)| copy.1.judged == source.file.path;
            let copies: Vec<(usize, &Copied)> = self.copies.iter().enumerate().collect();
            let copies: Vec<&(usize, &Copied)> = copies.iter().filter(of_source).collect();
            for result in report.tests.iter().filter(|test| test.outcome == Outcome::Passed) {
                let Some(test) = source.test_of(result) else {
                    found.untold.extend(source.unread(result));
                    continue;
                };
                let name = name_of(&result.id);
                let mut weighed = Weighed::default();
                for (number, copy) in &copies {
                    let Some(part) = copy.parts.get(&test) else { continue };
                    let results = heard.get(*number).map(Vec::as_slice).unwrap_or_default();
                    let seen = results.iter().find(|result| name_of(&result.id) == name);
                    weighed.take(*part, seen, source.fails(test, *part));
                }
                let claims = source.tests[test].claims.len();
                let is_to_confirm = confirm == Confirm::All && source.language != Language::Rust;
                let verdict = match () {
                    () if claims == 0 => Weight::Untold(UntoldWhy::NothingToChange),
                    () if copies.is_empty() => Weight::Untold(UntoldWhy::NoPlace),
                    () => weighed.verdict(),
                };
                let others = weighed.others(claims);
                match (verdict, weighed.any_claim.filter(|_| is_to_confirm)) {
                    (Weight::Seen, None) => found.seen += 1,
                    (Weight::Untold(why), _) => {
                        found.untold.push(Untold { test: result.id.clone(), why });
                    }
                    (Weight::Suspect(claim), _) | (Weight::Seen, Some(claim)) => {
                        suspects.add((at, test, claim), (result.id.clone(), others));
                    }
                }
            }
        }
        (found, suspects)
    }

    /// Whether a test of a judged file has failed by itself: then nothing has to be shown of the others.
    fn has_failed(&self, report: &TestReport) -> bool {
        let is_judged = |test: &TestResult| {
            self.sources.iter().any(|source| test.file.as_ref() == Some(&source.file.path))
        };
        let mut failed = report.tests.iter().filter(|test| matches!(test.outcome, Outcome::Failed(_)));
        report.project_broken.is_some() || failed.any(is_judged)
    }

    /// What has been shown, and what has to be looked at once more.
    pub(super) fn shown(
        &self,
        report: &TestReport,
        heard: Option<&Heard>,
        confirm: Confirm,
    ) -> (Copies, Suspects) {
        if self.has_failed(report) {
            return (Copies::default(), Suspects::default());
        }
        heard.map_or_else(|| self.all(report), |heard| self.weigh(report, heard, confirm))
    }

    /// All that could be changed, for runners that take no copy beside the judged file.
    fn all(&self, report: &TestReport) -> (Copies, Suspects) {
        let mut found = Copies::default();
        let mut suspects = Suspects::default();
        for (at, source) in self.sources.iter().enumerate() {
            for result in report.tests.iter().filter(|test| test.outcome == Outcome::Passed) {
                let Some(test) = source.test_of(result) else {
                    found.untold.extend(source.unread(result));
                    continue;
                };
                if source.tests[test].claims.is_empty() {
                    let why = UntoldWhy::NothingToChange;
                    found.untold.push(Untold { test: result.id.clone(), why });
                } else if source.language == Language::Rust {
                    // A copy of the tree would have all of the workspace compiled anew.
                    found.untold.push(Untold { test: result.id.clone(), why: UntoldWhy::NoPlace });
                } else {
                    let is_only = source.tests[test].claims.len() == 1;
                    let others = if is_only { Others::Pass } else { Others::Unknown };
                    suspects.add((at, test, 0), (result.id.clone(), others));
                }
            }
        }
        (found, suspects)
    }
}

/// Keeps what is told of within bounds.
pub(super) fn bounded(mut copies: Copies) -> Copies {
    copies.untold.sort();
    copies.untold.dedup();
    copies.untold.truncate(MOST_TOLD);
    copies.toothless.sort();
    copies.toothless.dedup();
    copies
}

fn seed() -> Result<u64, Trouble> {
    Ok(u64::from_ne_bytes(random::bytes()?))
}

/// The full name within the file.
fn name_of(id: &TestId) -> &str {
    id.0.split_once("::").map_or(id.0.as_str(), |(_, name)| name)
}

/// What became of one test in its copies.
#[derive(Default)]
struct Weighed {
    changed: usize,
    failed: usize,
    /// A changed one that passed, else one that failed by something else.
    suspect: Option<usize>,
    passes: usize,
    unchanged_failed: bool,
    unchanged_passed: bool,
    any_claim: Option<usize>,
}

enum Weight {
    Seen,
    Untold(UntoldWhy),
    /// This claim of it is to be looked at once more.
    Suspect(usize),
}

impl Weighed {
    fn take(&mut self, part: Part, seen: Option<&TestResult>, fails: Fails) {
        match (part, seen.map(|result| &result.outcome)) {
            // Passed over, because the time for copies was spent.
            (_, None | Some(Outcome::Skipped)) => {}
            (Part::Unchanged, Some(Outcome::Passed)) => self.unchanged_passed = true,
            (Part::Unchanged, Some(_)) => self.unchanged_failed = true,
            (Part::Changed(claim), Some(outcome)) => {
                self.changed += 1;
                self.any_claim = self.any_claim.or(Some(claim));
                match outcome {
                    _ if has_failed(outcome, fails) => self.failed += 1,
                    Outcome::Passed => {
                        if self.passes == 0 {
                            self.suspect = Some(claim);
                        }
                        self.passes += 1;
                    }
                    Outcome::Failed(_) | Outcome::Skipped => {
                        self.suspect = self.suspect.or(Some(claim));
                    }
                }
            }
        }
    }

    /// What is known of `claims` expectations but the one that is looked at once more.
    fn others(&self, claims: usize) -> Others {
        match () {
            () if self.failed > 0 => Others::Fail,
            () if self.passes == claims => Others::Pass,
            () => Others::Unknown,
        }
    }

    fn verdict(&self) -> Weight {
        if let Some(claim) = self.suspect {
            return Weight::Suspect(claim);
        }
        match self.any_claim {
            Some(claim) if self.unchanged_failed => Weight::Suspect(claim),
            Some(_) if self.unchanged_passed => Weight::Seen,
            Some(_) | None => Weight::Untold(UntoldWhy::Budget),
        }
    }
}

/// Whether a mutant failed as it must.
fn has_failed(outcome: &Outcome, fails: Fails) -> bool {
    let Outcome::Failed(failure) = outcome else { return false };
    match failure.kind {
        FailureKind::Assertion => true,
        FailureKind::Error => fails == Fails::Anyhow,
        FailureKind::Missing | FailureKind::Load | FailureKind::Timeout | FailureKind::Crash => false,
    }
}

impl Source {
    /// A Rust file is copied as a module of a target beside it; what lies inside sources is not.
    fn takes_copies(&self) -> bool {
        self.language != Language::Rust || self.file.path.as_str().split('/').any(|part| part == "tests")
    }

    /// The place of the test that a result is of.
    fn test_of(&self, result: &TestResult) -> Option<usize> {
        if result.file.as_ref() != Some(&self.file.path) {
            return None;
        }
        let spelt = |name: &str| name.replace("::", ".");
        let full = spelt(name_of(&result.id));
        // Parameters that a runner adds are looked through.
        let plain = full.split('[').next().unwrap_or(&full);
        let named = |wanted: &str| self.tests.iter().position(|test| spelt(&test.name) == wanted);
        named(&full).or_else(|| named(plain))
    }

    /// A test whose name only a run knows.
    fn unread(&self, result: &TestResult) -> Option<Untold> {
        let is_of_file = result.file.as_ref() == Some(&self.file.path);
        // A subtest is part of the test around it, and no test of a source is called so.
        let is_part = self.language == Language::Go && name_of(&result.id).contains('/');
        let why = UntoldWhy::NothingToChange;
        (is_of_file && !is_part).then(|| Untold { test: result.id.clone(), why })
    }

    fn fails(&self, test: usize, part: Part) -> Fails {
        let Part::Changed(claim) = part else { return Fails::ByExpectation };
        self.tests[test].claims.get(claim).map_or(Fails::ByExpectation, |claim| claim.ways[0].fails)
    }

    /// Chooses tests by chance while the budget lasts, and parts their claims among the copies: each
    /// test is unchanged in one at least, so that nothing but the change tells the copies apart.
    fn copies(&self, left: &mut usize) -> Result<Vec<Copied>, Trouble> {
        let mut able: Vec<usize> =
            (0..self.tests.len()).filter(|test| !self.tests[*test].claims.is_empty()).collect();
        let most = able.iter().map(|test| self.tests[*test].claims.len()).max().unwrap_or_default();
        let count = MOST_COPIES.min(most + 1);
        if most == 0 {
            return Ok(Vec::new());
        }
        shuffle(&mut able)?;
        able.truncate(*left / count);
        *left -= able.len() * count;
        let mut parts: Vec<BTreeMap<usize, Part>> = vec![BTreeMap::new(); count];
        for test in able {
            let mut claims: Vec<usize> = (0..self.tests[test].claims.len()).collect();
            shuffle(&mut claims)?;
            // The unchanged one and a changed one come first, in whatever order: where the time of copies ends in the
            // midst of them, each test has been looked at before any is looked at again.
            let (mut first, mut rest): (Vec<usize>, Vec<usize>) = ((0..2).collect(), (2..count).collect());
            shuffle(&mut first)?;
            shuffle(&mut rest)?;
            let unchanged = first.pop();
            let order: Vec<usize> = first.into_iter().chain(rest).chain(unchanged).collect();
            for (number, copy) in order.into_iter().enumerate() {
                let part = if number + 1 < count { claims.get(number).copied() } else { None };
                parts[copy].insert(test, part.map_or(Part::Unchanged, Part::Changed));
            }
        }
        Ok(parts.into_iter().filter_map(|parts| self.copy(parts)).collect())
    }

    fn copy(&self, parts: BTreeMap<usize, Part>) -> Option<Copied> {
        let changes = parts.iter().filter_map(|(test, part)| match part {
            Part::Unchanged => None,
            Part::Changed(claim) => self.tests[*test].claims.get(*claim)?.ways.first(),
        });
        let text = mutated(&self.file.source, changes)?;
        let names: BTreeSet<&String> = parts.keys().map(|test| &self.tests[*test].name).collect();
        let tests = names.into_iter().cloned().collect();
        (!parts.is_empty()).then(|| Copied { judged: self.file.path.clone(), text, parts, tests })
    }
}

fn shuffle<T>(items: &mut [T]) -> Result<(), Trouble> {
    for at in (1..items.len()).rev() {
        let within = u64::try_from(at + 1).unwrap_or(u64::MAX);
        let other = usize::try_from(seed()? % within).unwrap_or_default();
        items.swap(at, other);
    }
    Ok(())
}
