//! Times as bars.
#![expect(clippy::cast_precision_loss, reason = "a picture needs no more precision than it has")]

use maud::{Markup, html};

use super::{RunPage, seconds};

/// Units of the picture's width, and of one bar's height.
const WIDTH: f64 = 800.0;
const LABEL: f64 = 250.0;
const ROW: usize = 20;
/// Bars at most: more than that nobody looks at one by one.
const MOST: usize = 400;

/// When each attempt of a run began and how long it took.
pub(super) fn of_attempts(run: &RunPage) -> Markup {
    let end = run.attempts.iter().map(|one| one.started_ms + one.took_ms).max().unwrap_or(0).max(1);
    let at = |ms: u64| ms as f64 / end as f64 * (WIDTH - LABEL - 60.0);
    let height = run.attempts.len().min(MOST) * ROW + 10;
    html! {
        div.scroll { svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label={ (run.attempts.len()) " attempts in " (seconds(end)) } {
            line.axis x1=(LABEL) y1="0" x2=(LABEL) y2=(height) {}
            @for (row, one) in run.attempts.iter().take(MOST).enumerate() {
                @let y = row * ROW;
                a href={ "#" (run.anchor()) "-attempt-" (one.index) } {
                    text x="0" y=(y + 14) { (short(&one.key)) " " (one.number) }
                    rect class=(one.ended.tone()) x=(LABEL + at(one.started_ms)) y=(y + 3) width=(at(one.took_ms).max(2.0)) height=(ROW - 6) {
                        title { (one.ended.words()) ", " (seconds(one.took_ms)) ", " (one.used) }
                    }
                    text.dim x=(LABEL + at(one.started_ms + one.took_ms).max(2.0) + 4.0) y=(y + 14) { (seconds(one.took_ms)) }
                }
            }
        } }
        @if run.attempts.len() > MOST { p.dim { (run.attempts.len() - MOST) " attempts more" } }
    }
}

/// How long each run took, and what became of it.
pub(super) fn of_runs(runs: &[RunPage]) -> Markup {
    let most = runs.iter().map(RunPage::took_ms).max().unwrap_or(0).max(1);
    let height = runs.len().min(MOST) * ROW + 10;
    html! {
        div.scroll { svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label="how long each run took" {
            @for (row, run) in runs.iter().take(MOST).enumerate() {
                @let y = row * ROW;
                @let width = (run.took_ms() as f64 / most as f64 * (WIDTH - LABEL - 60.0)).max(2.0);
                a href={ "#" (run.anchor()) } {
                    text x="0" y=(y + 14) { (short(&run.name)) }
                    rect class=(run.tone()) x=(LABEL) y=(y + 3) width=(width) height=(ROW - 6) {}
                    text.dim x=(LABEL + width + 4.0) y=(y + 14) { (seconds(run.took_ms())) ", " (run.green) "/" (run.criteria.len()) }
                }
            }
        } }
    }
}

fn short(text: &str) -> String {
    tdd_core::harmless::short(text, 36)
}
