//! The gate, by the real binary: the eight cases of its source, what no hook sees, and what is honest.
#![expect(clippy::disallowed_methods, reason = "a test starts processes and looks at files")]

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::sandbox::{Ran, Sandbox, has_pytest};

mod among_code;
mod bad_calls;
mod brought;
mod cleaned;
mod elsewhere;
mod hidden;
mod history;
mod install;
mod kept;
mod known_tools;
mod mcp;
mod mcp_runs;
mod odd_sessions;
mod put_back;
mod real;
mod returning;
mod together;
mod told;
mod ways_around;
mod without_tests;

pub const SHOP: &str = "def total(prices):\n    return 0\n";
pub const RIGHT: &str = "def total(prices):\n    return sum(prices)\n";
pub const WRONG: &str = "def total(prices):\n    return 7\n";
pub const TEST: &str = "import shop\n\n\ndef test_sum():\n    assert shop.total([1, 2]) == 3\n";
pub const ID: &str = "tests/test_total.py::test_sum";
const TAX: &str = "def tax(price):\n    return 0\n";
const TAX_TEST: &str = "import tax\n\n\ndef test_tax():\n    assert tax.tax(100) == 19\n";
const TAX_ID: &str = "tests/test_tax.py::test_tax";
const HELD: &str = "tests/test_held.py";

/// A small project whose tests pass, with one more that does not.
pub fn project() -> Sandbox {
    Sandbox::with(&[
        ("shop.py", SHOP),
        ("tax.py", TAX),
        ("README.md", "# Shop\n"),
        ("conftest.py", ""),
        (HELD, "def test_held():\n    assert 1 == 1\n"),
        ("tests/test_total.py", TEST),
        ("tests/test_tax.py", TAX_TEST),
        ("tdd.yaml", "test: python3 -m pytest -q\nsession_gate: { free: [\"notes/**\"] }\n"),
    ])
}

/// Calls the hook of an agent with these bytes on stdin.
pub fn hook_with(sandbox: &Sandbox, words: &[&str], bytes: &[u8]) -> Ran {
    hook_by(sandbox.command(env!("CARGO_BIN_EXE_tdd")), words, bytes)
}

pub fn hook_by(mut command: std::process::Command, words: &[&str], bytes: &[u8]) -> Ran {
    command.args(["gate", "hook"]).args(words);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // It may have answered before it has read all.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    Ran::of(&child.wait_with_output().unwrap())
}

pub fn call(event: &str, tool: &str, input: Value) -> Value {
    let mut call = json!({
        "session_id": "s-1", "hook_event_name": event, "tool_name": tool,
        "transcript_path": "/dev/null", "permission_mode": "default",
    });
    call["tool_input"] = input;
    call
}

pub fn hook(sandbox: &Sandbox, event: &str, tool: &str, input: Value) -> Ran {
    let mut call = call(event, tool, input);
    call["cwd"] = sandbox.repo().to_str().unwrap().into();
    hook_with(sandbox, &["claude"], call.to_string().as_bytes())
}

/// What a model does with a tool for edits: asked before, told after.
pub fn edits(sandbox: &Sandbox, file: &str, text: &str) -> Ran {
    let input = json!({ "file_path": sandbox.path(file), "content": text });
    let asked = hook(sandbox, "PreToolUse", "Write", input.clone());
    if asked.code != 0 {
        return asked;
    }
    sandbox.write(file, text);
    hook(sandbox, "PostToolUse", "Write", input)
}

pub fn stops(sandbox: &Sandbox) -> Ran {
    hook(sandbox, "Stop", "", json!({}))
}

pub fn red(sandbox: &Sandbox, id: &str) {
    sandbox.tdd(&["gate", "test", id]).expect(0).says_on_stdout(&[&format!("red {id}")]);
}

pub fn claims(sandbox: &Sandbox, id: &str, file: &str) {
    sandbox.tdd(&["gate", "claim", id, file]).expect(0).says_on_stdout(&[file]);
}

