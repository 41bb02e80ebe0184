//! Projects of Python that are installed as they lie in the work tree: a checkout has to run its own code.

use serde_json::json;

use super::sandbox::{Ran, Sandbox, has_pytest};

/// How an installer leads Python to the sources, as one line of shell: `$SITE` is the folder of packages.
const FORMS: [(&str, &str); 3] = [
    ("a path", "echo \"$PWD/src\" > $SITE/shop.pth"),
    (
        "a finder",
        "echo 'import shop_finder' > $SITE/shop.pth && cat > $SITE/shop_finder.py <<END
import importlib.util
import sys


class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name != 'shop':
            return None
        return importlib.util.spec_from_file_location(name, '$PWD/src/shop/__init__.py')


sys.meta_path.append(Finder)
END",
    ),
    ("a link", "ln -s \"$PWD/src/shop\" $SITE/shop"),
];

const OLD: &str = "import unittest\n\nimport shop\n\n\nclass Old(unittest.TestCase):\n    \
                   def test_old(self):\n        self.assertEqual(shop.one(), 1)\n";

/// A run of one criterion with this test of it and an honest implementer.
fn run(command: &str, install: &str, expectation: &str) -> Ran {
    let sandbox = Sandbox::with(&[
        (".gitignore", ".venv/\n__pycache__/\n"),
        ("src/shop/__init__.py", "def one():\n    return 1\n"),
        ("tests/__init__.py", ""),
        ("tests/test_old.py", OLD),
    ]);
    sandbox.write("tdd.yaml", &format!("test: {command}\nbudgets: {{ semantic: 1, format: 0 }}\n"));
    sandbox.write("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: two() is 2.\n");
    sandbox.commit();
    let pytest = "python3 -c 'import os, pytest; print(os.path.dirname(os.path.dirname(pytest.__file__)))'";
    let environment = format!(
        "PYTEST=$({pytest} 2>/dev/null || true); python3 -m venv --without-pip .venv && \
         SITE=$(echo \"$PWD\"/.venv/lib/python3*/site-packages) && echo \"$PYTEST\" > $SITE/pytest.pth && {install}"
    );
    let made = sandbox.command("sh").args(["-c", &environment]).current_dir(sandbox.repo()).status().unwrap();
    assert!(made.success(), "{environment}");
    let test = OLD
        .replace("Old", "New")
        .replace("old", "new")
        .replace("self.assertEqual(shop.one(), 1)", expectation);
    let code = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";
    let calls = json!([
        { "role": "test-writer", "write": { "tests/test_ac_ste_1_1.py": test },
          "say": { "status": "ok", "files": ["tests/test_ac_ste_1_1.py"] } },
        { "role": "implementer", "write": { "src/shop/__init__.py": code },
          "say": { "status": "ok", "files": ["src/shop/__init__.py"] } },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    sandbox.scripted(&calls, &["--proof", "full"])
}

const EQUAL: &str = "self.assertEqual(shop.two(), 2)";
/// Green with whatever the body does.
const HOLLOW: &str = "self.assertTrue(callable(shop.two))";
const SEEN: &str = "seen failing on code that does nothing: 1 of 1";

#[test]
fn ac_tdd_8_98_what_is_installed_from_the_tree_is_the_checkouts_own_in_a_checkout() {
    left_to_the_night!();
    for (name, install) in FORMS {
        let ran = run(".venv/bin/python -m unittest", install, EQUAL).expect(0);
        assert!(!ran.says_on_stdout(&[SEEN]).stdout.contains("not proven"), "{name}");
    }
    run(".venv/bin/python -m unittest", FORMS[0].1, HOLLOW).expect(1).says(&["AC-STE-1.1"]);
}

#[test]
fn ac_tdd_8_98_pytest_finds_what_is_installed_from_the_tree_in_a_checkout() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    // What the call sets itself comes after it.
    for (command, install) in [
        (".venv/bin/python -m pytest -q", FORMS[1].1),
        ("PYTHONPATH=tests .venv/bin/python -m pytest -q", FORMS[0].1),
    ] {
        run(command, install, EQUAL).expect(0).says_on_stdout(&[SEEN]);
    }
    run(".venv/bin/python -m pytest -q", FORMS[1].1, HOLLOW).expect(1).says(&["AC-STE-1.1"]);
}
