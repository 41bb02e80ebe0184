//! `kind: tap`: what the command prints, or leaves as its report, as TAP.
//!
//! TAP has no place for the file of a test. Where the producer tells it all the same, in its
//! diagnostics or as the name of a subtest, a test's id begins with it. Else an id is the name alone,
//! the same whichever files are chosen, and the file is the one that was asked for.

use std::collections::BTreeMap;
use std::path::Path;

use super::ava;
use crate::runner::place::Place;
use crate::runner::scope::Scope;
use crate::runner::verification::{Measured, read_capped};
use crate::test_report::REPORT_CAP;
use crate::test_report::tap::{self, Flaw, Point};
use tdd_core::path::RelPath;
use tdd_core::test::{Exit, LoadFailure, Outcome, TestId, TestReport, TestResult};

/// Whether the producer says which file a test is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Files {
    Told,
    /// Not by every test, or nothing was heard of it yet.
    Untold,
}

/// Reads what a run of all files, or of `only` one, has left. `places` are where it ran and where the
/// files really are; `said` is what it printed beside its report.
pub(super) fn read(
    path: &Path,
    (exit, said, only): (Exit, &str, Option<&RelPath>),
    (places, producer): ([&Place; 2], Producer),
    scope: &Scope,
) -> (Measured, Files) {
    let fail_code = match exit {
        Exit::Code(code) if code != 0 => code,
        Exit::Code(_) | Exit::Signal(_) | Exit::Deadline | Exit::OutputCap => 1,
    };
    let bytes = match read_capped(path, REPORT_CAP) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(why) => {
            return (Measured { exit, report: None, unreadable: Some(why), fail_code }, Files::Untold);
        }
    };
    let mut parsed = tap::parse(&bytes);
    let mut report = TestReport { complete: parsed.flaw.is_none(), ..TestReport::default() };
    if let (Some(Flaw::NoPlan), Some(file), Exit::Code(1..)) = (&parsed.flaw, only, exit) {
        // The file's program ended before its plan, at an exception mostly: that is its own failure, told
        // by its exit. What it said before is kept.
        let is_silent = parsed.points.is_empty();
        let printed = if is_silent { String::from_utf8_lossy(&bytes) } else { "".into() };
        let failure = tap::load_failure(&format!("{printed}{said}"));
        report.load_failures.push(LoadFailure::new(file.clone(), failure));
        report.complete = true;
        parsed.flaw = None;
        if is_silent {
            return (Measured { exit, report: Some(report), unreadable: None, fail_code }, Files::Untold);
        }
    }
    if producer == Producer::Ava {
        report.load_failures = ava::tie(&mut parsed.points, only, places);
    }
    let mut files = if parsed.points.is_empty() { Files::Untold } else { Files::Told };
    for (at, point) in parsed.points.into_iter().enumerate() {
        let (told, name) = named(&point, at, places);
        // A point that is a file's own: it held no test, or ended badly beside its tests.
        if let (Some(file), true) = (&told, is_file_alone(&point, places)) {
            if matches!(point.outcome, Outcome::Failed(_)) && scope.takes_file(file) {
                let failure = tap::load_failure(said);
                report.load_failures.push(LoadFailure::new(file.clone(), failure));
            }
            continue;
        }
        if told.is_none() {
            files = Files::Untold;
        }
        let id = TestId(match &told {
            Some(file) => format!("{}::{name}", places[1].id_path(file)),
            None => name,
        });
        let file = told.or_else(|| only.cloned());
        if file.as_ref().is_none_or(|file| scope.takes(file, &id) || Some(file) == only) {
            report.tests.push(TestResult { id, file, outcome: point.outcome, duration_ms: 0 });
        }
    }
    if !report.load_failures.is_empty() && report.tests.is_empty() {
        // Nothing but files that did not load: that says nothing of how tests are told.
        files = Files::Told;
    }
    let unreadable = parsed.flaw.map(|flaw| flaw.to_string());
    (Measured { exit, report: Some(report), unreadable, fail_code }, files)
}

/// Who printed it, where that changes what a point means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Producer {
    Any,
    Ava,
}

