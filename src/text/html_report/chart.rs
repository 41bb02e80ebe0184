//! Times and costs as bars.
#![expect(clippy::cast_precision_loss, reason = "a picture needs no more precision than it has")]

use maud::{Markup, html};

use super::{AttemptPage, RunPage, seconds};
use tdd_core::harmless;

/// Units of the picture's width, of its left and right margin, and of one bar's height.
const WIDTH: f64 = 800.0;
const LABEL: f64 = 250.0;
const RIGHT: f64 = 90.0;
const ROW: usize = 20;
/// Bars at most: more than that nobody looks at one by one.
const MOST: usize = 400;
/// Between two attempts more time than this, and than a fifth of all their work, is drawn shorter: the run was
/// measured for long, or stood still.
const LONGEST_GAP_MS: u64 = 30_000;

/// When each attempt of a run began and how long it took.
pub(super) fn of_attempts(run: &RunPage) -> Markup {
    let (starts, pauses) = starts(&run.attempts);
    let ends = starts.iter().zip(&run.attempts).map(|(start, one)| start + one.took_ms);
    let end = ends.max().unwrap_or(0).max(1);
    let at = |ms: u64| LABEL + ms as f64 / end as f64 * (WIDTH - LABEL - RIGHT);
    let height = run.attempts.len().min(MOST) * ROW + 10;
    let words = format!("{} attempts", run.attempts.len());
    html! {
        div.scroll { svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label=(words) {
            @for (ms, pause) in &pauses {
                line.pause x1=(unit(at(*ms))) y1="0" x2=(unit(at(*ms))) y2=(height) {
                    title { (seconds(*pause)) " between two attempts are drawn shorter" }
                }
            }
            line.axis x1=(LABEL) y1="0" x2=(LABEL) y2=(height) {}
            @for (row, (one, start)) in run.attempts.iter().zip(&starts).take(MOST).enumerate() {
                @let y = row * ROW;
                @let width = (at(start + one.took_ms) - at(*start)).max(2.0);
                a href={ "#" (run.anchor()) "-attempt-" (one.index) } {
                    text x="0" y=(y + 14) { (one.index) ". " (short(&one.key)) }
                    rect class=(one.ended.tone()) x=(unit(at(*start))) y=(y + 3) width=(unit(width)) height=(ROW - 6) {
                        title { (one.ended.words()) ", " (told(one)) ", " (one.used) }
                    }
                    text.dim x=(unit(at(*start) + width + 4.0)) y=(y + 14) { (told(one)) }
                }
            }
        } }
        @if !pauses.is_empty() { p.dim { "A dashed line: the time between two attempts is drawn shorter than it was." } }
        @if run.attempts.len() > MOST { p.dim { (run.attempts.len() - MOST) " attempts more" } }
    }
}

fn told(one: &AttemptPage) -> String {
    let turns = one.turns.map(|turns| format!(", {turns} turns")).unwrap_or_default();
    format!("{}{turns}", seconds(one.took_ms))
}

/// When each attempt begins in the picture, and where a long pause was left out before one.
fn starts(attempts: &[AttemptPage]) -> (Vec<u64>, Vec<(u64, u64)>) {
    let busy: u64 = attempts.iter().map(|one| one.took_ms).sum();
    let most = LONGEST_GAP_MS.max(busy / 5);
    let (mut starts, mut pauses) = (Vec::new(), Vec::new());
    // The end of what came before, as it was and as it is drawn.
    let (mut end, mut drawn) = (0, 0);
    for one in attempts {
        let gap = one.started_ms.saturating_sub(end);
        if gap > most {
            pauses.push((drawn + most / 2, gap));
        }
        let start = drawn + gap.min(most);
        starts.push(start);
        end = one.started_ms.max(end) + one.took_ms;
        drawn = start + one.took_ms;
    }
    (starts, pauses)
}

/// How several runs went, the oldest first: time, attempts for each criterion, cost.
pub(super) fn trends(runs: &[RunPage]) -> Markup {
    let mut runs: Vec<&RunPage> = runs.iter().collect();
    runs.sort_by_key(|run| run.began_ms);
    let took = |run: &RunPage| Some(run.took_ms() as f64);
    let per_criterion = |run: &RunPage| {
        (!run.criteria.is_empty()).then(|| run.attempts.len() as f64 / run.criteria.len() as f64)
    };
    html! {
        (trend("Time", &runs, took, |run, _| format!("{}, {}/{} green", seconds(run.took_ms()), run.green, run.criteria.len())))
        (trend("Attempts for each criterion", &runs, per_criterion, |_, value| format!("{value:.1}")))
        (trend("Cost, as the agents tell it", &runs, |run| run.usd, |_, value| format!("${value:.2}")))
    }
}

/// One bar a run; nothing where no run tells the figure.
fn trend(
    title: &str,
    runs: &[&RunPage],
    value: impl Fn(&RunPage) -> Option<f64>,
    words: impl Fn(&RunPage, f64) -> String,
) -> Markup {
    let most = runs.iter().filter_map(|run| value(run)).fold(0.0, f64::max);
    if most <= 0.0 {
        return html! {};
    }
    let height = runs.len().min(MOST) * ROW + 10;
    html! {
        h2 { (title) }
        div.scroll { svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label={ (title) ", the oldest run first" } {
            @for (row, run) in runs.iter().take(MOST).enumerate() {
                @let y = row * ROW;
                @let value = value(run);
                @let width = (value.unwrap_or(0.0) / most * (WIDTH - LABEL - 2.0 * RIGHT)).max(2.0);
                a href={ "#" (run.anchor()) } {
                    text x="0" y=(y + 14) { (short(&run.name)) }
                    rect class=(run.tone()) x=(LABEL) y=(y + 3) width=(unit(width)) height=(ROW - 6) {}
                    text.dim x=(unit(LABEL + width + 4.0)) y=(y + 14) { (value.map_or_else(|| "unknown".to_owned(), |value| words(run, value))) }
                }
            }
        } }
    }
}

/// Tenths are enough.
fn unit(value: f64) -> String {
    format!("{value:.1}")
}

fn short(text: &str) -> String {
    harmless::short(text, 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_between_two_attempts_does_not_make_them_dots() {
        let attempt =
            |started_ms: u64, took_ms: u64| AttemptPage { started_ms, took_ms, ..AttemptPage::default() };
        let night = 8 * 3600 * 1000;
        let (starts, pauses) =
            starts(&[attempt(1000, 60_000), attempt(62_000, 60_000), attempt(night, 60_000)]);
        assert_eq!(starts, [1000, 62_000, 122_000 + 36_000]);
        assert_eq!(pauses, [(122_000 + 18_000, night - 122_000)]);
    }
}
