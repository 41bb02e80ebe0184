//! Rows of the tables that tests are run with, case by case: which are new, and which are gone.
//!
//! ```text
//! Python      @pytest.mark.parametrize("n, want", [(1, "I"), …])     CASES = [(1, "I"), …]
//! JavaScript  test.each([[1, "I"], …])("…", …)                      for (const [n, want] of [[1, "I"], …])
//! Go          tests := []struct{ n int; want string }{{1, "I"}, …}
//! Rust        #[case(1, "I")] #[case::three(3, "III")] fn roman(…)      #[test_case(1, "I")]
//! ```
//!
//! A row is a list, a record or a call in a list that is given a name, gone through, or given to what makes tests of
//! it; there any element is one. What is compared, or given to another call, is no table: one element more may be
//! what a test expects. A new row makes no test of another one a different test.

use super::Language;
use super::split::condensed;
use super::tree::Tree;

/// Two versions of a source, each without the rows that the other one has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommonRows {
    pub before: String,
    pub after: String,
    /// Rows of the first that the second has not.
    pub gone: usize,
}

/// Tables of one file that are looked at.
const MOST_TABLES: usize = 500;
/// Pairs of rows of one table that are compared; larger ones are taken for others.
const MOST_PAIRS: usize = 250_000;

/// What two versions have in common but for rows; `None` where either can't be read, or has no table of the other's.
pub fn common_rows(language: Language, before: &str, after: &str) -> Option<CommonRows> {
    let (old, new) = (Tree::parse(language, before).ok()?, Tree::parse(language, after).ok()?);
    let (was, is) = (tables(&old), tables(&new));
    let (mut cuts_before, mut cuts_after, mut gone, mut next) = (Vec::new(), Vec::new(), 0, 0);
    for table in &was {
        let same = || is.iter().enumerate().skip(next).filter(|(_, other)| other.head == table.head);
        let aligned = |other: &Table| align(table, other);
        let whole =
            same().find_map(|(at, other)| Some((at, aligned(other).filter(|it| it.is_whole(table))?)));
        let part = || same().find_map(|(at, other)| Some((at, aligned(other)?)));
        let Some((at, common)) = whole.or_else(part) else { continue };
        next = at + 1;
        gone += table.rows.len() - common.before.len();
        cuts_before.push((table, common.before));
        cuts_after.push((&is[at], common.after));
    }
    let text = |tree: &Tree<'_>, cuts: &[(&Table, Vec<usize>)]| {
        let mut text = String::new();
        let mut done = 0;
        for (table, kept) in cuts {
            let place = tree.bytes(&table.place);
            // A second one of the same statement stays as it is.
            if place.start < done {
                continue;
            }
            text.push_str(tree.source.get(done..place.start).unwrap_or_default());
            text.push_str(&table.with(tree, kept));
            done = place.end;
        }
        text.push_str(tree.source.get(done..).unwrap_or_default());
        text
    };
    (!cuts_before.is_empty()).then(|| CommonRows {
        before: text(&old, &cuts_before),
        after: text(&new, &cuts_after),
        gone,
    })
}

struct Table {
    node: usize,
    /// What is written anew where rows are cut: a formatter lays out a longer statement in another way.
    place: std::ops::Range<usize>,
    /// All that stands before it in its statement.
    head: String,
    rows: Vec<Row>,
    /// A list of their names behind it, one for each: `ids=["one", …]`. They go with their rows.
    names: Option<usize>,
}

struct Row {
    text: String,
    may_be_new: bool,
}

impl Table {
    fn with(&self, tree: &Tree<'_>, kept: &[usize]) -> String {
        let rows: Vec<&str> = kept.iter().map(|at| self.rows[*at].text.trim()).collect();
        if tree.language == Language::Rust {
            return rows.join("\n");
        }
        let inner = format!("{} {} {}", opening(tree, self.node), rows.join(" , "), closing(tree, self.node));
        if self.place.start == self.node {
            return inner;
        }
        let behind = tree.node(self.node).last;
        let rest = match self.names {
            Some(names) => {
                let between = condensed(tree, &(behind..names));
                between + &condensed(tree, &(tree.node(names).last..self.place.end))
            }
            None => condensed(tree, &(behind..self.place.end)),
        };
        format!("{} {inner} {rest}", self.head).trim().to_owned()
    }
}

