//! Sets a project up: `tdd init`. Exit code 0, or 2 with what to do.

use std::path::Path;
use std::process::ExitCode;

use crate::cli::set_up::InitArgs;
use crate::cli::{DoctorArgs, RunArgs};
use crate::settings::{Environment, Settings};
use crate::text::first_steps::{self, Differing, With, for_workflow};
use crate::view::{dialog, print};
use crate::world::config_file;
use crate::world::project::{self, Place};
use crate::world::project_commands::{self, Chosen};
use crate::world::written::{self, Planned, Standing};
use tdd_agents::agent::choose_auto;
use tdd_core::harmless;
use tdd_core::role::Role;
use tdd_core::trouble::Trouble;

use super::run::prepare;

/// What was found, and what is to be written.
struct Plan {
    place: Place,
    /// Lines of what was found.
    found: Vec<String>,
    write: Vec<Planned>,
    /// There, and left as it is.
    left: Vec<String>,
    next: Next,
}

/// What a person does then.
enum Next {
    FillIn { path: String, id: String },
    Run { id: String },
    Mend { id: String },
}

impl Next {
    /// Where the checkup found that no run is possible yet.
    fn after_mending(self) -> Self {
        match self {
            Self::Run { id } => Self::Mend { id },
            Self::FillIn { .. } | Self::Mend { .. } => self,
        }
    }
}

pub fn run(args: &InitArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = super::given::surroundings()?;
    let place = at(project::locate(&cwd)?, &cwd);
    if args.undo {
        return undo(&place);
    }
    super::new::check_words(args.title.trim(), &args.criteria)?;
    let plan = plan(args, place, &environment)?;
    print::result(&told(&plan));
    if args.dry_run {
        print::result("Nothing was written.\n");
        return Ok(ExitCode::SUCCESS);
    }
    if !plan.write.is_empty() {
        if !args.yes && !agreed()? {
            print::result("Nothing was written.\n");
            return Ok(ExitCode::SUCCESS);
        }
        written::write(&plan.place.repository, &plan.write)?;
        print::result("Written. `tdd init --undo` takes it back.\n");
    }
    let mut next = plan.next;
    if !args.no_doctor {
        print::result("\n");
        if super::doctor::run(&DoctorArgs::default())? != ExitCode::SUCCESS {
            next = next.after_mending();
        }
    }
    print::result(&format!("\n{}\n", told_next(&next)));
    Ok(ExitCode::SUCCESS)
}

fn agreed() -> Result<bool, Trouble> {
    if dialog::is_possible() {
        return Ok(dialog::agrees("Write it? [y/N] "));
    }
    Err(Trouble::user("nobody can be asked")
        .because("stdin or stderr is no terminal")
        .advise("say it by a flag: `tdd init --yes` writes, `tdd init --dry-run` only tells"))
}

/// The folder that the person is in is the project, if it tells how it is tested and none above has settings.
fn at(place: Place, cwd: &Path) -> Place {
    let has_settings = place.project.join(config_file::NAME).is_file();
    let is_project = || project_commands::choose(cwd, &no_settings()).is_ok();
    if has_settings || place.cwd == place.project || !is_project() {
        return place;
    }
    Place { project: place.cwd.clone(), ..place }
}

fn no_settings() -> tdd_core::commands::CommandSettings {
    tdd_core::commands::CommandSettings::default()
}

fn plan(args: &InitArgs, place: Place, environment: &Environment) -> Result<Plan, Trouble> {
    let config = super::given::read_settings(&place, environment)?;
    let run = RunArgs {
        agent: args.agent.clone(),
        test: args.test.clone(),
        gate: args.gate.clone(),
        ..RunArgs::default()
    };
    let settings = Settings::resolve(&run, config, environment)?;
    let (chosen, steps) = commands(&place, &settings)?;
    let differing = Differing {
        test: args.test.as_deref().or(steps.as_deref()),
        gate: args.gate.as_deref(),
        agent: args.agent.as_deref(),
    };
    let mask = super::given::mask_of(environment);
    let shown = chosen.commands.with_words(|text| mask.apply(text).into_owned());
    let mut found = vec![
        format!("project:  {}", place.project.display()),
        format!("test:     {} ({}, read by {})", shown.test, shown.test_source, shown.runner),
        format!("gate:     {} ({})", shown.gate, shown.gate_source),
        format!("agent:    {}", agent(args, &settings, environment)?),
    ];
    let with = with(&args.with)?;
    let known = project::known_requirements(&place, &settings.specs_dir)?;
    let others = project::of_other_tools(&place.project);
    let inside = |path: &str| place.in_repository(path);
    let text = first_steps::settings(&shown, differing, agent_now(&settings));
    let mut all = vec![Planned { path: inside(config_file::NAME), text }];
    let next = if let Some(first) = known.first() {
        found.push(format!("requirements: {} in {}/", known.len(), settings.specs_dir));
        Next::Run { id: first.clone() }
    } else if let ([first, ..], true) = (&others[..], args.criteria.is_empty()) {
        found.push(format!("requirements: {} of another tool, such as {first}", others.len()));
        Next::Run { id: first.clone() }
    } else {
        let id = first_steps::next_id(&project::ids_of_runs(&place), &place.project_name());
        let path = inside(&format!("{}/{id}.md", settings.specs_dir));
        all.push(Planned {
            path: path.clone(),
            text: first_steps::requirement(&id, args.title.trim(), &args.criteria),
        });
        if args.criteria.is_empty() { Next::FillIn { path, id } } else { Next::Run { id } }
    };
    let settings_path = inside(config_file::NAME);
    for (path, text) in files_of(&with, args.agent.as_deref()) {
        if !all.iter().any(|planned| planned.path == path) {
            all.push(Planned { path, text });
        }
    }
    let (write, left) = parted(all, args, &place);
    let says_settings = args.test.is_some() || args.gate.is_some() || args.agent.is_some();
    if left.contains(&settings_path) && !args.force && says_settings {
        return Err(Trouble::user(format!("{settings_path} is there already"))
            .because("what the flags say would go nowhere, and nothing is overwritten unasked")
            .advise("edit the file, or add --force: `tdd init --undo` brings the old one back"));
    }
    Ok(Plan { place, found, write, left, next })
}

