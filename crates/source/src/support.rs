//! Files that tests rest on and production does not, where neither a runner's report nor a usual name tells.
//!
//! ```text
//! code  it speaks to a test framework; tests import it, and no production code does
//!       Rust: "#[cfg(test)] mod name;" declares it and nothing else does, and what lies below it
//! any   a runner has loaded it by itself, as its configuration names it or a plugin, and nothing else of the project does
//! data  a word of its path says that it holds what tests expect; tests name it, and no production code does
//! ```
//!
//! What a project gives to others is production, whoever imports it here. A page, a schema or a manual that
//! tests look at is their subject and no support: hence the words for data. A name that is put together from
//! parts is found by the part that is a word of those; one that stands nowhere is missed.

mod loaded;
mod shipped;
#[cfg(test)]
mod tests;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use tdd_core::path::RelPath;

use super::homes::{Files, Place};
use super::imports::imports;
use super::tree::{Tree, is_string};
use super::units::unit_spans;
use super::{Language, rust};
pub use loaded::alone as loaded_alone;
pub use shipped::shipped;
use words::Words;

/// A project as it is before anybody changes it, by the classes of its files.
#[derive(Debug)]
pub struct Project<'a> {
    pub files: &'a Files,
    /// What runs as tests, and what configures them as code.
    pub tests: &'a BTreeMap<RelPath, String>,
    /// All other code.
    pub sources: &'a BTreeMap<RelPath, String>,
    /// What is no code.
    pub data: &'a BTreeSet<RelPath>,
    /// Files and folders that the project gives to others.
    pub shipped: &'a BTreeSet<String>,
    /// What a runner has loaded by itself, beside tests.
    pub loaded: &'a BTreeSet<RelPath>,
    /// Text beside code that may import some: pages, components.
    pub pages: &'a BTreeMap<RelPath, String>,
}

/// Words of a path that say: this is what tests expect, or what they put in.
const EXPECTED: [&str; 17] = [
    "approved",
    "cassette",
    "cassettes",
    "expectation",
    "expectations",
    "expected",
    "fixture",
    "fixtures",
    "golden",
    "goldens",
    "snapshot",
    "snapshots",
    "testcase",
    "testcases",
    "testdata",
    "testfiles",
    "testresources",
];

/// Modules of what runs tests or asserts for them, by their first words. `doctest` is none: modules run their
/// own examples with it.
const PYTHON: [&str; 7] = ["pytest", "unittest", "hypothesis", "nose", "testtools", "behave", "syrupy"];
const JAVASCRIPT: [&str; 14] = [
    "vitest",
    "jest",
    "@jest",
    "@vitest",
    "@testing-library",
    "node:test",
    "bun:test",
    "mocha",
    "chai",
    "ava",
    "tap",
    "uvu",
    "sinon",
    "supertest",
];
const GO: [&str; 5] =
    ["testing", "github.com/stretchr/testify", "github.com/onsi", "gotest.tools", "github.com/frankban"];

fn frameworks(language: Language) -> &'static [&'static str] {
    match language {
        Language::Python => &PYTHON,
        Language::JavaScript | Language::TypeScript | Language::Tsx => &JAVASCRIPT,
        Language::Go => &GO,
        // A crate for tests looks like any other.
        Language::Rust => &[],
    }
}

/// The files of a project that only its tests rest on, and that are no tests themselves.
pub fn support_files(project: &Project<'_>) -> BTreeSet<RelPath> {
    let mut found = modules_of_tests(project);
    found.extend(helpers(project, &found));
    found.extend(data(project, &found));
    found.extend(loaded_alone(project));
    found
}

/// What `path` is imported as ends with one of these words.
fn stem(path: &RelPath) -> &str {
    let name = path.file_name();
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let folder = path.as_str().rsplit('/').nth(1).unwrap_or(stem);
    let is_of_folder = matches!(stem, "__init__" | "index" | "mod") || path.extension() == "go";
    if is_of_folder { folder } else { stem }
}

/// The package of a source in Go.
fn package(path: &RelPath) -> String {
    let folder = path.folder();
    format!("{folder}/{}", path.extension())
}

/// Where the imports of a source lead among the project's files.
fn led_to(project: &Project<'_>, file: &RelPath, source: &str) -> BTreeSet<RelPath> {
    let Some(language) = Language::of(file.extension()) else { return BTreeSet::new() };
    let Ok(tree) = Tree::parse(language, source) else { return BTreeSet::new() };
    let all = imports(&tree).into_iter().map(|import| project.files.place(language, file, &import.from));
    all.flat_map(|place| if let Place::Files(files) = place { files } else { Vec::new() }).collect()
}

