//! Requirements that other tools keep, each in a folder of its own.

use std::path::Path;

/// More entries of one folder are not looked at.
const ENTRIES: usize = 2_000;

/// Where Spec Kit, Kiro and `OpenSpec` keep theirs; `*` is any folder but one of what was shipped.
const PLACES: [&str; 3] =
    ["specs/*/spec.md", ".kiro/specs/*/requirements.md", "openspec/changes/*/specs/*/spec.md"];

/// Their paths from the project, sorted.
pub fn of_other_tools(project: &Path) -> Vec<String> {
    let mut found: Vec<String> = PLACES.iter().flat_map(|place| fitting(project, place)).collect();
    found.sort();
    found
}

fn fitting(project: &Path, place: &str) -> Vec<String> {
    let (folders, name) = place.rsplit_once('/').unwrap_or(("", place));
    let mut heads = vec![String::new()];
    for part in folders.split('/') {
        heads = heads.iter().flat_map(|head| one_deeper(project, head, part)).collect();
    }
    let files = heads.iter().map(|head| format!("{head}{name}"));
    files.filter(|file| project.join(file).is_file()).collect()
}

fn one_deeper(project: &Path, head: &str, part: &str) -> Vec<String> {
    if part != "*" {
        return vec![format!("{head}{part}/")];
    }
    let Ok(entries) = project.join(head).read_dir() else { return Vec::new() };
    let folders = entries.take(ENTRIES).flatten().filter(|entry| entry.path().is_dir());
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| name != "archive").map(|name| format!("{head}{name}/")).collect()
}
