//! Claims whose failure never reaches the runner: something around them catches it and goes on.
//!
//! ```text
//! Python      "try:" claim "except" (nothing | AssertionError | Exception | BaseException) ":" idle
//!             "with" … "suppress(" one of these
//! JavaScript  "try {" claim "} catch {" idle "}"
//! any         "try" claim "finally" with a return in it
//! Rust        "let _ =" "catch_unwind(" claim ")"
//! idle = what neither fails, nor remembers, nor tells anybody but a person
//! ```

use super::claim::callee;
use super::claims::claims;
use super::known_calls::is_harmless;
use super::tree::{Span, Tree};

/// Whether a failure at this place of a body is lost.
pub(super) fn is_swallowed(tree: &Tree<'_>, place: &Span, body: &Span) -> bool {
    let at = place.start;
    let mut around = tree.ancestors(at).take_while(|around| *around >= body.start);
    around.any(|around| match tree.kind(around) {
        "try_statement" => {
            let tried = tree.child(around, "body").is_some_and(|tried| tree.span(tried).contains(&at));
            tried && tree.children(around).any(|clause| swallows(tree, clause))
        }
        "with_statement" => {
            let clause = tree.child_of_kind(around, "with_clause").map(|clause| tree.text(clause));
            clause.is_some_and(|clause| clause.contains("suppress(") && catches(clause))
        }
        "call_expression" => is_dropped_unwind(tree, around),
        _ => false,
    })
}

fn swallows(tree: &Tree<'_>, clause: usize) -> bool {
    match tree.kind(clause) {
        "except_clause" => {
            let Some(handler) = tree.child_of_kind(clause, "block") else { return false };
            let head = tree.source.get(tree.node(clause).begin..tree.node(handler).begin).unwrap_or_default();
            let is_bare = head.trim_start_matches("except").trim() == ":";
            (is_bare || catches(head)) && is_idle(tree, &tree.span(handler))
        }
        "catch_clause" => {
            let handler = tree.child(clause, "body");
            handler.is_some_and(|handler| is_idle(tree, &tree.span(handler)))
        }
        "finally_clause" => tree.span(clause).any(|at| tree.kind(at) == "return_statement"),
        _ => false,
    }
}

/// Whether these words name what an assertion throws.
fn catches(head: &str) -> bool {
    let mut words = head.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.any(|word| matches!(word, "AssertionError" | "Exception" | "BaseException"))
}

fn is_idle(tree: &Tree<'_>, handler: &Span) -> bool {
    let acts = |at: usize| match tree.kind(at) {
        "raise_statement"
        | "throw_statement"
        | "assignment"
        | "augmented_assignment"
        | "assignment_expression"
        | "augmented_assignment_expression"
        | "update_expression"
        | "variable_declarator"
        | "named_expression"
        | "yield" => true,
        "call" | "call_expression" | "new_expression" => {
            !callee(tree, at).is_some_and(|name| is_harmless(tree.language, &name))
        }
        _ => false,
    };
    claims(tree, handler).is_empty() && !handler.clone().any(acts)
}

/// What it caught is looked at by nobody.
fn is_dropped_unwind(tree: &Tree<'_>, call: usize) -> bool {
    if callee(tree, call).is_none_or(|name| name.rsplit('.').next() != Some("catch_unwind")) {
        return false;
    }
    let home = tree.node(call).parent;
    match tree.kind(home) {
        "expression_statement" => true,
        "let_declaration" => tree.child(home, "pattern").is_some_and(|name| tree.text(name) == "_"),
        _ => false,
    }
}
