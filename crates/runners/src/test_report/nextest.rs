//! What `cargo nextest` says: the list of tests as JSON, and the JUnit report of a run.
//!
//! ```text
//! list   = {"rust-suites": { BINARY-ID: {"testcases": { NAME: {"ignored", "filter-match"} }} }}
//! match  = {"status": "matches"} | {"status": "mismatch", "reason": "ignored" | …}
//! report = JUnit, one case a test: classname = BINARY-ID, `failure type=…`, system-out
//! type   = "test failure with exit code N" | "test abort" | "test timeout" | …
//! ```
//!
//! The list says which tests there are, so the report must hold exactly those, and ignored ones,
//! which the report does not name, are skipped. nextest takes any process that ends with 0 for a
//! passed test. A binary with the harness of rustc says at its end how many passed, so a pass
//! without these words is a process that ended before its test did, and a crash ([`Pass::AtEnd`]).

use std::collections::BTreeMap;

use serde::Deserialize;

use super::junit::{self, Case};
use super::{failure, libtest};
use tdd_core::test::{Failure, FailureKind, Outcome};

/// The tests of a binary: name, and whether it is ignored.
pub type Names = BTreeMap<String, Ignored>;

/// Whether a listed test is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    Yes,
    No,
}

/// What makes a pass of a test one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Its harness has said so at the end of the output.
    AtEnd,
    /// Its process ended with 0: a harness of the project's own prints what it likes.
    ByExit,
}

/// One test of one binary, by the binary's id.
pub type Key = (String, String);

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct List {
    rust_suites: BTreeMap<String, Suite>,
}

#[derive(Deserialize)]
struct Suite {
    testcases: BTreeMap<String, Listed>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Listed {
    filter_match: FilterMatch,
}

#[derive(Deserialize)]
struct FilterMatch {
    status: String,
    #[serde(default)]
    reason: String,
}

/// The tests that take part, by binary: those that match the filters of the command, and those
/// that would if they were not ignored. `Err` says why this is no list.
pub fn listed(bytes: &[u8]) -> Result<BTreeMap<String, Names>, String> {
    let list: List =
        serde_json::from_slice(bytes).map_err(|error| format!("nextest's list of tests: {error}"))?;
    let taken =
        |listed: &Listed| match (listed.filter_match.status.as_str(), listed.filter_match.reason.as_str()) {
            ("matches", _) => Some(Ignored::No),
            ("mismatch", "ignored") => Some(Ignored::Yes),
            _ => None,
        };
    let names = |suite: Suite| -> Names {
        suite.testcases.into_iter().filter_map(|(name, listed)| Some((name, taken(&listed)?))).collect()
    };
    Ok(list.rust_suites.into_iter().map(|(id, suite)| (id, names(suite))).collect())
}

/// What a run's report says of the tests that were to run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    pub tests: BTreeMap<Key, (Outcome, u64)>,
    /// Whether nextest itself holds a test for failed: its exit code must say the same.
    pub failed: bool,
    /// Why this is no complete report.
    pub flaw: Option<String>,
}

const UNSAID: &str = "the process ended with 0 before the test's harness said that it passed";

/// Reads the report of a run of exactly these tests.
pub fn told(bytes: &[u8], expected: &BTreeMap<Key, Pass>) -> Told {
    let parsed = junit::parse(bytes);
    let mut told = Told { flaw: parsed.flaw, ..Told::default() };
    for case in parsed.cases {
        let key = (case.classname.clone(), case.name.clone());
        let name = format!("{} {}", case.classname, case.name);
        let outcome = outcome(&case);
        told.failed |= matches!(outcome, Outcome::Failed(_));
        let expected = expected.get(&key).copied();
        let unsaid =
            expected == Some(Pass::AtEnd) && outcome == Outcome::Passed && !says_passed(&case.printed);
        let outcome =
            if unsaid { Outcome::Failed(failure(FailureKind::Crash, UNSAID, None)) } else { outcome };
        let flaw =
            expected.is_none().then(|| format!("the report of nextest names {name}, which was not to run"));
        let again = told.tests.insert(key, (outcome, case.duration_ms)).is_some();
        let flaw = flaw.or_else(|| again.then(|| format!("the report of nextest names {name} twice")));
        told.flaw = told.flaw.or(flaw);
    }
    let absent = expected.keys().find(|key| !told.tests.contains_key(*key));
    let absent =
        absent.map(|(binary, name)| format!("the report of nextest has no result for {binary} {name}"));
    told.flaw = told.flaw.or(absent);
    told
}

/// The last line that rustc's harness prints, for a process that ran one test, or several of one name.
fn says_passed(printed: &str) -> bool {
    let last = printed.lines().rev().find(|line| !line.trim().is_empty());
    let counts = last.and_then(|line| line.strip_prefix("test result: ok. "));
    let passed = counts.and_then(|counts| counts.split_once(" passed; 0 failed; 0 ignored; "));
    passed.is_some_and(|(passed, _)| passed.parse::<u32>().is_ok_and(|passed| passed > 0))
}

fn outcome(case: &Case) -> Outcome {
    let Outcome::Failed(told) = &case.outcome else { return case.outcome.clone() };
    Outcome::Failed(kind_of(case, &told.message))
}

/// The message begins with its first line twice: as attribute, and as text.
fn kind_of(case: &Case, message: &str) -> Failure {
    let message = match message.split_once('\n') {
        Some((first, rest)) if rest.starts_with(first) => rest,
        Some(_) | None => message,
    };
    let class = case.told.as_ref().map_or("", |(class, _)| class.as_str());
    if class.starts_with("test timeout") {
        failure(FailureKind::Timeout, message, None)
    } else if class.starts_with("test failure") {
        // A panic that was expected and did not come is told on the standard output only.
        let printed = libtest::failure_of(&case.printed);
        if printed.kind == FailureKind::Assertion { printed } else { libtest::failure_of(message) }
    } else {
        failure(FailureKind::Crash, message, None)
    }
}

#[cfg(test)]
#[path = "nextest_tests.rs"]
mod tests;
