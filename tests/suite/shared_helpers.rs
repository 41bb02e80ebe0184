//! Helpers that the tests of a criterion share: what is missing in one is missing to the tests.

use serde_json::json;

use super::sandbox::{Ran, Sandbox};

const HELPER: &str =
    "use shop::double;\n\npub fn check(x: i32, want: i32) {\n    assert_eq!(double(x), want);\n}\n";
const BY_HELPER: &str = "mod common;\n\n#[test]\nfn doubles_three() {\n    common::check(3, 6);\n}\n";
const BY_BOTH: &str = "mod common;\n\nuse shop::double;\n\n#[test]\nfn doubles_three() {\n    common::check(3, 6);\n}\n\n#[test]\nfn doubles_four() {\n    assert_eq!(double(4), 8);\n}\n";
/// Loads no more than the others, and would pass with any code that has a `double`.
const HOLLOW: &str = "mod common;\n\n#[test]\nfn doubles_three() {\n    let _ = common::check;\n    assert_eq!(3 + 3, 6);\n}\n";

fn run(test: &str, helper: &str) -> (Sandbox, Ran) {
    let sandbox = Sandbox::with(&[
        (".gitignore", "/target\n"),
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
        ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
        ("src/lib.rs", "pub fn one() -> i32 {\n    1\n}\n"),
        ("tests/old.rs", "#[test]\nfn old() {\n    assert_eq!(shop::one(), 1);\n}\n"),
        ("tdd.yaml", "test: cargo test --offline\nbudgets: { semantic: 1, format: 1 }\n"),
        ("specs/frs/STE-1.md", "# Double\n\n## Acceptance Criteria\n\n- AC-STE-1.1: double(x) is twice x.\n"),
    ]);
    let code = "pub fn one() -> i32 {\n    1\n}\n\npub fn double(x: i32) -> i32 {\n    2 * x\n}\n";
    let calls = json!([
        {
            "role": "test-writer", "write": { "tests/common/mod.rs": helper, "tests/ac_ste_1_1.rs": test },
            "say": { "status": "ok", "files": ["tests/common/mod.rs", "tests/ac_ste_1_1.rs"] },
        },
        {
            "role": "implementer", "write": { "src/lib.rs": code },
            "say": { "status": "ok", "files": ["src/lib.rs"] },
        },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    std::fs::write(sandbox.beside("cassette.json"), calls.to_string()).unwrap();
    let cassette = sandbox.beside("cassette.json").to_string_lossy().into_owned();
    let ran = sandbox.tdd(&["STE-1", "--agent", "scripted", "--no-review", "--cassette", &cassette]);
    (sandbox, ran)
}

#[test]
fn ac_tdd_8_64_what_a_shared_helper_of_cargo_lacks_is_missing_to_the_tests_that_it_keeps_from_loading() {
    for test in [BY_HELPER, BY_BOTH] {
        let (sandbox, ran) = run(test, HELPER);
        ran.expect(0);
        assert_eq!(sandbox.read("tests/common/mod.rs"), HELPER);
    }
}

#[test]
fn a_shared_helper_makes_no_red_of_tests_that_ask_for_nothing() {
    // A helper that does not compile whatever the code does, and tests that only look as if they needed one.
    let broken = HELPER.replace("use shop::double;\n", "use shop::one as double;\nlet x = 1;\n");
    for (test, helper) in [(BY_HELPER, broken.as_str()), (HOLLOW, HELPER)] {
        let (_, ran) = run(test, helper);
        let ran = ran.expect(1);
        assert!(ran.stdout.contains("failure mode: A"), "{}", ran.stdout);
    }
}
