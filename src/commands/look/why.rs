//! `tdd why`: what turned a criterion or a test: the run, its red before, the attempt and its edit, the
//! evidence. Exit 0, or 2 if no run knows of it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use crate::cli::look::WhyArgs;
use crate::commands::status::{chosen_run, repository};
use crate::view::print;
use tdd_child::run_folder::{self, RunDir};
use tdd_core::counted::counted;
use tdd_core::criterion::CriterionId;
use tdd_core::finding::RunRef;
use tdd_core::harmless;
use tdd_core::judge::Verdict;
use tdd_core::story::{After, Story, TestStory, Told};
use tdd_core::trouble::Trouble;

/// Characters of a message that are shown.
const WIDTH: usize = 300;

/// Tells the story of the newest run that knows the criterion or the test.
pub fn run(args: &WhyArgs) -> Result<ExitCode, Trouble> {
    let repository = repository()?;
    let runs = match &args.run {
        Some(name) => vec![chosen_run(&repository, Some(name))?],
        None => run_folder::runs_of(&repository)?,
    };
    for run in &runs {
        // A run of `tdd fix`, or one whose journal is damaged, knows of neither.
        let Ok(story) = super::story_of(run) else { continue };
        if let Some(text) = told(&repository, run, &story, &args.what)? {
            print::result(&text);
            return Ok(ExitCode::SUCCESS);
        }
    }
    let what = harmless::line(&args.what);
    Err(Trouble::user(format!("no run knows `{what}`"))
        .because(format!(
            "looked through {}; a criterion is AC-…, a test is PATH::NAME or a part of it",
            counted(runs.len(), "run")
        ))
        .advise("`tdd matrix RUN` lists the criteria and tests of a run"))
}

fn told(repository: &Path, run: &RunDir, story: &Story, what: &str) -> Result<Option<String>, Trouble> {
    let matrix = story.matrix();
    let of_criterion =
        story.state.run.plan.criteria.iter().find(|id| id.to_string().eq_ignore_ascii_case(what));
    let named = |row: &&TestStory<'_>| row.test.id.0 == what;
    let part = |row: &&TestStory<'_>| row.test.id.0.contains(what);
    let rows: Vec<&TestStory<'_>> = match of_criterion {
        Some(id) => matrix.iter().filter(|row| row.criterion == id).collect(),
        None if matrix.iter().any(|row| named(&row)) => matrix.iter().filter(named).collect(),
        None => matrix.iter().filter(part).collect(),
    };
    let Some(id) = of_criterion.or(rows.first().map(|row| row.criterion)) else { return Ok(None) };
    let mut text = String::new();
    let criterion = story.state.run.requirement.criterion(id);
    let words = criterion.map(|criterion| harmless::short(&criterion.text, WIDTH)).unwrap_or_default();
    let _ = writeln!(text, "{id}: {words}");
    let _ = writeln!(text, "run    {}: {}", run.id, super::where_it_stands(repository, run)?);
    red(&mut text, (run, story), id, &rows);
    green(&mut text, (run, story), id, &rows);
    Ok(Some(text))
}

fn red(text: &mut String, (run, story): (&RunDir, &Story), id: &CriterionId, rows: &[&TestStory<'_>]) {
    match story.red() {
        Some(told) => {
            let _ = writeln!(text, "red    by the test-writer's attempt {}", told.number);
        }
        None if rows.is_empty() => not_red(text, (run, story), id),
        None => {
            let _ = writeln!(text, "red");
        }
    }
    for row in rows {
        let said = harmless::short(&row.test.message, WIDTH);
        let _ = writeln!(text, "  {}\n    {}: {said}", harmless::line(&row.test.id.0), row.test.kind.name());
    }
}

/// What was written for it and did not stand, as far as there is any.
fn not_red(text: &mut String, (run, story): (&RunDir, &Story), id: &CriterionId) {
    let Some((told, red)) = story.set_aside(id) else {
        let _ = writeln!(text, "red    no test of it was seen");
        return;
    };
    let number = told.number;
    let _ = writeln!(text, "red    not yet: what the test-writer's attempt {number} wrote was set aside");
    for test in &red.tests {
        let said = test.why.as_ref().map_or(test.kind.meaning(), |why| why.words.as_str());
        let (name, said) = (harmless::line(&test.id.0), harmless::short(said, WIDTH));
        let _ = writeln!(text, "  {name}\n    {}: {said}", test.kind.name());
    }
    let _ = writeln!(text, "see what was written:  tdd diff {} --failed", run.id);
}

fn green(text: &mut String, (run, story): (&RunDir, &Story), id: &CriterionId, rows: &[&TestStory<'_>]) {
    if story.is_by_hand(id) {
        let _ = writeln!(text, "green  by hand: seen when the run went on after an edit of a person's");
        return;
    }
    let attempts: Vec<&Told> = story.of(id).collect();
    let failed = attempts.iter().filter(|told| told.verdict != Verdict::Passed).count();
    let Some(passed) = attempts.iter().rev().find(|told| told.verdict == Verdict::Passed) else {
        let tried = match failed {
            0 => "no attempt of the implementer was measured".to_owned(),
            some => format!("{} failed", counted(some, "attempt")),
        };
        let _ = writeln!(text, "green  not yet: {tried}");
        if failed > 0 {
            let _ = writeln!(text, "see what failed:  tdd diff {} {id} --failed", run.id);
        }
        return;
    };
    let after = if failed > 0 { format!(", after {failed} that failed") } else { String::new() };
    let _ = writeln!(text, "green  by the implementer's attempt {}{after}", passed.number);
    if rows.iter().any(|row| row.after == After::GreenByEarlier) {
        let _ = writeln!(text, "  without a change: an earlier criterion's work had turned it");
    }
    let sources: Vec<String> = passed.sources().map(|path| harmless::line(path.as_str())).collect();
    let sources = if sources.is_empty() { "no production file".to_owned() } else { sources.join(", ") };
    let _ = writeln!(text, "  changed   {sources}");
    if let Some(run) = RunRef::quotable(passed.findings.runs()).last() {
        let _ = writeln!(text, "  shown by  {} ({})", harmless::line(&run.command), run.exit);
        let _ = writeln!(text, "  log       {}", harmless::line(&run.log));
    }
    let _ = writeln!(text, "see the edit:     tdd diff {} {id}", run.id);
}
