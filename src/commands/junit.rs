//! Runs as a JUnit report: `--junit FILE`.

use std::path::Path;

use crate::commands::runs::headline;
use crate::commands::runs::journalled::{Journalled, Span};
use crate::commands::runs::status::RunStatus;
use crate::commands::runs::story;
use crate::world::journal_file;
use tdd_child::regular_file;
use tdd_child::run_folder::RunDir;
use tdd_core::criterion::CriterionId;
use tdd_core::harmless;
use tdd_core::state::{End, Phase, Progress};
use tdd_core::story::{After, Story, TestStory};
use tdd_core::trouble::Trouble;
use tdd_spec::junit::{Became, Case, Report, Suite, render};

/// The name of a run as a test: always the same, so that a pipeline sees how it went before.
const CYCLE: &str = "red, green, refactor";

/// What these runs came to.
pub(super) fn of_runs(repository: &Path, runs: &[RunDir]) -> Result<String, Trouble> {
    let suites = runs.iter().map(|run| suite(repository, run)).collect::<Result<_, _>>()?;
    made(render(&Report { title: "tdd".to_owned(), suites }))
}

pub(super) fn made(xml: Result<String, String>) -> Result<String, Trouble> {
    xml.map_err(|error| Trouble::internal("the JUnit report can't be made").because(error))
}

fn suite(repository: &Path, run: &RunDir) -> Result<Suite, Trouble> {
    let story = story::story_of(run)?;
    let rows = story.matrix();
    let requirement = &story.state.run.requirement;
    let mut cases = Vec::new();
    for id in &story.state.run.plan.criteria {
        let own: Vec<&TestStory<'_>> = rows.iter().filter(|row| row.criterion == id).collect();
        if own.is_empty() {
            cases.push(case(id.to_string(), &requirement.id, None, of_criterion(&story, id)));
        }
        for row in own {
            let test = &row.test.id;
            let became = of_test(&story, row);
            cases.push(case(test.0.clone(), &id.to_string(), Some(test.file().to_owned()), became));
        }
    }
    cases.push(itself(repository, run, &story)?);
    Ok(Suite { name: requirement.id.clone(), cases })
}

fn case(name: String, class: &str, file: Option<String>, became: Became) -> Case {
    Case { name, class: class.to_owned(), file, duration: None, became }
}

/// The run as a whole, which can fail where no test does.
fn itself(repository: &Path, run: &RunDir, story: &Story) -> Result<Case, Trouble> {
    let state = &story.state;
    let told = Journalled::Cycle(Box::new(state.clone()));
    let message = harmless::line(&headline::headline(&told, &RunStatus::of(repository, run, &told)));
    let became = if let Phase::Ended { end: End::Finished(_) } = &state.phase {
        Became::Passed
    } else if let Some(cause) = headline::cause_of(state) {
        Became::Failed { message: cause, text: report(run) }
    } else {
        Became::Errored { message, text: format!("tdd status {}", run.id) }
    };
    let span = Span::of(&journal_file::read_for_state(&run.path)?);
    let duration = Some(span.last.saturating_sub(span.first));
    Ok(Case { duration, ..case(CYCLE.to_owned(), &state.run.requirement.id, None, became) })
}

/// The report of a halt, which is masked.
fn report(run: &RunDir) -> String {
    let bytes = regular_file::read(run.path.join("halt.txt")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

fn of_test(story: &Story, row: &TestStory<'_>) -> Became {
    match row.after {
        After::Green | After::GreenHeldOut | After::GreenByEarlier | After::GreenByHand => Became::Passed,
        After::Red => Became::Failed {
            message: match row.attempt {
                Some(number) => format!("still red after attempt {number}"),
                None => "still red".to_owned(),
            },
            text: harmless::lines(&row.test.message),
        },
        After::Skipped => Became::Skipped { message: "skipped by its runner".to_owned() },
        After::NotRun => of_criterion(story, row.criterion),
    }
}

/// What is known of a criterion where no test of it was run after its RED.
fn of_criterion(story: &Story, id: &CriterionId) -> Became {
    let skipped = |message: &str| Became::Skipped { message: message.to_owned() };
    match story.state.progress.get(id) {
        Some(Progress::Green | Progress::AlreadyGreen) => Became::Passed,
        Some(Progress::Accepted) => skipped("accepted by a person, not verified"),
        Some(Progress::Unverified) => skipped("done, and no test verifies it"),
        Some(Progress::Red) => skipped("red, and nobody has worked on it"),
        None | Some(Progress::Pending) => skipped("not begun"),
    }
}
