//! A test that ends by a callback: `(done) => …` in jest and mocha, `(t, done) => …` in node. What it is given fails the
//! test, so that to choose what it is given is an expectation.

use super::{declaration, is_callback};
use crate::claim::Claim;
use crate::tree::{Span, Tree};

/// `done(value === 5 ? undefined : new Error('…'))` expects, `done(new Error('…'))` fails. `done()` and `done(error)`
/// with what somebody else has thrown or given say nothing of their own.
pub(super) fn claim(tree: &Tree<'_>, at: usize, given: &[Span]) -> Option<Claim> {
    let function = tree.child(at, "function")?;
    let [only] = given else { return None };
    if tree.kind(function) != "identifier" || !ends_a_test(tree, at, tree.text(function)) {
        return None;
    }
    match tree.kind(only.start) {
        "new_expression" => Some(Claim::fails("done", at)),
        "ternary_expression" | "binary_expression" => {
            let makes = only.clone().any(|at| tree.kind(at) == "new_expression");
            makes.then(|| Claim::holds("done", at, vec![only.clone()]))
        }
        _ => None,
    }
}

/// Whether the nearest function with a parameter of this name is a test's own, which no table fills.
fn ends_a_test(tree: &Tree<'_>, at: usize, name: &str) -> bool {
    let takes = |at: &usize| {
        let single = tree.child(*at, "parameter").map(|at| tree.span(at));
        let list = single.or_else(|| tree.child(*at, "parameters").map(|at| tree.span(at)));
        let is_name = |at: usize| tree.kind(at) == "identifier" && tree.text(at) == name;
        list.is_some_and(|mut list| list.any(is_name))
    };
    let Some(function) = tree.ancestors(at).filter(|at| is_callback(tree, *at)).find(takes) else {
        return false;
    };
    let call = tree.ancestors(function).take(2).find(|at| tree.kind(*at) == "call_expression");
    let declared = call.and_then(|call| declaration(tree, call));
    declared.is_some_and(|(_, words)| !words.contains(&"each") && !words.contains(&"for"))
}
