//! What goes wrong around a review: names of runs, journals, editors, files, the terminal. Each has a clear word, and
//! the terminal is given back.
#![expect(clippy::disallowed_methods, reason = "a test writes agents and looks at files")]

use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};
use rustix::process::Signal;

use super::review::{answered, asked, full, halted, mends, number_of, reviewed};
use super::run_status::Place;
use super::sandbox::{Sandbox, has_python, wait_for};
use super::terminal::Terminal;

fn journal(sandbox: &Sandbox) -> std::path::PathBuf {
    sandbox.run_dir().join("events.jsonl")
}

/// All commands that look at a run or judge it.
const LOOKS: [&[&str]; 8] = [
    &["review"],
    &["show"],
    &["report"],
    &["diff"],
    &["matrix"],
    &["log"],
    &["status", "@"],
    &["resume", "--retry"],
];

#[test]
fn a_name_that_fits_several_runs_lists_them() {
    left_to_the_night!();
    let sandbox = halted();
    sandbox.tdd(&["undo"]).expect(0);
    sandbox.tdd(&["STE-1", "--new", "--quiet"]).expect(1);
    for words in LOOKS {
        let name =
            if words[0] == "resume" { vec!["resume", "Z-STE", "--retry"] } else { vec![words[0], "Z-STE"] };
        let ran = sandbox.tdd(&name).expect(2).says(&["more than one run is meant by `Z-STE`"]);
        assert_eq!(ran.stderr.matches("Z-STE-1-").count(), 2, "{words:?}: {}", ran.stderr);
        let name =
            if words[0] == "resume" { vec!["resume", "STE-7", "--retry"] } else { vec![words[0], "STE-7"] };
        sandbox.tdd(&name).expect(2).says(&["no run `STE-7`", "the runs are:"]);
    }
}

/// Nothing is guessed of a journal that can't be trusted, and nothing of it is written anew.
#[test]
fn ac_tdd_9_20_a_journal_that_is_damaged_or_of_a_newer_program_is_refused_with_its_line() {
    left_to_the_night!();
    let sandbox = halted();
    let whole = std::fs::read_to_string(journal(&sandbox)).unwrap();
    let damaged = whole.replacen("src.txt says two", "src.txt says too", 1);
    let newer = whole.replacen("{\"v\":1", "{\"v\":9", 1);
    for (text, words) in [(damaged, "line 2"), (newer, "newer tdd")] {
        std::fs::write(journal(&sandbox), &text).unwrap();
        // The report that was written at the halt is there as it was.
        sandbox.tdd(&["show"]).expect(0);
        for args in LOOKS.iter().filter(|args| args[0] != "show") {
            let ran = sandbox.tdd(args).expect(2);
            assert!(
                ran.stderr.contains("can't be read") || ran.stderr.contains("journal"),
                "{args:?}: {}",
                ran.stderr
            );
            assert!(ran.stderr.contains(words), "{args:?}: {}", ran.stderr);
        }
        assert_eq!(std::fs::read_to_string(journal(&sandbox)).unwrap(), text);
    }
    // Its honest twin.
    std::fs::write(journal(&sandbox), whole).unwrap();
    sandbox.tdd(&["show"]).expect(0);
}

#[test]
fn an_editor_that_fails_changes_nothing_and_is_told() {
    let sandbox = halted();
    let mut terminal = reviewed(&sandbox, &[("VISUAL", "false"), ("EDITOR", "true")]);
    asked(&terminal);
    answered(&mut terminal, "e", "`false` ended with exit status: 1; nothing was done");
    terminal.press("q\r");
    assert_eq!(terminal.end().0, 1);
    let mut terminal = full(&sandbox, &[("EDITOR", "no-such-editor-here")]);
    terminal.press("e");
    terminal.wait_for("set VISUAL or EDITOR");
    terminal.press("\r");
    terminal.wait("the review again", vt100::Screen::alternate_screen);
    terminal.press("q");
    assert_eq!(terminal.end().0, 1);
}

