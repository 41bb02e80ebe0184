//! A run of `tdd fix`, whole.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::rest_of_pause;
use crate::commands::runs::journalled::Span;
use crate::commands::runs::phase;
use crate::commands::runs::status::RunStatus;
use crate::text::row::{one_row, time};
use tdd_core::fix::{FixState, Round};
use tdd_core::machine::Machine as _;

/// All of `tdd status`.
pub(super) fn fix_in_full(fix: &FixState, span: Span, status: &RunStatus) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "run          {}", fix.run.run);
    let _ = writeln!(text, "task         {}", one_row(&fix.run.task));
    let _ = writeln!(text, "time         {} to {}", time(span.first), time(span.last));
    let _ = writeln!(text, "state        {}", status.words(&phase::fix_phase(fix)));
    text.push_str(&rest_of_pause(&fix.facts));
    let best = fix.best().map_or(&[][..], |best| &best.checks);
    for (at, check) in fix.run.checks.iter().enumerate() {
        let is = match best.get(at) {
            None => "not run".to_owned(),
            Some(found) if found.is_green() => "green".to_owned(),
            Some(found) => format!("red, failures: {}", found.failures),
        };
        let _ = writeln!(text, "  {}  {is}", one_row(&check.command));
    }
    let _ = writeln!(text, "attempts     {} of {}", fix.forks(), fix.run.retries);
    text
}

pub(super) fn fix_json(fix: &FixState, span: Span) -> Value {
    let best = fix.best().map_or(&[][..], |best| &best.checks);
    let checks: Vec<Value> = fix
        .run
        .checks
        .iter()
        .enumerate()
        .map(|(at, check)| {
            let found = best.get(at);
            json!({
                "command": check.command, "green": found.map(tdd_core::fix::CheckFinding::is_green),
                "failures": found.map(|found| found.failures),
            })
        })
        .collect();
    json!({
        "run": fix.run.run, "task": fix.run.task, "phase": fix.phase.name(), "suspension": fix.facts.suspension,
        "state": phase::fix_phase(fix), "checks": checks, "forks": fix.forks(), "retries": fix.run.retries,
        "rounds": fix.rounds.iter().map(Round::failures).collect::<Vec<_>>(),
        "started_ms": span.first, "last_ms": span.last,
    })
}
