//! Stubs in Go.

use std::ops::Range;

use tdd_core::proof::Stub;

use super::{Piece, Plan, bytes_of, dead};
use crate::tree::Tree;

pub(super) fn plan(tree: &Tree<'_>, is_changed: &dyn Fn(&Range<usize>) -> bool, kind: Stub) -> Plan {
    let mut plan = Plan::default();
    let mut at = 0;
    while at < tree.all().end {
        let bytes = bytes_of(tree, at);
        match tree.kind(at) {
            "function_declaration" | "method_declaration" | "func_literal" => {
                if is_changed(&bytes) {
                    function(tree, at, kind, &mut plan);
                }
                at = tree.node(at).last;
                continue;
            }
            "package_clause" | "import_declaration" => plan.plain.push(bytes),
            // A tag says how a field is read and written.
            "type_declaration" if !tree.span(at).any(|inside| tree.kind(inside) == "raw_string_literal") => {
                plan.plain.push(bytes);
            }
            "const_spec" | "var_spec" if is_changed(&bytes) => {
                if let Some(piece) = constant(tree, at, kind) {
                    plan.pieces.push(piece);
                    at = tree.node(at).last;
                    continue;
                }
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
    // What is handed on where it stands, and what a program begins with, may be empty.
    let may_be = tree.kind(at) == "func_literal" || is_start(tree, at);
    let Some(body) = body.filter(|_| !is_idle || !may_be) else {
        plan.plain.push(whole);
        return;
    };
    let put = statement(tree, at, kind).map(|statement| dead::first(tree, body, &statement));
    plan.pieces.push(Piece { name: name(tree, at), whole, put: put.into_iter().collect(), is_idle });
}

fn is_start(tree: &Tree<'_>, at: usize) -> bool {
    let own = tree.child(at, "name").map(|name| tree.text(name)).unwrap_or_default();
    matches!(own, "init" | "main") && tree.kind(at) == "function_declaration"
}

fn statement(tree: &Tree<'_>, at: usize, kind: Stub) -> Option<String> {
    match kind {
        // What runs before any test would keep all of them from running.
        Stub::NotImplemented if is_start(tree, at) => Some("if true { return };".to_owned()),
        Stub::NotImplemented => Some("if true { panic(\"not implemented\") };".to_owned()),
        Stub::Nothing => {
            let values: Vec<String> = results(tree, at).iter().map(|one| format!("*new({one})")).collect();
            Some(format!("if true {{ return {} }};", values.join(", ")))
        }
        Stub::First => {
            let (name, of) = first_given(tree, at)?;
            (results(tree, at) == [of]).then(|| format!("if true {{ return {name} }};"))
        }
        Stub::Other => {
            let values: Option<Vec<String>> = results(tree, at).into_iter().map(other).collect();
            Some(format!("if true {{ return {} }};", values?.join(", ")))
        }
        Stub::Zero | Stub::Text | Stub::List => None,
    }
}

/// The one error that needs no import.
const ERROR: &str = "func() (e error) { defer func() { e, _ = recover().(error) }(); var none map[int]int; none[0] = 0; return }()";

/// A value of this type that is not its zero value, if its text tells of one.
fn other(of: &str) -> Option<String> {
    let known = match of {
        "int" | "int8" | "int16" | "int32" | "int64" | "uint" | "uint8" | "uint16" | "uint32" | "uint64"
        | "uintptr" | "byte" | "rune" | "float32" | "float64" | "any" | "interface{}" => "86",
        "bool" => "true",
        "string" => "\"tdd\"",
        "error" => ERROR,
        _ => "",
    };
    if !known.is_empty() {
        return Some(known.to_owned());
    }
    if let Some(to) = of.strip_prefix('*') {
        return Some(format!("new({to})"));
    }
    if of.starts_with("[]") {
        return Some(format!("make({of}, 1)"));
    }
    let (key, value) = of.strip_prefix("map[")?.split_once(']')?;
    (!key.contains('[')).then(|| format!("{of}{{*new({key}): *new({value})}}"))
}

/// The types of what it gives back.
fn results<'s>(tree: &Tree<'s>, at: usize) -> Vec<&'s str> {
    let Some(result) = tree.child(at, "result") else { return Vec::new() };
    if tree.kind(result) != "parameter_list" {
        return vec![tree.text(result)];
    }
    let mut types = Vec::new();
    for one in tree.parts(result).filter(|one| tree.kind(*one) == "parameter_declaration") {
        let Some(of) = tree.child(one, "type") else { continue };
        let names = tree.children(one).filter(|child| tree.node(*child).field == "name").count();
        types.extend(std::iter::repeat_n(tree.text(of), names.max(1)));
    }
    types
}

fn first_given<'s>(tree: &Tree<'s>, at: usize) -> Option<(&'s str, &'s str)> {
    let list = tree.child(at, "parameters")?;
    let first = tree.parts(list).find(|one| tree.kind(*one) == "parameter_declaration")?;
    Some((tree.text(tree.child(first, "name")?), tree.text(tree.child(first, "type")?)))
}

fn name(tree: &Tree<'_>, at: usize) -> String {
    let own = tree.child(at, "name").map_or("a function", |name| tree.text(name));
    let receiver = tree.child(at, "receiver");
    let mut of = receiver.map(|list| tree.span(list)).into_iter().flatten();
    match of.find(|inside| tree.kind(*inside) == "type_identifier") {
        Some(of) => format!("{}.{own}", tree.text(of)),
        None => own.to_owned(),
    }
}

/// Of a package, not of a function: those are within one that is stubbed.
fn constant(tree: &Tree<'_>, at: usize, kind: Stub) -> Option<Piece> {
    let list = tree.child(at, "value")?;
    let mut values = tree.parts(list);
    let (value, more) = (values.next()?, values.next());
    let name = tree.text(tree.child(at, "name")?).to_owned();
    if more.is_some() { None } else { dead::literal(tree, (at, value), (kind, name), bytes_of(tree, at)) }
}
