//! What stands before a call and changes nothing but its environment: assignments, and programs that start
//! another one.
//!
//! ```text
//! wrapper = "env" assignment* | "uv" "run" option* | ("poetry" | "pdm" | "pipenv" | "rye" | "hatch") "run"
//!         | ("npx" | "bunx" | "pnpx") ("--no-install" | "--no" | "--yes" | "-y" | "--bun" | "--")*
//!         | ("npm" | "pnpm" | "yarn") "exec" ["--"] | ("pnpm" | "yarn") [ before vitest or jest ]
//!         | "bun" "x" | "cross-env" assignment*
//! ```

use super::words::words;

/// The words of the one call that a line makes, without what stands before it.
pub(crate) fn plain_call(command: &str) -> Option<Vec<String>> {
    let words = words(command)?;
    Some(without_launchers(&words).to_vec())
}

/// The words behind all assignments and wrappers.
pub(super) fn without_launchers(words: &[String]) -> &[String] {
    let mut rest = words;
    loop {
        rest = without_assignments(rest);
        match without_wrapper(rest) {
            Some(inner) => rest = inner,
            None => return rest,
        }
    }
}

fn without_assignments(words: &[String]) -> &[String] {
    let count = words.iter().take_while(|word| is_assignment(word)).count();
    &words[count..]
}

pub(super) fn is_assignment(word: &str) -> bool {
    assigned(word).is_some()
}

/// The name and the value of an assignment.
pub(super) fn assigned(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let first = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    let is_name = first && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name.then_some((name, value))
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

pub(super) fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python");
    version.is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// A runner that a package brings, by the name of its program or of the file behind it.
fn is_package(name: &str) -> bool {
    matches!(name, "vitest" | "vitest.mjs" | "jest" | "jest.js")
}
