//! A person's command line as one value: the call of a runner that it is, read once, and built from.
//!
//! ```text
//! call = ["env"] assignment* program args      program: all words up to the runner's own name
//! ```

use super::{without_launchers, words};
use crate::runner;
use tdd_core::commands::RunnerKind;

/// One call of a runner, taken apart: `uv run pytest -q tests` has the program `uv run pytest`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunnerCall {
    /// Assignments before the program.
    pub env: Vec<(String, String)>,
    /// The words up to the runner's own name.
    pub program: Vec<String>,
    pub args: Vec<String>,
}

/// Quotes a word for a shell, only where it has to be.
pub fn quote(word: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:,+@%^".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Words as a person would type them.
pub fn typed<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| quote(word)).collect();
    quoted.join(" ")
}

/// The one call of a runner that a line is, with the runner.
pub(super) fn read(line: &str) -> Option<(RunnerKind, RunnerCall)> {
    let words = words(line)?;
    let start = words.len() - without_launchers(&words).len();
    let call = |kind| Some((kind, taken_apart(&words, ends_at(kind, &words, start)?)));
    RunnerKind::ALL.into_iter().find_map(call)
}

/// The call of this runner that a line is, whatever starts it; `None` if it is none, or more than one command.
pub fn read_as(kind: RunnerKind, line: &str) -> Option<RunnerCall> {
    let words = words(line)?;
    let known = words.len() - without_launchers(&words).len();
    // A module of Python's that runs another one is no launcher.
    let unknown = (0..words.len()).take_while(|start| *start == 0 || words[start - 1] != "-m");
    let end = std::iter::once(known).chain(unknown).find_map(|start| ends_at(kind, &words, start))?;
    Some(taken_apart(&words, end))
}

/// Where the program ends, in a call of this runner that begins at `start`.
fn ends_at(kind: RunnerKind, words: &[String], start: usize) -> Option<usize> {
    let words: Vec<&str> = words[start..].iter().map(String::as_str).collect();
    (runner::of(kind).called_by)(&words).map(|length| start + length)
}

fn taken_apart(words: &[String], end: usize) -> RunnerCall {
    let (env, program) = assignments(words[..end].to_vec());
    RunnerCall { env, program, args: words[end..].to_vec() }
}

fn assignments(words: Vec<String>) -> (Vec<(String, String)>, Vec<String>) {
    let mut env = Vec::new();
    let mut rest = words.into_iter().peekable();
    rest.next_if(|word| word == "env");
    while let Some(pair) = rest.next_if(|word| assigned(word).is_some()) {
        env.extend(assigned(&pair));
    }
    (env, rest.collect())
}

fn assigned(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    let is_name = !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    is_name.then(|| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_split_back() {
        for word in ["a", "a b", "it's", "$x", "a\"b", "t::p[a b]"] {
            assert_eq!(words(&quote(word)), Some(vec![word.to_owned()]), "{word:?}");
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
