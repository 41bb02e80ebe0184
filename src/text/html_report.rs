//! Runs as one HTML file that needs nothing else: no network, no script but its own (contract section 13).
//!
//! Everything in it that a child wrote has gone through [`harmless`] and is escaped by the template library; a
//! policy in the file lets nothing run or load but the style and the script whose hashes it names.

mod attempts;
mod bounds;
mod chart;
mod costs;
mod diff;
mod held;
mod run;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use tdd_agents::base64;
use tdd_core::harmless;

pub use attempts::{AttemptPage, Ended, Part, PromptText, RunPart};
pub use run::{CriterionPage, RunPage};

const STYLE: &str = include_str!("html_report/style.css");
const SCRIPT: &str = include_str!("html_report/script.js");

/// The whole file. Several runs stand in the order in which they are given, after an index.
pub fn page(mut runs: Vec<RunPage>) -> String {
    bounds::fit(&mut runs);
    let runs = &runs[..];
    let title = match runs {
        [one] => harmless::line(&one.title),
        _ => format!("{} runs", runs.len()),
    };
    let policy = format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { (title) " - tdd" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                div.search {
                    label { "Search criteria and attempts (press /) " span #found.dim aria-live="polite" {} }
                    input #search type="search" autocomplete="off" spellcheck="false";
                }
                main {
                    @if runs.len() != 1 { (index(runs)) }
                    @for run in runs { (run.html()) }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// As a content security policy names what may run.
fn hash(text: &str) -> String {
    format!("sha256-{}", base64::encode(&Sha256::digest(text.as_bytes())))
}

fn index(runs: &[RunPage]) -> Markup {
    html! {
        h1 { (runs.len()) " runs" }
        (chart::trends(runs))
        div.scroll {
            table {
                thead { tr { th { "run" } th { "requirement" } th { "state" } th.number { "green" } th.number { "attempts" } th.number { "time" } th { "used" } } }
                tbody {
                    @for run in runs {
                        tr {
                            td.word { a href={ "#" (run.anchor()) } { (run.name) } }
                            td { (harmless::line(&run.title)) }
                            td class=(run.tone()) { (harmless::line(&run.state)) }
                            td.number { (run.green) "/" (run.criteria.len()) }
                            td.number { (run.attempts.len()) }
                            td.number { (seconds(run.took_ms())) }
                            td { (run.used) }
                        }
                    }
                }
            }
        }
    }
}

/// Output or a prompt as it is, for people.
fn quote(text: &str) -> Markup {
    html! { pre tabindex="0" { (harmless::lines(text)) } }
}

fn seconds(ms: u64) -> String {
    match ms {
        0..10_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        10_000..600_000 => format!("{} s", ms / 1000),
        _ => format!("{} min", ms / 60_000),
    }
}

#[cfg(test)]
mod tests;
