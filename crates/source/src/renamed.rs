//! Whether two versions of a source differ by names alone, and by which.
//!
//! ```text
//! assert shop.total([]) == 0   →  assert store.sum([]) == 0     shop → store, total → sum
//! assert shop.total([]) == 0   →  assert shop.total([]) == 1    more than names
//! assert total(1) == total(2)  →  assert sum(1) == total(2)     one name for two: more than names
//! ```
//!
//! Formatting and comments count for nothing, the words in strings are names where the same names
//! stand outside of strings, or where the whole difference is one of words. Whether what is called by
//! the new name is what was called by the old one is for the caller to see. Neighbour: `source::symbols`.

use std::collections::BTreeMap;

use super::split::condensed_by;
use super::tree::{Span, Tree, is_name, is_string};
use super::units::{Unit, units};
use super::{Language, changed_units};

/// Old names and new ones.
pub type Names = BTreeMap<String, String>;

/// The names by which `after` differs from `before`, none if it does not; `None` if it differs by more.
pub fn renamed(language: Language, before: &str, after: &str) -> Option<Names> {
    let (old, new) = (Tree::parse(language, before).ok()?, Tree::parse(language, after).ok()?);
    if !old.errors.is_empty() || !new.errors.is_empty() {
        return None;
    }
    between((&old, &old.all()), (&new, &new.all()))
}

/// The names by which the tests among the code of these sources differ; those that differ by more are passed over.
pub fn renamed_in_units(language: Language, before: &[(&str, &str)], after: &[(&str, &str)]) -> Names {
    let mut names = Names::new();
    for (_, before) in before {
        for (_, after) in after {
            let (Ok(old), Ok(new)) = (Tree::parse(language, before), Tree::parse(language, after)) else {
                continue;
            };
            for (was, is) in pairs(&units(&old), &units(&new)) {
                for (from, to) in between((&old, &was), (&new, &is)).unwrap_or_default() {
                    names.entry(from).or_insert(to);
                }
            }
        }
    }
    names
}

/// Units of one name, or the only ones that differ.
fn pairs(old: &[Unit], new: &[Unit]) -> Vec<(Span, Span)> {
    let differ = |one: &[Unit], other: &[Unit]| -> Vec<(String, Span)> {
        let is_lost = |unit: &&Unit| !other.iter().any(|it| it.text == unit.text) && !unit.span.is_empty();
        one.iter().filter(is_lost).map(|unit| (unit.name.clone(), unit.span.clone())).collect()
    };
    let (old, new) = (differ(old, new), differ(new, old));
    if let ([(_, was)], [(_, is)]) = (old.as_slice(), new.as_slice()) {
        return vec![(was.clone(), is.clone())];
    }
    let named = |(name, was): &(String, Span)| {
        new.iter().find(|(other, _)| other == name).map(|(_, is)| (was.clone(), is.clone()))
    };
    old.iter().filter_map(named).collect()
}

/// A source with these names in place of the old ones, wherever they stand as words.
fn with_names(source: &str, names: &Names) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        text.push_str(names.get(part).map_or(part, String::as_str));
        rest = after;
    }
    text
}

fn between((old, was): (&Tree<'_>, &Span), (new, is): (&Tree<'_>, &Span)) -> Option<Names> {
    // What is no name and no string is as it was, in the same order.
    let blank = |tree: &Tree<'_>, at: usize| is_name(tree.kind(at)) || is_string(tree.kind(at));
    let shape = |tree: &Tree<'_>, span: &Span| {
        condensed_by(tree, span, |at| if blank(tree, at) { "·" } else { tree.text(at) }.to_owned())
    };
    if shape(old, was) != shape(new, is) {
        return None;
    }
    let words = |tree: &Tree<'_>, span: &Span| -> Vec<(bool, String)> {
        let words = tree.tokens(span.clone()).filter(|at| blank(tree, *at));
        words.map(|at| (is_string(tree.kind(at)), tree.text(at).to_owned())).collect()
    };
    let (was, is) = (words(old, was), words(new, is));
    if was.len() != is.len() {
        return None;
    }
    let mut names = Names::new();
    let mut note = |from: &str, to: &str| {
        let known = names.entry(from.to_owned()).or_insert_with(|| to.to_owned());
        known == to
    };
    let plain = was.iter().zip(&is).filter(|((is_string, _), _)| !is_string);
    for ((_, from), (is_string, to)) in plain {
        if *is_string || !note(from, to) {
            return None;
        }
    }
    // Two names do not become one.
    let mut given: Vec<&String> = names.values().collect();
    given.sort();
    given.dedup();
    if given.len() != names.len() {
        return None;
    }
    let strings = was.iter().zip(&is).filter(|((is_string, _), _)| *is_string);
    let same =
        strings.into_iter().all(|((_, from), (_, to))| unquoted(&with_names(from, &names)) == unquoted(to));
    names.retain(|from, to| from != to);
    same.then_some(names)
}

