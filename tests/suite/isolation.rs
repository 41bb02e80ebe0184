//! Level `enforce`: real children inside the fence try what their role may not do, and what it may.

use std::ffi::OsString;
use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tdd_child::exec;
use tdd_child::process::{CommandOrder, Ended, EnvPlan, Finished, Size, SpawnOrder, StdinPlan, run};
use tdd_child::pty;
use tdd_child::sandbox::{
    Belongings, Enclosed, Enclosure, Own, Sandbox as Fences, SandboxPaths, Sealed, choose,
};
use tdd_child::session::{self, Heard, Ladder, SessionEnd, SessionLimits};
use tdd_core::commands::RunnerKind;
use tdd_core::isolation::{Level, Reach, Wanted};
use tdd_core::policy::{FileClass, Policy};
use tdd_core::ports::Protection;
use tdd_core::role::Role;
use tdd_core::test::Exit;
use tdd_core::trouble::Trouble;
use tdd_snapshot::checkpoints::StandIns;
use tdd_snapshot::manifest::Manifest;
use tokio::sync::watch;

use super::sandbox::{Ran, Sandbox, has, has_python};

const LONG: Duration = Duration::from_mins(1);

pub fn has_bwrap() -> bool {
    has("bwrap", &["bwrap", "--bind", "/", "/", "true"])
}

/// A repository whose tests and gate files are sealed, and the fences of a run on it.
struct Yard {
    place: Sandbox,
    repo: PathBuf,
    exchange: PathBuf,
    fences: Fences,
    manifest: Manifest,
}

