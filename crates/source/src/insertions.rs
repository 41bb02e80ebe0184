//! What is written into modules of tests, and into the blocks of a source of JavaScript that are for vitest alone, beside
//! what stands there, whatever it is: a test that a macro makes, the macro, a helper. Plain tests that are added are
//! known by `source::units`; here the module's items are compared one by one.
//!
//! ```text
//! mod tests { use super::*; #[test] fn a() {…} }
//!   +  case!(five, 5, 10);          more of it
//!   +  fn helper() {…}              more of it, if nothing that stood there says "helper"
//!   -  #[test] fn a() {…}           not only more, unless `base` has no such test
//! ```

use super::picked::picked;
use super::split::condensed;
use super::tree::{Span, Tree, is_name};
use super::units::{Unit, UnitKind, rest, units};
use super::{Language, Unread, find, rust};

/// Whether a Rust source differs outside of what is for tests alone.
pub fn same_code(before: &str, after: &str) -> Result<bool, Unread> {
    let (old, new) = (Tree::parse(Language::Rust, before)?, Tree::parse(Language::Rust, after)?);
    Ok(new.errors.is_empty() && rest(&old, &units(&old)) == rest(&new, &units(&new)))
}

/// Whether a source of Rust or JavaScript differs in its modules of tests, or in its blocks that are for vitest alone, and
/// in the examples of its documentation: in modules by
/// tests, by imports, and by helpers for these; the
/// modules stand where they stood, or are gone with all of their tests, and nothing new in them has a name that was said
/// there. What an import gives a name to mean is [`super::rebound`]'s.
pub fn changes_tests_alone(language: Language, before: &str, after: &str) -> Result<bool, Unread> {
    let (old_tree, new_tree) = (Tree::parse(language, before)?, Tree::parse(language, after)?);
    // Which examples are others than they were is told by `outline`; a test that stands among sources of another language
    // than Rust is part of the program.
    let is_apart = |unit: &Unit| {
        unit.kind == UnitKind::Scaffold || language == Language::Rust && unit.kind == UnitKind::Tests
    };
    let (mut old, mut new) = (units(&old_tree), units(&new_tree));
    old.retain(is_apart);
    new.retain(is_apart);
    if !new_tree.errors.is_empty() || rest(&old_tree, &old) != rest(&new_tree, &new) {
        return Ok(false);
    }
    for unit in &old {
        let was = Module::of(&old_tree, unit);
        let differs_by_tests = |now: &Unit| {
            let is = Module::of(&new_tree, now);
            was.as_ref().zip(is).is_some_and(|(was, is)| is.serves_tests_of(was))
        };
        let is_it = |now: &Unit| now.text == unit.text || now.name == unit.name && differs_by_tests(now);
        match new.iter().position(is_it) {
            Some(at) => drop(new.swap_remove(at)),
            None if was.as_ref().is_some_and(Module::has_nothing_but_tests) => {}
            None => return Ok(false),
        }
    }
    Ok(new.is_empty())
}