pub fn journal(sandbox: &Sandbox) -> Vec<Value> {
    let text = std::fs::read_to_string(sandbox.path(".tdd/sessions/s-1/events.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn types(sandbox: &Sandbox) -> Vec<String> {
    journal(sandbox).iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

/// A session that has begun, in a project whose tests need pytest; `None` without it.
fn begun() -> Option<Sandbox> {
    if !has_pytest() {
        return None;
    }
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0).says_on_stdout(&["red test"]);
    Some(sandbox)
}

#[test]
fn ac_tdd_10_4_an_edit_goes_red_claim_edit_green() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    edits(&sandbox, "shop.py", RIGHT).expect(2).says(&["shop.py refused: no red test", "tdd gate test"]);
    red(&sandbox, ID);
    edits(&sandbox, "shop.py", RIGHT).expect(2).says(&["no claim", &format!("tdd gate claim {ID} shop.py")]);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "tests/test_total.py", "").expect(2).says(&["protected until"]);
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    let types = types(&sandbox);
    let told: Vec<&str> = types.iter().map(String::as_str).collect();
    assert_eq!(
        told,
        [
            "session_started",
            "policy_settled",
            "test_run",
            "edit_claim",
            "edit",
            "tree_seen",
            "test_run",
            "flushed"
        ]
    );
    let events = journal(&sandbox);
    assert_eq!((events[2]["status"].as_str(), events[2]["kind"].as_str()), (Some("fail"), Some("assertion")));
    assert_eq!((events[4]["ground"].as_str(), events[4]["tool"].as_str()), (Some("claim"), Some("Write")));
    assert_eq!(events[4]["test_ids"][0], ID);
    assert_eq!(events[6]["status"], "pass");
    // The commits hold what was there.
    let base = sandbox.git(&["show", &format!("{}:shop.py", events[4]["base"].as_str().unwrap())]);
    let tree = sandbox.git(&["show", &format!("{}:shop.py", events[4]["tree"].as_str().unwrap())]);
    assert_eq!((base.as_str(), tree.as_str()), (SHOP.trim(), RIGHT.trim()));
    assert!(!sandbox.git(&["status", "--porcelain"]).contains(".tdd"), "it is kept out of git");
    edits(&sandbox, "tests/test_total.py", TEST).expect(0);
}

#[test]
fn ac_tdd_10_5_a_red_turn_is_taken_back_and_a_second_one_halts() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    red(&sandbox, ID);
    for turn in ["first", "second"] {
        claims(&sandbox, ID, "shop.py");
        edits(&sandbox, "shop.py", WRONG).expect(0);
        let ran =
            stops(&sandbox).expect(2).says(&["taken back: shop.py", "assert 7 == 3", "refs/tdd/s-1/taken-"]);
        assert_eq!(sandbox.read("shop.py"), SHOP, "{turn}");
        assert_eq!(ran.stderr.contains("halted"), turn == "second", "{}", ran.stderr);
        stops(&sandbox).expect(0);
    }
    let repairs: Vec<Value> =
        journal(&sandbox).into_iter().filter(|event| event["type"] == "repair").collect();
    assert_eq!(repairs.len(), 2);
    assert_eq!(
        (repairs[0]["cause"].as_str(), repairs[0]["taken_back"][0].as_str()),
        (Some("red"), Some("shop.py"))
    );
    let kept = format!("refs/tdd/s-1/{}:shop.py", repairs[0]["label"].as_str().unwrap());
    assert_eq!(sandbox.git(&["show", &kept]), WRONG.trim(), "nothing is lost");
    edits(&sandbox, "shop.py", RIGHT).expect(2).says(&["failed two turns", "tell the person"]);
    sandbox.tdd(&["gate", "claim", ID, "shop.py"]).expect(2).says(&["failed two turns"]);
    sandbox.tdd(&["gate", "look"]).expect(2).says(&["only a person"]);
    sandbox.tdd(&["gate", "off"]).expect(2).says(&["only a person"]);
    sandbox.tdd(&["gate", "status"]).expect(0).says_on_stdout(&["halted", ID]);
    edits(&sandbox, "README.md", "# More\n").expect(0);
}

#[test]
fn ac_tdd_10_5_of_a_batch_only_what_is_red_goes_back() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    let calls = sandbox.beside("calls");
    let counting = format!("def pytest_sessionstart(session):\n    open({calls:?}, 'a').write('x')\n");
    sandbox.tdd(&["gate", "refactor", "on", "--why", "count runs"]).expect(0);
    edits(&sandbox, "conftest.py", &counting).expect(0);
    // Two tests are red, and were before.
    sandbox
        .tdd(&["gate", "refactor", "off"])
        .expect(0)
        .says_on_stdout(&["refactor mode is off; the gate is red, and no worse than without your edits"]);

    sandbox.tdd(&["gate", "test", ID, TAX_ID]).expect(0).says_on_stdout(&[ID, TAX_ID]);
    claims(&sandbox, ID, "shop.py");
    claims(&sandbox, TAX_ID, "tax.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    edits(&sandbox, "tax.py", "def tax(price):\n    return 18\n").expect(0);
    std::fs::write(&calls, "").unwrap();
    stops(&sandbox).expect(2).says(&["red: tests/test_tax.py::test_tax", "taken back: tax.py"]);
    assert_eq!((sandbox.read("shop.py").as_str(), sandbox.read("tax.py").as_str()), (RIGHT, TAX));
    assert_eq!(std::fs::read_to_string(&calls).unwrap(), "x", "one call of the runner for all of them");
}

