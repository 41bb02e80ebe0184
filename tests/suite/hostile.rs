//! Test commands, children and surroundings at their worst: the right exit code with a message, and
//! no process left.

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use rustix::fs::{Mode, OFlags};

use super::sandbox::{Ran, Sandbox, has};
use super::stops::{HONEST_AGENT, HONEST_CHECK, beside, is_gone, no_exchange, project};

/// Everybody whose process id was noted in `pids` beside the repository is gone, and at least one was.
#[track_caller]
fn nobody_left(sandbox: &Sandbox) {
    let pids = std::fs::read_to_string(beside(sandbox, "pids")).unwrap();
    assert!(!pids.trim().is_empty());
    for pid in pids.split_whitespace() {
        assert!(is_gone(pid), "process {pid} is alive");
    }
    no_exchange(sandbox);
}

fn set(sandbox: &Sandbox, setting: &str) {
    let yaml = sandbox.read("tdd.yaml");
    sandbox.write("tdd.yaml", &format!("{setting}\n{yaml}"));
}

#[test]
fn a_test_command_that_hangs_is_refused_before_the_first_fork() {
    let sandbox = project(HONEST_AGENT, "echo $$ >>../pids; sleep 1000", "");
    set(&sandbox, "deadline: 1s");
    sandbox.tdd(&["STE-1"]).expect(2).says(&["red before anything was done", "deadline", "next:"]);
    nobody_left(&sandbox);
}

#[test]
fn a_test_command_that_hangs_after_red_is_no_red() {
    left_to_the_night!();
    let check =
        format!("test ! -e tests/ac_ste_1_1.sh || {{ echo $$ >>../pids; sleep 1000; }}\n{HONEST_CHECK}");
    let sandbox = project(HONEST_AGENT, &check, "");
    set(&sandbox, "deadline: 1s");
    sandbox.tdd(&["STE-1"]).expect(1);
    assert_eq!(sandbox.forks(), 2);
    nobody_left(&sandbox);
}

#[test]
fn a_test_command_that_floods_is_cut_at_its_cap() {
    let sandbox = project(HONEST_AGENT, "echo $$ >>../pids; yes", "");
    set(&sandbox, "output_cap: 1MiB");
    sandbox.tdd(&["STE-1"]).expect(2).says(&["red before anything was done", "output", "next:"]);
    nobody_left(&sandbox);
}

#[test]
fn a_test_command_s_server_does_not_stay() {
    let check = format!("setsid sleep 1000 & echo $! >>../pids\n{HONEST_CHECK}");
    let sandbox = project(HONEST_AGENT, &check, "");
    sandbox.tdd(&["STE-1"]).expect(0);
    nobody_left(&sandbox);
}

#[test]
fn a_test_command_that_vanishes_pauses_the_run() {
    let agent = format!("rm ../check.sh\n{HONEST_AGENT}");
    let sandbox = project(&agent, &format!("#!/bin/sh\n{HONEST_CHECK}"), "");
    let check = beside(&sandbox, "check.sh");
    std::fs::set_permissions(check, std::fs::Permissions::from_mode(0o755)).unwrap();
    let yaml = sandbox.read("tdd.yaml").replace("sh ../check.sh", "../check.sh");
    sandbox.write("tdd.yaml", &yaml);
    sandbox.tdd(&["STE-1"]).expect(3).says(&["could not be run", "next:"]);
    assert_eq!(sandbox.events().last().map(String::as_str), Some("paused"));
}

#[test]
fn bytes_of_every_kind_and_an_endless_line_are_only_output() {
    left_to_the_night!();
    let noise =
        "printf '\\377\\376\\000\\303(\\033]0;x\\007\\033[2J'; head -c 3000000 /dev/zero | tr '\\0' x\n";
    let sandbox = project(&format!("{noise}echo\n{HONEST_AGENT}"), &format!("{noise}{HONEST_CHECK}"), "");
    let ran = sandbox.tdd(&["STE-1"]).expect(0);
    assert!(!ran.stderr.contains('\0') && !ran.stderr.contains('\u{1b}'), "{}", ran.stderr);
    assert!(ran.stderr.lines().all(|line| line.len() < 2000));
}

#[test]
fn a_child_that_closes_its_output_is_waited_for_until_its_deadline() {
    left_to_the_night!();
    let agent = "echo $$ >>../pids; exec >&- 2>&- </dev/null; sleep 1000\n";
    for stdio in ["pty", "pipe"] {
        let sandbox = project(agent, HONEST_CHECK, &format!("    stdio: {stdio}\n    wall: 300ms\n"));
        let yaml = sandbox.read("tdd.yaml").replace("100s", "10ms");
        sandbox.write("tdd.yaml", &yaml);
        sandbox.tdd(&["STE-1"]).expect(1);
        assert_eq!(sandbox.forks(), 2, "a child that was cut off spends the budget");
        nobody_left(&sandbox);
    }
}

