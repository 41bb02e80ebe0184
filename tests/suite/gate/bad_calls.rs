//! What can't be read is refused, and two calls at once go one after the other.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};
use tdd::world::journal_file::JournalFile;
use tdd::world::lock::WorkTreeLock;
use tdd_core::attempt::{Attempt, AttemptKind, CheckpointId};
use tdd_core::event::Event;
use tdd_core::policy::Policy;
use tdd_core::ports::Journal as _;
use tdd_core::role::Key;

use super::{call, edits, hook, hook_with, journal, project, stops};

#[test]
fn ac_tdd_10_10_whatever_cannot_be_read_is_refused() {
    left_to_the_night!();
    let sandbox = project();
    let whole = call("PreToolUse", "Read", json!({ "file_path": "shop.py" }));
    hook_with(&sandbox, &["claude"], whole.to_string().as_bytes()).expect(0);
    let with = |key: &str, value: Value| {
        let mut other = whole.clone();
        other[key] = value;
        other.to_string().into_bytes()
    };
    let without = |key: &str| {
        let mut other = whole.clone();
        other.as_object_mut().unwrap().remove(key);
        other.to_string().into_bytes()
    };
    let huge = format!("{{\"session_id\":\"s-1\",\"x\":\"{}\"}}", "x".repeat(50 << 20)).into_bytes();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)).into_bytes();
    let cut = whole.to_string().into_bytes()[..60].to_vec();
    for (name, bytes, want) in [
        ("nothing", Vec::new(), "can't be read"),
        ("truncated", cut, "can't be read"),
        ("50 MB", huge, "MiB"),
        ("deep", deep, "can't be read"),
        ("no JSON", b"\xff\xfe\0".to_vec(), "can't be read"),
        ("an array", b"[]".to_vec(), "hook_event_name"),
        ("no session", without("session_id"), "session_id"),
        ("a session that is no name", with("session_id", "../..".into()), "session_id"),
        ("no tool", without("tool_name"), "tool_name"),
        ("an unknown tool", with("tool_name", "Teleport".into()), "no tool of claude is known as `Teleport`"),
        ("an unknown event", with("hook_event_name", "PreTeleport".into()), "no event of claude"),
        ("an edit of nothing", with("tool_name", "NotebookEdit".into()), "names no file"),
    ] {
        let ran = hook_with(&sandbox, &["claude"], &bytes).expect(2);
        assert!(
            ran.stderr.contains(want) && ran.stderr.starts_with("tdd: refused"),
            "{name}: {}",
            ran.stderr
        );
        assert!(ran.stderr.len() < 1000, "{name}");
    }
    hook_with(&sandbox, &["teleporter"], whole.to_string().as_bytes())
        .expect(2)
        .says(&["no agent is called"]);
    hook_with(&sandbox, &[], b"{}").expect(2);
}

#[test]
fn ac_tdd_10_10_where_nobody_listens_the_call_is_refused() {
    let sandbox = project();
    let started = call("SessionStart", "", json!({})).to_string();
    let mut child = sandbox
        .command("sh")
        .args(["-c", "exec \"$0\" gate hook claude >/dev/full", env!("CARGO_BIN_EXE_tdd")])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(started.as_bytes()).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
}

#[test]
fn ac_tdd_10_11_every_spelling_of_a_name_is_judged() {
    let sandbox = project();
    std::os::unix::fs::symlink("shop.py", sandbox.path("alias.py")).unwrap();
    std::os::unix::fs::symlink(sandbox.repo(), sandbox.beside("other")).unwrap();
    std::os::unix::fs::symlink("loop", sandbox.path("loop")).unwrap();
    sandbox.commit();
    let other = sandbox.beside("other/shop.py").to_str().unwrap().to_owned();
    for file in ["shop.py", "./tests/../shop.py", "alias.py", &other, "notes/../shop.py"] {
        let ran = hook(&sandbox, "PreToolUse", "Edit", json!({ "file_path": file })).expect(2);
        assert!(ran.stderr.contains("shop.py refused: no red test"), "{file}: {}", ran.stderr);
    }
    hook(&sandbox, "PreToolUse", "Edit", json!({ "file_path": "loop" })).expect(2).says(&["circle"]);
    for file in ["tdd.yaml", ".git/hooks/pre-commit", ".claude/settings.json", ".tdd/sessions/s-1/state.json"]
    {
        hook(&sandbox, "PreToolUse", "Edit", json!({ "file_path": file })).expect(2).says(&["only a person"]);
    }
    let outside = sandbox.beside("scratch.py").to_str().unwrap().to_owned();
    hook(&sandbox, "PreToolUse", "Write", json!({ "file_path": outside })).expect(0);
}

