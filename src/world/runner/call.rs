//! A person's command line, as far as it is one call of a known runner.
//!
//! ```text
//! line  = { NAME "=" word } { word }
//! word  = { plain | "'" … "'" | '"' … '"' | "\" any }
//! ```
//!
//! Anything that only a shell can do (pipes, lists, substitutions, redirections) makes the line
//! underivable; unquoted `*`, `?` and `[` stay in the word, since the adapters expand paths
//! themselves.

use crate::core::commands::RunnerKind;

/// One call of a runner, taken apart: `uv run pytest -q tests` has the program `uv run pytest`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunnerCall {
    /// Assignments before the program.
    pub env: Vec<(String, String)>,
    /// The words up to the runner's own name.
    pub program: Vec<String>,
    pub args: Vec<String>,
}

/// Splits a line into words; `None` if it needs a shell.
pub(super) fn split(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = line.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' => words.extend(word.take()),
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '$' | '`' => return None,
                        '\\' => match characters.next()? {
                            escaped @ ('"' | '\\' | '$' | '`') => word.push(escaped),
                            other => word.extend(['\\', other]),
                        },
                        inner => word.push(inner),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(characters.next()?),
            '|' | '&' | ';' | '<' | '>' | '(' | ')' | '$' | '`' | '\n' | '#' | '{' | '}' => return None,
            '~' if word.is_none() => return None,
            plain => word.get_or_insert_default().push(plain),
        }
    }
    words.extend(word);
    Some(words)
}

/// Quotes a word for a shell, only where it has to be.
pub(super) fn quote(word: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:,+@%^".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Words as a person would type them.
pub(super) fn typed<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| quote(word)).collect();
    quoted.join(" ")
}

/// The call of this runner that a line is; `None` if it is none, or more than one command.
pub fn recognise(kind: RunnerKind, line: &str) -> Option<RunnerCall> {
    let words = split(line)?;
    let (env, words) = assignments(words);
    let at = match kind {
        RunnerKind::Cargo => subcommand(&words, &["test", "t"])?,
        RunnerKind::Nextest => nextest(&words)?,
        RunnerKind::Pytest => module_or_program(&words, &["pytest", "py.test"])?,
        RunnerKind::Unittest => module_or_program(&words, &["unittest"])?,
        RunnerKind::Vitest => words.iter().position(|word| matches!(base(word), "vitest" | "vitest.mjs"))?,
        RunnerKind::Jest => words.iter().position(|word| matches!(base(word), "jest" | "jest.js"))?,
        RunnerKind::Bun => {
            let bun = words.iter().position(|word| base(word) == "bun")?;
            bun + words[bun..].iter().position(|word| word == "test")?
        }
        RunnerKind::Node => words.iter().position(|word| base(word) == "node")?,
        RunnerKind::Go => go(&words)?,
        RunnerKind::Junit | RunnerKind::Tap | RunnerKind::ExitCode => return None,
    };
    if kind == RunnerKind::Node && !words[at..].iter().any(|word| word == "--test") {
        return None;
    }
    let mut program = words;
    let args = program.split_off(at + 1);
    Some(RunnerCall { env, program, args })
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

fn base(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// `cargo [+toolchain] [options] NAME`: the place of the subcommand.
fn subcommand(words: &[String], names: &[&str]) -> Option<usize> {
    let cargo = words.iter().position(|word| base(word) == "cargo")?;
    let mut at = cargo + 1;
    loop {
        let word = words.get(at)?;
        match word.as_str() {
            word if names.contains(&word) => return Some(at),
            "--config" | "-Z" | "-C" | "--color" => at += 2,
            word if word.starts_with('-') || word.starts_with('+') => at += 1,
            _ => return None,
        }
    }
}

/// `go test`: the place of `test`. No option of go itself stands before it.
fn go(words: &[String]) -> Option<usize> {
    let at = words.iter().position(|word| base(word) == "go")? + 1;
    (words.get(at)? == "test").then_some(at)
}

/// `cargo … nextest run`: the place of `run`.
fn nextest(words: &[String]) -> Option<usize> {
    let at = subcommand(words, &["nextest"])? + 1;
    matches!(words.get(at)?.as_str(), "run" | "r").then_some(at)
}

/// `python -m NAME`, or a program of that name.
fn module_or_program(words: &[String], names: &[&str]) -> Option<usize> {
    let is_name = |at: usize| words.get(at).is_some_and(|word| names.contains(&base(word)));
    let module = words.iter().position(|word| word == "-m").map(|at| at + 1).filter(|at| is_name(*at));
    module.or_else(|| {
        // A program of that name may stand behind launchers (`uv run`), never behind options' values.
        let at = words.iter().position(|word| names.contains(&base(word)))?;
        (names.contains(&"pytest") && words[..at].iter().all(|word| word != "-m")).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_as_a_shell_does_and_a_shell_is_never_guessed() {
        let words = |text: &str| split(text).map(|words| words.join("|"));
        for (line, want) in [
            ("cargo test", Some("cargo|test")),
            ("  a  'b c' \"d \\\" e\" f\\ g ''", Some("a|b c|d \" e|f g|")),
            ("pytest 'tests/a b.py'", Some("pytest|tests/a b.py")),
            ("node --test test/*.js", Some("node|--test|test/*.js")),
            ("a && b", None),
            ("a | b", None),
            ("a $HOME", None),
            ("a \"$HOME\"", None),
            ("a > b", None),
            ("~/x", None),
            ("a 'b", None),
            ("a \\", None),
        ] {
            assert_eq!(words(line).as_deref(), want, "{line}");
        }
    }

    #[test]
    fn what_is_quoted_is_split_back() {
        for word in ["a", "", "a b", "it's", "$x", "a\"b", "t::p[a b]"] {
            assert_eq!(split(&quote(word)), Some(vec![word.to_owned()]), "{word:?}");
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
            let got = recognise(kind, line).map(|call| (call.program.join(" "), call.args.join(" ")));
            let want = want.map(|(program, args)| (program.to_owned(), args.to_owned()));
            assert_eq!(got, want, "{line}");
        }
        let call = recognise(Pytest, "env A=1 PYTHONPATH=src pytest").unwrap();
        assert_eq!(call.env[1], ("PYTHONPATH".to_owned(), "src".to_owned()));
    }
}
