//! An error at an exact system call of `tdd`: no panic, words, nothing lost, and the next command gets over it.
//!
//! `strace` answers the n-th call of a kind with an error that the system could give there, in the main thread
//! of `tdd` or in one of its gits, never in an agent or a test command. The gate plays a sample;
//! `TDD_FAULTS=all` plays all, as `.ci/nightly/faults` does, and prints a table. `TDD_FAULTS=<name>` plays all of
//! one command.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Mutex;

use super::kills::Saved;
use super::sandbox::{Ran, Sandbox, has, make_executable, path_with};
use super::stops::{BLOCK, HONEST_AGENT, HONEST_CHECK, beside, project};
use super::undo::{Tree, git_state, tree};

/// What could fail with one of the errors below.
const CALLS: &str = "openat,open,read,pread64,write,pwrite64,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,\
                     mkdirat,symlink,symlinkat,link,linkat,fchmod,fchmodat,ftruncate,fsync,fdatasync,clone,clone3,\
                     vfork,getdents64,pipe2,socketpair,epoll_create1,eventfd2,poll,ppoll,epoll_wait,wait4,waitid,fcntl";

/// The errors that a call can end with, for turns to be taken.
fn errors(call: &str) -> &'static [&'static str] {
    match call {
        "openat" | "open" => &["EMFILE", "ENOSPC", "EIO", "EINTR"],
        "read" | "pread64" => &["EIO", "EINTR"],
        "write" | "pwrite64" => &["ENOSPC", "EIO", "EINTR"],
        "clone" | "clone3" | "vfork" => &["EAGAIN", "ENOMEM"],
        "pipe2" | "socketpair" | "epoll_create1" | "eventfd2" | "fcntl" => &["EMFILE"],
        "poll" | "ppoll" | "epoll_wait" | "wait4" | "waitid" => &["EINTR"],
        "getdents64" | "unlink" | "unlinkat" | "rmdir" | "fchmod" | "fchmodat" => &["EIO"],
        _ => &["ENOSPC", "EIO"],
    }
}

/// How many points of a command.
enum Size {
    Sample(usize),
    All(usize),
}

impl Size {
    /// `None` where another command is asked for.
    fn of(name: &str, sample: usize, all: usize) -> Option<Self> {
        match std::env::var("TDD_FAULTS").ok().as_deref() {
            None | Some("") => Some(Self::Sample(sample)),
            Some("all") => Some(Self::All(all)),
            Some(wanted) => (wanted == name).then_some(Self::All(all)),
        }
    }

    fn points(&self) -> usize {
        let (Self::Sample(points) | Self::All(points)) = self;
        *points
    }

    /// The machine that plays all has two cores, and nothing else to do.
    fn at_once(&self) -> usize {
        if matches!(self, Self::All(_)) { 2 } else { 1 }
    }
}

fn can_inject() -> bool {
    let words = ["strace", "-o", "/dev/null", "-e", "inject=getuid:error=EIO:when=9", "true"];
    cfg!(target_os = "linux") && has("strace", &words)
}

/// One call and the error that it ends with.
#[derive(Clone, Debug)]
struct Fault {
    call: String,
    number: usize,
    error: &'static str,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} at {} {}", self.error, self.call, self.number)
    }
}

/// A command of `tdd` with all that it takes to try it again and again.
struct Play {
    name: &'static str,
    words: Vec<&'static str>,
    /// What it ends with when nothing fails, and what it may end with when anything does.
    codes: &'static [i32],
    /// A project in which the command can be given.
    make: fn() -> Sandbox,
    /// What must be so after it, and what must be possible then.
    after: fn(&Sandbox, &Ran, &Before) -> Result<(), String>,
}

/// What the project was before the command.
struct Before {
    tree: Tree,
    git: String,
    head: String,
}

impl Before {
    fn of(sandbox: &Sandbox) -> Self {
        Self { tree: tree(sandbox), git: git_state(sandbox), head: sandbox.git(&["rev-parse", "HEAD"]) }
    }
}

