//! A source split into its tests and the rest, and texts freed of how they are formatted.

use std::collections::{HashMap, HashSet};

use super::claim::{Claim, Weight};
use super::claims::claims;
use super::examples::{self, Example};
use super::items::{Outside, is_subsequence};
use super::tree::{Span, Tree, fold, is_string};
use super::without::{outermost_tests, without_tests};
use super::{Language, find};

/// A source split into its tests and the rest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Full name and body, blanks folded; comments count, because a formatter leaves them.
    tests: Vec<(String, String)>,
    /// Where each of them is, by its name with blanks between its parts.
    by_blanks: HashMap<String, Vec<usize>>,
    /// Of Rust's documentation.
    examples: Vec<Example>,
    /// What `rest` is made of, but for imports.
    outside: Outside,
    /// The lines outside every test's body that hold anything but imports, blanks folded: one
    /// name more in an import makes no test another one.
    pub rest: Vec<String>,
}

impl Outline {
    /// The body of a test by its full name; parameters that a runner adds are looked through.
    pub fn body(&self, test: &str) -> Option<&str> {
        self.bodies(test).into_iter().next()
    }

    /// Those of methods of this name in any class, for a test that its class has from another one.
    pub fn bodies_of_method(&self, test: &str) -> Vec<&str> {
        let Some(method) = method_of(test) else { return Vec::new() };
        let is_it = |name: &str| name.rsplit_once("::").is_some_and(|(_, last)| last == method);
        self.tests.iter().filter(|(name, _)| is_it(name)).map(|(_, body)| body.as_str()).collect()
    }

    /// Whether a method of this name stands in a class that the runner does not take for one of tests, as a mixin's
    /// does: it is of the rest then.
    pub fn has_in_rest(&self, test: &str) -> bool {
        let Some(method) = method_of(test) else { return false };
        let heads = [format!("def {method}("), format!("async def {method}(")];
        self.rest.iter().any(|line| heads.iter().any(|head| line.starts_with(head.as_str())))
    }

    /// The example of documentation that this test is: `doctest of Cart::total #2`.
    fn example(&self, test: &str) -> Option<&str> {
        let (item, number) = test.strip_prefix("doctest of ")?.rsplit_once(" #")?;
        let before = number.parse::<usize>().ok()?.checked_sub(1)?;
        examples::of_item(&self.examples, item).get(before).map(|example| example.whole.as_str())
    }

    /// Those that a report may call so.
    fn called(&self, test: &str) -> impl Iterator<Item = usize> + '_ {
        self.by_blanks.get(&with_blanks(test)).into_iter().flatten().copied()
    }

    /// Those of all namesakes.
    pub fn bodies(&self, test: &str) -> Vec<&str> {
        if let Some(text) = self.example(test) {
            return vec![text];
        }
        let plain = test.split('[').next().unwrap_or(test);
        let of = |same: &dyn Fn(&str) -> bool| -> Vec<&str> {
            self.tests.iter().filter(|(name, _)| same(name)).map(|(_, body)| body.as_str()).collect()
        };
        let own = of(&|name| name == test || name == plain || name.replace("::", ".") == plain);
        if own.is_empty() { self.called(test).map(|at| self.tests[at].1.as_str()).collect() } else { own }
    }
}

/// Whether a report may say a test's name so: unittest joins its parts by dots, a JUnit report of mocha's those of its
/// blocks by blanks.
pub fn is_called(name: &str, said: &str) -> bool {
    name == said || name.replace("::", ".") == said || with_blanks(name) == with_blanks(said)
}

fn with_blanks(name: &str) -> String {
    name.replace(" > ", " ").replace("::", " ")
}

/// The method that a test of a class is: `Cart::test_total[2]`, as unittest says it `Cart.test_total`.
fn method_of(test: &str) -> Option<&str> {
    let plain = test.split('[').next().unwrap_or(test);
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let dotted = || plain.rsplit_once('.').filter(|(class, method)| is_name(class) && is_name(method));
    plain.rsplit_once("::").or_else(dotted).map(|(_, method)| method)
}

impl Outline {
    /// Whether `after` has all that this test has outside of its body, of what it uses and of what bears on every test: as
    /// it is, or with additions. A test that stands in none of the file's is none of which that can be told.
    pub fn keeps(&self, after: &Self, test: &str) -> bool {
        // An example has the code that it is about, and nothing else of its file.
        if self.example(test).is_some() {
            return true;
        }
        let plain = test.split('[').next().unwrap_or(test);
        let dotted = plain.replace('.', "::");
        let name = [test, plain, &dotted].into_iter().find(|name| self.outside.names(name));
        let called = || self.called(test).map(|at| self.tests[at].0.as_str());
        let name = name.or_else(|| called().find(|name| self.outside.names(name)));
        match name {
            Some(name) => self.outside.stands_in(&after.outside, (name, &self.bodies(name))),
            None => is_subsequence(&self.rest, &after.rest),
        }
    }

