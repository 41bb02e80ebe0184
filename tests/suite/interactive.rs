//! An agent on the operator's own terminal, seen in a terminal emulator.

use std::fmt::Write as _;

use rustix::process::Signal;

use super::cycle;
use super::sandbox::{Sandbox, has_python, wait_for};
use super::terminal::Terminal;

/// A full-screen program: another screen, no cursor, the mouse reported, keys one by one. What it does
/// goes by the key; `q` leaves all as it was, `x` nothing.
const SCREEN: &str = r#"#!/bin/sh
LOG=$(printf '%s\n' "$2" | grep '\.log\.md$')
before=$(stty -g)
stty -icanon -echo min 1
printf '\033[?1049h\033[?25l\033[?1000h\033[?2004h\033=\033[2J\033[H%s is here\r\n' "$1"
while :; do
  case "$(dd bs=1 count=1 2>/dev/null)" in
    p) printf -- '---\nstatus: pass\n---\n' > "$LOG"; echo logged ;;
    s) echo "size $(stty size)" ;;
    x) exit 3 ;;
    q) printf '\033[?1049l\033[?25h\033[?1000l\033[?2004l\033>'; stty "$before"; exit 0 ;;
    '') exit 9 ;;
  esac
done
"#;

fn suite(tests: &[&str]) -> Sandbox {
    let sandbox = Sandbox::empty();
    let agent = sandbox.repo().parent().unwrap().join("screen.sh");
    std::fs::write(&agent, SCREEN).unwrap();
    let mut yaml =
        String::from("agent: screen\nagents:\n  screen:\n    argv: [sh, -c, exit, \"{prompt_file}\"]\n");
    let _ = writeln!(
        yaml,
        "    interactive:\n      argv: [sh, {}, \"{{role}}\", \"{{prompt}}\"]\n      message: {{ file: stop.json, take: /last }}",
        agent.display()
    );
    sandbox.write("tdd.yaml", &yaml);
    for test in tests {
        sandbox.write(test, "# a test for a person and an agent\n");
    }
    sandbox
}

#[test]
fn a_person_steers_the_agent_of_a_suite() {
    let sandbox = suite(&["a.test.md", "b.test.md"]);
    let mut terminal = Terminal::tdd(&sandbox, &["mdtest", "-i"]);
    for _ in 0..2 {
        terminal.wait("the agent's screen", |screen| {
            screen.alternate_screen() && screen.contents().contains("tester is here")
        });
        assert!(terminal.is_raw());
        terminal.press("p");
        terminal.wait_for("logged");
        terminal.press("q");
        terminal.wait("our own screen", |screen| !screen.alternate_screen());
    }
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("2 tests, 2 passed"), "{screen}");
}

#[test]
fn one_child_s_bridge_does_not_eat_the_next_one_s_keys() {
    let sandbox = suite(&["a.test.md", "b.test.md", "c.test.md"]);
    let mut terminal = Terminal::tdd(&sandbox, &["mdtest", "-i"]);
    terminal.wait_for("tester is here");
    terminal.press("pq");
    for number in 2..=3 {
        // The one before has ended, the next one may not be there yet.
        terminal.wait(&format!("[{number}/3]"), |screen| {
            !screen.alternate_screen() && screen.contents().contains(&format!("[{number}/3]"))
                || screen.contents().contains("tester is here")
                    && sandbox.path(["", "", "a.logs", "b.logs"][number]).is_dir()
                    && sandbox.path(["", "", "b.logs", "c.logs"][number]).is_dir()
        });
        terminal.press("pq");
    }
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("3 tests, 3 passed"), "{screen}");
}

#[test]
fn the_terminal_is_restored_whatever_the_end() {
    for (name, end) in [
        ("an error of the child that cleans up nothing", "x"),
        ("Ctrl-C, which is the child's", "\u{3}"),
        ("SIGTERM, which is ours", "TERM"),
        ("SIGINT, sent and not typed", "INT"),
        ("SIGHUP", "HUP"),
    ] {
        let sandbox = suite(&["a.test.md"]);
        let mut terminal = Terminal::tdd(&sandbox, &["mdtest", "-i"]);
        terminal.wait_for("tester is here");
        let (want, sent) = match end {
            "TERM" => (143, Some(Signal::TERM)),
            "INT" => (130, Some(Signal::INT)),
            "HUP" => (129, Some(Signal::HUP)),
            _ => (1, None),
        };
        match sent {
            Some(signal) => terminal.signal(signal),
            None => terminal.press(end),
        }
        let (code, screen) = terminal.end();
        assert_eq!(code, want, "{name}: {screen}");
        if sent.is_none() {
            assert!(screen.contains("1 failed"), "{name}: {screen}");
        }
    }
}