impl Yard {
    fn new() -> Option<Self> {
        if !cfg!(target_os = "linux") || !has_bwrap() {
            return None;
        }
        exec::use_shim(PathBuf::from(env!("CARGO_BIN_EXE_tdd")));
        let place = Sandbox::with(&[
            ("Cargo.toml", "[package]\nname = \"x\"\n"),
            ("src/lib.rs", "// source\n"),
            ("pkg/sub/code.py", "A = 1\n"),
            ("pkg/sub/test_side.py", "B = 1\n"),
            ("tests/test_old.py", "C = 1\n"),
            ("tests/deep/data.json", "{}\n"),
            ("conftest.py", "D = 1\n"),
            ("real/shared.txt", "E = 1\n"),
            ("specs/frs/STE-1.md", "the secret\n"),
            (".tdd/skills/x.md", "skill\n"),
        ]);
        std::os::unix::fs::symlink("../real/shared.txt", place.path("pkg/test_link.txt")).unwrap();
        std::os::unix::fs::symlink("../../real/shared.txt", place.path("tests/deep/link.txt")).unwrap();
        let repo = place.repo().canonicalize().unwrap();
        place.write(".tdd/runs/1/tests/old.log", "log\n");
        place.write(".tdd/runs/1/events.jsonl", "journal\n");
        let shared = repo.parent().unwrap().join("shared");
        let exchange = shared.join("tdd-exchange-run");
        for folder in ["tdd-exchange-run/own", "tdd-exchange-run/other", "tdd-exchange-strange"] {
            let folder = shared.join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("prompt.md"), "the secret\n").unwrap();
        }
        let policy = Policy::new(tdd_runners::of(RunnerKind::Pytest).test_files, &[], "specs/frs").unwrap();
        let sealed = Sealed::default();
        let scratch = repo.parent().unwrap().join("sealed");
        let manifest = Manifest::new(repo.clone(), policy.clone(), scratch).telling(sealed.clone());
        let sandbox_paths = SandboxPaths {
            out_of_sight: tdd_child::sandbox::OutOfSight::default(),
            repository: repo.clone(),
            git: vec![repo.join(".git")],
            specs: vec![repo.join("specs/frs")],
            exchange: exchange.clone(),
            shared,
            own_settings: Vec::new(),
            belongings: Belongings::default(),
            policy,
        };
        let chosen = choose(Wanted::Enforce, &Reach::default(), std::env::var_os("PATH").as_deref()).unwrap();
        assert_eq!(chosen.isolation.level, Level::Enforce);
        let fences =
            Fences { backend: chosen.backend.unwrap(), sandbox_paths: sandbox_paths.without_links(), sealed };
        Some(Self { place, repo, exchange, fences, manifest })
    }

    /// The same after RED: tests and gate files are sealed.
    fn sealed() -> Option<Self> {
        let mut yard = Self::new()?;
        yard.manifest.seal(&[FileClass::Gate, FileClass::Test], &[]).unwrap();
        Some(yard)
    }

    fn of_role(&self, role: Role) -> Enclosure {
        self.of_role_beside(role, None)
    }

    fn of_role_beside(&self, role: Role, stand_ins: Option<&StandIns>) -> Enclosure {
        let enclosed = self.of_own(role, stand_ins);
        assert_eq!(enclosed.left_out, 0);
        enclosed.enclosure
    }

    fn stand_ins(&self, role: Role, hide: &[String]) -> StandIns {
        StandIns::make(&self.repo, self.fences.out_of_sight(role, hide), &self.exchange).unwrap()
    }

    fn of_own(&self, role: Role, stand_ins: Option<&StandIns>) -> Enclosed {
        let own = self.exchange.join("own");
        let own = Own { folders: &[&own], lent: &[], hidden: &[] };
        self.fences.for_role(role, &own, stand_ins.map_or(&[][..], StandIns::pairs), &self.repo)
    }

    fn of_commands(&self) -> Enclosure {
        self.fences.for_commands(&self.repo.join(".tdd/runs/1/tests"), &self.repo).enclosure
    }

    fn try_run(&self, enclosure: Enclosure, argv: &[&str]) -> (Result<Finished, Trouble>, String) {
        let log = self.repo.parent().unwrap().join("log");
        let home = self.repo.parent().unwrap().join("home");
        let order = CommandOrder {
            argv: argv.iter().map(OsString::from).collect(),
            cwd: self.repo.clone(),
            env: vec![("HOME".into(), Some(home.into())), ("LC_ALL".into(), Some("C".into()))],
            deadline: LONG,
            output_cap: 1 << 20,
            log: log.clone(),
            stdout: None,
            enclosure: Some(enclosure),
            ended: Ended::default(),
        };
        let (_keep, stop) = watch::channel(None);
        let finished = block_on(run(&order, &stop));
        (finished, std::fs::read_to_string(log).unwrap_or_default())
    }

    fn sh(&self, enclosure: Enclosure, script: &str) -> (Exit, String) {
        let (finished, said) = self.try_run(enclosure, &["sh", "-c", script]);
        (finished.unwrap().exit, said)
    }

    /// What a child must not have changed: protected files, the branch, our own folder.
    #[track_caller]
    fn is_untouched(&mut self, after: &str) {
        assert_eq!(self.manifest.check().unwrap(), [], "after {after}");
        assert!(self.repo.join("pkg/sub/code.py").is_file(), "after {after}");
        assert_eq!(self.place.git(&["rev-list", "--count", "HEAD"]), "1", "after {after}");
        assert_eq!(self.place.read(".tdd/runs/1/events.jsonl"), "journal\n", "after {after}");
        assert!(!self.repo.join(".tdd/new").exists(), "after {after}");
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

/// What no role may do once tests are sealed, and no command of the project's either.
const FORBIDDEN: &[&str] = &[
    "echo x >> tests/test_old.py",
    ": > tests/test_old.py",
    "rm -f tests/test_old.py",
    "mv tests/test_old.py tests/test_new.py",
    "chmod 777 tests/test_old.py",
    "touch -d 2001-01-01 tests/test_old.py",
    "echo x > n && mv -f n tests/test_old.py",
    "echo x > tests/deep/link.txt",
    "echo x > real/shared.txt",
    "echo x >> pkg/sub/test_side.py",
    "echo x > n && mv -f n pkg/sub/test_side.py",
    "rm -f conftest.py",
    "mv tests elsewhere",
    "mv pkg elsewhere",
    "mv pkg/sub pkg/elsewhere",
    "mv ../repo ../elsewhere",
    "ln tests/test_old.py alias && echo x >> alias",
    "git -c user.name=t -c user.email=t@t commit -q --allow-empty -m x",
    "git stash -u || git checkout -b other",
    "git config core.hooksPath /tmp",
    "echo x > .tdd/new",
    "echo x > .tdd/skills/x.md",
    "echo x >> .tdd/runs/1/events.jsonl",
    "umount tests",
    "mount -o remount,rw,bind tests",
    "unshare -Urm sh -c 'umount tests; mount -o remount,rw,bind tests; echo x >> tests/test_old.py'",
];

#[test]
fn ac_tdd_8_6_an_implementer_can_t_do_what_is_forbidden() {
    left_to_the_night!();
    let Some(mut yard) = Yard::sealed() else { return };
    for script in FORBIDDEN.iter().chain(&["touch tests/test_more.py"]) {
        let (exit, said) = yard.sh(yard.of_role(Role::Implementer), script);
        assert!(!exit.is_success(), "{script} went through: {said}");
        yard.is_untouched(script);
    }
}

#[test]
fn a_command_of_the_project_can_t_either_but_may_write_beside_its_tests() {
    left_to_the_night!();
    let Some(mut yard) = Yard::sealed() else { return };
    for script in FORBIDDEN {
        let (exit, said) = yard.sh(yard.of_commands(), script);
        assert!(!exit.is_success(), "{script} went through: {said}");
        yard.is_untouched(script);
    }
    for script in [
        "cat specs/frs/STE-1.md",
        "mkdir tests/out && echo x > tests/out/result.txt && rm -r tests/out",
        "echo report > .tdd/runs/1/tests/report.xml",
        "mkdir -p target && echo x > target/x",
    ] {
        assert_eq!(yard.sh(yard.of_commands(), script), (Exit::Code(0), said(script)), "{script}");
    }
    yard.is_untouched("all of it");
}

/// What `cat` prints of the requirement.
fn said(script: &str) -> String {
    if script.starts_with("cat") { "the secret\n".to_owned() } else { String::new() }
}

#[test]
fn everything_else_stays_as_it_is() {
    left_to_the_night!();
    let Some(mut yard) = Yard::sealed() else { return };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let dial = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo hello >&3'");
    for script in [
        "echo x > new.txt",
        "sed 's/x/y/' Cargo.toml > Cargo.toml.new && mv -f Cargo.toml.new Cargo.toml",
        "mkdir -p target/debug && echo x > target/debug/x",
        "echo '// more' >> src/lib.rs && mv src/lib.rs src/main.rs && mv src lib",
        "echo x > pkg/sub/code.py && echo x > pkg/sub/more.py && mv pkg/sub/more.py pkg/sub/less.py",
        "echo x > \"$HOME/.cache\" && mv \"$HOME/.cache\" \"$HOME/.config\"",
        "echo x > \"$(mktemp)\"",
        "echo x > ../shared/tdd-exchange-run/own/message.txt",
        "git status --porcelain && git log --oneline && git diff --stat",
        "cat tests/test_old.py conftest.py",
        "echo x > /dev/null && head -c 1 /dev/urandom && test -d /dev/shm",
        "test \"$(ls /proc | grep -c '^[0-9]')\" -lt 10",
        &dial,
    ] {
        let (exit, said) = yard.sh(yard.of_role(Role::Refactorer), script);
        assert_eq!(exit, Exit::Code(0), "{script}: {said}");
    }
    let mut heard = String::new();
    listener.accept().unwrap().0.read_to_string(&mut heard).unwrap();
    assert_eq!(heard, "hello\n");
    assert!(yard.place.read("Cargo.toml").contains("\"y\""));
    assert!(yard.repo.join("lib/main.rs").is_file());
    yard.is_untouched("all of it");
}

#[test]
fn what_a_role_must_not_see_is_not_there() {
    left_to_the_night!();
    let Some(yard) = Yard::sealed() else { return };
    let secrets = [
        "../shared/tdd-exchange-run/other/prompt.md",
        "../shared/tdd-exchange-strange/prompt.md",
        ".tdd/runs/1/events.jsonl",
    ];
    for role in Role::ALL {
        for secret in secrets {
            let (exit, said) = yard.sh(yard.of_role(role), &format!("cat {secret}"));
            assert!(!exit.is_success() && said.contains("No such file"), "{role}, {secret}: {said}");
        }
        let (exit, _) = yard.sh(yard.of_role(role), "cat ../shared/tdd-exchange-run/own/prompt.md");
        assert_eq!(exit, Exit::Code(0), "{role}");
        let (_, requirement) = yard.sh(yard.of_role(role), "cat specs/frs/STE-1.md; ls specs/frs");
        assert_eq!(requirement.contains("the secret"), role == Role::TestWriter, "{role}: {requirement}");
    }
    assert_eq!(yard.place.read("specs/frs/STE-1.md"), "the secret\n");
}

/// The requirement changed and one more staged, as a person may have it; what git shows of that to a role.
#[test]
fn what_is_out_of_sight_does_not_look_deleted_to_git() {
    left_to_the_night!();
    let Some(yard) = Yard::sealed() else { return };
    yard.place.write("specs/frs/STE-1.md", "the secret, in other words\n");
    yard.place.write("specs/frs/STE-2.md", "another secret\n");
    yard.place.git(&["add", "specs"]);
    yard.place.write("src/lib.rs", "// source, changed\n");
    let (index, info) = (yard.repo.join(".git/index"), yard.repo.join(".git/info/attributes"));
    let before = std::fs::read(&index).unwrap();
    let stand_ins = Some(yard.stand_ins(Role::Implementer, &[]));
    assert!(yard.fences.out_of_sight(Role::TestWriter, &[]).is_empty());
    let of = |with: bool| yard.of_role_beside(Role::Implementer, stand_ins.as_ref().filter(|_| with));
    for script in ["git status --porcelain", "git diff", "git diff HEAD", "git diff --cached", "git log -p"] {
        let (bare, veiled) = (yard.sh(of(false), script).1, yard.sh(of(true), script).1);
        assert!(bare.contains("secret") || bare.contains("specs/frs"), "{script} shows it by itself: {bare}");
        assert!(!veiled.contains("secret"), "{script}: {veiled}");
        let names_it = veiled.contains("specs/frs") && script != "git log -p";
        assert!(!names_it, "{script}: {veiled}");
    }
    let (exit, said) = yard.sh(of(true), "git status --porcelain && git diff && git log --oneline");
    assert_eq!(exit, Exit::Code(0), "{said}");
    assert!(said.starts_with(" M src/lib.rs\n") && said.contains("+// source, changed"), "own work: {said}");
    // What names the object prints it; nothing of that is prevented.
    assert!(yard.sh(of(true), "git show HEAD:specs/frs/STE-1.md").1.contains("the secret"));
    assert!(!yard.sh(of(true), "git add -A").0.is_success(), "git is as read-only as before");
    assert_eq!(std::fs::read(&index).unwrap(), before, "the person's own index");
    assert!(!info.exists(), "and attributes");
    let hidden = yard.fences.out_of_sight(Role::Implementer, &[]);
    assert!(stand_ins.is_some_and(|made| made.are_current(&yard.repo, &hidden)));
}

/// As an agent's table says, `hide: [deep/data.json, conftest.py, test_link.txt]`.
#[test]
fn settings_of_an_agent_in_the_repository_are_empty_to_it_and_look_unchanged_to_git() {
    left_to_the_night!();
    let Some(yard) = Yard::sealed() else { return };
    let hide = ["deep/data.json", "conftest.py", "test_link.txt"].map(str::to_owned);
    let hidden = yard.fences.settings_of(&hide);
    assert_eq!(hidden, ["conftest.py", "tests/deep/data.json"].map(|file| yard.repo.join(file)), "no link");
    for role in [Role::TestWriter, Role::Implementer] {
        let stand_ins = yard.stand_ins(role, &hide);
        let own = yard.exchange.join("own");
        let own = Own { folders: &[&own], lent: &[], hidden: &hidden };
        let of = || yard.fences.for_role(role, &own, stand_ins.pairs(), &yard.repo).enclosure;
        let (_, said) = yard.sh(of(), "cat conftest.py tests/deep/data.json; cat real/shared.txt");
        assert!(!said.contains("D = 1") && !said.contains("{}") && said.contains("E = 1"), "{said}");
        let (exit, said) = yard.sh(of(), "git status --porcelain -uno && git diff");
        assert_eq!((exit, said.as_str()), (Exit::Code(0), ""));
        for script in ["echo x >conftest.py", "rm conftest.py", "mv tests/deep/data.json tests/deep/x.json"] {
            assert!(!yard.sh(of(), script).0.is_success(), "{script}");
        }
    }
    yard.place.git(&["diff", "--exit-code"]);
    let known = yard.fences.out_of_sight(Role::TestWriter, &hide);
    assert_eq!(known, hidden, "a test-writer reads the requirements");
}

#[test]
fn a_new_index_wants_new_stand_ins_and_work_trees_have_their_own() {
    let Some(yard) = Yard::sealed() else { return };
    let made = yard.stand_ins(Role::Refactorer, &[]);
    assert_eq!(made.pairs().len(), 2);
    yard.place.write("src/more.rs", "");
    yard.place.git(&["add", "src"]);
    let hidden = yard.fences.out_of_sight(Role::Refactorer, &[]);
    assert!(!made.are_current(&yard.repo, &hidden));
    let other = yard.repo.parent().unwrap().join("other");
    yard.place.git(&["worktree", "add", "-q", other.to_str().unwrap()]);
    let linked = StandIns::make(&other, vec![other.join("specs/frs")], &yard.exchange).unwrap();
    let seen: Vec<_> = linked.pairs().iter().map(|(_, path)| path.to_owned()).collect();
    assert_eq!(seen, [yard.repo.join(".git/worktrees/other/index"), yard.repo.join(".git/info")]);
}

#[test]
fn folders_of_other_runs_may_come_and_go_while_a_child_is_started() {
    left_to_the_night!();
    let Some(yard) = Yard::sealed() else { return };
    let shared = yard.repo.parent().unwrap().join("shared");
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(std::sync::atomic::Ordering::Relaxed) {
                let folders: Vec<_> =
                    (0..20).map(|number| shared.join(format!("tdd-exchange-{number}"))).collect();
                for folder in &folders {
                    std::fs::create_dir(folder).unwrap();
                }
                for folder in &folders {
                    std::fs::remove_dir(folder).unwrap();
                }
            }
        });
        let failed = (0..60)
            .map(|_| yard.sh(yard.of_role(Role::Implementer), "true"))
            .find(|(exit, _)| !exit.is_success());
        is_over.store(true, std::sync::atomic::Ordering::Relaxed);
        assert_eq!(failed, None);
    });
}

