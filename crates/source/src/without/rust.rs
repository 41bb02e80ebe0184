//! What in a module of tests of Rust serves tests alone that were cut out of it: helpers, and names of imports. They may
//! need what these need, and is not there. A file in which such a test stands by itself is a module of tests; what it
//! gives to others (`pub`) stays.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::Language;
use crate::rust::attributes;
use crate::tree::{Tree, is_name};

/// Helpers of helpers that are followed.
const DEPTH: usize = 8;

/// Pieces that go with these: items and names of imports in modules under `#[cfg(test)]` that are said in the pieces,
/// and nowhere else.
pub(super) fn serving_these_alone(tree: &Tree<'_>, pieces: &[Range<usize>]) -> Vec<Range<usize>> {
    if tree.language != Language::Rust {
        return Vec::new();
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    for _ in 0..DEPTH {
        let gone: Vec<Range<usize>> = pieces.iter().chain(&found).cloned().collect();
        let more: Vec<Range<usize>> = unused_items(tree, &gone);
        if more.is_empty() {
            break;
        }
        found.extend(more);
    }
    let gone: Vec<Range<usize>> = pieces.iter().chain(&found).cloned().collect();
    found.extend(unused_imports(tree, &gone));
    found
}

/// What is said within these pieces and outside of them, imports left out.
struct Said<'s> {
    gone: BTreeSet<&'s str>,
    left: BTreeSet<&'s str>,
}

impl<'s> Said<'s> {
    /// `but`: an item says its own name.
    fn of(tree: &Tree<'s>, pieces: &[Range<usize>], but: Option<&Range<usize>>) -> Self {
        let (mut gone, mut left) = (BTreeSet::new(), BTreeSet::new());
        let is_in = |at: usize, piece: &Range<usize>| {
            piece.start <= tree.node(at).begin && tree.node(at).end <= piece.end
        };
        for at in tree.all().filter(|at| is_name(tree.kind(*at))) {
            if but.is_some_and(|item| is_in(at, item))
                || tree.ancestors(at).any(|around| tree.kind(around) == "use_declaration")
            {
                continue;
            }
            let said = if pieces.iter().any(|piece| is_in(at, piece)) { &mut gone } else { &mut left };
            said.insert(tree.text(at));
        }
        Self { gone, left }
    }

    fn is_gone(&self, name: &str) -> bool {
        self.gone.contains(name) && !self.left.contains(name)
    }
}

/// The parts of modules that exist under test alone.
fn parts(tree: &Tree<'_>, gone: &[Range<usize>]) -> Vec<usize> {
    let is_gone = |at: &usize| {
        let (begin, end) = (tree.node(*at).begin, tree.node(*at).end);
        tree.kind(*at) == "function_item" && gone.iter().any(|piece| piece.start <= begin && end <= piece.end)
    };
    let is_own = |at: &usize| tree.child_of_kind(*at, "visibility_modifier").is_none();
    let is_of_tests = tree.parts(0).any(|at| is_gone(&at));
    let at_top = is_of_tests.then(|| tree.parts(0).filter(is_own)).into_iter().flatten();
    bodies(tree).into_iter().flat_map(|body| tree.parts(body).collect::<Vec<_>>()).chain(at_top).collect()
}

/// The bodies of those that stand in a file with other code.
fn bodies(tree: &Tree<'_>) -> Vec<usize> {
    let is_for_tests = |at: &usize| {
        tree.kind(*at) == "mod_item"
            && attributes(tree, *at).iter().any(|mark| {
                let text: String = tree.text(*mark).split_whitespace().collect();
                text == "#[cfg(test)]"
            })
    };
    let modules = tree.all().filter(is_for_tests);
    modules.filter_map(|module| tree.child(module, "body")).collect()
}

fn unused_items(tree: &Tree<'_>, gone: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for item in parts(tree, gone) {
        let is_one = matches!(
            tree.kind(item),
            "function_item"
                | "struct_item"
                | "enum_item"
                | "const_item"
                | "static_item"
                | "type_item"
                | "macro_definition"
        );
        let Some(name) = tree.child(item, "name").filter(|_| is_one) else { continue };
        let first = attributes(tree, item).first().copied().unwrap_or(item);
        let whole = tree.node(first).begin..tree.node(item).end;
        let is_known = gone.iter().any(|piece| piece.start <= whole.start && whole.end <= piece.end);
        if !is_known && Said::of(tree, gone, Some(&whole)).is_gone(tree.text(name)) {
            found.push(whole);
        }
    }
    found
}

fn unused_imports(tree: &Tree<'_>, gone: &[Range<usize>]) -> Vec<Range<usize>> {
    let said = Said::of(tree, gone, None);
    let mut found = Vec::new();
    for declaration in parts(tree, gone) {
        if tree.kind(declaration) != "use_declaration" {
            continue;
        }
        let whole = tree.node(declaration).begin..tree.node(declaration).end;
        let named = tree.child(declaration, "argument").and_then(|part| local(tree, part));
        if named.is_some_and(|name| said.is_gone(name)) {
            found.push(whole);
            continue;
        }
        for list in tree.span(declaration).filter(|at| tree.kind(*at) == "use_list") {
            let parts: Vec<usize> = tree.parts(list).collect();
            let (unused, used): (Vec<usize>, Vec<usize>) =
                parts.into_iter().partition(|part| local(tree, *part).is_some_and(|name| said.is_gone(name)));
            if used.is_empty() && !unused.is_empty() {
                found.push(whole.clone());
                break;
            }
            found.extend(unused.into_iter().map(|part| with_its_comma(tree, part)));
        }
    }
    found
}

/// The name that a part of an import brings, if it is a single one.
fn local<'s>(tree: &Tree<'s>, part: usize) -> Option<&'s str> {
    match tree.kind(part) {
        "identifier" => Some(tree.text(part)),
        "scoped_identifier" => tree.child(part, "name").map(|name| tree.text(name)),
        "use_as_clause" => tree.child(part, "alias").map(|name| tree.text(name)),
        _ => None,
    }
}

/// Up to what comes behind it; of the last one, from what came before it.
fn with_its_comma(tree: &Tree<'_>, part: usize) -> Range<usize> {
    let node = tree.node(part);
    let mut next = node.last;
    let parent = tree.node(part).parent;
    let mut end = node.end;
    while next < tree.node(parent).last && tree.text(next) != "}" {
        let is_comma = tree.text(next) == ",";
        end = if is_comma { tree.node(next).end } else { tree.node(next).begin };
        if !is_comma {
            return node.begin..end;
        }
        next = tree.node(next).last;
    }
    node.begin..end
}
