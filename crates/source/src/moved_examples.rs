//! Tests that say the same of another example: nothing of them differs but numbers and texts.

use std::collections::{BTreeMap, BTreeSet};

use super::split::{condensed_by, outline, outline_beside};
use super::tree::{Tree, is_string};
use super::{Language, find};

/// The names of those tests of `after` that stand in `before` with other numbers or texts in their bodies and are the
/// same for the rest, with all that they use of their file as it was. A name that several tests have is none of these.
pub fn moved_examples(language: Language, before: &str, after: &str) -> BTreeSet<String> {
    let (old, new) = (bodies(language, before), bodies(language, after));
    let (was, is) = (outline_beside(language, before, after), outline(language, after));
    let is_moved = |(name, body): &(&String, &Option<Body>)| {
        let both = old.get(*name).and_then(Option::as_ref).zip(body.as_ref());
        both.is_some_and(|(old, new)| old.masked == new.masked && old.text != new.text)
            && was.keeps(&is, name)
    };
    new.iter().filter(is_moved).map(|(name, _)| name.clone()).collect()
}

struct Body {
    text: String,
    /// With one word for each number and text.
    masked: String,
}

/// The body of each test; `None` of one that has namesakes.
fn bodies(language: Language, source: &str) -> BTreeMap<String, Option<Body>> {
    let Ok(tree) = Tree::parse(language, source) else { return BTreeMap::new() };
    let mut found = BTreeMap::new();
    for test in find(&tree).into_iter().filter(|test| !test.is_pattern && !test.body.is_empty()) {
        let own = |at: usize| tree.text(at).to_owned();
        let masked = |at: usize| match (is_example(&tree, at), is_sign(&tree, at)) {
            (true, _) => "‹›".to_owned(),
            (false, true) => String::new(),
            (false, false) => own(at),
        };
        let body = Body {
            text: condensed_by(&tree, &test.body, own),
            masked: condensed_by(&tree, &test.body, masked).replace("  ", " "),
        };
        let was_there = found.contains_key(&test.name);
        found.insert(test.name, (!was_there).then_some(body));
    }
    found
}

/// Whether a token is the sign of a number.
fn is_sign(tree: &Tree<'_>, at: usize) -> bool {
    // A token has no children: the node after it is what stands beside it.
    let is_of_number = || at + 1 < tree.all().end && is_example(tree, at + 1);
    let is_unary = |around: usize| match tree.kind(around) {
        "unary_operator" | "unary_expression" | "negative_literal" => true,
        // What a macro of Rust's is given has no grammar.
        "token_tree" => matches!(tree.text(at - 1), "(" | "[" | "," | "==" | "="),
        _ => false,
    };
    tree.text(at) == "-" && is_of_number() && tree.ancestors(at).next().is_some_and(is_unary)
}

fn is_example(tree: &Tree<'_>, at: usize) -> bool {
    let kind = tree.kind(at);
    is_string(kind)
        || matches!(kind, "integer" | "float" | "number")
        || matches!(kind, "int_literal" | "float_literal" | "integer_literal")
        || matches!(kind, "string_content" | "string_fragment" | "interpreted_string_literal_content")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_8_171_only_another_number_or_text_makes_an_example_that_moved() {
        let python = "import shop\n\n\ndef test_code():\n    code = shop.Code(499)\n    assert str(code) == \"499 unknown\"\n    assert not code.known\n";
        for (before, after, is_moved) in [
            ("499", "498", true),
            ("Code(499)", "Code(498)", true),
            ("499 unknown", "unknown", true),
            ("assert not code.known", "assert code.known", false),
            ("== \"499 unknown\"", "!= \"499 unknown\"", false),
            ("    assert not code.known\n", "", false),
            ("Code(499)", "Code(-1)", true),
            ("Code(499)", "Code(not 499)", false),
            ("Code(499)", "Code(9 - 499)", false),
            ("import shop", "import shop as shop", true),
            ("    assert not", "    # said before\n    assert not", false),
            ("import shop\n", "import shop\n\nshop.Code = str\n", false),
        ] {
            let changed = python.replace(before, after);
            // An import alone makes no test another one.
            let wanted = if before == "import shop" { Vec::new() } else { vec!["test_code".to_owned()] };
            let wanted = if is_moved { wanted } else { Vec::new() };
            let found: Vec<String> = moved_examples(Language::Python, python, &changed).into_iter().collect();
            assert_eq!(found, wanted, "{changed}");
        }
        for (language, before, after) in [
            (
                Language::JavaScript,
                "test('code', () => {\n  expect(name(499)).toBe('unknown');\n});\n",
                "test('code', () => {\n  expect(name(-1)).toBe(\"unknown\");\n});\n",
            ),
            (
                Language::Go,
                "package x\n\nfunc TestCode(t *testing.T) {\n\tif Name(499) != \"\" {\n\t\tt.Fatal(1)\n\t}\n}\n",
                "package x\n\nfunc TestCode(t *testing.T) {\n\tif Name(-498) != \"\" {\n\t\tt.Fatal(1)\n\t}\n}\n",
            ),
            (
                Language::Rust,
                "#[test]\nfn code() {\n    assert_eq!(name(499), \"\");\n}\n",
                "#[test]\nfn code() {\n    assert_eq!(name(-1), \"\");\n}\n",
            ),
            (
                Language::Rust,
                "#[test]\nfn code() {\n    assert!(name(499).is_empty());\n    let x = name(2);\n}\n",
                "#[test]\nfn code() {\n    assert!(name(498).is_empty());\n    let x = name(-2);\n}\n",
            ),
        ] {
            assert_eq!(moved_examples(language, before, after).len(), 1, "{after}");
            assert!(moved_examples(language, before, before).is_empty(), "{before}");
        }
        let twice = "def test_a():\n    assert one(1)\n\n\ndef test_a():\n    assert one(2)\n";
        assert!(moved_examples(Language::Python, twice, &twice.replace('2', "3")).is_empty());
    }
}