#[test]
fn a_test_writer_writes_tests_and_no_gate_file() {
    let Some(mut yard) = Yard::new() else { return };
    yard.manifest.seal(&[FileClass::Gate], &[]).unwrap();
    let of = || yard.of_role(Role::TestWriter);
    assert_eq!(yard.sh(of(), "echo x > tests/test_new.py && echo x >> tests/test_old.py").0, Exit::Code(0));
    for script in ["echo x > conftest.py", "rm specs/frs/STE-1.md", "mv specs s", "echo x > .tdd/skills/x.md"]
    {
        assert!(!yard.sh(of(), script).0.is_success(), "{script}");
    }
    yard.is_untouched("all of it");
}

#[test]
fn more_files_than_can_be_bound_are_told_of() {
    let Some(yard) = Yard::new() else { return };
    for index in 0..510 {
        yard.place.write(&format!("src/test_{index}.py"), "");
    }
    let mut manifest = yard.manifest;
    manifest.seal(&[FileClass::Test], &[]).unwrap();
    let enclosed = {
        let own = yard.exchange.join("own");
        let own = Own { folders: &[&own], lent: &[], hidden: &[] };
        yard.fences.for_role(Role::Implementer, &own, &[], &yard.repo)
    };
    assert!((10..20).contains(&enclosed.left_out), "{}", enclosed.left_out);
    assert_eq!(yard.place.path("src").read_dir().unwrap().count(), 511);
}

