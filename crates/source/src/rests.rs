//! Which files a source takes from, and, in Go, whose names it uses without an import.

use std::collections::BTreeSet;

use tdd_core::path::RelPath;

use super::Language;
use super::homes::{Files, Place};
use super::imports::imports;
use super::symbols::{Home, home_of};
use super::tree::{Tree, is_name, is_string};

/// What one import of a source leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Files of the project, any of which it may be.
    pub files: Vec<RelPath>,
    /// The module's name, where that alone tells: a package that is installed may be called so as well.
    pub by_name: Option<String>,
}

/// The imports of a source that lead to files of the project. A module of Python that no folder of its own way holds
/// may be any file of its name: a runner puts folders on the path. What is erased with its types, and Rust, whose
/// modules are told by its compiler, is left out.
pub fn taken(language: Language, files: &Files, file: &RelPath, source: &str) -> Vec<Taken> {
    let Ok(tree) = Tree::parse(language, source) else { return Vec::new() };
    if language == Language::Rust {
        return Vec::new();
    }
    let is_erased =
        |at: usize| ["import type", "export type"].iter().any(|word| tree.text(at).starts_with(word));
    let mut all: Vec<Taken> = Vec::new();
    let written = imports(&tree).into_iter().filter(|import| !is_erased(import.at)).map(|import| import.from);
    for from in written.chain(imported_by_call(&tree)) {
        let taken = match files.place(language, file, &from) {
            Place::Files(files) => Taken { files, by_name: None },
            Place::Absent if language == Language::Python && !from.starts_with('.') => {
                let name = from.split([':', '.']).next().unwrap_or(&from);
                Taken { files: files.of_this_name(name), by_name: Some(name.to_owned()) }
            }
            Place::Absent | Place::Own | Place::Library => continue,
        };
        if !taken.files.is_empty() && !all.contains(&taken) {
            all.push(taken);
        }
    }
    all
}

/// `importlib.import_module("helpers")`, where the name is written there.
fn imported_by_call(tree: &Tree<'_>) -> Vec<String> {
    let named = |at: usize| {
        let function = tree.child(at, "function").map(|function| tree.text(function))?;
        let imports = matches!(function.rsplit('.').next(), Some("import_module" | "__import__"));
        let first = tree.child(at, "arguments").and_then(|list| tree.parts(list).next())?;
        (imports && is_string(tree.kind(first)))
            .then(|| tree.text(first).trim_matches(['"', '\'']).to_owned())
    };
    tree.all().filter(|at| tree.kind(*at) == "call").filter_map(named).collect()
}

/// Names that a file of Go uses and that, of its package, only these others declare: the first, and in which of them.
pub fn declared_by_others_alone<'o>(
    source: &str,
    package: &[&str],
    others: &'o [(RelPath, String)],
) -> Option<(String, &'o RelPath)> {
    let tree = Tree::parse(Language::Go, source).ok()?;
    let used = free_names(&tree);
    let own: Vec<Tree<'_>> = package.iter().filter_map(|text| Tree::parse(Language::Go, text).ok()).collect();
    let known: BTreeSet<&str> = own.iter().flat_map(|tree| top(tree).map(|at| tree.text(at))).collect();
    others.iter().find_map(|(path, text)| {
        let other = Tree::parse(Language::Go, text).ok()?;
        // Tests from outside are of a package of their own.
        if package_of(&other) != package_of(&tree) {
            return None;
        }
        let name = top(&other)
            .map(|at| other.text(at))
            .find(|name| used.contains(name) && !known.contains(name))?
            .to_owned();
        Some((name, path))
    })
}

/// The package of a file of Go.
pub(super) fn package_of<'s>(tree: &Tree<'s>) -> Option<&'s str> {
    let clause = tree.parts(0).find(|at| tree.kind(*at) == "package_clause")?;
    tree.parts(clause).next().map(|name| tree.text(name))
}

/// What a file declares for its whole package, by the names' nodes.
pub(super) fn top(tree: &Tree<'_>) -> impl Iterator<Item = usize> {
    tree.all().filter(|at| home_of(tree, *at) == Some(Home::Top))
}

/// Names that are used in a declaration of a file and bound nowhere in it: a local one hides what the package declares.
fn free_names<'s>(tree: &Tree<'s>) -> BTreeSet<&'s str> {
    let is_plain = |at: usize| matches!(tree.kind(at), "identifier" | "type_identifier");
    let locals = imports(tree).into_iter().map(|import| import.local).collect::<BTreeSet<_>>();
    let mut free = BTreeSet::new();
    for declaration in tree.parts(0) {
        let (mut used, mut bound) = (BTreeSet::new(), BTreeSet::new());
        for at in tree.span(declaration).filter(|at| is_plain(*at) || tree.kind(*at) == "package_identifier")
        {
            if binds(tree, at) {
                bound.insert(tree.text(at));
            } else if is_plain(at) && !is_key(tree, at) {
                used.insert(tree.text(at));
            }
        }
        free.extend(used.into_iter().filter(|name| !bound.contains(name) && !locals.contains(*name)));
    }
    free
}

