//! One run.

use maud::{Markup, html};

use super::attempts::{AttemptPage, Ended};
use super::{chart, seconds};
use crate::text::halt_report::NextStep;
use crate::text::usage_words;
use tdd_core::harmless;
use tdd_core::state::{Progress, State};
use tdd_core::story::{Story, TestStory};

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
    /// When it began, for people.
    pub began: String,
    /// Of a halted run: what went wrong, and what can be done, the recommended first.
    pub cause: Option<String>,
    pub next: Vec<NextStep>,
    /// How children were held, and what is not prevented.
    pub isolation: Option<String>,
    pub criteria: Vec<CriterionPage>,
    pub green: usize,
    pub attempts: Vec<AttemptPage>,
    pub used: String,
    /// What its children used, line by line.
    pub usage: Vec<String>,
}

/// One criterion, and its tests before and after.
#[derive(Clone, Debug, Default)]
pub struct CriterionPage {
    pub id: String,
    pub text: String,
    pub progress: &'static str,
    pub is_green: bool,
    /// Test, how it was red, what it did at last, and in which attempt.
    pub tests: Vec<(String, &'static str, &'static str, Option<u8>)>,
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
            title: format!("{}{title}", requirement.id),
            green: criteria.iter().filter(|one| one.is_green).count(),
            criteria,
            used: usage_words::tally(&spending.total),
            usage: usage_words::lines(state),
            ..Self::default()
        }
    }

    pub(super) fn anchor(&self) -> String {
        format!("run-{}", self.name)
    }

    pub(super) fn took_ms(&self) -> u64 {
        self.ended_ms.saturating_sub(self.began_ms)
    }

    pub(super) fn tone(&self) -> &'static str {
        match self.is_good {
            Some(true) => "good",
            Some(false) => "bad",
            None => "wait",
        }
    }

    pub(super) fn html(&self) -> Markup {
        html! {
            section id=(self.anchor()) {
                h1 { (harmless::line(&self.title)) }
                p { strong class=(self.tone()) { (harmless::line(&self.state)) } }
                p.dim { (self.name) ", begun " (self.began) ", " (seconds(self.took_ms())) }
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
                (self.waste())
                h2 { "Attempts" }
                @for attempt in &self.attempts { (attempt.html(&self.anchor())) }
                h2 { "What it used" }
                ul { @for line in &self.usage { li { (harmless::line(line)) } } }
                h2 { "How children were held" }
                p { (harmless::line(self.isolation.as_deref().unwrap_or("nothing is recorded of it"))) }
                p.dim { "Claims of agents decide nothing: every verdict here rests on what tdd measured itself." }
            }
        }
    }

    fn matrix(&self) -> Markup {
        html! {
            div.scroll {
                table {
                    thead { tr { th { "criterion and its tests" } th.word { "was red" } th.word { "now" } th.number { "attempt" } } }
                    @for one in &self.criteria {
                        tbody id={ (self.anchor()) "-" (one.id) } data-part="" {
                            tr {
                                td colspan="2" {
                                    a href={ "#" (self.anchor()) "-" (one.id) } { strong { (one.id) } }
                                    " " (harmless::line(&one.text))
                                }
                                td colspan="2" class=(if one.is_green { "good" } else { "bad" }) { (one.progress) }
                            }
                            @for (test, before, after, attempt) in &one.tests {
                                tr {
                                    td { code { (harmless::line(test)) } }
                                    td.word { (before) }
                                    td.word { (after) }
                                    td.number { @if let Some(attempt) = attempt { (attempt) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// What was paid for and not kept.
    fn waste(&self) -> Markup {
        let lost = self.attempts.iter().filter(|one| one.ended != Ended::Passed);
        let ms: u64 = lost.clone().map(|one| one.took_ms).sum();
        let count = lost.count();
        html! {
            @if count > 0 {
                p { (count) " of " (self.attempts.len()) " attempts were not kept: " (seconds(ms)) " of children's time." }
            }
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
        tests: own
            .map(|one| (one.test.id.0.clone(), one.test.kind.name(), one.after.name(), one.attempt))
            .collect(),
    }
}

fn next(steps: &[NextStep]) -> Markup {
    html! {
        ol.next {
            @for step in steps {
                li { (harmless::line(&step.what)) br; code { (harmless::line(&step.command)) } }
            }
        }
    }
}
