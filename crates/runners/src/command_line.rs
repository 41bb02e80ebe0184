//! A shell command line as far as it is one plain runner call.
//!
//! ```text
//! line    = assignment* wrapper* call
//! wrapper = "env" assignment* | "uv" "run" option* | ("poetry" | "pdm" | "pipenv" | "rye" | "hatch") "run"
//!         | ("npx" | "bunx" | "pnpx") ("--no-install" | "--no" | "--yes" | "-y" | "--bun" | "--")*
//!         | ("npm" | "pnpm" | "yarn") "exec" ["--"] | ("pnpm" | "yarn") [ before vitest or jest ]
//!         | "bun" "x" | "cross-env" assignment*
//! call    = whatever some runner says is a call of it (`runner/<name>/facts.rs`)
//! word    = plain characters, 'quoted', "quoted" or \escaped ones
//! ```
//!
//! Anything that the shell would do more with is no plain call, so that a selection can be added
//! to the end of the line and means what it seems to mean: lists, pipelines, subshells,
//! redirections, substitutions, expansions of braces and homes, comments, a line break. Unquoted
//! `*`, `?` and `[` may stand: they name files, and the adapters expand them.

mod call;
pub mod checker;
pub mod harmless;
mod node_options;
pub mod parts;
mod words;

use tdd_core::commands::RunnerKind;

pub use call::{RunnerCall, quote, read_as, typed};
pub use node_options::{NODE_REPORTERS, NODE_WITH_VALUE};
pub use words::words;

/// Which runner a shell line calls, if it is nothing but that one call.
pub fn recognise(command: &str) -> Option<RunnerKind> {
    call::read(command).map(|(kind, _)| kind)
}

/// The words of the one call that a line makes, without what stands before it.
pub(super) fn plain_call(command: &str) -> Option<Vec<String>> {
    let words = words(command)?;
    Some(without_launchers(&words).to_vec())
}

/// The words behind all assignments and wrappers.
fn without_launchers(words: &[String]) -> &[String] {
    let mut rest = words;
    loop {
        rest = without_assignments(rest);
        match without_wrapper(rest) {
            Some(inner) => rest = inner,
            None => return rest,
        }
    }
}

/// A call that only measures another one, or sets its environment, taken apart: the words to keep, with a
/// blank behind them, and the call inside. `is_followed` says which calls are of interest.
///
/// ```text
/// wrapped = kept* ( ("c8" | "nyc") option* inner | python "-m" "coverage" "run" option* "-m" module … )
///         | ( assignment | "cross-env" | "env" )+ inner
/// ```
pub fn unwrapped(call: &str, is_followed: &dyn Fn(&str) -> bool) -> Option<(String, String)> {
    let written = parts::written(call);
    let rest = plain_call(call)?;
    let program = written.len().checked_sub(rest.len())?;
    let kept = written.get(..program)?;
    let text = |words: &[&str]| words.iter().fold(String::new(), |text, word| text + word + " ");
    let inner_from = |from: usize| {
        let inner: Vec<usize> = (from..written.len()).collect();
        let found = inner.into_iter().map(|at| written[at..].join(" ")).find(|inner| is_followed(inner))?;
        Some((text(kept), found))
    };
    match base_name(rest.first()?) {
        "c8" | "nyc" => inner_from(program + 1),
        "coverage" if rest.get(1)? == "run" => {
            let python = if kept.iter().all(|word| is_assignment(word)) { "python3" } else { "python" };
            let module = program + rest.iter().position(|word| word == "-m")?;
            Some((text(kept), format!("{python} {}", written[module..].join(" "))))
        }
        name if is_python(name) && rest.iter().any(|word| word == "coverage") => {
            let coverage = rest.iter().position(|word| word == "coverage")?;
            let module = coverage + rest[coverage..].iter().position(|word| word == "-m")?;
            let is_run = rest.get(coverage - 1)? == "-m" && rest.get(coverage + 1)? == "run";
            let python = text(&written[program..program + coverage - 1]);
            is_run.then(|| (text(kept), format!("{python}{}", written[program + module..].join(" "))))
        }
        _ => {
            let sets = |word: &&str| is_assignment(word) || matches!(base_name(word), "cross-env" | "env");
            let inner = written[program..].join(" ");
            let is_set = !kept.is_empty() && kept.iter().all(sets);
            (is_set && is_followed(&inner)).then(|| (text(kept), inner))
        }
    }
}

