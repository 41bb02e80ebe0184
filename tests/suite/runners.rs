//! Real runners in tiny real projects: what each adapter says of them.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test makes projects and starts programs, and fails by a panic"
)]

mod cargo_workspaces;
mod environment;
mod go_packages;
mod javascript;
mod python;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tdd_core::commands::{ProjectCommands, RunnerKind, RunnerTable, Suite};
use tdd_core::evidence::evidence;
use tdd_core::mapping::Without;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, Recalled, TestOrder, Tests};
use tdd_core::test::{Canary, Exit, FailureKind, Outcome, TestId, TestRun};
use tdd_core::trouble::{Trouble, TroubleKind};
use tdd_runners::runner::{ProjectTests, RunnerSetup};
use tokio::sync::watch;

/// A project in a folder of its own, with the logs outside of it.
struct Lab {
    root: tempfile::TempDir,
    kind: RunnerKind,
    test: String,
    gate: String,
    table: Option<RunnerTable>,
    deadline: Option<Duration>,
    /// The project's folder in the repository.
    below: String,
}

impl Lab {
    fn new(kind: RunnerKind, test: &str) -> Self {
        tdd_child::exec::use_shim(PathBuf::from(env!("CARGO_BIN_EXE_tdd")));
        let root = tempfile::tempdir().unwrap();
        let lab = Self {
            root,
            kind,
            test: test.to_owned(),
            gate: "true".to_owned(),
            table: None,
            deadline: Some(Duration::from_mins(2)),
            below: String::new(),
        };
        std::fs::create_dir_all(lab.project()).unwrap();
        lab
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("repo")
    }

    fn write(&self, path: &str, text: &str) -> &Self {
        let path = self.project().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn tests(&self) -> Result<ProjectTests, Trouble> {
        let (sender, stop) = watch::channel(None);
        // The signal stays possible for as long as the test runs.
        std::mem::forget(sender);
        ProjectTests::new(RunnerSetup {
            repository: self.project(),
            project: self.project().join(&self.below),
            commands: ProjectCommands {
                test: self.test.clone(),
                test_source: "a test".to_owned(),
                gate: self.gate.clone(),
                gate_source: "a test".to_owned(),
                runner: self.kind,
            },
            table: self.table.clone(),
            work: self.root.path().join("work"),
            deadline: self.deadline,
            output_cap: 1 << 30,
            stop,
        })
    }

    fn order(&self, order: &TestOrder) -> Result<TestRun, Trouble> {
        let mut tests = self.tests()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(tests.run(order, &mut |_| {}))
    }

    fn run(&self) -> TestRun {
        self.order(&TestOrder { label: "all".to_owned(), ..TestOrder::default() }).unwrap()
    }

    fn without(&self, files: &[&str]) -> TestRun {
        self.order(&TestOrder { without: Without::files(paths(files)), ..TestOrder::default() }).unwrap()
    }

    fn only(&self, files: &[&str]) -> TestRun {
        self.order(&TestOrder { only_files: paths(files), ..TestOrder::default() }).unwrap()
    }

    fn ids(&self, ids: &[&str]) -> TestRun {
        let only_ids = ids.iter().map(|id| TestId((*id).to_owned())).collect();
        self.order(&TestOrder { only_ids, ..TestOrder::default() }).unwrap()
    }
}

fn paths(files: &[&str]) -> Vec<RelPath> {
    files.iter().map(|file| RelPath::new(file).unwrap()).collect()
}

/// `id=word` for each test, and `file!kind` for each file that did not load; sorted.
fn words(run: &TestRun) -> Vec<String> {
    let report =
        run.report.as_ref().unwrap_or_else(|| panic!("no report: {:?}\n{}", run.unreadable, run.output));
    let mut words: Vec<String> = report
        .tests
        .iter()
        .map(|test| match &test.outcome {
            Outcome::Passed => format!("{}=ok", test.id),
            Outcome::Skipped => format!("{}=skip", test.id),
            Outcome::Failed(failure) => format!("{}={}", test.id, kind(failure.kind)),
        })
        .chain(
            report
                .load_failures
                .iter()
                .map(|failure| format!("{}!{}", failure.file, kind(failure.failure.kind))),
        )
        .collect();
    words.sort();
    words
}

fn kind(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Assertion => "assertion",
        FailureKind::Error => "error",
        FailureKind::Missing => "missing",
        FailureKind::Load => "load",
        FailureKind::Timeout => "timeout",
        FailureKind::Crash => "crash",
    }
}

#[track_caller]
fn check(run: &TestRun, want: &[&str]) {
    assert_eq!(words(run), want, "{}\n{}", run.command, run.output);
    assert_eq!(evidence(run), Ok(()), "{}\n{}\n{}", run.command, run.exit, run.output);
}

fn has(program: &str, args: &[&str]) -> bool {
    crate::sandbox::has(program, &[&[program], args].concat())
}

fn has_pytest() -> bool {
    has("python3", &["-m", "pytest", "--version"])
}

// ---------------------------------------------------------------- cargo

fn rust_lab() -> Lab {
    let lab = Lab::new(RunnerKind::Cargo, "cargo test --offline");
    lab.write("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    lab.write("src/lib.rs", "pub fn one() -> i32 { 1 }\n#[cfg(test)]\nmod tests { #[test] fn unit() {} }\n");
    lab.write("tests/base.rs", "#[test]\nfn base() { assert_eq!(shop::one(), 1); }\n");
    lab
}

#[test]
fn cargo_tells_each_target_apart() {
    left_to_the_night!();
    let lab = rust_lab();
    check(&lab.run(), &["src/lib.rs::tests::unit=ok", "tests/base.rs::base=ok"]);
    lab.write("tests/c1.rs", "#[test] fn a() { assert_eq!(shop::one(), 2); }\n#[test] #[ignore] fn s() {}\n#[test] fn e() { None::<i32>.unwrap(); }\n")
        .write("tests/c2.rs", "use shop::two;\n#[test] fn b() { assert_eq!(two(), 2); }\n")
        .write("tests/c3.rs", "#[test] fn c( {\n");
    let run = lab.run();
    check(
        &run,
        &[
            "src/lib.rs::tests::unit=ok",
            "tests/base.rs::base=ok",
            "tests/c1.rs::a=assertion",
            "tests/c1.rs::e=error",
            "tests/c1.rs::s=skip",
            "tests/c2.rs!missing",
            "tests/c3.rs!load",
        ],
    );
    assert_eq!((run.exit, run.fail_code), (Exit::Code(101), 101));
    let absent = run.report.unwrap().load_failures[0].failure.absent.clone();
    assert_eq!(absent.as_deref(), Some("shop::two"));
    let green = lab.without(&["tests/c1.rs", "tests/c2.rs", "tests/c3.rs"]);
    check(&green, &["src/lib.rs::tests::unit=ok", "tests/base.rs::base=ok"]);
    assert_eq!(green.exit, Exit::Code(0));
    check(&lab.only(&["tests/base.rs"]), &["tests/base.rs::base=ok"]);
    check(&lab.ids(&["tests/c1.rs::a"]), &["tests/c1.rs::a=assertion"]);
}

#[test]
fn cargo_names_what_runs_a_file_and_what_a_file_declares() {
    let lab = rust_lab();
    let tests = lab.tests().unwrap();
    let (test, files) = (Suite::Test, paths(&["tests/c1.rs", "tests/c2.rs"]));
    assert_eq!(tests.selection(test, &files), "cargo test --offline --test c1 --test c2");
    let recorded = paths(&["tests/c1.rs", "tests/snapshots/c1__all.snap"]);
    assert_eq!(tests.selection(test, &recorded), "cargo test --offline --test c1", "no target is called so");
    let declared = tests.declared(&files[1], b"#[test] fn b() {}");
    assert_eq!(declared, [TestId("tests/c2.rs::b".to_owned())]);
}

#[test]
fn cargo_runs_new_code_even_if_it_looks_old() {
    left_to_the_night!();
    let lab = rust_lab();
    let mut tests = lab.tests().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut run = || runtime.block_on(tests.run(&TestOrder::default(), &mut |_| {})).unwrap();
    check(&run(), &["src/lib.rs::tests::unit=ok", "tests/base.rs::base=ok"]);
    lab.write("src/lib.rs", "pub fn one() -> i32 { 2 }\n");
    let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_hours(24 * 365);
    std::fs::File::open(lab.project().join("src/lib.rs")).unwrap().set_modified(old).unwrap();
    check(&run(), &["tests/base.rs::base=assertion"]);
}

/// Several runs of one `tdd run`: what was built is kept between them.
struct Runs<'a> {
    lab: &'a Lab,
    tests: ProjectTests,
    runtime: tokio::runtime::Runtime,
}

