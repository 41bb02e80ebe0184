//! `tdd review` at a real terminal, key by key, and without one.
#![expect(clippy::disallowed_methods, reason = "a test writes agents and looks at files")]

use super::sandbox::{Ran, Sandbox};
use super::stops::{HONEST_AGENT, HONEST_CHECK, beside, project};
use super::terminal::Terminal;

/// Its implementer writes the wrong word for ever.
fn halted() -> Sandbox {
    let agent = HONEST_AGENT.replace("echo two >>src.txt", "echo three >>src.txt");
    let sandbox = project(&agent, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(1);
    sandbox
}

fn reviewed(sandbox: &Sandbox, more: &[(&str, &str)]) -> Terminal {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.arg("review").env("TERM", "xterm-256color").envs(more.iter().copied());
    Terminal::of_size(&command, 60, 80)
}

fn asked(terminal: &Terminal) {
    terminal.wait("the question", |screen| screen.contents().trim_end().ends_with("review>"));
}

fn answered(terminal: &mut Terminal, line: &str, words: &str) {
    terminal.press(&format!("{line}\r"));
    terminal.wait(words, |screen| {
        let text = screen.contents();
        text.contains(words) && text.trim_end().ends_with("review>")
    });
}

#[test]
fn ac_tdd_9_10_a_halt_is_judged_key_by_key() {
    let sandbox = halted();
    let mut terminal = reviewed(&sandbox, &[]);
    asked(&terminal);
    answered(&mut terminal, "c", "AC-STE-1.1: src.txt says two.");
    answered(&mut terminal, "d", "+three");
    answered(&mut terminal, "s", "tdd-result");
    answered(&mut terminal, "zz", "no such key");
    // What can't be taken back by the next key is asked once more.
    answered(&mut terminal, "?", "close this run");
    std::fs::write(beside(&sandbox, "agent.sh"), format!("role=$1\n{}{HONEST_AGENT}", super::stops::BLOCK))
        .unwrap();
    terminal.press("1\r");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(sandbox.read("src.txt").contains("two"), "the retry went through");
}

#[test]
fn what_is_final_is_asked_once_more_and_a_halt_can_be_left() {
    let sandbox = halted();
    let mut terminal = reviewed(&sandbox, &[]);
    asked(&terminal);
    let number = (1..=9).find(|number| {
        let line = format!("{number}  close this run");
        terminal.shows(&line)
    });
    terminal.press(&format!("{}\r", number.unwrap()));
    terminal.wait("the second question", |screen| screen.contents().contains("really? [y/N]"));
    answered(&mut terminal, "n", "review>");
    terminal.press("q\r");
    assert_eq!(terminal.end().0, 1);
    assert!(sandbox.tdd(&["status"]).stdout.contains("halted"), "nothing was done");
}

#[test]
fn an_editor_is_opened_at_the_place_and_one_that_fails_is_said() {
    let sandbox = halted();
    let opened = beside(&sandbox, "opened");
    let editor = format!("sh -c 'echo \"$@\" > {}' x", opened.display());
    let mut terminal = reviewed(&sandbox, &[("EDITOR", &editor)]);
    asked(&terminal);
    answered(&mut terminal, "e", "if you changed something");
    assert!(opened.exists());
    terminal.press("q\r");
    assert_eq!(terminal.end().0, 1);
    let mut terminal = reviewed(&sandbox, &[("EDITOR", "no-such-editor-here")]);
    asked(&terminal);
    answered(&mut terminal, "e", "set VISUAL or EDITOR");
    terminal.press("q\r");
    assert_eq!(terminal.end().0, 1);
}

#[test]
fn a_second_review_is_refused_and_one_that_was_overtaken_does_nothing() {
    let sandbox = halted();
    let mut terminal = reviewed(&sandbox, &[]);
    asked(&terminal);
    sandbox.tdd(&["review"]).expect(2).says(&["is reviewed already"]);
    sandbox.tdd(&["resume", "--retry"]).expect(1);
    answered(&mut terminal, "1", "somebody went on with this run meanwhile");
    sandbox.tdd(&["resume", "--abandon"]).expect(1);
    terminal.press("1\r");
    let (code, screen) = terminal.end();
    assert_eq!(code, 2, "{screen}");
}

#[test]
fn a_ctrl_c_at_the_question_ends_the_review_also_after_a_run() {
    let sandbox = halted();
    let mut terminal = reviewed(&sandbox, &[]);
    asked(&terminal);
    for _ in 0..2 {
        let forks = sandbox.forks();
        terminal.press("1\r");
        terminal.wait("the halt again", |screen| {
            sandbox.forks() > forks + 1 && screen.contents().trim_end().ends_with("review>")
        });
    }
    terminal.press("\u{3}");
    terminal.end();
    assert!(sandbox.tdd(&["status"]).stdout.contains("halted"));
}

#[test]
fn without_a_terminal_nothing_is_asked() {
    let sandbox = halted();
    let ran: Ran = sandbox.tdd(&["review"]).expect(1);
    assert!(ran.stdout.contains("* 1  try again with a fresh budget"), "{}", ran.stdout);
    assert!(ran.stderr.contains("nobody is at a terminal"), "{}", ran.stderr);
    for line in ran.stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    sandbox.tdd(&["undo"]).expect(0);
    sandbox.tdd(&["review"]).expect(2).says(&["is undone"]);
    sandbox.tdd(&["review", "STE-7"]).expect(2).says(&["no run `STE-7`"]);
}
