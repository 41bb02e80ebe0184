//! Tests that are left for later: skipped, or with a mark that will keep them from being run.

use std::collections::BTreeSet;

use super::{Body, Conditional};
use crate::finding::RedTest;
use crate::test::{Failure, FailureKind, Outcome, TestId, TestResult};

/// What marks say of a criterion's tests.
#[derive(Default)]
pub(super) struct Left {
    /// They may be skipped.
    may_skip: BTreeSet<TestId>,
    /// Of these, which are, or will be once there is what is missing.
    skipped: BTreeSet<TestId>,
}

impl Left {
    pub(super) fn see(&mut self, id: &TestId, outcome: &Outcome, body: &Body) {
        match outcome {
            Outcome::Skipped => self.leave_out(id),
            Outcome::Failed(failure) => self.see_unloaded(id, failure, body),
            Outcome::Passed => self.note(id, body),
        }
    }

    pub(super) fn see_unloaded(&mut self, id: &TestId, failure: &Failure, body: &Body) {
        self.note(id, body);
        let absent = failure.absent.as_deref();
        // Whatever keeps it from being run is a test's own where no code could make it pass.
        let is_left = body.may_skip && body.conditional == Conditional::Unconditional;
        if failure.kind == FailureKind::Missing && (is_left || body.mark.discounts(absent).is_some()) {
            self.leave_out(id);
        }
    }

    fn note(&mut self, id: &TestId, body: &Body) {
        if body.may_skip {
            self.may_skip.insert(id.clone());
        }
    }

    fn leave_out(&mut self, id: &TestId) {
        self.may_skip.insert(id.clone());
        self.skipped.insert(id.clone());
    }

    /// Takes those that are skipped out of the tests that a criterion is judged by, if others are left; gives all that may be.
    pub(super) fn leave(self, tests: &mut Vec<RedTest>) -> Vec<TestId> {
        if tests.iter().any(|test| !self.skipped.contains(&test.id)) {
            tests.retain(|test| !self.skipped.contains(&test.id));
            return self.may_skip.into_iter().collect();
        }
        Vec::new()
    }
}

/// The results that say something: all but those that were skipped, if there are others.
pub fn counting<'r>(results: &[&'r TestResult]) -> Vec<&'r TestResult> {
    let ran: Vec<&TestResult> =
        results.iter().filter(|test| test.outcome != Outcome::Skipped).copied().collect();
    if ran.is_empty() { results.to_vec() } else { ran }
}
