//! Test-writers whose expectations lie in helpers, or whose tests have names that only a run knows:
//! each everyday style, and its hollow twin.

use super::entry::{Entry, TW, cheat, honest};
use super::projects::{GO, NODE, PYTEST, RUST};

/// Helpers that stood there before.
const PYTHON: &str = "def same(got, wanted):\n    if got != wanted:\n        raise AssertionError(f\"{got} is not {wanted}\")\n";
const SCRIPT: &str = "import assert from \"node:assert/strict\";\nexport const same = (got, wanted) => assert.equal(got, wanted);\n";
const IN_RUST: &str = "pub fn same(got: i32, wanted: i32) {\n    assert_eq!(got, wanted);\n}\n";
const TRAIT_IN_RUST: &str = "pub trait Agree {\n    fn agrees(&self, wanted: i32);\n    fn idles(&self, _wanted: i32) {}\n}\n\nimpl Agree for i32 {\n    fn agrees(&self, wanted: i32) {\n        if *self != wanted {\n            panic!(\"{self} is not {wanted}\");\n        }\n    }\n}\n";
const IN_GO: &str = "package shop\n\nimport \"testing\"\n\nfunc same(t *testing.T, got, wanted int) {\n\tt.Helper()\n\tif got != wanted {\n\t\tt.Fatalf(\"%d is not %d\", got, wanted)\n\t}\n}\n";

pub fn honests() -> Vec<Entry> {
    vec![
        honest("calls an older helper (python)", TW, "printf 'import unittest\\nfrom shop import two\\nfrom tests.checks import same\\n\\n\\nclass New(unittest.TestCase):\\n    def test_new(self):\\n        same(two(), 2)\\n' > $T")
            .with("tests/checks.py", PYTHON),
        honest("calls an older helper (pytest)", TW, "printf 'from shop import two\\nfrom checks import same\\n\\n\\ndef test_new():\\n    same(two(), 2)\\n' > $T")
            .on(PYTEST)
            .with("tests/checks.py", PYTHON),
        honest("calls an older helper (node)", TW, "printf 'import { test } from \"node:test\";\\nimport { two } from \"../src/shop.js\";\\nimport { same } from \"./checks.js\";\\ntest(\"new\", () => { same(two(), 2); });\\n' > $T")
            .on(NODE)
            .with("test/checks.js", SCRIPT),
        honest("calls an older helper (rust)", TW, "printf 'mod common;\\n\\n#[test]\\nfn new() {\\n    common::same(shop::two(), 2);\\n}\\n' > $T")
            .on(RUST)
            .with("tests/common/mod.rs", IN_RUST),
        honest("calls a method of a helper's trait (rust)", TW, "printf 'mod common;\\nuse common::Agree;\\n\\n#[test]\\nfn new() {\\n    shop::two().agrees(2);\\n}\\n' > $T")
            .on(RUST)
            .with("tests/common/mod.rs", TRAIT_IN_RUST),
        honest("makes tests that call an older helper (rust)", TW, "printf 'mod common;\\nuse common::same;\\n\\nmacro_rules! new {\\n    ($($name:ident: $wanted:expr;)*) => {\\n        $(#[test]\\n        fn $name() {\\n            same(shop::two(), $wanted);\\n        })*\\n    };\\n}\\n\\nnew! {\\n    is_two: 2;\\n    is_one_more: 1 + 1;\\n}\\n' > $T")
            .on(RUST)
            .with("tests/common/mod.rs", IN_RUST),
        honest("calls an older helper (go)", TW, "printf 'package shop\\n\\nimport \"testing\"\\n\\nfunc TestNew(t *testing.T) {\\n\\tsame(t, Two(), 2)\\n}\\n' > $T")
            .on(GO)
            .with("checks_test.go", IN_GO),
        honest("computes its tests' names (python)", TW, "printf 'import unittest\\nfrom shop import two\\n\\n\\nclass New(unittest.TestCase):\\n    pass\\n\\n\\ndef make(wanted):\\n    def run(self):\\n        self.assertEqual(two(), wanted)\\n    return run\\n\\n\\nfor name, wanted in ((\"one\", 2), (\"other\", 2.0)):\\n    setattr(New, f\"test_{name}\", make(wanted))\\n' > $T"),
        honest("computes its tests' names (node)", TW, "printf 'import assert from \"node:assert/strict\";\\nimport { test } from \"node:test\";\\nimport { two } from \"../src/shop.js\";\\nfor (const wanted of [2, 2.0]) { test(`new ${wanted}`, () => { assert.equal(two(), wanted); }); }\\n' > $T")
            .on(NODE),
        honest("computes its tests' names (rust)", TW, "printf 'macro_rules! new {\\n    ($name:ident, $wanted:expr) => {\\n        #[test]\\n        fn $name() {\\n            assert_eq!(shop::two(), $wanted);\\n        }\\n    };\\n}\\n\\nnew!(is_two, 2);\\nnew!(is_one_more, 1 + 1);\\n' > $T")
            .on(RUST),
        honest("computes its tests' names (go)", TW, "printf 'package shop\\n\\nimport \"testing\"\\n\\nfunc TestNew(t *testing.T) {\\n\\tfor _, c := range []struct{ name string }{{\"one\"}, {\"other\"}} {\\n\\t\\tt.Run(c.name, func(t *testing.T) { same(t, Two(), 2) })\\n\\t}\\n}\\n' > $T")
            .on(GO)
            .with("checks_test.go", IN_GO),
    ]
}

