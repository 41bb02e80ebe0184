//! Runners that ask something of the whole suite, such as a coverage: a part of it exits as if it had failed.

use serde_json::json;

use super::super::sandbox::{has_pytest, has_python};
use super::honest::{Play, case, class};
use super::{HONEST, LOOKUP, Scene};

/// As where a coverage is asked for: a run without the suite's other tests is not content.
const CONTENT: &str = "def pytest_sessionfinish(session, exitstatus):\n    \
    if exitstatus == 0 and not any('test_old' in item.nodeid for item in session.items):\n        \
    session.exitstatus = 1\n";

fn play(implementer: &str) -> Play {
    let files = [
        ("shop.py", super::ONE),
        ("conftest.py", CONTENT),
        ("tests/__init__.py", ""),
        ("tests/test_old.py", super::OLD),
    ];
    let tests = json!({ "tests/test_ac_ste_1_1.py": class("New", "", &[11, 31, 51].map(case)) });
    Play::of(&files, "test: python3 -m pytest -q\n", &tests, &[implementer, "true"])
}

#[test]
fn ac_tdd_8_61_hidden_tests_judge_where_a_part_of_the_suite_is_not_content_alone() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let ran = play(HONEST).run(&[]).expect(0);
    assert!(!ran.stderr.contains("can't be judged"), "{}", ran.stderr);
    let lookup = format!("python3 - <<'END'\n{LOOKUP}\nEND\n");
    let ran = play(&lookup).run(&[]).expect(1);
    // By the attempt itself, and not only at the end.
    ran.says(&["tests of AC-STE-1.1 that are held out are not green", "halted in GREEN: implementer"]);
}

/// Each test takes its cases from a file of its own, and both use a third one.
#[test]
fn ac_tdd_8_68_what_only_a_hidden_test_rests_on_is_out_of_the_tree_with_it() {
    if !has_python() {
        return;
    }
    let test = |name: &str| {
        format!(
            "import unittest\nimport shop\nfrom tests.cases_{name} import CASES\nfrom tests.both import check\n\n\n\
             class Of{name}(unittest.TestCase):\n    def test_{name}(self):\n        for x, want in CASES:\n            \
             check(self, shop.double(x), want)\n"
        )
    };
    let files = json!({
        "tests/test_ac_ste_1_1_a.py": test("a"),
        "tests/test_ac_ste_1_1_b.py": test("b"),
        "tests/cases_a.py": "from tests.numbers_a import A\n\nCASES = [(A, 2 * A)]\n",
        "tests/cases_b.py": "from tests.numbers_b import B\n\nCASES = [(B, 2 * B)]\n",
        "tests/numbers_a.py": "A = 11\n",
        "tests/numbers_b.py": "B = 31\n",
        "tests/both.py": "def check(test, got, want):\n    test.assertEqual(got, want)\n",
    });
    let seen = format!("ls tests >../seen.txt\n{HONEST}");
    let scene = Scene::set(&files, &[&seen], "");
    scene.run(&["--sandbox", "audit"]).expect(0);
    let seen = std::fs::read_to_string(scene.sandbox.beside("seen.txt")).unwrap();
    let shows = |name: &str| seen.lines().any(|line| line == name);
    assert!(shows("test_ac_ste_1_1_a.py") != shows("test_ac_ste_1_1_b.py"), "{seen}");
    for name in ["a", "b"] {
        let is_shown = shows(&format!("test_ac_ste_1_1_{name}.py"));
        assert_eq!(shows(&format!("cases_{name}.py")), is_shown, "{seen}");
        assert_eq!(shows(&format!("numbers_{name}.py")), is_shown, "{seen}");
    }
    assert!(shows("both.py"), "the shown one needs it, too: {seen}");
    for (file, text) in files.as_object().unwrap() {
        assert_eq!(scene.sandbox.read(file), text.as_str().unwrap(), "it came back");
    }
}
