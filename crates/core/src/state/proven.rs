//! The final proof, and what follows from it.

use super::{AfterRollBack, Phase, Progress, State};
use crate::attempt::AttemptKind;
use crate::criterion::{CriterionId, Verify};
use crate::effect::RollBack;
use crate::event::Event;
use crate::guard::{self, Guard};
use crate::halt::Halt;
use crate::held_out::Hold;
use crate::judge;
use crate::proof::{Extent, ProofFindings};
use crate::role::Key;

impl State {
    /// All is done but the proof, where one is to be made.
    pub(super) fn to_the_end(&self) -> Phase {
        if self.held.as_ref().is_some_and(|held| held.hides()) {
            return Phase::HoldingOut { step: Hold::BringBack };
        }
        match self.run.plan.proof {
            Extent::Full | Extent::Quick if self.proof.is_none() && !self.to_prove().is_empty() => {
                Phase::Proving
            }
            Extent::Full | Extent::Quick | Extent::Off => Phase::Finishing { ending: self.ending() },
        }
    }

    /// Criteria with tests of their own that this run turned green, in order.
    pub fn to_prove(&self) -> Vec<CriterionId> {
        let is_ours = |id: &&CriterionId| {
            self.verify(id) == Verify::Test && self.progress.get(*id) == Some(&Progress::Green)
        };
        let has_tests = |id: &&CriterionId| {
            self.red.iter().flat_map(|red| &red.criteria).any(|red| red.id == **id && !red.tests.is_empty())
        };
        self.run.plan.criteria.iter().filter(is_ours).filter(has_tests).cloned().collect()
    }

    /// The result was proven, and this is what it comes to.
    pub fn proof_made(&self, findings: ProofFindings) -> Event {
        let halt = judge::proof(&findings);
        Event::Proved { findings: Box::new(findings), halt }
    }

    pub(super) fn proved(&mut self, findings: &ProofFindings, halt: Option<&Halt>) -> Phase {
        self.proof = Some(Box::new(findings.clone()));
        let Some(halt) = halt else { return Phase::Finishing { ending: self.ending() } };
        // The work was kept, and a retry is told why it does not stand.
        let last = self.ledgers.get_mut(&halt.key).and_then(|ledger| ledger.entries.last_mut());
        if let Some(entry) = last {
            entry.verdict = Some(halt.verdict.clone());
        }
        Phase::Halting { halt: halt.clone() }
    }

    /// Whether the proof says that nothing shows what this criterion's tests are worth.
    pub(super) fn is_unproven(&self, id: &CriterionId) -> bool {
        let Some(proof) = &self.proof else { return false };
        let halt = judge::proof(proof);
        let named = halt.is_some_and(|halt| judge::names_criterion(&halt.verdict, id));
        named && self.progress.get(id) == Some(&Progress::Green)
    }

    /// Whether the proof tried all that it knows and saw no expectation of this criterion's tests fail.
    pub fn asserts_nothing(&self, id: &CriterionId) -> bool {
        let tells = |proof: &ProofFindings| proof.asserts_nothing(id);
        self.proof.as_deref().is_some_and(tells) && guard::stands(Guard::ErrorAlone)
    }

    /// Back to the stage that let it through. The tests stay; production code is as it was at RED if they
    /// are to be mended, so that they are seen failing again.
    pub(super) fn prove_again(&mut self, halt: Halt) -> Phase {
        self.proof = None;
        let key = halt.key;
        match &key {
            Key::TestWriter => {
                let at_red = self.red_tree.clone().or_else(|| self.start.clone());
                let last = self.ledgers.get(&key).and_then(|ledger| ledger.entries.last());
                let (Some(to), Some(attempt)) = (at_red, last.map(|entry| entry.attempt.clone())) else {
                    return Phase::Due { key, kind: AttemptKind::First };
                };
                self.forget_greens();
                Phase::RollingBack { attempt, to, extent: RollBack::Everything, then: AfterRollBack::Retry }
            }
            Key::Implementer(id) => {
                self.progress.insert(id.clone(), Progress::Red);
                Phase::Due { key, kind: AttemptKind::First }
            }
            Key::Refactorer => Phase::Due { key, kind: AttemptKind::First },
        }
    }

    /// All stages after RED are to be gone through again.
    fn forget_greens(&mut self) {
        let open: Vec<CriterionId> = self.to_prove();
        for id in open {
            self.progress.insert(id.clone(), Progress::Pending);
            self.by_hand.remove(&id);
        }
        let keys: Vec<Key> = self.ledgers.keys().filter(|key| **key != Key::TestWriter).cloned().collect();
        for key in keys {
            self.fresh(&key);
        }
        if let Some(baseline) = &self.baseline {
            self.greens.clone_from(&baseline.test.greens);
            self.collected = baseline.test.collected;
        }
        self.good.clone_from(&self.start);
        (self.red, self.red_tree, self.judged, self.gate) = (None, None, None, None);
        self.held = None;
        self.early_green.clear();
        self.work.clear();
        self.worked_on.clear();
        self.notices.clear();
    }
}

#[cfg(test)]
mod tests;