#[test]
fn a_new_size_reaches_the_child() {
    let sandbox = suite(&["a.test.md"]);
    let mut terminal = Terminal::tdd(&sandbox, &["mdtest", "-i"]);
    terminal.wait_for("tester is here");
    terminal.press("s");
    terminal.wait_for("size 24 100");
    terminal.resize(30, 90);
    // The signal and the key go different ways: ask until the new size is the answer.
    for asked in 2.. {
        terminal.press("s");
        terminal.wait("an answer", |screen| screen.contents().matches("size ").count() >= asked);
        if terminal.shows("size 30 90") {
            break;
        }
        assert!(asked < 15, "the new size does not come");
    }
    terminal.press("pq");
    assert_eq!(terminal.end().0, 0);
}

#[test]
fn an_agent_that_can_t_be_started_leaves_the_terminal_alone() {
    let sandbox = suite(&["a.test.md"]);
    sandbox.write("tdd.yaml", &sandbox.read("tdd.yaml").replace("argv: [sh, /", "argv: [gone-program, /"));
    let (code, screen) = Terminal::tdd(&sandbox, &["mdtest", "-i"]).end();
    assert_eq!(code, 2, "{screen}");
    let headless = "agents: { plain: { argv: [cat, \"{prompt_file}\"] } }\nagent: plain\n";
    sandbox.write("tdd.yaml", headless);
    let (code, screen) = Terminal::tdd(&sandbox, &["mdtest", "-i"]).end();
    assert!(code == 2 && screen.contains("can't be used interactively"), "{screen}");
}

/// On the screen it shows a block that is wrong; its hook tells the right one.
const ROLES: &str = r#"
import json, os, pathlib, sys, termios, tty
role, prompt = sys.argv[1:3]
before = termios.tcgetattr(0)
tty.setraw(0)
sys.stdout.write("\x1b[?1049h\x1b[2J\x1b[H%s is here\r\n```tdd-result\r\nrole: nobody\r\n```\r\n" % role)
sys.stdout.flush()
while True:
    key = os.read(0, 1)
    if key == b"d":
        if role == "test-writer":
            pathlib.Path("tests/test_ac_ste_1_1.py").write_text(NEW_TEST)
            files = ["tests/test_ac_ste_1_1.py"]
        elif role == "implementer":
            pathlib.Path("shop.py").write_text("def one():\n    return 1\n\n\ndef two():\n    return 2\n")
            files = ["shop.py"]
        else:
            files = []
        block = "```tdd-result\nrole: %s\nstatus: ok\nfiles: %s\ncommand: t\noutput_excerpt: x\n```\n" % (role, json.dumps(files))
        pathlib.Path(os.environ["TDD_STOP"]).write_text(json.dumps({"last": "I am done.\n\n" + block}))
        sys.stdout.write("done\r\n")
        sys.stdout.flush()
    elif key == b"\x03":
        pathlib.Path(sys.argv[0]).with_name("heard").write_text("x")
    elif key in (b"q", b""):
        termios.tcsetattr(0, termios.TCSADRAIN, before)
        sys.stdout.write("\x1b[?1049l")
        sys.stdout.flush()
        sys.exit(0)
"#;

/// A project whose roles are played at a screen.
fn stage() -> Sandbox {
    let sandbox = cycle::shop();
    let agent = sandbox.repo().parent().unwrap().join("roles.py");
    let test = format!("NEW_TEST = {:?}\n", cycle::NEW_TEST);
    std::fs::write(&agent, test + ROLES).unwrap();
    let yaml = format!(
        "{}agent: roles\nagents:\n  roles:\n    argv: [python3, \"{{prompt_file}}\"]\n    env: {{ set: {{ TDD_STOP: \"{{run_dir}}/stop.json\" }} }}\n    interactive:\n      argv: [python3, {}, \"{{role}}\", \"{{prompt}}\"]\n      message: {{ file: stop.json, take: /last }}\n",
        sandbox.read("tdd.yaml"),
        agent.display()
    );
    sandbox.write("tdd.yaml", &yaml);
    sandbox.commit();
    sandbox
}

/// Each role does its work and is quit.
fn play(mut terminal: Terminal) -> (i32, String) {
    for role in ["test-writer", "implementer", "refactorer"] {
        terminal.wait(role, |screen| {
            screen.alternate_screen() && screen.contents().contains(&format!("{role} is here"))
        });
        terminal.press("d");
        terminal.wait_for("done");
        terminal.press("q");
        terminal.wait("our own screen", |screen| !screen.alternate_screen());
    }
    terminal.end()
}

#[test]
fn a_whole_cycle_with_a_person_at_the_agents_screens() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = stage();
    let terminal = Terminal::tdd(&sandbox, &["STE-1", "--interactive"]);
    terminal.wait_for("test-writer is here");
    let (code, screen) = play(terminal);
    assert_eq!(code, 0, "{screen}");
    assert_eq!(sandbox.forks(), 3);
    // The folder that all runs of a user share goes with the last of them.
    let shared = sandbox.beside(&format!("tdd-{}", rustix::process::geteuid().as_raw()));
    let left = shared.read_dir().into_iter().flatten().flatten().map(|entry| entry.file_name());
    assert_eq!(left.filter(|name| name.to_string_lossy().starts_with("terminal-")).count(), 0);
}

