//! Names that people give to tests in comments, so that a test keeps its name though its title changes:
//! `// @tdd-test-id: cart-total` within three lines above the test.

use super::tree::{Tree, is_comment};
use super::{Language, find};

/// The words that begin one.
const WORDS: [&str; 2] = ["@tdd-test-id:", "@reasonix-test-id:"];
/// How far above its test it may stand.
const LINES: usize = 3;
const LONGEST: usize = 120;

/// The annotated tests of a source, each by its full name within the file, with its slug. Empty for a source that
/// can't be read.
pub fn annotated(language: Language, source: &str) -> Vec<(String, String)> {
    if !WORDS.iter().any(|word| source.contains(word)) {
        return Vec::new();
    }
    let Ok(tree) = Tree::parse(language, source) else { return Vec::new() };
    let line_of = |byte: usize| source[..byte].bytes().filter(|byte| *byte == b'\n').count();
    let mut tests: Vec<(usize, String)> =
        find(&tree).into_iter().map(|test| (line_of(test.whole.start), test.name)).collect();
    tests.sort_by_key(|(line, _)| *line);
    let mut found: Vec<(String, String)> = Vec::new();
    for at in tree.all().filter(|at| is_comment(tree.kind(*at))) {
        let begin = line_of(tree.node(at).begin);
        for (below, line) in tree.text(at).lines().enumerate() {
            let Some(slug) = slug(line) else { continue };
            let line = begin + below;
            let test = tests.iter().find(|(first, _)| (line + 1..=line + LINES).contains(first));
            let Some((_, name)) = test else { continue };
            // Of two above one test the nearer one counts.
            found.retain(|(known, _)| known != name);
            found.push((name.clone(), slug));
        }
    }
    found
}

fn slug(line: &str) -> Option<String> {
    let after = WORDS.iter().find_map(|word| line.split_once(word)).map(|(_, after)| after)?;
    let slug = after.split_whitespace().next()?;
    let is_fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let slug = slug.trim_end_matches("*/");
    (!slug.is_empty() && slug.len() <= LONGEST && slug.chars().all(is_fit)).then(|| slug.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slugs(language: Language, source: &str) -> Vec<(String, String)> {
        annotated(language, source)
    }

    #[test]
    fn ac_tdd_10_8_a_comment_names_the_test_below_it_in_every_language() {
        let pair = |name: &str| vec![(name.to_owned(), "cart-total".to_owned())];
        for (language, source, name) in [
            (Language::Python, "# @tdd-test-id: cart-total\ndef test_a():\n    assert a() == 1\n", "test_a"),
            (
                Language::Python,
                "import x\n# @tdd-test-id: cart-total\n\n@pytest.mark.slow\ndef test_a():\n    assert a() == 1\n",
                "test_a",
            ),
            (Language::Rust, "// @tdd-test-id: cart-total\n#[test]\nfn a() { assert!(b()) }\n", "a"),
            (Language::Rust, "/// @tdd-test-id: cart-total\n#[test]\nfn a() { assert!(b()) }\n", "a"),
            (
                Language::JavaScript,
                "// @reasonix-test-id: cart-total\nit('adds', () => { expect(a()).toBe(1) })\n",
                "adds",
            ),
            (
                Language::TypeScript,
                "/* @tdd-test-id: cart-total */\ntest('adds', () => { expect(a()).toBe(1) })\n",
                "adds",
            ),
            (
                Language::Tsx,
                "/*\n * @tdd-test-id: cart-total\n */\ntest('adds', () => { expect(a()).toBe(1) })\n",
                "adds",
            ),
            (
                Language::Go,
                "package a\n\n// @tdd-test-id: cart-total\nfunc TestAdds(t *testing.T) { if a() != 1 { t.Fail() } }\n",
                "TestAdds",
            ),
        ] {
            assert_eq!(slugs(language, source), pair(name), "{source}");
        }
    }

    #[test]
    fn what_only_looks_like_one_names_nothing() {
        let test = "def test_a():\n    assert a() == 1\n";
        for (name, source) in [
            ("in a string", format!("S = '# @tdd-test-id: x'\n{test}")),
            ("too far above", format!("# @tdd-test-id: x\n\n\n\n{test}")),
            ("below the test", format!("{test}# @tdd-test-id: x\n")),
            ("no slug", format!("# @tdd-test-id:\n{test}")),
            ("no slug but words", format!("# @tdd-test-id: $(rm)\n{test}")),
            ("above something else", format!("# @tdd-test-id: x\ndef helper():\n    pass\n\n\n{test}")),
        ] {
            assert_eq!(slugs(Language::Python, &source), [], "{name}");
        }
    }

    #[test]
    fn each_of_several_names_its_own() {
        let source = "// @tdd-test-id: one\n// @tdd-test-id: nearer\ntest('a', () => { expect(x).toBe(1) })\n// @tdd-test-id: two\ntest('b', () => { expect(x).toBe(1) })\n";
        let own = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(slugs(Language::JavaScript, source), [own("a", "nearer"), own("b", "two")]);
    }
}
