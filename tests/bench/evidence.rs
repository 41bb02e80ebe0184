//! What the evidence of a large project costs beside its runs: the files that tests alone rest on, and the checkout of
//! the final proof.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use tdd_core::event::RunId;
use tdd_core::path::RelPath;
use tdd_core::ports::{Bench as _, Bring, Checkpoints as _};
use tdd_proof::Checkouts;
use tdd_snapshot::checkpoints::GitCheckpoints;
use tdd_source::{Files, Project, support_files};

use super::table::{Figure, Row, median, ms};

/// Tests, sources and data of one project.
const PARTS: [usize; 3] = [1_000, 3_500, 500];
const FILES: usize = 10_000;
const PACKAGES: usize = 256;
/// Of one package: 1 GiB in all.
const PACKAGE_BYTES: u64 = 4 << 20;
const TIMES: usize = 5;

pub fn measure() -> Vec<Row> {
    vec![support(), checkout()]
}

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

/// Every tenth source is a helper that speaks to a test framework; each test imports one, and some production.
fn support() -> Row {
    let [tests, sources, data] = PARTS;
    let source = |at: usize| {
        let body = if at.is_multiple_of(10) {
            "import pytest\n\n\ndef same(got, want):\n    if got != want:\n        pytest.fail('no')\n"
                .to_owned()
        } else {
            format!("from app.part_{} import one\n\n\ndef one(x={at}):\n    return x + 1\n", at - at % 10 + 1)
        };
        (path(&format!("app/part_{at}.py")), body)
    };
    let test = |at: usize| {
        let (helper, code) = (at * 10 % sources, (at * 3 + 1) % sources);
        let head = format!("from app.part_{helper} import same\nfrom app.part_{code} import one\n\n\n");
        let one =
            |number: usize| format!("def test_{number}():\n    same(one({number}), {number} + 1)\n\n\n");
        (path(&format!("tests/test_{at}.py")), head + &(0..10).map(one).collect::<String>())
    };
    let sources: BTreeMap<RelPath, String> = (0..sources).map(source).collect();
    let tests: BTreeMap<RelPath, String> = (0..tests).map(test).collect();
    let data: BTreeSet<RelPath> = (0..data).map(|at| path(&format!("golden/expected_{at}.txt"))).collect();
    let all: Vec<RelPath> = sources.keys().chain(tests.keys()).chain(&data).cloned().collect();
    let (shipped, loaded, pages) = (BTreeSet::new(), BTreeSet::new(), BTreeMap::new());
    let (mut times, mut found) = (Vec::new(), 0);
    for _ in 0..TIMES {
        let began = Instant::now();
        let files = Files::new(all.clone(), Vec::new());
        let project = Project {
            files: &files,
            tests: &tests,
            sources: &sources,
            data: &data,
            shipped: &shipped,
            loaded: &loaded,
            pages: &pages,
        };
        found = support_files(&project).len();
        times.push(began.elapsed());
    }
    assert!(found >= sources.len() / 10, "{found} files are found");
    Row {
        what: format!("support files of {} files found", all.len()),
        figure: Figure::Time { measured: median(times), bound: Duration::from_millis(300) },
        note: format!("median of {TIMES}; {found} of them, texts in memory"),
    }
}

fn checkout() -> Row {
    let dir = tempfile::TempDir::with_prefix("tdd-bench-").unwrap();
    let repository = dir.path().join("repo");
    fill(&repository);
    write(&repository.join(".gitignore"), "node_modules\n");
    for at in 0..PACKAGES {
        let package = repository.join(format!("node_modules/package_{at}"));
        write(&package.join("package.json"), "{}\n");
        std::fs::File::create(package.join("index.js")).unwrap().set_len(PACKAGE_BYTES).unwrap();
    }
    let git = Command::new("git").args(["init", "-q"]).current_dir(&repository).stdin(Stdio::null()).status();
    assert!(git.unwrap().success());
    let scratch = dir.path().join("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let run = RunId("20260101T000000Z-B-0001".to_owned());
    let mut checkpoints = GitCheckpoints::open(&repository, &run, &scratch).unwrap();
    let tree = checkpoints.take("0").unwrap();
    let (mut times, mut plain) = (Vec::new(), Vec::new());
    for turn in 0..TIMES {
        let began = Instant::now();
        let beside = dir.path().join(format!("plain-{turn}"));
        fill(&beside);
        plain.push(began.elapsed());
        let mut checkouts = Checkouts::new(&repository, SystemTime::now());
        let began = Instant::now();
        let folder = checkouts.open().unwrap();
        checkpoints.lay(&tree, &folder).unwrap();
        checkouts.bring(Bring::Dependencies).unwrap();
        times.push(began.elapsed());
        let package = folder.join("node_modules/package_7");
        assert!(folder.join("src/part_0/module_7.js").exists() && package.is_symlink());
    }
    Row {
        what: format!("checkout for the proof, {FILES} files"),
        figure: Figure::Time { measured: median(times), bound: Duration::from_secs(1) },
        note: format!(
            "median of {TIMES}; {} MiB of ignored packages beside, none copied; to write the files alone takes {}",
            (PACKAGES as u64 * PACKAGE_BYTES) >> 20,
            ms(median(plain))
        ),
    }
}

/// The files that a commit knows.
fn fill(folder: &Path) {
    for at in 0..FILES {
        write(&folder.join(format!("src/part_{}/module_{at}.js", at / 100)), &format!("{at}\n").repeat(200));
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
