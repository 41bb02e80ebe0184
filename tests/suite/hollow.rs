//! Tests that are red by nothing but the error of code that is not there: told as not verified, in more runners than
//! the battery plays.

use super::sandbox::node_modules;
use super::shared_helpers::{GO_DOUBLE, OF_VITEST, Shape, VITEST, go, go_test, of_go, of_node};

const PROVEN: &[&str] = &["--proof", "full"];
const DOUBLE: &str = "export const one = () => 1;\nexport const double = (x) => 2 * x;\n";
const SAME: &str =
    "import assert from 'node:assert';\n\nexport const same = (got, want) => assert.equal(got, want);\n";

#[track_caller]
fn is_not_verified(shape: Shape<'_>) {
    let (_, ran) = shape.run_with(PROVEN);
    let ran = ran.expect(4);
    ran.says_on_stdout(&[
        "not verified: AC-STE-1.1, assertion never seen failing",
        "green; assertion never seen failing",
    ]);
}

#[track_caller]
fn is_verified(shape: Shape<'_>) {
    shape.run_with(PROVEN).1.expect(0).says_on_stdout(&["seen failing: yes (not implemented)"]);
}

fn node_test(body: &str) -> String {
    format!(
        "import test from 'node:test';\nimport {{ double }} from '../src/shop.js';\nimport {{ same }} from './checks.js';\n\n\
         test('three', () => {{ {body} }});\n"
    )
}

#[test]
fn ac_tdd_8_80_what_only_an_error_of_the_code_makes_red_is_not_verified() {
    left_to_the_night!();
    let helper = go(
        "func check(t *testing.T, got, want int) {\n\tdefer func() { _ = recover() }()\n\tif got != want {\n\t\tpanic(got)\n\t}\n}\n",
    );
    let test = go(&go_test("Three", "check(t, Double(3), 6)"));
    is_not_verified(of_go(
        &[("helpers_test.go", &helper), ("ac_ste_1_1_test.go", &test)],
        &[("shop.go", GO_DOUBLE)],
    ));
    let test = node_test("const got = double(3); same(got, got);");
    is_not_verified(of_node(&[("test/checks.js", SAME), ("test/ac-ste-1-1.test.js", &test)]));
}

#[test]
fn ac_tdd_8_80_so_it_is_in_vitest_and_jest() {
    left_to_the_night!();
    let code = &[("src/shop.js", DOUBLE)];
    if let Some(modules) = node_modules("vitest") {
        let test = format!(
            "{VITEST}import {{ double }} from '../src/shop.js';\n\ntest('three', () => expect(typeof double(3)).toBe(typeof double(3)));\n"
        );
        let tests = &[("test/ac-ste-1-1.test.js", test.as_str())];
        let of = |tests| Shape {
            project: OF_VITEST,
            command: "npx vitest run",
            tests,
            code,
            modules: Some(&modules),
        };
        is_not_verified(of(tests));
        let test = test.replace("typeof double(3)).toBe(typeof double(3))", "double(3)).toBe(6)");
        is_verified(of(&[("test/ac-ste-1-1.test.js", test.as_str())]));
    }
    if let Some(modules) = node_modules("jest") {
        let project = &[
            (".gitignore", "node_modules\n"),
            ("package.json", "{ \"name\": \"shop\" }\n"),
            ("src/shop.js", "exports.one = () => 1;\n"),
            (
                "test/old.test.js",
                "const { one } = require('../src/shop.js');\n\ntest('old', () => expect(one()).toBe(1));\n",
            ),
        ];
        let helper = "exports.same = (got, want) => { Promise.resolve().then(() => expect(got).toBe(want)).catch(() => {}); };\n";
        let test = "const { double } = require('../src/shop.js');\nconst { same } = require('./checks.js');\n\n\
                    test('three', () => same(double(3), 6));\n";
        let code = &[("src/shop.js", "exports.one = () => 1;\nexports.double = (x) => 2 * x;\n")];
        let own = ("test/ac-ste-1-1.test.js", test);
        let asserts = "exports.same = (got, want) => { expect(got).toBe(want); };\n";
        let (hollow, honest) = ([("test/checks.js", helper), own], [("test/checks.js", asserts), own]);
        let of = |tests| Shape { project, command: "npx jest", tests, code, modules: Some(&modules) };
        is_not_verified(of(&hollow));
        is_verified(of(&honest));
    }
}

#[test]
fn ac_tdd_8_81_a_test_that_looks_at_what_the_code_gives_is_verified() {
    left_to_the_night!();
    let test = node_test("same(double(3), 6);");
    is_verified(of_node(&[("test/checks.js", SAME), ("test/ac-ste-1-1.test.js", &test)]));
    let helper = go(
        "func check(t *testing.T, got, want int) {\n\tt.Helper()\n\tif got != want {\n\t\tt.Fatal(got)\n\t}\n}\n",
    );
    // What the type has for nothing is what it expects.
    let test = go(&go_test("Three", "check(t, Double(0), 0)"));
    is_verified(of_go(
        &[("helpers_test.go", &helper), ("ac_ste_1_1_test.go", &test)],
        &[("shop.go", GO_DOUBLE)],
    ));
}

#[test]
fn ac_tdd_8_86_an_expectation_that_nothing_is_thrown_is_never_seen_failing() {
    left_to_the_night!();
    let test =
        |body: &str| node_test(body).replace("import test", "import assert from 'node:assert';\nimport test");
    let throws = test("assert.doesNotThrow(() => double(3));");
    is_not_verified(of_node(&[("test/ac-ste-1-1.test.js", &throws), ("test/checks.js", SAME)]));
    // Twin: it looks at what is given as well.
    let both = test("assert.doesNotThrow(() => double(3)); assert.equal(double(3), 6);");
    is_verified(of_node(&[("test/ac-ste-1-1.test.js", &both), ("test/checks.js", SAME)]));
}