impl<'a> Runs<'a> {
    fn new(lab: &'a Lab) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { lab, tests: lab.tests().unwrap(), runtime }
    }

    fn next(&mut self) -> TestRun {
        self.runtime.block_on(self.tests.run(&TestOrder::default(), &mut |_| {})).unwrap()
    }

    fn gate(&mut self, leave_out: &[&str]) -> TestRun {
        let without = Without::files(paths(leave_out));
        self.runtime.block_on(self.tests.run_gate("gate", &without, &mut |_| {})).unwrap()
    }

    /// The private target directories, as long as they are there.
    fn targets(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.lab.root.path().join("work")).unwrap().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.join("debug").is_dir()).collect()
    }
}

/// A program in the place of each test binary `base`, by which every test passes.
fn forge(target: &Path) {
    let mut forged = 0;
    for entry in std::fs::read_dir(target.join("debug/deps")).unwrap().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("base-") && !name.contains('.') {
            let text = "#!/bin/sh\nfor a in \"$@\"; do case \"$a\" in --list) echo 'base: test'; exit 0;; esac; \
                [ \"$last\" = --logfile ] && echo 'ok base' > \"$a\"; last=\"$a\"; done\n\
                printf '\\nrunning 1 test\\ntest base ... ok\\n\\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n\\n'\n";
            let mode = entry.metadata().unwrap().permissions();
            std::fs::remove_file(entry.path()).unwrap();
            std::fs::write(entry.path(), text).unwrap();
            std::fs::set_permissions(entry.path(), mode).unwrap();
            forged += 1;
        }
    }
    assert!(forged > 0, "there is a binary to forge");
}

#[test]
fn cargo_believes_no_build_but_its_own() {
    left_to_the_night!();
    let mut lab = rust_lab();
    lab.test = "cargo test --offline --target-dir target".to_owned();
    let red = ["src/lib.rs::tests::unit=ok", "tests/base.rs::base=assertion"];
    lab.write("tests/base.rs", "#[test]\nfn base() { assert_eq!(shop::one(), 2); }\n");
    let built = Command::new("cargo")
        .args(["test", "--no-run", "--offline", "-q"])
        .current_dir(lab.project())
        .env_remove("CARGO_TARGET_DIR")
        .status();
    assert!(built.unwrap().success());
    forge(&lab.project().join("target"));
    let mut runs = Runs::new(&lab);
    check(&runs.next(), &red);
    let before = runs.targets();
    assert_eq!(before.len(), 1);
    forge(&before[0]);
    check(&runs.next(), &red);
    let after = runs.targets();
    assert!(after.len() == 1 && after != before, "all of the forged directory is gone: {after:?}");
    drop(runs);
    assert!(!after[0].exists(), "builds are not left behind");
}

#[test]
fn cargo_keeps_what_it_built_and_leaves_nothing_in_the_tree() {
    left_to_the_night!();
    let lab = rust_lab();
    lab.write("Cargo.lock", "version = 4\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n");
    lab.write("src/lib.rs", "//! ```\n//! assert_eq!(shop::one(), 1);\n//! ```\npub fn one() -> i32 { 1 }\n");
    let before = walk(&lab.project());
    let mut runs = Runs::new(&lab);
    let both = ["src/lib.rs::doctest of the module #1=ok", "tests/base.rs::base=ok"];
    check(&runs.next(), &both);
    let built = runs.targets();
    check(&runs.next(), &both);
    assert_eq!((built.len(), &runs.targets()), (1, &built), "the second run is warm");
    assert_eq!(walk(&lab.project()), before);
}

#[test]
fn cargo_sees_an_edit_of_the_same_size_and_time() {
    left_to_the_night!();
    let lab = rust_lab();
    let mut runs = Runs::new(&lab);
    check(&runs.next(), &["src/lib.rs::tests::unit=ok", "tests/base.rs::base=ok"]);
    let file = lab.project().join("tests/base.rs");
    let old = std::fs::metadata(&file).unwrap().modified().unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    lab.write("tests/base.rs", &text.replace(", 1)", ", 2)"));
    std::fs::File::open(&file).unwrap().set_modified(old).unwrap();
    check(&runs.next(), &["src/lib.rs::tests::unit=ok", "tests/base.rs::base=assertion"]);
    lab.write("tests/base.rs", &text);
    std::fs::File::open(&file).unwrap().set_modified(old).unwrap();
    check(&runs.next(), &["src/lib.rs::tests::unit=ok", "tests/base.rs::base=ok"]);
}

#[test]
fn cargo_sees_a_link_that_leads_elsewhere() {
    left_to_the_night!();
    let lab = rust_lab();
    lab.write("src/one.rs", "pub fn one() -> i32 { 1 }\n").write("src/two.rs", "pub fn one() -> i32 { 2 }\n");
    lab.write("src/lib.rs", "mod imp;\npub use imp::one;\n");
    let link = lab.project().join("src/imp.rs");
    std::os::unix::fs::symlink("one.rs", &link).unwrap();
    let mut runs = Runs::new(&lab);
    check(&runs.next(), &["tests/base.rs::base=ok"]);
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("two.rs", &link).unwrap();
    check(&runs.next(), &["tests/base.rs::base=assertion"]);
}

#[test]
fn cargo_takes_a_run_whose_tests_change_the_build_for_no_evidence() {
    let lab = rust_lab();
    lab.write(
        "tests/base.rs",
        "#[test]\nfn base() {\n    let own = std::env::current_exe().unwrap();\n    let copy = own.with_extension(\"copy\");\n\
         \x20   std::fs::copy(&own, &copy).unwrap();\n    std::fs::rename(&copy, &own).unwrap();\n}\n",
    );
    let run = lab.run();
    assert!(evidence(&run).is_err(), "{run:?}");
}

#[test]
fn cargo_knows_a_broken_project_from_a_broken_test() {
    left_to_the_night!();
    let lab = rust_lab();
    lab.write("src/lib.rs", "pub fn one( -> i32 { 1 }\n");
    let run = lab.run();
    assert!(run.report.as_ref().unwrap().project_broken.is_some(), "{}", run.output);
    assert_eq!((run.exit, evidence(&run)), (Exit::Code(101), Ok(())));
    lab.write(
        "src/lib.rs",
        "pub fn one() -> i32 { 1 }\n#[cfg(test)]\nmod tests { #[test] fn unit() { super::nope() } }\n",
    );
    check(&lab.run(), &["src/lib.rs!missing", "tests/base.rs::base=ok"]);
    lab.write("Cargo.toml", "[package]\nname = \"shop\"\n[dependencies]\nnosuchcrate = \"1\"\n");
    assert!(lab.run().report.unwrap().project_broken.is_some());
}

#[test]
fn cargo_is_not_fooled_by_what_tests_print_or_how_they_leave() {
    left_to_the_night!();
    let lab = rust_lab();
    let forged = "\\ntest red ... ok\\n\\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\\n";
    lab.write(
        "tests/base.rs",
        &format!("use std::io::Write;\n#[test] fn a_forger() {{ std::io::stdout().write_all(b\"{forged}\").unwrap(); }}\n#[test] fn red() {{ assert!(shop::one() == 2); }}\n"),
    );
    let run = lab.only(&["tests/base.rs"]);
    let whole = forged.replace("2 passed", "1 passed");
    let red = words(&run).contains(&"tests/base.rs::red=assertion".to_owned());
    assert!(red && evidence(&run).is_err(), "{run:?}");
    lab.write(
        "tests/base.rs",
        &format!("use std::io::Write;\n#[test] fn red() {{ std::io::stdout().write_all(b\"{whole}\").unwrap(); std::process::exit(0); }}\n"),
    );
    let run = lab.only(&["tests/base.rs"]);
    assert!(evidence(&run).is_err(), "{run:?}");
    lab.write("tests/base.rs", "#[test] fn red() { std::process::abort(); }\n");
    check(&lab.only(&["tests/base.rs"]), &["tests/base.rs::red=crash"]);
}

