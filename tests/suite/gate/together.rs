//! Several sessions in one work tree, and agents that speak to themselves.

use serde_json::{Value, json};

use super::ways_around::StandIn;
use super::{ID, RIGHT, SHOP, WRONG, call, hook_with, project};
use crate::sandbox::{Ran, Sandbox, has_pytest};

const OTHER: &str = "def tax(price):\n    return 19\n";

/// A call of one of several sessions.
fn calls(sandbox: &Sandbox, session: &str, event: &str, tool: &str, input: Value) -> Ran {
    let mut told = call(event, tool, input);
    told["session_id"] = session.into();
    told["cwd"] = sandbox.repo().to_str().unwrap().into();
    hook_with(sandbox, &["claude"], told.to_string().as_bytes())
}

fn bash(sandbox: &Sandbox, session: &str, script: &str) -> Ran {
    let input = json!({ "command": script });
    calls(sandbox, session, "PreToolUse", "Bash", input.clone()).expect(0);
    assert!(sandbox.command("sh").args(["-c", script]).status().unwrap().success());
    calls(sandbox, session, "PostToolUse", "Bash", input)
}

fn two() -> Option<Sandbox> {
    if !has_pytest() {
        return None;
    }
    let sandbox = project();
    for session in ["s-1", "s-2"] {
        calls(&sandbox, session, "SessionStart", "", json!({})).expect(0);
    }
    Some(sandbox)
}

fn goes_red(sandbox: &Sandbox, session: &str) {
    sandbox.tdd(&["gate", "test", ID, "--session", session]).expect(0);
    sandbox.tdd(&["gate", "claim", ID, "shop.py", "--session", session]).expect(0);
}

/// As opencode has it for each of its tasks, and two windows in one folder.
#[test]
fn ac_tdd_10_33_what_another_session_edits_in_order_stands() {
    left_to_the_night!();
    let Some(sandbox) = two() else { return };
    let shop = || sandbox.read("shop.py");
    goes_red(&sandbox, "s-2");
    // While its tool is under way, when that has ended, and after its turn.
    let input = json!({ "file_path": sandbox.path("shop.py"), "content": RIGHT });
    calls(&sandbox, "s-2", "PreToolUse", "Write", input.clone()).expect(0);
    sandbox.write("shop.py", RIGHT);
    bash(&sandbox, "s-1", "true").expect(0);
    calls(&sandbox, "s-2", "PostToolUse", "Write", input).expect(0);
    bash(&sandbox, "s-1", "true").expect(0);
    calls(&sandbox, "s-2", "Stop", "", json!({})).expect(0);
    calls(&sandbox, "s-1", "Stop", "", json!({})).expect(0);
    assert_eq!(shop(), RIGHT);
    // Seen by the first one only when all is over.
    let sandbox = two().unwrap();
    goes_red(&sandbox, "s-2");
    bash(&sandbox, "s-2", "sed -i s/0/'sum(prices)'/ shop.py").expect(0);
    calls(&sandbox, "s-2", "Stop", "", json!({})).expect(0);
    bash(&sandbox, "s-1", "true").expect(0);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    // What the second one has taken back is nobody's edit, either.
    let sandbox = two().unwrap();
    goes_red(&sandbox, "s-2");
    bash(&sandbox, "s-2", "sed -i s/0/7/ shop.py").expect(0);
    bash(&sandbox, "s-1", "true").expect(0);
    calls(&sandbox, "s-2", "Stop", "", json!({})).expect(2).says(&["taken back: shop.py"]);
    bash(&sandbox, "s-1", "true").expect(0);
    assert_eq!(sandbox.read("shop.py"), SHOP);
}

#[test]
fn ac_tdd_10_33_what_another_session_has_not_claimed_is_taken_back() {
    left_to_the_night!();
    let Some(sandbox) = two() else { return };
    goes_red(&sandbox, "s-2");
    // Another file than the claim's.
    sandbox.write("tax.py", OTHER);
    bash(&sandbox, "s-1", "true").expect(2).says(&["tax.py refused"]);
    // The claim's file, changed again once its turn is over.
    bash(&sandbox, "s-2", "sed -i s/0/'sum(prices)'/ shop.py").expect(0);
    calls(&sandbox, "s-2", "Stop", "", json!({})).expect(0);
    bash(&sandbox, "s-1", "true").expect(0);
    bash(&sandbox, "s-1", "sed -i s/sum/max/ shop.py").expect(2).says(&["shop.py refused"]);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    // A turn of the other's that takes it for a person's makes it no edit in order.
    sandbox.write("shop.py", WRONG);
    calls(&sandbox, "s-2", "UserPromptSubmit", "", json!({})).expect(0);
    bash(&sandbox, "s-1", "true").expect(2).says(&["shop.py refused"]);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
}

