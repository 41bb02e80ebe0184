//! Events with the judgement that goes to the journal with them: a run that another version judged reads as it
//! was judged, whatever this one would say of the same findings.

use super::{Phase, State};
use crate::attempt::{AgentReturn, CheckpointId};
use crate::event::Event;
use crate::finding::{Findings, RedFindings};
use crate::judge::{self, AtReturn, Reason, Verdict};
use crate::role::Key;

impl State {
    /// The child of the attempt under way came back.
    pub fn returned(&self, outcome: AgentReturn) -> Event {
        let judged = self.attempt().map(|attempt| self.at_return(&attempt.key, &outcome));
        Event::AgentReturned { outcome: Box::new(outcome), judged }
    }

    /// Its work was measured.
    pub fn attempt_measured(&self, findings: Findings) -> Event {
        let verdict = if let Phase::Returned { attempt, outcome } = &self.phase {
            Some(self.verdict(&attempt.key, outcome, &findings))
        } else {
            None
        };
        Event::AttemptMeasured { findings: Box::new(findings), verdict }
    }

    /// What the operator edited was run.
    pub fn edit_rechecked(&self, findings: RedFindings, checkpoint: CheckpointId) -> Event {
        let faults = Some(self.edit_faults(&findings));
        Event::Rechecked { findings: Box::new(findings), checkpoint, faults }
    }

    /// What a return alone decides where the run stands.
    pub(super) fn at_return(&self, key: &Key, outcome: &AgentReturn) -> AtReturn {
        match judge::at_return(outcome) {
            AtReturn::Settled(verdict) if self.is_settled(key, &verdict) => AtReturn::Settled(verdict),
            AtReturn::Settled(_) | AtReturn::Measure => AtReturn::Measure,
        }
    }

    pub(super) fn verdict(&self, key: &Key, outcome: &AgentReturn, findings: &Findings) -> Verdict {
        judge::judge(key, &self.run.plan, outcome, findings)
    }

    /// Why what the operator edited does not stand. Before the first RED there is nothing that could
    /// not.
    pub fn edit_faults(&self, findings: &RedFindings) -> Vec<Reason> {
        if self.red.is_some() { judge::red_faults(&self.run.plan, findings) } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests;