fn helpers(project: &Project<'_>, known: &BTreeSet<RelPath>) -> BTreeSet<RelPath> {
    let speaks = |(path, source): &(&RelPath, &String)| {
        !known.contains(*path) && !is_shipped(project, path) && speaks_to_a_framework(path, source)
    };
    let mut left: BTreeSet<RelPath> =
        project.sources.iter().filter(speaks).map(|(path, _)| path.clone()).collect();
    // A package of Go is one thing: what helps tests beside other code of it has to follow that code.
    let others: BTreeSet<String> =
        project.sources.keys().filter(|path| !left.contains(*path)).map(package).collect();
    left.retain(|path| path.extension() != "go" || !others.contains(&package(path)));
    // Who is imported by production is production, and so is what that imports.
    loop {
        let stems = Words::new(left.iter().map(stem));
        let others = project
            .sources
            .iter()
            .filter(|(path, source)| !left.contains(*path) && !known.contains(*path) && stems.are_in(source));
        let taken: BTreeSet<RelPath> =
            others.flat_map(|(path, source)| led_to(project, path, source)).collect();
        let before = left.len();
        left.retain(|path| !taken.contains(path));
        if left.len() == before {
            break;
        }
    }
    if left.is_empty() {
        return left;
    }
    let stems = Words::new(left.iter().map(stem));
    let callers = project.tests.iter().chain(project.sources.iter().filter(|(path, _)| left.contains(*path)));
    let mut reached = BTreeSet::new();
    for (path, source) in callers.filter(|(_, source)| stems.are_in(source)) {
        let led = led_to(project, path, source);
        reached.extend(led.into_iter().filter(|to| to != path && left.contains(to)));
        if reached.len() == left.len() {
            break;
        }
    }
    reached
}

fn is_shipped(project: &Project<'_>, path: &RelPath) -> bool {
    // `dist/testing.js` is made of `src/testing.ts`.
    let is_made_of = |shipped: &str| {
        let name = shipped.rsplit('/').next().unwrap_or(shipped);
        Language::of(path.extension()).is_some_and(Language::is_javascript)
            && name.split('.').next() == Some(stem(path))
    };
    project
        .shipped
        .iter()
        .any(|shipped| path.as_str() == shipped || path.is_within(shipped) || is_made_of(shipped))
}

/// Whether a source imports what runs tests, or calls what a runner gives without an import.
fn speaks_to_a_framework(path: &RelPath, source: &str) -> bool {
    let Some(language) = Language::of(path.extension()) else { return false };
    let is_given = language.is_javascript() && source.contains("expect(");
    let names = frameworks(language);
    if !(is_given || names.iter().any(|name| source.contains(name))) {
        return false;
    }
    let Ok(tree) = Tree::parse(language, source) else { return false };
    let imports = imports(&tree);
    let is_framework = |from: &str| {
        let rest = names.iter().find_map(|name| from.strip_prefix(name));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':', '-']))
            && !(language == Language::Go && from.starts_with("testing/fstest"))
    };
    let calls_expect = || {
        // What a source holds for tests alone is a unit of its own, and makes no helper of the rest.
        let apart = unit_spans(&tree);
        let is_call =
            |at: usize| tree.kind(at) == "call_expression" && !apart.iter().any(|unit| unit.contains(&at));
        let name = |at: usize| tree.child(at, "function").map(|function| tree.text(function));
        !imports.iter().any(|import| import.local == "expect")
            && !source.contains("function expect")
            && tree.all().any(|at| is_call(at) && name(at) == Some("expect"))
    };
    imports.iter().any(|import| is_framework(&import.from)) || (is_given && calls_expect())
}

/// Rust's own fact: what is compiled for tests alone.
fn modules_of_tests(project: &Project<'_>) -> BTreeSet<RelPath> {
    let sources = || project.sources.iter().chain(project.tests).filter(|(path, _)| path.extension() == "rs");
    let (mut for_tests, mut for_all) = (BTreeSet::new(), BTreeSet::new());
    for (path, source) in sources().filter(|(_, source)| source.contains("cfg(")) {
        declared(project, path, source, &mut for_tests, &mut for_all);
    }
    if for_tests.is_empty() {
        return for_tests;
    }
    // Whoever declares one of them without the attribute makes it part of what is built.
    let stems: BTreeSet<String> = for_tests.iter().map(|path| stem(path).to_owned()).collect();
    let stems = Words::new(stems.iter().map(String::as_str));
    for (path, source) in sources().filter(|(_, source)| !source.contains("cfg(") && stems.are_in(source)) {
        declared(project, path, source, &mut for_tests, &mut for_all);
    }
    let roots: Vec<RelPath> = for_tests.difference(&for_all).cloned().collect();
    let below = |path: &&RelPath| {
        path.extension() == "rs"
            && roots.iter().any(|root| {
                let folder = root.as_str().strip_suffix(".rs").unwrap_or_default();
                *path == root || path.is_within(folder.strip_suffix("/mod").unwrap_or(folder))
            })
    };
    project.sources.keys().filter(below).cloned().collect()
}

