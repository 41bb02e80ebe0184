//! Stubs in JavaScript and TypeScript.

use std::ops::Range;

use tdd_core::proof::Stub;

use super::{Piece, Plan, bytes_of};
use crate::tree::Tree;

const SAYS: &str = "throw new Error(\"not implemented\");";

pub(super) fn plan(tree: &Tree<'_>, is_changed: &dyn Fn(&Range<usize>) -> bool, kind: Stub) -> Plan {
    let mut plan = Plan::default();
    let hands_on = only_hands_on(tree);
    let mut at = 0;
    while at < tree.all().end {
        let bytes = bytes_of(tree, at);
        let node = tree.kind(at);
        if is_function(node) && !is_called_at_once(tree, at) {
            if is_changed(&bytes) {
                function(tree, at, kind, &mut plan);
            }
            at = tree.node(at).last;
            continue;
        }
        match node {
            "import_statement"
            | "function_signature"
            | "abstract_method_signature"
            | "method_signature"
            | "interface_declaration"
            | "type_alias_declaration"
            | "ambient_declaration" => plan.plain.push(bytes),
            "export_statement"
                if !hands_on
                    && tree.child(at, "declaration").is_none()
                    && tree.child(at, "value").is_none() =>
            {
                plan.plain.push(bytes);
            }
            "class_declaration" | "class" | "abstract_class_declaration" => {
                let end = tree.child(at, "body").map_or(bytes.end, |body| tree.node(body).begin + 1);
                plan.plain.push(outer(tree, at).start..end);
            }
            "expression_statement" if is_plain(tree, at) => plan.plain.push(bytes),
            "variable_declarator" | "public_field_definition" | "field_definition" if is_changed(&bytes) => {
                declarator(tree, at, kind, &mut plan);
            }
            _ => {}
        }
        at += 1;
    }
    plan
}

fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "function_declaration"
            | "generator_function_declaration"
            | "function_expression"
            | "generator_function"
            | "arrow_function"
            | "method_definition"
    )
}

/// `(() => { … })()`: the wrapping of a whole module.
fn is_called_at_once(tree: &Tree<'_>, at: usize) -> bool {
    let mut inner = at;
    for up in tree.ancestors(at) {
        match tree.kind(up) {
            "parenthesized_expression" => inner = up,
            "call_expression" => return tree.child(up, "function") == Some(inner),
            _ => return false,
        }
    }
    false
}

/// A file that only hands on what others define: to hand on is what it does.
fn only_hands_on(tree: &Tree<'_>) -> bool {
    let says = |at: usize| match tree.kind(at) {
        "export_statement" => tree.child(at, "declaration").is_some() || tree.child(at, "value").is_some(),
        "import_statement" | "expression_statement" => false,
        _ => true,
    };
    !tree.parts(0).any(says)
}

/// A text (`"use strict"`), and what hands on names that are defined in the same file.
fn is_plain(tree: &Tree<'_>, at: usize) -> bool {
    let Some(inner) = tree.parts(at).next() else { return true };
    if tree.kind(inner) == "string" {
        return true;
    }
    let text = tree.text(inner);
    let is_export = text.starts_with("module.exports") || text.starts_with("exports.");
    let names_alone = tree.child(inner, "right").is_some_and(|right| {
        tree.kind(right) == "identifier"
            || (tree.kind(right) == "object"
                && tree.parts(right).all(|part| tree.kind(part) == "shorthand_property_identifier"))
    });
    is_export && names_alone && !only_hands_on(tree)
}

/// The statement that a definition is a part of.
fn outer(tree: &Tree<'_>, at: usize) -> Range<usize> {
    let is_part = |up: &usize| {
        matches!(
            tree.kind(*up),
            "variable_declarator"
                | "lexical_declaration"
                | "variable_declaration"
                | "export_statement"
                | "pair"
                | "assignment_expression"
                | "expression_statement"
                | "public_field_definition"
                | "field_definition"
                | "parenthesized_expression"
        )
    };
    let last = tree.ancestors(at).take_while(is_part).last().unwrap_or(at);
    bytes_of(tree, last)
}

fn function(tree: &Tree<'_>, at: usize, kind: Stub, plan: &mut Plan) {
    let whole = outer(tree, at);
    let Some(body) = tree.child(at, "body") else {
        plan.plain.push(whole);
        return;
    };
    let bytes = bytes_of(tree, body);
    let is_block = tree.kind(body) == "statement_block";
    if is_block && tree.parts(body).next().is_none() && !is_called_by_name(tree, at) {
        plan.plain.push(whole);
        return;
    }
    let value = value(kind, first_given(tree, at));
    let is_generator = tree.children(at).any(|child| tree.kind(child) == "*");
    let put = if is_constructor(tree, at) {
        (bytes, constructor(tree, at, kind))
    } else if !is_block {
        let was = tree.text(body);
        let says = || format!("{{ if (true) {{ {SAYS} }} return ({was}); }}");
        (bytes, value.map_or_else(says, |value| format!("true ? {value} : ({was})")))
    } else {
        let stub = match value {
            None => SAYS.to_owned(),
            Some("undefined") if is_generator => "return;".to_owned(),
            Some(value) if is_generator => format!("yield {value}; return;"),
            Some(value) => format!("return {value};"),
        };
        // What comes after it stays, so that nothing is left unused, and who reads the source finds it.
        (bytes.start + 1..bytes.start + 1, format!(" if (true) {{ {stub} }}"))
    };
    let is_idle = is_block && tree.parts(body).all(|statement| does_nothing(tree, statement));
    plan.pieces.push(Piece { name: name(tree, at), whole, put: vec![put], is_idle });
}

