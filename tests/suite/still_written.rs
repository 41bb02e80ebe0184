//! A program of a person's that writes into the work tree all the time, as a server at work does: a log, a database.
//! It is no part of a run, at both levels, and nobody is blamed for it.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::isolation::has_bwrap;
use super::sandbox::{Ran, Sandbox};
use super::stops::{self, HONEST_AGENT, HONEST_CHECK, project};

/// What goes on all the time, each 5 ms, while something is done.
fn during<T>(tick: impl Fn() + Sync, action: impl FnOnce() -> T) -> T {
    /// Also where the action panics.
    struct Ends<'b>(&'b AtomicBool);
    impl Drop for Ends<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _ends = Ends(&is_over);
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                tick();
                std::thread::park_timeout(Duration::from_millis(5));
            }
        });
        action()
    })
}

fn append(sandbox: &Sandbox, path: &str) {
    let file = std::fs::OpenOptions::new().append(true).create(true).open(sandbox.path(path));
    file.unwrap().write_all(b"a line\n").unwrap();
}

fn run(sandbox: &Sandbox, level: &str) -> Ran {
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    Ran::of(&command.args(["STE-1", "--sandbox", level]).output().unwrap())
}

#[test]
fn ac_tdd_9_90_what_a_persons_program_writes_all_the_time_is_no_part_of_a_run() {
    left_to_the_night!();
    for level in ["audit", "enforce"] {
        for tracked in [false, true] {
            if level == "enforce" && !has_bwrap() {
                continue;
            }
            let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
            if tracked {
                append(&sandbox, "dev.log");
                sandbox.commit();
            }
            let what = format!("{level}, tracked: {tracked}");
            during(
                || append(&sandbox, "dev.log"),
                || {
                    let ran = run(&sandbox, level).expect(0);
                    assert_eq!(sandbox.forks(), 3, "{what}: {}", ran.stderr);
                    assert!(!ran.stderr.contains("put back:"), "{what}: {}", ran.stderr);
                    assert!(ran.stderr.contains("somebody else's program"), "{what}: {}", ran.stderr);
                    assert!(ran.stdout.contains("changed: 2 files"), "{what}: {}", ran.stdout);
                    let before = sandbox.read("dev.log");
                    sandbox.tdd(&["undo"]).expect(0);
                    assert!(sandbox.read("dev.log").starts_with(&before), "{what}: no line is lost");
                },
            );
            assert_eq!(sandbox.read("src.txt"), "one\n");
        }
    }
}

/// The twins: what a role writes where nobody else does, and code of a person's that a role writes on, too.
#[test]
fn a_role_s_own_log_and_a_person_s_code_are_work_as_ever() {
    left_to_the_night!();
    let names = |agent: String, file: &str| {
        agent.replace("block tests/ac_ste_1_1.sh;;", &format!("block tests/ac_ste_1_1.sh,{file};;"))
    };
    let agent = HONEST_AGENT.replace("mkdir -p tests;", "mkdir -p tests; echo mine >>dev.log;");
    let agent = names(agent, "dev.log");
    let sandbox = project(&agent, HONEST_CHECK, "budgets: { semantic: 1 }\n");
    run(&sandbox, "audit").expect(1).says(&["this role may not change: dev.log"]);

    let agent = HONEST_AGENT.replace("mkdir -p tests;", "mkdir -p tests; echo '# more' >>code.py;");
    let agent = names(agent, "code.py");
    let sandbox = project(&agent, HONEST_CHECK, "budgets: { semantic: 1 }\n");
    during(|| append(&sandbox, "code.py"), || run(&sandbox, "audit"))
        .expect(1)
        .says(&["this role may not change: code.py"]);
}

