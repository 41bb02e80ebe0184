//! What stands in a file of tests outside of them, piece by piece: who changes a helper changes the tests that use it, and no
//! other one.
//!
//! ```text
//! head      all of a test but its body: its name, parameters, decorators
//! item      a declaration that tests may use by its name: a function, a fixture, a constant, a type
//! general   whatever else: it bears on every test
//! ```
//!
//! A test uses an item if it says its name, be it in a string, or if something says it that the test uses, and if it stands
//! in the class or suite of the item, or says that one's name. What stands behind a point is a member of something: never an
//! item that is none. An item whose name nobody in the file says, or of a class nobody in that class (a hook, what other
//! files use), bears on every test of its class or suite, and so do what a fixture does by itself and a statement of a suite.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::own_names::{own_names, placed_words};
use super::picked::picked;
use super::tree::{Tree, fold, is_string};
use super::{Declared, Language};

/// What stands outside of the bodies of a file's tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Outside {
    /// By the tests' full names.
    heads: HashMap<String, Vec<String>>,
    /// Names to which their bodies give a meaning, by the tests' full names.
    own: HashMap<String, HashSet<String>>,
    general: Vec<String>,
    items: Vec<Item>,
    /// Which items bear on tests that do not say their names.
    always: Vec<usize>,
    /// Items by each of their names, and by a word of what they stand in.
    by_name: HashMap<String, Vec<usize>>,
    by_scope: HashMap<String, Vec<usize>>,
    /// Of `general`.
    words: HashSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Item {
    names: Vec<String>,
    /// The words of what it stands in: elsewhere it is another one.
    scope: Vec<String>,
    lines: Vec<String>,
    words: HashSet<String>,
    /// One whose name nobody says does nothing: a class, but for the tests that it has, and what is picked out of a value.
    is_idle: bool,
    /// It may be said behind a point.
    is_member: bool,
    /// A statement: nobody has to say a name of it.
    is_run: bool,
}

/// Whether all of `lines` stand in `of`, in order: then only additions were made.
pub fn is_subsequence<T: PartialEq>(lines: &[T], of: &[T]) -> bool {
    let mut of = of.iter();
    lines.iter().all(|line| of.any(|other| other == line))
}

impl Outside {
    /// Of a tree and its tests; `blanked` is its source without their bodies and without imports.
    pub(super) fn of(tree: &Tree<'_>, tests: &[Declared], blanked: &[u8]) -> Self {
        let mut general = blanked.to_vec();
        let mut take = |range: &Range<usize>| {
            let lines = lines_of(&String::from_utf8_lossy(general.get(range.clone()).unwrap_or_default()));
            let bytes = general.get_mut(range.clone()).into_iter().flatten();
            bytes.filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
            lines
        };
        let mut heads: HashMap<String, Vec<String>> = HashMap::new();
        let mut words: HashSet<String> = HashSet::new();
        let mut by_class: HashMap<String, HashSet<String>> = HashMap::new();
        for test in tests {
            let own: Vec<String> =
                words_of(tree.source.get(test.whole.clone()).unwrap_or_default()).collect();
            for class in scope_of(tree, test.node) {
                by_class.entry(class).or_default().extend(own.iter().cloned());
            }
            words.extend(own);
            heads.entry(test.name.clone()).or_default().extend(take(&test.whole));
        }
        let taken = furthest(tests);
        let mut items = Vec::new();
        let mut at = 0;
        while at < tree.all().end {
            let bytes = tree.bytes(&tree.span(at));
            let before = taken.partition_point(|(start, _)| *start < bytes.end);
            let overlaps = before > 0 && taken[before - 1].1 > bytes.start;
            let names = names_of(tree, at).filter(|names| !names.is_empty());
            // Of a class with tests its head is one, and what stands in it besides them.
            let own = match names {
                Some(_) if overlaps => {
                    body_of_class(tree, at).map(|body| (bytes.start..tree.node(body).begin, body))
                }
                Some(_) => Some((bytes, tree.node(at).last)),
                None => None,
            };
            let (Some(names), Some((bytes, next))) = (names, own) else {
                at += 1;
                continue;
            };
            let lines = take(&bytes);
            items.extend(Item::all_of(tree, at, (names, &bytes, lines)));
            at = next;
        }
        let general = String::from_utf8_lossy(&general).into_owned();
        let mut outside = Self {
            heads,
            own: own_names(tree, tests),
            general: lines_of(&general),
            words: words_of(&general).collect(),
            ..Self::default()
        };
        // The title of a suite is said where it begins, and by none of the others.
        if tree.language.is_javascript() {
            let titles: HashSet<&String> = items.iter().flat_map(|item: &Item| &item.scope).collect();
            outside.words.retain(|word| !titles.contains(word));
        }
        outside.items = items;
        outside.index(&words, by_class);
        outside
    }

