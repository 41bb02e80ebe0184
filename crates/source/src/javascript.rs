//! JavaScript and TypeScript: `test('…')` and `it('…')` calls, with the titles of the suites around
//! them; what of a body is an expectation.

use super::Declared;
use super::claim::{Claim, arguments};
use super::tree::{Span, Tree};

mod done;

pub(super) fn tests(tree: &Tree<'_>) -> Vec<Declared> {
    tree.all().filter(|at| tree.kind(*at) == "call_expression").filter_map(|at| test(tree, at)).collect()
}

/// What a call of the runner declares.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Declares {
    Test,
    Suite,
}

fn test(tree: &Tree<'_>, at: usize) -> Option<Declared> {
    let (declares, words) = declaration(tree, at)?;
    if declares != Declares::Test {
        return None;
    }
    let mut is_pattern = words.contains(&"each") || words.contains(&"for");
    let mut titles = vec![title(tree, at, &mut is_pattern)?];
    for around in tree.ancestors(at).filter(|at| tree.kind(*at) == "call_expression") {
        if declaration(tree, around).is_some() {
            titles.extend(title(tree, around, &mut is_pattern));
        }
    }
    titles.reverse();
    let skip = words.iter().find(|word| {
        matches!(
            **word,
            "skip" | "todo" | "xit" | "xtest" | "fails" | "failing" | "skipIf" | "runIf" | "ignore"
        )
    });
    Some(Declared {
        name: titles.join(" > "),
        is_pattern,
        first: at,
        whole: tree.node(at).begin..tree.node(at).end,
        node: at,
        body: callback(tree, at),
        skipped: skip.map(|word| format!(".{word}")),
        expects_failure: false,
    })
}

/// `it`, `test.skip`, `describe.each([…])`, `t.test`: what is declared, and the words of the call.
fn declaration<'s>(tree: &Tree<'s>, at: usize) -> Option<(Declares, Vec<&'s str>)> {
    let mut function = tree.child(at, "function")?;
    // `test.each(table)(title, …)` and a tagged template for a table.
    if tree.kind(function) == "call_expression" {
        function = tree.child(function, "function")?;
    }
    let mut words = Vec::new();
    while tree.kind(function) == "member_expression" {
        words.push(tree.text(tree.child(function, "property")?));
        function = tree.child(function, "object")?;
        if words.len() > 8 {
            return None;
        }
    }
    if !matches!(tree.kind(function), "identifier") {
        return None;
    }
    let base = tree.text(function);
    words.push(base);
    let declares = match base {
        "test" | "it" | "specify" | "fit" | "xit" | "xtest" => Declares::Test,
        "t" if matches!(words.first(), Some(&"test" | &"step")) => Declares::Test,
        "Deno" if words.contains(&"test") => Declares::Test,
        "describe" | "suite" | "context" | "xdescribe" | "fdescribe" => Declares::Suite,
        _ => return None,
    };
    // `test.extend`, `test.beforeEach` and the like declare nothing.
    let modifier = |word: &&str| {
        matches!(*word, "only" | "skip" | "todo" | "concurrent" | "sequential" | "each" | "for" | "fails")
            || matches!(
                *word,
                "failing"
                    | "skipIf"
                    | "runIf"
                    | "serial"
                    | "parallel"
                    | "shuffle"
                    | "test"
                    | "step"
                    | "ignore"
            )
    };
    let (_, modifiers) = words.split_last()?;
    modifiers.iter().all(modifier).then_some((declares, words))
}

/// A function that is written where it is handed on.
pub(super) fn is_callback(tree: &Tree<'_>, at: usize) -> bool {
    matches!(tree.kind(at), "arrow_function" | "function_expression")
}

/// Who decides whether this callback is called: `store` of `store.on('change', () => …)`. What a runner calls is
/// called in any case.
pub(super) fn caller(tree: &Tree<'_>, callback: usize) -> Option<Span> {
    if !is_callback(tree, callback) {
        return None;
    }
    let call = tree.ancestors(callback).nth(1).filter(|at| tree.kind(*at) == "call_expression")?;
    let function = tree.child(call, "function").filter(|at| tree.kind(*at) == "member_expression")?;
    let whose = tree.child(function, "object")?;
    declaration(tree, call).is_none().then(|| tree.span(whose))
}

