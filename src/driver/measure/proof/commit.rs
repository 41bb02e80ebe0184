//! (i) A fresh checkout of the proposed commit: tests and gate are as green as in the work tree.

use std::collections::BTreeSet;

use crate::driver::cycle::Drive;
use tdd_core::evidence::evidence;
use tdd_core::finding::RunRef;
use tdd_core::harmless;
use tdd_core::mapping::Without;
use tdd_core::path::RelPath;
use tdd_core::ports::{Bring, Confirm, TestOrder, World};
use tdd_core::proof::{Extent, ProofFindings};
use tdd_core::test::{Exit, TestId, TestRun, UntoldWhy};
use tdd_core::trouble::Trouble;

use super::Proving;

/// Files that are named one by one.
const MOST_NAMED: usize = 10;
/// Characters of a printed line that are told.
const LONGEST_LINE: usize = 160;

/// What is not green in one checkout.
struct Tried {
    lost: Vec<TestId>,
    brought: Vec<RelPath>,
}

impl<W: World> Drive<'_, W> {
    /// Whether there is a checkout in which more can be tried.
    pub(super) async fn prove_commit(
        &mut self,
        proving: &mut Proving,
        findings: &mut ProofFindings,
    ) -> Result<bool, Trouble> {
        let Some(mut tried) = self.try_checkout(proving, findings).await? else { return Ok(false) };
        for bring in [Bring::Before, Bring::Everything] {
            if tried.lost.is_empty() {
                break;
            }
            proving.bring = bring;
            let Some(next) = self.try_checkout(proving, findings).await? else { return Ok(false) };
            if next.lost.is_empty() {
                let more = next.brought.iter().filter(|path| !tried.brought.contains(path));
                let more: Vec<RelPath> = more.take(MOST_NAMED).cloned().collect();
                if bring == Bring::Everything && !self.was_always_needed(findings).await? {
                    findings.outside.clone_from(&tried.lost);
                    findings.outside_files = more;
                } else {
                    findings.needs_ignored = more;
                }
            }
            tried = next;
        }
        if let Some(first) = tried.lost.first() {
            let count = tried.lost.len();
            findings.not_made.push(format!(
                "{count} of the tests that are green in the work tree are not in a fresh checkout of it, whatever \
                 comes along, {first} among them: they may ask for their folder, for git, or for what lies in the work \
                 tree alone"
            ));
            return Ok(false);
        }
        let Some(brought) = self.prove_given_back(proving, findings).await? else { return Ok(false) };
        self.prove_gate((proving, &brought), findings).await
    }

    /// All tests, as in the work tree.
    pub(super) fn order_of_all(&self, label: &str) -> TestOrder {
        let without = self.mapping().without(&self.unreached(None));
        let (label, canary) = (label.to_owned(), self.canary_like(None));
        TestOrder { label, without, canary, confirm: Confirm::All, ..TestOrder::default() }
    }

    /// What tests from before this run needed before it is no fault of this run's, whoever wrote it last.
    async fn was_always_needed(&mut self, findings: &mut ProofFindings) -> Result<bool, Trouble> {
        let Some((start, baseline)) = self.state.start.clone().zip(self.state.baseline.clone()) else {
            return Ok(false);
        };
        self.check_out(&start, Bring::Before)?;
        let order = TestOrder { label: "proof: before the run".to_owned(), ..TestOrder::default() };
        let run = self.proof_run(&order, findings).await?;
        Ok(run.report.is_none_or(|report| !self.not_green_now(&baseline.test.greens, &report).is_empty()))
    }

    /// `None` if the run is no evidence of anything, which is told.
    async fn try_checkout(
        &mut self,
        proving: &Proving,
        findings: &mut ProofFindings,
    ) -> Result<Option<Tried>, Trouble> {
        let brought = self.check_out(&proving.tree, proving.bring)?;
        let order = self.order_of_all("proof");
        let run = self.proof_run(&order, findings).await?;
        self.note_copies(proving, &run, findings);
        let report = match (&run.report, evidence(&run)) {
            (Some(report), Ok(())) => report,
            (Some(_) | None, Err(why)) => {
                let why = format!("a run in a fresh checkout is no evidence: {why}");
                findings.not_made.push(why + &last_line(&run));
                return Ok(None);
            }
            (None, Ok(())) => {
                findings.not_made.push("the runner can't be read test by test".to_owned());
                return Ok(None);
            }
        };
        let mut lost = self.not_green_now(&self.state.greens, report);
        if !lost.is_empty() {
            let again = TestOrder { label: "proof, again".to_owned(), only_ids: lost.clone(), ..order };
            let again = self.proof_run(&again, findings).await?;
            if let Some(report) = &again.report {
                lost = self.not_green_now(&lost, report);
            }
        }
        Ok(Some(Tried { lost, brought }))
    }

    /// What copies say of the tests of these criteria.
    fn note_copies(&self, proving: &Proving, run: &TestRun, findings: &mut ProofFindings) {
        let reds = self.state.red.iter().flat_map(|red| &red.criteria);
        let reds = reds.filter(|red| proving.criteria.contains(&red.id));
        let own: BTreeSet<&TestId> = reds.flat_map(|red| &red.tests).map(|test| &test.id).collect();
        let untold = run.copies.untold.iter().filter(|untold| untold.why == UntoldWhy::NeverReached);
        let of_own = |test: &&TestId| own.contains(test);
        findings.never_reached = untold.map(|untold| &untold.test).filter(of_own).cloned().collect();
        findings.toothless = run.copies.toothless.iter().filter(of_own).cloned().collect();
    }

    /// A gate may ask for what a checkout has not, git's own folder above all: where it does so before the run, too,
    /// that is told and no more. Whether there is something that more can be tried on.
    async fn prove_gate(
        &mut self,
        (proving, less): (&mut Proving, &[RelPath]),
        findings: &mut ProofFindings,
    ) -> Result<bool, Trouble> {
        let commands = &self.state.run.commands;
        let was_green =
            self.state.baseline.as_ref().is_some_and(|b| b.gate.exit.is_some_and(Exit::is_success));
        if commands.gate == commands.test {
            return Ok(true);
        }
        let mut exit = self.gate_of_proof("gate of the proof", findings).await?;
        if !was_green {
            return Ok(true);
        }
        if exit.is_success() {
            if findings.extent == Extent::Full {
                self.find_what_the_gate_rests_on(proving, findings).await?;
            }
            return Ok(true);
        }
        proving.bring = proving.bring.max(Bring::Before);
        let more = self.check_out(&proving.tree, proving.bring)?;
        exit = self.gate_of_proof("gate of the proof, again", findings).await?;
        if exit.is_success() {
            let new = more.into_iter().filter(|path| !less.contains(path));
            findings.needs_ignored.extend(new.take(MOST_NAMED));
            return Ok(true);
        }
        if let Some(start) = self.state.start.clone() {
            self.check_out(&start, Bring::Before)?;
            if self.gate_of_proof("gate of the proof: before the run", findings).await?.is_success() {
                findings.gate_outside = Some(exit);
                return Ok(false);
            }
            self.check_out(&proving.tree, proving.bring)?;
        }
        findings
            .not_made
            .push(format!("the gate is green in the work tree, and not in a fresh checkout ({exit})"));
        Ok(true)
    }

    pub(super) async fn gate_of_proof(
        &mut self,
        label: &str,
        findings: &mut ProofFindings,
    ) -> Result<Exit, Trouble> {
        let gate = self.run_gate(label, &Without::default()).await?;
        findings.runs.push(RunRef::of(&gate, &self.setup.mask));
        Ok(gate.exit)
    }
}

/// What a run that ended early printed last, as a rule why.
fn last_line(run: &TestRun) -> String {
    let line = run.output.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let shown = line.map(|line| harmless::line(line).chars().take(LONGEST_LINE).collect::<String>());
    shown.map(|line| format!("; it printed last: {line}")).unwrap_or_default()
}
