//! Held-out tests, in a summary and in a halt report: both are for a person.

use tdd_core::counted::and_more;
use tdd_core::criterion::CriterionId;
use tdd_core::harmless;
use tdd_core::held_out::{HeldOut, Parted, Where};
use tdd_core::state::{Progress, State};
use tdd_core::test::TestId;

/// How many were held out of each criterion's tests.
pub(super) fn lines(state: &State) -> Vec<String> {
    let Some(held) = state.held.as_deref() else { return Vec::new() };
    let mut lines = counts(held);
    lines.extend(
        held.unjudged
            .iter()
            .map(|id| format!("held out: those of {id} did not judge the work: {}", why(state, id))),
    );
    lines.extend(held.not_back.iter().map(|path| {
        let path = harmless::line(path.as_str());
        let whole = &held.parting.whole.0;
        format!("held-out tests not brought back, because the file was changed: git show {whole}:{path}")
    }));
    lines
}

fn why(state: &State, id: &CriterionId) -> &'static str {
    match state.progress.get(id) {
        Some(Progress::Accepted) => "it was accepted",
        Some(
            Progress::Pending
            | Progress::Red
            | Progress::Green
            | Progress::AlreadyGreen
            | Progress::Unverified,
        )
        | None => "their file was changed by hand",
    }
}

fn counts(held: &HeldOut) -> Vec<String> {
    let line = |parted: &Parted| {
        let hidden = parted.hidden.len();
        let all = hidden + parted.shown.len();
        let until =
            if held.put_back.contains(&parted.id) { ", until they were put back by hand" } else { "" };
        let held = || format!("held out: {hidden} of {all} tests of {}{until}", parted.id);
        let none = |why| format!("held out: none for {}: {why}", parted.id);
        parted.none.as_ref().map_or_else(held, none)
    };
    held.parting.criteria.iter().map(line).collect()
}

/// Names of tests on one line.
const MOST_NAMED: usize = 5;

/// Whose the tests are that a second test-writer has written: what one of them expects may be what is wrong, and who
/// wrote the code has perhaps not seen it.
pub fn of_second_writer(state: &State) -> Option<String> {
    let hidden = state.held.iter().flat_map(|held| held.parted()).flat_map(|parted| &parted.hidden);
    let hidden: Vec<&TestId> = hidden.collect();
    let is_out = state.held.as_deref().is_some_and(HeldOut::hides);
    let named = state.of_second_writer.iter().take(MOST_NAMED).map(|id| {
        let held = if is_out && hidden.contains(&id) { " (held out)" } else { "" };
        format!("{}{held}", harmless::line(&id.0))
    });
    let named = named.collect::<Vec<_>>().join(", ");
    let left = state.of_second_writer.len().saturating_sub(MOST_NAMED);
    let more = and_more(left);
    (!named.is_empty()).then(|| {
        format!(
            "written by the second test-writer, not by the first: {named}{more}; if one of them expects what the \
             requirement does not say, it is the test that is to be mended, and no role is told whose it is"
        )
    })
}

/// Where they are, while they are not in the work tree.
pub fn in_a_halt(state: &State) -> Vec<String> {
    let Some(held) = state.held.as_deref().filter(|held| held.place == Where::Out && held.hides()) else {
        return Vec::new();
    };
    let mut lines = counts(held);
    let away = held.away();
    if away.is_empty() {
        return lines;
    }
    let whole = held.parting.whole.0.get(..12).unwrap_or(&held.parting.whole.0);
    lines.push(format!(
        "the held-out ones are out of the work tree, for you alone, in {whole}; to read them:"
    ));
    lines.extend(
        away.iter()
            .map(|file| format!("  git show {}", harmless::typed_word(&format!("{whole}:{}", file.path)))),
    );
    lines
}
