//! Tools that an agent has from elsewhere than its own list: of a namespace, of a server.

use serde_json::json;

use super::mcp::Client;
use super::{ID, RIGHT, SHOP, WRONG, begun, claims, hook, hook_with, project, red};
use crate::battery;
use crate::sandbox::{Ran, Sandbox, has_pytest, wait_for};

fn asks(sandbox: &Sandbox, agent: &str, tool: &str) -> Ran {
    let told = json!({
        "session_id": "s-1", "hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": {},
        "cwd": sandbox.repo(),
    });
    hook_with(sandbox, &[agent], told.to_string().as_bytes())
}

#[test]
fn ac_tdd_10_67_a_tool_of_a_namespace_is_known_by_both_names_in_one_word() {
    let sandbox = project();
    for tool in [
        "collaborationspawn_agent",
        "collaborationwait_agent",
        "collaborationsend_message",
        "collaborationfollowup_task",
        "collaborationlist_agents",
        "collaborationinterrupt_agent",
        "multi_agent_v1send_input",
        "clocksleep",
        "clockcurr_time",
        "request_user_input_async",
    ] {
        asks(&sandbox, "codex", tool).expect(0);
    }
    // Looks like one, and is none: another's tool, another's namespace, one that edits.
    for tool in ["clockspawn_agent", "collaborationsleep", "otherspawn_agent", "clockapply_patch", "clock"] {
        asks(&sandbox, "codex", tool).expect(2).says(&["no tool of codex is known"]);
    }
    asks(&sandbox, "claude", "collaborationspawn_agent").expect(2).says(&["no tool of claude is known"]);
}

/// What a server does that is called so.
fn serves(sandbox: &Sandbox, tool: &str, file: &str, text: &str) -> Ran {
    hook(sandbox, "PreToolUse", tool, json!({})).expect(0);
    sandbox.write(file, text);
    hook(sandbox, "PostToolUse", tool, json!({}))
}

#[test]
fn ac_tdd_10_68_a_tool_of_our_own_server_runs_and_what_it_changed_is_looked_at() {
    let Some(sandbox) = begun() else { return };
    for agent in ["claude", "codex"] {
        for tool in ["run_tests", "claim_edit", "edit_file", "flush", "status", "wait_run"] {
            asks(&sandbox, agent, &format!("mcp__tdd__{tool}")).expect(0);
        }
        asks(&sandbox, agent, "mcp__tdd__teleport").expect(2).says(&["is known"]);
        asks(&sandbox, agent, "mcp__other__run_tests").expect(2).says(&["is known"]);
    }
    asks(&sandbox, "claude", "mcp__ide__getDiagnostics").expect(0);
    // Another server by our name, or by the editor's, edits what nothing allows.
    for tool in ["mcp__tdd__edit_file", "mcp__ide__getDiagnostics"] {
        serves(&sandbox, tool, "shop.py", RIGHT)
            .expect(2)
            .says(&["shop.py refused: no red test", "taken back"]);
        assert_eq!(sandbox.read("shop.py"), SHOP, "{tool}");
    }
    // The same edit under a claim stands.
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    serves(&sandbox, "mcp__tdd__edit_file", "shop.py", RIGHT).expect(0);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
}

const MORE: &str = "import shop\n\n\ndef test_three():\n    assert shop.total([1, 1, 1]) == 4\n";
const MORE_ID: &str = "tests/test_more.py::test_three";

fn waits_for_its_session(sandbox: &Sandbox) {
    wait_for(|| {
        let entries = sandbox.path(".tdd/sessions").read_dir();
        entries.is_ok_and(|all| all.flatten().any(|entry| entry.path().join("events.jsonl").is_file()))
    });
}

