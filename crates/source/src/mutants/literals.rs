//! Literals, and others in their place.

use crate::tree::{Span, Tree, is_string};

/// Numbers that look like chance and come again with the same seed.
#[derive(Clone, Debug)]
pub(in crate::mutants) struct Dice {
    state: u64,
    reach: Reach,
    /// What tests of the file expect elsewhere, as it is written: what is told from any chance by nobody.
    expected: Vec<(Kind, String)>,
}

/// How far another value is from the one that is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Any,
    /// As near as can be: what such a value is equal to, another of its kind was, too.
    Near,
}

/// Most that are remembered of one file.
const MOST_EXPECTED: usize = 64;

/// Literals that can stand in each other's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Whole,
    Text,
}

impl Dice {
    pub(super) fn new(seed: u64, reach: Reach) -> Self {
        Self { state: seed | 1, reach, expected: Vec::new() }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    /// Beyond what a class may call the same, and within the smallest types that count so far. Nobody knows how far:
    /// code that calls everything equal but what is far off would be told by nothing else.
    fn number(&mut self) -> u64 {
        if self.reach == Reach::Any && self.heads() {
            1_000 + self.next() % 28_000
        } else {
            101 + self.next() % 800
        }
    }

    fn heads(&mut self) -> bool {
        self.next() & (1 << 20) == 0
    }

    /// Takes note of what a test expects.
    pub(super) fn note(&mut self, tree: &Tree<'_>, side: &Span) {
        let found = simple(tree, side.start).filter(|_| tree.node(side.start).last == side.end);
        if let Some((kind, held)) = found
            && self.expected.len() < MOST_EXPECTED
            && !self.expected.iter().any(|(_, known)| *known == held)
        {
            self.expected.push((kind, held));
        }
    }

    /// What another expectation has in this one's place; every other time.
    fn swapped(&mut self, tree: &Tree<'_>, at: usize) -> Option<String> {
        let (kind, held) = simple(tree, at)?;
        let others: Vec<String> = self
            .expected
            .iter()
            .filter(|(other, text)| *other == kind && *text != held)
            .map(|(_, text)| text.clone())
            .collect();
        let wanted = self.reach == Reach::Near || self.heads();
        let other = self.pick(&others).filter(|_| wanted)?;
        let text = tree.text(at);
        Some(match kind {
            Kind::Whole => other.clone(),
            Kind::Text => format!("{}{other}{}", text.get(..1)?, text.get(text.len() - 1..)?),
        })
    }

    /// A word of small letters that stands in no text.
    pub(super) fn word(&mut self) -> String {
        let mut word = String::from("q");
        let mut rest = self.next();
        for _ in 0..9 {
            word.push(char::from(b'a' + u8::try_from(rest % 26).unwrap_or_default()));
            rest /= 26;
        }
        word
    }

    pub(super) fn pick<'t, T>(&mut self, among: &'t [T]) -> Option<&'t T> {
        let count = u64::try_from(among.len()).ok().filter(|count| *count > 0)?;
        among.get(usize::try_from(self.next() % count).ok()?)
    }
}

/// The literals of an expression that make it what it is: not those that are given to a call, stand in
/// an index or name a key.
pub(in crate::mutants) fn leaves(tree: &Tree<'_>, span: &Span) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = span.start;
    while at < span.end {
        if tree.node(at).field == "key" || (!is_value(tree, at) && is_barrier(tree, at)) {
            at = tree.node(at).last;
        } else if is_value(tree, at) {
            found.push(at);
            at = tree.node(at).last;
        } else {
            at += 1;
        }
    }
    found
}

/// A literal of one value, or a collection of none.
fn is_value(tree: &Tree<'_>, at: usize) -> bool {
    let kind = tree.kind(at);
    let has_code = || {
        tree.span(at).any(|at| matches!(tree.kind(at), "interpolation" | "template_substitution" | "string_start" if is_formatted(tree, at)))
    };
    match kind {
        "integer" | "float" | "true" | "false" | "none" | "null" | "number" | "undefined" | "int_literal"
        | "float_literal" | "integer_literal" | "boolean_literal" | "nil" => true,
        "list" | "tuple" | "dictionary" | "array" | "object" => tree.parts(at).next().is_none(),
        "regex" | "char_literal" | "rune_literal" => false,
        _ if is_string(kind) => !has_code(),
        _ => false,
    }
}