impl Producer {
    /// By the command's own words.
    pub(super) fn of(command: &str) -> Self {
        let mut words = command.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        if words.any(|word| word == "ava") { Self::Ava } else { Self::Any }
    }
}

/// Whether a point has no name but that of a file.
fn is_file_alone(point: &Point, places: [&Place; 2]) -> bool {
    let [title] = point.path.as_slice() else { return false };
    let is_file =
        |place: &Place| place.in_repository(title).is_some_and(|file| place.absolute(&file).is_file());
    title.contains(['/', '.']) && places.into_iter().any(is_file)
}

/// How a point without a description is called, before its place among all.
const NAMELESS: &str = "point ";

/// Whether a test is known by its place alone.
pub(super) fn is_nameless(test: &TestResult) -> bool {
    let name = test.id.0.rsplit("::").next().unwrap_or_default();
    name.strip_prefix(NAMELESS).is_some_and(|place| place.parse::<usize>().is_ok())
}

/// The file of a point, if it is told, and its name without it.
fn named(point: &Point, at: usize, places: [&Place; 2]) -> (Option<RelPath>, String) {
    let inside = |told: &str| {
        let file = |place: &Place| place.in_repository(told).filter(|file| place.absolute(file).is_file());
        places.into_iter().find_map(file)
    };
    let mut path = point.path.clone();
    let titled = path.iter().position(|title| title.contains(['/', '.']) && inside(title).is_some());
    let by_title = titled.and_then(|at| inside(&path.remove(at)));
    path.retain(|title| !title.is_empty());
    let name = if path.is_empty() { format!("{NAMELESS}{}", at + 1) } else { path.join(" > ") };
    (point.file.as_deref().and_then(inside).or(by_title), name)
}

/// Says which of the tests of a whole run are of `file`, as a run of that file `alone` tells.
pub(super) fn name_file(whole: &mut Measured, alone: &Measured, file: &RelPath) {
    let (Some(report), Some(told)) = (&mut whole.report, &alone.report) else { return };
    // Files run in their order, so that of namesakes the first that are nobody's yet are this file's.
    let mut its_own: BTreeMap<&TestId, usize> = BTreeMap::new();
    for test in &told.tests {
        *its_own.entry(&test.id).or_default() += 1;
    }
    for test in report.tests.iter_mut().filter(|test| test.file.is_none()) {
        if let Some(left) = its_own.get_mut(&test.id).filter(|left| **left > 0) {
            *left -= 1;
            test.file = Some(file.clone());
        }
    }
    let missing = told.load_failures.iter().filter(|load| !report.load_failures.contains(load));
    let missing: Vec<LoadFailure> = missing.cloned().collect();
    report.load_failures.extend(missing);
}

/// Two calls of one verification as one. A report without an answer in one of them has none.
pub(super) fn joined(before: Measured, after: Measured) -> Measured {
    let failed = |exit: Exit| !exit.is_success();
    // Codes differ between files; what is kept must be one of a failure if any failed.
    let (exit, fail_code) = match (before.exit, after.exit) {
        (one, Exit::Code(0)) => (one, before.fail_code),
        (Exit::Code(_), other) => (other, after.fail_code),
        (one, _) => (one, before.fail_code),
    };
    let disagrees = [&before, &after].into_iter().any(|one| {
        let red = |report: &TestReport| {
            let failed = |test: &TestResult| matches!(test.outcome, Outcome::Failed(_));
            report.tests.iter().any(failed) || !report.load_failures.is_empty()
        };
        one.report.as_ref().is_some_and(|report| red(report) != failed(one.exit))
    });
    let disagrees =
        disagrees.then(|| "the exit code of one file's run and what it printed disagree".to_owned());
    let report = before.report.zip(after.report).map(|(mut one, other)| {
        one.tests.extend(other.tests);
        one.load_failures.extend(other.load_failures);
        one.complete &= other.complete;
        one
    });
    let unreadable = before.unreadable.or(after.unreadable).or(disagrees);
    Measured { exit, report, unreadable, fail_code }
}