/// The files of the modules that a source declares: those for tests alone, and the others.
fn declared(
    project: &Project<'_>,
    path: &RelPath,
    source: &str,
    for_tests: &mut BTreeSet<RelPath>,
    for_all: &mut BTreeSet<RelPath>,
) {
    if !source.contains("mod ") {
        return;
    }
    let Ok(tree) = Tree::parse(Language::Rust, source) else { return };
    let is_declared = |at: &usize| tree.kind(*at) == "mod_item" && tree.child(*at, "body").is_none();
    for at in tree.all().filter(is_declared) {
        let Some(name) = tree.child(at, "name").map(|name| tree.text(name)) else { continue };
        let home = project.files.place(Language::Rust, path, &format!("mod {name}"));
        let Place::Files(files) = home else { continue };
        let mut attributes = rust::attributes(&tree, at).into_iter();
        let is_of_tests = attributes.any(|at| tree.text(at).replace(' ', "") == "#[cfg(test)]");
        if is_of_tests { &mut *for_tests } else { &mut *for_all }.extend(files);
    }
}

fn data(project: &Project<'_>, support: &BTreeSet<RelPath>) -> BTreeSet<RelPath> {
    let marked: Vec<(&RelPath, Vec<&str>)> = project
        .data
        .iter()
        .filter(|path| !is_shipped(project, path))
        .map(|path| (path, telling_parts(path)))
        .filter(|(_, parts)| !parts.is_empty())
        .collect();
    if marked.is_empty() {
        return BTreeSet::new();
    }
    let mut words: BTreeSet<&str> = marked.iter().flat_map(|(_, parts)| parts.iter().copied()).collect();
    words.extend(marked.iter().map(|(path, _)| path.file_name()));
    words.extend(
        EXPECTED.iter().filter(|word| marked.iter().any(|(path, _)| path.file_name().contains(**word))),
    );
    let words = Words::new(words);
    let (mut of_tests, mut of_production) = (BTreeSet::new(), BTreeSet::new());
    for (path, source) in project.tests {
        strings(path, source, &words, &mut of_tests, None);
    }
    for (path, source) in project.sources {
        if support.contains(path) {
            strings(path, source, &words, &mut of_tests, None);
        } else {
            strings(path, source, &words, &mut of_production, Some(&mut of_tests));
        }
    }
    let name_it = |strings: &BTreeSet<String>, path: &RelPath, parts: &[&str]| {
        strings.iter().any(|string| names(string, path, parts))
    };
    marked
        .into_iter()
        .filter(|(path, parts)| name_it(&of_tests, path, parts) && !name_it(&of_production, path, parts))
        .map(|(path, _)| path.clone())
        .collect()
}

/// The folders and the name of a path that say what it is for.
fn telling_parts(path: &RelPath) -> Vec<&str> {
    let tells = |part: &&str| {
        let part = part.to_ascii_lowercase();
        let words: Vec<&str> = part.split(['_', '-', '.']).filter(|word| !word.is_empty()).collect();
        let is_of_tests = words.first().is_some_and(|word| matches!(*word, "test" | "tests"));
        let holds = |word: &&str| matches!(*word, "data" | "cases" | "files" | "resources" | "inputs");
        words.iter().any(|word| EXPECTED.contains(word)) || (is_of_tests && words.iter().any(holds))
    };
    path.as_str().split('/').filter(tells).collect()
}

/// The texts of a source that may name a file: short, without a blank, and with one of the words.
/// `units` gets those that stand in the tests of a source that holds some.
fn strings(
    path: &RelPath,
    source: &str,
    words: &Words,
    found: &mut BTreeSet<String>,
    mut units: Option<&mut BTreeSet<String>>,
) {
    const LONGEST: usize = 300;
    let Some(language) = Language::of(path.extension()) else { return };
    if !words.are_in(source) {
        return;
    }
    let Ok(tree) = Tree::parse(language, source) else { return };
    let spans = if units.is_some() { unit_spans(&tree) } else { Vec::new() };
    for at in tree.all().filter(|at| is_string(tree.kind(*at))) {
        let text = tree.text(at);
        let begin = text.find(['"', '\'', '`']).map_or(0, |quote| quote + 1);
        let text = text[begin..].trim_matches(['"', '\'', '`', '#']);
        if text.len() > LONGEST || text.contains(char::is_whitespace) || !words.are_in(text) {
            continue;
        }
        let is_in_units = spans.iter().any(|span| span.contains(&at));
        match units.as_deref_mut().filter(|_| is_in_units) {
            Some(units) => units.insert(text.to_owned()),
            None => found.insert(text.to_owned()),
        };
    }
}

/// Whether a text names this file, by its name or by a part that tells.
fn names(text: &str, path: &RelPath, telling: &[&str]) -> bool {
    let name = path.file_name();
    text.split(['/', '\\']).any(|part| {
        part == name
            || telling.contains(&part)
            || (part.len() > 1 && name.contains('.') && is_end(part, name))
    })
}

/// `{name}.golden` is the end of `a.golden`, as `.golden` is.
fn is_end(part: &str, name: &str) -> bool {
    let end = part.rsplit(['}', '*']).next().unwrap_or(part);
    let word = end.trim_start_matches(['.', '_', '-']);
    end.len() > word.len() && EXPECTED.iter().any(|known| word.starts_with(known)) && name.ends_with(end)
}
