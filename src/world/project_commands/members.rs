//! A command that runs the tests of several packages: each package is a project of its own.

use std::path::Path;

use super::{read, scripts};
use tdd_runners::command_line;

/// Members that are listed.
const MOST: usize = 20;

/// Which members have tests, if the command is for all of them.
pub(super) fn elsewhere(project: &Path, command: &str) -> Option<String> {
    below(project, command, 0)
}

/// Scripts call scripts this deep at most, and may call themselves.
const DEEPEST: usize = 8;

fn below(project: &Path, command: &str, depth: usize) -> Option<String> {
    let words = command_line::words(command)?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (program, args) = words.split_first()?;
    let many = ["-r", "--recursive", "-ws", "--workspaces", "workspaces", "run-many", "affected"];
    let is_for_all = match *program {
        "pnpm" | "npm" | "yarn" => args.iter().any(|word| many.contains(word)),
        "lerna" | "turbo" | "nx" => args.contains(&"test") || args.iter().any(|word| many.contains(word)),
        _ => false,
    };
    // A script may call it in its turn.
    let inner = || {
        let scripts = scripts::called_scripts(project, command).filter(|_| depth < DEEPEST)?;
        scripts.iter().find_map(|script| below(project, &script.line, depth + 1))
    };
    if !is_for_all {
        return inner();
    }
    let members = with_tests(project);
    let listed: Vec<String> = members.iter().take(MOST).map(|folder| format!("  {folder}\n")).collect();
    (!listed.is_empty()).then(|| {
        format!(
            "Each of its packages is a project of its own: put a tdd.yaml with `test: npm test` (or the package's own \
             command) into the one that the requirement is about, and run tdd there. These have tests:\n{}Else:\n",
            listed.concat()
        )
    })
}

/// The folders of the workspace whose packages have a test script, sorted.
fn with_tests(project: &Path) -> Vec<String> {
    let mut found: Vec<String> =
        patterns(project).iter().flat_map(|pattern| folders(project, pattern)).collect();
    found.retain(|folder| scripts::script(&project.join(folder), "test").is_some());
    found.sort();
    found.dedup();
    found
}

fn patterns(project: &Path) -> Vec<String> {
    let package: Option<serde_json::Value> =
        read(project, "package.json").and_then(|text| serde_json::from_str(&text).ok());
    let listed = package.as_ref().and_then(|package| {
        let workspaces = package.get("workspaces")?;
        workspaces.as_array().or_else(|| workspaces.get("packages")?.as_array())
    });
    let pnpm: Option<serde_yaml::Value> =
        read(project, "pnpm-workspace.yaml").and_then(|text| serde_yaml::from_str(&text).ok());
    let of_pnpm = pnpm.as_ref().and_then(|file| file.get("packages")?.as_sequence());
    let texts = listed.into_iter().flatten().filter_map(|value| value.as_str());
    texts.chain(of_pnpm.into_iter().flatten().filter_map(|value| value.as_str())).map(str::to_owned).collect()
}

/// The folders that `packages/*` or a plain path names; deeper patterns are read as one level.
fn folders(project: &Path, pattern: &str) -> Vec<String> {
    let pattern = pattern.trim_start_matches("./").trim_end_matches('/');
    let Some((parent, _)) = pattern.split_once("/*") else {
        let is_plain = !pattern.contains(['*', '!']) && !pattern.split('/').any(|part| part == "..");
        return if is_plain { vec![pattern.to_owned()] } else { Vec::new() };
    };
    let entries = project.join(parent).read_dir().into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.map(|name| format!("{parent}/{name}")).collect()
}
