//! Go: the condition around a failure, and testify.

use super::{Found, Mutant, bytes, changed, far, leaves};
use crate::claim::{Claim, Says, arguments, method};
use crate::mutants::{Dice, PROBE};
use crate::tree::{Span, Tree};

pub(super) fn of_claim(tree: &Tree<'_>, claim: &Claim, body: &Span, dice: &mut Dice) -> Found {
    let at = claim.whole.start;
    let found = match claim.says {
        Says::Fails => around(tree, at, body, dice),
        Says::Holds | Says::Compares => asserted(tree, at, dice),
    };
    found.into_iter().collect()
}

/// `if got != 205 { t.Fatal(…) }`: of the first failure in a block.
fn around(tree: &Tree<'_>, at: usize, body: &Span, dice: &mut Dice) -> Option<(Vec<Mutant>, Mutant)> {
    let mut outwards = tree.ancestors(at).take_while(|around| body.contains(around));
    let block = outwards.find(|around| tree.kind(*around) == "block")?;
    let branch = outwards.next().filter(|around| tree.kind(*around) == "if_statement")?;
    if tree.node(block).field != "consequence" {
        return None;
    }
    let is_failure =
        |at: usize| super::super::go::claim(tree, at).is_some_and(|claim| claim.says == Says::Fails);
    if tree.span(block).find(|at| is_failure(*at)) != Some(at) {
        return None;
    }
    let condition = tree.child(branch, "condition")?;
    let mut ways = Vec::new();
    let sides = ["left", "operator", "right"].map(|field| tree.child(condition, field));
    if let [Some(left), Some(sign), Some(right)] = sides
        && tree.text(sign) == "!="
    {
        let found: Vec<usize> =
            [right, left].iter().flat_map(|side| leaves(tree, &tree.span(*side))).collect();
        ways.extend(
            found
                .first()
                .and_then(|leaf| Some(Mutant::replace(bytes(tree, *leaf), changed(tree, *leaf, dice)?))),
        );
    }
    ways.push(Mutant::replace(bytes(tree, condition), format!("!({})", tree.text(condition))));
    let handle = method(tree, at).map_or("", |(receiver, _)| tree.text(receiver));
    let fails = if handle.is_empty() {
        format!("panic(\"{PROBE}\")")
    } else {
        format!("{handle}.Fatal(\"{PROBE}\")")
    };
    let probe = Mutant::replace(bytes(tree, condition), format!("func() bool {{ {fails}; return true }}()"));
    Some((ways, probe))
}

/// Functions of testify and those that say the opposite.
const OPPOSITES: &[(&str, &str)] = &[
    ("Equal", "NotEqual"),
    ("True", "False"),
    ("Nil", "NotNil"),
    ("NoError", "Error"),
    ("Empty", "NotEmpty"),
    ("Contains", "NotContains"),
    ("Greater", "LessOrEqual"),
    ("Less", "GreaterOrEqual"),
    ("ErrorIs", "NotErrorIs"),
    ("Panics", "NotPanics"),
    ("Zero", "NotZero"),
];

fn asserted(tree: &Tree<'_>, at: usize, dice: &mut Dice) -> Option<(Vec<Mutant>, Mutant)> {
    let (_, name) = method(tree, at)?;
    let given = arguments(tree, tree.child(at, "arguments")?);
    let handle = given.first().map(|first| tree.span_text(first)).filter(|text| text.len() < 12)?;
    let mut ways = Vec::new();
    match name {
        "Equal" | "EqualValues" | "Exactly" | "Len" | "EqualError" | "Contains" => {
            let sides: Vec<Vec<usize>> =
                given.iter().skip(1).take(2).map(|side| leaves(tree, side)).collect();
            // What is contained is the second of the two.
            let from = usize::from(name == "Contains");
            let leaf = sides.iter().skip(from).flatten().next().copied();
            ways.extend(
                leaf.and_then(|leaf| Some(Mutant::replace(bytes(tree, leaf), changed(tree, leaf, dice)?))),
            );
        }
        "InDelta" | "InEpsilon" => {
            let leaf = given.iter().skip(1).take(2).flat_map(|side| leaves(tree, side)).next();
            ways.extend(
                leaf.and_then(|leaf| Some(Mutant::replace(bytes(tree, leaf), far(tree, leaf, dice)?))),
            );
        }
        _ => {}
    }
    let opposite = OPPOSITES.iter().find_map(|(one, other)| match name {
        _ if name == *one => Some(*other),
        _ if name == *other => Some(*one),
        _ => None,
    });
    let word = tree.child(at, "function").and_then(|function| tree.child(function, "field"));
    ways.extend(opposite.zip(word).map(|(opposite, word)| Mutant::replace(bytes(tree, word), opposite)));
    // As a statement of its own it may be another one.
    let is_statement = tree.kind(tree.node(at).parent) == "expression_statement";
    let probe = Mutant::replace(bytes(tree, at), format!("{handle}.Fatal(\"{PROBE}\")"));
    is_statement.then_some((ways, probe))
}