/// The rows of both that are the same, in order.
struct Common {
    before: Vec<usize>,
    after: Vec<usize>,
}

impl Common {
    fn is_whole(&self, table: &Table) -> bool {
        self.before.len() == table.rows.len()
    }
}

/// `None` if nothing is common, or what is new may be no row.
fn align(before: &Table, after: &Table) -> Option<Common> {
    let (old, new) = (&before.rows, &after.rows);
    let start = old.iter().zip(new).take_while(|(a, b)| a.text == b.text).count();
    let (rest_old, rest_new) = (&old[start..], &new[start..]);
    let end = rest_old.iter().rev().zip(rest_new.iter().rev()).take_while(|(a, b)| a.text == b.text).count();
    let (mid_old, mid_new) = (&rest_old[..rest_old.len() - end], &rest_new[..rest_new.len() - end]);
    let mut common = Common { before: (0..start).collect(), after: (0..start).collect() };
    for (a, b) in longest(mid_old, mid_new)? {
        common.before.push(start + a);
        common.after.push(start + b);
    }
    common.before.extend(old.len() - end..old.len());
    common.after.extend(new.len() - end..new.len());
    let is_new = |at: &usize| common.after.binary_search(at).is_err();
    let stands = !common.before.is_empty() && (0..new.len()).filter(is_new).all(|at| new[at].may_be_new);
    stands.then_some(common)
}