fn without_assignments(words: &[String]) -> &[String] {
    let count = words.iter().take_while(|word| is_assignment(word)).count();
    &words[count..]
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    first && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// What a wrapper runs, if the words begin with one that changes nothing but the environment.
fn without_wrapper(words: &[String]) -> Option<&[String]> {
    let (program, rest) = words.split_first()?;
    match base_name(program) {
        "env" => rest.first().filter(|word| !word.starts_with('-')).map(|_| rest),
        "uv" => Some(after_uv_options(strip(rest, &["run"])?)),
        "hatch" if matches!(rest.first().map(String::as_str), Some("-e" | "--env")) => {
            strip(rest.get(2..)?, &["run"])
        }
        "poetry" | "pdm" | "pipenv" | "rye" | "hatch" => strip(rest, &["run"]),
        "npx" | "bunx" | "pnpx" => Some(after_flags(rest)),
        "bun" => strip(rest, &["x"]).map(after_flags),
        "npm" => strip(rest, &["exec"]).map(after_flags),
        "pnpm" | "yarn" => {
            let named = rest.first().filter(|word| is_package(word)).map(|_| rest);
            named.or_else(|| strip(rest, &["exec"]).map(after_flags))
        }
        // Its assignments are taken off like those at the start of the line.
        "cross-env" => Some(rest),
        _ => None,
    }
}

fn after_flags(words: &[String]) -> &[String] {
    let flags = ["--no-install", "--no", "--yes", "-y", "--bun", "--"];
    let count = words.iter().take_while(|word| flags.contains(&word.as_str())).count();
    &words[count..]
}

fn strip<'a>(words: &'a [String], first: &[&str]) -> Option<&'a [String]> {
    let (word, rest) = words.split_first()?;
    first.contains(&word.as_str()).then_some(rest)
}

const UV_WITH_VALUE: &[&str] = &[
    "--with",
    "--with-editable",
    "--extra",
    "--group",
    "--only-group",
    "--no-group",
    "--python",
    "-p",
    "--project",
    "--directory",
    "--package",
    "--env-file",
    "--no-extra",
];

fn after_uv_options(words: &[String]) -> &[String] {
    let mut rest = words;
    while let Some((word, after)) = rest.split_first() {
        if word == "--" {
            return after;
        }
        if !word.starts_with('-') {
            break;
        }
        let skip = usize::from(UV_WITH_VALUE.contains(&word.as_str()));
        rest = after.get(skip..).unwrap_or_default();
    }
    rest
}

pub(crate) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// `cargo` options before the subcommand that take a value of their own.
pub(crate) const CARGO_WITH_VALUE: &[&str] = &["--color", "--config", "-Z", "-C"];

fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python");
    version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// A runner that a package brings, by the name of its program or of the file behind it.
fn is_package(name: &str) -> bool {
    matches!(name, "vitest" | "vitest.mjs" | "jest" | "jest.js")
}

#[cfg(test)]
mod tests {
    use super::*;

    use RunnerKind::{Bun, Cargo, Jest, Nextest, Node, Pytest, Unittest, Vitest};

