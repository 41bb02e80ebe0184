//! Stubs in Rust.

use std::ops::Range;

use tdd_core::proof::Stub;

use super::{Piece, Plan, bytes_of, dead};
use crate::tree::Tree;

/// Types that have a value for nothing, by the beginning of their text.
const DEFAULT: [&str; 30] = [
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "f32",
    "f64",
    "bool",
    "char",
    "String",
    "Vec<",
    "Option<",
    "HashMap<",
    "HashSet<",
    "BTreeMap<",
    "BTreeSet<",
    "VecDeque<",
    "std::",
    "PathBuf",
    "&str",
    "&'static str",
    "Duration",
    "()",
];

pub(super) fn plan(tree: &Tree<'_>, is_changed: &dyn Fn(&Range<usize>) -> bool, kind: Stub) -> Plan {
    let mut plan = Plan::default();
    let mut at = 0;
    while at < tree.all().end {
        let bytes = bytes_of(tree, at);
        match tree.kind(at) {
            "function_item" => {
                if is_changed(&bytes) {
                    function(tree, at, kind, &mut plan);
                }
                at = tree.node(at).last;
                continue;
            }
            "use_declaration"
            | "extern_crate_declaration"
            | "struct_item"
            | "union_item"
            | "enum_item"
            | "type_item"
            | "function_signature_item"
            | "inner_attribute_item"
            | "associated_type" => plan.plain.push(bytes),
            "mod_item" | "impl_item" | "trait_item" => {
                let end = tree.child(at, "body").map_or(bytes.end, |body| tree.node(body).begin + 1);
                plan.plain.push(bytes.start..end);
            }
            "const_item" | "static_item" if is_changed(&bytes) => {
                let value = tree.child(at, "value");
                let name = tree.child(at, "name").map(|name| tree.text(name).to_owned()).unwrap_or_default();
                let piece = value.and_then(|value| dead::literal(tree, (at, value), (kind, name), bytes));
                plan.pieces.extend(piece);
                at = tree.node(at).last;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    plan
}

fn function(tree: &Tree<'_>, at: usize, kind: Stub, plan: &mut Plan) {
    let whole = bytes_of(tree, at);
    let body = tree.child(at, "body");
    let is_idle = body.is_some_and(|body| tree.parts(body).next().is_none());
    // What others may write anew, and what a program begins with, may be empty.
    let may_be = tree.ancestors(at).any(|up| tree.kind(up) == "trait_item")
        || tree.child(at, "name").is_some_and(|name| tree.text(name) == "main");
    let Some(body) = body.filter(|_| !is_idle || !may_be) else {
        plan.plain.push(whole);
        return;
    };
    let put = statement(tree, at, kind).map(|statement| dead::first(tree, body, &statement));
    plan.pieces.push(Piece { name: name(tree, at), whole, put: put.into_iter().collect(), is_idle });
}

fn statement(tree: &Tree<'_>, at: usize, kind: Stub) -> Option<String> {
    let result = tree.child(at, "return_type").map_or("()", |of| tree.text(of));
    match kind {
        // A constant function may panic, and `impl Trait` and `!` are still what the rest of the body says.
        Stub::NotImplemented => Some("if true { panic!(\"not implemented\"); }".to_owned()),
        Stub::Nothing => Some(format!("if true {{ return {}; }}", nothing(result)?)),
        Stub::First => {
            let (name, of) = first_given(tree, at)?;
            (of == result).then(|| format!("if true {{ return {name}; }}"))
        }
        Stub::Other => Some(format!("if true {{ return {}; }}", other(result)?)),
        Stub::Zero | Stub::Text | Stub::List => None,
    }
}

fn has_default(of: &str) -> bool {
    DEFAULT.iter().any(|known| {
        let is_open = known.ends_with('<') || known.ends_with("::");
        if is_open { of.starts_with(known) && !of.starts_with("std::result") } else { of == *known }
    })
}

/// Another value of this type than its default, if its text tells of one.
fn other(result: &str) -> Option<String> {
    let known = match result {
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => {
            "86"
        }
        "f32" | "f64" => "86.0",
        "bool" => "true",
        "char" => "'t'",
        "String" => "String::from(\"tdd\")",
        "&str" | "&'static str" => "\"tdd\"",
        "()" => "()",
        _ => "",
    };
    if !known.is_empty() {
        return Some(known.to_owned());
    }
    let inner =
        |outer: &str| result.strip_prefix(outer)?.strip_suffix('>').filter(|inner| has_default(inner));
    if inner("Option<").is_some() {
        return Some("Some(Default::default())".to_owned());
    }
    if inner("Vec<").is_some() {
        return Some("vec![Default::default()]".to_owned());
    }
    let first = first_of(in_result(result)?);
    // `Ok(())` is the only one that is no error.
    (first != "()").then(|| Some(format!("Ok({})", other(first)?)))?
}

/// The types of a `Result`, with the bracket that ends them.
fn in_result(result: &str) -> Option<&str> {
    let inner =
        result.split_once("Result<").filter(|(before, _)| before.is_empty() || before.ends_with("::"));
    inner.map(|(_, inner)| inner)
}

/// A value of this type, if its text tells of one.
fn nothing(result: &str) -> Option<&'static str> {
    if result == "()" {
        return Some("()");
    }
    if let Some(inner) = in_result(result) {
        let first = first_of(inner);
        return if first == "()" {
            Some("Ok(())")
        } else {
            has_default(first).then_some("Ok(Default::default())")
        };
    }
    has_default(result).then_some("Default::default()")
}

/// Up to the comma or the end of a list of types.
fn first_of(list: &str) -> &str {
    let mut depth = 0_usize;
    for (at, letter) in list.char_indices() {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' if depth > 0 => depth -= 1,
            '>' | ',' if depth == 0 => return list[..at].trim(),
            _ => {}
        }
    }
    list.trim()
}

fn first_given<'s>(tree: &Tree<'s>, at: usize) -> Option<(&'s str, &'s str)> {
    let list = tree.child(at, "parameters")?;
    let first = tree.parts(list).find(|one| tree.kind(*one) == "parameter")?;
    let name = tree.child(first, "pattern").filter(|name| tree.kind(*name) == "identifier")?;
    Some((tree.text(name), tree.text(tree.child(first, "type")?)))
}

fn name(tree: &Tree<'_>, at: usize) -> String {
    let own = tree.child(at, "name").map_or("a function", |name| tree.text(name));
    let within = tree.ancestors(at).find(|up| tree.kind(*up) == "impl_item");
    match within.and_then(|within| tree.child(within, "type")) {
        Some(of) => format!("{}::{own}", tree.text(of)),
        None => own.to_owned(),
    }
}
