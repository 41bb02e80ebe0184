//! Claims: what in a body can make its test fail on purpose.

use super::tree::{Span, Tree};

/// An expectation, or a failure that is certain once it is reached.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// As written: `assert_eq`, `self.assertEqual`, `toBe`.
    pub(super) name: String,
    pub(super) whole: Span,
    pub(super) says: Says,
    /// What it looks at, messages left out.
    pub(super) subjects: Vec<Span>,
    pub(super) weight: Weight,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// Whatever it looks at must be as it says.
    Holds,
    /// Its two subjects must be equal, or not.
    Compares,
    /// Nothing: whoever gets here has failed.
    Fails,
}

/// Whether it was written to be an expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Full,
    /// A step that can fail on the way to one: `unwrap`, `?`.
    Step,
}

impl Claim {
    pub(super) fn holds(name: &str, at: usize, subjects: Vec<Span>) -> Self {
        let whole = at..at + 1;
        Self { name: name.to_owned(), whole, says: Says::Holds, subjects, weight: Weight::Full }
    }

    pub(super) fn compares(name: &str, at: usize, subjects: Vec<Span>) -> Self {
        Self { says: Says::Compares, ..Self::holds(name, at, subjects) }
    }

    pub(super) fn fails(name: &str, at: usize) -> Self {
        Self { says: Says::Fails, ..Self::holds(name, at, Vec::new()) }
    }

    pub(super) fn weak(self) -> Self {
        Self { weight: Weight::Step, ..self }
    }
}

/// The arguments in a bracketed list, by its commas; names of keyword arguments are left in.
pub(super) fn arguments(tree: &Tree<'_>, list: usize) -> Vec<Span> {
    let mut found = Vec::new();
    let mut begin = None;
    let mut end = list;
    for child in tree.children(list) {
        match tree.text(child) {
            "(" | ")" | "[" | "]" | "{" | "}" if tree.is_leaf(child) => {}
            "," => found.extend(begin.take().map(|begin| begin..end)),
            _ if super::tree::is_comment(tree.kind(child)) => {}
            _ => {
                begin = begin.or(Some(child));
                end = tree.node(child).last;
            }
        }
    }
    found.extend(begin.map(|begin| begin..end));
    found
}

/// The receiver and the name of a call of a method.
pub(super) fn method<'s>(tree: &Tree<'s>, call: usize) -> Option<(usize, &'s str)> {
    let function = tree.child(call, "function")?;
    let (receiver, name) = match tree.kind(function) {
        "field_expression" => ("value", "field"),
        "attribute" => ("object", "attribute"),
        "member_expression" => ("object", "property"),
        "selector_expression" => ("operand", "field"),
        _ => return None,
    };
    Some((tree.child(function, receiver)?, tree.text(tree.child(function, name)?)))
}

/// Nodes of a callee whose whole path is worth knowing; of a longer chain the last word is.
const CALLEE_CAP: usize = 64;

/// The path of what is called, joined by dots: `Shop.new`. Empty for what has no name.
pub(super) fn callee(tree: &Tree<'_>, call: usize) -> Option<String> {
    let function = match tree.kind(call) {
        "call_expression" | "call" => {
            let function = tree.child(call, "function")?;
            // `same::<u8>(…)`
            let is_generic = tree.kind(function) == "generic_function";
            if is_generic { tree.child(function, "function")? } else { function }
        }
        "new_expression" => tree.child(call, "constructor")?,
        "macro_invocation" => tree.child(call, "macro")?,
        _ => return None,
    };
    if tree.span(function).len() > CALLEE_CAP {
        let last = tree.children(function).last().filter(|at| super::tree::is_name(tree.kind(*at)));
        return Some(last.map(|at| tree.text(at).to_owned()).unwrap_or_default());
    }
    let parts: Vec<&str> = tree
        .tokens(tree.span(function))
        .filter(|at| {
            super::tree::is_name(tree.kind(*at))
                || matches!(tree.kind(*at), "self" | "this" | "super" | "crate")
        })
        .map(|at| tree.text(at))
        .collect();
    let is_plain =
        tree.span(function).all(|at| !matches!(tree.kind(at), "call" | "call_expression" | "subscript"));
    Some(if is_plain {
        parts.join(".")
    } else {
        parts.last().map(|last| (*last).to_owned()).unwrap_or_default()
    })
}
