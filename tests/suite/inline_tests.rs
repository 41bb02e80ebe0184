//! Tests of Rust inside sources, and in a file of their module's own, that a requirement changes.

use serde_json::json;

use super::sandbox::{Ran, Sandbox};

const CODE: &str =
    "pub fn format(cents: u32) -> String {\n    format!(\"{}.{:02}\", cents / 100, cents % 100)\n}\n";
const TESTS: &str = "use super::*;\n\n#[test]\nfn formats() {\n    assert_eq!(format(250), \"2.50\");\n}\n\n\
                     #[test]\nfn is_short() {\n    assert_eq!(format(0).len(), 4);\n}\n";
const OWN: &str = "#[test]\nfn comma() {\n    assert_eq!(cart::format(1234), \"12,34\");\n}\n";

/// Where the module of tests stands.
#[derive(Clone, Copy)]
enum Place {
    Inside,
    OwnFile,
}

impl Place {
    /// The file in which the tests stand, and all files with these tests.
    fn files(self, tests: &str) -> Vec<(&'static str, String)> {
        match self {
            Self::Inside => {
                vec![("src/lib.rs", format!("{CODE}\n#[cfg(test)]\nmod tests {{\n{tests}}}\n"))]
            }
            Self::OwnFile => vec![
                ("src/tests.rs", tests.to_owned()),
                ("src/lib.rs", format!("{CODE}\n#[cfg(test)]\nmod tests;\n")),
            ],
        }
    }

    /// A run whose test-writer makes these of the tests, and says that it supersedes this one.
    fn run(self, tests: &str, supersedes: Option<&str>, more: (&str, &str)) -> Ran {
        let sandbox = Sandbox::empty();
        let manifest = "[package]\nname = \"cart\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
        let lock = "version = 4\n\n[[package]]\nname = \"cart\"\nversion = \"0.1.0\"\n";
        for (path, text) in [("Cargo.toml", manifest), ("Cargo.lock", lock), (".gitignore", "target\n")] {
            sandbox.write(path, text);
        }
        for (path, text) in self.files(TESTS) {
            sandbox.write(path, &text);
        }
        sandbox.write("tdd.yaml", "test: cargo test --offline\nbudgets: { semantic: 1, format: 0 }\n");
        let criterion = "- AC-STE-1.1: format writes a comma.\n";
        sandbox.write("specs/frs/STE-1.md", &format!("# Comma\n\n## Acceptance Criteria\n\n{criterion}"));
        sandbox.git(&["init", "-q"]);
        sandbox.commit();
        let (file, text) = self.files(tests).swap_remove(0);
        let (file, own) = (file.to_owned(), "tests/ac_ste_1_1.rs");
        let text = text.replacen(more.0, more.1, 1);
        let mut say = json!({ "status": "ok", "files": [file, own] });
        if let Some(name) = supersedes {
            say["supersedes"] = json!({ "AC-STE-1.1": [name] });
        }
        let code = self.files(tests).pop().unwrap().1.replace("{}.{:02}", "{},{:02}");
        let calls = json!([
            { "role": "test-writer", "write": { file: text, own: OWN }, "say": say },
            { "role": "implementer", "write": { "src/lib.rs": code }, "say": { "status": "ok", "files": ["src/lib.rs"] } },
            { "role": "refactorer", "say": { "status": "ok", "files": [] } },
        ]);
        sandbox.scripted(&calls, &["--proof", "off"])
    }
}

#[test]
fn ac_tdd_8_103_a_module_of_tests_holds_what_it_held() {
    let id = Some("src/lib.rs::tests::formats");
    let shadow =
        ("use super::*;\n", "use super::*;\n\nfn format(_: u32) -> &'static str {\n    \"2,50\"\n}\n");
    Place::Inside.run(&with_comma(), id, shadow).expect(1).says(&["may not change", "src/lib.rs"]);
}

fn with_comma() -> String {
    TESTS.replace("2.50", "2,50")
}

const SAME: (&str, &str) = ("", "");

#[test]
fn ac_tdd_8_103_a_test_inside_a_source_is_superseded() {
    left_to_the_night!();
    let id = "src/lib.rs::tests::formats";
    Place::Inside.run(&with_comma(), Some(id), SAME).expect(0);
    // Without a word of it, with another test that is weaker, and with code beside it.
    let refused = Place::Inside.run(&with_comma(), None, SAME).expect(1);
    refused.says(&["is not named in `supersedes:`", id]);
    let weaker = with_comma().replace("format(0).len(), 4", "1, 1");
    Place::Inside.run(&weaker, Some(id), SAME).expect(1).says(&["src/lib.rs::tests::is_short"]);
    let beside = ("cents % 100)", "cents % 99)");
    Place::Inside.run(&with_comma(), Some(id), beside).expect(1).says(&["may not change", "src/lib.rs"]);
}

#[test]
fn ac_tdd_8_103_a_test_in_its_modules_own_file_is_superseded_by_any_of_its_names() {
    left_to_the_night!();
    for id in ["src/lib.rs::tests::formats", "src/tests.rs::formats", "src/tests.rs::tests::formats"] {
        Place::OwnFile.run(&with_comma(), Some(id), SAME).expect(0);
    }
    let weaker = with_comma().replace("format(0).len(), 4", "1, 1");
    let refused = Place::OwnFile.run(&weaker, Some("src/tests.rs::formats"), SAME).expect(1);
    refused.says(&["is not named in `supersedes:`", "src/lib.rs::tests::is_short"]);
}