fn binds(tree: &Tree<'_>, at: usize) -> bool {
    let node = tree.node(at);
    let parent = tree.kind(node.parent);
    let is_left = tree.node(node.parent).field == "left" && parent == "expression_list" && {
        let around = tree.kind(tree.node(node.parent).parent);
        matches!(around, "short_var_declaration" | "range_clause" | "receive_statement")
    };
    let is_named = node.field == "name"
        && (parent.ends_with("_declaration")
            || parent.ends_with("_spec")
            || parent == "type_parameter_declaration");
    is_left || is_named || matches!(parent, "label_name" | "package_clause" | "type_switch_statement")
}

/// `key: value` of a literal, where a field is named.
fn is_key(tree: &Tree<'_>, at: usize) -> bool {
    let mut around = tree.ancestors(at).take(2);
    around.any(|around| {
        tree.kind(around) == "keyed_element"
            && tree.parts(around).next().is_some_and(|first| tree.span(first).contains(&at))
    }) && is_name(tree.kind(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> RelPath {
        RelPath::new(text).expect("a path")
    }

    #[test]
    fn ac_tdd_8_121_the_files_that_a_source_takes_from_are_told() {
        let all = [
            "shop.py",
            "tests/helpers.py",
            "lib/near.py",
            "src/a.ts",
            "test/h.ts",
            "kit/tests/__init__.py",
            "kit/tests/stripe.py",
        ];
        let files = Files::new(all.map(path).to_vec(), Vec::new());
        let of = |language, file: &str, source: &str| -> String {
            let taken = taken(language, &files, &path(file), source);
            let words = taken.iter().map(|taken| {
                let files = taken.files.iter().map(RelPath::as_str).collect::<Vec<_>>().join(",");
                taken.by_name.as_ref().map_or(files.clone(), |name| format!("{name}={files}"))
            });
            words.collect::<Vec<_>>().join(" ")
        };
        for (language, file, source, want) in [
            (Language::Python, "shop.py", "import helpers\n", "helpers=tests/helpers.py"),
            (Language::Python, "shop.py", "import stripe\n", ""),
            (
                Language::Python,
                "shop.py",
                "import importlib\nx = importlib.import_module('helpers')\n",
                "helpers=tests/helpers.py",
            ),
            (Language::Python, "shop.py", "def f():\n    from tests.helpers import x\n", "tests/helpers.py"),
            (Language::Python, "shop.py", "import os, requests\nfrom near import x\n", "lib/near.py"),
            (Language::TypeScript, "src/a.ts", "import { x } from '../test/h';\n", "test/h.ts"),
            (Language::TypeScript, "src/a.ts", "import type { X } from '../test/h';\n", ""),
            (Language::JavaScript, "src/a.js", "const x = require('../test/h.js');\n", "test/h.ts"),
        ] {
            assert_eq!(of(language, file, source), want, "{source}");
        }
    }

    #[test]
    fn ac_tdd_8_121_a_name_of_go_that_only_others_declare_is_told() {
        let tests = [(
            path("a_test.go"),
            "package a\n\nfunc Help() int { return 1 }\n\ntype Kit struct{}\n".to_owned(),
        )];
        for (source, package, want) in [
            ("package a\n\nfunc Two() int { return Help() }\n", "", Some("Help")),
            ("package a\n\nfunc Two(k Kit) {}\n", "", Some("Kit")),
            (
                "package a\n\nfunc Two() int { return Help() }\n",
                "package a\n\nfunc Help() int { return 2 }\n",
                None,
            ),
            ("package a\n\nfunc Two(Help func() int) int { return Help() }\n", "", None),
            ("package a\n\nfunc Two() int { Help := 1; return Help }\n", "", None),
            ("package a\n\nfunc Two(x T) int { return x.Help + b.Help() }\n", "", None),
            ("package a\n\nvar t = T{Help: 1}\n", "", None),
            (
                "package a\n\nfunc Two() int { return Help() }\n\nfunc b() int { Help := 1; return Help }\n",
                "",
                Some("Help"),
            ),
            ("package b\n\nfunc Two() int { return Help() }\n", "", None),
            ("package a\n\nfunc (t T) Help() {}\n", "", None),
        ] {
            let told = declared_by_others_alone(source, &[source, package], &tests);
            assert_eq!(told.map(|(name, _)| name).as_deref(), want, "{source}");
        }
    }
}
