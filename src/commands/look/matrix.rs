//! `tdd matrix`: criterion by test, how each was red and in which attempt it turned green.
//! Exit 0, or 2 if there is no such run.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::cli::look::MatrixArgs;
use crate::commands::reports::{Form, ReportFile};
use crate::commands::runs::chosen::{chosen_work, repository};
use crate::commands::runs::status::For;
use crate::commands::runs::story;
use crate::text::object::VERSION;
use crate::text::summary;
use crate::view::print;
use tdd_core::criterion::CriterionId;
use tdd_core::finding::RedKind;
use tdd_core::harmless;
use tdd_core::state::Progress;
use tdd_core::story::{Story, TestStory};
use tdd_core::trouble::Trouble;

/// Prints the matrix as text, as one JSON object, or as a Markdown table; or writes it as a JUnit report.
pub fn run(args: &MatrixArgs) -> Result<ExitCode, Trouble> {
    let repository = repository()?;
    let run = chosen_work(&repository, args.run.as_deref(), For::Looking)?;
    let (cwd, _) = crate::commands::given::surroundings()?;
    if let Some(report) = ReportFile::of(Form::Junit, args.junit.as_deref(), &cwd)? {
        report.write_runs(&repository, std::slice::from_ref(&run))?;
        return Ok(ExitCode::SUCCESS);
    }
    let story = story::story_of(&run)?;
    let rows = story.matrix();
    print::result(&match (args.json, args.markdown) {
        (true, _) => format!("{}\n", as_json(&story, &rows)),
        (false, true) => markdown(&story, &rows),
        (false, false) => text(&story, &rows),
    });
    Ok(ExitCode::SUCCESS)
}

fn text(story: &Story, rows: &[TestStory<'_>]) -> String {
    let mut text = String::new();
    for id in &story.state.run.plan.criteria {
        let _ = writeln!(text, "{id}  {}", progress(story, id));
        let mut own = rows.iter().filter(|row| row.criterion == id).peekable();
        if own.peek().is_none() {
            text.push_str(&without_red(story, id));
        }
        for row in own {
            let _ = writeln!(
                text,
                "  {:<13} -> {:<22} {}",
                row.test.kind.name(),
                after(row),
                harmless::line(&row.test.id.0)
            );
        }
    }
    text + &legend(story, rows)
}

/// A criterion of which no test stands: what was written for it, if anything was.
fn without_red(story: &Story, id: &CriterionId) -> String {
    let Some((told, red)) = story.set_aside(id) else { return "  no test of its own was seen\n".to_owned() };
    let mut text = format!(
        "  set aside with the test-writer's attempt {}, see `tdd diff {} --failed`:\n",
        told.number, story.state.run.run
    );
    for test in &red.tests {
        let _ = writeln!(text, "  {:<13} {}", test.kind.name(), harmless::line(&test.id.0));
    }
    text
}

/// What the words for a red mean, as far as they stand there.
fn legend(story: &Story, rows: &[TestStory<'_>]) -> String {
    let mut kinds: BTreeSet<RedKind> = rows.iter().map(|row| row.test.kind).collect();
    let criteria = story.state.run.plan.criteria.iter();
    let aside = criteria.filter_map(|id| story.set_aside(id)).flat_map(|(_, red)| &red.tests);
    kinds.extend(aside.map(|test| test.kind));
    let is_proven = summary::all_seen_failing(&story.state);
    let lines = kinds.into_iter().map(|kind| {
        let advice = kind.advice().filter(|_| !is_proven);
        let advice = advice.map(|advice| format!("; {advice}")).unwrap_or_default();
        format!("{kind}: {}{advice}\n", kind.meaning())
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

pub(in crate::commands) fn markdown(story: &Story, rows: &[TestStory<'_>]) -> String {
    let mut text = "| criterion | test | red before | after | attempt |\n|---|---|---|---|---|\n".to_owned();
    let cell = |text: &str| harmless::line(text).replace('\\', "\\\\").replace('|', "\\|");
    for id in &story.state.run.plan.criteria {
        let mut own = rows.iter().filter(|row| row.criterion == id).peekable();
        if own.peek().is_none() {
            let _ = writeln!(text, "| {id} | | | {} | |", progress(story, id));
        }
        for row in own {
            let attempt = row.attempt.map(|number| number.to_string()).unwrap_or_default();
            let (name, red) = (cell(&row.test.id.0), row.test.kind.name());
            let _ = writeln!(text, "| {id} | `{name}` | {red} | {} | {attempt} |", row.after.name());
        }
    }
    text
}

fn as_json(story: &Story, rows: &[TestStory<'_>]) -> Value {
    let of = |id: &CriterionId| -> Value {
        let tests: Vec<Value> = rows
            .iter()
            .filter(|row| row.criterion == id)
            .map(|row| {
                json!({
                    "test": row.test.id, "red": row.test.kind, "message": row.test.message,
                    "after": row.after.name(), "attempt": row.attempt,
                })
            })
            .collect();
        let aside = story.set_aside(id).map(|(_, red)| &red.tests);
        json!({ "id": id, "progress": story.state.progress.get(id), "tests": tests, "set_aside": aside })
    };
    let criteria: Vec<Value> = story.state.run.plan.criteria.iter().map(of).collect();
    json!({
        "type": "matrix", "v": VERSION, "run": story.state.run.run.0, "requirement": story.state.run.requirement.id,
        "criteria": criteria,
    })
}

fn after(row: &TestStory<'_>) -> String {
    match row.attempt {
        Some(number) => format!("{} (attempt {number})", row.after.name()),
        None => row.after.name().to_owned(),
    }
}

fn progress(story: &Story, id: &CriterionId) -> &'static str {
    match story.state.progress.get(id) {
        None | Some(Progress::Pending) if story.set_aside(id).is_some() => "no RED yet",
        None | Some(Progress::Pending) => "not begun",
        Some(Progress::Red) => "red",
        Some(Progress::Green) => "green",
        Some(Progress::AlreadyGreen) => "green before the run, as said",
        Some(Progress::Accepted) => "accepted, not verified",
        Some(Progress::Unverified) => "done, not verified",
    }
}
