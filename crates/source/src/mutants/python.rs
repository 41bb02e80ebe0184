//! Python: `assert`, `unittest`'s methods, `pytest.raises` and `approx`, and what mocks were called with.

use super::literals::far;
use super::{Equality, Found, Mutant, bytes, changed, leaves, unequal};
use crate::claim::{Claim, arguments, callee, method};
use crate::mutants::{Dice, PROBE};
use crate::tree::{Span, Tree};

pub(super) fn of_claim(tree: &Tree<'_>, claim: &Claim, equality: Equality, dice: &mut Dice) -> Found {
    let at = claim.whole.start;
    let probe = |at: usize| Mutant::replace(bytes(tree, at), thrown());
    match tree.kind(at) {
        "assert_statement" => {
            let Some(subject) = tree.parts(at).next() else { return Vec::new() };
            vec![(condition(tree, subject, equality, dice), probe(subject))]
        }
        "with_statement" => {
            let is_call = |at: &usize| tree.kind(*at) == "call";
            let clause = tree.child_of_kind(at, "with_clause");
            let mut calls = clause.into_iter().flat_map(|clause| tree.span(clause)).filter(is_call);
            let raises = |call: &usize| callee(tree, *call).is_some_and(|name| is_raising(&name));
            let Some(call) = calls.find(raises) else { return Vec::new() };
            // Where nothing is done nothing is raised.
            let body = tree.child(at, "body").map(|body| Mutant::replace(bytes(tree, body), "pass"));
            vec![(body.into_iter().collect(), probe(call)), (raising(tree, call, dice), probe(call))]
        }
        "call" => of_call(tree, at, equality, dice).into_iter().map(|ways| (ways, probe(at))).collect(),
        _ => Vec::new(),
    }
}

/// An expression that fails.
fn thrown() -> String {
    format!("(_ for _ in ()).throw(AssertionError(\"{PROBE}\"))")
}

pub(super) fn sides(tree: &Tree<'_>, claim: &Claim) -> Option<[Span; 2]> {
    let at = claim.whole.start;
    if tree.kind(at) == "assert_statement" {
        let subject = bare(tree, tree.parts(at).next()?);
        let (left, sign, right) = comparison(tree, subject)?;
        return (sign == "==").then(|| [tree.span(left), tree.span(right)]);
    }
    let (_, name) = method(tree, at)?;
    let [left, right] = claim.subjects.get(..2)? else { return None };
    is_equal(name).then(|| [left.clone(), right.clone()])
}

/// Without its brackets.
fn bare(tree: &Tree<'_>, mut at: usize) -> usize {
    while tree.kind(at) == "parenthesized_expression" {
        let Some(inner) = tree.parts(at).next() else { break };
        at = inner;
    }
    at
}

/// One comparison of two.
fn comparison<'s>(tree: &Tree<'s>, at: usize) -> Option<(usize, &'s str, usize)> {
    if tree.kind(at) != "comparison_operator" {
        return None;
    }
    let parts: Vec<usize> = tree.children(at).filter(|at| !tree.kind(*at).ends_with("comment")).collect();
    let [left, sign, right] = parts.as_slice() else { return None };
    Some((*left, tree.text(*sign), *right))
}

/// The ways to make false what must be true.
fn condition(tree: &Tree<'_>, at: usize, equality: Equality, dice: &mut Dice) -> Vec<Mutant> {
    let at = bare(tree, at);
    let mut ways = match tree.kind(at) {
        "comparison_operator" => compared(tree, at, equality, dice),
        "boolean_operator" if tree.child(at, "operator").is_some_and(|sign| tree.text(sign) == "and") => {
            let parts: Vec<usize> =
                ["left", "right"].iter().filter_map(|side| tree.child(at, side)).collect();
            let one = |part: &usize| compared(tree, bare(tree, *part), equality, dice);
            parts.iter().flat_map(one).collect()
        }
        "call" => asked(tree, at, dice),
        _ => Vec::new(),
    };
    ways.push(negated(tree, at));
    ways
}

fn negated(tree: &Tree<'_>, at: usize) -> Mutant {
    Mutant::replace(bytes(tree, at), format!("(not ({}))", tree.text(at)))
}

