//! What a runner itself loads, and nothing else of the project does: a fact of a run, and no name.

use std::collections::BTreeSet;

use tdd_core::path::RelPath;

use super::{Project, is_shipped, led_to, stem};
use crate::Language;
use crate::imports::imports;
use crate::tree::{Tree, is_string};

/// Those of the files that a runner has loaded that serve it alone. Whoever is imported by production, or by a test as
/// what it looks at, is production; so is what the project gives to others, as a project that is a plugin itself.
pub fn alone(project: &Project<'_>) -> BTreeSet<RelPath> {
    let is_candidate = |path: &&RelPath| {
        (project.sources.contains_key(*path) || project.data.contains(*path)) && !is_shipped(project, path)
    };
    let mut left: BTreeSet<RelPath> = project.loaded.iter().filter(is_candidate).cloned().collect();
    let all = project.sources.iter().chain(project.tests);
    for (path, source) in all.filter(|(path, _)| !project.loaded.contains(*path)) {
        if left.iter().any(|file| source.contains(stem(file))) {
            let led = led_to(project, path, source);
            left.retain(|file| !led.contains(file) && !may_name(path, source, file));
        }
    }
    let pages = project.pages;
    left.retain(|file| !pages.values().any(|page| names_as_word(page, stem(file))));
    left
}

/// Whether a source imports something of this name, by whatever short way home its tools know, or names the file.
fn may_name(path: &RelPath, source: &str, file: &RelPath) -> bool {
    let Some(language) = Language::of(path.extension()) else { return false };
    let Ok(tree) = Tree::parse(language, source) else { return true };
    let stem = stem(file);
    let ends_so = |from: &str| {
        let mut parts = from.rsplit(['/', '.', ':']);
        parts.find(|part| !is_end_of_code(part)) == Some(stem)
    };
    // What is imported for what it does alone, or late, stands in a text.
    let is_path = |text: &str| {
        let text = text.trim_matches(['"', '\'', '`']);
        text.contains(file.file_name()) || (text.contains(['/', '.']) && ends_so(text)) || text == stem
    };
    imports(&tree).iter().any(|import| ends_so(&import.from) || import.local == stem)
        || tree.all().any(|at| is_string(tree.kind(at)) && is_path(tree.text(at)))
}

fn is_end_of_code(part: &str) -> bool {
    part.is_empty() || Language::of(part).is_some()
}

/// Whether a text holds this as a word of its own.
fn names_as_word(text: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back().is_some_and(is_part);
        let after = text[at + word.len()..].chars().next().is_some_and(is_part);
        !before && !after
    })
}
