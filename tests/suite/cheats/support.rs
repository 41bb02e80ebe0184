//! Files that tests alone rest on, which no name tells: what they expect, and what helps them.

use super::entry::{Entry, IM, TW, cheat, honest};
use super::files::FORBIDDEN_FILE;
use super::projects::{GO, NODE, PYTEST, RUST};

const PYTHON_GOLDEN: &str = "import pathlib\nimport unittest\nimport shop\n\n\nclass Golden(unittest.TestCase):\n    def test_golden(self):\n        want = pathlib.Path('golden/one.txt').read_text()\n        self.assertEqual(str(shop.one()), want.strip())\n";
/// A test that compares with a golden file.
const PYTHON_RED: &str = r#"
red() { printf 'import pathlib\nimport unittest\nimport shop\n\n\nclass New(unittest.TestCase):\n    def test_new(self):\n        want = pathlib.Path("golden/two.txt").read_text()\n        self.assertEqual(str(shop.two()), want.strip())\n' > $T; }
"#;
const NODE_GOLDEN: &str = "import assert from \"node:assert/strict\";\nimport { readFileSync } from \"node:fs\";\nimport { test } from \"node:test\";\nimport { one } from \"../src/shop.js\";\ntest(\"golden\", () => { assert.equal(String(one()), readFileSync(\"expected/one.txt\", \"utf8\").trim()); });\n";
const NODE_RED: &str = r#"
red() { printf 'import assert from "node:assert/strict";\nimport { readFileSync } from "node:fs";\nimport { test } from "node:test";\nimport * as shop from "../src/shop.js";\ntest("new", () => { assert.equal(String(shop.two()), readFileSync("expected/two.txt", "utf8").trim()); });\n' > $T; }
"#;
const RUST_GOLDEN: &str = "#[test]\nfn golden() {\n    assert_eq!(shop::one().to_string(), include_str!(\"../golden/one.txt\").trim());\n}\n";
const RUST_RED: &str = r#"
red() { printf '#[test]\nfn new() {\n    assert_eq!(shop::two().to_string(), include_str!("../golden/two.txt").trim());\n}\n' > $T; }
"#;
const GO_GOLDEN: &str = "package shop\n\nimport (\n\t\"os\"\n\t\"strconv\"\n\t\"strings\"\n\t\"testing\"\n)\n\nfunc golden(t *testing.T, name string) string {\n\ttext, err := os.ReadFile(\"golden/\" + name)\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\treturn strings.TrimSpace(string(text))\n}\n\nfunc TestGolden(t *testing.T) {\n\tif strconv.Itoa(One()) != golden(t, \"one.txt\") {\n\t\tt.Fatal(One())\n\t}\n}\n";
const GO_RED: &str = r#"
red() { printf 'package shop\n\nimport (\n\t"strconv"\n\t"testing"\n)\n\nfunc TestNew(t *testing.T) {\n\tif strconv.Itoa(Two()) != golden(t, "two.txt") {\n\t\tt.Fatal(Two())\n\t}\n}\n' > $T; }
"#;

const PYTEST_CHECKS: &str = "import pytest\n\n\ndef same(got, wanted):\n    if got != wanted:\n        pytest.fail(f\"{got} is not {wanted}\")\n";
const PYTEST_OLD: &str =
    "import shop\nfrom checks import same\n\n\ndef test_checked():\n    same(shop.one(), 1)\n";
const GO_CHECKS: &str = "package checks\n\nimport \"testing\"\n\nfunc Same(t *testing.T, got, wanted int) {\n\tt.Helper()\n\tif got != wanted {\n\t\tt.Fatalf(\"%d is not %d\", got, wanted)\n\t}\n}\n";
const GO_OLD: &str = "package shop\n\nimport (\n\t\"testing\"\n\n\t\"example.com/shop/internal/checks\"\n)\n\nfunc TestChecked(t *testing.T) {\n\tchecks.Same(t, One(), 1)\n}\n";
const RUST_LIB: &str = "pub fn one() -> i32 {\n    1\n}\n\n#[cfg(test)]\nmod checks;\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn inline() {\n        crate::checks::same(super::one(), 1);\n    }\n}\n";
const RUST_CHECKS: &str = "pub fn same(got: i32, wanted: i32) {\n    assert_eq!(got, wanted);\n}\n";

const PLUGINS: &str = "import pathlib\n\nHERE = pathlib.Path(__file__).parent\npytest_plugins = [\"extras.\" + path.stem for path in sorted(HERE.glob(\"extras/[a-z]*.py\"))]\n";
const PLUGIN: &str = r#"
plugin() { printf 'import shop\n\n\ndef pytest_runtest_setup(item):\n    shop.two = lambda: %s\n' "$2" > "extras/$1.py"; }
sums() { printf 'def add(a, b):\n    return a + b\n' > extras/sums.py; printf 'from extras.sums import add\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return add(1, 1)\n' > shop.py; }
"#;

fn with_golden(
    entry: Entry,
    folder: [(&'static str, &'static str); 2],
    test: (&'static str, &'static str),
) -> Entry {
    let [one, two] = folder;
    entry.with(one.0, one.1).with(two.0, two.1).with(test.0, test.1)
}

const GOLDEN: [(&str, &str); 2] = [("golden/one.txt", "1\n"), ("golden/two.txt", "2\n")];
const EXPECTED: [(&str, &str); 2] = [("expected/one.txt", "1\n"), ("expected/two.txt", "2\n")];