    /// Finds what bears on tests by itself.
    fn index(&mut self, tests: &HashSet<String>, mut by_class: HashMap<String, HashSet<String>>) {
        let mut said: HashSet<&str> = self.words.iter().chain(tests).map(String::as_str).collect();
        for item in &self.items {
            let others = || item.words.iter().filter(|word| !item.is_named(word.trim_start_matches('.')));
            said.extend(others().map(String::as_str));
            for class in &item.scope {
                by_class.entry(class.clone()).or_default().extend(others().cloned());
            }
        }
        let acts_by_itself = |item: &Item| {
            let in_class = |name: &str| {
                let mut of_class = item.scope.iter().filter_map(|class| by_class.get(class));
                item.scope.is_empty() || of_class.any(|said| says(name, item, &|word| said.contains(word)))
            };
            let is_said = |name: &String| says(name, item, &|word| said.contains(word)) && in_class(name);
            !item.is_idle
                && (item.is_run || item.words.contains("autouse") || !item.names.iter().any(is_said))
        };
        self.always = (0..self.items.len()).filter(|at| acts_by_itself(&self.items[*at])).collect();
        for (at, item) in self.items.iter().enumerate() {
            for name in &item.names {
                self.by_name.entry(name.clone()).or_default().push(at);
            }
            for word in &item.scope {
                self.by_scope.entry(word.clone()).or_default().push(at);
            }
        }
    }

    /// The items that these words lead to, and those that these use.
    fn used_by(&self, words: impl Iterator<Item = String>) -> HashSet<usize> {
        let mut left: Vec<String> = words.collect();
        let (mut said, mut found): (HashSet<String>, HashSet<usize>) = (HashSet::new(), HashSet::new());
        let mut asked: Vec<usize> = self.always.clone();
        loop {
            for at in std::mem::take(&mut asked) {
                let item = &self.items[at];
                let acts = || self.always.binary_search(&at).is_ok();
                let is_said =
                    acts() || item.names.iter().any(|name| says(name, item, &|word| said.contains(word)));
                if is_said && item.scope.iter().all(|word| said.contains(word)) && found.insert(at) {
                    left.extend(item.words.iter().cloned());
                }
            }
            let Some(word) = left.pop() else { return found };
            for by in [&self.by_name, &self.by_scope] {
                asked.extend(by.get(word.trim_start_matches('.')).into_iter().flatten());
            }
            said.insert(word);
        }
    }

    /// Whether `after` still has all that bears on a test of this name with these bodies: as it is, or with lines more.
    pub(super) fn stands_in(&self, after: &Self, (test, bodies): (&str, &[&str])) -> bool {
        let head = |of: &Self| of.heads.get(test).cloned().unwrap_or_default();
        let own = head(self);
        let of_body = self.own.get(test);
        let is_own = |word: &String| of_body.is_some_and(|names| names.contains(word));
        let said = bodies.iter().copied().flat_map(words_of).filter(|word| !is_own(word));
        let said = said.chain(own.iter().flat_map(|line| words_of(line)));
        let named = words_of(test).map(|word| bare(&word));
        let used = self.used_by(said.chain(named).chain(self.words.iter().cloned()));
        let stays = |item: &Item| after.named(&item.names).any(|now| now.has_all_of(item));
        is_subsequence(&own, &head(after))
            && is_subsequence(&self.general, &after.general)
            && used.iter().all(|at| stays(&self.items[*at]))
    }

