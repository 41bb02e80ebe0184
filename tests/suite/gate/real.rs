//! The real programs of Claude Code and Codex, held by their installed hooks; a scripted server is their model.

use std::collections::BTreeSet;
use std::process::Command;

use super::{ID, RIGHT, SHOP, TEST};
use crate::real_agents::{KEY, Server, rule, write};
use crate::sandbox::{Ran, Sandbox, agents, has_pytest, path_with};

/// A model that tries to get around the way, and then goes it.
fn script() -> String {
    let run = |command: &str| format!("- run: \"{command}\"\n");
    let turns = [
        write("shop.py", RIGHT),
        run(&format!("tdd gate test {ID}")),
        run("sed -i s/0/1/ shop.py"),
        run(&format!("tdd gate claim {ID} shop.py")),
        "- read: shop.py\n".to_owned(),
        write("shop.py", RIGHT),
        "- say: Done.\n".to_owned(),
    ];
    format!("rules:\n{}", rule("all", "prompt: \"Make total right\"", &turns))
}

fn project() -> Sandbox {
    Sandbox::with(&[
        ("shop.py", SHOP),
        ("conftest.py", ""),
        ("tests/test_held.py", "def test_held():\n    assert 1 == 1\n"),
        ("tests/test_total.py", TEST),
        ("tdd.yaml", "test: python3 -m pytest -q\n"),
    ])
}

/// Everything that the model was told, in whichever place of its requests.
fn told(sandbox: &Sandbox) -> String {
    let bodies = sandbox.beside("bodies").read_dir().unwrap().flatten();
    bodies.map(|body| std::fs::read_to_string(body.path()).unwrap()).collect()
}

fn types(sandbox: &Sandbox) -> Vec<String> {
    let folder = sandbox.path(".tdd/sessions");
    let sessions = folder.read_dir().unwrap().flatten().filter(|entry| entry.path().is_dir());
    let text: String = sessions
        .map(|session| std::fs::read_to_string(session.path().join("events.jsonl")).unwrap())
        .collect();
    let of = |line: &str| {
        serde_json::from_str::<serde_json::Value>(line).unwrap()["type"].as_str().unwrap().to_owned()
    };
    text.lines().map(of).collect()
}

/// Plays a script by the real program of an agent with installed hooks; what it says.
fn played(
    agent: &str,
    script: &str,
    call: impl Fn(&Sandbox, &Server, &mut Command),
) -> Option<(Sandbox, Server, Ran)> {
    let programs = agents(&["claude", "codex"]).filter(|_| has_pytest())?;
    let sandbox = project();
    let server = Server::start(&sandbox, script);
    let own = std::path::Path::new(env!("CARGO_BIN_EXE_tdd")).parent().unwrap();
    let path =
        std::env::join_paths(std::env::split_paths(&path_with(own)).chain([programs.clone()])).unwrap();
    let mut install = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    Ran::of(&install.args(["gate", "install", agent]).env("PATH", &path).output().unwrap()).expect(0);
    let mut command = sandbox.command(programs.join(agent));
    command.env("PATH", &path);
    call(&sandbox, &server, &mut command);
    let ran = Ran::of(&command.output().unwrap()).expect(0);
    Some((sandbox, server, ran))
}

fn is_held(agent: &str, call: impl Fn(&Sandbox, &Server, &mut Command)) {
    let Some((sandbox, _server, ran)) = played(agent, &script(), call) else { return };
    let told = told(&sandbox);
    for words in [
        "shop.py refused: no red test",
        &format!("red {ID} (assertion)"),
        "taken back; kept as refs/tdd/",
        &format!("claimed shop.py for {ID}"),
    ] {
        assert!(told.contains(words), "{agent} was not told `{words}`\n{}\n{}", ran.stdout, ran.stderr);
    }
    assert_eq!(sandbox.read("shop.py"), RIGHT);
    let types = types(&sandbox);
    for name in ["test_run", "repair", "edit_claim", "edit", "flushed"] {
        assert!(types.iter().any(|known| known == name), "{agent}: no {name} in {types:?}");
    }
}

