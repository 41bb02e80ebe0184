//! Code that works beside its tests alone, and modules in the place of what tests import.

use serde_json::json;

use super::sandbox::{Ran, Sandbox, has_python};

const CODE: &str = "def one():\n    return 1\n";
const NEW: &str = "import unittest\nimport shop\n\n\nclass New(unittest.TestCase):\n    def test_two(self):\n        self.assertEqual(shop.two(), 2)\n";
const GREEN: &str = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";

/// An implementer that writes these, beside an old test and a new one that say this.
fn implementing((old, new): (&str, &str), written: &[(&str, &str)]) -> Option<Ran> {
    if !has_python() {
        return None;
    }
    let sandbox = Sandbox::with(&[("shop.py", CODE), ("tests/__init__.py", ""), ("tests/test_old.py", old)]);
    sandbox.write("tests/helpers.py", "def two():\n    return 2\n");
    sandbox.write("tests/colorsys.py", "X = 1\n");
    sandbox.write(
        "tdd.yaml",
        "test: python3 -m unittest discover -s tests -t .\nbudgets: { semantic: 1, format: 0 }\n",
    );
    sandbox.write("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `two` gives 2.\n");
    sandbox.commit();
    let file = "tests/test_ac_ste_1_1.py";
    let written: serde_json::Map<String, serde_json::Value> =
        written.iter().map(|(path, text)| ((*path).to_owned(), json!(text))).collect();
    let files: Vec<&String> = written.keys().collect();
    let calls = json!([
        { "role": "test-writer", "write": { file: new }, "say": { "status": "ok", "files": [file] } },
        { "role": "implementer", "say": { "status": "ok", "files": files }, "write": written },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    Some(sandbox.scripted(&calls, &["--proof", "off"]))
}

fn old(import: &str, body: &str) -> String {
    format!(
        "import unittest\n{import}\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        {body}\n"
    )
}

#[test]
fn ac_tdd_8_121_code_that_needs_its_tests_fails() {
    let plain = old("", "self.assertEqual(shop.one(), 1)");
    let rests = format!("from tests.helpers import two\n\n\n{CODE}");
    if let Some(ran) = implementing((&plain, NEW), &[("shop.py", &rests)]) {
        ran.expect(1).says(&["this source needs a file of tests", "shop.py takes from tests/helpers.py"]);
    }
    // What is installed and bears the name of a file in a package of tests.
    if let Some(ran) = implementing((&plain, NEW), &[("shop.py", &format!("import colorsys\n\n\n{GREEN}"))]) {
        ran.expect(0);
    }
    // A file that nobody imports is a tool beside the code.
    if let Some(ran) = implementing((&plain, NEW), &[("shop.py", GREEN), ("bench.py", &rests)]) {
        ran.expect(0);
    }
}

#[test]
fn ac_tdd_8_122_a_module_in_the_place_of_what_old_tests_import_fails() {
    let asserting = old("import fractions", "self.assertEqual(shop.one(), int(fractions.Fraction(1)))");
    let hiding = [("shop.py", GREEN), ("fractions.py", "def Fraction(of):\n    return of\n")];
    if let Some(ran) = implementing((&asserting, NEW), &hiding) {
        ran.expect(1).says(&["takes the place of a module that is installed", "fractions.py"]);
    }
    // No test imports the one that it hides.
    let own = format!("import fractions\n\n\n{GREEN}\n\nLIKE = fractions.Fraction(1)\n");
    let plain = old("", "self.assertEqual(shop.one(), 1)");
    if let Some(ran) = implementing((&plain, NEW), &[("shop.py", &own), hiding[1]]) {
        ran.expect(0);
    }
    // The criterion's own tests are about the new module.
    let about = NEW
        .replace("import shop", "import shop\nimport colorsys")
        .replace("(shop.two(), 2)", "(colorsys.MONTHS, 12)");
    let new = [("shop.py", GREEN), ("colorsys.py", "MONTHS = 12\n")];
    if let Some(ran) = implementing((&plain, &about), &new) {
        ran.expect(0);
    }
}
