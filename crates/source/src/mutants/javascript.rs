//! JavaScript and TypeScript: `expect`, `node:assert`, chai.

use super::{Equality, Found, Mutant, bytes, changed, far, leaves, unequal};
use crate::claim::{Claim, Says, arguments};
use crate::javascript::{chain, is_callback};
use crate::mutants::{Dice, PROBE};
use crate::tree::{Span, Tree};

pub(super) fn sides(claim: &Claim) -> Option<[Span; 2]> {
    let [left, right] = claim.subjects.as_slice() else { return None };
    (claim.says == Says::Compares).then(|| [left.clone(), right.clone()])
}

pub(super) fn of_claim(tree: &Tree<'_>, claim: &Claim, equality: Equality, dice: &mut Dice) -> Found {
    let at = claim.whole.start;
    let Some((base, words, inner)) = chain(tree, at) else { return Vec::new() };
    let given = tree.child(at, "arguments").map(|list| arguments(tree, list)).unwrap_or_default();
    let word = words.first().copied().unwrap_or("ok");
    let inside = inner.and_then(|inner| tree.child(inner, "arguments"));
    let subject = inside.map(|list| arguments(tree, list)).unwrap_or_default();
    let (ways, thrower) = match (base, inner) {
        ("expect", Some(inner)) => {
            let thrower = subject.first().filter(|_| is_throwing(word) && !words.contains(&"not"));
            (expected(tree, (at, inner), &words, (&subject, &given), (equality, dice)), thrower)
        }
        ("assert" | "t", None) => {
            let thrower = given.first().filter(|_| word == "throws");
            (asserted(tree, at, word, &given, (equality, dice)), thrower)
        }
        _ => return Vec::new(),
    };
    let probe = format!("void (() => {{ throw new Error(\"{PROBE}\"); }})()");
    let probe = Mutant::replace(bytes(tree, at), probe);
    // Where nothing is done nothing is thrown.
    let empty = thrower
        .filter(|side| is_callback(tree, side.start))
        .map(|side| Mutant::replace(tree.bytes(side), "() => {}"));
    let mut found = vec![(ways, probe.clone())];
    found.extend(empty.map(|empty| (vec![empty], probe)));
    found
}

fn is_throwing(word: &str) -> bool {
    matches!(word, "toThrow" | "toThrowError" | "throw" | "throws")
}

/// `expect(x).toBe(205)`, `expect(x).to.be.true`: the whole, and its innermost call.
fn expected(
    tree: &Tree<'_>,
    (at, inner): (usize, usize),
    words: &[&str],
    (subject, given): (&[Span], &[Span]),
    (equality, dice): (Equality, &mut Dice),
) -> Vec<Mutant> {
    let is_negated = words.contains(&"not");
    let word = words.first().copied().unwrap_or_default();
    let mut ways = Vec::new();
    if !is_negated {
        match (word, subject.first(), given) {
            (
                "toBe" | "toEqual" | "toStrictEqual" | "equal" | "equals" | "eql" | "eq",
                Some(left),
                [right, ..],
            ) if equality == Equality::Strict => {
                let sentinel = format!("\"{}\"", dice.word());
                ways.extend(unequal(tree, [left, right], &sentinel, dice));
            }
            ("toBeCloseTo" | "closeTo" | "approximately", _, [right, ..]) => {
                ways.extend(distant(tree, right, dice));
            }
            (
                "toHaveLength"
                | "lengthOf"
                | "toHaveBeenCalledTimes"
                | "toHaveReturnedTimes"
                | "callCount"
                | "toContain"
                | "toContainEqual"
                | "contain"
                | "contains"
                | "include"
                | "includes",
                _,
                [right, ..],
            ) => ways.extend(alone(tree, right, dice)),
            ("toThrow" | "toThrowError" | "throw" | "throws", _, [right, ..]) => {
                ways.extend(thrown(tree, right, dice));
            }
            (
                "toHaveBeenCalledWith"
                | "toHaveBeenLastCalledWith"
                | "toBeCalledWith"
                | "toMatchObject"
                | "toHaveBeenCalledExactlyOnceWith",
                _,
                given,
            ) => {
                let found: Vec<usize> = given.iter().flat_map(|span| leaves(tree, span)).collect();
                let leaf = dice.pick(&found).copied();
                ways.extend(
                    leaf.and_then(|leaf| {
                        Some(Mutant::replace(bytes(tree, leaf), changed(tree, leaf, dice)?))
                    }),
                );
            }
            _ => {}
        }
    }
    // A snapshot can't be asked for what it must not be, and that something is thrown no working code does.
    let expects_no_error = is_negated && is_throwing(word);
    if !word.contains("napshot") && !expects_no_error {
        ways.extend(negated(tree, (at, inner), words));
    }
    ways
}

/// With `.not`, or without it.
fn negated(tree: &Tree<'_>, (at, inner): (usize, usize), words: &[&str]) -> Option<Mutant> {
    let names =
        tree.span(at).filter(|name| tree.node(*name).field == "property" && *name >= tree.node(inner).last);
    let mut after = tree.node(inner).end;
    for name in names {
        match tree.text(name) {
            "not" => {
                let object = tree.child(tree.node(name).parent, "object")?;
                return Some(Mutant::replace(tree.node(object).end..tree.node(name).end, ""));
            }
            "resolves" | "rejects" => after = tree.node(name).end,
            _ => {}
        }
    }
    (!words.contains(&"not")).then(|| Mutant::replace(after..after, ".not"))
}

