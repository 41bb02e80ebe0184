//! A test file without some of its tests: held-out ones are cut out of it.
//!
//! What is parted is the outermost test with all that is nested in it. What is left has the layout that a formatter
//! leaves, because gates ask formatters.

mod imports;
mod layout;
mod rust;

use std::cmp::Reverse;
use std::ops::Range;

use super::tree::{Tree, is_string};
use super::{Declared, Language, find, javascript, rust as of_rust};

/// A test that stands in no other one, with those that stand in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OuterTest {
    pub name: String,
    /// Its own, and those of the tests in it, as [`declared`](super::declared) tells them.
    pub names: Vec<String>,
}

/// The outermost tests of a source, in order, namesakes as one; those that only a run can name are left out. `None`
/// where one of them can't be cut out. Empty for a source that can't be read.
pub fn outer_tests(language: Language, source: &str) -> Option<Vec<OuterTest>> {
    let Ok(tree) = Tree::parse(language, source) else { return Some(Vec::new()) };
    let mut found: Vec<OuterTest> = Vec::new();
    let mut at = None;
    let mut end = 0;
    for test in &find(&tree) {
        if test.whole.start >= end {
            end = test.whole.end;
            piece(&tree, test)?;
            at = found.iter().position(|known| known.name == test.name);
            if at.is_none() && is_known(&test.name) {
                at = Some(found.len());
                found.push(OuterTest { name: test.name.clone(), names: Vec::new() });
            }
        }
        let outer = at.and_then(|at| found.get_mut(at));
        if let Some(outer) = outer.filter(|_| is_known(&test.name))
            && !outer.names.contains(&test.name)
        {
            outer.names.push(test.name.clone());
        }
    }
    Some(found)
}

fn is_known(name: &str) -> bool {
    !name.contains("${")
}

/// The source without the outermost tests of these names, each with the comments above it, what is empty without it,
/// imports without which it would not compile, and the blank lines that go with it. `None` where it can't be read, one of them is not there, or can't be cut out.
pub fn without_tests(language: Language, source: &str, names: &[String]) -> Option<String> {
    cut_out(language, source, names, Imports::Kept)
}

/// The same, and in Python and JavaScript without the imports that these alone use: what is not there yet keeps a file
/// from loading.
pub fn without_tests_and_imports(language: Language, source: &str, names: &[String]) -> Option<String> {
    cut_out(language, source, names, Imports::Cut)
}

/// What becomes of imports that would do no harm.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Imports {
    Kept,
    Cut,
}

/// Names of the tests that stand in no other one, in their order.
pub(super) fn outermost_tests(language: Language, source: &str) -> Vec<String> {
    let Ok(tree) = Tree::parse(language, source) else { return Vec::new() };
    outermost(&find(&tree)).into_iter().map(|test| test.name.clone()).collect()
}

fn outermost(tests: &[Declared]) -> Vec<&Declared> {
    let mut found: Vec<&Declared> = tests.iter().collect();
    found.sort_by_key(|test| (test.whole.start, Reverse(test.whole.end)));
    let mut around: Option<Range<usize>> = None;
    // What is in a tree either holds another one or has nothing in common with it.
    found.retain(|test| {
        let is_inner =
            around.as_ref().is_some_and(|around| test.whole.end <= around.end && test.whole != *around);
        if !is_inner {
            around = Some(test.whole.clone());
        }
        !is_inner
    });
    found
}

fn cut_out(language: Language, source: &str, names: &[String], imported: Imports) -> Option<String> {
    let tree = Tree::parse(language, source).ok()?;
    let tests = find(&tree);
    let outer = outermost(&tests);
    if !names.iter().all(|name| outer.iter().any(|test| test.name == *name)) {
        return None;
    }
    let (gone, stay): (Vec<&Declared>, Vec<&Declared>) =
        outer.into_iter().partition(|test| names.contains(&test.name));
    let mut pieces = Vec::new();
    for test in &gone {
        let emptied = homes(&tree, test).find(|home| is_emptied(&tree, home, &gone, &stay));
        pieces.push(emptied.map_or_else(|| piece(&tree, test), |home| Some(home.whole))?);
    }
    if imported == Imports::Cut || language == Language::Go {
        pieces.extend(imports::used_in_these_alone(&tree, &pieces));
    }
    pieces.extend(rust::serving_these_alone(&tree, &pieces));
    layout::cut(&tree, pieces)
}

/// The text of a test as a statement of its own; `None` where it is a part of another one.
fn piece(tree: &Tree<'_>, test: &Declared) -> Option<Range<usize>> {
    if !tree.language.is_javascript() {
        return Some(test.whole.clone());
    }
    statement(tree, test.node)
}

/// `await test(…);` is one, `const done = test(…)` is not.
fn statement(tree: &Tree<'_>, call: usize) -> Option<Range<usize>> {
    for around in tree.ancestors(call) {
        match tree.kind(around) {
            "await_expression" | "unary_expression" | "parenthesized_expression" => {}
            "expression_statement" => return Some(tree.node(around).begin..tree.node(around).end),
            _ => return None,
        }
    }
    None
}

/// Something that holds tests: a class, a module, a suite.
struct Home {
    node: usize,
    whole: Range<usize>,
}

/// What a test stands in, the outermost first.
fn homes<'t>(tree: &'t Tree<'_>, test: &Declared) -> impl Iterator<Item = Home> + 't {
    let mut around: Vec<usize> = tree.ancestors(test.node).collect();
    around.reverse();
    around.into_iter().filter_map(|node| {
        let end = tree.node(node).end;
        let whole = match tree.kind(node) {
            "class_definition" => {
                let parent = tree.node(node).parent;
                let outer = if tree.kind(parent) == "decorated_definition" { parent } else { node };
                tree.node(outer).begin..end
            }
            "mod_item" => {
                let first = of_rust::attributes(tree, node).first().copied().unwrap_or(node);
                tree.node(first).begin..end
            }
            "call_expression" if javascript::is_suite(tree, node) => statement(tree, node)?,
            _ => return None,
        };
        Some(Home { node, whole })
    })
}

/// Whether nothing is left in it that is of use to others: no test, and in languages in which its names are known
/// outside, nothing else either.
fn is_emptied(tree: &Tree<'_>, home: &Home, gone: &[&Declared], stay: &[&Declared]) -> bool {
    let is_in = |test: &&&Declared| home.whole.start <= test.whole.start && test.whole.end <= home.whole.end;
    if stay.iter().any(|test| is_in(&test)) {
        return false;
    }
    if tree.language.is_javascript() {
        return true;
    }
    let Some(body) = tree.child(home.node, "body") else { return false };
    let is_gone = |at: usize| {
        let (begin, end) = (tree.node(at).begin, tree.node(at).end);
        gone.iter().any(|test| test.whole.start <= begin && end <= test.whole.end)
    };
    let is_nothing = |at: usize| match tree.kind(at) {
        "pass_statement" | "use_declaration" | "inner_attribute_item" => true,
        "expression_statement" => tree.parts(at).all(|part| is_string(tree.kind(part))),
        _ => false,
    };
    tree.parts(body).all(|part| is_gone(part) || is_nothing(part))
}

#[cfg(test)]
mod tests;
