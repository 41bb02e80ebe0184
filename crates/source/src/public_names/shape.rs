//! How a function is called: whether who could call it as it was can call it as it is.

use super::super::Language;
use super::super::tree::{Tree, is_name};
use super::is_of_name;

/// What a function takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    access: Access,
    /// Rust's `self` as it stands; empty if there is none.
    receiver: String,
    takes: Vec<Taken>,
    gives: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Taken {
    name: String,
    of: String,
    may_be_left_out: bool,
    takes_the_rest: bool,
}

/// What it is reached by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    /// Read without a call: a property, a getter.
    Read,
    /// Called on the type itself.
    OfType,
    /// Called on a value, or by its name alone.
    OfValue,
}

/// What the function that is declared by this name takes; `None` if it is none.
pub(super) fn shape(tree: &Tree<'_>, at: usize) -> Option<Shape> {
    let declaration = tree.node(at).parent;
    let function = match tree.kind(declaration) {
        "variable_declarator" => tree.child(declaration, "value")?,
        "function_item"
        | "function_definition"
        | "function_declaration"
        | "method_definition"
        | "method_declaration"
        | "generator_function_declaration" => declaration,
        _ => return None,
    };
    if tree.child(function, "type_parameters").is_some() {
        return None;
    }
    let list = tree.child(function, "parameters").or_else(|| tree.child(function, "parameter"))?;
    let takes = if tree.kind(list) == "identifier" {
        vec![plain(tree.text(list))]
    } else {
        tree.parts(list).filter_map(|part| taken(tree, part)).flatten().collect()
    };
    let gives = tree.child(function, "return_type").or_else(|| tree.child(function, "result"));
    let mut gives = gives.map(|gives| squeezed(tree.text(gives))).unwrap_or_default();
    let modifiers = tree.child_of_kind(function, "function_modifiers").map(|modifiers| tree.text(modifiers));
    if modifiers.is_some_and(|modifiers| modifiers.contains("async")) {
        gives.insert_str(0, "async ");
    }
    let receiver = tree.child_of_kind(list, "self_parameter").map(|receiver| squeezed(tree.text(receiver)));
    let access = access(tree, declaration);
    Some(Shape { access, receiver: receiver.unwrap_or_default(), takes, gives })
}

fn access(tree: &Tree<'_>, declaration: usize) -> Access {
    let around = tree.node(declaration).parent;
    let is_decorated = tree.kind(around) == "decorated_definition";
    let decorators = tree.children(around).filter(|at| is_decorated && tree.kind(*at) == "decorator");
    let marks = tree.children(declaration).filter(|at| !tree.node(*at).is_named);
    for mark in decorators.chain(marks) {
        let word = tree.text(mark).trim_start_matches('@');
        match word.rsplit('.').next().unwrap_or(word) {
            "property" | "cached_property" | "get" => return Access::Read,
            "staticmethod" | "classmethod" | "static" => return Access::OfType,
            _ => {}
        }
    }
    Access::OfValue
}

fn plain(name: &str) -> Taken {
    Taken { name: name.to_owned(), of: String::new(), may_be_left_out: false, takes_the_rest: false }
}

/// The parameters of one part of a list; of the object itself, and of a mark, there is none.
fn taken(tree: &Tree<'_>, at: usize) -> Option<Vec<Taken>> {
    let kind = tree.kind(at);
    let of = tree.child(at, "type").map(|of| squeezed(tree.text(of))).unwrap_or_default();
    let name = tree.child(at, "name").or_else(|| tree.child(at, "pattern"));
    let name = name.or_else(|| tree.span(at).find(|part| is_name(tree.kind(*part))));
    let name = name.map(|name| tree.text(name)).unwrap_or_default();
    if matches!(kind, "self_parameter" | "keyword_separator" | "positional_separator" | "attribute_item")
        || matches!(name, "self" | "cls" | "this")
    {
        return None;
    }
    let is_rest = tree.span(at).take(3).any(|part| {
        matches!(tree.kind(part), "list_splat_pattern" | "dictionary_splat_pattern" | "rest_pattern")
    });
    let takes_the_rest = is_rest || matches!(kind, "variadic_parameter_declaration" | "variadic_parameter");
    let may_be_left_out = matches!(
        kind,
        "default_parameter" | "typed_default_parameter" | "optional_parameter" | "assignment_pattern"
    ) || tree.child(at, "value").is_some();
    let one = Taken { name: name.to_owned(), of, may_be_left_out, takes_the_rest };
    // Go: `a, b int`.
    let names = tree.children(at).filter(|part| tree.node(*part).field == "name").count();
    Some(vec![one; if kind == "parameter_declaration" { names.max(1) } else { 1 }])
}

/// Without space and lifetimes.
fn squeezed(text: &str) -> String {
    let mut words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    while let Some(at) = words.find('\'') {
        let end =
            words[at + 1..].find(|char: char| !is_of_name(char)).map_or(words.len(), |end| at + 1 + end);
        words.replace_range(at..end, "");
    }
    words.split_whitespace().collect()
}

/// Whether who calls it as it was can call it as it is.
pub(super) fn is_callable_as(language: Language, now: &Shape, was: &Shape) -> bool {
    let by_name = language == Language::Python;
    let typed = matches!(language, Language::Rust | Language::Go);
    let rest_is_taken = now.takes.iter().any(|taken| taken.takes_the_rest);
    let same = |(was, now): (&Taken, &Taken)| {
        (!by_name || was.name == now.name || was.name.starts_with('_'))
            && (!was.may_be_left_out || now.may_be_left_out || now.takes_the_rest)
            && was.takes_the_rest == now.takes_the_rest
            && (!typed || takes(&was.of, &now.of))
    };
    if !is_reached_as(language, now, was) {
        return false;
    }
    let firsts = now.takes.len().min(was.takes.len());
    let others_may_be_left_out =
        now.takes[firsts..].iter().all(|taken| taken.may_be_left_out || taken.takes_the_rest);
    if rest_is_taken && !was.takes.iter().any(|taken| taken.takes_the_rest) {
        return true;
    }
    now.takes.len() >= was.takes.len()
        && was.takes.iter().zip(&now.takes).all(same)
        && others_may_be_left_out
        && (!typed || now.gives == was.gives || is_open(&now.gives) || is_open(&was.gives))
}

/// Whether it is still read where it was read, and called on what it was called on.
fn is_reached_as(language: Language, now: &Shape, was: &Shape) -> bool {
    let access = match (was.access, now.access) {
        (Access::OfValue, Access::OfType) => language == Language::Python,
        (was, now) => was == now,
    };
    let receiver = match (was.receiver.as_str(), now.receiver.as_str()) {
        (was, now) if was.contains(':') || now.contains(':') => was.is_empty() == now.is_empty(),
        ("self" | "mutself", "self" | "mutself" | "&self") | ("&mutself", "&self") => true,
        (was, now) => was == now,
    };
    access && receiver
}

/// Whether a parameter of the second type takes what one of the first took.
fn takes(was: &str, now: &str) -> bool {
    let wider = match was.strip_prefix('&') {
        Some("String") => now == "&str",
        Some("PathBuf") => now == "&Path",
        Some("OsString") => now == "&OsStr",
        Some(list) => {
            let item = list.strip_prefix("Vec<").and_then(|rest| rest.strip_suffix('>'));
            item.is_some_and(|item| now == format!("&[{item}]"))
        }
        None => false,
    };
    was == now || wider || is_open(was) || is_open(now)
}

/// Types that stand for several.
fn is_open(of: &str) -> bool {
    ["impl", "dyn", "interface{", "any", "Self"].iter().any(|word| of.contains(word))
}