    /// Whether each test of this source stands in another one as it is, but for those of these names.
    pub fn stands_in(&self, other: &Self, but: &dyn Fn(&str) -> bool) -> bool {
        self.tests.iter().all(|test| but(&test.0) || other.tests.contains(test))
    }
}

/// Splits a source, to tell what was changed in it. One that can't be read is all rest.
pub fn outline(language: Language, source: &str) -> Outline {
    let Ok(tree) = Tree::parse(language, source) else {
        return Outline { rest: source.lines().map(fold).collect(), ..Outline::default() };
    };
    let mut outline = Outline { examples: rust_examples(&tree), ..Outline::default() };
    let mut rest = source.as_bytes().to_vec();
    let mut blank = |range: std::ops::Range<usize>| {
        for byte in rest.get_mut(range).into_iter().flatten().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
    };
    let tests = find(&tree);
    for test in &tests {
        let body = test.body_bytes(&tree);
        outline.by_blanks.entry(with_blanks(&test.name)).or_default().push(outline.tests.len());
        outline.tests.push((test.name.clone(), fold(source.get(body.clone()).unwrap_or_default())));
        blank(body);
    }
    outline.examples.iter().for_each(|example| blank(example.fenced(source)));
    for at in tree.all().filter(|at| is_import(&tree, *at)) {
        blank(tree.node(at).begin..tree.node(at).end);
    }
    outline.outside = Outside::of(&tree, &tests, &rest);
    let rest = String::from_utf8_lossy(&rest);
    // What ended an import on its line is left behind.
    let lines = rest.lines().map(|line| fold(line.trim_start_matches([' ', '\t', ';'])));
    outline.rest = lines.filter(|line| !line.is_empty()).collect();
    outline
}

/// The same of a source that became `after`: what stands outside of the bodies for tests alone that `after` does not have,
/// their heads, decorators and the class that held nothing else, is not among the rest. A test that goes makes no other
/// one different.
pub fn outline_beside(language: Language, source: &str, after: &str) -> Outline {
    let mut own = outline(language, source);
    let names: HashSet<String> = test_names(language, after);
    let outer = outermost_tests(language, source);
    let mut gone: Vec<String> = outer.into_iter().filter(|name| !names.contains(name)).collect();
    gone.dedup();
    if let Some(without) = (!gone.is_empty()).then(|| without_tests(language, source, &gone)).flatten() {
        let beside = outline(language, &without);
        (own.rest, own.outside) = (beside.rest, beside.outside);
    }
    own
}

fn rust_examples(tree: &Tree<'_>) -> Vec<Example> {
    if tree.language == Language::Rust { examples::examples(tree) } else { Vec::new() }
}

/// With those that only a run can name, unlike `declared`.
fn test_names(language: Language, source: &str) -> HashSet<String> {
    let found = Tree::parse(language, source).map(|tree| find(&tree)).unwrap_or_default();
    found.into_iter().map(|test| test.name).collect()
}

fn is_import(tree: &Tree<'_>, at: usize) -> bool {
    match tree.kind(at) {
        "use_declaration"
        | "extern_crate_declaration"
        | "import_from_statement"
        | "import_declaration"
        | "import_statement" => true,
        "mod_item" => tree.child(at, "body").is_none(),
        "lexical_declaration" | "variable_declaration" => {
            let mut declared = tree.parts(at).peekable();
            declared.peek().is_some() && declared.all(|part| is_require(tree, part))
        }
        _ => false,
    }
}

/// `a = require('a')` and `a = require('a').b`, not `require('a')(1)`.
fn is_require(tree: &Tree<'_>, at: usize) -> bool {
    let Some(mut value) = tree.child(at, "value") else { return false };
    if tree.kind(value) == "member_expression" {
        value = tree.child(value, "object").unwrap_or(value);
    }
    tree.child(value, "function").is_some_and(|function| tree.text(function) == "require")
}

