use super::*;

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../../fixtures/claude-md/", $name, ".md"))
    };
}

fn one(command: &str, line: usize) -> Pick {
    Pick::One(Named { command: command.to_owned(), line })
}

fn several(named: &[(&str, usize)]) -> Pick {
    let named = named.iter().map(|(command, line)| Named { command: (*command).to_owned(), line: *line });
    Pick::Several(named.collect())
}

#[test]
fn the_shapes_of_real_files_are_read() {
    let npm_gate = one("npm run typecheck && npm run lint && npm test", 10);
    for (name, text, test, gate) in [
        ("one-block", fixture!("one-block"), one("cargo test", 8), Pick::Nothing),
        ("gate-joined", fixture!("gate-joined"), one("npm test", 6), npm_gate),
        (
            "commented-block",
            fixture!("commented-block"),
            one("uv run pytest -q", 10),
            one("uv run ruff check . && uv run pytest -q", 19),
        ),
        ("prose", fixture!("prose"), one("bun test", 3), one("bun test", 3)),
        ("template", fixture!("template"), Pick::CommentedOut(8), Pick::CommentedOut(12)),
        (
            "ambiguous",
            fixture!("ambiguous"),
            several(&[("cargo test --workspace", 6), ("cargo test --workspace --all-features", 7)]),
            Pick::Nothing,
        ),
        ("none", fixture!("none"), Pick::Nothing, Pick::Nothing),
        ("table", fixture!("table"), one("python3 -m pytest", 7), one("python3 -m pytest && ruff check", 12)),
        ("html-comment-template", fixture!("html-comment-template"), Pick::CommentedOut(6), Pick::Nothing),
        ("other-languages", fixture!("other-languages"), one("cargo test --workspace", 11), Pick::Nothing),
        (
            "two-gates",
            fixture!("two-gates"),
            one("cargo test", 5),
            several(&[("cargo test", 7), ("cargo xtask ci", 7)]),
        ),
    ] {
        assert_eq!(read(text), KeyCommands { test, gate }, "{name}");
        let crlf = text.replace('\n', "\r\n");
        assert_eq!(read(&crlf), read(text), "{name} with CR LF");
    }
}

#[test]
fn small_files_show_one_rule_each() {
    let section = |body: &str| format!("# Key Commands\n{body}\n");
    for (body, test, gate) in [
        // A gate whose parts hold one test command names it.
        (
            "Gating rule: `cargo fmt --check && cargo test`",
            one("cargo test", 2),
            one("cargo fmt --check && cargo test", 2),
        ),
        ("Gating rule: `make check`", one("make check", 2), one("make check", 2)),
        (
            "Gating rule: `pytest a && pytest b`",
            several(&[("pytest a", 2), ("pytest b", 2)]),
            one("pytest a && pytest b", 2),
        ),
        // The gate decides between two.
        (
            "- `cargo test`\n- `cargo test --release`\n\nGating rule: `cargo test` && `cargo clippy`",
            one("cargo test", 2),
            one("cargo test && cargo clippy", 5),
        ),
        // One command that is not known as a test is it, unless its words say something else.
        ("```\nmake check\n```", one("make check", 3), Pick::Nothing),
        ("```\nnpm run dev\n```", Pick::Nothing, Pick::Nothing),
        ("```\nmake build\n```", Pick::Nothing, Pick::Nothing),
        ("```sh\nnpm test -- --watch\n```", Pick::Nothing, Pick::Nothing),
        // Placeholders and comments.
        ("```sh\n<test command>\n```", Pick::CommentedOut(3), Pick::Nothing),
        ("- Test: `[your command]`", Pick::CommentedOut(2), Pick::Nothing),
        ("```sh\n# run all tests\n```", Pick::Nothing, Pick::Nothing),
        ("```sh\n# cargo test\n```\n```sh\ncargo test -q\n```", one("cargo test -q", 6), Pick::Nothing),
        // The label stands above, behind or beside.
        ("```sh\nmake lint   # style\nmake verify   # test\n```", one("make verify", 4), Pick::Nothing),
        ("```sh\n# Test\n./scripts/t\n\n./scripts/x\n```", one("./scripts/t", 4), Pick::Nothing),
        (
            "**Test:**\n\n```sh\n./scripts/t\n```\n\n**Lint:**\n\n```sh\n./scripts/l\n```",
            one("./scripts/t", 5),
            Pick::Nothing,
        ),
        ("1. `cargo build`\n2. `cargo test`", one("cargo test", 3), Pick::Nothing),
        // The fence of a rule is the gate's, not another candidate.
        (
            "```sh\npytest -q\n```\n**Gating rule**\n```sh\nruff check\npytest -q --strict\n```",
            one("pytest -q", 3),
            one("ruff check && pytest -q --strict", 7),
        ),
        // A mark in code opens no comment; a rule below an item makes no heading of it.
        ("Tests hold the `<!--` mark.\n- `make check`", one("make check", 3), Pick::Nothing),
        ("1. `go test ./...`\n---", one("go test ./...", 2), Pick::Nothing),
        ("- Test: `npm test` <!-- not\n  `npm run watch` -->", one("npm test", 2), Pick::Nothing),
        // Fences count at any margin.
        ("Test:\n\n    ```sh\n    cargo test\n    ```", one("cargo test", 5), Pick::Nothing),
        // Verbs between, other sentences, and what is no command.
        (
            "**Gating rule**: `cargo test` must pass and `cargo clippy` must pass. Then `make docs`.",
            one("cargo test", 2),
            one("cargo test && cargo clippy", 2),
        ),
        ("Gating rule: run `make check` before `git commit`", one("make check", 2), one("make check", 2)),
        ("Gating rule: see `docs/rules.md`", Pick::Nothing, Pick::Nothing),
    ] {
        assert_eq!(read(&section(body)), KeyCommands { test, gate }, "{body}");
    }
}

