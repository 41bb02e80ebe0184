//! What a piece of text looks like.

/// Programs that a command in a project's notes starts with.
const PROGRAMS: &[&str] = &[
    "ant",
    "bazel",
    "biome",
    "black",
    "bun",
    "bundle",
    "bunx",
    "cargo",
    "clippy",
    "cmake",
    "composer",
    "ctest",
    "deno",
    "docker",
    "dotnet",
    "env",
    "eslint",
    "flake8",
    "go",
    "golangci-lint",
    "gradle",
    "hatch",
    "jest",
    "just",
    "make",
    "mix",
    "mocha",
    "mvn",
    "mypy",
    "nextest",
    "node",
    "nox",
    "npm",
    "npx",
    "pdm",
    "phpunit",
    "pipenv",
    "pnpm",
    "poetry",
    "prettier",
    "py.test",
    "pyright",
    "pytest",
    "python",
    "python3",
    "rake",
    "rspec",
    "ruby",
    "ruff",
    "sbt",
    "sh",
    "bash",
    "stack",
    "swift",
    "task",
    "tox",
    "tsc",
    "turbo",
    "uv",
    "vitest",
    "xcodebuild",
    "yarn",
    "zig",
];

/// Words of a label or a command that say that not all tests are run, or something else is.
const OTHER_WORDS: &[&str] = &[
    "single",
    "one",
    "specific",
    "particular",
    "file",
    "watch",
    "coverage",
    "update",
    "snapshot",
    "snapshots",
    "e2e",
    "benchmark",
    "bench",
    "lint",
    "format",
    "fmt",
    "typecheck",
    "type-check",
    "build",
    "install",
    "dev",
    "start",
    "serve",
    "deploy",
    "release",
    "publish",
    "debug",
    "ui",
    "fix",
    "clean",
    "run-server",
    "migrate",
];

/// Words that a line of shell begins with when it only prepares the call that follows.
const PREPARING: &[&str] = &["cd", "pushd", "source", ".", "export", "set"];

/// Whether a text looks like a command line: a call in it begins with a program that people run,
/// or a path. Calls that only prepare another (`cd app && pytest`) do not hide it.
pub(super) fn is_command(text: &str) -> bool {
    text.split("&&").any(|list| {
        let call = list.split(';').find(|call| !prepares(call));
        call.is_some_and(|call| begins_with_program(call) && (!ends_a_clause(text) || is_path_call(call)))
    })
}

/// Whether a text could call a program that is not known here: several words, none of prose.
pub(super) fn could_be_command(text: &str) -> bool {
    let is_name = |next: char| next.is_ascii_lowercase() || next.is_ascii_digit() || "-_./".contains(next);
    let mut words = text.split_whitespace();
    words.next().is_some_and(|first| first.chars().all(is_name))
        && words.next().is_some()
        && !ends_a_clause(text)
}

/// Whether every call of a line only prepares one that follows: a folder, an environment.
pub(super) fn only_prepares(command: &str) -> bool {
    command.split("&&").flat_map(|list| list.split(';')).all(prepares)
}

fn prepares(call: &str) -> bool {
    first_word(call).is_none_or(|first| PREPARING.contains(&first))
}

fn begins_with_program(call: &str) -> bool {
    let program = first_word(call).and_then(|first| first.rsplit('/').next());
    let is_known = program.is_some_and(|name| PROGRAMS.contains(&name) || name.starts_with("python3."));
    let is_called = first_word(call).is_some_and(|first| !first.contains('/') || first.contains("bin/"));
    is_path_call(call) || (is_known && is_called)
}

fn is_path_call(call: &str) -> bool {
    first_word(call)
        .is_some_and(|first| ["./", "bin/", "scripts/"].iter().any(|folder| first.starts_with(folder)))
}

/// The first word that is no `NAME=value`, less the parentheses of a subshell.
fn first_word(call: &str) -> Option<&str> {
    let call = call.trim_matches(|edge: char| matches!(edge, '(' | ')') || edge.is_whitespace());
    call.split_whitespace().find(|word| !is_assignment(word))
}

/// A sentence may begin with "make" or "go", and then ends as sentences do. A path may end in a
/// dot too: `eslint .`, `go test ./...`.
fn ends_a_clause(text: &str) -> bool {
    let last = text.split_whitespace().next_back().unwrap_or_default();
    let before_dots = last.trim_end_matches('.');
    let is_path = matches!(last, "." | "..") || before_dots.ends_with('/');
    last.ends_with(['.', ':', '?', '!']) && !is_path
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    })
}

/// `<your test command>`, `[test command]`, `{{test}}`, `TODO`, `...`: nobody filled it in.
pub(super) fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    let wrapped = [("<", ">"), ("[", "]"), ("{", "}")];
    wrapped.iter().any(|(open, close)| text.starts_with(open) && text.ends_with(close))
        || text.to_lowercase().starts_with("todo")
        || text.starts_with("...")
        || text.starts_with('…')
        || text.to_lowercase().contains("<your")
}

/// Whether a command runs the project's tests, all of them, once.
pub(super) fn runs_tests(command: &str) -> bool {
    !command_says_otherwise(command) && calls_a_runner(command)
}

/// Whether a command runs tests along with something else (`--coverage`, an install before it),
/// and neither some of them only nor for ever.
pub(super) fn runs_tests_and_more(command: &str) -> bool {
    !is_narrowed(command) && !words(command).contains(&"watch") && calls_a_runner(command)
}

fn calls_a_runner(command: &str) -> bool {
    let runners = [
        "pytest", "py.test", "vitest", "jest", "mocha", "ava", "tox", "nox", "ctest", "rspec", "phpunit",
        "unittest", "nextest",
    ];
    tdd_runners::recognise(command).is_some()
        || command.split_whitespace().any(|word| {
            let word = word.trim_matches(['\'', '"', '(', ')']);
            let name = word.rsplit(['/', ':']).next().unwrap_or(word);
            matches!(word, "test" | "tests" | "t") || word.starts_with("test:") || runners.contains(&name)
        })
}

/// Whether the command's own words narrow it (`test:e2e`, `--watch`, a placeholder for a file).
/// Folders that it goes to first (`cd build`) say nothing.
pub(super) fn command_says_otherwise(command: &str) -> bool {
    let calls = command.split("&&").flat_map(|list| list.split(';')).filter(|call| !prepares(call));
    is_narrowed(command) || calls.flat_map(words).any(|word| OTHER_WORDS.contains(&word))
}

fn is_narrowed(command: &str) -> bool {
    command.contains('<') || command.contains("path/to") || command.contains("::")
}

/// Whether a label has a word that says that not all tests are run, or something else is.
pub(super) fn narrows(label: &str) -> bool {
    words(label).iter().any(|word| OTHER_WORDS.contains(word))
}

/// Whether a label says "test".
pub(super) fn says_test(label: &str) -> bool {
    words(label).iter().any(|word| matches!(*word, "test" | "tests" | "testing"))
}

/// Whether a label says that the project's tests are run, and nothing else.
pub(super) fn says_only_test(label: &str) -> bool {
    const WORDS: [&str; 11] =
        ["run", "the", "all", "unit", "test", "tests", "testing", "suite", "full", "command", "with"];
    says_test(label) && words(label).iter().all(|word| WORDS.contains(word))
}

fn words(text: &str) -> Vec<&str> {
    let is_edge = |next: char| !(next.is_alphanumeric() || next == '-');
    let words = text.split(is_edge).map(|word| word.trim_matches('-'));
    words.filter(|word| !word.is_empty()).collect()
}
