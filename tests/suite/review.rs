//! `tdd review` at a real terminal, key by key, and without one.
#![expect(clippy::disallowed_methods, reason = "a test writes agents and looks at files")]

use std::io::Read as _;

use ratatui::Terminal as Drawing;
use ratatui::backend::TestBackend;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tdd::text::halt_report::{Advice, NextStep};
use tdd::view::Ink;
use tdd::view::review::{Head, Key, Model, Sheet, Wish, draw};

use super::run_status::Place;
use super::sandbox::{Ran, Sandbox, has_python};
use super::stops::{BLOCK, HONEST_AGENT, HONEST_CHECK, beside, project};
use super::terminal::Terminal;

/// Its implementer writes the wrong word for ever.
pub fn halted() -> Sandbox {
    let agent = HONEST_AGENT.replace("echo two >>src.txt", "echo three >>src.txt");
    let sandbox = project(&agent, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(1);
    sandbox
}

pub fn reviewed(sandbox: &Sandbox, more: &[(&str, &str)]) -> Terminal {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.args(["review", "--plain"]).env("TERM", "xterm-256color").envs(more.iter().copied());
    Terminal::of_size(&command, 60, 80)
}

/// The same on a whole screen.
pub fn full(sandbox: &Sandbox, more: &[(&str, &str)]) -> Terminal {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.arg("review").env("TERM", "xterm-256color").envs(more.iter().copied());
    let terminal = Terminal::of_size(&command, 30, 80);
    terminal.wait_for("q leave");
    assert!(terminal.is_on_the_other_screen());
    terminal
}

pub fn mends(sandbox: &Sandbox) {
    std::fs::write(beside(sandbox, "agent.sh"), format!("role=$1\n{BLOCK}{HONEST_AGENT}")).unwrap();
}

/// The number of an action on the screen.
pub fn number_of(terminal: &Terminal, words: &str) -> String {
    let is_shown = |number: &u32| terminal.shows(&format!("{number}  {words}"));
    (1..=9).find(is_shown).unwrap_or_else(|| panic!("no action `{words}`")).to_string()
}

pub fn asked(terminal: &Terminal) {
    terminal.wait("the question", |screen| screen.contents().trim_end().ends_with("review>"));
}

pub fn answered(terminal: &mut Terminal, line: &str, words: &str) {
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
    mends(&sandbox);
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
    let number = number_of(&terminal, "close this run");
    terminal.press(&format!("{number}\r"));
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
    left_to_the_night!();
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
    left_to_the_night!();
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
    assert!(ran.stdout.contains("* 1  try again with new attempts"), "{}", ran.stdout);
    assert!(ran.stderr.contains("nobody is at a terminal"), "{}", ran.stderr);
    for line in ran.stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    sandbox.tdd(&["undo"]).expect(0);
    sandbox.tdd(&["review"]).expect(2).says(&["is undone"]);
    sandbox.tdd(&["review", "STE-7"]).expect(2).says(&["no run `STE-7`"]);
}

#[test]
fn ac_tdd_9_11_a_halt_is_judged_on_a_whole_screen() {
    let sandbox = halted();
    let mut terminal = full(&sandbox, &[]);
    for (key, words) in [
        ("c", "AC-STE-1.1: src.txt says two."),
        ("d", "+three"),
        ("t", "grep -q two src.txt"),
        ("s", "tdd-result"),
        ("p", "--- prompt:"),
        ("w", "attempt 2 of"),
        ("j", "lines above"),
        ("a", "@@"),
        ("r", "lines below"),
        ("z", "no such key"),
        ("?", "any key closes this"),
        ("x", "q leave"),
    ] {
        terminal.press(key);
        terminal.wait_for(words);
    }
    // The terminal may be as small as they come, and grow again.
    terminal.resize(12, 40);
    terminal.wait("the small screen", |screen| screen.contents().contains("? keys  q leave"));
    terminal.resize(30, 80);
    terminal.wait_for("tab next view");
    mends(&sandbox);
    terminal.press("1");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    assert!(sandbox.read("src.txt").contains("two"), "the retry went through");
}

#[test]
fn a_criterion_is_accepted_for_a_reason_that_is_kept_and_no_agent_reads() {
    left_to_the_night!();
    let sandbox = halted();
    let mut terminal = full(&sandbox, &[]);
    let number = number_of(&terminal, "accept the criterion");
    terminal.press(&number);
    terminal.wait_for("for what reason?");
    terminal.press("\u{1b}");
    terminal.wait_for("nothing was done");
    terminal.press(&number);
    terminal.wait_for("for what reason?");
    terminal.press("three is gooh\u{7f}d enough\r");
    let (code, screen) = terminal.end();
    assert_eq!(code, 4, "{screen}");
    let journal = std::fs::read_to_string(sandbox.run_dir().join("events.jsonl")).unwrap();
    assert!(journal.contains("\"why\":\"three is good enough\""), "{journal}");
    let shown = sandbox.tdd(&["show"]).expect(0).stdout;
    assert!(shown.contains("accepted by the operator's word: three is good enough"), "{shown}");
    let prompts = std::fs::read_dir(sandbox.run_dir().join("files")).unwrap();
    for file in prompts.map(|entry| std::fs::read(entry.unwrap().path()).unwrap()) {
        let text = String::from_utf8_lossy(&file).into_owned();
        assert!(!text.contains("good enough") || text.contains("accepted"), "{text}");
    }
}

/// Edits with this editor, and goes on to a finished run; gives what the terminal showed at the end.
fn goes_on_after(place: &Place, editor: &str) -> String {
    let mut command = place.sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.args(["review", "--cassette", &place.honest]).env("TERM", "xterm-256color").env("EDITOR", editor);
    let mut terminal = Terminal::of_size(&command, 30, 80);
    terminal.wait_for("q leave");
    terminal.press("e");
    terminal.wait_for("Enter goes back to the review");
    assert!(!terminal.is_on_the_other_screen() && !terminal.is_raw(), "the editor had the terminal");
    terminal.press("\r");
    terminal.wait("the review again", vt100::Screen::alternate_screen);
    terminal.wait_for("you have edited");
    terminal.wait_for("q leave");
    terminal.press(&number_of(&terminal, "I have edited"));
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    screen
}

#[test]
fn code_that_the_person_mends_by_hand_is_green_without_a_fork() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    let forks = place.sandbox.forks();
    let editor = "sh -c 'sed -i \"s/return 3/return 2/\" shop.py; printf \"\\ndef two():\\n    return 2\\n\" >>shop.py' x";
    let screen = goes_on_after(&place, editor);
    assert_eq!(place.sandbox.forks(), forks + 1, "the refactorer alone: {screen}");
}

