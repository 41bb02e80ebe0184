//! The checks of `tdd fix`, found as the commands of a run are (contract section 5): a type check
//! first, then the tests, then the gate if it is another command.

use std::path::Path;

use super::{Chosen, Sourced, exists, read, scripts};
use tdd_core::commands::{CommandSettings, RunnerKind, RunnerTable};
use tdd_core::fix::{Check, CheckKind};
use tdd_core::trouble::Trouble;
use tdd_runners::command_line::checker;

mod mypy;

/// Deadlines in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct CheckDeadlines {
    pub types_ms: u64,
    /// Of tests and of any other command.
    pub tests_ms: u64,
}

/// The checks, the runner's table that belongs to one of them, and what a person should know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundChecks {
    pub checks: Vec<Check>,
    pub table: Option<RunnerTable>,
    pub notes: Vec<String>,
}

/// What was named, in its order; else what the project's files tell.
///
/// # Errors
/// Nothing was named and nothing can be found; or what is found fits in several ways.
pub fn find(
    project: &Path,
    settings: &CommandSettings,
    named: (&[String], &str),
    deadlines: CheckDeadlines,
) -> Result<FoundChecks, Trouble> {
    let (commands, source) = named;
    if !commands.is_empty() {
        let table = settings.runner.clone();
        let checks = commands
            .iter()
            .map(|command| check(project, &Sourced::new(command, source), table.as_ref(), deadlines))
            .collect();
        return Ok(FoundChecks { checks, table, notes: Vec::new() });
    }
    let mut found = FoundChecks::default();
    let types = type_check(project, &mut found.notes);
    let chosen = tests(project, settings);
    let (chosen, gate) = match (chosen, &types) {
        (Ok((chosen, gate)), _) => (Some(chosen), gate),
        (Err(trouble), None) => return Err(none_found(trouble)),
        (Err(trouble), Some(_)) => {
            found.notes.push(format!("no tests are run: {}", trouble.what));
            (None, None)
        }
    };
    found.checks.extend(types.map(|types| check(project, &types, None, deadlines)));
    if let Some(Chosen { commands, table }) = chosen {
        found.checks.push(Check {
            kind: CheckKind::Tests(commands.runner),
            command: commands.test,
            source: commands.test_source,
            deadline_ms: deadlines.tests_ms,
        });
        found.table = table;
    }
    found.checks.extend(gate.map(|gate| check(project, &gate, None, deadlines)));
    Ok(found)
}

fn none_found(trouble: Trouble) -> Trouble {
    let next = "name the checks: tdd fix --check 'COMMAND', or `fix: { checks: [COMMAND] }` or `test: COMMAND` in tdd.yaml";
    Trouble { what: format!("no checks were found: {}", trouble.what), ..trouble }.advise(next)
}

/// The test command; the gate, if it is another one. A test command that can't be given a selection
/// is no trouble here, since all tests are run.
fn tests(project: &Path, settings: &CommandSettings) -> Result<(Chosen, Option<Sourced>), Trouble> {
    match super::choose(project, settings) {
        Ok(chosen) => {
            let commands = &chosen.commands;
            let is_other = commands.gate != commands.test;
            let gate = is_other.then(|| Sourced::new(&commands.gate, commands.gate_source.clone()));
            Ok((chosen, gate))
        }
        Err(trouble) => {
            let Ok(named) = super::test_and_gate(project, settings) else { return Err(trouble) };
            let (test, gate) = named;
            let commands = tdd_core::commands::ProjectCommands {
                test: test.command.clone(),
                test_source: test.source.clone(),
                gate: test.command.clone(),
                gate_source: test.source.clone(),
                runner: RunnerKind::ExitCode,
            };
            let gate = gate.filter(|gate| gate.command != test.command);
            Ok((Chosen { commands, table: None }, gate))
        }
    }
}

fn check(project: &Path, from: &Sourced, table: Option<&RunnerTable>, deadlines: CheckDeadlines) -> Check {
    let Sourced { command, source } = from;
    let make = |kind, command: &str, deadline_ms| Check {
        kind,
        command: command.to_owned(),
        source: source.clone(),
        deadline_ms,
    };
    if let Some(table) = table.filter(|table| table.all == *command) {
        return make(CheckKind::Tests(table.kind), command, deadlines.tests_ms);
    }
    if let Some(checker) = checker::recognise(command) {
        return make(CheckKind::Types(checker), command, deadlines.types_ms);
    }
    let plain = Some(command).filter(|command| !scripts::is_script(project, command));
    if let Some(runner) = plain.and_then(|command| tdd_runners::recognise(command)) {
        return make(CheckKind::Tests(runner), command, deadlines.tests_ms);
    }
    match scripts::resolve(project, command) {
        Some(resolved) => make(CheckKind::Tests(resolved.kind), &resolved.command, deadlines.tests_ms),
        None => make(CheckKind::Command, command, deadlines.tests_ms),
    }
}

/// Whether documents are tests here: doctests in files that pytest is told of, or a document that is a
/// part of a crate's own.
pub fn read_documents(project: &Path) -> bool {
    const PYTEST: [&str; 7] =
        ["pytest.ini", ".pytest.ini", "pytest.toml", "pyproject.toml", "setup.cfg", "tox.ini", "conftest.py"];
    let holds = |name: &str, word: &str| read(project, name).is_some_and(|text| text.contains(word));
    let is_included = |name: &&str| holds(name, "include_str!") && holds(name, ".md");
    PYTEST.iter().any(|name| holds(name, "doctest")) || ["src/lib.rs", "src/main.rs"].iter().any(is_included)
}

/// The type check that the project's own files suggest, if they suggest one.
fn type_check(project: &Path, notes: &mut Vec<String>) -> Option<Sourced> {
    if exists(project, "tsconfig.json") {
        const TSC: &str = "node_modules/.bin/tsc";
        if exists(project, TSC) {
            return Some(Sourced::new(&format!("{TSC} --noEmit"), "found tsconfig.json"));
        }
        notes
            .push("no type check: there is a tsconfig.json, and typescript is not installed here".to_owned());
        return None;
    }
    if exists(project, "Cargo.toml") {
        return Some(Sourced::new("cargo check", "found Cargo.toml"));
    }
    if let Some(found) = mypy::command(project) {
        return Some(found);
    }
    exists(project, "go.mod").then(|| Sourced::new("go vet ./...", "found go.mod"))
}