fn traced(sandbox: &Sandbox, more: &[&str], words: &[&str]) -> Ran {
    let mut command = sandbox.command("strace");
    let trace = sandbox.beside("trace");
    command.args(["-qq", "-y", "-o", trace.to_str().unwrap(), "-e", &format!("trace={CALLS}")]).args(more);
    Ran::of(&command.arg(env!("CARGO_BIN_EXE_tdd")).args(words).output().unwrap())
}

fn trace(sandbox: &Sandbox) -> String {
    let bytes = std::fs::read(sandbox.beside("trace")).unwrap_or_default();
    let _ = std::fs::remove_file(sandbox.beside("trace"));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// So many faults, evenly over the calls of the command: of what the system tells of processes, of what is loaded
/// before `tdd` begins, and of what wakes a thread, which no disk can keep from it, none.
fn faults(sandbox: &Sandbox, words: &[&str], count: usize) -> Vec<Fault> {
    let ran = traced(sandbox, &[], words);
    let text = trace(sandbox);
    assert!(text.lines().count() > 50, "{}{}", ran.stdout, ran.stderr);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut calls = Vec::new();
    let mut has_begun = false;
    for line in text.lines() {
        let Some((call, rest)) = line.split_once('(').filter(|(call, _)| !call.starts_with('-')) else {
            continue;
        };
        let number = seen.entry(call).or_default();
        *number += 1;
        // The last thing before our own first call.
        has_begun = has_begun || rest.contains("/proc/self/maps");
        let duplicates = call != "fcntl" || rest.contains("F_DUPFD");
        if has_begun && duplicates && !rest.contains("/proc") && !rest.contains("eventfd") {
            calls.push((call, *number));
        }
    }
    let count = count.min(calls.len());
    let mut turns: BTreeMap<&str, usize> = BTreeMap::new();
    let fault = |at: usize| {
        let (call, number) = calls[at * (calls.len() - 1) / (count - 1).max(1)];
        let turn = turns.entry(call).or_default();
        let error = errors(call)[*turn % errors(call).len()];
        *turn += 1;
        Fault { call: call.to_owned(), number, error }
    };
    (0..count).map(fault).collect()
}

/// What any command owes, whatever fails.
fn common(play: &Play, ran: &Ran, sandbox: &Sandbox, before: &Before) -> Result<(), String> {
    let said = format!("exit {}\n{}{}", ran.code, ran.stdout, ran.stderr);
    if ran.stderr.contains("panicked") {
        return Err(format!("a panic: {said}"));
    }
    if !play.codes.contains(&ran.code) {
        return Err(format!("an exit code that is none of {:?}: {said}", play.codes));
    }
    // A checkup tells on stdout.
    let is_told = ["next: ", "go on: ", "(os error "].iter().any(|words| said.contains(words));
    if ran.code != play.codes[0] && !is_told {
        return Err(format!("no words: {said}"));
    }
    // Where git itself is broken, git can't be asked.
    let head = Ran::of(&sandbox.command("git").args(["rev-parse", "HEAD"]).output().unwrap());
    if head.stdout.trim() != before.head {
        return Err(format!("the person's HEAD differs: {}{}\nafter: {said}", head.stdout, head.stderr));
    }
    if git_state(sandbox) != before.git {
        return Err(format!(
            "the person's own git state differs: {}, not {}\nafter: {said}",
            git_state(sandbox),
            before.git
        ));
    }
    let status = sandbox.tdd(&["status"]);
    if status.code != 0 {
        return Err(format!("no status: {}\nafter: {said}", status.stderr));
    }
    Ok(())
}

/// One copy of the project for each worker, made anew for each fault.
fn play(play: &Play, sample: usize, all: usize) {
    let size = Size::of(play.name, sample, all).filter(|size| size.points() > 0 && can_inject());
    let Some(size) = size else { return };
    let probe = (play.make)();
    let faults = faults(&probe, &play.words, size.points());
    drop(probe);
    let next = Mutex::new(faults.iter());
    let told = Mutex::new((BTreeMap::<(&str, String), usize>::new(), Vec::<String>::new()));
    std::thread::scope(|scope| {
        for _ in 0..size.at_once() {
            scope.spawn(|| {
                let sandbox = (play.make)();
                let saved = Saved::of(&sandbox);
                let before = Before::of(&sandbox);
                while let Some(fault) = { next.lock().unwrap().next() } {
                    saved.again();
                    let inject = format!("inject={}:error={}:when={}", fault.call, fault.error, fault.number);
                    let ran = traced(&sandbox, &["-e", &inject], &play.words);
                    let trace = trace(&sandbox);
                    let hit = trace.lines().find(|line| line.contains("(INJECTED)"));
                    // Threads take turns: the call of that number may be another one by now.
                    let wakes = hit.is_some_and(|line| line.contains("eventfd"));
                    let hit = hit.is_some() && !wakes;
                    let checked = common(play, &ran, &sandbox, &before)
                        .and_then(|()| (play.after)(&sandbox, &ran, &before));
                    let checked = if wakes { Ok(()) } else { checked };
                    let mut told = told.lock().unwrap();
                    let end = if hit { format!("exit {}", ran.code) } else { "not reached".to_owned() };
                    *told.0.entry((fault.error, end)).or_default() += 1;
                    told.1.extend(checked.err().map(|why| format!("=== {}: {fault}\n{why}\n", play.name)));
                }
            });
        }
    });
    let (table, wrong) = told.into_inner().unwrap();
    let mut shown = String::new();
    for ((error, end), count) in &table {
        let _ = write!(shown, "  {error} {end}: {count};");
    }
    println!("faults: {:<10} {:>3} points, {} wrong;{shown}", play.name, faults.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn expect(sandbox: &Sandbox, words: &[&str], code: i32) -> Result<Ran, String> {
    let ran = sandbox.tdd(words);
    if ran.code == code {
        return Ok(ran);
    }
    Err(format!("then tdd {}: exit {}, not {code}\n{}{}", words.join(" "), ran.code, ran.stdout, ran.stderr))
}

fn same_tree(sandbox: &Sandbox, before: &Before) -> Result<(), String> {
    let now = tree(sandbox);
    if now == before.tree {
        return Ok(());
    }
    let differs = |entry: &&(std::path::PathBuf, u32, Vec<u8>)| !before.tree.contains(*entry);
    let names: Vec<_> = now.iter().filter(differs).map(|entry| entry.0.clone()).collect();
    let gone = before.tree.iter().filter(|entry| !now.iter().any(|one| one.0 == entry.0));
    let gone: Vec<_> = gone.map(|entry| entry.0.clone()).collect();
    Err(format!("the tree is not as it was: {names:?} differ, {gone:?} are gone"))
}

fn fresh() -> Sandbox {
    project(HONEST_AGENT, HONEST_CHECK, "")
}

/// How it is told what the system is out of, but for a disk that is broken.
const WAITED_FOR: [&str; 5] = [
    "the disk is full",
    "a file may not grow further",
    "too many files are open",
    "no more processes or threads can be started",
    "there is no memory left",
];

/// Whether there is a run with a line in its journal.
fn has_begun(sandbox: &Sandbox) -> bool {
    let runs = std::fs::read_dir(sandbox.path(".tdd/runs")).into_iter().flatten().flatten();
    let mut journals = runs.filter_map(|run| std::fs::read(run.path().join("events.jsonl")).ok());
    journals.any(|lines| lines.contains(&b'\n'))
}

/// Goes on as the words say, to the end of the run, and then back.
fn gone_on(sandbox: &Sandbox, ran: &Ran, before: &Before) -> Result<(), String> {
    let said = |why: String| format!("{why}\nafter: exit {}\n{}", ran.code, ran.stderr);
    match ran.code {
        0 => {}
        2 => {
            same_tree(sandbox, before).map_err(said)?;
            if has_begun(sandbox) && WAITED_FOR.iter().any(|words| ran.stderr.contains(words)) {
                return Err(said("a run that has begun waits for what the system is out of".to_owned()));
            }
            let names_one = sandbox.tdd(&["STE-1"]);
            if names_one.code != 0 {
                expect(sandbox, &["resume"], 0)
                    .map_err(|why| said(format!("{why}\nand a new one: {}", names_one.stderr)))?;
            }
        }
        _ => {
            if !ran.stderr.contains("tdd resume STE-1-") {
                return Err(said("it does not say how to go on".to_owned()));
            }
            expect(sandbox, &["resume"], 0).map_err(said)?;
        }
    }
    if sandbox.read("src.txt").lines().next() != Some("one") || !sandbox.read("src.txt").contains("two") {
        return Err(said(format!("the work is not there: {}", sandbox.read("src.txt"))));
    }
    expect(sandbox, &["undo", "--discard-changes"], 0).map_err(said)?;
    same_tree(sandbox, before).map_err(said)
}

#[test]
fn a_run_gets_over_any_error_of_the_system() {
    left_to_the_night!();
    let words = vec!["STE-1"];
    play(&Play { name: "run", words, codes: &[0, 2, 3], make: fresh, after: gone_on }, 6, 300);
}

/// A finished run, and then the person's own changes.
fn changed() -> Sandbox {
    let sandbox = fresh();
    sandbox.write(".gitignore", "*.secret\n");
    sandbox.write("my.secret", "ignored\n");
    sandbox.write("untracked.txt", "nobody has committed this\n");
    sandbox.commit();
    sandbox.write("untracked.txt", "changed\n");
    std::fs::write(sandbox.beside("tree"), "").unwrap();
    sandbox.tdd(&["STE-1"]).expect(0);
    sandbox.write("src.txt", "mine\n");
    sandbox.write("notes/new.txt", &"mine too\n".repeat(1000));
    sandbox
}

fn undone(sandbox: &Sandbox, ran: &Ran, before: &Before) -> Result<(), String> {
    let said = |why: String| format!("{why}\nafter: exit {}\n{}", ran.code, ran.stderr);
    if ran.code == 2 {
        same_tree(sandbox, before).map_err(said)?;
        if ran.stderr.contains("kept in a checkpoint") {
            return Err(said("it says that it kept what it did not".to_owned()));
        }
    }
    expect(sandbox, &["undo", "--discard-changes"], 0).map_err(said)?;
    let is_back = sandbox.read("src.txt") == "one\n"
        && sandbox.read("untracked.txt") == "changed\n"
        && !sandbox.path("notes/new.txt").exists()
        // A folder that can't be removed, and holds nothing, is no file of anybody's.
        && !sandbox.path("tests/ac_ste_1_1.sh").exists();
    if !is_back {
        return Err(said("the tree is not as it was before the run".to_owned()));
    }
    let run = sandbox.run_dir().file_name().unwrap().to_string_lossy().into_owned();
    expect(sandbox, &["undo", &run, "--to", "undone-1"], 0).map_err(said)?;
    same_tree(sandbox, before).map_err(said)
}

#[test]
fn an_undo_gets_over_any_error_of_the_system() {
    left_to_the_night!();
    let words = vec!["undo", "--discard-changes"];
    play(&Play { name: "undo", words, codes: &[0, 1, 2], make: changed, after: undone }, 4, 300);
}

/// Paused after RED.
fn paused() -> Sandbox {
    let sandbox = fresh();
    sandbox.tdd(&["STE-1", "--stop-after", "red"]).expect(3);
    sandbox
}

/// To the end of the run; the way back is not to where the command began.
fn resumed(sandbox: &Sandbox, ran: &Ran, _before: &Before) -> Result<(), String> {
    let said = |why: String| format!("{why}\nafter: exit {}\n{}", ran.code, ran.stderr);
    if ran.code != 0 {
        expect(sandbox, &["resume"], 0).map_err(said)?;
    }
    if !sandbox.read("src.txt").contains("two") {
        return Err(said("the work is not there".to_owned()));
    }
    expect(sandbox, &["undo", "--discard-changes"], 0).map_err(said)?;
    if sandbox.read("src.txt") == "one\n" && !sandbox.path("tests/ac_ste_1_1.sh").exists() {
        return Ok(());
    }
    Err(said("the tree is not as it was before the run".to_owned()))
}

#[test]
fn a_resume_gets_over_any_error_of_the_system() {
    left_to_the_night!();
    let words = vec!["resume"];
    play(&Play { name: "resume", words, codes: &[0, 2, 3], make: paused, after: resumed }, 1, 30);
}

/// The implementer does nothing, twice.
fn halted() -> Sandbox {
    let lazy =
        HONEST_AGENT.replace("implementer) echo two >>src.txt; block src.txt", "implementer) block ''");
    let sandbox = project(&lazy, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(1);
    std::fs::write(beside(&sandbox, "agent.sh"), format!("role=$1\n{BLOCK}{HONEST_AGENT}")).unwrap();
    sandbox
}

fn retried(sandbox: &Sandbox, ran: &Ran, _before: &Before) -> Result<(), String> {
    let said = |why: String| format!("{why}\nafter: exit {}\n{}", ran.code, ran.stderr);
    if ran.code != 0 && sandbox.tdd(&["resume"]).code != 0 {
        // The decision is not in the journal.
        expect(sandbox, &["resume", "--retry"], 0).map_err(said)?;
    }
    if !sandbox.read("src.txt").contains("two") {
        return Err(said("the work is not there".to_owned()));
    }
    expect(sandbox, &["undo", "--discard-changes"], 0).map(drop).map_err(said)
}

#[test]
fn a_retry_gets_over_any_error_of_the_system() {
    let words = vec!["resume", "--retry"];
    play(&Play { name: "retry", words, codes: &[0, 2, 3], make: halted, after: retried }, 0, 30);
}

fn accepted(sandbox: &Sandbox, ran: &Ran, _before: &Before) -> Result<(), String> {
    let said = |why: String| format!("{why}\nafter: exit {}\n{}", ran.code, ran.stderr);
    if ran.code != 4 && sandbox.tdd(&["resume"]).code != 4 {
        expect(sandbox, &["resume", "--accept", "AC-STE-1.1"], 4).map_err(said)?;
    }
    expect(sandbox, &["undo", "--discard-changes"], 0).map(drop).map_err(said)
}

#[test]
fn an_acceptance_gets_over_any_error_of_the_system() {
    let words = vec!["resume", "--accept", "AC-STE-1.1"];
    play(&Play { name: "accept", words, codes: &[4, 2, 3], make: halted, after: accepted }, 0, 30);
}

fn abandoned(sandbox: &Sandbox, ran: &Ran, before: &Before) -> Result<(), String> {
    let said = |why: String| format!("{why}\nafter: exit {}\n{}", ran.code, ran.stderr);
    same_tree(sandbox, before).map_err(said)?;
    if ran.code != 1 {
        expect(sandbox, &["resume", "--abandon"], 1).map_err(said)?;
    }
    expect(sandbox, &["undo", "--discard-changes"], 0).map(drop).map_err(said)
}

#[test]
fn an_abandonment_gets_over_any_error_of_the_system() {
    let words = vec!["resume", "--abandon"];
    play(&Play { name: "abandon", words, codes: &[1, 2, 3], make: paused, after: abandoned }, 0, 30);
}

fn cleaned(sandbox: &Sandbox, ran: &Ran, before: &Before) -> Result<(), String> {
    let said = |why: String| format!("{why}\nafter: exit {}\n{}{}", ran.code, ran.stdout, ran.stderr);
    same_tree(sandbox, before).map_err(said)?;
    expect(sandbox, &["clean", "--all"], 0).map_err(said)?;
    same_tree(sandbox, before).map_err(said)?;
    let refs = super::undo::refs(sandbox);
    if refs.is_empty() { Ok(()) } else { Err(said(format!("refs are left: {refs}"))) }
}

#[test]
fn a_clean_gets_over_any_error_of_the_system() {
    left_to_the_night!();
    let words = vec!["clean", "--all"];
    play(&Play { name: "clean", words, codes: &[0, 1, 2], make: changed, after: cleaned }, 1, 30);
}

/// A fixer that mends the one thing that is wrong.
fn broken() -> Sandbox {
    project("echo two >>src.txt; block src.txt\n", "grep -q two src.txt\n", "")
}

fn fixed(sandbox: &Sandbox, ran: &Ran, before: &Before) -> Result<(), String> {
    let said = |why: String| format!("{why}\nafter: exit {}\n{}", ran.code, ran.stderr);
    if ran.code == 2 {
        same_tree(sandbox, before).map_err(said)?;
    }
    expect(sandbox, &["fix"], 0).map_err(said)?;
    if sandbox.read("src.txt").contains("two") { Ok(()) } else { Err(said("it is not mended".to_owned())) }
}

#[test]
fn a_fix_gets_over_any_error_of_the_system() {
    play(&Play { name: "fix", words: vec!["fix"], codes: &[0, 2, 3], make: broken, after: fixed }, 0, 30);
}

fn suite() -> Sandbox {
    let sandbox = super::mdtest::suite(&[("a.test.md", super::mdtest::PASS)]);
    sandbox.git(&["init", "-q", "-b", "main"]);
    sandbox.commit();
    sandbox
}

fn tested(sandbox: &Sandbox, ran: &Ran, _before: &Before) -> Result<(), String> {
    let said = |why: String| format!("{why}\nafter: exit {}\n{}{}", ran.code, ran.stdout, ran.stderr);
    let tests = sandbox.read("a.test.md") == super::mdtest::PASS;
    expect(sandbox, &["mdtest"], 0).map_err(said)?;
    if tests { Ok(()) } else { Err(said("the test is not as it was".to_owned())) }
}

#[test]
fn a_markdown_suite_gets_over_any_error_of_the_system() {
    play(
        &Play { name: "mdtest", words: vec!["mdtest"], codes: &[0, 1, 2], make: suite, after: tested },
        0,
        30,
    );
}

fn looked(sandbox: &Sandbox, ran: &Ran, before: &Before) -> Result<(), String> {
    let said = |why: String| format!("{why}\nafter: exit {}\n{}{}", ran.code, ran.stdout, ran.stderr);
    same_tree(sandbox, before).map_err(said)
}

#[test]
fn a_checkup_gets_over_any_error_of_the_system() {
    play(
        &Play { name: "doctor", words: vec!["doctor"], codes: &[0, 1, 2], make: fresh, after: looked },
        0,
        30,
    );
}

/// Errors in a git of the run's: the k-th that is started, at a call that any git makes.
#[test]
fn a_run_gets_over_any_error_in_a_git() {
    left_to_the_night!();
    let Some(size) = Size::of("gits", 1, 60).filter(|_| can_inject()) else { return };
    let sandbox = fresh();
    let saved = Saved::of(&sandbox);
    let before = Before::of(&sandbox);
    let real = Ran::of(&sandbox.command("sh").args(["-c", "command -v git"]).output().unwrap()).stdout;
    std::fs::create_dir_all(sandbox.beside("bin")).unwrap();
    let counter = sandbox.beside("gits");
    let program = |wanted: usize, fault: &str| {
        let text = format!(
            "#!/bin/sh\nn=$(($(cat {at} 2>/dev/null || echo 0) + 1)); echo $n >{at}\n\
             test $n != {wanted} || exec strace -qq -o /dev/null -e trace=none -e inject={fault} {real} \"$@\"\n\
             exec {real} \"$@\"\n",
            at = counter.display(),
            real = real.trim()
        );
        std::fs::write(sandbox.beside("bin/git"), text).unwrap();
        make_executable(&sandbox.beside("bin/git"));
        let _ = std::fs::remove_file(&counter);
    };
    let go = || {
        let mut tdd = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        Ran::of(&tdd.env("PATH", path_with(&sandbox.beside("bin"))).arg("STE-1").output().unwrap())
    };
    program(0, "");
    go().expect(0);
    let all: usize = std::fs::read_to_string(&counter).unwrap().trim().parse().unwrap();
    let faults = [
        "write:error=ENOSPC:when=1",
        "openat:error=EMFILE:when=12",
        "read:error=EIO:when=7",
        "mkdir:error=EIO:when=1",
        "fsync:error=ENOSPC:when=1",
        "write:error=EIO:when=1+",
        "mmap:error=ENOMEM:when=20",
        "openat:error=EIO:when=9+",
    ];
    let play = Play { name: "gits", words: vec!["STE-1"], codes: &[0, 2, 3], make: fresh, after: gone_on };
    let (points, mut wrong) = (size.points(), Vec::new());
    for at in 0..points {
        let (number, fault) = (1 + at * (all - 1) / points.max(2), faults[at % faults.len()]);
        saved.again();
        program(number, fault);
        let ran = go();
        let checked = common(&play, &ran, &sandbox, &before).and_then(|()| gone_on(&sandbox, &ran, &before));
        wrong.extend(checked.err().map(|why| format!("=== git {number} of {all}, {fault}\n{why}\n")));
    }
    println!("faults: {:<10} {points:>3} points, {} wrong", "gits", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is put back after a child is what was read before it: a file that could not be read then must not look
/// new, and be removed. The repository of the person hangs on the first of these.
#[test]
fn a_file_of_git_that_cannot_be_read_before_a_child_is_not_removed_after_it() {
    left_to_the_night!();
    if !can_inject() {
        return;
    }
    let sandbox = fresh();
    let saved = Saved::of(&sandbox);
    let before = Before::of(&sandbox);
    traced(&sandbox, &[], &["STE-1"]).expect(0);
    let text = trace(&sandbox);
    for name in ["HEAD", "index"] {
        let is_it = |line: &&str| line.contains(&format!("/repo/.git>, \"{name}\", O_RDONLY"));
        let place =
            |text: &str| text.lines().filter(|line| line.starts_with("openat(")).position(|at| is_it(&at));
        let mut first = place(&text).expect("it is read before a child");
        for error in ["EMFILE", "EIO"] {
            let hits = |line: &str| line.contains("(INJECTED)") && line.contains(&format!("\"{name}\""));
            // How often a run looks at processes depends on how fast they are, so another file may be hit: the next
            // try goes by what this one has opened.
            let ran = (0..20).find_map(|_| {
                saved.again();
                let inject = format!("inject=openat:error={error}:when={}", first + 1);
                let ran = traced(&sandbox, &["-e", &inject], &["STE-1"]);
                let text = trace(&sandbox);
                first = place(&text).unwrap_or(first);
                text.lines().any(hits).then_some(ran)
            });
            let Some(ran) = ran else { panic!("{name} was never hit") };
            assert!(sandbox.path(".git").join(name).exists(), "{name} {error}: {}", ran.stderr);
            assert_eq!(git_state(&sandbox), before.git, "{name} {error}");
            assert!([2, 3].contains(&ran.code), "{name} {error}: {} {}", ran.code, ran.stderr);
        }
    }
}

/// A thread or a pair of sockets that can't be had is a trouble. Libraries that make them panic, too.
#[test]
fn a_thread_or_a_socket_that_cannot_be_had_is_no_panic() {
    left_to_the_night!();
    if !can_inject() {
        return;
    }
    let sandbox = fresh();
    let saved = Saved::of(&sandbox);
    for (words, codes) in [(["doctor"], &[0, 1, 2][..]), (["STE-1"], &[0, 2, 3])] {
        saved.again();
        traced(&sandbox, &[], &words);
        let calls = trace(&sandbox);
        for (call, error) in [("clone3", "EAGAIN"), ("socketpair", "EMFILE")] {
            let all = calls.lines().filter(|line| line.starts_with(&format!("{call}("))).count();
            let numbers: BTreeSet<usize> = [1, 2, all / 2, all].into_iter().filter(|one| *one > 0).collect();
            for number in numbers {
                saved.again();
                let inject = format!("inject={call}:error={error}:when={number}");
                let ran = traced(&sandbox, &["-e", &inject], &words);
                let said = format!("{words:?} {call} {number}: exit {}\n{}", ran.code, ran.stderr);
                assert!(!ran.stderr.contains("panicked"), "{said}");
                assert!(codes.contains(&ran.code), "{said}");
            }
        }
    }
}
