//! A test file without some of its tests: held-out ones are cut out of it.

use std::ops::Range;

use super::tree::Tree;
use super::{Language, find};

/// The source without the tests of these names, as [`declared`](super::declared) tells them, each with the blanks
/// and the line's end that go with it. `None` where it can't be read, one of them is not there, or it stands within
/// another one that stays.
pub fn without_tests(language: Language, source: &str, names: &[String]) -> Option<String> {
    let tree = Tree::parse(language, source).ok()?;
    let tests = find(&tree);
    if !names.iter().all(|name| tests.iter().any(|test| test.name == *name)) {
        return None;
    }
    let is_named = |name: &str| names.iter().any(|other| other == name);
    let mut gone: Vec<Range<usize>> = Vec::new();
    for test in tests.iter().filter(|test| is_named(&test.name)) {
        let around = tests.iter().any(|other| {
            !is_named(&other.name)
                && other.whole.start < test.whole.start
                && test.whole.end <= other.whole.end
        });
        if around {
            return None;
        }
        gone.push(with_its_line(source, &test.whole));
    }
    gone.sort_by_key(|range| range.start);
    let mut text = String::with_capacity(source.len());
    let mut from = 0;
    for range in gone {
        if range.start > from {
            text.push_str(source.get(from..range.start)?);
        }
        from = from.max(range.end);
    }
    text.push_str(source.get(from..)?);
    Some(text)
}

/// From the beginning of its line, where nothing else stands before it, to the end of the line on which it ends.
fn with_its_line(source: &str, test: &Range<usize>) -> Range<usize> {
    let before = source.get(..test.start).unwrap_or_default();
    let margin = before.len() - before.trim_end_matches([' ', '\t']).len();
    let after = source.get(test.end..).unwrap_or_default();
    let line = after.find('\n').map_or(after.len(), |at| at + 1);
    let rest = after.get(..line).unwrap_or_default();
    let is_alone = rest.trim_matches([';', ' ', '\t', '\r', '\n', ',']).is_empty();
    let end = test.end + if is_alone { line } else { 0 };
    test.start - margin..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_8_43_a_hidden_test_is_cut_out_of_its_file_by_the_grammar() {
        for (language, source, name, want) in [
            (
                Language::Python,
                "import shop\n\n@pytest.mark.parametrize('a', [1, 2])\ndef test_a(a):\n    assert a\n\ndef test_b():\n    assert 1\n",
                "test_a",
                "import shop\n\n\ndef test_b():\n    assert 1\n",
            ),
            (
                Language::Python,
                "class TestX(T):\n    def setUp(self): pass\n\n    def test_a(self):\n        self.x(1)\n\n    def test_b(self):\n        self.x(2)\n",
                "TestX::test_a",
                "class TestX(T):\n    def setUp(self): pass\n\n\n    def test_b(self):\n        self.x(2)\n",
            ),
            (
                Language::JavaScript,
                "const one = 1;\ntest('a', () => { ok(one); });\ntest('b', () => {\n  ok(1);\n});\n",
                "b",
                "const one = 1;\ntest('a', () => { ok(one); });\n",
            ),
            (
                Language::Rust,
                "fn help() {}\n\n#[test]\nfn a() { help(); }\n\n#[test]\nfn b() { assert!(true); }\n",
                "a",
                "fn help() {}\n\n\n#[test]\nfn b() { assert!(true); }\n",
            ),
            (
                Language::Go,
                "package x\n\nfunc TestA(t *testing.T) { t.Fatal(1) }\nfunc TestB(t *testing.T) {}\n",
                "TestA",
                "package x\n\nfunc TestB(t *testing.T) {}\n",
            ),
        ] {
            assert_eq!(
                without_tests(language, source, &[name.to_owned()]).as_deref(),
                Some(want),
                "{language:?}"
            );
            assert_eq!(without_tests(language, source, &["other".to_owned()]), None);
        }
    }
}
