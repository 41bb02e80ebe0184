//! Which run is meant where none is named: the one whose work lies in the tree.

use super::sandbox::Sandbox;
use super::stops::{HONEST_AGENT, HONEST_CHECK, beside, project};
use super::undo::{refs, run_id};
use tdd_core::run_name;

/// A project whose implementer fails while `bad` lies beside it, and whose tests do while `red` does.
fn toggled(more: &[(&str, &str)]) -> Sandbox {
    let two = "grep -q AC-TWO $2 && { test -e ../still && block '' || { echo two >other.txt; block other.txt; }; exit; }";
    let work = "test -e ../bad && echo three >>src.txt || echo two >>src.txt";
    let agent = HONEST_AGENT.replace("echo two >>src.txt", &format!("{two}; {work}"));
    let check = format!("test ! -e ../red || exit 1\n{HONEST_CHECK}");
    let sandbox = project(&agent, &check, "budgets: { semantic: 1 }\n");
    for (path, text) in more {
        sandbox.write(path, text);
    }
    sandbox.commit();
    sandbox
}

fn put(sandbox: &Sandbox, name: &str) {
    std::fs::write(beside(sandbox, name), "").unwrap();
}

fn take_away(sandbox: &Sandbox, name: &str) {
    std::fs::remove_file(beside(sandbox, name)).unwrap();
}

fn short(sandbox: &Sandbox) -> String {
    run_name::short(&run_id(sandbox)).to_owned()
}

#[test]
fn ac_tdd_9_73_a_run_that_was_refused_is_meant_by_no_command_where_anothers_work_lies_in_the_tree() {
    let sandbox = toggled(&[]);
    put(&sandbox, "bad");
    sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(1);
    let worked = short(&sandbox);
    put(&sandbox, "red");
    sandbox.tdd(&["STE-1", "--new", "--sandbox", "audit"]).expect(2);
    let refused = short(&sandbox);
    assert_ne!(worked, refused);
    take_away(&sandbox, "bad");
    take_away(&sandbox, "red");
    sandbox.tdd(&["resume", "--retry"]).expect(0);
    for words in [["show"], ["diff"], ["matrix"]] {
        sandbox.tdd(&words).expect(0);
    }
    sandbox.tdd(&["show"]).expect(0).says_on_stdout(&[&format!("tdd undo {worked}")]);
    // Nothing came of the other, so nothing is to be taken back, whatever lies there now.
    for _ in 0..2 {
        let ran = sandbox.tdd(&["undo", &refused]).expect(0);
        ran.says_on_stdout(&["nothing to undo", "refused before any work was done"]);
        let status = sandbox.tdd(&["status", &refused]).expect(0).stdout;
        assert!(status.contains("state        refused before any work was done"), "{status}");
    }
    assert!(sandbox.read("src.txt").ends_with("two\n"));
    let ran = sandbox.tdd(&["undo"]).expect(0).says_on_stdout(&[&worked]);
    assert_eq!(sandbox.read("src.txt"), "one\n", "{}", ran.stdout);
    // Said again it is the same undo.
    sandbox.tdd(&["undo"]).expect(0).says_on_stdout(&["nothing to undo", &worked]);
}

/// Two runs that worked: the newest is meant, once it is undone the one below is looked at, and taken back when named.
#[test]
fn ac_tdd_9_74_an_undo_that_is_said_again_takes_no_other_runs_work() {
    let two = "# Two\n\n## Acceptance Criteria\n\n- AC-TWO-1.1: It is said.\n  verify: manual\n";
    let sandbox = toggled(&[("specs/frs/TWO-1.md", two)]);
    sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(0);
    let first = short(&sandbox);
    sandbox.tdd(&["TWO-1", "--sandbox", "audit"]);
    let second = short(&sandbox);
    sandbox.tdd(&["undo"]).expect(0).says_on_stdout(&[&second]);
    let one_and_two = "one\ntwo\n";
    assert_eq!(sandbox.read("src.txt"), one_and_two);
    let again = sandbox.tdd(&["undo"]).expect(0);
    let again = again.says_on_stdout(&["nothing to undo", &second, &format!("tdd undo {first}")]);
    assert_eq!(sandbox.read("src.txt"), one_and_two, "{}", again.stdout);
    sandbox.tdd(&["show"]).expect(0).says_on_stdout(&[&format!("tdd undo {first}")]);
    sandbox.tdd(&["undo", &first]).expect(0);
    assert_eq!(sandbox.read("src.txt"), "one\n");
}

/// An older run that was gone on with is later work, which no advice would take back.
#[test]
fn ac_tdd_9_75_no_advice_takes_part_of_what_an_older_run_did_since() {
    let two = "# Two\n\n## Acceptance Criteria\n\n- AC-TWO-1.1: It is said.\n  verify: manual\n";
    let sandbox = toggled(&[("specs/frs/TWO-1.md", two)]);
    put(&sandbox, "bad");
    sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(1);
    let older = short(&sandbox);
    take_away(&sandbox, "bad");
    put(&sandbox, "still");
    sandbox.tdd(&["TWO-1", "--sandbox", "audit", "--allow-red-baseline", "--allow-red-gate"]);
    let newer = short(&sandbox);
    sandbox.tdd(&["resume", &older, "--retry"]).expect(0);
    let ran = sandbox.tdd(&["undo", &newer]).expect(2);
    let ran = ran.says(&[&format!("take that back first: tdd undo {older}")]);
    assert!(!ran.stderr.contains("--discard-changes"), "{}", ran.stderr);
}

#[test]
fn ac_tdd_9_76_checkpoints_that_are_gone_are_not_offered() {
    let sandbox = toggled(&[]);
    sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(0);
    sandbox.tdd(&["undo", "--to", "nope"]).expect(2).says(&["it has these", "good-"]);
    for name in refs(&sandbox).lines().filter(|name| name.contains("/good-")) {
        sandbox.git(&["update-ref", "-d", name.split_whitespace().last().unwrap()]);
    }
    let ran = sandbox.tdd(&["undo", "--to", "nope"]).expect(2).says(&["it has these", "after-"]);
    assert!(!ran.stderr.contains("good-"), "{}", ran.stderr);
    for name in refs(&sandbox).lines() {
        sandbox.git(&["update-ref", "-d", name.split_whitespace().last().unwrap()]);
    }
    let ran =
        sandbox.tdd(&["undo", "--to", "nope"]).expect(2).says(&["its checkpoints are gone", "tdd clean "]);
    assert!(!ran.stderr.contains("it has these"), "{}", ran.stderr);
}

/// What can't be judged by itself is no reason to mend it.
#[test]
fn ac_tdd_9_77_edits_that_no_report_tells_of_lead_to_another_attempt() {
    let sandbox = toggled(&[]);
    put(&sandbox, "bad");
    sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(1);
    take_away(&sandbox, "bad");
    sandbox.write("notes.txt", "mine\n");
    let ran = sandbox.tdd(&["resume", "--edited"]).expect(1).says(&[
        "stays halted",
        " --retry",
        " --accept AC-STE-1.1",
    ]);
    assert!(!ran.stderr.contains("--quiet") && !ran.stderr.contains("mend them"), "{}", ran.stderr);
    let back = ran.stderr.lines().find_map(|line| line.split_once(": tdd undo ")).unwrap().1;
    let words: Vec<&str> = back.split(" (").next().unwrap().split_whitespace().collect();
    sandbox.tdd(&[&["undo"], &words[..]].concat()).expect(0);
    sandbox.tdd(&["resume", "--retry"]).expect(0);
}
