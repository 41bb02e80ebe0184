//! Examples in docstrings of Python that `doctest` runs as tests, and which of them are not what they were.
//!
//! ```text
//! def one():        ─► "one", [(">>> one()", "1")]
//!     """
//!     >>> one()
//!     1
//!     """
//! ```
//!
//! Whether a runner takes them for tests is for the caller to know. A docstring that is put together at run time is not
//! seen.

use std::collections::BTreeMap;

use super::Language;
use super::tree::Tree;

/// What one example calls, line by line, and what it is to print.
type Example = (Vec<String>, Vec<String>);

/// The examples of one source, by the names of what holds them.
type Examples = BTreeMap<String, Vec<Example>>;

/// Of each of these files, before and after, the names of what holds such an example before that it does not hold any more,
/// and that did not go to another one of them as it is; empty for the module itself. A method is `Class.method`. A source
/// that can't be read has none, so that all of its examples are gone.
pub fn changed_examples(language: Language, files: &[(String, String)]) -> Vec<Vec<String>> {
    let read = |(before, after): &(String, String)| (examples(language, before), examples(language, after));
    let all: Vec<_> = files.iter().map(read).collect();
    let came = |name: &String, held: &[Example]| {
        all.iter().any(|(was, is)| !was.contains_key(name) && holds_all(is.get(name), held))
    };
    let changed = |(was, is): &(Examples, Examples)| {
        let stays = |name: &String, held: &[Example]| {
            holds_all(is.get(name), held) || (!is.contains_key(name) && came(name, held))
        };
        was.iter().filter(|(name, held)| !stays(name, held)).map(|(name, _)| name.clone()).collect()
    };
    all.iter().map(changed).collect()
}

fn holds_all(now: Option<&Vec<Example>>, all: &[Example]) -> bool {
    let mut now = now.cloned().unwrap_or_default();
    all.iter().all(|example| {
        let at = now.iter().position(|other| other == example);
        at.map(|at| now.swap_remove(at)).is_some()
    })
}

fn examples(language: Language, source: &str) -> Examples {
    let mut found = Examples::new();
    let Some(tree) = Tree::parse(language, source).ok().filter(|_| language == Language::Python) else {
        return found;
    };
    for at in tree.all() {
        let body = match tree.kind(at) {
            "module" => Some(at),
            "function_definition" | "class_definition" => tree.child(at, "body"),
            _ => None,
        };
        let Some(text) = body.and_then(|body| docstring(&tree, body)) else { continue };
        let examples = examples_in(text);
        if !examples.is_empty() {
            found.entry(full_name(&tree, at)).or_default().extend(examples);
        }
    }
    found
}

/// The text of the string that a body begins with.
fn docstring<'s>(tree: &Tree<'s>, body: usize) -> Option<&'s str> {
    let first = tree.children(body).find(|at| tree.kind(*at) != "comment")?;
    let string = (tree.kind(first) == "expression_statement").then(|| tree.children(first).next())??;
    (tree.kind(string) == "string").then(|| tree.text(string))
}

fn full_name(tree: &Tree<'_>, at: usize) -> String {
    let is_home = |at: &usize| matches!(tree.kind(*at), "function_definition" | "class_definition");
    let homes = std::iter::once(at).chain(tree.ancestors(at)).filter(is_home);
    let mut names: Vec<&str> =
        homes.filter_map(|home| tree.child(home, "name")).map(|name| tree.text(name)).collect();
    names.reverse();
    names.join(".")
}

fn examples_in(text: &str) -> Vec<Example> {
    let text = text.trim_end_matches(['"', '\'']);
    let mut found: Vec<Example> = Vec::new();
    let mut is_open = false;
    for line in text.lines().map(str::trim) {
        let code = line.trim_start_matches(['r', 'R', 'u', 'U', '"', '\'']);
        if code.starts_with(">>>") {
            found.push((vec![code.to_owned()], Vec::new()));
            is_open = true;
        } else if line.is_empty() {
            is_open = false;
        } else if let Some((call, want)) = found.last_mut().filter(|_| is_open) {
            let goes_on = want.is_empty() && (line == "..." || line.starts_with("... "));
            if goes_on { call } else { want }.push(line.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOP: &str = "\"\"\"A shop.\n\n>>> 1 + 1\n2\n\"\"\"\n\n\nclass Cart:\n    def total(self):\n        \"\"\"The sum.\n\n        \
                        >>> Cart().total()\n        0\n        >>> for n in [1]:\n        ...     print(n)\n        1\n\n        \
                        No more.\n        \"\"\"\n        return 0\n\n\ndef one():\n    \"\"\">>> one()\n    1\"\"\"\n    return 1\n";

    /// Of the first of these files.
    fn changed(language: Language, files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<(String, String)> =
            files.iter().map(|(before, after)| ((*before).to_owned(), (*after).to_owned())).collect();
        changed_examples(language, &files).swap_remove(0)
    }

    #[test]
    fn ac_tdd_8_114_an_example_that_is_not_what_it_was_is_named_by_what_holds_it() {
        for (from, to, named) in [
            ("return 1\n", "return 5\n", ""),
            ("The sum.", "All prices.", ""),
            ("No more.", "No more.\n\n        >>> 2\n        2", ""),
            (">>> 1 + 1\n2", ">>> 1 + 1\n3", "<module>"),
            ("total()\n        0", "total() == 0\n        True", "Cart.total"),
            ("...     print(n)\n", "...     print(2)\n", "Cart.total"),
            (">>> one()\n    1", "One.", "one"),
            (">>> one()\n    1", ">>> one()  # doctest: +SKIP\n    1", "one"),
            ("def one()", "def two()", "one"),
        ] {
            assert!(SHOP.contains(from), "{from}");
            let told = changed(Language::Python, &[(SHOP, &SHOP.replacen(from, to, 1))]);
            let told: Vec<&str> =
                told.iter().map(|name| if name.is_empty() { "<module>" } else { name }).collect();
            assert_eq!(told.join(" "), named, "{from} -> {to}");
        }
        assert_eq!(changed(Language::Go, &[("// >>> 1\n", "")]), [""; 0]);
    }

    #[test]
    fn ac_tdd_8_160_an_example_may_go_to_another_file_with_what_it_is_about() {
        let (rest, one) = SHOP.split_at(SHOP.find("def one").unwrap());
        let moved = |to: &str| changed(Language::Python, &[(SHOP, rest), ("", to)]).join(" ");
        assert_eq!([moved(one), moved(&one.replace("1\"", "5\""))], ["", "one"]);
        assert_eq!(changed(Language::Python, &[(SHOP, rest), (one, one)]), ["one"]);
    }
}
