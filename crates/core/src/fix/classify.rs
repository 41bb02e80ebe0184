//! From one run of a check to what it came to.

use super::{CheckFinding, CheckKind, Complaint, KEPT_COMPLAINTS, Passed, Skips, Told, Unloaded};
use crate::evidence::evidence;
use crate::finding::RunRef;
use crate::test::{Exit, Outcome, TestReport, TestRun};

/// What a type checker printed, read error by error.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeErrors {
    /// The first and the last, each bounded.
    pub shown: Vec<String>,
    pub count: usize,
}

/// Exit code and what was read must agree; `run_ref` is the same run with its output masked.
pub fn finding(kind: CheckKind, run: &TestRun, types: &TypeErrors, run_ref: RunRef) -> CheckFinding {
    let mut finding = CheckFinding {
        run: run_ref,
        passed: Passed::No,
        greens: Vec::new(),
        reds: Vec::new(),
        skipped: Vec::new(),
        unloaded_files: Vec::new(),
        evaded: 0,
        complaints: Vec::new(),
        failures: 0,
        unloaded: None,
    };
    let unended = match run.exit {
        Exit::Code(_) => None,
        Exit::Signal(_) | Exit::Deadline | Exit::OutputCap => {
            Some(format!("the command did not end by itself: {}", run.exit))
        }
    };
    match (kind, &run.report) {
        (CheckKind::Tests(_), Some(report)) => {
            of_report(&mut finding, run, report);
            return finding;
        }
        (CheckKind::Types(_), _) => {
            finding.complaints =
                types.shown.iter().map(|text| Complaint { test: None, text: text.clone() }).collect();
            finding.failures = types.count;
            let is_mute = types.count == 0 && !run.exit.is_success();
            finding.unloaded =
                unended.or_else(|| is_mute.then(|| "no error could be read in what it printed".to_owned()));
        }
        (CheckKind::Tests(_) | CheckKind::Command, _) => {
            finding.unloaded = unended.or_else(|| run.unreadable.clone());
        }
    }
    conclude(&mut finding, run.exit);
    finding
}

fn of_report(finding: &mut CheckFinding, run: &TestRun, report: &TestReport) {
    let mut all = Vec::new();
    let unnamed = |text: String| Complaint { test: None, text };
    all.extend(report.project_broken.iter().map(|broken| unnamed(broken.message.clone())));
    let load = report.load_failures.iter();
    all.extend(load.map(|load| unnamed(format!("{}: {}", load.file, load.failure.message))));
    for test in &report.tests {
        match &test.outcome {
            Outcome::Passed => finding.greens.push(test.id.clone()),
            Outcome::Skipped => finding.skipped.push(test.id.clone()),
            Outcome::Failed(failure) => {
                finding.reds.push(test.id.clone());
                all.push(Complaint {
                    test: Some(test.id.clone()),
                    text: format!("{}: {}", test.id, failure.message),
                });
            }
        }
    }
    let load_failures = report.load_failures.iter().map(|load| load.file.clone());
    let unloaded = |file| Unloaded { file, told: Told::ByName, skips: Skips::Never };
    finding.unloaded_files = load_failures.map(unloaded).collect();
    finding.greens.sort();
    finding.reds.sort();
    finding.skipped.sort();
    finding.failures = all.len();
    finding.complaints = ends(all);
    // A run that carried a canary has something to show, or is no evidence.
    let nothing = report.complete && report.tests.is_empty() && !report.is_red() && run.canary.is_not_asked();
    let broken = report.project_broken.is_some() || !report.load_failures.is_empty();
    finding.unloaded = match evidence(run) {
        Ok(()) if broken => Some("not everything loads".to_owned()),
        // What "no tests" means differs from runner to runner, and so does the exit code for it.
        Ok(()) | Err(_) if nothing && matches!(run.exit, Exit::Code(_)) => None,
        Ok(()) => None,
        Err(why) => Some(why),
    };
    let ended_empty = nothing && matches!(run.exit, Exit::Code(_));
    conclude(finding, if ended_empty { Exit::Code(0) } else { run.own_exit() });
}

/// What failed without a word that could be read is one failure.
fn conclude(finding: &mut CheckFinding, exit: Exit) {
    if finding.failures == 0 && (!exit.is_success() || finding.unloaded.is_some()) {
        finding.failures = 1;
    }
    finding.passed = if finding.failures == 0 { Passed::Yes } else { Passed::No };
}

/// The first and the last of a long list.
fn ends(mut all: Vec<Complaint>) -> Vec<Complaint> {
    if all.len() > 2 * KEPT_COMPLAINTS {
        all.drain(KEPT_COMPLAINTS..all.len() - KEPT_COMPLAINTS);
    }
    all
}

impl CheckFinding {
    /// Of two runs on the same tree: what passed in either passed, and what failed in both failed.
    /// The second is taken, less what the first saw passing.
    #[must_use = "this is what both came to"]
    pub fn with_second(&self, second: Self) -> Self {
        let mut both = second;
        let passed = |complaint: &Complaint| {
            complaint.test.as_ref().is_some_and(|id| self.greens.binary_search(id).is_ok())
        };
        let before = both.complaints.len();
        both.complaints.retain(|complaint| !passed(complaint));
        both.failures = both.failures.saturating_sub(before - both.complaints.len());
        both.reds.retain(|id| self.greens.binary_search(id).is_err());
        both.skipped.retain(|id| self.greens.binary_search(id).is_err());
        both.greens.extend(self.greens.iter().cloned());
        both.greens.sort();
        both.greens.dedup();
        if both.failures == 0 && both.unloaded.is_none() {
            both.passed = Passed::Yes;
        }
        both
    }
}