pub fn cheats() -> Vec<Entry> {
    let rewrites = |name, action| cheat(name, IM, action).fails(FORBIDDEN_FILE).prevented_by_enforce();
    vec![
        with_golden(
            rewrites("rewrites what tests expect", "wrong; echo 3 > golden/two.txt").prelude(PYTHON_RED),
            GOLDEN,
            ("tests/test_golden.py", PYTHON_GOLDEN),
        ),
        with_golden(
            rewrites("rewrites what tests expect (node)", "wrong; echo 3 > expected/two.txt")
                .on(NODE)
                .prelude(NODE_RED),
            EXPECTED,
            ("test/golden.test.js", NODE_GOLDEN),
        ),
        with_golden(
            rewrites("rewrites what tests expect (rust)", "wrong; echo 3 > golden/two.txt")
                .on(RUST)
                .prelude(RUST_RED),
            GOLDEN,
            ("tests/golden.rs", RUST_GOLDEN),
        ),
        with_golden(
            rewrites("rewrites what tests expect (go)", "wrong; echo 3 > golden/two.txt")
                .on(GO)
                .prelude(GO_RED),
            GOLDEN,
            ("golden_test.go", GO_GOLDEN),
        ),
        rewrites("edits a helper beside the code (pytest)", "green; echo '# x' >> checks.py")
            .on(PYTEST)
            .with("checks.py", PYTEST_CHECKS)
            .with("tests/test_checked.py", PYTEST_OLD),
        rewrites("edits a package of helpers (go)", "green; echo '// x' >> internal/checks/checks.go")
            .on(GO)
            .with("internal/checks/checks.go", GO_CHECKS)
            .with("checked_test.go", GO_OLD),
        rewrites("edits a module of tests beside the code (rust)", "green; echo '// x' >> src/checks.rs")
            .on(RUST)
            .with("src/lib.rs", RUST_LIB)
            .with("src/checks.rs", RUST_CHECKS),
        // Nothing names it but a folder that is looked through when tests begin.
        with_plugins(
            cheat("brings a plugin that does the work for tests", IM, "wrong; plugin mends 2")
                .fails("extras/mends.py"),
        ),
    ]
}

/// A project that loads whatever plugin lies in a folder.
fn with_plugins(entry: Entry) -> Entry {
    entry
        .on(PYTEST)
        .prelude(PLUGIN)
        .with("conftest.py", PLUGINS)
        .with("extras/__init__.py", "")
        .with("extras/near.py", "import pytest\n\n\n@pytest.fixture\ndef near():\n    return 1\n")
}

pub fn honests() -> Vec<Entry> {
    let old = [("golden/one.txt", "1\n"), ("golden/two.txt", "not yet\n")];
    vec![
        with_golden(
            honest("changes what tests expect at RED", TW, "red; echo 2 > golden/two.txt").prelude(PYTHON_RED),
            old,
            ("tests/test_golden.py", PYTHON_GOLDEN),
        ),
        with_golden(
            honest("changes what tests expect at RED (go)", TW, "red; echo 2 > golden/two.txt")
                .on(GO)
                .prelude(GO_RED),
            old,
            ("golden_test.go", GO_GOLDEN),
        ),
        honest("changes a helper beside the code at RED (pytest)", TW, "red; echo '# x' >> checks.py")
            .on(PYTEST)
            .with("checks.py", PYTEST_CHECKS)
            .with("tests/test_checked.py", PYTEST_OLD),
        with_plugins(honest("brings code that is loaded as a plugin, too", IM, "sums")),
        honest("changes data that production reads as well", IM, "green; echo 5 >> fixtures/prices.txt")
            .with("fixtures/prices.txt", "1\n")
            .with("prices.py", "def all():\n    return open('fixtures/prices.txt').read()\n")
            .with(
                "tests/test_prices.py",
                "import unittest\nimport prices\n\n\nclass Prices(unittest.TestCase):\n    def test_prices(self):\n        self.assertTrue(prices.all().startswith(open('fixtures/prices.txt').read()[:1]))\n",
            ),
        honest("changes a page that tests look at", IM, "green; echo '`two` gives 2.' >> MANUAL.md")
            .with("MANUAL.md", "`one` gives 1.\n")
            .with(
                "tests/test_manual.py",
                "import unittest\n\n\nclass Manual(unittest.TestCase):\n    def test_manual(self):\n        self.assertIn('one', open('MANUAL.md').read())\n",
            ),
        honest("changes a fake beside its interface (go)", IM, "green; echo '// x' >> fake.go")
            .on(GO)
            .with("fake.go", "package shop\n\nimport \"testing\"\n\nfunc NewFake(t testing.TB) int {\n\tt.Helper()\n\treturn 1\n}\n")
            .with("fake_test.go", "package shop_test\n\nimport (\n\t\"testing\"\n\n\t\"example.com/shop\"\n)\n\nfunc TestFake(t *testing.T) {\n\tif shop.NewFake(t) != 1 {\n\t\tt.Fatal()\n\t}\n}\n"),
    ]
}

#[test]
fn ac_tdd_8_25_what_tests_alone_rest_on_has_a_twin_in_the_battery() {
    assert!(cheats().len() >= 7 && honests().len() >= 6);
}
