//! Examples in Rust's documentation, which rustdoc compiles and runs as tests.
//!
//! ```text
//! impl Cart {                          item "Cart::total", its first, "assert_eq!(1, 1);"
//!     /// The sum of all prices.
//!     ///
//!     /// ```
//!     /// assert_eq!(1, 1);
//!     /// ```
//!     fn total() {}
//! }
//! ```
//!
//! Documentation that a macro or another file gives is not seen.

use std::ops::Range;

use super::tree::Tree;

/// What rustdoc takes for code of its own kind; an example of any other kind it does not run.
const RUNS: [&str; 6] = ["rust", "should_panic", "no_run", "edition2018", "edition2021", "edition2024"];
const MARKS: [&str; 5] = ["///", "//!", "/**", "/*!", "*"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Example {
    /// What it is about, with the items around that; empty for the file itself. As rustdoc spells it, but for the
    /// modules that the file is.
    pub(super) item: String,
    /// Its lines, without the marks of comments and without the blanks around each.
    pub(super) text: String,
    /// Of these lines in the source, with all that stands between them.
    pub(super) bytes: Range<usize>,
}

pub(super) fn examples(tree: &Tree<'_>) -> Vec<Example> {
    let mut found = Vec::new();
    // Of a kind that rustdoc does not run there is none within the fences.
    let mut open: Option<Option<Example>> = None;
    for at in tree.all().filter(|at| matches!(tree.kind(*at), "line_comment" | "block_comment")) {
        let mut begin = tree.node(at).begin;
        for line in tree.text(at).split_inclusive('\n') {
            let bytes = begin..begin + line.len();
            begin = bytes.end;
            let trimmed = line.trim_start();
            let Some(text) = MARKS.iter().find_map(|mark| trimmed.strip_prefix(mark)) else { continue };
            let text = text.trim();
            match (text.strip_prefix("```"), open.take()) {
                (Some(info), None) => {
                    let runs = info.split([',', ' ']).all(|word| word.is_empty() || RUNS.contains(&word));
                    let new = || Example {
                        item: item_of(tree, at),
                        text: String::new(),
                        bytes: bytes.end..bytes.end,
                    };
                    open = Some(runs.then(new));
                }
                (Some(_), Some(ended)) => found.extend(ended),
                (None, Some(mut within)) => {
                    if let Some(example) = &mut within {
                        example.text.extend([text, "\n"]);
                        example.bytes.end = bytes.end;
                    }
                    open = Some(within);
                }
                (None, None) => {}
            }
        }
    }
    found
}

/// What a comment is about: what follows it, or for an inner one what it stands in.
fn item_of(tree: &Tree<'_>, comment: usize) -> String {
    let text = tree.text(comment);
    let is_inner = text.starts_with("//!") || text.starts_with("/*!");
    let home = tree.node(comment).parent;
    let is_between =
        |at: &usize| matches!(tree.kind(*at), "line_comment" | "block_comment" | "attribute_item");
    let follows = || tree.siblings(tree.node(comment).last..tree.node(home).last).find(|at| !is_between(at));
    let own = if is_inner { None } else { follows() };
    let around = tree.ancestors(comment).collect::<Vec<_>>();
    let mut names: Vec<String> =
        around.iter().rev().chain(own.iter()).filter_map(|at| name_of(tree, *at)).collect();
    names.dedup();
    names.join("::")
}

fn name_of(tree: &Tree<'_>, at: usize) -> Option<String> {
    let field = match tree.kind(at) {
        "impl_item" => "type",
        "source_file" | "declaration_list" | "block" => return None,
        _ => "name",
    };
    let name = tree.text(tree.child(at, field)?);
    Some(name.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The examples of an item that a runner names, in order: in a file of its own the modules that lead there come before.
/// The longest name is the one that is meant.
pub(super) fn of_item<'e>(examples: &'e [Example], told: &str) -> Vec<&'e Example> {
    let told = if told == "the module" { "" } else { told };
    let is_meant = |item: &str| {
        let before = told.strip_suffix(item);
        item.is_empty() || before.is_some_and(|before| before.is_empty() || before.ends_with("::"))
    };
    let longest = examples.iter().map(|example| example.item.as_str()).filter(|item| is_meant(item));
    let Some(longest) = longest.max_by_key(|item| item.len()) else { return Vec::new() };
    examples.iter().filter(|example| example.item == longest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Language;

    const SHOP: &str = "//! A shop.\n//!\n//! ```\n//! shop::open();\n//! ```\n\n\
        /// ```\n/// assert_eq!(total(), 1);\n/// ```\n///\n/// ```text\n/// no code\n/// ```\n\
        ///\n/// ```should_panic\n/// total_of(0);\n/// ```\n#[inline]\npub fn total() {}\n\n\
        pub mod sub {\n    pub struct Cart<T>(T);\n    impl<T> Cart<T> {\n        /** Adds.\n         * ```\n         \
        * add(2);\n         * ```\n         */\n        pub fn add() {}\n    }\n}\n";

    fn of(source: &str) -> Vec<Example> {
        examples(&Tree::parse(Language::Rust, source).unwrap())
    }

    #[test]
    fn examples_have_the_name_of_what_they_are_about() {
        let told: Vec<(String, String)> =
            of(SHOP).into_iter().map(|example| (example.item, example.text.trim_end().to_owned())).collect();
        let want = [
            ("", "shop::open();"),
            ("total", "assert_eq!(total(), 1);"),
            ("total", "total_of(0);"),
            ("sub::Cart<T>::add", "add(2);"),
        ];
        assert_eq!(told, want.map(|(item, text)| (item.to_owned(), text.to_owned())));
        for example in of(SHOP) {
            let bytes = &SHOP[example.bytes.clone()];
            assert!(bytes.contains(example.text.trim_end()) && !bytes.contains("```"), "{bytes}");
        }
    }

    #[test]
    fn a_runner_may_name_the_modules_that_lead_to_a_file() {
        let all = of(SHOP);
        for (told, want) in [
            ("the module", vec!["shop::open();"]),
            ("total", vec!["assert_eq!(total(), 1);", "total_of(0);"]),
            ("deep::total", vec!["assert_eq!(total(), 1);", "total_of(0);"]),
            ("deep", vec!["shop::open();"]),
            ("deep::sub::Cart<T>::add", vec!["add(2);"]),
            ("subtotal", vec!["shop::open();"]),
        ] {
            let texts: Vec<String> =
                of_item(&all, told).into_iter().map(|example| example.text.trim_end().to_owned()).collect();
            assert_eq!(texts, want, "{told}");
        }
    }
}
