//! A shell command line as far as it is one plain call of a type checker.
//!
//! ```text
//! call = ("tsc" | "vue-tsc") …
//!      | "cargo" ["+"toolchain] option* ("check" | "c" | "build" | "b" | "clippy") …
//!      | "mypy" … | python option* "-m" "mypy" … | "go" ("vet" | "build") …
//! ```
//!
//! Assignments and wrappers may stand before it as before a call of a runner.

use super::launchers::{CARGO_WITH_VALUE, base_name, is_python, plain_call};
use tdd_core::fix::TypeChecker;

/// Which type checker a shell line calls, if it is nothing but that one call.
pub fn recognise(command: &str) -> Option<TypeChecker> {
    let words = plain_call(command)?;
    let (program, args) = words.split_first()?;
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match base_name(program) {
        "tsc" | "vue-tsc" => {
            (!args.contains(&"--watch") && !args.contains(&"-w")).then_some(TypeChecker::Tsc)
        }
        "mypy" => Some(TypeChecker::Mypy),
        "go" => matches!(args.first(), Some(&("vet" | "build"))).then_some(TypeChecker::Go),
        "cargo" => cargo(&args),
        name if is_python(name) => {
            let at = args.iter().position(|word| *word == "-m")?;
            (args.get(at + 1) == Some(&"mypy")).then_some(TypeChecker::Mypy)
        }
        _ => None,
    }
}

/// The modules that a shell line has Python run by name (`-m mypy`), each with whether it is known to
/// be a tool: Python looks for them in its current folder first. Read generously, as scripts are.
pub fn modules(line: &str) -> Vec<(String, Module)> {
    let simple = line.split([';', '|', '&', '(', ')', '\n', '`', '{', '}']);
    let named = simple.filter_map(|command| {
        let words: Vec<&str> =
            command.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
        let python = words.iter().position(|word| is_python(base_name(word)))?;
        let at = python + words[python..].iter().position(|word| *word == "-m")?;
        let module = words.get(at + 1)?.split('.').next().unwrap_or_default();
        let is_name = !module.is_empty() && module.chars().all(|c| c.is_alphanumeric() || c == '_');
        let kind = if TOOLS.contains(&module) { Module::Tool } else { Module::Any };
        is_name.then(|| (module.to_owned(), kind))
    });
    named.collect()
}

/// Whether a module that Python runs by name is somebody else's for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Module {
    Tool,
    /// It may be the project's own program.
    Any,
}

/// Modules that check, whoever calls them.
const TOOLS: [&str; 6] = ["mypy", "pytest", "unittest", "coverage", "pyright", "ruff"];

/// With `--message-format` cargo prints something else than is read here.
fn cargo(args: &[&str]) -> Option<TypeChecker> {
    let mut rest = args;
    if rest.first().is_some_and(|word| word.starts_with('+')) {
        rest = &rest[1..];
    }
    while let Some((word, after)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
        rest = after.get(usize::from(CARGO_WITH_VALUE.contains(word))..)?;
    }
    let (subcommand, options) = rest.split_first()?;
    let is_other = options.iter().any(|word| word.starts_with("--message-format"));
    let checks = matches!(*subcommand, "check" | "c" | "build" | "b" | "clippy");
    (checks && !is_other).then_some(TypeChecker::Cargo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_that_python_runs_are_named() {
        for (line, want) in [
            ("python3 -m mypy .", vec![("mypy", Module::Tool)]),
            ("X=1 .venv/bin/python -X dev -m app.check --all", vec![("app", Module::Any)]),
            (
                "cd a && python -m 'pytest' -q; python3 -m ruff check",
                vec![("pytest", Module::Tool), ("ruff", Module::Tool)],
            ),
            ("python3 run.py", vec![]),
            ("mypy -m a", vec![]),
            ("python3 -m ../a", vec![]),
        ] {
            let want: Vec<(String, Module)> =
                want.into_iter().map(|(name, kind)| (name.to_owned(), kind)).collect();
            assert_eq!(modules(line), want, "{line}");
        }
    }

    #[test]
    fn calls_of_type_checkers_are_recognised() {
        for (line, want) in [
            ("tsc --noEmit", Some(TypeChecker::Tsc)),
            ("npx --no-install tsc --noEmit -p .", Some(TypeChecker::Tsc)),
            ("node_modules/.bin/tsc --noEmit", Some(TypeChecker::Tsc)),
            ("npx vue-tsc --noEmit", Some(TypeChecker::Tsc)),
            ("tsc --watch", None),
            ("cargo check --workspace", Some(TypeChecker::Cargo)),
            ("RUSTFLAGS=-Dwarnings cargo +nightly --locked clippy", Some(TypeChecker::Cargo)),
            ("cargo check --message-format=json", None),
            ("cargo test", None),
            ("mypy .", Some(TypeChecker::Mypy)),
            ("uv run mypy src", Some(TypeChecker::Mypy)),
            ("python3 -X dev -m mypy .", Some(TypeChecker::Mypy)),
            ("python3 mypy.py", None),
            ("go vet ./...", Some(TypeChecker::Go)),
            ("go test ./...", None),
            ("tsc --noEmit && vitest run", None),
            ("mypy . | tee log", None),
            ("", None),
        ] {
            assert_eq!(recognise(line), want, "{line}");
        }
    }
}