#[test]
fn ac_tdd_10_6_refactor_mode_permits_and_cannot_end_red() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    sandbox.write("tdd.yaml", &format!("test: python3 -m pytest -q\ngate: python3 -m pytest -q {HELD}\n"));
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    sandbox.tdd(&["gate", "refactor", "on"]).expect(2).says(&["wants a reason"]);
    let on = ["gate", "refactor", "on", "--files", "shop.py", "--why", "rename"];
    sandbox.tdd(&on).expect(0);
    edits(&sandbox, "tax.py", "").expect(2).says(&["no red test"]);
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    stops(&sandbox).expect(2).says(&["refactor mode is on", "tdd gate refactor off"]);
    sandbox.tdd(&["gate", "refactor", "off"]).expect(0).says_on_stdout(&["the gate is green"]);
    edits(&sandbox, "shop.py", SHOP).expect(2);
    assert_eq!(sandbox.read("shop.py"), RIGHT, "what was green is kept");
}

#[test]
fn ac_tdd_10_4_nothing_is_claimed_before_a_test_was_seen_red() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    sandbox.tdd(&["gate", "claim", ID, "shop.py"]).expect(2).says(&["was not seen red", "tdd gate test"]);
    let held = "tests/test_held.py::test_held";
    sandbox.tdd(&["gate", "test", held]).expect(0).says_on_stdout(&["green"]);
    sandbox.tdd(&["gate", "claim", held, "shop.py"]).expect(2).says(&["is green, so nothing can be claimed"]);
    sandbox
        .tdd(&["gate", "test", "tests/test_total.py::test_sums"])
        .expect(1)
        .says_on_stdout(&["there is no test"]);
    for (name, body, why) in [
        ("always", "    assert False\n", "it fails whatever the code does"),
        ("unloaded", "    assert (\n", "no code answers that red"),
    ] {
        let file = format!("tests/test_{name}.py");
        edits(&sandbox, &file, &format!("def test_it():\n{body}")).expect(0);
        let id = format!("{file}::test_it");
        let ran = sandbox.tdd(&["gate", "test", &id]).expect(0);
        assert!(ran.stdout.contains(why), "{name}: {}", ran.stdout);
        sandbox.tdd(&["gate", "claim", &id, "shop.py"]).expect(2);
        edits(&sandbox, &file, "").expect(0);
    }
    red(&sandbox, ID);
    for file in ["tests/test_tax.py", "conftest.py"] {
        sandbox.tdd(&["gate", "claim", ID, file]).expect(2).says(&["can't be claimed"]);
    }
    sandbox.tdd(&["gate", "claim", ID, "/etc/passwd"]).expect(2).says(&["no file of this repository"]);
}

#[test]
fn ac_tdd_10_7_a_plan_names_tests_with_their_files() {
    let Some(sandbox) = begun() else { return };
    let plan = |text: &str| {
        std::fs::write(sandbox.beside("plan.json"), text).unwrap();
        sandbox.tdd(&["gate", "plan", sandbox.beside("plan.json").to_str().unwrap()])
    };
    plan("[{\"step\": \"sum\", \"test_id\": \"t::a\"}]").expect(2).says(&["no test_file_path"]);
    plan("{").expect(2).says(&["can't be read"]);
    plan(&format!(
        "[{{\"step\": \"sum\", \"test_id\": \"{ID}\", \"test_file_path\": \"tests/test_total.py\"}}, {{\"step\": \"tidy\"}}]"
    ))
    .expect(0)
    .says_on_stdout(&["2 steps; 1 without a test are for refactor mode"]);
    sandbox.tdd(&["gate", "status"]).expect(0).says_on_stdout(&["○ sum", "◇ tidy"]);
    red(&sandbox, ID);
    sandbox.tdd(&["gate", "status"]).expect(0).says_on_stdout(&["● red   sum"]);
}

#[test]
fn ac_tdd_10_8_an_annotation_is_the_id_and_stays_when_the_test_is_renamed() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    let named = TEST.replace("def test_sum", "# @tdd-test-id: total-of-prices\ndef test_sum");
    edits(&sandbox, "tests/test_total.py", &named).expect(0);
    sandbox.tdd(&["gate", "test", ID]).expect(0).says_on_stdout(&["red total-of-prices (assertion)"]);
    edits(&sandbox, "tests/test_total.py", &named.replace("test_sum", "test_adds_up")).expect(0);
    claims(&sandbox, "total-of-prices", "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    let last = journal(&sandbox).into_iter().rfind(|event| event["type"] == "test_run").unwrap();
    assert_eq!(
        (last["test_id_source"].as_str(), last["status"].as_str()),
        (Some("annotation"), Some("pass"))
    );
    sandbox.tdd(&["gate", "test", "no-such-slug"]).expect(2).says(&["no test is called"]);
}