#[test]
fn ac_tdd_9_12_a_run_that_halts_at_a_terminal_ends_in_its_review() {
    left_to_the_night!();
    let agent = HONEST_AGENT.replace("echo two >>src.txt", "echo three >>src.txt");
    let sandbox = project(&agent, HONEST_CHECK, "");
    let mut terminal = Terminal::tdd(&sandbox, &["STE-1"]);
    terminal.wait("the review", vt100::Screen::alternate_screen);
    terminal.wait_for("q leave");
    // One that fails again comes back to the same review, not to one within it.
    terminal.press("1");
    terminal.wait_for("Enter goes back to the review");
    terminal.press("\r");
    terminal.wait("the review again", vt100::Screen::alternate_screen);
    mends(&sandbox);
    terminal.press("1");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    sandbox.tdd(&["undo"]).expect(0);
    std::fs::write(beside(&sandbox, "agent.sh"), format!("role=$1\n{BLOCK}{agent}")).unwrap();
    // Where nobody is asked, the report is the end.
    for (words, more) in [
        (&["STE-1", "--no-review"][..], None),
        (&["STE-1", "--quiet"], None),
        (&["STE-1"], Some(("CI", "1"))),
    ] {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.args(words).env("TERM", "xterm-256color").envs(more);
        let (code, screen) = Terminal::of_size(&command, 60, 100).end();
        assert_eq!(code, 1, "{screen}");
        assert!(screen.contains("tdd resume"), "{screen}");
        sandbox.tdd(&["undo"]).expect(0);
    }
}

