//! Tests in refactor mode: none is lost, none is weakened, and those that honest work changes are known.

use serde_json::json;

use super::ways_around::shell;
use super::{ID, SHOP, begun, call, claims, edits, hook, hook_with, red, stops};
use crate::sandbox::{Ran, Sandbox, has_pytest};

const CODE: &str = "def total(prices):\n    return sum(prices)\n\n\ndef tax(price):\n    return price * 2\n";
const TESTS: &str = "import shop\n\n\ndef test_total():\n    assert shop.total([1, 2]) == 3\n\n\ndef \
                     test_tax():\n    assert shop.tax(1) == 2\n";
const MORE: &str = "import shop\n\n\ndef test_more():\n    assert shop.total([]) == 0\n";

/// A session in refactor mode, where all tests pass; `None` without pytest.
fn in_mode(settings: &str) -> Option<Sandbox> {
    if !has_pytest() {
        return None;
    }
    let sandbox = Sandbox::with(&[
        ("shop.py", CODE),
        ("conftest.py", ""),
        ("pytest.ini", "[pytest]\npythonpath = .\n"),
        ("tests/test_shop.py", TESTS),
        ("tests/test_more.py", MORE),
        ("tdd.yaml", settings),
    ]);
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    on(&sandbox);
    Some(sandbox)
}

fn on(sandbox: &Sandbox) {
    sandbox.tdd(&["gate", "refactor", "on", "--why", "tidy"]).expect(0);
}

fn off(sandbox: &Sandbox) -> Ran {
    sandbox.tdd(&["gate", "refactor", "off"])
}

fn stops_again(sandbox: &Sandbox) -> Ran {
    let mut told = call("Stop", "", json!({}));
    told["stop_hook_active"] = true.into();
    hook_with(sandbox, &["claude"], told.to_string().as_bytes())
}

fn back(sandbox: &Sandbox) {
    shell(sandbox, "git checkout -q . && git clean -fdq").expect(0);
}

const PLAIN: &str = "test: python3 -m pytest -q\n";
const BREAKS: &str = "sed -i 's/price \\* 2/price * 7/' shop.py; ";

#[test]
fn ac_tdd_10_54_a_test_that_is_lost_in_refactor_mode_is_missed() {
    left_to_the_night!();
    let Some(sandbox) = in_mode(PLAIN) else { return };
    let fails = "the code fails tests as they were before the mode: tests/test_shop.py::test_tax";
    let cheats = [
        // Deleted, weakened, skipped, deselected, not collected, all gone: with code that is broken.
        ("rm tests/test_shop.py", fails),
        ("sed -i 's/== 2/== 7/' tests/test_shop.py", fails),
        (
            "sed -i 's/^def test_tax/import pytest\\n@pytest.mark.skip\\ndef test_tax/' tests/test_shop.py",
            fails,
        ),
        ("echo 'addopts = --deselect tests/test_shop.py::test_tax' >> pytest.ini", fails),
        ("echo 'collect_ignore = [\"tests/test_shop.py\"]' > conftest.py", fails),
        ("git rm -q tests/*.py", fails),
        // A name that is another's, or one of a builtin, is no new name of what was there.
        ("sed -i 's/shop.tax(1) == 2/shop.total([2]) == 2/' tests/test_shop.py", fails),
    ];
    for (cheat, told) in cheats {
        shell(&sandbox, &format!("{BREAKS}{cheat}")).expect(0);
        off(&sandbox).expect(1).says_on_stdout(&["refactor mode stays on", told, "Mend the code"]);
        back(&sandbox);
        sandbox.git(&["reset", "-q"]);
    }
    // The code is as good as before, and there are fewer tests: only a person can mean that.
    for (cheat, told) in [
        ("rm tests/test_more.py; echo >> shop.py", "fewer tests than before: 2 now, 3 before"),
        ("sed -i '/def test_tax/,$d' tests/test_shop.py; echo >> shop.py", "test_shop.py::test_tax"),
        ("mkdir attic; mv tests/test_more.py attic/more.py; echo >> shop.py", "test_more.py::test_more"),
    ] {
        shell(&sandbox, cheat).expect(0);
        off(&sandbox).expect(1).says_on_stdout(&["stays on", told, "tdd gate refactor off --looked"]);
        sandbox.tdd(&["gate", "refactor", "off", "--looked"]).expect(2).says(&["only a person"]);
        back(&sandbox);
    }
    // By code alone: a test that skips itself.
    sandbox.write(
        "tests/test_more.py",
        "import pytest\nimport shop\n\n\n@pytest.mark.skipif(hasattr(shop, 'X'), reason='x')\ndef test_x():\n    assert shop.tax(1) == 2\n",
    );
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    shell(&sandbox, "echo 'X = 1' >> shop.py").expect(0);
    off(&sandbox).expect(1).says_on_stdout(&["these tests do not pass: tests/test_more.py::test_x"]);
}

