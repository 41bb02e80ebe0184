//! What a file of tests takes from other files, and by which of its own names it calls it.
//!
//! ```text
//! Python      "from .checks import same as s"   s       .checks:same
//! JavaScript  "const { same } = require('./h')"  same    ./h
//! Rust        "use common::same", "mod common;"  same    common::same, mod common
//! Go          import c "example.com/checks"      c       example.com/checks
//! ```

use std::collections::BTreeSet;

use super::Language;
use super::tree::Tree;

/// One name that stands for something of another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Import {
    /// `*` if it brings all names.
    pub(super) local: String,
    /// What it is called at home; empty if it is the whole module.
    pub(super) name: String,
    /// Where it comes from, as [`super::homes`] is asked for it.
    pub(super) from: String,
    /// The statement that brings it.
    pub(super) at: usize,
}

impl Import {
    fn new(local: &str, name: &str, from: &str) -> Self {
        Self { local: local.to_owned(), name: name.to_owned(), from: from.to_owned(), at: 0 }
    }
}

/// Imports of one file.
const MOST: usize = 2000;

/// What a file imports by name, as a runner spells what is absent: `shop.total`, `../shop.mjs#total`,
/// `shop::total`. Of Go, whose imports name packages alone, nothing.
pub fn asked_for(language: Language, source: &str) -> Vec<String> {
    let Ok(tree) = Tree::parse(language, source) else { return Vec::new() };
    let named = imports(&tree).into_iter().filter(|import| !import.name.is_empty());
    let spelt = named.filter_map(|import| match language {
        Language::Python => Some(import.from.replacen(':', ".", 1)),
        Language::Rust => Some(import.from),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            Some(format!("{}#{}", import.from, import.name))
        }
        Language::Go => None,
    });
    spelt.collect()
}

/// The first words of all modules that a file imports: `shop` of `shop.cart`.
pub fn imported_roots(language: Language, source: &str) -> BTreeSet<String> {
    let Ok(tree) = Tree::parse(language, source) else { return BTreeSet::new() };
    let root = |import: Import| import.from.split([':', '.', '/']).next().unwrap_or_default().to_owned();
    imports(&tree).into_iter().map(root).filter(|root| !root.is_empty()).collect()
}

/// Those of them that have to be there before the file loads: what stands inside of functions, conditions and `try` is
/// asked for later or not at all, and a type's import is erased.
pub fn asked_at_load(language: Language, source: &str) -> Vec<String> {
    let Ok(tree) = Tree::parse(language, source) else { return Vec::new() };
    let is_import = |at: &usize| {
        let is_one = matches!(
            tree.kind(*at),
            "import_statement" | "import_from_statement" | "export_statement" | "use_declaration"
        );
        is_one && !["import type", "export type"].iter().any(|erased| tree.text(*at).starts_with(erased))
    };
    let at_top: Vec<&str> = tree.parts(0).filter(is_import).map(|at| tree.text(at)).collect();
    asked_for(language, &at_top.join("\n"))
}

pub(super) fn imports(tree: &Tree<'_>) -> Vec<Import> {
    let mut found = Vec::new();
    for at in tree.all() {
        let known = found.len();
        match tree.kind(at) {
            "import_statement" if tree.language == Language::Python => python(tree, at, &mut found),
            "import_from_statement" => python_from(tree, at, &mut found),
            "import_statement" | "export_statement" => script(tree, at, &mut found),
            "variable_declarator" => required(tree, at, &mut found),
            "use_declaration" => rust(tree, at, &mut found),
            "mod_item" if tree.child(at, "body").is_none() => {
                let name = tree.child(at, "name").map(|name| tree.text(name)).unwrap_or_default();
                found.push(Import::new(name, "", &format!("mod {name}")));
            }
            "import_spec" => found.extend(go(tree, at)),
            _ => {}
        }
        found.iter_mut().skip(known).for_each(|import| import.at = at);
        if found.len() > MOST {
            break;
        }
    }
    found
}

fn python(tree: &Tree<'_>, at: usize, found: &mut Vec<Import>) {
    for name in tree.children(at).filter(|child| tree.node(*child).field == "name") {
        let module = tree.child(name, "name").unwrap_or(name);
        let from = tree.text(module);
        let first = from.split('.').next().unwrap_or(from);
        let local = tree.child(name, "alias").map_or(first, |alias| tree.text(alias));
        found.push(Import::new(local, "", from));
    }
}

fn python_from(tree: &Tree<'_>, at: usize, found: &mut Vec<Import>) {
    let Some(module) = tree.child(at, "module_name").map(|module| tree.text(module)) else { return };
    if tree.child_of_kind(at, "wildcard_import").is_some() {
        found.push(Import::new("*", "", module));
    }
    for name in tree.children(at).filter(|child| tree.node(*child).field == "name") {
        let own = tree.text(tree.child(name, "name").unwrap_or(name));
        let local = tree.child(name, "alias").map_or(own, |alias| tree.text(alias));
        found.push(Import::new(local, own, &format!("{module}:{own}")));
    }
}