/// Nobody is started on the word that files were changed where none was; an edit of the requirement is one, too.
#[test]
fn ac_tdd_9_33_what_was_not_edited_is_not_gone_on_with_as_edited() {
    left_to_the_night!();
    let sandbox = halted();
    let forks = sandbox.forks();
    let journal = || sandbox.events();
    let before = journal();
    sandbox.tdd(&["resume", "--edited"]).expect(2).says(&[
        "nothing was edited since the run halted",
        "as they were at the halt",
        "--retry",
    ]);
    let opened = beside(&sandbox, "opened");
    let editor = format!("sh -c 'echo \"$@\" > {}' x", opened.display());
    let mut terminal = full(&sandbox, &[("EDITOR", &editor)]);
    let number = number_of(&terminal, "I have edited");
    terminal.press(&number);
    terminal.wait_for("Enter goes back to the review");
    assert!(terminal.shows("nothing was edited since the halt"), "it says why nobody was started");
    assert!(opened.exists(), "the editor was opened instead");
    terminal.press("q\r");
    assert_eq!(terminal.end().0, 1);
    let mut terminal = full(&sandbox, &[("EDITOR", "no-such-editor-here")]);
    terminal.press(&number);
    terminal.wait_for("set VISUAL or EDITOR");
    terminal.press("q\r");
    assert_eq!(terminal.end().0, 1);
    assert_eq!((sandbox.forks(), &journal()), (forks, &before), "nothing was journalled either");
    // The honest twin: the requirement alone was edited. What that comes to is another matter.
    let text = sandbox.read("specs/frs/STE-1.md");
    sandbox.write("specs/frs/STE-1.md", &text.replace("says two", "says two, in one line"));
    let ran = sandbox.tdd(&["resume", "--edited", "--no-review"]);
    assert!(!ran.stderr.contains("nothing was edited"), "{}", ran.stderr);
    assert!(journal().len() > before.len(), "it is judged");
}

/// A test that was edited is seen red before anybody works for it.
#[test]
fn a_test_that_the_person_edits_is_red_again_and_then_green() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    let editor = "sh -c 'sed -i \"s/test_new/test_newer/\" tests/test_ac_ste_1_1.py' x";
    goes_on_after(&place, editor);
    let events = place.sandbox.events();
    let at = |name: &str| events.iter().rposition(|event| event == name).unwrap();
    assert!(at("rechecked") < at("attempt_started"), "{events:?}");
}

#[test]
fn the_terminal_of_a_review_is_given_back_whatever_ends_it() {
    left_to_the_night!();
    let sandbox = halted();
    for (end, want) in [("q", 1), ("\u{3}", 1), ("TERM", 143), ("HUP", 129)] {
        let mut terminal = full(&sandbox, &[]);
        assert!(terminal.is_raw());
        match end {
            "TERM" => terminal.signal(rustix::process::Signal::TERM),
            "HUP" => terminal.signal(rustix::process::Signal::HUP),
            key => terminal.press(key),
        }
        let raw = |terminal: &Terminal| terminal.is_raw() || terminal.is_on_the_other_screen();
        super::sandbox::wait_for(|| !raw(&terminal));
        assert_eq!(terminal.end().0, want, "{end}");
    }
    assert!(sandbox.tdd(&["status"]).stdout.contains("halted"), "nothing was done");
    // A shell of the person's has it meanwhile, and what it ends with does not matter.
    let mut terminal = full(&sandbox, &[("SHELL", "/bin/false")]);
    terminal.press("!");
    terminal.wait_for("Enter goes back to the review");
    terminal.press("q\r");
    assert_eq!(terminal.end().0, 1);
}

