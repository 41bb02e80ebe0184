//! Verifying runs carry a test that must fail: what it catches, what it leaves alone, and that it
//! is gone afterwards.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test makes projects and starts programs, and fails by a panic"
)]

mod copies;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tdd_core::commands::{ProjectCommands, RunnerKind};
use tdd_core::event::Leaked;
use tdd_core::evidence::evidence;
use tdd_core::mapping::Without;
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, TestOrder, Tests};
use tdd_core::test::{Canary, Exit, Outcome, TestRun};
use tdd_runners::runner::{ProjectTests, RunnerSetup};
use tokio::sync::watch;

/// A project of one production file and one judged test file.
struct Lab {
    root: tempfile::TempDir,
    kind: RunnerKind,
    test: String,
    judged: &'static str,
}

impl Lab {
    fn project(&self) -> PathBuf {
        self.root.path().join("repo")
    }

    fn write(&self, path: &str, text: &str) -> &Self {
        let path = self.project().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    fn order(&self, order: &TestOrder) -> TestRun {
        self.order_and_leaked(order).0
    }

    fn order_and_leaked(&self, order: &TestOrder) -> (TestRun, Vec<Leaked>) {
        tdd_child::exec::use_shim(PathBuf::from(env!("CARGO_BIN_EXE_tdd")));
        let (_sender, stop) = watch::channel(None);
        let mut tests = ProjectTests::new(RunnerSetup {
            repository: self.project(),
            project: self.project(),
            commands: ProjectCommands {
                test: self.test.clone(),
                test_source: "a test".to_owned(),
                gate: "true".to_owned(),
                gate_source: "a test".to_owned(),
                runner: self.kind,
            },
            table: None,
            work: self.root.path().join("work"),
            deadline: Some(Duration::from_mins(2)),
            output_cap: 1 << 30,
            stop,
        })
        .unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let run = runtime.block_on(tests.run(order, &mut |_| {})).unwrap();
        (run, tests.leaked())
    }

    /// A run of everything with a canary like the judged file, after which the tree is as it was.
    fn run(&self) -> TestRun {
        let before = files(&self.project());
        let canary = CanaryWish::Beside(vec![RelPath::new(self.judged).unwrap()]);
        let run = self.order(&TestOrder { label: "GREEN".to_owned(), canary, ..TestOrder::default() });
        let by_product = |file: &&String| ["Cargo.lock", "target/"].iter().any(|part| file.contains(part));
        let mut after = files(&self.project());
        after.retain(|file| !by_product(&file));
        let new: Vec<&String> = after.iter().filter(|file| !before.contains(file)).collect();
        assert!(new.is_empty() && after.len() == before.len(), "the canary left something: {new:?}");
        assert!(!run.output.contains("must fail") && !run.output.contains("MUST"), "{}", run.output);
        run
    }
}

/// Links are listed and not followed: `node_modules` is one, into a folder that other tests use too.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                found.push(entry.path().to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}

fn lab(kind: RunnerKind, test: &str, judged: &'static str) -> Lab {
    let lab = Lab { root: tempfile::tempdir().unwrap(), kind, test: test.to_owned(), judged };
    std::fs::create_dir_all(lab.project()).unwrap();
    lab
}

fn has(program: &str, args: &[&str]) -> bool {
    crate::sandbox::has(program, &[&[program], args].concat())
}

fn passed(run: &TestRun) -> Vec<String> {
    let report = run.report.as_ref().unwrap_or_else(|| panic!("{:?}\n{}", run.unreadable, run.output));
    let green = report.tests.iter().filter(|test| test.outcome == Outcome::Passed);
    green.map(|test| test.id.0.clone()).collect()
}

const PYTEST: &str = "import shop\n\ndef test_price():\n    assert shop.price() == 3\n";

fn pytest(production: &str) -> Option<Lab> {
    let lab = lab(RunnerKind::Pytest, "python3 -m pytest -q", "tests/test_ac_1.py");
    lab.write("conftest.py", "import sys, os\nsys.path.insert(0, os.path.dirname(__file__))\n");
    lab.write("tests/test_ac_1.py", PYTEST).write("shop.py", production);
    has("python3", &["-c", "import pytest"]).then_some(lab)
}

#[test]
fn an_honest_green_of_pytest_is_one_with_a_canary_and_shows_none() {
    left_to_the_night!();
    let Some(lab) = pytest("def price():\n    return 3\n") else { return };
    let run = lab.run();
    assert_eq!(run.canary, Canary::SeenFailing, "{}", run.output);
    assert_eq!(run.exit, Exit::Code(1));
    assert_eq!(evidence(&run), Ok(()));
    assert_eq!(passed(&run), ["tests/test_ac_1.py::test_price"]);
    assert_eq!(run.report.unwrap().tests.len(), 1);
    assert!(run.output.contains("1 passed"), "{}", run.output);
    assert!(!run.output.contains("test_q"), "{}", run.output);
    // Whatever the call chooses, the canary takes part.
    for test in ["python3 -m pytest -q tests -k price", "python3 -m pytest -q tests/test_ac_1.py::test_price"]
    {
        let lab = Lab { test: test.to_owned(), ..pytest("def price():\n    return 3\n").unwrap() };
        let run = lab.run();
        assert_eq!((run.canary, evidence(&run)), (Canary::SeenFailing, Ok(())), "{test}\n{}", run.output);
    }
    lab.write("pytest.ini", "[pytest]\npython_functions = check_*\n");
    lab.write("tests/test_ac_1.py", &PYTEST.replace("test_price", "check_price"));
    assert_eq!(evidence(&lab.run()), Ok(()));
}

/// Every test takes longer than copies may.
const LATE: &str = "import os\nimport sys\nimport time\n\nsys.path.insert(0, os.path.dirname(__file__))\n\
                    NOW, AHEAD = time.monotonic, [0.0]\ntime.monotonic = lambda: NOW() + AHEAD[0]\n\n\n\
                    def pytest_runtest_call(item):\n    AHEAD[0] += 0.4\n";

#[test]
fn ac_tdd_8_102_copies_that_are_passed_over_leave_nothing_set_up() {
    let Some(lab) = pytest("def price():\n    return 3\n") else { return };
    lab.write("conftest.py", LATE);
    let test = |name: &str, depth: &str, own: &str| {
        format!("{depth}def test_{name}({own}):\n{depth}    assert shop.price() == 3\n\n\n")
    };
    let all = |depth: &str, own: &str| ["a", "b", "c"].map(|name| test(name, depth, own)).concat();
    for tests in [all("", ""), format!("class TestShop:\n{}", all("    ", "self"))] {
        lab.write(lab.judged, &format!("import shop\n\n\n{tests}"));
        let run = lab.run();
        assert_eq!((run.canary, evidence(&run)), (Canary::SeenFailing, Ok(())), "{tests}\n{}", run.output);
        assert!(run.copies.toothless.is_empty(), "{:?}", run.copies);
    }
}

#[test]
fn a_canary_takes_part_where_files_or_ids_are_chosen() {
    left_to_the_night!();
    let Some(lab) = pytest("def price():\n    return 3\n") else { return };
    let canary = CanaryWish::Beside(vec![RelPath::new(lab.judged).unwrap()]);
    let file = RelPath::new(lab.judged).unwrap();
    let id = tdd_core::test::TestId("tests/test_ac_1.py::test_price".to_owned());
    for order in [
        TestOrder { only_files: vec![file], canary: canary.clone(), ..TestOrder::default() },
        TestOrder { only_ids: vec![id], canary, ..TestOrder::default() },
    ] {
        let run = lab.order(&order);
        assert_eq!((run.canary, evidence(&run)), (Canary::SeenFailing, Ok(())), "{}", run.output);
        assert_eq!(passed(&run), ["tests/test_ac_1.py::test_price"]);
    }
}

#[test]
fn an_honest_red_is_told_as_it_is() {
    left_to_the_night!();
    let Some(lab) = pytest("def price():\n    return 2\n") else { return };
    let run = lab.run();
    assert_eq!((run.canary, evidence(&run)), (Canary::SeenFailing, Ok(())), "{}", run.output);
    assert!(passed(&run).is_empty());
    assert!(run.output.contains("1 failed"), "{}", run.output);
    lab.write("shop.py", "def price(:\n");
    let run = lab.run();
    assert_eq!((run.canary, evidence(&run)), (Canary::NotAsked, Ok(())), "{}", run.output);
    assert_eq!(run.report.unwrap().load_failures.len(), 1);
}

/// Production code that makes tests of pytest pass; what must keep it from being green.
const PYTEST_ATTACKS: &[(&str, &str, Canary)] = &[
    (
        "an exception is no exception",
        "import _pytest.runner as r\nold = r.CallInfo.from_call\ndef new(func, *args, **kw):\n    def quiet():\n        try:\n            return func()\n        except Exception:\n            pass\n    return old(quiet, *args, **kw)\nr.CallInfo.from_call = new\n",
        Canary::Passed,
    ),
    (
        "a function is not called",
        "import _pytest.python as p\np.Function.runtest = lambda self: None\nimport _pytest.unittest as u\nu.TestCaseFunction.runtest = lambda self: None\n",
        Canary::Passed,
    ),
    (
        "only when it is called",
        "def price():\n    import _pytest.python as p\n    p.Function.runtest = lambda self: None\n    return 3\n",
        Canary::Passed,
    ),
];

#[test]
fn ac_tdd_8_4_what_pytest_runs_is_not_patched_unseen() {
    left_to_the_night!();
    if pytest("").is_none() {
        return;
    }
    for (name, patch, want) in PYTEST_ATTACKS {
        let honest = if patch.contains("def price") { "" } else { "def price():\n    return 2\n" };
        let lab = pytest(&format!("{patch}{honest}")).unwrap();
        let run = lab.run();
        assert_eq!(run.canary, *want, "{name}\n{}", run.output);
        assert!(evidence(&run).is_err(), "{name}");
    }
    // What rewrites a report that says so is not believed, with or without a canary.
    let lab = pytest(
        "import _pytest.reports as r\nold = r.TestReport.from_item_and_call\ndef new(item, call):\n    report = old(item, call)\n    report.outcome = 'passed'\n    return report\nr.TestReport.from_item_and_call = new\ndef price():\n    return 2\n",
    )
    .unwrap();
    let run = lab.run();
    assert!(passed(&run).is_empty() || evidence(&run).is_err(), "{}", run.output);
    // Leaving at import leaves no report.
    let lab = pytest("import os\nos._exit(0)\n").unwrap();
    assert!(evidence(&lab.run()).is_err());
}

/// A stand-in for python that counts its calls.
#[test]
fn ac_tdd_8_5_a_verdict_of_green_takes_one_call_of_pytest() {
    let Some(mut lab) = pytest("def price():\n    return 3\n") else { return };
    let calls = lab.root.path().join("calls");
    let python = lab.root.path().join("python");
    std::fs::write(&python, format!("#!/bin/sh\necho x >> '{}'\nexec python3 \"$@\"\n", calls.display()))
        .unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&python, mode).unwrap();
    lab.test = format!("{} -m pytest -q", python.display());
    assert_eq!(evidence(&lab.run()), Ok(()));
    assert_eq!(std::fs::read_to_string(calls).unwrap(), "x\n");
}

