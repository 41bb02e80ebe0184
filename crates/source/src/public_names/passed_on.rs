//! Names that a file passes on though another one declares them: `from .core import one` in a package, `export { one }
//! from "./core.js"`, `pub use core::one`, and JavaScript's default export.
//!
//! One that is passed on no more is gone for whoever imports it from there, wherever it is declared. What some source
//! of the project took from there, and takes from elsewhere now, was the project's own affair: a name that is passed
//! on and used by nobody here is there for others.

use std::collections::BTreeSet;

use super::super::Language;
use super::super::imports::{Import, imports};
use super::super::symbols::{self, Home};
use super::super::tree::{Tree, is_name, is_string, module_stem};
use super::{Loss, LostName, Reexports, Sources, declared};

/// What a module is given by who imports it as a whole.
const DEFAULT: &str = "default";

/// Names that a file passed on and does not any more, though it stands still.
pub(super) fn no_longer_passed_on(
    language: Language,
    before: Sources<'_>,
    after: Sources<'_>,
) -> Vec<LostName> {
    let trees: Vec<(&str, Tree<'_>)> =
        before.iter().filter_map(|(path, text)| Some((*path, Tree::parse(language, text).ok()?))).collect();
    let mut lost = Vec::new();
    for (path, tree) in &trees {
        let passed_on = passed_on(path, tree);
        if passed_on.is_empty() {
            continue;
        }
        let now = after.iter().find(|(other, _)| other == path);
        let Some(now) = now.and_then(|(_, text)| Tree::parse(language, text).ok()) else { continue };
        let Some(kept) = given_by(&now) else { continue };
        let others = || trees.iter().filter(|(other, _)| other != path).map(|(_, tree)| tree);
        for name in passed_on.into_iter().filter(|name| !kept.contains(name)) {
            if !others().any(|other| takes(other, name, path)) {
                lost.push(LostName { path: (*path).to_owned(), name: name.to_owned(), loss: Loss::Gone });
            }
        }
    }
    lost
}

fn passed_on<'s>(path: &str, tree: &Tree<'s>) -> BTreeSet<&'s str> {
    match tree.language {
        Language::Python => of_package(path, tree),
        Language::JavaScript | Language::TypeScript | Language::Tsx => exports(tree),
        Language::Rust => used_for_others(tree),
        Language::Go => BTreeSet::new(),
    }
}

/// All that a file gives; `None` if that can't be told from its text.
fn given_by<'s>(tree: &Tree<'s>) -> Option<BTreeSet<&'s str>> {
    let declared = || tree.all().filter(|at| matches!(symbols::home_of(tree, *at), Some(Home::Top)));
    match tree.language {
        Language::Python => {
            let is_dynamic = |at: usize| {
                let made = ["__getattr__", "globals", "vars", "locals", "setattr", "modules"];
                tree.kind(at) == "wildcard_import"
                    || (is_name(tree.kind(at)) && made.contains(&tree.text(at)))
            };
            let is_assigned = |at: &usize| is_name(tree.kind(*at)) && is_taken_apart(tree, *at);
            let names = tree.all().filter(is_assigned).chain(declared()).map(|at| tree.text(at));
            let locals = aliased(tree);
            (!tree.all().any(is_dynamic)).then(|| names.chain(locals).collect())
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let is_dynamic = |at: usize| {
                let is_all = tree.kind(at) == "export_statement"
                    && tree.children(at).any(|part| tree.text(part) == "*");
                is_all || (tree.kind(at) == "member_expression" && tree.text(at) == "module.exports")
            };
            let names = declared().map(|at| tree.text(at));
            (!tree.all().any(is_dynamic)).then(|| names.chain(exports(tree)).collect())
        }
        Language::Rust => {
            let is_dynamic = |at: usize| {
                let is_all = |at| tree.span(at).any(|part| tree.kind(part) == "use_wildcard");
                (tree.kind(at) == "use_declaration" && is_for_others(tree, at) && is_all(at))
                    || (tree.kind(at) == "macro_invocation" && tree.node(tree.node(at).parent).parent == 0)
            };
            let names = declared().map(|at| tree.text(at));
            (!tree.all().any(is_dynamic)).then(|| names.chain(used_for_others(tree)).collect())
        }
        Language::Go => None,
    }
}