    #[test]
    fn plain_calls_are_recognised() {
        for (command, want) in [
            ("cargo test", Cargo),
            ("cargo t --workspace", Cargo),
            ("  cargo +nightly --locked -q test --all-features -- --nocapture ", Cargo),
            ("RUST_BACKTRACE=1 FOO='a b' cargo test", Cargo),
            ("env RUST_BACKTRACE=1 cargo test", Cargo),
            ("/usr/bin/cargo test", Cargo),
            ("cargo --config net.offline=true test", Cargo),
            ("cargo --color never test", Cargo),
            ("node --experimental-config-file c.json --test", Node),
            ("node --max-old-space-size 4096 --tsconfig t.json --test a.js", Node),
            ("cargo nextest run", Nextest),
            ("cargo +stable --locked nextest r --workspace -E 'test(a)'", Nextest),
            ("pytest", Pytest),
            ("pytest -q tests/", Pytest),
            ("pytest -k 'not slow and (a or b)'", Pytest),
            ("py.test", Pytest),
            ("python -m pytest", Pytest),
            ("python3 -m pytest -x", Pytest),
            ("python3.12 -B -W error -m pytest", Pytest),
            ("./.venv/bin/python -m pytest", Pytest),
            ("uv run pytest", Pytest),
            ("uv run --group dev --frozen python -m pytest", Pytest),
            ("uv run -- pytest", Pytest),
            ("poetry run pytest", Pytest),
            ("PYTHONPATH=src uv run pytest", Pytest),
            ("poetry run python -m unittest discover -s tests", Unittest),
            ("python3 -m unittest", Unittest),
            ("go test ./...", RunnerKind::Go),
            ("CGO_ENABLED=0 go test -race -run '^TestA$' ./core", RunnerKind::Go),
            ("go test ./... -args -c x.go", RunnerKind::Go),
            ("deno test -A src/", RunnerKind::Deno),
            ("FOO=1 deno test -- --watch", RunnerKind::Deno),
            ("node --test", Node),
            ("node --import tsx --test test/", Node),
            ("npx node --test", Node),
            ("NODE_ENV=test node --test \"test/**/*.test.js\"", Node),
            ("/usr/bin/node --no-warnings --test test/*.test.js", Node),
            ("vitest", Vitest),
            ("npx vitest run", Vitest),
            ("npx --no-install vitest --coverage src", Vitest),
            ("pnpm vitest", Vitest),
            ("pnpm exec vitest run", Vitest),
            ("npm exec -- vitest run", Vitest),
            ("bunx --bun vitest run", Vitest),
            ("bun x vitest", Vitest),
            ("./node_modules/.bin/vitest run", Vitest),
            ("node node_modules/vitest/vitest.mjs run", Vitest),
            ("jest", Jest),
            ("yarn jest --runInBand", Jest),
            ("cross-env NODE_ENV=test TZ=UTC jest", Jest),
            ("NODE_OPTIONS=--experimental-vm-modules npx jest", Jest),
            ("node --experimental-vm-modules node_modules/jest/bin/jest.js -i", Jest),
            ("bun test", Bun),
            ("bun --env-file .env.test test src", Bun),
            ("bunx bun test", Bun),
        ] {
            assert_eq!(recognise(command), Some(want), "{command}");
        }
    }

    #[test]
    fn anything_more_than_one_call_is_not() {
        for command in [
            "",
            "   ",
            "make test",
            "npm test",
            "cargo build",
            "cargo nextest list",
            "cargo nextest run --no-run",
            "cargo nextest",
            "cargo test --no-run",
            "cargo test --doc",
            "cargo",
            "cargo +nightly",
            "cargo --config",
            "cargo test && cargo clippy",
            "cargo test; true",
            "cargo test | tee log",
            "cargo test > log",
            "cargo test 2>&1",
            "cargo test &",
            "(cargo test)",
            "cargo test $ARGS",
            "cargo test `cat args`",
            "cargo test \"$(cat args)\"",
            "cargo test # all",
            "cargo test\ncargo test",
            "cargo test \\\n --all",
            "cargo test 'unclosed",
            "cargo test \"unclosed",
            "cargo test \\",
            "! cargo test",
            "sh -c 'cargo test'",
            "time cargo test",
            "echo cargo test",
            "FOO=bar",
            "env -i cargo test",
            "uv run",
            "uv pip install pytest",
            "poetry run",
            "python tests/run.py",
            "python -c 'import pytest' -m pytest",
            "python -m",
            "pytest ~/x",
            "pytest {a,b}",
            "python -m coverage run -m pytest",
            "pytest --collect-only",
            "pythonista -m pytest",
            "node test.js --test",
            "node --watch --test",
            "node --import",
            "node --import --test",
            "deno run test.ts",
            "deno test --no-run",
            "a\0b",
        ] {
            assert_eq!(recognise(command), None, "{command}");
        }
    }

    #[test]
    fn a_go_test_is_one_of_packages() {
        for command in [
            "go",
            "go vet ./...",
            "go test -c",
            "go test -list . ./...",
            "go test a.go ./b_test.go",
            "go test --exec=x",
        ] {
            assert_eq!(recognise(command), None, "{command}");
        }
    }

    #[test]
    fn calls_of_packages_that_judge_no_test_are_not() {
        for command in [
            "pnpm test",
            "yarn test",
            "yarn run jest",
            "bun run test",
            "bun install",
            "bun test --watch",
            "bun",
            "vitest verification",
            "vitest related src/a.ts",
            "npx jest --listTests",
            "jest && vitest run",
            "npx mocha",
        ] {
            assert_eq!(recognise(command), None, "{command}");
        }
    }

    #[test]
    fn words_are_split_as_the_shell_splits_them() {
        let split = |text: &str| words(text).unwrap();
        assert_eq!(
            split(r#"a 'b c' "d \" e" f\ g h'i'j '' "\x""#),
            ["a", "b c", "d \" e", "f g", "hij", "", "\\x"]
        );
        assert_eq!(split("a* b~ '#'"), ["a*", "b~", "#"]);
        assert_eq!(words(&"x".repeat(16 * 1024 + 1)), None);
    }
}
