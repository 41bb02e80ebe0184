//! Chooses the project's commands (contract section 5).
//!
//! Order: flags; `tdd.yaml`; `CLAUDE.md`, then `AGENTS.md`; what the project's own files tell. The
//! first that names a command wins, and two that fit equally well are never chosen between.

pub mod checks;
mod detect;
mod instead;
mod members;
mod scripts;
mod suggest;
mod taken_apart;
mod venv;

use std::path::Path;

use tdd_child::regular_file;
use tdd_core::commands::{CommandSettings, ProjectCommands, RunnerKind, RunnerTable, Suite};
use tdd_core::trouble::Trouble;
use tdd_spec::key_commands::{self, KeyCommands, Named, Pick};

pub use self::instead::django;
use self::taken_apart::{Found, Reader};

/// What is said where nothing names a command.
pub const NO_COMMAND: &str = "no test command was found";

/// The most that is read of any file of the project.
const MAX_FILE_BYTES: u64 = 4 * 1024 * 1024;

/// Files in which people write down commands, in the order in which they count.
const NOTES: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];

/// The commands of a project and, where `tdd.yaml` has it, the table that runs them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub commands: ProjectCommands,
    pub table: Option<RunnerTable>,
}

/// A command and where it comes from: `tdd.yaml`, `CLAUDE.md:12`, `--test`, `found Cargo.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Sourced {
    command: String,
    source: String,
}

impl Sourced {
    fn new(command: &str, source: impl Into<String>) -> Self {
        Self { command: command.to_owned(), source: source.into() }
    }
}

/// Chooses test and gate for the project in `project`.
///
/// # Errors
/// No command, several that fit equally well, a template that nobody filled in, or a test command
/// that can't be given a selection. Each message says what to set.
#[expect(clippy::disallowed_methods, reason = "whether an environment is active is a fact about the world")]
pub fn choose(project: &Path, settings: &CommandSettings) -> Result<Chosen, Trouble> {
    let (named, gate) = test_and_gate(project, settings)?;
    let gate = gate.unwrap_or_else(|| named.clone());
    let Readable { test, runner, table, part } = readable(project, settings, &named)?;
    // A gate that is the test command stays the test command when that was taken apart. What is more
    // than the runner's call is still asked of REFACTOR.
    let gate = match part {
        Part::Whole if gate == named => test.clone(),
        Part::Whole if gate.command == named.command => Sourced { command: test.command.clone(), ..gate },
        Part::Whole | Part::Of => gate,
    };
    let commands = ProjectCommands {
        test: test.command,
        test_source: test.source,
        gate: gate.command,
        gate_source: gate.source,
        runner,
    };
    let mut chosen = Chosen { commands, table };
    venv::use_own(&mut chosen, project, std::env::var_os("VIRTUAL_ENV").as_deref());
    Ok(chosen)
}

/// What could test a project whose files tell its language, and nothing of tests.
pub fn first_of_language(project: &Path) -> Option<&'static str> {
    detect::first_of_language(project)
}

/// The two commands as they were named; no gate if none was.
fn test_and_gate(project: &Path, settings: &CommandSettings) -> Result<(Sourced, Option<Sourced>), Trouble> {
    let notes: Vec<(&str, KeyCommands)> = NOTES
        .into_iter()
        .filter_map(|name| read(project, name).map(|file| (name, key_commands::read(&file))))
        .collect();
    Ok((test(project, settings, &notes)?, gate(settings, &notes)?))
}

fn test(
    project: &Path,
    settings: &CommandSettings,
    notes: &[(&str, KeyCommands)],
) -> Result<Sourced, Trouble> {
    if let Some(flag) = &settings.flag_test {
        return Ok(Sourced::new(flag, "--test"));
    }
    if let Some(file) = &settings.file_test {
        return Ok(Sourced::new(file, "tdd.yaml"));
    }
    let mut template = None;
    for (file, keys) in notes {
        match &keys.test {
            Pick::One(named) => return Ok(sourced(file, named)),
            Pick::Several(candidates) => return Err(ambiguous(Suite::Test, file, candidates)),
            Pick::CommentedOut(line) => template = template.or(Some(format!("{file}:{line}"))),
            Pick::Nothing => {}
        }
    }
    match template {
        Some(place) => Err(Trouble::user(format!("{place}: the project's commands are a template"))
            .because("every command there is commented out or a placeholder")
            .advise("Fill it in, or name the command: --test 'COMMAND', or `test: COMMAND` in tdd.yaml.")),
        None => detect::test_command(project),
    }
}