#[test]
fn two_hooks_at_once_go_one_after_the_other() {
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    std::thread::scope(|scope| {
        for number in 0..6 {
            let sandbox = &sandbox;
            scope.spawn(move || edits(sandbox, &format!("notes/{number}.md"), "x").expect(0));
        }
    });
    let events = journal(&sandbox);
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..events.len() as u64).collect::<Vec<_>>());
    let edited = events.iter().filter(|event| event["type"] == "edit").count();
    assert_eq!(edited, 6, "each once");
    // The whole journal tells the same as what was kept of it.
    let kept = sandbox.tdd(&["gate", "status", "--json"]).expect(0).stdout;
    std::fs::remove_file(sandbox.path(".tdd/sessions/s-1/state.json")).unwrap();
    assert_eq!(sandbox.tdd(&["gate", "status", "--json"]).expect(0).stdout, kept);
}

#[test]
fn a_journal_that_is_not_as_it_was_written_refuses_everything() {
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    edits(&sandbox, "notes/a.md", "x").expect(0);
    let at = sandbox.path(".tdd/sessions/s-1/events.jsonl");
    let written = std::fs::read_to_string(&at).unwrap();
    for (name, text) in [
        ("changed", written.replace("notes/a.md", "notes/b.md")),
        ("newer", written.replacen("{\"v\":1,", "{\"v\":2,", 1)),
        ("a line is gone", written.split_once('\n').unwrap().1.to_owned()),
    ] {
        std::fs::write(&at, text).unwrap();
        // What is kept beside it fits its last line still; the end of a turn reads all of it.
        let ran = stops(&sandbox).expect(2);
        assert!(ran.stderr.contains("refused"), "{name}: {}", ran.stderr);
    }
    // A state that somebody else has written is not believed.
    std::fs::write(&at, &written).unwrap();
    let kept = sandbox.path(".tdd/sessions/s-1/state.json");
    let state = std::fs::read_to_string(&kept).unwrap();
    std::fs::write(&kept, state.replace("\"switch\":\"on\"", "\"switch\":\"off\"")).unwrap();
    edits(&sandbox, "shop.py", "").expect(2).says(&["no red test"]);
}

#[test]
fn ac_tdd_10_12_while_a_run_holds_the_tree_its_policy_answers() {
    let sandbox = project();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let before = journal(&sandbox);
    let run = "20260101T000000Z-X-0000";
    let mut file = JournalFile::create(&sandbox.path(&format!(".tdd/runs/{run}"))).unwrap();
    let policy = Policy::new(&["**/tests/**"], &[], "specs").unwrap();
    let attempt = Attempt {
        key: Key::TestWriter,
        number: 1,
        kind: AttemptKind::First,
        before: CheckpointId("0".into()),
        prompt: vec![],
    };
    let events = [
        Event::PolicySettled { policy: Box::new(policy.effective().clone()) },
        Event::AttemptStarted { attempt: attempt.into() },
    ];
    file.append(1, &events).unwrap();
    let lock = WorkTreeLock::acquire(&sandbox.repo()).unwrap();
    lock.work_on(run);
    let asks = |path: &str| hook(&sandbox, "PreToolUse", "Edit", json!({ "file_path": path }));
    asks("tests/test_total.py").expect(0);
    asks("shop.py").expect(2).says(&["a run of tdd is at work"]);
    sandbox.tdd(&["gate", "test"]).expect(2).says(&["a run of tdd is at work"]);
    assert_eq!(journal(&sandbox), before, "nothing is noted");
    drop(lock);
    asks("shop.py").expect(2).says(&["no red test"]);
}

#[test]
fn a_runner_that_hangs_is_red_and_never_green() {
    left_to_the_night!();
    if !super::has_pytest() {
        return;
    }
    let sandbox = project();
    sandbox.write("tdd.yaml", "test: python3 -m pytest -q\ndeadline: 3s\n");
    sandbox.write(
        "tests/test_hangs.py",
        "import time\n\n\ndef test_hangs():\n    time.sleep(600)\n    assert time\n",
    );
    sandbox.commit();
    hook(&sandbox, "SessionStart", "", json!({})).expect(0);
    let id = "tests/test_hangs.py::test_hangs";
    sandbox
        .tdd(&["gate", "test", id])
        .expect(0)
        .says_on_stdout(&["red tests/test_hangs.py::test_hangs (timeout)"]);
    sandbox
        .tdd(&["gate", "claim", id, "shop.py"])
        .expect(2)
        .says(&["is red, but not for a reason", "out of time"]);
    let event = journal(&sandbox).into_iter().rfind(|event| event["type"] == "test_run").unwrap();
    assert_eq!((event["status"].as_str(), event["kind"].as_str()), (Some("fail"), Some("timeout")));
}