fn claude(_: &Sandbox, server: &Server, command: &mut Command) {
    command.args(["-p", "Make total right.", "--permission-mode", "acceptEdits"]);
    command.args(["--allowedTools", "Bash Write Edit Read Agent Task"]);
    command.env("ANTHROPIC_BASE_URL", &server.url).env("ANTHROPIC_API_KEY", KEY);
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
    // A sub-agent in the background is met by whichever hook comes first, the agent's own end of the turn, too.
    command.env("CLAUDE_CODE_DISABLE_BACKGROUND_TASKS", "1");
    command.env("CLAUDE_CODE_MAX_RETRIES", "1").env("DISABLE_TELEMETRY", "1");
}

#[test]
fn ac_tdd_10_15_the_real_claude_is_held() {
    left_to_the_night!();
    is_held("claude", claude);
}

#[test]
fn ac_tdd_10_15_a_sub_agent_of_the_real_claude_is_held() {
    left_to_the_night!();
    let asks = "- tool:\n      name: Agent\n      with: { description: set it, prompt: \"Set the total now.\", \
                subagent_type: general-purpose }\n";
    let by_sub_agent = [
        write("shop.py", RIGHT),
        "- run: \"sed -i s/0/7/ shop.py\"\n".to_owned(),
        write("tests/test_more.py", TEST),
        "- say: It was refused.\n".to_owned(),
    ];
    let by_agent = [asks.to_owned(), "- say: Done.\n".to_owned()];
    let script = format!(
        "rules:\n{}{}",
        rule("sub-agent", "prompt: \"Set the total now\"", &by_sub_agent),
        rule("agent", "prompt: \"Make total right\"", &by_agent)
    );
    let Some((sandbox, server, ran)) = played("claude", &script, claude) else { return };
    // A request that is sent again, or one beside the way, is no turn more.
    let asked = server.requests();
    let of_sub_agent = asked.iter().filter(|asked| asked["rule"] == "sub-agent");
    let turns: BTreeSet<u64> = of_sub_agent.filter_map(|asked| asked["asked"]["turn"].as_u64()).collect();
    let last = u64::try_from(by_sub_agent.len()).unwrap() - 1;
    assert!(turns.is_superset(&(0..=last).collect()), "{asked:?}\n{}\n{}", ran.stdout, ran.stderr);
    let told = told(&sandbox);
    for words in ["shop.py refused: no red test", "taken back; kept as refs/tdd/"] {
        assert!(told.contains(words), "the sub-agent was not told `{words}`\n{}\n{}", ran.stdout, ran.stderr);
    }
    assert_eq!(sandbox.read("shop.py"), SHOP);
    // What it may do it does: a test is written before any claim.
    assert_eq!(sandbox.read("tests/test_more.py"), TEST);
    assert!(types(&sandbox).contains(&"repair".to_owned()));
}

fn codex(sandbox: &Sandbox, server: &Server, command: &mut Command) {
    let home = sandbox.beside("home/.codex");
    std::fs::create_dir_all(&home).unwrap();
    let config = format!(
        "model_provider = \"kit\"\ncheck_for_update_on_startup = false\nallow_login_shell = false\n\
         [projects.\"{}\"]\ntrust_level = \"trusted\"\n\
         [model_providers.kit]\nname = \"kit\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"KIT_KEY\"\nrequest_max_retries = 0\nstream_max_retries = 0\n",
        sandbox.repo().display(),
        server.url
    );
    std::fs::write(home.join("config.toml"), config).unwrap();
    command.args(["exec", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]);
    command.arg("Make total right.").env("CODEX_HOME", &home).env("KIT_KEY", KEY);
}

#[test]
fn ac_tdd_10_15_the_real_codex_is_held() {
    is_held("codex", codex);
}

