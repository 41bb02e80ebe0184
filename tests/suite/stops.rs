//! Signals to the real binary, and a real SIGKILL: who is gone afterwards, and what is kept.
//!
//! No test sleeps. Children say through a named pipe that they are up, and tests wait for that or
//! for the end of a process.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

use super::sandbox::{Ran, Sandbox};

/// Far longer than anything takes here, also on a loaded machine.
const PATIENCE: Timespec = Timespec { tv_sec: 60, tv_nsec: 0 };

/// A block that a role may end with.
pub const BLOCK: &str = r"block() {
  printf '```tdd-result\nrole: %s\nstatus: ok\nfiles: [%s]\ncommand: t\noutput_excerpt: x\n```\n' $role $1
}
";

/// A project whose test command is `check.sh` and whose agent is `agent.sh`, both shell scripts
/// beside the repository, which is `$PWD`.
pub fn project(agent: &str, check: &str, more: &str) -> Sandbox {
    let sandbox = Sandbox::with(&[
        (
            "tdd.yaml",
            &format!(
                "test: sh ../check.sh\nrunner: {{ kind: exit-code, all: sh ../check.sh }}\ntest_files: [\"tests/**\"]\nbackoff: [0s, 0s]\n\
                 agent: mine\nagents:\n  mine:\n    argv: [sh, \"{{cwd}}/../agent.sh\", \"{{role}}\", \"{{prompt_file}}\"]\n\
                 \x20   stop: {{ interrupt: 100s, terminate: 100s }}\n{more}"
            ),
        ),
        ("src.txt", "one\n"),
        ("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: src.txt says two.\n"),
    ]);
    let agent = format!("role=$1\n{BLOCK}{agent}");
    std::fs::write(beside(&sandbox, "agent.sh"), agent).unwrap();
    std::fs::write(beside(&sandbox, "check.sh"), check).unwrap();
    sandbox
}

pub fn beside(sandbox: &Sandbox, name: &str) -> PathBuf {
    sandbox.repo().parent().unwrap().join(name)
}

/// A check that is green until the test-writer's test is there, and then when `src.txt` says two.
pub const HONEST_CHECK: &str = "test ! -e tests/ac_ste_1_1.sh || sh tests/ac_ste_1_1.sh\n";
/// An agent that does its work in every role.
pub const HONEST_AGENT: &str = "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;
implementer) echo two >>src.txt; block src.txt;;
*) block '';;
esac
";

/// `tdd` at work, in a process group of its own as a shell starts it.
struct Running {
    child: Child,
    up: File,
}

impl Running {
    fn start(sandbox: &Sandbox, wrap: &[&str]) -> Self {
        Self::start_with(sandbox, wrap, &["STE-1"])
    }

    fn start_with(sandbox: &Sandbox, wrap: &[&str], words: &[&str]) -> Self {
        let up = listen(sandbox, "up");
        let mut argv: Vec<&str> = wrap.to_vec();
        argv.push(env!("CARGO_BIN_EXE_tdd"));
        argv.extend(words);
        let mut command = sandbox.command(argv[0]);
        command.args(&argv[1..]).process_group(0);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        Self { child, up }
    }

