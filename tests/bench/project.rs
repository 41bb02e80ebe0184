//! A repository whose agent and whose test command are tiny shell scripts that do the same for
//! `tdd` and for a plain script, and that write down every call.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Writes tests, or makes one pass, or does nothing: at once.
const AGENT: &str = r#"
role=$1 criterion=$2
[ -z "$BENCH_CALLS" ] || printf 'agent %s %s\n' "$role" "$criterion" >> "$BENCH_CALLS"
case $role in
test-writer)
    i=1 files=
    while [ $i -le "$BENCH_CRITERIA" ]; do
        echo "expects impl_$i" > "checks/ac_b_1_$i.t"
        files="$files, checks/ac_b_1_$i.t" i=$((i + 1))
    done
    files=${files#, } ;;
implementer) files=src/impl_${criterion##*.}.txt; echo done > "$files" ;;
*) files= ;;
esac
printf 'Done.\n```tdd-result\nrole: %s\nstatus: ok\nfiles: [%s]\ncommand: sh run.sh\noutput_excerpt: |\n  x\n```\n' "$role" "$files"
"#;

/// Takes about 5 ms. A check passes when the file that it is about is there.
const TEST: &str = r#"
[ -z "$BENCH_CALLS" ] || printf 'test %s\n' "$*" >> "$BENCH_CALLS"
sleep 0.003
[ $# -gt 0 ] || set -- checks/*.t
bad=0
{
    echo '<testsuites><testsuite name="checks">'
    for file; do
        [ -e "$file" ] || continue
        number=${file##*_} number=${number%.t}
        if [ -e "src/impl_$number.txt" ]; then
            printf '<testcase classname="%s" name="works" file="%s"/>\n' "$file" "$file"
        else
            bad=1
            printf '<testcase classname="%s" name="works" file="%s"><failure message="no impl_%s">expected it</failure></testcase>\n' "$file" "$file" "$number"
        fi
    done
    echo '</testsuite></testsuites>'
} > report.xml
exit $bad
"#;

/// What an implementer does in a project of `shop.py`: the first function `fN` that is not there, which gives N.
pub const NEXT_FUNCTION: &str = "n=1; while grep -q \"def f$n\" shop.py; do n=$((n + 1)); done; printf '\\n\\ndef f%s():\\n    return %s\\n' $n $n >> shop.py";

pub struct Project {
    dir: TempDir,
    criteria: usize,
}

impl Project {
    /// A committed repository of `files` files with a requirement of so many criteria.
    pub fn new(criteria: usize, files: usize) -> Self {
        Self::with_agent(criteria, files, AGENT, "")
    }

    /// The same with an agent of its own: a script, and more lines for its table, each indented
    /// by four spaces.
    pub fn with_agent(criteria: usize, files: usize, agent: &str, table: &str) -> Self {
        let project = Self { dir: TempDir::with_prefix("tdd-bench-").unwrap(), criteria };
        std::fs::create_dir_all(project.home()).unwrap();
        std::fs::write(project.beside("agent.sh"), agent).unwrap();
        std::fs::write(project.beside("run.sh"), TEST).unwrap();
        let run = format!("sh {}", project.beside("run.sh").display());
        let agent = project.beside("agent.sh");
        // A row of its own tells what the final proof costs.
        project.write(
            "tdd.yaml",
            &format!(
                "test: {run}\ntest_files: [\"checks/**\"]\nagent: instant\nproof: off\n\
                 runner: {{ kind: junit, all: \"{run}\", select: \"{run} {{files}}\", report: report.xml }}\n\
                 agents:\n  instant:\n    argv: [sh, \"{}\", \"{{role}}\", \"{{criterion}}\"]\n    prompt: stdin\n{table}",
                agent.display()
            ),
        );
        project.write_requirement();
        project.write(".gitignore", "report.xml\n");
        project.write("checks/old_0.t", "expects impl_0\n");
        project.write("src/impl_0.txt", "done\n");
        for number in 0..files.saturating_sub(5) {
            let text = format!("File {number}.\n").repeat(40);
            project.write(&format!("src/part{}/file{number}.txt", number % 10), &text);
        }
        project.git(&["init", "-q", "-b", "main"]);
        project.commit();
        project
    }

    /// A repository of these files, for children of a cassette.
    pub fn scripted(criteria: usize, test: &str, files: &[(&str, &str)]) -> Self {
        let project = Self { dir: TempDir::with_prefix("tdd-bench-").unwrap(), criteria };
        std::fs::create_dir_all(project.home()).unwrap();
        for (path, text) in files {
            project.write(path, text);
        }
        project.write("tdd.yaml", &format!("test: {test}\n"));
        project.write_requirement();
        project.git(&["init", "-q", "-b", "main"]);
        project.commit();
        project
    }

    fn write_requirement(&self) {
        let mut requirement = "# Bench\n\n## Acceptance Criteria\n\n".to_owned();
        for number in 1..=self.criteria {
            let _ = writeln!(requirement, "- AC-B-1.{number}: There is an impl_{number}.");
        }
        self.write("specs/frs/B-1.md", &requirement);
    }

    pub fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["-c", "user.name=b", "-c", "user.email=b@b", "commit", "-q", "-m", "start"]);
    }

    pub fn repo(&self) -> PathBuf {
        self.dir.path().join("repo")
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// A path beside the repository.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.repo().join(path)).unwrap()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.repo().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn git(&self, args: &[&str]) {
        let output = self.command("git").args(args).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// A command in the repository, with nothing of the caller's environment but the path.
    pub fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.repo()).env_clear().stdin(Stdio::null());
        let real_home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        // Without them there is no toolchain.
        for (name, below) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
            let folder = std::env::var_os(name).unwrap_or_else(|| real_home.join(below).into());
            command.env(name, folder);
        }
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home())
            .env("TMPDIR", self.dir.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C.UTF-8")
            // A row of its own tells what the sandbox costs; the others must not depend on it.
            .env("TDD_SANDBOX", "audit")
            .env("BENCH_CRITERIA", self.criteria.to_string());
        command
    }

    /// `tdd` on the requirement, without a word on the way; the calls are written down.
    pub fn tdd(&self) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_tdd"));
        command.args(["B-1", "--quiet"]).env("BENCH_CALLS", self.calls());
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }

    /// Where the scripts write down how they were called.
    pub fn calls(&self) -> PathBuf {
        self.beside("calls")
    }

    /// The whole run; it must end well.
    pub fn run(&self) {
        let output = self.tdd().output().unwrap();
        assert!(output.status.success(), "tdd: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// The same with all that it says on the way.
    pub fn tdd_aloud(&self) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_tdd"));
        command.arg("B-1").env("BENCH_CALLS", self.calls());
        command
    }

    /// What a test-writer, each implementer and a refactorer do, in `sh`.
    pub fn cassette(&self, red: &str, green: &str, refactor: &str) -> PathBuf {
        let roles = [("test-writer", red), ("implementer", green), ("refactorer", refactor)];
        let calls = roles.map(|(role, does)| {
            let files: &[&str] = if does == ":" { &[] } else { &["what it wrote"] };
            let say = serde_json::json!({ "status": "ok", "files": files });
            serde_json::json!({ "role": role, "run": ["sh", "-c", does], "say": say })
        });
        let path = self.beside("cassette.json");
        std::fs::write(&path, serde_json::to_string(&calls).unwrap()).unwrap();
        path
    }

    /// The processor time in seconds of a command and of all that it waited for, and what it said. A shell tells it.
    pub fn processor_time(&self, argv: &[&str]) -> (f64, String) {
        let told = self.beside("times");
        let mut command = self.command("sh");
        command.args(["-c", "told=$1; shift; \"$@\"; code=$?; times > \"$told\"; exit $code", "sh"]);
        let output = command.arg(&told).args(argv).output().unwrap();
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{argv:?}: {said}");
        let times = std::fs::read_to_string(&told).unwrap();
        // The second line is of the children: user and system, as `1m2.34s`.
        let of_children = times.lines().nth(1).unwrap();
        let spent = of_children.split_whitespace().map(|word| {
            let (minutes, rest) = word.split_once('m').unwrap();
            minutes.parse::<f64>().unwrap() * 60.0 + rest.trim_end_matches('s').parse::<f64>().unwrap()
        });
        (spent.sum(), said)
    }

    /// How long it takes to make a file where the run makes its own, which differs tenfold between file
    /// systems and hours.
    pub fn new_file(&self) -> Duration {
        const FILES: u32 = 200;
        let folder = tdd_child::run_folder::list_runs(&self.repo())[0].path.join("tests");
        let began = Instant::now();
        for number in 0..FILES {
            std::fs::write(folder.join(format!("new-{number}")), "x").unwrap();
        }
        began.elapsed() / FILES
    }

    /// The events of the one run, with their times in ms since the epoch.
    pub fn events(&self) -> Vec<(u64, tdd_core::event::Event)> {
        let runs = tdd_child::run_folder::list_runs(&self.repo());
        let records = tdd::world::journal_file::read_only(&runs[0].path).unwrap();
        records.into_iter().map(|record| (record.ts, record.event)).collect()
    }
}

/// What a summary says of the whole runs of the suite, and the line in which it does.
pub fn whole_runs_in(said: &str) -> (usize, String) {
    const WORDS: &str = "whole runs of the suite: ";
    let line = said.lines().find(|line| line.contains(WORDS)).unwrap_or_else(|| panic!("no summary: {said}"));
    let rest = line.split_once(WORDS).unwrap().1;
    let number = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap();
    (number.parse().unwrap(), line.trim().to_owned())
}