#[test]
fn an_agent_that_is_quit_with_nothing_said_costs_nothing() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = stage();
    // More often than an attempt may fail, or be cut off by us.
    for round in 0..4 {
        // Begun with a person at the screen, it is gone on with so.
        let args: &[&str] = match round {
            0 => &["STE-1", "--interactive"],
            1 => &["resume", "--interactive"],
            _ => &["resume"],
        };
        let mut terminal = Terminal::tdd(&sandbox, args);
        terminal.wait_for("test-writer is here");
        terminal.press("q");
        let (code, screen) = terminal.end();
        assert_eq!(code, 3, "{screen}");
        let shown = screen.replace(['\r', '\n'], "");
        for words in
            ["has the screen now, as the test-writer", "Ctrl-C", "was quit before it had ended a turn"]
        {
            assert!(shown.contains(words), "no {words}: {screen}");
        }
        assert!(shown.contains("go on: tdd resume") && shown.contains("--interactive"), "{screen}");
        assert_eq!(sandbox.events().last().map(String::as_str), Some("paused"));
    }
    let before = sandbox.forks();
    sandbox.tdd(&["resume"]).expect(2).says(&["was begun with --interactive", "in a terminal", "--headless"]);
    assert_eq!(sandbox.forks(), before, "nobody was forked where nobody sits");
    let (code, screen) = play(Terminal::tdd(&sandbox, &["resume"]));
    assert_eq!(code, 0, "{screen}");
    assert_eq!(sandbox.forks(), 7);
    let journal = std::fs::read_to_string(sandbox.run_dir().join("events.jsonl")).unwrap();
    assert!(!journal.contains("\"kind\":\"format\""), "nothing was asked for again");
}

#[test]
fn ctrl_c_twice_stops_the_run_and_it_goes_on_later() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = stage();
    let mut terminal = Terminal::tdd(&sandbox, &["STE-1", "--interactive"]);
    terminal.wait_for("test-writer is here");
    terminal.press("\u{3}");
    wait_for(|| sandbox.beside("heard").exists());
    terminal.press("\u{3}\u{3}");
    let (code, screen) = terminal.end();
    assert_eq!(code, 130, "{screen}");
    assert_eq!(sandbox.events().last().map(String::as_str), Some("stopped"));
    let (code, screen) = play(Terminal::tdd(&sandbox, &["resume", "--interactive"]));
    assert_eq!(code, 0, "{screen}");
}

#[test]
fn a_terminal_that_a_killed_tdd_left_is_put_right_by_the_next() {
    if !has_python() {
        return;
    }
    let sandbox = stage();
    let tdd = env!("CARGO_BIN_EXE_tdd");
    let mut shell = sandbox.command("sh");
    let line = format!(
        "{tdd} status >/dev/null; {tdd} STE-1 -i; echo it was killed; read key; {tdd} status >/dev/null; echo first over; {tdd} status >/dev/null; echo over"
    );
    shell.args(["-c", &line]).env("TERM", "xterm-256color");
    let mut terminal = Terminal::start(&shell);
    terminal.wait_for("test-writer is here");
    terminal.kill_child();
    terminal.wait_for("it was killed");
    assert!(terminal.is_raw() && terminal.is_on_the_other_screen(), "that is how it is left");
    terminal.press("\n");
    terminal.wait_for("first over");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert_eq!(screen.matches("put the terminal right").count(), 1, "once, and with reason: {screen}");
}

#[test]
fn a_bound_that_no_screen_tells_is_refused_with_its_reason() {
    let sandbox = cycle::shop();
    for (bound, other) in [("--max-usd", "--max-wall"), ("--max-tokens-attempt", "--max-wall-attempt")] {
        let args = ["STE-1", "--agent", "claude", "-i", bound, "100"];
        let (code, screen) = Terminal::tdd(&sandbox, &args).end();
        let shown = screen.replace(['\r', '\n'], " ");
        assert_eq!(code, 2, "{screen}");
        for word in [bound, "--interactive", "leave one of the two out", other] {
            assert!(shown.contains(word), "no {word}: {screen}");
        }
        assert!(!shown.contains("usage:"), "{screen}");
    }
}

#[test]
fn without_a_terminal_it_is_refused() {
    let sandbox = cycle::shop();
    let before = sandbox.everything();
    sandbox
        .tdd(&["STE-1", "--interactive"])
        .expect(2)
        .says(&["--interactive needs a terminal", "stdin is none"]);
    assert_eq!(sandbox.everything(), before);
}
