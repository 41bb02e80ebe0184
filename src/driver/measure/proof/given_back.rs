//! The tests with the files of the change as git gives them back to whoever clones the commit, where that is not as
//! they lie in the work tree.

use tdd_core::evidence::evidence;
use tdd_core::path::RelPath;
use tdd_core::ports::{Bench, Checkpoints, TestOrder, World};
use tdd_core::proof::ProofFindings;
use tdd_core::test::{TestId, TestReport, TestRun};
use tdd_core::trouble::{Trouble, TroubleKind};

use super::Proving;
use crate::driver::cycle::Drive;

/// Files of which each is tried alone, to name the one that does it.
const MOST_TRIED: usize = 8;

impl<W: World> Drive<'_, W> {
    /// What came along into the checkout in which more can be tried; `None` if tests fail that are green here.
    pub(super) async fn prove_given_back(
        &mut self,
        proving: &Proving,
        findings: &mut ProofFindings,
    ) -> Result<Option<Vec<RelPath>>, Trouble> {
        let changed = self.what_git_decides_on(proving)?;
        match self.check_out_as_given_back(proving, &changed) {
            Ok((given_back, brought)) if given_back.is_empty() => return Ok(Some(brought)),
            Ok((given_back, _)) => {
                if self.fails_as_given_back(proving, &given_back, findings).await? {
                    return Ok(None);
                }
            }
            // The rest is proven all the same.
            Err(trouble) if trouble.kind == TroubleKind::Environment => {
                findings.not_made.push(format!("{}: {}", trouble.what, trouble.why));
            }
            Err(trouble) => return Err(trouble),
        }
        self.check_out(&proving.tree, proving.bring).map(Some)
    }

    /// The files of the change; all files where it changes what git makes of them.
    fn what_git_decides_on(&mut self, proving: &Proving) -> Result<Vec<RelPath>, Trouble> {
        let Some(start) = &self.state.start else { return Ok(Vec::new()) };
        let theirs = &self.state.facts.theirs;
        let all = self.ports.checkpoints.diff(start, &proving.tree)?.into_iter();
        let changed: Vec<RelPath> =
            all.map(|change| change.path).filter(|path| !theirs.contains(path)).collect();
        if changed.iter().any(|path| path.file_name() == ".gitattributes") {
            return self.ports.checkpoints.files(&proving.tree);
        }
        Ok(changed)
    }

    /// Gives those of the files that are not as they lie in the work tree, and what came along.
    fn check_out_as_given_back(
        &mut self,
        proving: &Proving,
        files: &[RelPath],
    ) -> Result<(Vec<RelPath>, Vec<RelPath>), Trouble> {
        let folder = self.ports.bench.open()?;
        self.ports.checkpoints.lay(&proving.tree, &folder)?;
        let given_back = self.ports.checkpoints.give_back(&proving.tree, &folder, files)?;
        Ok((given_back, self.bring_along(&folder, proving.bring)?))
    }

    /// Whether tests that are green with these files as they lie here are red with them as git gives them back, and with
    /// all files as it does: that is what a clone has.
    async fn fails_as_given_back(
        &mut self,
        proving: &Proving,
        given_back: &[RelPath],
        findings: &mut ProofFindings,
    ) -> Result<bool, Trouble> {
        let order = self.order_of_all("proof: as git gives the files back");
        let run = self.proof_run(&order, findings).await?;
        let lost = self.lost_of(&self.state.greens.clone(), &run);
        if lost.is_empty() {
            return Ok(false);
        }
        let all = self.ports.checkpoints.files(&proving.tree)?;
        self.check_out_as_given_back(proving, &all)?;
        let only_ids = if evidence(&run).is_ok() { lost.clone() } else { Vec::new() };
        let again = TestOrder { label: format!("{}, again", order.label), only_ids, ..order };
        let run = self.proof_run(&again, findings).await?;
        let lost = self.lost_of(&lost, &run);
        if let Some(one) = lost.first() {
            findings.given_back =
                vec![self.find_given_back((proving, given_back), one, &again, findings).await?];
            findings.not_given_back = lost;
        }
        Ok(!findings.not_given_back.is_empty())
    }

    /// Those of these that do not pass; all of them where the run tells nothing.
    fn lost_of(&self, greens: &[TestId], run: &TestRun) -> Vec<TestId> {
        let nothing = TestReport::default();
        let told = run.report.as_ref().filter(|_| evidence(run).is_ok());
        self.not_green_now(greens, told.unwrap_or(&nothing))
    }

    /// The file that alone makes this test fail; the first if none does.
    async fn find_given_back(
        &mut self,
        (proving, given_back): (&Proving, &[RelPath]),
        lost: &TestId,
        order: &TestOrder,
        findings: &mut ProofFindings,
    ) -> Result<RelPath, Trouble> {
        let candidates = if given_back.len() > 1 { given_back } else { &[] };
        for file in candidates.iter().take(MOST_TRIED) {
            self.check_out_as_given_back(proving, std::slice::from_ref(file))?;
            let label = "proof: as git gives one file back".to_owned();
            let run = self.proof_run(&TestOrder { label, ..order.clone() }, findings).await?;
            if !self.lost_of(std::slice::from_ref(lost), &run).is_empty() {
                return Ok(file.clone());
            }
        }
        let first = given_back.first().cloned();
        first.ok_or_else(|| Trouble::internal("no file is given back otherwise"))
    }
}
