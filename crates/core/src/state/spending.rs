//! What a run used, by what it was used for.

use std::collections::BTreeMap;

use super::{Entry, State};
use crate::attempt::AttemptKind;
use crate::criterion::CriterionId;
use crate::judge::Verdict;
use crate::role::{Key, Stage};
use crate::usage::Tally;

/// The use of a run, told in three ways that each add up to the same total.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spending {
    pub total: Tally,
    /// By purpose: each child counts once.
    pub purposes: BTreeMap<Purpose, Tally>,
    /// By stage: all attempts of it, whatever came of them.
    pub stages: BTreeMap<Stage, Tally>,
    /// By criterion: its implementers, whatever came of them.
    pub criteria: BTreeMap<CriterionId, Tally>,
}

/// What a child's work was good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    Red,
    Green,
    Refactor,
    /// Asking again for a block.
    FormatRetry,
    /// Work that was not kept, or was cut off.
    Failed,
}

impl Purpose {
    pub const ALL: [Self; 5] = [Self::Red, Self::Green, Self::Refactor, Self::FormatRetry, Self::Failed];

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Red => "RED",
            Self::Green => "GREEN",
            Self::Refactor => "REFACTOR",
            Self::FormatRetry => "format retries",
            Self::Failed => "failed attempts",
        }
    }

    /// For machines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Red => "red",
            Self::Green => "green",
            Self::Refactor => "refactor",
            Self::FormatRetry => "format_retries",
            Self::Failed => "failed_attempts",
        }
    }

    fn of(key: &Key) -> Self {
        match key.stage() {
            Stage::Red => Self::Red,
            Stage::Green => Self::Green,
            Stage::Refactor => Self::Refactor,
        }
    }
}

impl State {
    /// What the children of this run used until now.
    pub fn spending(&self) -> Spending {
        let mut spending = Spending::default();
        for (key, ledger) in &self.ledgers {
            for (entry, purpose) in with_purposes(key, &ledger.entries) {
                spending.total.join(&entry.used);
                spending.purposes.entry(purpose).or_default().join(&entry.used);
                spending.stages.entry(key.stage()).or_default().join(&entry.used);
                if let Some(id) = key.criterion() {
                    spending.criteria.entry(id.clone()).or_default().join(&entry.used);
                }
            }
        }
        spending
    }
}

/// Each attempt with what it was good for. A format retry decides about the work before it: where
/// it saved the block, that work was not in vain.
pub fn with_purposes<'e>(key: &Key, entries: &'e [Entry]) -> Vec<(&'e Entry, Purpose)> {
    let mut all = Vec::new();
    let mut after: Option<(AttemptKind, bool)> = None;
    for entry in entries.iter().rev() {
        let own = entry.cut || matches!(entry.verdict, Some(Verdict::Failed(_) | Verdict::Disputed(_)));
        let in_vain = match after {
            Some((AttemptKind::Format, rest)) if !entry.cut => rest,
            Some(_) | None => own,
        };
        let purpose = match entry.attempt.kind {
            AttemptKind::Format => Purpose::FormatRetry,
            AttemptKind::First | AttemptKind::Semantic if in_vain => Purpose::Failed,
            AttemptKind::First | AttemptKind::Semantic => Purpose::of(key),
        };
        all.push((entry, purpose));
        // A retry that was cut off is made again, so it decides nothing.
        if !entry.cut || after.is_none() {
            after = Some((entry.attempt.kind, in_vain));
        }
    }
    all.reverse();
    all
}

#[cfg(test)]
mod tests;