/// Whether what `base` has for tests alone, and `before` still has, stands in `after` as it is and means what it did.
pub fn keeps_tests(base: &str, before: &str, after: &str) -> Result<bool, Unread> {
    let read = |source| Tree::parse(Language::Rust, source);
    let (base, old, new) = (read(base)?, read(before)?, read(after)?);
    let (base_units, mut left) = (units(&base), units(&new));
    for unit in units(&old) {
        if let Some(at) = left.iter().position(|now| now.text == unit.text) {
            left.swap_remove(at);
            continue;
        }
        if base_units.iter().all(|it| it.name != unit.name) {
            continue;
        }
        let (Some(was), Some(at)) =
            (Module::of(&old, &unit), left.iter().position(|now| now.name == unit.name))
        else {
            return Ok(false);
        };
        let is = left.swap_remove(at);
        let in_base: Vec<Module> = base_units.iter().filter_map(|it| Module::of(&base, it)).collect();
        let grown = Module::of(&new, &is).is_some_and(|is| is.grew(&was, &in_base));
        if !grown {
            return Ok(false);
        }
    }
    Ok(true)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemKind {
    Test,
    Import,
    /// A function, a constant, a type: it means nothing to who does not say its name.
    Helper,
    /// A macro, a trait, an implementation, a module.
    Other,
}

/// A module of tests, item by item.
struct Module {
    head: String,
    items: Vec<Item>,
}

struct Item {
    kind: ItemKind,
    text: String,
    words: Vec<String>,
    /// What it declares or brings.
    names: Vec<String>,
}

impl Module {
    fn of(tree: &Tree<'_>, unit: &Unit) -> Option<Self> {
        if tree.language.is_javascript() {
            return Self::of_block(tree, unit);
        }
        let module = tree.siblings(unit.span.clone()).find(|at| tree.kind(*at) == "mod_item")?;
        let body = tree.child(module, "body")?;
        let mut items = Vec::new();
        let mut start = None;
        for item in tree.parts(body) {
            let first = *start.get_or_insert(item);
            if tree.kind(item) != "attribute_item" {
                items.push(Item::of(tree, &(first..tree.node(item).last), item));
                start = None;
            }
        }
        Some(Self { head: condensed(tree, &(unit.span.start..body)), items })
    }

    /// A block that is for vitest alone.
    fn of_block(tree: &Tree<'_>, unit: &Unit) -> Option<Self> {
        let body = tree.child(unit.span.start, "consequence")?;
        let tests = find(tree);
        let of = |at: usize| {
            let span = tree.span(at);
            let holds_a_test = tests.iter().any(|test| span.contains(&test.node));
            let kind = if holds_a_test { ItemKind::Test } else { kind_of_statement(tree, at) };
            let words = tree.span(at).filter(|at| is_name(tree.kind(*at)));
            Item {
                kind,
                text: condensed(tree, &span),
                words: words.map(|at| tree.text(at).to_owned()).collect(),
                names: declared(tree, at),
            }
        };
        let items = tree.parts(body).filter(|at| tree.kind(*at) != "comment").map(of).collect();
        Some(Self { head: condensed(tree, &(unit.span.start..body)), items })
    }

    fn has_nothing_but_tests(&self) -> bool {
        let mut kinds = self.items.iter().map(|item| item.kind);
        kinds.all(|kind| matches!(kind, ItemKind::Test | ItemKind::Import))
    }

    /// Whether all that was there is there still, but for tests and imports, and what is new are such and helpers.
    fn serves_tests_of(&self, was: &Self) -> bool {
        let mut left: Vec<&Item> = self.items.iter().collect();
        for item in &was.items {
            match (left.iter().position(|now| now.text == item.text), item.kind) {
                (Some(at), _) => drop(left.remove(at)),
                (None, ItemKind::Test | ItemKind::Import) => {}
                (None, ItemKind::Helper | ItemKind::Other) => return false,
            }
        }
        let was_said = |name: &String| was.items.iter().any(|item| item.words.contains(name));
        let may_come = |item: &Item| match item.kind {
            ItemKind::Test | ItemKind::Import => true,
            ItemKind::Helper => !item.names.iter().any(was_said),
            ItemKind::Other => false,
        };
        self.head == was.head && left.into_iter().all(may_come)
    }

    /// Whether all that was there and is in one of these modules is there still, and nothing new has one of its names.
    fn grew(&self, was: &Self, base: &[Self]) -> bool {
        let mut left: Vec<&Item> = self.items.iter().collect();
        let mut kept: Vec<&Item> = Vec::new();
        for item in &was.items {
            if let Some(at) = left.iter().position(|now| now.text == item.text) {
                left.remove(at);
                kept.push(item);
            } else if base.iter().flat_map(|module| &module.items).any(|it| it.text == item.text) {
                return false;
            }
        }
        let is_said = |name: &String| kept.iter().any(|item| item.words.contains(name));
        self.head == was.head && !left.iter().any(|item| item.names.iter().any(is_said))
    }
}

impl Item {
    fn of(tree: &Tree<'_>, span: &Span, item: usize) -> Self {
        let words = |span: Span| -> Vec<String> {
            span.filter(|at| is_name(tree.kind(*at))).map(|at| tree.text(at).to_owned()).collect()
        };
        let names = if tree.kind(item) == "use_declaration" {
            words(tree.span(item))
        } else {
            tree.child(item, "name").map(|at| tree.text(at).to_owned()).into_iter().collect()
        };
        Self { kind: kind_of(tree, item), text: condensed(tree, span), words: words(span.clone()), names }
    }
}

fn kind_of(tree: &Tree<'_>, item: usize) -> ItemKind {
    let is_test =
        || rust::attributes(tree, item).iter().any(|mark| rust::is_test_attribute(tree.text(*mark)));
    match tree.kind(item) {
        "function_item" if is_test() => ItemKind::Test,
        "use_declaration" => ItemKind::Import,
        "function_item" | "const_item" | "static_item" | "struct_item" | "enum_item" | "type_item" => {
            ItemKind::Helper
        }
        _ => ItemKind::Other,
    }
}

fn kind_of_statement(tree: &Tree<'_>, at: usize) -> ItemKind {
    let is_of_vitest =
        |(name, value): &(String, String)| *value == format!("{{ {name} }} = import.meta.vitest");
    match tree.kind(at) {
        _ if picked(tree, at).is_some_and(|names| names.iter().all(is_of_vitest)) => ItemKind::Import,
        "function_declaration"
        | "generator_function_declaration"
        | "class_declaration"
        | "lexical_declaration"
        | "variable_declaration"
        | "interface_declaration"
        | "type_alias_declaration" => ItemKind::Helper,
        _ => ItemKind::Other,
    }
}

/// The names that a statement of JavaScript declares, as far as its own block goes.
fn declared(tree: &Tree<'_>, at: usize) -> Vec<String> {
    let own = tree.child(at, "name");
    let each = tree.parts(at).filter(|part| tree.kind(*part) == "variable_declarator");
    let patterns = each.filter_map(|part| tree.child(part, "name"));
    let names = own.into_iter().chain(patterns).flat_map(|name| tree.span(name));
    names.filter(|at| is_name(tree.kind(*at))).map(|at| tree.text(at).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "pub fn f(x: i32) -> i32 { x }\n";

    fn with(items: &str) -> String {
        format!("{CODE}#[cfg(test)]\nmod tests {{\n    use super::*;\n    {items}\n}}\n")
    }

    #[test]
    fn whatever_is_written_beside_tests_is_more_of_them() {
        let one = "#[test] fn one() { assert_eq!(f(1), 1); }";
        let case =
            "macro_rules! case { ($n:ident, $a:expr) => { #[test] fn $n() { assert_eq!(f($a), 2); } } }";
        for (base, before, after, wanted) in [
            (one, one, format!("{case} case!(two, 2); {one}"), true),
            (one, one, format!("{one} fn help() -> i32 {{ 1 }}"), true),
            (one, one, format!("use std::fmt; {one}"), true),
            // The test is another one, or gone.
            (one, one, one.replace("f(1), 1", "f(1), f(1)"), false),
            (one, one, case.to_owned(), false),
            // Its words mean something else from now on.
            (one, one, format!("macro_rules! assert_eq {{ ($($t:tt)*) => {{}} }} {one}"), false),
            (one, one, format!("{one} fn f(x: i32) -> i32 {{ 1 }}"), false),
            (one, one, format!("use other::f; {one}"), false),
            // What is new since the last good tree may be mended.
            ("", one, one.replace("f(1), 1", "f(1), 2"), true),
            (one, &format!("{one} {case} case!(two, 2);"), format!("{one} {case} case!(two, 3);"), true),
            (
                &format!("{one} case!(two, 2);"),
                &format!("{one} case!(two, 2);"),
                format!("{one} case!(two, 3);"),
                false,
            ),
        ] {
            let kept = keeps_tests(&with(base), &with(before), &with(&after)).unwrap();
            assert_eq!(kept, wanted, "{base} / {before} / {after}");
            assert!(same_code(&with(before), &with(&after)).unwrap());
        }
        assert!(!same_code(&with(one), &with(one).replace("{ x }", "{ 1 }")).unwrap());
        let without = with(one).replace("#[cfg(test)]", "#[cfg(all(test, unix))]");
        assert!(!keeps_tests(&with(one), &with(one), &without).unwrap());
        assert!(keeps_tests(CODE, &with(one), CODE).unwrap());
    }
}
