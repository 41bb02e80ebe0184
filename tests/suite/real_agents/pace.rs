//! Real agents at their everyday pace: what counts as a turn, what becomes of work that a cap cuts off, and
//! what is told of it.

use serde_json::json;

use super::{Agent, SLUG, SLUG_TEST, Server, block, journal, rule, tdd, write};
use crate::sandbox::{Ran, Sandbox, agents, has_pytest};

const ARGS: [&str; 4] = ["PY-1", "--only", "AC-PY-1.1", "--no-refactor"];
const TEST: &str = "tests/test_ac_py_1_1.py";
const SOURCE: &str = "textkit/__init__.py";

/// One criterion of `fixtures/projects/python`: the writer does its part, `implementer` holds the other rules.
struct Stage {
    sandbox: Sandbox,
    server: Server,
    programs: std::path::PathBuf,
    agent: Agent,
}

impl Stage {
    /// `None` where a program is missing.
    fn of(agent: Agent, settings: &str, implementer: &[String]) -> Option<Self> {
        let programs = agents(&["claude", "codex"])?;
        if !has_pytest() {
            return None;
        }
        let sandbox = Sandbox::of_fixture("python");
        let writer =
            rule("writer", "role: test-writer", &[write(TEST, SLUG_TEST), block("test-writer", TEST)]);
        let server = Server::start(&sandbox, &format!("rules:\n{writer}{}", implementer.concat()));
        sandbox.own_settings(&agent.table(&server));
        sandbox.write("tdd.yaml", settings);
        sandbox.commit();
        Some(Self { sandbox, server, programs, agent })
    }

    fn run(&self) -> Ran {
        self.tdd(&[&ARGS[..], &["--agent", self.agent.name()]].concat())
    }

    fn tdd(&self, args: &[&str]) -> Ran {
        Ran::of(&tdd(&self.sandbox, &self.server, &self.programs).args(args).output().unwrap())
    }

    /// Turns of each attempt, the writer's first.
    fn turns(&self) -> Vec<u64> {
        let turns = |event: &serde_json::Value| event["outcome"]["turns"].as_u64();
        let events = journal(&self.sandbox);
        events.iter().filter(|event| event["type"] == "agent_returned").filter_map(turns).collect()
    }

    /// Tokens in and out of each child, the writer's first; what was not told is 0.
    fn used(&self) -> Vec<(u64, u64)> {
        let events = journal(&self.sandbox);
        let told = |event: &serde_json::Value| {
            let usage = &event["used"]["usage"];
            (usage["input"].as_u64().unwrap_or(0), usage["output"].as_u64().unwrap_or(0))
        };
        events.iter().filter(|event| event["type"] == "used").map(told).collect()
    }
}

fn run(command: &str) -> String {
    format!("- run: {}\n", json!(command))
}

fn read(path: &str) -> String {
    format!("- read: {path}\n")
}

/// One response with nine calls in it.
fn nine() -> String {
    let calls: Vec<_> = (0..9).map(|number| json!({ "run": format!("echo {number}") })).collect();
    format!("- {}\n", json!(calls))
}

fn implementer(turns: &[String]) -> String {
    rule("implementer", "role: implementer", turns)
}

/// It goes on calling tools after these turns, and never says that it is done.
fn endless(name: &str, turns: &[String]) -> String {
    rule(name, "role: implementer", turns) + "  forever: { run: \"true\" }\n"
}

fn cap(turns: u32) -> String {
    format!("roles: {{ implementer: {{ max_turns: {turns} }} }}\n")
}

fn twelve_calls_are_honest_work(agent: Agent) {
    let turns: Vec<String> = [
        vec![run("ls"), run("cat pyproject.toml"), run(&format!("cat {TEST}")), run("git status --short")],
        vec![run("python3 -m pytest -q"), run("git diff"), run("ls textkit"), read(SOURCE)],
        vec![
            write(SOURCE, SLUG),
            run("python3 -m pytest -q"),
            run("git diff"),
            run("python3 -m compileall -q textkit"),
        ],
        vec![block("implementer", SOURCE)],
    ]
    .concat();
    let Some(stage) = Stage::of(agent, "", &[implementer(&turns)]) else { return };
    stage.run().expect(0);
    assert_eq!(stage.turns(), [1, 12]);
    assert!(stage.server.first_body("implementer").contains("You have 40 turns."), "it is told its number");
    assert!(stage.server.first_body("writer").contains("You have 50 turns."));
}

fn a_batch_is_one_turn(agent: Agent) {
    let look = format!("- {}\n", json!([{ "run": "ls" }, { "read": SOURCE }]));
    let turns = [nine(), nine(), look, write(SOURCE, SLUG), block("implementer", SOURCE)];
    let Some(stage) = Stage::of(agent, &cap(4), &[implementer(&turns)]) else { return };
    stage.run().expect(0);
    assert_eq!(stage.turns(), [1, 4], "21 calls in 4 responses");
    assert!(stage.server.first_body("implementer").contains("You have 4 turns."));
}

