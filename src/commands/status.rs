//! `tdd status`: where runs stand, told by the same fold that runs them (contract section 11).
//! Exit 0, or 2 if there is no such run or its journal is damaged.
#![expect(clippy::disallowed_methods, reason = "the current directory is read once, here")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};

mod advice;

use self::advice::advice;
use super::clean;
use super::journalled::{self, Journalled, Span};
use super::log::{one_row, time};
use super::run_status::{self, For, RunStatus};
use crate::cli::StatusArgs;
use crate::text::halt_report;
use crate::text::object::usage::UsageReport;
use crate::text::object::{SetAside, VERSION};
use crate::text::summary;
use crate::text::usage_words;
use crate::view::print;
use crate::world::lock;
use crate::world::project;
use tdd_child::growth::{self, Waiting};
use tdd_child::run_folder::{self, RunDir};
use tdd_core::counted::counted;
use tdd_core::criterion::CriterionId;
use tdd_core::halt::{Ending, Halt};
use tdd_core::harmless;
use tdd_core::held_out::Hold;
use tdd_core::judge::Verdict;
use tdd_core::machine::{Machine, Suspension};
use tdd_core::role::Key;
use tdd_core::run_name::{self, Meaning};
use tdd_core::state::{End, Phase, Progress, State};
use tdd_core::trouble::Trouble;

/// Sessions that a person is told of.
const MOST_SESSIONS: usize = 5;
/// How long a run that writes nothing is taken to be at work without another look.
const PATIENCE: Duration = Duration::from_secs(1);
/// Characters of a cause.
const MOST_OF_CAUSE: usize = 200;

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

/// The top of the repository that holds the current directory.
pub(super) fn repository() -> Result<PathBuf, Trouble> {
    let here = std::env::current_dir().map_err(|error| {
        Trouble::environment("the current directory can't be told")
            .because(error)
            .advise("cd into a repository")
    })?;
    let top = here.ancestors().find(|folder| std::fs::symlink_metadata(folder.join(".git")).is_ok());
    let top = top.ok_or_else(|| {
        Trouble::user(format!("{} is in no git repository", here.display()))
            .advise("cd into the repository whose runs you want to see")
    })?;
    project::refuse_others(top)?;
    Ok(top.to_owned())
}

/// The run that `name` means; the newest without one.
pub(super) fn chosen_run(repository: &Path, name: Option<&str>) -> Result<RunDir, Trouble> {
    let runs = run_folder::runs_of(repository)?;
    let ids: Vec<&str> = runs.iter().map(|run| run.id.0.as_str()).collect();
    let known = |ids: &[&str]| match ids.len() {
        0 => match name.filter(|name| !name.starts_with('@')) {
            Some(name) => {
                format!("if it is a requirement: tdd {}", harmless::shell_word(&harmless::line(name)))
            }
            None => "`tdd` names the requirements that one can begin with".to_owned(),
        },
        _ => format!("the runs are:\n{}", ids.iter().take(10).copied().collect::<Vec<_>>().join("\n")),
    };
    let Some(name) = name else {
        return runs.first().cloned().ok_or_else(|| Trouble::user("no runs yet").advise(known(&ids)));
    };
    match run_name::look_up(name, &ids) {
        Meaning::One(id) => runs
            .iter()
            .find(|run| run.id.0 == id)
            .cloned()
            .ok_or_else(|| Trouble::internal("a run was looked up that is not listed")),
        Meaning::Nobody => Err(run_status::of_another_work_tree(repository, name).unwrap_or_else(|| {
            Trouble::user(format!("no run `{}`", harmless::line(name))).advise(known(&ids))
        })),
        Meaning::Several(fits) => {
            Err(Trouble::user(format!("more than one run is meant by `{}`", harmless::line(name)))
                .advise(known(&fits)))
        }
    }
}

/// The same for whoever is about its work: without a name, the run whose work lies in the tree.
pub(super) fn chosen_work(repository: &Path, name: Option<&str>, what_for: For) -> Result<RunDir, Trouble> {
    let found = match name {
        Some(_) => None,
        None => run_status::at_hand(repository, &run_folder::runs_of(repository)?, what_for),
    };
    found.map_or_else(|| chosen_run(repository, name), Ok)
}

fn in_full(told: &Journalled, span: Span, status: &RunStatus, next: &str) -> String {
    let text = match told {
        Journalled::Cycle(state) => cycle_in_full(state, span, status),
        Journalled::Fix(fix) => journalled::fix_in_full(fix, span, status),
    };
    // Where the checkpoints are gone nothing could be brought back.
    let aside = summary::set_aside(told.facts()).filter(|_| *status != RunStatus::CleanedInPart);
    let aside: String = aside.flat_map(|line| [line, "\n".to_owned()]).collect();
    format!("{text}{aside}next         {next}\n")
}