/// A literal that stands alone becomes another.
fn alone(tree: &Tree<'_>, side: &Span, dice: &mut Dice) -> Option<Mutant> {
    let is_alone = leaves(tree, side) == [side.start];
    let by = changed(tree, side.start, dice).filter(|_| is_alone)?;
    Some(Mutant::replace(tree.bytes(side), by))
}

fn distant(tree: &Tree<'_>, side: &Span, dice: &mut Dice) -> Option<Mutant> {
    let leaf = leaves(tree, side).first().copied()?;
    Some(Mutant::replace(bytes(tree, leaf), far(tree, leaf, dice)?))
}

/// Another error than any that is thrown: its message, or its class.
fn thrown(tree: &Tree<'_>, side: &Span, dice: &mut Dice) -> Option<Mutant> {
    let at = side.start;
    let word = dice.word();
    let by = match tree.kind(at) {
        "string" | "template_string" => format!("\"{word}\""),
        "regex" => format!("/{word}/"),
        "identifier" | "member_expression" if tree.text(at).ends_with("Error") => {
            format!("class E{word} extends Error {{}}")
        }
        "object" => {
            let found = leaves(tree, side);
            let leaf = dice.pick(&found).copied()?;
            return Some(Mutant::replace(bytes(tree, leaf), changed(tree, leaf, dice)?).anyhow());
        }
        _ => return None,
    };
    Some(Mutant::replace(tree.bytes(side), by).anyhow())
}

/// Functions of `assert` and those that say the opposite.
const OPPOSITES: &[(&str, &str)] = &[
    ("equal", "notEqual"),
    ("strictEqual", "notStrictEqual"),
    ("deepEqual", "notDeepEqual"),
    ("deepStrictEqual", "notDeepStrictEqual"),
    ("match", "doesNotMatch"),
    ("throws", "doesNotThrow"),
    ("rejects", "doesNotReject"),
    ("isTrue", "isFalse"),
    ("is", "not"),
    ("truthy", "falsy"),
    ("true", "false"),
    ("regex", "notRegex"),
    ("include", "notInclude"),
];

/// `assert.equal(x, 205)`, `t.is(x, 205)`.
fn asserted(
    tree: &Tree<'_>,
    at: usize,
    word: &str,
    given: &[Span],
    (equality, dice): (Equality, &mut Dice),
) -> Vec<Mutant> {
    let mut ways = Vec::new();
    match (word, given) {
        ("equal" | "strictEqual" | "deepEqual" | "deepStrictEqual" | "is" | "same", [left, right, ..])
            if equality == Equality::Strict =>
        {
            let sentinel = format!("\"{}\"", dice.word());
            ways.extend(unequal(tree, [left, right], &sentinel, dice));
        }
        ("closeTo" | "approximately", [_, right, ..]) => ways.extend(distant(tree, right, dice)),
        ("include" | "lengthOf", [_, right, ..]) => ways.extend(alone(tree, right, dice)),
        ("throws" | "rejects" | "throwsAsync", [_, right, ..]) => ways.extend(thrown(tree, right, dice)),
        ("ok" | "assert" | "isOk", [subject, ..]) => {
            ways.extend(compared(tree, subject, dice));
            ways.push(Mutant::replace(tree.bytes(subject), format!("!({})", tree.span_text(subject))));
        }
        _ => {}
    }
    let opposite = OPPOSITES.iter().find_map(|(one, other)| match word {
        _ if word == *one => Some(*other),
        _ if word == *other => Some(*one),
        _ => None,
    });
    // What must not be thrown is not what must be thrown, and that something is thrown no working code does.
    let opposite = opposite
        .filter(|_| given.len() < 2 || !matches!(word, "throws" | "rejects"))
        .filter(|_| !matches!(word, "doesNotThrow" | "doesNotReject"));
    let name = tree.child(at, "function").and_then(|function| tree.child(function, "property"));
    ways.extend(opposite.zip(name).map(|(opposite, name)| Mutant::replace(bytes(tree, name), opposite)));
    ways
}

/// `x === 205` as what must be true.
fn compared(tree: &Tree<'_>, subject: &Span, dice: &mut Dice) -> Vec<Mutant> {
    let mut at = subject.start;
    while tree.kind(at) == "parenthesized_expression" {
        let Some(inner) = tree.parts(at).next() else { return Vec::new() };
        at = inner;
    }
    let sides = ["left", "operator", "right"].map(|field| tree.child(at, field));
    let ("binary_expression", [Some(left), Some(sign), Some(right)]) = (tree.kind(at), sides) else {
        return Vec::new();
    };
    if !matches!(tree.text(sign), "===" | "==") {
        return Vec::new();
    }
    let sentinel = format!("\"{}\"", dice.word());
    unequal(tree, [&tree.span(left), &tree.span(right)], &sentinel, dice)
}