fn unittest(production: &str) -> Option<Lab> {
    let lab = lab(RunnerKind::Unittest, "python3 -m unittest discover -s tests -t .", "tests/test_ac_1.py");
    let judged = "import unittest\nimport shop\n\nclass A(unittest.TestCase):\n    def test_price(self):\n        self.assertEqual(shop.price(), 3)\n";
    lab.write("tests/test_ac_1.py", judged).write("tests/__init__.py", "").write("shop.py", production);
    has("python3", &["-c", "import unittest"]).then_some(lab)
}

#[test]
fn unittest_carries_a_canary_too() {
    left_to_the_night!();
    let Some(lab) = unittest("def price():\n    return 3\n") else { return };
    let run = lab.run();
    assert_eq!((run.canary, run.exit), (Canary::SeenFailing, Exit::Code(1)), "{}", run.output);
    assert_eq!(evidence(&run), Ok(()));
    assert_eq!(passed(&run), ["tests/test_ac_1.py::A.test_price"]);
    assert!(!run.output.contains("FAIL"), "{}", run.output);
    for (name, patch) in [
        ("an assertion", "import unittest\nunittest.TestCase.assertEqual = lambda *a, **k: None\n"),
        (
            "the outcome",
            "import unittest.case as c\nfrom contextlib import contextmanager\n@contextmanager\ndef quiet(self, *a, **k):\n    try:\n        yield\n    except Exception:\n        pass\nc._Outcome.testPartExecutor = quiet\n",
        ),
        ("the test", "import unittest\nunittest.TestCase._callTestMethod = lambda self, method: None\n"),
    ] {
        let lab = unittest(&format!("{patch}def price():\n    return 2\n")).unwrap();
        let run = lab.run();
        assert_eq!(run.canary, Canary::Passed, "{name}\n{}", run.output);
        assert!(evidence(&run).is_err(), "{name}");
    }
    // A result class that hears of no failure is passed by: the driver's own is asked.
    let patch = "import unittest\nunittest.TestResult.addFailure = lambda *a: None\nunittest.TextTestResult.addFailure = lambda *a: None\ndef price():\n    return 2\n";
    let run = unittest(patch).unwrap().run();
    assert!(passed(&run).is_empty() || evidence(&run).is_err(), "{}", run.output);
}

