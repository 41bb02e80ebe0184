//! What a run used: by stage, by criterion, and what of it was not kept.

use maud::{Markup, html};

use super::seconds;
use crate::text::usage_words;
use tdd_core::role::{Key, Stage};
use tdd_core::state::spending::{Purpose, with_purposes};
use tdd_core::state::{Entry, State};
use tdd_core::usage::Tally;

/// Criteria that are told one by one.
const LISTED: usize = 300;

/// One row of what a run used.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    pub what: String,
    pub attempts: usize,
    /// Failed, cut off, or spent on asking for a block again.
    pub in_vain: usize,
    pub took_ms: u64,
    pub used: String,
}

/// One attempt, and what it was good for.
type Used<'e> = (&'e Key, &'e Entry, Purpose);

impl Cost {
    fn of<'e>(what: String, attempts: impl Iterator<Item = &'e Used<'e>>, tally: Option<&Tally>) -> Self {
        let used = tally.map(usage_words::tally).unwrap_or_default();
        let mut cost = Self { what, used, ..Self::default() };
        for (_, entry, purpose) in attempts {
            cost.attempts += 1;
            cost.in_vain += usize::from(is_in_vain(*purpose));
            cost.took_ms += entry.outcome.as_ref().map_or(0, |outcome| outcome.duration_ms);
        }
        cost
    }
}

fn is_in_vain(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Failed | Purpose::FormatRetry)
}

fn all(state: &State) -> Vec<Used<'_>> {
    let mut all = Vec::new();
    for (key, ledger) in &state.ledgers {
        all.extend(
            with_purposes(key, &ledger.entries).into_iter().map(|(entry, purpose)| (key, entry, purpose)),
        );
    }
    all
}

/// By stage, then the whole, then what of it was in vain.
pub(super) fn by_stage(state: &State) -> Vec<Cost> {
    let (spending, all) = (state.spending(), all(state));
    let mut costs: Vec<Cost> = [Stage::Red, Stage::Green, Stage::Refactor]
        .into_iter()
        .map(|stage| {
            let of_stage = all.iter().filter(|(key, ..)| key.stage() == stage);
            Cost::of(stage.to_string(), of_stage, spending.stages.get(&stage))
        })
        .filter(|cost| cost.attempts > 0)
        .collect();
    costs.push(Cost::of("all".to_owned(), all.iter(), Some(&spending.total)));
    let mut wasted = Tally::default();
    for purpose in [Purpose::Failed, Purpose::FormatRetry] {
        if let Some(tally) = spending.purposes.get(&purpose) {
            wasted.join(tally);
        }
    }
    let in_vain = || all.iter().filter(|(_, _, purpose)| is_in_vain(*purpose));
    if in_vain().next().is_some() {
        costs.push(Cost::of("of that, in vain".to_owned(), in_vain(), Some(&wasted)));
    }
    costs
}

/// By criterion, its implementers.
pub(super) fn by_criterion(state: &State) -> Vec<Cost> {
    let (spending, all) = (state.spending(), all(state));
    let costs = spending.criteria.iter().take(LISTED).map(|(id, tally)| {
        Cost::of(id.to_string(), all.iter().filter(|(key, ..)| key.criterion() == Some(id)), Some(tally))
    });
    costs.collect()
}

pub(super) fn table(costs: &[Cost]) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { th { "what" } th.number { "attempts" } th.number { "in vain" } th.number { "time" } th { "used, as the agents tell it" } } }
                tbody {
                    @for cost in costs {
                        tr {
                            td { (cost.what) }
                            td.number { (cost.attempts) }
                            td.number { (cost.in_vain) }
                            td.number { (seconds(cost.took_ms)) }
                            td { (cost.used) }
                        }
                    }
                }
            }
        }
    }
}
