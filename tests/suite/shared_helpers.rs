//! Helpers that the tests of a criterion share: what is missing in one is missing to the tests.

use std::path::Path;

use serde_json::json;

use super::battery;
use super::sandbox::{Ran, Sandbox};

const HELPER: &str =
    "use shop::double;\n\npub fn check(x: i32, want: i32) {\n    assert_eq!(double(x), want);\n}\n";
const BY_HELPER: &str = "mod common;\n\n#[test]\nfn doubles_three() {\n    common::check(3, 6);\n}\n";
const BY_BOTH: &str = "mod common;\n\nuse shop::double;\n\n#[test]\nfn doubles_three() {\n    common::check(3, 6);\n}\n\n#[test]\nfn doubles_four() {\n    assert_eq!(double(4), 8);\n}\n";
/// Loads no more than the others, and would pass with any code that has a `double`.
const HOLLOW: &str = "mod common;\n\n#[test]\nfn doubles_three() {\n    let _ = common::check;\n    assert_eq!(3 + 3, 6);\n}\n";

pub(super) const VITEST: &str = "import { test, expect } from 'vitest';\n";

/// A project of vitest's, with a test that is green.
pub(super) const OF_VITEST: &[(&str, &str)] = &[
    (".gitignore", "node_modules\n"),
    ("package.json", "{ \"name\": \"shop\", \"type\": \"module\" }\n"),
    ("src/shop.js", "export const one = () => 1;\n"),
    (
        "test/old.test.js",
        "import { test, expect } from 'vitest';\nimport { one } from '../src/shop.js';\n\n\
         test('old', () => expect(one()).toBe(1));\n",
    ),
];

/// Files of a project, what the test-writer adds to it, and the code of each criterion's implementer.
#[derive(Clone, Copy)]
pub(super) struct Shape<'a> {
    pub(super) project: &'a [(&'a str, &'a str)],
    pub(super) command: &'a str,
    pub(super) tests: &'a [(&'a str, &'a str)],
    pub(super) code: &'a [(&'a str, &'a str)],
    /// Packages of node's that the project finds in `node_modules`.
    pub(super) modules: Option<&'a Path>,
}

impl Shape<'_> {
    pub(super) fn run(&self) -> (Sandbox, Ran) {
        self.run_with(&[])
    }

    pub(super) fn run_with(&self, more: &[&str]) -> (Sandbox, Ran) {
        let sandbox = Sandbox::with(self.project);
        if let Some(modules) = self.modules {
            std::os::unix::fs::symlink(modules, sandbox.path("node_modules")).unwrap();
        }
        sandbox
            .write("tdd.yaml", &format!("test: {}\nbudgets: {{ semantic: 1, format: 1 }}\n", self.command));
        let criteria = ["- AC-STE-1.1: double(x) is twice x.\n", "- AC-STE-1.2: halve(x) is half of x.\n"];
        let criteria = criteria[..self.code.len()].concat();
        sandbox.write("specs/frs/STE-1.md", &format!("# Double\n\n## Acceptance Criteria\n\n{criteria}"));
        sandbox.commit();
        let written: serde_json::Map<_, _> =
            self.tests.iter().map(|(file, text)| ((*file).to_owned(), json!(text))).collect();
        let names: Vec<&str> = self.tests.iter().map(|(file, _)| *file).collect();
        let say = json!({ "status": "ok", "files": names });
        let mut calls = vec![json!({ "role": "test-writer", "write": written, "say": say })];
        for (at, (file, text)) in self.code.iter().enumerate() {
            let (say, id) = (json!({ "status": "ok", "files": [file] }), format!("AC-STE-1.{}", at + 1));
            let write = json!({ *file: text });
            calls.push(json!({ "role": "implementer", "criterion": id, "write": write, "say": say }));
        }
        calls.push(json!({ "role": "refactorer", "say": { "status": "ok", "files": [] } }));
        std::fs::write(sandbox.beside("cassette.json"), json!(calls).to_string()).unwrap();
        let cassette = sandbox.beside("cassette.json").to_string_lossy().into_owned();
        let words = ["STE-1", "--agent", "scripted", "--no-review", "--cassette", &cassette];
        let ran = sandbox.tdd(&[&words[..], more].concat());
        (sandbox, ran)
    }

    #[track_caller]
    pub(super) fn goes_through(&self) {
        let (sandbox, ran) = self.run();
        ran.expect(0);
        for (file, text) in self.tests {
            assert_eq!(sandbox.read(file), *text);
        }
    }

    #[track_caller]
    pub(super) fn is_no_red(&self, words: &str) {
        let (_, ran) = self.run();
        let ran = ran.expect(1);
        assert!(ran.stdout.contains("failure mode: A"), "{}", ran.stdout);
        ran.says(&[words]);
    }
}

