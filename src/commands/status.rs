//! `tdd status`: where runs stand, told by the same fold that runs them (contract section 11).
//! Exit 0, or 2 if there is no such run or its journal is damaged.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};

mod advice;
mod fix;

use self::advice::advice;
use super::clean;
use crate::cli::StatusArgs;
use crate::commands::runs::chosen::{chosen_run, repository};
use crate::commands::runs::headline::{cause_of, headline};
use crate::commands::runs::journalled::{Journalled, Span};
use crate::commands::runs::phase;
use crate::commands::runs::status::RunStatus;
use crate::text::object::VERSION;
use crate::text::object::parts::SetAside;
use crate::text::object::usage::UsageReport;
use crate::text::row::{one_row, time};
use crate::text::summary;
use crate::text::usage_words;
use crate::view::print;
use crate::world::lock;
use tdd_child::growth::{self, Waiting};
use tdd_child::run_folder::{self, RunDir};
use tdd_core::counted::counted;
use tdd_core::criterion::CriterionId;
use tdd_core::machine::{Facts, Machine, Suspension};
use tdd_core::role::Key;
use tdd_core::state::{Progress, State};
use tdd_core::trouble::Trouble;

/// Sessions that a person is told of.
const MOST_SESSIONS: usize = 5;
/// How long a run that writes nothing is taken to be at work without another look.
const PATIENCE: Duration = Duration::from_secs(1);
/// Prints one run whole, or all runs, one line each if there are several; with `--watch` again and again.
pub fn run(args: &StatusArgs) -> Result<ExitCode, Trouble> {
    let repository = repository()?;
    let (mut shown, mut waiting) = (None, Waiting::new());
    loop {
        let runs = match &args.run {
            Some(name) => vec![chosen_run(&repository, Some(name))?],
            None => run_folder::runs_of(&repository)?,
        };
        let at_work = runs.iter().find(|run| lock::is_at_work(&repository, &run.id));
        let events = at_work.map(|run| run.path.join(run_folder::EVENTS));
        let length = events.as_deref().map_or(0, growth::length);
        let mut text = told(args, &repository, &runs)?;
        if args.run.is_none() {
            text += &sessions(args, &repository);
        }
        if shown.as_ref() != Some(&text) {
            if args.watch { print::screen(&text) } else { print::result(&text) }
        }
        shown = Some(text);
        match events.filter(|_| args.watch && !print::is_closed()) {
            Some(events) => waiting.wait(&events, length, PATIENCE),
            None => return Ok(ExitCode::SUCCESS),
        }
    }
}

fn told(args: &StatusArgs, repository: &Path, runs: &[RunDir]) -> Result<String, Trouble> {
    if runs.is_empty() && !args.json {
        return Ok("no runs yet; `tdd` names the requirements that one can begin with\n".to_owned());
    }
    let whole = runs.len() == 1;
    let mut text = String::new();
    for run in runs {
        // One damaged run of many must not hide the others.
        match Journalled::glance(repository, run) {
            Ok((told, span)) => {
                let status = RunStatus::of(repository, run, &told);
                let next = || status.advice(&run.id).unwrap_or_else(|| advice(repository, &told));
                let _ = match (args.json, whole) {
                    (true, _) => writeln!(text, "{}", as_json(&told, span, &status, next())),
                    (false, true) => write!(text, "{}", in_full(&told, span, &status, &next())),
                    (false, false) => writeln!(text, "{}  {}", run.id, headline(&told, &status)),
                };
            }
            Err(trouble) if args.run.is_some() => return Err(trouble),
            Err(trouble) => print::message(&format!("tdd: {}: {trouble}", run.id)),
        }
    }
    Ok(text)
}

/// Agents' own sessions under the gate, one line each.
fn sessions(args: &StatusArgs, repository: &Path) -> String {
    let all = clean::sessions::all(repository);
    let one = |one: &clean::sessions::Standing| {
        let (session, words) = (&one.session.0, &one.words);
        if args.json {
            return format!(
                "{}\n",
                json!({ "type": "session_status", "v": VERSION, "session": session, "state": words })
            );
        }
        format!("session {session}  {words}\n")
    };
    let shown = if args.json { all.len() } else { MOST_SESSIONS };
    let mut text: String = all.iter().take(shown).map(one).collect();
    if let Some(more @ 1..) = all.len().checked_sub(shown) {
        let _ = writeln!(text, "and {more} older sessions; `tdd clean` removes those that are over");
    }
    text
}

fn in_full(told: &Journalled, span: Span, status: &RunStatus, next: &str) -> String {
    let text = match told {
        Journalled::Cycle(state) => cycle_in_full(state, span, status),
        Journalled::Fix(fix) => fix::fix_in_full(fix, span, status),
    };
    // Where the checkpoints are gone nothing could be brought back.
    let aside = summary::set_aside(told.facts()).filter(|_| *status != RunStatus::CleanedInPart);
    let aside: String = aside.flat_map(|line| [line, "\n".to_owned()]).collect();
    format!("{text}{aside}next         {next}\n")
}

