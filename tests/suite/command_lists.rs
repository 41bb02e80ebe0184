//! Scripts as well-known projects have them: which call in them is the test runner's, and what is said
//! where none can be chosen.
#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

use tdd::cli::RunArgs;
use tdd::text::config;
use tdd_core::commands::RunnerKind;
use tdd_core::trouble::Trouble;

use crate::commands::{Files, ask};

/// `scripts` of a `package.json`.
type Scripts<'a> = &'a [(&'a str, &'a str)];

/// `test | gate | runner`, or the message, its lines as they are to be pasted.
fn told(command: &str, files: Files<'_>) -> Result<String, String> {
    let args = RunArgs { test: Some(command.to_owned()), ..RunArgs::default() };
    let chosen = ask(files, &args).map_err(|trouble| {
        let Trouble { what, why, next, .. } = trouble;
        format!("{what}\n{why}\n{next}")
    })?;
    let commands = chosen.commands;
    Ok(format!("{} | {} | {}", commands.test, commands.gate, commands.runner))
}

fn package(scripts: Scripts<'_>) -> String {
    let scripts: serde_json::Map<String, serde_json::Value> =
        scripts.iter().map(|(name, line)| ((*name).to_owned(), (*line).into())).collect();
    serde_json::json!({ "scripts": scripts }).to_string()
}