    /// The items that have these names among theirs.
    fn named<'o>(&'o self, names: &[String]) -> impl Iterator<Item = &'o Item> {
        let found = names.first().and_then(|name| self.by_name.get(name));
        found.into_iter().flatten().map(|at| &self.items[*at])
    }

    /// Whether it is one of the file's tests, or one that a class of tests of the file has from elsewhere.
    pub(super) fn names(&self, test: &str) -> bool {
        let of_class = || test.split_once("::").is_some_and(|(class, _)| self.by_name.contains_key(class));
        self.heads.contains_key(test) || of_class()
    }
}

/// Whether this name of an item is among what is said.
fn says(name: &str, item: &Item, is_said: &dyn Fn(&str) -> bool) -> bool {
    is_said(name) || (item.is_member && is_said(&format!(".{name}")))
}

/// Where each test begins, in order, and where the furthest ends of those up to it.
fn furthest(tests: &[Declared]) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> =
        tests.iter().map(|test| (test.whole.start, test.whole.end)).collect();
    ranges.sort_unstable();
    let mut end = 0;
    for range in &mut ranges {
        end = end.max(range.1);
        range.1 = end;
    }
    ranges
}

impl Item {
    /// Of `const { one, two } = shop` each name is a constant of its own.
    fn all_of(
        tree: &Tree<'_>,
        at: usize,
        (names, bytes, lines): (Vec<String>, &Range<usize>, Vec<String>),
    ) -> Vec<Self> {
        let Some(parts) = picked(tree, at) else { return vec![Self::of(tree, at, (names, bytes, lines))] };
        let one = |(name, text): (String, String)| {
            let words = words_of(&text).collect();
            Self { words, is_idle: true, ..Self::of(tree, at, (vec![name], bytes, vec![text])) }
        };
        parts.into_iter().map(one).collect()
    }

    fn of(
        tree: &Tree<'_>,
        at: usize,
        (names, bytes, lines): (Vec<String>, &Range<usize>, Vec<String>),
    ) -> Self {
        let kind = tree.kind(tree.child(at, "definition").unwrap_or(at));
        let scope = scope_of(tree, at);
        let of_type = || tree.ancestors(at).any(|above| tree.kind(above) == "impl_item");
        Self {
            names,
            lines,
            words: words_of(tree.source.get(bytes.clone()).unwrap_or_default()).collect(),
            is_idle: kind.starts_with("class_"),
            is_member: !scope.is_empty() || kind == "method_declaration" || of_type(),
            is_run: kind == "expression_statement" && tree.language.is_javascript(),
            scope,
        }
    }

    fn has_all_of(&self, other: &Self) -> bool {
        self.scope == other.scope
            && other.names.iter().all(|name| self.is_named(name))
            && is_subsequence(&other.lines, &self.lines)
    }

    fn is_named(&self, word: &str) -> bool {
        self.names.iter().any(|name| name == word)
    }
}

/// The body of a class of Python.
fn body_of_class(tree: &Tree<'_>, at: usize) -> Option<usize> {
    let class = tree.child(at, "definition").unwrap_or(at);
    tree.child(class, "body").filter(|_| tree.kind(class) == "class_definition")
}

/// The words of the names of the classes and suites around a declaration.
fn scope_of(tree: &Tree<'_>, at: usize) -> Vec<String> {
    let around = tree.ancestors(at).filter_map(|above| match tree.child(above, "name") {
        Some(name) => Some(name),
        None => {
            tree.parts(tree.child(above, "arguments")?).next().filter(|first| is_string(tree.kind(*first)))
        }
    });
    around.flat_map(|name| words_of(tree.text(name))).map(|word| bare(&word)).collect()
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(fold).filter(|line| !line.is_empty()).collect()
}

/// The words of a text, a point before what is a member of something.
fn words_of(text: &str) -> impl Iterator<Item = String> + '_ {
    placed_words(text)
        .map(|(_, word, is_member)| if is_member { format!(".{word}") } else { word.to_owned() })
}

fn bare(word: &str) -> String {
    word.trim_start_matches('.').to_owned()
}

