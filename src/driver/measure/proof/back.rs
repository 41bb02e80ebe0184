//! (ii) With the production change taken back each criterion's tests are red again.

use crate::driver::cycle::Drive;
use tdd_core::criterion::CriterionId;
use tdd_core::evidence::evidence;
use tdd_core::finding::{CriterionRed, RedKind};
use tdd_core::path::RelPath;
use tdd_core::ports::{Bench, Isolation, TestOrder, Tests, World};
use tdd_core::proof::{Back, ProofFindings, Seen};
use tdd_core::test::TestReport;
use tdd_core::trouble::Trouble;

use super::{Proving, passes};
use crate::driver::measure::Work;
use crate::driver::measure::uncompiled::told_one_by_one;

/// No source in any language.
const TORN: &[u8] = b"((( torn\n";

impl<W: World> Drive<'_, W> {
    pub(super) async fn prove_back(
        &mut self,
        proving: &Proving,
        findings: &mut ProofFindings,
    ) -> Result<bool, Trouble> {
        self.check_out(&proving.tree, proving.bring)?;
        let before: Vec<(RelPath, Option<Vec<u8>>)> =
            proving.changes.iter().map(|change| (change.path.clone(), change.before.clone())).collect();
        self.ports.bench.put(&before)?;
        // One file that does not compile may hide all others.
        let together = self.ports.tests.isolation() == Isolation::PerFile;
        let groups: Vec<Vec<CriterionId>> = if together {
            vec![proving.criteria.clone()]
        } else {
            proving.criteria.iter().map(|id| vec![id.clone()]).collect()
        };
        let work = self.work_since_start(&proving.tree)?;
        for group in groups {
            let first = self.reds_of(&group, (proving, &work), findings).await?;
            let green: Vec<CriterionId> =
                first.iter().filter(|(_, back)| *back == Back::Green).map(|(id, _)| id.clone()).collect();
            let again = if green.is_empty() {
                Vec::new()
            } else {
                self.reds_of(&green, (proving, &work), findings).await?
            };
            for (id, mut back) in first {
                if let Some((_, second)) = again.iter().find(|(other, _)| *other == id)
                    && *second != Back::Green
                {
                    back = Back::Unknown;
                }
                if let Some(proof) = findings.criteria.iter_mut().find(|proof| proof.id == id) {
                    proof.back = back;
                }
            }
        }
        self.run_the_checkout(proving, findings).await
    }

    /// Tests that pass without the production change are asked whether they would miss the files of it at all:
    /// else it is another tree that they run, and no proof can be made.
    async fn run_the_checkout(
        &mut self,
        proving: &Proving,
        findings: &mut ProofFindings,
    ) -> Result<bool, Trouble> {
        let green = findings.criteria.iter().filter(|proof| proof.back == Back::Green);
        let green: Vec<CriterionId> = green.map(|proof| proof.id.clone()).collect();
        if green.is_empty() {
            return Ok(true);
        }
        self.check_out(&proving.tree, proving.bring)?;
        let torn: Vec<(RelPath, Option<Vec<u8>>)> =
            proving.changes.iter().map(|change| (change.path.clone(), Some(TORN.to_vec()))).collect();
        self.ports.bench.put(&torn)?;
        let run = self.proof_run(&self.own_tests("proof: torn", &green), findings).await?;
        let mapping = self.mapping();
        let passes =
            |id: &CriterionId| run.report.as_ref().is_some_and(|report| passes(&mapping, id, report));
        let elsewhere: Vec<CriterionId> = green.into_iter().filter(passes).collect();
        if elsewhere.is_empty() {
            return Ok(true);
        }
        for proof in findings.criteria.iter_mut().filter(|proof| elsewhere.contains(&proof.id)) {
            proof.back = Back::Unknown;
            proof.seen = Seen::Not { why: "its tests do not run the code of a checkout".to_owned() };
        }
        let ids: Vec<String> = elsewhere.iter().map(ToString::to_string).collect();
        findings.not_made.push(format!(
            "the tests of {} pass in a checkout whose code is torn: what they run lies elsewhere (by a \
             path or a link that leads to the work tree, say), or they run none of it",
            ids.join(", ")
        ));
        Ok(false)
    }

    async fn reds_of(
        &mut self,
        group: &[CriterionId],
        (proving, work): (&Proving, &Work),
        findings: &mut ProofFindings,
    ) -> Result<Vec<(CriterionId, Back)>, Trouble> {
        let others: Vec<CriterionId> =
            proving.criteria.iter().filter(|id| !group.contains(id)).cloned().collect();
        let mut order = self.own_tests("proof: taken back", group);
        if self.ports.tests.isolation() == Isolation::Coupled {
            order.without.files.extend(self.mapping().left_out(&others));
            order = TestOrder { only_files: Vec::new(), only_ids: Vec::new(), ..order };
        }
        let run = self.proof_run(&order, findings).await?;
        let unknown = || group.iter().map(|id| (id.clone(), Back::Unknown)).collect();
        let (Some(report), Ok(())) = (&run.report, evidence(&run)) else { return Ok(unknown()) };
        let told = told_one_by_one(report, &self.mapping(), &self.state.run.project);
        let reds = self.reds_in(&told, work)?;
        let back = |id: &CriterionId| {
            let red = reds.iter().find(|red| red.id == *id);
            (id.clone(), red.map_or(Back::Unknown, of_red))
        };
        Ok(group.iter().map(back).collect())
    }

    fn reds_in(&mut self, report: &TestReport, work: &Work) -> Result<Vec<CriterionRed>, Trouble> {
        let mapping = self.mapping();
        let mut book = self.read_sources(work, &mapping)?;
        book.existing = self.find_existing(&work.base, report)?;
        Ok(self.reds(&mapping, (report, None), &book))
    }
}

fn of_red(red: &CriterionRed) -> Back {
    if red.tests.is_empty() {
        return Back::Unknown;
    }
    if red.tests.iter().all(|test| test.kind == RedKind::Passed) {
        return Back::Green;
    }
    red.tests.iter().map(|test| test.kind).find(|kind| kind.is_accepted()).map_or(Back::Unknown, Back::Red)
}
