//! What the gate is green by: files of the change that no grammar reads, such as the settings of a linter that no
//! table names. Told and not refused: a gate may ask honest work for such a file, a list of changes, say.

use crate::driver::cycle::Drive;
use tdd_core::path::RelPath;
use tdd_core::ports::{Bench, TestOrder, World};
use tdd_core::proof::ProofFindings;
use tdd_core::trouble::Trouble;
use tdd_proof::Changed;
use tdd_source::Language;

use super::Proving;

/// Files that are tried one by one: each costs a run of the gate.
const MOST_TRIED: usize = 4;

/// A file and what it holds; none where it is not there.
type Laid = (RelPath, Option<Vec<u8>>);

impl<W: World> Drive<'_, W> {
    /// In the checkout in which the gate was green; leaves it as it was.
    pub(super) async fn find_what_the_gate_rests_on(
        &mut self,
        proving: &Proving,
        findings: &mut ProofFindings,
    ) -> Result<(), Trouble> {
        let unread: Vec<&Changed> =
            proving.changes.iter().filter(|change| Language::of(change.path.extension()).is_none()).collect();
        if unread.is_empty() {
            return Ok(());
        }
        let whole: Vec<Laid> = unread.iter().map(|one| (one.path.clone(), one.after.clone())).collect();
        let without: Vec<Laid> = unread.iter().map(|one| (one.path.clone(), one.before.clone())).collect();
        self.ports.bench.put(&without)?;
        let rests = self.gate_of_proof("gate of the proof: without such files", findings).await?;
        let needed = rests.is_success() || self.tests_need_them(findings).await?;
        self.ports.bench.put(&whole)?;
        if needed {
            return Ok(());
        }
        let mut alone = Vec::new();
        for (one, laid) in without.iter().zip(&whole).take(if whole.len() > 1 { MOST_TRIED } else { 0 }) {
            self.ports.bench.put(std::slice::from_ref(one))?;
            let label = format!("gate of the proof: without {}", one.0);
            if !self.gate_of_proof(&label, findings).await?.is_success() {
                alone.push(one.0.clone());
            }
            self.ports.bench.put(std::slice::from_ref(laid))?;
        }
        findings.gate_rests_on =
            if alone.is_empty() { whole.into_iter().map(|(path, _)| path).collect() } else { alone };
        Ok(())
    }

    /// What the code itself reads is a part of the work, and the gate runs the code.
    async fn tests_need_them(&mut self, findings: &mut ProofFindings) -> Result<bool, Trouble> {
        let without = self.mapping().without(&self.unreached(None));
        let label = "proof: without such files".to_owned();
        let run = self.proof_run(&TestOrder { label, without, ..TestOrder::default() }, findings).await?;
        Ok(run.report.is_none_or(|report| !self.not_green_now(&self.state.greens, &report).is_empty()))
    }
}