fn the_retry_names_the_cap(agent: Agent) {
    let again = [read(SOURCE), write(SOURCE, SLUG), block("implementer", SOURCE)];
    let rules = [
        rule("again", "role: implementer, last: \"its turn cap was reached\"", &again),
        endless("endless", &[run("ls")]),
    ];
    let Some(stage) = Stage::of(agent, &cap(2), &rules) else { return };
    stage.run().expect(0);
    let events = journal(&stage.sandbox);
    let kinds: Vec<&str> = events
        .iter()
        .filter(|event| event["type"] == "attempt_started")
        .filter_map(|event| event["attempt"]["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["first", "first", "semantic"]);
    let measured = events.iter().filter(|event| event["type"] == "attempt_measured").count();
    assert_eq!(measured, 3, "what was cut off is measured, too");
    let body = stage.server.first_body("again");
    let (_, retry) = body.split_once("did not meet its success criterion").unwrap();
    for words in ["tdd: the role was stopped: its turn cap was reached", "test_words_are_joined", "1 failed"]
    {
        assert!(retry.contains(words), "no `{words}` in {retry}");
    }
    assert!(body.contains("You have 2 turns."));
}

/// The right code, and then no end: it is a checkpoint that the operator takes, or the settings.
fn right_work_is_kept_though_it_was_cut_off(agent: Agent) {
    let rules = || [endless("endless", &[read(SOURCE), write(SOURCE, SLUG)])];
    let Some(stage) = Stage::of(agent, &cap(3), &rules()) else { return };
    let before = stage.sandbox.read(SOURCE);
    let halted = stage.run().expect(1);
    for words in ["failure mode: E", "its turn cap was reached", " --take", "without a valid block"] {
        assert!(halted.stdout.contains(words), "no `{words}` in {}", halted.stdout);
    }
    assert!(!halted.stdout.contains("unknown tokens"), "{}", halted.stdout);
    assert_eq!((stage.sandbox.read(SOURCE), stage.sandbox.forks()), (before, 3));
    // The writer's and two that were stopped: what each used is told, by the stream or by the agent's record.
    let used = stage.used();
    assert!(used.len() == 3 && used.iter().all(|(input, output)| *input > 0 && *output > 0), "{used:?}");
    let taken = stage.tdd(&["resume", "--take", "--json"]).expect(0);
    let summary: serde_json::Value = serde_json::from_str(taken.stdout.lines().last().unwrap()).unwrap();
    assert_eq!(summary["no_claim"], json!([{ "key": "implementer AC-PY-1.1", "attempt": 2 }]));
    assert_eq!((stage.sandbox.read(SOURCE).as_str(), stage.sandbox.forks()), (SLUG, 3));

    let settings = cap(3) + "on_missing_block: take\n";
    let Some(stage) = Stage::of(agent, &settings, &rules()) else { return };
    let ran = stage.run().expect(0);
    assert!(ran.stdout.contains("no claim: implementer AC-PY-1.1, attempt 1"), "{}", ran.stdout);
    assert_eq!((stage.sandbox.read(SOURCE).as_str(), stage.sandbox.forks()), (SLUG, 2));
}

/// A cap of tokens is looked at while the child works.
fn a_cap_of_tokens_stops_it(agent: Agent) {
    let turn = format!(
        "- {}\n",
        json!([{ "run": "true" }, { "usage": { "input": 3000, "cached": 1000, "output": 100 } }])
    );
    let rules = [rule("endless", "role: implementer", &[]).replace("  turns:\n", "")
        + &turn.replacen("- ", "  forever: ", 1)];
    let Some(stage) = Stage::of(agent, "max_tokens_attempt: 10k\n", &rules) else { return };
    let halted = stage.run().expect(1);
    for words in ["failure mode: E", "its token or cost cap was reached"] {
        assert!(halted.stdout.contains(words), "no `{words}` in {}", halted.stdout);
    }
    let used = stage.used();
    for (input, output) in &used[1..] {
        let tokens = input + output;
        assert!((10_000..30_000).contains(&tokens), "stopped soon after it: {used:?}");
    }
}

#[test]
fn twelve_calls_of_the_real_claude_are_honest_work() {
    left_to_the_night!();
    twelve_calls_are_honest_work(Agent::Claude);
}

#[test]
fn twelve_calls_of_the_real_codex_are_honest_work() {
    left_to_the_night!();
    twelve_calls_are_honest_work(Agent::Codex);
}

#[test]
fn nine_calls_in_a_response_of_the_real_claude_are_one_turn() {
    left_to_the_night!();
    a_batch_is_one_turn(Agent::Claude);
}

#[test]
fn nine_calls_in_a_response_of_the_real_codex_are_one_turn() {
    left_to_the_night!();
    a_batch_is_one_turn(Agent::Codex);
}

#[test]
fn a_retry_names_the_cap_that_the_real_claude_reached() {
    left_to_the_night!();
    the_retry_names_the_cap(Agent::Claude);
}

#[test]
fn a_retry_names_the_cap_that_the_real_codex_reached() {
    left_to_the_night!();
    the_retry_names_the_cap(Agent::Codex);
}

#[test]
fn right_work_of_the_real_claude_is_kept_though_it_was_cut_off() {
    left_to_the_night!();
    right_work_is_kept_though_it_was_cut_off(Agent::Claude);
}

#[test]
fn right_work_of_the_real_codex_is_kept_though_it_was_cut_off() {
    left_to_the_night!();
    right_work_is_kept_though_it_was_cut_off(Agent::Codex);
}

#[test]
fn a_cap_of_tokens_stops_the_real_claude() {
    left_to_the_night!();
    a_cap_of_tokens_stops_it(Agent::Claude);
}

#[test]
fn a_cap_of_tokens_stops_the_real_codex() {
    left_to_the_night!();
    a_cap_of_tokens_stops_it(Agent::Codex);
}
