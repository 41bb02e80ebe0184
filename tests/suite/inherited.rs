//! What runs more than once, or is told of more than once: tests that classes inherit, and what a type checker says beside
//! the tests.

use serde_json::json;

use super::battery;
use super::sandbox::{Sandbox, has_pytest, node_modules};
use super::shops::{Shop, steps};

#[test]
fn ac_tdd_8_161_a_test_of_a_class_that_others_inherit_is_its_criterions_in_each_of_them() {
    if !has_pytest() {
        return;
    }
    let base = "import pytest\n\nimport shop\n\n\nclass TestBase:\n    want = 1\n\n    def test_one(self):\n        assert shop.one() == self.want\n";
    let other = "from tests.test_base import TestBase\n\n\nclass TestOther(TestBase):\n    pass\n";
    let shop = Shop {
        files: &[("tests/__init__.py", ""), ("tests/test_base.py", base), ("tests/test_other.py", other)],
        command: "python3 -m pytest -q",
        source: "shop.py",
        code: steps(
            "def one():\n    return 1\n",
            "\n\ndef two():\n    return 2\n",
            "\n\ndef three():\n    return 3\n",
        ),
        tests: ["tests/test_base.py", "tests/test_ac_ste_1_2.py"],
        first: "",
    };
    let more = format!("{base}\n    def test_two(self):\n        assert shop.two() == 2\n");
    let three = "import shop\n\n\ndef test_three():\n    assert shop.three() == 3\n";
    let written = [("tests/test_base.py", more.as_str()), ("tests/test_ac_ste_1_2.py", three)];
    let block = json!({ "tests": { "AC-STE-1.1": ["tests/test_base.py::TestBase::test_two"] } });
    shop.play_with(&written, &block, &battery::proof("quick")).expect(0);
}

#[test]
fn ac_tdd_8_162_what_a_type_checker_says_of_a_file_that_fails_is_no_other_error() {
    left_to_the_night!();
    let Some(modules) = node_modules("vitest") else { return };
    let types = "{ \"compilerOptions\": { \"target\": \"ESNext\", \"module\": \"ESNext\", \"moduleResolution\": \"Bundler\", \
                 \"strict\": true, \"skipLibCheck\": true, \"types\": [] }, \"include\": [\"src\", \"test\"] }\n";
    let old = "import { expect, test } from 'vitest';\nimport { one } from '../src/shop';\ntest('one', () => { expect(one()).toBe(1); });\n";
    let one = "export const one = (): number => 1;\n";
    let sandbox = Sandbox::with(&[
        ("package.json", "{ \"name\": \"shop\", \"type\": \"module\", \"private\": true }\n"),
        (".gitignore", "node_modules\n"),
        ("tsconfig.json", types),
        ("src/shop.ts", one),
        ("test/old.test.ts", old),
        (
            "test/types.test-d.ts",
            "import { assertType, test } from 'vitest';\nimport { one } from '../src/shop';\ntest('types', () => { assertType<number>(one()); });\n",
        ),
        ("tdd.yaml", "test: vitest run --typecheck\nbudgets: { semantic: 1, format: 0 }\n"),
        ("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: there is two.\n"),
    ]);
    sandbox.commit();
    std::os::unix::fs::symlink(modules, sandbox.path("node_modules")).unwrap();
    let (test, source) = ("test/ac_ste_1_1.test.ts", "src/shop.ts");
    let two = old.replace("one", "two").replace("toBe(1)", "toBe(2)");
    let says = |files: &[&str]| json!({ "status": "ok", "files": files });
    let play = |code: &str| {
        let calls = json!([
            { "role": "test-writer", "write": { test: two }, "say": says(&[test]) },
            { "role": "implementer", "write": { source: code }, "say": says(&[source]) },
            { "role": "refactorer", "say": says(&[]) },
        ]);
        sandbox.scripted(&calls, &["--proof", "quick"])
    };
    play(&format!("{one}export const two = (): number => 2;\n")).expect(0);
    sandbox.tdd(&["undo"]).expect(0);
    // Where the tests pass it is the checker alone that fails.
    let wrong = format!("{one}export const two = (): string => 2;\n");
    play(&wrong).expect(1).says(&["an error came up that belongs to no test"]);
}