/// `scripts` of a `package.json`, and what `npm test` is. The shapes are those of real projects.
const CHOSEN: &[(Scripts<'static>, &str)] = &[
    (&[("test", "vitest")], "vitest | vitest | vitest"),
    (&[("test", "eslint . && vitest run")], "vitest run | npm test | vitest"),
    (
        &[("test", "npm run lint && npm run test:unit"), ("lint", "eslint ."), ("test:unit", "jest")],
        "jest | npm test | jest",
    ),
    (&[("test", "node --test && tsc")], "node --test | npm test | node"),
    (&[("test", "xo && c8 node --test && tsd")], "node --test | npm test | node"),
    (
        &[("test", "c8 --reporter=lcov --check-coverage node --test test/")],
        "node --test test/ | npm test | node",
    ),
    (&[("test", "nyc --reporter lcov jest -i")], "jest -i | npm test | jest"),
    (
        &[("test", "cross-env NODE_ENV=test jest")],
        "cross-env NODE_ENV=test jest | cross-env NODE_ENV=test jest | jest",
    ),
    (
        &[("test", "cross-env NODE_ENV=test c8 node --test")],
        "cross-env NODE_ENV=test node --test | npm test | node",
    ),
    (&[("test", "npx c8 jest")], "npx jest | npm test | jest"),
    (
        &[
            ("test", "run-s lint test:*"),
            ("lint", "eslint ."),
            ("test:unit", "vitest run"),
            ("test:types", "tsd"),
        ],
        "vitest run | npm test | vitest",
    ),
    (
        &[("test", "run-p lint unit"), ("lint", "prettier --check ."), ("unit", "node --test")],
        "node --test | npm test | node",
    ),
    (
        &[("test", "npm-run-all --parallel 'lint -- --fix' unit"), ("lint", "eslint"), ("unit", "jest")],
        "jest | npm test | jest",
    ),
    (
        &[("test", "concurrently \"npm:lint\" \"npm:unit\""), ("lint", "standard"), ("unit", "bun test")],
        "bun test | npm test | bun",
    ),
    (&[("test", "jest"), ("pretest", "npm run lint"), ("lint", "eslint src test")], "jest | npm test | jest"),
    (
        &[("test", "vitest run"), ("posttest", "npm run build"), ("build", "rollup -c")],
        "vitest run | npm test | vitest",
    ),
    (&[("test", "standard && node --test | faucet")], "node --test | npm test | node"),
    (&[("test", "tsc --noEmit && vitest run --typecheck")], "vitest run --typecheck | npm test | vitest"),
    (&[("test", "rimraf coverage && jest --coverage")], "jest --coverage | npm test | jest"),
    (&[("test", "biome check . && bun test")], "bun test | npm test | bun"),
    (
        &[("test", "pnpm lint && pnpm unit"), ("lint", "eslint"), ("unit", "vitest --run")],
        "vitest --run | npm test | vitest",
    ),
    (&[("test", "yarn lint && yarn jest"), ("lint", "eslint")], "yarn jest | npm test | jest"),
    (
        &[("test", "npm run test:all"), ("test:all", "npm run test:unit"), ("test:unit", "vitest run")],
        "vitest run | vitest run | vitest",
    ),
    (
        &[("test", "npm run lint; npm run unit"), ("lint", "eslint"), ("unit", "node --test")],
        "node --test | npm test | node",
    ),
    (
        &[("test", "NODE_OPTIONS=--experimental-vm-modules npm run unit"), ("unit", "jest")],
        "NODE_OPTIONS=--experimental-vm-modules jest | npm test | jest",
    ),
    (&[("test", "attw --pack . && publint && vitest run")], "vitest run | npm test | vitest"),
];

#[test]
fn the_runners_call_of_a_list_is_the_test_command_and_the_whole_the_gate() {
    for (scripts, want) in CHOSEN {
        let file = package(scripts);
        let got = told("npm test", &[("package.json", &file)])
            .unwrap_or_else(|message| panic!("{scripts:?}\n{message}"));
        assert_eq!(got, *want, "{scripts:?}");
    }
}

#[test]
fn the_first_line_says_whose_part_it_is() {
    let file = package(&[("test", "eslint . && vitest run")]);
    let commands = ask(&[("package.json", &file)], &RunArgs::default()).unwrap().commands;
    assert_eq!(
        commands.test_source,
        "found package.json: scripts.test of package.json, the runner's part of `eslint . && vitest run`"
    );
    assert_eq!((commands.gate.as_str(), commands.gate_source.as_str()), ("npm test", "found package.json"));
    let args = RunArgs { gate: Some("npm run ci".to_owned()), ..RunArgs::default() };
    let commands = ask(&[("package.json", &file)], &args).unwrap().commands;
    assert_eq!(
        (commands.test.as_str(), commands.gate.as_str()),
        ("vitest run", "npm run ci"),
        "a named gate stays"
    );
}

/// A command, a file, and what they are.
const ELSEWHERE: &[(&str, (&str, &str), &str)] = &[
    ("ruff check . && pytest", ("x", ""), "pytest | ruff check . && pytest | pytest"),
    ("coverage run -m pytest -q", ("x", ""), "python3 -m pytest -q | coverage run -m pytest -q | pytest"),
    (
        "python -m coverage run --source a -m unittest",
        ("x", ""),
        "python -m unittest | python -m coverage run --source a -m unittest | unittest",
    ),
    (
        "uv run coverage run -m pytest",
        ("x", ""),
        "uv run python -m pytest | uv run coverage run -m pytest | pytest",
    ),
    (
        "uv run --with pytest pytest -q",
        ("x", ""),
        "uv run --with pytest pytest -q | uv run --with pytest pytest -q | pytest",
    ),
    ("hatch -e test run pytest", ("x", ""), "hatch -e test run pytest | hatch -e test run pytest | pytest"),
    ("pdm run pytest", ("x", ""), "pdm run pytest | pdm run pytest | pytest"),
    (
        "cargo fmt --check && cargo clippy && cargo test",
        ("x", ""),
        "cargo test | cargo fmt --check && cargo clippy && cargo test | cargo",
    ),
    ("go vet ./... && go test ./...", ("x", ""), "go test ./... | go vet ./... && go test ./... | go"),
    (
        "make test",
        ("Makefile", ".PHONY: test\ntest: lint\n\tgo test -race ./...\nlint:\n\tgolangci-lint run\n"),
        "go test -race ./... | make test | go",
    ),
    (
        "make test",
        ("Makefile", "PY ?= python3\ntest:\n\t@$(PY) -m pytest $(ARGS)\n"),
        "python3 -m pytest | python3 -m pytest | pytest",
    ),
    (
        "make check",
        ("GNUmakefile", "check:\n\t$(MAKE) unit\nunit:\n\tcargo test --workspace\n"),
        "cargo test --workspace | cargo test --workspace | cargo",
    ),
    (
        "just test",
        ("justfile", "lint:\n    ruff check .\n\ntest *args: lint\n    uv run pytest {{args}}\n"),
        "uv run pytest | just test | pytest",
    ),
    (
        "task test",
        ("Taskfile.yml", "tasks:\n  test:\n    cmds: [go vet ./..., go test ./...]\n"),
        "go test ./... | task test | go",
    ),
];

#[test]
fn lists_and_targets_of_other_languages_are_taken_apart_as_well() {
    for (command, file, want) in ELSEWHERE {
        let got = told(command, &[*file]).unwrap_or_else(|message| panic!("{command}\n{message}"));
        assert_eq!(got, *want, "{command} {file:?}");
    }
}

/// `scripts`, and what the message must hold.
const REFUSED: &[(Scripts<'static>, &[&str])] = &[
    (
        &[("test", "jest && vitest run")],
        &["more than one command", "scripts.test of package.json: jest", "vitest run"],
    ),
    (
        &[("test", "run-s unit e2e"), ("unit", "vitest run"), ("e2e", "vitest run -c e2e.ts")],
        &["more than one", "scripts.e2e of package.json: vitest run -c e2e.ts"],
    ),
    (
        &[("test", "npm run build && vitest run"), ("build", "rollup -c")],
        &[
            "don't load what `rollup -c` makes",
            "test: \"vitest run\"",
            "gate: \"npm test\"",
            "all: \"rollup -c && vitest run --reporter=junit",
        ],
    ),
    (
        &[("test", "tsc && node --test dist/")],
        &["test: \"node --test dist/\"", "all: \"tsc && node --test --test-reporter=junit"],
    ),
    (&[("test", "jest || true")], &["kind: exit-code"]),
    (&[("test", "node server.js & jest")], &["kind: exit-code"]),
    (&[("test", "node test.js")], &["kind: junit"]),
    (&[("test", "npm test")], &["kind: junit"]),
    (
        &[("test", "mocha")],
        &[
            "`mocha` (mocha)",
            "all: \"mocha --reporter xunit --reporter-options output=.tdd-report.xml\"",
            "gate: \"npm test\"",
        ],
    ),
    (&[("test", "xo && c8 ava")], &["kind: tap", "select: \"ava --tap {files}\"", "gate: \"npm test\""]),
    (
        &[("test", "npm run build && tap"), ("build", "tshy")],
        &["all: \"tshy && tap --reporter=tap --disable-coverage\""],
    ),
    (
        &[("test", "nyc tape 'test/**/*.js'"), ("posttest", "eclint check $(git ls-files | xargs ls)")],
        &["kind: tap", "all: \"tape 'test/**/*.js'\"", "select: \"tape {files}\""],
    ),
    (
        &[("test", "tape test/*.js"), ("pretest", "evalmd $(ls *.md)")],
        &["all: \"(evalmd $(ls *.md)) && tape test/*.js\""],
    ),
    // A runner may be in what can't be read.
    (&[("test", "tape test/*.js"), ("posttest", "(cd more && jest)")], &["select: \"npm test {files}\""]),
    (&[("test", "standard && tape test/*.js | tap-spec")], &["kind: tap", "select: \"tape {files}\""]),
];

#[test]
fn what_cannot_be_chosen_is_said_with_what_to_paste() {
    for (scripts, parts) in REFUSED {
        let file = package(scripts);
        let message = told("npm test", &[("package.json", &file)]).unwrap_err();
        for part in *parts {
            assert!(message.contains(part), "{part}: {message}");
        }
        if !message.contains("more than one") {
            pasted(&message);
        }
    }
}

/// The last suggestion but the one by exit code is a `tdd.yaml` that can be read.
fn pasted(message: &str) {
    let from = message.find("runner:\n").unwrap_or_else(|| panic!("{message}"));
    let from = message[..from].rfind("test: ").unwrap();
    let text = message[from..].split("\nOr, if").next().unwrap();
    let config = config::read("tdd.yaml", text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(config.test, config.runner.map(|runner| runner.all), "{text}");
}

#[test]
fn packages_of_a_workspace_are_listed_with_what_to_do() {
    let root = r#"{"workspaces":["packages/*","tools"],"scripts":{"test":"pnpm -r test"}}"#;
    let files: Files<'_> = &[
        ("package.json", root),
        ("packages/a/package.json", r#"{"scripts":{"test":"vitest run"}}"#),
        ("packages/b/package.json", "{}"),
        ("tools/package.json", r#"{"scripts":{"test":"jest"}}"#),
    ];
    for command in
        ["npm test", "pnpm -r test", "yarn workspaces run test", "npm test --workspaces", "turbo run test"]
    {
        let message = told(command, files).unwrap_err();
        assert!(
            message.contains("  packages/a\n  tools\n") && !message.contains("packages/b"),
            "{command}: {message}"
        );
    }
}

/// Files of a project that names no command, and what is proposed for it.
const FOUND: &[(Files<'static>, &str)] = &[
    (
        &[("phpunit.xml.dist", ""), ("composer.json", "{}")],
        "all: \"vendor/bin/phpunit --log-junit .tdd-report.xml\"",
    ),
    (
        &[(".rspec", ""), ("Gemfile", "")],
        "all: \"bundle exec rspec --format RspecJunitFormatter --out .tdd-report.xml\"",
    ),
    (&[("pom.xml", "")], "report: \"target/surefire-reports/*.xml\""),
    (
        &[("build.gradle.kts", ""), ("gradlew", "")],
        "all: \"./gradlew cleanTest test --no-build-cache --no-daemon\"",
    ),
    (&[("app.csproj", "")], "JunitXml.TestLogger"),
    (&[("Makefile", "test:\n\t./run.sh\n")], "make test ONLY='{files}'"),
];

#[test]
fn projects_of_other_languages_are_known_by_their_files() {
    for (files, part) in FOUND {
        let message = ask(files, &RunArgs::default()).unwrap_err().to_string();
        assert!(message.contains(part), "{part}: {message}");
    }
    let chosen = ask(&[("deno.json", "{}")], &RunArgs::default()).unwrap();
    assert_eq!((chosen.commands.test.as_str(), chosen.commands.runner), ("deno test", RunnerKind::Deno));
    let chosen = ask(&[("Makefile", "test:\n\tcargo test\n")], &RunArgs::default()).unwrap();
    assert_eq!(chosen.commands.test, "cargo test");
}
