//! `npm test` and its like: what `package.json` says that they run.
//!
//! ```text
//! many = ("run-s" | "run-p" | "npm-run-all") option* pattern* | "concurrently" option* ("npm:" pattern | line)*
//! call = ("npm" | "pnpm" | "yarn") ("test" | "t") | ("npm" | "pnpm" | "yarn" | "bun") ("run" | "run-script") name
//!      | ("pnpm" | "yarn") name
//! ```
//!
//! `bun test` is left out: it is a runner of its own. A name alone may be a program too; it is a
//! script if there is one. Flags before the name may only be about noise.

use std::path::Path;

use super::read;
use tdd_core::commands::RunnerKind;
use tdd_runners::command_line;

/// A script that is one plain call of a known runner.
pub(super) struct Resolved {
    pub(super) command: String,
    pub(super) kind: RunnerKind,
}

/// The runner call behind a package manager's `test` or `run`. Not if the script has hooks that
/// run before or after it: without them the tests may not be what they seem.
pub(super) fn resolve(project: &Path, command: &str) -> Option<Resolved> {
    let (name, extra) = called(command)?;
    let has_hook = ["pre", "post"].iter().any(|hook| script(project, &format!("{hook}{name}")).is_some());
    if has_hook {
        return None;
    }
    let command = script(project, &name)? + &extra;
    tdd_runners::recognise(&command).map(|kind| Resolved { command, kind })
}

/// Whether a command calls a script that is there, whatever the script does.
pub(super) fn is_script(project: &Path, command: &str) -> bool {
    called(command).is_some_and(|(name, _)| script(project, &name).is_some())
}

/// One line that a command runs, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Script {
    pub(super) line: String,
    pub(super) place: String,
}

/// The scripts that a command runs one after another or at once, with the hooks around each; `None` if
/// it calls none, or one that is not there.
pub(super) fn called_scripts(project: &Path, command: &str) -> Option<Vec<Script>> {
    if let Some((name, extra)) = called(command) {
        return with_hooks(project, &name, &extra);
    }
    let words = command_line::words(command)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let words = match words.as_slice() {
        ["npx", rest @ ..] => rest,
        all => all,
    };
    let (program, words) = words.split_first()?;
    match *program {
        "run-s" | "run-p" | "npm-run-all" | "npm-run-all2" => {
            // Arguments for the scripts come behind `--`; without `{1}` they reach none.
            let own = words.iter().take_while(|word| **word != "--");
            let patterns: Vec<&str> = own.copied().filter(|word| !word.starts_with('-')).collect();
            let mut scripts = Vec::new();
            for pattern in patterns {
                scripts.extend(matching(project, pattern)?);
            }
            Some(scripts)
        }
        "concurrently" => {
            let mut scripts = Vec::new();
            for word in words.iter().filter(|word| !word.starts_with('-')) {
                match word.strip_prefix("npm:") {
                    Some(pattern) => scripts.extend(matching(project, pattern)?),
                    None => {
                        scripts.push(Script { line: (*word).to_owned(), place: "concurrently".to_owned() });
                    }
                }
            }
            Some(scripts)
        }
        _ => None,
    }
}

/// The scripts that a pattern of `npm-run-all` names: `*` stands for one part between colons, `**` for
/// any number. What follows a blank is added to each.
fn matching(project: &Path, pattern: &str) -> Option<Vec<Script>> {
    let (pattern, extra) = pattern.split_once(' ').unwrap_or((pattern, ""));
    let extra =
        if extra.is_empty() { String::new() } else { format!(" {}", extra.trim_start_matches("-- ")) };
    if !pattern.contains('*') {
        return with_hooks(project, pattern, &extra);
    }
    let names = names(project);
    let fitting = names.iter().filter(|name| fits(pattern, name));
    let scripts: Vec<Script> =
        fitting.filter_map(|name| with_hooks(project, name, &extra)).flatten().collect();
    (!scripts.is_empty()).then_some(scripts)
}

fn fits(pattern: &str, name: &str) -> bool {
    let (mut patterns, mut parts) = (pattern.split(':'), name.split(':'));
    loop {
        match (patterns.next(), parts.next()) {
            (Some("**"), _) | (None, None) => return true,
            (Some("*"), Some(_)) => {}
            (Some(pattern), Some(part)) if pattern == part => {}
            _ => return false,
        }
    }
}

fn with_hooks(project: &Path, name: &str, extra: &str) -> Option<Vec<Script>> {
    let body = script(project, name)? + extra;
    let hook = |hook: &str| {
        let name = format!("{hook}{name}");
        let line = script(project, &name)?;
        Some(Script { line, place: format!("scripts.{name} of package.json") })
    };
    let own = Script { line: body, place: format!("scripts.{name} of package.json") };
    Some([hook("pre"), Some(own), hook("post")].into_iter().flatten().collect())
}

fn names(project: &Path) -> Vec<String> {
    let file =
        read(project, "package.json").and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    let scripts = file.as_ref().and_then(|file| file.get("scripts")?.as_object());
    scripts.map(|scripts| scripts.keys().cloned().collect()).unwrap_or_default()
}

/// One entry of `scripts`.
pub(super) fn script(project: &Path, name: &str) -> Option<String> {
    let file: serde_json::Value = serde_json::from_str(&read(project, "package.json")?).ok()?;
    let script = file.get("scripts")?.get(name)?.as_str()?.trim();
    (!script.is_empty()).then(|| script.to_owned())
}

/// Whether a `package.json` names a package among its dependencies.
pub(super) fn depends(manifest: &str, package: &str) -> bool {
    let Ok(file) = serde_json::from_str::<serde_json::Value>(manifest) else { return false };
    let names = |table: &str| file.get(table).is_some_and(|table| table.get(package).is_some());
    ["devDependencies", "dependencies", "optionalDependencies", "peerDependencies"].into_iter().any(names)
}

/// The script that a command calls, and what it adds to it, with a blank before.
fn called(command: &str) -> Option<(String, String)> {
    let words = command_line::words(command)?;
    let mut words = words.iter().map(String::as_str).filter(|word| !matches!(*word, "-s" | "--silent"));
    let manager = words.next()?;
    let name = match (manager, words.next()?) {
        ("npm" | "pnpm" | "yarn", "test") | ("npm" | "pnpm", "t") => "test",
        ("npm" | "pnpm" | "yarn" | "bun", "run") | ("npm" | "pnpm", "run-script") => words.next()?,
        ("pnpm" | "yarn", name) if name != "exec" && !name.starts_with('-') => name,
        _ => return None,
    };
    let extra: Vec<&str> = match words.next() {
        None => Vec::new(),
        Some("--") => words.collect(),
        Some(_) => return None,
    };
    // Words that need quotes would have to be quoted again; such a call is left to its table.
    let is_plain =
        |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./=:@".contains(&byte));
    let suffix = if extra.is_empty() { String::new() } else { format!(" {}", extra.join(" ")) };
    extra.iter().all(is_plain).then(|| (name.to_owned(), suffix))
}
