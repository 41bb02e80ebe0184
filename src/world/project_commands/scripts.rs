//! `npm test` and its like: what `package.json` says that they run.
//!
//! ```text
//! call = ("npm" | "pnpm" | "yarn") ("test" | "t") | ("npm" | "pnpm" | "yarn" | "bun") ("run" | "run-script") name
//!      | ("pnpm" | "yarn") name
//! ```
//!
//! `bun test` is left out: it is a runner of its own. A name alone may be a program too; it is a
//! script if there is one. Flags before the name may only be about noise.

use std::path::Path;

use super::read;
use crate::core::commands::RunnerKind;
use crate::text::command_line;

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
    command_line::recognise(&command).map(|kind| Resolved { command, kind })
}

/// Whether a command calls a script that is there, whatever the script does.
pub(super) fn is_script(project: &Path, command: &str) -> bool {
    called(command).is_some_and(|(name, _)| script(project, &name).is_some())
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
