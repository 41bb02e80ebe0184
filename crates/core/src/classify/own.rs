//! A criterion's own tests, once they are to be green.

use super::vanished;
use crate::finding::{CriterionRed, Seen};
use crate::mapping::Mapping;
use crate::test::{Outcome, TestId, TestReport, TestResult};

/// A criterion's own tests in a verifying run, against what RED said they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Own {
    pub passed: Vec<TestId>,
    pub failed: Vec<TestId>,
    pub skipped: Vec<TestId>,
    /// What RED knew that it may be skipped.
    pub skips_itself: Vec<TestId>,
    pub vanished: Vec<TestId>,
}

/// The expected ids come from the RED run and never from this one.
pub fn own(red: &CriterionRed, mapping: &Mapping, report: &TestReport) -> Own {
    let results = mapping.results(&red.id, report);
    let mut own = Own::default();
    for test in &results {
        let list = match &test.outcome {
            Outcome::Passed => &mut own.passed,
            Outcome::Failed(_) => &mut own.failed,
            Outcome::Skipped => &mut own.skipped,
        };
        list.push(test.id.clone());
    }
    // What has said at RED that it may be skipped is nothing that the code keeps from being run.
    if !own.passed.is_empty() {
        let may_skip = |id: &TestId| red.may_skip.iter().any(|test| id == test || id.is_row_of(test));
        (own.skips_itself, own.skipped) = std::mem::take(&mut own.skipped).into_iter().partition(may_skip);
    }
    for file in &red.files {
        let broken = report.load_failure(file, &|_| false).is_some();
        own.failed.extend(broken.then(|| TestId(file.to_string())));
    }
    own.vanished = vanished::vanished(red, &results);
    let ran = |file: &TestId| results.iter().any(|test| of_file(test, &file.0)) || own.failed.contains(file);
    let whole = red.tests.iter().filter(|test| test.seen == Seen::FileOnly && test.kind.is_accepted());
    let gone: Vec<TestId> = whole.map(|test| test.id.clone()).filter(|file| !ran(file)).collect();
    own.vanished.extend(gone);
    own
}

fn of_file(test: &TestResult, file: &str) -> bool {
    test.file.as_ref().is_some_and(|own| own.as_str() == file)
}
