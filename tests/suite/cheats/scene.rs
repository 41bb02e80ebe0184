//! A project that one entry is played in, and what is looked at there afterwards.

use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};
use tdd_core::role::Role;

use super::entry::{Again, Entry};
use super::projects::{self, SmallDisk};
use super::stage::Level;
use crate::sandbox::{Ran, Sandbox};

/// So that a child that waits for ever does not, and a slow machine is no cheat.
const DEADLINES: &str = "attempt_deadline: 60s\nidle_deadline: 60s\ndeadline: 60s\n";

/// A project that is ready for one child.
pub struct Scene {
    // Before the sandbox, whose folder it lies on.
    _disk: Option<SmallDisk>,
    sandbox: Sandbox,
}

impl Scene {
    pub fn set(entry: &Entry) -> Self {
        let yaml = format!(
            "test: {}\nbudgets: {{ semantic: 1, format: 0 }}\n{}{}",
            entry.project.test,
            if entry.settings.contains("deadline") { "" } else { DEADLINES },
            entry.settings
        );
        let mut files = entry.project.files.to_vec();
        files.push(("tdd.yaml", &yaml));
        files.push(("specs/frs/STE-1.md", projects::REQUIREMENT));
        files.extend(&entry.files);
        let sandbox = Sandbox::with(&files);
        std::fs::create_dir(sandbox.repo().parent().unwrap().join("bin")).unwrap();
        let disk = entry.project.disk.map(|mib| on_small_disk(&sandbox, mib));
        let scene = Self { _disk: disk, sandbox };
        scene.say(entry.setup);
        scene
    }

    pub fn outside(&self) -> PathBuf {
        self.sandbox.repo().parent().unwrap().to_owned()
    }

    /// The child of the entry's role does its action, the others do honest work.
    pub fn cassette(&self, name: &str, entry: &Entry) -> PathBuf {
        let of_role = |role: Role| {
            let (honest, files) = match role {
                Role::TestWriter => ("red; also", "a test"),
                Role::Implementer => ("green", "the source"),
                Role::Refactorer | Role::Fixer => (":", ""),
            };
            let files: Vec<&str> = Some(files).filter(|files| !files.is_empty()).into_iter().collect();
            let is_cheat = role == entry.role && name == "c.json";
            let action = if is_cheat { entry.action } else { honest };
            let (own, more) = (entry.project.prelude, entry.prelude);
            let script = format!("also() {{ :; }}\n{own}{more}\n(\n{action}\n)\necho \"action: $?\"");
            let mut call = json!({
                "role": role.to_string(),
                "run": ["sh", "-c", script],
                "say": { "status": "ok", "files": files },
            });
            let root = self.sandbox.repo().to_string_lossy().into_owned();
            let more = if is_cheat { entry.more.replace("ROOT", &root) } else { "{}".to_owned() };
            let more: Value = serde_json::from_str(&more).unwrap();
            for (key, value) in more.as_object().unwrap() {
                if key == "raw" {
                    call.as_object_mut().unwrap().remove("say");
                }
                call[key] = value.clone();
            }
            call
        };
        let path = self.outside().join(name);
        let calls: Vec<Value> =
            [Role::TestWriter, Role::Implementer, Role::Refactorer].into_iter().map(of_role).collect();
        std::fs::write(&path, serde_json::to_string(&calls).unwrap()).unwrap();
        path
    }

    pub fn tdd(&self, args: &[String], env: &[(&str, &str)]) -> Ran {
        let mut command = self.sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.env("PATH", self.path()).envs(env.iter().copied()).args(args);
        Ran::of(&command.output().unwrap())
    }

    /// A folder that the child may write to stands first.
    pub fn path(&self) -> String {
        format!("{}:{}", self.outside().join("bin").display(), path())
    }

    /// Whether a shell condition holds in the project.
    pub fn holds(&self, condition: &str) -> bool {
        let script = format!("cd \"$1\" && {condition}");
        let mut command = self.sandbox.command("sh");
        command.env("PATH", path()).args(["-c", &script, "sh"]).arg(self.sandbox.repo());
        command.output().unwrap().status.success()
    }

    pub fn say(&self, script: &str) -> String {
        Ran::of(&self.sandbox.command("sh").args(["-c", script]).output().unwrap()).stdout
    }

