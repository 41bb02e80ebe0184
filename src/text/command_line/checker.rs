//! A shell command line as far as it is one plain call of a type checker.
//!
//! ```text
//! call = ("tsc" | "vue-tsc") …
//!      | "cargo" ["+"toolchain] option* ("check" | "c" | "build" | "b" | "clippy") …
//!      | "mypy" … | python option* "-m" "mypy" … | "go" ("vet" | "build") …
//! ```
//!
//! Assignments and wrappers may stand before it as before a call of a runner.

use super::{CARGO_WITH_VALUE, base_name, is_python, plain_call};
use crate::core::fix::TypeChecker;

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
