//! A sealed place for runs of the real binary: own home, own repository, nothing of the caller's.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, Once};

use tempfile::TempDir;
use tokio::signal::unix::SignalKind;

/// What one call of the binary gave.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn of(output: &Output) -> Self {
        use std::os::unix::process::ExitStatusExt;
        let signal = || 128 + output.status.signal().unwrap_or(0);
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        super::schema::hold(&stdout);
        Self {
            code: output.status.code().unwrap_or_else(signal),
            stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Asserts the exit code, with everything that was printed if it differs.
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn says(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stderr.contains(word), "no `{word}` in:\n{}", self.stderr);
        }
        self
    }

    #[track_caller]
    pub fn says_on_stdout(self, words: &[&str]) -> Self {
        for word in words {
            assert!(self.stdout.contains(word), "no `{word}` in:\n{}", self.stdout);
        }
        self
    }
}

pub struct Sandbox {
    dir: TempDir,
}

impl Sandbox {
    /// An empty folder that is no repository yet.
    pub fn empty() -> Self {
        heed_signals();
        let dir = TempDir::with_prefix("tdd-suite-").unwrap();
        std::fs::create_dir_all(dir.path().join("home")).unwrap();
        std::fs::create_dir_all(dir.path().join("repo")).unwrap();
        Self { dir }
    }

    /// A repository with these files, committed.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::empty();
        for (path, text) in files {
            sandbox.write(path, text);
        }
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox.commit();
        sandbox
    }

    /// A repository with a copy of `fixtures/projects/<name>`, committed.
    pub fn of_fixture(name: &str) -> Self {
        let sandbox = Self::empty();
        copy(&fixtures().join("projects").join(name), &sandbox.repo());
        sandbox.git(&["init", "-q", "-b", "main"]);
        sandbox.commit();
        sandbox
    }

    pub fn repo(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    /// A path beside the repository, where nothing is judged.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.repo().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// The person's own settings, for all projects.
    pub fn own_settings(&self, text: &str) {
        let file = self.dir.path().join("home/.config/tdd/tdd.yaml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path(path)).unwrap()
    }

    pub fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&[
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "commit",
            "-q",
            "-m",
            "start",
            "--allow-empty",
        ]);
    }

    /// A command in the repository with the sealed environment.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        // A sweep in this process, for another test, would take it for an orphan once it has a session of its own.
        tdd_child::process::descendants::spare_unmarked();
        let mut command = Command::new(program);
        command.current_dir(self.repo()).env_clear().stdin(Stdio::null());
        let home = self.dir.path().join("home");
        let real_home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let or =
            |name: &str, below: &str| std::env::var_os(name).unwrap_or_else(|| real_home.join(below).into());
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &home)
            .env("CARGO_HOME", or("CARGO_HOME", ".cargo"))
            .env("RUSTUP_HOME", or("RUSTUP_HOME", ".rustup"))
            // Where go keeps its own library compiled, since 1.20.
            .env("GOCACHE", or("GOCACHE", ".cache/go-build"))
            .env("CARGO_NET_OFFLINE", "true")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("TMPDIR", self.dir.path())
            .env("LC_ALL", "C.UTF-8")
            // What a child does is to be judged, not prevented; `isolation` sets the level itself.
            .env("TDD_SANDBOX", "audit")
            // It runs the suite some more times; who is about it asks for it by its flag.
            .env("TDD_PROOF", "off");
        command
    }

    /// The same for a user whom permissions hold: root gives away what it has beyond them. `None` where that can't
    /// be done, as in [`has`].
    pub fn ordinary(&self, program: &str) -> Option<Command> {
        if !rustix::process::geteuid().is_root() {
            return Some(self.command(program));
        }
        let limits = "--bounding-set=-dac_override,-dac_read_search";
        let mut command = self.command("setpriv");
        command.args([limits, program]);
        has("setpriv", &["setpriv", limits, "true"]).then_some(command)
    }

    #[track_caller]
    pub fn git(&self, args: &[&str]) -> String {
        // What git does in the background afterwards nobody here waits for.
        let quiet = ["-c", "maintenance.auto=false"];
        let output = self.command("git").args(quiet).args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// A run of `STE-1` whose roles do what these calls say, at the level that asks for nothing of the machine.
    pub fn scripted(&self, calls: &serde_json::Value, more: &[&str]) -> Ran {
        let cassette = self.beside("cassette.json");
        std::fs::write(&cassette, calls.to_string()).unwrap();
        let cassette = cassette.to_str().unwrap();
        let how = ["--agent", "scripted", "--no-review", "--sandbox", "audit", "--cassette", cassette];
        self.tdd(&[&["STE-1"], &how[..], more].concat())
    }

    pub fn tdd(&self, args: &[&str]) -> Ran {
        Ran::of(&self.command(env!("CARGO_BIN_EXE_tdd")).args(args).output().unwrap())
    }

    /// Every file that git knows or would add, with its bytes, and HEAD, branch, index and stash:
    /// what a run that did nothing must leave as it was.
    pub fn everything(&self) -> String {
        let mut all = String::new();
        for args in [
            &["status", "--porcelain=v2", "--branch", "--untracked-files=all"][..],
            &["for-each-ref", "refs/heads", "refs/tags", "refs/stash"],
            &["ls-files", "--stage"],
        ] {
            all.push_str(
                &self.command("git").args(args).output().map(|o| Ran::of(&o).stdout).unwrap_or_default(),
            );
        }
        let files =
            self.command("git").args(["ls-files", "-co", "--exclude-standard", "-z"]).output().unwrap();
        for file in String::from_utf8_lossy(&files.stdout).split('\0').filter(|file| !file.is_empty()) {
            let bytes = std::fs::read(self.path(file)).unwrap_or_default();
            let _ = writeln!(all, "{file} {}", blake3::hash(&bytes).to_hex());
        }
        all
    }

    /// The folder of the newest run.
    /// The level of isolation that the last run's children were held at.
    pub fn level(&self) -> String {
        let journal = std::fs::read_to_string(self.run_dir().join("events.jsonl")).unwrap();
        let mut events = journal.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let isolated = events.find(|event| event["type"] == "isolated").unwrap();
        isolated["isolation"]["level"].as_str().unwrap().to_owned()
    }

    pub fn run_dir(&self) -> PathBuf {
        let runs = std::fs::read_dir(self.path(".tdd/runs")).unwrap().map(|entry| entry.unwrap().path());
        // Names count seconds, and two runs may begin in the same one.
        let age = |run: &PathBuf| {
            let second = run.file_name().unwrap().to_string_lossy().split('-').next().map(str::to_owned);
            let written = std::fs::metadata(run.join("events.jsonl")).and_then(|about| about.modified()).ok();
            (second, written, run.clone())
        };
        runs.max_by_key(age).unwrap()
    }

    /// The names of the newest run's events, in order.
    pub fn events(&self) -> Vec<String> {
        let journal = std::fs::read_to_string(self.run_dir().join("events.jsonl")).unwrap();
        let name = |line: &str| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            value["type"].as_str().unwrap().to_owned()
        };
        journal.lines().map(name).collect()
    }

    pub fn forks(&self) -> usize {
        self.events().iter().filter(|name| *name == "attempt_started").count()
    }
}

pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to.join(entry.file_name()));
        } else {
            // A folder with a manifest of its own would not go into this project's package.
            let name = entry.file_name().into_string().unwrap();
            std::fs::copy(entry.path(), to.join(name.trim_end_matches(".in"))).unwrap();
        }
    }
}

/// Whether a program that a test needs is there. Missing: said, and a failure where `CI` is set.
pub fn has(what: &str, argv: &[&str]) -> bool {
    // Most tests ask, and some programs take a second to say their version.
    static FOUND: Mutex<BTreeMap<String, bool>> = Mutex::new(BTreeMap::new());
    let ask = || {
        let output = Command::new(argv[0]).args(&argv[1..]).stdin(Stdio::null()).output();
        output.is_ok_and(|output| output.status.success())
    };
    let known = FOUND.lock().unwrap().get(&argv.join(" ")).copied();
    let found = known.unwrap_or_else(|| {
        let found = ask();
        FOUND.lock().unwrap().insert(argv.join(" "), found);
        found
    });
    if !found {
        println!("skipped: no {what}");
        assert!(std::env::var_os("CI").is_none(), "{what} is needed where CI is set");
    }
    found
}

pub fn has_python() -> bool {
    has("python3", &["python3", "--version"])
}

pub fn has_pytest() -> bool {
    has("pytest", &["python3", "-m", "pytest", "--version"])
}

pub fn has_node() -> bool {
    has("node", &["node", "--version"])
}

pub fn has_nextest() -> bool {
    has("cargo-nextest", &["cargo", "nextest", "--version"])
}

pub fn has_go() -> bool {
    has("go", &["go", "version"])
}

/// The folder named by `TDD_TEST_NODE_MODULES`, if this package is in it. Missing: as in [`has`].
pub fn node_modules(package: &str) -> Option<PathBuf> {
    modules_named_by("TDD_TEST_NODE_MODULES", package)
}

/// The same of an older version, in the folder named by `TDD_TEST_NODE_MODULES_OLD`.
pub fn older_node_modules(package: &str) -> Option<PathBuf> {
    modules_named_by("TDD_TEST_NODE_MODULES_OLD", package)
}

fn modules_named_by(variable: &str, package: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).map(PathBuf::from);
    let found = folder.filter(|folder| folder.join(package).is_dir());
    if found.is_none() {
        println!("skipped: no {package} in {variable}");
        assert!(std::env::var_os("CI").is_none(), "{package} is needed in {variable} where CI is set");
    }
    found
}

/// Whatever starts the tests may ignore signals (`nohup`, a script's background job), and what a test starts
/// would inherit that. A signal that has a handler, be it one that does nothing, has its usual effect there.
pub fn heed_signals() {
    static HEEDED: Once = Once::new();
    HEEDED.call_once(|| {
        let ignored = [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGTSTP];
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _guard = runtime.enter();
        for signal in ignored.into_iter().filter(|signal| tdd_child::unix::is_ignored(*signal)) {
            // The handler stays when this is dropped.
            drop(tokio::signal::unix::signal(SignalKind::from_raw(signal)).unwrap());
        }
    });
}

pub fn make_executable(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Looks again and again until it is so; fails after half a minute.
#[track_caller]
pub fn wait_for(is_so: impl Fn() -> bool) {
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !is_so() {
        assert!(std::time::Instant::now() < end, "it did not come to be");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// The folder named by `TDD_TEST_AGENTS`, if these agents' programs are in it. Missing: as in [`has`].
pub fn agents(names: &[&str]) -> Option<PathBuf> {
    let folder = std::env::var_os("TDD_TEST_AGENTS").map(PathBuf::from);
    let found = folder.filter(|folder| names.iter().all(|name| folder.join(name).exists()));
    if found.is_none() {
        println!("skipped: no agents");
        assert!(std::env::var_os("CI").is_none(), "{names:?} are needed in TDD_TEST_AGENTS where CI is set");
    }
    found
}

/// `PATH` with this folder before all others.
pub fn path_with(folder: &Path) -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap()
}

/// The scripted model server, which the binary itself is.
pub fn model_server() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tdd"));
    command.arg("__model-server");
    command
}
