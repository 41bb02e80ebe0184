//! SIGKILL at an exact system call of a run, `tdd undo`, `tdd clean` and a roll-back: whoever goes on ends
//! where it would have ended, and of the killed one nothing is left.
//!
//! `strace` kills it as it enters the n-th call that changes the disk or starts a program. The gate plays a
//! part of the moments; `TDD_KILLS=all` plays more, as `.ci/nightly/kills` does.

use std::path::Path;
use std::process::Command;

use super::sandbox::{Ran, Sandbox, has, has_python};
use super::undo::{
    Tree, as_git_has_it, awkward, git_state, havoc, refactorer, refs, run_id, take, tree, write_cassette,
};

/// What changes something, or starts a program that may.
const CALLS: &str = "openat,open,write,pwrite64,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,\
                     symlink,symlinkat,link,linkat,fchmod,fchmodat,ftruncate,fsync,fdatasync,clone,clone3,vfork";

pub fn can_kill() -> bool {
    cfg!(target_os = "linux") && has_python() && has("strace", &["strace", "-o", "/dev/null", "true"])
}

/// So many in the gate, and so many with `TDD_KILLS=all`.
fn count(gate: usize, all: usize) -> usize {
    if std::env::var_os("TDD_KILLS").is_some_and(|which| which == "all") { all } else { gate }
}

fn traced(sandbox: &Sandbox, more: &[&str], words: &[&str]) -> Ran {
    let mut command = sandbox.command("strace");
    command.args(["-qq", "-o", "trace", "-e", &format!("trace={CALLS}")]).args(more);
    command.current_dir(sandbox.beside(""));
    // The trace lies beside the repository.
    let mut inner = vec!["sh", "-c", "cd repo && exec \"$@\"", "sh", env!("CARGO_BIN_EXE_tdd")];
    inner.extend(words);
    Ran::of(&command.args(inner).output().unwrap())
}

/// One call of a command: its name, and which of those of that name it is.
pub struct Moment {
    call: String,
    number: usize,
}

impl std::fmt::Display for Moment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "killed at {} {}", self.call, self.number)
    }
}

/// So many moments of what the command does when nobody kills it, evenly over the last `part` of its calls,
/// the first and the last of them included.
pub fn moments(sandbox: &Sandbox, (words, code): (&[&str], i32), part: usize, count: usize) -> Vec<Moment> {
    traced(sandbox, &[], words).expect(code);
    let trace = std::fs::read_to_string(sandbox.beside("trace")).unwrap();
    std::fs::remove_file(sandbox.beside("trace")).unwrap();
    let calls: Vec<&str> =
        trace.lines().filter_map(|line| line.split_once('(')).map(|(call, _)| call).collect();
    let first = calls.len() - calls.len() / part;
    let moment = |at: usize| {
        let index = first + at * (calls.len() - first - 1) / (count - 1);
        let number = calls[..=index].iter().filter(|call| **call == calls[index]).count();
        Moment { call: calls[index].to_owned(), number }
    };
    (0..count).map(moment).collect()
}

pub fn kill(sandbox: &Sandbox, words: &[&str], at: &Moment) {
    let inject = format!("inject={}:signal=KILL:when={}", at.call, at.number);
    let ran = traced(sandbox, &["-e", &inject], words);
    std::fs::remove_file(sandbox.beside("trace")).unwrap();
    // What threads do meanwhile may shift the last calls by one.
    assert!([137, 0, 1].contains(&ran.code), "{at}: {}\n{}", ran.code, ran.stderr);
}

/// A repository to be brought back to where it was, again and again.
pub struct Saved<'s>(&'s Sandbox);

impl<'s> Saved<'s> {
    pub fn of(sandbox: &'s Sandbox) -> Self {
        copy(&sandbox.repo(), &sandbox.beside("saved"));
        Self(sandbox)
    }

    pub fn again(&self) {
        std::fs::remove_dir_all(self.0.repo()).unwrap();
        copy(&self.0.beside("saved"), &self.0.repo());
    }
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
}

