//! One run.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::attempts::AttemptPage;
use super::costs::{self, Cost};
use super::{chart, held, seconds};
use crate::text::halt_report::NextStep;
use crate::text::{summary, usage_words};
use tdd_core::finding::RedKind;
use tdd_core::harmless;
use tdd_core::state::{Progress, State};
use tdd_core::story::{Story, TestStory};
use tdd_core::usage::Usd;

/// Characters of a title that are shown.
const TITLE: usize = 120;

/// What is told of a run. Words of children are not yet made harmless.
#[derive(Clone, Debug, Default)]
pub struct RunPage {
    /// As people name it.
    pub name: String,
    /// The requirement's id and title.
    pub title: String,
    /// Where it stands, in words.
    pub state: String,
    /// Whether it ended with everything verified; `None` where it has not ended.
    pub is_good: Option<bool>,
    pub began_ms: u64,
    pub ended_ms: u64,
    /// How long it was at work, in all of its processes; 0 if that is not told.
    pub worked_ms: u64,
    /// When it began, for people.
    pub began: String,
    /// Of a halted run: what went wrong, and what can be done, the recommended first.
    pub cause: Option<String>,
    pub next: Vec<NextStep>,
    /// How children were held, and what is not prevented; then what weakens the verdicts, and what was seen.
    pub isolation: Option<String>,
    pub held: Vec<String>,
    pub criteria: Vec<CriterionPage>,
    /// Whether the final proof saw the tests of every criterion fail.
    pub all_seen_failing: bool,
    pub green: usize,
    pub attempts: Vec<AttemptPage>,
    /// Attempts that are too many to be told.
    pub left_out: usize,
    pub used: String,
    pub usd: Option<f64>,
    /// What its children used, by stage and by criterion.
    pub stages: Vec<Cost>,
    pub costs: Vec<Cost>,
}

/// One criterion, and its tests before and after.
#[derive(Clone, Debug, Default)]
pub struct CriterionPage {
    pub id: String,
    pub text: String,
    pub progress: &'static str,
    pub is_green: bool,
    /// Test, how it was red, what it did at last, and in which attempt.
    pub tests: Vec<(String, RedKind, &'static str, Option<u8>)>,
    /// Tests that are too many to be told.
    pub more: usize,
}

impl RunPage {
    /// What the story of a run tells; what is on the disk besides is the caller's to add.
    pub fn of(story: &Story) -> Self {
        let state = &story.state;
        let requirement = &state.run.requirement;
        let title = requirement.title.as_deref().map(|title| format!(": {title}")).unwrap_or_default();
        let matrix = story.matrix();
        let criteria: Vec<CriterionPage> =
            state.run.plan.criteria.iter().map(|id| criterion(state, &matrix, id)).collect();
        let spending = state.spending();
        Self {
            name: state.run.run.to_string(),
            worked_ms: state.facts.worked_ms,
            title: format!("{}{title}", requirement.id),
            green: criteria.iter().filter(|one| one.is_green).count(),
            criteria,
            all_seen_failing: summary::all_seen_failing(state),
            used: usage_words::tally(&spending.total),
            usd: spending.total.told.usd.map(Usd::dollars),
            stages: costs::by_stage(state),
            costs: costs::by_criterion(state),
            held: held::guarantees(state),
            ..Self::default()
        }
    }

    pub(super) fn anchor(&self) -> String {
        format!("run-{}", self.name)
    }

    /// A run that waited for a person over night did not take the night.
    pub(super) fn took_ms(&self) -> u64 {
        if self.worked_ms > 0 { self.worked_ms } else { self.ended_ms.saturating_sub(self.began_ms) }
    }

    pub(super) fn tone(&self) -> &'static str {
        match self.is_good {
            Some(true) => "good",
            Some(false) => "bad",
            None => "wait",
        }
    }

    fn anchor_of(&self, criterion: &CriterionPage) -> String {
        format!("{}-{}", self.anchor(), criterion.id)
    }