/// The longest sequence that both have.
fn longest(old: &[Row], new: &[Row]) -> Option<Vec<(usize, usize)>> {
    let width = new.len() + 1;
    if old.len().saturating_mul(width) > MOST_PAIRS {
        return None;
    }
    let mut lengths = vec![0u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            lengths[a * width + b] = if old[a].text == new[b].text {
                lengths[(a + 1) * width + b + 1] + 1
            } else {
                lengths[(a + 1) * width + b].max(lengths[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < old.len() && b < new.len() {
        if old[a].text == new[b].text {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if lengths[(a + 1) * width + b] >= lengths[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    Some(pairs)
}

/// The outermost tables of a source, in order.
fn tables(tree: &Tree<'_>) -> Vec<Table> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tree.all().end && found.len() < MOST_TABLES {
        match table(tree, at) {
            Some(table) => {
                at = tree.node(at).last.max(table.place.end);
                found.push(table);
            }
            None => at += 1,
        }
    }
    found
}

/// The attributes of a function from which macros make a test each, where they stand one behind the other.
fn rust_table(tree: &Tree<'_>, at: usize) -> Option<Table> {
    let is_row = |node: &usize| {
        let text: String = tree.text(*node).chars().filter(|character| !character.is_whitespace()).collect();
        let path = text.trim_start_matches("#[").split('(').next().unwrap_or_default();
        let mut parts = path.split("::");
        tree.kind(*node) == "attribute_item"
            && text.contains('(')
            && parts.any(|part| matches!(part, "case" | "test_case"))
    };
    if !is_row(&at) {
        return None;
    }
    let home = tree.node(tree.node(at).parent).last;
    let rows: Vec<usize> = tree.siblings(at..home).take_while(is_row).collect();
    let is_between =
        |node: &usize| matches!(tree.kind(*node), "attribute_item" | "line_comment" | "block_comment");
    let function = tree.siblings(at..home).find(|node| !is_between(node))?;
    let name = tree.child(function, "name").filter(|_| tree.kind(function) == "function_item")?;
    let end = rows.last().map_or(at, |last| tree.node(*last).last);
    let text = |row: &usize| Row { text: condensed(tree, &tree.span(*row)), may_be_new: true };
    let rows = rows.iter().map(text).collect();
    Some(Table { node: at, place: at..end, head: tree.text(name).to_owned(), rows, names: None })
}

fn table(tree: &Tree<'_>, at: usize) -> Option<Table> {
    if tree.language == Language::Rust {
        return rust_table(tree, at);
    }
    let is_list = match tree.language {
        Language::Python => matches!(tree.kind(at), "list" | "tuple" | "set" | "dictionary"),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            matches!(tree.kind(at), "array" | "object")
        }
        Language::Go => tree.kind(at) == "literal_value",
        Language::Rust => false,
    };
    if !is_list {
        return None;
    }
    // The names of rows go with the table before them; those of parameters are what its rows are given to.
    if is_names(tree, at) || names_parameters(tree, at) {
        return None;
    }
    let makes_tests = makes_tests(tree, at);
    let holder = if tree.language == Language::Go { tree.node(at).parent } else { at };
    let around = tree.kind(tree.node(holder).parent);
    let is_used = matches!(around, "argument_list" | "arguments")
        || around.contains("comparison")
        || around.contains("binary");
    if is_used && !makes_tests {
        return None;
    }
    let names = names_of(tree, at);
    let mut called = names.into_iter().flat_map(|names| tree.parts(names));
    let rows: Vec<Row> = tree
        .parts(at)
        .map(|row| {
            let name = called.next().map(|name| condensed(tree, &tree.span(name)));
            Row {
                text: condensed(tree, &tree.span(row)) + " " + &name.unwrap_or_default(),
                may_be_new: makes_tests || is_composite(tree, row),
            }
        })
        .collect();
    if !rows.iter().any(|row| row.may_be_new) {
        return None;
    }
    let statement = statement(tree, at);
    let head = condensed(tree, &(statement..at));
    // What is all of one line in one version may be several in the other.
    let is_laid_out = matches!(tree.kind(statement), "decorator" | "expression_statement")
        && tree.language == Language::Python;
    let place = if is_laid_out { tree.span(statement) } else { tree.span(at) };
    Some(Table { node: at, place, head, rows, names: names.filter(|_| is_laid_out) })
}

/// Whether a list is `ids=[…]` of a decorator.
fn is_names(tree: &Tree<'_>, at: usize) -> bool {
    let keyword = tree.node(at).parent;
    tree.language == Language::Python
        && tree.kind(keyword) == "keyword_argument"
        && tree.child(keyword, "name").is_some_and(|name| tree.text(name) == "ids")
        && tree.ancestors(keyword).any(|above| tree.kind(above) == "decorator")
}

/// Whether a list is `("n", "want")` of `parametrize(("n", "want"), […])`.
fn names_parameters(tree: &Tree<'_>, at: usize) -> bool {
    let arguments = tree.node(at).parent;
    let mut given = tree.parts(arguments);
    let is_first = given.next() == Some(at);
    tree.language == Language::Python
        && tree.kind(arguments) == "argument_list"
        && tree.ancestors(arguments).any(|above| tree.kind(above) == "decorator")
        && is_first
        && given.next().is_some()
        && tree.parts(at).all(|name| tree.kind(name) == "string")
}

/// The list behind a table in which each of its rows has a name.
fn names_of(tree: &Tree<'_>, at: usize) -> Option<usize> {
    let arguments = tree.node(at).parent;
    let values = tree.parts(arguments).filter(|part| *part > at).filter_map(|part| tree.child(part, "value"));
    let mut names = values.filter(|value| is_names(tree, *value));
    names.find(|names| tree.kind(*names) == "list" && tree.parts(*names).count() == tree.parts(at).count())
}

/// Whether it is given to what makes a test of each element: a decorator, `.each(…)`.
fn makes_tests(tree: &Tree<'_>, at: usize) -> bool {
    if tree.ancestors(at).any(|above| tree.kind(above) == "decorator") {
        return true;
    }
    let arguments = tree.node(at).parent;
    if tree.kind(arguments) != "arguments" {
        return false;
    }
    let called = tree.child(tree.node(arguments).parent, "function");
    called.is_some_and(|called| tree.text(called).rsplit('.').next() == Some("each"))
}

fn is_composite(tree: &Tree<'_>, row: usize) -> bool {
    match tree.kind(row) {
        "list" | "tuple" | "set" | "dictionary" | "call" | "array" | "object" | "call_expression"
        | "new_expression" | "composite_literal" | "literal_value" => true,
        "pair" | "keyed_element" | "literal_element" | "unary_expression" => {
            tree.parts(row).last().is_some_and(|value| is_composite(tree, value))
        }
        _ => false,
    }
}

/// The outermost node around it that stands among others in a block.
fn statement(tree: &Tree<'_>, at: usize) -> usize {
    let is_block = |at: usize| {
        matches!(
            tree.kind(at),
            "module"
                | "program"
                | "source_file"
                | "block"
                | "statement_block"
                | "statement_list"
                | "class_body"
                | "decorated_definition"
        )
    };
    let mut here = at;
    for above in tree.ancestors(at) {
        if is_block(above) {
            break;
        }
        here = above;
    }
    here
}

fn opening<'s>(tree: &Tree<'s>, at: usize) -> &'s str {
    tree.text(at).get(..1).unwrap_or_default()
}

fn closing<'s>(tree: &Tree<'s>, at: usize) -> &'s str {
    let text = tree.text(at);
    text.len().checked_sub(1).and_then(|last| text.get(last..)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PY: &str = "@pytest.mark.parametrize(\"n, want\", [(1, \"I\"), (3, \"III\")])\ndef test_roman(n, want):\n    assert roman(n) == want\n";
    const JS: &str = "test.each([\n  [1, 'I'],\n  [3, 'III'],\n])('roman(%i)', (n, want) => { expect(roman(n)).toBe(want); });\n";
    const RS: &str = "#[rstest]\n#[case(1, \"I\")]\n#[case::three(3, \"III\")]\nfn names(#[case] n: u8, #[case] want: &str) {\n    assert!(roman(n) == want);\n}\n";
    const GO: &str = "package a\n\nfunc TestRoman(t *testing.T) {\n\ttests := []struct{ n int; want string }{\n\t\t{1, \"I\"},\n\t\t{3, \"III\"},\n\t}\n\tfor _, tt := range tests {\n\t\tt.Run(tt.want, func(t *testing.T) { check(t, tt) })\n\t}\n}\n";

    /// How many rows are gone, and whether all else is the same; `None` where no table is the other's.
    fn seen(language: Language, before: &str, after: &str) -> Option<(usize, bool)> {
        let rows = common_rows(language, before, after)?;
        let fold = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        Some((rows.gone, fold(&rows.before) == fold(&rows.after)))
    }

    #[test]
    fn ac_tdd_8_144_new_rows_and_those_that_are_gone_are_told_from_all_else() {
        use Language::{Go, JavaScript, Python, Rust};
        let laid_out = "@pytest.mark.parametrize(\n    \"n, want\",\n    [\n        (1, \"I\"),\n        (3, 'III'),\n        (4, \"IV\"),\n    ],\n)\ndef test_roman(n, want):\n    assert roman(n) == want\n";
        let tuple = PY.replace("\"n, want\"", "(\"n\", \"want\")");
        let two = PY.replace("[(1", "more=[(4, 5), (5, 6)], rows=[(1");
        let loop_ = "CASES = {\n    'one': (1, 'I'),\n}\n\n\ndef test_all():\n    for n, want in CASES.values():\n        assert roman(n) == want\n";
        for (language, before, after, want) in [
            (Python, PY, PY.replace("(3, \"III\")]", "(3, \"III\"), (4, \"IV\")]"), Some((0, true))),
            (Python, PY, laid_out.to_owned(), Some((0, true))),
            (Python, PY, PY.replace("[(1", "[(0, \"\"), (1"), Some((0, true))),
            (Python, PY, PY.replace("(3, \"III\")", "(3, \"3\")"), Some((1, true))),
            (Python, PY, PY.replace(", (3, \"III\")", ""), Some((1, true))),
            (Python, tuple.as_str(), tuple.replace("(3, \"III\")", "(3, \"3\")"), Some((1, true))),
            (Python, tuple.as_str(), tuple.replace("(\"n\", \"want\")", "(\"want\", \"n\")"), None),
            (
                Python,
                two.as_str(),
                two.replace("(3, \"III\")", "(3, \"3\")").replace("(5, 6)", "(5, 7)"),
                Some((1, false)),
            ),
            (Python, PY, PY.replace("(1, \"I\"), (3, \"III\")", "(2, \"II\")"), None),
            (Python, loop_, loop_.replace("'I'),", "'I'),\n    'two': (2, 'II'),"), Some((0, true))),
            (
                Python,
                "@pytest.mark.parametrize('n', [1, 2])\ndef test_a(n): pass\n",
                "@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_a(n): pass\n".to_owned(),
                Some((0, true)),
            ),
            (JavaScript, JS, JS.replace("'III'],", "'III'],\n  [4, 'IV'],"), Some((0, true))),
            (JavaScript, JS, JS.replace("[3, 'III']", "[3, '3']"), Some((1, true))),
            (Go, GO, GO.replace("\"III\"},", "\"III\"},\n\t\t{4, \"IV\"},"), Some((0, true))),
            (Go, GO, GO.replace("{3, \"III\"}", "{3, \"3\"}"), Some((1, true))),
            (Rust, RS, RS.replace("3, \"III\"", "3, \"3\""), Some((1, true))),
            (Rust, RS, RS.replace("#[case(1", "#[case(0, \"\")]\n#[case(1"), Some((0, true))),
            (Rust, RS, RS.replace("== want", "!= want"), Some((0, false))),
            (Rust, RS, RS.replace("#[rstest]", "#[ignore]"), Some((0, false))),
            // All else has to be the same.
            (Python, PY, PY.replace("== want", "!= want"), Some((0, false))),
            (Python, PY, PY.replace("\"n, want\"", "\"want, n\""), None),
            (Go, GO, GO.replace("check(t, tt)", ""), Some((0, false))),
            (JavaScript, JS, JS.replace("toBe(want)", "toBeDefined()"), Some((0, false))),
        ] {
            assert_eq!(seen(language, before, &after), want, "{after}");
        }
    }

    #[test]
    fn ac_tdd_8_115_a_row_and_its_name_are_one() {
        let named = PY.replace(")])", ")], ids=[\"a\", \"b\"])");
        let more = |row: &str, names: &str| {
            let with_row = if row.is_empty() { named.clone() } else { named.replace(")], ids", row) };
            with_row.replace("[\"a\", \"b\"]", names)
        };
        for (after, want) in [
            (more("), (4, \"IV\")], ids", "[\"a\", \"b\", \"c\"]"), Some((0, true))),
            (more("", "[\"a\", \"c\"]"), Some((1, true))),
            (more("", "[\"b\", \"a\"]"), None),
            // Nobody can say whose name is whose.
            (more("), (4, \"IV\")], ids", "[\"a\", \"b\"]"), None),
            (more("", "[\"a\", \"b\"], indirect=True"), Some((0, false))),
        ] {
            assert_ne!(named, after);
            assert_eq!(seen(Language::Python, &named, &after), want, "{after}");
        }
    }

    #[test]
    fn one_more_of_what_a_test_expects_is_no_row() {
        use Language::{Go, JavaScript, Python};
        for (language, before, more) in [
            (Python, "def test_a():\n    assert f() in [(1, 2)]\n", "(1, 2), (3, 4)"),
            (
                Python,
                "class A:\n    def test_a(self):\n        self.assertIn(f(), [(1, 2)])\n",
                "(1, 2), (3, 4)",
            ),
            (Python, "def test_a():\n    allowed = [1, 2]\n    assert f() in allowed\n", "1, 2, 3"),
            (JavaScript, "test('a', () => expect([[1, 2]]).toContainEqual(f()));\n", "[1, 2], [3, 4]"),
            (
                Go,
                "package a\n\nfunc TestA(t *testing.T) {\n\tin(t, f(), []pair{{1, 2}})\n}\n",
                "{1, 2}, {3, 4}",
            ),
        ] {
            let firsts = ["(1, 2)", "[1, 2]", "{1, 2}", "1, 2"];
            let first = firsts.into_iter().find(|first| more.starts_with(first)).unwrap();
            let after = before.replace(first, more);
            assert_ne!(before, after);
            let same = seen(language, before, &after).is_some_and(|(_, same)| same);
            assert!(!same, "{after}");
        }
    }

    #[test]
    fn nothing_that_is_torn_makes_it_panic() {
        for text in ["", "[", "x = [(1,", "@a([(1", "\u{fffd}[[("] {
            for language in [Language::Python, Language::JavaScript, Language::Go, Language::Rust] {
                let _ = common_rows(language, text, "x = [(1, 2), (3, 4)]");
                let _ = common_rows(language, "x = [(1, 2), (3, 4)]", text);
            }
        }
    }
}
