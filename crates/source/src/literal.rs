//! Expressions that name nothing but what the test itself made of literals: what they come to is
//! known before any code is written.

use super::plain::{Plain, tokens};
use super::tree::{Span, Tree};

/// What an expression of literals alone comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worth {
    True,
    False,
    /// Literals, but what they come to was not worked out.
    Some,
}

/// `None` if the expression names anything. Only what people write to force a result is worked
/// out: a literal, `not`, and one comparison.
pub(super) fn worth(tree: &Tree<'_>, span: &Span, plain: &Plain<'_>) -> Option<Worth> {
    let tokens: Vec<&str> = tokens(tree, span, plain)?;
    Some(of_tokens(&tokens))
}

/// Whether two expressions of literals are the same; `None` if either names anything.
pub(super) fn are_equal(tree: &Tree<'_>, left: &Span, right: &Span, plain: &Plain<'_>) -> Option<Worth> {
    let (left, right) = (tokens(tree, left, plain)?, tokens(tree, right, plain)?);
    Some(match (left.as_slice(), right.as_slice()) {
        (left, right) if left == right => Worth::True,
        ([left], [right]) => compare(left, "==", right),
        _ => Worth::Some,
    })
}

fn of_tokens(tokens: &[&str]) -> Worth {
    match tokens {
        ["(", inner @ .., ")"] if !inner.contains(&",") && !inner.contains(&"(") => of_tokens(inner),
        ["not" | "!", rest @ ..] => match of_tokens(rest) {
            Worth::True => Worth::False,
            Worth::False => Worth::True,
            Worth::Some => Worth::Some,
        },
        [one] => truth(one),
        [left, sign, right] => compare(left, sign, right),
        _ => Worth::Some,
    }
}

fn truth(word: &str) -> Worth {
    match word {
        "true" | "True" => Worth::True,
        "false" | "False" | "None" | "null" | "undefined" | "NaN" | "nil" | "\"\"" | "''" | "``" => {
            Worth::False
        }
        _ => match word.parse::<f64>() {
            Ok(0.0) => Worth::False,
            Ok(_) => Worth::True,
            Err(_) if word.starts_with(['"', '\'', '`']) => Worth::True,
            Err(_) => Worth::Some,
        },
    }
}

fn compare(left: &str, sign: &str, right: &str) -> Worth {
    let numbers = left.parse::<f64>().ok().zip(right.parse::<f64>().ok());
    let quoted = |word: &str| word.starts_with(['"', '\'', '`']);
    let is_true = match (sign, numbers) {
        ("==" | "===" | "is", Some((left, right))) => left.total_cmp(&right).is_eq(),
        ("!=" | "!==" | "<>", Some((left, right))) => left.total_cmp(&right).is_ne(),
        ("<", Some((left, right))) => left < right,
        (">", Some((left, right))) => left > right,
        ("<=", Some((left, right))) => left <= right,
        (">=", Some((left, right))) => left >= right,
        // The same text in other quotes is not worked out.
        ("==" | "===" | "is", None) if quoted(left) == quoted(right) => left == right,
        ("!=" | "!==", None) if quoted(left) == quoted(right) => left != right,
        ("==" | "===", None) => false,
        _ => return Worth::Some,
    };
    if is_true { Worth::True } else { Worth::False }
}