    /// What a child wrote into the pipe `up`: one line.
    #[track_caller]
    fn hears(&mut self) -> String {
        hear(&mut self.up)
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    fn send(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    fn ends(self) -> Ran {
        Ran::of(&self.child.wait_with_output().unwrap())
    }
}

pub fn listen(sandbox: &Sandbox, name: &str) -> File {
    let path = beside(sandbox, name);
    if !path.exists() {
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    }
    // Both ends, so that it opens at once and never ends.
    let pipe = rustix::fs::open(&path, OFlags::RDWR | OFlags::CLOEXEC, Mode::empty()).unwrap();
    File::from(pipe)
}

#[track_caller]
pub fn hear(pipe: &mut File) -> String {
    let mut line = String::new();
    loop {
        let mut wanted = [PollFd::new(pipe, PollFlags::IN)];
        assert_ne!(poll(&mut wanted, Some(&PATIENCE)).unwrap(), 0, "nobody said anything after {line:?}");
        let mut byte = [0];
        pipe.read_exact(&mut byte).unwrap();
        if byte == *b"\n" {
            return line;
        }
        line.push(char::from(byte[0]));
    }
}

pub fn is_gone(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

#[track_caller]
pub fn all_gone(pids: &str) {
    assert!(pids.split_whitespace().count() > 0);
    for pid in pids.split_whitespace() {
        assert!(is_gone(pid), "process {pid} of {pids} is alive");
    }
}

/// The journal is whole, ends with `stopped`, and can be read by the other commands.
#[track_caller]
fn kept(sandbox: &Sandbox) {
    let journal = std::fs::read_to_string(sandbox.run_dir().join("events.jsonl")).unwrap();
    assert!(journal.ends_with('\n'), "torn: {journal}");
    assert_eq!(sandbox.events().last().map(String::as_str), Some("stopped"));
    sandbox.tdd(&["status"]).expect(0);
    sandbox.tdd(&["log"]).expect(0);
    no_exchange(sandbox);
    let notes = std::fs::read_dir(sandbox.run_dir().join("children"));
    assert_eq!(notes.map_or(0, Iterator::count), 0, "notes of children are left");
}

#[track_caller]
pub fn no_exchange(sandbox: &Sandbox) {
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
    };
    let beside = sandbox.repo().parent().unwrap().to_owned();
    let shared = beside.join(format!("tdd-{}", rustix::process::geteuid().as_raw()));
    let mut left = names(&shared);
    left.extend(names(&beside).into_iter().filter(|name| name.starts_with("tdd-copy-")));
    assert!(left.is_empty(), "{left:?}");
}

/// Leaves one process in a session of its own and one in the background, says who is there, and
/// ends in order when it is interrupted.
const HEEDS: &str = "trap 'echo heard >>../heard; exit 0' INT
setsid sleep 1000 & far=$!
sleep 1000 & near=$!
echo $$ $far $near >../up
while :; do wait $near; done
";

#[test]
fn each_signal_stops_the_agent_in_order_and_keeps_the_state() {
    left_to_the_night!();
    for (signal, code) in [(Signal::INT, 130), (Signal::QUIT, 131), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let sandbox = project(HEEDS, "exit 0", "");
        let mut tdd = Running::start(&sandbox, &[]);
        let pids = tdd.hears();
        tdd.send(signal);
        tdd.ends().expect(code).says(&["stopped", "run folder"]);
        assert_eq!(std::fs::read_to_string(beside(&sandbox, "heard")).unwrap(), "heard\n", "killed at once");
        all_gone(&pids);
        kept(&sandbox);
    }
}

#[test]
fn a_second_signal_ends_a_tdd_that_is_stuck_itself() {
    left_to_the_night!();
    let sandbox = project(HEEDS, "exit 0", "");
    let mut up = listen(&sandbox, "up");
    let (_unread, to_child) = std::io::pipe().unwrap();
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    let full = to_child.try_clone().unwrap();
    let mut tdd =
        command.arg("STE-1").process_group(0).stdout(Stdio::null()).stderr(to_child).spawn().unwrap();
    let pids = hear(&mut up);
    // Its next line can't be printed, and nothing wakes it.
    rustix::io::ioctl_fionbio(&full, true).unwrap();
    while rustix::io::write(&full, &[b'x'; 4096]).is_ok() {}
    rustix::io::ioctl_fionbio(&full, false).unwrap();
    kill_process(Pid::from_child(&tdd), Signal::INT).unwrap();
    while !beside(&sandbox, "heard").exists() {
        std::thread::yield_now();
    }
    kill_process(Pid::from_child(&tdd), Signal::INT).unwrap();
    assert_eq!(tdd.wait().unwrap().signal(), Some(Signal::INT.as_raw()));
    all_gone(&pids);
}

#[test]
fn a_second_signal_kills_at_once() {
    let stubborn = "trap 'echo int >../up' INT; trap '' TERM
setsid sleep 1000 & far=$!
echo $$ $far >../up
while :; do sleep 0.02; done
";
    let sandbox = project(stubborn, "exit 0", "");
    let mut tdd = Running::start(&sandbox, &[]);
    let pids = tdd.hears();
    tdd.send(Signal::INT);
    assert_eq!(tdd.hears(), "int");
    // The ladder's next step is 100 s away.
    tdd.send(Signal::INT);
    tdd.ends().expect(130);
    all_gone(&pids);
    kept(&sandbox);
}

#[test]
fn a_child_that_ignores_every_signal_is_killed_when_its_time_is_up() {
    let deaf = "trap '' INT TERM HUP QUIT; echo $$ >../up; while :; do sleep 0.02; done\n";
    let sandbox = project(deaf, "exit 0", "");
    let yaml = sandbox.read("tdd.yaml").replace("100s", "50ms");
    sandbox.write("tdd.yaml", &yaml);
    let mut tdd = Running::start(&sandbox, &[]);
    let pids = tdd.hears();
    tdd.send(Signal::TERM);
    tdd.ends().expect(143);
    all_gone(&pids);
    kept(&sandbox);
}

#[test]
fn under_nohup_a_hangup_is_nothing() {
    let agent = "trap 'echo heard >../up; exit 0' INT; echo $$ >../up; while :; do sleep 0.02; done\n";
    let sandbox = project(agent, "exit 0", "");
    let mut tdd = Running::start(&sandbox, &["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"]);
    let pids = tdd.hears();
    tdd.send(Signal::HUP);
    tdd.send(Signal::INT);
    assert_eq!(tdd.hears(), "heard");
    tdd.ends().expect(130);
    all_gone(&pids);
    kept(&sandbox);
}

#[test]
fn the_baseline_can_be_stopped_and_leaves_nothing_unfinished() {
    left_to_the_night!();
    let sandbox = project(HONEST_AGENT, "echo $$ >../up; trap '' INT TERM; sleep 1000; sleep 1000", "");
    let before = sandbox.everything();
    let mut tdd = Running::start(&sandbox, &[]);
    let pids = tdd.hears();
    tdd.send(Signal::INT);
    // Either the ladder or the second signal ends it; the second makes the test quick.
    tdd.send(Signal::INT);
    tdd.ends().expect(130);
    all_gone(&pids);
    kept(&sandbox);
    assert_eq!(sandbox.everything(), before);
    std::fs::write(beside(&sandbox, "check.sh"), HONEST_CHECK).unwrap();
    sandbox.tdd(&["STE-1", "--new"]).expect(0);
}

#[test]
fn a_verifying_run_can_be_stopped() {
    let check = "test ! -e tests/ac_ste_1_1.sh || { setsid sleep 1000 & echo $$ $! >../up; wait; }\n";
    let sandbox = project(HONEST_AGENT, check, "");
    let mut tdd = Running::start(&sandbox, &[]);
    let pids = tdd.hears();
    tdd.send(Signal::INT);
    tdd.ends().expect(130);
    all_gone(&pids);
    kept(&sandbox);
    assert_eq!(sandbox.forks(), 1);
}

#[test]
fn a_signal_between_two_children_is_heeded_by_the_next() {
    // The child has said all and is ending when the signal comes: whatever is heard first, nothing
    // is forked after it.
    let agent = format!("kill -INT $PPID\n{HONEST_AGENT}");
    let sandbox = project(&agent, HONEST_CHECK, "");
    Running::start(&sandbox, &[]).ends().expect(130);
    kept(&sandbox);
    assert_eq!(sandbox.forks(), 1);
}

#[test]
fn a_stop_by_the_terminal_stops_the_children_too() {
    let agent = "setsid sh -c 'echo $$ >../far; exec sleep 1000' &
while ! test -s ../far; do sleep 0.02; done
echo $$ $(cat ../far) >../up; read line <../go
block ''
";
    let sandbox = project(agent, "exit 0", "");
    let _go = listen(&sandbox, "go");
    let mut tdd = Running::start(&sandbox, &[]);
    let pids = tdd.hears();
    let states = || -> Vec<String> {
        let state = |pid: &str| std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        pids.split_whitespace().map(|pid| state(pid).split(' ').nth(2).unwrap_or("?").to_owned()).collect()
    };
    tdd.send(Signal::TSTP);
    let (_, change) = waitpid(Some(tdd.pid()), WaitOptions::UNTRACED).unwrap().unwrap();
    assert!(change.stopped(), "{change:?}");
    // A signal was sent to each; when it takes effect is the system's affair.
    let end = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while states() != ["T", "T"] {
        assert!(std::time::Instant::now() < end, "the child and what it started: {:?}", states());
        std::thread::yield_now();
    }
    tdd.send(Signal::CONT);
    std::fs::write(beside(&sandbox, "go"), "\n\n\n\n\n\n").unwrap();
    // Its test-writer wrote no test, so the run halts; that it went on at all is what counts.
    tdd.ends().expect(1);
    all_gone(&pids);
}

/// A project whose run was killed, the ids of the processes that it has left, and of all that it had.
pub fn killed() -> (Sandbox, Vec<String>, String) {
    // Marked and in a session of its own; unmarked, in the child's session.
    // Each says when the hangup that the session's end brings can't reach it any more.
    let agent = "mkfifo ../far ../near
setsid sh -c 'echo far >../far; exec sleep 1000' & far=$!
read word <../far
(trap '' HUP; echo near >../near; exec env -i sleep 1000) & near=$!
read word <../near
echo $$ $far $near >../up
wait
";
    let sandbox = project(agent, HONEST_CHECK, "");
    let mut tdd = Running::start(&sandbox, &[]);
    let pids = tdd.hears();
    tdd.send(Signal::KILL);
    tdd.ends().expect(137);
    let left: Vec<String> =
        pids.split_whitespace().skip(1).filter(|pid| !is_gone(pid)).map(str::to_owned).collect();
    assert_eq!(left.len(), 2, "nothing is left of {pids}, so nothing is tested");
    (sandbox, left, pids)
}

#[test]
fn what_a_killed_run_left_is_ended_by_the_next() {
    left_to_the_night!();
    let (sandbox, left, pids) = killed();
    std::fs::write(beside(&sandbox, "agent.sh"), format!("role=$1\n{BLOCK}{HONEST_AGENT}")).unwrap();
    let ran = sandbox.tdd(&["STE-1", "--new"]).expect(0).says(&["ended process", "tdd-exchange-"]);
    for pid in left {
        assert!(ran.stderr.contains(&format!("ended process {pid} (`sleep`)")), "{}", ran.stderr);
    }
    all_gone(&pids);
    no_exchange(&sandbox);
    let clean = sandbox.tdd(&["STE-1", "--dry-run"]).expect(0);
    assert!(!clean.stderr.contains("ended process"), "{}", clean.stderr);
}

/// Whoever takes a killed run back, or removes it, leaves nothing of it; a run that ended by itself has left nothing.
#[test]
fn ac_tdd_9_51_what_a_killed_run_left_is_ended_by_an_undo_and_by_a_clean() {
    left_to_the_night!();
    for words in [["undo", "@"], ["clean", "@"]] {
        let (sandbox, left, pids) = killed();
        let ran = sandbox.tdd(&words);
        for pid in left {
            assert!(ran.stderr.contains(&format!("ended process {pid} (`sleep`)")), "{}", ran.stderr);
        }
        ran.says(&["tdd-exchange-"]);
        all_gone(&pids);
        no_exchange(&sandbox);
        let doctor = sandbox.tdd(&["doctor"]);
        assert!(doctor.stdout.contains("killed runs have left nothing"), "{}", doctor.stdout);
        let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
        sandbox.tdd(&["STE-1"]).expect(0);
        let ran = sandbox.tdd(&words).expect(0);
        assert!(!ran.stderr.contains("left by a run"), "{}", ran.stderr);
    }
}

#[test]
fn a_child_that_kills_its_parent_leaves_nothing_for_long() {
    left_to_the_night!();
    let agent = "mkfifo ../far
setsid sh -c 'echo far >../far; exec sleep 1000' & far=$!
read word <../far
echo $far >../up; kill -KILL $PPID; sleep 1000\n";
    let sandbox = project(agent, HONEST_CHECK, "");
    let mut tdd = Running::start(&sandbox, &[]);
    let pids = tdd.hears();
    tdd.ends().expect(137);
    std::fs::write(beside(&sandbox, "agent.sh"), format!("role=$1\n{BLOCK}{HONEST_AGENT}")).unwrap();
    // Also without the run's folder: the exchange folder knows the owner.
    std::fs::remove_dir_all(sandbox.path(".tdd")).unwrap();
    sandbox.tdd(&["STE-1"]).expect(0).says(&["ended process"]);
    all_gone(&pids);
    no_exchange(&sandbox);
}

#[test]
fn a_note_that_does_not_fit_ends_nobody() {
    left_to_the_night!();
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(0);
    let mut stranger = Command::new("sleep").arg("1000").spawn().unwrap();
    let pid = stranger.id();
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let started: u64 = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().parse().unwrap();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let here = format!("{} {}", boot.trim(), std::fs::read_link("/proc/self/ns/pid").unwrap().display());
    let folder = sandbox.run_dir().join("children");
    std::fs::create_dir_all(&folder).unwrap();
    let us = std::process::id();
    let own = std::fs::read_to_string("/proc/self/stat").unwrap();
    let own_start = own.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap();
    let dead = "{\"pid\":4000000,\"started\":1}";
    for (name, boot, owner, child_start) in [
        ("another-start", here.as_str(), dead, started + 1),
        ("another-boot", "11111111-1111-1111-1111-111111111111 pid:[1]", dead, started),
        ("an-owner-that-lives", &here, &format!("{{\"pid\":{us},\"started\":{own_start}}}"), started),
    ] {
        let note = format!(
            "{{\"v\":1,\"boot\":\"{boot}\",\"owner\":{owner},\"child\":{{\"pid\":{pid},\"started\":{child_start}}},\"repository\":null}}"
        );
        std::fs::write(folder.join(name), note).unwrap();
    }
    std::fs::write(folder.join("rubbish"), vec![0xff; 100_000]).unwrap();
    let ran = sandbox.tdd(&["STE-1", "--new", "--already-green", "AC-STE-1.1"]);
    assert!(!ran.stderr.contains("ended process"), "{}", ran.stderr);
    assert!(stranger.try_wait().unwrap().is_none(), "a stranger was ended");
    assert!(!folder.join("another-boot").exists(), "nobody needs it any more");
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

#[test]
fn what_passes_is_waited_for_and_spends_nothing() {
    left_to_the_night!();
    let table = "    exit_map: { 75: rate-limit }\n";
    // The first two calls are refused; then the agent works.
    let agent = format!("echo x >>../calls\ntest $(wc -l <../calls) -gt 2 || exit 75\n{HONEST_AGENT}");
    let sandbox = project(&agent, HONEST_CHECK, table);
    let ran = sandbox.tdd(&["STE-1"]).expect(0).says(&["trying again in 0 s (wait 1 of 2", "(wait 2 of 2"]);
    assert_eq!(sandbox.forks(), 3, "three roles, one attempt each: {}", ran.stderr);
    no_exchange(&sandbox);

    let sandbox = project("echo x >>../calls; exit 75", HONEST_CHECK, table);
    sandbox.tdd(&["STE-1"]).expect(3).says(&["limit", "resume"]);
    assert_eq!(std::fs::read_to_string(beside(&sandbox, "calls")).unwrap().lines().count(), 3);
    assert_eq!(sandbox.forks(), 1);
    assert_eq!(sandbox.events().last().map(String::as_str), Some("paused"));
}

#[test]
fn a_wait_is_ended_at_once_by_a_signal() {
    let sandbox = project("exit 75", HONEST_CHECK, "    exit_map: { 75: overload }\n");
    let yaml = sandbox.read("tdd.yaml").replace("backoff: [0s, 0s]", "backoff: [1h]");
    sandbox.write("tdd.yaml", &yaml);
    let mut tdd = Running::start(&sandbox, &[]);
    let mut stderr = tdd.child.stderr.take().unwrap();
    let mut said = Vec::new();
    while !String::from_utf8_lossy(&said).contains("trying again in 3600 s") {
        let mut byte = [0];
        assert_eq!(stderr.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&said));
        said.extend(byte);
    }
    tdd.send(Signal::INT);
    // The pipe is read to its end, or the last message could not be written.
    stderr.read_to_end(&mut said).unwrap();
    tdd.ends().expect(130);
    kept(&sandbox);
}

/// A fixer is stopped in mid-work: it is gone, and the tree is as it was before it.
#[test]
fn a_stop_while_a_fixer_works_keeps_the_best_state() {
    left_to_the_night!();
    let agent = "echo worse >src.txt\necho $$ >../up\nexec sleep 1000\n";
    let sandbox = project(agent, "grep -q two src.txt\n", "");
    for (signal, code) in [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130)] {
        let mut running = Running::start_with(&sandbox, &[], &["fix"]);
        let pid = running.hears();
        running.send(signal);
        let ran = running.ends().expect(code);
        assert!(ran.stderr.contains("the best state is kept"), "{}", ran.stderr);
        assert_eq!(sandbox.read("src.txt"), "one\n");
        all_gone(&pid);
        kept(&sandbox);
    }
    let status = sandbox.tdd(&["status"]).expect(0).stdout;
    assert!(status.contains("stopped by signal"), "{status}");
}

/// Its implementer has done half of its work and works on, until it is gone on with.
const HALF_WAY: &str = "case $role in
test-writer) mkdir -p tests; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;
implementer)
  if [ -e ../again ]; then echo two >>src.txt; block src.txt; exit; fi
  echo half >>src.txt; trap 'exit 0' INT; echo here >../up
  while :; do sleep 1000 & wait $!; done;;
