//! What a sandbox adds to the start and the end of a child.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tdd_child::exec;
use tdd_child::process::{CommandOrder, Ended, run};
use tdd_child::sandbox::{Belongings, Enclosure, Own, Sandbox, SandboxPaths, Sealed, choose};
use tdd_core::commands::RunnerKind;
use tdd_core::isolation::{Reach, Wanted};
use tdd_core::policy::{FileClass, Policy};
use tdd_core::role::Role;
use tokio::sync::watch;

use super::table::{Figure, Row, median, ms};

const TIMES: usize = 30;
const BOUND: Duration = Duration::from_millis(10);
/// Test files that lie side by side with sources are bound one by one.
const FILES: u32 = 20;
const BOUND_A_FILE: Duration = Duration::from_micros(500);

pub fn measure() -> Vec<Row> {
    exec::use_shim(PathBuf::from(env!("CARGO_BIN_EXE_tdd")));
    let dir = tempfile::tempdir().unwrap();
    let repo = dir.path().canonicalize().unwrap().join("repo");
    for folder in [".git", ".tdd/runs", "tests", "specs/frs", "src"] {
        std::fs::create_dir_all(repo.join(folder)).unwrap();
    }
    let files: Vec<String> = (0..FILES).map(|index| format!("tests/test_{index}.py")).collect();
    for file in &files {
        std::fs::write(repo.join(file), "").unwrap();
    }
    let sealed = Sealed::default();
    let policy = Policy::new(tdd_runners::of(RunnerKind::Pytest).test_files, &[], "specs/frs").unwrap();
    sealed.tell(
        (&[FileClass::Test], &policy),
        files.iter().map(String::as_bytes),
        &std::collections::BTreeSet::new(),
    );
    let Ok(chosen) = choose(Wanted::Enforce, &Reach::default(), std::env::var_os("PATH").as_deref()) else {
        println!("skipped: no sandbox works here");
        return Vec::new();
    };
    let sandbox_paths = SandboxPaths {
        out_of_sight: tdd_child::sandbox::OutOfSight::default(),
        own_settings: Vec::new(),
        belongings: Belongings::of(&Reach::default(), &std::env::vars_os().collect::<Vec<_>>()),
        repository: repo.clone(),
        git: vec![repo.join(".git")],
        specs: vec![repo.join("specs/frs")],
        exchange: dir.path().join("exchange"),
        shared: dir.path().join("shared"),
        policy,
    };
    let own = dir.path().join("exchange/own");
    std::fs::create_dir_all(&own).unwrap();
    let backend = chosen.backend.unwrap();
    let plain =
        Sandbox { backend: backend.clone(), sandbox_paths: sandbox_paths.clone(), sealed: Sealed::default() };
    let fences = Sandbox { backend, sandbox_paths, sealed };
    let agent = || {
        Some(
            fences
                .for_role(Role::Implementer, &Own { folders: &[&own], lent: &[], hidden: &[] }, &[], &repo)
                .enclosure,
        )
    };
    let command = || Some(plain.for_commands(&repo.join(".tdd/runs"), &repo).enclosure);
    let beside = || Some(fences.for_commands(&repo.join(".tdd/runs"), &repo).enclosure);
    vec![row("an agent", &repo, &agent), row("a command", &repo, &command), each(&repo, &command, &beside)]
}

/// What each file costs that is bound.
fn each(cwd: &Path, none: &dyn Fn() -> Option<Enclosure>, all: &dyn Fn() -> Option<Enclosure>) -> Row {
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        without.push(once(cwd, none));
        with.push(once(cwd, all));
    }
    let (without, with) = (median(without), median(with));
    Row {
        what: "sandbox: each test file that lies among others".to_owned(),
        figure: Figure::Time { measured: with.saturating_sub(without) / FILES, bound: BOUND_A_FILE },
        note: format!("medians of {TIMES}: {} with {FILES} of them, {} without", ms(with), ms(without)),
    }
}

/// Bare and fenced by turns, so that whatever else the machine does hits both alike.
fn row(what: &str, cwd: &Path, enclosure: &dyn Fn() -> Option<Enclosure>) -> Row {
    let (mut bare, mut fenced) = (Vec::new(), Vec::new());
    for _ in 0..TIMES {
        bare.push(once(cwd, &|| None));
        fenced.push(once(cwd, enclosure));
    }
    let (bare, fenced) = (median(bare), median(fenced));
    Row {
        what: format!("sandbox: {what}, start to end over bare"),
        figure: Figure::Time { measured: fenced.saturating_sub(bare), bound: BOUND },
        note: format!("medians of {TIMES}: {} and {} bare", ms(fenced), ms(bare)),
    }
}

fn once(cwd: &Path, enclosure: &dyn Fn() -> Option<Enclosure>) -> Duration {
    let began = Instant::now();
    let order = CommandOrder {
        argv: vec![OsString::from("true")],
        cwd: cwd.to_owned(),
        env: vec![],
        deadline: Duration::from_mins(1),
        output_cap: 1 << 20,
        log: cwd.parent().unwrap().join("log"),
        stdout: None,
        enclosure: enclosure(),
        ended: Ended::default(),
    };
    let (_keep, stop) = watch::channel(None);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(run(&order, &stop)).unwrap();
    began.elapsed()
}
