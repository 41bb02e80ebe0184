//! The final proof: the result as it would be committed, then without its production change, then with
//! stubs in the bodies that it wrote (contract section 7).

mod back;
mod commit;
mod given_back;
mod moved;
mod own;
mod rests;
mod stubs;

use std::path::{Path, PathBuf};

use crate::driver::cycle::Drive;
use tdd_core::attempt::CheckpointId;
use tdd_core::classify::counting;
use tdd_core::criterion::{CriterionId, Verify};
use tdd_core::event::Event;
use tdd_core::finding::RunRef;
use tdd_core::mapping::Mapping;
use tdd_core::path::RelPath;
use tdd_core::policy::FileClass;
use tdd_core::ports::{Bench, Bring, Checkpoints, Protection, TestOrder, Tests, World};
use tdd_core::proof::{Back, CriterionProof, Extent, ProofFindings, Seen};
use tdd_core::state::Progress;
use tdd_core::test::{Outcome, TestReport, TestRun};
use tdd_core::trouble::{Obstacle, Trouble, TroubleKind};
use tdd_proof::Changed;

/// What one proof is about.
pub(super) struct Proving {
    /// The proposed commit.
    pub(super) tree: CheckpointId,
    /// The production part of the change.
    changes: Vec<Changed>,
    criteria: Vec<CriterionId>,
    /// What the checkouts bring along.
    pub(super) bring: Bring,
}

impl<W: World> Drive<'_, W> {
    pub async fn prove(&mut self) -> Result<Vec<Event>, Trouble> {
        let tree = self.state.good.clone().ok_or_else(|| Trouble::internal("a run without a good tree"))?;
        let mut findings = ProofFindings::new(self.state.run.plan.proof, tree.clone());
        findings.exempt = self.exempt_from_proof();
        let made = self.prove_tree(tree, &mut findings).await;
        self.ports.tests.work_in(None);
        self.ports.bench.close();
        match made {
            Ok(()) => {}
            // The work is as good as it was; what keeps us from a checkout is told.
            Err(trouble)
                if trouble.kind == TroubleKind::Environment
                    && !trouble.obstacle.is_some_and(Obstacle::passes) =>
            {
                findings.not_made.push(format!("{}: {}", trouble.what, trouble.why));
            }
            Err(trouble) => return Err(trouble),
        }
        for why in &mut findings.not_made {
            *why = (self.setup.mask)(why);
        }
        let (_, put_back) = self.discard_what_is_left("the proof")?;
        let mut events: Vec<Event> = put_back.into_iter().collect();
        events.push(self.see_tree()?);
        events.push(self.state.proof_made(findings));
        Ok(events)
    }

    async fn prove_tree(&mut self, tree: CheckpointId, findings: &mut ProofFindings) -> Result<(), Trouble> {
        // Tests that lie inside sources were there when RED was accepted.
        let from = self.state.red_tree.clone().or_else(|| self.state.start.clone());
        let from = from.ok_or_else(|| Trouble::internal("a run without checkpoint 0"))?;
        let changes = self.production_change(&from, &tree)?;
        let criteria = self.state.to_prove();
        let unknown = |id: &CriterionId| CriterionProof {
            id: id.clone(),
            back: Back::Unknown,
            seen: Seen::Not { why: "it was not tried".to_owned() },
        };
        findings.criteria = criteria.iter().map(unknown).collect();
        let mut proving = Proving { tree, changes, criteria, bring: Bring::Dependencies };
        if !self.prove_commit(&mut proving, findings).await? {
            self.leave_moved_untried(findings);
            return Ok(());
        }
        if !self.prove_moved(&proving, findings).await? {
            return Ok(());
        }
        if proving.changes.is_empty() {
            findings.not_made.push("there is no production change that could be taken back".to_owned());
            return Ok(());
        }
        if findings.extent == Extent::Full && !self.prove_back(&proving, findings).await? {
            return Ok(());
        }
        self.prove_stubs(&proving, findings).await
    }

    /// What differs in production code between two trees.
    fn production_change(
        &mut self,
        from: &CheckpointId,
        tree: &CheckpointId,
    ) -> Result<Vec<Changed>, Trouble> {
        let mut changes = Vec::new();
        for change in
            self.differences(from, tree)?.into_iter().filter(|change| change.class == FileClass::Source)
        {
            let before = self.ports.checkpoints.read(from, &change.path)?;
            let after = self.ports.checkpoints.read(tree, &change.path)?;
            changes.push(Changed { path: change.path, before, after });
        }
        Ok(changes)
    }

    /// Criteria of which nothing is to be proven, and why.
    fn exempt_from_proof(&self) -> Vec<(CriterionId, String)> {
        let proven = self.state.to_prove();
        let others = self.state.run.plan.criteria.iter().filter(|id| !proven.contains(id));
        let why = |id: &CriterionId| match (self.state.progress.get(id), self.state.verify(id)) {
            (Some(Progress::AlreadyGreen), _) => "it was green at baseline".to_owned(),
            (Some(Progress::Accepted), _) => "it was accepted".to_owned(),
            (_, Verify::Gate) => "it is judged by the gate".to_owned(),
            (_, Verify::Manual | Verify::Mdtest(_)) => "it has no tests of its own".to_owned(),
            (_, Verify::Test) => "nobody saw its tests red".to_owned(),
        };
        others.map(|id| (id.clone(), why(id))).collect()
    }

    /// A fresh checkout of the proposed commit, in which everything runs from now on; gives what came along
    /// that git ignores.
    pub(in crate::driver) fn check_out(
        &mut self,
        tree: &CheckpointId,
        bring: Bring,
    ) -> Result<Vec<RelPath>, Trouble> {
        let folder: PathBuf = self.ports.bench.open()?;
        self.ports.checkpoints.lay(tree, &folder)?;
        self.bring_along(&folder, bring)
    }

    fn bring_along(&mut self, folder: &Path, bring: Bring) -> Result<Vec<RelPath>, Trouble> {
        let brought = self.ports.bench.bring(bring)?;
        let seen = self.ports.bench.leads_to();
        self.ports.tests.work_in(Some((folder, &seen)));
        Ok(brought)
    }

    /// The tests of these criteria, as in GREEN.
    fn own_tests(&self, label: &str, criteria: &[CriterionId]) -> TestOrder {
        let mapping = self.mapping();
        let owned: Vec<_> = criteria.iter().filter_map(|id| mapping.of(id)).collect();
        let files: Vec<RelPath> = owned.iter().flat_map(|owned| owned.files.clone()).collect();
        TestOrder {
            label: label.to_owned(),
            without: mapping.without(&self.unreached(None)),
            only_ids: owned.iter().flat_map(|owned| owned.ids.clone()).collect(),
            told_apart: files.clone(),
            only_files: files,
            canary: self.canary_like(None),
            ..TestOrder::default()
        }
    }

    pub(super) async fn proof_run(
        &mut self,
        order: &TestOrder,
        findings: &mut ProofFindings,
    ) -> Result<TestRun, Trouble> {
        // What a run has let a tool keep says nothing to the next.
        self.ports.protection.restore(&[])?;
        let run = self.run_tests(order).await?;
        findings.runs.push(RunRef::of(&run, &self.setup.mask));
        Ok(run)
    }
}

/// Whether a criterion has tests in this report, and all of them pass.
fn passes(mapping: &Mapping, id: &CriterionId, report: &TestReport) -> bool {
    let results = counting(&mapping.results(id, report));
    !results.is_empty() && results.iter().all(|test| test.outcome == Outcome::Passed)
}