#[test]
fn how_a_child_ends_is_told_as_it_was() {
    left_to_the_night!();
    let Some(yard) = Yard::sealed() else { return };
    for code in [0, 1, 42, 127, 130, 137, 255] {
        assert_eq!(yard.sh(yard.of_commands(), &format!("exit {code}")).0, Exit::Code(code));
    }
    for signal in [1, 2, 6, 9, 11, 15] {
        assert_eq!(yard.sh(yard.of_commands(), &format!("kill -{signal} $$")).0, Exit::Signal(signal));
    }
    for (argv, why) in [
        (&["no-such-program-here"][..], "no program `no-such-program-here` is in PATH"),
        (&["./src/lib.rs"], "not executable"),
    ] {
        let trouble = yard.try_run(yard.of_commands(), argv).0.unwrap_err().to_string();
        assert!(trouble.contains(why), "{trouble}");
    }
    let broken = Enclosure::Around(["bwrap", "--no-such-flag"].map(OsString::from).to_vec());
    let trouble = yard.try_run(broken, &["true"]).0.unwrap_err().to_string();
    assert!(trouble.contains("sandbox") && trouble.contains("no-such-flag"), "{trouble}");
}

/// On a busy machine one sandbox of thousands is not set up; nothing has begun then, and the next one is.
#[test]
fn a_sandbox_that_could_not_be_set_up_once_is_set_up_again() {
    let Some(yard) = Yard::sealed() else { return };
    // It passes the child's own words on, as `bwrap … -- program` does.
    let fails = "echo x >> tries; [ $(wc -l < tries) -gt TIMES ] && { shift; exec \"$@\"; }; \
                 echo 'no room for a mount' >&2; exit 1";
    for (times, want) in [(0, Some(1)), (2, Some(3)), (3, None)] {
        let _ = std::fs::remove_file(yard.repo.join("tries"));
        let words = ["sh", "-c", &fails.replace("TIMES", &times.to_string()), "sh"].map(OsString::from);
        let (ran, said) =
            yard.try_run(Enclosure::Around(words.to_vec()), &["sh", "-c", "echo out; echo err >&2"]);
        if let Some(tries) = want {
            assert_eq!(ran.unwrap().exit, Exit::Code(0));
            assert_eq!(std::fs::read_to_string(yard.repo.join("tries")).unwrap().lines().count(), tries);
            assert_eq!(said, "out\nerr\n", "its output is its own");
        } else {
            let trouble = ran.unwrap_err().to_string();
            assert!(trouble.contains("can't be set up: no room for a mount"), "{trouble}");
        }
    }
}