/// No signal tells of it where the terminal is not the session's own.
#[test]
fn a_review_ends_where_its_terminal_is_closed() {
    let sandbox = halted();
    // Closed on exec from the start: a child that another test starts at that moment would keep it open.
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    tcsetwinsize(&master, Winsize { ws_row: 30, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let side = std::fs::OpenOptions::new().read(true).write(true).open(name).unwrap();
    let side = || side.try_clone().unwrap();
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.arg("review").env("TERM", "xterm-256color");
    let mut child = command.stdin(side()).stdout(side()).stderr(side()).spawn().unwrap();
    drop(command);
    let (mut reader, mut shown) = (std::fs::File::from(master), Vec::new());
    while !String::from_utf8_lossy(&shown).contains("q leave") {
        let mut chunk = [0; 4096];
        let count = reader.read(&mut chunk).unwrap();
        shown.extend_from_slice(&chunk[..count]);
    }
    drop(reader);
    let (ended, has_ended) = std::sync::mpsc::channel();
    let pid = rustix::process::Pid::from_child(&child);
    std::thread::spawn(move || ended.send(child.wait()));
    let ended = has_ended.recv_timeout(std::time::Duration::from_secs(30));
    if ended.is_err() {
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    assert_eq!(ended.expect("it ends").unwrap().code(), Some(2));
    assert!(sandbox.tdd(&["status"]).stdout.contains("halted"), "nothing was done");
}

fn step(what: &str, command: &str) -> NextStep {
    NextStep { what: what.to_owned(), command: command.to_owned() }
}

/// A halt with a bit of everything: long lines, wide characters, more lines than fit.
fn model() -> Model {
    let steps = vec![
        step("try again with new attempts", "tdd resume STE-1-ae1f --retry"),
        step("I have edited: go on (code, test or requirement)", "tdd resume STE-1-ae1f --edited"),
        step(
            "accept the criterion unverified and go on (exit code 4)",
            "tdd resume STE-1-ae1f --accept AC-STE-1.2",
        ),
        step("put all files back as they were before the run", "tdd undo STE-1-ae1f"),
    ];
    model_with(steps)
}

fn model_with(steps: Vec<NextStep>) -> Model {
    let head = Head {
        title: "STE-1-ae1f halted in GREEN of AC-STE-1.2".to_owned(),
        who: "implementer, attempt 2 of 2: its work (d) is kept in git, not among your files".to_owned(),
        pace: None,
        wanted: Some("AC-STE-1.2: `total` of a cart is the sum of its lines, and that is more than one line".to_owned()),
        cause: "failed: tests/test_cart.py::test_total: assert 1 == 2, and more words than a line of sixty columns can hold".to_owned(),
        place: Some("look at: tests/test_cart.py:12".to_owned()),
        advice: Advice {
            words: "recommended: 1, because its attempts are used up and nothing else is in the way".to_owned(),
            step: Some(0),
        },
    };
    let mut output: Vec<String> = (1..=40).map(|number| format!("{number} of the output")).collect();
    output.insert(0, "日本語の長い行".repeat(8));
    let diff = ["=== src/cart.py (changed)", "@@ -1 +1 @@", "-one", "+two", " same"];
    let sheets = vec![
        Sheet { key: 'o', title: "output", lines: Some(output), begins: 0 },
        Sheet { key: 'd', title: "diff", lines: Some(diff.map(str::to_owned).to_vec()), begins: 0 },
        Sheet { key: 'j', title: "journal", lines: None, begins: 0 },
    ];
    Model::new(head, sheets, steps)
}

fn drawn(model: &mut Model, cols: u16, rows: u16) -> String {
    let mut drawing = Drawing::new(TestBackend::new(cols, rows)).unwrap();
    drawing
        .draw(|frame| {
            model.fit(usize::from(cols), usize::from(rows));
            draw(frame, model, Ink::None);
        })
        .unwrap();
    let buffer = drawing.backend().buffer();
    let mut text = String::new();
    for row in buffer.content().chunks(usize::from(cols)) {
        let mut line = String::new();
        let mut hidden = 0;
        for cell in row {
            if hidden == 0 {
                line.push_str(cell.symbol());
                hidden = unicode_width::UnicodeWidthStr::width(cell.symbol());
            }
            hidden = hidden.saturating_sub(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[test]
fn the_screen_is_as_recorded_at_every_width() {
    for (cols, rows) in [(60, 24), (80, 30), (200, 40)] {
        for (name, keys) in [("first", ""), ("diff", "d"), ("keys", "?"), ("sure", "4"), ("reason", "3x")] {
            let mut model = model();
            drawn(&mut model, cols, rows);
            for key in keys.chars() {
                assert_eq!(model.press(Key::Char(key)), None);
            }
            compare(&format!("{name}-{cols}.txt"), &drawn(&mut model, cols, rows));
        }
    }
}

fn compare(name: &str, text: &str) {
    let file = super::sandbox::fixtures().join("review").join(name);
    if std::env::var_os("UPDATE_FIXTURES").is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
    }
    let want = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(text, want, "{name}; UPDATE_FIXTURES=1 records it");
}

/// Remarks give way where there is little room, and never the words that tell one action from another.
#[test]
fn all_keys_are_told_in_words_that_are_not_cut() {
    let keys = [
        "try again with a higher deadline: 10m, not 4s",
        "I have edited: go on under the same limit (code, test, requirement or setting)",
        "accept the criterion unverified and go on (exit code 4)",
        "bring the failed work back to mend it by hand (what is there now is kept)",
        "put all files back as they were before the run (what is there now is kept)",
        "close this run and keep the files as they are",
    ];
    let steps = keys.map(|what| step(what, &format!("tdd resume STE-1-ae1f {}", "--flag ".repeat(8))));
    let mut model = model_with(steps.to_vec());
    drawn(&mut model, 60, 24);
    assert_eq!(model.press(Key::Char('?')), None);
    let screen = drawn(&mut model, 60, 24);
    let told: Vec<&str> = screen.split(['│', '\n', ' ']).filter(|word| !word.is_empty()).collect();
    let told = told.join(" ");
    for what in keys {
        assert!(told.contains(what.split(" (").next().unwrap()), "{what}: {screen}");
    }
    assert!(told.contains("q leave;") && told.contains("1-6 do"), "{screen}");
}

/// A terminal that nobody has made larger shows what was asked for, and of the output what failed.
#[test]
fn ac_tdd_9_36_a_small_screen_opens_at_what_failed_and_names_the_criterion() {
    let mut model = model();
    let mut output: Vec<String> = (1..=40).map(|number| format!("noise {number}")).collect();
    output.insert(30, "assertion failed here".to_owned());
    assert_eq!(model.press(Key::Char('o')), None);
    model.fill(output.clone(), 30);
    let screen = drawn(&mut model, 80, 24);
    assert!(screen.contains("noise 30") && screen.contains("assertion failed here"), "{screen}");
    assert!(screen.contains("AC-STE-1.2: `total` of a cart"), "{screen}");
    // It stays there in another size, until somebody scrolls.
    let screen = drawn(&mut model, 60, 20);
    assert!(screen.contains("assertion failed here") && screen.contains("AC-STE-1.2: "), "{screen}");
    assert_eq!(model.press(Key::Home), None);
    let screen = drawn(&mut model, 80, 24);
    assert!(screen.contains("noise 1\n") && !screen.contains("assertion failed here"), "{screen}");
    // What failed at the very top or end is no nearer to it than the sheet is.
    for (at, words) in [(0, "noise 1\n"), (40, "noise 40\n"), (900, "noise 40\n")] {
        model.fill(output.clone(), at);
        let screen = drawn(&mut model, 80, 24);
        assert!(screen.contains(words), "{at}: {screen}");
    }
    // Where there is no room at all, the criterion is behind its key.
    assert!(!drawn(&mut model, 80, 12).contains("AC-STE-1.2: "));
}

/// On a terminal that nobody has made larger, all keys and the command of each are told, and no action is cut.
#[test]
fn ac_tdd_9_41_a_small_screen_tells_actions_and_commands_whole() {
    let keys = [
        "already green: the project does this already; record it in a new run (no implementer)",
        "the test is right: try again with new attempts (the next implementer is told that the dispute stands)",
        "I have edited: go on under the same limit (code, test, requirement or setting)",
        "bring the failed work back to mend it by hand (what is there now is kept)",
        "put all files back as they were before the run (what is there now is kept)",
        "close this run and keep the files as they are",
    ];
    let steps = keys.map(|what| step(what, &format!("tdd resume STE-1-ae1f --{}", what.len())));
    let mut model = model_with(steps.to_vec());
    let screen = drawn(&mut model, 80, 24);
    for what in keys {
        assert!(screen.contains(what.split(" (").next().unwrap()), "{what}: {screen}");
    }
    assert!(!screen.contains("(the next") && screen.contains("(what is there now is kept)"), "{screen}");
    assert_eq!(model.press(Key::Char('?')), None);
    let screen = drawn(&mut model, 80, 24);
    let inside: Vec<&str> = screen.lines().filter_map(|line| line.split('│').nth(1)).collect();
    let told = inside.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    for what in keys {
        assert!(told.contains(&format!("tdd resume STE-1-ae1f --{}", what.len())), "{what}: {screen}");
        assert!(told.contains(what.split(" (").next().unwrap()), "{what}: {screen}");
    }
    assert!(told.contains("e edit, ! shell, q leave"), "{screen}");
}

#[test]
fn keys_do_what_they_say() {
    let mut model = model();
    drawn(&mut model, 80, 30);
    let command = |wish: Option<Wish>| match wish {
        Some(Wish::Do(step, reason)) => (step.command, reason),
        other => panic!("{other:?}"),
    };
    assert_eq!(command(model.press(Key::Enter)), ("tdd resume STE-1-ae1f --retry".to_owned(), None));
    // What is final wants a yes, and nothing else is one.
    assert_eq!(model.press(Key::Char('4')), None);
    assert_eq!(model.press(Key::Enter), None);
    assert_eq!(model.press(Key::Char('4')), None);
    assert_eq!(command(model.press(Key::Char('y'))).0, "tdd undo STE-1-ae1f");
    // A reason is no empty one.
    assert_eq!(model.press(Key::Char('3')), None);
    assert_eq!(model.press(Key::Enter), None);
    for key in "so  ".chars().map(Key::Char) {
        assert_eq!(model.press(key), None);
    }
    assert_eq!(command(model.press(Key::Enter)).1.as_deref(), Some("so"));
    assert_eq!(model.press(Key::Char('9')), None, "there is no ninth");
    assert_eq!(model.press(Key::Char('j')), None);
    assert_eq!(model.wanted(), Some('j'), "it is read when it is looked at");
    model.fill(vec!["one".to_owned()], 0);
    assert_eq!(model.wanted(), None);
    // A journal is read from what happened last.
    model.fill((1..=200).map(|number| format!("event {number}")).collect(), 200);
    assert!(drawn(&mut model, 80, 30).contains("event 200"));
    assert_eq!(model.press(Key::Home), None);
    assert!(!drawn(&mut model, 80, 30).contains("event 200"));
    // No key of a small screen goes beyond its ends.
    for (cols, rows) in [(1, 1), (5, 3), (60, 8)] {
        for key in
            [Key::End, Key::PageDown, Key::Down, Key::Right, Key::Left, Key::Up, Key::PageUp, Key::Home]
        {
            assert_eq!(model.press(key), None);
            drawn(&mut model, cols, rows);
        }
    }
    assert_eq!(model.press(Key::Char('q')), Some(Wish::Leave));
}
