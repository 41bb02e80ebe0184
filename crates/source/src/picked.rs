//! Names that a declaration of JavaScript picks out of a value.

use super::tree::{Tree, fold};

/// The names that one declaration of JavaScript picks out of a value, each with the declaration as if it picked no other;
/// `None` where it does more than that.
pub(super) fn picked(tree: &Tree<'_>, at: usize) -> Option<Vec<(String, String)>> {
    if !matches!(tree.kind(at), "lexical_declaration" | "variable_declaration")
        || !tree.language.is_javascript()
    {
        return None;
    }
    let mut declared = tree.parts(at).filter(|part| tree.kind(*part) == "variable_declarator");
    let (Some(one), None) = (declared.next(), declared.next()) else { return None };
    let (pattern, value) = (tree.child(one, "name")?, tree.child(one, "value")?);
    // What is called may do more than give a value.
    let calls =
        |at: usize| matches!(tree.kind(at), "call_expression" | "new_expression" | "await_expression");
    if tree.kind(pattern) != "object_pattern" || tree.span(value).any(calls) {
        return None;
    }
    let value = fold(tree.text(value));
    tree.parts(pattern)
        .map(|part| {
            let name = match tree.kind(part) {
                "shorthand_property_identifier_pattern" => part,
                "pair_pattern" => tree.child(part, "value").filter(|value| tree.is_leaf(*value))?,
                _ => return None,
            };
            Some((tree.text(name).to_owned(), format!("{{ {} }} = {value}", fold(tree.text(part)))))
        })
        .collect()
}