/// Whether a process with this word in its command line lives.
fn lives(word: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.into_iter().any(|line| String::from_utf8_lossy(&line).split('\0').any(|part| part == word))
}

#[track_caller]
pub fn await_that(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LONG, "{what}");
        std::thread::yield_now();
    }
}

/// Starts a process that has left everything that it could leave, and waits until it is there.
fn daemon(word: &str) -> String {
    format!(
        "(env -i PATH=\"$PATH\" setsid sh -c 'touch up; exec sleep {word}' </dev/null >/dev/null 2>&1 &); \
         until [ -e up ]; do :; done; "
    )
}

#[test]
fn a_daemon_ends_with_the_child() {
    let Some(yard) = Yard::sealed() else { return };
    let word = format!("7{}", std::process::id());
    let (exit, _) = yard.sh(yard.of_role(Role::Implementer), &format!("{} exit 3", daemon(&word)));
    assert_eq!(exit, Exit::Code(3));
    assert!(!lives(&word));
}

#[test]
fn nothing_lives_on_when_tdd_is_killed() {
    if !cfg!(target_os = "linux") || !has_bwrap() || !has_python() {
        return;
    }
    let place = super::cycle::shop();
    let word = format!("8{}", std::process::id());
    place.write("../agent.sh", &format!("{}\n exec sleep {word}9\n", daemon(&word)));
    place.write(
        "tdd.yaml",
        "test: python3 -m unittest discover -s tests -t .\nagent: mine\nagents:\n  mine:\n    argv: [sh, ../agent.sh, \"{prompt_file}\"]\n",
    );
    let mut tdd = place
        .command(env!("CARGO_BIN_EXE_tdd"))
        .args(["STE-1", "--sandbox", "enforce", "--quiet"])
        .spawn()
        .unwrap();
    await_that("the daemon and its parent live", || lives(&word) && lives(&format!("{word}9")));
    tdd.kill().unwrap();
    tdd.wait().unwrap();
    await_that("the daemon is gone", || !lives(&word) && !lives(&format!("{word}9")));
}