const MANIFEST: &str = "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";

fn cargo(production: &str) -> Lab {
    let lab = lab(RunnerKind::Cargo, "cargo test --offline", "tests/ac_1.rs");
    let judged = "mod common;\n#[test]\nfn price() {\n    assert_eq!(shop::price(), common::three());\n}\n";
    lab.write("Cargo.toml", MANIFEST).write("src/lib.rs", production).write("tests/ac_1.rs", judged);
    lab.write("tests/common/mod.rs", "pub fn three() -> u32 {\n    3\n}\n");
    lab
}

#[test]
fn cargo_carries_a_canary_that_calls_what_the_judged_test_calls() {
    left_to_the_night!();
    let honest = "pub fn price() -> u32 {\n    3\n}\n";
    let run = cargo(honest).run();
    assert_eq!((run.canary, run.exit), (Canary::SeenFailing, Exit::Code(101)), "{}", run.output);
    assert_eq!(evidence(&run), Ok(()), "{}", run.output);
    assert_eq!(passed(&run), ["tests/ac_1.rs::price"]);
    assert!(!run.output.contains("zzz") && !run.output.contains("judged_"), "{}", run.output);
    // It takes part where other targets are named, and where a judged file is no module of its own.
    let lab = Lab { test: "cargo test --offline --test ac_1 price".to_owned(), ..cargo(honest) };
    lab.write("tests/ac_1.rs", "#[test]\nfn price() {\n    assert_eq!(crate::three(), shop::price());\n}\nfn three() -> u32 {\n    3\n}\n");
    let run = lab.run();
    assert_eq!((run.canary, evidence(&run)), (Canary::SeenFailing, Ok(())), "{}", run.output);
    assert!(!run.output.contains("error"), "{}", run.output);
}

