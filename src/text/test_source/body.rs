//! What a test's body holds: an expectation, or nothing but a failure.

use std::ops::Range;

use super::{Language, blank};

mod calls;
mod vacuous;

/// Whether a body expects something that can be seen to fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expectation {
    Yes,
    No,
    /// Only in a recorded snapshot, and what was recorded does not stand in the body itself.
    Snapshot,
    /// It calls something that may hold one; [`BodyFacts::calls`] says what.
    Unknown,
}

/// What the body of a test holds (contract section 7).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BodyFacts {
    pub expectation: Expectation,
    /// What is called that may hold an expectation: each name with the path written before it,
    /// joined by dots (`Shop.new`); empty for what has no name.
    pub calls: Vec<String>,
    /// The whole body fails whatever the code does.
    pub unconditional: bool,
}

impl BodyFacts {
    pub const UNKNOWN: Self =
        Self { expectation: Expectation::Unknown, calls: Vec::new(), unconditional: false };
}

/// Of a longer body only the words are looked at: nested brackets are read again for each level.
const LONGEST: usize = 64 * 1024;

pub(super) fn facts(language: Language, source: &str, range: Range<usize>) -> BodyFacts {
    let Some(text) = source.get(range) else { return BodyFacts::UNKNOWN };
    let code = blank::blank(language, text);
    let statements = statements(language, &code, text);
    let doomed = |statement: &Statement<'_>| is_doomed(language, statement);
    // What comes before a failure that is certain can't save the test, unless it can end it.
    let unconditional = match statements.as_slice() {
        [] => false,
        [first, ..] => doomed(first),
    };
    let words = match language {
        Language::Rust => RUST,
        Language::Python => PYTHON,
        Language::JavaScript => JAVASCRIPT,
    };
    let (code, calls) = if code.len() > LONGEST {
        (code.clone(), vec![String::new()])
    } else {
        let code = blank::without(&code, &vacuous::spans(language, &code, text));
        let calls = calls::calls(language, &code);
        (code, calls)
    };
    let expectation = if is_snapshot_only(language, &statements) {
        Expectation::Snapshot
    } else if words.iter().any(|word| holds(&code, word)) {
        Expectation::Yes
    } else if calls.is_empty() {
        Expectation::No
    } else {
        Expectation::Unknown
    };
    BodyFacts { expectation, calls, unconditional }
}

const RUST: &[&str] = &["assert", "unwrap_err", "expect_err", "unwrap", "expect", "matches!", "insta::", "?"];
const PYTHON: &[&str] =
    &["assert", "self.assert", "pytest.raises", "pytest.warns", "pytest.approx", "raise "];
const JAVASCRIPT: &[&str] =
    &["assert", "expect(", "expect.", ".should", "t.equal", "t.is(", "throws(", "rejects("];

/// Comparisons with what an earlier run recorded, by the libraries that are in use.
const SNAPSHOTS: &[&str] = &[
    "assert_snapshot!(",
    "assert_debug_snapshot!(",
    "assert_yaml_snapshot!(",
    "assert_json_snapshot!(",
    "assert_toml_snapshot!(",
    "assert_ron_snapshot!(",
    "assert_csv_snapshot!(",
    "assert_display_snapshot!(",
    "assert_compact_json_snapshot!(",
    "toMatchSnapshot(",
    "toMatchInlineSnapshot(",
    "toMatchFileSnapshot(",
    "toThrowErrorMatchingSnapshot(",
    "toThrowErrorMatchingInlineSnapshot(",
    "assert.snapshot(",
    "assert.fileSnapshot(",
    "== snapshot",
    "snapshot ==",
    "snapshot.assert_match(",
    "assertMatchSnapshot(",
    "assert_match_snapshot(",
];

/// Whether every expectation of a body is a snapshot that the body does not hold. A step that can
/// fail on the way to it (`unwrap`, `?`) is no expectation here.
fn is_snapshot_only(language: Language, statements: &[Statement<'_>]) -> bool {
    let expects: &[&str] = match language {
        Language::Rust => &["assert", "unwrap_err", "expect_err", "matches!"],
        Language::Python => PYTHON,
        Language::JavaScript => JAVASCRIPT,
    };
    let is_snapshot = |code: &str| SNAPSHOTS.iter().any(|word| code.contains(word));
    let mut expectations = statements
        .iter()
        .filter(|it| is_snapshot(it.code) || expects.iter().any(|word| holds(it.code, word)))
        .peekable();
    expectations.peek().is_some() && expectations.all(|it| is_snapshot(it.code) && !is_recorded_inline(it))
}

/// insta's `@"…"`, and an argument of the inline matchers; empty ones are still to be recorded.
fn is_recorded_inline(statement: &Statement<'_>) -> bool {
    let text = statement.text;
    let rust = text.split_once('@').is_some_and(|(_, kept)| {
        !kept.trim_start_matches(['r', '#']).starts_with("\"\"") && kept.contains('"')
    });
    let inline = text.split_once("InlineSnapshot(").is_some_and(|(_, kept)| {
        !matches!(kept.trim_start().as_bytes(), [b')', ..] | [b'`', b'`', ..] | [b'"', b'"', ..])
    });
    inline || (rust && text.contains("snapshot!("))
}

fn holds(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| at == 0 || !code.as_bytes()[at - 1].is_ascii_alphanumeric())
}