fn as_json(told: &Journalled, span: Span, status: &RunStatus, next: String) -> Value {
    let mut value = match told {
        Journalled::Cycle(state) => cycle_as_json(state, span),
        Journalled::Fix(fix) => fix::fix_json(fix, span),
    };
    value["type"] = "status".into();
    value["v"] = VERSION.into();
    value["set_aside"] = json!(SetAside::of(told.facts()));
    value["left_in_git"] = json!(told.facts().left_in_git);
    let more = [
        ("state", Some(status.words(&told.phase()))),
        ("status", status.name().map(str::to_owned)),
        ("next", Some(next)),
    ];
    for (key, said) in more {
        if let Some(said) = said {
            value[key] = said.into();
        }
    }
    value
}

fn cycle_in_full(state: &State, span: Span, status: &RunStatus) -> String {
    let mut text = String::new();
    let run = &state.run;
    let title = run.requirement.title.as_deref().map(|title| format!(" ({title})")).unwrap_or_default();
    let _ = writeln!(text, "run          {}", run.run);
    let _ = writeln!(text, "requirement  {}{title}, {}", run.requirement.id, run.requirement.path);
    let _ = writeln!(text, "time         {} to {}", time(span.first), time(span.last));
    let _ = writeln!(text, "state        {}", status.words(&phase::phase(state)));
    text.push_str(&rest_of_pause(&state.facts));
    if let Some(cause) = cause_of(state) {
        let _ = writeln!(text, "cause        {cause}");
    }
    for id in &run.plan.criteria {
        let _ = writeln!(text, "  {:<14} {}", id.to_string(), progress(state, id));
    }
    if has_tests_set_aside(state) {
        let _ = writeln!(text, "  tests were written and set aside: see `tdd diff {} --failed`", run.run);
    }
    let _ = writeln!(text, "attempts     {}", state.forks());
    let bounds = run.plan.bounds;
    for (key, ledger) in &state.ledgers {
        let _ = writeln!(
            text,
            "  {key}: {}, judged and failed {} of {}, asked for its result block again {} of {}",
            counted(ledger.entries.len(), "attempt"),
            ledger.spent.semantic,
            bounds.semantic,
            ledger.spent.format.min(bounds.format),
            bounds.format
        );
    }
    for line in usage_words::lines(state) {
        let _ = writeln!(text, "{line}");
    }
    if !run.plan.caps.is_none() {
        let _ = writeln!(text, "caps         {}", usage_words::caps(&run.plan.caps));
    }
    text
}

fn cycle_as_json(state: &State, span: Span) -> Value {
    let bounds = state.run.plan.bounds;
    let criteria: Vec<Value> = state
        .run
        .plan
        .criteria
        .iter()
        .map(|id| json!({"id": id, "progress": state.progress.get(id)}))
        .collect();
    let budgets: Vec<Value> = state
        .ledgers
        .iter()
        .map(|(key, ledger)| {
            json!({
                "key": key.to_string(), "forks": ledger.entries.len(),
                "semantic": {"spent": ledger.spent.semantic, "of": bounds.semantic},
                "format": {"spent": ledger.spent.format.min(bounds.format), "of": bounds.format},
            })
        })
        .collect();
    json!({
        "run": state.run.run, "requirement": state.run.requirement.id, "path": state.run.requirement.path,
        "cause": cause_of(state), "phase": state.phase.name(), "suspension": state.facts.suspension, "state": phase::phase(state),
        "usage": UsageReport::of(state),
        "criteria": criteria, "forks": state.forks(), "budgets": budgets,
        "started_ms": span.first, "last_ms": span.last,
    })
}

/// Lines of what was said when a run paused.
const LONGEST_PAUSE: usize = 30;

/// Where a run is shown whole: the rest of what was said when it paused, below its state.
fn rest_of_pause(facts: &Facts) -> String {
    let Some(Suspension::Paused(reason)) = &facts.suspension else { return String::new() };
    reason.lines().skip(1).take(LONGEST_PAUSE).fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "             {}", one_row(line.strip_prefix("  ").unwrap_or(line)));
        text
    })
}

/// Whether the test-writer's last attempt left something that does not stand.
fn has_tests_set_aside(state: &State) -> bool {
    let last = state.ledgers.get(&Key::TestWriter).and_then(|ledger| ledger.entries.last());
    let left = last.and_then(|entry| entry.kept_as.as_ref());
    state.red.is_none() && left.is_some_and(|left| Some(left) != state.good.as_ref())
}

fn progress(state: &State, id: &CriterionId) -> &'static str {
    match state.progress.get(id) {
        None | Some(Progress::Pending) if has_tests_set_aside(state) => "no RED yet",
        None | Some(Progress::Pending) => "not begun",
        Some(Progress::Red) => "red",
        Some(Progress::Green) => "green",
        Some(Progress::AlreadyGreen) => "green at baseline, as said",
        Some(Progress::Accepted) => "accepted, not verified",
        Some(Progress::Unverified) => "done, not verified",
    }
}
