//! A disk, a limit or a stream that is full: what happened is told in words, nothing is lost, and a run goes on
//! when there is room again. `faults` has errors at exact system calls.

use std::path::Path;
use std::process::Command;

use super::sandbox::{Ran, Sandbox, has};
use super::stops::{BLOCK, HONEST_AGENT, HONEST_CHECK, beside, project};

/// Whether a disk of our own can be had: a small one, in name spaces that end with the test.
fn has_small_disk() -> bool {
    let mount = ["unshare", "-Urm", "sh", "-c", "mount -t tmpfs -o size=1m t /tmp"];
    cfg!(target_os = "linux") && has("unshare with a tmpfs of its own", &mount)
}

/// Carries out each line in a copy of the project on a disk of 4 MiB. In a line, `fill N` leaves N KiB of the
/// disk, `room` frees it, and `tdd` is ours. Gives what each line came to.
fn on_a_small_disk(sandbox: &Sandbox, lines: &[&str]) -> Vec<Ran> {
    let mut script = format!(
        "set -u\ntop={top}; mkdir $top/small; mount -t tmpfs -o size=4m t $top/small\n\
         cp -a $top/repo $top/agent.sh $top/check.sh $top/small/; cd $top/small/repo\n\
         fill() {{ head -c 100m /dev/zero >../filling 2>/dev/null; truncate -s -$(($1 * 1024)) ../filling; }}\n\
         room() {{ rm -f ../filling ../filled; }}\n\
         tdd() {{ {tdd} \"$@\"; }}\n",
        top = sandbox.beside("").display(),
        tdd = env!("CARGO_BIN_EXE_tdd"),
    );
    for (number, line) in lines.iter().enumerate() {
        let line =
            format!("( {line} ) >$top/{number}.out 2>$top/{number}.err; echo $? >$top/{number}.code\n");
        script.push_str(&line);
    }
    let ran = Ran::of(&sandbox.command("unshare").args(["-Urm", "sh", "-c", &script]).output().unwrap());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = |name: String| {
        String::from_utf8_lossy(&std::fs::read(sandbox.beside(&name)).unwrap_or_default()).into_owned()
    };
    let ran = |number: usize| Ran {
        code: text(format!("{number}.code")).trim().parse().unwrap(),
        stdout: text(format!("{number}.out")),
        stderr: text(format!("{number}.err")),
    };
    (0..lines.len()).map(ran).collect()
}

#[test]
fn a_disk_that_is_full_before_the_first_child_pauses_the_run() {
    left_to_the_night!();
    if !has_small_disk() {
        return;
    }
    // From where the first line of the journal fits to where checkpoint 0 does.
    for left in ["8", "24", "40"] {
        let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
        let lines = [&*format!("fill {left}; tdd STE-1"), "tdd status", "room; tdd resume", "cat src.txt"];
        let ran = on_a_small_disk(&sandbox, &lines);
        let [first, status, resumed, source] = ran.try_into().ok().unwrap();
        let first =
            first.expect(3).says(&["the disk is full", "make room", "tdd resume STE-1-", "No space left"]);
        assert!(!first.stderr.contains("panicked"), "{}", first.stderr);
        assert!(status.stdout.contains("tdd resume"), "{left}: {}", status.stdout);
        resumed.expect(0);
        assert_eq!(source.stdout, "one\ntwo\n");
    }
    // Where nothing can be written at all there is no run, and nothing to go on with.
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let lines = ["fill 0; tdd STE-1", "tdd status", "ls -A .tdd/runs", "room; tdd STE-1"];
    let [first, status, runs, again] = on_a_small_disk(&sandbox, &lines).try_into().ok().unwrap();
    first.expect(2).says(&["the disk is full", "make room"]);
    assert!(status.stdout.contains("no runs yet"), "{}", status.stdout);
    assert_eq!(runs.stdout, "");
    again.expect(0);
}