/// A model begins a session beside its own, which asks for red and claim as well, and never ends its turn.
#[test]
fn ac_tdd_10_33_a_session_that_a_command_has_begun_is_judged_with_the_agents_own() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = project();
    let mut agent = StandIn::start(&sandbox);
    agent.begins(&sandbox);
    let mut told = call("SessionStart", "Bash", json!({ "command": "x" }));
    told["session_id"] = "s-2".into();
    std::fs::write(sandbox.beside("second.json"), told.to_string()).unwrap();
    let second = sandbox.beside("second.json");
    let second = second.to_str().unwrap();
    let says = |agent: &mut StandIn, event: &str| {
        std::fs::write(
            sandbox.beside("now.json"),
            call(event, "Bash", json!({ "command": "x" })).to_string(),
        )
        .unwrap();
        agent.runs(&format!(
            "{{ tdd gate hook claude < {}; echo code=$?; }}",
            sandbox.beside("now.json").display()
        ))
    };
    says(&mut agent, "PreToolUse");
    let script = format!(
        "tdd gate hook claude < {second}; tdd gate test {ID} --session s-2; tdd gate claim {ID} shop.py --session s-2; \
         sed -i s/0/7/ shop.py; sed s/SessionStart/PostToolUse/ {second} | tdd gate hook claude"
    );
    let ran = agent.runs(&format!("sh -c '{script}'"));
    assert!(ran.contains("claimed shop.py"), "{ran}");
    let after = says(&mut agent, "PostToolUse");
    assert!(after.contains("code=0"), "{after}");
    assert_eq!(sandbox.read("shop.py"), WRONG);
    let stop = says(&mut agent, "Stop");
    assert!(stop.contains("code=2") && stop.contains("of session s-2, which you began"), "{stop}");
    assert_eq!(sandbox.read("shop.py"), SHOP);
    let again = says(&mut agent, "Stop");
    assert!(again.contains("code=0"), "{again}");
}

/// A crash, an end in order, `/clear`: its claim and its refactor mode were for its own work.
#[test]
fn ac_tdd_10_43_a_session_that_is_over_permits_nothing() {
    left_to_the_night!();
    for (is_claim, is_followed) in [(true, false), (false, false), (true, true), (false, true)] {
        let Some(sandbox) = two() else { return };
        // The later one is s-2, which the agent of s-1 has gone on to, or whose agent came after its end.
        if is_claim {
            goes_red(&sandbox, "s-1");
        } else {
            sandbox.tdd(&["gate", "refactor", "on", "--why", "tidy", "--session", "s-1"]).expect(0);
        }
        if !is_followed {
            std::fs::write(sandbox.path(".tdd/sessions/s-1/caller"), "1 1 of another boot").unwrap();
        }
        calls(&sandbox, "s-2", "UserPromptSubmit", "", json!({})).expect(0);
        bash(&sandbox, "s-2", "sed -i s/0/7/ shop.py").expect(2).says(&["shop.py refused"]);
        assert_eq!(sandbox.read("shop.py"), SHOP, "claim: {is_claim}, followed: {is_followed}");
    }
}

#[test]
fn ac_tdd_10_43_a_living_sessions_refactor_mode_answers_for_what_it_has_seen() {
    let Some(sandbox) = two() else { return };
    sandbox.tdd(&["gate", "refactor", "on", "--why", "tidy", "--session", "s-2"]).expect(0);
    bash(&sandbox, "s-1", "sed -i s/0/7/ shop.py").expect(2).says(&["shop.py refused"]);
    bash(&sandbox, "s-2", "sed -i s/0/7/ shop.py").expect(0);
    bash(&sandbox, "s-1", "true").expect(0);
    assert_eq!(sandbox.read("shop.py"), WRONG);
}

