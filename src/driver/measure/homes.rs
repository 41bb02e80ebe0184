//! Where a test stands. An id names the file that its target begins with; in Rust a module of it may have a file of its
//! own.
//!
//! ```text
//! src/lib.rs::tests::formats      src/lib.rs         tests::formats
//!                                 src/tests.rs       formats
//!                                 src/tests/mod.rs   formats
//! ```

use tdd_core::test::TestId;

/// A file in which a test may stand, and what it is called there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Home {
    pub(super) file: String,
    pub(super) name: String,
}

/// Modules within modules that are followed.
const DEEPEST: usize = 8;

fn is_rust(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, extension)| extension == "rs")
}

/// The file that the id names comes first.
pub(super) fn homes(id: &TestId) -> Vec<Home> {
    let (file, name) = id.0.split_once("::").unwrap_or((&id.0, &id.0));
    let mut found = vec![Home { file: file.to_owned(), name: name.to_owned() }];
    if !is_rust(file) {
        return found;
    }
    let mut folder = file.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let mut rest = name;
    for _ in 0..DEEPEST {
        let Some((module, inner)) = rest.split_once("::") else { break };
        let path = format!("{folder}{module}");
        for file in [format!("{path}.rs"), format!("{path}/mod.rs")] {
            found.push(Home { file, name: inner.to_owned() });
        }
        folder = format!("{path}/");
        rest = inner;
    }
    found
}

/// The id of a test that stands there, in a target with this root; `None` where that does not lead to its file.
pub(super) fn id_in(target: &str, home: &Home) -> Option<TestId> {
    if home.file == target {
        return Some(TestId(format!("{target}::{}", home.name)));
    }
    let folder = target.rsplit_once('/').map_or("", |(folder, _)| folder);
    let inside =
        if folder.is_empty() { &home.file } else { home.file.strip_prefix(folder)?.strip_prefix('/')? };
    let modules = inside.strip_suffix("/mod.rs").or_else(|| inside.strip_suffix(".rs"))?.replace('/', "::");
    Some(TestId(format!("{target}::{modules}::{}", home.name)))
}

/// Whether a person may call the test so: by any of its files, with the modules before it or without; in Python with
/// either sign between class and test.
pub(super) fn is_alias(text: &str, id: &TestId) -> bool {
    if id.file().rsplit_once('.').is_some_and(|(_, extension)| extension == "py") {
        let spelt =
            |text: &str| text.split_once("::").map(|(file, name)| (file.to_owned(), name.replace("::", ".")));
        return spelt(text).is_some_and(|one| spelt(&id.0) == Some(one));
    }
    if !is_rust(id.file()) {
        return false;
    }
    let full = id.0.split_once("::").map_or("", |(_, name)| name);
    let Some((file, name)) = text.split_once("::") else { return false };
    homes(id).iter().any(|home| home.file == file && (home.name == name || full == name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> TestId {
        TestId(text.to_owned())
    }

    #[test]
    fn a_module_of_a_target_may_have_a_file_of_its_own() {
        let of = |text: &str| -> Vec<String> {
            homes(&id(text)).into_iter().map(|home| format!("{} {}", home.file, home.name)).collect()
        };
        assert_eq!(of("tests/a.py::A::test_a"), ["tests/a.py A::test_a"]);
        assert_eq!(of("src/lib.rs::adds"), ["src/lib.rs adds"]);
        assert_eq!(
            of("src/lib.rs::cart::tests::adds"),
            [
                "src/lib.rs cart::tests::adds",
                "src/cart.rs tests::adds",
                "src/cart/mod.rs tests::adds",
                "src/cart/tests.rs adds",
                "src/cart/tests/mod.rs adds"
            ]
        );
    }

    #[test]
    fn a_file_of_a_target_leads_to_the_id() {
        for (target, file, name, want) in [
            ("src/lib.rs", "src/lib.rs", "tests::adds", Some("src/lib.rs::tests::adds")),
            ("src/lib.rs", "src/cart.rs", "tests::adds", Some("src/lib.rs::cart::tests::adds")),
            ("src/lib.rs", "src/a/mod.rs", "adds", Some("src/lib.rs::a::adds")),
            ("src/lib.rs", "src/a/tests.rs", "adds", Some("src/lib.rs::a::tests::adds")),
            ("main.rs", "cart.rs", "adds", Some("main.rs::cart::adds")),
            ("src/lib.rs", "tests/a.rs", "adds", None),
        ] {
            let home = Home { file: file.to_owned(), name: name.to_owned() };
            assert_eq!(id_in(target, &home).map(|id| id.0).as_deref(), want, "{file}");
        }
    }

    #[test]
    fn a_test_is_called_by_any_of_its_files() {
        let test = id("src/lib.rs::tests::formats");
        for (name, want) in [
            ("src/lib.rs::tests::formats", true),
            ("src/tests.rs::formats", true),
            ("src/tests.rs::tests::formats", true),
            ("src/other.rs::formats", false),
            ("src/tests.rs::format", false),
            ("src/tests.rs", false),
        ] {
            assert_eq!(is_alias(name, &test), want, "{name}");
        }
        assert!(!is_alias("a/b.py::c", &id("a.py::b::c")));
        for (name, want) in
            [("a.py::A::b", true), ("a.py::A.b", true), ("a.py::b", false), ("b.py::A.b", false)]
        {
            assert_eq!(is_alias(name, &id("a.py::A.b")), want, "{name}");
        }
    }
}
