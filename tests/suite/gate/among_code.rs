//! Tests that stand among the code of a file that is claimed for them.

use serde_json::json;

use super::ways_around::shell;
use super::{claims, edits, hook, red, stops};
use crate::sandbox::Sandbox;

const ID: &str = "src/lib.rs::tests::two";
const CODE: &str = "pub fn double(x: i32) -> i32 {\n    x\n}\n";
const TESTS: &str = "\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn zero() {\n        \
                     assert_eq!(double(0), 0);\n    }\n\n    #[test]\n    fn two() {\n        assert_eq!(double(2), 4);\n    }\n}\n";
const GREEN: &str = "pub fn double(x: i32) -> i32 {\n    x + x\n}\n";

/// A crate with a red test, and a claim on the file that both are in.
fn claimed() -> Sandbox {
    let sandbox = project(&format!("{CODE}{TESTS}"));
    red(&sandbox, ID);
    claims(&sandbox, ID, "src/lib.rs");
    sandbox
}

/// A session in a crate of this source.
fn project(source: &str) -> Sandbox {
    let manifest = "[package]\nname = \"k\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let lock = "version = 3\n\n[[package]]\nname = \"k\"\nversion = \"0.1.0\"\n";
    let sandbox = Sandbox::with(&[
        ("Cargo.toml", manifest),
        ("Cargo.lock", lock),
        (".gitignore", "target\n"),
        ("tdd.yaml", "test: cargo test --offline\n"),
        ("src/lib.rs", source),
    ]);
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    sandbox
}

#[test]
fn ac_tdd_10_47_a_test_in_the_claimed_file_is_protected_to_the_green() {
    left_to_the_night!();
    let sandbox = claimed();
    let whole = format!("{CODE}{TESTS}");
    for cheat in [
        whole.replace("double(2), 4", "double(2), 2"),
        whole.replace("double(0), 0", "1, 1"),
        whole.replace("    #[test]\n    fn two", "    #[test]\n    #[ignore]\n    fn two"),
        whole.replace("#[cfg(test)]\n", ""),
        CODE.to_owned(),
        format!("{whole}\n#[cfg(test)]\npub fn help() {{}}\n"),
    ] {
        edits(&sandbox, "src/lib.rs", &cheat)
            .expect(2)
            .says(&["src/lib.rs refused: it changes", "protected until"]);
        assert_eq!(sandbox.read("src/lib.rs"), whole);
    }
    // By a shell, with an edit of the code in the same call.
    shell(&sandbox, "sed -i 's/double(0), 0/1, 1/; s/^    x$/    x + 0/' src/lib.rs")
        .expect(2)
        .says(&["it changes tests", "taken back"]);
    shell(&sandbox, "rm src/lib.rs").expect(2);
    assert_eq!(sandbox.read("src/lib.rs"), whole);
    // Refactor mode does not open them, either.
    sandbox.tdd(&["gate", "refactor", "on", "--why", "x"]).expect(0);
    edits(&sandbox, "src/lib.rs", &whole.replace("double(2), 4", "double(2), 2")).expect(2);
    let sandbox = claimed();
    // The code is edited, the tests may be formatted and have others beside them, and all of it is green.
    let green = format!("{GREEN}{TESTS}").replace("double(2), 4", "double( 2 ),\n            4");
    edits(&sandbox, "src/lib.rs", &green).expect(0);
    let more = green.replace(
        "    #[test]\n    fn two",
        "    #[test]\n    fn one() {\n        assert_eq!(double(1), 3);\n    }\n\n    #[test]\n    fn two",
    );
    edits(&sandbox, "src/lib.rs", &more).expect(0);
    let mended = more.replace("double(1), 3", "double(1), 2");
    edits(&sandbox, "src/lib.rs", &mended).expect(0);
    sandbox.tdd(&["gate", "flush"]).expect(0).says_on_stdout(&["1 green"]);
    assert_eq!(sandbox.read("src/lib.rs"), mended);
    stops(&sandbox).expect(0);
}

#[test]
fn ac_tdd_10_54_tests_among_the_code_follow_a_new_name_and_are_not_weakened() {
    left_to_the_night!();
    let sandbox = project(&format!("{GREEN}{TESTS}"));
    let off = || sandbox.tdd(&["gate", "refactor", "off"]);
    sandbox.tdd(&["gate", "refactor", "on", "--why", "rename"]).expect(0);
    shell(&sandbox, "sed -i 's/double/twice/' src/lib.rs").expect(0);
    off().expect(0).says_on_stdout(&["refactor mode is off"]);
    sandbox.tdd(&["gate", "refactor", "on", "--why", "tidy"]).expect(0);
    shell(&sandbox, "sed -i 's/x + x/x + 3/; s/, 0)/, 3)/; s/, 4)/, 5)/' src/lib.rs").expect(0);
    off().expect(1).says_on_stdout(&["stays on", "tests among the code were changed: tests in src/lib.rs"]);
}

#[test]
fn ac_tdd_10_55_code_shows_tests_no_other_face() {
    left_to_the_night!();
    let whole = format!("{CODE}{TESTS}");
    for (script, told) in [
        (
            "sed -i 's/^    x$/    if cfg!(test) { 2 * x } else { x }/' src/lib.rs",
            "built in another way for tests",
        ),
        (
            "sed -i '1i macro_rules! assert_eq { ($($t:tt)*) => {{}} }' src/lib.rs",
            "gives the name of an assertion another meaning",
        ),
    ] {
        let sandbox = claimed();
        shell(&sandbox, script).expect(0);
        stops(&sandbox).expect(2).says(&[told, "taken back: src/lib.rs"]);
        assert_eq!(sandbox.read("src/lib.rs"), whole);
        // It was green for a wrong reason, and is seen red before it is claimed again.
        red(&sandbox, ID);
        let sandbox = project(&format!("{GREEN}{TESTS}"));
        sandbox.tdd(&["gate", "refactor", "on", "--why", "x"]).expect(0);
        shell(&sandbox, &script.replace("^    x$", "^    x + x$")).expect(0);
        sandbox.tdd(&["gate", "refactor", "off"]).expect(1).says_on_stdout(&["stays on", told]);
    }
}

#[test]
fn ac_tdd_10_2_a_test_that_a_macro_makes_is_written_before_a_claim() {
    left_to_the_night!();
    let sandbox = project(&format!("{GREEN}{TESTS}"));
    let case = "    use super::*;\n\n    macro_rules! case {\n        ($n:ident, $a:expr, $b:expr) => {\n            \
                #[test]\n            fn $n() {\n                assert_eq!(double($a), $b);\n            }\n        };\n    }\n    \
                case!(five, 5, 11);\n";
    let whole = format!("{GREEN}{TESTS}");
    let with_case = whole.replace("    use super::*;\n", case);
    edits(&sandbox, "src/lib.rs", &with_case.replace("x + x", "x + 6")).expect(2).says(&["no red test"]);
    edits(&sandbox, "src/lib.rs", &with_case.replace("double(2), 4", "double(2), 5")).expect(2);
    edits(&sandbox, "src/lib.rs", &with_case).expect(0);
    red(&sandbox, "src/lib.rs::tests::five");
    // What nobody has claimed yet is mended, and seen by a shell's look alike.
    shell(&sandbox, "sed -i 's/five, 5, 11/five, 5, 12/' src/lib.rs").expect(0);
    red(&sandbox, "src/lib.rs::tests::five");
    claims(&sandbox, "src/lib.rs::tests::five", "src/lib.rs");
    shell(&sandbox, "sed -i 's/five, 5, 12/five, 5, 10/' src/lib.rs").expect(2).says(&["protected until"]);
}