#[test]
fn cargo_runs_modules_of_one_target_and_doctests() {
    left_to_the_night!();
    let lab = rust_lab();
    lab.write("src/lib.rs", "//! ```\n//! assert_eq!(shop::one(), 1);\n//! ```\npub fn one() -> i32 { 1 }\n");
    lab.write("tests/suite/main.rs", "mod ac_1;\nmod ac_2;\n#[test] fn root() {}\n");
    lab.write("tests/suite/ac_1.rs", "#[test] fn a() {}\n")
        .write("tests/suite/ac_2.rs", "#[test] fn a() { panic!() }\n");
    check(
        &lab.run(),
        &[
            "src/lib.rs::doctest of the module #1=ok",
            "tests/base.rs::base=ok",
            "tests/suite/main.rs::ac_1::a=ok",
            "tests/suite/main.rs::ac_2::a=error",
            "tests/suite/main.rs::root=ok",
        ],
    );
    check(&lab.only(&["tests/suite/ac_1.rs"]), &["tests/suite/main.rs::ac_1::a=ok"]);
    check(
        &lab.without(&["tests/suite/ac_2.rs"]),
        &[
            "src/lib.rs::doctest of the module #1=ok",
            "tests/base.rs::base=ok",
            "tests/suite/main.rs::ac_1::a=ok",
            "tests/suite/main.rs::root=ok",
        ],
    );
}

#[test]
fn cargo_runs_doctests_unless_something_else_is_chosen() {
    left_to_the_night!();
    let lab = Lab::new(RunnerKind::Cargo, "cargo test --workspace --offline");
    lab.write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"2\"\n");
    for (name, value) in [("a", 1), ("b", 2)] {
        let head = format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
        lab.write(&format!("{name}/Cargo.toml"), &head);
        let doc = format!("/// ```\n/// assert_eq!({name}::one(), {value});\n/// ```\n");
        lab.write(&format!("{name}/src/lib.rs"), &format!("{doc}pub fn one() -> i32 {{ 1 }}\n"));
        lab.write(&format!("{name}/tests/ac_1.rs"), "#[test] fn t() {}\n");
    }
    let (a, b) = ("a/src/lib.rs::doctest of one #1", "b/src/lib.rs::doctest of one #1");
    let (a_ok, b_red) = (format!("{a}=ok"), format!("{b}=assertion"));
    let all = [a_ok.as_str(), "a/tests/ac_1.rs::t=ok", &b_red, "b/tests/ac_1.rs::t=ok"];
    check(&lab.run(), &all);
    check(&lab.without(&["a/tests/ac_1.rs"]), &[&a_ok, &b_red, "b/tests/ac_1.rs::t=ok"]);
    check(&lab.ids(&[b]), &[&b_red]);
    check(&lab.ids(&[a, "b/tests/ac_1.rs::t"]), &[&a_ok, "b/tests/ac_1.rs::t=ok"]);
    check(&lab.only(&["a/src/lib.rs"]), &[&a_ok]);
    check(&lab.only(&["a/tests/ac_1.rs"]), &["a/tests/ac_1.rs::t=ok"]);
}

#[test]
fn cargo_runs_a_workspace_below_the_repositorys_root() {
    left_to_the_night!();
    let mut lab = Lab::new(RunnerKind::Cargo, "cargo test --workspace --offline -- --nocapture");
    lab.below = "code".to_owned();
    lab.write("code/Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"2\"\n");
    for name in ["a", "b"] {
        lab.write(
            &format!("code/{name}/Cargo.toml"),
            &format!("[package]\nname = \"{name}\"\nversion = \"1.2.3\"\nedition = \"2021\"\n"),
        );
        lab.write(&format!("code/{name}/src/main.rs"), "fn main() {}\n");
        lab.write(&format!("code/{name}/tests/it.rs"), "#[test] fn here() { println!(\"x\"); assert!(std::path::Path::new(\"src/main.rs\").exists()); assert_eq!(std::env::var(\"CARGO_PKG_VERSION\").unwrap(), \"1.2.3\"); }\n");
    }
    lab.write("code/b/tests/late.rs", "use b::later;\n#[test] fn l() { later() }\n");
    check(&lab.run(), &["a/tests/it.rs::here=ok", "b/tests/it.rs::here=ok", "code/b/tests/late.rs!missing"]);
    check(&lab.only(&["code/b/tests/it.rs"]), &["b/tests/it.rs::here=ok"]);
    check(&lab.ids(&["a/tests/it.rs::here"]), &["a/tests/it.rs::here=ok"]);
}

#[test]
fn cargo_without_a_test_is_evidence_of_an_empty_run() {
    let lab = rust_lab();
    lab.write("src/lib.rs", "pub fn one() -> i32 { 1 }\n").write("tests/base.rs", "");
    let run = lab.run();
    check(&run, &[]);
    assert_eq!(run.exit, Exit::Code(0));
}

#[test]
fn a_command_that_hangs_is_cut_by_its_deadline() {
    left_to_the_night!();
    let mut lab = rust_lab();
    lab.run();
    lab.write("tests/base.rs", "#[test] fn base() { loop { std::thread::park(); } }\n");
    lab.deadline = Some(Duration::from_secs(4));
    let run = lab.run();
    assert_eq!(run.exit, Exit::Deadline, "{}", run.output);
    assert!(evidence(&run).is_err());
}

#[test]
fn ac_tdd_8_107_a_run_ends_earlier_where_it_is_to() {
    if !super::sandbox::has_python() {
        return;
    }
    let lab = Lab::new(RunnerKind::Unittest, "python3 -m unittest");
    lab.write(
        "test_a.py",
        "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        while True:\n            pass\n",
    );
    let run = lab.order(&TestOrder { deadline_ms: Some(2_000), ..TestOrder::default() }).unwrap();
    assert_eq!(run.exit, Exit::Deadline, "{}", run.output);
    assert!(run.duration_ms < 60_000, "{} ms", run.duration_ms);
}

#[test]
fn who_goes_on_with_a_run_keeps_the_deadline_that_its_first_verification_set() {
    let minutes = |minutes: u64| Some(minutes * 60_000);
    for (own, first_ms, minutes) in
        [(None, None, 10), (None, minutes(2), 10), (None, minutes(20), 60), (Some(5), minutes(20), 5)]
    {
        let mut lab = Lab::new(RunnerKind::Pytest, "python3 -m pytest");
        lab.deadline = own.map(Duration::from_mins);
        let mut tests = lab.tests().unwrap();
        tests.recall(&Recalled { first_ms, ..Recalled::default() });
        assert_eq!(tests.deadline(), Duration::from_mins(minutes), "{own:?} {first_ms:?}");
    }
}

// ---------------------------------------------------------------- pytest

fn python_lab(kind: RunnerKind, test: &str) -> Lab {
    let lab = Lab::new(kind, test);
    lab.write("shop/__init__.py", "").write("shop/core.py", "def one():\n    return 1\n");
    lab
}

fn pytest_lab() -> Lab {
    pytest_lab_of("python3")
}

fn pytest_lab_of(python: &str) -> Lab {
    let lab = python_lab(RunnerKind::Pytest, &format!("{python} -m pytest -x -q"));
    lab.write("tests/test_base.py", "from shop.core import one\ndef test_base():\n    assert one() == 1\n");
    lab
}

#[test]
fn pytest_tells_each_file_and_test_apart() {
    left_to_the_night!();
    for python in python::with_pytest() {
        pytest_tells_apart(&python);
    }
}

fn pytest_tells_apart(python: &str) {
    let lab = pytest_lab_of(python);
    check(&lab.run(), &["tests/test_base.py::test_base=ok"]);
    lab.write(
        "tests/test_c1.py",
        "import pytest\nfrom shop import core\n@pytest.mark.parametrize('n', ['a b', 'c::d'])\ndef test_p(n):\n    assert n\n\
         def test_a():\n    assert core.one() == 2\ndef test_m():\n    core.two()\n@pytest.mark.skip\ndef test_s():\n    pass\n\
         @pytest.mark.xfail\ndef test_x():\n    pass\ndef test_e():\n    raise ValueError('x')\ndef test_f(nofixture):\n    pass\n\
         class TestA:\n    def test_in(self):\n        with pytest.raises(KeyError):\n            core.one()\n",
    );
    lab.write("tests/test_c2.py", "from shop.core import two\ndef test_b():\n    assert two() == 2\n")
        .write("tests/test_c3.py", "def test_c(:\n")
        .write("tests/test_c4.py", "import numpy.nope_nope\ndef test_d(): pass\n");
    let run = lab.run();
    check(
        &run,
        &[
            "tests/test_base.py::test_base=ok",
            "tests/test_c1.py::TestA::test_in=assertion",
            "tests/test_c1.py::test_a=assertion",
            "tests/test_c1.py::test_e=error",
            "tests/test_c1.py::test_f=load",
            "tests/test_c1.py::test_m=missing",
            "tests/test_c1.py::test_p[a b]=ok",
            "tests/test_c1.py::test_p[c::d]=ok",
            "tests/test_c1.py::test_s=skip",
            "tests/test_c1.py::test_x=skip",
            "tests/test_c2.py!missing",
            "tests/test_c3.py!load",
            "tests/test_c4.py!load",
        ],
    );
    assert_eq!(run.exit, Exit::Code(1));
    let late = ["tests/test_c1.py", "tests/test_c2.py", "tests/test_c3.py", "tests/test_c4.py"];
    let green = lab.without(&late);
    check(&green, &["tests/test_base.py::test_base=ok"]);
    assert_eq!(green.exit, Exit::Code(0));
    check(
        &lab.only(&["tests/test_base.py", "tests/test_c2.py"]),
        &["tests/test_base.py::test_base=ok", "tests/test_c2.py!missing"],
    );
    check(
        &lab.ids(&["tests/test_c1.py::test_p[a b]", "tests/test_c1.py::TestA::test_in"]),
        &["tests/test_c1.py::TestA::test_in=assertion", "tests/test_c1.py::test_p[a b]=ok"],
    );
    check(&lab.ids(&["tests/test_c1.py::gone"]), &[]);
    assert_eq!(
        lab.tests().unwrap().selection(Suite::Test, &paths(&late[..1])),
        format!("{python} -m pytest -q tests/test_c1.py")
    );
    let left: Vec<_> = walk(&lab.project()).into_iter().filter(|name| name.contains("cache")).collect();
    assert_eq!(left, Vec::<String>::new(), "nothing is left in the tree");
}

