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
    left_to_the_night!();
    let sandbox = talking(HONEST_AGENT);
    for (rows, cols) in SIZES {
        let terminal = begun(&sandbox, rows, cols);
        ends_clean(&format!("{rows} x {cols}"), terminal, 0);
        sandbox.tdd(&["undo"]).expect(0);
    }
}

#[test]
fn ac_tdd_6_7_a_run_that_is_interrupted_leaves_no_frame() {
    left_to_the_night!();
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
    left_to_the_night!();
    let sandbox = talking(WAITS);
    for (rows, cols) in [(200, 60), (24, 40), (24, 120)] {
        let mut terminal = begun(&sandbox, 200, 100);
        terminal.wait("a frame", |screen| {
            screen.contents().contains(is_frame) && screen.contents().contains("test-writer has")
        });
        // The rows of a frame are as long as they may be.
        terminal.resize_when((rows, cols), |screen| {
            let lines: Vec<String> = screen.rows(0, 100).collect();
            let frame = lines.iter().rposition(|line| line.contains(is_frame));
            let said = frame.and_then(|at| lines.get(at + 2)).map(|line| line.trim_end().chars().count());
            said.is_some_and(
                |count| if cols < 100 { (1..=usize::from(cols)).contains(&count) } else { count > 0 },
            )
        });
        terminal.press("\x03");
        ends_clean(&format!("{rows} x {cols}"), terminal, 130);
        sandbox.tdd(&["undo"]).expect(0);
    }
}

/// `NO_COLOR` takes the colour and nothing else: shapes tell the same.
#[test]
fn without_colours_the_same_is_drawn_by_shapes() {
    let sandbox = talking(WAITS);
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.arg("STE-1").env("TERM", "xterm-256color").env("NO_COLOR", "1");
    let mut terminal = Terminal::of_size(&command, 40, 100);
    terminal.wait("a frame", |screen| {
        let is_there = screen.contents().contains(is_frame) && screen.contents().contains("○ 0 of 1 green");
        let cells = (0..40).flat_map(|row| (0..100).filter_map(move |col| screen.cell(row, col)));
        let coloured = cells.filter(|cell| cell.fgcolor() != vt100::Color::Default || cell.bold()).count();
        assert_eq!(coloured, 0, "{}", screen.contents());
        is_there
    });
    terminal.press("\x03");
    ends_clean("without colours", terminal, 130);
}
