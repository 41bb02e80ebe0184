//! How a function is called: whether who could call it as it was can call it as it is.

use super::super::Language;
use super::super::tree::{Tree, fold, is_name};
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
    by: By,
    /// Whether the function does anything with it.
    is_used: bool,
}

/// How Python lets a parameter be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Place,
    Name,
    PlaceOrName,
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
    /// What a decorator of the project's own, or of a library, makes of it.
    Unknown,
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
        let parts = tree.parts(list).map(|part| (tree.kind(part), taken(tree, part).unwrap_or_default()));
        let mut takes = by_its_place(parts.collect());
        let body = tree.child(function, "body");
        let says = |name: &str| {
            let all = body.into_iter().flat_map(|body| tree.span(body));
            all.into_iter().any(|at| is_name(tree.kind(at)) && tree.text(at) == name)
        };
        for taken in &mut takes {
            taken.is_used = says(&taken.name) || says("arguments");
        }
        takes
    };
    let gives = tree.child(function, "return_type").or_else(|| tree.child(function, "result"));
    let mut gives = gives.map(|gives| type_at(tree, gives)).unwrap_or_default();
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
    let mut access = Access::OfValue;
    for mark in decorators.chain(marks) {
        let word = tree.text(mark).trim_start_matches('@');
        match word.rsplit('.').next().unwrap_or(word) {
            "property" | "cached_property" | "get" => return Access::Read,
            "staticmethod" | "classmethod" | "static" => return Access::OfType,
            _ if tree.kind(mark) == "decorator" => access = Access::Unknown,
            _ => {}
        }
    }
    access
}

/// The parameters of a list, each with how it may be given: `/` and `*` part them.
fn by_its_place(parts: Vec<(&str, Vec<Taken>)>) -> Vec<Taken> {
    let mut all: Vec<Taken> = Vec::new();
    let mut by = By::PlaceOrName;
    for (kind, taken) in parts {
        if kind == "positional_separator" {
            for before in &mut all {
                before.by = By::Place;
            }
        }
        let is_rest = taken.iter().any(|taken| taken.takes_the_rest);
        all.extend(taken.into_iter().map(|taken| Taken { by, ..taken }));
        if is_rest || kind == "keyword_separator" {
            by = By::Name;
        }
    }
    all
}

fn plain(name: &str) -> Taken {
    Taken {
        name: name.to_owned(),
        of: String::new(),
        may_be_left_out: false,
        takes_the_rest: false,
        by: By::PlaceOrName,
        is_used: true,
    }
}

/// The parameters of one part of a list; of the object itself, and of a mark, there is none.
fn taken(tree: &Tree<'_>, at: usize) -> Option<Vec<Taken>> {
    let kind = tree.kind(at);
    let of = tree.child(at, "type").map(|of| type_at(tree, of)).unwrap_or_default();
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
    let one = Taken { of, may_be_left_out, takes_the_rest, ..plain(name) };
    // Go: `a, b int`.
    let names = tree.children(at).filter(|part| tree.node(*part).field == "name").count();
    Some(vec![one; if kind == "parameter_declaration" { names.max(1) } else { 1 }])
}

/// A type by its own name: which module it is taken from, and what a parameter of a function type is called, is nothing
/// that callers see.
fn type_at(tree: &Tree<'_>, at: usize) -> String {
    match tree.kind(at) {
        "parameter_list" => {
            let of = |part: usize| {
                let of = tree.child(part, "type").map_or_else(|| type_at(tree, part), |of| type_at(tree, of));
                let names = tree.children(part).filter(|name| tree.node(*name).field == "name").count();
                vec![of; names.max(1)]
            };
            let all: Vec<String> = tree.parts(at).flat_map(of).collect();
            let is_result = tree.node(at).field == "result";
            if is_result && all.len() == 1 { all.concat() } else { format!("({})", all.join(",")) }
        }
        "qualified_type" | "scoped_type_identifier" => {
            tree.child(at, "name").map_or_else(|| squeezed(tree.text(at)), |name| squeezed(tree.text(name)))
        }
        "lifetime" => String::new(),
        _ if tree.is_leaf(at) => squeezed(tree.text(at)),
        _ => tree.children(at).map(|part| type_at(tree, part)).collect(),
    }
}

