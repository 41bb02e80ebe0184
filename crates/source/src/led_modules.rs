//! Modules of Rust that `#[path]` leads to another file than their name does.

use super::Language;
use super::tree::{Tree, is_comment, is_string};

/// Those at the top of a source, each as the path and the name of the module. The path begins in the source's folder.
pub fn led_modules(source: &str) -> Vec<(String, String)> {
    let Ok(tree) = Tree::parse(Language::Rust, source) else { return Vec::new() };
    let mut found = Vec::new();
    let mut path = None;
    for at in tree.children(0) {
        match tree.kind(at) {
            "attribute_item" => path = led_to(&tree, at).or(path),
            kind if is_comment(kind) => {}
            "mod_item" if tree.child(at, "body").is_none() => {
                let name = tree.child(at, "name").map(|name| tree.text(name).to_owned());
                found.extend(path.take().zip(name));
            }
            _ => path = None,
        }
    }
    found
}

/// Whether a source has a module of this name whose body stands elsewhere: `mod tests;`.
pub fn has_module_of_its_own(source: &str, name: &str) -> bool {
    let Ok(tree) = Tree::parse(Language::Rust, source) else { return false };
    let is_it = |at: usize| {
        tree.kind(at) == "mod_item"
            && tree.child(at, "body").is_none()
            && tree.child(at, "name").is_some_and(|own| tree.text(own) == name)
    };
    tree.children(0).any(is_it)
}

/// `#[path = "x.rs"]`, also as one of several in `cfg_attr`.
fn led_to(tree: &Tree<'_>, attribute: usize) -> Option<String> {
    let is_path = |at: &usize| tree.kind(*at) == "identifier" && tree.text(*at) == "path";
    let at = tree.span(attribute).find(is_path)?;
    let value = (at..tree.node(attribute).last).find(|at| is_string(tree.kind(*at)))?;
    Some(tree.text(value).trim_matches('"').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ac_tdd_8_120_modules_that_are_led_to_another_file_are_told() {
        let source = "#[cfg(test)]\n// why\n#[path = \"a_tests.rs\"]\nmod tests;\n\
                      #[cfg_attr(test, path = \"b.rs\")]\nmod b;\n#[path = \"c.rs\"]\nmod c {}\nmod d;\n\
                      #[path = \"e.rs\"]\nfn e() {}\nmod f;\n";
        let led = [("a_tests.rs", "tests"), ("b.rs", "b")];
        assert_eq!(led_modules(source), led.map(|(path, name)| (path.to_owned(), name.to_owned())));
        assert_eq!(
            ["tests", "c", "d", "g"].map(|name| has_module_of_its_own(source, name)),
            [true, false, true, false]
        );
    }
}
