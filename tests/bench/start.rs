//! What a person waits for at the prompt: `tdd --version`, and `tdd status` and `tdd report` on a long run.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::fold;
use super::table::{Figure, Row, median, ms};

const TIMES: usize = 31;
const EVENTS: usize = 10_000;
/// More than the age from which on the system tells whether a journal was changed.
const SETTLES: Duration = Duration::from_secs(3);

pub fn measure() -> Vec<Row> {
    let dir = tempfile::TempDir::with_prefix("tdd-bench-").unwrap();
    let repo = dir.path().join("repo");
    let made = Command::new("git").args(["init", "-q"]).arg(&repo).status().unwrap();
    assert!(made.success());
    std::fs::create_dir_all(repo.join(".tdd/runs")).unwrap();
    fold::write(&repo.join(".tdd/runs/20260101T000000Z-B-1-abcd"), EVENTS);
    let snapshot = repo.join(".tdd/runs/20260101T000000Z-B-1-abcd/events.snapshot");
    let row = |what: &str, args: &[&str], (repeated, bound): (usize, u64)| {
        let once = |_| {
            if what.ends_with("no snapshot") {
                let _ = std::fs::remove_file(&snapshot);
            }
            let mut command = Command::new(env!("CARGO_BIN_EXE_tdd"));
            command.args(args).current_dir(&repo).stdin(Stdio::null()).stdout(Stdio::null());
            let began = Instant::now();
            let status = command.status().unwrap();
            let took = began.elapsed();
            assert!(status.success(), "tdd {args:?}: {status}");
            took
        };
        let times: Vec<Duration> = (0..repeated).map(once).collect();
        let best = times.iter().min().copied().unwrap_or_default();
        Row {
            what: what.to_owned(),
            figure: Figure::Time { measured: median(times), bound: Duration::from_millis(bound) },
            note: format!("median of {repeated}, fork and exec included; the best {}", ms(best)),
        }
    };
    let mut rows = vec![
        row("tdd --version", &["--version"], (TIMES, 10)),
        row("tdd status on a 10,000-event run, no snapshot", &["status"], (TIMES, 30)),
    ];
    // Of a run that ended a moment ago each byte is hashed, since the system can't tell it from one that grows.
    std::thread::sleep(SETTLES);
    rows.extend([
        row("tdd status on a 10,000-event run", &["status"], (TIMES, 10)),
        row("tdd report of a 300-attempt run", &["report", "--out", "report.html"], (5, 1000)),
    ]);
    rows.push(Row {
        what: "bytes of that report".to_owned(),
        figure: Figure::Count {
            measured: usize::try_from(std::fs::metadata(repo.join("report.html")).unwrap().len()).unwrap(),
            bound: 3_000_000,
        },
        note: "its checkpoints are none, so git has no diff to tell".to_owned(),
    });
    rows
}