/// Code within a text, or the head of a text that may hold some.
fn is_formatted(tree: &Tree<'_>, at: usize) -> bool {
    tree.kind(at) != "string_start" || tree.text(at).contains(['f', 'F', 't', 'T'])
}

/// Whatever stands in it is given to somebody, or chosen, or worked out.
fn is_barrier(tree: &Tree<'_>, at: usize) -> bool {
    match tree.kind(at) {
        // `-1` is a number, and texts are joined.
        "unary_operator" | "unary_expression" => !tree.text(at).starts_with('-'),
        "binary_operator" | "binary_expression" => {
            tree.child(at, "operator").is_none_or(|sign| tree.text(sign) != "+")
        }
        kind => {
            let ends = ["_comprehension", "generator_expression", "lambda", "function", "_call"];
            ends.iter().any(|end| kind.ends_with(end))
                || matches!(
                    kind,
                    "call"
                        | "call_expression"
                        | "new_expression"
                        | "await"
                        | "await_expression"
                        | "subscript"
                        | "subscript_expression"
                        | "index_expression"
                        | "slice_expression"
                        | "attribute"
                        | "member_expression"
                        | "selector_expression"
                        | "field_expression"
                        | "macro_invocation"
                        | "conditional_expression"
                        | "ternary_expression"
                        | "boolean_operator"
                        | "comparison_operator"
                        | "function_expression"
                        | "arrow_function"
                        | "closure_expression"
                        | "func_literal"
                        | "if_expression"
                        | "match_expression"
                        | "keyword_argument"
                        | "template_substitution"
                        | "method_definition"
                )
        }
    }
}

/// A literal of which it is plain what it stands for: digits alone, or a text of one line without an escape.
fn simple(tree: &Tree<'_>, at: usize) -> Option<(Kind, String)> {
    let text = tree.text(at);
    if !text.is_empty() && text.len() < 10 && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let is_number = matches!(tree.kind(at), "integer" | "number" | "int_literal" | "integer_literal");
        let is_plain = text == "0" || !text.starts_with('0');
        return (is_number && is_plain).then(|| (Kind::Whole, text.to_owned()));
    }
    let quote = ['"', '\''].into_iter().find(|quote| text.starts_with(*quote))?;
    let held = text.strip_prefix(quote)?.strip_suffix(quote)?;
    let is_simple = !held.is_empty()
        && held.chars().all(|c| !c.is_control() && !matches!(c, '"' | '\'' | '`' | '\\' | '$' | '{' | '%'));
    (is_string(tree.kind(at)) && is_simple).then(|| (Kind::Text, held.to_owned()))
}

/// What is expected elsewhere in the place of this literal, else another one of its type.
pub(in crate::mutants) fn another(tree: &Tree<'_>, at: usize, dice: &mut Dice) -> Option<String> {
    dice.swapped(tree, at).or_else(|| changed(tree, at, dice))
}

/// Another literal of the same type in the place of this one.
pub(in crate::mutants) fn changed(tree: &Tree<'_>, at: usize, dice: &mut Dice) -> Option<String> {
    let text = tree.text(at);
    let word = dice.word();
    match tree.kind(at) {
        "true" | "false" | "boolean_literal" => Some(opposite(text)?.to_owned()),
        "none" | "null" | "undefined" => Some(format!("\"{word}\"")),
        "list" | "array" => Some(format!("[\"{word}\"]")),
        "tuple" => Some(format!("(\"{word}\",)")),
        "dictionary" | "object" => Some(format!("{{\"{word}\": 1}}")),
        "integer" | "float" | "number" | "int_literal" | "float_literal" | "integer_literal" => {
            number(text, dice)
        }
        "concatenated_string" => {
            let last = tree.parts(at).filter(|at| is_string(tree.kind(*at))).last()?;
            let begin = tree.node(last).begin.checked_sub(tree.node(at).begin)?;
            Some(format!("{}{}", text.get(..begin)?, string(tree.text(last), &word, dice.number())?))
        }
        kind if is_string(kind) => {
            let is_near = dice.reach == Reach::Near || dice.heads();
            let another = simple(tree, at).filter(|_| is_near).and_then(|(_, held)| respelt(&held, dice));
            let Some(another) = another else { return string(text, &word, dice.number()) };
            Some(format!("{}{another}{}", text.get(..1)?, text.get(text.len() - 1..)?))
        }
        _ => None,
    }
}

