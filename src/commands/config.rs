//! Prints what holds and where each value comes from: `tdd config`. Its help tells the exit codes.

use std::fmt::Write;
use std::process::ExitCode;

use serde_json::json;

use crate::cli::RunArgs;
use crate::cli::config::ConfigArgs;
use crate::settings::told::{self, DEFAULT, Row, Sources, Variable};
use crate::settings::{Environment, Settings};
use crate::text::object::VERSION;
use crate::view::print;
use crate::world::project::{self, Place};
use crate::world::{config_file, project_commands};
use tdd_core::harmless;
use tdd_core::trouble::Trouble;

pub fn run(args: &ConfigArgs) -> Result<ExitCode, Trouble> {
    let (cwd, environment) = super::given::surroundings()?;
    let place = project::locate(&cwd);
    if let Err(trouble) = &place {
        print::message(&format!("tdd: only your own settings are told: {}", trouble.what));
    }
    let mask = super::given::mask_of(&environment);
    let shown = |row: Row| Row {
        value: mask.apply(&row.value).into_owned(),
        from: mask.apply(&row.from).into_owned(),
        ..row
    };
    let rows: Vec<Row> = rows(place.ok().as_ref(), &environment)?.into_iter().map(shown).collect();
    print::result(&if args.json { as_json(&rows) } else { for_people(&rows, &environment) });
    Ok(ExitCode::SUCCESS)
}

fn rows(place: Option<&Place>, environment: &Environment) -> Result<Vec<Row>, Trouble> {
    let project = place.map(super::given::read_config).transpose()?.flatten();
    let own = super::given::read_own(environment)?;
    let settings = Settings::resolve(
        &RunArgs::default(),
        super::given::layered(project.clone(), own.clone()),
        environment,
    )?;
    let (project, own) = (project.unwrap_or_default(), own.unwrap_or_default());
    let persons = own_file(environment).unwrap_or_default();
    let says_sandbox = match &environment.sandbox {
        Some(word) if !word.is_empty() => Variable::Set,
        Some(_) | None => Variable::Unset,
    };
    let file = place.map_or_else(|| config_file::NAME.to_owned(), settings_file);
    let sources = Sources { project: (&file, &project), person: (&persons, &own), says_sandbox };
    let mut rows = place.map(|place| commands(place, &settings, &file)).unwrap_or_default();
    rows.extend(told::rows(&sources, &settings));
    rows.extend(agents(&sources, &settings)?);
    Ok(rows)
}

/// The project's own, told apart from that of the repository's root.
fn settings_file(place: &Place) -> String {
    let below = place.project.strip_prefix(&place.repository).unwrap_or(&place.project);
    below.join(config_file::NAME).to_string_lossy().into_owned()
}

fn own_file(environment: &Environment) -> Option<String> {
    let home = environment.config_home.as_deref()?;
    Some(config_file::persons(home).to_string_lossy().into_owned())
}

/// As a run would choose them; that there are none is told like a value, because all else still holds.
fn commands(place: &Place, settings: &Settings, file: &str) -> Vec<Row> {
    let row = |key: &str, value: &str, from: &str| Row {
        key: key.to_owned(),
        value: value.to_owned(),
        from: if from == config_file::NAME { file } else { from }.to_owned(),
    };
    match project_commands::choose(&place.project, &settings.commands) {
        Ok(chosen) => {
            let commands = chosen.commands;
            let kind = commands.runner.name();
            vec![
                row("test", &commands.test, &commands.test_source),
                row("gate", &commands.gate, &commands.gate_source),
                row(
                    "runner",
                    kind,
                    if chosen.table.is_some() { config_file::NAME } else { &commands.test_source },
                ),
            ]
        }
        Err(trouble) => {
            vec![row("test", &format!("none: {}", trouble.what), "`tdd doctor` says what to set")]
        }
    }
}

/// Each agent that a file describes, with the command line that its name means.
fn agents(sources: &Sources<'_>, settings: &Settings) -> Result<Vec<Row>, Trouble> {
    let mut rows = Vec::new();
    for (name, said) in &settings.agents {
        let table = said.table(name)?;
        let value = table.map(|table| table.argv.shown()).unwrap_or_default();
        let files = [(&said.project, sources.project.0), (&said.person, sources.person.0)];
        let said_in =
            files.into_iter().filter(|(value, _)| value.as_ref().is_some_and(|value| !value.value.is_null()));
        let from: Vec<&str> = said_in.map(|(_, file)| file).collect();
        let from = if from.is_empty() { DEFAULT.to_owned() } else { from.join(" over ") };
        rows.push(Row { key: format!("agents.{name}"), value, from });
    }
    Ok(rows)
}

fn for_people(rows: &[Row], environment: &Environment) -> String {
    let mut out = String::new();
    let widest = rows.iter().map(|row| row.key.chars().count()).max().unwrap_or(0);
    for Row { key, value, from } in rows {
        let (key, value, from) = (harmless::line(key), harmless::line(value), harmless::line(from));
        let _ = writeln!(out, "{key:widest$}  {value}  ({from})");
    }
    if let Some(file) = own_file(environment) {
        let _ = writeln!(out, "\nYour own settings, for all projects: {}", harmless::line(&file));
    }
    out
}

fn as_json(rows: &[Row]) -> String {
    let line = |Row { key, value, from }: &Row| {
        format!("{}\n", json!({ "type": "setting", "v": VERSION, "key": key, "value": value, "from": from }))
    };
    rows.iter().map(line).collect()
}