*) block '';;
esac
";

#[test]
fn ac_tdd_7_14_what_a_person_did_since_a_stop_is_shown_and_not_taken_back() {
    left_to_the_night!();
    for signal in [Signal::TERM, Signal::INT] {
        let sandbox = project(HALF_WAY, HONEST_CHECK, "");
        let mut tdd = Running::start(&sandbox, &[]);
        assert_eq!(tdd.hears(), "here");
        tdd.send(signal);
        tdd.ends();
        std::fs::write(beside(&sandbox, "again"), "").unwrap();
        sandbox.write("notes.txt", "mine\n");
        let words = ["files were changed since the implementer was stopped", "notes.txt", "--edited"];
        sandbox.tdd(&["resume"]).expect(3).says(&words);
        assert_eq!(
            (sandbox.read("notes.txt"), sandbox.read("src.txt")),
            ("mine\n".into(), "one\nhalf\n".into())
        );
        // The twin: what the child left is put back without a word of anybody's.
        std::fs::remove_file(sandbox.path("notes.txt")).unwrap();
        sandbox.tdd(&["resume"]).expect(0);
        assert_eq!(sandbox.read("src.txt"), "one\ntwo\n");
    }
}

/// Nobody can tell then whose work it is: all of it is kept and named.
#[test]
fn what_a_person_did_since_a_kill_is_kept_and_named() {
    left_to_the_night!();
    let sandbox = project(HALF_WAY, HONEST_CHECK, "");
    let mut tdd = Running::start(&sandbox, &[]);
    assert_eq!(tdd.hears(), "here");
    tdd.send(Signal::KILL);
    tdd.ends();
    std::fs::write(beside(&sandbox, "again"), "").unwrap();
    sandbox.write("notes.txt", "mine\n");
    let resumed = sandbox.tdd(&["resume"]).expect(0);
    resumed.says(&["notes.txt is as before the attempt", "git restore --source="]);
}
