//! `tdd clean` of sessions, and what has to stay.

use serde_json::{Value, json};

use super::ways_around::StandIn;
use super::{ID, RIGHT, SHOP, WRONG, claims, edits, hook, project, red};
use crate::sandbox::{Ran, Sandbox, has_pytest, has_python, path_with};

fn refs(sandbox: &Sandbox) -> String {
    sandbox.git(&["for-each-ref", "--format=%(refname)", "refs/tdd/"])
}

/// As if the agent's program had ended.
fn agent_ends(sandbox: &Sandbox) {
    std::fs::write(sandbox.path(".tdd/sessions/s-1/caller"), "1 1 of another boot").unwrap();
}

fn begins(sandbox: &Sandbox) {
    hook(sandbox, "SessionStart", "", json!({})).expect(0);
}

#[test]
fn ac_tdd_10_20_old_sessions_go_like_runs_and_one_at_work_never() {
    left_to_the_night!();
    let sandbox = project();
    for number in 1..=7 {
        sandbox.tdd(&["gate", "on", "--session", &format!("old-{number}")]).expect(0);
        std::fs::remove_file(sandbox.path(&format!(".tdd/sessions/old-{number}/opener"))).unwrap();
    }
    begins(&sandbox);
    let folders = || std::fs::read_dir(sandbox.path(".tdd/sessions")).unwrap().flatten().count() - 1;
    assert_eq!(folders(), 8);
    sandbox.tdd(&["status"]).expect(0).says_on_stdout(&["session s-1  its agent", "and 3 older sessions"]);
    sandbox.tdd(&["clean", "--dry-run"]).expect(0).says_on_stdout(&[
        "would be removed: session old-1",
        "old-3",
        "3 sessions would be removed",
        "5 sessions kept",
    ]);
    assert_eq!(folders(), 8);
    sandbox.tdd(&["clean"]).expect(0).says_on_stdout(&["3 sessions removed"]);
    assert_eq!(folders(), 5);
    assert!(!refs(&sandbox).contains("old-3/") && refs(&sandbox).contains("old-4/"), "{}", refs(&sandbox));
    // Not even by its name, and not by all.
    sandbox.tdd(&["clean", "s-1"]).expect(1).says(&["left alone: s-1: its agent or its terminal is there"]);
    let lines = sandbox.tdd(&["clean", "--all", "--json"]).expect(0).stdout;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["type"], &lines[0]["session"]), (&json!("removed"), &json!("old-7")));
    assert_eq!((&lines[4]["sessions"], &lines[4]["kept_sessions"]), (&json!(4), &json!(1)));
    sandbox.tdd(&["gate", "status"]).expect(0).says_on_stdout(&["session s-1"]);
    agent_ends(&sandbox);
    sandbox.tdd(&["clean", "--all"]).expect(0).says_on_stdout(&["removed: session s-1"]);
    assert_eq!(refs(&sandbox), "");
    sandbox.tdd(&["gate", "status"]).expect(2).says(&["no session is under the gate"]);
    // Whoever goes on begins anew, and is held.
    edits(&sandbox, "shop.py", RIGHT).expect(2).says(&["no red test"]);
}

#[test]
fn ac_tdd_10_20_what_a_session_alone_holds_stays_until_somebody_says_otherwise() {
    left_to_the_night!();
    let sandbox = project();
    begins(&sandbox);
    sandbox.write("shop.py", WRONG);
    hook(&sandbox, "PostToolUse", "Bash", json!({ "command": "x" })).expect(2).says(&["taken back"]);
    agent_ends(&sandbox);
    let told = sandbox.tdd(&["clean", "--all"]).expect(0);
    let told = told.says(&["left alone: s-1: nothing else holds 1 version", "git show refs/tdd/s-1/taken-"]);
    assert!(told.stdout.contains("nothing removed"), "{}", told.stdout);
    // It looks like that and is not: the same lies in the work tree, or in a commit.
    sandbox.write("shop.py", WRONG);
    sandbox
        .tdd(&["clean", "--all", "--dry-run"])
        .expect(0)
        .says_on_stdout(&["would be removed: session s-1"]);
    sandbox.commit();
    sandbox.write("shop.py", SHOP);
    sandbox.commit();
    sandbox
        .tdd(&["clean", "--all", "--dry-run"])
        .expect(0)
        .says_on_stdout(&["would be removed: session s-1"]);
    sandbox.git(&["reset", "--hard", "HEAD~2"]);
    sandbox.git(&["reflog", "expire", "--expire=now", "--all"]);
    sandbox.tdd(&["clean", "s-1"]).expect(1).says(&["nothing else holds"]);
    sandbox.tdd(&["clean", "s-1", "--discard-commits"]).expect(0).says_on_stdout(&["1 session removed"]);
    assert_eq!(refs(&sandbox), "");
}

