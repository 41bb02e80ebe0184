//! Helpers that wait for code themselves: for that of a later criterion, or for what no test names.

use super::sandbox::node_modules;
use super::shared_helpers::{
    GO_BOTH, GO_DOUBLE, NODE, OF_VITEST, RUST, RUST_CODE, Shape, VITEST, go, go_test, of_go,
};

const FIRST: &str = "ac_ste_1_1_test.go";
const SECOND: &str = "ac_ste_1_2_test.go";
const OF_DOUBLE: &str = "package shop\n\nfunc doubled(x int) int { return Double(x) }\n";
const OF_HALVE: &str = "func halved(x int) int { return Halve(x) }\n";

fn expects(name: &str, got: &str, want: &str) -> String {
    go_test(name, &format!("if got := {got}; got != {want} {{\n\t\tt.Fatalf(\"got %v\", got)\n\t}}"))
}

#[test]
fn ac_tdd_8_73_a_helper_of_go_that_waits_for_a_later_criterion_is_told_of_at_red() {
    left_to_the_night!();
    let code = &[("shop.go", GO_DOUBLE), ("shop.go", GO_BOTH)];
    let (three, four) = (go(&expects("Three", "doubled(3)", "6")), go(&expects("Four", "halved(4)", "2")));
    let both = format!("{OF_DOUBLE}\n{OF_HALVE}");
    let words = "needs helpers_test.go, which does not load before `Halve` is written";
    let shape = [("helpers_test.go", both.as_str()), (FIRST, three.as_str()), (SECOND, four.as_str())];
    of_go(&shape, code).is_no_red(words);
    let inner = "package shop\n\nvar (\n\tDoubleInner = Double\n\tHalveInner = Halve\n)\n";
    let outer = |name: &str, got: &str, want: &str| {
        let test = go(&expects(name, got, want)).replace("package shop\n", "package shop_test\n");
        test.replace("import \"testing\"", "import (\n\t\"testing\"\n\n\t\"example.com/shop\"\n)")
    };
    let (three, four) =
        (outer("Three", "shop.DoubleInner(3)", "6"), outer("Four", "shop.HalveInner(4)", "2"));
    let shape = [("export_test.go", inner), (FIRST, three.as_str()), (SECOND, four.as_str())];
    of_go(&shape, code).is_no_red("needs export_test.go, which does not load before `Halve` is written");
}

#[test]
fn ac_tdd_8_73_a_helper_of_go_that_waits_for_what_its_own_tests_ask_for_is_honest() {
    left_to_the_night!();
    let of_halve = format!("package shop\n\n{OF_HALVE}");
    let (three, four) = (go(&expects("Three", "doubled(3)", "6")), go(&expects("Four", "halved(4)", "2")));
    let code = &[("shop.go", GO_DOUBLE), ("shop.go", GO_BOTH)];
    let (own, other) = ("helpers_test.go", "halves_test.go");
    of_go(&[(own, OF_DOUBLE), (other, &of_halve), (FIRST, &three), (SECOND, &four)], code).goes_through();
    // The first criterion's tests ask for both.
    let both = format!("{OF_DOUBLE}\n{OF_HALVE}");
    let first = go(&expects("Three", "halved(doubled(3))", "3"));
    let code = &[("shop.go", GO_BOTH), ("shop.go", GO_BOTH)];
    of_go(&[(own, &both), (FIRST, &first), (SECOND, &four)], code).goes_through();
}

const JS: &str = "import test from 'node:test';\nimport assert from 'node:assert';\n";
const PYTHON: &[(&str, &str)] = &[
    (".gitignore", "__pycache__\n"),
    ("shop.py", "def one():\n    return 1\n"),
    ("tests/__init__.py", ""),
    (
        "tests/test_old.py",
        "import unittest\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        \
         self.assertEqual(shop.one(), 1)\n",
    ),
];

