//! `tdd why`: what turned a criterion or a test: the run, its red before, the attempt and its edit, the
//! evidence. Exit 0, or 2 if no run knows of it.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use serde::Serialize;

use crate::cli::look::WhyArgs;
use crate::commands::runs::chosen::{chosen_run, repository};
use crate::commands::runs::story;
use crate::text::object::VERSION;
use crate::view::print;
use tdd_child::run_folder::{self, RunDir};
use tdd_core::counted::counted;
use tdd_core::criterion::CriterionId;
use tdd_core::event::RunId;
use tdd_core::finding::{RedKind, RunRef};
use tdd_core::harmless;
use tdd_core::judge::Verdict;
use tdd_core::path::RelPath;
use tdd_core::state::Progress;
use tdd_core::story::{After, Story, TestStory, Told};
use tdd_core::test::TestId;
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
        let Ok(story) = story::story_of(run) else { continue };
        if let Some(text) = told(&repository, run, &story, (&args.what, args.json))? {
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

fn told(
    repository: &Path,
    run: &RunDir,
    story: &Story,
    (what, as_json): (&str, bool),
) -> Result<Option<String>, Trouble> {
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
    let why = Why {
        kind: "why",
        v: VERSION,
        run: &run.id,
        criterion: id,
        text: story.state.run.requirement.criterion(id).map_or("", |criterion| &criterion.text),
        state: super::where_it_stands(repository, run)?,
        red: red(story, id, &rows),
        green: green(story, id, &rows),
    };
    Ok(Some(if as_json { why.as_json() } else { why.as_text() }))
}

/// What turned a criterion, or the tests of it that were asked for.
#[derive(Serialize)]
struct Why<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    v: u8,
    run: &'a RunId,
    criterion: &'a CriterionId,
    text: &'a str,
    state: String,
    red: Red,
    green: Green,
}

