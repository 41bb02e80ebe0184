//! `tdd mdtest` with the real programs of agents, and a scripted model server in the model's place.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use super::cycle;
use super::real_agents::{Agent, KEY, Server, block, rule, tdd, write};
use super::sandbox::{Ran, Sandbox, agents, has_python};
use super::terminal::Terminal;

/// One turn: a shell command that writes `text` to the log. Only the suite knows the log's name; while
/// the test is under way a file beside the log tells it.
fn writes(test: &str, log: &str) -> String {
    let name = format!("$(ls -a {test}.logs | sed -n 's/^[.]\\(.*\\)[.]taken$/\\1/p')");
    format!("- run: |\n        printf -- '{log}' > \"{test}.logs/{name}\"\n")
}

/// A rule for the prompt that names this test.
fn for_test(test: &str, turn: &str) -> String {
    let said = "- say: The log is written.\n".to_owned();
    rule(test, &format!("prompt: \"{test}.test.md\""), &[turn.to_owned(), said])
}

fn script() -> String {
    let rules = [
        for_test("fine", &writes("fine", "---\\nstatus: PASS\\n---\\nall steps were carried out\\n")),
        for_test("broken", &writes("broken", "---\\nstatus: [\\n---\\n")),
        for_test("silent", "- say: I have nothing to write down.\n"),
    ];
    format!("rules:\n{}", rules.concat())
}

fn suite(agent: Agent, tests: &[&str]) -> Option<(Sandbox, Server, Ran)> {
    let programs = agents(&[agent.name()])?;
    let sandbox = Sandbox::empty();
    let server = Server::start(&sandbox, &script());
    sandbox.own_settings(&agent.table(&server));
    for test in tests {
        sandbox.write(&format!("{test}.test.md"), "# A test\n\n1. Look.\n2. It is there.\n");
    }
    let mut command = tdd(&sandbox, &server, &programs);
    let output = command.args(["mdtest", "--agent", agent.name()]).output().unwrap();
    Some((sandbox, server, Ran::of(&output)))
}

fn a_suite_that_passes(agent: Agent) {
    let Some((sandbox, _server, ran)) = suite(agent, &["fine"]) else { return };
    let ran = ran.expect(0);
    assert!(ran.stdout.starts_with(".\n1 test, 1 passed"), "{}", ran.stdout);
    let logs = std::fs::read_dir(sandbox.path("fine.logs")).unwrap().count();
    assert_eq!(logs, 1);
}

fn a_mixed_suite(agent: Agent) {
    let Some((_sandbox, _server, ran)) = suite(agent, &["broken", "fine", "silent"]) else { return };
    let ran = ran.expect(1);
    assert!(ran.stdout.starts_with("F.F\n"), "{}", ran.stdout);
    for words in
        ["failed: broken.test.md\n  parse yaml", "failed: silent.test.md\n  read log", "1 passed, 2 failed"]
    {
        assert!(ran.stdout.contains(words), "no {words:?} in\n{}", ran.stdout);
    }
}

#[test]
fn claude_carries_a_suite_out() {
    a_suite_that_passes(Agent::Claude);
}

#[test]
fn codex_carries_a_suite_out() {
    a_suite_that_passes(Agent::Codex);
}

#[test]
fn claude_goes_through_a_mixed_suite() {
    a_mixed_suite(Agent::Claude);
}

#[test]
fn codex_goes_through_a_mixed_suite() {
    a_mixed_suite(Agent::Codex);
}

