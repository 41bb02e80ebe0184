//! Names that a test gives a meaning of its own, whatever its file calls so.
//!
//! ```text
//! var tests = []…                     func TestB(t *testing.T) {
//! func TestA(…) { range tests … }         tests := []…           TestB says its own
//! ```
//!
//! Where anything is said by the name before, or outside of where it holds, it may be the file's.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::tree::{Span, Tree, is_function};
use super::{Declared, Language};

/// The words of each test, by its full name, that mean nothing but what it binds itself; of namesakes those of all.
pub(super) fn own_names(tree: &Tree<'_>, tests: &[Declared]) -> HashMap<String, HashSet<String>> {
    let mut found: HashMap<String, HashSet<String>> = HashMap::new();
    for test in tests {
        let names = of_body(tree, &test.body);
        let known = found.entry(test.name.clone()).or_insert_with(|| names.clone());
        known.retain(|name| names.contains(name));
    }
    found
}

fn of_body(tree: &Tree<'_>, body: &Span) -> HashSet<String> {
    let bytes = tree.bytes(body);
    let said = words(tree.source.get(bytes.clone()).unwrap_or_default(), bytes.start);
    let mut own = HashSet::new();
    for at in body.clone() {
        let Some((names, value)) = binding(tree, at) else { continue };
        let given = value.map(|value| tree.bytes(&tree.span(value)));
        let home = home(tree, at, body);
        for name in tree.span(names).filter(|leaf| is_bound(tree, *leaf, names)) {
            let Some(all) = said.get(tree.text(name)) else { continue };
            let is_first = all.first() == Some(&tree.node(name).begin);
            let is_given_by_it =
                given.as_ref().is_some_and(|given| all.iter().any(|place| given.contains(place)));
            if is_first && !is_given_by_it && all.iter().all(|place| home.contains(place)) {
                own.insert(tree.text(name).to_owned());
            }
        }
    }
    own
}

/// Each word of a text that is no member of something, with the places where it stands.
fn words(text: &str, begin: usize) -> HashMap<&str, Vec<usize>> {
    let mut found: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, word, _) in placed_words(text).filter(|(_, _, is_member)| !is_member) {
        found.entry(word).or_default().push(begin + at);
    }
    found
}

/// The words of a text, where each begins, and whether it is a member of something. What stands behind two or more points, as
/// in a range or where a list is spread, is none.
pub(super) fn placed_words(text: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    let parts = text.split(move |character| !is_word(character)).filter(|word| !word.is_empty());
    parts.map(move |word| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        let before = text.get(..at).unwrap_or_default();
        (at, word, before.ends_with('.') && !before.ends_with(".."))
    })
}

/// What a node gives a meaning, and where from.
fn binding(tree: &Tree<'_>, at: usize) -> Option<(usize, Option<usize>)> {
    let (names, value) = match tree.kind(at) {
        "short_var_declaration" | "range_clause" => ("left", "right"),
        "assignment" | "for_statement" if tree.language == Language::Python => ("left", "right"),
        "var_spec" | "const_spec" | "variable_declarator" => ("name", "value"),
        "let_declaration" | "for_expression" => ("pattern", "value"),
        _ => return None,
    };
    let names = tree.child(at, names)?;
    // `self.total = 1` gives a meaning to a member.
    let is_plain =
        |leaf: usize| !matches!(tree.kind(leaf), "attribute" | "subscript" | "selector_expression");
    tree.span(names).all(is_plain).then(|| (names, tree.child(at, value)))
}

/// `rows` and `all` of `{ rows, more: all = none }`, not what only says which part is meant, or is a value.
fn is_bound(tree: &Tree<'_>, leaf: usize, names: usize) -> bool {
    let is_other = |at: usize| matches!(tree.node(at).field, "key" | "type" | "right" | "value" | "path");
    let mut around = std::iter::once(leaf).chain(tree.ancestors(leaf)).take_while(|around| *around > names);
    matches!(tree.kind(leaf), "identifier" | "shorthand_property_identifier_pattern")
        && (leaf == names || !around.any(is_other))
}

/// Where such a name holds: in Python in the whole function.
fn home(tree: &Tree<'_>, at: usize, body: &Span) -> Range<usize> {
    let is_home = |around: &usize| {
        let kind = tree.kind(*around);
        is_function(kind)
            || tree.language != Language::Python
                && (kind.ends_with("block")
                    || kind.starts_with("for_")
                    || kind.starts_with("if_")
                    || kind.ends_with("_case"))
    };
    let around = tree.ancestors(at).take_while(|around| *around >= body.start).find(is_home);
    around.map_or_else(|| tree.bytes(body), |around| tree.bytes(&tree.span(around)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find;
    use crate::tests::test_of;
    use Language::{Go, JavaScript, Python, Rust};

    #[test]
    fn ac_tdd_8_157_a_name_is_a_tests_own_where_it_can_be_nothing_else() {
        for (language, body, want) in [
            (Go, "rows := many()\n\tfor _, row := range rows {\n\t\tuse(row)\n\t}", "_ row rows"),
            (Go, "use(rows)\n\trows := 1\n\tuse(rows)", ""),
            (Go, "rows := rows[1:]\n\tuse(rows)", ""),
            (Go, "if true {\n\t\trows := 1\n\t\tuse(rows)\n\t}\n\tuse(rows)", ""),
            (Go, "var rows = 1\n\tuse(x.rows, rows)", "rows"),
            (Go, "t.Run(\"a\", func(t *testing.T) {\n\t\trows := 1\n\t\tuse(rows)\n\t})", "rows"),
            (Python, "rows = many()\n    assert rows == 1", "rows"),
            (Python, "rows = request.getfixturevalue('rows')\n    assert rows", ""),
            (Python, "rows.one = 1\n    assert rows", ""),
            (Python, "def inner():\n        rows = 1\n    assert rows", ""),
            (JavaScript, "const rows = many(); expect(rows).toBe(1);", "rows"),
            (JavaScript, "{ const rows = 1; } expect(rows).toBe(1);", ""),
            (JavaScript, "const { rows, other: more } = many(); expect(rows).toBe(more);", "rows"),
            (Rust, "let rows = many(); assert_eq!(rows, 1);", "rows"),
            (Rust, "let rows = rows(); assert_eq!(rows, 1);", ""),
            (Rust, "let Cart(rows) = many(); assert_eq!(Cart(rows), 1);", "rows"),
        ] {
            let (source, _) = test_of(language, body);
            let tree = Tree::parse(language, &source).unwrap();
            let mut own: Vec<String> = of_body(&tree, &find(&tree)[0].body).into_iter().collect();
            own.sort();
            assert_eq!(own.join(" "), want, "{body}");
        }
    }
}