/// Names that lie where a killed `tdd` could leave something, objects of git's but loose ones included.
fn around(sandbox: &Sandbox) -> Vec<String> {
    fn collect(top: &Path, folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(top).unwrap().to_string_lossy().into_owned();
            let is_loose = name.split('/').nth_back(1).is_some_and(|fan| fan.len() == 2);
            let is_passing = name.ends_with("__pycache__") || name.ends_with("tdd.lock") || name == "saved";
            if is_passing || name.contains("refs/tdd/") || (is_loose && !name.contains("tmp_")) {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                collect(top, &path, found);
            }
            // A folder of loose objects comes with the first of them.
            if !name.contains("objects/") || name.contains("pack") || name.contains("tmp_") {
                found.push(name);
            }
        }
    }
    let mut found = Vec::new();
    collect(&sandbox.beside(""), &sandbox.beside(""), &mut found);
    found.sort();
    found
}

/// A project that a run has changed, and then somebody else: with the tree before and the tree now.
fn changed() -> (Sandbox, Tree, Tree) {
    let sandbox = awkward();
    let before = tree(&sandbox);
    take(&sandbox, &havoc("2", &refactorer()), 0);
    sandbox.write("shop.py", "mine\n");
    sandbox.write("notes/new.txt", &"mine too\n".repeat(1000));
    let now = tree(&sandbox);
    (sandbox, before, now)
}

#[test]
fn ac_tdd_9_6_an_undo_that_is_killed_at_any_moment_is_finished_by_the_next() {
    left_to_the_night!();
    if !can_kill() {
        return;
    }
    let (sandbox, before, now) = changed();
    let saved = Saved::of(&sandbox);
    let git_before = git_state(&sandbox);
    let words = ["undo", "--discard-changes"];
    let moments = moments(&sandbox, (&words, 0), 1, count(8, 32));
    assert_eq!(tree(&sandbox), before);
    let wanted = around(&sandbox);
    let run = run_id(&sandbox);
    for at in &moments {
        saved.again();
        kill(&sandbox, &words, at);
        let ran = sandbox.tdd(&words).expect(0);
        assert_eq!(tree(&sandbox), before, "{at}\n{}", ran.stdout);
        assert_eq!(git_state(&sandbox), git_before, "{at}");
        assert_eq!(around(&sandbox), wanted, "{at}");
        assert!(!refs(&sandbox).contains("undone-2"), "{at}: {}", refs(&sandbox));
        // What was there is kept as it was, not as it was half way.
        sandbox.tdd(&["undo", &run, "--to", "undone-1"]).expect(0);
        assert_eq!(as_git_has_it(&tree(&sandbox)), as_git_has_it(&now), "{at}");
    }
}

/// Any other command tidies up, too.
#[test]
fn what_a_killed_undo_left_is_gone_after_any_command_that_takes_the_lock() {
    left_to_the_night!();
    if !can_kill() {
        return;
    }
    let (sandbox, ..) = changed();
    let saved = Saved::of(&sandbox);
    let words = ["undo", "--discard-changes"];
    for at in moments(&sandbox, (&words, 0), 1, 4) {
        saved.again();
        kill(&sandbox, &words, &at);
        sandbox.tdd(&["clean", "--keep", "9"]).expect(0);
        let left: Vec<String> = around(&sandbox).into_iter().filter(|name| name.contains("tdd-")).collect();
        let allowed =
            |name: &String| name.ends_with(".git/tdd-undo.json") || name[4..].parse::<u32>().is_ok();
        assert!(left.iter().all(allowed), "{at}: {left:?}");
    }
}

#[test]
fn a_clean_that_is_killed_at_any_moment_is_finished_by_the_next() {
    left_to_the_night!();
    if !can_kill() {
        return;
    }
    let sandbox = awkward();
    take(&sandbox, &havoc("2", &refactorer()), 0);
    let (now, git_before) = (tree(&sandbox), git_state(&sandbox));
    let saved = Saved::of(&sandbox);
    let words = ["clean", "--all"];
    let moments = moments(&sandbox, (&words, 0), 1, count(4, 16));
    let wanted = around(&sandbox);
    for at in &moments {
        saved.again();
        kill(&sandbox, &words, at);
        sandbox.tdd(&words).expect(0);
        assert_eq!((tree(&sandbox), git_state(&sandbox)), (now.clone(), git_before.clone()), "{at}");
        assert_eq!(refs(&sandbox), "", "{at}");
        assert_eq!(around(&sandbox), wanted, "{at}");
    }
}

