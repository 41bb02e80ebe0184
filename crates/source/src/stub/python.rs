//! Stubs in Python.

mod idle;

use std::ops::Range;

use tdd_core::proof::Stub;

use super::{Piece, Plan, bytes_of};
use crate::tree::Tree;
use idle::is_declaration;

const SAYS: &str = "raise NotImplementedError(\"not implemented\")";
/// The same where only an expression may stand.
const SAYS_AS_VALUE: &str = "(_ for _ in ()).throw(NotImplementedError(\"not implemented\"))";

pub(super) fn plan(tree: &Tree<'_>, is_changed: &dyn Fn(&Range<usize>) -> bool, kind: Stub) -> Plan {
    let mut plan = Plan::default();
    let mut at = 0;
    while at < tree.all().end {
        let whole = bytes_of(tree, around(tree, at));
        match tree.kind(at) {
            "function_definition" => {
                if is_changed(&whole) {
                    function(tree, at, kind, &mut plan);
                }
                at = tree.node(at).last;
                continue;
            }
            "lambda" if is_changed(&bytes_of(tree, at)) => {
                plan.pieces.extend(lambda(tree, at, kind));
                at = tree.node(at).last;
                continue;
            }
            "assignment" if is_changed(&bytes_of(tree, at)) => {
                if let Some(piece) = constant(tree, at, kind) {
                    plan.pieces.push(piece);
                    at = tree.node(at).last;
                    continue;
                }
            }
            "import_statement" | "import_from_statement" | "future_import_statement"
                if !only_imports(tree) =>
            {
                plan.plain.push(bytes_of(tree, at));
            }
            // What introduces others: the line with the name alone, and a text that says what it is for.
            "class_definition" => {
                let end = tree.child(at, "body").map_or(tree.node(at).end, |body| tree.node(body).begin);
                plan.plain.push(whole.start..head_end(tree.source, tree.node(at).begin, end));
            }
            "pass_statement" | "ellipsis" => plan.plain.push(bytes_of(tree, at)),
            "expression_statement" if is_text(tree, at) => plan.plain.push(bytes_of(tree, at)),
            _ => {}
        }
        at += 1;
    }
    plan
}

/// Up to the colon before the body.
fn head_end(source: &str, begin: usize, end: usize) -> usize {
    let head = source.get(begin..end).unwrap_or_default();
    begin + head.rfind(':').map_or(head.len(), |at| at + 1)
}

/// The definition with its decorators.
fn around(tree: &Tree<'_>, at: usize) -> usize {
    let parent = tree.node(at).parent;
    if tree.kind(parent) == "decorated_definition" { parent } else { at }
}

/// A file that only hands on what others define: to hand on is what it does.
fn only_imports(tree: &Tree<'_>) -> bool {
    let says = |at: usize| {
        let is_list = tree.text(at).starts_with("__all__");
        !is_list
            && !is_text(tree, at)
            && !tree.kind(at).ends_with("import_statement")
            && !tree.kind(at).contains("import")
    };
    !tree.parts(0).any(says)
}

fn is_text(tree: &Tree<'_>, at: usize) -> bool {
    let mut parts = tree.parts(at);
    let first = parts.next();
    // `return "x"` is no docstring.
    tree.kind(at) == "expression_statement"
        && first.is_some_and(|first| matches!(tree.kind(first), "string" | "concatenated_string"))
        && parts.next().is_none()
}

fn function(tree: &Tree<'_>, at: usize, kind: Stub, plan: &mut Plan) {
    let outer = around(tree, at);
    let whole = bytes_of(tree, outer);
    let Some(body) = tree.child(at, "body").filter(|_| !is_declaration(tree, at, outer)) else {
        plan.plain.push(whole);
        return;
    };
    let put = vec![in_front(tree, body, &statements(tree, at, kind))];
    plan.pieces.push(Piece { name: name(tree, at), whole, put, is_idle: idle::is_idle(tree, body) });
}

/// The stub comes first, and what it keeps from being reached stays: a test that reads the source and does not run
/// it finds in it what was there. A text that says what the function is for is none any more.
fn in_front(tree: &Tree<'_>, body: usize, stub: &str) -> (Range<usize>, String) {
    let Some(first) = tree.parts(body).next() else { return (bytes_of(tree, body), stub.to_owned()) };
    let begin = tree.node(first).begin;
    let before = tree.source.get(..begin).unwrap_or_default();
    let indent = before.rsplit('\n').next().unwrap_or_default();
    let put = if is_compound(tree.kind(first)) {
        format!("{stub}\n{indent}")
    } else {
        // On one line, as the whole function may be.
        format!("{stub}; ")
    };
    (begin..begin, put)
}

/// Whether it has a line of its own.
fn is_compound(statement: &str) -> bool {
    matches!(
        statement,
        "if_statement"
            | "for_statement"
            | "while_statement"
            | "try_statement"
            | "with_statement"
            | "match_statement"
            | "function_definition"
            | "class_definition"
            | "decorated_definition"
    )
}