#[test]
fn ac_tdd_10_20_a_session_that_was_cut_off_goes_only_by_its_name() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = project();
    begins(&sandbox);
    red(&sandbox, ID);
    claims(&sandbox, ID, "shop.py");
    edits(&sandbox, "shop.py", RIGHT).expect(0);
    agent_ends(&sandbox);
    sandbox.tdd(&["clean", "--all"]).expect(0).says_on_stdout(&["nothing removed; 1 session kept"]);
    let words = "ended before the edits for 1 test were judged";
    sandbox.tdd(&["status"]).expect(0).says_on_stdout(&[words]);
    let told = sandbox.tdd(&["doctor"]).stdout;
    assert!(told.contains(words) && told.contains("tdd gate flush --session s-1"), "{told}");
    sandbox.tdd(&["gate", "flush", "--session", "s-1"]).expect(0);
    sandbox
        .tdd(&["clean", "--all", "--dry-run"])
        .expect(0)
        .says_on_stdout(&["would be removed: session s-1"]);
    sandbox.tdd(&["clean", "s-1"]).expect(0);
    assert_eq!(sandbox.read("shop.py"), RIGHT);
}

#[test]
fn ac_tdd_10_20_a_model_cannot_clean_its_gate_away() {
    let sandbox = project();
    let mut agent = StandIn::start(&sandbox);
    agent.begins(&sandbox);
    let told = agent.runs("tdd clean --all --discard-commits; tdd clean s-1 --discard-commits");
    assert!(told.contains("left alone: s-1") && sandbox.path(".tdd/sessions/s-1").is_dir(), "{told}");
    // A link in a session's place leads to nothing of ours.
    std::fs::create_dir(sandbox.beside("mine")).unwrap();
    std::os::unix::fs::symlink(sandbox.beside("mine"), sandbox.path(".tdd/sessions/s-2")).unwrap();
    std::fs::write(sandbox.beside("mine/events.jsonl"), "").unwrap();
    sandbox.tdd(&["clean", "--all"]).expect(0);
    sandbox.tdd(&["clean", "s-2"]).expect(2);
    assert!(sandbox.beside("mine/events.jsonl").exists());
}

/// Notes for each deletion of refs whether the session could be begun in that moment.
const WATCHER: &str = r#"#!/bin/sh
case "$*" in *update-ref*) python3 - <<'END'
import fcntl
try:
    fcntl.flock(open("SESSION/lock"), fcntl.LOCK_EX | fcntl.LOCK_NB)
    said = "free"
except BlockingIOError:
    said = "held"
except FileNotFoundError:
    said = "gone"
open("NOTES", "a").write(said + "\n")
END
esac
PATH=${PATH#*:} exec git "$@"
"#;

#[test]
fn ac_tdd_10_20_nobody_begins_a_session_whose_refs_are_being_removed() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = project();
    let (shims, notes) = (sandbox.beside("shims"), sandbox.beside("notes"));
    let session = sandbox.path(".tdd/sessions/s-1");
    let watcher = WATCHER.replace("SESSION", session.to_str().unwrap());
    std::fs::create_dir(&shims).unwrap();
    std::fs::write(shims.join("git"), watcher.replace("NOTES", notes.to_str().unwrap())).unwrap();
    crate::sandbox::make_executable(&shims.join("git"));
    let clean = || {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        Ran::of(&command.args(["clean", "--all"]).env("PATH", path_with(&shims)).output().unwrap())
    };
    begins(&sandbox);
    agent_ends(&sandbox);
    clean().expect(0).says_on_stdout(&["removed: session s-1"]);
    // Of one whose folder somebody has removed by hand there are refs alone.
    begins(&sandbox);
    std::fs::remove_dir_all(sandbox.path(".tdd/sessions/s-1")).unwrap();
    assert!(refs(&sandbox).contains("s-1/"));
    clean().expect(0).says_on_stdout(&["removed: session s-1"]);
    assert_eq!(refs(&sandbox), "");
    let notes = std::fs::read_to_string(notes).unwrap();
    assert!(notes.lines().count() >= 2 && notes.lines().all(|said| said == "held"), "{notes}");
    assert!(!sandbox.path(".tdd/sessions/s-1").exists());
    begins(&sandbox);
    assert!(refs(&sandbox).contains("s-1/"), "one of that name is whole");
}
