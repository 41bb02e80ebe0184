//! Calls in the tokens of a Rust macro, where the grammar sees no calls.
//!
//! ```text
//! same(calc::mul($a, $b), $want);           same      a function
//! common::same(…)                           same      … of `common`
//! calc::mul($a, $b).agrees($want);          agrees    a method; what it is called on is part of it
//! alike!(…)                                 alike     a macro
//! fn same(…), #[case(…)], $name(…)          -         no call
//! ```

use super::Language;
use super::tree::{Span, Tree};

/// A call as its tokens say it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    Function,
    Method,
    Macro,
}

#[derive(Clone, Debug)]
pub(super) struct Written<'s> {
    pub(super) how: How,
    /// The first word of its path; its own if it has none.
    pub(super) root: &'s str,
    pub(super) name: &'s str,
    /// From what it is called on to the end of what it is given.
    pub(super) whole: Span,
}

/// Words of a path, and of what a method is called on.
const MOST_BEFORE: usize = 200;

/// Tokens of `::<…>`.
const MOST_TYPES: usize = 32;

/// The call that this word names.
pub(super) fn call<'s>(tree: &Tree<'s>, at: usize) -> Option<Written<'s>> {
    if tree.language != Language::Rust || tree.kind(at) != "identifier" || !is_in_tokens(tree, at) {
        return None;
    }
    let (list, is_macro) = given(tree, at)?;
    let end = tree.node(list).last;
    let name = tree.text(at);
    let before = |place: usize| Some(tree.node(place).before).filter(|before| *before != place);
    let text = |place: Option<usize>| place.map(|place| tree.text(place)).unwrap_or_default();
    match text(before(at)) {
        "fn" | "struct" | "enum" | "mod" => None,
        "." => {
            let starts = |place: &usize| matches!(tree.text(*place), ";" | "," | "=" | "=>");
            let receiver = std::iter::successors(before(at), |place| before(*place));
            let receiver = receiver.take(MOST_BEFORE).take_while(|place| !starts(place));
            // Not the bracket that all of it stands in.
            let receiver = receiver.filter(|place| !matches!(tree.text(*place), "(" | "[" | "{"));
            Some(Written { how: How::Method, root: name, name, whole: receiver.last()?..end })
        }
        _ if is_attribute(tree, at) => None,
        _ => {
            let path = std::iter::successors(Some(at), |place| {
                let colons = before(*place).filter(|colons| tree.text(*colons) == "::");
                colons.and_then(before)
            });
            let first = path.take(MOST_BEFORE).last().unwrap_or(at);
            let how = if is_macro { How::Macro } else { How::Function };
            Some(Written { how, root: tree.text(first), name, whole: first..end })
        }
    }
}

/// Names of crates or modules with which paths begin: `approx` of `approx::close(…)`.
pub(super) fn crates<'s>(tree: &Tree<'s>) -> impl Iterator<Item = &'s str> {
    tree.all().filter_map(|at| call(tree, at)).filter_map(|written| {
        let is_path = written.root != written.name && written.root.starts_with(char::is_lowercase);
        Some(written.root).filter(|_| is_path)
    })
}

pub(super) fn is_in_tokens(tree: &Tree<'_>, at: usize) -> bool {
    matches!(tree.kind(tree.node(at).parent), "token_tree" | "token_repetition")
}

/// The brackets after a word, and whether an exclamation mark stands between.
fn given(tree: &Tree<'_>, at: usize) -> Option<(usize, bool)> {
    let mut after = tree.siblings(tree.node(at).last..tree.node(tree.node(at).parent).last);
    let mut next = after.next()?;
    let is_macro = tree.text(next) == "!";
    if is_macro {
        next = after.next()?;
    } else if tree.text(next) == "::" {
        // `same::<u8>(…)`
        if tree.text(after.next()?) != "<" {
            return None;
        }
        next = after.take(MOST_TYPES).find(|place| tree.kind(*place) == "token_tree")?;
    }
    let is_list = tree.kind(next) == "token_tree" && (is_macro || tree.text(next).starts_with('('));
    is_list.then_some((next, is_macro))
}

/// `#[case(1)]`: the brackets around it belong to an attribute.
fn is_attribute(tree: &Tree<'_>, at: usize) -> bool {
    tree.ancestors(at).take_while(|around| matches!(tree.kind(*around), "token_tree")).any(|around| {
        let before = tree.node(around).before;
        before != around && tree.text(around).starts_with('[') && matches!(tree.text(before), "#")
    })
}