/// The same text with another letter in it. A text that is a number stays one, and is changed elsewhere.
fn respelt(held: &str, dice: &mut Dice) -> Option<String> {
    if held.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    let letters: Vec<(usize, char)> = held.char_indices().filter(|(_, c)| c.is_ascii_lowercase()).collect();
    // A short text may become one that means the same.
    let (at, letter) = dice.pick(&letters).copied().filter(|_| letters.len() > 2)?;
    let step = u8::try_from(1 + dice.next() % 25).ok()?;
    let other = char::from(b'a' + (u8::try_from(letter).ok()? - b'a' + step) % 26);
    Some(format!("{}{other}{}", held.get(..at)?, held.get(at + 1..)?))
}

fn opposite(text: &str) -> Option<&'static str> {
    Some(match text {
        "True" => "False",
        "False" => "True",
        "true" => "false",
        "false" => "true",
        _ => return None,
    })
}

/// A number that is far from this one. Its suffix stays, because it is a type.
fn number(text: &str, dice: &mut Dice) -> Option<String> {
    let more = dice.number();
    let plain = text.replace('_', "");
    let end = plain.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(plain.len());
    let (digits, suffix) = plain.split_at(end);
    let based = plain.len() > 1 && plain.starts_with('0') && plain.as_bytes()[1].is_ascii_alphabetic();
    if based || suffix.starts_with(['e', 'E']) {
        return Some(if text.contains(['.', 'e', 'E']) && !based {
            format!("{more}.5")
        } else {
            more.to_string()
        });
    }
    if digits.contains('.') {
        let (whole, part) = digits.split_once('.')?;
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        return Some(format!(
            "{}.{}{suffix}",
            whole.checked_add(more)?,
            if part.is_empty() { "0" } else { part }
        ));
    }
    // A byte has no room for more.
    let more = if matches!(suffix, "u8" | "i8") { 1 + more % 40 } else { more };
    let value: u128 = digits.parse().ok()?;
    let changed = if matches!(suffix, "u8" | "i8") && value >= 80 {
        value - 41
    } else {
        value.checked_add(more.into())?
    };
    Some(format!("{changed}{suffix}"))
}

/// The word stands at the end of the text, inside its quotes. A text that is a number stays one.
fn string(text: &str, word: &str, digits: u64) -> Option<String> {
    let closing = ["\"\"\"", "'''", "\"", "'", "`"].into_iter().find(|closing| text.ends_with(closing))?;
    let inside = text.strip_suffix(closing)?;
    let open = inside.find(closing)? + closing.len();
    let held = inside.get(open..)?;
    let is_number = !held.is_empty() && held.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_number && held.bytes().any(|byte| byte.is_ascii_digit()) && !held.starts_with('.') {
        return Some(format!("{}{digits}{held}{closing}", inside.get(..open)?));
    }
    Some(format!("{inside}{word}{closing}"))
}

/// A number beyond every tolerance around this one, as an expression.
pub(in crate::mutants) fn far(tree: &Tree<'_>, at: usize, dice: &mut Dice) -> Option<String> {
    let is_number = matches!(tree.kind(at), "integer" | "float" | "number" | "int_literal" | "float_literal");
    is_number.then(|| format!("(-{} * {} - {})", dice.number(), tree.text(at), dice.number()))
}
