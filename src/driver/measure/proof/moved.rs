//! Old tests that were given another example: whether they had to be, and whether they still say something.
//!
//! ```text
//! its old example fails on the new code          else moved for nothing
//! a copy that expects something else fails       else, where it did before, it says nothing any more
//! each part of the change taken back alone:      else the old example fell with a part that no test of
//!   where the old example passes again,          this run asks for
//!   a test of this run fails
//! ```

use std::collections::BTreeSet;

use tdd_core::attempt::CheckpointId;
use tdd_core::evidence::evidence;
use tdd_core::finding::MovedExample;
use tdd_core::path::RelPath;
use tdd_core::ports::{Bench, Bring, CanaryWish, Checkpoints, Confirm, TestOrder, World};
use tdd_core::proof::{ProofFindings, Unasked};
use tdd_core::test::{Exit, Outcome, TestId, TestRun};
use tdd_core::trouble::Trouble;
use tdd_proof::{Part, parts};

use super::{Proving, passes};
use crate::driver::cycle::Drive;

/// Parts of a change that are taken back one by one.
const MOST_PARTS: usize = 16;

/// The moved tests, and their files before the run.
struct Moved {
    start: CheckpointId,
    ids: Vec<TestId>,
    old: Vec<(RelPath, Option<Vec<u8>>)>,
}

impl Moved {
    fn files(&self) -> Vec<RelPath> {
        self.old.iter().map(|(path, _)| path.clone()).collect()
    }
}

