//! Bodies in Python that do nothing, and those of them that are declarations.

use super::is_text;
use crate::tree::Tree;

/// What says of a function where it belongs, and does nothing else to it.
const PLACES: [&str; 4] = ["staticmethod", "classmethod", "property", "override"];

/// Whether a body does nothing: `pass`, `...`, a text, `return`.
pub(super) fn is_idle(tree: &Tree<'_>, body: usize) -> bool {
    tree.parts(body).all(|statement| does_nothing(tree, statement))
}

fn does_nothing(tree: &Tree<'_>, statement: usize) -> bool {
    is_text(tree, statement)
        || matches!(tree.text(statement).trim(), "..." | "pass" | "return" | "return None")
}

/// Whether it only says that there is, or will be, such a function. What does nothing is no declaration by that: in
/// a class that asks others to write its functions it is, and where a decorator may be what does something.
pub(super) fn is_declaration(tree: &Tree<'_>, at: usize, outer: usize) -> bool {
    let decorators: Vec<&str> = tree
        .children(outer)
        .filter(|child| tree.kind(*child) == "decorator")
        .map(|one| tree.text(one).trim().trim_start_matches('@'))
        .collect();
    let is_marked = |text: &&str| text.contains("abstractmethod") || text.ends_with("overload");
    let Some(body) = tree.child(at, "body") else { return true };
    if decorators.iter().any(is_marked) {
        return true;
    }
    let says_so = |at: usize| tree.text(at).trim().starts_with("raise NotImplementedError");
    if tree.parts(body).all(|statement| does_nothing(tree, statement) || says_so(statement))
        && tree.parts(body).any(says_so)
    {
        return true;
    }
    let only_places =
        decorators.iter().all(|text| PLACES.contains(&text.rsplit('.').next().unwrap_or_default()));
    is_idle(tree, body) && (!only_places || is_asked_for(tree, at))
}

/// Whether it stands where functions are declared: in an abstract class, or for type checkers alone.
fn is_asked_for(tree: &Tree<'_>, at: usize) -> bool {
    tree.ancestors(at).any(|up| match tree.kind(up) {
        "class_definition" => is_abstract(tree, up),
        "if_statement" => {
            tree.child(up, "condition").is_some_and(|asks| tree.text(asks).contains("TYPE_CHECKING"))
        }
        _ => false,
    })
}

/// By what it is a class of, or by a function of its own that others have to write.
fn is_abstract(tree: &Tree<'_>, class: usize) -> bool {
    let bases = tree.child(class, "superclasses").into_iter().flat_map(|list| tree.parts(list));
    let mut names = bases.map(|base| {
        let text = tree.text(base).split('[').next().unwrap_or_default();
        text.rsplit(['.', '=']).next().unwrap_or_default().trim()
    });
    let is_such = |name: &str| matches!(name, "ABC" | "ABCMeta" | "Protocol" | "Interface");
    names.any(is_such)
        || tree
            .span(class)
            .any(|inside| tree.kind(inside) == "decorator" && tree.text(inside).contains("abstractmethod"))
}