#[test]
fn ac_tdd_10_43_the_refactor_mode_of_a_session_that_a_command_began_permits_nothing() {
    let sandbox = project();
    calls(&sandbox, "s-1", "SessionStart", "", json!({})).expect(0);
    let mut told = call("SessionStart", "Bash", json!({ "command": "x" }));
    told["session_id"] = "s-2".into();
    std::fs::write(sandbox.beside("second.json"), told.to_string()).unwrap();
    let second = sandbox.beside("second.json");
    let tdd = env!("CARGO_BIN_EXE_tdd");
    for after in ["true", "sed s/SessionStart/PostToolUse/ SECOND | TDD gate hook claude"] {
        let script = format!(
            "cat SECOND | TDD gate hook claude; TDD gate refactor on --why x --session s-2; \
             sed -i s/0/7/ shop.py; {after}; true"
        );
        let script = script.replace("SECOND", second.to_str().unwrap()).replace("TDD", tdd);
        bash(&sandbox, "s-1", &script).expect(2).says(&["shop.py refused"]);
        assert!(sandbox.path(".tdd/sessions/s-2/events.jsonl").is_file());
        assert_eq!(sandbox.read("shop.py"), SHOP, "{after}");
    }
}

/// What the plugin says to its agent is no word of a person's, and what a person says is.
#[test]
fn ac_tdd_10_34_a_turn_that_is_not_let_end_begins_none() {
    if !crate::sandbox::has_node() {
        return;
    }
    let sandbox = project();
    let programs = sandbox.beside("programs");
    std::fs::create_dir_all(&programs).unwrap();
    let log = sandbox.beside("log");
    // It tells each event, and lets no turn end.
    let tdd = format!(
        "#!/bin/sh\nread -r call\necho \"$call\" | grep -o '\"hook_event_name\":\"[A-Za-z]*\"' >> {0}\n\
         case \"$call\" in *Stop*) echo 'tdd: red' >&2; exit 2;; esac\n",
        log.display()
    );
    std::fs::write(programs.join("tdd"), tdd).unwrap();
    crate::sandbox::make_executable(&programs.join("tdd"));
    let plays = |name: &str, plugin: &str, script: &str| {
        let at = sandbox.beside(name);
        std::fs::write(&at, plugin.replace("{tdd}", "tdd")).unwrap();
        let _ = std::fs::remove_file(&log);
        let script = format!("const m = await import({:?});\n{script}", at.to_str().unwrap());
        let mut node = sandbox.command("node");
        node.env("PATH", crate::sandbox::path_with(&programs));
        node.args(["--input-type=module", "-e", &script]);
        let ran = Ran::of(&node.output().unwrap());
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        let told = std::fs::read_to_string(&log).unwrap_or_default();
        told.lines().filter_map(|line| line.split('"').nth(3)).map(str::to_owned).collect::<Vec<_>>()
    };
    let opencode = include_str!("../../../src/commands/gate/plugins/opencode.js");
    let told = plays(
        "opencode.mjs",
        opencode,
        "let hooks; const say = (text) => hooks['chat.message']({ sessionID: 's' }, { parts: [{ type: 'text', text }] });
        const client = { session: { prompt: async ({ body }) => say(body.parts[0].text) } };
        hooks = await m.TddGate({ client, directory: process.cwd() });
        await say('make it right');
        await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 's' } } });
        await say('tdd: red');",
    );
    assert_eq!(told, ["UserPromptSubmit", "Stop", "UserPromptSubmit"]);
    // Its types are for its own program.
    let pi = include_str!("../../../src/commands/gate/plugins/pi.ts");
    let pi = [": string | undefined", ": string", ": object", ": any"]
        .into_iter()
        .fold(pi.to_owned(), |text, kind| text.replace(kind, ""));
    let told = plays(
        "pi.mjs",
        &pi,
        "const on = {}; const said = [];
        m.default({ on: (name, f) => { on[name] = f; }, sendUserMessage: (text) => said.push(text) });
        await on.input({ text: 'make it right', source: 'interactive' }, {});
        await on.agent_end();
        await on.input({ text: said[0], source: 'extension' }, {});
        await on.input({ text: 'wait', source: 'interactive', streamingBehavior: 'steer' }, {});
        await on.input({ text: 'go on', source: 'interactive' }, {});",
    );
    assert_eq!(told, ["UserPromptSubmit", "Stop", "UserPromptSubmit"]);
}

