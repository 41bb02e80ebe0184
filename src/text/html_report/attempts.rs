//! One attempt: what its child was told, what it claims, and what was found.

use maud::{Markup, html};

use super::diff::diff;
use super::{quote, seconds};
use tdd_core::harmless;

/// What became of an attempt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ended {
    Passed,
    Failed,
    /// Our own end came first: it never counts.
    Cut,
    #[default]
    NotJudged,
}

impl Ended {
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Passed => "kept",
            Self::Failed => "failed",
            Self::Cut => "cut off",
            Self::NotJudged => "not judged",
        }
    }

    pub(super) fn tone(self) -> &'static str {
        match self {
            Self::Passed => "good",
            Self::Failed => "bad",
            Self::Cut | Self::NotJudged => "wait",
        }
    }
}

/// One attempt. Words of children are not yet made harmless.
#[derive(Clone, Debug, Default)]
pub struct AttemptPage {
    /// Whose turn: `implementer AC-STE-1.2`.
    pub key: String,
    /// Its number in the whole run, from 1.
    pub index: usize,
    /// Its number among those of its key.
    pub number: u8,
    pub kind: &'static str,
    /// ms since the run began.
    pub started_ms: u64,
    pub took_ms: u64,
    pub turns: Option<u32>,
    pub used: String,
    pub ended: Ended,
    /// Why it failed, one fixed line each.
    pub reasons: Vec<String>,
    /// What the child says beside what was found: files, command, result, output.
    pub claim: Vec<Part>,
    /// Its prompt, part by part.
    pub prompt: Vec<PromptText>,
    pub message: Option<String>,
    pub diff: String,
    /// Why there is none, where there could be one.
    pub no_diff: Option<String>,
    pub runs: Vec<RunPart>,
}

/// One part of a prompt.
#[derive(Clone, Debug, Default)]
pub struct PromptText {
    pub name: String,
    pub text: String,
    /// The attempt that was told the same before, and where it is read.
    pub as_in: Option<usize>,
}

/// One row of a claim against findings.
#[derive(Clone, Debug, Default)]
pub struct Part {
    pub what: &'static str,
    pub claimed: String,
    pub found: String,
}

/// A run of the project's commands.
#[derive(Clone, Debug, Default)]
pub struct RunPart {
    pub command: String,
    pub exit: String,
    pub took_ms: u64,
    pub output: String,
}

impl AttemptPage {
    pub(super) fn html(&self, run: &str) -> Markup {
        let anchor = format!("{run}-attempt-{}", self.index);
        html! {
            details id=(anchor) data-part="" {
                summary {
                    (self.index) ". " (self.key) ", attempt " (self.number) " (" (self.kind) "): "
                    span class=(self.ended.tone()) { (self.ended.words()) }
                    span.dim {
                        ", " (seconds(self.took_ms))
                        @if let Some(turns) = self.turns { ", " (turns) " turns" }
                        ", " (self.used)
                    }
                    " " a href={ "#" (anchor) } aria-label="link to this attempt" { "#" }
                }
                @if !self.reasons.is_empty() {
                    ul { @for reason in &self.reasons { li.bad { (harmless::line(reason)) } } }
                }
                h3 { "Claimed and found" }
                div {
                    table.claim {
                        thead { tr { th {} th { "the agent says" } th { "tdd found" } } }
                        tbody {
                            @for part in &self.claim {
                                tr { th.word { (part.what) } td { div tabindex="0" { (lines(&part.claimed)) } } td { div tabindex="0" { (lines(&part.found)) } } }
                            }
                        }
                    }
                }
                (self.parts(run))
            }
        }
    }

    fn parts(&self, run: &str) -> Markup {
        html! {
            @if !self.diff.is_empty() { details open[self.ended == Ended::Failed] { summary { "What it changed" } (diff(&self.diff)) } }
            @if let Some(why) = &self.no_diff { p.dim { "What it changed: " (harmless::line(why)) } }
            @for run in &self.runs {
                details {
                    summary { code { (harmless::short(&run.command, 200)) } ": " (run.exit) ", " (seconds(run.took_ms)) }
                    (quote(&run.output))
                }
            }
            @if let Some(message) = &self.message { details { summary { "Its last message" } (quote(message)) } }
            @if !self.prompt.is_empty() {
                details {
                    summary { "What it was told" }
                    @for part in &self.prompt {
                        h3 { (harmless::line(&part.name)) }
                        @match part.as_in {
                            Some(first) => { p { "the same as in " a href={ "#" (run) "-attempt-" (first) } { "attempt " (first) } } }
                            None => { (quote(&part.text)) }
                        }
                    }
                }
            }
        }
    }
}

fn lines(text: &str) -> Markup {
    let text = harmless::lines(text);
    html! { @for line in text.lines() { (line) br; } }
}