/// One kind of quotes is as good as another.
fn unquoted(text: &str) -> String {
    text.replace('\'', "\"")
}

/// Those tests among the code of these sources that are not what they were but for these names.
pub fn changed_but_for(
    language: Language,
    before: &[(&str, &str)],
    after: &[(&str, &str)],
    names: &Names,
) -> Vec<(String, String)> {
    let renamed: Vec<(&str, String)> =
        before.iter().map(|(path, text)| (*path, with_names(text, names))).collect();
    let renamed: Vec<(&str, &str)> = renamed.iter().map(|(path, text)| (*path, text.as_str())).collect();
    changed_units(language, &renamed, after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Language::{Python, Rust, TypeScript};

    #[test]
    fn sources_differ_by_names_or_by_more() {
        let wanted: [(Language, &str, &str, Option<&str>); 17] = [
            (Python, "assert shop.total([]) == 0", "assert store.sum([]) == 0", Some("shop→store total→sum")),
            (Python, "assert a.total([]) == 0", "assert  a.total( [] )==0  # same", Some("")),
            (Python, "assert a.total([]) == 0", "assert a.total([]) == 1", None),
            (Python, "assert a.total([]) == 0", "assert a.total([]) != 0", None),
            (Python, "assert total(1) == total(2)", "assert sum(1) == total(2)", None),
            (Python, "assert total(1) == other(1)", "assert other(1) == other(1)", None),
            (Python, "assert a() is True", "assert a() is False", None),
            (Python, "assert a() == 'x'", "assert a() == 'y'", None),
            (
                Python,
                "patch('shop.total')\ntotal()\nshop()",
                "patch(\"shop.sum\")\nsum()\nshop()",
                Some("total→sum"),
            ),
            (Python, "with a():\n    b()\nassert c()", "with a():\n    b()\n    assert c()", None),
            (Python, "def test_a():\n    assert x", "def test_b():\n    assert x", Some("test_a→test_b")),
            (Python, "assert a()", "assert a(), 'why'", None),
            (Python, "assert a(", "assert b(", None),
            (Rust, "fn a() { assert_eq!(f(1), 2); }", "fn a() { assert_eq!(g(1), 2,); }", Some("f→g")),
            (
                Rust,
                "fn a() { assert_eq!(f(1), 2); }",
                "fn a() { assert_ne!(f(1), 2); }",
                Some("assert_eq→assert_ne"),
            ),
            (TypeScript, "expect(total(1)).toBe(2)", "expect(sum(1)).toBe(2);", Some("total→sum")),
            (TypeScript, "it('a', () => {})", "it.skip('a', () => {})", None),
        ];
        for (language, before, after, names) in wanted {
            let found = renamed(language, before, after).map(|names| {
                names.iter().map(|(from, to)| format!("{from}→{to}")).collect::<Vec<_>>().join(" ")
            });
            assert_eq!(found.as_deref(), names, "{before} / {after}");
        }
    }

    #[test]
    fn tests_among_code_are_the_same_but_for_names() {
        let before = "fn f() -> u8 { 1 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn one() { assert_eq!(super::f(), 1); }\n}\n";
        let renamed = before.replace("f()", "g()");
        let moved = renamed.replace("{ 1 }", "{ 2 - 1 }");
        let names = renamed_in_units(Rust, &[("a.rs", before)], &[("a.rs", &moved)]);
        assert_eq!(names, Names::from([("f".to_owned(), "g".to_owned())]));
        let changed = |after: &str| changed_but_for(Rust, &[("a.rs", before)], &[("a.rs", after)], &names);
        assert_eq!(changed(&moved), []);
        let weaker = moved.replace("g(), 1", "1, 1");
        assert_eq!(changed(&weaker), [("a.rs".to_owned(), "tests".to_owned())]);
        assert_eq!(with_names("f(ff, \"f g\")", &names), "g(ff, \"g g\")");
    }
}