/// `(one, two) = …`
fn is_taken_apart(tree: &Tree<'_>, at: usize) -> bool {
    let is_pattern = |around: &usize| {
        matches!(tree.kind(*around), "pattern_list" | "tuple_pattern") && tree.node(*around).field == "left"
    };
    tree.ancestors(at).take(3).any(|around| is_pattern(&around))
}

/// Every name that an import brings, wherever it comes from.
fn aliased<'s>(tree: &Tree<'s>) -> Vec<&'s str> {
    let is_import = |at: usize| matches!(tree.kind(at), "import_statement" | "import_from_statement");
    let names = tree.all().filter(|at| is_import(*at)).flat_map(|at| tree.span(at));
    names.filter(|at| is_name(tree.kind(*at))).map(|at| tree.text(at)).collect()
}

/// What `__all__` lists and the file does not declare; without a list, what `__init__.py` imports from its own package
/// and uses for nothing.
fn of_package<'s>(path: &str, tree: &Tree<'s>) -> BTreeSet<&'s str> {
    let is_list = |at: &usize| tree.kind(*at) == "assignment" && tree.text(*at).starts_with("__all__");
    let imported: BTreeSet<&str> = aliased(tree).into_iter().collect();
    if let Some(list) = tree.all().find(is_list) {
        let strings = tree.span(list).filter(|at| is_string(tree.kind(*at)));
        let names = strings.map(|at| tree.text(at).trim_matches(['"', '\'']));
        return names.filter(|name| imported.contains(name)).collect();
    }
    let mut folders = path.rsplit('/');
    if folders.next() != Some("__init__.py") {
        return BTreeSet::new();
    }
    let package = folders.next().unwrap_or_default();
    let is_own = |import: &Import| {
        let first = import.from.split([':', '.']).next().unwrap_or_default();
        import.from.starts_with('.') || (!package.is_empty() && first == package)
    };
    let own: BTreeSet<String> = imports(tree).into_iter().filter(is_own).map(|import| import.local).collect();
    let is_import = |at: usize| tree.kind(at) == "import_from_statement";
    let used: BTreeSet<&str> = tree
        .all()
        .filter(|at| is_name(tree.kind(*at)) && !tree.ancestors(*at).any(is_import))
        .map(|at| tree.text(at))
        .collect();
    let is_for_others = |name: &&str| own.contains(*name) && !used.contains(name) && !name.starts_with('_');
    imported.into_iter().filter(is_for_others).collect()
}

/// What `export` lists, and the default.
fn exports<'s>(tree: &Tree<'s>) -> BTreeSet<&'s str> {
    let mut names = BTreeSet::new();
    for at in tree.all() {
        let name = match tree.kind(at) {
            "export_specifier" => tree.child(at, "alias").or_else(|| tree.child(at, "name")),
            "export_statement" => tree.children(at).find(|part| tree.text(*part) == DEFAULT),
            "namespace_export" => tree.children(at).find(|part| is_name(tree.kind(*part))),
            _ => None,
        };
        names.extend(name.map(|name| tree.text(name)));
    }
    names
}

fn used_for_others<'s>(tree: &Tree<'s>) -> BTreeSet<&'s str> {
    let is_use = |at: &usize| tree.kind(*at) == "use_declaration" && is_for_others(tree, *at);
    let locals: BTreeSet<String> =
        imports(tree).into_iter().filter(|import| is_use(&import.at)).map(|import| import.local).collect();
    let names = tree.all().filter(is_use).flat_map(|at| tree.span(at)).map(|at| tree.text(at));
    names.filter(|name| *name != "*" && locals.contains(*name)).collect()
}

fn is_for_others(tree: &Tree<'_>, at: usize) -> bool {
    tree.child_of_kind(at, "visibility_modifier").is_some_and(|mark| tree.text(mark) == "pub")
}

/// Whether a source may take this name from the file at this path.
fn takes(tree: &Tree<'_>, name: &str, path: &str) -> bool {
    if name == DEFAULT {
        let mut folders = path.rsplit('/');
        let stem = module_stem(folders.next().unwrap_or_default());
        let folder = folders.next().unwrap_or_default();
        let is_of_it = |import: &Import| {
            let from = module_stem(&import.from);
            import.name == DEFAULT || (import.name.is_empty() && (from == stem || from == folder))
        };
        return imports(tree).iter().any(is_of_it);
    }
    let is_it = |at: &usize| is_name(tree.kind(*at)) && tree.text(*at) == name;
    let declares = declared(tree, Reexports::AreNot).contains_key(name);
    !declares && tree.all().any(|at| is_it(&at))
}