/// An implementer that fails twice: the run rolls its work back and halts.
#[test]
fn a_roll_back_that_is_killed_is_gone_on_with() {
    left_to_the_night!();
    if !can_kill() {
        return;
    }
    let sandbox = awkward();
    let before = tree(&sandbox);
    let saved = Saved::of(&sandbox);
    let twice = havoc("3", "");
    let implementer = &twice[twice.find("- role: implementer").unwrap()..];
    let cassette = write_cassette(&sandbox, &format!("{twice}{implementer}"));
    let words = ["STE-1", "--cassette", &cassette];
    // The roll-back is in the last part of a run.
    for at in moments(&sandbox, (&words, 1), 10, count(2, 8)) {
        saved.again();
        kill(&sandbox, &words, &at);
        let resumed = sandbox.tdd(&["resume", "--cassette", &cassette]);
        assert!([1, 2].contains(&resumed.code), "{at}: {}", resumed.stderr);
        let litter: Vec<String> =
            around(&sandbox).into_iter().filter(|name| name.contains(".tdd-put")).collect();
        assert!(litter.is_empty(), "{at}: {litter:?}");
        sandbox.tdd(&["undo", "--discard-changes"]).expect(0);
        assert_eq!(tree(&sandbox), before, "{at}");
    }
}

/// Whoever goes on comes to the same end, and back to where it began.
fn a_run_is_killed(level: &str) {
    if !can_kill() {
        return;
    }
    let sandbox = awkward();
    let before = tree(&sandbox);
    let cassette = write_cassette(&sandbox, &havoc("2", &refactorer()));
    let words = ["STE-1", "--cassette", &cassette, "--sandbox", level];
    let saved = Saved::of(&sandbox);
    let moments = moments(&sandbox, (&words, 0), 1, count(4, 50));
    let (end, wanted) = (tree(&sandbox), litter(&sandbox));
    for at in &moments {
        saved.again();
        kill(&sandbox, &words, at);
        // Where nothing was begun, or all was done, there is nothing to go on with.
        let resumed = sandbox.tdd(&["resume", "--cassette", &cassette]);
        if resumed.code != 0 {
            assert_eq!(resumed.code, 2, "{at}: {}", resumed.stderr);
            sandbox.tdd(&words).expect(0);
        }
        assert_eq!(tree(&sandbox), end, "{at}");
        sandbox.tdd(&["status"]).expect(0);
        sandbox.tdd(&["undo"]).expect(0);
        assert_eq!(tree(&sandbox), before, "{at}");
        // A run that had finished leaves its last folder to the next command that tidies up.
        sandbox.tdd(&["STE-1", "--new", "--cassette", &cassette]).expect(0);
        sandbox.tdd(&["undo"]).expect(0);
        // Between the removal of its note and its own, the folder is empty.
        let is_empty =
            |name: &String| sandbox.beside(name).read_dir().is_ok_and(|mut entries| entries.next().is_none());
        let is_new =
            |name: &String| !wanted.contains(name) && !name.ends_with("tdd-undo.json") && !is_empty(name);
        let left: Vec<String> = litter(&sandbox).into_iter().filter(is_new).collect();
        assert!(left.is_empty(), "{at}: {left:?}");
    }
}

/// What lies around and is no run's own.
fn litter(sandbox: &Sandbox) -> Vec<String> {
    let is_other = |name: &String| {
        let is_of_the_tree =
            name.starts_with("repo/") && !name.starts_with("repo/.git/") && !name.contains("tdd-");
        !is_of_the_tree && !name.contains("objects/")
    };
    around(sandbox).into_iter().filter(is_other).collect()
}

#[test]
fn a_run_that_is_killed_at_any_moment_is_gone_on_with() {
    left_to_the_night!();
    a_run_is_killed("audit");
}

#[test]
fn a_run_in_a_sandbox_that_is_killed_at_any_moment_is_gone_on_with() {
    left_to_the_night!();
    if super::isolation::has_bwrap() {
        a_run_is_killed("enforce");
    }
}
