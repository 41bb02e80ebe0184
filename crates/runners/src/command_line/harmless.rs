//! Calls that leave nothing behind that tests would load: a test command may be run without them.
//!
//! What is not known here may have built what is tested, and is never left out without a word.

use super::launchers::{base_name, is_python, plain_call};
use super::parts;

/// Programs that look at sources and tell.
const CHECKS: &[&str] = &[
    "actionlint",
    "attw",
    "black",
    "codespell",
    "commitlint",
    "cspell",
    "depcheck",
    "echo",
    "ec",
    "editorconfig-checker",
    "eslint",
    "flake8",
    "golangci-lint",
    "isort",
    "jscs",
    "jshint",
    "knip",
    "ls-lint",
    "markdownlint",
    "markdownlint-cli2",
    "mypy",
    "oxlint",
    "phpcs",
    "phpstan",
    "prettier",
    "psalm",
    "publint",
    "pylint",
    "pyright",
    "remark",
    "rubocop",
    "ruff",
    "semistandard",
    "shellcheck",
    "snazzy",
    "standard",
    "staticcheck",
    "stylelint",
    "svelte-check",
    "ts-standard",
    "tsd",
    "tslint",
    "xo",
];

/// Programs that only take away what earlier runs left.
const CLEANERS: &[&str] = &["rimraf", "del", "del-cli", "premove"];

/// Whether a call can be left out before tests. `read` gives a file of the project.
pub fn is_harmless(call: &str, read: &dyn Fn(&str) -> Option<String>) -> bool {
    let Some(words) = plain_call(call).or_else(|| plain_call(first_words(call))) else { return false };
    let Some((program, args)) = words.split_first() else { return true };
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let module = |name: &str| {
        args.first() == Some(&"-m")
            && args.get(1).is_some_and(|module| CHECKS.contains(module) && *module == name)
    };
    match base_name(program) {
        "tsc" | "vue-tsc" => args.contains(&"--noEmit") || emits_nothing(&args, read),
        "cargo" => matches!(args.first(), Some(&("fmt" | "clippy" | "check" | "deny" | "audit"))),
        "go" => matches!(args.first(), Some(&("vet" | "fmt"))),
        "npm" | "pnpm" | "yarn" => matches!(args.first(), Some(&"audit")) || is_named_check(&args),
        "biome" => matches!(args.first(), Some(&("check" | "ci" | "lint" | "format"))),
        "deno" => matches!(args.first(), Some(&("lint" | "fmt" | "check"))),
        name if is_python(name) => CHECKS.iter().any(|check| module(check)),
        name => CHECKS.contains(&name) || CLEANERS.contains(&name),
    }
}

/// `echo "a $B"`: what needs a shell is judged by the words before it.
fn first_words(call: &str) -> &str {
    let before = &call[..call.find(['$', '>', '<', '{', '#']).unwrap_or(call.len())];
    let is_open = before.matches(['"', '\'']).count() % 2 == 1;
    // A quote that was cut open is no word.
    before.rfind(['"', '\'']).filter(|_| is_open).map_or(before, |at| &before[..at])
}

/// `npm run lint` where the script is not there to be read.
fn is_named_check(args: &[&str]) -> bool {
    let names = args.iter().filter(|word| !word.starts_with('-') && !matches!(**word, "run" | "run-script"));
    let mut names = names.map(|name| name.split(':').next().unwrap_or(name));
    matches!(names.next(), Some("lint" | "typecheck" | "prettier" | "eslint")) && names.next().is_none()
}

/// Whether the type checker's own configuration says that it writes nothing.
fn emits_nothing(args: &[&str], read: &dyn Fn(&str) -> Option<String>) -> bool {
    let named =
        args.iter().position(|word| matches!(*word, "-p" | "--project")).and_then(|at| args.get(at + 1));
    let file = named.map_or("tsconfig.json", |name| parts::plain(name));
    let builds = args.iter().any(|word| matches!(*word, "-b" | "--build" | "--outDir" | "--outFile"));
    let Some(text) = read(file).filter(|_| !builds) else { return false };
    let squeezed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    squeezed.contains("\"noEmit\":true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_leaves_nothing_may_be_left_out() {
        let files = |name: &str| match name {
            "tsconfig.json" => Some("{ // types only\n \"noEmit\" : true }".to_owned()),
            "tsconfig.build.json" => Some("{ \"outDir\": \"dist\" }".to_owned()),
            _ => None,
        };
        for (call, want) in [
            ("eslint . --ext .ts", true),
            ("npx --no-install eslint 'src/**/*.ts'", true),
            ("NODE_ENV=x node_modules/.bin/prettier --check .", true),
            ("xo", true),
            ("tsc", true),
            ("tsc --noEmit -p tsconfig.build.json", true),
            ("tsc -p tsconfig.build.json", false),
            ("tsc -b", false),
            ("tsc --outDir lib", false),
            ("uv run ruff check .", true),
            ("python3 -m mypy src", true),
            ("python3 -m build", false),
            ("cargo clippy -- -D warnings", true),
            ("cargo build", false),
            ("go vet ./...", true),
            ("rimraf coverage", true),
            ("biome ci", true),
            ("npm run lint", true),
            ("npm run lint:js", true),
            ("npm run build", false),
            ("npm ci", false),
            ("cd app", false),
            ("source .venv/bin/activate", false),
            ("export A=b", false),
            ("node scripts/build.js", false),
            ("echo \"testing $X\"", true),
            ("rollup -c", false),
            ("", false),
        ] {
            assert_eq!(is_harmless(call, &files), want, "{call}");
        }
    }
}