/// Whichever of the two sessions of one agent begins first: an agent starts its servers beside its first hook.
#[test]
fn ac_tdd_10_68_what_our_server_has_edited_stands_for_the_hooks_of_its_client() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    for is_server_first in [true, false] {
        let sandbox = project();
        let mut client = is_server_first.then(|| Client::start(&sandbox));
        if is_server_first {
            waits_for_its_session(&sandbox);
        }
        hook(&sandbox, "SessionStart", "", json!({})).expect(0);
        let client = client.get_or_insert_with(|| Client::start(&sandbox));
        client.goes_through("run_tests", &json!({ "ids": [ID] }), &["red"]);
        client.goes_through("claim_edit", &json!({ "test_id": ID, "files": ["shop.py"] }), &["claimed"]);
        hook(&sandbox, "PreToolUse", "mcp__tdd__edit_file", json!({})).expect(0);
        client.goes_through("edit_file", &json!({ "path": "shop.py", "content": RIGHT }), &["edited"]);
        hook(&sandbox, "PostToolUse", "mcp__tdd__edit_file", json!({})).expect(0);
        client.goes_through("flush", &json!({}), &["edits kept"]);
        hook(&sandbox, "Stop", "", json!({})).expect(0);
        assert_eq!(sandbox.read("shop.py"), RIGHT, "server first: {is_server_first}");
        // What it was never asked to judge the end of the turn does.
        client.goes_through("run_tests", &json!({ "ids": [ID] }), &["green"]);
        sandbox.write("tests/test_more.py", MORE);
        client.goes_through("run_tests", &json!({ "ids": [MORE_ID] }), &["red"]);
        client.goes_through("claim_edit", &json!({ "test_id": MORE_ID, "files": ["shop.py"] }), &["claimed"]);
        client.goes_through("edit_file", &json!({ "path": "shop.py", "content": WRONG }), &["edited"]);
        hook(&sandbox, "PostToolUse", "mcp__tdd__edit_file", json!({})).expect(0);
        hook(&sandbox, "Stop", "", json!({})).expect(2).says(&["taken back: shop.py"]);
        assert_eq!(sandbox.read("shop.py"), RIGHT, "server first: {is_server_first}");
    }
}

#[test]
fn ac_tdd_10_75_a_server_that_nobody_greets_begins_no_session() {
    let sandbox = project();
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.arg("mcp").stdin(std::process::Stdio::null());
    let _ = command.output().unwrap();
    assert!(!sandbox.path(".tdd/sessions").exists(), "nobody was there");
    // One that greets is at work from then on, before its first call.
    let client = Client::start(&sandbox);
    waits_for_its_session(&sandbox);
    client.ends().expect(0);
}

#[test]
fn ac_tdd_10_77_a_claim_of_what_is_no_test_names_the_one_that_may_be_meant() {
    let Some(sandbox) = begun() else { return };
    red(&sandbox, ID);
    let held = "tests/test_held.py::test_held";
    sandbox.tdd(&["gate", "test", held]).expect(0);
    let claim = |id: &str| sandbox.tdd(&["gate", "claim", id, "shop.py"]).expect(2);
    claim("tests/test_total.py::test_summ").says(&["if that is meant", &format!("tdd gate claim {ID} FILE")]);
    claim("tests/test_held.py::test_hold").says(&["if that is meant", &format!("tdd gate test {held}")]);
    claim("x::y").says(&["run it: tdd gate test x::y"]);
    sandbox.tdd(&["explain", "claim"]).expect(0).says_on_stdout(&["which red test an edit"]);
}

#[test]
fn ac_tdd_10_78_a_session_keeps_the_name_of_the_model_that_its_agent_tells() {
    if !has_pytest() {
        return;
    }
    let all = [(None, "\"model\":null"), (Some("gpt-6.1-sol"), "\"model\":\"gpt-6.1-sol\"")];
    for (model, line) in battery::part(all, 1) {
        let sandbox = project();
        let mut told =
            json!({ "session_id": "s-1", "hook_event_name": "SessionStart", "cwd": sandbox.repo() });
        if let Some(model) = model {
            told["model"] = model.into();
        }
        hook_with(&sandbox, &["codex"], told.to_string().as_bytes()).expect(0);
        red(&sandbox, ID);
        claims(&sandbox, ID, "shop.py");
        sandbox.write("shop.py", RIGHT);
        sandbox.tdd(&["gate", "flush"]).expect(0).says_on_stdout(&["1 green"]);
        sandbox.tdd(&["corpus", "export"]).expect(0).says_on_stdout(&[line]);
    }
}
