//! One line for what was done about held-out tests, and for the final proof.

use super::short;
use tdd_core::event::Event;
use tdd_core::halt::Halt;
use tdd_core::held_out::Held;
use tdd_core::proof::ProofFindings;

pub(super) fn or_proof(event: &Event) -> String {
    if let Event::HeldOut { held } = event {
        return line(held);
    }
    let Event::Proved { findings, halt } = event else { return String::new() };
    proved_line(findings, halt.as_ref())
}

fn line(held: &Held) -> String {
    match held {
        Held::More { criteria } => {
            let ids: Vec<String> = criteria.iter().map(ToString::to_string).collect();
            format!("a second test-writer is asked for more tests of {}", ids.join(", "))
        }
        Held::Parted(parting) => {
            let each = parting.criteria.iter().map(|parted| match &parted.none {
                Some(why) => format!("none for {} ({why})", parted.id),
                None => format!(
                    "{} of {} for {}",
                    parted.hidden.len(),
                    parted.hidden.len() + parted.shown.len(),
                    parted.id
                ),
            });
            let each: Vec<String> = each.collect();
            format!("held out: {}; all of them are in {}", each.join(", "), short(&parting.whole.0))
        }
        Held::Out { checkpoint } => {
            format!("held-out tests are out of the tree, which is {}", short(&checkpoint.0))
        }
        Held::Back(back) => {
            let how = match (&back.halt, back.unjudged.is_empty()) {
                (Some(_), _) => "not all green",
                (None, true) => "green",
                (None, false) if back.green.is_empty() => "none judged",
                (None, false) => "green as far as they judge",
            };
            format!("held-out tests are back in the tree, {how}: {}", short(&back.checkpoint.0))
        }
    }
}

fn proved_line(findings: &ProofFindings, halt: Option<&Halt>) -> String {
    let seen = findings.criteria.iter().filter(|one| findings.is_seen(&one.id)).count();
    let (all, runs) = (findings.criteria.len(), findings.runs.len());
    let stands = if halt.is_some() { "does not stand" } else { "stands" };
    format!(
        "the result {stands}: {seen} of {all} criteria seen failing on code that does nothing, in {runs} runs"
    )
}
