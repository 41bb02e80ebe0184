//! Repositories that begin without tests, and those whose tests are gone.

use serde_json::json;

use super::{
    HELD, ID, RIGHT, SHOP, TEST, WRONG, begun, claims, edits, hook, hook_with, project, red, stops, types,
};
use crate::sandbox::{Ran, Sandbox, has_pytest};

const FIRST: &str = "test_shop.py::test_sum";

/// A repository of nothing, in which a session has begun; `None` without pytest.
fn new() -> Option<Sandbox> {
    if !has_pytest() {
        return None;
    }
    let sandbox = Sandbox::with(&[("README.md", "# Shop\n"), ("tdd.yaml", "test: python3 -m pytest -q\n")]);
    hook(&sandbox, "SessionStart", "", json!({}))
        .expect(0)
        .says_on_stdout(&["has no tests", "a claim on a red test"]);
    Some(sandbox)
}

#[test]
fn ac_tdd_10_69_the_first_red_test_that_is_claimed_ends_the_mode_that_is_on_for_want_of_tests() {
    left_to_the_night!();
    let Some(sandbox) = new() else { return };
    edits(&sandbox, "test_shop.py", TEST).expect(0);
    edits(&sandbox, "shop.py", SHOP).expect(0);
    red(&sandbox, FIRST);
    let status = sandbox
        .tdd(&["gate", "status"])
        .expect(0)
        .says_on_stdout(&["refactor mode is on", "there were no tests when"]);
    assert!(!status.stdout.contains("has no tests yet"), "{}", status.stdout);
    stops(&sandbox).expect(2).says(&[FIRST, "refactor mode is on for want of tests", "tdd gate claim"]);
    sandbox
        .tdd(&["gate", "claim", FIRST, "shop.py"])
        .expect(0)
        .says_on_stdout(&["refactor mode is off", "claimed shop.py"]);
    // Wrong code is no unnoticed end of a turn.
    edits(&sandbox, "shop.py", WRONG).expect(0);
    stops(&sandbox).expect(2).says(&["red: test_shop.py::test_sum", "taken back: shop.py"]);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    edits(&sandbox, "shop.py", RIGHT).expect(2).says(&["no claim"]);
    // The twin goes from red to green, and is a line of the corpus.
    claims(&sandbox, FIRST, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    sandbox.tdd(&["gate", "flush"]).expect(0).says_on_stdout(&["1 green, edits kept"]);
    let told = types(&sandbox);
    let told: Vec<&str> = told.iter().map(String::as_str).collect();
    assert!(told.contains(&"refactor_off") && told.ends_with(&["test_run", "flushed"]), "{told:?}");
    sandbox.tdd(&["corpus", "export"]).expect(0).says_on_stdout(&[FIRST]);
    sandbox.tdd(&["log", "s-1"]).expect(0).says_on_stdout(&["refactor mode off: a red test was claimed"]);
}

#[test]
fn ac_tdd_10_69_a_mode_that_somebody_has_chosen_stays_on_after_a_claim() {
    let Some(sandbox) = begun() else { return };
    sandbox
        .tdd(&["gate", "refactor", "on", "--why", "the repository has no tests yet"])
        .expect(2)
        .says(&["a reason of its own"]);
    sandbox.tdd(&["gate", "refactor", "on", "--why", "tidy"]).expect(0);
    red(&sandbox, ID);
    let claimed = sandbox.tdd(&["gate", "claim", ID, "shop.py"]).expect(0);
    assert!(!claimed.stdout.contains("refactor mode is off"), "{}", claimed.stdout);
    sandbox.tdd(&["gate", "status"]).expect(0).says_on_stdout(&["refactor mode is on for all files: tidy"]);
}

#[test]
fn ac_tdd_10_70_the_mode_for_want_of_tests_ends_where_new_tests_alone_are_red() {
    let Some(sandbox) = new() else { return };
    let off = || sandbox.tdd(&["gate", "refactor", "off"]);
    edits(&sandbox, "test_shop.py", TEST).expect(0);
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    sandbox.tdd(&["gate", "test", FIRST]).expect(0).says_on_stdout(&["green"]);
    // It was green: what makes it red is the mode's own edit.
    edits(&sandbox, "shop.py", WRONG).expect(0);
    red(&sandbox, FIRST);
    off().expect(1).says_on_stdout(&["refactor mode stays on"]);
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    // The twin: one that nobody has seen green.
    edits(&sandbox, "test_more.py", "import shop\n\n\ndef test_more():\n    assert shop.total([]) == 9\n")
        .expect(0);
    off().expect(0).says_on_stdout(&["never green", "test_more.py::test_more", "refactor mode is off"]);
    edits(&sandbox, "shop.py", WRONG).expect(2).says(&["refused"]);
}

/// What another session begins with.
fn second(sandbox: &Sandbox) -> Ran {
    let told = json!({ "session_id": "s-2", "hook_event_name": "SessionStart", "cwd": sandbox.repo() });
    hook_with(sandbox, &["claude"], told.to_string().as_bytes())
}

#[test]
fn ac_tdd_10_71_tests_that_are_gone_and_not_by_a_commit_are_no_reason_for_refactor_mode() {
    let Some(sandbox) = begun() else { return };
    std::fs::remove_dir_all(sandbox.path("tests")).unwrap();
    hook(&sandbox, "PostToolUse", "Bash", json!({ "command": "rm -r tests" })).expect(0);
    stops(&sandbox).expect(0);
    let told = second(&sandbox).expect(0).says_on_stdout(&[
        "the tests are gone that HEAD has",
        HELD,
        "git checkout HEAD",
    ]);
    assert!(!told.stdout.contains("so refactor mode is on"), "{}", told.stdout);
    let edit = json!({
        "session_id": "s-2", "hook_event_name": "PreToolUse", "tool_name": "Write", "cwd": sandbox.repo(),
        "tool_input": { "file_path": sandbox.path("shop.py"), "content": WRONG },
    });
    hook_with(&sandbox, &["claude"], edit.to_string().as_bytes()).expect(2).says(&["no red test"]);
    // A person who removes all tests commits that.
    let sandbox = project();
    std::fs::remove_dir_all(sandbox.path("tests")).unwrap();
    sandbox.commit();
    second(&sandbox).expect(0).says_on_stdout(&["this repository has no tests, so refactor mode is on"]);
}
