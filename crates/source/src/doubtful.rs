//! Assertions that look at the code and yet hold whatever it does, by their shape.
//!
//! They are named to a person and nothing more: code may be asked twice on purpose.

use super::alike::{Alike, plain};
use super::claim::Claim;
use super::tree::{Span, Tree, is_function};

/// Whether a claim that counts as an expectation is one of these: both sides are the same call, one of
/// its halves denies the other, everything is an instance of `object`, or nobody calls the function that
/// it stands in.
pub(super) fn is_doubtful<'s>(
    tree: &Tree<'s>,
    claim: &Claim,
    sides: Option<&(Span, Span)>,
    body: &Span,
    alike: &Alike<'s>,
) -> bool {
    let same = sides.is_some_and(|(left, right)| alike.are(tree, left, right));
    let single = match claim.subjects.as_slice() {
        [subject] => plain(tree, subject),
        _ => String::new(),
    };
    same || is_tautology(&single) || is_any_object(&single) || is_never_reached(tree, claim, body)
}

/// `x is None or x is not None`, `x or not x`, and the other way round.
fn is_tautology(text: &str) -> bool {
    let halves = text.split_once(" or ").or_else(|| text.split_once(" || "));
    let denies = |one: &str, other: &str| {
        one == format!("not {other}")
            || one == format!("! {other}")
            || (one.contains(" is not ") && one.replacen(" is not ", " is ", 1) == other)
            || (one.contains(" != ") && one.replacen(" != ", " == ", 1) == other)
            || (one.contains(" !== ") && one.replacen(" !== ", " === ", 1) == other)
    };
    halves.is_some_and(|(one, other)| denies(one, other) || denies(other, one))
}

fn is_any_object(text: &str) -> bool {
    text.starts_with("isinstance ( ") && text.ends_with(" , object )")
}

/// It stands in a function with a name that the test does not mention again. A decorator may hand the
/// function on.
fn is_never_reached(tree: &Tree<'_>, claim: &Claim, body: &Span) -> bool {
    let around = tree.ancestors(claim.whole.start).take_while(|around| *around >= body.start);
    around.filter(|at| is_function(tree.kind(*at))).any(|function| {
        let Some(name) = tree.child(function, "name").map(|at| tree.text(at)) else { return false };
        let is_decorated = tree.kind(tree.node(function).parent) == "decorated_definition";
        let mentions = tree.tokens(body.clone()).filter(|at| tree.text(*at) == name).count();
        !is_decorated && mentions == 1
    })
}
