//! REFACTOR: the gate is green, nothing that was green is red, no test is gone.

use std::collections::BTreeSet;

use crate::driver::cycle::Drive;
use tdd_core::attempt::CheckpointId;
use tdd_core::event::Event;
use tdd_core::evidence::evidence;
use tdd_core::finding::{Findings, Judged, RefactorFindings, RunRef};
use tdd_core::mapping::Without;
use tdd_core::ports::{CanaryWish, TestOrder, World};
use tdd_core::role::Key;
use tdd_core::test::{Outcome, TestId, TestReport, TestRun};
use tdd_core::trouble::Trouble;

use super::{Passes, Work};

impl<W: World> Drive<'_, W> {
    pub(super) async fn measure_refactor(&mut self) -> Result<Vec<Event>, Trouble> {
        let mut work = self.diff_work(&Key::Refactorer)?;
        let mut findings = RefactorFindings {
            changed: work.changed.clone(),
            forbidden: work.forbidden.clone(),
            weakened: work.production.weakened.clone(),
            test_aware: work.production.test_aware.clone(),
            notices: work.production.notices.clone(),
            ..RefactorFindings::default()
        };
        findings.notices.extend(self.unseen(&work)?);
        let (aware, told) = self.newly_reassigned(&work.after, &work.changed)?;
        findings.test_aware.extend(aware);
        findings.notices.extend(told);
        let (lost, told) = self.public_names(&work.after)?;
        findings.notices.extend(told);
        findings.lost_names = lost;
        let mut events = std::mem::take(&mut work.events);
        let without = self.mapping().without(&self.unreached(None));
        let canary = self.canary_like(None);
        let order = TestOrder { label: "REFACTOR".to_owned(), without, canary, ..TestOrder::default() };
        if let Some((judged, run)) = self.judged_already(&work.after, &order)? {
            findings.runs.push(run);
            (findings.collected_before, findings.collected_now) = (self.state.collected, judged.collected);
            findings.gate_red = self.gate_was_red(&judged, &work, &mut findings).await?;
            findings.judged_at = Some(judged.tree);
            self.touched_by_runs(&mut work, Passes::Yes)?;
            if !findings.gate_red && !work.changed.is_empty() {
                findings.held_out = self.held_out_red(&work.after, &[]).await?;
            }
            findings.touched = work.touched;
            events.push(self.state.attempt_measured(Findings::Refactor(findings)));
            return Ok(events);
        }
        let run = self.run_tests(&order).await?;
        findings.runs.push(self.judging(&run));
        findings.no_evidence = evidence(&run).err();
        findings.loaded = self.newly_loaded(&run, &work.changed, &work.after)?;
        findings.test_aware.extend(self.newly_hiding(&run, &work.changed)?);
        if let Some(report) = &run.report {
            (findings.regressed, findings.flaky) = self.regressions(report, &order).await?;
            (findings.collected_before, findings.collected_now) = (self.state.collected, report.tests.len());
            findings.unbuilt = self.newly_unbuilt(report);
        }
        findings.gate_red = self.gate_is_red(&run, &work.after, &mut findings).await?;
        let passes = findings.regressed.is_empty() && findings.no_evidence.is_none() && !findings.gate_red;
        self.touched_by_runs(&mut work, if passes { Passes::Yes } else { Passes::No })?;
        if passes && !self.own.judges_again {
            findings.held_out = self.held_out_red(&work.after, &[]).await?;
        }
        findings.touched = work.touched;
        events.push(self.state.attempt_measured(Findings::Refactor(findings)));
        Ok(events)
    }

    /// What was red at baseline is left out: test by test where the gate is the test command, and
    /// else only as a whole, because a gate's output can't be read.
    async fn gate_is_red(
        &mut self,
        run: &TestRun,
        tree: &CheckpointId,
        findings: &mut RefactorFindings,
    ) -> Result<bool, Trouble> {
        let commands = &self.state.run.commands;
        if commands.gate == commands.test {
            return Ok(!self.is_no_worse(run));
        }
        self.other_gate_is_red(tree, findings).await
    }

    /// The same for a tree on which the tests were run before.
    async fn gate_was_red(
        &mut self,
        judged: &Judged,
        work: &Work,
        findings: &mut RefactorFindings,
    ) -> Result<bool, Trouble> {
        let commands = &self.state.run.commands;
        if commands.gate == commands.test {
            return Ok(!judged.green);
        }
        match &self.state.gate {
            // The gate ran on this very tree, right before the fork.
            Some(gate) if gate.green && work.changed.is_empty() => Ok(false),
            Some(_) | None => self.other_gate_is_red(&work.after, findings).await,
        }
    }

    /// Whether a whole run of the tests is as good as the baseline was.
    pub fn is_no_worse(&self, run: &TestRun) -> bool {
        match &run.report {
            None => run.own_exit().is_success(),
            Some(report) => !self.has_new_reds(report),
        }
    }

    /// The run that judged this very tree by this order, or by a stricter one.
    pub fn judged_already(
        &mut self,
        now: &CheckpointId,
        order: &TestOrder,
    ) -> Result<Option<(Judged, RunRef)>, Trouble> {
        let Some((judged, run)) = self.state.judged.clone() else { return Ok(None) };
        let imitates_all = match &order.canary {
            CanaryWish::None => true,
            CanaryWish::Beside(files) => files.iter().all(|file| judged.imitated.contains(file)),
        };
        let is_same = imitates_all && judged.without == order.without;
        let is_so = is_same && self.differences(&judged.tree, now)?.is_empty();
        Ok(is_so.then_some((judged, run)))
    }

    async fn other_gate_is_red(
        &mut self,
        tree: &CheckpointId,
        findings: &mut RefactorFindings,
    ) -> Result<bool, Trouble> {
        let label = "gate after REFACTOR";
        let gate = self.run_gate(label, &Without::default()).await?;
        findings.runs.push(RunRef::of(&gate, &self.setup.mask));
        let was_red =
            self.state.baseline.as_ref().is_some_and(|b| b.gate.exit.is_some_and(|exit| !exit.is_success()));
        if gate.exit.is_success() || was_red {
            return Ok(false);
        }
        Ok(!self.gate_misses_what_is_hidden(tree, label).await?)
    }

    /// Whether anything is red that was not so at baseline. A lost green is judged by itself.
    fn has_new_reds(&self, report: &TestReport) -> bool {
        let Some(baseline) = &self.state.baseline else { return false };
        let known: BTreeSet<&TestId> =
            baseline.test.reds.iter().chain(&baseline.test.flaky).chain(&self.state.greens).collect();
        let failed = report.tests.iter().filter(|test| matches!(test.outcome, Outcome::Failed(_)));
        let not_loaded = report.load_failures.iter().map(|load| TestId(load.file.to_string()));
        failed.map(|test| test.id.clone()).chain(not_loaded).any(|id| !known.contains(&id))
            || report.project_broken.is_some()
    }
}