/// Without space and lifetimes.
fn squeezed(text: &str) -> String {
    let mut words = fold(text);
    while let Some(at) = words.find('\'') {
        let end =
            words[at + 1..].find(|char: char| !is_of_name(char)).map_or(words.len(), |end| at + 1 + end);
        words.replace_range(at..end, "");
    }
    words.split_whitespace().collect()
}

/// Whether who calls it as it was can call it as it is.
pub(super) fn is_callable_as(language: Language, now: &Shape, was: &Shape) -> bool {
    let typed = matches!(language, Language::Rust | Language::Go);
    if !is_reached_as(language, now, was) || !takes_all(language, &now.takes, &was.takes) {
        return false;
    }
    let takes_any_now = |shape: &Shape| shape.takes.iter().any(|taken| taken.takes_the_rest);
    let is_wider = takes_any_now(now) && !takes_any_now(was);
    is_wider || !typed || now.gives == was.gives || is_open(&now.gives) || is_open(&was.gives)
}

/// Whether these parameters take what those took.
fn takes_all(language: Language, now: &[Taken], was: &[Taken]) -> bool {
    let takes_the_rest = |list: &[Taken]| list.iter().any(|taken| taken.takes_the_rest);
    if takes_the_rest(now) && !takes_the_rest(was) {
        return true;
    }
    let is_named = |taken: &&Taken| language == Language::Python && taken.by == By::Name;
    let (named, placed): (Vec<&Taken>, Vec<&Taken>) = now.iter().partition(is_named);
    let (named_then, placed_then): (Vec<&Taken>, Vec<&Taken>) = was.iter().partition(is_named);
    let is_taken = |was: &&Taken| {
        let by_name = named.iter().chain(&placed).find(|now| now.name == was.name && now.by != By::Place);
        let rest = || named.iter().find(|now| now.takes_the_rest);
        let now = if was.takes_the_rest { rest() } else { by_name.or_else(rest) };
        now.is_some_and(|now| !was.may_be_left_out || now.may_be_left_out || now.takes_the_rest)
    };
    let is_new = |now: &&&Taken| !named_then.iter().any(|was| was.name == now.name);
    let may_be_missing = |now: &&Taken| now.may_be_left_out || now.takes_the_rest;
    // Who calls plain JavaScript may give more than is taken.
    let least = if language == Language::JavaScript {
        placed_then.iter().rposition(|was| was.is_used).map_or(0, |at| at + 1)
    } else {
        placed_then.len()
    };
    placed.len() >= least
        && placed_then.iter().zip(&placed).all(|(was, now)| takes_as(language, was, now))
        && placed.iter().skip(placed_then.len()).all(|now| may_be_missing(now) || !is_new(&now))
        && named_then.iter().all(is_taken)
        && named.iter().filter(is_new).all(may_be_missing)
}

/// The same of one that is given by its place.
fn takes_as(language: Language, was: &Taken, now: &Taken) -> bool {
    let typed = matches!(language, Language::Rust | Language::Go);
    let by_name = language == Language::Python && was.by == By::PlaceOrName && !was.takes_the_rest;
    (!by_name || (was.name == now.name && now.by == By::PlaceOrName) || was.name.starts_with('_'))
        && (!was.may_be_left_out || now.may_be_left_out || now.takes_the_rest)
        && was.takes_the_rest == now.takes_the_rest
        && (!typed || takes(&was.of, &now.of))
}

/// Whether it is still read where it was read, and called on what it was called on.
fn is_reached_as(language: Language, now: &Shape, was: &Shape) -> bool {
    let access = match (was.access, now.access) {
        (Access::OfValue, Access::OfType) => language == Language::Python,
        (Access::Unknown, _) | (_, Access::Unknown) => true,
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
