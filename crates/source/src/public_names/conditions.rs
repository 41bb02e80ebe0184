//! Under which conditions a declared name is there at all.
//!
//! ```text
//! Rust     "#[cfg(…)]" at the item or around it, "#![cfg(…)]" of its file
//! Go       "//go:build …" before the package, what its file is called (`_windows.go`, `_x.go`)
//! Python   "if …:" around it; "del name" after it
//! ```
//!
//! Several declarations of a name under several conditions stand for each other (one for each platform). What a manifest
//! or the module of another file switches off is not seen here.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Language;
use super::super::rust;
use super::super::symbols::{Home, home_of};
use super::super::tree::{Tree, fold, is_name};

/// Words that end a file's name before its extension and have Go leave it out elsewhere, as its list has them.
const PLATFORMS: [&str; 39] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "hurd",
    "illumos",
    "ios",
    "js",
    "linux",
    "nacl",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "zos",
    "386",
    "amd64",
    "amd64p32",
    "arm",
    "arm64",
    "arm64be",
    "armbe",
    "loong64",
    "mips",
    "mips64",
    "mips64le",
    "mips64p32",
    "mips64p32le",
    "mipsle",
    "ppc64",
    "ppc64le",
    "riscv64",
    "s390x",
    "sparc",
    "sparc64",
    "wasm",
];

/// All of them together, for one declaration; empty for one that is always there.
pub(super) type Conditions = BTreeSet<String>;

/// The conditions of a whole file.
pub(super) fn of_file(path: &str, tree: &Tree<'_>) -> Conditions {
    match tree.language {
        Language::Rust => tree
            .children(0)
            .filter(|at| tree.kind(*at) == "inner_attribute_item")
            .filter_map(|at| cfg(tree.text(at)))
            .collect(),
        Language::Go => built_where(path).into_iter().chain(built_when(tree)).collect(),
        Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx => Conditions::new(),
    }
}

/// Those of what the name at this node declares, beside its file's.
pub(super) fn of_name(tree: &Tree<'_>, at: usize) -> Conditions {
    let around = || tree.ancestors(at);
    match tree.language {
        Language::Rust => {
            let attributes = around().flat_map(|item| rust::attributes(tree, item));
            attributes.filter_map(|attribute| cfg(tree.text(attribute))).collect()
        }
        Language::Python => {
            let deleted = is_deleted(tree, at).then(|| "del".to_owned());
            let branch = |around: usize| match tree.kind(around) {
                "if_statement" | "elif_clause" => {
                    tree.child(around, "condition").map(|it| format!("if {}", fold(tree.text(it))))
                }
                "else_clause" if tree.kind(tree.node(around).parent) == "if_statement" => {
                    Some(format!("else of {}", tree.node(around).parent))
                }
                _ => None,
            };
            // Of an `if` with an `else` around it, the `else` is told; of its own, both are.
            around().filter_map(branch).chain(deleted).collect()
        }
        Language::Go | Language::JavaScript | Language::TypeScript | Language::Tsx => Conditions::new(),
    }
}

/// Names that are under a condition alone, and under the same one wherever they are declared.
pub(super) fn under_one(all: &BTreeMap<String, BTreeSet<Conditions>>) -> BTreeSet<&str> {
    let is_one = |all: &BTreeSet<Conditions>| all.len() == 1 && !all.contains(&Conditions::new());
    all.iter().filter(|(_, all)| is_one(all)).map(|(name, _)| name.as_str()).collect()
}

fn cfg(attribute: &str) -> Option<String> {
    let text: String = attribute.split_whitespace().collect();
    text.trim_start_matches(['#', '!', '[']).starts_with("cfg(").then_some(text)
}

/// What the name of a file of Go says.
fn built_where(path: &str) -> Option<String> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let words: Vec<&str> = name.strip_suffix(".go").unwrap_or(name).split('_').collect();
    let last = words.get(1..).and_then(|rest| rest.last()).copied().unwrap_or_default();
    let is_left_out = name.starts_with(['_', '.']);
    (is_left_out || PLATFORMS.contains(&last)).then(|| format!("{name} by its name"))
}

/// What the comments before the package say.
fn built_when(tree: &Tree<'_>) -> Vec<String> {
    let head = tree.children(0).take_while(|at| tree.kind(*at) != "package_clause");
    let comments = head.filter(|at| tree.kind(*at) == "comment").map(|at| fold(tree.text(at)));
    comments.filter(|text| text.starts_with("//go:build ") || text.starts_with("// +build ")).collect()
}

/// Whether a statement of the module takes away what was declared before it.
fn is_deleted(tree: &Tree<'_>, at: usize) -> bool {
    let is_it = |part: usize| is_name(tree.kind(part)) && tree.text(part) == tree.text(at);
    let mut statements = tree.children(0).filter(|statement| *statement > at);
    let deleted =
        |statement: usize| tree.kind(statement) == "delete_statement" && tree.span(statement).any(is_it);
    home_of(tree, at) == Some(Home::Top) && statements.any(deleted)
}
