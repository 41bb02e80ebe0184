//! Stubs in languages whose compilers want to see that everything is used: the stub comes first, and what it
//! keeps from being reached stays. Who reads the source and does not run it finds in it what was there.

use std::ops::Range;

use tdd_core::proof::Stub;

use super::{Piece, bytes_of};
use crate::tree::Tree;

/// Puts a statement at the beginning of a body.
pub(super) fn first(tree: &Tree<'_>, body: usize, statement: &str) -> (Range<usize>, String) {
    let begin = tree.node(body).begin + 1;
    (begin..begin, format!(" {statement} "))
}

/// A constant with a literal for its value, and another literal of its kind in its place.
pub(super) fn literal(
    tree: &Tree<'_>,
    (at, value): (usize, usize),
    (kind, name): (Stub, String),
    whole: Range<usize>,
) -> Option<Piece> {
    let other = match tree.kind(value) {
        "int_literal" | "integer_literal" => "0",
        "float_literal" => "0.0",
        "interpreted_string_literal" | "raw_string_literal" | "string_literal" => "\"\"",
        "true" | "false" | "boolean_literal" => "false",
        _ => return None,
    };
    let _ = at;
    let put =
        if kind == Stub::Nothing { vec![(bytes_of(tree, value), other.to_owned())] } else { Vec::new() };
    Some(Piece { name, whole, put, is_idle: false })
}