fn walk(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        names.push(entry.file_name().to_string_lossy().into_owned());
        if entry.path().is_dir() {
            names.extend(walk(&entry.path()));
        }
    }
    names
}

#[test]
fn pytest_that_ends_early_or_lies_is_no_evidence() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let lab = pytest_lab();
    for (name, core) in [
        ("leaves at import", "import os\nos._exit(0)\n"),
        ("leaves in a test", "import os\ndef one():\n    os._exit(0)\n"),
        (
            "leaves at the end",
            "import atexit, os\natexit.register(lambda: os._exit(0))\ndef one():\n    return 2\n",
        ),
        ("pytest.exit", "import pytest\npytest.exit('x', returncode=0)\n"),
    ] {
        lab.write("shop/core.py", core);
        let run = lab.run();
        assert!(
            evidence(&run).is_err() || run.report.as_ref().is_none_or(|report| report.tests.is_empty()),
            "{name}: {run:?}"
        );
    }
    lab.write("shop/core.py", "def one():\n    return 2\n");
    lab.write(
        "tests/conftest.py",
        "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item, call):\n    r = yield\n    r.get_result().outcome = 'passed'\n",
    );
    let run = lab.run();
    assert!(words(&run).contains(&"tests/test_base.py::test_base=assertion".to_owned()), "{run:?}");
    assert!(evidence(&run).is_err(), "the exit code says green, the exception says red");
}