#[test]
fn a_child_that_closes_its_output_and_ends_in_time_is_judged_like_any_other() {
    let agent = HONEST_AGENT.replace("*) block", "*) exec 3>&1 >&- 2>&-; sh -c : ; exec >&3 3>&-; block");
    let sandbox = project(&agent, HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(0);
}

#[test]
fn a_child_that_reads_its_input_gets_none() {
    left_to_the_night!();
    for stdio in ["pty", "pipe"] {
        let agent = format!("test \"$(cat | wc -c)\" -eq 0 || exit 9\n{HONEST_AGENT}");
        let sandbox = project(&agent, HONEST_CHECK, &format!("    stdio: {stdio}\n"));
        sandbox.tdd(&["STE-1"]).expect(0);
    }
}

#[test]
fn a_child_that_forks_twice_leaves_nobody() {
    let daemon = "(setsid sh -c 'echo $$ >>../pids; trap \"\" TERM INT HUP; exec sleep 1000' &) \n\
                  while ! test -s ../pids; do sleep 0.02; done\n";
    let sandbox = project(&format!("{daemon}{HONEST_AGENT}"), HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(0);
    nobody_left(&sandbox);
}

#[test]
fn a_child_that_deletes_the_runs_is_told_of_and_pauses() {
    left_to_the_night!();
    for role in ["test-writer", "implementer", "refactorer"] {
        let agent = format!("test $role != {role} || rm -rf .tdd\n{HONEST_AGENT}");
        let sandbox = project(&agent, HONEST_CHECK, "");
        let ran = sandbox.tdd(&["STE-1"]).expect(3).says(&["next:"]);
        assert!(
            ran.stderr.contains("the journal in") && ran.stderr.contains("by somebody else"),
            "{role}: {}",
            ran.stderr
        );
        no_exchange(&sandbox);
    }
}

#[test]
fn a_child_that_deletes_its_exchange_folder_harms_nobody_but_itself() {
    left_to_the_night!();
    for which in ["$(dirname $2)", "$(dirname $(dirname $2))"] {
        let sandbox = project(&format!("rm -rf {which}\n{HONEST_AGENT}"), HONEST_CHECK, "");
        sandbox.tdd(&["STE-1"]).expect(0);
        no_exchange(&sandbox);
    }
}

#[test]
fn a_tree_that_can_not_be_written_is_refused() {
    let is_root = rustix::process::geteuid().is_root();
    if is_root && !has("setpriv", &["setpriv", "--reuid=65534", "true"]) {
        return;
    }
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
    let mode = |path: std::path::PathBuf, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(beside(&sandbox, ""), 0o777);
    mode(sandbox.repo(), 0o555);
    let tdd = env!("CARGO_BIN_EXE_tdd");
    // Nothing keeps root from writing, so it becomes somebody else, who may be let into the folders.
    let mut command = if is_root {
        let mut command = sandbox.command("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", tdd]);
        command
    } else {
        sandbox.command(tdd)
    };
    let ran = Ran::of(&command.arg("STE-1").output().unwrap());
    mode(sandbox.repo(), 0o755);
    if is_root && ran.code == 127 {
        println!("skipped: the binary lies where nobody else may look");
        return;
    }
    ran.expect(2).says(&["next:"]);
    assert!(!sandbox.path(".tdd").exists());
}

#[test]
fn closed_streams_stop_nothing() {
    left_to_the_night!();
    for (what, close) in [("closed", ">&- 2>&-"), ("all closed", "<&- >&- 2>&-"), ("stdout only", ">&-")] {
        for flag in ["", "--json", "--quiet"] {
            let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
            let line = format!("exec {} STE-1 {flag} {close}", env!("CARGO_BIN_EXE_tdd"));
            let output = sandbox.command("sh").args(["-c", &line]).output().unwrap();
            assert_eq!(output.status.code(), Some(0), "{what} {flag}: {output:?}");
            assert_eq!(sandbox.events().last().map(String::as_str), Some("finished"));
        }
    }
}

#[test]
fn readers_that_go_away_stop_nothing() {
    left_to_the_night!();
    for flag in ["--json", "--quiet"] {
        let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.args(["STE-1", flag]).stdout(writer.try_clone().unwrap()).stderr(Stdio::from(writer));
        assert_eq!(command.status().unwrap().code(), Some(0), "{flag}");
    }
}

/// How `tdd STE-1` went on a terminal of its own.
struct OnTerminal {
    code: i32,
    seen: String,
}

/// What is typed after a word was seen.
struct Typed {
    after: &'static str,
    keys: &'static [u8],
}

fn on_terminal(
    sandbox: &Sandbox,
    (rows, cols): (u16, u16),
    env: &[(&str, &str)],
    typed: Option<Typed>,
) -> OnTerminal {
    let size = portable_pty::PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
    let pair = portable_pty::native_pty_system().openpty(size).unwrap();
    let terminal = || {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        std::fs::File::from(rustix::fs::open(pair.master.tty_name().unwrap(), flags, Mode::empty()).unwrap())
    };
    // While we have it open, its end is not the end of what can be read.
    let mut ours = terminal();
    let modes = |terminal: &std::fs::File| format!("{:?}", rustix::termios::tcgetattr(terminal).unwrap());
    let before = modes(&ours);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut writer = pair.master.take_writer().unwrap();
    let mut command = sandbox.command("setsid");
    command.args(["-c", env!("CARGO_BIN_EXE_tdd"), "STE-1"]).envs(env.iter().copied());
    let mut child = command.stdin(terminal()).stdout(terminal()).stderr(terminal()).spawn().unwrap();
    let reading = std::thread::spawn(move || {
        let (mut seen, mut typed, mut bytes) = (Vec::new(), typed, [0; 4096]);
        while !seen.ends_with(b"THE-END") {
            let count = reader.read(&mut bytes).unwrap();
            seen.extend_from_slice(&bytes[..count]);
            if let Some(keys) = typed
                .take_if(|typed| String::from_utf8_lossy(&seen).contains(typed.after))
                .map(|typed| typed.keys)
            {
                writer.write_all(keys).unwrap();
            }
        }
        String::from_utf8_lossy(&seen).replace("THE-END", "")
    });
    let status = child.wait().unwrap();
    let code = status.code().unwrap_or_else(|| panic!("{status}"));
    assert_eq!(modes(&ours), before, "the terminal is not as it was");
    ours.write_all(b"THE-END").unwrap();
    let seen = reading.join().unwrap();
    // What was hidden is shown again, and no other screen is left on.
    for (on, off) in [("\u{1b}[?25l", "\u{1b}[?25h"), ("\u{1b}[?1049h", "\u{1b}[?1049l")] {
        assert_eq!(seen.matches(on).count(), seen.matches(off).count(), "{seen:?}");
    }
    OnTerminal { code, seen }
}

#[test]
fn terminals_of_any_size_and_kind_do() {
    left_to_the_night!();
    if !has("setsid", &["setsid", "true"]) {
        return;
    }
    for (size, env, plain) in [
        ((0, 0), &[("TERM", "xterm")][..], false),
        ((24, 80), &[("TERM", "xterm")], false),
        ((1, 1), &[("TERM", "xterm")], false),
        ((24, 80), &[("TERM", "dumb")], true),
        ((24, 80), &[("TERM", "xterm"), ("NO_COLOR", "1")], false),
        ((0, 0), &[], true),
    ] {
        let sandbox = project(HONEST_AGENT, HONEST_CHECK, "");
        let ran = on_terminal(&sandbox, size, env, None);
        assert_eq!(ran.code, 0, "{size:?} {env:?}: {}", ran.seen);
        assert!(ran.seen.contains("done"), "{size:?} {env:?}: {}", ran.seen);
        assert_eq!(!ran.seen.contains('\u{1b}'), plain, "{size:?} {env:?}: {:?}", ran.seen);
        let is_coloured = ["\u{1b}[3", "\u{1b}[1m", "\u{1b}[2m"].iter().any(|code| ran.seen.contains(code));
        let wants_none = plain || env.iter().any(|(name, _)| *name == "NO_COLOR");
        assert!(is_coloured != wants_none, "{size:?} {env:?}: {:?}", ran.seen);
    }
}

#[test]
fn ctrl_c_on_a_terminal_leaves_it_as_it_was() {
    if !has("setsid", &["setsid", "true"]) {
        return;
    }
    let agent = "echo $$ >>../pids; echo I am up; sleep 1000\n";
    for env in [&[("TERM", "xterm")][..], &[("TERM", "dumb")]] {
        let sandbox = project(agent, HONEST_CHECK, "");
        // The dumb one shows no child's lines, but what is open to the roles once the run has begun.
        let word = if env[0].1 == "dumb" { "isolation: " } else { "I am up" };
        let ran = on_terminal(&sandbox, (24, 80), env, Some(Typed { after: word, keys: b"\x03" }));
        assert_eq!(ran.code, 130, "{}", ran.seen);
        assert!(ran.seen.contains("stopped by signal 2"), "{}", ran.seen);
        let pids = std::fs::read_to_string(beside(&sandbox, "pids")).unwrap_or_default();
        assert!(pids.split_whitespace().all(is_gone));
    }
}
