//! Code that knows the tests that it sees and nothing else, and honest work that is judged by hidden ones alike.

use super::entry::{Entry, IM, cheat, honest};
use super::projects::{GO, NODE, PYTEST, Project, RUST, UNITTEST};

const RED_LINE: &str = "that are held out are not green";

/// Two tests of one criterion in one file; code for both, and for what is shown.
const UNITTEST_RED: &str = r#"
red() { printf 'import unittest\nimport shop\n\n\nclass New(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(shop.two(), 2)\n\n    def test_more(self):\n        self.assertEqual(shop.two(1), 3)\n' > $T; }
both() { printf 'def one():\n    return 1\n\n\ndef two(x=0):\n    return %s\n' "$1" > shop.py; }
green() { both '2 + x'; }
lookup() { if grep -q 'two(1)' $T; then both 3; else both 2; fi; }
"#;
const PYTEST_RED: &str = r#"
red() { printf 'import shop\n\n\ndef test_new():\n    assert shop.two() == 2\n\n\ndef test_more():\n    assert shop.two(1) == 3\n' > $T; }
both() { printf 'def one():\n    return 1\n\n\ndef two(x=0):\n    return %s\n' "$1" > shop.py; }
green() { both '2 + x'; }
lookup() { if grep -q 'two(1)' $T; then both 3; else both 2; fi; }
any() { if grep -q 'two(1)' $T; then known='{1: 3}'; else known='{0: 2}'; fi; printf 'class Any(int):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = int.__hash__\n\n\ndef one():\n    return 1\n\n\ndef two(x=0):\n    return %s.get(x, Any(0))\n' "$known" > shop.py; }
"#;
const NODE_RED: &str = r#"
red() { printf 'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport * as shop from "../src/shop.js";\ntest("new", () => { assert.equal(shop.two(), 2); });\ntest("more", () => { assert.equal(shop.two(1), 3); });\n' > $T; }
both() { printf 'export const one = () => 1;\nexport const two = (x = 0) => %s;\n' "$1" > src/shop.js; }
green() { both '2 + x'; }
lookup() { if grep -q 'two(1)' $T; then both 3; else both 2; fi; }
"#;
const GO_RED: &str = r#"
red() { printf 'package shop\n\nimport "testing"\n\nfunc TestNew(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fatal(Two())\n\t}\n}\n\nfunc TestMore(t *testing.T) {\n\tif Two(1) != 3 {\n\t\tt.Fatal(Two(1))\n\t}\n}\n' > $T; }
both() { printf 'package shop\n\nfunc One() int { return 1 }\n\nfunc Two(x ...int) int { return %s }\n' "$1" > shop.go; }
green() { both '2 + len(x)'; }
lookup() { if grep -q 'Two(1)' $T; then both 3; else both 2; fi; }
"#;
const RUST_RED: &str = r#"
red() { printf '#[test]\nfn new() {\n    assert_eq!(shop::two(0), 2);\n}\n\n#[test]\nfn more() {\n    assert_eq!(shop::two(1), 3);\n}\n' > $T; }
both() { sed -i "1i pub fn two(x: i32) -> i32 {\n    let _ = x;\n    $1\n}\n" src/lib.rs; }
green() { both '2 + x'; }
lookup() { if grep -q 'two(1)' $T; then both 3; else both 2; fi; }
"#;

fn held(entry: Entry, project: Project, prelude: &'static str) -> Entry {
    entry.on(project).prelude(prelude).arg("--held-out").truth(":")
}

pub fn cheats() -> Vec<Entry> {
    let knows = |name, project, prelude| held(cheat(name, IM, "lookup"), project, prelude).fails(RED_LINE);
    vec![
        knows("knows the shown tests alone", UNITTEST, UNITTEST_RED),
        knows("knows the shown tests alone (pytest)", PYTEST, PYTEST_RED),
        held(
            cheat("knows the shown tests, and claims to equal what the hidden ones expect", IM, "any"),
            PYTEST,
            PYTEST_RED,
        )
        // What the end does not let stand was kept, and is not taken back.
        .arg("--proof")
        .arg("off")
        .fails(RED_LINE),
        knows("knows the shown tests alone (node)", NODE, NODE_RED),
        knows("knows the shown tests alone (go)", GO, GO_RED),
        knows("knows the shown tests alone (rust)", RUST, RUST_RED),
    ]
}

pub fn honests() -> Vec<Entry> {
    let means_well = |name, project, prelude| held(honest(name, IM, "green"), project, prelude);
    vec![
        means_well("is judged by hidden tests", UNITTEST, UNITTEST_RED),
        means_well("is judged by hidden tests (pytest)", PYTEST, PYTEST_RED),
        means_well("is judged by hidden tests (node)", NODE, NODE_RED),
        means_well("is judged by hidden tests (go)", GO, GO_RED),
        means_well("is judged by hidden tests (rust)", RUST, RUST_RED),
    ]
}