#[test]
fn a_panic_that_ends_the_process_well_is_seen_by_cargos_canary() {
    let hook =
        "pub fn price() -> u32 {\n    std::panic::set_hook(Box::new(|_| std::process::exit(0)));\n    3\n}\n";
    let run = cargo(hook).run();
    assert_eq!(run.canary, Canary::NotRun, "{}", run.output);
    assert_eq!(passed(&run), ["tests/ac_1.rs::price"]);
    assert!(evidence(&run).is_err());
}

#[test]
fn a_package_that_finds_no_targets_carries_no_canary() {
    let lab = cargo("pub fn price() -> u32 {\n    3\n}\n");
    lab.write("Cargo.toml", &format!("{MANIFEST}autotests = false\n[[test]]\nname = \"ac_1\"\n"));
    let run = lab.run();
    assert_eq!((run.canary, evidence(&run)), (Canary::Unsupported, Ok(())), "{}", run.output);
}

#[test]
fn what_does_not_compile_needs_no_canary() {
    let run = cargo("pub fn cost() -> u32 {\n    3\n}\n").run();
    assert_eq!((run.canary, evidence(&run)), (Canary::NotAsked, Ok(())), "{}", run.output);
    assert_eq!(run.report.unwrap().load_failures.len(), 1);
}

fn node(production: &str, judged: &str) -> Option<Lab> {
    let lab = lab(RunnerKind::Node, "node --test", "test/ac_1.test.mjs");
    lab.write("test/ac_1.test.mjs", judged).write("shop.mjs", production);
    has("node", &["--test", "--help"]).then_some(lab)
}

const NODE: &str = "import test from 'node:test';\nimport assert from 'node:assert/strict';\nimport { price } from '../shop.mjs';\ntest('price', () => {\n  assert.deepEqual({ p: price() }, { p: 3 });\n});\n";