impl<W: World> Drive<'_, W> {
    /// Gives whether nothing is to be said against them.
    pub(super) async fn prove_moved(
        &mut self,
        proving: &Proving,
        findings: &mut ProofFindings,
    ) -> Result<bool, Trouble> {
        let Some(moved) = self.moved()? else { return Ok(true) };
        let passed = self.passed_as_before(proving, &moved, None, findings).await?;
        findings.moved_for_nothing = passed.into_iter().collect();
        if findings.moved_for_nothing.is_empty() {
            self.ask_for_teeth(proving, &moved, findings).await?;
            self.ask_what_they_fell_with(proving, &moved, findings).await?;
        }
        Ok(!findings.has_wrongly_moved())
    }

    fn moved(&mut self) -> Result<Option<Moved>, Trouble> {
        let ids: Vec<TestId> =
            self.state.red.iter().flat_map(|red| &red.moved).map(|one| one.id.clone()).collect();
        let Some(start) = self.state.start.clone().filter(|_| !ids.is_empty()) else { return Ok(None) };
        let files: BTreeSet<RelPath> = ids.iter().filter_map(|id| RelPath::new(id.file())).collect();
        let mut old = Vec::new();
        for file in files {
            let file = self.in_repository(&file);
            let text = self.ports.checkpoints.read(&start, &file)?;
            old.extend(text.map(|text| (file, Some(text))));
        }
        Ok(Some(Moved { start, ids, old }))
    }

    /// Those that pass with their old example, on the new code or on it without this part.
    async fn passed_as_before(
        &mut self,
        proving: &Proving,
        moved: &Moved,
        without: Option<&Part>,
        findings: &mut ProofFindings,
    ) -> Result<BTreeSet<TestId>, Trouble> {
        self.lay_without(proving, without)?;
        self.ports.bench.put(&moved.old)?;
        let order = TestOrder {
            label: "proof: with the old examples".to_owned(),
            only_ids: moved.ids.clone(),
            only_files: moved.files(),
            deadline_ms: Some(self.patience_of_proof()),
            ..TestOrder::default()
        };
        let run = self.proof_run(&order, findings).await?;
        let told = run.report.as_ref().map(|report| report.tests.as_slice()).unwrap_or_default();
        let outcome = |id: &TestId| told.iter().find(|test| test.id == *id).map(|test| &test.outcome);
        // One that waits for ever for what the code no longer does is no pass, whatever the report says of it.
        let is_told = evidence(&run).is_ok();
        if without.is_none() && run.exit != Exit::Deadline {
            let untold = moved.ids.iter().filter(|id| !is_told || outcome(id).is_none());
            findings
                .not_made
                .extend(untold.map(|id| untried(id, "its file as it was does not load any more")));
        }
        let passed = moved.ids.iter().filter(|id| is_told && outcome(id) == Some(&Outcome::Passed));
        Ok(passed.cloned().collect())
    }

    fn lay_without(&mut self, proving: &Proving, part: Option<&Part>) -> Result<(), Trouble> {
        self.check_out(&proving.tree, proving.bring)?;
        let Some(part) = part else { return Ok(()) };
        self.ports.bench.put(&[(part.path.clone(), part.text.clone())])
    }

    /// A test that fails when it expects something else, and with its new example does not any more.
    async fn ask_for_teeth(
        &mut self,
        proving: &Proving,
        moved: &Moved,
        findings: &mut ProofFindings,
    ) -> Result<(), Trouble> {
        self.check_out(&proving.tree, proving.bring)?;
        let now = self.toothless_of(moved, findings).await?;
        if now.is_empty() {
            return Ok(());
        }
        self.check_out(&moved.start, Bring::Before)?;
        let before = self.toothless_of(moved, findings).await?;
        findings.moved_toothless = now.difference(&before).cloned().collect();
        Ok(())
    }

    /// Those of which a changed copy passes.
    async fn toothless_of(
        &mut self,
        moved: &Moved,
        findings: &mut ProofFindings,
    ) -> Result<BTreeSet<TestId>, Trouble> {
        let order = TestOrder {
            label: "proof: the new examples, changed".to_owned(),
            only_ids: moved.ids.clone(),
            only_files: moved.files(),
            canary: CanaryWish::Beside(moved.files()),
            confirm: Confirm::All,
            deadline_ms: Some(self.patience_of_proof()),
            ..TestOrder::default()
        };
        let run = self.proof_run(&order, findings).await?;
        let toothless = run.copies.toothless.iter().filter(|id| moved.ids.contains(id));
        Ok(toothless.cloned().collect())
    }

    /// A part of the change without which an old example passes again, and every test of this run does as well. Where
    /// nothing is to be proven of the criterion (a person accepted it), nobody is asked.
    async fn ask_what_they_fell_with(
        &mut self,
        proving: &Proving,
        moved: &Moved,
        findings: &mut ProofFindings,
    ) -> Result<(), Trouble> {
        let red = self.state.red.iter().flat_map(|red| &red.moved);
        let is_proven = |one: &&MovedExample| proving.criteria.contains(&one.criterion);
        let mut proven: BTreeSet<TestId> = red.filter(is_proven).map(|one| one.id.clone()).collect();
        if proven.is_empty() {
            return Ok(());
        }
        let parts = parts(&proving.changes);
        if parts.len() > MOST_PARTS {
            let count = parts.len();
            findings.not_made.push(format!(
                "whether a new test asks for all that broke old examples is not known: of {count} parts of the change \
                 {MOST_PARTS} were taken back alone"
            ));
        }
        for part in parts.into_iter().take(MOST_PARTS) {
            let mut passed = self.passed_as_before(proving, moved, Some(&part), findings).await?;
            passed.retain(|id| proven.contains(id));
            if passed.is_empty() {
                continue;
            }
            self.lay_without(proving, Some(&part))?;
            let order = self.stub_order("proof: without a part of the change", &proving.criteria);
            let run = self.proof_run(&order, findings).await?;
            if self.all_pass(proving, &run) {
                proven.retain(|id| !passed.contains(id));
                let unasked = |test| Unasked { test, file: part.path.clone(), line: part.line };
                findings.moved_unasked.extend(passed.into_iter().map(unasked));
            }
        }
        Ok(())
    }

    fn all_pass(&self, proving: &Proving, run: &TestRun) -> bool {
        let (Some(report), Ok(())) = (&run.report, evidence(run)) else { return false };
        let mapping = self.mapping();
        proving.criteria.iter().all(|id| passes(&mapping, id, report))
    }

    /// There is no checkout in which they could be tried.
    pub(super) fn leave_moved_untried(&self, findings: &mut ProofFindings) {
        let moved = self.state.red.iter().flat_map(|red| &red.moved);
        findings.not_made.extend(moved.map(|one| untried(&one.id, "there is no checkout to try it in")));
    }
}

fn untried(id: &TestId, why: &str) -> String {
    format!("whether {id} needed another example is not known: {why}")
}