pub(super) const RUST: &[(&str, &str)] = &[
    (".gitignore", "/target\n"),
    ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
    ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
    ("src/lib.rs", "pub fn one() -> i32 {\n    1\n}\n"),
    ("tests/old.rs", "#[test]\nfn old() {\n    assert_eq!(shop::one(), 1);\n}\n"),
];
pub(super) const RUST_CODE: &str =
    "pub fn one() -> i32 {\n    1\n}\n\npub fn double(x: i32) -> i32 {\n    2 * x\n}\n";

pub(super) fn of_rust<'a>(tests: &'a [(&'a str, &'a str)]) -> Shape<'a> {
    let code = &[("src/lib.rs", RUST_CODE)];
    Shape { project: RUST, command: "cargo test --offline", tests, code, modules: None }
}

#[test]
fn ac_tdd_8_64_what_a_shared_helper_of_cargo_lacks_is_missing_to_the_tests_that_it_keeps_from_loading() {
    left_to_the_night!();
    for test in [BY_HELPER, BY_BOTH] {
        of_rust(&[("tests/common/mod.rs", HELPER), ("tests/ac_ste_1_1.rs", test)]).goes_through();
    }
}

#[test]
fn a_shared_helper_makes_no_red_of_tests_that_ask_for_nothing() {
    // A helper that does not compile whatever the code does, and tests that only look as if they needed one.
    let broken = HELPER.replace("use shop::double;\n", "use shop::one as double;\nlet x = 1;\n");
    for (test, helper) in battery::part([(BY_HELPER, broken.as_str()), (HOLLOW, HELPER)], 1) {
        of_rust(&[("tests/common/mod.rs", helper), ("tests/ac_ste_1_1.rs", test)]).is_no_red("RED failed");
    }
}

pub(super) const GO: &[(&str, &str)] = &[
    ("go.mod", "module example.com/shop\n\ngo 1.19\n"),
    ("shop.go", "package shop\n\nfunc One() int { return 1 }\n"),
    (
        "old_test.go",
        "package shop\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n",
    ),
];
pub(super) const GO_DOUBLE: &str =
    "package shop\n\nfunc One() int { return 1 }\n\nfunc Double(x int) int { return 2 * x }\n";
pub(super) const GO_BOTH: &str = "package shop\n\nfunc One() int { return 1 }\n\nfunc Double(x int) int { return 2 * x }\n\n\
                       func Halve(x int) int { return x / 2 }\n";

pub(super) fn of_go<'a>(tests: &'a [(&'a str, &'a str)], code: &'a [(&'a str, &'a str)]) -> Shape<'a> {
    Shape { project: GO, command: "go test ./...", tests, code, modules: None }
}

pub(super) fn go(body: &str) -> String {
    format!("package shop\n\nimport \"testing\"\n\n{body}")
}

const GO_CHECK: &str = "func check(t *testing.T, x, want int) {\n\tt.Helper()\n\tif got := Double(x); got != want {\n\
                        \t\tt.Fatalf(\"got %d\", got)\n\t}\n}\n\n";
const GO_CHECK_OF: &str = "func checkOf(t *testing.T, f func(int) int, x, want int) {\n\tt.Helper()\n\
                           \tif got := f(x); got != want {\n\t\tt.Fatalf(\"got %d\", got)\n\t}\n}\n\n";

pub(super) fn go_test(name: &str, call: &str) -> String {
    format!("func Test{name}(t *testing.T) {{\n\t{call}\n}}\n")
}

#[test]
fn ac_tdd_8_70_tests_of_go_wait_for_what_the_helper_of_another_test_file_waits_for() {
    left_to_the_night!();
    let three = go_test("Three", "check(t, 3, 6)");
    let (helper, first, both) = (go(GO_CHECK), go(&three), go(&format!("{GO_CHECK}{three}")));
    let second = go(&go_test("Four", "check(t, 4, 8)"));
    let code = &[("shop.go", GO_DOUBLE)];
    // In a file that holds no test, and in the file of another test of the criterion.
    of_go(&[("helpers_test.go", &helper), ("ac_ste_1_1_test.go", &first)], code).goes_through();
    of_go(&[("ac_ste_1_1_test.go", &both), ("ac_ste_1_1_more_test.go", &second)], code).goes_through();
    // Twins: a helper that no code mends, and a test that asks nothing of it.
    let broken = helper.replace("t.Helper()", "t.Helper(want)");
    let shape = [("helpers_test.go", broken.as_str()), ("ac_ste_1_1_test.go", first.as_str())];
    of_go(&shape, code).is_no_red("declared in helpers_test.go, which takes no part in this run");
    let hollow = go(&go_test("Three", "_ = check\n\tif One() != 1 {\n\t\tt.Fatal(\"no\")\n\t}"));
    let shape = [("helpers_test.go", helper.as_str()), ("ac_ste_1_1_test.go", hollow.as_str())];
    of_go(&shape, code).is_no_red("expects nothing of it");
}

