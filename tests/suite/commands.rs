//! The project's commands, chosen over folders as people have them (contract section 5).
#![expect(clippy::disallowed_methods, reason = "a test lays out the project that it asks about")]
#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests fail the test")]

use std::path::Path;

use tdd::cli::RunArgs;
use tdd::settings::{Environment, Settings};
use tdd::text::config;
use tdd::world::project_commands::{Chosen, choose};
use tdd_core::commands::RunnerKind::{
    self, Bun, Cargo, ExitCode, Jest, Junit, Node, Pytest, Unittest, Vitest,
};
use tdd_core::trouble::Trouble;

macro_rules! notes {
    ($name:literal) => {
        include_str!(concat!("../../fixtures/claude-md/", $name, ".md"))
    };
}

pub(crate) type Files<'a> = &'a [(&'a str, &'a str)];

fn lay_out(root: &Path, files: Files<'_>) {
    for (name, text) in files {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

pub(crate) fn ask(files: Files<'_>, args: &RunArgs) -> Result<Chosen, Trouble> {
    let root = tempfile::tempdir().unwrap();
    lay_out(root.path(), files);
    let config = files.iter().find(|(name, _)| *name == "tdd.yaml");
    let config = config.map(|(name, text)| config::read(name, text)).transpose()?;
    choose(root.path(), &Settings::resolve(args, config, &Environment::default())?.commands)
}

/// `test | where from | gate | where from | runner`.
fn line(chosen: &Chosen) -> String {
    let commands = &chosen.commands;
    format!(
        "{} | {} | {} | {} | {}",
        commands.test, commands.test_source, commands.gate, commands.gate_source, commands.runner
    )
}

fn chosen(files: Files<'_>) -> String {
    line(&ask(files, &RunArgs::default()).unwrap_or_else(|trouble| panic!("{files:?}\n{trouble}")))
}

fn refused(files: Files<'_>) -> String {
    ask(files, &RunArgs::default()).expect_err(&format!("{files:?}")).to_string()
}

const NODE_SCRIPT: &str = r#"{"scripts":{"test":"node --test test/","lint":"eslint ."}}"#;

#[test]
fn claude_md_names_the_commands_in_every_shape() {
    assert_eq!(
        chosen(&[("CLAUDE.md", notes!("one-block"))]),
        "cargo test | CLAUDE.md:8 | cargo test | CLAUDE.md:8 | cargo"
    );
    assert_eq!(
        chosen(&[("CLAUDE.md", notes!("gate-joined")), ("package.json", NODE_SCRIPT)]),
        "node --test test/ | CLAUDE.md:6, `npm test` in package.json | npm run typecheck && npm run lint && npm test | \
         CLAUDE.md:10 | node"
    );
    assert_eq!(
        chosen(&[("CLAUDE.md", notes!("commented-block"))]),
        "uv run pytest -q | CLAUDE.md:10 | uv run ruff check . && uv run pytest -q | CLAUDE.md:19 | pytest"
    );
    assert_eq!(
        chosen(&[("CLAUDE.md", notes!("prose"))]),
        "bun test | CLAUDE.md:3 | bun test | CLAUDE.md:3 | bun"
    );
    let template = refused(&[("CLAUDE.md", notes!("template")), ("Cargo.toml", "")]);
    assert!(template.contains("CLAUDE.md:8") && template.contains("--test"), "{template}");
    assert!(!template.contains("cargo test"), "a template is not passed over: {template}");
}

#[test]
fn a_test_command_of_the_notes_is_never_passed_over_for_what_is_found() {
    let pytest_ini = ("pytest.ini", "");
    for (notes, command) in [
        ("## Key Commands\n\n- Test: `cd app && python3 -m pytest -x`\n", "cd app && python3 -m pytest -x"),
        (
            "## Key Commands\n\n```sh\n# Test\ncd app && python3 -m pytest -x\n```\n",
            "cd app && python3 -m pytest -x",
        ),
        (
            "## Key Commands\n\n```\n# Test\ncd app\npython3 -m pytest -x\n```\n",
            "cd app && python3 -m pytest -x",
        ),
        (
            "## Key Commands\n\n- Test: `source .venv/bin/activate && pytest`\n",
            "source .venv/bin/activate && pytest",
        ),
    ] {
        let message = refused(&[("CLAUDE.md", notes), pytest_ini]);
        let quoted = format!("test: \"{command}\"");
        for part in [&format!("with `{command}` (CLAUDE.md:"), &quoted, "runner:", "kind: exit-code"] {
            assert!(message.contains(part), "{part}: {message}");
        }
        let moves = command.starts_with("cd ");
        assert_eq!(message.contains("tdd.yaml in app"), moves, "{message}");
    }
    assert_eq!(
        chosen(&[("CLAUDE.md", "## Key Commands\n\n- Test: `python3 -m pytest .`\n"), pytest_ini]),
        "python3 -m pytest . | CLAUDE.md:3 | python3 -m pytest . | CLAUDE.md:3 | pytest"
    );
}

#[test]
fn what_is_ambiguous_is_listed_and_never_chosen() {
    let message = refused(&[("CLAUDE.md", notes!("ambiguous")), ("Cargo.toml", "")]);
    for part in [
        "CLAUDE.md:6: cargo test --workspace",
        "CLAUDE.md:7: cargo test --workspace --all",
        "--test 'COMMAND'",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    let message = refused(&[("CLAUDE.md", notes!("two-gates"))]);
    assert!(message.contains("the gate command") && message.contains("--gate 'COMMAND'"), "{message}");
    let message = refused(&[("Cargo.toml", ""), ("package.json", NODE_SCRIPT), ("pyproject.toml", "")]);
    for part in
        ["found Cargo.toml: cargo test", "found package.json: npm test", "found pyproject.toml: python3"]
    {
        assert!(message.contains(part), "{part}: {message}");
    }
}

#[test]
fn flags_win_over_the_file_and_the_file_over_notes() {
    let files: Files<'_> = &[
        ("tdd.yaml", "test: pytest a\ngate: make check\n"),
        ("CLAUDE.md", notes!("commented-block")),
        ("AGENTS.md", notes!("one-block")),
        ("Cargo.toml", ""),
    ];
    assert_eq!(chosen(files), "pytest a | tdd.yaml | make check | tdd.yaml | pytest");
    let args =
        RunArgs { test: Some("cargo test -q".into()), gate: Some("true".into()), ..RunArgs::default() };
    assert_eq!(line(&ask(files, &args).unwrap()), "cargo test -q | --test | true | --gate | cargo");
    let args = RunArgs { test: Some("cargo test -q".into()), ..RunArgs::default() };
    assert_eq!(
        line(&ask(&files[1..], &args).unwrap()),
        "cargo test -q | --test | uv run ruff check . && uv run pytest -q | CLAUDE.md:19 | cargo"
    );
    assert_eq!(
        chosen(&[("CLAUDE.md", notes!("none")), ("AGENTS.md", notes!("one-block"))]),
        "cargo test | AGENTS.md:8 | cargo test | AGENTS.md:8 | cargo"
    );
    assert_eq!(
        chosen(&[("CLAUDE.md", notes!("template")), ("AGENTS.md", notes!("one-block"))]),
        "cargo test | AGENTS.md:8 | cargo test | AGENTS.md:8 | cargo"
    );
}

#[test]
fn a_runner_table_makes_any_command_readable() {
    let yaml = "test: make test\nrunner: { kind: junit, all: make all, select: \"make t F='{files}'\", report: r.xml }\n";
    let with_table = ask(&[("tdd.yaml", yaml)], &RunArgs::default()).unwrap();
    assert_eq!(line(&with_table), "make all | tdd.yaml | make all | tdd.yaml | junit");
    assert_eq!(with_table.table.unwrap().kind, Junit);
    let yaml = "runner: { kind: exit-code, all: make t }\n";
    assert_eq!(ask(&[("tdd.yaml", yaml)], &RunArgs::default()).unwrap().commands.runner, ExitCode);
    // A table belongs to its command: another one on the command line is not read by it.
    let args = |test: &str| RunArgs { test: Some(test.into()), ..RunArgs::default() };
    let message = ask(&[("tdd.yaml", yaml)], &args("make other")).unwrap_err().to_string();
    assert!(message.contains("the `runner:` of tdd.yaml is for `make t`"), "{message}");
    assert_eq!(ask(&[("tdd.yaml", yaml)], &args("make t")).unwrap().commands.runner, ExitCode);
    let plain = ask(&[("tdd.yaml", yaml)], &args("pytest")).unwrap();
    assert_eq!((plain.commands.runner, plain.table), (Pytest, None));
    let message = refused(&[("tdd.yaml", "test: make test\n")]);
    assert!(message.contains("test: \"make test\"") && message.contains("ONLY='{files}'"), "{message}");
}

/// Files of a project without any notes, its test command, where it comes from, the runner.
const DETECTED: &[(Files<'static>, &str, &str, RunnerKind)] = &[
    (&[("Cargo.toml", "")], "cargo test", "found Cargo.toml", Cargo),
    (
        &[("Cargo.toml", ""), ("package.json", r#"{"scripts":{"build":"x"}}"#)],
        "cargo test",
        "found Cargo.toml",
        Cargo,
    ),
    (&[("Cargo.toml", ""), ("package.json", "not json")], "cargo test", "found Cargo.toml", Cargo),
    (
        &[("package.json", NODE_SCRIPT)],
        "node --test test/",
        "found package.json, `npm test` in package.json",
        Node,
    ),
    (
        &[("package.json", r#"{"scripts":{"test":"vitest run"}}"#)],
        "vitest run",
        "found package.json, `npm test` in package.json",
        Vitest,
    ),
    (
        &[("package.json", r#"{"devDependencies":{"vitest":"4","jest":"30"}}"#)],
        "npx vitest run",
        "found vitest in package.json",
        Vitest,
    ),
    (
        &[("package.json", r#"{"devDependencies":{"jest":"30"}}"#), ("bun.lock", "")],
        "npx jest",
        "found jest in package.json",
        Jest,
    ),
    (&[("package.json", "{}"), ("bun.lock", "")], "bun test", "found bun.lock", Bun),
    (
        &[("package.json", "{}"), ("src/a.test.ts", "import { test } from 'bun:test';")],
        "bun test",
        "found src/a.test.ts",
        Bun,
    ),
    (
        &[("package.json", "{}"), ("test/a.test.mjs", "import test from \"node:test\";")],
        "node --test",
        "found test/a.test.mjs",
        Node,
    ),
    (
        &[("pyproject.toml", "[tool.pytest.ini_options]\n")],
        "python3 -m pytest",
        "found pyproject.toml",
        Pytest,
    ),
    (
        &[("pyproject.toml", "[dependency-groups]\ndev=['pytest>=8']\n")],
        "python3 -m pytest",
        "found pyproject.toml",
        Pytest,
    ),
    (&[("pytest.ini", "")], "python3 -m pytest", "found pytest.ini", Pytest),
    (&[("go.mod", "module x")], "go test ./...", "found go.mod", RunnerKind::Go),
    (&[("setup.py", ""), ("tests/conftest.py", "")], "python3 -m pytest", "found setup.py", Pytest),
    (
        &[("tests/test_a.py", "def test_a():\n    pass\n")],
        "python3 -m pytest",
        "found tests/test_a.py",
        Pytest,
    ),
    (&[("tests/test_a.py", "import pytest\n")], "python3 -m pytest", "found tests/test_a.py", Pytest),
    (&[("pyproject.toml", "# not pytest\n")], "python3 -m unittest", "found pyproject.toml", Unittest),
    (
        &[("tests/test_a.py", "import unittest\n")],
        "python3 -m unittest discover -s tests",
        "found tests/test_a.py",
        Unittest,
    ),
    (
        &[("tests/__init__.py", ""), ("tests/test_a.py", "import unittest\n")],
        "python3 -m unittest",
        "found tests/test_a.py",
        Unittest,
    ),
];

#[test]
fn the_projects_own_files_are_the_last_resort() {
    for (files, command, source, kind) in DETECTED {
        assert_eq!(chosen(files), format!("{command} | {source} | {command} | {source} | {kind}"));
    }
}

#[test]
fn what_cannot_be_found_or_selected_is_said_with_what_to_set() {
    let reminder = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
    for (files, parts) in [
        (&[] as Files<'_>, &["no test command was found", "--test"] as &[&str]),
        (&[("CLAUDE.md", notes!("none"))], &["no test command was found"]),
        (&[("package.json", reminder)], &["no test command was found"]),
        (
            &[("package.json", r#"{"scripts":{"test":"tsc && vitest run"}}"#)],
            &["`npm test` (found package.json)", "kind: junit"],
        ),
        (
            // A hook would not run when the script is taken apart.
            &[("package.json", r#"{"scripts":{"test":"node --test","pretest":"tsc"}}"#)],
            &["`npm test`", "tdd.yaml"],
        ),
    ] {
        let message = refused(files);
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}

/// Whether one of the scripts below runs more than its runner.
fn is_list(command: &str) -> bool {
    matches!(command, "pnpm vitest" | "npm run all")
}

#[test]
fn scripts_are_resolved_only_when_they_are_one_plain_call() {
    let package = r#"{"scripts":{"test":"node --test","unit":"NODE_ENV=test node --test unit/","all":"node --test && x",
        "jest":"jest --config x","vitest":"vitest run && x","bun":"bun test src"}}"#;
    for (command, want) in [
        ("npm test", Some("node --test")),
        ("npm t --silent", Some("node --test")),
        ("yarn test", Some("node --test")),
        ("pnpm run unit", Some("NODE_ENV=test node --test unit/")),
        ("bun run unit", Some("NODE_ENV=test node --test unit/")),
        ("npm test -- test/a.js", Some("node --test test/a.js")),
        ("yarn jest", Some("jest --config x")),
        ("pnpm vitest", Some("vitest run")),
        ("npm run bun", Some("bun test src")),
        ("bun test", Some("bun test")),
        ("npm run all", Some("node --test")),
        ("npm run missing", None),
        ("npm test --watch", None),
        ("npm test -- 'a b'", None),
        ("npm ci && npm test", None),
    ] {
        let args = RunArgs { test: Some(command.into()), ..RunArgs::default() };
        let got = ask(&[("package.json", package)], &args).ok().map(|chosen| chosen.commands);
        assert_eq!(got.as_ref().map(|commands| commands.test.as_str()), want, "{command}");
        if let Some(commands) = got {
            let runner = match command {
                "yarn jest" => Jest,
                "npm run bun" | "bun test" => Bun,
                "pnpm vitest" => Vitest,
                _ => Node,
            };
            let gate = if is_list(command) { command } else { commands.test.as_str() };
            assert_eq!((commands.gate.as_str(), commands.runner), (gate, runner), "{command}");
        }
    }
}

#[test]
fn a_folder_in_the_place_of_a_file_is_no_file() {
    assert_eq!(
        chosen(&[("CLAUDE.md/x", ""), ("Cargo.toml", "")]),
        "cargo test | found Cargo.toml | cargo test | found Cargo.toml | cargo"
    );
}