fn gate(settings: &CommandSettings, notes: &[(&str, KeyCommands)]) -> Result<Option<Sourced>, Trouble> {
    if let Some(flag) = &settings.flag_gate {
        return Ok(Some(Sourced::new(flag, "--gate")));
    }
    if let Some(file) = &settings.file_gate {
        return Ok(Some(Sourced::new(file, "tdd.yaml")));
    }
    for (file, keys) in notes {
        match &keys.gate {
            Pick::One(named) => return Ok(Some(sourced(file, named))),
            Pick::Several(candidates) => return Err(ambiguous(Suite::Gate, file, candidates)),
            Pick::CommentedOut(_) | Pick::Nothing => {}
        }
    }
    Ok(None)
}

/// The test command in the form that an adapter reads, and which adapter that is.
struct Readable {
    test: Sourced,
    runner: RunnerKind,
    table: Option<RunnerTable>,
    part: Part,
}

/// Whether the test command is all that was named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Whole,
    /// The runner's call of a list, or what is left without a measuring of coverage.
    Of,
}

fn readable(project: &Path, settings: &CommandSettings, test: &Sourced) -> Result<Readable, Trouble> {
    let whole = |test: Sourced, runner, table| Readable { test, runner, table, part: Part::Whole };
    if let Some(table) = &settings.runner {
        let is_meant = settings.flag_test.is_none() || test.command == table.all;
        if is_meant {
            // What is shown is what runs.
            let shown = Sourced::new(&table.all, test.source.clone());
            return Ok(whole(shown, table.kind, Some(table.clone())));
        }
    }
    // `yarn jest` is the script of that name if there is one.
    let plain = Some(&test.command).filter(|command| !scripts::is_script(project, command));
    if let Some(kind) = plain.and_then(|command| tdd_runners::recognise(command)) {
        return Ok(whole(test.clone(), kind, None));
    }
    if let Some(resolved) = scripts::resolve(project, &test.command) {
        let source = format!("{}, `{}` in package.json", test.source, test.command);
        return Ok(whole(Sourced { command: resolved.command, source }, resolved.kind, None));
    }
    let walk = taken_apart::walk(project, &test.command);
    match walk.as_ref().map(|walk| (walk, walk.runners.as_slice())) {
        Some((walk, [one])) if walk.prepares.is_empty() => {
            if let Reader::Adapter(runner) = one.reader {
                let part = if walk.is_plain() { Part::Whole } else { Part::Of };
                return Ok(Readable { test: of_list(test, one, part), runner, table: None, part });
            }
        }
        Some((_, several @ [_, _, ..])) => {
            let place = |one: &Found| one.place.clone().unwrap_or_else(|| test.source.clone());
            let line = |one: &Found| format!("{}: {}", place(one), one.command);
            let lines: Vec<String> = several.iter().map(line).collect();
            return Err(which_one("test", "--test", &lines));
        }
        Some(_) | None => {}
    }
    let why_no_table = settings
        .runner
        .as_ref()
        .map(|table| format!("the `runner:` of tdd.yaml is for `{}`, not for this command", table.all));
    let gate = settings.flag_gate.as_deref().or(settings.file_gate.as_deref());
    Err(suggest::no_selection(project, (test, gate), walk.as_ref(), why_no_table))
}

/// The one runner's call of a list, with where it stands.
fn of_list(test: &Sourced, found: &Found, part: Part) -> Sourced {
    let place = found.place.as_deref().map(|place| format!(": {place}")).unwrap_or_default();
    let of = match part {
        Part::Whole => String::new(),
        Part::Of => format!(", the runner's part of `{}`", found.script),
    };
    Sourced { command: found.command.clone(), source: format!("{}{place}{of}", test.source) }
}

fn sourced(file: &str, named: &Named) -> Sourced {
    Sourced::new(&named.command, format!("{file}:{}", named.line))
}

fn ambiguous(suite: Suite, file: &str, candidates: &[Named]) -> Trouble {
    let (name, flag) = match suite {
        Suite::Test => ("test", "--test"),
        Suite::Gate => ("gate", "--gate"),
    };
    let lines: Vec<String> =
        candidates.iter().map(|named| format!("{file}:{}: {}", named.line, named.command)).collect();
    which_one(name, flag, &lines)
}

/// Several commands fit: `lines` lists them, each with where it stands.
fn which_one(name: &str, flag: &str, lines: &[String]) -> Trouble {
    Trouble::user(format!("more than one command could be the {name} command"))
        .because(format!("these fit equally well:\n{}", lines.join("\n")))
        .advise(format!("Say which one: {flag} 'COMMAND', or `{name}: COMMAND` in tdd.yaml."))
}

/// A text file of the project, its first 4 MiB; `None` if it is not there or not a file.
fn read(project: &Path, name: &str) -> Option<String> {
    let bytes = regular_file::head(&project.join(name), MAX_FILE_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn exists(project: &Path, name: &str) -> bool {
    project.join(name).exists()
}