#[test]
fn pytest_is_not_replaced_by_a_folder_of_its_name() {
    // Before 3.11 Python has no way to keep the current folder off the path.
    if !has_pytest() || !has("python3", &["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]) {
        return;
    }
    let lab = pytest_lab();
    lab.write("shop/core.py", "def one():\n    return 2\n");
    let liar = "import sys\nprint('1 passed')\nsys.exit(0)\n";
    for module in ["pytest/__init__.py", "pluggy.py", "iniconfig/__init__.py", "sitecustomize.py", "json.py"]
    {
        lab.write(module, liar);
    }
    lab.write(
        "tests/test_base.py",
        "import os, subprocess, sys\nfrom shop.core import one\ndef test_base():\n    assert one() == 1\n\
         def test_path():\n    assert os.getcwd() in sys.path[:3]\n\
         def test_child():\n    code = 'import sys; assert sys.path[0] == str()'\n    subprocess.check_call([sys.executable, '-c', code])\n",
    );
    check(
        &lab.run(),
        &[
            "tests/test_base.py::test_base=assertion",
            "tests/test_base.py::test_child=ok",
            "tests/test_base.py::test_path=ok",
        ],
    );
}

#[test]
fn pytest_without_a_test_is_evidence_of_an_empty_run() {
    if !has_pytest() {
        return;
    }
    let lab = python_lab(RunnerKind::Pytest, "python3 -m pytest");
    let run = lab.run();
    check(&run, &[]);
    assert_eq!(run.exit, Exit::Code(0));
}

// ---------------------------------------------------------------- unittest

const CASE: &str = "import unittest\nfrom shop import core\nclass T(unittest.TestCase):\n";

#[test]
fn unittest_tells_each_file_and_test_apart() {
    left_to_the_night!();
    if !has("python3", &["--version"]) {
        return;
    }
    let lab = python_lab(RunnerKind::Unittest, "python3 -m unittest discover -f -s tests -t .");
    lab.write("tests/__init__.py", "");
    lab.write(
        "tests/test_base.py",
        &format!("{CASE}    def test_base(self):\n        self.assertEqual(core.one(), 1)\n"),
    );
    check(&lab.run(), &["tests/test_base.py::T.test_base=ok"]);
    lab.write(
        "tests/test_c1.py",
        &format!(
            "{CASE}    def test_a(self):\n        self.assertEqual(core.one(), 2)\n    def test_e(self):\n        raise ValueError('x')\n\
             \x20   @unittest.skip('why')\n    def test_s(self):\n        pass\n    @unittest.expectedFailure\n    def test_x(self):\n        self.fail()\n\
             \x20   def test_sub(self):\n        for i in (1, 2):\n            with self.subTest(i=i):\n                self.assertEqual(i, 1)\n    def test_m(self):\n        core.two()\n"
        ),
    );
    lab.write("tests/test_c2.py", "from shop.two import two\nimport unittest\nclass T(unittest.TestCase):\n    def test_b(self):\n        self.fail()\n")
        .write("tests/test_c3.py", "def test_c(:\n")
        .write("tests/test_c4.py", "import unittest\nraise unittest.SkipTest('all')\n")
        .write("tests/test_c5.py", &format!("{CASE}    @classmethod\n    def setUpClass(cls):\n        raise KeyError(1)\n    def test_k(self):\n        pass\n"));
    let run = lab.run();
    check(
        &run,
        &[
            "tests/test_base.py::T.test_base=ok",
            "tests/test_c1.py::T.test_a=assertion",
            "tests/test_c1.py::T.test_e=error",
            "tests/test_c1.py::T.test_m=missing",
            "tests/test_c1.py::T.test_s=skip",
            "tests/test_c1.py::T.test_sub=assertion",
            "tests/test_c1.py::T.test_x=skip",
            "tests/test_c2.py!missing",
            "tests/test_c3.py!load",
            "tests/test_c5.py::T.test_k=error",
        ],
    );
    assert_eq!(run.exit, Exit::Code(1));
    let green =
        lab.without(&["tests/test_c1.py", "tests/test_c2.py", "tests/test_c3.py", "tests/test_c5.py"]);
    check(&green, &["tests/test_base.py::T.test_base=ok"]);
    check(&lab.only(&["tests/test_c2.py"]), &["tests/test_c2.py!missing"]);
    check(&lab.ids(&["tests/test_c1.py::T.test_e"]), &["tests/test_c1.py::T.test_e=error"]);
    lab.write("unittest/__init__.py", "import sys\nprint('OK')\nsys.exit(0)\n");
    check(&lab.only(&["tests/test_base.py"]), &["tests/test_base.py::T.test_base=ok"]);
    lab.write("shop/core.py", "import os\nos._exit(0)\n");
    assert!(evidence(&lab.run()).is_err());
}

#[test]
fn unittest_takes_names_and_says_when_there_is_none() {
    if !has("python3", &["--version"]) {
        return;
    }
    let mut lab = python_lab(RunnerKind::Unittest, "python3 -m unittest");
    check(&lab.run(), &[]);
    lab.write("tests/__init__.py", "");
    lab.write("tests/test_a.py", &format!("{CASE}    def test_a(self):\n        pass\n"));
    lab.write("tests/test_b.py", "import nope_nope\n");
    lab.test = "python3 -m unittest tests.test_a tests.test_b".to_owned();
    check(&lab.run(), &["tests/test_a.py::T.test_a=ok", "tests/test_b.py!missing"]);
    check(&lab.without(&["tests/test_b.py"]), &["tests/test_a.py::T.test_a=ok"]);
    check(&lab.only(&["tests/test_a.py"]), &["tests/test_a.py::T.test_a=ok"]);
}

// ---------------------------------------------------------------- node

#[test]
fn node_tells_each_file_and_test_apart() {
    left_to_the_night!();
    if !has("node", &["--version"]) {
        return;
    }
    let lab = Lab::new(RunnerKind::Node, "node --test");
    let head = "import { test, describe, it } from 'node:test';\nimport assert from 'node:assert';\n";
    lab.write("src/core.mjs", "export const one = () => 1;\n");
    lab.write(
        "test/base.test.mjs",
        &format!(
            "{head}import {{ one }} from '../src/core.mjs';\ntest('base', () => assert.equal(one(), 1));\n"
        ),
    );
    check(&lab.run(), &["test/base.test.mjs::base=ok"]);
    lab.write(
        "test/c1.test.mjs",
        &format!(
            "{head}import * as core from '../src/core.mjs';\ntest('a', () => assert.equal(core.one(), 2));\ntest('m', () => core.two());\n\
             test('e', () => {{ throw new Error('x') }});\ntest.skip('s', () => {{}});\ntest.todo('t');\ndescribe('outer', () => {{ it('in > ner', () => {{}}); }});\n\
             test('dup', () => {{}});\ntest('dup', () => {{ throw new Error('y') }});\nconsole.log('TAP version 13\\nok 1 - a');\n"
        ),
    );
    lab.write(
        "test/c2.test.mjs",
        &format!("{head}import {{ two }} from '../src/core.mjs';\ntest('b', () => two());\n"),
    )
    .write(
        "test/c3.test.mjs",
        &format!("{head}import {{ x }} from '../src/gone.mjs';\ntest('c', () => x());\n"),
    )
    .write("test/c4.test.mjs", "function f(:\n")
    .write("test/c5.test.mjs", "import 'nosuchpkg';\n")
    .write("test/empty.mjs", "export const helper = 1;\n");
    let run = lab.run();
    check(
        &run,
        &[
            "test/base.test.mjs::base=ok",
            "test/c1.test.mjs::a=assertion",
            "test/c1.test.mjs::dup #2=error",
            "test/c1.test.mjs::dup=ok",
            "test/c1.test.mjs::e=error",
            "test/c1.test.mjs::m=missing",
            "test/c1.test.mjs::outer > in > ner=ok",
            "test/c1.test.mjs::s=skip",
            "test/c1.test.mjs::t=skip",
            "test/c2.test.mjs!missing",
            "test/c3.test.mjs!missing",
            "test/c4.test.mjs!load",
            "test/c5.test.mjs!load",
        ],
    );
    assert_eq!(run.exit, Exit::Code(1));
    let late =
        ["test/c1.test.mjs", "test/c2.test.mjs", "test/c3.test.mjs", "test/c4.test.mjs", "test/c5.test.mjs"];
    let green = lab.without(&late);
    check(&green, &["test/base.test.mjs::base=ok"]);
    assert_eq!(green.exit, Exit::Code(0));
    check(&lab.only(&["test/c3.test.mjs"]), &["test/c3.test.mjs!missing"]);
    check(&lab.ids(&["test/c1.test.mjs::e"]), &["test/c1.test.mjs::e=error"]);
    let selection = lab.tests().unwrap().selection(Suite::Test, &paths(&late[..1]));
    assert_eq!(selection, "node --test test/c1.test.mjs");
}

#[test]
fn node_calls_a_file_that_left_before_its_tests_a_pass_and_we_do_not() {
    if !has("node", &["--version"]) {
        return;
    }
    let lab = Lab::new(RunnerKind::Node, "node --test");
    lab.write("src/core.mjs", "process.exit(0);\n");
    lab.write(
        "test/base.test.mjs",
        "import '../src/core.mjs';\nimport { test } from 'node:test';\ntest('base', () => {});\n",
    );
    let run = lab.run();
    check(&run, &["test/base.test.mjs!load"]);
    assert_eq!(run.exit, Exit::Code(1));
}

#[test]
fn node_without_a_test_is_evidence_of_an_empty_run() {
    if !has("node", &["--version"]) {
        return;
    }
    let lab = Lab::new(RunnerKind::Node, "node --test");
    lab.write("src/a.mjs", "");
    check(&lab.run(), &[]);
}

// ---------------------------------------------------------------- the person's own lines

fn junit_lab(all: &str, select: Option<&str>) -> Lab {
    let mut lab = Lab::new(RunnerKind::Junit, all);
    lab.table = Some(RunnerTable {
        kind: RunnerKind::Junit,
        all: all.to_owned(),
        select: select.map(str::to_owned),
        report: Some("out/report.xml".to_owned()),
    });
    // A runner in three lines: a test passes if its file says so.
    lab.write(
        "run.sh",
        "mkdir -p out; { echo '<testsuites><testsuite name=\"s\">'; code=0; for f in \"$@\"; do\n\
         if grep -q good $f; then echo \"<testcase name='t' file='$f'/>\"; else code=2; echo \"<testcase name='t' file='$f'><failure message='no'/></testcase>\"; fi; done\n\
         echo '</testsuite></testsuites>'; } > out/report.xml; exit $code\n",
    );
    lab.write("t/a.txt", "good").write("t/b.txt", "bad");
    lab
}

#[test]
fn junit_is_read_chosen_and_left_out() {
    let lab = junit_lab("sh run.sh t/*.txt", Some("sh run.sh {files}"));
    check(&lab.run(), &["t/a.txt::t=ok", "t/b.txt::t=assertion"]);
    check(&lab.only(&["t/a.txt"]), &["t/a.txt::t=ok"]);
    check(&lab.without(&["t/b.txt"]), &["t/a.txt::t=ok"]);
    let copied = junit_lab("sh run.sh t/*.txt", None);
    let run = copied.without(&["t/b.txt"]);
    check(&run, &["t/a.txt::t=ok"]);
    assert!(copied.project().join("t/b.txt").exists(), "the tree itself is not touched");
    assert!(!copied.project().join("out").exists());
}

#[test]
fn junit_without_a_new_report_is_no_evidence() {
    let lab = junit_lab("true", None);
    lab.write("out/report.xml", "<testsuites><testsuite><testcase name='old'/></testsuite></testsuites>");
    let run = lab.run();
    assert!(run.report.is_none() && evidence(&run).is_err(), "{run:?}");
    let torn = junit_lab(
        "mkdir -p out; printf '<testsuites><testsuite><testcase name=\"a\"/>' > out/report.xml",
        None,
    );
    assert!(evidence(&torn.run()).is_err());
}

#[test]
fn a_gate_runs_without_files_in_a_copy_that_has_what_is_ignored() {
    left_to_the_night!();
    let mut lab = rust_lab();
    lab.gate = "cargo test --offline -q && test -e node_modules/x && test -e .env".to_owned();
    lab.write(".gitignore", "node_modules\n.env\nCargo.lock\ntarget\n");
    lab.write("node_modules/x", "").write(".env", "");
    lab.write("Cargo.lock", "version = 4\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n");
    let named = "[[test]]\nname = \"ac_1\"\npath = \"tests/ac_1.rs\"\n";
    let head = std::fs::read_to_string(lab.project().join("Cargo.toml")).unwrap();
    lab.write("Cargo.toml", &format!("{head}{named}"));
    lab.write("tests/ac_1.rs", "#[test] fn late() { shop::two() }\n");
    let before = walk(&lab.project());
    let mut runs = Runs::new(&lab);
    let green = runs.gate(&["tests/ac_1.rs"]);
    assert_eq!(green.exit, Exit::Code(0), "{}", green.output);
    assert!(green.command.ends_with("# in a copy without tests/ac_1.rs"), "{}", green.command);
    assert_eq!(walk(&lab.project()), before, "the tree itself is not touched");
    assert_eq!(runs.gate(&[]).exit, Exit::Code(101));
}

#[test]
fn exit_codes_are_all_that_some_commands_say() {
    let lab = Lab::new(RunnerKind::ExitCode, "test ! -e t/bad.txt");
    lab.write("t/bad.txt", "");
    let run = lab.run();
    assert_eq!((run.exit, run.report.is_none(), evidence(&run)), (Exit::Code(1), true, Ok(())));
    assert_eq!(lab.without(&["t/bad.txt"]).exit, Exit::Code(0));
}

#[test]
fn a_missing_program_is_a_trouble_that_names_it() {
    for (kind, line) in [
        (RunnerKind::ExitCode, "nosuchprogram-x"),
        (RunnerKind::Pytest, "nosuchprogram-x/pytest"),
        (RunnerKind::Node, "nosuchprogram-x/node --test a.mjs"),
        (RunnerKind::Go, "nosuchprogram-x/go test ./..."),
    ] {
        let lab = Lab::new(kind, line);
        lab.write("a.mjs", "");
        let trouble = lab.order(&TestOrder::default()).unwrap_err();
        assert_eq!(trouble.kind, TroubleKind::Environment, "{trouble}");
        assert!(trouble.to_string().contains("nosuchprogram-x"), "{trouble}");
    }
}

#[test]
fn a_command_that_no_adapter_can_take_apart_is_refused_with_a_suggestion() {
    let lab = Lab::new(RunnerKind::Pytest, "pytest && echo done");
    let Err(trouble) = lab.tests() else { panic!("must be refused") };
    assert_eq!(trouble.kind, TroubleKind::Config);
    assert!(trouble.next.contains("runner: { kind: junit"), "{trouble}");
}

// ---------------------------------------------------------------- nextest

fn has_nextest() -> bool {
    has("cargo", &["nextest", "--version"])
}

fn nextest_lab() -> Lab {
    let mut lab = rust_lab();
    lab.kind = RunnerKind::Nextest;
    "cargo nextest run --offline".clone_into(&mut lab.test);
    lab
}

#[test]
fn nextest_tells_each_target_apart() {
    left_to_the_night!();
    if !has_nextest() {
        return;
    }
    let lab = nextest_lab();
    check(&lab.run(), &["src/lib.rs::tests::unit=ok", "tests/base.rs::base=ok"]);
    lab.write("tests/c1.rs", "#[test] fn a() { assert_eq!(shop::one(), 2); }\n#[test] #[ignore] fn s() {}\n#[test] fn e() { None::<i32>.unwrap(); }\n#[test] fn x() { std::process::abort() }\n#[test] fn z() { std::process::exit(0) }\n")
        .write("tests/c2.rs", "use shop::two;\n#[test] fn b() { assert_eq!(two(), 2); }\n")
        .write("tests/c3.rs", "#[test] fn c( {\n");
    let run = lab.run();
    check(
        &run,
        &[
            "src/lib.rs::tests::unit=ok",
            "tests/base.rs::base=ok",
            "tests/c1.rs::a=assertion",
            "tests/c1.rs::e=error",
            "tests/c1.rs::s=skip",
            "tests/c1.rs::x=crash",
            "tests/c1.rs::z=crash",
            "tests/c2.rs!missing",
            "tests/c3.rs!load",
        ],
    );
    assert_eq!((run.exit, run.fail_code), (Exit::Code(100), 100));
    let green = lab.without(&["tests/c1.rs", "tests/c2.rs", "tests/c3.rs"]);
    check(&green, &["src/lib.rs::tests::unit=ok", "tests/base.rs::base=ok"]);
    assert_eq!(green.exit, Exit::Code(0));
    check(&lab.only(&["tests/base.rs"]), &["tests/base.rs::base=ok"]);
    check(
        &lab.ids(&["tests/c1.rs::a", "tests/base.rs::base"]),
        &["tests/base.rs::base=ok", "tests/c1.rs::a=assertion"],
    );
    assert!(!lab.project().join("target").exists(), "nothing is left in the tree");
    let selection = lab.tests().unwrap().selection(Suite::Test, &paths(&["tests/c1.rs", "tests/c2.rs"]));
    assert_eq!(selection, "cargo nextest run --offline --test c1 --test c2");
}

#[test]
fn nextest_runs_what_the_projects_configuration_would_hide() {
    left_to_the_night!();
    if !has_nextest() {
        return;
    }
    let mut lab = nextest_lab();
    "cargo nextest run --offline --fail-fast --retries 2 -E 'not test(slow)'".clone_into(&mut lab.test);
    lab.write(
        ".config/nextest.toml",
        "[profile.default]\ndefault-filter = 'not test(red)'\nretries = 1\nfail-fast = true\n",
    )
    .write(
        "tests/c1.rs",
        "#[test] fn red() { assert!(false); }\n#[test] fn slow() {}\n#[test] fn also() {}\n",
    );
    let all = [
        "src/lib.rs::tests::unit=ok",
        "tests/base.rs::base=ok",
        "tests/c1.rs::also=ok",
        "tests/c1.rs::red=assertion",
    ];
    check(&lab.run(), &all);
    check(&lab.ids(&["tests/c1.rs::also", "tests/c1.rs::slow"]), &["tests/c1.rs::also=ok"]);
}

#[test]
fn nextest_finds_programs_scripts_and_members_of_a_workspace() {
    left_to_the_night!();
    if !has_nextest() {
        return;
    }
    let mut lab = nextest_lab();
    "cargo nextest run --workspace --offline".clone_into(&mut lab.test);
    lab.write("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"2\"\n")
        .write("a/Cargo.toml", "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        .write("a/build.rs", "fn main() { std::fs::write(format!(\"{}/x\", std::env::var(\"OUT_DIR\").unwrap()), \"7\").unwrap(); }\n")
        .write("a/src/main.rs", "fn main() { println!(\"hi\"); }\n#[test] fn in_program() {}\n")
        .write("a/tests/t.rs", "#[test] fn runs() { let out = std::process::Command::new(env!(\"CARGO_BIN_EXE_a\")).output().unwrap(); assert_eq!(out.stdout, b\"hi\\n\"); }\n#[test] fn made() { assert_eq!(include_str!(concat!(env!(\"OUT_DIR\"), \"/x\")), \"7\"); assert!(std::env::var(\"OUT_DIR\").is_ok()); }\n")
        .write("b/Cargo.toml", "[package]\nname = \"b\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[[test]]\nname = \"own\"\nharness = false\n")
        .write("b/src/lib.rs", "")
        .write("b/tests/own.rs", "fn main() { let list = std::env::args().any(|a| a == \"--list\"); let ignored = std::env::args().any(|a| a == \"--ignored\"); if list && !ignored { println!(\"strange (name), a|b: test\"); } }\n")
        .write("b/tests/t.rs", "#[test] fn broken() { b::none(); }\n");
    std::fs::remove_dir_all(lab.project().join("src")).unwrap();
    check(
        &lab.run(),
        &[
            "a/src/main.rs::in_program=ok",
            "a/tests/t.rs::made=ok",
            "a/tests/t.rs::runs=ok",
            "b/tests/own.rs::strange (name), a|b=ok",
            "b/tests/t.rs!missing",
        ],
    );
    check(
        &lab.ids(&["b/tests/own.rs::strange (name), a|b", "a/tests/t.rs::runs"]),
        &["a/tests/t.rs::runs=ok", "b/tests/own.rs::strange (name), a|b=ok"],
    );
}

// ---------------------------------------------------------------- go

fn has_go() -> bool {
    has("go", &["version"])
}

fn go_lab() -> Lab {
    let lab = Lab::new(RunnerKind::Go, "go test ./...");
    lab.write("go.mod", "module shop\n\ngo 1.19\n")
        .write("core/core.go", "package core\n\nfunc One() int { return 1 }\n")
        .write(
            "core/base_test.go",
            &go_test(
                "core",
                "",
                "func TestBase(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal(\"x\")\n\t}\n}\n",
            ),
        );
    lab
}

fn go_test(package: &str, imports: &str, body: &str) -> String {
    format!("package {package}\n\nimport (\n\t\"testing\"\n{imports})\n\n{body}")
}

#[test]
fn go_tells_each_file_of_a_package_apart() {
    left_to_the_night!();
    if !has_go() {
        return;
    }
    let lab = go_lab();
    check(&lab.run(), &["core/base_test.go::TestBase=ok"]);
    lab.write("core/c1_test.go", &go_test("core", "", "func TestC1(t *testing.T) {\n\tt.Run(\"a b\", func(t *testing.T) { t.Error(1) })\n\tt.Run(\"x/y\", func(t *testing.T) {})\n}\nfunc TestC1Skip(t *testing.T) { t.Skip() }\n"))
        .write("core/c2_test.go", &go_test("core_test", "\t\"shop/core\"\n", "func TestC2(t *testing.T) {\n\tif core.Two() != 2 {\n\t\tt.Fatal(2)\n\t}\n}\n"))
        .write("core/c3_test.go", "package core\nfunc TestC3(t *testing.T {}\n")
        .write("core/a_test.go", &go_test("core", "", "func TestA(t *testing.T) { panic(\"not yet\") }\nfunc ExampleOne() {\n\tprintln()\n\t// Output: 3\n}\n"))
        .write("other/o_test.go", &go_test("other", "\t\"shop/none\"\n", "func TestO(t *testing.T) { none.X() }\n"));
    let run = lab.run();
    check(
        &run,
        &[
            "core/a_test.go::ExampleOne=assertion",
            "core/a_test.go::TestA=error",
            "core/base_test.go::TestBase=ok",
            "core/c1_test.go::TestC1/a_b=assertion",
            "core/c1_test.go::TestC1/x/y=ok",
            "core/c1_test.go::TestC1=assertion",
            "core/c1_test.go::TestC1Skip=skip",
            "core/c2_test.go!missing",
            "core/c3_test.go!load",
            "other/o_test.go!missing",
        ],
    );
    let absent: Vec<Option<String>> =
        run.report.unwrap().load_failures.into_iter().map(|load| load.failure.absent).collect();
    assert!(
        absent.contains(&Some("core.Two".to_owned())) && absent.contains(&Some("shop/none".to_owned())),
        "{absent:?}"
    );
    let all = ["core/a_test.go", "core/c1_test.go", "core/c2_test.go", "core/c3_test.go", "other/o_test.go"];
    let green = lab.without(&all);
    check(&green, &["core/base_test.go::TestBase=ok"]);
    assert_eq!(green.exit, Exit::Code(0));
    check(&lab.only(&["core/base_test.go"]), &["core/base_test.go::TestBase=ok"]);
    check(&lab.ids(&["core/c1_test.go::TestC1/x/y"]), &["core/c1_test.go::TestC1/x/y=ok"]);
    let tests = lab.tests().unwrap();
    assert_eq!(
        tests.selection(Suite::Test, &paths(&["core/c1_test.go"])),
        "go test -run '^(TestC1|TestC1Skip)$' ./core"
    );
    let declared = tests.declared(&paths(&["core/c2_test.go"])[0], b"func TestC2(t *testing.T) {}");
    assert_eq!(declared, [TestId("core/c2_test.go::TestC2".to_owned())]);
}

#[test]
fn go_believes_neither_an_exit_code_nor_a_print_alone() {
    left_to_the_night!();
    if !has_go() {
        return;
    }
    let lab = go_lab();
    let red = go_test("core", "", "func TestRed(t *testing.T) { One(); t.Fatal(1) }\n");
    // What is printed by the code under test, and whether any of it is evidence.
    let print = |text: &str| {
        format!(
            "package core\n\nimport \"fmt\"\n\nfunc One() int {{\n\tfmt.Print({text:?})\n\treturn 1\n}}\n"
        )
    };
    lab.write("core/c1_test.go", &red)
        .write("core/core.go", &print("\n--- PASS: TestInvented (0.00s)\n--- PASS: TestRed (0.00s)\nPASS\n"));
    check(&lab.run(), &["core/base_test.go::TestBase=ok", "core/c1_test.go::TestRed=assertion"]);
    // A `TestMain` that swallows the failures.
    lab.write(
        "core/main_test.go",
        &go_test("core", "\t\"os\"\n", "func TestMain(m *testing.M) { m.Run(); os.Exit(0) }\n"),
    );
    assert!(evidence(&lab.run()).is_err());
    lab.write(
        "core/main_test.go",
        &go_test("core", "\t\"os\"\n", "func TestMain(m *testing.M) { os.Exit(3) }\n"),
    );
    assert!(evidence(&lab.run()).is_err());
    // It runs nothing at all: no id is there, and whoever expects one sees that.
    lab.write(
        "core/main_test.go",
        &go_test("core", "\t\"os\"\n", "func TestMain(m *testing.M) { os.Exit(0) }\n"),
    );
    check(&lab.run(), &[]);
    std::fs::remove_file(lab.project().join("core/main_test.go")).unwrap();
    lab.write(
        "core/core.go",
        "package core\n\nimport \"os\"\n\nfunc One() int {\n\tos.Exit(0)\n\treturn 1\n}\n",
    );
    check(&lab.run(), &["core/base_test.go::TestBase=error", "core/c1_test.go::TestRed=error"]);
    lab.write("core/core.go", "package core\n\nfunc One() int { return }\n");
    let broken = lab.run();
    assert!(broken.report.unwrap().project_broken.is_some());
}

#[test]
fn go_carries_a_canary_that_is_nowhere_afterwards() {
    left_to_the_night!();
    if !has_go() {
        return;
    }
    let lab = go_lab();
    lab.write(
        "core/c1_test.go",
        &go_test("core_test", "\t\"shop/core\"\n", "func TestC1(t *testing.T) { core.One() }\n"),
    );
    let canary = |order: TestOrder| {
        let canary = CanaryWish::Beside(paths(&["core/c1_test.go"]));
        lab.order(&TestOrder { canary, ..order }).unwrap()
    };
    for (order, want) in [
        (TestOrder::default(), vec!["core/base_test.go::TestBase=ok", "core/c1_test.go::TestC1=ok"]),
        (
            TestOrder { only_files: paths(&["core/c1_test.go"]), ..TestOrder::default() },
            vec!["core/c1_test.go::TestC1=ok"],
        ),
    ] {
        let run = canary(order);
        assert_eq!((run.canary, run.exit), (Canary::SeenFailing, Exit::Code(1)), "{}", run.output);
        check(&run, &want);
    }
    lab.write(
        "core/core.go",
        "package core\n\nimport \"os\"\n\nfunc init() { os.Exit(0) }\n\nfunc One() int { return 1 }\n",
    );
    let run = canary(TestOrder::default());
    assert_eq!(run.canary, Canary::NotRun);
    assert!(evidence(&run).is_err());
    let files = std::fs::read_dir(lab.project().join("core")).unwrap().count();
    assert_eq!(files, 3, "nothing of it lies in the tree");
}

#[test]
fn go_keeps_flags_and_a_cache_that_lie_away() {
    left_to_the_night!();
    if !has_go() {
        return;
    }
    let mut lab = go_lab();
    "GOFLAGS='-run=None -tags=extra' go test -count=3 -failfast ./... -run 'Base|Tagged'"
        .clone_into(&mut lab.test);
    lab.write("core/tagged_test.go", "//go:build extra\n\npackage core\n\nimport \"testing\"\n\nfunc TestTagged(t *testing.T) {}\nfunc TestFiltered(t *testing.T) {}\n")
        .write("core/forged_test.go", "//go:build ignore\n\npackage core\n\nimport \"testing\"\n\nfunc TestForged(t *testing.T) {}\n");
    let mut runs = Runs::new(&lab);
    let all = ["core/base_test.go::TestBase=ok", "core/tagged_test.go::TestTagged=ok"];
    check(&runs.next(), &all);
    let caches = || -> Vec<PathBuf> {
        let entries = std::fs::read_dir(lab.root.path().join("work")).unwrap().flatten();
        entries
            .map(|entry| entry.path())
            .filter(|path| path.to_string_lossy().contains("go-cache-"))
            .collect()
    };
    let before = caches();
    check(&runs.next(), &all);
    assert_eq!((before.len(), caches()), (1, before.clone()), "a cache that nobody touched is used again");
    // A test that writes into the cache makes the run no evidence, and the cache is used no more.
    lab.write("core/core.go", "package core\n\nimport (\n\t\"os\"\n\t\"path/filepath\"\n)\n\nfunc One() int {\n\tfiles, _ := filepath.Glob(os.Getenv(\"GOCACHE\") + \"/*/*-d\")\n\tfor _, file := range files {\n\t\tos.WriteFile(file, []byte(\"x\"), 0o644)\n\t}\n\treturn 1\n}\n");
    let touched = runs.next();
    assert!(evidence(&touched).unwrap_err().contains("build cache"), "{:?}", touched.unreadable);
    lab.write("core/core.go", "package core\n\nfunc One() int { return 1 }\n");
    check(&runs.next(), &all);
    assert_ne!(caches(), before);
}

/// The packages that were compiled, as a program before each of go's tools has noted them.
fn compiled(log: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(log).unwrap_or_default();
    let lines = log.lines().filter(|line| line.contains("/compile ") && !line.contains("-V=full"));
    let mut names: Vec<String> = lines
        .filter_map(|line| Some(line.split_once(" -p ")?.1.split(' ').next()?.to_owned()))
        .filter(|name| name.contains("shop") || name.contains("example.com"))
        .collect();
    names.sort();
    names.dedup();
    names
}

#[test]
fn go_takes_over_what_was_built_of_others_and_compiles_its_own() {
    left_to_the_night!();
    if !has_go() {
        return;
    }
    let mut lab = go_lab();
    let (log, theirs) = (lab.root.path().join("log"), lab.root.path().join("theirs"));
    let tool = lab.root.path().join("tool");
    std::fs::write(&tool, format!("#!/bin/sh\necho \"$@\" >> {}\nexec \"$@\"\n", log.display())).unwrap();
    std::fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    lab.test = format!("GOCACHE={} go test -toolexec={} ./...", theirs.display(), tool.display());
    lab.write("go.mod", "module shop\n\ngo 1.19\n\nrequire example.com/dep v1.0.0\n")
        .write("vendor/modules.txt", "# example.com/dep v1.0.0\n## explicit\nexample.com/dep\n")
        .write("vendor/example.com/dep/dep.go", "package dep\n\nfunc One() int { return 1 }\n")
        .write(
            "core/core.go",
            "package core\n\nimport \"example.com/dep\"\n\nfunc One() int { return dep.One() }\n",
        );
    let own = Command::new("sh").args(["-c", &lab.test]).current_dir(lab.project()).output().unwrap();
    assert!(own.status.success(), "{own:?}");
    assert!(compiled(&log).contains(&"example.com/dep".to_owned()), "{:?}", compiled(&log));
    for (goes_on, want) in [(false, false), (true, true)] {
        std::fs::remove_file(&log).unwrap();
        let mut runs = Runs::new(&lab);
        if goes_on {
            let command = Some("go test ./...".to_owned());
            runs.tests.recall(&Recalled { command, ..Recalled::default() });
        }
        check(&runs.next(), &["core/base_test.go::TestBase=ok"]);
        let compiled = compiled(&log);
        assert_eq!(
            compiled.contains(&"example.com/dep".to_owned()),
            want,
            "goes on: {goes_on}: {compiled:?}"
        );
        assert!(compiled.contains(&"shop/core".to_owned()), "a verdict rests on it: {compiled:?}");
    }
}

#[test]
fn go_counts_tests_of_one_name_and_what_it_ran() {
    left_to_the_night!();
    if !has_go() {
        return;
    }
    let lab = go_lab();
    let same = "func TestSame(t *testing.T) {}\n";
    lab.write("core/c1_test.go", &go_test("core", "", same))
        .write("core/c2_test.go", &go_test("core_test", "", same));
    let both =
        ["core/base_test.go::TestBase=ok", "core/c1_test.go::TestSame=ok", "core/c2_test.go::TestSame=ok"];
    let run = lab.run();
    check(&run, &both);
    assert_eq!(run.command, "go test -vet=off ./...", "what is told is what ran");
    // A `TestMain` that takes the last of them away.
    let imports = "\t\"os\"\n\t\"reflect\"\n\t\"unsafe\"\n";
    let body = "func TestMain(m *testing.M) {\n\ttests := reflect.ValueOf(m).Elem().FieldByName(\"tests\")\n\
        \tall := (*[]testing.InternalTest)(unsafe.Pointer(tests.UnsafeAddr()))\n\t*all = (*all)[:len(*all)-1]\n\
        \tos.Exit(m.Run())\n}\n";
    lab.write("core/main_test.go", &go_test("core", imports, body));
    check(&lab.run(), &both[..2]);
    std::fs::remove_file(lab.project().join("core/main_test.go")).unwrap();
    // What only prints that a test begins is none; a test that stands behind something else is one.
    let prints = "func TestSame(t *testing.T) { println(); os.Stdout.WriteString(\"\\n=== RUN   TestInvented\\n--- PASS: TestInvented (0.00s)\\n\") }\n";
    lab.write("core/c1_test.go", &go_test("core", "\t\"os\"\n", prints));
    let run = lab.run();
    check(&run, &both);
    assert_eq!(evidence(&run), Ok(()), "{}", run.output);
    lab.write("core/c1_test.go", &go_test("core", "", "var one = 1; func TestOdd(t *testing.T) {}\n"));
    let why = evidence(&lab.run()).unwrap_err();
    assert!(why.contains("TestOdd") && why.contains("no test file"), "{why}");
}

// ---------------------------------------------------------------- TAP

/// A producer of TAP that takes each line of its files for a test, and calls it by its second word.
const TAP_PRODUCER: &str = r#"n=0
for f in "$@"; do
    while read -r word name; do
        n=$((n + 1))
        case "$word" in
            red) echo "not ok $n - $name"; [ -z "$TELL" ] || printf '  ---\n  file: %s\n  ...\n' "$f"; code=1;;
            skip) echo "ok $n - $name # SKIP"; [ -z "$TELL" ] || printf '  ---\n  file: %s\n  ...\n' "$f";;
            load) echo "Cannot find module './two'" >&2; exit 2;;
            bail) echo "Bail out! no way"; exit 3;;
            *) echo "ok $n - $name"; [ -z "$TELL" ] || printf '  ---\n  file: %s\n  ...\n' "$f";;
        esac
    done < "$f"
