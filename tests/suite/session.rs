//! The obligations of a child's life, over every way to start one, with real small children.
//!
//! No test sleeps: children may, and tests wait for what they print or for their end.
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test starts processes and looks at files, and fails by a panic"
)]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use tdd_child::exec;
use tdd_child::process::{
    Attended, CommandOrder, Ended, EnvBase, EnvPlan, Finished, Size, SpawnOrder, StdinPlan, run, spawn_piped,
};
use tdd_child::pty;
use tdd_child::session::{Heard, Ladder, Lived, SessionEnd, SessionLimits, live};
use tdd_core::attempt::Exhaustion;
use tdd_core::test::Exit;
use tdd_core::trouble::{Trouble, TroubleKind};
use tempfile::TempDir;
use tokio::sync::watch;

use crate::sandbox::{self, Sandbox, heed_signals};

const NEVER: Duration = Duration::from_hours(1);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Pty,
    Pipe,
}

const WAYS: [Way; 2] = [Way::Pty, Way::Pipe];

/// One child to be: its order and its bounds, to be tuned by a test.
struct Case {
    dir: TempDir,
    way: Way,
    order: SpawnOrder,
    limits: SessionLimits,
}

struct Ran {
    lived: Lived,
    heard: Vec<u8>,
    log: Vec<u8>,
}

impl Case {
    fn new(way: Way, argv: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let order = SpawnOrder {
            argv: argv.iter().map(OsString::from).collect(),
            cwd: dir.path().to_owned(),
            env: EnvPlan {
                base: EnvBase::Clear { pass: vec!["PATH".into()] },
                set: BTreeMap::from([("LC_ALL".into(), "C".into())]),
            },
            stdin: StdinPlan::Null,
            log: dir.path().join("log"),
            size: Size::default(),
            shim: PathBuf::from(env!("CARGO_BIN_EXE_tdd")),
            enclosure: None,
            ended: Ended::default(),
        };
        let limits = SessionLimits {
            wall: NEVER,
            idle: None,
            output_bytes: 64 << 20,
            ladder: Ladder { interrupt: Duration::from_millis(300), terminate: Duration::from_millis(300) },
            drain: SessionLimits::DRAIN,
        };
        Self { dir, way, order, limits }
    }

