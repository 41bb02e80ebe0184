//! The project's own virtual environment, where none is active.
//!
//! A plain `pytest` is what `PATH` says, as in the person's own shell. Where no environment is active and
//! the project has one that holds the program, that one is meant: editors, `uv run` and their like take it
//! too. The command itself is changed, so that it works for whoever runs it, and in a copy of the tree.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tdd_core::commands::{ProjectCommands, RunnerKind};
use tdd_runners::read_as;

const NAMES: [&str; 2] = [".venv", "venv"];

/// `active` is what `VIRTUAL_ENV` says.
pub(super) fn use_own(chosen: &mut super::Chosen, project: &Path, active: Option<&OsStr>) {
    let kind = chosen.commands.runner;
    if tdd_runners::of(kind).environment.is_empty() || active.is_some_and(|active| !active.is_empty()) {
        return;
    }
    let Some((plain, own)) = found(project, kind, &chosen.commands.test) else { return };
    let meant = |command: &str| if command == plain { own.command.clone() } else { command.to_owned() };
    if let Some(table) = &mut chosen.table {
        table.all = meant(&table.all);
    }
    let ProjectCommands { test, test_source, gate, gate_source, .. } = &mut chosen.commands;
    for (command, source) in [(test, test_source), (gate, gate_source)] {
        if *command == plain {
            command.clone_from(&own.command);
            *source = format!("{source}, with {}", own.python);
        }
    }
    let bin = own.python.trim_end_matches("/python");
    let listed = list_with(project, bin, &chosen.commands.gate);
    if let Some(listed) = listed {
        chosen.commands.gate = listed;
        chosen.commands.gate_source = format!("{}, with {}", chosen.commands.gate_source, own.python);
    }
}

/// A list of plain calls (`ruff check && mypy src && pytest`) with each program that the environment has taken from
/// there; `None` where nothing is, or where a shell would have more to say than `&&`.
fn list_with(project: &Path, bin: &str, list: &str) -> Option<String> {
    const SHELL: &[char] =
        &['"', '\'', '`', '$', '(', ')', '|', ';', '\n', '<', '>', '*', '?', '\\', '#', '~', '{'];
    if list.replace("&&", " ").contains('&') || list.contains(SHELL) {
        return None;
    }
    let call = |call: &str| {
        let program = call.split_whitespace().find(|word| !word.contains('='))?;
        let is_held = !program.contains('/') && project.join(bin).join(program).is_file();
        let at = start_of_word(call, program).filter(|_| is_held)?;
        Some(format!("{}{bin}/{}", &call[..at], &call[at..]))
    };
    let calls: Vec<(String, bool)> = list
        .split("&&")
        .map(|part| call(part).map_or_else(|| (part.to_owned(), false), |call| (call, true)))
        .collect();
    let is_changed = calls.iter().any(|(_, changed)| *changed);
    is_changed.then(|| calls.into_iter().map(|(call, _)| call).collect::<Vec<_>>().join("&&"))
}

/// The interpreter of an environment of the project's own that has this program.
pub(super) fn python_with(project: &Path, program: &str) -> Option<String> {
    let has = |bin: &Path| ["python", program].iter().all(|name| bin.join(name).is_file());
    bin_folders(project).find(|(bin, _)| has(bin)).map(|(_, bin)| format!("{bin}/python"))
}

struct Own {
    command: String,
    /// Its interpreter, relative to the project.
    python: String,
}

/// The command as it is and as it is meant, if its program is a plain name that an environment has.
fn found(project: &Path, kind: RunnerKind, command: &str) -> Option<(String, Own)> {
    let call = read_as(kind, command)?;
    let program = call.program.first().filter(|program| !program.contains('/'))?;
    if call.env.iter().any(|(name, _)| name == "PATH") {
        return None;
    }
    let bin = bin_folders(project).find(|(bin, _)| holds(bin, program, kind))?.1;
    let at = start_of_word(command, program)?;
    let own = format!("{}{bin}/{program}{}", &command[..at], &command[at + program.len()..]);
    Some((command.to_owned(), Own { command: own, python: format!("{bin}/python") }))
}

/// Where the first word begins that is this one.
fn start_of_word(text: &str, word: &str) -> Option<usize> {
    let mut words = text.split_inclusive(char::is_whitespace).scan(0, |at, word| {
        let start = *at;
        *at += word.len();
        Some((start, word.trim_end()))
    });
    words.find(|(_, one)| *one == word).map(|(at, _)| at)
}