/// One statement: its code (strings blanked) and its text.
struct Statement<'a> {
    code: &'a str,
    text: &'a str,
}

/// Cut at line ends and semicolons outside brackets; good enough for a body of one or two.
fn statements<'a>(language: Language, code: &'a str, text: &'a str) -> Vec<Statement<'a>> {
    let mut found = Vec::new();
    let mut depth = 0usize;
    let mut begin = 0;
    let mut cut = |end: usize, begin: &mut usize| {
        let (code, text) = (code[*begin..end].trim(), text[*begin..end].trim());
        let is_docstring = matches!(language, Language::Python) && code.starts_with(['"', '\'']);
        let is_empty = code.chars().all(|character| matches!(character, ';' | ' ' | '\n'));
        if !is_empty && !is_docstring && code != "pass" {
            found.push(Statement { code, text });
        }
        *begin = end;
    };
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => cut(at + 1, &mut begin),
            b'\n' if depth == 0 && !matches!(language, Language::Rust) => cut(at + 1, &mut begin),
            _ => {}
        }
    }
    cut(code.len(), &mut begin);
    found
}

fn is_doomed(language: Language, statement: &Statement<'_>) -> bool {
    let code = statement.code.trim_end_matches(';').trim();
    let text = statement.text.trim_end_matches(';').trim();
    match language {
        Language::Rust => {
            let calls = ["todo!", "unimplemented!", "panic!", "unreachable!"];
            calls.iter().any(|call| code.trim_start_matches("std::").starts_with(call))
                || first_argument(code, text, "assert!(").is_some_and(|argument| argument == "false")
                || unequal(code, text, "assert_eq!(")
        }
        Language::Python => {
            let calls = ["pytest.fail(", "self.fail(", "raise NotImplementedError", "raise AssertionError"];
            let asserted = code.strip_prefix("assert ").map(|_| text["assert ".len()..].trim());
            let literal = asserted.and_then(|text| text.split(',').next()).map(str::trim);
            calls.iter().any(|call| code.starts_with(call))
                || literal.is_some_and(|literal| {
                    matches!(literal, "False" | "0" | "None" | "not True" | "\"\"" | "''")
                })
                || asserted.is_some_and(|text| compared(text.split(',').next().unwrap_or(text)))
                || first_argument(code, text, "self.assertTrue(").is_some_and(|word| word == "False")
                || unequal(code, text, "self.assertEqual(")
        }
        Language::JavaScript => {
            let calls = ["assert.fail(", "throw new ", "throw Error", "expect.unreachable(", "t.fail("];
            calls.iter().any(|call| code.starts_with(call))
                || ["assert(", "assert.ok(", "t.assert.ok("].iter().any(|call| {
                    first_argument(code, text, call)
                        .is_some_and(|word| matches!(word, "false" | "0" | "null" | "undefined"))
                })
                || ["assert.equal(", "assert.strictEqual("].iter().any(|call| unequal(code, text, call))
                || literal_expect(code, text)
        }
    }
}

/// The arguments of a call that a statement is, cut at the commas outside brackets and strings.
fn arguments<'a>(code: &str, text: &'a str, call: &str) -> Option<Vec<&'a str>> {
    let inside = code.strip_prefix(call)?.strip_suffix(')')?;
    let offset = call.len();
    let mut depth = 0usize;
    let mut begin = 0;
    let mut found = Vec::new();
    for (at, byte) in inside.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                found.push(text.get(offset + begin..offset + at)?.trim());
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(text.get(offset + begin..offset + inside.len())?.trim());
    Some(found)
}

fn first_argument<'a>(code: &str, text: &'a str, call: &str) -> Option<&'a str> {
    arguments(code, text, call)?.first().copied()
}

/// Two literals that differ: `assert_eq!(1, 2)`.
fn unequal(code: &str, text: &str, call: &str) -> bool {
    match arguments(code, text, call).as_deref() {
        Some([left, right, ..]) => is_literal(left) && is_literal(right) && left != right,
        Some([] | [_]) | None => false,
    }
}

/// `1 == 2`, `"a" == "b"`.
fn compared(text: &str) -> bool {
    let Some((left, right)) = text.split_once("==") else { return false };
    let (left, right) = (left.trim(), right.trim());
    is_literal(left) && is_literal(right) && left != right
}

/// `expect(1).toBe(2)`.
fn literal_expect(code: &str, text: &str) -> bool {
    let Some(rest) = text.strip_prefix("expect(") else { return false };
    let Some((given, rest)) = rest.split_once(").") else { return false };
    let wanted = ["toBe(", "toEqual(", "toStrictEqual("].iter().find_map(|call| rest.strip_prefix(call));
    let wanted = wanted.and_then(|wanted| wanted.strip_suffix(')'));
    code.starts_with("expect(")
        && wanted.is_some_and(|wanted| is_literal(given) && is_literal(wanted) && given != wanted)
}

fn is_literal(text: &str) -> bool {
    let number = !text.is_empty()
        && text.chars().all(|character| character.is_ascii_digit() || matches!(character, '.' | '_' | '-'));
    let quoted = |quote: char| {
        text.len() >= 2
            && text.starts_with(quote)
            && text.ends_with(quote)
            && text.matches(quote).count() == 2
    };
    number
        || quoted('"')
        || quoted('\'')
        || matches!(text, "true" | "false" | "True" | "False" | "None" | "null")
}