/// The person's own home: questions about colours, keys and trust were answered long ago. What codex is
/// told in it, and in the repository, is not for the roles.
fn settle_in(sandbox: &Sandbox, command: &mut Command) {
    let home = sandbox.beside("home");
    let repo = sandbox.repo();
    let claude = serde_json::json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": { "approved": [&KEY[KEY.len() - 20..]], "rejected": [] },
        "projects": { repo.to_str().unwrap(): { "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true } },
    });
    std::fs::write(home.join(".claude.json"), claude.to_string()).unwrap();
    let theirs = |by: &str| {
        let made = sandbox.beside(&format!("mcp-of-{by}"));
        format!("[mcp_servers.{by}]\ncommand = \"touch\"\nargs = [\"{}\"]\n", made.display())
    };
    let trust = format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", repo.display());
    std::fs::create_dir_all(home.join(".codex")).unwrap();
    std::fs::write(home.join(".codex/config.toml"), theirs("person") + &trust).unwrap();
    std::fs::write(home.join(".codex/AGENTS.md"), "A-MEMO-OF-THE-PERSON\n").unwrap();
    sandbox.write(".codex/config.toml", &theirs("repository"));
    command.env("TERM", "xterm-256color");
}

/// Whether the hook has told the final message, in the attempt's exchange folder.
fn told(sandbox: &Sandbox) -> bool {
    let below =
        |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|one| one.path());
    let shared = format!("tdd-{}", rustix::process::geteuid().as_raw());
    below(sandbox.repo().parent().unwrap().join(shared))
        .filter(|path| path.to_string_lossy().contains("tdd-exchange-"))
        .flat_map(below)
        .filter_map(|attempt| std::fs::read_to_string(attempt.join("stop.json")).ok())
        .any(|told| told.contains("tdd-result"))
}

/// Waits for the hook's word; a question that stands on the screen meanwhile is answered with Enter.
///
/// A key that comes before the program listens is lost, and a screen that is being drawn anew is empty
/// for a moment, so neither a key nor a screen without the question says that it was answered.
fn wait_until_told(terminal: &mut Terminal, sandbox: &Sandbox, question: Option<&str>) {
    for _ in 0..60 {
        if question.is_some_and(|question| terminal.shows(question)) {
            terminal.press("\r");
        }
        let again = Instant::now() + Duration::from_secs(1);
        terminal.wait("the end of a second", |_| told(sandbox) || Instant::now() > again);
        if told(sandbox) {
            return;
        }
    }
    terminal.wait("its hook's word", |_| told(sandbox));
}

/// RED with the real program on the operator's screen: its last message is what its hook tells.
fn red_in_person(agent: Agent, leave: &[&str]) {
    let Some(programs) = agents(&[agent.name()]).filter(|_| has_python()) else { return };
    let sandbox = cycle::shop();
    let file = "tests/test_ac_ste_1_1.py";
    let turns = [write(file, cycle::NEW_TEST), block("test-writer", file)];
    let server = Server::start(&sandbox, &format!("rules:\n{}", rule("red", "role: test-writer", &turns)));
    let mut command = tdd(&sandbox, &server, &programs);
    settle_in(&sandbox, &mut command);
    sandbox.own_settings(&agent.table(&server));
    command.args(["STE-1", "--agent", agent.name(), "--interactive", "--stop-after", "red"]);
    let mut terminal = Terminal::start(&command);
    let question = matches!(agent, Agent::Codex).then_some("Open restricted");
    // The turn is over when its hook has told so.
    wait_until_told(&mut terminal, &sandbox, question);
    for keys in leave {
        terminal.press(keys);
        if keys.starts_with('/') {
            terminal.wait_for(keys);
        }
    }
    let (code, screen) = terminal.end();
    assert_eq!(code, 3, "{screen}");
    assert!(screen.contains("passed, by finding"), "{screen}");
    for by in ["person", "repository"] {
        assert!(!sandbox.beside(&format!("mcp-of-{by}")).exists(), "a server of the {by}'s was started");
    }
    let asked = server.requests();
    assert!(!asked.is_empty() && !asked.iter().any(|one| one.to_string().contains("A-MEMO")), "{asked:?}");
}

#[test]
fn claude_is_steered_by_a_person() {
    red_in_person(Agent::Claude, &["/exit", "\r"]);
}

#[test]
fn codex_is_steered_by_a_person() {
    red_in_person(Agent::Codex, &["/quit", "\r"]);
}
