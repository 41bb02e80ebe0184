//! Tests of compiled languages, held out: a file that lacks what only a hidden test uses may not compile.

use serde_json::{Value, json};

use super::honest::Play;

const MANIFEST: &str = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
const ONE: &str = "pub fn one() -> u32 {\n    1\n}\n";
const OLD: &str = "#[test]\nfn one_is_one() {\n    assert_eq!(shop::one(), 1);\n}\n";
const HONEST: &str = "printf '\\npub fn double(x: u32) -> u32 {\\n    2 * x\\n}\\n' >> src/lib.rs";
/// Knows what the tests that it can see expect.
const LOOKUP: &str = r#"
python3 -c '
import glob, re
known = re.findall(r"double\((\d+)\), (\d+)", "".join(open(name).read() for name in glob.glob("tests/ac*")))
arms = "".join(f"        {x} => {y},\n" for x, y in known)
open("src/lib.rs", "a").write("\npub fn double(x: u32) -> u32 {\n    match x {\n" + arms + "        _ => 0,\n    }\n}\n")
'"#;

/// A method for each test: one that no test calls is an error. An import goes with the test that needs it.
const METHODS: &str = "#![deny(warnings)]\n\nstruct Of;\n\n#[allow(non_snake_case)]\nimpl Of {\n    fn BTreeSet() {}\n    fn HashSet() {}\n}\n\n";

/// A crate, in `audit`: what is watched there is not read-only. Each test has an import of its own.
fn crate_of(head: &str, attempts: u8, implementer: &str) -> (Play, Value) {
    let test = |x: u32, kind: &str| {
        let own = if head.is_empty() { String::new() } else { format!("    Of::{kind}();\n") };
        format!(
            "\n#[test]\nfn doubles_{x}() {{\n{own}    assert_eq!({kind}::from([double({x}), {y}]).len(), 1);\n    \
             assert_eq!(double({x}), {y});\n}}\n",
            y = 2 * x
        )
    };
    let source = format!(
        "{head}use std::collections::{{BTreeSet, HashSet}};\n\nuse shop::double;\n{}{}",
        test(11, "BTreeSet"),
        test(31, "HashSet")
    );
    let tests = json!({ "tests/ac_ste_1_1.rs": source });
    let files = [
        (".gitignore", "target/\n"),
        ("Cargo.toml", MANIFEST),
        ("Cargo.lock", "version = 3\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
        ("src/lib.rs", ONE),
        ("tests/old.rs", OLD),
    ];
    let settings = format!(
        "test: cargo test --offline\nsandbox: audit\nproof: off\nbudgets: {{ semantic: {attempts}, format: 0 }}\n"
    );
    (Play::of(&files, &settings, &tests, &[implementer, "true"]), tests)
}

#[test]
fn ac_tdd_8_58_honest_work_is_not_blamed_for_what_was_built_in_a_checkout_before() {
    left_to_the_night!();
    // What is shown would not compile alone, so nothing is parted, which is found out in a checkout.
    let (play, tests) = crate_of(METHODS, 1, HONEST);
    play.run(&[]).expect(0);
    play.assert_back(&tests);
    assert!(play.parted()["none"].as_str().is_some_and(|why| why.contains("alone")), "{}", play.parted());
    // The second attempt comes after the first was judged in a checkout.
    let script = format!(
        "if grep -q double src/lib.rs; then sed -i '/^$/,$d' src/lib.rs; {HONEST}; else {LOOKUP}; fi"
    );
    let (play, tests) = crate_of("", 2, &script);
    let ran = play.run(&[]).expect(0);
    assert!(ran.stderr.contains("that are held out are not green"), "{}", ran.stderr);
    play.assert_back(&tests);
}

#[test]
fn ac_tdd_8_58_work_that_knows_what_is_shown_or_rewrites_a_test_is_blamed_all_the_same() {
    left_to_the_night!();
    let (play, _) = crate_of("", 1, LOOKUP);
    let ran = play.run(&[]).expect(1);
    assert!(ran.stderr.contains("that are held out are not green"), "{}", ran.stderr);
    // What it writes is what was there.
    let rewrites = "printf '\\npub fn double(x: u32) -> u32 {\\n    let old = std::fs::read(\"tests/old.rs\").unwrap();\\n    \
                    std::fs::write(\"tests/old.rs\", old).unwrap();\\n    2 * x\\n}\\n' >> src/lib.rs";
    let (play, _) = crate_of("", 1, rewrites);
    let ran = play.run(&[]).expect(1);
    assert!(ran.stdout.contains("a protected file was changed: tests/old.rs"), "{}", ran.stdout);
}
