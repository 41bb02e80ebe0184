//! Names that others use, and how they are called: what a change took away.
//!
//! ```text
//! public     Rust: "pub"; Go: a capital; JavaScript: "export" (not what "require" gives); Python: no underscore before it
//! member     a public one of a class, a type or an implementation: `Owner.name`
//! gone       declared before, and by no source after; or passed on by a file that does not any more
//! hidden     declared under a condition alone, where it was there before without one
//! changed    a function that can't be called any more as it could be
//! ```
//!
//! A function may take more than before if the rest may be left out, and other names for what is passed by
//! place. Types count where the language checks them (Rust, Go), but for what takes more than before
//! (`&String` and then `&str`) and for generic ones, which are not understood here.

use std::collections::{BTreeMap, BTreeSet};

use super::Language;
use super::symbols::{self, Home};
use super::tree::Tree;
use super::units::unit_spans;

mod conditions;
mod passed_on;
mod shape;
#[cfg(test)]
mod tests;

use conditions::Conditions;
use passed_on::no_longer_passed_on;
use shape::{Shape, is_callable_as, shape};

/// How others are kept from a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Loss {
    /// No source declares it any more.
    Gone,
    /// It is there under a condition alone.
    Hidden,
    /// It is called in another way.
    Changed,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LostName {
    /// Where it was declared.
    pub path: String,
    /// `name`, or `Owner.name` of a member.
    pub name: String,
    pub loss: Loss,
}

/// Files, each as its path and its text.
type Sources<'s> = &'s [(&'s str, &'s str)];

/// Public names, and functions with what they take.
type Declared = BTreeMap<String, Option<Shape>>;

/// Public names that were declared in `before` and that others can't use any more as they could.
pub fn lost_names(language: Language, before: &[(&str, &str)], after: &[(&str, &str)]) -> Vec<LostName> {
    let trees = trees(language, after);
    let (now, members) = (everywhere(&trees), members(&trees));
    let (then_when, now_when) = (conditions(language, before), conditions(language, after));
    let hidden = conditions::under_one(&now_when);
    let was_free = |name: &str| then_when.get(name).is_some_and(|all| all.contains(&Conditions::new()));
    let is_hidden = |name: &str| hidden.contains(name) && was_free(name);
    let mut all = BTreeSet::new();
    for (path, source) in before {
        let Ok(tree) = Tree::parse(language, source) else { continue };
        for (name, shape) in declared(&tree, Reexports::AreNot) {
            let loss = match (now.get(&name), shape) {
                (Some(_), _) if is_hidden(&name) => Some(Loss::Hidden),
                (Some(Some(now)), Some(was)) => {
                    (!is_callable_as(language, now, &was)).then_some(Loss::Changed)
                }
                (Some(_), _) => None,
                // What another type has now was moved to where this one may have it from.
                (None, _) => {
                    let member = name.split_once('.').map(|(_, member)| member);
                    (!member.is_some_and(|member| members.contains(member))).then_some(Loss::Gone)
                }
            };
            all.extend(loss.map(|loss| LostName { path: (*path).to_owned(), name, loss }));
        }
    }
    all.extend(no_longer_passed_on(language, before, after));
    all.into_iter().collect()
}

/// Public names that are declared in `after` alone and that no word of `tests` names, each with its path.
pub fn new_names(
    language: Language,
    (before, after): (Sources<'_>, Sources<'_>),
    tests: &[&str],
) -> Vec<(String, String)> {
    let known = everywhere(&trees(language, before));
    let said: BTreeSet<&str> =
        tests.iter().flat_map(|text| text.split(|char: char| !is_of_name(char))).collect();
    let mut new = BTreeSet::new();
    for (path, source) in after {
        let Ok(tree) = Tree::parse(language, source) else { continue };
        let names = declared(&tree, Reexports::AreNot).into_keys().filter(|name| !known.contains_key(name));
        let unsaid = names.filter(|name| !said.contains(name.rsplit('.').next().unwrap_or_default()));
        new.extend(unsaid.map(|name| ((*path).to_owned(), name)));
    }
    new.into_iter().collect()
}

fn is_of_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$')
}

fn trees(language: Language, sources: Sources<'_>) -> Vec<Tree<'_>> {
    sources.iter().filter_map(|(_, source)| Tree::parse(language, source).ok()).collect()
}

fn everywhere(trees: &[Tree<'_>]) -> Declared {
    trees.iter().flat_map(|tree| declared(tree, Reexports::Are)).collect()
}

/// Members of whatever type, as a trait's implementation has them without a word.
fn members<'s>(trees: &[Tree<'s>]) -> BTreeSet<&'s str> {
    let of = |tree: &Tree<'s>| {
        let is_member = |at: &usize| matches!(symbols::home_of(tree, *at), Some(Home::Member(_)));
        tree.all().filter(is_member).map(|at| tree.text(at)).collect::<Vec<_>>()
    };
    trees.iter().flat_map(of).collect()
}