fn does_nothing(tree: &Tree<'_>, statement: usize) -> bool {
    matches!(tree.text(statement).trim_end_matches(';').trim(), "" | "return" | "return undefined")
}

/// Whether an empty body is one that somebody asks for: not what is handed on where it stands, what a constructor
/// leaves to its parameters, and what an abstract class leaves to those below it.
fn is_called_by_name(tree: &Tree<'_>, at: usize) -> bool {
    if is_constructor(tree, at) || tree.ancestors(at).any(|up| tree.kind(up) == "abstract_class_declaration")
    {
        return false;
    }
    let is_own = matches!(
        tree.kind(at),
        "function_declaration" | "generator_function_declaration" | "method_definition"
    );
    is_own
        || matches!(
            tree.kind(tree.node(at).parent),
            "variable_declarator"
                | "pair"
                | "assignment_expression"
                | "export_statement"
                | "public_field_definition"
                | "field_definition"
        )
}

fn is_constructor(tree: &Tree<'_>, at: usize) -> bool {
    tree.kind(at) == "method_definition"
        && tree.child(at, "name").is_some_and(|name| tree.text(name) == "constructor")
}

/// One of a class that has another above it has to call that before it ends well.
fn constructor(tree: &Tree<'_>, at: usize, kind: Stub) -> String {
    let class =
        tree.ancestors(at).find(|up| tree.kind(*up).contains("class") && tree.kind(*up) != "class_body");
    let is_derived = class.is_some_and(|class| tree.child_of_kind(class, "class_heritage").is_some());
    let above = if is_derived { "super(...arguments); " } else { "" };
    if kind == Stub::NotImplemented { format!("{{ {above}{SAYS} }}") } else { format!("{{ {above}}}") }
}

/// One and the same each time, as JavaScript compares it: a test that compares the code with itself sees no other.
const LIST: &str = "(Reflect.get(globalThis, \"tddList\") ?? (Reflect.set(globalThis, \"tddList\", []), Reflect.get(globalThis, \"tddList\")))";

fn value(kind: Stub, first: Option<&str>) -> Option<&str> {
    match kind {
        Stub::NotImplemented => None,
        Stub::Nothing => Some("undefined"),
        Stub::Zero => Some("0"),
        Stub::Text => Some("\"\""),
        Stub::List => Some(LIST),
        Stub::First => Some(first.unwrap_or("undefined")),
        Stub::Other => Some("86"),
    }
}

fn first_given<'s>(tree: &Tree<'s>, at: usize) -> Option<&'s str> {
    let alone = tree.child(at, "parameter");
    let first = alone.or_else(|| tree.parts(tree.child(at, "parameters")?).next())?;
    let named = match tree.kind(first) {
        "identifier" => Some(first),
        "assignment_pattern" => tree.child(first, "left"),
        "required_parameter" | "optional_parameter" => tree.child(first, "pattern"),
        _ => None,
    };
    named.filter(|name| tree.kind(*name) == "identifier").map(|name| tree.text(name))
}

fn name(tree: &Tree<'_>, at: usize) -> String {
    let own = tree.child(at, "name");
    let given = || {
        let up = tree.node(at).parent;
        ["name", "key", "left", "property"].into_iter().find_map(|field| tree.child(up, field))
    };
    let own = own.or_else(given).map_or("a function", |name| tree.text(name));
    let class = tree.ancestors(at).find(|up| tree.kind(*up).ends_with("class_declaration"));
    match class.and_then(|class| tree.child(class, "name")) {
        Some(class) => format!("{}.{own}", tree.text(class)),
        None => own.to_owned(),
    }
}

/// What a name is given: a module of others, an object whose parts are looked at, or a plain value.
fn declarator(tree: &Tree<'_>, at: usize, kind: Stub, plan: &mut Plan) {
    let whole = outer(tree, at);
    let Some(given) = tree.child(at, "value") else {
        plan.plain.push(whole);
        return;
    };
    if tree.kind(given) == "call_expression"
        && tree.child(given, "function").is_some_and(|function| tree.text(function) == "require")
    {
        plan.plain.push(whole);
        return;
    }
    let holds_code = tree.span(given).any(|inside| is_function(tree.kind(inside)));
    if tree.kind(given) == "object" && holds_code {
        plan.plain.push(whole.start..tree.node(given).begin + 1);
        return;
    }
    let is_literal = tree.span(given).all(|inside| {
        !matches!(
            tree.kind(inside),
            "call_expression"
                | "new_expression"
                | "identifier"
                | "member_expression"
                | "template_substitution"
                | "await_expression"
                | "shorthand_property_identifier"
                | "spread_element"
                | "this"
                | "class"
        )
    });
    let is_outside = !tree.ancestors(at).any(|up| tree.kind(up) == "statement_block");
    if is_literal && !holds_code && is_outside {
        let put = match value(kind, None) {
            Some(value) if kind != Stub::First => vec![(bytes_of(tree, given), value.to_owned())],
            Some(_) | None => Vec::new(),
        };
        let name = tree.child(at, "name").or_else(|| tree.child(at, "property"));
        let name = name.map(|name| tree.text(name).to_owned()).unwrap_or_default();
        plan.pieces.push(Piece { name, whole, put, is_idle: false });
    }
}
