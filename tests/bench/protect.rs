//! 10,000 protected files: sealed for the first time, and checked when nothing happened to them.

use std::path::Path;
use std::time::{Duration, Instant};

use tdd_core::commands::RunnerKind;
use tdd_core::policy::{FileClass, Policy};
use tdd_core::ports::Protection as _;
use tdd_snapshot::manifest::Manifest;

use super::table::{Figure, Row, median};

const FILES: usize = 10_000;
const BYTES: usize = 2_000;
const TIMES: usize = 5;

pub fn measure() -> Vec<Row> {
    let dir = tempfile::TempDir::with_prefix("tdd-bench-").unwrap();
    let repo = dir.path().join("repo");
    for number in 0..FILES {
        let folder = repo.join(format!("tests/part_{}", number / 100));
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!("{number}\n").repeat(BYTES / 5);
        std::fs::write(folder.join(format!("test_{number}.py")), text).unwrap();
    }
    // Nothing is taken for settled that changed a moment ago.
    std::thread::sleep(Duration::from_millis(200));
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for turn in 0..TIMES {
        let mut manifest = manifest(&repo, &dir.path().join(format!("seal-{turn}")));
        let began = Instant::now();
        manifest.seal(&[FileClass::Gate, FileClass::Test], &[]).unwrap();
        cold.push(began.elapsed());
        let began = Instant::now();
        assert_eq!(manifest.check().unwrap(), []);
        warm.push(began.elapsed());
    }
    let row = |what: &str, times: Vec<Duration>, bound: u64| Row {
        what: format!("{FILES} protected files: {what}"),
        figure: Figure::Time { measured: median(times), bound: Duration::from_millis(bound) },
        note: format!("median of {TIMES}, files of {BYTES} bytes in the page cache"),
    };
    vec![row("sealed with copies", cold, 500), row("checked by stat cache", warm, 100)]
}

fn manifest(repo: &Path, scratch: &Path) -> Manifest {
    let policy = Policy::new(tdd_runners::of(RunnerKind::Pytest).test_files, &[], "specs").unwrap();
    Manifest::new(repo.to_owned(), policy, scratch.to_owned())
}
