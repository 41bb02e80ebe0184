//! The names that the tests of a file use and do not bind themselves.

use super::scopes::{Scopes, Space};
use crate::tree::{Tree, is_function, is_string};
use crate::{Declared, Language};

/// A name where it is used.
pub(super) struct Use<'s> {
    pub(super) name: &'s str,
    /// Where it is looked up.
    pub(super) at: usize,
    /// Where it is used.
    pub(super) used_at: usize,
    pub(super) space: Space,
}

pub(super) fn uses<'s>(tree: &Tree<'s>, scopes: &Scopes<'_, 's>, tests: &[Declared]) -> Vec<Use<'s>> {
    let mut found = Vec::new();
    for at in tree.all() {
        let space = match tree.kind(at) {
            "identifier" | "type_identifier" | "shorthand_property_identifier" | "package_identifier"
                if is_looked_up(tree, at) =>
            {
                if scopes.declaring.contains(&at) || scopes.is_own(at) || is_imported(tree, at) {
                    continue;
                }
                Space::Plain
            }
            "identifier" | "property_identifier" if is_member_of_self(tree, at) => Space::Members,
            "identifier" | "field_identifier" if is_method(tree, at) => Space::Members,
            _ => continue,
        };
        found.push(Use { name: tree.text(at), at, used_at: at, space });
    }
    if tree.language == Language::Python {
        found.extend(tests.iter().flat_map(|test| of_test(tree, test)));
    }
    found
}

/// What pytest looks up for a test: the test and its class by their names, fixtures by those of its parameters.
fn of_test<'s>(tree: &Tree<'s>, test: &Declared) -> Vec<Use<'s>> {
    let mut found = Vec::new();
    let Some(function) = tree.span(test.node).find(|at| tree.kind(*at) == "function_definition") else {
        return found;
    };
    let around = tree.ancestors(function).filter(|at| tree.kind(*at) == "class_definition");
    for home in std::iter::once(function).chain(around) {
        let in_class = tree.ancestors(home).any(|at| tree.kind(at) == "class_definition");
        let space = if in_class { Space::Members } else { Space::Plain };
        // It is looked up where it stands.
        found.extend(tree.child(home, "name").map(|name| Use {
            name: tree.text(name),
            at: home,
            used_at: function,
            space,
        }));
    }
    // A row gives what it names.
    let given: Vec<&str> =
        (test.first..function).filter(|at| is_string(tree.kind(*at))).map(|at| tree.text(at)).collect();
    let parameters = tree.child(function, "parameters").into_iter().flat_map(|list| tree.span(list));
    let asked = parameters.filter(|at| tree.kind(*at) == "identifier").filter(|at| {
        let name = tree.text(*at);
        !given.iter().any(|text| text.contains(name))
    });
    found.extend(asked.map(|at| Use {
        name: tree.text(at),
        at: function,
        used_at: function,
        space: Space::Fixtures,
    }));
    found
}

/// Whether a name is looked up at this place, and does not say which part of something is meant.
fn is_looked_up(tree: &Tree<'_>, at: usize) -> bool {
    let node = tree.node(at);
    let parent = tree.kind(node.parent);
    match parent {
        "attribute" => node.field != "attribute",
        "keyword_argument" | "scoped_identifier" | "scoped_type_identifier" => node.field != "name",
        "literal_element" => {
            let element = tree.node(node.parent);
            tree.kind(element.parent) != "keyed_element" || element.before != node.parent
        }
        // Macros are read by nobody here: `.name`, `::name` and `name:`.
        "token_tree" => {
            let around = |at: usize| tree.node(at).field.is_empty().then(|| tree.text(at));
            let before =
                Some(node.before).filter(|before| *before != at).and_then(around).unwrap_or_default();
            let after = Some(node.last).filter(|next| tree.node(*next).parent == node.parent);
            let after = after.map(|next| tree.text(next)).unwrap_or_default();
            !matches!(before, "." | "::") && after != ":"
        }
        _ => true,
    }
}

fn is_imported(tree: &Tree<'_>, at: usize) -> bool {
    let mut around = tree.ancestors(at);
    around.any(|around| {
        matches!(
            tree.kind(around),
            "import_statement" | "import_from_statement" | "use_declaration" | "import_declaration"
        )
    })
}

/// Rust: `cart.total`, in a macro as well.
fn is_method(tree: &Tree<'_>, at: usize) -> bool {
    let node = tree.node(at);
    let is_behind_dot = node.before != at && tree.text(node.before) == ".";
    tree.language == Language::Rust
        && is_behind_dot
        && matches!(tree.kind(node.parent), "field_expression" | "token_tree")
}

/// `self.name`, `this.name`, within a function.
fn is_member_of_self(tree: &Tree<'_>, at: usize) -> bool {
    let node = tree.node(at);
    let is_member = matches!(
        (tree.kind(node.parent), node.field),
        ("attribute", "attribute") | ("member_expression", "property")
    );
    let object = tree.child(node.parent, "object").map(|object| tree.text(object));
    is_member
        && matches!(object, Some("self" | "cls" | "this"))
        && tree.ancestors(at).any(|around| is_function(tree.kind(around)))
}
