//! Runners that ask something of the whole suite, such as a coverage: a part of it exits as if it had failed.

use serde_json::json;

use super::super::sandbox::has_pytest;
use super::honest::{Play, case, class};
use super::{HONEST, LOOKUP};

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
