//! Runs that go on without the shell that began them: `--detach`, `tdd wait`, and one object at the end.

use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;

use rustix::process::{Pid, Signal, getsid, kill_process};

use super::sandbox::{Ran, Sandbox, wait_for};
use super::stops::{HONEST_AGENT, HONEST_CHECK, beside, project};

/// The test-writer waits until somebody writes into `go`.
const WAITS: &str = "if test $role = test-writer; then read word <../go; fi\n";

fn waiting(then: &str) -> Sandbox {
    let sandbox = project(&format!("{WAITS}{then}"), HONEST_CHECK, "");
    let made = sandbox.command("mkfifo").arg(beside(&sandbox, "go")).status().unwrap();
    assert!(made.success());
    sandbox
}

/// Starts a run, and gives its id and its process.
#[track_caller]
fn detach(sandbox: &Sandbox, args: &[&str]) -> (String, Pid) {
    let ran = sandbox.tdd(&[args, &["--detach", "--json"]].concat()).expect(0);
    let line: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(line["type"], "detached");
    let run = line["run"].as_str().unwrap().to_owned();
    assert!(sandbox.path(".tdd/runs").join(&run).is_dir(), "{run}");
    (run, Pid::from_raw(i32::try_from(line["pid"].as_i64().unwrap()).unwrap()).unwrap())
}

fn let_it_go(sandbox: &Sandbox) {
    // Opening waits for the reader.
    let mut pipe = File::options().write(true).open(beside(sandbox, "go")).unwrap();
    pipe.write_all(b"go\n").unwrap();
}

#[test]
fn ac_tdd_6_12_a_detached_run_goes_on_alone_and_is_waited_for() {
    let sandbox = waiting(HONEST_AGENT);
    let (run, pid) = detach(&sandbox, &["STE-1"]);
    assert_eq!(getsid(Some(pid)).unwrap(), pid, "it has a session of its own");
    sandbox.tdd(&["status"]).expect(0).says_on_stdout(&["at work, process"]);
    sandbox.tdd(&["STE-1", "--detach"]).expect(2).says(&["another tdd"]);

    let still = sandbox.tdd(&["wait", "--timeout", "0s"]).expect(75);
    assert!(
        run.ends_with(still.stdout.split(' ').next().unwrap())
            && still.stdout.contains("wait again: tdd wait"),
        "{}",
        still.stdout
    );
    let still = sandbox.tdd(&["wait", "STE-1", "--timeout", "1ms", "--json"]).expect(75);
    assert!(still.stdout.contains("\"type\":\"at_work\""), "{}", still.stdout);

    let_it_go(&sandbox);
    sandbox.tdd(&["wait", &run]).expect(0).says_on_stdout(&["AC-STE-1.1"]);
    let told: serde_json::Value =
        serde_json::from_str(&sandbox.tdd(&["wait", "--json"]).expect(0).stdout).unwrap();
    assert_eq!(told["type"], "summary");
    let said = sandbox.run_dir().join("said.txt");
    assert_eq!(said.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(said).unwrap().contains("RED"));
}

#[test]
fn a_halt_and_a_refusal_of_a_detached_run_are_told_with_their_exit_codes() {
    left_to_the_night!();
    let sandbox = project("block ''\n", HONEST_CHECK, "");
    let ran = sandbox.tdd(&["STE-7", "--detach"]).expect(2).says(&["STE-7", "specs/frs"]);
    assert_eq!(ran.stdout, "");
    sandbox.tdd(&["wait"]).expect(2).says(&["no runs yet"]);
    let (run, _) = detach(&sandbox, &["STE-1"]);
    let halted = sandbox.tdd(&["wait", &run]).expect(1);
    assert!(halted.stdout.contains("tdd resume") || halted.stdout.contains("next"), "{}", halted.stdout);
    // What goes on with it can be detached as well.
    let (again, _) = detach(&sandbox, &["resume", "--retry"]);
    assert_eq!(again, run);
    sandbox.tdd(&["wait"]).expect(1);
    let bad = sandbox.tdd(&["wait", "--timeout", "soon"]).expect(2);
    assert!(bad.stderr.contains("`soon` is no duration"), "{}", bad.stderr);
}

#[test]
fn a_detached_run_that_is_killed_is_told_as_cut_off() {
    let sandbox = waiting(HONEST_AGENT);
    let (run, pid) = detach(&sandbox, &["STE-1"]);
    let said = sandbox.run_dir().join("said.txt");
    wait_for(|| std::fs::read_to_string(&said).unwrap().contains("test-writer"));
    kill_process(pid, Signal::KILL).unwrap();
    let ran = sandbox.tdd(&["wait", &run]).expect(3);
    assert!(ran.stderr.contains("was cut off") && ran.stderr.contains("go on: tdd resume"), "{}", ran.stderr);
    assert!(ran.stderr.contains("what it said last"), "{}", ran.stderr);
    let json = sandbox.tdd(&["wait", "--json"]).expect(3);
    assert!(json.stdout.contains("\"type\":\"cut_off\""), "{}", json.stdout);
    // Whoever looks at what was left of it ends its agent.
    sandbox.tdd(&["doctor", "--reap"]);
}

#[test]
fn ac_tdd_6_13_the_last_object_alone_is_printed_where_that_is_asked_for() {
    left_to_the_night!();
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let ran = sandbox.tdd(&["STE-1", "--json=summary"]).expect(0);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let [line] = lines[..] else { panic!("{}", ran.stdout) };
    let told: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(told["type"], "summary");
    let bad: Ran = sandbox.tdd(&["STE-1", "--json=all"]).expect(2);
    assert!(bad.stderr.contains("events, summary"), "{}", bad.stderr);
}

#[test]
fn what_needs_this_terminal_is_not_detached() {
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    for flag in ["--interactive", "--dry-run"] {
        let ran = sandbox.tdd(&["STE-1", "--detach", flag]).expect(2);
        assert!(ran.stderr.contains("cannot be used with"), "{}", ran.stderr);
    }
}