#[test]
fn a_child_on_a_terminal_keeps_it_and_hears_the_stop() {
    let Some(yard) = Yard::sealed() else { return };
    // It tidies up for longer than a sandbox that died of the signal would let it.
    let script = "test -t 1 && : > /dev/tty && trap 'sleep 0.3; echo tidied; exit 7' INT; echo ready; \
                  while :; do sleep 0.02; done";
    let order = SpawnOrder {
        argv: ["sh", "-c", script].map(OsString::from).to_vec(),
        cwd: yard.repo.clone(),
        env: EnvPlan::default(),
        stdin: StdinPlan::Null,
        log: yard.repo.parent().unwrap().join("log"),
        size: Size::default(),
        shim: PathBuf::from(env!("CARGO_BIN_EXE_tdd")),
        enclosure: Some(yard.of_role(Role::Implementer)),
        ended: Ended::default(),
    };
    let limits = SessionLimits {
        wall: LONG,
        idle: None,
        output_bytes: 1 << 20,
        ladder: Ladder { interrupt: LONG, terminate: LONG },
        drain: SessionLimits::DRAIN,
    };
    let (ask, mut stop) = watch::channel(None);
    let mut heard = Vec::new();
    let lived = block_on(async {
        let mut child = pty::spawn(&order).unwrap();
        let mut hear = |bytes: &[u8]| {
            heard.extend_from_slice(bytes);
            // A second one would be a second Ctrl-C, which kills.
            if heard.starts_with(b"ready") && ask.borrow().is_none() {
                let _ = ask.send(Some(2));
            }
            Heard::Continue
        };
        session::live(&mut child, &limits, &mut stop, &mut hear).await
    });
    assert!(matches!(lived.end, SessionEnd::Stopped(2)), "{:?}", lived.end);
    let said = std::fs::read_to_string(&order.log).unwrap();
    assert!(said.contains("tidied"), "{said}");
}