/// Whether a call declares a suite: `describe('…', () => { … })`.
pub(super) fn is_suite(tree: &Tree<'_>, at: usize) -> bool {
    declaration(tree, at).is_some_and(|(declares, _)| declares == Declares::Suite)
}

/// A title as the runner shows it. A template with parts, and placeholders of a table, stand for
/// anything.
fn title<'s>(tree: &Tree<'s>, at: usize, is_pattern: &mut bool) -> Option<&'s str> {
    // `test(name, …)`, `test('adds ' + n, …)`: a name that only a run knows.
    const COMPUTED: &str = "${}";
    let list = tree.child(at, "arguments")?;
    let first = tree.parts(list).next()?;
    match tree.kind(first) {
        "string" | "template_string" => {
            *is_pattern |= tree.span(first).any(|at| tree.kind(at) == "template_substitution");
            let text = tree.text(first);
            text.get(1..text.len().checked_sub(1)?)
        }
        "identifier"
        | "binary_expression"
        | "member_expression"
        | "call_expression"
        | "subscript_expression" => {
            *is_pattern = true;
            Some(COMPUTED)
        }
        _ => None,
    }
}

/// The inside of the callback's braces, or its expression.
fn callback(tree: &Tree<'_>, at: usize) -> Span {
    let Some(given) = tree.child(at, "arguments") else { return 0..0 };
    // `test('adds', check, 205)`, `test('adds', withServer(async () => { … }))`.
    let Some(body) =
        tree.parts(given).find(|at| is_callback(tree, *at)).and_then(|at| tree.child(at, "body"))
    else {
        return tree.span(given);
    };
    if tree.kind(body) != "statement_block" {
        return tree.span(body);
    }
    let children: Vec<usize> = tree.children(body).collect();
    match children.as_slice() {
        [_, first, .., last] => *first..*last,
        _ => 0..0,
    }
}

/// Whether a title with placeholders (`%i`, `$name`, `${…}`) can have become this name.
pub(super) fn matches_pattern(pattern: &str, name: &str) -> bool {
    let mut parts = vec![String::new()];
    let mut rest = pattern.chars().peekable();
    while let Some(character) = rest.next() {
        let is_hole = match character {
            '%' => rest.next().is_some(),
            '$' if rest.peek() == Some(&'{') => {
                let _ = rest.by_ref().find(|character| *character == '}');
                true
            }
            '$' => {
                while rest.next_if(|next| next.is_alphanumeric() || matches!(next, '_' | '.' | '#')).is_some()
                {
                }
                true
            }
            _ => false,
        };
        match (is_hole, parts.last_mut()) {
            (false, Some(part)) => part.push(character),
            (true, _) | (false, None) => parts.push(String::new()),
        }
    }
    let [first, middle @ .., last] = parts.as_slice() else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first.as_str()) else { return false };
    for part in middle {
        match name.split_once(part.as_str()) {
            Some((_, rest)) => name = rest,
            None => return false,
        }
    }
    name.ends_with(last.as_str())
}

pub(super) fn claim(tree: &Tree<'_>, at: usize) -> Option<Claim> {
    match tree.kind(at) {
        "throw_statement" => Some(Claim::fails("throw", at)),
        "call_expression" => of_call(tree, at),
        "member_expression" => {
            let (base, words, inner) = chain(tree, at)?;
            if words.contains(&"should") {
                return Some(Claim::holds("should", at, vec![tree.span(at)]));
            }
            // `expect(x).to.be.true`
            let says = |word: &&str| matches!(*word, "to" | "be" | "been" | "is" | "have");
            let given = inner.filter(|_| base == "expect" && words.iter().any(says))?;
            let subjects = arguments(tree, tree.child(given, "arguments")?);
            Some(Claim::holds(words.first()?, at, subjects))
        }
        _ => None,
    }
}