/// Whether what is only passed on is declared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reexports {
    Are,
    AreNot,
}

fn declared(tree: &Tree<'_>, reexports: Reexports) -> Declared {
    let mut all = Declared::new();
    for (full, at) in declarations(tree) {
        let is_listed = tree.kind(tree.node(at).parent) == "export_specifier";
        let is_passed_on = is_listed || symbols::imports(tree, at);
        if is_passed_on && (reexports == Reexports::AreNot || all.contains_key(tree.text(at))) {
            continue;
        }
        // Of several declarations of one name (overloads, one for each platform) none is told from the others.
        let shape = if all.contains_key(&full) { None } else { shape(tree, at) };
        all.insert(full, shape);
    }
    all
}

/// Public names, each with the node that it stands in.
fn declarations(tree: &Tree<'_>) -> Vec<(String, usize)> {
    let units = unit_spans(tree);
    let exported = exported_as_they_are(tree);
    let mut all = Vec::new();
    for at in tree.all().filter(|at| !units.iter().any(|unit| unit.contains(at))) {
        let name = tree.text(at);
        match symbols::home_of(tree, at) {
            Some(_) if !is_public(tree, at, (name, &exported)) => {}
            Some(Home::Top) => all.push((name.to_owned(), at)),
            Some(Home::Member(owner)) => all.push((format!("{owner}.{name}"), at)),
            None => {}
        }
    }
    all
}

/// Under which conditions each public name is declared; none where the language has none.
fn conditions(language: Language, sources: Sources<'_>) -> BTreeMap<String, BTreeSet<Conditions>> {
    let mut all: BTreeMap<String, BTreeSet<Conditions>> = BTreeMap::new();
    if language.is_javascript() {
        return all;
    }
    for (path, source) in sources {
        let Ok(tree) = Tree::parse(language, source) else { continue };
        let of_file = conditions::of_file(path, &tree);
        for (name, at) in declarations(&tree) {
            let mut one = conditions::of_name(&tree, at);
            one.extend(of_file.iter().cloned());
            all.entry(name).or_default().insert(one);
        }
    }
    all
}

/// What `export { Cart };` names of the file's own, by no other name.
fn exported_as_they_are<'s>(tree: &Tree<'s>) -> BTreeSet<&'s str> {
    let is_plain = |at: &usize| {
        tree.kind(*at) == "export_specifier"
            && tree.child(*at, "alias").is_none()
            && !tree.ancestors(*at).take(2).any(|around| tree.child(around, "source").is_some())
    };
    tree.all().filter(is_plain).map(|at| tree.text(at)).collect()
}

fn is_public(tree: &Tree<'_>, at: usize, (name, exported): (&str, &BTreeSet<&str>)) -> bool {
    match tree.language {
        Language::Rust => {
            let is_pub = |around: usize| {
                tree.child_of_kind(around, "visibility_modifier").is_some_and(|mark| tree.text(mark) == "pub")
            };
            tree.ancestors(at).take(4).any(is_pub)
        }
        Language::Python => {
            let outer = tree.ancestors(at).filter(|around| tree.kind(*around) == "class_definition");
            let mut outer = outer.filter_map(|class| tree.child(class, "name"));
            !name.starts_with('_') && !outer.any(|class| tree.text(class).starts_with('_'))
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            is_exported(tree, at, (name, exported))
        }
        Language::Go => name.starts_with(char::is_uppercase),
    }
}

fn is_exported(tree: &Tree<'_>, at: usize, (name, exported): (&str, &BTreeSet<&str>)) -> bool {
    let is_private = |mark: usize| tree.text(mark) != "public";
    let declaration = tree.node(at).parent;
    if name.starts_with(['_', '#'])
        || tree.child_of_kind(declaration, "accessibility_modifier").is_some_and(is_private)
    {
        return false;
    }
    let is_named = |around: usize| {
        matches!(
            tree.kind(around),
            "class_declaration"
                | "function_declaration"
                | "variable_declarator"
                | "abstract_class_declaration"
        ) && tree.child(around, "name").is_some_and(|name| exported.contains(tree.text(name)))
    };
    tree.ancestors(at).take(6).any(|around| tree.kind(around) == "export_statement" || is_named(around))
}