#[test]
fn ac_tdd_10_40_tools_of_each_agent_that_are_published_are_known() {
    let sandbox = project();
    let asks = |agent: &str, tool: &str, input: Value| {
        let told = json!({
            "session_id": "s-1", "sessionId": "s-1", "hook_event_name": "PreToolUse", "tool_name": tool,
            "toolName": tool, "tool_input": input, "toolArgs": input, "cwd": sandbox.repo(),
        });
        let event = match agent {
            "copilot" => "preToolUse",
            "gemini" => "BeforeTool",
            _ => "PreToolUse",
        };
        hook_with(&sandbox, &[agent, "--event", event], told.to_string().as_bytes())
    };
    for (agent, tools) in [
        ("vscode", "runSubagent create_and_run_task runTests create_directory memory get_changed_files"),
        ("copilot", "rg skill sql list_bash read_agent store_memory"),
        ("codex", "request_user_input wait send_message followup_task list_agents list_dir grep_files"),
        ("gemini", "enter_plan_mode exit_plan_mode update_topic get_internal_docs"),
    ] {
        for tool in tools.split(' ') {
            asks(agent, tool, json!({})).expect(0);
        }
        asks(agent, "teleport", json!({})).expect(2).says(&["no tool of"]);
    }
    let several = |files: &[&str]| {
        let all: Vec<Value> = files.iter().map(|file| json!({ "filePath": sandbox.path(file) })).collect();
        asks("vscode", "multi_replace_string_in_file", json!({ "replacements": all }))
    };
    several(&["README.md", "tests/test_total.py"]).expect(0);
    several(&["README.md", "shop.py"]).expect(2).says(&["shop.py refused"]);
    several(&[]).expect(2).says(&["names no file"]);
    let patch = "*** Begin Patch\n*** Update File: shop.py\n@@\n-x\n+y\n*** End Patch\n";
    asks("copilot", "apply_patch", json!({ "input": patch })).expect(2).says(&["shop.py refused"]);
}

#[test]
fn ac_tdd_10_44_refactor_mode_does_not_let_a_turn_end_red() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = project();
    let again = || {
        let mut told = call("Stop", "", json!({}));
        told["stop_hook_active"] = true.into();
        hook_with(&sandbox, &["claude"], told.to_string().as_bytes())
    };
    sandbox
        .write("tests/test_total.py", "import shop\n\ndef test_total():\n    assert shop.total([]) == 0\n");
    sandbox.write("tdd.yaml", "test: python3 -m pytest -q\ngate: python3 -m pytest -q tests/test_total.py\n");
    calls(&sandbox, "s-1", "SessionStart", "", json!({})).expect(0);
    sandbox.tdd(&["gate", "refactor", "on", "--why", "tidy"]).expect(0);
    bash(&sandbox, "s-1", "sed -i s/0/'sum(prices)'/ shop.py").expect(0);
    calls(&sandbox, "s-1", "Stop", "", json!({})).expect(2).says(&["refactor mode is on"]);
    again().expect(0);
    assert_eq!(sandbox.read("shop.py"), RIGHT, "green: it stands");
    calls(&sandbox, "s-1", "UserPromptSubmit", "", json!({})).expect(0);
    bash(&sandbox, "s-1", "sed -i 's/sum(prices)/7/' shop.py").expect(0);
    calls(&sandbox, "s-1", "Stop", "", json!({})).expect(2);
    again().expect(2).says(&["is red", "taken back: shop.py; kept as refs/tdd/s-1/taken-"]);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    again().expect(0);
    // The twin: the gate is red whatever is done here, and the edit stays.
    sandbox.write("tests/test_total.py", "def test_total():\n    assert False\n");
    calls(&sandbox, "s-1", "UserPromptSubmit", "", json!({})).expect(0);
    bash(&sandbox, "s-1", "sed -i 's/sum(prices)/sum(iter(prices))/' shop.py").expect(0);
    calls(&sandbox, "s-1", "Stop", "", json!({})).expect(2);
    again().expect(0).says_on_stdout(&["it is red without these edits, too"]);
    assert!(sandbox.read("shop.py").contains("sum(iter(prices))"));
}