/// What a node declares for whoever says its name; `None` if it is no declaration that is taken as a whole.
fn names_of(tree: &Tree<'_>, at: usize) -> Option<Vec<String>> {
    match tree.language {
        Language::Python => python_names(tree, at),
        Language::JavaScript | Language::TypeScript | Language::Tsx => script_names(tree, at),
        Language::Go => go_names(tree, at),
        Language::Rust => rust_names(tree, at),
    }
}

fn named(tree: &Tree<'_>, at: usize) -> Option<Vec<String>> {
    tree.child(at, "name").map(|name| vec![tree.text(name).to_owned()])
}

fn python_names(tree: &Tree<'_>, at: usize) -> Option<Vec<String>> {
    match tree.kind(at) {
        "decorated_definition" => named(tree, tree.child(at, "definition")?),
        "function_definition" | "class_definition" => named(tree, at),
        "expression_statement" => {
            let assignment = tree.parts(at).next().filter(|part| tree.kind(*part) == "assignment")?;
            let left = tree.child(assignment, "left")?;
            (tree.kind(left) == "identifier").then(|| vec![tree.text(left).to_owned()])
        }
        _ => None,
    }
}

fn script_names(tree: &Tree<'_>, at: usize) -> Option<Vec<String>> {
    match tree.kind(at) {
        "function_declaration"
        | "generator_function_declaration"
        | "class_declaration"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "type_alias_declaration"
        | "enum_declaration" => named(tree, at),
        // What a suite does for its own tests.
        "expression_statement" if !scope_of(tree, at).is_empty() => {
            let called = tree.child(tree.parts(at).next()?, "function");
            Some(vec![called.map_or_else(|| "a statement".to_owned(), |called| tree.text(called).to_owned())])
        }
        "lexical_declaration" | "variable_declaration" => {
            let declared = tree.parts(at).filter_map(|part| tree.child(part, "name"));
            let names = |name: usize| -> Vec<String> {
                let leaves = tree.span(name).filter(|leaf| super::tree::is_name(tree.kind(*leaf)));
                leaves.map(|leaf| tree.text(leaf).to_owned()).collect()
            };
            Some(declared.flat_map(names).collect())
        }
        _ => None,
    }
}

fn go_names(tree: &Tree<'_>, at: usize) -> Option<Vec<String>> {
    match tree.kind(at) {
        "function_declaration" | "method_declaration" => named(tree, at),
        // Within a function they are of it.
        "type_declaration" | "var_declaration" | "const_declaration" => {
            // A field of a struct or a method of an interface is a member, which is said behind a point.
            let is_member = |leaf: usize| {
                let mut around = tree.ancestors(leaf).take_while(|around| *around > at);
                around.any(|around| {
                    matches!(
                        tree.kind(around),
                        "field_declaration" | "method_elem" | "method_spec" | "parameter_declaration"
                    )
                })
            };
            let is_name = |leaf: &usize| tree.node(*leaf).field == "name" && !is_member(*leaf);
            let names = tree.span(at).filter(is_name).map(|leaf| tree.text(leaf).to_owned());
            Some(names.collect())
        }
        _ => None,
    }
}