/// It draws on the other screen, takes pastes and keys as they are, and goes on for ever.
const FOR_EVER: &str =
    "sh -c 'stty raw -echo; printf \"\\033[?1049h\\033[?2004h\\033[?25lan editor\"; exec sleep 1000' x";

#[test]
fn ac_tdd_9_19_the_terminal_comes_back_from_an_editor_that_never_ends() {
    let sandbox = halted();
    // A Ctrl-C is for the editor, however often it comes. Each clears what the one before it left on the screen,
    // and has a number of its own, so that nothing old is taken for the new.
    let count = sandbox.beside("editors");
    let editor = format!(
        "sh -c 'echo >>{0}; printf \"\\033[2J\\033[Heditor %s\" $(wc -l <{0}); exec sleep 1000' x",
        count.display()
    );
    let mut terminal = full(&sandbox, &[("EDITOR", &editor)]);
    for time in 1..=3 {
        terminal.press("e");
        terminal.wait_for(&format!("editor {time}"));
        terminal.press("\x03");
        terminal.wait_for("Enter goes back to the review");
        terminal.press("\r");
        terminal.wait("the review again", vt100::Screen::alternate_screen);
        terminal.wait_for("q leave");
    }
    terminal.press("q");
    assert_eq!(terminal.end().0, 1);
    // One that is killed leaves the terminal as it had made it.
    let mut terminal = full(&sandbox, &[("EDITOR", FOR_EVER)]);
    terminal.press("e");
    terminal.wait("its screen", |screen| screen.contents().contains("an editor") && screen.bracketed_paste());
    terminal.kill_child();
    terminal.wait_for("Enter goes back to the review");
    assert!(!terminal.is_raw() && !terminal.is_on_the_other_screen());
    terminal.press("q\r");
    assert_eq!(terminal.end().0, 1);
    // Who asks us to end, ends the editor, too.
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129)] {
        let mut terminal = full(&sandbox, &[("EDITOR", FOR_EVER)]);
        terminal.press("e");
        terminal
            .wait("its screen", |screen| screen.contents().contains("an editor") && screen.bracketed_paste());
        terminal.signal(signal);
        assert_eq!(terminal.end().0, code);
    }
    assert!(sandbox.tdd(&["status"]).stdout.contains("halted"), "nothing was done");
}

/// Left for later, with the same choices then.
#[test]
fn a_halt_is_left_and_gone_on_with_later() {
    left_to_the_night!();
    let sandbox = halted();
    let mut terminal = full(&sandbox, &[]);
    terminal.press("q");
    assert_eq!(terminal.end().0, 1);
    assert!(
        sandbox.tdd(&["status", "@"]).expect(0).stdout.contains("cause "),
        "it says what is to be judged"
    );
    mends(&sandbox);
    let mut terminal = full(&sandbox, &[]);
    terminal.press("1");
    let (code, screen) = terminal.end();
    assert_eq!(code, 0, "{screen}");
    sandbox.tdd(&["review"]).expect(2).says(&["has not halted"]);
}

#[test]
fn a_requirement_that_was_deleted_or_edited_meanwhile_is_told() {
    let sandbox = halted();
    let text = sandbox.read("specs/frs/STE-1.md");
    std::fs::remove_file(sandbox.path("specs/frs/STE-1.md")).unwrap();
    let mut terminal = reviewed(&sandbox, &[]);
    asked(&terminal);
    // What the run was begun with is in its journal.
    answered(&mut terminal, "c", "AC-STE-1.1: src.txt says two.");
    let edited = number_of(&terminal, "I have edited");
    answered(&mut terminal, &edited, "STE-1.md");
    assert!(sandbox.tdd(&["status"]).stdout.contains("halted"), "nothing was done");
    terminal.press("q\r");
    assert_eq!(terminal.end().0, 1);
    let forks = sandbox.forks();
    // Edited, it is no more what the run is about: that is said, and nobody is started for the old words.
    sandbox.write("specs/frs/STE-1.md", &text.replace("says two", "says three"));
    let ran = sandbox.tdd(&["resume", "--retry", "--no-review"]).expect(3);
    ran.says(&["specs/frs/STE-1.md", "--edited"]);
    assert_eq!(sandbox.forks(), forks);
}

