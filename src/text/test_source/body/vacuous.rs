//! Assertions that hold whatever the code does, because they name nothing of it.
//!
//! ```text
//! Rust        "assert" … "!(" literal { "," literal } ")"
//! Python      "assert" literal-expression, "self.assert…(" literals ")"
//! JavaScript  "assert" [ "." word ] "(" literals ")", "expect(" literal ")" { "." word [ "(" literals ")" ] }
//! ```

use std::ops::Range;

use super::super::{Language, close_of, skip_blanks, word_at};
use super::{Statement, is_doomed};

/// Where such assertions stand. One that always fails is not among them: behind a condition it
/// does hold an expectation.
pub(super) fn spans(language: Language, code: &str, text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < code.len() {
        let word = word_at(code, at);
        if word.is_empty() {
            at += 1;
            continue;
        }
        let end = at + word.len();
        let assertion = match language {
            Language::Rust => rust(code, word, end).map(|assertion| (at, assertion)),
            Language::Python => python(code, word, at),
            Language::JavaScript => javascript(code, word, at),
        };
        at = end;
        let Some((begin, assertion)) = assertion else { continue };
        let statement = Statement {
            code: code.get(begin..assertion.end).unwrap_or_default().trim(),
            text: text.get(begin..assertion.end).unwrap_or_default().trim(),
        };
        let names_nothing = |part: &Range<usize>| code.get(part.clone()).is_some_and(is_literal_only);
        if assertion.subjects.iter().all(names_nothing) && !is_doomed(language, &statement) {
            found.push(begin..assertion.end);
            at = assertion.end.max(at);
        }
    }
    found
}

struct Assertion {
    /// What it looks at, messages left out.
    subjects: Vec<Range<usize>>,
    end: usize,
}

fn rust(code: &str, word: &str, end: usize) -> Option<Assertion> {
    let name = word.strip_prefix("debug_").unwrap_or(word);
    let count = match name {
        "assert" => 1,
        "assert_eq" | "assert_ne" => 2,
        _ => return None,
    };
    let bytes = code.as_bytes();
    let open = (bytes.get(end) == Some(&b'!')).then(|| skip_blanks(bytes, end + 1))?;
    call(code, open, count)
}

fn python(code: &str, word: &str, at: usize) -> Option<(usize, Assertion)> {
    let end = at + word.len();
    if word == "assert" {
        let subject = end..expression_end(code, end);
        let mut line = subject.end;
        while code.as_bytes().get(line) == Some(&b',') {
            line = expression_end(code, line + 1);
        }
        return Some((at, Assertion { subjects: vec![subject], end: line }));
    }
    let begin = code.get(..at)?.ends_with("self.").then(|| at - "self.".len())?;
    let count = match word.strip_prefix("assert")? {
        "True" | "False" | "IsNone" | "IsNotNone" => 1,
        _ => 2,
    };
    call(code, end, count).map(|assertion| (begin, assertion))
}

/// The end of an expression: a comma, a semicolon or a line's end outside brackets.
fn expression_end(code: &str, from: usize) -> usize {
    let bytes = code.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'(' | b'[' | b'{' => at = close_of(bytes, at),
            b',' | b';' | b'\n' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn javascript(code: &str, word: &str, at: usize) -> Option<(usize, Assertion)> {
    let bytes = code.as_bytes();
    let mut end = at + word.len();
    match word {
        "assert" => {
            let method = (bytes.get(end) == Some(&b'.')).then(|| word_at(code, end + 1));
            end += method.map_or(0, |method| method.len() + 1);
            let count = if matches!(method, None | Some("ok")) { 1 } else { 2 };
            let begin = if code.get(..at)?.ends_with("t.") { at - 2 } else { at };
            call(code, end, count).map(|assertion| (begin, assertion))
        }
        "expect" => {
            let mut assertion = call(code, end, 1)?;
            while bytes.get(assertion.end) == Some(&b'.') {
                let open = assertion.end + 1 + word_at(code, assertion.end + 1).len();
                let next = call(code, open, 1);
                assertion.end = next.as_ref().map_or(open, |next| next.end);
                assertion.subjects.extend(next.into_iter().flat_map(|next| next.subjects));
            }
            Some((at, assertion))
        }
        _ => None,
    }
}

/// The first `count` arguments of the call whose bracket opens at `open`.
fn call(code: &str, open: usize, count: usize) -> Option<Assertion> {
    let bytes = code.as_bytes();
    if !matches!(bytes.get(open), Some(b'(' | b'[' | b'{')) {
        return None;
    }
    let end = close_of(bytes, open);
    let inside = end.saturating_sub(1).max(open + 1);
    let mut subjects = Vec::new();
    let (mut begin, mut at) = (open + 1, open + 1);
    while at < inside && subjects.len() < count {
        match bytes[at] {
            b'(' | b'[' | b'{' => at = close_of(bytes, at),
            b',' => {
                subjects.push(begin..at);
                at += 1;
                begin = at;
            }
            _ => at += 1,
        }
    }
    if subjects.len() < count {
        subjects.push(begin..inside.max(begin));
    }
    Some(Assertion { subjects, end })
}

/// Whether an expression holds literals and operators alone. A word before a quote is a prefix,
/// and what it makes of the string is not known; neither is what a template holds.
fn is_literal_only(code: &str) -> bool {
    let is_operator = |word: &str| {
        matches!(word, "true" | "false" | "True" | "False" | "None" | "null" | "undefined" | "NaN")
            || matches!(word, "not" | "and" | "or" | "is" | "in")
    };
    let mut at = 0;
    while at < code.len() {
        let word = word_at(code, at);
        let is_number = word.as_bytes().first().is_some_and(u8::is_ascii_digit);
        if !(word.is_empty() || is_number || is_operator(word)) {
            return false;
        }
        at += word.len().max(1);
    }
    !code.contains('`')
}