/// What is to be written, and what is there and stays.
fn parted(all: Vec<Planned>, args: &InitArgs, place: &Place) -> (Vec<Planned>, Vec<String>) {
    let (mut write, mut left) = (Vec::new(), Vec::new());
    for planned in all {
        match planned.standing(&place.repository) {
            Standing::New => write.push(planned),
            Standing::Another if args.force => write.push(planned),
            Standing::Same | Standing::Another => left.push(planned.path),
        }
    }
    (write, left)
}

/// The agent that holds without a word here, and who says so.
fn agent_now(settings: &Settings) -> (&str, &'static str) {
    match settings.agent(Role::Implementer).name.as_str() {
        name @ crate::settings::AUTO_AGENT => (name, "the first that is installed"),
        name => (name, "from your own settings"),
    }
}

/// For whom else something is to be written.
fn with(names: &[String]) -> Result<Vec<With>, Trouble> {
    let one = |name: &String| {
        With::ALL.into_iter().find(|with| with.name() == name.trim()).ok_or_else(|| {
            Trouble::user(format!("--with: nothing is known for `{}`", harmless::line(name)))
                .advise(format!("name some of {}", With::ALL.map(With::name).join(", ")))
        })
    };
    names.iter().map(one).collect()
}

fn files_of(with: &[With], flag: Option<&str>) -> Vec<(String, String)> {
    let agent = for_workflow(flag, with);
    with.iter().flat_map(|with| with.files(agent)).collect()
}

/// The project's commands; where its files tell its language and no command, the language's own.
fn commands(place: &Place, settings: &Settings) -> Result<(Chosen, Option<String>), Trouble> {
    let refused = match project_commands::choose(&place.project, &settings.commands) {
        Ok(chosen) => return Ok((chosen, None)),
        Err(refused) => refused,
    };
    // A command that is there and can't be read says what to do about it: no other one is put in its place.
    if refused.what != project_commands::NO_COMMAND {
        return Err(refused);
    }
    if let Some(advice) = project_commands::django(&place.project) {
        return Err(refused.advise(advice));
    }
    let Some(first) = project_commands::first_of_language(&place.project) else {
        return Err(refused.advise(first_steps::NO_PROJECT));
    };
    let mut commands = settings.commands.clone();
    commands.flag_test = Some(first.to_owned());
    let mut chosen = project_commands::choose(&place.project, &commands)?;
    for source in [&mut chosen.commands.test_source, &mut chosen.commands.gate_source] {
        if source == "--test" {
            "there are no tests yet".clone_into(source);
        }
    }
    Ok((chosen, Some(first.to_owned())))
}

/// The agent that a run would start.
fn agent(args: &InitArgs, settings: &Settings, environment: &Environment) -> Result<String, Trouble> {
    let path = environment.path.as_deref();
    if let Some(name) = &args.agent {
        prepare::agent_table(name, &settings.agents, path)?;
        return Ok(name.clone());
    }
    let name = settings.agent(Role::Implementer).name.clone();
    if name != crate::settings::AUTO_AGENT {
        return Ok(name);
    }
    Ok(match choose_auto(path) {
        Ok(name) => format!("{name} (the first that is installed)"),
        Err(_) => "none is installed yet; `tdd demo` needs none".to_owned(),
    })
}

fn told(plan: &Plan) -> String {
    let mut lines = plan.found.clone();
    let file = |what: &str, path: &str| format!("{what:<10}{path}");
    lines.extend(plan.left.iter().map(|path| file("is there:", path)));
    lines.extend(plan.write.iter().map(|planned| file("to write:", &planned.path)));
    lines.join("\n") + "\n"
}

fn told_next(next: &Next) -> String {
    match next {
        Next::Mend { id } => {
            format!(
                "Next: mend what is in the way of a run (each `problem` above says how), then `tdd {id}`."
            )
        }
        Next::FillIn { path, id } => {
            format!(
                "Next: write down in {path} what must hold, then `tdd {id}`.\n      `tdd new STE-12 \"Short links\"` puts one with your own id and title in its place.\n      `tdd {id} --dry-run` says what a run would do."
            )
        }
        Next::Run { id } => format!("Next: `tdd {id}`, or `tdd new \"Short links\"` for a new requirement."),
    }
}

fn undo(place: &Place) -> Result<ExitCode, Trouble> {
    let run = project::ids_of_runs(place);
    let has_runs = |path: &str| {
        let stem = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned());
        stem.is_some_and(|stem| run.contains(&stem))
    };
    let done = written::undo(&place.repository, &has_runs)?;
    let lines = |what: &str, paths: &[String]| {
        paths.iter().map(|path| format!("{what} {path}\n")).collect::<Vec<_>>().concat()
    };
    let mut told = lines("removed: ", &done.removed) + &lines("restored:", &done.restored);
    told += &lines("kept, for it was changed since:", &done.kept);
    told += &lines("kept, for it has runs:", &done.has_runs);
    print::result(if told.is_empty() { "There was nothing to take back.\n" } else { &told });
    Ok(ExitCode::SUCCESS)
}