/// What a person changed is shown and asked about, never overwritten.
#[test]
fn a_tree_that_was_changed_by_hand_is_shown_before_anybody_is_started() {
    left_to_the_night!();
    let sandbox = halted();
    let forks = sandbox.forks();
    sandbox.write("src.txt", "one\nmine\n");
    let mut terminal = full(&sandbox, &[]);
    terminal.press(&number_of(&terminal, "try again"));
    terminal.wait_for("Enter goes back to the review");
    assert!(terminal.shows("src.txt") && terminal.shows("--edited"), "it says which and what then");
    terminal.press("q\r");
    assert_eq!(terminal.end().0, 1);
    assert_eq!(sandbox.read("src.txt"), "one\nmine\n");
    assert_eq!(sandbox.forks(), forks);
    // What goes back keeps it first.
    let undone = sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
    assert!(
        undone.stdout.contains("kept") || undone.stderr.contains("kept"),
        "{}{}",
        undone.stdout,
        undone.stderr
    );
    let labels = sandbox.git(&["for-each-ref", "--format=%(refname)", "refs/tdd"]);
    let holds = |label: &str| sandbox.git(&["show", &format!("{label}:src.txt")]).contains("mine");
    assert!(labels.lines().any(holds), "{labels}");
}

#[test]
fn a_review_whose_terminal_is_lost_ends_and_holds_nobody_up() {
    let sandbox = halted();
    let inner = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    let pair =
        native_pty_system().openpty(PtySize { rows: 30, cols: 80, pixel_width: 0, pixel_height: 0 }).unwrap();
    let mut command = CommandBuilder::new(inner.get_program());
    command.arg("review");
    command.cwd(inner.get_current_dir().unwrap());
    command.env_clear();
    for (name, value) in inner.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        command.env(name, value);
    }
    command.env("TERM", "xterm-256color");
    let child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let (mut seen, mut chunk) = (Vec::new(), [0; 4096]);
    while !String::from_utf8_lossy(&seen).contains("leave") {
        let count = reader.read(&mut chunk).unwrap();
        seen.extend_from_slice(&chunk[..count]);
    }
    drop(reader);
    drop(pair.master);
    let child = std::cell::RefCell::new(child);
    wait_for(|| child.borrow_mut().try_wait().is_ok_and(|ended| ended.is_some()));
    // Nothing was done, and the next review is not held up.
    assert!(sandbox.tdd(&["status"]).stdout.contains("halted"));
    sandbox.tdd(&["review"]).expect(1);
}

/// A person's shell stops the review, has the terminal, and continues it.
#[test]
fn a_review_that_is_suspended_gives_the_terminal_back_and_comes_back_to_it() {
    let sandbox = halted();
    let program = env!("CARGO_BIN_EXE_tdd");
    let script =
        format!("set -m; {program} review; echo stopped=$?; read line; fg >/dev/null; echo ended=$?");
    let mut command = sandbox.command("bash");
    command.args(["-c", &script]).env("TERM", "xterm-256color");
    let mut terminal = Terminal::of_size(&command, 30, 80);
    terminal.wait_for("q leave");
    assert!(terminal.is_on_the_other_screen() && terminal.is_raw());
    terminal.press("\x1a");
    terminal.wait_for("stopped=148");
    assert!(!terminal.is_on_the_other_screen() && !terminal.is_raw(), "the shell has its terminal");
    terminal.press("\r");
    terminal.wait("the review again", vt100::Screen::alternate_screen);
    terminal.wait_for("q leave");
    terminal.press("d");
    terminal.wait_for("+three");
    terminal.press("q");
    let (_, screen) = terminal.end();
    assert!(screen.contains("ended=1"), "{screen}");
}