/// Folders of programs, each with its path relative to the project: the project's own, and those of the
/// folders around it up to the repository's root.
fn bin_folders(project: &Path) -> impl Iterator<Item = (PathBuf, String)> {
    let depth = project.ancestors().position(|folder| folder.join(".git").exists()).unwrap_or(0);
    let folders = project.ancestors().take(depth + 1).enumerate();
    folders.flat_map(|(up, folder)| {
        NAMES.map(|name| (folder.join(name).join("bin"), format!("{}{name}/bin", "../".repeat(up))))
    })
}

/// Whether this environment works and has what the runner and the command need.
fn holds(bin: &Path, program: &str, kind: RunnerKind) -> bool {
    // Links are followed: where the interpreter is gone, the environment is of no use.
    let has = |name: &str| bin.join(name).is_file();
    has(program) && tdd_runners::of(kind).environment.iter().all(|name| has(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::project_commands::Chosen;

    fn chosen(test: &str, gate: &str, runner: RunnerKind) -> Chosen {
        let commands = ProjectCommands {
            test: test.to_owned(),
            test_source: "a".to_owned(),
            gate: gate.to_owned(),
            gate_source: "b".to_owned(),
            runner,
        };
        Chosen { commands, table: None }
    }

    #[test]
    #[expect(
        clippy::disallowed_methods,
        clippy::too_many_lines,
        reason = "a table of cases; a test makes folders"
    )]
    fn ac_tdd_12_19_the_projects_environment_is_taken_where_none_is_active_and_it_has_the_program() {
        use RunnerKind::{Cargo, Pytest, Unittest};
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        };
        for file in ["one/.venv/bin/python", "one/.venv/bin/pytest", "two/venv/bin/python", ".git/HEAD"] {
            write(file);
        }
        std::fs::create_dir_all(root.path().join("dead/.venv/bin")).unwrap();
        for name in ["python", "pytest"] {
            std::os::unix::fs::symlink("/nope", root.path().join("dead/.venv/bin").join(name)).unwrap();
        }
        let words = |folder: &str, kind, test: &str, active: Option<&str>| {
            let mut chosen = chosen(test, test, kind);
            use_own(&mut chosen, &root.path().join(folder), active.map(OsStr::new));
            assert_eq!(chosen.commands.test, chosen.commands.gate);
            format!("{} ({})", chosen.commands.test, chosen.commands.test_source)
        };
        for (folder, kind, test, want) in [
            ("one", Pytest, "pytest -q", ".venv/bin/pytest -q (a, with .venv/bin/python)"),
            ("one", Pytest, "A=1 pytest pytest", "A=1 .venv/bin/pytest pytest (a, with .venv/bin/python)"),
            ("one", Pytest, "python -m pytest", ".venv/bin/python -m pytest (a, with .venv/bin/python)"),
            ("one", Pytest, "uv run pytest", "uv run pytest (a)"),
            ("one", Pytest, "/usr/bin/pytest", "/usr/bin/pytest (a)"),
            ("one", Pytest, "PATH=/x pytest", "PATH=/x pytest (a)"),
            ("one", Cargo, "cargo test", "cargo test (a)"),
            ("two", Unittest, "python -m unittest", "venv/bin/python -m unittest (a, with venv/bin/python)"),
            ("two", Pytest, "python -m pytest", "python -m pytest (a)"),
            ("two", Unittest, "python3.9 -m unittest", "python3.9 -m unittest (a)"),
            ("dead", Pytest, "pytest", "pytest (a)"),
            ("none", Pytest, "pytest", "pytest (a)"),
        ] {
            assert_eq!(words(folder, kind, test, None), want, "{folder} {test}");
            assert_eq!(words(folder, kind, test, Some("")), want, "{folder} {test}");
            assert_eq!(words(folder, kind, test, Some("/my")), format!("{test} (a)"), "one is active");
        }
        for program in ["ruff", "mypy"] {
            write(&format!("one/.venv/bin/{program}"));
        }
        let gate = |gate: &str| {
            let mut chosen = chosen("pytest", gate, Pytest);
            use_own(&mut chosen, &root.path().join("one"), None);
            chosen.commands.gate
        };
        for (list, want) in [
            (
                "ruff check . && mypy src && pytest",
                ".venv/bin/ruff check . && .venv/bin/mypy src && .venv/bin/pytest",
            ),
            ("make lint && A=mypy mypy src", "make lint && A=mypy .venv/bin/mypy src"),
            ("mypy src | cat", "mypy src | cat"),
            ("cd a && echo \"ruff\"", "cd a && echo \"ruff\""),
            ("make lint", "make lint"),
        ] {
            assert_eq!(gate(list), want);
        }
        write("venv/bin/python");
        assert_eq!(
            words("none", Unittest, "python -m unittest", None),
            "../venv/bin/python -m unittest (a, with ../venv/bin/python)"
        );
    }
}
