//! The parts of a call as it is written: who is called, on what, and with what.

use super::super::claim::method;
use super::super::go::is_handle_at;
use super::super::tree::{Span, Tree, is_function};

/// What a call is given and called on, without its own name; of what holds nothing, nothing.
pub(super) fn given(tree: &Tree<'_>, at: usize) -> Vec<Span> {
    let mut given: Vec<Span> = Vec::new();
    if let Some((receiver, _)) = method(tree, at) {
        // Of an imported module the name says nothing of what is looked at.
        let is_name = tree.is_leaf(receiver);
        given.extend((!is_name).then(|| tree.span(receiver)));
    }
    let with = around_with(tree, at);
    if with.start != at {
        given.push(with);
    } else if let Some(list) = handed(tree, at) {
        let holds =
            tree.tokens(list.clone()).any(|at| !matches!(tree.text(at), "(" | ")" | "[" | "]" | "{" | "}"));
        given.extend(holds.then_some(list));
    }
    given
}

/// All of the function around a place that stands before it.
pub(super) fn before(tree: &Tree<'_>, at: usize) -> Option<Span> {
    let around = tree.ancestors(at).find(|around| is_function(tree.kind(*around)))?;
    tree.child(around, "body").map(|body| body..at)
}

/// `fn is_send<T: Send>() {}`: whoever calls it asks the compiler for a type with these traits.
pub(super) fn asks_the_compiler(tree: &Tree<'_>, body: &Span) -> bool {
    let function = tree.node(body.start).parent;
    let text = |field: &str| tree.child(function, field).map(|at| tree.text(at)).unwrap_or_default();
    tree.kind(function) == "function_item"
        && text("type_parameters").contains(':')
        && text("parameters") == "()"
}

pub(super) fn takes_in<'a>(tree: &'a Tree<'_>) -> impl Fn(&Span) -> bool + 'a {
    move |span| tree.span(span.start).any(|part| is_handle_at(tree, part))
}

/// Modules whose functions are assertions.
pub(super) fn is_assert_module(from: &str) -> bool {
    from.trim_start_matches("node:").split('/').any(|word| word == "assert")
}

/// What a call is given, without its own name.
pub(super) fn handed(tree: &Tree<'_>, call: usize) -> Option<Span> {
    let list = tree.child(call, "arguments").or_else(|| tree.child_of_kind(call, "token_tree"))?;
    Some(tree.span(list))
}

/// `with raises_same(x): …` is given all that stands in it.
pub(super) fn around_with(tree: &Tree<'_>, at: usize) -> Span {
    let parent = tree.ancestors(at).take(4).find(|around| tree.kind(*around) == "with_item");
    let with = parent
        .and_then(|item| tree.ancestors(item).take(3).find(|around| tree.kind(*around) == "with_statement"));
    with.map_or_else(|| tree.span(at), |with| tree.span(with))
}

/// `self.same(…)`, not `self.client.get(…)`.
pub(super) fn is_on_self(tree: &Tree<'_>, at: usize) -> bool {
    method(tree, at).is_some_and(|(receiver, _)| matches!(tree.text(receiver), "self" | "cls" | "this"))
}

/// The name at the root of what is called: `request` of `request(app).get('/').expect(200)`.
pub(super) fn root<'s>(tree: &Tree<'s>, call: usize) -> Option<&'s str> {
    let function = match tree.kind(call) {
        "new_expression" => tree.child(call, "constructor")?,
        "macro_invocation" => tree.child(call, "macro")?,
        _ => tree.child(call, "function")?,
    };
    root_of_value(tree, function)
}

pub(super) fn root_of_value<'s>(tree: &Tree<'s>, at: usize) -> Option<&'s str> {
    let mut here = at;
    for _ in 0..64 {
        let inner = match tree.kind(here) {
            "identifier" | "this" | "self" | "package_identifier" | "type_identifier" => {
                return Some(tree.text(here));
            }
            "call" | "call_expression" | "generic_function" => tree.child(here, "function"),
            "new_expression" => tree.child(here, "constructor"),
            "macro_invocation" => tree.child(here, "macro"),
            "member_expression" | "attribute" => tree.child(here, "object"),
            "field_expression" => tree.child(here, "value"),
            "selector_expression" => tree.child(here, "operand"),
            "scoped_identifier" | "scoped_type_identifier" => tree.child(here, "path"),
            "subscript"
            | "subscript_expression"
            | "index_expression"
            | "await"
            | "await_expression"
            | "parenthesized_expression"
            | "non_null_expression"
            | "try_expression"
            | "expression_list"
            | "as_expression"
            | "reference_expression"
            | "unary_expression"
            | "as_pattern" => tree.parts(here).next(),
            kind if is_function(kind) => return None,
            _ => return None,
        };
        here = inner?;
    }
    None
}
