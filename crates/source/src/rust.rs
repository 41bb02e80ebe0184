//! Rust: `#[test]` functions with the modules around them; what of a body is an expectation.

use super::Declared;
use super::claim::{Claim, arguments, method};
use super::tokens::is_in_tokens;
use super::tree::{Span, Tree};

pub(super) fn tests(tree: &Tree<'_>) -> Vec<Declared> {
    let mut found = Vec::new();
    for at in tree.all() {
        if tree.kind(at) == "function_item" {
            found.extend(function(tree, at));
        } else if tree.kind(at) == "token_tree" {
            found.extend(in_macro(tree, at));
        }
    }
    found
}

fn function(tree: &Tree<'_>, at: usize) -> Option<Declared> {
    let attributes = attributes(tree, at);
    let of_test = |attribute: &&usize| is_test_attribute(tree.text(**attribute));
    let first = *attributes.iter().find(of_test)?;
    let name = tree.text(tree.child(at, "name")?);
    let says = |word: &str| attributes.iter().any(|attribute| path_of(tree.text(*attribute)) == word);
    let head = *attributes.first().unwrap_or(&first);
    let body = tree.child(at, "body");
    Some(Declared {
        name: in_modules(tree, at, name),
        is_pattern: false,
        first: head,
        whole: tree.node(head).begin..tree.node(at).end,
        node: at,
        body: body.map_or(0..0, |body| inside(tree, body)),
        skipped: says("ignore").then(|| "#[ignore]".to_owned()),
        expects_failure: says("should_panic"),
    })
}

/// The attributes right before an item, first one first.
pub(super) fn attributes(tree: &Tree<'_>, at: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let mut here = at;
    while tree.node(here).before != here && found.len() < ATTRIBUTE_CAP {
        here = tree.node(here).before;
        match tree.kind(here) {
            "attribute_item" => found.push(here),
            "line_comment" | "block_comment" => {}
            _ => break,
        }
    }
    found.reverse();
    found
}

/// Attributes of one item.
const ATTRIBUTE_CAP: usize = 256;

/// Functions that a macro makes into tests (`proptest! { #[test] fn … }`): only tokens are known.
fn in_macro(tree: &Tree<'_>, at: usize) -> Vec<Declared> {
    let mut found = Vec::new();
    let mut head = None;
    let mut is_test = false;
    let tokens: Vec<usize> = tree.children(at).collect();
    for (place, token) in tokens.iter().enumerate() {
        let text = tree.text(*token);
        let next = |by: usize| tokens.get(place + by).copied();
        if text == "#" {
            head = head.or(Some(*token));
            let attribute = next(1).map(|next| tree.text(next)).unwrap_or_default();
            is_test |= is_test_attribute(&format!("#{attribute}"));
        } else if text == "fn" && is_test {
            let body = tokens[place..].iter().take(16).find(|token| tree.text(**token).starts_with('{'));
            // What a macro is yet to be given is no name.
            let name = next(1).filter(|name| !tree.text(*name).starts_with('$'));
            if let (Some(name), Some(body), Some(first)) = (name, body, head) {
                found.push(Declared {
                    name: in_modules(tree, at, tree.text(name)),
                    is_pattern: false,
                    first,
                    whole: tree.node(first).begin..tree.node(*body).end,
                    node: *body,
                    body: inside(tree, *body),
                    skipped: None,
                    expects_failure: false,
                });
            }
        }
        if text == ";" || text.starts_with('{') {
            (head, is_test) = (None, false);
        }
    }
    found
}

/// What stands between the brackets of a node.
fn inside(tree: &Tree<'_>, at: usize) -> Span {
    let children: Vec<usize> = tree.children(at).collect();
    match children.as_slice() {
        [_, first, .., last] => *first..*last,
        _ => 0..0,
    }
}

fn in_modules(tree: &Tree<'_>, at: usize, name: &str) -> String {
    let modules = tree.ancestors(at).filter(|at| tree.kind(*at) == "mod_item");
    let mut path: Vec<&str> =
        modules.filter_map(|at| tree.child(at, "name")).map(|at| tree.text(at)).collect();
    path.reverse();
    path.push(name);
    path.join("::")
}

/// `#[a::b(…)]` is `a::b`.
fn path_of(attribute: &str) -> &str {
    let inside = attribute.trim_start_matches(['#', '[', ' ', '\n']);
    inside.split(['(', ']', '=', ' ']).next().unwrap_or_default()
}

/// `test`, `tokio::test`, `tokio::test(flavor = …)`, `rstest`, `test_log`, `test_case(…)`.
pub(super) fn is_test_attribute(attribute: &str) -> bool {
    let last = path_of(attribute).rsplit("::").next();
    matches!(last, Some("test" | "rstest" | "quickcheck" | "test_log" | "test_case"))
}

pub(super) fn claim(tree: &Tree<'_>, at: usize) -> Option<Claim> {
    match tree.kind(at) {
        "macro_invocation" => {
            let name = tree.text(tree.child(at, "macro")?);
            let arguments = arguments(tree, tree.child_of_kind(at, "token_tree")?);
            of_macro(name.rsplit("::").next().unwrap_or(name), at, arguments)
        }
        "call_expression" => {
            let (receiver, name) = method(tree, at)?;
            let given = tree.child(at, "arguments").map(|list| arguments(tree, list)).unwrap_or_default();
            match name {
                "unwrap" | "expect" | "unwrap_err" | "expect_err" => {
                    Some(Claim::holds(name, at, vec![tree.span(receiver)]).weak())
                }
                _ if name.starts_with("assert") || name.starts_with("should") => {
                    let subjects = std::iter::once(tree.span(receiver)).chain(given).collect();
                    Some(Claim::holds(name, at, subjects))
                }
                _ => None,
            }
        }
        "try_expression" => Some(Claim::holds("?", at, vec![tree.span(at)]).weak()),
        _ => None,
    }
}

/// A macro by the last word of its path.
fn of_macro(name: &str, at: usize, mut arguments: Vec<Span>) -> Option<Claim> {
    let plain = name.strip_prefix("debug_").or_else(|| name.strip_prefix("prop_")).unwrap_or(name);
    match plain {
        "panic" | "todo" | "unimplemented" | "unreachable" => Some(Claim::fails(name, at)),
        "assert" => {
            arguments.truncate(1);
            Some(Claim::holds(name, at, arguments))
        }
        "assert_eq" | "assert_ne" => {
            arguments.truncate(2);
            Some(Claim::compares(name, at, arguments))
        }
        _ if plain.starts_with("assert") => Some(Claim::holds(name, at, arguments)),
        _ => None,
    }
}

/// A macro whose tokens may hold a claim within it, as `assert!` may in `select! { … }`, has the
/// word and then an exclamation mark.
pub(super) fn claim_in_tokens(tree: &Tree<'_>, at: usize) -> Option<Claim> {
    let node = tree.node(at);
    if node.kind != "identifier" || !is_in_tokens(tree, at) {
        return None;
    }
    let mut after = tree.siblings(node.last..tree.node(node.parent).last);
    if tree.text(after.next()?) != "!" {
        return None;
    }
    let list = after.next().filter(|list| tree.kind(*list) == "token_tree")?;
    let mut claim = of_macro(tree.text(at), at, arguments(tree, list))?;
    claim.whole = at..tree.node(list).last;
    Some(claim)
}