#[test]
fn ac_tdd_10_9_what_no_hook_saw_is_taken_back_and_kept() {
    left_to_the_night!();
    let Some(sandbox) = begun() else { return };
    let bash = |script: &str| {
        let input = json!({ "command": script });
        hook(&sandbox, "PreToolUse", "Bash", input.clone()).expect(0);
        assert!(sandbox.command("sh").args(["-c", script]).status().unwrap().success());
        hook(&sandbox, "PostToolUse", "Bash", input)
    };
    let told = bash("sed -i s/0/1/ shop.py")
        .expect(2)
        .says(&["shop.py refused", "taken back; kept as refs/tdd/s-1/"]);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    let kept = told.stderr.split_whitespace().last().unwrap().to_owned();
    assert_eq!(sandbox.git(&["show", &format!("{kept}:shop.py")]), SHOP.replace('0', "1").trim());
    // New files, files that are gone, and what makes tests run otherwise.
    bash("echo 'x = 1' > more.py; rm tax.py; echo 'x = 1' > tests/conftest.py").expect(2);
    assert_eq!((sandbox.path("more.py").exists(), sandbox.read("tax.py").as_str()), (false, TAX));
    assert!(!sandbox.path("tests/conftest.py").exists());
    // Honest work looks like that, and stands.
    bash("echo more >> README.md; mkdir -p notes; echo x > notes/a.py; echo > tests/test_new.py").expect(0);
    assert!(sandbox.path("notes/a.py").exists() && sandbox.path("tests/test_new.py").exists());
    // Where no hook fires at all, the end of the turn sees it.
    sandbox.write("shop.py", WRONG);
    sandbox.tdd(&["gate", "flush"]).expect(1).says_on_stdout(&["shop.py refused", "taken back"]);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    sandbox.write("shop.py", WRONG);
    hook(&sandbox, "SubagentStop", "", json!({})).expect(2).says(&["shop.py refused"]);
    // With a claim it is an edit like any other.
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    bash("printf 'def total(prices):\\n    return sum(prices)\\n' > shop.py").expect(0);
    stops(&sandbox).expect(0);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    // What a person changes between two turns is theirs.
    sandbox.write("tax.py", "def tax(price):\n    return 19\n");
    hook(&sandbox, "UserPromptSubmit", "", json!({})).expect(0);
    hook(&sandbox, "PostToolUse", "Bash", json!({ "command": "true" })).expect(0);
    assert!(sandbox.read("tax.py").contains("19"));
    assert!(types(&sandbox).contains(&"rebased".to_owned()));
}

#[test]
fn a_repository_without_tests_begins_in_refactor_mode() {
    let sandbox = Sandbox::with(&[("shop.py", SHOP)]);
    hook(&sandbox, "SessionStart", "", json!({}))
        .expect(0)
        .says_on_stdout(&["no tests", "tdd gate refactor off"]);
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    stops(&sandbox).expect(0);
    sandbox.tdd(&["gate", "status"]).expect(0).says_on_stdout(&["refactor mode is on", "no tests yet"]);
    sandbox.tdd(&["gate", "refactor", "off"]).expect(2);
}

#[test]
fn tests_beside_the_code_may_be_added_before_a_claim() {
    let code = "pub fn one() -> u8 {\n    0\n}\n";
    let manifest = "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let sandbox = Sandbox::with(&[
        ("src/lib.rs", code),
        ("Cargo.toml", manifest),
        ("tests/held.rs", "#[test]\nfn held() {}\n"),
    ]);
    let tests = format!(
        "{code}\n#[cfg(test)]\nmod tests {{\n    #[test]\n    fn is_one() {{\n        assert_eq!(super::one(), 1);\n    }}\n}}\n"
    );
    edits(&sandbox, "src/lib.rs", &tests.replace("    0\n", "    1\n")).expect(2).says(&["no red test"]);
    edits(&sandbox, "src/lib.rs", &tests).expect(0);
    assert_eq!(sandbox.read("src/lib.rs"), tests);
    let more = tests.replace(
        "    #[test]\n",
        "    #[test]\n    fn is_two() {\n        assert_eq!(super::one(), 2);\n    }\n\n    #[test]\n",
    );
    // A test that is new since the turn began may be mended before it is claimed.
    edits(&sandbox, "src/lib.rs", &more.replace("one(), 1", "one(), 0")).expect(0);
    edits(&sandbox, "src/lib.rs", &more).expect(0);
    assert_eq!(sandbox.read("src/lib.rs"), more);
    let grounds: Vec<Value> = journal(&sandbox).into_iter().filter(|event| event["type"] == "edit").collect();
    assert_eq!(grounds[0]["ground"], "test");
}
