//! What the children of a run used, for programs. What an agent did not tell is `null`: never 0.

use std::collections::BTreeMap;

use serde::Serialize;

use tdd_core::criterion::CriterionId;
use tdd_core::state::State;
use tdd_core::state::spending::Purpose;
use tdd_core::usage::{CapPlan, Tally, Usd};

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct UsageReport {
    pub total: Used,
    /// By what it was good for: `red`, `green`, `refactor`, `format_retries`, `failed_attempts`.
    pub purposes: BTreeMap<String, Option<Used>>,
    /// By stage, whatever came of it.
    pub stages: BTreeMap<String, Used>,
    /// By criterion: its implementers.
    pub criteria: BTreeMap<CriterionId, Used>,
    pub attempts: Vec<AttemptUse>,
    pub caps: CapPlan,
}

/// The sum of what children told.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Used {
    pub children: u32,
    pub input_tokens: Option<u64>,
    /// Part of `input_tokens`.
    pub cached_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    /// US dollars.
    pub usd: Option<f64>,
    /// Children that told no tokens: the sum is a lower bound.
    pub without_tokens: u32,
    pub without_usd: u32,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AttemptUse {
    /// The role, and the criterion of an implementer.
    pub key: String,
    pub number: u8,
    pub children: u32,
    pub input_tokens: Option<u64>,
    pub cached_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
    pub usd: Option<f64>,
}

impl UsageReport {
    pub fn of(state: &State) -> Self {
        let spending = state.spending();
        let attempts = state.ledgers.iter().flat_map(|(key, ledger)| {
            ledger.entries.iter().map(move |entry| {
                let told = &entry.used.told;
                AttemptUse {
                    key: key.to_string(),
                    number: entry.attempt.number,
                    children: entry.used.children,
                    input_tokens: told.input,
                    cached_tokens: told.cached,
                    output_tokens: told.output,
                    usd: told.usd.map(Usd::dollars),
                }
            })
        });
        let purpose = |one: Purpose| (one.name().to_owned(), spending.purposes.get(&one).map(Used::of));
        Self {
            total: Used::of(&spending.total),
            purposes: Purpose::ALL.into_iter().map(purpose).collect(),
            stages: spending.stages.iter().map(|(stage, used)| (stage.to_string(), Used::of(used))).collect(),
            criteria: spending.criteria.iter().map(|(id, used)| (id.clone(), Used::of(used))).collect(),
            attempts: attempts.collect(),
            caps: state.run.plan.caps,
        }
    }
}

impl Used {
    pub fn of(tally: &Tally) -> Self {
        let told = &tally.told;
        Self {
            children: tally.children,
            input_tokens: told.input,
            cached_tokens: told.cached,
            output_tokens: told.output,
            usd: told.usd.map(Usd::dollars),
            without_tokens: tally.without_tokens,
            without_usd: tally.without_usd,
        }
    }
}