/// The test command prints its plan last, and there is no room for it.
const TAP_CHECK: &str = "n=0; code=0
for file in tests/*.sh; do
  n=$((n + 1)); ok=ok; sh $file >/dev/null || { ok='not ok'; code=1; }
  printf '# Subtest: %s\\n    %s 1 - works\\n    1..1\\n%s %s - %s\\n' $file \"$ok\" \"$ok\" $n $file
done
i=0; while test $i -lt 1500; do i=$((i + 1)); echo \"# $i: what a test prints is of no consequence at all, and \
there is a lot of it: line $i of fifteen hundred, or thereabouts\"; done
echo 1..$n && exit $code
";

fn tap_project(agent: &str) -> Sandbox {
    let sandbox = project(agent, TAP_CHECK, "");
    let yaml = sandbox.read("tdd.yaml");
    sandbox.write(
        "tdd.yaml",
        &yaml.replace("kind: exit-code, all: sh ../check.sh", "kind: tap, all: sh ../check.sh"),
    );
    sandbox.write("tests/base.sh", "true\n");
    sandbox.commit();
    sandbox
}

#[test]
fn a_report_that_is_cut_by_a_full_disk_is_told_as_that() {
    left_to_the_night!();
    if !has_small_disk() {
        return;
    }
    let sandbox = tap_project(HONEST_AGENT);
    let lines = ["fill 160; tdd STE-1", "tdd status", "room; tdd resume"];
    let [first, status, resumed] = on_a_small_disk(&sandbox, &lines).try_into().ok().unwrap();
    let first =
        first.expect(3).says(&["the disk is full", "sh ../check.sh", "make room", "tdd resume STE-1-"]);
    assert!(
        first.stderr.contains("No space left on device (os error 28); so the TAP output"),
        "{}",
        first.stderr
    );
    assert!(status.stdout.contains("tdd resume"), "{}", status.stdout);
    resumed.expect(0);
    // The twin: with room the very same command is read to its end.
    let sandbox = tap_project(HONEST_AGENT);
    let told = sandbox.tdd(&["STE-1"]).expect(0);
    assert!(!told.stderr.contains("the disk is full"), "{}", told.stderr);
}

#[test]
fn a_child_that_fills_the_disk_pauses_the_run() {
    if !has_small_disk() {
        return;
    }
    let filling =
        format!("test $role != implementer || head -c 100m /dev/zero >../filled 2>/dev/null\n{HONEST_AGENT}");
    let sandbox = project(&filling, HONEST_CHECK, "");
    std::fs::write(beside(&sandbox, "agent.sh"), format!("role=$1\n{BLOCK}{filling}")).unwrap();
    // The second agent fills nothing.
    let honest = format!("role=$1\n{BLOCK}{HONEST_AGENT}");
    std::fs::write(sandbox.beside("honest.sh"), honest).unwrap();
    let lines = [
        "tdd STE-1",
        "cat tests/ac_ste_1_1.sh",
        "room; cp ../../honest.sh ../agent.sh; tdd resume",
        "cat src.txt",
    ];
    let [first, test, resumed, source] = on_a_small_disk(&sandbox, &lines).try_into().ok().unwrap();
    first.expect(3).says(&["the disk is full", "make room", "tdd resume STE-1-"]);
    assert!(test.stdout.contains("grep -q two"), "RED is kept");
    resumed.expect(0);
    assert!(source.stdout.starts_with("one\n") && source.stdout.contains("two\n"), "{}", source.stdout);
}

/// What a run of its own has kept is all that is needed.
#[test]
fn an_undo_that_has_nothing_to_keep_works_on_a_full_disk() {
    left_to_the_night!();
    if !has_small_disk() {
        return;
    }
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    // Temporary files lie on another disk, or on the same one.
    for temporary in ["", "TMPDIR=$PWD/.. "] {
        let undo = format!("fill 0; df -k . >&2; {temporary}tdd undo");
        let lines = ["tdd STE-1", &undo, "cat src.txt; ls tests", "room; tdd status"];
        let [first, undone, left, status] = on_a_small_disk(&sandbox, &lines).try_into().ok().unwrap();
        first.expect(0);
        undone.expect(0);
        assert_eq!(left.stdout, "one\n", "{}", left.stderr);
        status.expect(0);
        std::fs::remove_dir(sandbox.beside("small")).unwrap();
    }
}

/// What stands where an old file is to be makes room for it first, and then the old one does not fit.
#[test]
fn ac_tdd_9_104_an_undo_that_breaks_off_on_a_full_disk_is_told_and_can_be_repeated() {
    left_to_the_night!();
    if !has_small_disk() {
        return;
    }
    let agent = HONEST_AGENT.replace("echo two", "head -c 300000 /dev/urandom >big.bin; rm old.md; echo two");
    let agent = agent.replace("block src.txt", "block src.txt,big.bin,old.md");
    let sandbox = project(&agent, HONEST_CHECK, "");
    sandbox.write("old.md", "ours\n");
    let big = sandbox.command("sh").args(["-c", "head -c 600000 /dev/urandom >big.bin"]).status().unwrap();
    assert!(big.success());
    sandbox.commit();
    for left in [0, 16] {
        let undo = format!("fill {left}; tdd undo");
        let all =
            ["tdd STE-1", &undo, "room; tdd status", "tdd undo", "git status --porcelain big.bin old.md"];
        let [first, broken, status, undone, left] = on_a_small_disk(&sandbox, &all).try_into().ok().unwrap();
        first.expect(0);
        broken.expect(1).says(&["the disk is full", "then do the same again"]);
        status.expect(0).says_on_stdout(&["an undo of it was cut off", "`tdd undo STE-1-"]);
        undone.expect(0);
        assert_eq!((left.code, left.stdout), (0, String::new()));
        std::fs::remove_dir(sandbox.beside("small")).unwrap();
    }
}

fn under(sandbox: &Sandbox, limits: &str, words: &str) -> Ran {
    let line = format!("{limits}; exec {} {words}", env!("CARGO_BIN_EXE_tdd"));
    Ran::of(&sandbox.command("sh").args(["-c", &line]).output().unwrap())
}

#[test]
fn a_limit_that_is_reached_is_told_with_how_to_raise_it() {
    left_to_the_night!();
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let before = sandbox.everything();
    // From where hardly anything can be opened to where children can.
    for files in 7..25 {
        let ran = under(&sandbox, &format!("ulimit -n {files}"), "STE-1 --new");
        assert!(!ran.stderr.contains("panicked"), "{files}: {}", ran.stderr);
        assert!([0, 2, 3].contains(&ran.code), "{files}: {} {}", ran.code, ran.stderr);
        // A run that has begun waits for a higher limit.
        // One that has not leaves nothing of itself.
        let runs = std::fs::read_dir(sandbox.path(".tdd/runs")).map_or(0, Iterator::count);
        assert!(runs == 0 || ran.code != 2, "{files}: {}", ran.stderr);
        assert!(runs == 0 || !sandbox.events().is_empty(), "{files}: {}", ran.stderr);
        if ran.code != 0 {
            ran.says(&["too many files are open", "ulimit -n"]);
        }
        sandbox.tdd(&["undo", "--discard-changes"]);
        let _ = std::fs::remove_dir_all(sandbox.path(".tdd/runs"));
        assert_eq!(sandbox.everything(), before, "{files}");
    }
    // A write over the limit would be a signal that ends us.
    let ran = under(&sandbox, "ulimit -f 0", "STE-1 --new").expect(2);
    ran.says(&["a file may not grow further", "ulimit -f"]);
    assert_eq!(sandbox.everything(), before);
}

/// Wherever a file comes to its limit, that is told as what it is, and the run goes on without it.
#[test]
fn a_limit_on_the_size_of_files_is_no_full_disk_and_pauses_a_run() {
    left_to_the_night!();
    let mut paused = 0;
    for blocks in [2, 8, 12, 16, 24] {
        let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
        let ran = under(&sandbox, &format!("ulimit -f {blocks}"), "STE-1");
        assert!(!ran.stderr.contains("disk is full"), "{blocks}: {}", ran.stderr);
        if ran.code != 0 {
            ran.expect(3).says(&["a file may not grow further", "ulimit -f", "tdd resume STE-1-"]);
            sandbox.tdd(&["resume"]).expect(0);
            paused += 1;
        }
        assert_eq!(sandbox.read("src.txt"), "one\ntwo\n", "{blocks}");
    }
    assert!(paused > 1, "{paused}");
}

/// `head` wants no more, which is no loss; a full disk is one.
#[test]
fn a_stdout_that_cannot_be_written_is_told() {
    if !Path::new("/dev/full").exists() {
        println!("skipped: no /dev/full");
        return;
    }
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let to = |line: &str| {
        let line = line.replace("tdd", env!("CARGO_BIN_EXE_tdd"));
        Ran::of(&sandbox.command("sh").args(["-c", &line]).output().unwrap())
    };
    let words = ["what was printed on stdout is not whole", "No space left"];
    to("exec tdd criteria STE-1 --json >/dev/full").expect(2).says(&words);
    to("exec tdd STE-1 --dry-run --json >/dev/full").expect(2).says(&words);
    // The run goes on, and its exit code is what it came to.
    to("exec tdd STE-1 --json >/dev/full").expect(0).says(&words).says(&["tdd log"]);
    assert_eq!(sandbox.events().last().map(String::as_str), Some("finished"));
    to("exec tdd log --json >/dev/full").expect(2).says(&words);
    let quiet = to("exec tdd undo >/dev/full").expect(0).says(&words);
    assert_eq!(sandbox.read("src.txt"), "one\n", "{}", quiet.stderr);
    for line in ["exec tdd log >&-", "tdd log --json | head -n 1 >/dev/null"] {
        assert_eq!(to(line).expect(0).stderr, "", "{line}");
    }
}

/// A git that is killed, or that ends without a word, is told of as such.
#[test]
fn a_git_that_says_nothing_is_told() {
    left_to_the_night!();
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let before = sandbox.everything();
    let real = Command::new("sh").args(["-c", "command -v git"]).output().unwrap();
    let real = String::from_utf8_lossy(&real.stdout).trim().to_owned();
    for (does, words) in [
        ("kill -9 $$", "it was ended by signal 9 before it said anything"),
        ("exit 128", "it said nothing (exit status: 128)"),
        ("exit 0", "it said nothing"),
    ] {
        for command in ["fast-import", "ls-tree"] {
            let wrong =
                format!("#!/bin/sh\ncase \" $* \" in *' {command} '*) {does};; esac\nexec {real} \"$@\"\n");
            std::fs::create_dir_all(sandbox.beside("bin")).unwrap();
            let program = sandbox.beside("bin/git");
            std::fs::write(&program, wrong).unwrap();
            super::sandbox::make_executable(&program);
            let mut tdd = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
            tdd.env("PATH", super::sandbox::path_with(&sandbox.beside("bin"))).args(["STE-1", "--new"]);
            let ran = Ran::of(&tdd.output().unwrap());
            if command == "ls-tree" && does == "exit 0" {
                // An empty list is an answer.
                continue;
            }
            assert!([2, 3].contains(&ran.code), "{command} {does}: {} {}", ran.code, ran.stderr);
            ran.says(&[words, command]);
            assert_eq!(sandbox.everything(), before, "{command} {does}");
        }
    }
}
