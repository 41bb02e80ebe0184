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
//! Documentation that a macro or another file gives is not seen, nor what is code because it is indented.

use std::ops::Range;

use super::tree::{Tree, fold};

const MARKS: [&str; 5] = ["///", "//!", "/**", "/*!", "*"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Example {
    /// What it is about, with the items around that; empty for the file itself. As rustdoc spells it, but for the
    /// modules that the file is.
    pub(super) item: String,
    /// Its lines, without the marks of comments and without the blanks around each.
    pub(super) text: String,
    /// The words after its fence but `rust`, sorted, and its lines: whether it has to panic, say, is a part of it.
    pub(super) whole: String,
    /// Of these lines in the source, with all that stands between them.
    pub(super) bytes: Range<usize>,
}

impl Example {
    /// Its lines and those of its fences.
    pub(super) fn fenced(&self, source: &str) -> Range<usize> {
        let (before, after) = (source.get(..self.bytes.start), source.get(self.bytes.end..));
        let opens =
            before.and_then(|before| before.trim_end_matches('\n').rfind('\n')).map_or(0, |at| at + 1);
        let closes = after.and_then(|after| after.find('\n')).map_or(source.len(), |at| self.bytes.end + at);
        opens..closes
    }
}

pub(super) fn examples(tree: &Tree<'_>) -> Vec<Example> {
    let mut found = Vec::new();
    // Of a kind that rustdoc does not run there is none within the fences.
    let mut open: Option<(&str, Option<Example>)> = None;
    for at in tree.all().filter(|at| matches!(tree.kind(*at), "line_comment" | "block_comment")) {
        let mut begin = tree.node(at).begin;
        let is_block = tree.text(at).starts_with("/**") || tree.text(at).starts_with("/*!");
        for line in tree.text(at).split_inclusive('\n') {
            let bytes = begin..begin + line.len();
            begin = bytes.end;
            let trimmed = line.trim_start();
            let marked = MARKS.iter().find_map(|mark| trimmed.strip_prefix(mark));
            let Some(text) = marked.or_else(|| is_block.then_some(trimmed)) else { continue };
            let text = text.trim();
            match (fence(text), open.take()) {
                (Some((mark, info)), None) => {
                    let new = |kind: String| Example {
                        item: item_of(tree, at),
                        text: String::new(),
                        whole: kind,
                        bytes: bytes.end..bytes.end,
                    };
                    open = Some((mark, kind_that_is_listed(info).map(new)));
                }
                (Some((mark, "")), Some((opened, ended))) if mark.starts_with(opened) => found.extend(ended),
                (_, Some((opened, mut within))) => {
                    if let Some(example) = &mut within {
                        example.text.extend([text, "\n"]);
                        example.whole.extend([text, "\n"]);
                        example.bytes.end = bytes.end;
                    }
                    open = Some((opened, within));
                }
                (None, None) => {}
            }
        }
    }
    found
}

/// The mark of a fence, and what is said after it.
fn fence(text: &str) -> Option<(&str, &str)> {
    let first = text.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let info = text.trim_start_matches(first);
    let mark = &text[..text.len() - info.len()];
    (mark.len() >= 3).then_some((mark, info.trim()))
}

/// The words after a fence of what rustdoc lists as a test, be it that it does not run it; `None` of what it takes for
/// something else than Rust.
fn kind_that_is_listed(info: &str) -> Option<String> {
    let is_known = |word: &&str| {
        let is_error =
            word.len() == 5 && word.starts_with('E') && word[1..].bytes().all(|c| c.is_ascii_digit());
        let is_one = matches!(
            *word,
            "rust" | "should_panic" | "no_run" | "compile_fail" | "test_harness" | "standalone_crate"
        );
        is_one || is_error || word.starts_with("edition20") || word.starts_with("ignore")
    };
    let mut words: Vec<&str> = info.split([',', ' ']).filter(|word| !word.is_empty()).collect();
    if !words.iter().all(is_known) {
        return None;
    }
    words.retain(|word| *word != "rust");
    words.sort_unstable();
    Some(if words.is_empty() { String::new() } else { format!("{}\n", words.join(" ")) })
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
    Some(fold(name))
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
        ///\n/// ~~~~ rust,should_panic\n/// total_of(0);\n/// ~~~~\n#[inline]\npub fn total() {}\n\n\
        pub mod sub {\n    pub struct Cart<T>(T);\n    impl<T> Cart<T> {\n        /** Adds.\n         * ```\n         \
        * add(2);\n         * ```\n\n        ```compile_fail,E0308\n        add(\"\");\n        ```\n         */\n        pub fn add() {}\n    }\n}\n";

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
            ("sub::Cart<T>::add", "add(\"\");"),
        ];
        assert_eq!(told, want.map(|(item, text)| (item.to_owned(), text.to_owned())));
        for example in of(SHOP) {
            let bytes = &SHOP[example.bytes.clone()];
            assert!(bytes.contains(example.text.trim_end()) && !bytes.contains("```"), "{bytes}");
            let fenced = &SHOP[example.fenced(SHOP)];
            assert_eq!(
                (fenced.matches("```").count() + fenced.matches("~~~~").count(), fenced.ends_with('\n')),
                (2, false)
            );
        }
        let kinds: Vec<String> = of(SHOP).into_iter().map(|example| example.whole).collect();
        assert_eq!(kinds[1..3], ["assert_eq!(total(), 1);\n", "should_panic\ntotal_of(0);\n"]);
        assert_eq!(kinds[4], "E0308 compile_fail\nadd(\"\");\n");
    }

    #[test]
    fn a_runner_may_name_the_modules_that_lead_to_a_file() {
        let all = of(SHOP);
        for (told, want) in [
            ("the module", vec!["shop::open();"]),
            ("total", vec!["assert_eq!(total(), 1);", "total_of(0);"]),
            ("deep::total", vec!["assert_eq!(total(), 1);", "total_of(0);"]),
            ("deep", vec!["shop::open();"]),
            ("deep::sub::Cart<T>::add", vec!["add(2);", "add(\"\");"]),
            ("subtotal", vec!["shop::open();"]),
        ] {
            let texts: Vec<String> =
                of_item(&all, told).into_iter().map(|example| example.text.trim_end().to_owned()).collect();
            assert_eq!(texts, want, "{told}");
        }
    }
}
