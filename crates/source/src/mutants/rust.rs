//! Rust: `assert!`, `assert_eq!` and their like, whose arguments are tokens.

use super::{Equality, Found, Mutant, bytes, changed};
use crate::claim::{Claim, Says, arguments};
use crate::mutants::{Dice, PROBE};
use crate::tree::{Span, Tree, is_name};

pub(super) fn sides(claim: &Claim) -> Option<[Span; 2]> {
    let [left, right] = claim.subjects.as_slice() else { return None };
    (claim.says == Says::Compares).then(|| [left.clone(), right.clone()])
}

pub(super) fn of_claim(tree: &Tree<'_>, claim: &Claim, equality: Equality, dice: &mut Dice) -> Found {
    let at = claim.whole.start;
    let parts = tree.child(at, "macro").zip(tree.child_of_kind(at, "token_tree"));
    let Some((name, list)) = parts.filter(|_| tree.kind(at) == "macro_invocation") else { return Vec::new() };
    let given = arguments(tree, list);
    let word = tree.text(name);
    let mut ways = Vec::new();
    let renamed = |from: &str, to: &str| {
        let by = word.strip_suffix(from).map(|before| format!("{before}{to}"));
        by.map(|by| Mutant::replace(bytes(tree, name), by))
    };
    match (claim.says, given.as_slice()) {
        (Says::Compares, [left, right, ..]) => {
            if equality == Equality::Strict && word.ends_with("assert_eq") {
                ways.extend([right, left].into_iter().find_map(|side| another(tree, side, dice)));
            }
            ways.extend(renamed("assert_eq", "assert_ne").or_else(|| renamed("assert_ne", "assert_eq")));
        }
        (Says::Holds, [subject, ..]) if word.ends_with("assert") => {
            let sign = tree.siblings(subject.clone()).find(|at| tree.text(*at) == "==");
            let sides = sign.map(|sign| [sign + 1..subject.end, subject.start..sign]);
            ways.extend(sides.iter().flatten().find_map(|side| another(tree, side, dice)));
            ways.push(Mutant::replace(tree.bytes(subject), format!("!({})", tree.span_text(subject))));
        }
        _ => {}
    }
    vec![(ways, Mutant::replace(bytes(tree, at), format!("panic!(\"{PROBE}\")")))]
}

/// Another literal in a side that literals alone make, and what wraps them.
fn another(tree: &Tree<'_>, side: &Span, dice: &mut Dice) -> Option<Mutant> {
    const WRAPS: &[&str] =
        &["Some", "Ok", "Err", "vec", "String", "from", "to_string", "to_owned", "into", "Box", "new"];
    const SIGNS: &[&str] = &["(", ")", "[", "]", "&", ",", ".", "::", ":", "!", "-"];
    let mut found = Vec::new();
    for token in tree.tokens(side.clone()) {
        match tree.kind(token) {
            "integer_literal" | "float_literal" | "string_literal" | "boolean_literal" => found.push(token),
            kind if is_name(kind) && WRAPS.contains(&tree.text(token)) => {}
            _ if SIGNS.contains(&tree.text(token)) => {}
            _ => return None,
        }
    }
    let leaf = dice.pick(&found).copied()?;
    Some(Mutant::replace(bytes(tree, leaf), changed(tree, leaf, dice)?))
}
