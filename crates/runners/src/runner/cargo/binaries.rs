//! Runs test binaries one by one, so that what one prints can't be taken for another's word.

use std::collections::BTreeSet;

use super::options::Order;
use super::targets::Binary;
use super::{Base, Cargo, FAIL_CODE, Gathered, Trial, own_harness};
use crate::runner::verification::{Step, Verification, read_capped};
use crate::runner::words;
use crate::test_report::libtest::{self, Classified};
use crate::test_report::{REPORT_CAP, failure};
use tdd_child::process::Finished;
use tdd_core::test::{Exit, FailureKind, Outcome, TestResult};
use tdd_core::trouble::Trouble;

impl Cargo {
    pub(super) async fn run_binaries(
        &self,
        binaries: &[&Binary],
        trial: &Trial<'_>,
        verification: &mut Verification,
        gathered: &mut Gathered,
    ) -> Result<(), Trouble> {
        let lists = self.lists(binaries, trial, verification).await?;
        for binary in binaries {
            if gathered.stopped.is_none() {
                self.run_binary((binary, lists.get(&binary.executable)), trial, verification, gathered)
                    .await?;
            }
        }
        Ok(())
    }

    async fn run_binary(
        &self,
        (binary, listed): (&Binary, Option<&Vec<String>>),
        trial: &Trial<'_>,
        verification: &mut Verification,
        gathered: &mut Gathered,
    ) -> Result<(), Trouble> {
        let Base { place, scope, .. } = *trial.base;
        let step = trial.environment.step(binary);
        let Some(names) = listed.cloned() else {
            return own_harness::run(binary, place, step, verification, gathered).await;
        };
        let all = names.len();
        let names: Vec<String> = names
            .into_iter()
            .filter(|name| scope.takes(&binary.file_of(name, place), &binary.id(name)))
            .collect();
        if names.is_empty() {
            return Ok(());
        }
        let exact = (names.len() < all).then_some(names.as_slice());
        let (mut classified, finished) = self.hear_binary(&step, &names, exact, verification).await?;
        // A harness that can list its tests need not know the other options of rustc's.
        if classified.flaw.is_some() && matches!(finished.exit, Exit::Code(_)) && binary.has_own_harness() {
            return own_harness::run(binary, place, step, verification, gathered).await;
        }
        settle(&mut classified, &names, finished.exit, gathered);
        let share = finished.duration_ms / (classified.tests.len().max(1) as u64);
        for (name, outcome) in classified.tests {
            let id = binary.id(&name);
            let file = Some(binary.file_of(&name, place));
            gathered.report.tests.push(TestResult { id, file, outcome, duration_ms: share });
        }
        gathered.flaw = gathered.flaw.take().or(classified.flaw);
        Ok(())
    }

    /// Runs a binary with its log of outcomes; the option is deprecated, so a harness that no
    /// longer knows it is believed by its output alone.
    async fn hear_binary(
        &self,
        step: &Step,
        names: &[String],
        exact: Option<&[String]>,
        verification: &mut Verification,
    ) -> Result<(Classified, Finished), Trouble> {
        let mut log = Some(verification.fresh("outcomes"));
        loop {
            let stdout = verification.fresh("tests");
            let mut step = Step { stdout: Some(stdout.clone()), ..step.clone() };
            let order = if has_namesakes(names) { Order::OneByOne } else { Order::AsSaid };
            step.argv.extend(words(&self.options.run_args(exact, log.as_deref(), order)));
            let finished = verification.run(step).await?;
            if log.is_some() && verification.last_words(1).contains("Unrecognized option: 'logfile'") {
                log = None;
                continue;
            }
            let outcomes = log.as_ref().map(|log| read_capped(log, REPORT_CAP)).transpose();
            let classified = match (read_capped(&stdout, REPORT_CAP), outcomes) {
                (Ok(Some(output)), Ok(None)) => libtest::classify(names, None, &output),
                (Ok(Some(output)), Ok(Some(Some(log)))) => libtest::classify(names, Some(&log), &output),
                (Ok(_), Ok(_)) => flawed("a test binary ended without its log of outcomes".to_owned()),
                (Err(why), _) | (_, Err(why)) => flawed(why),
            };
            return Ok((classified, finished));
        }
    }
}

/// Their results can be told apart by their order alone.
fn has_namesakes(names: &[String]) -> bool {
    names.iter().collect::<BTreeSet<_>>().len() < names.len()
}

fn flawed(why: String) -> Classified {
    Classified { tests: Vec::new(), flaw: Some(why) }
}

/// Holds a binary's exit against its words. A test that was running when a signal came, or that
/// had not yet run, crashed with it.
pub(super) fn settle(classified: &mut Classified, names: &[String], exit: Exit, gathered: &mut Gathered) {
    let failed = classified.tests.iter().any(|test| matches!(test.1, Outcome::Failed(_)));
    match exit {
        Exit::Code(0) if !failed => {}
        Exit::Code(FAIL_CODE) if failed => {}
        Exit::Code(code) => {
            let why = format!("a test binary exited with {code}, which its own results do not explain");
            classified.flaw = classified.flaw.take().or(Some(why));
        }
        Exit::Signal(_) => {
            let mut known: Vec<String> = classified.tests.iter().map(|test| test.0.clone()).collect();
            let crash = failure(FailureKind::Crash, &format!("the test binary was {exit}"), None);
            for name in names {
                // Each of several namesakes has a result of its own.
                match known.iter().position(|known| known == name) {
                    Some(at) => drop(known.swap_remove(at)),
                    None => classified.tests.push((name.clone(), Outcome::Failed(crash.clone()))),
                }
            }
            // A red for certain: nothing of it can be taken for green.
            classified.flaw = None;
        }
        Exit::Deadline | Exit::OutputCap => gathered.stopped = Some(exit),
    }
}
