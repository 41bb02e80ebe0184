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

/// Whether a person may call the test so: by any of its files, with the modules before it or without.
pub(super) fn is_alias(text: &str, id: &TestId) -> bool {
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
    }
}