    fn sh(way: Way, script: &str) -> Self {
        Self::new(way, &["sh", "-c", script])
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn start(&self) -> Result<Attended, Trouble> {
        match self.way {
            Way::Pty => pty::spawn(&self.order),
            Way::Pipe => spawn_piped(&self.order),
        }
    }

    fn run(&self) -> Ran {
        let (_keep, stop) = watch::channel(None);
        self.run_with(stop, |_| Heard::Continue)
    }

    /// `listen` hears all that was printed until now, each time when there is more.
    fn run_with(
        &self,
        mut stop: watch::Receiver<Option<i32>>,
        mut listen: impl FnMut(&[u8]) -> Heard,
    ) -> Ran {
        let mut heard = Vec::new();
        let lived = block_on(async {
            let mut child = self.start().unwrap();
            let mut on_output = |bytes: &[u8]| {
                heard.extend_from_slice(bytes);
                if bytes.is_empty() { Heard::Continue } else { listen(&heard) }
            };
            live(&mut child, &self.limits, &mut stop, &mut on_output).await
        });
        Ran { lived, heard, log: fs::read(&self.order.log).unwrap() }
    }
}

impl Ran {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.heard).into_owned()
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn holds(bytes: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(text)
}

fn is_gone(pid: &str) -> bool {
    !Path::new("/proc").join(pid.trim()).exists()
}

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Bytes of every value, in no simple order.
fn noise(count: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn the_end_is_told_as_it_was() {
    left_to_the_night!();
    for way in WAYS {
        for (script, want) in [
            ("exit 0", Exit::Code(0)),
            ("exit 3", Exit::Code(3)),
            ("exit 125", Exit::Code(125)),
            ("exit 255", Exit::Code(255)),
            ("no-such-program-at-all", Exit::Code(127)),
            ("kill -KILL $$", Exit::Signal(9)),
            ("kill -TERM $$", Exit::Signal(15)),
            ("kill -INT $$", Exit::Signal(2)),
            ("kill -PIPE $$", Exit::Signal(13)),
        ] {
            let ran = Case::sh(way, script).run();
            assert_eq!(ran.lived.end, SessionEnd::Exited(want), "{way:?}: {script}");
        }
    }
}

#[test]
fn a_fast_childs_output_is_complete_and_exact() {
    left_to_the_night!();
    for way in WAYS {
        for _ in 0..20 {
            let ran = Case::new(way, &["printf", r"a\nb\r\n\033[31m\377\000\003\004end"]).run();
            let want = b"a\nb\r\n\x1b[31m\xff\0\x03\x04end";
            assert_eq!((ran.heard.as_slice(), ran.log.as_slice()), (&want[..], &want[..]), "{way:?}");
            assert_eq!(ran.lived.output_bytes, want.len() as u64);
        }
    }
}

#[test]
fn ten_megabytes_come_through_whole() {
    let bytes = noise(10_000_000);
    for way in WAYS {
        let mut case = Case::new(way, &["cat"]);
        let input = case.path("input");
        fs::write(&input, &bytes).unwrap();
        case.order.stdin = StdinPlan::File(input);
        let ran = case.run();
        assert_eq!(ran.lived.end, SessionEnd::Exited(Exit::Code(0)));
        assert!(ran.heard == bytes, "{way:?}: heard {} bytes", ran.heard.len());
        assert!(ran.log == bytes, "{way:?}: logged {} bytes", ran.log.len());
    }
}

#[test]
fn stdin_ends_at_once_or_is_the_file() {
    for way in WAYS {
        let ran = Case::sh(way, "cat; cat; echo over").run();
        assert_eq!(ran.text(), "over\n", "{way:?}");
        let mut case = Case::sh(way, "wc -c; echo x >&0 || echo read-only");
        let prompt = case.path("prompt");
        fs::write(&prompt, "long line ".repeat(100_000)).unwrap();
        case.order.stdin = StdinPlan::File(prompt.clone());
        let ran = case.run();
        assert!(ran.text().starts_with("1000000\n") && ran.text().ends_with("read-only\n"), "{}", ran.text());
        assert_eq!(fs::metadata(&prompt).unwrap().len(), 1_000_000);
    }
}

#[test]
fn the_environment_is_what_was_asked() {
    for way in WAYS {
        let mut case = Case::new(way, &["env"]);
        case.order.env.set.insert("ODD".into(), "a b=c".into());
        let ran = case.run();
        let path = std::env::var("PATH").unwrap();
        let lines = ran.text();
        let mut lines: Vec<&str> = lines.lines().filter(|line| !line.starts_with("TDD_CHILD=")).collect();
        lines.sort_unstable();
        assert_eq!(lines, ["LC_ALL=C", "ODD=a b=c", &format!("PATH={path}")], "{way:?}");

        let name = "PATH";
        for (remove, want) in [(vec![], true), (vec![OsString::from(name)], false)] {
            case.order.env.base = EnvBase::Inherit { remove };
            let ran = case.run();
            assert_eq!(ran.text().contains(&format!("\n{name}=")), want, "{way:?}");
            let pwd = format!("PWD={}\n", case.dir.path().display());
            assert!(ran.text().contains(&pwd), "{way:?}: {}", ran.text());
        }
    }
}

#[test]
fn a_terminal_is_there_only_where_it_was_asked() {
    let look = "test -t 0 && echo 0; test -t 1 && echo 1; test -t 2 && echo 2; stty size </dev/tty 2>&1";
    let ran = Case::sh(Way::Pty, look).run();
    assert_eq!(ran.text(), "1\n2\n50 200\n");
    let ran = Case::sh(Way::Pipe, look).run();
    assert!(!ran.text().starts_with(['0', '1', '2']), "{}", ran.text());
    assert_eq!(ran.text().lines().count(), 1, "no controlling terminal: {}", ran.text());
}

#[test]
fn inherited_signal_settings_and_descriptors_do_not_reach_the_child() {
    for way in WAYS {
        let ran = Case::sh(way, "grep -E 'SigBlk|SigIgn' /proc/self/status; ls -1 /proc/self/fd").run();
        let text = ran.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[2..], ["0", "1", "2", "3"], "{way:?}: 3 is the listing itself");
        for line in &lines[..2] {
            let set = u64::from_str_radix(line.rsplit('\t').next().unwrap(), 16).unwrap();
            assert_eq!(set & 0x7fff_ffff, 0, "{way:?}: {line}");
        }
    }
}

/// Makes a case such that it can't be started.
type Break<'a> = &'a dyn Fn(&mut Case);

#[test]
fn a_failure_to_start_says_what_it_is() {
    left_to_the_night!();
    for way in WAYS {
        let make = |name: &str, text: &str, mode: u32, case: &mut Case| {
            let path = case.path(name);
            fs::write(&path, text).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            case.order.argv = vec![path.into()];
        };
        let table: [(&str, Break<'_>); 12] = [
            ("does not exist", &|case| case.order.cwd = case.path("gone")),
            ("is not a directory", &|case| {
                case.order.cwd = case.path("file");
                fs::write(&case.order.cwd, "").unwrap();
            }),
            ("no program `tdd-no-such`", &|case| case.order.argv = vec!["tdd-no-such".into()]),
            ("there is no file ./gone", &|case| case.order.argv = vec!["./gone".into()]),
            ("is not executable", &|case| make("plain", "#!/bin/sh\n", 0o644, case)),
            ("`/no/such/interpreter`", &|case| {
                make("bad", "#! /no/such/interpreter -x\nhello\n", 0o755, case);
            }),
            ("has no `#!` line", &|case| make("none", "echo hello\n", 0o755, case)),
            ("is a directory", &|case| case.order.argv = vec![case.dir.path().into()]),
            ("is empty", &|case| case.order.argv = vec!["".into()]),
            ("can't be read", &|case| case.order.stdin = StdinPlan::File(case.path("gone"))),
            ("128 KiB", &|case| case.order.argv.push("x".repeat(200_000).into())),
            ("__exec", &|case| case.order.shim = "/bin/true".into()),
        ];
        for (want, break_it) in table {
            let mut case = Case::new(way, &["true"]);
            break_it(&mut case);
            let trouble = case.start().expect_err(want);
            assert_eq!(trouble.kind, TroubleKind::Environment, "{way:?}: {trouble}");
            assert!(trouble.why.contains(want), "{way:?}: wanted {want}: {trouble}");
        }
    }
}

#[test]
fn a_start_that_a_terminal_s_signal_cut_off_is_made_again() {
    heed_signals();
    for way in WAYS {
        for (signal, want) in [("INT", true), ("HUP", true), ("SEGV", false)] {
            let mut case = Case::sh(way, "echo ran");
            let (shim, first) = (case.path("shim"), case.path("first"));
            let tdd = env!("CARGO_BIN_EXE_tdd");
            let text = format!(
                "#!/bin/sh\nif test ! -e {0}; then touch {0}; kill -{signal} $$; fi\nexec {tdd} \"$@\"\n",
                first.display()
            );
            fs::write(&shim, text).unwrap();
            fs::set_permissions(&shim, fs::Permissions::from_mode(0o755)).unwrap();
            case.order.shim = shim;
            if want {
                assert_eq!(case.run().text(), "ran\n", "{way:?} {signal}");
            } else {
                let trouble = case.start().unwrap_err();
                assert!(trouble.why.contains("__exec"), "{trouble}");
            }
        }
    }
}

/// Starts a process in its own session and does not end before that has said so.
const ESCAPE: &str =
    "mkfifo up; setsid sh -c 'echo up >up; exec sleep 1000' & read line <up; echo $!; exit 7";

/// Leaves a process behind in the background.
const BACKGROUND: &str = "mkfifo up; (trap '' HUP; echo up >up; exec sleep 1000) & read line <up; echo $!";

/// As [`ESCAPE`], but it goes on printing.
const ESCAPED_FLOOD: &str = "mkfifo up; setsid sh -c 'echo up >up; exec yes' & read line <up; exit 0";

#[test]
fn a_grandchild_that_keeps_the_output_open_does_not_block_and_is_ended() {
    for way in WAYS {
        let ran = Case::sh(way, ESCAPE).run();
        assert_eq!(ran.lived.end, SessionEnd::Exited(Exit::Code(7)), "{way:?}");
        assert!(is_gone(&ran.text()), "{way:?}: {}", ran.text());
    }
}

#[test]
fn a_childs_background_group_is_ended_too() {
    for way in WAYS {
        let ran = Case::sh(way, BACKGROUND).run();
        assert!(is_gone(&ran.text()), "{way:?}: {}", ran.text());
    }
}

#[test]
fn a_dropped_child_leaves_nothing() {
    for way in WAYS {
        let case = Case::sh(way, "setsid sleep 1000 & echo $$ $! >pids; sleep 1000");
        make_fifo(&case.path("pids"));
        let child = case.start().unwrap();
        let pids = fs::read_to_string(case.path("pids")).unwrap();
        drop(child);
        assert!(pids.split_whitespace().all(is_gone), "{way:?}: {pids}");
    }
}

#[test]
fn the_ladder_is_climbed_in_order() {
    for way in WAYS {
        let script = "exec 2>/dev/null; trap 'echo int' INT; trap 'echo term' TERM; echo up; while :; do sleep 0.02; done";
        let (_keep, stop) = watch::channel(None);
        let mut case = Case::sh(way, script);
        // Long enough for a loaded machine to run the traps.
        case.limits.ladder = Ladder { interrupt: Duration::from_secs(1), terminate: Duration::from_secs(1) };
        let ran = case.run_with(stop, |_| Heard::Enough(Exhaustion::Turns));
        assert_eq!(ran.text(), "up\nint\nterm\n", "{way:?}");
        assert_eq!(ran.lived.end, SessionEnd::Exhausted(Exhaustion::Turns));
    }
}

#[test]
fn a_child_that_heeds_the_first_signal_is_not_killed() {
    for way in WAYS {
        let script = "trap 'echo bye; exit 0' INT; echo up; while :; do sleep 0.02; done";
        let (send, stop) = watch::channel(None);
        let mut case = Case::sh(way, script);
        case.limits.ladder.interrupt = NEVER;
        let ran = case.run_with(stop, |_| {
            send.send_if_modified(|signal| signal.replace(15).is_none());
            Heard::Continue
        });
        assert_eq!(ran.text(), "up\nbye\n", "{way:?}");
        assert_eq!(ran.lived.end, SessionEnd::Stopped(15));
    }
}

#[test]
fn a_second_stop_kills_at_once() {
    for way in WAYS {
        let script = "exec 2>/dev/null; trap 'echo int' INT; trap 'echo term' TERM; echo up; while :; do sleep 0.02; done";
        let (send, stop) = watch::channel(None);
        let mut case = Case::sh(way, script);
        case.limits.ladder = Ladder { interrupt: NEVER, terminate: NEVER };
        let ran = case.run_with(stop, |heard| {
            if matches!(heard, b"up\n" | b"up\nint\n") {
                send.send_replace(Some(2));
            }
            Heard::Continue
        });
        assert_eq!(ran.text(), "up\nint\n", "{way:?}");
        assert_eq!(ran.lived.end, SessionEnd::Stopped(2));
    }
}

#[test]
fn a_stop_that_came_before_is_heeded() {
    for way in WAYS {
        let (_send, stop) = watch::channel(Some(1));
        let ran = Case::sh(way, "sleep 1000").run_with(stop, |_| Heard::Continue);
        assert_eq!(ran.lived.end, SessionEnd::Stopped(1), "{way:?}");
    }
}

#[test]
fn a_flood_is_stopped_at_its_cap() {
    left_to_the_night!();
    for way in WAYS {
        for script in ["yes", "trap '' INT TERM; yes", "setsid yes & wait", ESCAPED_FLOOD] {
            let mut case = Case::sh(way, script);
            case.limits.output_bytes = 1 << 20;
            let ran = case.run();
            let flood = SessionEnd::Exhausted(Exhaustion::Output);
            if script == ESCAPED_FLOOD && ran.lived.end != flood {
                // On a loaded machine it may come to print too late, and is swept before it floods.
                assert_eq!(ran.lived.end, SessionEnd::Exited(Exit::Code(0)));
                continue;
            }
            assert_eq!(ran.lived.end, flood, "{way:?}: {script}");
            assert!(ran.lived.output_bytes > 1 << 20, "{way:?}: {script}");
            assert!(ran.heard.len() < (1 << 20) + (64 << 10), "{way:?}: {}", ran.heard.len());
            // It prints on until it is found and ended, which takes a while on a loaded machine; into
            // a pipe's log it writes by itself, as fast as the disk takes it.
            let most = if way == Way::Pty { 64 << 20 } else { 1 << 30 };
            assert!(ran.log.len() < most, "{way:?}: {script}: {} bytes logged", ran.log.len());
        }
    }
}

#[test]
fn silence_and_length_have_deadlines() {
    left_to_the_night!();
    for way in WAYS {
        let mut case = Case::sh(way, "echo up; sleep 1000");
        case.limits.idle = Some(Duration::from_millis(200));
        assert_eq!(case.run().lived.end, SessionEnd::Exhausted(Exhaustion::Idle), "{way:?}");
        let mut case = Case::sh(way, "while :; do echo x; sleep 0.01; done");
        case.limits.idle = Some(NEVER);
        case.limits.wall = Duration::from_millis(300);
        assert_eq!(case.run().lived.end, SessionEnd::Exhausted(Exhaustion::Wall), "{way:?}");
        let mut case = Case::sh(way, "yes");
        case.limits =
            SessionLimits { output_bytes: u64::MAX, wall: Duration::from_millis(100), ..case.limits };
        assert_eq!(case.run().lived.end, SessionEnd::Exhausted(Exhaustion::Wall), "{way:?}");
        let mut case = Case::sh(way, "true");
        case.limits = SessionLimits { idle: Some(Duration::MAX), wall: Duration::MAX, ..case.limits };
        assert_eq!(case.run().lived.end, SessionEnd::Exited(Exit::Code(0)), "{way:?}");
    }
}

#[test]
fn a_log_is_made_anew_for_us_alone() {
    for way in WAYS {
        let case = Case::sh(way, "echo up; sleep 1000");
        let trouble = {
            let mut case = Case::sh(way, "true");
            case.order.log = case.path("no/such/folder/log");
            case.start().unwrap_err()
        };
        assert!(trouble.what.contains("log"), "{trouble}");
        // A link that was put there before is replaced, not written through.
        let target = case.path("precious");
        fs::write(&target, "precious").unwrap();
        std::os::unix::fs::symlink(&target, &case.order.log).unwrap();
        let (_keep, stop) = watch::channel(None);
        let ran = case.run_with(stop, |_| Heard::Enough(Exhaustion::Turns));
        assert_eq!(ran.log, b"up\n");
        assert_eq!(fs::read(&target).unwrap(), b"precious");
        let mode = fs::symlink_metadata(&case.order.log).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

fn command(script: &str) -> (TempDir, CommandOrder) {
    exec::use_shim(PathBuf::from(env!("CARGO_BIN_EXE_tdd")));
    let dir = tempfile::tempdir().unwrap();
    let order = CommandOrder {
        argv: vec!["sh".into(), "-c".into(), script.into()],
        cwd: dir.path().to_owned(),
        env: vec![("GIVEN".into(), Some("yes".into())), ("CARGO_MANIFEST_DIR".into(), None)],
        deadline: NEVER,
        output_cap: 1 << 31,
        log: dir.path().join("log"),
        stdout: None,
        enclosure: None,
        ended: Ended::default(),
    };
    (dir, order)
}

fn finish(order: &CommandOrder) -> Result<Finished, Trouble> {
    let (_keep, stop) = watch::channel(None);
    block_on(run(order, &stop))
}

#[test]
fn a_command_writes_its_files_and_its_end_is_told() {
    let script = "cat; echo $GIVEN ${CARGO_MANIFEST_DIR-none}; echo err >&2; exit 4";
    let (_dir, mut order) = command(script);
    let finished = finish(&order).unwrap();
    assert_eq!(finished.exit, Exit::Code(4));
    assert_eq!(fs::read_to_string(&order.log).unwrap(), "yes none\nerr\n");
    let mode = fs::metadata(&order.log).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    order.stdout = Some(order.cwd.join("out"));
    finish(&order).unwrap();
    assert_eq!(fs::read_to_string(&order.log).unwrap(), "err\n");
    assert_eq!(fs::read_to_string(order.cwd.join("out")).unwrap(), "yes none\n");
}

#[test]
fn a_command_has_bounds_and_leaves_nothing() {
    let (_dir, order) = command(ESCAPE);
    let finished = finish(&order).unwrap();
    assert_eq!(finished.exit, Exit::Code(7));
    assert!(is_gone(&fs::read_to_string(&order.log).unwrap()));

    let (_dir, mut order) = command("setsid sleep 1000 & sleep 1000");
    order.deadline = Duration::from_millis(100);
    assert_eq!(finish(&order).unwrap().exit, Exit::Deadline);

    let (_dir, mut order) = command("yes; echo not reached");
    order.output_cap = 1 << 20;
    assert_eq!(finish(&order).unwrap().exit, Exit::OutputCap);
    assert!(!holds(&fs::read(&order.log).unwrap(), "not reached"));

    let (_dir, mut order) = command("true");
    order.cwd = order.cwd.join("gone");
    assert_eq!(finish(&order).unwrap_err().kind, TroubleKind::Environment);

    let (_dir, order) = command("touch ran");
    let (_keep, stop) = watch::channel(Some(2));
    assert_eq!(block_on(run(&order, &stop)).unwrap_err().kind, TroubleKind::Stopped(2));
    assert!(!order.cwd.join("ran").exists());
}

/// Runs one of the tests below in a process of its own, where no other test has children.
fn helper(name: &str) -> Command {
    heed_signals();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "--nocapture", "--test-threads=1"]);
    command.arg(format!("session::{name}"));
    command
}

#[test]
fn alone_in_a_process() {
    left_to_the_night!();
    for name in [
        "helper_counts_descriptors",
        "helper_counts_who_is_left",
        "helper_gives_no_leave",
        "helper_hides_a_grandchild",
        "helper_ends_a_breeder",
        "helper_hears_signals",
    ] {
        let output = helper(name).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let is_ok = output.status.success() && text.contains("1 passed");
        assert!(is_ok, "{name}: {text}{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
#[ignore = "run by alone_in_a_process"]
fn helper_counts_descriptors() {
    let open = || fs::read_dir("/proc/self/fd").unwrap().count();
    let threads = || fs::read_dir("/proc/self/task").unwrap().count();
    let spawn = |count| {
        for way in std::iter::repeat_n(WAYS, count).flatten() {
            Case::new(way, &["true"]).run();
            Case::new(way, &["tdd-no-such"]).start().unwrap_err();
        }
    };
    spawn(2);
    let before = (open(), threads());
    spawn(25);
    assert_eq!((open(), threads()), before);
    let zombies = tdd_child::unix::proc_table::processes()
        .into_iter()
        .filter(|one| one.parent == i32::try_from(std::process::id()).unwrap());
    assert_eq!(zombies.count(), 0);
}

/// Not beside other tests: with one child only, a sweep takes every orphan for that child's.
#[test]
#[ignore = "run by alone_in_a_process"]
fn helper_counts_who_is_left() {
    for (script, count) in [("exit 3", 0), ("kill -INT $$", 0), (ESCAPE, 1), (BACKGROUND, 1)] {
        for way in WAYS {
            assert_eq!(Case::sh(way, script).run().lived.leaked, count, "{way:?}: {script}");
        }
        let (_dir, order) = command(script);
        assert_eq!(finish(&order).unwrap().leaked, count, "{script}");
    }
}

/// A program that ran before it was noted would be nobody's, if we were killed just then.
#[test]
#[ignore = "run by alone_in_a_process"]
fn helper_gives_no_leave() {
    let folder = tempfile::tempdir().unwrap();
    let (mut ours, theirs) = UnixStream::pair().unwrap();
    let parent = std::process::id().to_string();
    // The command must not outlive this line: it holds their socket, too.
    let mut shim = Command::new(env!("CARGO_BIN_EXE_tdd"))
        .args(["__exec", "--parent", &parent, "--cwd"])
        .arg(folder.path())
        .args(["--", "touch", "ran"])
        .stdin(OwnedFd::from(theirs))
        .spawn()
        .unwrap();
    ours.shutdown(Shutdown::Write).unwrap();
    let mut report = String::new();
    ours.read_to_string(&mut report).unwrap();
    assert!(report.starts_with('{') && report.contains("no leave"), "{report}");
    assert_eq!(shim.wait().unwrap().code(), Some(125));
    assert!(!folder.path().join("ran").exists());
}

#[test]
#[ignore = "run by alone_in_a_process"]
fn helper_hides_a_grandchild() {
    for way in WAYS {
        // No mark, no common session, no living parent.
        let script = "mkfifo up; (env -i \"$(command -v setsid)\" sh -c 'echo $$ >up; exec sleep 1000' &) ; \
                      read pid <up; echo $pid";
        let ran = Case::sh(way, script).run();
        assert_eq!(ran.lived.leaked, 1, "{way:?}");
        assert!(is_gone(&ran.text()), "{way:?}: {}", ran.text());
    }
}

#[test]
#[ignore = "run by alone_in_a_process"]
fn helper_ends_a_breeder() {
    for way in WAYS {
        // Each ends as soon as it has a successor. All of them hold the pipe open.
        let script = "exec 3>alive; cat >breed <<'END'\nsetsid sh ./breed &\nEND\nsh ./breed; exit 0";
        let case = Case::sh(way, script);
        make_fifo(&case.path("alive"));
        let flags = OFlags::RDONLY | OFlags::NONBLOCK;
        let alive = rustix::fs::open(case.path("alive"), flags, Mode::empty()).unwrap();
        let ran = case.run();
        assert_eq!(ran.lived.end, SessionEnd::Exited(Exit::Code(0)), "{way:?}");
        let mut wanted = [PollFd::new(&alive, PollFlags::IN)];
        let timeout = Timespec { tv_sec: 5, tv_nsec: 0 };
        poll(&mut wanted, Some(&timeout)).unwrap();
        assert_eq!(wanted[0].revents(), PollFlags::HUP, "{way:?}: some are alive");
    }
}

#[test]
#[ignore = "run by alone_in_a_process"]
fn helper_hears_signals() {
    block_on(async {
        let mut stop = tdd_child::signals::install().unwrap();
        for number in [2, 15, 1, 1] {
            let us = rustix::process::getpid();
            let signal = rustix::process::Signal::from_named_raw(number).unwrap();
            rustix::process::kill_process(us, signal).unwrap();
            stop.changed().await.unwrap();
            assert_eq!(*stop.borrow_and_update(), Some(number));
        }
    });
}

#[test]
fn a_signal_that_we_were_told_to_ignore_stays_ignored() {
    let helper = helper("helper_ignores_a_hangup");
    let mut nohup = Command::new("sh");
    nohup.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(helper.get_program()).args(helper.get_args());
    let output = nohup.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "run by a_signal_that_we_were_told_to_ignore_stays_ignored"]
fn helper_ignores_a_hangup() {
    block_on(async {
        let mut stop = tdd_child::signals::install().unwrap();
        for signal in [rustix::process::Signal::HUP, rustix::process::Signal::INT] {
            rustix::process::kill_process(rustix::process::getpid(), signal).unwrap();
        }
        stop.changed().await.unwrap();
        assert_eq!(*stop.borrow_and_update(), Some(2));
    });
    // A child does not inherit it.
    let ran = Case::sh(Way::Pipe, "kill -HUP $$; exit 0").run();
    assert_eq!(ran.lived.end, SessionEnd::Exited(Exit::Signal(1)));
}

/// Under `nohup`, or in the background of a script.
#[test]
fn what_a_test_starts_heeds_what_the_tests_were_told_to_ignore() {
    let helper = helper("helper_starts_who_heeds");
    let mut deaf = Command::new("sh");
    deaf.args(["-c", "trap '' HUP INT QUIT TERM; exec \"$@\"", "sh"]);
    let output = deaf.arg(helper.get_program()).args(helper.get_args()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
#[ignore = "run by what_a_test_starts_heeds_what_the_tests_were_told_to_ignore"]
fn helper_starts_who_heeds() {
    assert!(tdd_child::unix::is_ignored(1));
    let sandbox = Sandbox::empty();
    for (signal, code) in [("HUP", 129), ("INT", 130), ("QUIT", 131), ("TERM", 143)] {
        let script = format!("kill -{signal} $$; exit 0");
        sandbox::Ran::of(&sandbox.command("sh").args(["-c", &script]).output().unwrap()).expect(code);
    }
}

#[test]
fn a_child_dies_with_us() {
    for way in ["pty", "pipe"] {
        let dir = tempfile::tempdir().unwrap();
        let fifo = dir.path().join("fifo");
        make_fifo(&fifo);
        let mut orchestrator =
            helper("helper_is_killed").env("TDD_TEST_FIFO", &fifo).env("TDD_TEST_WAY", way).spawn().unwrap();
        let mut words = fs::File::open(&fifo).unwrap();
        let mut up = [0; 3];
        words.read_exact(&mut up).unwrap();
        orchestrator.kill().unwrap();
        orchestrator.wait().unwrap();
        let mut rest = String::new();
        words.read_to_string(&mut rest).unwrap();
        assert_eq!((&up, rest.as_str()), (b"up\n", ""), "{way}");
    }
}

#[test]
#[ignore = "run by a_child_dies_with_us, which kills it"]
fn helper_is_killed() {
    let fifo = std::env::var("TDD_TEST_FIFO").unwrap();
    let way = if std::env::var("TDD_TEST_WAY").unwrap() == "pty" { Way::Pty } else { Way::Pipe };
    let script = format!("exec 3>'{fifo}'; echo up >&3; sleep 20 3>&-; echo survived >&3");
    Case::sh(way, &script).run();
}