fn rust_names(tree: &Tree<'_>, at: usize) -> Option<Vec<String>> {
    match tree.kind(at) {
        "function_item" | "struct_item" | "enum_item" | "const_item" | "static_item" | "type_item"
        | "trait_item" | "macro_definition" => named(tree, at),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Language, outline};

    /// Whether a test has all that it had, outside of its own body.
    fn keeps(language: Language, before: &str, after: &str, test: &str) -> bool {
        outline(language, before).keeps(&outline(language, after), test)
    }

    const PY: &str = "import pytest\n\nfrom till import many\n\nSEP = ', '\nOTHER = 1\n\n\n\
        def line(n):\n    return SEP.join(n)\n\n\n@pytest.fixture\ndef till():\n    return line('a')\n\n\n\
        @pytest.fixture(autouse=True)\ndef clean():\n    OTHER_THAN = 2\n\n\n\
        def setup_module():\n    many()\n\n\ndef test_many(till):\n    assert many() == till\n\n\n\
        def test_none():\n    assert many() is None\n\n\n\
        class Far:\n    def setup_method(self):\n        self.setup_method()\n\n\n\
        class TestAll:\n    def setup_method(self):\n        many(self)\n\n    def check(self, n):\n        assert n == 1\n\n    def test_one(self):\n        self.check(1)\n\n    \
        def test_two(self):\n        assert many() == OTHER\n\n\ndef test_clean(clean):\n    assert clean is None\n";

    #[test]
    fn ac_tdd_8_145_who_changes_a_helper_of_python_changes_those_that_use_it() {
        let all = ["test_many", "test_none", "TestAll::test_one", "TestAll::test_two"];
        for (from, to, changed) in [
            ("SEP = ', '", "SEP = '; '", &["test_many"][..]),
            ("OTHER = 1", "OTHER = 2", &["TestAll::test_two"]),
            ("return line('a')", "return line('b')", &["test_many"]),
            ("assert n == 1", "assert n", &["TestAll::test_one"]),
            ("def test_many(till)", "def test_many(till, more)", &["test_many"]),
            ("def setup_module():\n    many()", "def setup_module():\n    pass", &all),
            ("OTHER_THAN = 2", "OTHER_THAN = 3", &all),
            ("class TestAll:", "@pytest.mark.slow\nclass TestAll:", &[]),
            ("class TestAll:", "class TestAll(Other):", &all[2..]),
            ("import pytest\n", "import pytest\n\npytest.skip()\n", &[]),
            ("        many(self)", "        none(self)", &all[2..]),
            ("def test_none():", "@pytest.fixture\ndef more():\n    return 1\n\n\ndef test_none():", &[]),
        ] {
            let after = PY.replace(from, to);
            assert_ne!(after, PY, "{from}");
            let told: Vec<&str> =
                all.into_iter().filter(|test| !keeps(Language::Python, PY, &after, test)).collect();
            assert_eq!(told, changed, "{from} -> {to}");
        }
        // A member of something else is called alike.
        let alike = PY.replace("assert many() is None", "assert shop.OTHER == many()");
        let after = alike.replace("OTHER = 1", "OTHER = 2");
        assert!(keeps(Language::Python, &alike, &after, "test_none"));
        // As it was, in another class.
        let other = "class Other:\n    def check(self, n):\n        assert n == 1\n\n\ndef test_clean";
        let after = PY.replace("assert n == 1", "assert n").replace("def test_clean", other);
        assert!(!keeps(Language::Python, PY, &after, "TestAll::test_one"));
        assert!(keeps(Language::Python, PY, &after, "TestAll::test_two"));
    }

    /// A base that runs what each of its classes says.
    #[test]
    fn ac_tdd_8_145_what_a_class_says_for_its_base_is_of_that_class_alone() {
        let source = "import unittest\n\n\nclass Values:\n    def test_values(self):\n        assert f(self.given) == self.want\n\n\n\
            class TestOne(Values, unittest.TestCase):\n    given = 1\n    want = 2\n\n    def setUp(self):\n        one()\n\n\n\
            class TestTwo(Values, unittest.TestCase):\n    given = 3\n    want = 4\n\n    def test_more(self):\n        assert f(self.given)\n";
        let all = ["TestOne::test_values", "TestTwo::test_values", "TestTwo::test_more"];
        for (from, to, changed) in [
            ("given = 1", "given = 5", &all[..1]),
            ("one()", "two()", &all[..1]),
            ("given = 3", "given = 5", &all[1..]),
            ("== self.want", "!= self.want", &all[..]),
            ("class TestOne(Values", "class TestOne(Others", &all[..1]),
        ] {
            let after = source.replace(from, to);
            let told: Vec<&str> =
                all.into_iter().filter(|test| !keeps(Language::Python, source, &after, test)).collect();
            assert_eq!(told, changed, "{from} -> {to}");
        }
    }

    #[test]
    fn ac_tdd_8_145_who_changes_a_helper_of_go_or_javascript_changes_those_that_use_it() {
        use Language::{Go, JavaScript};
        let go = "package a\n\nvar want = []int{1}\n\nfunc TestMain(m *testing.M) { m.Run() }\n\n\
            func expectMany(t *testing.T, got int) {\n\tif got != 3 {\n\t\tt.Fatal(got, want)\n\t}\n}\n\n\
            func TestMany(t *testing.T) {\n\texpectMany(t, many())\n}\n\nfunc TestNone(t *testing.T) {\n\tif none() {\n\t\tt.Fatal()\n\t}\n}\n";
        let go_rows = "package a\n\nvar rows = []struct {\n\tc    int\n\tname string\n}{{1, \"bad\"}}\n\n\
            func TestMany(t *testing.T) {\n\tfor _, row := range rows {\n\t\tif many(row.c) != row.name {\n\t\t\tt.Fatal()\n\t\t}\n\t}\n}\n\n\
            func TestNone(t *testing.T) {\n\tname := none()\n\tif name != \"\" {\n\t\tt.Fatal(name)\n\t}\n}\n";
        let js = "const want = 1;\nfunction expectMany(got) {\n  expect(got).toBe(want);\n}\nbeforeEach(() => {\n  reset();\n});\n\
            describe('other', () => {\n  beforeEach(other);\n});\ndescribe('till', () => {\n  beforeEach(ready);\n  let base = 2;\n  test('many', () => {\n    expectMany(base);\n  });\n  test('none', () => {\n    expect(none()).toBe(0);\n  });\n});\n";
        for (language, source, from, to, changed) in [
            (Go, go, "got != 3", "got != 4", &["TestMany"][..]),
            (Go, go, "[]int{1}", "[]int{2}", &["TestMany"]),
            (Go, go, "m.Run()", "os.Exit(0)", &["TestMany", "TestNone"]),
            // `name` is a member of the table's rows, and a variable of the other one's.
            (Go, go_rows, "\"bad\"", "\"none\"", &["TestMany"]),
            (JavaScript, js, "toBe(want)", "toBeDefined()", &["till > many"]),
            (JavaScript, js, "want = 1", "want = 2", &["till > many"]),
            (JavaScript, js, "base = 2", "base = 3", &["till > many"]),
            (JavaScript, js, "beforeEach(ready)", "beforeEach(late)", &["till > many", "till > none"]),
            (JavaScript, js, "beforeEach(other)", "beforeEach(late)", &[]),
            (JavaScript, js, "reset()", "fake()", &["till > many", "till > none"]),
        ] {
            let after = source.replace(from, to);
            let all = outline(language, source);
            assert_ne!(after, source, "{from}");
            let names: Vec<&str> = if language == Go {
                vec!["TestMany", "TestNone"]
            } else {
                vec!["till > many", "till > none"]
            };
            assert!(names.iter().all(|name| all.body(name).is_some()), "{names:?}");
            let told: Vec<&str> =
                names.into_iter().filter(|test| !keeps(language, source, &after, test)).collect();
            assert_eq!(told, changed, "{from} -> {to}");
        }
    }

    #[test]
    fn ac_tdd_8_163_a_name_that_is_picked_out_of_a_value_is_one_of_its_own() {
        let called =
            ["const { more } = words();\ntest('none', () => { expect(1).toBe(1); });\n", "words", "fakes"];
        assert!(!keeps(Language::JavaScript, called[0], &called[0].replace(called[1], called[2]), "none"));
        let js_picks = "const { base, more } = words;\ndescribe('till', () => {\n  test('many', () => {\n    expect(base()).toBe(1);\n  });\n  \
            test('none', () => {\n    expect(none()).toBe(0);\n  });\n});\n";
        for (from, to, changed) in [
            ("base, more", "base, more, last", &[][..]),
            ("= words", "= fakes", &["till > many"]),
            ("more", "other: more", &[]),
            ("base, more", "other: base, more", &["till > many"]),
        ] {
            let after = js_picks.replace(from, to);
            let names = ["till > many", "till > none"].into_iter();
            let told: Vec<&str> =
                names.filter(|test| !keeps(Language::JavaScript, js_picks, &after, test)).collect();
            assert_eq!(told, changed, "{from} -> {to}");
        }
    }
}