fn as_json(told: &Journalled, span: Span, status: &RunStatus, next: String) -> Value {
    let mut value = match told {
        Journalled::Cycle(state) => cycle_as_json(state, span),
        Journalled::Fix(fix) => journalled::fix_json(fix, span),
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

pub(super) fn headline(told: &Journalled, status: &RunStatus) -> String {
    match told {
        Journalled::Cycle(state) => cycle_headline(state, status),
        Journalled::Fix(fix) => journalled::fix_headline(fix, status),
    }
}

fn cycle_in_full(state: &State, span: Span, status: &RunStatus) -> String {
    let mut text = String::new();
    let run = &state.run;
    let title = run.requirement.title.as_deref().map(|title| format!(" ({title})")).unwrap_or_default();
    let _ = writeln!(text, "run          {}", run.run);
    let _ = writeln!(text, "requirement  {}{title}, {}", run.requirement.id, run.requirement.path);
    let _ = writeln!(text, "time         {} to {}", time(span.first), time(span.last));
    let _ = writeln!(text, "state        {}", status.words(&phase(state)));
    text.push_str(&journalled::rest_of_pause(&state.facts));
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
        "cause": cause_of(state), "phase": state.phase.name(), "suspension": state.facts.suspension, "state": phase(state),
        "usage": UsageReport::of(state),
        "criteria": criteria, "forks": state.forks(), "budgets": budgets,
        "started_ms": span.first, "last_ms": span.last,
    })
}

/// The one sentence of a halt.
pub(super) fn cause_of(state: &State) -> Option<String> {
    let Phase::Ended { end: End::Halted(halt) } = &state.phase else { return None };
    Some(harmless::short(&halt_report::cause_of(state, halt), MOST_OF_CAUSE))
}

fn cycle_headline(state: &State, status: &RunStatus) -> String {
    let done = |progress: &&Progress| matches!(progress, Progress::Green | Progress::AlreadyGreen);
    let green = state.progress.values().filter(done).count();
    format!(
        "{}  {green}/{} green  {}",
        state.run.requirement.id,
        state.progress.len(),
        status.words(&phase(state))
    )
}

pub(super) fn phase(state: &State) -> String {
    match &state.facts.suspension {
        Some(Suspension::Paused(reason)) => return journalled::paused(reason),
        Some(Suspension::Stopped(signal)) => return format!("stopped by signal {signal}"),
        None => {}
    }
    match &state.phase {
        Phase::Opening => "before checkpoint 0".to_owned(),
        Phase::Baselining => "before the baseline run".to_owned(),
        Phase::Due { key, .. } => format!("{}: {key} is due", key.stage()),
        Phase::Forked { attempt } => format!("{}: {} works", attempt.key.stage(), attempt.key),
        Phase::Returned { attempt, .. } => format!("{}: {} is measured", attempt.key.stage(), attempt.key),
        Phase::Keeping { attempt, .. } => format!("{}: {} passed", attempt.key.stage(), attempt.key),
        Phase::RollingBack { attempt, .. } => format!("{}: {} failed", attempt.key.stage(), attempt.key),
        Phase::CutOff { attempt } => format!("{}: {} was cut off", attempt.key.stage(), attempt.key),
        Phase::Taking { attempt, .. } => {
            format!("{}: the work of {} is taken", attempt.key.stage(), attempt.key)
        }
        Phase::Rechecking { .. } => "edited tests are to be run".to_owned(),
        Phase::Ended { end: End::Refused } => "refused before any work was done".to_owned(),
        Phase::Ended { end: End::Abandoned } => "given up by the operator".to_owned(),
        Phase::GateDue => "REFACTOR: the gate is due".to_owned(),
        Phase::Proving => "the result is to be proven".to_owned(),
        Phase::HoldingOut { step: Hold::Part | Hold::TakeOut } => "tests are to be held out".to_owned(),
        Phase::HoldingOut { step: Hold::BringBack } => "held-out tests are to be brought back".to_owned(),
        Phase::Halting { halt } => format!("halting: {}", halted(halt)),
        Phase::Finishing { .. } => "finishing".to_owned(),
        Phase::Ended { end: End::Halted(halt) } => format!("halted: {}", halted(halt)),
        Phase::Ended { end: End::Finished(Ending::Verified) } => "finished, all verified".to_owned(),
        Phase::Ended { end: End::Finished(Ending::PartlyUnverified) } => {
            "finished, some criteria are not verified".to_owned()
        }
    }
}

fn halted(halt: &Halt) -> String {
    match &halt.verdict {
        Verdict::Failed(fault) => format!("{}, mode {} ({})", halt.key, fault.mode, fault.mode.description()),
        Verdict::Disputed(dispute) => format!("{} disputes a test: {}", halt.key, one_row(&dispute.reason)),
        Verdict::Passed => halt.key.to_string(),
    }
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
