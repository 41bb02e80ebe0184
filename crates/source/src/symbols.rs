//! Which names a source declares for others to use.

use std::collections::HashSet;

use super::tree::{Tree, is_name};
use super::{Language, Unread};

/// Whether a source declares this name: at its top level, or as a member of `owner` (a class, a
/// type). What only a function sees is not declared.
pub fn declares(language: Language, source: &str, owner: Option<&str>, name: &str) -> Result<bool, Unread> {
    let tree = Tree::parse(language, source)?;
    let named = tree.all().filter(|at| is_name(tree.kind(*at)) && tree.text(*at) == name);
    Ok(named.into_iter().any(|at| {
        declaration(&tree, at)
            .is_some_and(|home| home == owner.map_or(Home::Top, |owner| Home::Member(owner.to_owned())))
    }))
}

/// Whether a source declares this name at its top level or as anybody's member. One that can't be read declares none.
pub fn declares_anywhere(language: Language, source: &str, name: &str) -> bool {
    let Ok(tree) = Tree::parse(language, source) else { return false };
    let mut named = tree.all().filter(|at| is_name(tree.kind(*at)) && tree.text(*at) == name);
    named.any(|at| declaration(&tree, at).is_some() && !imports(&tree, at))
}

/// Whether a source uses a name that the other one declares at its top level, as files of one package may.
pub fn leans_on(language: Language, source: &str, other: &str) -> bool {
    let (Ok(tree), Ok(other)) = (Tree::parse(language, source), Tree::parse(language, other)) else {
        return false;
    };
    let is_top = |at: &usize| home_of(&other, *at) == Some(Home::Top);
    let declared: HashSet<&str> = other.all().filter(is_top).map(|at| other.text(at)).collect();
    let is_used = |at: usize| is_name(tree.kind(at)) && declared.contains(tree.text(at));
    tree.all().any(|at| is_used(at) && declaration(&tree, at).is_none())
}

/// Where the name of this node belongs; `None` if it declares none for others.
pub(super) fn home_of(tree: &Tree<'_>, at: usize) -> Option<Home> {
    is_name(tree.kind(at)).then(|| declaration(tree, at)).flatten()
}

/// Where a name is declared.
#[derive(PartialEq, Eq)]
pub(super) enum Home {
    Top,
    Member(String),
}

/// Where what this name declares belongs; `None` if it declares nothing.
fn declaration(tree: &Tree<'_>, at: usize) -> Option<Home> {
    let parent = tree.node(at).parent;
    let field = tree.node(at).field;
    let kind = tree.kind(parent);
    let by_name = field == "name"
        && (kind.ends_with("_item")
            || kind.ends_with("_definition")
            || kind.ends_with("_declaration")
            || matches!(
                kind,
                "type_spec" | "var_spec" | "const_spec" | "variable_declarator" | "enum_variant"
            )
            || matches!(
                kind,
                "type_alias" | "method_elem" | "function_signature_item" | "public_field_definition"
            ));
    let is_assigned = field == "left" && kind == "assignment";
    let is_exported =
        matches!(kind, "export_specifier") && (field == "alias" || tree.child(parent, "alias").is_none());
    let is_member = kind == "member_expression" && field == "property" && {
        let object = tree.child(parent, "object").map(|object| tree.text(object)).unwrap_or_default();
        matches!(object, "exports" | "module.exports") && tree.node(parent).field == "left"
    };
    let in_exports = (matches!(tree.kind(at), "shorthand_property_identifier") || field == "key")
        && tree.ancestors(at).take(4).any(|around| {
            tree.kind(around) == "assignment_expression"
                && tree.child(around, "left").is_some_and(|left| tree.text(left).ends_with("exports"))
        });
    let is_reexported = imports(tree, at);
    if !(by_name || is_assigned || is_exported || is_member || in_exports || is_reexported) {
        return None;
    }
    owner(tree, at, parent)
}

/// `pub use a::b;` in Rust; in Python an import at the top of a module can be imported from it.
pub(super) fn imports(tree: &Tree<'_>, at: usize) -> bool {
    let mut around = tree.ancestors(at).take(8);
    match tree.language {
        Language::Rust => {
            let leaf = tree.node(at).field != "path";
            leaf && around.any(|at| tree.kind(at) == "use_declaration" && tree.text(at).starts_with("pub"))
        }
        Language::Python => {
            around.any(|at| tree.kind(at) == "import_from_statement") && tree.node(at).field != "module_name"
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx | Language::Go => false,
    }
}

fn owner(tree: &Tree<'_>, at: usize, declaration: usize) -> Option<Home> {
    // Go names the owner of a method in its receiver.
    if let Some(receiver) = tree.child(declaration, "receiver") {
        let mut types = tree.span(receiver).filter(|at| tree.kind(*at) == "type_identifier");
        return Some(member(types.next().map(|at| tree.text(at))));
    }
    for around in tree.ancestors(at).skip(1) {
        match tree.kind(around) {
            "function_item"
            | "function_definition"
            | "function_declaration"
            | "method_definition"
            | "arrow_function"
            | "function_expression"
            | "method_declaration"
            | "func_literal"
            | "closure_expression" => return None,
            "impl_item" => {
                let target = tree.child(around, "type")?;
                let mut names = tree.span(target).filter(|at| is_name(tree.kind(*at)));
                return Some(member(names.next().map(|at| tree.text(at))));
            }
            "class_definition"
            | "class_declaration"
            | "trait_item"
            | "enum_item"
            | "struct_item"
            | "type_spec"
            | "interface_declaration" => {
                return Some(member(tree.child(around, "name").map(|name| tree.text(name))));
            }
            _ => {}
        }
    }
    Some(Home::Top)
}

fn member(owner: Option<&str>) -> Home {
    owner.map_or(Home::Top, |owner| Home::Member(owner.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_8_53_a_file_leans_on_another_one_of_its_package_where_it_uses_what_that_declares() {
        let helper = "package x\n\nfunc check(t *testing.T) {\n\tgot := 1\n}\n\nfunc TestA(t *testing.T) { check(t) }\n";
        for (source, want) in [
            ("package x\n\nfunc TestB(t *testing.T) { check(t) }\n", true),
            ("package x\n\nfunc TestB(t *testing.T) { got(t) }\n", false),
            ("package x\n\nfunc TestB(t *testing.T) { t.Fatal(1) }\n", false),
        ] {
            assert_eq!(leans_on(Language::Go, source, helper), want, "{source}");
        }
    }
}