#[test]
fn a_report_that_can_not_be_written_leaves_no_half_of_one() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    let folder = place.sandbox.beside("closed");
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("report.html");
    std::fs::write(&file, "mine").unwrap();
    // A file in the way of a folder, whoever we are.
    let below = file.join("x.html");
    place
        .tdd(&["report", "--out", below.to_str().unwrap()])
        .expect(2)
        .says(&["can't be written", "--out FILE"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    if !rustix::process::geteuid().is_root() {
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o500)).unwrap();
        place.tdd(&["report", "--out", file.to_str().unwrap()]).expect(2).says(&["can't be written"]);
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o700)).unwrap();
    }
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

/// After a false RED the tree holds none of what was written, and that is what has to be read.
#[test]
fn ac_tdd_9_22_a_review_shows_the_failed_work_that_is_in_the_tree_no_more() {
    if !has_python() {
        return;
    }
    let place = Place::new();
    let passes = std::fs::read_to_string(&place.honest).unwrap().replace("shop.two()", "2");
    let cassette = place.sandbox.beside("passes.yaml");
    std::fs::write(&cassette, passes).unwrap();
    let ran = place.run(cassette.to_str().unwrap(), &[]).expect(1);
    assert!(
        ran.stdout.contains("look at: tests/test_ac_ste_1_1.py:5 (of the failed work)"),
        "{}",
        ran.stdout
    );
    let test = place.sandbox.path("tests/test_ac_ste_1_1.py");
    assert!(!test.exists());
    let mut terminal = full(&place.sandbox, &[("EDITOR", "touch opened")]);
    // The test is what is looked at first.
    terminal.wait_for("--- tests/test_ac_ste_1_1.py (of the failed work; not among your files now)");
    terminal.wait_for("self.assertEqual(2, 2)");
    let number = number_of(&terminal, "bring the failed work back");
    terminal.press("e");
    terminal.wait_for("is of the failed work, and not among your files now");
    assert!(!place.sandbox.path("opened").exists(), "nothing was opened in its place");
    terminal.press("\r");
    terminal.wait("the review again", vt100::Screen::alternate_screen);
    terminal.wait_for("q leave");
    terminal.press(&number);
    terminal.wait_for("really?");
    terminal.press("y");
    terminal.wait("all of it to be back", |screen| {
        !screen.alternate_screen() && screen.contents().matches("Enter goes back").count() == 2
    });
    assert!(test.exists());
    // What a person writes there since is theirs, and is what is shown.
    std::fs::write(&test, "mine = 1\n").unwrap();
    terminal.press("\r");
    terminal.wait("the file as it is", |screen| {
        let now = screen.contents();
        now.contains("mine = 1") && now.contains("--- tests/test_ac_ste_1_1.py\n")
    });
    terminal.press("q");
    assert_eq!(terminal.end().0, 1);
}

/// Ids are those of the project, and files those of the repository.
#[test]
fn a_project_in_a_folder_is_reviewed_by_its_own_files() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let repo = place.sandbox.repo();
    let folder = repo.join("svc");
    std::fs::create_dir(&folder).unwrap();
    for name in ["shop.py", "tests", "tdd.yaml", "specs"] {
        std::fs::rename(repo.join(name), folder.join(name)).unwrap();
    }
    let command = |words: &[&str]| {
        let mut command = place.sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.args(words).current_dir(&folder).env("TERM", "xterm-256color");
        command
    };
    let ran = command(&["STE-1", "--cassette", &place.wrong, "--quiet"]).output().unwrap();
    assert_eq!(ran.status.code(), Some(1), "{}", String::from_utf8_lossy(&ran.stderr));
    let mut review = command(&["review"]);
    review.env("EDITOR", "sh -c 'echo \"$@\" >../opened' x");
    let mut terminal = Terminal::of_size(&review, 30, 80);
    terminal.wait_for("q leave");
    terminal.press("t");
    terminal.wait_for("--- svc/tests/test_ac_ste_1_1.py");
    terminal.wait_for(">   6 ");
    terminal.press("e");
    terminal.wait_for("Enter goes back to the review");
    terminal.press("q\r");
    assert_eq!(terminal.end().0, 1);
    let opened = std::fs::read_to_string(place.sandbox.beside("opened")).unwrap();
    assert!(opened.trim().ends_with("svc/tests/test_ac_ste_1_1.py"), "{opened}");
}
