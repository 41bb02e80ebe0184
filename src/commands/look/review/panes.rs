//! What can be looked at in a review, a key each. All of it is made harmless for a terminal.

use super::Halted;
use crate::text::halt_report::{self, Review};
use crate::view::{patch, print};
use crate::world::journal_file;
use tdd_child::regular_file;
use tdd_core::harmless;
use tdd_core::state::Entry;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints;

/// Bytes of a child's output that are shown: its end.
const MOST_SAID: u64 = 64 * 1024;
/// Lines of the journal that are shown: the last.
const MOST_EVENTS: usize = 40;

/// Prints what stands behind a key.
pub(super) fn show(halted: &Halted, shown: &Review, key: char) -> Result<(), Trouble> {
    match key {
        'c' => criterion(halted),
        'o' => lines("output", &shown.evidence),
        'd' => return diff(halted),
        'p' => return prompt(halted),
        's' => said(halted),
        'j' => return journal(halted),
        _ => print::result(&halt_report::text(&halted.story.state, &halted.halt, &halted.facts)),
    }
    Ok(())
}

fn lines(what: &str, lines: &[String]) {
    let text = if lines.is_empty() { "  (nothing)".to_owned() } else { lines.join("\n") };
    print::result(&format!("--- {what}\n{text}\n"));
}

fn criterion(halted: &Halted) {
    let requirement = &halted.story.state.run.requirement;
    let wanted =
        |id: &tdd_core::criterion::CriterionId| halted.halt.key.criterion().is_none_or(|own| own == id);
    let all: Vec<String> = requirement
        .criteria
        .iter()
        .filter(|criterion| wanted(&criterion.id))
        .map(|criterion| format!("{}: {}", criterion.id, harmless::lines(&criterion.text)))
        .collect();
    lines(requirement.path.as_str(), &all);
}

fn last(halted: &Halted) -> Option<&Entry> {
    halted.story.state.ledgers.get(&halted.halt.key)?.entries.last()
}

fn diff(halted: &Halted) -> Result<(), Trouble> {
    let failed = last(halted).and_then(|entry| entry.kept_as.as_ref());
    let (Some(from), Some(to)) = (&halted.story.state.good, failed) else {
        lines("what the failed attempt changed", &[]);
        return Ok(());
    };
    print::result("--- what the failed attempt changed\n");
    patch::print(&checkpoints::patch(&halted.repository, (from, to), &[])?);
    Ok(())
}

/// The parts of the last prompt, as the child was given them.
fn prompt(halted: &Halted) -> Result<(), Trouble> {
    let parts = last(halted).map(|entry| &entry.attempt.prompt[..]).unwrap_or_default();
    for part in parts {
        let bytes = journal_file::read_side_file(&halted.run.path, &part.digest)?;
        let text = harmless::lines(&String::from_utf8_lossy(&bytes));
        print::result(&format!("--- prompt: {}\n{text}\n", part.name));
    }
    if parts.is_empty() {
        lines("prompt", &[]);
    }
    Ok(())
}

fn said(halted: &Halted) {
    let log = last(halted).and_then(|entry| Some(entry.outcome.as_ref()?.log.clone()));
    let text = log.and_then(|log| regular_file::tail(log.as_ref(), MOST_SAID).ok()).unwrap_or_default();
    let text = harmless::lines(&String::from_utf8_lossy(&text));
    lines("what it said", &text.lines().map(str::to_owned).collect::<Vec<_>>());
}

fn journal(halted: &Halted) -> Result<(), Trouble> {
    let text = crate::commands::log::lines(&journal_file::read_only(&halted.run.path)?);
    let all: Vec<String> = text.lines().map(str::to_owned).collect();
    lines("journal", &all[all.len().saturating_sub(MOST_EVENTS)..]);
    Ok(())
}