#[test]
fn a_dot_behind_a_blank_is_an_argument() {
    let section = |body: &str| format!("# Key Commands\n{body}\n");
    for (rule, gate) in [
        (
            "**Gating rule:** `python3 -m pytest` && `sh check.sh .` must pass.",
            "python3 -m pytest && sh check.sh .",
        ),
        ("Gating rule: `python3 -m pytest && ruff check .`", "python3 -m pytest && ruff check ."),
        ("Gating rule: `eslint .`", "eslint ."),
        ("Gating rule: `eslint ..` must pass.", "eslint .."),
        ("Gating rule: `pytest .`", "pytest ."),
        ("Gating rule: `pytest ./` and `go vet ./...`.", "pytest ./ && go vet ./..."),
        ("Every change must pass `ruff check .`.", "ruff check ."),
        ("Gating rule: `cd app && ruff check .`", "cd app && ruff check ."),
    ] {
        assert_eq!(read(&section(rule)).gate, one(gate, 2), "{rule}");
    }
    for command in ["pytest .", "python3 -m pytest .", "go test ./...", ".venv/bin/pytest ."] {
        assert_eq!(read(&section(&format!("- Test: `{command}`"))).test, one(command, 2), "{command}");
        assert_eq!(read(&section(&format!("```\n{command}\n```"))).test, one(command, 3), "{command}");
    }
    for prose in ["make it so.", "go ahead:", "pytest ...", "cd app", "make tests pass?"] {
        assert_eq!(read(&section(&format!("- `{prose}`"))).test, Pick::Nothing, "{prose}");
        assert_eq!(read(&section(&format!("Gating rule: `{prose}`"))).gate, Pick::Nothing, "{prose}");
    }
}

#[test]
fn a_test_command_with_other_calls_around_it_is_still_the_test_command() {
    let section = |body: &str| format!("# Key Commands\n{body}\n");
    for command in [
        "cd app && python3 -m pytest -x",
        "cd build && ctest",
        "(cd app && pytest)",
        "source .venv/bin/activate && pytest",
        ". .venv/bin/activate; pytest",
        "pip install -e . && pytest",
        "npm test -- --coverage",
        "mytool verify --all",
    ] {
        let item = read(&section(&format!("- Test: `{command}`"))).test;
        assert_eq!(item, one(command, 2), "{command}");
        let fence = read(&section(&format!("```sh\n# Test\n{command}\n```"))).test;
        assert_eq!(fence, one(command, 4), "{command}");
    }
    for (body, test) in [
        ("```\n# Test\ncd app && python3 -m pytest -x\n```", one("cd app && python3 -m pytest -x", 4)),
        ("```sh\n# Test\ncd app   # there\npytest -x\n```", one("cd app && pytest -x", 5)),
        ("```sh\ncd app\n\n# Test\npytest -x\n```", one("pytest -x", 6)),
        ("```sh\n# Test\nnpm run test:watch\n```", Pick::Nothing),
        ("- Test: `npm test`\n- Test too: `npm test -- --coverage`", one("npm test", 2)),
        ("- Tests: `tests/`", Pick::Nothing),
        ("- Test helpers: `helper functions`", Pick::Nothing),
    ] {
        assert_eq!(read(&section(body)).test, test, "{body}");
    }
}

#[test]
fn the_section_ends_and_hostile_files_do_no_harm() {
    let text = "## Key Commands\n\n## Other\n\n```sh\ncargo test\n```\n";
    assert_eq!(read(text).test, Pick::Nothing);
    let text = "```\n# Key Commands\ncargo test\n```\n";
    assert_eq!(read(text).test, Pick::Nothing);
    for text in [
        "",
        "`",
        "# Key Commands\n```sh\ncargo test \\",
        "# Key Commands\n- ``",
        "<!--",
        "Gating rule: `",
        "é`".repeat(9).as_str(),
    ] {
        let _ = read(text);
    }
    // The language is kept once, not once a line.
    let huge = format!("# Key Commands\n```{}\n{}", "x".repeat(MAX_BYTES / 2), "a\n".repeat(MAX_BYTES / 4));
    assert_eq!(read(&huge).test, Pick::Nothing);
    let huge = format!("# Key Commands\n{}", "- `é` ".repeat(400_000));
    assert_eq!(read(&huge).test, Pick::Nothing);
}
