//! What is printed into a file of the project is all there.

use std::fs::File;
use std::process::Stdio;

use super::stops::{HONEST_AGENT, HONEST_CHECK, project};

#[test]
fn ac_tdd_9_61_what_is_printed_into_the_project_is_all_there_and_nobodys_work() {
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let tdd = |args: &[&str], out: &str, err: &str| {
        let file = |name: &str| Stdio::from(File::create(sandbox.path(name)).unwrap());
        let mut tdd = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        let done = tdd.args(args).stdout(file(out)).stderr(file(err)).status().unwrap();
        assert!(done.success(), "{args:?}: {}", sandbox.read(err));
    };
    tdd(&["STE-1", "--json"], "run.jsonl", "said.txt");
    let lines = sandbox.read("run.jsonl");
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!((&last["type"], &last["exit"]), (&"summary".into(), &0.into()));
    assert!(lines.lines().count() > 10 && lines.contains("\"checkpoint_zero\""), "{lines}");
    assert_eq!(last["set_aside"], serde_json::json!([]), "{last}");
    assert!(!last["changed"].to_string().contains("run.jsonl"), "{last}");
    // Another process, which prints elsewhere, takes it for no edit.
    tdd(&["undo"], "undo.txt", "undo.err");
    assert_eq!(sandbox.read("run.jsonl"), lines);
    assert!(!sandbox.read("undo.txt").contains("run.jsonl"), "{}", sandbox.read("undo.txt"));
}

/// The twin: a file of the same name that somebody else writes is theirs as ever.
#[test]
fn ac_tdd_9_61_a_file_that_is_not_printed_into_is_as_any_other() {
    let sandbox = project(&format!("echo x > ../repo/run.jsonl\n{HONEST_AGENT}"), HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(0).says(&["run.jsonl: no block names it, so it may be somebody else's"]);
}
