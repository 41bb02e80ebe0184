//! Whether a red gate is worse than the same gate without the edits of refactor mode.

use std::collections::BTreeSet;

use super::desk::Desk;
use tdd_core::event::PassFail;
use tdd_core::test::{FailureKind, Outcome, TestId, TestRun};

/// A red gate beside the same gate without the edits of the mode.
pub(super) enum Beside {
    /// None of its edits is left.
    NoEdits,
    /// What is red is red without them, too.
    NoWorse,
    /// Red besides: tests, or commands of the gate's.
    Worse(Vec<String>),
    /// Both are red, and what is red in them can't be told.
    BothRed,
    /// It is green without them.
    Green,
}

/// What is red besides; `None` where it can't be told.
pub(super) fn new_reds(desk: &Desk, run: &TestRun, without: &TestRun) -> Option<Vec<TestId>> {
    let (now, before) = (reds(run)?, reds(without)?);
    // What was seen green in the session is not red from before, though the file of that work may be among these.
    let was_green =
        |id: &TestId| desk.state().tests.get(id).is_some_and(|last| last.status == PassFail::Pass);
    Some(now.into_iter().filter(|id| !before.contains(id) || was_green(id)).collect())
}

/// What is red by a run's report, and how; `None` where it tells no test.
pub(super) fn told_red(run: &TestRun) -> Option<Vec<(TestId, FailureKind)>> {
    let report = run.report.as_ref().filter(|report| report.complete && report.project_broken.is_none())?;
    let mut reds = Vec::new();
    for test in &report.tests {
        if let Outcome::Failed(failure) = &test.outcome {
            reds.push((test.id.clone(), failure.kind));
        }
    }
    let unloaded = report.load_failures.iter();
    reds.extend(unloaded.map(|load| (TestId(load.file.to_string()), load.failure.kind)));
    (!reds.is_empty()).then_some(reds)
}

fn reds(run: &TestRun) -> Option<BTreeSet<TestId>> {
    Some(told_red(run)?.into_iter().map(|(id, _)| id).collect())
}