    pub(super) fn html(&self) -> Markup {
        html! {
            section id=(self.anchor()) {
                h1 { (harmless::short(&self.title, TITLE)) }
                p { strong class=(self.tone()) { (harmless::line(&self.state)) } }
                p.dim { (self.name) ", begun " (self.began) ", at work for " (seconds(self.took_ms())) }
                @if let Some(cause) = &self.cause {
                    div.cause role="alert" {
                        strong { (harmless::line(cause)) }
                        @if !self.next.is_empty() { (next(&self.next)) }
                    }
                }
                h2 { "Criteria" }
                (self.matrix())
                h2 { "Attempts over time" }
                (chart::of_attempts(self))
                h2 { "Attempts" }
                @if self.left_out > 0 { p.dim { "The first " (self.left_out) " attempts are left out." } }
                @for attempt in &self.attempts { (attempt.html(&self.anchor())) }
                h2 { "What it used" }
                (costs::table(&self.stages))
                @if !self.costs.is_empty() { details { summary { "By criterion" } (costs::table(&self.costs)) } }
                h2 { "What the verdicts rest on" }
                (self.guarantees())
            }
        }
    }

    fn guarantees(&self) -> Markup {
        html! {
            p { "Every verdict rests on what tdd measured itself; what agents say decides nothing." }
            p { "Isolation: " (harmless::line(self.isolation.as_deref().unwrap_or("nothing is recorded of it"))) }
            @if self.held.is_empty() {
                p { "Nothing is known that weakens them." }
            } @else {
                ul { @for line in &self.held { li { (harmless::line(line)) } } }
            }
        }
    }

    /// What the words in the matrix mean, as far as they are there.
    fn legend(&self) -> Markup {
        let kinds: BTreeSet<RedKind> =
            self.criteria.iter().flat_map(|one| &one.tests).map(|(_, kind, ..)| *kind).collect();
        html! {
            @if !kinds.is_empty() {
                ul.dim { @for kind in kinds { li { strong { (kind.name()) } ": " (kind.meaning()) (kind.advice().filter(|_| !self.all_seen_failing).map(|what| format!("; {what}")).unwrap_or_default()) } } }
            }
        }
    }

    fn matrix(&self) -> Markup {
        html! {
            div.scroll {
                table {
                    thead { tr { th { "criterion and its tests" } th.word { "was red" } th.word { "now" } th.number { "attempt" } } }
                    @for one in &self.criteria {
                        tbody id=(self.anchor_of(one)) data-part="" {
                            tr {
                                td colspan="2" {
                                    a href={ "#" (self.anchor_of(one)) } { strong { (one.id) } }
                                    " " (harmless::line(&one.text))
                                }
                                td colspan="2" class=(if one.is_green { "good" } else { "bad" }) { (one.progress) }
                            }
                            @for (test, before, after, attempt) in &one.tests {
                                tr {
                                    td { code { (harmless::line(test)) } }
                                    td.word { (before.name()) }
                                    td.word { (after) }
                                    td.number { @if let Some(attempt) = attempt { (attempt) } }
                                }
                            }
                            @if one.more > 0 { tr { td colspan="4" { "and " (one.more) " more" } } }
                        }
                    }
                }
            }
            (self.legend())
        }
    }
}

fn criterion(
    state: &State,
    matrix: &[TestStory<'_>],
    id: &tdd_core::criterion::CriterionId,
) -> CriterionPage {
    let progress = state.progress.get(id).copied().unwrap_or(Progress::Pending);
    let text = state.run.requirement.criterion(id).map(|one| one.text.clone()).unwrap_or_default();
    let own = matrix.iter().filter(|one| one.criterion == id);
    CriterionPage {
        id: id.to_string(),
        text,
        progress: match progress {
            Progress::Pending => "not worked on",
            Progress::Red => "red",
            Progress::Green if state.by_hand.contains(id) => "green, by hand",
            Progress::Green => "green",
            Progress::AlreadyGreen => "green at baseline",
            Progress::Accepted => "accepted, not verified",
            Progress::Unverified => "not verified",
        },
        is_green: matches!(progress, Progress::Green | Progress::AlreadyGreen),
        tests: own.map(|one| (one.test.id.0.clone(), one.test.kind, one.after.name(), one.attempt)).collect(),
        more: 0,
    }
}

fn next(steps: &[NextStep]) -> Markup {
    html! {
        ol.next {
            @for (index, step) in steps.iter().enumerate() {
                li {
                    @if index == 0 { strong { "recommended: " } }
                    (harmless::line(&step.what))
                    @if !step.command.is_empty() { br; code { (harmless::line(&step.command)) } }
                }
            }
        }
    }
}
