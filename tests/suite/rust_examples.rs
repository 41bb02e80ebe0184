//! Examples in the documentation of a library of Rust, and its tests inside sources: superseded, moved, taken away.

use serde_json::{Value, json};

use super::battery;
use super::sandbox::{Ran, Sandbox};

const DOCUMENTED: &str = "/// Adds prices.\n///\n/// ```\n/// assert_eq!(till::total(&[1, 2]), 3);\n/// ```\n\
    pub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum()\n}\n\n\
    /// ```\n/// assert_eq!(till::most(&[1, 2]), 2);\n/// ```\n\
    pub fn most(prices: &[u32]) -> u32 {\n    prices.iter().copied().max().unwrap_or(0)\n}\n\n\
    #[cfg(test)]\nmod tests {\n    #[test]\n    fn none() {\n        assert_eq!(super::total(&[]), 0);\n    }\n}\n";

/// A library of Rust whose totals come to be rounded up to tens, and the documentation that the test-writer leaves.
fn play_documented(documented: &str, named: &[&str]) -> Ran {
    play_refactored(documented, named, &json!({}))
}

/// The same where a refactorer leaves these files.
fn play_refactored(documented: &str, named: &[&str], left: &Value) -> Ran {
    let sandbox = Sandbox::with(&[
        (".gitignore", "target/\n"),
        ("Cargo.toml", "[package]\nname = \"till\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        ("Cargo.lock", "version = 3\n\n[[package]]\nname = \"till\"\nversion = \"0.1.0\"\n"),
        ("src/lib.rs", DOCUMENTED),
        ("tdd.yaml", "test: cargo test --offline -q\nbudgets: { semantic: 1, format: 0 }\n"),
        ("specs/frs/STE-1.md", "# Till\n\n## Acceptance Criteria\n\n- AC-STE-1.1: totals are tens.\n"),
    ]);
    sandbox.commit();
    let test = "#[test]\nfn tens() {\n    assert_eq!(till::total(&[1, 2]), 10);\n    \
        assert_eq!(till::total(&[20]), 20);\n}\n";
    let done = documented.replace("prices.iter().sum()", "prices.iter().sum::<u32>().div_ceil(10) * 10");
    let ids: Vec<String> = named.iter().map(|name| format!("src/lib.rs::doctest of {name}")).collect();
    let files = ["tests/ac_ste_1_1.rs", "src/lib.rs"];
    let moved: Vec<&String> = left.as_object().into_iter().flat_map(|left| left.keys()).collect();
    let say = json!({ "status": "ok", "files": files, "supersedes": { "AC-STE-1.1": ids } });
    let calls = json!([
        { "role": "test-writer", "write": { files[0]: test, files[1]: documented }, "say": say },
        { "role": "implementer", "write": { files[1]: done }, "say": { "status": "ok", "files": [files[1]] } },
        { "role": "refactorer", "write": left, "say": { "status": "ok", "files": moved } },
    ]);
    sandbox.scripted(&calls, &battery::proof("quick"))
}

#[test]
fn ac_tdd_8_154_a_function_moves_with_its_tests_and_its_example() {
    left_to_the_night!();
    let tens = "prices.iter().sum::<u32>().div_ceil(10) * 10";
    let total = DOCUMENTED.replace("(till::total(&[1, 2]), 3)", "(till::total(&[1, 2]), 10)");
    let done = total.replace("prices.iter().sum()", tens);
    let at = (done.find("/// ```\n/// assert_eq!(till::most").unwrap(), done.find("#[cfg(test)]").unwrap());
    let (most, sums) = (&done[at.0..at.1], [&done[..at.0], &done[at.1..]].concat());
    let files = |lib: &str| json!({ "src/lib.rs": format!("mod sums;\n{lib}\n{most}"), "src/sums.rs": sums });
    play_refactored(&total, &["total #1"], &files("pub use sums::total;\n")).expect(0);
    let other =
        "pub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum::<u32>().div_ceil(10).max(1) * 10\n}\n";
    play_refactored(&total, &["total #1"], &files(other))
        .expect(1)
        .says(&["a test inside this source was added, changed or removed, or looks at something else now: src/sums.rs"]);
}

#[test]
fn ac_tdd_8_155_an_example_that_is_taken_away_is_answered_for_by_a_test_elsewhere() {
    left_to_the_night!();
    let without = DOCUMENTED.replace("/// ```\n/// assert_eq!(till::total(&[1, 2]), 3);\n/// ```\n", "");
    play_documented(&without, &["total #1"]).expect(0);
}

#[test]
fn ac_tdd_8_141_an_example_in_rusts_documentation_is_superseded_like_a_test() {
    let tens = DOCUMENTED.replace("(till::total(&[1, 2]), 3)", "(till::total(&[1, 2]), 10)");
    play_documented(&tens, &["total #1"]).expect(0);
    left_to_the_night!();
    let changed = "an existing test was changed and is not named in `supersedes:`: src/lib.rs::doctest of";
    play_documented(&tens, &[]).expect(1).says(&[&format!("{changed} total #1")]);
    // Nobody asked for the other one.
    let weaker = tens.replace("assert_eq!(till::most(&[1, 2]), 2)", "till::most(&[1, 2])");
    play_documented(&weaker, &["total #1"]).expect(1).says(&[&format!("{changed} most #1")]);
}
