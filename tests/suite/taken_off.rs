//! What a person did in git, or deleted, while a role was at work: told at the end with the command that brings it
//! back, where it was taken off this work tree; and what a run that is past is to `tdd wait`.

use std::process::{Command, Stdio};

use super::meanwhile::meanwhile;
use super::sandbox::{Ran, Sandbox};
use super::stops::{self, HONEST_CHECK, hear, listen, project};

const WAITING: &str = "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;
implementer) echo two >>src.txt; if test ! -e ../was; then : >../was; echo up >../up; read line <../go; fi; block src.txt,NAMED;;
*) block '';;
esac
";

/// With a branch that is one commit ahead, and one that can't be merged.
fn with_branches() -> Sandbox {
    let sandbox = project(&WAITING.replace(",NAMED", ""), HONEST_CHECK, "");
    sandbox.write("notes.txt", "ours\n");
    sandbox.commit();
    sh(
        &sandbox,
        "git checkout -q -b across; echo across >notes.txt; git commit -qam ACROSS; git checkout -q main
         echo here >notes.txt; git commit -qam HERE
         git checkout -q -b ahead; echo 1 >ahead.txt; git add ahead.txt; git commit -qm AHEAD; git checkout -q main",
    );
    sandbox
}

fn sh(sandbox: &Sandbox, script: &str) -> String {
    let mut command = sandbox.command("sh");
    command.envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "p")));
    command.envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "p@p")));
    Ran::of(&command.args(["-ec", script]).output().unwrap()).expect(0).stdout
}

const TOLD: &str = "bring it back: ";

#[test]
fn ac_tdd_9_87_what_is_put_back_in_git_is_told_with_the_command_that_brings_it_back() {
    left_to_the_night!();
    for (action, is) in [
        ("git checkout -q --detach", "git rev-parse HEAD; git symbolic-ref -q HEAD || echo detached"),
        ("git merge -q --ff-only ahead", "git rev-parse main; git symbolic-ref HEAD"),
        (
            "echo mine >>notes.txt; git add notes.txt; echo more >>notes.txt",
            "git show :notes.txt; cat notes.txt",
        ),
        ("git merge -q across || :", "git ls-files -u; cat .git/MERGE_HEAD .git/MERGE_MSG"),
    ] {
        let sandbox = with_branches();
        let mut was = String::new();
        let ran = meanwhile("audit", &sandbox, || {
            sh(&sandbox, action);
            was = sh(&sandbox, is);
        });
        let ran = ran.expect(0);
        assert_ne!(sh(&sandbox, &format!("{is} 2>/dev/null || :")), was, "{action}: it was put back");
        let commands: Vec<&str> = ran.stdout.lines().filter_map(|line| line.split(TOLD).nth(1)).collect();
        assert!(!commands.is_empty(), "{action}: {}", ran.stdout);
        for told in [sandbox.tdd(&["wait"]).stdout, sandbox.tdd(&["status", "STE-1"]).stdout] {
            for command in &commands {
                assert!(told.contains(command), "{action}: {told}");
            }
        }
        for command in &commands {
            sh(&sandbox, command);
        }
        assert_eq!(sh(&sandbox, is), was, "{action}: {commands:?}");
    }
}

/// The twins: what comes with a commit needs no second command, and what only looks is nothing.
#[test]
fn what_an_index_holds_of_a_commit_alone_is_not_told_twice() {
    left_to_the_night!();
    for (action, most) in [("git commit -qam MINE", 1), ("git status; git diff; git log -1", 0)] {
        let sandbox = with_branches();
        let ran = meanwhile("audit", &sandbox, || drop(sh(&sandbox, action))).expect(0);
        assert_eq!(ran.stdout.matches(TOLD).count(), most, "{action}: {}", ran.stdout);
        assert!(!ran.stdout.contains("read-tree"), "{}", ran.stdout);
    }
}

#[test]
fn ac_tdd_9_88_a_file_that_is_gone_and_that_no_role_names_is_told_beside_the_commit() {
    left_to_the_night!();
    for (named, is_told) in [("", true), (",README.md", false)] {
        let agent = WAITING.replace(",NAMED", named);
        let sandbox = project(&agent, HONEST_CHECK, "");
        sandbox.write("README.md", "ours\n");
        sandbox.commit();
        let ran = meanwhile("audit", &sandbox, || drop(sh(&sandbox, "rm README.md"))).expect(0);
        assert_eq!(ran.stdout.contains("  README.md  (named by no role)"), is_told, "{}", ran.stdout);
        assert_eq!(ran.stdout.contains("1 file that no role names"), is_told, "{}", ran.stdout);
        // It comes back, so nobody need be asked.
        sandbox.tdd(&["undo"]).expect(0);
        assert_eq!(sandbox.read("README.md"), "ours\n");
    }
}

#[test]
fn ac_tdd_9_89_to_wait_for_a_run_that_is_past_tells_that_it_is() {
    let sandbox = project(stops::HONEST_AGENT, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(0);
    let ran = sandbox.tdd(&["wait"]).expect(0);
    assert!(!ran.stderr.contains("undone"), "{}", ran.stderr);
    sandbox.tdd(&["undo"]).expect(0);
    sandbox.tdd(&["wait"]).expect(0).says(&["now it is undone", "--to "]);

    let check = "echo up >../up; read line <../go; exit 0\n";
    let sandbox = project(stops::HONEST_AGENT, check, "");
    let mut up = listen(&sandbox, "up");
    let _go = listen(&sandbox, "go");
    let mut command: Command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    let mut child = command.arg("STE-1").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    hear(&mut up);
    child.kill().unwrap();
    child.wait().unwrap();
    sandbox.tdd(&["undo"]).expect(0);
    sandbox.tdd(&["wait"]).expect(2).says(&["came to no end", "undone", "tdd"]);
    sandbox.tdd(&["wait", "--json"]).expect(2);
}
