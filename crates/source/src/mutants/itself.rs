//! Claims that compare a thing with itself: whatever is changed in them fails, and no code does.

use crate::alike::Alike;
use crate::claim::{Claim, Says};
use crate::tree::{Span, Tree};

/// Whether a claim, or the condition that a failure stands under, holds a comparison of two that are alike.
pub(super) fn compares_itself(tree: &Tree<'_>, claim: &Claim, body: &Span, alike: &Alike<'_>) -> bool {
    let place = if claim.says == Says::Fails { condition(tree, claim, body) } else { None };
    let sides_alike = match (claim.says, claim.subjects.as_slice()) {
        (Says::Compares, [left, right, ..]) => alike.are(tree, left, right),
        (Says::Compares | Says::Holds | Says::Fails, _) => false,
    };
    sides_alike || place.unwrap_or_else(|| claim.whole.clone()).any(|at| is_alike(tree, at, alike))
}

fn condition(tree: &Tree<'_>, claim: &Claim, body: &Span) -> Option<Span> {
    let mut around = tree.ancestors(claim.whole.start).take_while(|around| body.contains(around));
    let branch = around.find(|around| tree.kind(*around) == "if_statement")?;
    tree.child(branch, "condition").map(|condition| tree.span(condition))
}

/// `f() == f()`, `f() - f()`; a sum or a product of two that are alike is something of its own.
fn is_alike(tree: &Tree<'_>, at: usize, alike: &Alike<'_>) -> bool {
    if !matches!(tree.kind(at), "binary_expression" | "binary_operator" | "comparison_operator") {
        return false;
    }
    let parts: Vec<usize> = tree.children(at).collect();
    let [left, sign, right] = parts.as_slice() else { return false };
    let is_of_two = matches!(
        tree.text(*sign),
        "==" | "===" | "!=" | "!==" | "<" | ">" | "<=" | ">=" | "-" | "/" | "%" | "^" | "is"
    );
    is_of_two && alike.are(tree, &tree.span(*left), &tree.span(*right))
}
