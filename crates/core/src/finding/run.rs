//! A run of the project's commands as findings keep it.

use serde::{Deserialize, Serialize};

use crate::excerpt;
use crate::path::RelPath;
use crate::test::{Canary, Copies, Exit, Failure, FailureKind, Outcome, TestId, TestReport, TestRun};

/// The run that a verdict rests on, without its tests.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunRef {
    pub command: String,
    pub exit: Exit,
    /// With its build.
    pub duration_ms: u64,
    pub log: String,
    /// Raw output, head and tail, at most 32 KiB; the only words that a retry prompt may quote.
    pub output: String,
    /// `exit` is as it would have been without it.
    #[serde(default, skip_serializing_if = "Canary::is_not_asked")]
    pub canary: Canary,
    #[serde(default, skip_serializing_if = "Copies::is_empty")]
    pub copies: Copies,
    /// What did not load, then what failed; the first of them, masked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedItem>,
    /// Made to be shown in place of the run before it, which judged more tests than a retry may see.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_place: bool,
}

/// A test that failed, or a file or project that did not load.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailedItem {
    /// `None` for what did not load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<TestId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<RelPath>,
    pub kind: FailureKind,
    /// The first of what the runner said, at most 600 bytes.
    pub message: String,
}

/// Items of one run that are kept.
const MOST_FAILED: usize = 8;
const LONGEST_MESSAGE: usize = 600;

impl RunRef {
    /// Those of a verdict that a retry prompt may quote: not a run that another was made in place of.
    pub fn quotable(runs: &[Self]) -> impl Iterator<Item = &Self> {
        let replaced = runs.iter().skip(1).map(|next| next.in_place).chain([false]);
        runs.iter().zip(replaced).filter(|(_, replaced)| !replaced).map(|(run, _)| run)
    }

    /// A run for the journal and for a retry prompt; `mask` hides secrets.
    pub fn of(run: &TestRun, mask: &dyn Fn(&str) -> String) -> Self {
        Self {
            command: run.command.clone(),
            exit: run.own_exit(),
            duration_ms: run.duration_ms.saturating_add(run.build_ms),
            log: run.log.clone(),
            output: mask(&run.output),
            canary: run.canary,
            copies: run.copies.clone(),
            failed: run
                .report
                .iter()
                .flat_map(failed_items)
                .take(MOST_FAILED)
                .map(|item| item.masked(mask))
                .collect(),
            in_place: false,
        }
    }
}

impl FailedItem {
    fn new(test: Option<&TestId>, file: Option<&RelPath>, failure: &Failure) -> Self {
        Self {
            test: test.cloned(),
            file: file.cloned(),
            kind: failure.kind,
            message: failure.message.clone(),
        }
    }

    fn masked(self, mask: &dyn Fn(&str) -> String) -> Self {
        // Masked as a whole: half a secret is not known for one.
        let message = excerpt::head(&mask(&self.message), LONGEST_MESSAGE).to_owned();
        Self { message, ..self }
    }
}

fn failed_items(report: &TestReport) -> impl Iterator<Item = FailedItem> {
    let project = report.project_broken.iter().map(|broken| FailedItem::new(None, None, broken));
    let files = report.load_failures.iter().map(|load| {
        let failure = report.load_failure(&load.file, &|_| true);
        FailedItem::new(None, Some(&load.file), failure.as_deref().unwrap_or(&load.failure))
    });
    let tests = report.tests.iter().filter_map(|test| match &test.outcome {
        Outcome::Failed(failure) => Some(FailedItem::new(Some(&test.id), test.file.as_ref(), failure)),
        Outcome::Passed | Outcome::Skipped => None,
    });
    project.chain(files).chain(tests)
}
