//! What the live display leaves on a terminal when a run is over: nothing of itself. Frames of its spinner would
//! stay for ever where a line wraps, the terminal becomes narrower, or `^C` is echoed between two of them.

use super::sandbox::Sandbox;
use super::stops::{HONEST_AGENT, HONEST_CHECK, project};
use super::terminal::Terminal;

/// Says much, then works or waits to be ended.
const TALKS: &str = "i=0; while [ $i -lt 40 ]; do echo \"$role has a long word to say: this is line $i of very many, and \
    none of them fits into a narrow terminal as it is\"; i=$((i+1)); done\n";
const WAITS: &str = "test $role = test-writer && sleep 1000 && sleep 1000\n";

/// A frame of the spinner.
fn is_frame(c: char) -> bool {
    ('\u{2801}'..='\u{28ff}').contains(&c)
}

fn talking(then: &str) -> Sandbox {
    project(&format!("{TALKS}{then}"), HONEST_CHECK, "")
}

fn begun(sandbox: &Sandbox, rows: u16, cols: u16) -> Terminal {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.arg("STE-1").env("TERM", "xterm-256color");
    Terminal::of_size(&command, rows, cols)
}

#[track_caller]
fn ends_clean(what: &str, terminal: Terminal, code: i32) {
    let (ended, screen) = terminal.end();
    assert_eq!(ended, code, "{what}: {screen}");
    assert!(
        !screen.contains(is_frame) && !screen.contains("of 1 green\n"),
        "{what}: frames are left in:\n{screen}"
    );
}

/// All that was ever shown fits on the high ones; the low ones scroll.
const SIZES: [(u16, u16); 5] = [(24, 100), (200, 100), (24, 60), (200, 60), (10, 40)];

#[test]
fn a_run_that_ends_leaves_no_frame() {
    let sandbox = talking(HONEST_AGENT);
    for (rows, cols) in SIZES {
        let terminal = begun(&sandbox, rows, cols);
        ends_clean(&format!("{rows} x {cols}"), terminal, 0);
        sandbox.tdd(&["undo"]).expect(0);
    }
}

#[test]
fn ac_tdd_6_7_a_run_that_is_interrupted_leaves_no_frame() {
    let sandbox = talking(WAITS);
    for (rows, cols) in SIZES {
        let mut terminal = begun(&sandbox, rows, cols);
        terminal.wait("a frame", |screen| {
            screen.contents().contains(is_frame) && screen.contents().contains("test-writer has")
        });
        terminal.press("\x03");
        ends_clean(&format!("{rows} x {cols}"), terminal, 130);
        sandbox.tdd(&["undo"]).expect(0);
    }
}

#[test]
fn a_terminal_that_becomes_narrower_keeps_no_frame() {
    let sandbox = talking(WAITS);
    for (rows, cols) in [(200, 60), (24, 40), (24, 120)] {
        let mut terminal = begun(&sandbox, 200, 100);
        terminal.wait("a frame", |screen| {
            screen.contents().contains(is_frame) && screen.contents().contains("test-writer has")
        });
        terminal.resize(rows, cols);
        // It is drawn once more for what there is now.
        let before = std::cell::OnceCell::new();
        terminal.wait("the next frame", |screen| {
            let now = screen.contents();
            *before.get_or_init(|| now.clone()) != now && now.contains(is_frame)
        });
        terminal.press("\x03");
        ends_clean(&format!("{rows} x {cols}"), terminal, 130);
        sandbox.tdd(&["undo"]).expect(0);
    }
}
