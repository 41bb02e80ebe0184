//! What a project's own files tell about its test command.

use std::path::Path;

use super::{Sourced, exists, read, scripts, which_one};
use crate::core::trouble::Trouble;

/// Test files that are looked into for what they import.
const MAX_TEST_FILES: usize = 20;

/// The one command that the project's files suggest.
pub(super) fn test_command(project: &Path) -> Result<Sourced, Trouble> {
    let mut found: Vec<Sourced> =
        [rust(project), node(project), python(project), go(project)].into_iter().flatten().collect();
    match found.len() {
        0 => Err(Trouble::user("no test command was found")
            .because(
                "neither --test nor tdd.yaml names one, CLAUDE.md and AGENTS.md have no key commands, and there is \
                 no Cargo.toml, no package.json with a test script, no Python project and no go.mod here",
            )
            .advise("Name it: --test 'COMMAND', or `test: COMMAND` in tdd.yaml.")),
        1 => Ok(found.remove(0)),
        _ => {
            let lines: Vec<String> = found.iter().map(|one| format!("{}: {}", one.source, one.command)).collect();
            Err(which_one("test", "--test", &lines))
        }
    }
}

fn rust(project: &Path) -> Option<Sourced> {
    exists(project, "Cargo.toml").then(|| Sourced::new("cargo test", "found Cargo.toml"))
}

fn go(project: &Path) -> Option<Sourced> {
    exists(project, "go.mod").then(|| Sourced::new("go test ./...", "found go.mod"))
}

fn node(project: &Path) -> Option<Sourced> {
    let script = scripts::script(project, "test")?;
    // What `npm init` writes is a reminder, not a test command.
    let is_reminder = script.contains("no test specified");
    (!is_reminder).then(|| Sourced::new("npm test", "found package.json"))
}

fn python(project: &Path) -> Option<Sourced> {
    const MARKS: [&str; 7] = [
        "pyproject.toml",
        "pytest.ini",
        ".pytest.ini",
        "pytest.toml",
        "setup.py",
        "setup.cfg",
        "conftest.py",
    ];
    let tests = test_files(project);
    let mark = MARKS.into_iter().find(|mark| exists(project, mark));
    let first = mark.map(str::to_owned).or_else(|| tests.first().cloned())?;
    let command = if uses_pytest(project, &tests) {
        "python3 -m pytest"
    } else if exists(project, "tests") && !exists(project, "tests/__init__.py") {
        // Without `__init__.py` plain discovery does not go into the folder.
        "python3 -m unittest discover -s tests"
    } else {
        "python3 -m unittest"
    };
    Some(Sourced::new(command, format!("found {first}")))
}

/// Whether pytest is configured, required, or needed by a test.
fn uses_pytest(project: &Path, tests: &[String]) -> bool {
    const CONFIGURED: [&str; 5] =
        ["pytest.ini", ".pytest.ini", "pytest.toml", "conftest.py", "tests/conftest.py"];
    const MENTIONED: [&str; 7] = [
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "requirements.txt",
        "requirements-dev.txt",
        "dev-requirements.txt",
        "requirements/dev.txt",
    ];
    CONFIGURED.iter().any(|name| exists(project, name))
        || MENTIONED.iter().any(|name| read(project, name).is_some_and(|text| mentions_pytest(&text)))
        || tests.iter().any(|name| read(project, name).is_some_and(|text| needs_pytest(&text)))
}

/// The word in any line that is no comment.
fn mentions_pytest(text: &str) -> bool {
    text.lines().any(|line| line.split('#').next().unwrap_or_default().contains("pytest"))
}

/// It imports pytest, or has test functions outside a class, which unittest does not see.
fn needs_pytest(source: &str) -> bool {
    source.lines().any(|line| {
        line.starts_with("import pytest")
            || line.starts_with("from pytest")
            || line.starts_with("def test_")
            || line.starts_with("async def test_")
    })
}

/// `test_*.py` and `*_test.py` in the project's folder, `tests/` and `test/`, sorted.
fn test_files(project: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for folder in ["", "tests/", "test/"] {
        let Ok(entries) = project.join(folder).read_dir() else { continue };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let tests = names.filter(|name| {
            name.strip_suffix(".py").is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
        });
        files.extend(tests.map(|name| format!("{folder}{name}")));
    }
    files.sort();
    files.truncate(MAX_TEST_FILES);
    files
}