done
echo "1..$n"
exit ${code:-0}
"#;

fn tap_lab(tell: &str) -> Lab {
    let all = format!("TELL={tell} sh producer.sh t/*.t");
    let mut lab = Lab::new(RunnerKind::Tap, &all);
    let select = Some(format!("TELL={tell} sh producer.sh {{files}}"));
    lab.table = Some(RunnerTable { kind: RunnerKind::Tap, all, select, report: None });
    lab.write("producer.sh", TAP_PRODUCER).write("t/a.t", "ok one\nskip two\n").write("t/b.t", "red three\n");
    lab
}

#[test]
fn tap_is_read_with_the_files_that_it_tells() {
    let lab = tap_lab("yes");
    let all = ["t/a.t::one=ok", "t/a.t::two=skip", "t/b.t::three=assertion"];
    check(&lab.run(), &all);
    check(&lab.only(&["t/a.t"]), &all[..2]);
    check(&lab.without(&["t/b.t"]), &all[..2]);
    check(&lab.only(&["t/a.t", "t/b.t"]), &all);
}

#[test]
fn tap_without_files_is_asked_for_each() {
    let lab = tap_lab("");
    check(&lab.run(), &["one=ok", "three=assertion", "two=skip"]);
    let run = lab.only(&["t/a.t", "t/b.t"]);
    check(&run, &["one=ok", "three=assertion", "two=skip"]);
    let files: Vec<String> =
        run.report.unwrap().tests.iter().map(|test| test.file.as_ref().unwrap().to_string()).collect();
    assert_eq!(files, ["t/a.t", "t/a.t", "t/b.t"]);
    lab.write("t/c.t", "load x\n");
    check(&lab.only(&["t/a.t", "t/c.t"]), &["one=ok", "t/c.t!missing", "two=skip"]);
    lab.write("t/c.t", "ok x\nbail y\n");
    assert!(evidence(&lab.only(&["t/a.t", "t/c.t"])).unwrap_err().contains("bails out: no way"));
}