/// What comes before all that a body does, on one line. What yields still does: the `yield` of its body stays.
fn statements(tree: &Tree<'_>, at: usize, kind: Stub) -> String {
    let name = tree.child(at, "name").map(|name| tree.text(name)).unwrap_or_default();
    if matches!(name, "__init__" | "__init_subclass__" | "__set_name__" | "__del__" | "__post_init__") {
        return if kind == Stub::NotImplemented { SAYS.to_owned() } else { "return".to_owned() };
    }
    let value = value(kind, first_given(tree, at));
    let yields = yields(tree, at);
    match (value, yields) {
        (None, false | true) => SAYS.to_owned(),
        (Some(value), false) => format!("return {value}"),
        (Some("None"), true) => "return".to_owned(),
        (Some(value), true) => format!("yield {value}; return"),
    }
}

fn value(kind: Stub, first: Option<&str>) -> Option<&str> {
    match kind {
        Stub::NotImplemented => None,
        Stub::Nothing => Some("None"),
        Stub::Zero => Some("0"),
        Stub::Text => Some("\"\""),
        Stub::List => Some("[]"),
        Stub::First => Some(first.unwrap_or("None")),
        Stub::Other => Some("86"),
    }
}

/// Its own `yield`s, not those of a function in it.
fn yields(tree: &Tree<'_>, at: usize) -> bool {
    let Some(body) = tree.child(at, "body") else { return false };
    let mut inside = body;
    while inside < tree.node(body).last {
        match tree.kind(inside) {
            "function_definition" | "lambda" | "class_definition" => inside = tree.node(inside).last,
            "yield" => return true,
            _ => inside += 1,
        }
    }
    false
}

/// The first parameter that a caller gives.
fn first_given<'s>(tree: &Tree<'s>, at: usize) -> Option<&'s str> {
    let list = tree.child(at, "parameters")?;
    let mut names = tree.parts(list).filter_map(|one| match tree.kind(one) {
        "identifier" => Some(tree.text(one)),
        "typed_parameter" => {
            tree.parts(one).next().filter(|n| tree.kind(*n) == "identifier").map(|n| tree.text(n))
        }
        "default_parameter" | "typed_default_parameter" => tree.child(one, "name").map(|n| tree.text(n)),
        _ => None,
    });
    let is_static = tree.text(around(tree, at)).trim_start().starts_with("@staticmethod");
    if is_method(tree, at) && !is_static {
        names.next();
    }
    names.next()
}

fn is_method(tree: &Tree<'_>, at: usize) -> bool {
    let block = tree.node(around(tree, at)).parent;
    tree.kind(block) == "block" && tree.kind(tree.node(block).parent) == "class_definition"
}

fn name(tree: &Tree<'_>, at: usize) -> String {
    let own = tree.child(at, "name").map_or("lambda", |name| tree.text(name));
    let classes = tree.ancestors(at).filter(|up| tree.kind(*up) == "class_definition");
    let mut names: Vec<&str> =
        classes.filter_map(|class| tree.child(class, "name")).map(|name| tree.text(name)).collect();
    names.reverse();
    names.push(own);
    names.join(".")
}

fn lambda(tree: &Tree<'_>, at: usize, kind: Stub) -> Option<Piece> {
    let body = tree.child(at, "body")?;
    let first = tree.child(at, "parameters").and_then(|list| tree.parts(list).next());
    let first = first.filter(|one| tree.kind(*one) == "identifier").map(|one| tree.text(one));
    let put = value(kind, first).unwrap_or(SAYS_AS_VALUE).to_owned();
    // A key that is given to a sort, say, is a part of the statement around it.
    let whole = tree.ancestors(at).find(|up| tree.kind(*up).ends_with("statement")).unwrap_or(at);
    // What was there stays, as in a body.
    let put = format!("{put} if True else ({})", tree.text(body));
    let put = vec![(bytes_of(tree, body), put)];
    Some(Piece { name: name(tree, at), whole: bytes_of(tree, whole), put, is_idle: false })
}

/// A name that is given a literal value at the level of a module or class.
fn constant(tree: &Tree<'_>, at: usize, kind: Stub) -> Option<Piece> {
    let (left, right) = (tree.child(at, "left")?, tree.child(at, "right")?);
    let is_plain = tree.span(right).all(|inside| {
        let kind = tree.kind(inside);
        !matches!(kind, "call" | "lambda" | "await" | "yield" | "identifier" | "attribute" | "interpolation")
    });
    let mut above = tree.ancestors(at).filter(|up| tree.kind(*up) != "expression_statement");
    let is_outside = above.next().is_some_and(|up| {
        let is_class = tree.kind(up) == "block" && tree.kind(tree.node(up).parent) == "class_definition";
        tree.kind(up) == "module" || is_class
    });
    if !is_plain || !is_outside || tree.kind(left) != "identifier" {
        return None;
    }
    let put = match value(kind, None) {
        Some(value) if kind != Stub::First => vec![(bytes_of(tree, right), value.to_owned())],
        Some(_) | None => Vec::new(),
    };
    Some(Piece { name: tree.text(left).to_owned(), whole: bytes_of(tree, at), put, is_idle: false })
}