fn python(helper: &str, class: &str, expectation: &str) -> String {
    format!(
        "import unittest\nfrom tests.{helper} import *\n\n\nclass {class}(unittest.TestCase):\n    def test_it(self):\n        \
         self.assertEqual({expectation})\n"
    )
}

#[test]
fn ac_tdd_8_73_so_is_a_helper_of_node_and_of_python_that_imports_what_is_a_later_criterions() {
    left_to_the_night!();
    let js = |from: &str, name: &str, expectation: &str| {
        format!(
            "{JS}import {{ {name} }} from './{from}';\n\ntest('{name}', () => assert.equal({expectation}));\n"
        )
    };
    let double = "import { double } from '../src/shop.js';\n\nexport const doubled = (x) => double(x);\n";
    let halve = "import { halve } from '../src/shop.js';\n\nexport const halved = (x) => halve(x);\n";
    let both = format!("{double}{halve}");
    let one = "export const one = () => 1;\nexport const double = (x) => 2 * x;\n";
    let two = format!("{one}export const halve = (x) => x / 2;\n");
    let code = &[("src/shop.js", one), ("src/shop.js", two.as_str())];
    let node = Shape { project: NODE, command: "node --test", tests: &[], code, modules: None };
    let first = js("helpers.js", "doubled", "doubled(3), 6");
    let (shared, apart) =
        (js("helpers.js", "halved", "halved(4), 2"), js("halves.js", "halved", "halved(4), 2"));
    let (one, two) = ("test/ac-ste-1-1.test.js", "test/ac-ste-1-2.test.js");
    let tests = &[("test/helpers.js", both.as_str()), (one, &first), (two, &shared)];
    Shape { tests, ..node }.is_no_red("needs test/helpers.js, which does not load before `halve` is written");
    let tests = &[("test/helpers.js", double), ("test/halves.js", halve), (one, &first), (two, &apart)];
    Shape { tests, ..node }.goes_through();

    let (double, halve) =
        ("def doubled(x):\n    return double(x)\n", "def halved(x):\n    return halve(x)\n");
    let both = format!("from shop import double, halve\n\n\n{double}\n\n{halve}");
    let double = format!("from shop import double\n\n\n{double}");
    let halve = format!("from shop import halve\n\n\n{halve}");
    let one = "def one():\n    return 1\n\n\ndef double(x):\n    return 2 * x\n";
    let two = format!("{one}\n\ndef halve(x):\n    return x / 2\n");
    let code = &[("shop.py", one), ("shop.py", two.as_str())];
    let unittest =
        Shape { project: PYTHON, command: "python3 -m unittest -q", tests: &[], code, modules: None };
    let first = python("helpers", "Doubles", "doubled(3), 6");
    let shared = python("helpers", "Halves", "halved(4), 2");
    let apart = python("halves", "Halves", "halved(4), 2");
    let (one, two) = ("tests/test_ac_ste_1_1.py", "tests/test_ac_ste_1_2.py");
    let tests = &[("tests/helpers.py", both.as_str()), (one, &first), (two, &shared)];
    Shape { tests, ..unittest }
        .is_no_red("needs tests/helpers.py, which does not load before `halve` is written");
    let tests =
        &[("tests/helpers.py", double.as_str()), ("tests/halves.py", &halve), (one, &first), (two, &apart)];
    Shape { tests, ..unittest }.goes_through();
}

