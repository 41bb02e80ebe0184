//! What agents say of Markdown tests: words, on which nothing rests.

use super::{Phase, Progress, State};
use crate::criterion::{CriterionId, Verify};
use crate::mdtest::AgentWord;

impl State {
    /// The first criterion that was worked on and whose Markdown test was not yet carried out.
    pub fn mdtest_due(&self) -> Option<&CriterionId> {
        let waits = |id: &&CriterionId| {
            matches!(self.verify(id), Verify::Mdtest(_))
                && self.progress.get(id) == Some(&Progress::Unverified)
                && !self.words.contains_key(id)
        };
        self.run.plan.criteria.iter().find(waits)
    }

    /// An agent's word moves nothing.
    pub(super) fn mdtest_heard(
        &mut self,
        phase: Phase,
        criterion: &CriterionId,
        word: &AgentWord,
    ) -> Result<Phase, Box<Phase>> {
        let fits = matches!(phase, Phase::GateDue | Phase::Proving | Phase::Finishing { .. });
        if !fits || self.mdtest_due() != Some(criterion) {
            return Err(Box::new(phase));
        }
        self.words.insert(criterion.clone(), word.clone());
        Ok(phase)
    }
}
