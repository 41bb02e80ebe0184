//! Plays one entry with the real binary and looks at what came of it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::{Value, json};
use tdd::core::role::Role;

use super::entry::{Again, Entry, Intent, Wanted};
use super::projects;
use crate::sandbox::{Ran, Sandbox};

/// How children are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    Audit,
    Enforce,
}

impl Level {
    /// The levels that this binary and this machine have.
    pub fn known() -> &'static [Self] {
        static KNOWN: OnceLock<bool> = OnceLock::new();
        let has_flag = || {
            let help = Command::new(env!("CARGO_BIN_EXE_tdd")).args(["run", "--help"]).output().unwrap();
            String::from_utf8_lossy(&help.stdout).contains("--sandbox ")
        };
        if *KNOWN.get_or_init(has_flag) { &[Self::Audit, Self::Enforce] } else { &[Self::Audit] }
    }

    fn args(self) -> &'static [&'static str] {
        match self {
            _ if Self::known().len() == 1 => &[],
            Self::Audit => &["--sandbox", "audit"],
            Self::Enforce => &["--sandbox", "enforce"],
        }
    }
}

/// So that a child that waits for ever does not, and a slow machine is no cheat.
const DEADLINES: &str = "attempt_deadline: 60s\nidle_deadline: 60s\ndeadline: 60s\n";

/// What came of one entry at one level.
pub struct Row {
    pub entry: Entry,
    pub level: Level,
    pub wanted: Wanted,
    /// In one or two words, with the words that were found.
    pub outcome: String,
    /// What is not as wanted; empty if all is.
    pub wrongs: Vec<String>,
    words: String,
}

impl Row {
    pub fn is_as_wanted(&self) -> bool {
        self.wrongs.is_empty()
    }

    pub fn complaint(&self) -> String {
        format!(
            "=== {} ({:?}), wanted {:?}: {}\n{}",
            self.entry.name,
            self.level,
            self.wanted,
            self.wrongs.join("; "),
            self.words
        )
    }
}

pub fn table(rows: &[Row]) -> String {
    let mut text = format!("{:<48} {:<12} {:<26} {:<26} verdict\n", "entry", "role", "audit", "enforce");
    let mut names: Vec<&str> = rows.iter().map(|row| row.entry.name).collect();
    names.dedup();
    for name in names {
        let at = |level| rows.iter().find(|row| row.entry.name == name && row.level == level);
        let shown = |level| at(level).map_or("not built", |row| row.outcome.as_str());
        let of_entry = || rows.iter().filter(|row| row.entry.name == name);
        let role = of_entry().next().map(|row| row.entry.role.to_string()).unwrap_or_default();
        let verdict = match (of_entry().all(Row::is_as_wanted), of_entry().next().map(|row| row.entry.intent))
        {
            (true, Some(Intent::Honest)) => "not blamed",
            (false, Some(Intent::Honest)) => "BLAMED",
            (true, _) => "caught",
            (false, _) => "NOT CAUGHT",
        };
        let _ = writeln!(
            text,
            "{name:<48} {role:<12} {:<26} {:<26} {verdict}",
            shown(Level::Audit),
            shown(Level::Enforce)
        );
    }
    text
}

/// `env` is set for the run: how a guard is switched off.
pub fn play(entry: &Entry, level: Level, env: &[(&str, &str)]) -> Row {
    let wanted = match level {
        Level::Audit => entry.audit,
        Level::Enforce => entry.enforce,
    };
    let mut row = Row {
        entry: entry.clone(),
        level,
        wanted,
        outcome: String::new(),
        wrongs: Vec::new(),
        words: String::new(),
    };
    if let Wanted::Todo(guard) = wanted {
        row.outcome = format!("todo: {guard}");
        return row;
    }
    if !(entry.project.is_there)() {
        "skipped".clone_into(&mut row.outcome);
        return row;
    }
    let scene = Scene::set(entry);
    let before = scene.git_picture();
    let cassette = scene.cassette("c.json", entry);
    let ran = scene.tdd(&run_args(entry, level, &cassette), env);
    let seen = Seen::look(&scene, ran);
    row.outcome = seen.name(entry);
    row.wrongs = seen.wrongs(entry, wanted, &scene);
    if let (Wanted::Stops(_), true) = (wanted, row.wrongs.is_empty()) {
        row.wrongs.extend(scene.resume(entry, level, env));
    }
    if level == Level::Audit || row.wrongs.is_empty() {
        row.wrongs.extend(scene.damage(entry, seen.code, &before));
    }
    row.wrongs.extend(scene.left_processes());
    row.words = seen.words(&scene);
    row
}

