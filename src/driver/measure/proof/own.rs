//! Whether a criterion was seen failing by what was written for it, or in other criteria's code alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::criterion::CriterionId;
use tdd_core::ports::{Bench, World};
use tdd_core::proof::{Extent, ProofFindings, Seen, Stub};
use tdd_core::trouble::Trouble;
use tdd_proof::Stubs;

use super::{Proving, passes};

/// By each criterion, whose stubs its red tests have met.
pub(super) type Met = BTreeMap<CriterionId, BTreeSet<usize>>;

impl<W: World> Drive<'_, W> {
    /// Criteria that were seen failing are asked once more with nothing but their own bodies stubbed, where no test of
    /// theirs has said that it met one of these.
    pub(super) async fn ask_for_their_own(
        &mut self,
        proving: &Proving,
        (stubs, met): (&Stubs, &Met),
        findings: &mut ProofFindings,
    ) -> Result<(), Trouble> {
        if findings.extent != Extent::Full {
            return Ok(());
        }
        for at in 0..findings.criteria.len() {
            let proof = &findings.criteria[at];
            let Seen::By { test, .. } = &proof.seen else { continue };
            let (id, test) = (proof.id.clone(), test.clone());
            let Some(own) = self.own_parts(&id, stubs)? else { continue };
            let has_met = met.get(&id).is_some_and(|parts| !parts.is_disjoint(&own));
            if !has_met
                && own.len() < stubs.count()
                && self.pass_without(&own, (proving, &id, stubs), findings).await?
            {
                findings.criteria[at].seen = Seen::ByOthersAlone { test };
            }
        }
        Ok(())
    }

    /// The parts of the change that were written for this criterion, if they can be told.
    fn own_parts(&mut self, id: &CriterionId, stubs: &Stubs) -> Result<Option<BTreeSet<usize>>, Trouble> {
        let Some((before, after)) = self.state.work.get(id).cloned() else { return Ok(None) };
        let own = Stubs::of(&self.production_change(&before, &after)?);
        Ok(stubs.parts_of(&own))
    }

    /// Whether its tests pass with each kind of stub in these parts, and more than `not implemented` fits each.
    async fn pass_without(
        &mut self,
        own: &BTreeSet<usize>,
        (proving, id, stubs): (&Proving, &CriterionId, &Stubs),
        findings: &mut ProofFindings,
    ) -> Result<bool, Trouble> {
        let by_value: BTreeSet<usize> = Stub::values().flat_map(|kind| stubs.fitting(kind)).collect();
        if !own.is_subset(&by_value) || !own.is_subset(&stubs.fitting(Stub::NotImplemented)) {
            return Ok(false);
        }
        for kind in Stub::ALL {
            let parts: Vec<usize> = stubs.fitting(kind).intersection(own).copied().collect();
            if parts.is_empty() {
                continue;
            }
            self.check_out(&proving.tree, proving.bring)?;
            self.ports.bench.put(&stubs.with(kind, &parts))?;
            let label = format!("proof: its own, {}", kind.words());
            let run = self.proof_run(&self.stub_order(&label, std::slice::from_ref(id)), findings).await?;
            let Some(report) = &run.report else { return Ok(false) };
            if !passes(&self.mapping(), id, report) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