#[test]
fn ac_tdd_8_73_a_helper_that_loads_without_a_later_criterions_names_is_honest() {
    left_to_the_night!();
    let helper = "from shop import double\n\n\ndef doubled(x):\n    return double(x)\n\n\ndef halved(x):\n    \
                  from shop import halve\n    return halve(x)\n";
    let one = "def one():\n    return 1\n\n\ndef double(x):\n    return 2 * x\n";
    let two = format!("{one}\n\ndef halve(x):\n    return x / 2\n");
    let first = python("helpers", "Doubles", "doubled(3), 6");
    let second = python("helpers", "Halves", "halved(4), 2");
    let (own, other) = ("tests/test_ac_ste_1_1.py", "tests/test_ac_ste_1_2.py");
    let tests = &[("tests/helpers.py", helper), (own, &first), (other, &second)];
    let code = &[("shop.py", one), ("shop.py", two.as_str())];
    Shape { project: PYTHON, command: "python3 -m unittest -q", tests, code, modules: None }.goes_through();

    let Some(modules) = node_modules("vitest") else { return };
    let helper = "import { double, halve } from '../src/shop.js';\n\nexport const doubled = (x) => double(x);\n\
                  export const halved = (x) => halve(x);\n";
    let test = |name: &str, expectation: &str| {
        format!(
            "{VITEST}import {{ {name} }} from './helpers.js';\n\ntest('{name}', () => expect({expectation}));\n"
        )
    };
    let (first, second) = (test("doubled", "doubled(3)).toBe(6"), test("halved", "halved(4)).toBe(2"));
    let one = "export const one = () => 1;\nexport const double = (x) => 2 * x;\n";
    let two = format!("{one}export const halve = (x) => x / 2;\n");
    let tests = &[
        ("test/helpers.js", helper),
        ("test/ac-ste-1-1.test.js", first.as_str()),
        ("test/ac-ste-1-2.test.js", second.as_str()),
    ];
    let code = &[("src/shop.js", one), ("src/shop.js", two.as_str())];
    let shape = Shape { project: OF_VITEST, command: "npx vitest run", tests, code, modules: Some(&modules) };
    shape.goes_through();
}

#[test]
fn ac_tdd_8_73_and_a_module_of_helpers_of_cargo() {
    left_to_the_night!();
    let helper = "use shop::{double, halve};\n\npub fn doubled(x: i32) -> i32 {\n    double(x)\n}\n\n\
                  pub fn halved(x: i32) -> i32 {\n    halve(x)\n}\n";
    let test = |expectation: &str| {
        format!("mod common;\n\n#[test]\nfn it() {{\n    assert_eq!({expectation});\n}}\n")
    };
    let (three, four) = (test("common::doubled(3), 6"), test("common::halved(4), 2"));
    let both = format!("{RUST_CODE}\npub fn halve(x: i32) -> i32 {{\n    x / 2\n}}\n");
    let code = &[("src/lib.rs", RUST_CODE), ("src/lib.rs", both.as_str())];
    let of = |tests| Shape { project: RUST, command: "cargo test --offline", tests, code, modules: None };
    let (first, second) = ("tests/ac_ste_1_1.rs", "tests/ac_ste_1_2.rs");
    of(&[("tests/common/mod.rs", helper), (first, &three), (second, &four)])
        .is_no_red("needs tests/common/mod.rs, which does not load before `halve` is written");
}

const MAIN: &str = "package shop\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tSetup()\n\
                    \tos.Exit(m.Run())\n}\n";

#[test]
fn ac_tdd_8_74_what_runs_with_every_test_of_a_package_of_go_is_no_red_of_nobodys() {
    left_to_the_night!();
    let three = go(&expects("Three", "Double(3)", "6"));
    let with_setup = format!("{GO_DOUBLE}\nfunc Setup() {{}}\n");
    of_go(&[("main_test.go", MAIN), (FIRST, &three)], &[("shop.go", &with_setup)]).goes_through();
    // Twin: an implementer that leaves it unbuilt has not done its work.
    let (_, ran) = of_go(&[("main_test.go", MAIN), (FIRST, &three)], &[("shop.go", GO_DOUBLE)]).run();
    let ran = ran.expect(1);
    assert!(ran.stdout.contains("failure mode: B"), "{}", ran.stdout);
    ran.says(&["main_test.go"]);
    // Twin: what waits for code that no test looks at, and a test of nobody's.
    let never = "package shop\n\nfunc never() int { return Nowhere() }\n";
    let words = "a new test is red and belongs to no criterion of this run: helpers_test.go";
    of_go(&[("helpers_test.go", never), (FIRST, &three)], &[("shop.go", GO_DOUBLE)]).is_no_red(words);
    let four = go(&expects("Four", "Double(4)", "8"));
    of_go(&[("helpers_test.go", &four), (FIRST, &three)], &[("shop.go", GO_DOUBLE)]).is_no_red(words);
}