#[test]
fn ac_tdd_10_67_a_sub_agent_of_the_real_codex_works_and_is_held() {
    left_to_the_night!();
    let tool = |name: &str, with: &str| format!("- tool: {{ name: {name}, with: {with} }}\n");
    let by_sub_agent = [
        write("shop.py", RIGHT),
        "- run: \"sed -i s/0/7/ shop.py\"\n".to_owned(),
        write("tests/test_more.py", TEST),
        "- say: It was refused.\n".to_owned(),
    ];
    let by_agent = [
        tool("spawn_agent", "{ message: Set the total now., task_name: set_it, fork_turns: none }"),
        tool("wait_agent", "{ timeout_ms: 10000 }"),
        tool("list_agents", "{}"),
        tool("sleep", "{ duration_ms: 10 }"),
        "- say: Done.\n".to_owned(),
    ];
    let script = format!(
        "rules:\n{}{}{}",
        rule("hook", "last: \"<hook_prompt\"", &["- say: I stop.\n".to_owned()]),
        rule("agent", "prompt: \"Make total right\"", &by_agent),
        // What it is told to do is sealed from one agent to the other, so that no prompt of its is read here.
        rule("sub-agent", "system: multi_agent_role", &by_sub_agent)
    );
    let Some((sandbox, server, ran)) = played("codex", &script, codex) else { return };
    let asked = server.requests();
    assert!(asked.iter().any(|asked| asked["rule"] == "sub-agent"), "{asked:?}\n{}", ran.stderr);
    let told = told(&sandbox);
    assert!(!told.contains("no tool of codex is known"), "{told}");
    for words in ["shop.py refused: no red test", "taken back; kept as refs/tdd/"] {
        assert!(told.contains(words), "the sub-agent was not told `{words}`\n{}\n{}", ran.stdout, ran.stderr);
    }
    assert_eq!(sandbox.read("shop.py"), SHOP);
    assert_eq!(sandbox.read("tests/test_more.py"), TEST, "a test is written before any claim");
}

#[test]
fn ac_tdd_10_68_the_real_claude_works_by_our_tools_beside_its_hooks() {
    left_to_the_night!();
    let tool = |name: &str, with: &str| format!("- tool: {{ name: mcp__tdd__{name}, with: {with} }}\n");
    let edit = || tool("edit_file", &format!("{{ path: shop.py, content: {RIGHT:?} }}"));
    let turns = [
        edit(),
        tool("run_tests", &format!("{{ ids: [\"{ID}\"] }}")),
        tool("claim_edit", &format!("{{ test_id: \"{ID}\", files: [shop.py] }}")),
        edit(),
        tool("flush", "{}"),
        "- say: Done.\n".to_owned(),
    ];
    let script = format!("rules:\n{}", rule("all", "prompt: \"Make total right\"", &turns));
    let played = played("claude", &script, |sandbox, server, command| {
        let own = env!("CARGO_BIN_EXE_tdd");
        let servers = format!("{{\"mcpServers\":{{\"tdd\":{{\"command\":{own:?},\"args\":[\"mcp\"]}}}}}}");
        std::fs::write(sandbox.beside("mcp.json"), servers).unwrap();
        claude(sandbox, server, command);
        command.args(["--allowedTools", "mcp__tdd", "--strict-mcp-config", "--mcp-config"]);
        command.arg(sandbox.beside("mcp.json"));
    });
    let Some((sandbox, _server, ran)) = played else { return };
    let told = told(&sandbox);
    assert!(!told.contains("no tool of claude is known"), "{told}");
    for words in ["shop.py refused: no red test", "claimed shop.py for", "edited shop.py", "edits kept"] {
        let answers: std::collections::BTreeSet<String> =
            told.split("\"tool_result\"").skip(1).map(|at| at.chars().take(400).collect()).collect();
        assert!(told.contains(words), "no `{words}`\n{}\n{}\n{answers:#?}", ran.stdout, ran.stderr);
    }
    assert_eq!(sandbox.read("shop.py"), RIGHT);
}