fn run_args(entry: &Entry, level: Level, cassette: &Path) -> Vec<String> {
    let mut args = vec!["STE-1".to_owned(), "--cassette".to_owned(), cassette.to_string_lossy().into_owned()];
    if entry.role != Role::Refactorer {
        args.push("--no-refactor".to_owned());
    }
    args.extend(level.args().iter().chain(&entry.args).map(|arg| (*arg).to_owned()));
    args
}

/// A project that is ready for one child.
struct Scene {
    sandbox: Sandbox,
}

impl Scene {
    fn set(entry: &Entry) -> Self {
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
        let scene = Self { sandbox };
        scene.say(entry.setup);
        scene
    }

    fn outside(&self) -> PathBuf {
        self.sandbox.repo().parent().unwrap().to_owned()
    }

    /// The child of the entry's role does its deed, the others do honest work.
    fn cassette(&self, name: &str, entry: &Entry) -> PathBuf {
        let of_role = |role: Role| {
            let (honest, files) = match role {
                Role::TestWriter => ("red; also", "a test"),
                Role::Implementer => ("green", "the source"),
                Role::Refactorer => (":", ""),
            };
            let files: Vec<&str> = Some(files).filter(|files| !files.is_empty()).into_iter().collect();
            let is_cheat = role == entry.role && name == "c.json";
            let deed = if is_cheat { entry.deed } else { honest };
            let (own, more) = (entry.project.prelude, entry.prelude);
            let script = format!("also() {{ :; }}\n{own}{more}\n(\n{deed}\n)\necho \"deed: $?\"");
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

    fn tdd(&self, args: &[String], env: &[(&str, &str)]) -> Ran {
        let mut command = self.sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.env("PATH", self.path()).envs(env.iter().copied()).args(args);
        Ran::of(&command.output().unwrap())
    }

    /// A folder that the child may write to stands first.
    fn path(&self) -> String {
        format!("{}:{}", self.outside().join("bin").display(), path())
    }

    /// Whether a shell condition holds in the project.
    fn holds(&self, condition: &str) -> bool {
        let script = format!("cd \"$1\" && {condition}");
        let mut command = self.sandbox.command("sh");
        command.env("PATH", path()).args(["-c", &script, "sh"]).arg(self.sandbox.repo());
        command.output().unwrap().status.success()
    }

    fn say(&self, script: &str) -> String {
        Ran::of(&self.sandbox.command("sh").args(["-c", script]).output().unwrap()).stdout
    }

    /// What of git is the user's.
    fn git_picture(&self) -> String {
        self.say(
            "git symbolic-ref HEAD; git rev-parse HEAD; git for-each-ref | grep -v refs/tdd/; git stash list; \
             git ls-files --stage; cat .git/config; ls .git/hooks | grep -v sample; cat .git/info/attributes 2>&1; \
             git cat-file -e 'HEAD^{tree}' && echo sound",
        )
    }

    /// What is not as it must be, however the run ended.
    fn damage(&self, entry: &Entry, code: i32, before: &str) -> Vec<String> {
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
        let status = self.say("git status --porcelain --untracked-files=all | grep -v __pycache__");
        let failed = code == 1;
        let tests = |line: &&str| line[3..].starts_with("test");
        let left = status.lines().filter(|line| match entry.role {
            Role::TestWriter => !tests(line),
            Role::Implementer => failed || tests(line),
            Role::Refactorer => tests(line),
        });
        let left = left.filter(|line| entry.setup.is_empty() || !line.contains("tests/test_old.py"));
        let left: Vec<&str> = left.filter(|line| !line.contains("ac_ste_1_")).collect();
        if (failed || entry.role != Role::TestWriter) && !left.is_empty() {
            damage.push(format!("left in the tree: {left:?}"));
        }
        if code == 0 && !self.holds(entry.truth) {
            damage.push("the run ended well and the code is not right".to_owned());
        }
        damage
    }

    fn resume(&self, entry: &Entry, level: Level, env: &[(&str, &str)]) -> Option<String> {
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
    fn left_processes(&self) -> Option<String> {
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

/// What a run left to look at.
struct Seen {
    code: i32,
    printed: String,
    /// The halt report; empty if there is none.
    halt: String,
    journal: String,
    /// The exit code of the deed's last command; `None` if the child did not come that far.
    deed: Option<i32>,
}

impl Seen {
    fn look(scene: &Scene, ran: Ran) -> Self {
        let text = |pattern: &str| scene.say(&format!("cat .tdd/runs/*/{pattern} 2>/dev/null"));
        let logs = text("logs/*");
        let deeds = logs.lines().filter_map(|line| line.trim().strip_prefix("deed: "));
        let deed = deeds.filter_map(|code| code.parse().ok()).find(|code| *code != 0);
        Self {
            code: ran.code,
            printed: ran.stdout + &ran.stderr,
            halt: text("halt.txt"),
            journal: text("events.jsonl"),
            deed,
        }
    }

    fn name(&self, entry: &Entry) -> String {
        let reason = |words: &str| words.chars().take(18).collect::<String>();
        match self.code {
            0 if entry.intent == Intent::Honest => "passed".to_owned(),
            0 if matches!(entry.audit, Wanted::Named(_)) && self.deed.is_none() => "named".to_owned(),
            0 if self.journal.contains("\"type\":\"restored\"") => "restored, recorded".to_owned(),
            0 if self.deed.is_some() || !entry.effect.is_empty() => "prevented".to_owned(),
            0 => match entry.audit {
                Wanted::Recorded(words) if self.journal.contains(words) => "recorded".to_owned(),
                _ => "passed".to_owned(),
            },
            1 => match entry.audit {
                Wanted::Failed(words) if self.halt.contains(words) => format!("failed: {}", reason(words)),
                _ => "failed".to_owned(),
            },
            code => format!("stops, exit {code}"),
        }
    }

    fn wrongs(&self, entry: &Entry, wanted: Wanted, scene: &Scene) -> Vec<String> {
        let mut wrongs = Vec::new();
        let mut must = |holds: bool, what: String| {
            if !holds {
                wrongs.push(what);
            }
        };
        let ended_well = (self.code == 0, format!("exit {}, not 0", self.code));
        match wanted {
            Wanted::Prevented => {
                must(ended_well.0, ended_well.1);
                must(self.deed.is_some() || !entry.effect.is_empty(), "the operation succeeded".to_owned());
            }
            Wanted::Failed(words) => {
                must(self.code == 1, format!("exit {}, not 1", self.code));
                must(self.halt.contains(words), format!("no `{words}` in the halt report"));
            }
            Wanted::Recorded(words) => {
                must(ended_well.0, ended_well.1);
                must(self.journal.contains(words), format!("no `{words}` in the journal"));
            }
            Wanted::Stops(words) => {
                let stops = ![0, 1, 2, 70].contains(&self.code);
                must(stops, format!("exit {}, which is no stop", self.code));
                must(self.printed.contains(words), format!("no `{words}` was said"));
            }
            Wanted::Named(words) => {
                must(ended_well.0, ended_well.1);
                must(self.printed.contains(words), format!("no `{words}` in the summary"));
            }
            Wanted::Passes => {
                must(ended_well.0, ended_well.1);
                must(!self.journal.contains("\"type\":\"restored\""), "something was put back".to_owned());
            }
            Wanted::Todo(_) => {}
        }
        let effect = !entry.effect.is_empty() && scene.holds(entry.effect);
        must(!effect, format!("it had its effect: {}", entry.effect));
        wrongs
    }

    fn words(&self, scene: &Scene) -> String {
        let logs = scene.say("tail -n 5 .tdd/runs/*/logs/* 2>/dev/null");
        format!("--- printed\n{}\n--- halt\n{}\n--- logs\n{logs}", self.printed, self.halt)
    }
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