#[test]
fn ac_tdd_8_74_so_is_what_hands_on_or_checks_by_the_compiler_what_its_tests_need() {
    left_to_the_night!();
    let rates =
        "package shop\n\ntype fake struct{}\n\nfunc (fake) Rate() int { return 2 }\n\nvar _ Rater = fake{}\n";
    let three = go(&expects("Three", "Convert(fake{}, 3)", "6"));
    let code = "package shop\n\nfunc One() int { return 1 }\n\ntype Rater interface{ Rate() int }\n\n\
                func Convert(r Rater, x int) int { return r.Rate() * x }\n";
    of_go(&[("helpers_test.go", rates), (FIRST, &three)], &[("shop.go", code)]).goes_through();
    let outer = "package shop_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/shop\"\n)\n\n";
    let inner = "package shop\n\nvar DoubleInner = double\n";
    let code = GO_DOUBLE.replace("Double", "double");
    let three = format!("{outer}{}", expects("Three", "shop.DoubleInner(3)", "6"));
    of_go(&[("export_test.go", inner), (FIRST, &three)], &[("shop.go", &code)]).goes_through();
    // Twin: the name is there, and nothing is expected of it.
    let hollow = expects("Three", "shop.One()", "1").replace("\tif", "\t_ = shop.DoubleInner\n\tif");
    let hollow = format!("{outer}{hollow}");
    of_go(&[("export_test.go", inner), (FIRST, &hollow)], &[("shop.go", &code)])
        .is_no_red("expects nothing of it");
}

#[test]
fn ac_tdd_8_77_a_red_test_of_a_criterion_that_the_run_does_not_work_on_is_nobodys() {
    left_to_the_night!();
    let test = |class: &str, cases: &[(&str, &str)]| {
        let case = |(name, expectation): &(&str, &str)| {
            format!("    def test_{name}(self):\n        self.assertEqual({expectation})\n")
        };
        let cases: String = cases.iter().map(case).collect();
        format!("import unittest\nimport shop\n\n\nclass {class}(unittest.TestCase):\n{cases}")
    };
    let (three, four) = (("three", "shop.double(3), 6"), ("four", "shop.halve(4), 2"));
    let (first, second) = (test("Doubles", &[three]), test("Halves", &[four]));
    let both = test("Both", &[three, four]);
    let one = "def one():\n    return 1\n\n\ndef double(x):\n    return 2 * x\n";
    let two = format!("{one}\n\ndef halve(x):\n    return x / 2\n");
    let (own, other) = ("tests/test_ac_ste_1_1.py", "tests/test_ac_ste_1_2.py");
    let of = |tests: &[(&str, &str)], code: &str, more: &[&str]| {
        let code = &[("shop.py", code), ("shop.py", two.as_str())];
        let shape = Shape { project: PYTHON, command: "python3 -m unittest -q", tests, code, modules: None };
        shape.run_with(more).1
    };
    let only = ["--only", "AC-STE-1.1"];
    let ran = of(&[(own, &first), (other, &second)], one, &only).expect(1);
    assert!(ran.stdout.contains("failure mode: A"), "{}", ran.stdout);
    ran.says(&["belongs to no criterion of this run: tests/test_ac_ste_1_2.py"]);
    // Twins: all are worked on; in the file of one that is; and one that passes already stays so.
    of(&[(own, &first), (other, &second)], one, &[]).expect(0);
    of(&[(own, &both)], &two, &only).expect(0);
    let passes = test("Halves", &[("one", "shop.one(), 1")]);
    of(&[(own, &first), (other, &passes)], one, &only).expect(0);
}