#[test]
fn tests_of_a_file_that_is_asked_about_are_told_apart_in_a_whole_run_of_tap() {
    let lab = tap_lab("");
    check(&lab.run(), &["one=ok", "three=assertion", "two=skip"]);
    let apart = vec![RelPath::new("t/b.t").unwrap()];
    let order = TestOrder { label: "RED".to_owned(), told_apart: apart.clone(), ..TestOrder::default() };
    let tests = lab.order(&order).unwrap().report.unwrap().tests;
    let of_b: Vec<&str> =
        tests.iter().filter(|t| t.file == Some(apart[0].clone())).map(|t| t.id.0.as_str()).collect();
    assert_eq!((of_b.as_slice(), tests.len()), (&["three"][..], 3));
}

#[test]
fn tap_that_can_t_be_tied_to_a_file_or_a_name_is_refused() {
    let mut lab = tap_lab("");
    let all = "sh producer.sh t/*.t".to_owned();
    lab.table = Some(RunnerTable { kind: RunnerKind::Tap, all, select: None, report: None });
    let all = TestOrder { label: "all".to_owned(), ..TestOrder::default() };
    let said = lab.order(&all).unwrap_err().to_string();
    assert!(said.contains("does not say which file a test is of"), "{said}");
    assert!(said.contains("select: \"sh producer.sh t/*.t {files}\""), "{said}");
    lab.write("producer.sh", "echo 'ok 1'\necho 'ok 2'\necho 1..2\n");
    let said = lab.order(&all).unwrap_err().to_string();
    assert!(said.contains("has no name: point 1") && said.contains("a description"), "{said}");
}

/// Node prints what can't be sent from the test's process, and gives what has no prototype as it is.
#[test]
fn ac_tdd_8_97_whatever_a_test_throws_is_told() {
    if !has("node", &["--version"]) {
        return;
    }
    let lab = Lab::new(RunnerKind::Node, "node --test");
    lab.write(
        "test/odd.test.mjs",
        "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\n\n\
         const held = { give: () => process.stdout, all: process };\n\
         test('held', () => assert.notEqual(held, held));\n\
         test('bare', () => { throw Object.create(null); });\n\
         test('words', () => { throw 'no'; });\n\
         test('symbol', () => { throw Object.assign(new Error(), { message: Symbol('s'), code: Symbol('c') }); });\n\
         test('last', () => assert.equal(1, 1));\n",
    );
    let run = lab.run();
    let at = |name: &str, kind: &str| format!("test/odd.test.mjs::{name}={kind}");
    let mut want = [
        at("held", "assertion"),
        at("bare", "error"),
        at("words", "error"),
        at("symbol", "error"),
        at("last", "ok"),
    ];
    want.sort();
    assert_eq!(words(&run), want, "{}", run.output);
    assert_eq!(evidence(&run), Ok(()), "{}", run.output);
}