fn compared(tree: &Tree<'_>, at: usize, equality: Equality, dice: &mut Dice) -> Vec<Mutant> {
    let Some((left, sign, right)) = comparison(tree, at) else { return Vec::new() };
    match sign {
        "==" if equality == Equality::Strict => {
            let sentinel = format!("(\"{}\",)", dice.word());
            unequal(tree, [&tree.span(left), &tree.span(right)], &sentinel, dice)
        }
        // What is looked for is looked for in vain.
        "in" => needle(tree, left, dice).into_iter().collect(),
        _ => Vec::new(),
    }
}

fn needle(tree: &Tree<'_>, at: usize, dice: &mut Dice) -> Option<Mutant> {
    let is_alone = leaves(tree, &tree.span(at)) == [at];
    let by = changed(tree, at, dice).filter(|_| is_alone)?;
    Some(Mutant::replace(bytes(tree, at), by))
}

/// `math.isclose(a, 0.3)`, `text.startswith("a")`.
fn asked(tree: &Tree<'_>, at: usize, dice: &mut Dice) -> Vec<Mutant> {
    let name = callee(tree, at).unwrap_or_default();
    let given = tree.child(at, "arguments").map(|list| arguments(tree, list)).unwrap_or_default();
    match name.rsplit('.').next().unwrap_or_default() {
        "isclose" | "allclose" => distant(tree, &given, dice).into_iter().collect(),
        "startswith" | "endswith" => {
            given.first().and_then(|first| needle(tree, first.start, dice)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// One of the first two becomes a number beyond all tolerance.
fn distant(tree: &Tree<'_>, given: &[Span], dice: &mut Dice) -> Option<Mutant> {
    let found = given.iter().take(2).rev().flat_map(|side| leaves(tree, side)).next()?;
    Some(Mutant::replace(bytes(tree, found), far(tree, found, dice)?))
}

fn is_raising(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default();
    matches!(last, "raises" | "warns") || last.starts_with("assertRaises") || last.starts_with("assertWarns")
}

/// Another type than any that is raised, or another message.
fn raising(tree: &Tree<'_>, call: usize, dice: &mut Dice) -> Vec<Mutant> {
    let name = callee(tree, call).unwrap_or_default();
    let base = if name.to_ascii_lowercase().contains("warn") { "Warning" } else { "Exception" };
    let given = tree.child(call, "arguments").map(|list| arguments(tree, list)).unwrap_or_default();
    let keyword =
        |span: &Span| (tree.kind(span.start) == "keyword_argument").then(|| tree.child(span.start, "name"));
    let mut ways = Vec::new();
    if let Some(first) = given.first().filter(|first| keyword(first).is_none()) {
        let by = format!("type(\"E{}\", ({base},), {{}})", dice.word());
        ways.push(Mutant::replace(tree.bytes(first), by).anyhow());
    }
    let is_match = |span: &&Span| keyword(span).flatten().is_some_and(|name| tree.text(name) == "match");
    if let Some(value) = given.iter().find(is_match).and_then(|span| tree.child(span.start, "value")) {
        ways.push(Mutant::replace(bytes(tree, value), format!("\"{}\"", dice.word())));
    }
    ways
}

fn is_equal(name: &str) -> bool {
    matches!(
        name,
        "assertEqual"
            | "assertEquals"
            | "assertListEqual"
            | "assertDictEqual"
            | "assertTupleEqual"
            | "assertSetEqual"
            | "assertSequenceEqual"
            | "assertMultiLineEqual"
            | "assertCountEqual"
    )
}

/// Methods of `unittest` and those that say the opposite.
const OPPOSITES: &[(&str, &str)] = &[
    ("assertEqual", "assertNotEqual"),
    ("assertIs", "assertIsNot"),
    ("assertIsNone", "assertIsNotNone"),
    ("assertIn", "assertNotIn"),
    ("assertIsInstance", "assertNotIsInstance"),
    ("assertRegex", "assertNotRegex"),
    ("assertAlmostEqual", "assertNotAlmostEqual"),
    ("assertGreater", "assertLessEqual"),
    ("assertLess", "assertGreaterEqual"),
    ("assertTrue", "assertFalse"),
    ("assert_called", "assert_not_called"),
    ("assert_awaited", "assert_not_awaited"),
];

/// Without arguments; their opposite has none either.
const ONCE: &[(&str, &str)] =
    &[("assert_called_once", "assert_not_called"), ("assert_awaited_once", "assert_not_awaited")];

fn of_call(tree: &Tree<'_>, at: usize, equality: Equality, dice: &mut Dice) -> Option<Vec<Mutant>> {
    let full = callee(tree, at)?;
    let list = tree.child(at, "arguments")?;
    let given = arguments(tree, list);
    let name = full.rsplit('.').next().unwrap_or_default();
    if is_raising(&full) {
        return Some(raising(tree, at, dice));
    }
    let mut ways = Vec::new();
    match (name, given.as_slice()) {
        (_, [left, right, ..]) if is_equal(name) && equality == Equality::Strict => {
            // Of whatever is counted, the members are compared.
            let sentinel = format!("[\"{}\"]", dice.word());
            ways.extend(unequal(tree, [left, right], &sentinel, dice));
        }
        ("assertAlmostEqual", [_, _, ..]) => ways.extend(distant(tree, &given, dice)),
        ("assertIn", [left, ..]) => ways.extend(needle(tree, left.start, dice)),
        ("assertTrue", [subject, ..]) => ways.extend(condition(tree, subject.start, equality, dice)),
        (
            "assert_allclose" | "assert_almost_equal" | "assert_approx_equal" | "assert_array_almost_equal",
            _,
        ) => {
            return Some(distant(tree, &given, dice).into_iter().collect());
        }
        ("assert_equal" | "assert_array_equal", [_, right, ..]) => {
            let leaf = leaves(tree, right).first().copied()?;
            return Some(vec![Mutant::replace(bytes(tree, leaf), changed(tree, leaf, dice)?)]);
        }
        _ if is_of_mock(name) => return Some(of_mock(tree, list, name, &given, dice)),
        _ => {}
    }
    let opposite = OPPOSITES.iter().chain(ONCE).find_map(|(one, other)| match name {
        _ if name == *one => Some(*other),
        _ if name == *other => Some(*one),
        _ => None,
    });
    ways.extend(opposite.and_then(|opposite| renamed(tree, at, opposite)));
    Some(ways)
}

fn renamed(tree: &Tree<'_>, call: usize, name: &str) -> Option<Mutant> {
    let function = tree.child(call, "function")?;
    let word = tree.child(function, "attribute").unwrap_or(function);
    Some(Mutant::replace(bytes(tree, word), name))
}

/// Those that look at arguments.
fn is_of_mock(name: &str) -> bool {
    matches!(
        name,
        "assert_called_with"
            | "assert_called_once_with"
            | "assert_any_call"
            | "assert_has_calls"
            | "assert_awaited_with"
            | "assert_awaited_once_with"
            | "assert_any_await"
            | "assert_has_awaits"
    )
}

/// Another argument than any that it was called with, or one more.
fn of_mock(tree: &Tree<'_>, list: usize, name: &str, given: &[Span], dice: &mut Dice) -> Vec<Mutant> {
    let mut ways = Vec::new();
    if name.contains("_has_") {
        let first = given.first().map(|first| tree.bytes(first));
        return first.map(|at| Mutant::replace(at, format!("[\"{}\"]", dice.word()))).into_iter().collect();
    }
    let value = |span: &Span| {
        let value = tree.child(span.start, "value").filter(|_| tree.kind(span.start) == "keyword_argument");
        value.map_or_else(|| span.clone(), |value| tree.span(value))
    };
    let found: Vec<usize> = given.iter().flat_map(|span| leaves(tree, &value(span))).collect();
    if let Some(leaf) = dice.pick(&found).copied() {
        ways.extend(changed(tree, leaf, dice).map(|by| Mutant::replace(bytes(tree, leaf), by)));
    }
    let end = given.last().map_or(tree.node(list).end.saturating_sub(1), |last| tree.bytes(last).end);
    let comma = if given.is_empty() { "" } else { ", " };
    ways.push(Mutant::replace(end..end, format!("{comma}{}=1", dice.word())));
    ways
}