/// A mended crash is seen on the code that crashed, whatever stubs do.
#[test]
fn ac_tdd_8_91_who_asks_that_older_code_throws_no_more_has_seen_it_throw() {
    left_to_the_night!();
    let project = &[
        (".gitignore", "node_modules/\n"),
        ("package.json", "{ \"type\": \"module\" }\n"),
        ("src/shop.js", "export const one = () => 1;\nexport const first = (all) => all[0].name;\n"),
        (
            "test/old.test.js",
            "import test from 'node:test';\nimport assert from 'node:assert';\nimport { one } from \
                              '../src/shop.js';\n\ntest('old', () => assert.equal(one(), 1));\n",
        ),
    ];
    let code = "export const one = () => 1;\nexport const first = (all) => all[0]?.name;\n";
    let test = "import assert from 'node:assert';\nimport test from 'node:test';\nimport { first } from \
                '../src/shop.js';\n\ntest('empty', () => assert.doesNotThrow(() => first([])));\n";
    let (tests, code) = ([("test/ac-ste-1-1.test.js", test)], [("src/shop.js", code)]);
    let shape = Shape { project, command: "node --test", tests: &tests, code: &code, modules: None };
    shape.run_with(PROVEN).1.expect(0);
}

const PYTHON: &[(&str, &str)] = &[
    (".gitignore", "__pycache__/\n"),
    ("shop.py", "def one():\n    return 1\n"),
    ("tests/__init__.py", ""),
    (
        "tests/test_old.py",
        "import unittest\nfrom shop import one\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        \
         self.assertEqual(one(), 1)\n",
    ),
];

fn python_test(body: &str) -> String {
    format!(
        "import pathlib\nimport unittest\nfrom unittest import mock\n\n\nclass New(unittest.TestCase):\n    \
         def test_new(self):\n        {body}\n"
    )
}

fn of_python<'a>(tests: &'a [(&'a str, &'a str)], code: &'a [(&'a str, &'a str)]) -> Shape<'a> {
    Shape { project: PYTHON, command: "python3 -m unittest -q", tests, code, modules: None }
}

#[test]
fn ac_tdd_8_87_a_test_that_reads_the_source_alone_is_hollow() {
    left_to_the_night!();
    let code = &[("shop.py", "def one():\n    return 1\n\n\ndef double(x):\n    return 2 * x\n")];
    let reads = "self.assertIn('2 * x', pathlib.Path('shop.py').read_text())";
    let test = python_test(reads);
    let (_, ran) = of_python(&[("tests/test_ac_ste_1_1.py", &test)], code).run_with(PROVEN);
    ran.expect(1).says_on_stdout(&["the tests of AC-STE-1.1 pass whatever the code does"]);
    // Twin: it runs the code as well.
    let runs = python_test(&format!("{reads}; from shop import double; self.assertEqual(double(3), 6)"));
    let (_, ran) = of_python(&[("tests/test_ac_ste_1_1.py", &runs)], code).run_with(PROVEN);
    ran.expect(0).says_on_stdout(&["seen failing on code that does nothing: 1 of 1"]);
}

#[test]
fn ac_tdd_8_88_what_only_code_that_does_nothing_is_asked_for_is_not_verified() {
    left_to_the_night!();
    let test = python_test(
        "from shop import publish; to = mock.Mock(); publish('a', to); self.assertTrue(to.write.was_called_with('a'))",
    );
    let own = [("tests/test_ac_ste_1_1.py", test.as_str())];
    let idle = "def one():\n    return 1\n\n\ndef publish(text, to):\n    pass\n";
    is_not_verified(of_python(&own, &[("shop.py", idle)]));
    let beside = format!("{idle}\n\ndef two():\n    return 2\n");
    is_not_verified(of_python(&own, &[("shop.py", &beside)]));
    // Twin: what does something leaves to those that want it what happens then.
    let test = python_test(
        "from shop import Printer; to = mock.Mock(); Printer(to).publish('a'); to.write.assert_called_with('a')",
    );
    let hook = "def one():\n    return 1\n\n\nclass Printer:\n    def __init__(self, to):\n        self.to = to\n\n    \
                def on_close(self):\n        pass\n\n    def publish(self, text):\n        self.to.write(text)\n        \
                self.on_close()\n";
    is_verified(of_python(&[("tests/test_ac_ste_1_1.py", &test)], &[("shop.py", hook)]));
}

#[test]
fn ac_tdd_8_82_a_helper_that_swallows_its_failure_is_no_expectation() {
    left_to_the_night!();
    let swallows = "import assert from 'node:assert';\n\nexport function same(got, want) {\n  try {\n    assert.equal(got, want);\n  } \
                    catch {\n    return false;\n  }\n  return true;\n}\n";
    let test = node_test("same(double(3), 6);");
    of_node(&[("test/checks.js", swallows), ("test/ac-ste-1-1.test.js", &test)]).is_no_red("expects nothing");
    // Twins: whoever asks it hears of it, and it says in another way that it fails.
    let asks = test.replace("same(double(3), 6);", "if (!same(double(3), 6)) throw new Error('no');");
    of_node(&[("test/checks.js", swallows), ("test/ac-ste-1-1.test.js", &asks)]).goes_through();
    let tells = swallows.replace("return false;", "throw new Error(`${got} is not ${want}`);");
    of_node(&[("test/checks.js", &tells), ("test/ac-ste-1-1.test.js", &test)]).goes_through();
}