fn of_call(tree: &Tree<'_>, at: usize) -> Option<Claim> {
    let list = tree.child(at, "arguments")?;
    let given = arguments(tree, list);
    if let Some(claim) = done::claim(tree, at, &given) {
        return Some(claim);
    }
    let (base, words, inner) = chain(tree, at)?;
    let word = words.first().copied().unwrap_or_default();
    let fails = matches!((base, word), ("expect" | "assert" | "t" | "chai", "fail" | "unreachable"));
    if fails || (base == "fail" && words.is_empty()) {
        return Some(Claim::fails(&format!("{base}.{word}"), at));
    }
    match base {
        "expect" => {
            let Some(inner) = inner else {
                // `expect.assertions(1)` counts; `expect(x)` without a matcher looks at nothing.
                let counts = words.is_empty() && tree.text(tree.child(at, "function")?) == "expect";
                return counts.then(|| Claim::holds("expect", at, Vec::new()));
            };
            let subjects: Vec<Span> =
                arguments(tree, tree.child(inner, "arguments")?).into_iter().take(1).chain(given).collect();
            let is_equal = matches!(word, "toBe" | "toEqual" | "toStrictEqual" | "equal" | "eql");
            let plain = is_equal && !words.contains(&"not") && subjects.len() == 2;
            Some(if plain { Claim::compares(word, at, subjects) } else { Claim::holds(word, at, subjects) })
        }
        "assert" => Some(of_assert(word, at, given)),
        "t" if words.contains(&"assert") => Some(of_assert(word, at, given)),
        "t" | "tap" | "chai" | "sinon" if AVA.contains(&word) || words.contains(&"assert") => {
            Some(of_assert(word, at, given))
        }
        // `should(f()).eql(1)`, `should.exist(f())`
        "should" => {
            let inside = inner.and_then(|inner| tree.child(inner, "arguments"));
            let looked = inside.map(|list| arguments(tree, list)).unwrap_or_default();
            let subjects = looked.into_iter().chain(given).collect();
            (!words.is_empty()).then(|| Claim::holds("should", at, subjects))
        }
        _ if words.contains(&"should") => Some(Claim::holds("should", at, vec![tree.span(at)])),
        _ => None,
    }
}

const AVA: &[&str] = &[
    "is",
    "not",
    "deepEqual",
    "notDeepEqual",
    "like",
    "throws",
    "throwsAsync",
    "notThrows",
    "notThrowsAsync",
    "regex",
    "notRegex",
    "truthy",
    "falsy",
    "true",
    "false",
    "assert",
    "equal",
    "same",
    "ok",
    "notOk",
    "match",
    "rejects",
    "strictEqual",
    "snapshot",
];

fn of_assert(word: &str, at: usize, given: Vec<Span>) -> Claim {
    let name = if word.is_empty() { "assert" } else { word };
    match name {
        "assert" | "ok" | "truthy" | "true" | "isTrue" | "isOk" => {
            Claim::holds(name, at, given.into_iter().take(1).collect())
        }
        "equal" | "strictEqual" | "deepEqual" | "deepStrictEqual" | "is" | "same" => {
            Claim::compares(name, at, given.into_iter().take(2).collect())
        }
        _ => Claim::holds(name, at, given),
    }
}

/// The name at the root of a chain, its words from the last one inwards, and the innermost call if
/// it is not the chain's own: `expect(f()).not.toBe(1)` is `expect`, `[toBe, not]`, `expect(f())`.
pub(super) fn chain<'s>(tree: &Tree<'s>, at: usize) -> Option<(&'s str, Vec<&'s str>, Option<usize>)> {
    let mut words = Vec::new();
    let mut inner = None;
    let mut here = at;
    for _ in 0..64 {
        match tree.kind(here) {
            "call_expression" => {
                inner = (here != at).then_some(here);
                here = tree.child(here, "function")?;
            }
            "member_expression" => {
                words.push(tree.text(tree.child(here, "property")?));
                here = tree.child(here, "object")?;
            }
            "await_expression" | "parenthesized_expression" | "non_null_expression" => {
                here = tree.parts(here).next()?;
            }
            "identifier" => {
                // `expect.soft(x).toBe(1)` is still looked at from its innermost call.
                return Some((tree.text(here), words, inner));
            }
            _ => return words.contains(&"should").then_some(("", words, inner)),
        }
    }
    None
}
