//! A journal of 100,000 events, exported as a corpus: read, checked and folded, with what git holds of it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tdd_core::attempt::CheckpointId;

use super::fold;
use super::table::{Figure, Row, median, ms};

const TIMES: usize = 5;

pub fn measure() -> Vec<Row> {
    let dir = tempfile::TempDir::with_prefix("tdd-bench-").unwrap();
    let commits = repository(dir.path());
    let run = dir.path().join(".tdd/runs/20260101T000000Z-B-1-abcd");
    fold::write_on(&run, 100_000, &commits);
    let out = dir.path().join("corpus.jsonl");
    let mut took = Vec::new();
    for _ in 0..TIMES {
        let began = Instant::now();
        let mut tdd = Command::new(env!("CARGO_BIN_EXE_tdd"));
        tdd.args(["corpus", "export", "--out", out.to_str().unwrap()]).current_dir(dir.path());
        let said = tdd.output().unwrap();
        took.push(began.elapsed());
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    }
    let text = std::fs::read_to_string(&out).unwrap();
    assert_eq!(text.lines().count(), commits.len() - 1, "a line for each criterion");
    let (least, most) = (took.iter().min().unwrap(), took.iter().max().unwrap());
    let note =
        format!("median of {TIMES}, {} to {}; 300 lines, {} KiB", ms(*least), ms(*most), text.len() / 1024);
    vec![Row {
        what: "corpus export of a 100,000-event journal".to_owned(),
        figure: Figure::Time { measured: median(took), bound: Duration::from_secs(2) },
        note,
    }]
}

/// A repository with a commit for RED and one for each criterion; a source of 2,000 lines and a test of each.
fn repository(dir: &Path) -> Vec<CheckpointId> {
    let git = |args: &[&str]| {
        let mut git = Command::new("git");
        git.args(args).current_dir(dir).env("GIT_CONFIG_GLOBAL", "/dev/null").stdin(Stdio::null());
        let said = git.output().unwrap();
        assert!(said.status.success(), "git {args:?}");
        String::from_utf8_lossy(&said.stdout).into_owned()
    };
    git(&["init", "-q", "-b", "main"]);
    let mut stream = String::new();
    for number in 0..=fold::CRITERIA {
        let _ = write!(stream, "commit refs/heads/bench\ncommitter b <b@b> 1 +0000\ndata 1\nx\n");
        let file = |stream: &mut String, path: &str, text: &str| {
            let _ = write!(stream, "M 644 inline {path}\ndata {}\n{text}\n", text.len());
        };
        if number == 0 {
            for test in 1..=fold::CRITERIA {
                let text = format!("impl_{test}() == {test}\n").repeat(20);
                file(&mut stream, &format!("checks/ac_b_1_{test}.t"), &text);
            }
        }
        let mut source = "fn nothing() {}\n".repeat(2_000);
        for done in 1..=number {
            let _ = writeln!(source, "fn impl_{done}() -> u64 {{\n    {done}\n}}\n");
        }
        file(&mut stream, "src/a.rs", &source);
    }
    let mut import = Command::new("git");
    import.args(["fast-import", "--quiet"]).current_dir(dir).stdin(Stdio::piped());
    let mut child = import.spawn().unwrap();
    child.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let list = git(&["rev-list", "--reverse", "refs/heads/bench"]);
    list.lines().map(|commit| CheckpointId(commit.to_owned())).collect()
}