/// Assertions that `before` holds and `after` does not, each as often as it is gone, in order and
/// on one line of at most 120 characters. Those in helpers count too. Empty if either can't be read.
pub fn lost_assertions(language: Language, before: &str, after: &str) -> Vec<String> {
    let texts = |source: &str| -> Option<Vec<(String, String)>> {
        let tree = Tree::parse(language, source).ok()?;
        let full = claims(&tree, &tree.all()).into_iter().filter(|claim| claim.weight == Weight::Full);
        let text = |claim: Claim| (condensed(&tree, &claim.whole), fold(tree.span_text(&claim.whole)));
        Some(full.map(text).collect())
    };
    let (Some(old), Some(new)) = (texts(before), texts(after)) else { return Vec::new() };
    let mut left: HashMap<String, usize> = HashMap::new();
    for (text, _) in new {
        *left.entry(text).or_default() += 1;
    }
    let mut lost = Vec::new();
    for (text, shown) in old {
        match left.get_mut(&text).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => lost.push(shown.chars().take(120).collect()),
        }
    }
    lost
}

/// The text of these nodes without what a formatter may change: comments, white space outside
/// strings, commas before a closing bracket, the quotes of plain strings, and in JavaScript the
/// semicolons. Where white space has a meaning its blocks are bracketed.
pub(super) fn condensed(tree: &Tree<'_>, span: &Span) -> String {
    condensed_by(tree, span, |at| tree.text(at).to_owned())
}

/// The same with another word for each of its leaves.
pub(super) fn condensed_by(tree: &Tree<'_>, span: &Span, word_of: impl Fn(usize) -> String) -> String {
    let is_python = tree.language == Language::Python;
    let is_script = matches!(tree.language, Language::JavaScript | Language::TypeScript | Language::Tsx);
    let mut text = String::new();
    let mut open: Vec<usize> = Vec::new();
    let blocks: Vec<usize> =
        if is_python { span.clone().filter(|at| tree.kind(*at) == "block").collect() } else { Vec::new() };
    let mut blocks = blocks.into_iter().peekable();
    for at in tree.tokens(span.clone()) {
        while open.last().is_some_and(|end| *end <= at) {
            open.pop();
            text.push_str(" ⟧");
        }
        while let Some(block) = blocks.next_if(|block| *block <= at) {
            open.push(tree.node(block).last);
            text.push_str(" ⟦");
        }
        let word = word_of(at);
        let word = word.as_str();
        if matches!(word, ")" | "]" | "}") && text.ends_with(" ,") {
            text.truncate(text.len() - 2);
        }
        if (is_script || is_python) && word == ";" {
            continue;
        }
        text.push(' ');
        match plain_string(tree.kind(at), word).filter(|_| is_script || is_python) {
            Some(inside) => {
                text.push('"');
                text.push_str(inside);
                text.push('"');
            }
            None => text.push_str(word),
        }
    }
    text
}

/// The inside of a string in one kind of quotes that could stand in the other as well.
fn plain_string<'s>(kind: &str, word: &'s str) -> Option<&'s str> {
    let quote = word.chars().next().filter(|quote| is_string(kind) && matches!(quote, '"' | '\''))?;
    let inside = word.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inside.contains(['"', '\'', '\\'])).then_some(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_8_174_a_test_that_unittest_names_by_its_class_has_the_method_of_a_mixin() {
        let source = "class Mixin:\n    def test_first(self):\n        pass\n\n\nclass Lists(Mixin, TestCase):\n    def test_more(self):\n        pass\n";
        let outline = outline(Language::Python, source);
        for (test, is_there) in [
            ("Lists.test_first", true),
            ("Lists::test_first", true),
            ("Lists.test_last", false),
            ("says a. b", false),
            ("test_first", false),
        ] {
            let found = outline.has_in_rest(test) || !outline.bodies_of_method(test).is_empty();
            assert_eq!(found, is_there, "{test}");
        }
        assert_eq!(outline.bodies_of_method("Lists.test_more").len(), 1);
    }

    #[test]
    fn ac_tdd_8_175_a_test_is_known_by_what_a_junit_report_of_mocha_calls_it() {
        let source = "describe('a', () => {\n  describe('b::c', () => {\n    it('does d', () => { expect(f(1)).toBe(2); });\n    it('does e', () => { expect(f(2)).toBe(3); });\n  });\n});\n";
        let (before, after) = (
            outline(Language::JavaScript, source),
            outline(Language::JavaScript, &source.replace("f(2)", "f(3)")),
        );
        for (said, is_known, is_same) in [
            ("a > b::c > does d", true, true),
            ("a b::c::does d", true, true),
            ("a b::c::does e", true, false),
            ("a b::does d", false, true),
        ] {
            assert_eq!(before.body(said).is_some(), is_known, "{said}");
            assert_eq!(before.bodies(said) == after.bodies(said), is_same, "{said}");
            assert!(before.keeps(&after, said), "{said}");
        }
    }
}
