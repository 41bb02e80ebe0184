//! Checkpoints of a large tree beside what git takes for the same, and the way back of much that was changed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tdd_core::event::RunId;
use tdd_core::ports::Checkpoints as _;
use tdd_snapshot::checkpoints::GitCheckpoints;

use super::table::{Figure, Row, median, ms};

const FILES: usize = 50_000;
const BYTES: usize = 1_000;
const CHANGED: usize = 10;
/// Each with a tree of its own, and one for git.
const TIMES: usize = 3;
const LATER: usize = 9;

const BIG_FILES: usize = 80;
const BIG_BYTES: usize = 1 << 20;

pub fn measure() -> Vec<Row> {
    let mut rows = large_tree();
    rows.push(restore());
    rows
}

fn large_tree() -> Vec<Row> {
    let dir = tempfile::TempDir::with_prefix("tdd-bench-").unwrap();
    // All are made before any is measured, and kept until the end.
    let trees: Vec<PathBuf> =
        (0..TIMES * 2).map(|number| tree(&dir.path().join(number.to_string()))).collect();
    sync();
    let (mut ratios, mut notes, mut later) = (Vec::new(), Vec::new(), Vec::new());
    for (turn, pair) in trees.chunks(2).enumerate() {
        let began = Instant::now();
        git(&pair[0], &["add", "-A"]);
        git(&pair[0], &["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "all"]);
        let theirs = began.elapsed();
        sync();
        let scratch = dir.path().join(format!("scratch-{turn}"));
        std::fs::create_dir(&scratch).unwrap();
        let began = Instant::now();
        let mut checkpoints =
            GitCheckpoints::open(&pair[1], &RunId(format!("20260101T000000Z-B-{turn:04x}")), &scratch)
                .unwrap();
        checkpoints.take("0").unwrap();
        let ours = began.elapsed();
        ratios.push(ours.as_secs_f64() / theirs.as_secs_f64());
        notes.push(format!("{} to {}", ms(ours), ms(theirs)));
        for round in 0..LATER {
            for number in 0..CHANGED {
                let file = file(&pair[1], (number * 4_999 + round) % FILES);
                std::fs::write(file, format!("changed {round} {number}\n")).unwrap();
            }
            let began = Instant::now();
            checkpoints.take(&format!("later-{round}")).unwrap();
            later.push(began.elapsed());
        }
    }
    ratios.sort_by(f64::total_cmp);
    vec![
        Row {
            what: format!("first checkpoint of {FILES} files over git add and commit"),
            figure: Figure::Growth { measured: ratios[TIMES / 2], bound: 1.2 },
            note: format!(
                "median of {TIMES}, files of {BYTES} bytes, git knows none of them: {}",
                notes.join(", ")
            ),
        },
        Row {
            what: format!("later checkpoint of {FILES} files, {CHANGED} of them changed"),
            figure: Figure::Time { measured: median(later), bound: Duration::from_millis(300) },
            note: format!("median of {}", TIMES * LATER),
        },
    ]
}

fn file(top: &Path, number: usize) -> PathBuf {
    top.join(format!("src/part_{}/module_{number}.txt", number / 100))
}

fn tree(top: &Path) -> PathBuf {
    for number in 0..FILES {
        let file = file(top, number);
        if number % 100 == 0 {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        }
        std::fs::write(file, format!("{number} in a line\n").repeat(BYTES / 16)).unwrap();
    }
    git(top, &["init", "-q", "-b", "main"]);
    top.to_owned()
}

/// A role that writes every large file anew, and the undo of its run.
fn restore() -> Row {
    let dir = tempfile::TempDir::with_prefix("tdd-bench-").unwrap();
    let top = dir.path().join("repo");
    std::fs::create_dir_all(top.join("specs/frs")).unwrap();
    std::fs::create_dir_all(top.join("data")).unwrap();
    let write = |path: &str, text: &str| std::fs::write(top.join(path), text).unwrap();
    write("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: src.txt says two.\n");
    write("src.txt", "one\n");
    write(
        "tdd.yaml",
        "test: sh ../check.sh\nrunner: { kind: exit-code, all: sh ../check.sh }\ntest_files: [\"tests/**\"]\n\
         agent: mine\nagents:\n  mine:\n    argv: [sh, \"{cwd}/../agent.sh\", \"{role}\", \"{prompt_file}\"]\n",
    );
    write("../check.sh", "test ! -e tests/ac_ste_1_1.sh || sh tests/ac_ste_1_1.sh\n");
    let fill = format!(
        "i=0; while [ $i -lt {BIG_FILES} ]; do head -c {BIG_BYTES} /dev/urandom >data/$i; i=$((i+1)); done\n"
    );
    let agent = "role=$1\nblock() { printf '```tdd-result\\nrole: %s\\nstatus: ok\\nfiles: [%s]\\ncommand: t\\noutput_excerpt: x\\n```\\n' $role \"$1\"; }\n\
        case $role in\n\
        test-writer) mkdir -p tests; echo 'grep -q two src.txt || { echo no two; exit 1; }' >tests/ac_ste_1_1.sh; block tests/ac_ste_1_1.sh;;\n\
        implementer) echo two >>src.txt; FILL\nblock src.txt;;\n*) block '';;\nesac\n";
    write("../agent.sh", &agent.replace("FILL", &fill));
    assert!(Command::new("sh").args(["-c", &fill]).current_dir(&top).status().unwrap().success());
    git(&top, &["init", "-q", "-b", "main"]);
    git(&top, &["add", "-A"]);
    git(&top, &["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "all"]);
    let tdd = |args: &[&str]| {
        let mut tdd = Command::new(env!("CARGO_BIN_EXE_tdd"));
        tdd.args(args).current_dir(&top).env("HOME", dir.path()).env("TDD_SANDBOX", "audit");
        let output = tdd.stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    let mut times = Vec::new();
    for _ in 0..TIMES {
        tdd(&["STE-1", "--quiet"]);
        sync();
        let began = Instant::now();
        // The agent names none of its files, so an undo would ask.
        tdd(&["undo", "--discard-changes"]);
        times.push(began.elapsed());
    }
    Row {
        what: format!("undo of {} MiB in {BIG_FILES} files", (BIG_FILES * BIG_BYTES) >> 20),
        figure: Figure::Time { measured: median(times), bound: Duration::from_secs(3) },
        note: format!("median of {TIMES}, bytes that can't be deflated, what was there kept first"),
    }
}

/// What was written before is not waited for by what is measured.
fn sync() {
    assert!(Command::new("sync").status().unwrap().success());
}

fn git(top: &Path, args: &[&str]) {
    let mut git = Command::new("git");
    git.args(args).current_dir(top).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    assert!(git.status().unwrap().success(), "git {args:?}");
}
