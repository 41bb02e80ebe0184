//! Several requirements in one call: `tdd A B C`, `tdd --all`. One after the other on the same tree, in an order in
//! which each comes after what its front matter says that it depends on. Exit code: the gravest that occurred.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use super::reports::ReportFile;
use super::run as of_one;
use super::run::prepare::{or_a_command, or_a_run};
use crate::cli::{Reader, RunArgs};
use crate::commands::runs::journalled::Journalled;
use crate::exit::Exit;
use crate::settings::{Environment, Intent, OutputMode, Settings};
use crate::text::object::{Content, OneOfSeveral, Several};
use crate::view::print;
use crate::world::project::{self, Archive, Place};
use tdd_child::run_folder::{self, RunDir};
use tdd_core::harmless;
use tdd_core::requirement::Requirement;
use tdd_core::state::{End, Phase};
use tdd_core::trouble::Trouble;

/// From the gravest on; what is not here is a signal's, which comes second.
const GRAVEST: [u8; 5] = [2, 1, 3, 4, 0];

/// A requirement, and what became of it.
struct Task {
    id: String,
    /// As it was named, for whoever looks it up again.
    named: String,
    depends_on: Vec<String>,
    outcome: Option<Outcome>,
}

impl Task {
    fn left_out(stem: String) -> Self {
        Self { named: stem.clone(), id: stem, depends_on: Vec::new(), outcome: Some(Outcome::LeftOut) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Ended(u8),
    /// A dry run told what it would do.
    Planned,
    /// A run has finished it before.
    Finished(String),
    /// What it depends on did not come to be.
    Waits(String),
    /// By `--all`: no run could take it up, for what was told.
    LeftOut,
}

impl Outcome {
    fn code(&self) -> Option<u8> {
        match self {
            Self::Ended(code) => Some(*code),
            Self::Planned => Some(0),
            Self::Finished(_) | Self::Waits(_) | Self::LeftOut => None,
        }
    }

    fn is_good(&self) -> bool {
        match self {
            Self::Ended(code) => matches!(code, 0 | 4),
            Self::Planned | Self::Finished(_) => true,
            Self::Waits(_) | Self::LeftOut => false,
        }
    }

    fn meant_as(self, intent: Intent) -> Self {
        match (&self, intent) {
            (Self::Ended(0), Intent::Describe) => Self::Planned,
            _ => self,
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Ended(0) => "green, as measured".to_owned(),
            Self::Ended(1) => "halted (exit 1)".to_owned(),
            Self::Ended(2) => "not begun: see above (exit 2)".to_owned(),
            Self::Ended(3) => "paused (exit 3)".to_owned(),
            Self::Ended(4) => "finished, not all of it verified (exit 4)".to_owned(),
            Self::Ended(code) => format!("ended with exit code {code}"),
            Self::Planned => "nothing was done: a dry run".to_owned(),
            Self::Finished(run) => format!("finished before, by {run}"),
            Self::Waits(other) => format!("not begun: it depends on {other}"),
            Self::LeftOut => "left out: it can't be run, see above".to_owned(),
        }
    }
}

pub(super) fn run(args: &RunArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = super::given::surroundings()?;
    let place = project::locate(&cwd)?;
    let settings = Settings::resolve(args, super::given::read_settings(&place, &environment)?, &environment)?;
    refuse_flags_of_one(args)?;
    let reports = ReportFile::all(args.junit.as_deref(), args.sarif.as_deref(), &cwd)?;
    let tasks = read(args, &place, &settings)?;
    let mut tasks = ordered(tasks)?;
    for at in 0..tasks.len() {
        if tasks[at].outcome.is_some() {
            continue;
        }
        let outcome = match waits_for(&tasks, at) {
            Some(other) => Outcome::Waits(other),
            None => one(args, &tasks[at], (&cwd, &place), &environment).meant_as(settings.intent),
        };
        let goes_on = outcome.is_good() || args.keep_going;
        let is_stopped = outcome.code().is_some_and(|code| code >= Exit::Internal.code());
        tasks[at].outcome = Some(outcome);
        if is_stopped || !goes_on {
            break;
        }
    }
    if !reports.is_empty() {
        let runs: Vec<RunDir> = tasks.iter().filter_map(|task| newest(&place, &task.id)).collect();
        reports.iter().try_for_each(|report| report.write_runs(&place.repository, &runs))?;
    }
    let code = gravest(tasks.iter().filter_map(|task| task.outcome.as_ref()?.code()));
    tell(&tasks, code, settings.output);
    Ok(ExitCode::from(code))
}

/// Takes one requirement through its cycle.
fn one(args: &RunArgs, task: &Task, (cwd, place): (&Path, &Place), environment: &Environment) -> Outcome {
    if !args.new
        && let Some(run) = finished_by(place, &task.id)
    {
        return Outcome::Finished(run);
    }
    let one = RunArgs {
        requirement: Some(task.named.clone()),
        others: Vec::new(),
        all: false,
        junit: None,
        sarif: None,
        ..args.clone()
    };
    let reader = if args.output.json.is_some() { Reader::Program } else { Reader::Person };
    let code = of_one::start(&one, cwd, environment.clone())
        .unwrap_or_else(|trouble| super::given::report(&trouble, reader));
    Outcome::Ended(number(code))
}

/// An exit code tells its number to the system alone.
fn number(code: ExitCode) -> u8 {
    (0..=u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(Exit::Internal.code())
}

/// What speaks of one requirement's criteria, or names one file for one run.
fn refuse_flags_of_one(args: &RunArgs) -> Result<(), Trouble> {
    let flags = [
        ("--only", !args.only.is_empty()),
        ("--already-green", !args.already_green.is_empty()),
        ("--record", args.record.is_some()),
    ];
    let Some((flag, _)) = flags.into_iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    let others = args.others.join(", ");
    let why = if args.all {
        "--all takes every requirement".to_owned()
    } else {
        format!("{others} is taken for another requirement, since no comma stands before it")
    };
    Err(Trouble::user(format!("{flag} goes with one requirement alone"))
        .because(why)
        .advise("name one requirement; part the ids of criteria by commas"))
}

/// All of them are read before the first begins: a slip in the last one shall not be found hours later.
fn read(args: &RunArgs, place: &Place, settings: &Settings) -> Result<Vec<Task>, Trouble> {
    let archived = if args.archived { Archive::Included } else { Archive::LeftOut };
    let (mut tasks, mut left_out): (Vec<Task>, Vec<Task>) = (Vec::new(), Vec::new());
    let mut add = |named: &str, requirement: &Requirement| {
        if tasks.iter().all(|task| task.id != requirement.id) {
            let depends_on = project::depends_on(place, requirement)?;
            refuse_unknown(requirement, &depends_on, (place, settings))?;
            tasks.push(Task {
                id: requirement.id.clone(),
                named: named.to_owned(),
                depends_on,
                outcome: None,
            });
        }
        Ok(())
    };
    for named in args.requirement.iter().chain(&args.others) {
        let found = project::find_requirement(place, &settings.specs_dir, named, archived);
        let found = found.map_err(|trouble| or_a_command(or_a_run(trouble, place, named), named))?;
        add(named, &found)?;
    }
    if args.all {
        for stem in project::known_requirements(place, &settings.specs_dir)? {
            match project::find_requirement(place, &settings.specs_dir, &stem, archived) {
                Ok(requirement) => add(&stem, &requirement)?,
                Err(trouble) => {
                    print::message(&format!("tdd: left out: {trouble}"));
                    left_out.push(Task::left_out(stem));
                }
            }
        }
    }
    if tasks.is_empty() {
        let none = Trouble::user(format!("{} holds no requirement that can be run", settings.specs_dir));
        return Err(if left_out.is_empty() {
            none.advise("`tdd new` writes one")
        } else {
            none.because("each of them was left out, see above")
                .advise("mend one of them, or write one: `tdd new`")
        });
    }
    tasks.extend(left_out);
    Ok(tasks)
}

/// A slip in an id would be a wrong order that nobody sees. What was finished and is gone since is no slip.
fn refuse_unknown(
    requirement: &Requirement,
    depends_on: &[String],
    (place, settings): (&Place, &Settings),
) -> Result<(), Trouble> {
    let stems = project::known_requirements(place, &settings.specs_dir)?;
    let is_known = |id: &String| {
        stems.contains(id)
            || project::find_requirement(place, &settings.specs_dir, id, Archive::Included).is_ok()
            || newest(place, id).is_some()
    };
    let Some(unknown) = depends_on.iter().find(|id| !is_known(id)) else { return Ok(()) };
    Err(Trouble::user(format!(
        "{} depends on {}, which is no requirement here",
        requirement.id,
        harmless::line(unknown)
    ))
    .because(format!("{} holds no such id, and no run was ever of it", settings.specs_dir))
    .advise(format!("correct `depends_on:` in the front matter of {}", requirement.path)))
}

/// Each after what it depends on, else in the order in which they came.
fn ordered(mut left: Vec<Task>) -> Result<Vec<Task>, Trouble> {
    let mut done: Vec<Task> = Vec::new();
    while !left.is_empty() {
        let is_free = |task: &Task| !task.depends_on.iter().any(|id| left.iter().any(|one| one.id == *id));
        let Some(next) = left.iter().position(is_free) else {
            let circle: Vec<&str> = left.iter().map(|task| task.id.as_str()).collect();
            return Err(Trouble::user("the requirements depend on each other in a circle")
                .because(circle.join(", "))
                .advise("correct `depends_on:` in the front matter of one of them"));
        };
        done.push(left.remove(next));
    }
    Ok(done)
}

/// What a requirement depends on and what did not come to be.
fn waits_for(tasks: &[Task], at: usize) -> Option<String> {
    let by_id: BTreeMap<&str, &Task> = tasks.iter().map(|task| (task.id.as_str(), task)).collect();
    let missing = |id: &&String| {
        by_id.get(id.as_str()).is_some_and(|task| !task.outcome.as_ref().is_some_and(Outcome::is_good))
    };
    tasks[at].depends_on.iter().find(missing).cloned()
}

/// The newest run of a requirement, if it finished all of it and its work is still in the tree.
fn finished_by(place: &Place, id: &str) -> Option<String> {
    let runs = run_folder::runs_of(&place.repository).ok()?;
    runs.iter().find_map(|run| {
        let (told, _) = Journalled::read(run).ok()?;
        let undone = told.undone().is_some();
        let Journalled::Cycle(state) = told else { return None };
        if state.run.requirement.id != id || undone {
            return None;
        }
        let is_whole = state.run.plan.criteria.len() == state.run.requirement.criteria.len();
        let is_finished = matches!(state.phase, Phase::Ended { end: End::Finished(_) }) && is_whole;
        Some(is_finished.then(|| run.id.to_string()))
    })?
}

/// The newest run of a requirement, whatever it came to.
fn newest(place: &Place, id: &str) -> Option<RunDir> {
    let is_of = |run: &RunDir| {
        let told = Journalled::read(run).ok().map(|(told, _)| told);
        matches!(told, Some(Journalled::Cycle(state)) if state.run.requirement.id == id)
    };
    run_folder::list_runs(&place.repository).into_iter().find(is_of)
}

/// An internal error before a signal before all others.
fn gravest(codes: impl Iterator<Item = u8>) -> u8 {
    let rank = |code: &u8| match GRAVEST.iter().position(|known| known == code) {
        Some(at) => at + 2,
        None if *code == Exit::Internal.code() => 0,
        None => 1,
    };
    codes.min_by_key(rank).unwrap_or_default()
}

fn tell(tasks: &[Task], code: u8, output: OutputMode) {
    if output.is_json() {
        let one = |task: &Task| OneOfSeveral {
            requirement: task.id.clone(),
            exit: task.outcome.as_ref().and_then(Outcome::code),
            outcome: words(task),
        };
        let requirements = tasks.iter().map(one).collect();
        print::result(&Content::Several(Several { requirements }).last(code));
        return;
    }
    let wide = tasks.iter().map(|task| task.id.chars().count()).max().unwrap_or_default();
    let lines = tasks.iter().map(|task| format!("  {:<wide$}  {}\n", task.id, words(task)));
    print::result(&format!("\nrequirements:\n{}", lines.collect::<String>()));
}

fn words(task: &Task) -> String {
    task.outcome.as_ref().map_or_else(|| "not begun".to_owned(), Outcome::words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks(of: &[(&str, &[&str])]) -> Vec<Task> {
        let task = |(id, depends_on): &(&str, &[&str])| Task {
            id: (*id).to_owned(),
            named: (*id).to_owned(),
            depends_on: depends_on.iter().map(|id| (*id).to_owned()).collect(),
            outcome: None,
        };
        of.iter().map(task).collect()
    }

    #[test]
    fn each_comes_after_what_it_depends_on() {
        for (of, want) in [
            (&[("A", &[][..]), ("B", &[])][..], Some("A B")),
            (&[("A", &["B"][..]), ("B", &["C"]), ("C", &[])], Some("C B A")),
            (&[("A", &["X"][..]), ("B", &[])], Some("A B")),
            (&[("A", &["B"][..]), ("B", &["A"])], None),
            (&[("A", &["A"][..])], None),
        ] {
            let got = ordered(tasks(of)).ok();
            let got = got.map(|all| all.into_iter().map(|task| task.id).collect::<Vec<_>>().join(" "));
            assert_eq!(got.as_deref(), want);
        }
    }

    #[test]
    fn the_gravest_code_is_the_whole_one() {
        for (codes, want) in [
            (&[0, 0][..], 0),
            (&[], 0),
            (&[0, 4], 4),
            (&[4, 3], 3),
            (&[3, 1], 1),
            (&[1, 2], 2),
            (&[2, 130], 130),
            (&[143, 70], 70),
        ] {
            assert_eq!(gravest(codes.iter().copied()), want, "{codes:?}");
        }
    }

    #[test]
    fn the_number_of_an_exit_code_is_found_again() {
        for code in [0, 1, 4, 70, 130, 255] {
            assert_eq!(number(ExitCode::from(code)), code);
        }
    }
}
