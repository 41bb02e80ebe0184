//! (iii) Stubs in the bodies that the run wrote: a criterion is seen if a test of its own is red under one.

use std::collections::{BTreeMap, BTreeSet};

use crate::driver::cycle::Drive;
use tdd_core::criterion::CriterionId;
use tdd_core::ports::{Bench, World};
use tdd_core::proof::{Extent, ProofFindings, Seen, Stub};
use tdd_core::test::{FailureKind, Outcome, TestId, TestReport};
use tdd_core::trouble::Trouble;
use tdd_proof::Stubs;

use super::Proving;

/// Runs with fewer bodies stubbed, because with all of them something does not load.
const MOST_PARTS_TRIED: usize = 8;

/// What the tests of criteria do under stubs, kind by kind.
#[derive(Default)]
struct Watch {
    seen: BTreeMap<CriterionId, (Stub, TestId)>,
    /// Bodies under whose stubs all tests of a criterion were seen green.
    green: BTreeMap<(CriterionId, Stub), BTreeSet<usize>>,
}

impl<W: World> Drive<'_, W> {
    pub(super) async fn prove_stubs(
        &mut self,
        proving: &Proving,
        findings: &mut ProofFindings,
    ) -> Result<(), Trouble> {
        let stubs = Stubs::of(&proving.changes);
        findings.bodies = stubs.count();
        findings.unstubbed = stubs.left().map(|line| (self.setup.mask)(line)).collect();
        let mut watch = Watch::default();
        let kinds: &[Stub] = match findings.extent {
            Extent::Full => &Stub::ALL,
            Extent::Quick | Extent::Off => &[Stub::NotImplemented],
        };
        for kind in kinds {
            let open: Vec<CriterionId> =
                proving.criteria.iter().filter(|id| !watch.seen.contains_key(id)).cloned().collect();
            if open.is_empty() || stubs.count() == 0 {
                break;
            }
            self.try_stubs(*kind, (&stubs, proving, &open), &mut watch, findings).await?;
        }
        for proof in &mut findings.criteria {
            proof.seen = match watch.seen.remove(&proof.id) {
                Some((stub, test)) => Seen::By { stub, test },
                None => unseen(&watch, &proof.id, &stubs, findings.extent),
            };
        }
        Ok(())
    }

    /// All bodies at once; where something does not load then, halves of them.
    async fn try_stubs(
        &mut self,
        kind: Stub,
        (stubs, proving, open): (&Stubs, &Proving, &[CriterionId]),
        watch: &mut Watch,
        findings: &mut ProofFindings,
    ) -> Result<(), Trouble> {
        let mut waiting: Vec<Vec<usize>> = vec![stubs.fitting(kind).into_iter().collect()];
        waiting.retain(|parts| !parts.is_empty());
        let mut tried = 0;
        while let Some(parts) = waiting.pop() {
            if tried >= MOST_PARTS_TRIED {
                break;
            }
            tried += 1;
            self.check_out(&proving.tree, proving.bring)?;
            self.ports.bench.put(&stubs.with(kind, &parts))?;
            let order = self.own_tests(&format!("proof: {}", kind.words()), open);
            let run = self.proof_run(&order, findings).await?;
            let told = run.report.as_ref().map(|report| self.watch(report, (kind, &parts, open), watch));
            if told != Some(true) && parts.len() > 1 {
                let (one, other) = parts.split_at(parts.len() / 2);
                waiting.extend([other.to_vec(), one.to_vec()]);
            }
        }
        Ok(())
    }

    /// Whether the run told of each criterion that is open.
    fn watch(
        &self,
        report: &TestReport,
        (kind, parts, open): (Stub, &[usize], &[CriterionId]),
        watch: &mut Watch,
    ) -> bool {
        let mapping = self.mapping();
        let mut tells_all = true;
        for id in open {
            let results = mapping.results(id, report);
            let is_own_red = |outcome: &Outcome| match outcome {
                Outcome::Failed(failure) => {
                    matches!(failure.kind, FailureKind::Assertion | FailureKind::Error)
                }
                Outcome::Passed | Outcome::Skipped => false,
            };
            if let Some(red) = results.iter().find(|test| is_own_red(&test.outcome)) {
                watch.seen.entry(id.clone()).or_insert((kind, red.id.clone()));
            } else if !results.is_empty() && results.iter().all(|test| test.outcome == Outcome::Passed) {
                watch.green.entry((id.clone(), kind)).or_default().extend(parts);
            } else {
                tells_all &= watch.seen.contains_key(id);
            }
        }
        tells_all
    }
}

/// Only where nothing else of the change can be what its tests look at is a criterion hollow.
fn unseen(watch: &Watch, id: &CriterionId, stubs: &Stubs, extent: Extent) -> Seen {
    let green = |kind: Stub| watch.green.get(&(id.clone(), kind)).cloned().unwrap_or_default();
    let is_green = |kind: Stub| stubs.fitting(kind).is_subset(&green(kind));
    let by_value: BTreeSet<usize> = Stub::ALL.into_iter().skip(1).flat_map(green).collect();
    let why = if stubs.count() == 0 {
        "nothing of the change can be stubbed".to_owned()
    } else if !is_green(Stub::NotImplemented) {
        "with stubs in the change its tests do not load".to_owned()
    } else if extent != Extent::Full {
        "`not implemented` was the only stub that was tried (proof: quick)".to_owned()
    } else if let Some(left) = stubs.left().next() {
        format!("its tests may look at what can't be stubbed: {left}")
    } else if by_value.len() < stubs.count() {
        "with a value in the place of each body its tests do not load, or no value is known for its type"
            .to_owned()
    } else {
        return Seen::Hollow;
    };
    Seen::Not { why }
}