#[test]
fn node_carries_a_canary_that_does_what_the_judged_file_does() {
    left_to_the_night!();
    let honest = "export const price = () => 3;\n";
    let Some(lab) = node(honest, NODE) else { return };
    let run = lab.run();
    assert_eq!((run.canary, run.exit), (Canary::SeenFailing, Exit::Code(1)), "{}", run.output);
    assert_eq!(evidence(&run), Ok(()));
    assert_eq!(passed(&run), ["test/ac_1.test.mjs::price"]);
    assert!(run.output.contains("pass 1") && run.output.contains("fail 0"), "{}", run.output);
    // A file that only one process at a time may have: judged test and canary never run side by side.
    let port = format!(
        "{NODE}import fs from 'node:fs';\nconst lock = new URL('../lock', import.meta.url);\ntest.before(() => fs.closeSync(fs.openSync(lock, 'wx')));\ntest.after(() => fs.unlinkSync(lock));\n"
    );
    let run = node(honest, &port).unwrap().run();
    assert_eq!((run.canary, evidence(&run)), (Canary::SeenFailing, Ok(())), "{}", run.output);
    for (name, production, want) in [
        (
            "at import",
            "import assert from 'node:assert';\nassert.strict.deepEqual = () => {};\nexport const price = () => 2;\n",
            Canary::Passed,
        ),
        (
            "at a call",
            "import assert from 'node:assert';\nexport const price = () => { assert.strict.deepEqual = () => {}; return 2; };\n",
            Canary::Passed,
        ),
    ] {
        let run = node(production, NODE).unwrap().run();
        assert_eq!(run.canary, want, "{name}\n{}", run.output);
        assert!(evidence(&run).is_err(), "{name}");
    }
    // A file that leaves at once is no pass, with or without a canary.
    let run = node("process.exit(0);\nexport const price = () => 3;\n", NODE).unwrap().run();
    assert!(passed(&run).is_empty() && run.exit != Exit::Code(0), "{}", run.output);
}

/// A runner of JavaScript: its call, the head of a test file, and the extension of both files.
const JAVASCRIPT: &[(RunnerKind, &str, &str, &str)] = &[
    (
        RunnerKind::Vitest,
        "npx vitest run",
        "import { it, expect } from 'vitest';\nimport { price } from '../shop';\n",
        "test/ac_1.test.ts",
    ),
    (RunnerKind::Jest, "npx jest", "const { price } = require('../shop');\n", "test/ac_1.test.js"),
    (
        RunnerKind::Bun,
        "npx bun test",
        "import { it, expect } from 'bun:test';\nimport { price } from '../shop';\n",
        "test/ac_1.test.ts",
    ),
];

/// `production` is a module's text, in which `EXPORT` stands before what it exports.
fn javascript(kind: RunnerKind, production: &str, body: &str) -> Option<Lab> {
    let modules = super::sandbox::node_modules(kind.name())?;
    let (_, call, head, judged) = *JAVASCRIPT.iter().find(|row| row.0 == kind).unwrap();
    let lab = lab(kind, call, judged);
    std::os::unix::fs::symlink(modules, lab.project().join("node_modules")).unwrap();
    lab.write("package.json", "{\"name\":\"shop\",\"private\":true}\n");
    let (file, export) = if kind == RunnerKind::Jest {
        ("shop.js", "exports.price =")
    } else {
        ("shop.ts", "export const price =")
    };
    lab.write(file, &production.replace("EXPORT", export)).write(judged, &format!("{head}{body}"));
    Some(lab)
}

const PRICE: &str = "it('price', () => { expect(price()).toBe(3); });\n";