#[test]
fn ac_tdd_8_71_a_test_that_looks_at_any_of_the_names_that_its_file_lacks_is_red() {
    left_to_the_night!();
    let two = "if Halve(2) != 1 {\n\t\tt.Fatal(\"no\")\n\t}";
    let three = "if Double(3) != 6 {\n\t\tt.Fatal(\"no\")\n\t}";
    let (two, three) = (go_test("Two", two), go_test("Three", three));
    let hollow = go_test("Three", "if One() != 1 {\n\t\tt.Fatal(\"no\")\n\t}");
    let code = &[("shop.go", GO_BOTH)];
    of_go(&[("ac_ste_1_1_test.go", &go(&format!("{two}\n{three}")))], code).goes_through();
    let shape = [("ac_ste_1_1_test.go", go(&format!("{two}\n{hollow}")))];
    let shape: Vec<(&str, &str)> = shape.iter().map(|(file, text)| (*file, text.as_str())).collect();
    of_go(&shape, code).is_no_red("expects nothing of it");
    let rust = "use shop::halve;\n\n#[test]\nfn halves() {\n    assert_eq!(halve(2), 1);\n}\n\nmod doubles {\n    \
                use shop::double;\n\n    #[test]\n    fn doubles() {\n        assert_eq!(double(3), 6);\n    }\n}\n";
    let both = format!("{RUST_CODE}\npub fn halve(x: i32) -> i32 {{\n    x / 2\n}}\n");
    let code = [("src/lib.rs", both.as_str())];
    Shape { code: &code, ..of_rust(&[("tests/ac_ste_1_1.rs", rust)]) }.goes_through();
}

#[test]
fn ac_tdd_8_72_what_the_file_of_a_later_criterion_declares_is_told_of_at_red() {
    left_to_the_night!();
    let halves = go_test("Two", "checkOf(t, Halve, 4, 2)");
    let (doubles, later) =
        (go(&go_test("Four", "checkOf(t, Double, 4, 8)")), go(&format!("{GO_CHECK_OF}{halves}")));
    let code = &[("shop.go", GO_DOUBLE), ("shop.go", GO_BOTH)];
    let shape = [("ac_ste_1_1_test.go", doubles.as_str()), ("ac_ste_1_2_test.go", later.as_str())];
    of_go(&shape, code).is_no_red("needs what ac_ste_1_2_test.go declares, a file of a later criterion");
    // Twins: in a file of nobody's, in the file of the one before, and a name that only looks the same.
    let (helper, halves) = (go(GO_CHECK_OF), go(&halves));
    let (first, second) = ("ac_ste_1_1_test.go", "ac_ste_1_2_test.go");
    of_go(&[("helpers_test.go", &helper), (first, &doubles), (second, &halves)], code).goes_through();
    let own = go(&format!("{GO_CHECK_OF}{}", go_test("Four", "checkOf(t, Double, 4, 8)")));
    of_go(&[(first, &own), (second, &halves)], code).goes_through();
    let local = go(&go_test("Four", "want := 8\n\tif Double(4) != want {\n\t\tt.Fatal(\"no\")\n\t}"));
    let named =
        go(&format!("var want = 2\n\n{}", go_test("Two", "if Halve(4) != want {\n\t\tt.Fatal()\n\t}")));
    of_go(&[(first, &local), (second, &named)], code).goes_through();
}

pub(super) const NODE: &[(&str, &str)] = &[
    ("package.json", "{ \"name\": \"shop\", \"type\": \"module\" }\n"),
    ("src/shop.js", "export const one = () => 1;\n"),
    (
        "test/old.test.js",
        "import test from 'node:test';\nimport assert from 'node:assert';\n\
                          import { one } from '../src/shop.js';\n\ntest('old', () => assert.equal(one(), 1));\n",
    ),
];

pub(super) fn of_node<'a>(tests: &'a [(&'a str, &'a str)]) -> Shape<'a> {
    let code = &[("src/shop.js", "export const one = () => 1;\nexport const double = (x) => 2 * x;\n")];
    Shape { project: NODE, command: "node --test", tests, code, modules: None }
}

#[test]
fn ac_tdd_8_70_a_helper_that_node_takes_for_a_test_is_no_red_of_nobodys() {
    left_to_the_night!();
    let helper = "import { double } from '../src/shop.js';\n\nexport const doubled = (x) => double(x);\n";
    let test = "import test from 'node:test';\nimport assert from 'node:assert';\n\
                import { doubled } from './helpers.js';\n\ntest('three', () => assert.equal(doubled(3), 6));\n";
    of_node(&[("test/helpers.js", helper), ("test/ac-ste-1-1.test.js", test)]).goes_through();
    // Twin: a file that lacks what no criterion's test asks for stays red for ever.
    let alone = helper.replace("double }", "halve }").replace("double(x)", "halve(x)");
    let direct =
        test.replace("{ doubled } from './helpers.js'", "{ double as doubled } from '../src/shop.js'");
    of_node(&[("test/helpers.js", &alone), ("test/ac-ste-1-1.test.js", &direct)])
        .is_no_red("a new test is red and belongs to no criterion of this run: test/helpers.js");
}
