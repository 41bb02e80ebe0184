//! The plugin in `skills/`, installed and used by the real program of Claude Code; a scripted server is its model.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::real_agents::{KEY, Server, rule};
use super::sandbox::{Ran, Sandbox, agents, path_with};
use super::stops::{HONEST_AGENT, HONEST_CHECK, project};

/// A model's shell is cut off after this time.
const SHELL_LIMIT: &str = "1000";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn claude(sandbox: &Sandbox, programs: &Path) -> Command {
    let own = Path::new(env!("CARGO_BIN_EXE_tdd")).parent().unwrap();
    let own = path_with(own);
    let path = std::env::split_paths(&own).chain([programs.to_owned()]);
    let mut command = sandbox.command(programs.join("claude"));
    command.env("PATH", std::env::join_paths(path).unwrap());
    command.env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1").env("DISABLE_AUTOUPDATER", "1");
    command.env("CLAUDE_CODE_MAX_RETRIES", "1").env("DISABLE_TELEMETRY", "1");
    command
}

/// A project whose person has the plugin.
fn with_plugin(agent: &str) -> Option<(Sandbox, PathBuf)> {
    let programs = agents(&["claude"])?;
    let sandbox = project(agent, HONEST_CHECK, "");
    let plugin = |args: &[&str]| {
        let mut command = claude(&sandbox, &programs);
        Ran::of(&command.arg("plugin").args(args).output().unwrap()).expect(0)
    };
    plugin(&["marketplace", "add", root().to_str().unwrap()]);
    plugin(&["install", "tdd@tdd"]);
    assert!(plugin(&["list"]).stdout.contains("tdd@tdd"));
    Some((sandbox, programs))
}

/// What the model was told in all its requests, and what the person read.
fn asked(sandbox: &Sandbox, programs: &Path, server: &Server, prompt: &str) -> (String, Ran) {
    let mut command = claude(sandbox, programs);
    command.args(["-p", prompt, "--allowedTools", "Bash Read"]);
    command.env("ANTHROPIC_BASE_URL", &server.url).env("ANTHROPIC_API_KEY", KEY);
    command.env("BASH_DEFAULT_TIMEOUT_MS", SHELL_LIMIT).env("BASH_MAX_TIMEOUT_MS", "600000");
    let ran = Ran::of(&command.output().unwrap()).expect(0);
    let bodies = sandbox.beside("bodies").read_dir().unwrap().flatten();
    let told = bodies.map(|body| std::fs::read_to_string(body.path()).unwrap()).collect();
    (told, ran)
}

fn run(command: &str) -> String {
    format!("- run: {}\n", serde_json::json!(command))
}

/// The same, with a limit that the model asks its shell for.
fn run_long(command: &str) -> String {
    let input = serde_json::json!({ "command": command, "description": "wait", "timeout": 120_000 });
    format!("- tool: {{ name: Bash, with: {input} }}\n")
}

#[test]
fn ac_tdd_6_15_the_plugin_is_valid_and_offers_its_skills() {
    let Some(programs) = agents(&["claude"]) else { return };
    let sandbox = Sandbox::empty();
    for place in ["", "skills"] {
        let mut command = claude(&sandbox, &programs);
        let place = root().join(place);
        let ran = Ran::of(&command.args(["plugin", "validate"]).arg(&place).output().unwrap()).expect(0);
        assert!(ran.stdout.contains("Validation passed"), "{}\n{}", ran.stdout, ran.stderr);
        if place.ends_with("skills") {
            for skill in ["tdd:tdd", "tdd:tdd-review", "tdd:implement", "tdd:tdd-gate"] {
                assert!(ran.stdout.contains(&format!("skills: {skill}\n")), "{skill}\n{}", ran.stdout);
            }
        }
    }
}

/// The run takes longer than the model's shell may: it waits for somebody who lets it go on.
#[test]
fn ac_tdd_6_15_the_real_claude_runs_the_cycle_and_relays_a_halt() {
    left_to_the_night!();
    let waits = "if test -p ../go; then read word <../go; rm ../go; fi\nblock ''\n";
    let Some((sandbox, programs)) = with_plugin(waits) else { return };
    assert!(sandbox.command("mkfifo").arg(sandbox.beside("go")).status().unwrap().success());
    let turns = [
        run_long("tdd STE-1 --detach"),
        // Without a limit of its own it is cut off by the shell.
        run("tdd wait STE-1; echo cut=$?"),
        run_long("tdd wait STE-1 --timeout 0s; echo code=$?"),
        run_long("timeout 60 sh -c 'echo go >../go'; echo let go"),
        run_long("tdd wait STE-1 --timeout 90s >../halt.txt; echo code=$?; cat ../halt.txt"),
        "- say: \"The run has halted.\"\n".to_owned(),
    ];
    let script = format!("rules:\n{}", rule("all", "prompt: \"Run the cycle for STE-1\"", &turns));
    let server = Server::start(&sandbox, &script);
    let (told, ran) = asked(&sandbox, &programs, &server, "/tdd:tdd STE-1");
    // What was cut off ends later in the background, and the model is told so.
    assert!(ran.stdout.starts_with("The run has halted."), "{}\n{told}", ran.stdout);
    let halt = std::fs::read_to_string(sandbox.beside("halt.txt")).unwrap();
    let first = halt.lines().next().unwrap();
    assert!(first.contains("STE-1"), "{halt}");
    for words in ["code=75", "code=1", "let go", first] {
        let words = serde_json::to_string(words).unwrap();
        assert!(told.contains(words.trim_matches('"')), "the model was not told {words}\n{told}");
    }
    assert!(!told.contains("cut=0"), "{told}");
}

#[test]
fn ac_tdd_6_15_the_real_claude_walks_through_a_halt_and_implements() {
    left_to_the_night!();
    let Some((sandbox, programs)) = with_plugin(&HONEST_AGENT.replace("echo two", "echo three")) else {
        return;
    };
    sandbox.tdd(&["STE-1"]).expect(1);
    std::fs::write(sandbox.beside("agent.sh"), format!("role=$1\n{}{HONEST_AGENT}", super::stops::BLOCK))
        .unwrap();
    let walk = [
        run_long("tdd show STE-1"),
        run_long("tdd diff STE-1 --failed"),
        run_long("tdd resume STE-1 --retry --detach"),
        run_long("tdd wait STE-1 --timeout 90s; echo end=$?"),
        "- say: \"It is green now.\"\n".to_owned(),
    ];
    let script = format!("rules:\n{}", rule("walk", "prompt: \"Walk through the halt of STE-1\"", &walk));
    let server = Server::start(&sandbox, &script);
    let (told, ran) = asked(&sandbox, &programs, &server, "/tdd:tdd-review STE-1");
    assert_eq!(ran.stdout.trim(), "It is green now.", "{told}");
    for words in ["src.txt", "+three", "end=0"] {
        assert!(told.contains(words), "the model was not told {words}\n{told}");
    }
    drop(server);
    let build = [run_long("tdd criteria STE-1"), "- say: \"These are the criteria. Shall I?\"\n".to_owned()];
    let script = format!("rules:\n{}", rule("build", "prompt: \"Implement STE-1\"", &build));
    let server = Server::start(&sandbox, &script);
    let (told, ran) = asked(&sandbox, &programs, &server, "/tdd:implement STE-1");
    assert_eq!(ran.stdout.trim(), "These are the criteria. Shall I?", "{told}");
    assert!(told.contains("src.txt says two"), "{told}");
}