#[test]
fn ac_tdd_10_54_a_turn_does_not_end_on_tests_that_were_changed_for_broken_code() {
    left_to_the_night!();
    let Some(sandbox) = in_mode(PLAIN) else { return };
    shell(&sandbox, &format!("{BREAKS}sed -i 's/== 2/== 7/' tests/test_shop.py")).expect(0);
    sandbox
        .tdd(&["gate", "status"])
        .expect(0)
        .says_on_stdout(&["tests were changed in it: tests/test_shop.py"]);
    stops(&sandbox).expect(2).says(&["refactor mode is on"]);
    stops_again(&sandbox).expect(2).says(&[
        "the code fails tests as they were",
        "taken back: shop.py, tests/test_shop.py; kept as refs/tdd/s-1",
    ]);
    assert_eq!(
        (sandbox.read("shop.py").as_str(), sandbox.read("tests/test_shop.py").as_str()),
        (CODE, TESTS)
    );
    // Weakened by itself before the mode: what was good before it counts.
    shell(&sandbox, "echo >> shop.py").expect(0);
    off(&sandbox).expect(0);
    shell(&sandbox, "sed -i 's/== 2/== 7/' tests/test_shop.py").expect(0);
    on(&sandbox);
    shell(&sandbox, BREAKS).expect(0);
    off(&sandbox).expect(1).says_on_stdout(&["the code fails tests as they were"]);
    back(&sandbox);
    // What may be meant so stays, is told to the person, and does not count as good.
    shell(&sandbox, "rm tests/test_more.py; echo '#' >> shop.py").expect(0);
    stops(&sandbox).expect(2);
    stops_again(&sandbox).expect(0).says_on_stdout(&["fewer tests than before", "--looked"]);
    assert!(!sandbox.path("tests/test_more.py").exists());
    off(&sandbox).expect(1).says_on_stdout(&["fewer tests"]);
}

#[test]
fn ac_tdd_10_54_honest_work_on_tests_ends_refactor_mode() {
    left_to_the_night!();
    let Some(sandbox) = in_mode(PLAIN) else { return };
    let works = [
        // A function is renamed, in code and tests.
        "sed -i 's/total/whole/g; s/tax/levy/g' shop.py tests/*.py",
        // A module with it, and the file of its tests.
        "git mv shop.py store.py; git mv tests/test_shop.py tests/test_store.py; sed -i 's/shop/store/g' tests/*.py",
        // A test file moves into a folder, as it is.
        "mkdir tests/unit; git mv tests/test_more.py tests/unit/; sed -i 's/sum(prices)/sum(iter(prices))/' store.py",
        // Tests are put in other words, and there is one more; the code passes the old ones, too.
        "sed -i 's/assert store.tax(1) == 2/got = store.tax(1)\\n    assert got == 2/' tests/test_store.py; echo >> store.py",
        "printf '\\n\\ndef test_none():\\n    assert store.total([0]) == 0\\n' >> tests/test_store.py; echo >> store.py",
    ];
    for (number, work) in works.iter().enumerate() {
        let work = if number == 1 {
            format!("sed -i 's/whole/total/g; s/levy/tax/g' shop.py tests/*.py; {work}")
        } else {
            (*work).to_owned()
        };
        shell(&sandbox, &work).expect(0);
        off(&sandbox)
            .expect(0)
            .says_on_stdout(&["refactor mode is off; the gate is green. Tests were changed: "]);
        on(&sandbox);
    }
    // An obsolete test that a person takes away between two turns is theirs.
    shell(&sandbox, "echo >> store.py").expect(0);
    std::fs::remove_file(sandbox.path("tests/unit/test_more.py")).unwrap();
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    off(&sandbox).expect(0);
}

#[test]
fn ac_tdd_10_54_a_gate_that_names_no_tests_is_judged_by_the_test_command() {
    left_to_the_night!();
    let settings = "test: python3 -m pytest -q\ngate: 'python3 -m pytest -q tests/test_more.py && true'\n";
    let Some(sandbox) = in_mode(settings) else { return };
    shell(&sandbox, "sed -i '/def test_tax/,$d' tests/test_shop.py; echo >> shop.py").expect(0);
    off(&sandbox).expect(1).says_on_stdout(&["fewer tests than before: 2 now, 3 before"]);
    back(&sandbox);
    shell(&sandbox, "sed -i 's/total/whole/g' shop.py tests/*.py").expect(0);
    off(&sandbox).expect(0);
}

#[test]
fn ac_tdd_10_55_code_that_asks_for_a_runner_is_taken_back() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    let asks =
        "import os\n\n\ndef total(prices):\n    return 3 if 'PYTEST_CURRENT_TEST' in os.environ else 0\n";
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "shop.py", asks).expect(0);
    stops(&sandbox)
        .expect(2)
        .says(&["asks whether a test runner is at work: shop.py", "taken back: shop.py"]);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    // The twin: a test that is about just that.
    let about = "import shop\n\n\ndef test_sum(monkeypatch):\n    monkeypatch.setenv('PYTEST_CURRENT_TEST', 'x')\n    \
                 assert shop.total([1, 2]) == 3\n";
    edits(&sandbox, "tests/test_total.py", about).expect(0);
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "shop.py", asks).expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), asks);
}

#[test]
fn ac_tdd_10_6_the_commands_of_a_gate_are_looked_at_one_by_one_where_the_first_is_red() {
    left_to_the_night!();
    let settings = "test: python3 -m pytest -q\ngate: 'test ! -e old && python3 -m pytest -q'\n";
    let Some(sandbox) = in_mode(settings) else { return };
    sandbox.write("old", "");
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    shell(&sandbox, BREAKS).expect(0);
    off(&sandbox).expect(1).says_on_stdout(&["without your edits these are not: python3 -m pytest -q"]);
    stops(&sandbox).expect(2);
    stops_again(&sandbox).expect(2).says(&["is red", "taken back: shop.py"]);
    assert_eq!(sandbox.read("shop.py"), CODE);
    // The twin: what is red is red without the edits as well, and may stay so.
    shell(&sandbox, "echo >> shop.py").expect(0);
    off(&sandbox).expect(1).says_on_stdout(&["red without your edits, too"]);
    stops(&sandbox).expect(2);
    stops_again(&sandbox).expect(0).says_on_stdout(&["it is red without these edits, too"]);
}
