//! Tests in files that were there before, and by what they are known as a criterion's.

use serde_json::{Value, json};

use super::sandbox::{Ran, Sandbox, has_python};

const CODE: &str = "def one():\n    return 1\n";
const OLD: &str = "import unittest\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(shop.one(), 1)\n";

/// A run whose test-writer adds this to the old file, and says this of its tests.
fn run(added: &str, tests: &Value) -> Option<Ran> {
    if !has_python() {
        return None;
    }
    let sandbox = Sandbox::with(&[("shop.py", CODE), ("tests/__init__.py", ""), ("tests/test_old.py", OLD)]);
    sandbox.write(
        "tdd.yaml",
        "test: python3 -m unittest discover -s tests -t .\nbudgets: { semantic: 1, format: 0 }\n",
    );
    sandbox.write("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `two` gives 2.\n");
    sandbox.commit();
    let file = "tests/test_old.py";
    let code = format!("{CODE}\n\ndef two():\n    return 2\n");
    let calls = json!([
        { "role": "test-writer", "write": { file: format!("{OLD}{added}") },
          "say": { "status": "ok", "files": [file], "tests": tests } },
        { "role": "implementer", "write": { "shop.py": code }, "say": { "status": "ok", "files": ["shop.py"] } },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    Some(sandbox.scripted(&calls, &["--proof", "off"]))
}

fn test(name: &str) -> String {
    format!("\n    def {name}(self):\n        self.assertEqual(shop.two(), 2)\n")
}

#[test]
fn ac_tdd_8_106_a_test_says_by_its_own_name_whose_it_is() {
    let Some(ran) = run(&test("test_ac_ste_1_1_two"), &json!({})) else { return };
    ran.expect(0).says_on_stdout(&["missing (1 test)"]);
    // One that says nothing is still nobody's.
    if let Some(ran) = run(&test("test_two"), &json!({})) {
        ran.expect(1).says(&["belongs to no criterion", "or each test, with ac_ste_1_1"]);
    }
}

#[test]
fn ac_tdd_8_109_an_old_file_that_is_listed_stands_for_its_new_tests() {
    let Some(ran) = run(&test("test_two"), &json!({ "AC-STE-1.1": ["tests/test_old.py"] })) else { return };
    ran.expect(0).says_on_stdout(&["missing (1 test)"]);
    // Nothing of it is new that the criterion could need.
    let passes = "\n    def test_one(self):\n        self.assertEqual(shop.one(), 1)\n";
    if let Some(ran) = run(passes, &json!({ "AC-STE-1.1": ["tests/test_old.py"] })) {
        ran.expect(1).says(&["test_one passes before any code was written"]);
    }
}

#[test]
fn ac_tdd_8_106_an_id_is_known_with_either_sign_between_class_and_test() {
    left_to_the_night!();
    for id in ["tests/test_old.py::Old.test_two", "tests/test_old.py::Old::test_two"] {
        if let Some(ran) = run(&test("test_two"), &json!({ "AC-STE-1.1": [id] })) {
            ran.expect(0);
        }
    }
}
