//! Test binaries that bring a harness of their own, and so can't be asked for their tests.

use super::Gathered;
use super::targets::Binary;
use crate::runner::place::Place;
use crate::runner::verification::{Step, Verification};
use crate::test_report::failure;
use tdd_core::test::{Exit, FailureKind, Outcome, TestId, TestResult};
use tdd_core::trouble::Trouble;

/// A binary with a harness of its own: one test, by its exit code.
pub(super) async fn run(
    binary: &Binary,
    place: &Place,
    step: Step,
    verification: &mut Verification,
    gathered: &mut Gathered,
) -> Result<(), Trouble> {
    let step = Step { stdout: None, ..step };
    let finished = verification.run(step).await?;
    let outcome = match finished.exit {
        Exit::Code(0) => Outcome::Passed,
        Exit::Code(_) => Outcome::Failed(failure(FailureKind::Error, &verification.last_words(0), None)),
        Exit::Signal(_) => Outcome::Failed(failure(FailureKind::Crash, &finished.exit.to_string(), None)),
        Exit::Deadline | Exit::OutputCap => {
            gathered.stopped = Some(finished.exit);
            return Ok(());
        }
    };
    let id = TestId(format!("{}::harness", place.id_path(&binary.file)));
    let file = Some(binary.file.clone());
    gathered.report.tests.push(TestResult { id, file, outcome, duration_ms: finished.duration_ms });
    Ok(())
}