#[derive(Serialize)]
struct Red {
    how: How,
    /// The test-writer's attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempt: Option<u8>,
    tests: Vec<Seen>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum How {
    Seen,
    /// It was written and did not stand.
    SetAside,
    NotSeen,
}

#[derive(Serialize)]
struct Seen {
    test: TestId,
    kind: RedKind,
    message: String,
}

#[derive(Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
enum Green {
    Attempt {
        attempt: u8,
        failed: usize,
        /// An earlier criterion's work had turned some test of it.
        by_earlier: bool,
        changed: Vec<RelPath>,
        #[serde(skip_serializing_if = "Option::is_none")]
        shown_by: Option<ShownBy>,
    },
    /// A person's own work, seen when the run went on.
    Hand,
    /// Taken by a person as it is; not verified.
    Accepted {
        failed: usize,
    },
    /// Before the run, as the person had said.
    Baseline,
    /// What tdd can't run.
    Unverified,
    NotYet {
        failed: usize,
    },
}

#[derive(Serialize)]
struct ShownBy {
    command: String,
    exit: tdd_core::test::Exit,
    log: String,
}

fn red(story: &Story, id: &CriterionId, rows: &[&TestStory<'_>]) -> Red {
    let seen = |row: &&TestStory<'_>| Seen {
        test: row.test.id.clone(),
        kind: row.test.kind,
        message: row.test.message.clone(),
    };
    let attempt = story.red().map(|told| told.number);
    if attempt.is_some() || !rows.is_empty() {
        return Red { how: How::Seen, attempt, tests: rows.iter().map(seen).collect() };
    }
    let Some((told, red)) = story.set_aside(id) else {
        return Red { how: How::NotSeen, attempt: None, tests: Vec::new() };
    };
    let tests = red.tests.iter().map(|test| Seen {
        test: test.id.clone(),
        kind: test.kind,
        message: test.why.as_ref().map_or(test.kind.meaning(), |why| why.words.as_str()).to_owned(),
    });
    Red { how: How::SetAside, attempt: Some(told.number), tests: tests.collect() }
}

fn green(story: &Story, id: &CriterionId, rows: &[&TestStory<'_>]) -> Green {
    if story.is_by_hand(id) {
        return Green::Hand;
    }
    let attempts: Vec<&Told> = story.of(id).collect();
    let failed = attempts.iter().filter(|told| told.verdict != Verdict::Passed).count();
    match story.state.progress.get(id) {
        Some(Progress::Accepted) => return Green::Accepted { failed },
        Some(Progress::AlreadyGreen) => return Green::Baseline,
        Some(Progress::Unverified) => return Green::Unverified,
        Some(Progress::Pending | Progress::Red | Progress::Green) | None => {}
    }
    let Some(passed) = attempts.iter().rev().find(|told| told.verdict == Verdict::Passed) else {
        return Green::NotYet { failed };
    };
    let shown_by = RunRef::quotable(passed.findings.runs()).last();
    Green::Attempt {
        attempt: passed.number,
        failed,
        by_earlier: rows.iter().any(|row| row.after == After::GreenByEarlier),
        changed: passed.sources().cloned().collect(),
        shown_by: shown_by.map(|run| ShownBy {
            command: run.command.clone(),
            exit: run.exit,
            log: run.log.clone(),
        }),
    }
}

impl Why<'_> {
    fn as_json(&self) -> String {
        serde_json::to_value(self).unwrap_or_default().to_string() + "\n"
    }

    fn as_text(&self) -> String {
        let mut text = format!("{}: {}\n", self.criterion, harmless::short(self.text, WIDTH));
        let _ = writeln!(text, "run    {}: {}", self.run, self.state);
        self.tell_red(&mut text);
        self.tell_green(&mut text);
        text
    }

    fn tell_red(&self, text: &mut String) {
        let by = self.red.attempt.map(|number| format!("the test-writer's attempt {number}"));
        let _ = writeln!(
            text,
            "{}",
            match (self.red.how, by) {
                (How::Seen, Some(by)) => format!("red    by {by}"),
                (How::Seen, None) => "red".to_owned(),
                (How::SetAside, by) => {
                    format!("red    not yet: what {} wrote was set aside", by.unwrap_or_default())
                }
                (How::NotSeen, _) => "red    no test of it was seen".to_owned(),
            }
        );
        for Seen { test, kind, message } in &self.red.tests {
            let (name, said) = (harmless::line(&test.0), harmless::short(message, WIDTH));
            let _ = writeln!(text, "  {name}\n    {}: {said}", kind.name());
        }
        if self.red.how == How::SetAside {
            let _ = writeln!(text, "see what was written:  tdd diff {} --failed", self.run);
        }
    }

    fn tell_green(&self, text: &mut String) {
        let tried = |failed: usize| match failed {
            0 => "no attempt of the implementer was measured".to_owned(),
            some => format!("{} failed", counted(some, "attempt")),
        };
        match &self.green {
            Green::Hand => {
                let _ =
                    writeln!(text, "green  by hand: seen when the run went on after an edit of a person's");
            }
            Green::Baseline => {
                let _ = writeln!(text, "green  before the run, as was said");
            }
            Green::Unverified => {
                let _ = writeln!(text, "green  worked on, and not verified: tdd runs no test for it");
            }
            Green::Accepted { failed } => {
                let _ =
                    writeln!(text, "green  no: a person took it as it is, not verified ({})", tried(*failed));
                self.tell_failed(text, *failed);
            }
            Green::NotYet { failed } => {
                let _ = writeln!(text, "green  not yet: {}", tried(*failed));
                self.tell_failed(text, *failed);
            }
            Green::Attempt { attempt, failed, by_earlier, changed, shown_by } => {
                let after = if *failed > 0 { format!(", after {failed} that failed") } else { String::new() };
                let _ = writeln!(text, "green  by the implementer's attempt {attempt}{after}");
                if *by_earlier {
                    let _ = writeln!(text, "  without a change: an earlier criterion's work had turned it");
                }
                let sources: Vec<String> = changed.iter().map(|path| harmless::line(path.as_str())).collect();
                let none = || "no production file".to_owned();
                let _ = writeln!(
                    text,
                    "  changed   {}",
                    if sources.is_empty() { none() } else { sources.join(", ") }
                );
                if let Some(run) = shown_by {
                    let _ = writeln!(text, "  shown by  {} ({})", harmless::line(&run.command), run.exit);
                    let _ = writeln!(text, "  log       {}", harmless::line(&run.log));
                }
                let _ = writeln!(text, "see the edit:     tdd diff {} {}", self.run, self.criterion);
            }
        }
    }

    fn tell_failed(&self, text: &mut String, failed: usize) {
        if failed > 0 {
            let _ = writeln!(text, "see what failed:  tdd diff {} {} --failed", self.run, self.criterion);
        }
    }
}