fn an_honest_green_carries_a_canary_that_nobody_sees(kind: RunnerKind) {
    let Some(mut lab) = javascript(kind, "EXPORT () => 3;\n", PRICE) else { return };
    let id = format!("{}::price", lab.judged);
    let call = lab.test.clone();
    for more in ["", " -t price", " test/ac_1"] {
        lab.test = format!("{call}{more}");
        let run = lab.run();
        assert_eq!((run.canary, run.exit), (Canary::SeenFailing, Exit::Code(1)), "{more}\n{}", run.output);
        assert_eq!(evidence(&run), Ok(()));
        assert_eq!(passed(&run), [id.as_str()]);
        assert_eq!(run.report.as_ref().unwrap().tests.len(), 1);
        assert!(run.output.contains("1 pass"), "{}", run.output);
        let shown = ["1 fail", "3 fail", "4 fail", "ac_1-q", "ac_1.q"];
        assert!(!shown.iter().any(|word| run.output.contains(word)), "{}", run.output);
    }
    lab.test = call;
    let canary = CanaryWish::Beside(vec![RelPath::new(lab.judged).unwrap()]);
    let only_ids = vec![tdd_core::test::TestId(id.clone())];
    let run = lab.order(&TestOrder { only_ids, canary: canary.clone(), ..TestOrder::default() });
    assert_eq!((run.canary, evidence(&run)), (Canary::SeenFailing, Ok(())), "{}", run.output);
    assert_eq!(passed(&run), [id.as_str()]);
    // Other files take part or not, as they would without it.
    let other = lab.judged.replace("ac_1", "ac_2");
    lab.write(&other, "throw new Error('too early');\n");
    let without = Without::files(vec![RelPath::new(&other).unwrap()]);
    let run = lab.order(&TestOrder { without, canary, ..TestOrder::default() });
    assert_eq!((run.canary, evidence(&run)), (Canary::SeenFailing, Ok(())), "{}", run.output);
    assert_eq!(passed(&run), [id.as_str()]);
    let run = lab.run();
    assert_eq!((run.canary, evidence(&run)), (Canary::SeenFailing, Ok(())), "{}", run.output);
    assert_eq!(run.report.unwrap().load_failures.len(), 1);
}

#[test]
fn an_honest_green_of_vitest_carries_a_canary_that_nobody_sees() {
    left_to_the_night!();
    an_honest_green_carries_a_canary_that_nobody_sees(RunnerKind::Vitest);
}

#[test]
fn an_honest_green_of_jest_carries_a_canary_that_nobody_sees() {
    left_to_the_night!();
    an_honest_green_carries_a_canary_that_nobody_sees(RunnerKind::Jest);
}

#[test]
fn an_honest_green_of_bun_carries_a_canary_that_nobody_sees() {
    an_honest_green_carries_a_canary_that_nobody_sees(RunnerKind::Bun);
}

const EXTEND: &str = "expect.extend({ toBe: () => ({ pass: true, message: () => '' }) });";

fn matchers_are_not_patched_unseen(kind: RunnerKind) {
    let import = match kind {
        RunnerKind::Vitest => "import { expect } from 'vitest';\n",
        RunnerKind::Bun => "import { expect } from 'bun:test';\n",
        _ => "",
    };
    let prototype = "Object.getPrototypeOf(expect(1)).toBe = () => {};";
    let mut attacks = vec![
        ("extend at import", format!("{import}{EXTEND}\nEXPORT () => 2;\n")),
        ("extend at a call", format!("{import}EXPORT () => {{ {EXTEND} return 2; }};\n")),
    ];
    if kind == RunnerKind::Bun {
        attacks.push(("prototype", format!("{import}{prototype}\nEXPORT () => 2;\n")));
    }
    for (name, production) in attacks {
        let Some(lab) = javascript(kind, &production, PRICE) else { return };
        let run = lab.run();
        assert_eq!(passed(&run).len(), 1, "{name}: the attack is none\n{}", run.output);
        assert_eq!(run.canary, Canary::Passed, "{name}\n{}", run.output);
        assert!(evidence(&run).is_err(), "{name}");
    }
    // An honest red is told as it is, and what does not load needs no canary.
    let run = javascript(kind, "EXPORT () => 2;\n", PRICE).unwrap().run();
    assert_eq!((run.canary, evidence(&run)), (Canary::SeenFailing, Ok(())), "{}", run.output);
    assert!(passed(&run).is_empty() && run.output.contains("1 fail"), "{}", run.output);
    let run = javascript(kind, "EXPORT (;\n", PRICE).unwrap().run();
    assert_eq!((run.canary, evidence(&run)), (Canary::NotAsked, Ok(())), "{}", run.output);
    assert_eq!(run.report.unwrap().load_failures.len(), 1);
}

#[test]
fn matchers_of_vitest_are_not_patched_unseen() {
    left_to_the_night!();
    matchers_are_not_patched_unseen(RunnerKind::Vitest);
}