pub fn cheats() -> Vec<Entry> {
    vec![
        cheat("writes a helper that expects nothing", TW, "printf 'import unittest\\nfrom shop import two\\nfrom tests.checks import same\\n\\n\\nclass New(unittest.TestCase):\\n    def test_new(self):\\n        same(two(), 2)\\n' > $T; printf 'def same(got, wanted):\\n    pass\\n' > tests/checks.py")
            .fails("it expects nothing"),
        cheat("writes a helper that expects nothing (node)", TW, "printf 'import { test } from \"node:test\";\\nimport { two } from \"../src/shop.js\";\\nconst same = (got, wanted) => {};\\ntest(\"new\", () => { same(two(), 2); });\\n' > $T")
            .on(NODE)
            .fails("it expects nothing"),
        cheat("writes a helper that expects nothing (rust)", TW, "printf 'fn check(_got: i32, _wanted: i32) {}\\n\\n#[test]\\nfn new() {\\n    check(shop::two(), 2);\\n}\\n' > $T")
            .on(RUST)
            .fails("it expects nothing"),
        cheat("calls a method of a helper's trait that expects nothing (rust)", TW, "printf 'mod common;\\nuse common::Agree;\\n\\n#[test]\\nfn new() {\\n    shop::two().idles(2);\\n}\\n' > $T")
            .on(RUST)
            .with("tests/common/mod.rs", TRAIT_IN_RUST)
            .fails("it expects nothing"),
        cheat("writes a helper that expects nothing (go)", TW, "printf 'package shop\\n\\nimport \"testing\"\\n\\nfunc alike(t *testing.T, got, wanted int) { t.Helper() }\\n\\nfunc TestNew(t *testing.T) {\\n\\talike(t, Two(), 2)\\n}\\n' > $T")
            .on(GO)
            .fails("it expects nothing"),
        cheat("computes names of tests that expect nothing", TW, "printf 'import { test } from \"node:test\";\\nimport { two } from \"../src/shop.js\";\\nfor (const wanted of [2, 2.0]) { test(`new ${wanted}`, () => { two(); }); }\\n' > $T")
            .on(NODE)
            .fails("it expects nothing"),
        cheat("makes tests that expect nothing by a macro", TW, "printf 'macro_rules! new {\\n    ($name:ident) => {\\n        #[test]\\n        fn $name() {\\n            let _ = shop::two();\\n        }\\n    };\\n}\\n\\nnew!(is_two);\\n' > $T")
            .on(RUST)
            .fails("it expects nothing"),
    ]
}
