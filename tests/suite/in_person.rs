//! A person at the screens of the real programs, with a scripted model server in the model's place.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::cycle;
use super::real_agents::{Agent, KEY, Server, block, rule, tdd, write};
use super::sandbox::{Sandbox, agents, has_python};
use super::terminal::Terminal;

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

/// A project, a server with this script, and `tdd` with these arguments for the agent on a screen.
fn interactive(agent: Agent, script: &str) -> Option<(Sandbox, Server, Command)> {
    let programs = agents(&[agent.name()]).filter(|_| has_python())?;
    let sandbox = cycle::shop();
    let server = Server::start(&sandbox, script);
    let command = command(&sandbox, &server, &programs);
    sandbox.own_settings(&agent.table(&server));
    sandbox.commit();
    Some((sandbox, server, command))
}

fn command(sandbox: &Sandbox, server: &Server, programs: &Path) -> Command {
    let mut command = tdd(sandbox, server, programs);
    settle_in(sandbox, &mut command);
    command
}

const RED: [&str; 5] = ["STE-1", "--interactive", "--stop-after", "red", "--agent"];

fn journal(sandbox: &Sandbox) -> Vec<Value> {
    let text = std::fs::read_to_string(sandbox.run_dir().join("events.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn leave(terminal: &mut Terminal, keys: &[&str]) {
    for keys in keys {
        terminal.press(keys);
        if keys.starts_with('/') {
            terminal.wait_for(keys);
        }
    }
}

/// RED with the real program on the operator's screen: its last message is what its hook tells, and what it
/// used is what it has written of its session.
fn red_in_person(agent: Agent, keys: &[&str]) {
    let file = "tests/test_ac_ste_1_1.py";
    let turns = [write(file, cycle::NEW_TEST), block("test-writer", file)];
    let script = format!("rules:\n{}", rule("red", "role: test-writer", &turns));
    let Some((sandbox, server, mut command)) = interactive(agent, &script) else { return };
    let mut terminal = Terminal::start(command.args(RED).arg(agent.name()));
    terminal.wait_for("has the screen now, as the test-writer");
    let question = matches!(agent, Agent::Codex).then_some("Open restricted");
    // The turn is over when its hook has told so.
    wait_until_told(&mut terminal, &sandbox, question);
    leave(&mut terminal, keys);
    let (code, screen) = terminal.end();
    assert_eq!(code, 3, "{screen}");
    assert!(screen.contains("passed, as measured"), "{screen}");
    for by in ["person", "repository"] {
        assert!(!sandbox.beside(&format!("mcp-of-{by}")).exists(), "a server of the {by}'s was started");
    }
    let asked = server.requests();
    assert!(!asked.is_empty() && !asked.iter().any(|one| one.to_string().contains("A-MEMO")), "{asked:?}");
    let journal = journal(&sandbox);
    let used: Vec<&Value> = journal.iter().filter(|event| event["type"] == "used").collect();
    assert_eq!(used.len(), 1, "{used:?}");
    let usage = &used[0]["used"]["usage"];
    for figure in ["input", "output"] {
        assert!(usage[figure].as_u64().is_some_and(|tokens| tokens > 0), "{figure}: {usage}");
    }
    if let Agent::Claude = agent {
        assert!(usage["micro_usd"].as_u64().is_some_and(|micro| micro > 0), "{usage}");
    }
}

#[test]
fn claude_is_steered_by_a_person() {
    left_to_the_night!();
    red_in_person(Agent::Claude, &["/exit", "\r"]);
}

#[test]
fn codex_is_steered_by_a_person() {
    left_to_the_night!();
    red_in_person(Agent::Codex, &["/quit", "\r"]);
}

/// A model that calls a tool and then never answers: its turn never ends, so the hook tells nothing.
const SILENT: &str = "rules:\n- name: silent\n  turns: [{ run: \"true\" }]\n  forever: { fault: hang }\n";

/// Waits until the agent asks its model, and answers what it asks before.
fn wait_until_asked(terminal: &mut Terminal, server: &Server, question: Option<&str>, count: usize) {
    let is_asked = || server.requests().iter().filter(|one| one["rule"] == "silent").count() >= count;
    for _ in 0..60 {
        if question.is_some_and(|question| terminal.shows(question)) {
            terminal.press("\r");
        }
        let again = Instant::now() + Duration::from_secs(1);
        terminal.wait("the end of a second", |_| is_asked() || Instant::now() > again);
        if is_asked() {
            return;
        }
    }
    terminal.wait("its request", |_| is_asked());
}

#[test]
fn claude_that_is_quit_before_it_said_anything_pauses_the_run() {
    left_to_the_night!();
    let Some((sandbox, server, mut command)) = interactive(Agent::Claude, SILENT) else { return };
    let mut terminal = Terminal::start(command.args(RED).arg("claude"));
    wait_until_asked(&mut terminal, &server, None, 2);
    terminal.press("\u{3}");
    terminal.wait_for("Interrupted");
    leave(&mut terminal, &["/exit", "\r"]);
    quit_with_nothing_said(&sandbox, terminal);
}

#[test]
fn codex_that_is_quit_before_it_said_anything_pauses_the_run() {
    left_to_the_night!();
    // Its turn fails, and the title that it makes up meanwhile is nothing that it said.
    let script = "rules:\n- name: silent\n  forever: { fault: { status: 400, message: NOT-THIS-WAY } }\n";
    let Some((sandbox, server, mut command)) = interactive(Agent::Codex, script) else { return };
    let mut terminal = Terminal::start(command.args(RED).arg("codex"));
    wait_until_asked(&mut terminal, &server, Some("Open restricted"), 1);
    terminal.wait_for("NOT-THIS-WAY");
    leave(&mut terminal, &["/quit", "\r"]);
    quit_with_nothing_said(&sandbox, terminal);
}

fn quit_with_nothing_said(sandbox: &Sandbox, terminal: Terminal) {
    let (code, screen) = terminal.end();
    assert_eq!(code, 3, "{screen}");
    let shown = screen.replace(['\r', '\n'], " ");
    for words in ["was quit before it had ended a turn", "tdd resume", "--interactive"] {
        assert!(shown.contains(words), "no {words}: {screen}");
    }
    let events = sandbox.events();
    assert_eq!(events.last().map(String::as_str), Some("paused"), "{events:?}");
    assert!(!events.iter().any(|event| event == "agent_returned"), "{events:?}");
}

#[test]
fn two_ctrl_c_end_a_run_with_claude_on_the_screen() {
    left_to_the_night!();
    let Some((sandbox, server, mut command)) = interactive(Agent::Claude, SILENT) else { return };
    let mut terminal = Terminal::start(command.args(RED).arg("claude"));
    wait_until_asked(&mut terminal, &server, None, 2);
    terminal.press("\u{3}\u{3}");
    let (code, screen) = terminal.end();
    assert_eq!(code, 130, "{screen}");
    assert!(screen.contains("tdd resume"), "{screen}");
    assert_eq!(sandbox.events().last().map(String::as_str), Some("stopped"));
}

#[test]
fn a_terminal_that_a_killed_tdd_left_to_claude_is_put_right_by_the_next() {
    left_to_the_night!();
    let Some((_sandbox, server, command)) = interactive(Agent::Claude, SILENT) else { return };
    let tdd = command.get_program().to_str().unwrap().to_owned();
    let mut shell = Command::new("sh");
    // Like a person's shell it stays; what is typed next is a key, since the terminal is raw.
    let line = format!(
        "{tdd} {} claude; echo it was killed; read key; {tdd} status >/dev/null; echo over",
        RED.join(" ")
    );
    shell.args(["-c", &line]).current_dir(command.get_current_dir().unwrap()).env_clear();
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut terminal = Terminal::start(&shell);
    wait_until_asked(&mut terminal, &server, None, 2);
    terminal.wait("marked pastes", vt100::Screen::bracketed_paste);
    terminal.kill_child();
    terminal.wait_for("it was killed");
    assert!(terminal.is_raw());
    terminal.wait("marked pastes still", vt100::Screen::bracketed_paste);
    terminal.press("\n");
    terminal.wait_for("over");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("put the terminal right"), "{screen}");
}