fn script(tree: &Tree<'_>, at: usize, found: &mut Vec<Import>) {
    let Some(source) = tree.child(at, "source").map(|source| unquoted(tree.text(source))) else { return };
    let is_export = tree.kind(at) == "export_statement";
    let is_all = is_export && tree.child_of_kind(at, "export_clause").is_none();
    if is_all {
        found.push(Import::new("*", "", source));
    }
    for part in tree.span(at) {
        match tree.kind(part) {
            "import_specifier" | "export_specifier" => {
                let Some(name) = tree.child(part, "name").map(|name| tree.text(name)) else { continue };
                let local = tree.child(part, "alias").map_or(name, |alias| tree.text(alias));
                found.push(Import::new(local, name, source));
            }
            "identifier"
                if matches!(
                    tree.kind(tree.node(part).parent),
                    "import_clause" | "namespace_import" | "import_require_clause"
                ) =>
            {
                found.push(Import::new(tree.text(part), "", source));
            }
            _ => {}
        }
    }
}

/// `const { same } = require('./h')`, `const h = await import('./h')`, `require('./h').same`,
/// `require('./h')(app)`.
fn required(tree: &Tree<'_>, at: usize, found: &mut Vec<Import>) {
    let (Some(name), Some(value)) = (tree.child(at, "name"), tree.child(at, "value")) else { return };
    let calls = |call: &usize| {
        tree.kind(*call) == "call_expression"
            && tree.child(*call, "function").is_some_and(|f| matches!(tree.text(f), "require" | "import"))
    };
    let near = |call: &usize| {
        tree.ancestors(*call).take_while(|around| *around >= value).all(|around| {
            matches!(
                tree.kind(around),
                "call_expression" | "member_expression" | "await_expression" | "parenthesized_expression"
            )
        })
    };
    let Some(call) = tree.span(value).filter(calls).find(near) else { return };
    let Some(first) = tree.child(call, "arguments").and_then(|list| tree.parts(list).next()) else { return };
    let source = unquoted(tree.text(first));
    let parent = tree.node(call).parent;
    let member = (tree.kind(parent) == "member_expression").then(|| tree.child(parent, "property")).flatten();
    if tree.kind(name) == "identifier" {
        let own = member.map(|at| tree.text(at)).unwrap_or_default();
        found.push(Import::new(tree.text(name), own, source));
        return;
    }
    for part in tree.span(name) {
        match tree.kind(part) {
            "shorthand_property_identifier_pattern" => {
                found.push(Import::new(tree.text(part), tree.text(part), source));
            }
            "pair_pattern" => {
                let (key, value) = (tree.child(part, "key"), tree.child(part, "value"));
                if let (Some(key), Some(value)) = (key, value) {
                    found.push(Import::new(tree.text(value), tree.text(key), source));
                }
            }
            _ => {}
        }
    }
}

fn rust(tree: &Tree<'_>, at: usize, found: &mut Vec<Import>) {
    // `common::same as s`: all that stands before the other name is a path to the grammar.
    let is_path =
        |part: usize| tree.node(part).field == "path" && tree.kind(tree.node(part).parent) != "use_as_clause";
    let is_leaf = |leaf: &usize| {
        matches!(tree.kind(*leaf), "identifier" | "self" | "crate" | "super" | "*")
            && !is_path(*leaf)
            && tree.node(*leaf).field != "alias"
            && !tree.ancestors(*leaf).take_while(|around| *around != at).any(|around| {
                is_path(around) || (tree.kind(around) == "use_wildcard" && tree.text(*leaf) != "*")
            })
    };
    for leaf in tree.span(at).filter(is_leaf) {
        let mut parts: Vec<String> = vec![tree.text(leaf).to_owned()];
        let mut local = tree.text(leaf);
        for around in tree.ancestors(leaf).take_while(|around| *around != at) {
            match tree.kind(around) {
                "use_as_clause" => {
                    local = tree.child(around, "alias").map_or(local, |alias| tree.text(alias));
                }
                // The path is what stands before the star.
                "use_wildcard" => {
                    let path = tree.children(around).find(|child| tree.node(*child).is_named);
                    parts.extend(path.map(|path| tree.text(path).to_owned()));
                }
                "use_list" => {}
                _ => {
                    let path = tree.child(around, "path").filter(|path| tree.node(*path).last <= leaf);
                    parts.extend(path.map(|path| tree.text(path).to_owned()));
                }
            }
        }
        parts.reverse();
        let from: String = parts.join("::").split_whitespace().collect();
        let last_of_path = || parts.iter().rev().nth(1).and_then(|path| path.rsplit("::").next());
        match tree.text(leaf) {
            "self" if parts.len() > 1 => {
                let name = last_of_path().unwrap_or_default();
                let local = if local == "self" { name } else { local };
                found.push(Import::new(local, "", from.trim_end_matches("::self")));
            }
            "*" => found.push(Import::new("*", "", &from)),
            name => found.push(Import::new(local, name, &from)),
        }
    }
}

fn go(tree: &Tree<'_>, at: usize) -> Option<Import> {
    let path = tree.text(tree.child(at, "path")?).trim_matches(['"', '`']);
    let mut words = path.rsplit('/');
    let is_version = |word: &&str| word.starts_with('v') && word[1..].chars().all(|c| c.is_ascii_digit());
    let last = words.find(|word| !is_version(word)).unwrap_or(path);
    let last = last.split('.').next().unwrap_or(last);
    let local = match tree.child(at, "name").map(|name| tree.text(name)) {
        Some(".") => "*",
        Some(name) => name,
        None => last.trim_start_matches("go-").trim_end_matches("-go"),
    };
    Some(Import::new(local, "", path))
}

fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}