    /// What of git is this work tree's. All else may be a person's work as well, and is told.
    pub fn git_picture(&self) -> String {
        self.say(
            "git symbolic-ref HEAD; git rev-parse HEAD; git ls-files --stage; ls .git/index.lock .git/HEAD.lock 2>&1; \
             git cat-file -e 'HEAD^{tree}' && echo sound",
        )
    }

    /// What is not as it must be, however the run ended.
    pub fn damage(&self, entry: &Entry, code: i32, before: &str) -> Vec<String> {
        let mut damage = Vec::new();
        let now = self.git_picture();
        if now != before {
            damage.push(format!("git is not as it was:\n{before}---\n{now}"));
        }
        for (path, text) in entry.project.files.iter().chain(&entry.files) {
            let is_test =
                path.starts_with("test") && entry.role != Role::TestWriter && entry.setup.is_empty();
            if is_test && std::fs::read_to_string(self.sandbox.path(path)).ok().as_deref() != Some(*text) {
                damage.push(format!("{path} is not as it was"));
            }
        }
        let status = self.say(
            "git -c core.fsmonitor=false status --porcelain --untracked-files=all | grep -v __pycache__",
        );
        let failed = code == 1;
        let tests = |line: &&str| line[3..].starts_with("test");
        let left = status.lines().filter(|line| match entry.role {
            Role::TestWriter => !tests(line),
            Role::Implementer => failed || tests(line),
            Role::Refactorer | Role::Fixer => tests(line),
        });
        let left = left.filter(|line| entry.setup.is_empty() || !line.contains("tests/test_old.py"));
        let left: Vec<&str> = left.filter(|line| !line.contains("ac_ste_1_")).collect();
        // What a proof does not let stand was kept, and is not taken back.
        let is_proven = entry.args.contains(&"--proof");
        if !is_proven && (failed || entry.role != Role::TestWriter) && !left.is_empty() {
            damage.push(format!("left in the tree: {left:?}"));
        }
        if code == 0 && !self.holds(entry.truth) {
            damage.push("the run ended well and the code is not right".to_owned());
        }
        damage
    }

    pub fn resume(&self, entry: &Entry, level: Level, env: &[(&str, &str)]) -> Option<String> {
        let cassette = self.cassette("honest.json", entry).to_string_lossy().into_owned();
        let words: &[&str] = match entry.again {
            Again::Resume => &["resume"],
            Again::After(repair) => {
                self.say(repair);
                &["resume"]
            }
            Again::Anew => {
                self.say("git checkout -q -- . && git clean -fdq");
                &["STE-1", "--new", "--no-refactor"]
            }
        };
        let mut args: Vec<String> = words.iter().chain(level.args()).map(|word| (*word).to_owned()).collect();
        args.extend(["--cassette".to_owned(), cassette]);
        let ran = self.tdd(&args, env);
        (ran.code != 0)
            .then(|| format!("it went on and ended with {}:\n{}{}", ran.code, ran.stdout, ran.stderr))
    }

    /// Processes that have to do with this project and are still there.
    pub fn left_processes(&self) -> Option<String> {
        let own = self.outside().to_string_lossy().into_owned();
        let mut left = Vec::new();
        for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
            let cwd = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if pid != std::process::id() && (line.contains(&own) || cwd.starts_with(&own)) {
                left.push(line);
            }
        }
        (!left.is_empty()).then(|| format!("processes are left: {left:?}"))
    }
}

/// Moves the project to a disk of its own.
fn on_small_disk(sandbox: &Sandbox, mib: u32) -> SmallDisk {
    let say = |script: &str| {
        let said = sandbox.command("sh").args(["-c", script]).output().unwrap();
        assert!(said.status.success(), "{script}");
    };
    say("cp -a . ../aside");
    let disk = SmallDisk::mount(&sandbox.repo(), mib).unwrap();
    say("cp -a ../aside/. . && rm -rf ../aside");
    disk
}

/// The caller's `PATH` with the real interpreter first: a version manager's shim in its place would
/// take longer than a whole run.
fn path() -> &'static str {
    static PATH: OnceLock<String> = OnceLock::new();
    PATH.get_or_init(|| {
        let code = "import sys; print(sys.prefix)";
        let said = Command::new("python3").args(["-c", code]).output();
        let prefix = said.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned());
        let inherited = std::env::var("PATH").unwrap_or_default();
        prefix.map_or_else(|_| inherited.clone(), |prefix| format!("{prefix}/bin:{inherited}"))
    })
}
