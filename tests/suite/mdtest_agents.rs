//! `tdd mdtest` with the real programs of agents, and a scripted model server in the model's place.

use super::real_agents::{Agent, Server, rule, tdd};
use super::sandbox::{Ran, Sandbox, agents};

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
    left_to_the_night!();
    a_suite_that_passes(Agent::Claude);
}

#[test]
fn codex_carries_a_suite_out() {
    a_suite_that_passes(Agent::Codex);
}

#[test]
fn claude_goes_through_a_mixed_suite() {
    left_to_the_night!();
    a_mixed_suite(Agent::Claude);
}

#[test]
fn codex_goes_through_a_mixed_suite() {
    left_to_the_night!();
    a_mixed_suite(Agent::Codex);
}