#[test]
fn matchers_of_jest_are_not_patched_unseen() {
    left_to_the_night!();
    matchers_are_not_patched_unseen(RunnerKind::Jest);
}

#[test]
fn matchers_of_bun_are_not_patched_unseen() {
    matchers_are_not_patched_unseen(RunnerKind::Bun);
}

#[test]
fn a_forged_compiled_file_is_not_run() {
    let Some(lab) = pytest("def price():\n    return 2\n") else { return };
    // The same size and the same time as the source, which a plain run believes.
    let forge = "import importlib.util, os, py_compile\ns = os.stat('shop.py')\nopen('forged.py', 'w').write('def price():\\n    return 3\\n')\nos.utime('forged.py', ns=(s.st_atime_ns, s.st_mtime_ns))\nos.makedirs('__pycache__', exist_ok=True)\npy_compile.compile('forged.py', cfile=importlib.util.cache_from_source('shop.py'))\nos.remove('forged.py')\nimport shop\nassert shop.price() == 3, 'the forgery is none'\n";
    let mut python = Command::new("python3");
    python.args(["-c", forge]).current_dir(lab.project()).env_remove("PYTHONDONTWRITEBYTECODE");
    assert!(python.env_remove("PYTHONPYCACHEPREFIX").status().unwrap().success());
    let run = lab.run();
    assert!(passed(&run).is_empty(), "{}", run.output);
    assert_eq!(evidence(&run), Ok(()));
}

/// Python's own library need not be compiled anew before any role came; the project, and what it starts, is.
#[test]
fn the_first_run_reads_what_the_persons_runs_have_compiled_of_the_library_alone() {
    let seen = "import os, sys\nfrom unittest import TestCase, case\nimport shop\n\nclass Seen(TestCase):\n    def test_price(self):\n        private = sys.pycache_prefix\n        self.assertEqual(os.environ['PYTHONPYCACHEPREFIX'], private)\n        self.assertTrue(shop.__cached__.startswith(private))\n        self.assertFalse(case.__cached__.startswith(private))\n";
    for (kind, test) in [
        (RunnerKind::Unittest, "python3 -m unittest discover -s tests -t ."),
        (RunnerKind::Pytest, "python3 -m pytest -q"),
    ] {
        let Some(mut lab) = pytest("def price():\n    return 3\n") else { return };
        lab.kind = kind;
        test.clone_into(&mut lab.test);
        lab.write("tests/__init__.py", "").write("tests/test_ac_1.py", seen);
        let run = lab.order(&TestOrder::default());
        assert_eq!(passed(&run).len(), 1, "{kind:?}: {}", run.output);
    }
}

#[test]
fn what_a_test_starts_and_leaves_is_named_and_gone_before_the_next_run() {
    let Some(lab) = pytest("def price():\n    return 3\n") else { return };
    let daemon = "import os, subprocess, sys, tempfile\nSERVE = 'import socket, sys, time; s = socket.socket(); s.bind((\"127.0.0.1\", 0)); s.listen(); open(sys.argv[1], \"w\").write(str(s.getsockname()[1])); time.sleep(600)'\ndef test_price():\n    told = os.path.join(os.path.dirname(__file__), 'port.txt')\n    subprocess.Popen([sys.executable, '-c', SERVE, told], start_new_session=True)\n    while not (os.path.exists(told) and open(told).read()):\n        pass\n    open(os.path.join(tempfile.gettempdir(), 'left'), 'w').close()\n    open(told + '.tmp', 'w').write(tempfile.gettempdir())\n";
    lab.write("tests/test_ac_1.py", daemon);
    let (run, leaked) = lab.order_and_leaked(&TestOrder::default());
    assert_eq!(passed(&run).len(), 1, "{}", run.output);
    assert!(leaked.iter().any(|one| one.command.contains("import socket")), "{leaked:?}");
    assert!(leaked.iter().all(|one| one.pid > 1 && one.command.chars().count() <= 201), "{leaked:?}");
    let read = |name: &str| std::fs::read_to_string(lab.project().join("tests").join(name)).unwrap();
    let port: u16 = read("port.txt").parse().unwrap();
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err(), "it still listens");
    assert!(!Path::new(&read("port.txt.tmp")).exists(), "its temporary files are there");
}
