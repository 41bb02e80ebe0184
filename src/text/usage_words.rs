//! What children used, for people and for machines. What a program did not tell is called unknown
//! wherever it is shown: never 0.

use super::config::MOST_MS;
use tdd_core::harmless;
use tdd_core::machine::Machine;
use tdd_core::state::State;
use tdd_core::state::spending::{Purpose, Spending};
use tdd_core::usage::{Cap, CapPlan, Caps, Tally, Usage, Usd};
use tdd_spec::strict::amount;

/// Criteria that are told one by one.
const LISTED: usize = 100;

/// `12,345 tokens in (9,000 cached), 800 out, $0.0421`
pub fn usage(usage: &Usage) -> String {
    let tokens = if usage.tokens().is_none() {
        "tokens unknown".to_owned()
    } else {
        let cached = usage.cached.map(|cached| format!(" ({} cached)", grouped(cached)));
        format!(
            "{} tokens in{}, {} out",
            figure(usage.input),
            cached.unwrap_or_default(),
            figure(usage.output)
        )
    };
    let cost = usage.usd.map_or_else(|| "cost unknown".to_owned(), |usd| usd.to_string());
    format!("{tokens}, {cost}")
}

/// The same of several children; what some of them did not tell makes it a lower bound.
pub fn tally(tally: &Tally) -> String {
    let some = |without: u32| without > 0 && without < tally.children;
    let partly = match (some(tally.without_tokens), some(tally.without_usd)) {
        (false, false) => String::new(),
        (true, _) => lower_bound(tally.without_tokens, tally.children),
        (false, true) => lower_bound(tally.without_usd, tally.children),
    };
    format!("{}{partly}", usage(&tally.told))
}

fn lower_bound(without: u32, of: u32) -> String {
    format!(" at least ({without} of {of} children did not tell)")
}

/// The lines of a summary or a report: the whole, and what it was used for.
pub fn lines(state: &State) -> Vec<String> {
    let spending = state.spending();
    if spending.total.children == 0 {
        return vec!["usage: unknown, nothing was told".to_owned()];
    }
    let unknown = spending.total.told == Usage::default();
    if unknown {
        let agents = agents(state);
        return vec![format!("usage: unknown, {agents} tells none")];
    }
    let mut lines = vec![format!("usage: {} (as the agents tell it)", tally(&spending.total))];
    lines
        .extend(purposes(&spending).map(|(purpose, used)| format!("  {}: {}", purpose.words(), tally(used))));
    let criteria = spending.criteria.iter().take(LISTED);
    lines.extend(criteria.map(|(id, used)| format!("  {id}: {}", tally(used))));
    lines
}

/// `run $5.00, 2,000,000 tokens; attempt $1.00`
pub fn caps(caps: &CapPlan) -> String {
    let both = [("run", &caps.run), ("attempt", &caps.attempt)];
    let set: Vec<String> = both
        .into_iter()
        .filter(|(_, caps)| !caps.is_none())
        .map(|(what, caps)| format!("{what} {}", bounds(caps)))
        .collect();
    if set.is_empty() { "none".to_owned() } else { set.join("; ") }
}

fn bounds(caps: &Caps) -> String {
    let usd = caps.usd.map(|usd| usd.to_string());
    let tokens = caps.tokens.map(|tokens| format!("{} tokens", grouped(tokens)));
    let wall = caps.wall_ms.map(|ms| format!("{} s", ms.div_ceil(1000)));
    [usd, tokens, wall].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// How much of a bound of the run is used: `$1.02 of $1.00`.
pub fn of_cap(state: &impl Machine, cap: Cap) -> String {
    let (caps, used) = (state.caps().run, state.told());
    match cap {
        Cap::Usd => format!("{} of {}", used.usd.unwrap_or_default(), caps.usd.unwrap_or_default()),
        Cap::Tokens => {
            let (used, of) = (used.tokens().unwrap_or(0), caps.tokens.unwrap_or(0));
            format!("{} of {} tokens", grouped(used), grouped(of))
        }
        Cap::Wall => {
            let of = caps.wall_ms.unwrap_or(0);
            format!("{} s of {} s", state.facts().worked_ms / 1000, of.div_ceil(1000))
        }
    }
}

/// Twice the bound of the run, or twice what was used where that is well above it, as its flag takes it.
pub fn higher(state: &impl Machine, cap: Cap) -> String {
    let (caps, used) = (state.caps().run, state.told());
    // What is used grows while a run is set down: the figure that is told stays the same for that.
    let twice = |bound: Option<u64>, used: u64| {
        let bound = bound.unwrap_or(0);
        if used / 3 < bound / 2 { bound.saturating_mul(2) } else { used.saturating_mul(2) }
    };
    match cap {
        Cap::Usd => {
            let both = twice(caps.usd.map(|usd| usd.0), used.usd.unwrap_or_default().0);
            Usd(both).dollars().to_string()
        }
        Cap::Tokens => twice(caps.tokens, used.tokens().unwrap_or(0)).to_string(),
        Cap::Wall => {
            let both = twice(caps.wall_ms, state.facts().worked_ms);
            amount::shown_duration(both.next_multiple_of(1000).min(MOST_MS))
        }
    }
}

fn purposes(spending: &Spending) -> impl Iterator<Item = (Purpose, &Tally)> {
    spending.purposes.iter().map(|(purpose, used)| (*purpose, used))
}

fn agents(state: &State) -> String {
    let mut names: Vec<String> = state.run.agents.iter().map(|name| harmless::line(name)).collect();
    names.dedup();
    names.join(", ")
}

fn figure(figure: Option<u64>) -> String {
    figure.map_or_else(|| "unknown".to_owned(), grouped)
}

/// `1,234,567`
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use tdd_core::usage::Usd;

    #[test]
    fn what_is_unknown_is_called_so() {
        let known =
            Usage { input: Some(12_345), cached: Some(9_000), output: Some(800), usd: Some(Usd(42_137)) };
        for (used, want) in [
            (known, "12,345 tokens in (9,000 cached), 800 out, $0.0421"),
            (Usage { usd: None, ..known }, "12,345 tokens in (9,000 cached), 800 out, cost unknown"),
            (Usage { cached: None, output: None, ..known }, "12,345 tokens in, unknown out, $0.0421"),
            (Usage { input: None, output: None, ..known }, "tokens unknown, $0.0421"),
            (Usage::default(), "tokens unknown, cost unknown"),
        ] {
            assert_eq!(usage(&used), want);
        }
        let mut both = Tally::default();
        both.add(&known);
        both.add(&Usage::default());
        assert!(
            tally(&both).ends_with("$0.0421 at least (1 of 2 children did not tell)"),
            "{}",
            tally(&both)
        );
    }

    #[test]
    fn digits_stand_in_groups() {
        for (number, want) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), want);
        }
    }
}