/// What a failed attempt left goes; what the program wrote meanwhile does not.
#[test]
fn ac_tdd_9_93_a_failed_attempt_takes_nothing_of_such_a_file_with_it() {
    // Nothing is left of the budget, so that all goes back to the last good work.
    let agent = HONEST_AGENT.replace("echo two >>src.txt", "echo bad >>src.txt");
    // Each run elsewhere waits until the program has written once more: on a busy machine that may take longer.
    let waits = "case $PWD in */repo) ;; *) log=../dev.log; n=$(cat $log); while test \"$(cat $log)\" = \"$n\"; do :; \
                 done;; esac";
    let sandbox = project(&agent, "", "budgets: { semantic: 1 }\n");
    let waits = waits.replace("../dev.log", &sandbox.path("dev.log").to_string_lossy());
    std::fs::write(sandbox.beside("check.sh"), format!("{waits}\n{HONEST_CHECK}")).unwrap();
    append(&sandbox, "dev.log");
    sandbox.commit();
    let lines = AtomicUsize::new(1);
    let tick = || {
        append(&sandbox, "dev.log");
        lines.fetch_add(1, Ordering::Relaxed);
    };
    let ran = during(tick, || run(&sandbox, "audit")).expect(1);
    assert_eq!(sandbox.read("src.txt"), "one\n", "{}", ran.stderr);
    assert_eq!(sandbox.read("dev.log").lines().count(), lines.load(Ordering::Relaxed), "no line is lost");
}

/// A server that names each file anew: one of its files comes with the baseline, another while a role is at work, which
/// may be the role's as well. The twin: where nobody was seen to write such, and the role names it, it is the role's.
#[test]
fn ac_tdd_9_94_what_is_named_as_somebody_else_s_files_is_held_against_no_role() {
    left_to_the_night!();
    let agent = HONEST_AGENT.replace("mkdir -p tests;", "mkdir -p tests up; echo b >up/r-1000007.json;");
    let server = "test -e ../once || { : >../once; mkdir -p up; echo a >up/r-1000001.json; }\n";
    for level in ["audit", "enforce"] {
        if level == "enforce" && !has_bwrap() {
            continue;
        }
        let sandbox = project(&agent, &format!("{server}{HONEST_CHECK}"), "budgets: { semantic: 1 }\n");
        let ran = run(&sandbox, level).expect(0);
        assert_eq!(sandbox.forks(), 3, "{level}: {}", ran.stderr);
        let told = "up/r-1000007.json: most likely somebody else's, held against nobody; put back";
        assert!(ran.stderr.contains(told), "{level}: {}", ran.stderr);
        assert!(ran.stdout.contains("may be somebody else's: up/r-1000007.json"), "{}", ran.stdout);
        assert!(!sandbox.path("up/r-1000007.json").exists());
        assert_eq!(sandbox.read("up/r-1000001.json"), "a\n");
        let own =
            agent.replace("block tests/ac_ste_1_1.sh;;", "block tests/ac_ste_1_1.sh,up/r-1000007.json;;");
        let sandbox = project(&own, HONEST_CHECK, "budgets: { semantic: 1 }\n");
        run(&sandbox, level).expect(1).says(&["this role may not change: up/r-1000007.json"]);
    }
}

/// A role that hides a file among those gains nothing: it is gone before anything is judged.
#[test]
fn ac_tdd_9_94_work_that_rests_on_such_a_file_fails() {
    let hides = "mkdir -p tests up; echo two >up/r-1000007.json;";
    let agent = HONEST_AGENT.replace("mkdir -p tests;", hides);
    let agent = agent.replace("grep -q two src.txt", "grep -q two up/r-1000007.json");
    let server = "test -e ../once || { : >../once; mkdir -p up; echo a >up/r-1000001.json; }\n";
    let sandbox = project(&agent, &format!("{server}{HONEST_CHECK}"), "budgets: { semantic: 1 }\n");
    run(&sandbox, "audit").expect(1).says(&["up/r-1000007.json", "put back"]);
    assert!(!sandbox.path("up/r-1000007.json").exists());
}

/// A file that was there a moment ago pauses no run.
#[test]
fn ac_tdd_9_91_files_that_come_and_go_while_a_tree_is_looked_at_stop_nothing() {
    left_to_the_night!();
    let agent = format!("role=$1\n{}{HONEST_AGENT}", stops::BLOCK);
    let sandbox = project(&agent, HONEST_CHECK, "");
    let tick = || {
        let file = sandbox.path(".git/../4913");
        std::fs::write(&file, "x").unwrap();
        std::fs::remove_file(&file).unwrap();
    };
    during(tick, || {
        for _ in 0..3 {
            let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
            let ran = Ran::of(&command.args(["STE-1", "--new", "--sandbox", "audit"]).output().unwrap());
            assert!(!ran.stderr.contains("can't be saved in a checkpoint"), "{}", ran.stderr);
            sandbox.tdd(&["undo", "--discard-changes"]);
        }
    });
}
