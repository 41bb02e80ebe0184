//! Which runner a command line calls: each is asked whether the call is one of its own.

use crate::command_line::{RunnerCall, call_of, plain_call};
use crate::runner::of;
use tdd_core::commands::RunnerKind;

/// Which runner a shell line calls, if it is nothing but that one call.
pub fn recognise(command: &str) -> Option<RunnerKind> {
    let words = plain_call(command)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    RunnerKind::ALL.into_iter().find(|kind| (of(*kind).called_by)(&words).is_some())
}

/// The call of this runner that a line is, whatever starts it; `None` if it is none, or more than one command.
pub fn read_as(kind: RunnerKind, line: &str) -> Option<RunnerCall> {
    call_of(of(kind).called_by, line)
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
    fn calls_are_recognised_with_what_stands_before_them() {
        use RunnerKind::{Bun, Cargo, Jest, Nextest, Node, Pytest, Unittest, Vitest};
        for (kind, line, want) in [
            (Cargo, "cargo test --workspace", Some(("cargo test", "--workspace"))),
            (Cargo, "cargo +nightly -q t", Some(("cargo +nightly -q t", ""))),
            (Cargo, "cargo build", None),
            (Cargo, "cargo nextest run", None),
            (Nextest, "cargo +nightly nextest run -p a", Some(("cargo +nightly nextest run", "-p a"))),
            (Nextest, "cargo nextest list", None),
            (Nextest, "cargo test", None),
            (Pytest, "pytest -x tests", Some(("pytest", "-x tests"))),
            (Pytest, "python3 -m pytest", Some(("python3 -m pytest", ""))),
            (Pytest, "uv run pytest -q", Some(("uv run pytest", "-q"))),
            (Pytest, "PYTHONPATH=src .venv/bin/pytest", Some((".venv/bin/pytest", ""))),
            (Pytest, "python -m unittest", None),
            (Pytest, "pytest && echo", None),
            // The value of a launcher's option is no call.
            (Pytest, "uv run --with pytest pytest -q", Some(("uv run --with pytest pytest", "-q"))),
            (Pytest, "doppler run -- pytest -q", Some(("doppler run -- pytest", "-q"))),
            (Pytest, "python -m coverage run -m pytest", None),
            (Node, "c8 node --test", Some(("c8 node", "--test"))),
            (Unittest, "python3 -m unittest discover -s t", Some(("python3 -m unittest", "discover -s t"))),
            (Node, "node --import tsx --test test/", Some(("node", "--import tsx --test test/"))),
            (Node, "node server.js", None),
            (RunnerKind::Go, "CGO_ENABLED=0 go test -v ./...", Some(("go test", "-v ./..."))),
            (RunnerKind::Go, "go build ./...", None),
            (Vitest, "pnpm vitest run src", Some(("pnpm vitest", "run src"))),
            (Vitest, "npx jest", None),
            (
                Jest,
                "node -r x node_modules/jest/bin/jest.js -i",
                Some(("node -r x node_modules/jest/bin/jest.js", "-i")),
            ),
            (Bun, "bun --env-file .env test ./a", Some(("bun --env-file .env test", "./a"))),
            (Bun, "bun run x", None),
        ] {
            let got = read_as(kind, line).map(|call| (call.program.join(" "), call.args.join(" ")));
            let want = want.map(|(program, args)| (program.to_owned(), args.to_owned()));
            assert_eq!(got, want, "{line}");
        }
        let call = read_as(Pytest, "env A=1 PYTHONPATH=src pytest").unwrap();
        assert_eq!(call.env[1], ("PYTHONPATH".to_owned(), "src".to_owned()));
    }
}
