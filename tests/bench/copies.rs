//! What copies of the judged tests cost: a verifying run of 500 tests in 3 s whose judged tests have
//! expectations to change, over one whose judged tests have none and carry the plain canary alone.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tdd_core::commands::{ProjectCommands, RunnerKind};
use tdd_core::path::RelPath;
use tdd_core::ports::{CanaryWish, TestOrder, Tests};
use tdd_core::test::TestRun;
use tdd_runners::runner::{ProjectTests, RunnerSetup};
use tokio::sync::watch;

use super::table::{Figure, Row, median};

const TESTS: usize = 500;
const FILES: usize = 10;
const REPEATS: usize = 5;

/// A project in one runner: how its tests are written, and the bound.
struct Kind {
    name: &'static str,
    runner: RunnerKind,
    test: &'static str,
    /// Files besides tests.
    files: &'static [(&'static str, &'static str)],
    /// The path of the test file of this name.
    path: fn(&str) -> String,
    /// A file of so many tests; the judged one has expectations that can be changed, or none.
    text: fn(&str, usize, Expects) -> String,
    bound: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expects {
    Literals,
    Nothing,
}

const KINDS: &[Kind] = &[
    Kind {
        name: "pytest",
        runner: RunnerKind::Pytest,
        test: "python3 -m pytest -q",
        files: &[(
            "shop.py",
            "import time\ndef price():\n    time.sleep(0.006)\n    return 3\ndef check():\n    price()\n",
        )],
        path: |name| format!("tests/test_{name}.py"),
        text: |_, count, expects| {
            let body = if expects == Expects::Literals { "assert shop.price() == 3" } else { "shop.check()" };
            let one = |at| format!("def test_{at}():\n    {body}\n\n");
            format!("import shop\n\n{}", (0..count).map(one).collect::<String>())
        },
        bound: 1.15,
    },
    Kind {
        name: "unittest",
        runner: RunnerKind::Unittest,
        test: "python3 -m unittest discover -s tests -t .",
        files: &[
            (
                "shop.py",
                "import time\ndef price():\n    time.sleep(0.006)\n    return 3\ndef check():\n    price()\n",
            ),
            ("tests/__init__.py", ""),
        ],
        path: |name| format!("tests/test_{name}.py"),
        text: |_, count, expects| {
            let body = if expects == Expects::Literals {
                "self.assertEqual(shop.price(), 3)"
            } else {
                "shop.check()"
            };
            let one = |at| format!("    def test_{at}(self):\n        {body}\n\n");
            format!(
                "import unittest\nimport shop\n\nclass A(unittest.TestCase):\n{}",
                (0..count).map(one).collect::<String>()
            )
        },
        bound: 1.15,
    },
    Kind {
        name: "node",
        runner: RunnerKind::Node,
        test: "node --test",
        files: &[("package.json", "{ \"name\": \"x\", \"type\": \"module\" }\n"), ("shop.js", NODE_SHOP)],
        path: |name| format!("test/{name}.test.js"),
        text: |_, count, expects| {
            let head = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';";
            script(head, count, (expects, "assert.equal(price(), 3);"))
        },
        bound: 1.15,
    },
    Kind {
        name: "go",
        runner: RunnerKind::Go,
        test: "go test ./...",
        files: &[
            ("go.mod", "module example.com/shop\n\ngo 1.18\n"),
            (
                "shop.go",
                "package shop\n\nimport \"time\"\n\nfunc Price() int { time.Sleep(6 * time.Millisecond); return 3 }\n\nfunc Check() { Price() }\n",
            ),
        ],
        path: |name| format!("{name}_test.go"),
        text: |name, count, expects| {
            let body = if expects == Expects::Literals {
                "if Price() != 3 {\n\t\tt.Fatal(1)\n\t}"
            } else {
                "Check()"
            };
            let one = |at| format!("func Test{name}{at}(t *testing.T) {{\n\t{body}\n}}\n\n");
            format!("package shop\n\nimport \"testing\"\n\n{}", (0..count).map(one).collect::<String>())
        },
        bound: 1.5,
    },
    Kind {
        name: "vitest",
        runner: RunnerKind::Vitest,
        test: "vitest run",
        files: &[("package.json", "{ \"name\": \"x\", \"type\": \"module\" }\n"), ("shop.js", NODE_SHOP)],
        path: |name| format!("test/{name}.test.js"),
        text: |_, count, expects| {
            script("import { expect, test } from 'vitest';", count, (expects, "expect(price()).toBe(3);"))
        },
        bound: 1.15,
    },
    Kind {
        name: "cargo",
        runner: RunnerKind::Cargo,
        test: "cargo test --offline",
        files: &[
            (".gitignore", "/target\n"),
            ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n"),
            (
                "src/lib.rs",
                "pub fn price() -> u8 {\n    std::thread::sleep(std::time::Duration::from_millis(6));\n    3\n}\n\npub fn check() {\n    price();\n}\n",
            ),
        ],
        path: |name| format!("tests/{}.rs", name.to_lowercase()),
        text: |_, count, expects| {
            let body =
                if expects == Expects::Literals { "assert_eq!(shop::price(), 3);" } else { "shop::check();" };
            let one = |at| format!("#[test]\nfn a_{at}() {{\n    {body}\n}}\n\n");
            (0..count).map(one).collect::<String>()
        },
        bound: 1.5,
    },
];

/// Where packages of JavaScript lie.
const MODULES: &str = "TDD_TEST_NODE_MODULES";

const NODE_SHOP: &str = "export const price = () => { const end = Date.now() + 6; while (Date.now() < end); return 3; };\nexport const check = () => { price(); };\n";

/// A file of so many tests in JavaScript.
fn script(head: &str, count: usize, (expects, expectation): (Expects, &str)) -> String {
    let body = if expects == Expects::Literals { expectation } else { "check();" };
    let one = |at| format!("test('a {at}', () => {{ {body} }});\n");
    let tests = (0..count).map(one).collect::<String>();
    format!("{head}\nimport {{ price, check }} from '../shop.js';\n{tests}")
}

pub fn measure() -> Vec<Row> {
    KINDS.iter().filter(|kind| is_there(kind)).map(row).collect()
}

fn is_there(kind: &Kind) -> bool {
    if kind.runner == RunnerKind::Vitest {
        return std::env::var_os(MODULES).is_some();
    }
    let program = kind.test.split(' ').next().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn row(kind: &Kind) -> Row {
    let root = tempfile::tempdir().unwrap();
    let judged = |expects| {
        let name = if expects == Expects::Literals { "Judged" } else { "Plain" };
        RelPath::new(&(kind.path)(name)).unwrap()
    };
    let mut labs: Vec<(Expects, ProjectTests, Vec<Duration>)> = Vec::new();
    for expects in [Expects::Literals, Expects::Nothing] {
        let folder = root.path().join(if expects == Expects::Literals { "a" } else { "b" });
        let project = folder.join("repo");
        fill(kind, &project, &judged(expects), expects);
        labs.push((expects, tests(kind, &project, folder.join("work")), Vec::new()));
    }
    let mut seen = 0;
    // The first of each fills caches.
    for at in 0..=REPEATS {
        for (expects, tests, times) in &mut labs {
            let began = Instant::now();
            let run = run(tests, judged(*expects));
            let took = began.elapsed();
            let report = run.report.unwrap_or_else(|| panic!("{:?}\n{}", run.unreadable, run.output));
            assert_eq!(report.tests.len(), TESTS, "{}", run.output);
            assert!(run.copies.toothless.is_empty(), "{:?}", run.copies);
            seen += if *expects == Expects::Literals { run.copies.seen } else { 0 };
            if at > 0 {
                times.push(took);
            }
        }
    }
    assert!(seen > 0, "no copy was seen failing");
    let mut medians = labs.into_iter().map(|(_, _, times)| median(times));
    let (with, without) = (medians.next().unwrap(), medians.next().unwrap());
    Row {
        what: format!("copies: verifying run with over without; {}", kind.name),
        figure: Figure::Growth { measured: with.as_secs_f64() / without.as_secs_f64(), bound: kind.bound },
        note: format!(
            "{TESTS} tests, median of {REPEATS}: {:.2} s over {:.2} s",
            with.as_secs_f64(),
            without.as_secs_f64()
        ),
    }
}

fn fill(kind: &Kind, project: &Path, judged: &RelPath, expects: Expects) {
    let write = |path: &str, text: &str| {
        let path = project.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    kind.files.iter().for_each(|(path, text)| write(path, text));
    if kind.runner == RunnerKind::Vitest {
        let modules = std::env::var_os(MODULES).unwrap();
        std::os::unix::fs::symlink(modules, project.join("node_modules")).unwrap();
    }
    let each = TESTS / FILES;
    for at in 1..FILES {
        let name = format!("Other{at}");
        write(&(kind.path)(&name), &(kind.text)(&name, each, Expects::Literals));
    }
    // Of a criterion there are few tests.
    write(judged.as_str(), &(kind.text)("Judged", 3, expects));
    write(&(kind.path)("Rest"), &(kind.text)("Rest", each - 3, Expects::Literals));
}

fn tests(kind: &Kind, project: &Path, work: PathBuf) -> ProjectTests {
    tdd_child::exec::use_shim(PathBuf::from(env!("CARGO_BIN_EXE_tdd")));
    let (sender, stop) = watch::channel(None);
    std::mem::forget(sender);
    let own = |text: &str| text.to_owned();
    let commands = ProjectCommands {
        test: own(kind.test),
        test_source: own("a benchmark"),
        gate: own("true"),
        gate_source: own("a benchmark"),
        runner: kind.runner,
    };
    ProjectTests::new(RunnerSetup {
        repository: project.to_owned(),
        project: project.to_owned(),
        commands,
        table: None,
        work,
        deadline: Some(Duration::from_mins(5)),
        output_cap: 1 << 30,
        stop,
    })
    .unwrap()
}

fn run(tests: &mut ProjectTests, judged: RelPath) -> TestRun {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let canary = CanaryWish::Beside(vec![judged]);
    let order = TestOrder { label: "GREEN".to_owned(), canary, ..TestOrder::default() };
    runtime.block_on(tests.run(&order, &mut |_| {})).unwrap()
}
