//! Where a run stands, in one row: a dot a criterion, what it used, and what is left of it.

use std::fmt::Write as _;

use crate::text::usage_words::grouped;
use crate::view::Ink;
use tdd_core::criterion::CriterionId;
use tdd_core::event::Refactoring;
use tdd_core::machine::Machine as _;
use tdd_core::role::Key;
use tdd_core::state::{End, Phase, Progress, State};

/// How many criteria are shown as dots; the counts beside them tell of the rest.
const DOTS: usize = 48;

/// Shape and colour both tell: waiting, red, worked on, green, not verified, failed.
pub(super) fn row(state: &State, ink: Ink) -> String {
    let criteria = &state.run.plan.criteria;
    let mut out = String::new();
    for id in criteria.iter().take(DOTS) {
        let (sign, colour) = dot(state, id);
        match ink {
            Ink::Colours => {
                let _ = write!(out, "\u{1b}[{colour}m{sign}\u{1b}[0m");
            }
            Ink::None => out.push(sign),
        }
    }
    if criteria.len() > DOTS {
        out.push('…');
    }
    let green = |progress: &&Progress| matches!(progress, Progress::Green | Progress::AlreadyGreen);
    let greens = state.progress.values().filter(green).count();
    let _ = write!(out, " {greens} of {} green", criteria.len());
    let told = state.told();
    if let Some(tokens) = told.tokens() {
        let _ = write!(out, ", {} tokens", grouped(tokens));
    }
    if let Some(usd) = told.usd {
        let _ = write!(out, ", {usd}");
    }
    if let Some(left) = left_ms(state) {
        let _ = write!(out, ", about {} left", minutes(left));
    }
    out
}

fn dot(state: &State, id: &CriterionId) -> (char, u8) {
    let is_its = |key: &Key| key.criterion() == Some(id);
    if let Phase::Ended { end: End::Halted(halt) } = &state.phase
        && is_its(&halt.key)
    {
        return ('✗', 31);
    }
    if state.attempt().is_some_and(|attempt| is_its(&attempt.key)) {
        return ('◉', 33);
    }
    match state.progress.get(id) {
        None | Some(Progress::Pending) => ('○', 2),
        Some(Progress::Red) => ('◐', 31),
        Some(Progress::Green | Progress::AlreadyGreen) => ('●', 32),
        Some(Progress::Unverified | Progress::Accepted) => ('◌', 33),
    }
}

/// If what is left takes as long as what was kept; `None` as long as nothing was.
fn left_ms(state: &State) -> Option<u64> {
    let done = |progress: &Progress| !matches!(progress, Progress::Pending | Progress::Red);
    let implementers = state.ledgers.iter().filter(|(key, _)| matches!(key, Key::Implementer(_)));
    let outcomes =
        implementers.flat_map(|(_, ledger)| &ledger.entries).filter_map(|entry| entry.outcome.as_ref());
    let finished = state.progress.values().filter(|progress| done(progress)).count() as u64;
    let spent: u64 = outcomes.map(|outcome| outcome.duration_ms).sum();
    let waiting = (state.run.plan.criteria.len() as u64).saturating_sub(finished);
    let refactor = u64::from(state.run.plan.refactor == Refactoring::Once);
    let each = spent.checked_div(finished)?;
    (each > 0 && waiting > 0).then_some(each * (waiting + refactor))
}

fn minutes(ms: u64) -> String {
    if ms < 60_000 { format!("{} s", ms.div_ceil(1000)) } else { format!("{} min", ms.div_ceil(60_000)) }
}