pub fn cassette(place: &Sandbox, action: &str) -> String {
    let honest = super::cycle::honest_shop_cassette();
    let run = format!("- role: implementer\n  run: [sh, -c, {action:?}]\n");
    let path = place.repo().parent().unwrap().join("c.yaml");
    std::fs::write(&path, honest.replace("- role: implementer\n", &run)).unwrap();
    path.to_string_lossy().into_owned()
}

#[test]
fn ac_tdd_8_7_a_run_says_its_level_and_keeps_it() {
    if !has_bwrap() || !has_python() {
        return;
    }
    let place = super::cycle::shop();
    let tries = "for t in tests/test_old.py tdd.yaml; do echo x >> $t; done; cat specs/frs/STE-1.md > seen";
    let cassette = cassette(&place, tries);
    let ran = place.tdd(&["STE-1", "--sandbox", "enforce", "--cassette", &cassette]).expect(0);
    assert!(ran.stdout.contains("isolation: enforce (bubblewrap"), "{}", ran.stdout);
    let first: Vec<&str> = ran.stderr.lines().take(4).collect();
    assert!(first.iter().any(|line| line.starts_with("isolation: enforce")), "{first:?}");
    assert_eq!(place.events()[1], "isolated");
    assert!(!place.events().contains(&"restored".to_owned()), "there was nothing to put back");
    assert_eq!(place.read("seen"), "");
    assert!(place.tdd(&["log"]).stdout.contains("isolation: enforce"));
}

#[test]
fn the_weaker_level_says_why_and_can_be_refused() {
    if !has_python() {
        return;
    }
    let place = super::cycle::shop();
    let honest = cassette(&place, ":");
    let described = |args: &[&str], path: Option<&Path>| {
        let mut command = place.command(env!("CARGO_BIN_EXE_tdd"));
        command.env_remove("TDD_SANDBOX").args(["STE-1", "--dry-run", "--cassette", &honest]).args(args);
        if let Some(path) = path {
            command.env("PATH", path);
        }
        Ran::of(&command.output().unwrap())
    };
    let bin = place.repo().parent().unwrap().join("bin");
    std::fs::create_dir(&bin).unwrap();
    for program in ["git", "python3", "sh"] {
        let found = place.command("sh").args(["-c", &format!("command -v {program}")]).output().unwrap();
        let found = String::from_utf8(found.stdout).unwrap();
        std::os::unix::fs::symlink(found.trim(), bin.join(program)).unwrap();
    }
    let asked = described(&["--sandbox", "audit"], None).expect(0);
    assert!(asked.stdout.contains("isolation:   audit") && asked.stdout.contains("as it was asked for"));
    let open = "nothing is prevented: home, credentials and network are open";
    assert!(asked.stdout.contains(open), "{}", asked.stdout);
    let without = described(&[], Some(&bin)).expect(0);
    assert!(
        without.stdout.contains("audit") && without.stdout.contains("not installed"),
        "{}",
        without.stdout
    );
    for args in [&["--require-sandbox"][..], &["--sandbox", "enforce"]] {
        described(args, Some(&bin)).expect(2).says(&[
            "no OS sandbox",
            "not installed",
            "apt install bubblewrap",
        ]);
    }
    described(&["--require-sandbox", "--sandbox", "audit"], None).expect(2).says(&["contradict"]);
    place.write("tdd.yaml", "test: python3 -m unittest discover -s tests -t .\nsandbox: audit\n");
    assert!(described(&[], None).expect(0).stdout.contains("isolation:   audit"));
}
