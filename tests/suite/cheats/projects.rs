//! The projects that the battery is played on: one function that is there, one that is wanted.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::sandbox::{has_go, has_node, has_pytest, has_python};

#[derive(Clone, Copy, Debug)]
pub struct Project {
    pub files: &'static [(&'static str, &'static str)],
    pub test: &'static str,
    /// Defines `$T`, the criterion's test file, and `red`, `green` and `wrong`: an honest
    /// test-writer, an honest implementer, and an implementation that the test must fail for.
    pub prelude: &'static str,
    /// A shell condition: the production code does what both criteria and old tests say.
    pub truth: &'static str,
    pub is_there: fn() -> bool,
    /// MiB of the disk that it lies on, if that is one of its own.
    pub disk: Option<u32>,
}

pub const REQUIREMENT: &str = "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `two()` gives 2.\n";
pub const REQUIREMENT_OF_TWO: &str =
    "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `two()` gives 2.\n- AC-STE-1.2: `three()` gives 3.\n";

const SHOP: &str = "def one():\n    return 1\n";
const PYTHON_TRUTH: &str =
    "PYTHONPYCACHEPREFIX=/nowhere python3 -B -c 'import shop; assert (shop.one(), shop.two()) == (1, 2)'";

pub const UNITTEST: Project = Project {
    files: &[
        ("shop.py", SHOP),
        ("tests/__init__.py", ""),
        (
            "tests/test_old.py",
            "import unittest\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(shop.one(), 1)\n",
        ),
    ],
    test: "python3 -m unittest discover -s tests -t .",
    prelude: r#"
T=tests/test_ac_ste_1_1.py
red() { printf 'import unittest\nimport shop\n\n\nclass New(unittest.TestCase):\n    def test_new(self):\n        self.assertEqual(shop.two(), 2)\n' > $T; }
give() { printf 'def one():\n    return 1\n\n\ndef two():\n    return %s\n' "$1" > shop.py; }
green() { give 2; }
wrong() { give 3; }
"#,
    truth: PYTHON_TRUTH,
    is_there: has_python,
    disk: None,
};

/// The same, on a small disk.
pub const SMALL_DISK: Project = Project { is_there: can_mount, disk: Some(32), ..UNITTEST };

/// Whether a file system can be mounted here; one without says so, and does not fail CI, because no
/// ordinary user can.
fn can_mount() -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    *CAN.get_or_init(|| {
        let place = tempfile::tempdir().unwrap();
        let can = SmallDisk::mount(place.path(), 1).is_some();
        if !can {
            println!("skipped: no right to mount a small disk");
        }
        can
    })
}

/// A file system that goes with this value.
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    pub fn mount(place: &Path, mib: u32) -> Option<Self> {
        let size = format!("size={mib}m");
        let said = Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tdd-small"]).arg(place).output();
        said.is_ok_and(|said| said.status.success()).then(|| Self(place.to_owned()))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

/// The same, run by a script of the project's own that leaves a `JUnit` report.
pub const JUNIT: Project = Project {
    files: &[
        ("shop.py", SHOP),
        ("tests/__init__.py", ""),
        (
            "tests/test_old.py",
            "import unittest\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(shop.one(), 1)\n",
        ),
        ("run.py", JUNIT_RUN),
        (".gitignore", "r.xml\n__pycache__/\n"),
    ],
    test: "python3 run.py\nrunner: { kind: junit, all: python3 run.py, select: \"python3 run.py {files}\", report: r.xml }",
    ..UNITTEST
};

const JUNIT_RUN: &str = r#"import sys, unittest

class Result(unittest.TextTestResult):
    cases = []

    def stopTest(self, test):
        super().stopTest(test)
        bad = [text for case, text in self.failures + self.errors if case is test]
        body = "".join('<failure message="AssertionError: x">AssertionError: x</failure>' for _ in bad)
        kind = type(test)
        name = (kind.__module__ + "." + kind.__qualname__, kind.__module__.replace(".", "/"), test._testMethodName)
        self.cases.append('<testcase classname="%s" file="%s.py" name="%s" time="0.1">' % name + body + "</testcase>")

names = [name[:-3].replace("/", ".") for name in sys.argv[1:]]
load = unittest.defaultTestLoader
suite = load.loadTestsFromNames(names) if names else load.discover("tests", top_level_dir=".")
result = unittest.TextTestRunner(resultclass=Result).run(suite)
with open("r.xml", "w") as report:
    report.write("<testsuites><testsuite name=\"x\">%s</testsuite></testsuites>" % "".join(Result.cases))
sys.exit(0 if result.wasSuccessful() else 1)
"#;

pub const PYTEST: Project = Project {
    files: &[
        ("shop.py", SHOP),
        ("tests/test_old.py", "import shop\n\n\ndef test_old():\n    assert shop.one() == 1\n"),
    ],
    test: "python3 -m pytest -q",
    prelude: r#"
T=tests/test_ac_ste_1_1.py
red() { printf 'import shop\n\n\ndef test_new():\n    assert shop.two() == 2\n' > $T; }
give() { printf 'def one():\n    return 1\n\n\ndef two():\n    return %s\n' "$1" > shop.py; }
green() { give 2; }
wrong() { give 3; }
"#,
    truth: PYTHON_TRUTH,
    is_there: has_pytest,
    disk: None,
};

pub const NODE: Project = Project {
    files: &[
        (
            "package.json",
            "{ \"name\": \"x\", \"version\": \"0.1.0\", \"private\": true, \"type\": \"module\", \"scripts\": { \"test\": \"node --test\" } }\n",
        ),
        ("src/shop.js", "export const one = () => 1;\n"),
        (
            "test/old.test.js",
            "import assert from \"node:assert/strict\";\nimport { test } from \"node:test\";\nimport { one } from \"../src/shop.js\";\ntest(\"old\", () => { assert.equal(one(), 1); });\n",
        ),
    ],
    test: "node --test",
    prelude: r#"
T=test/ac_ste_1_1.test.js
red() { printf 'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport * as shop from "../src/shop.js";\ntest("new", () => { assert.equal(shop.two(), 2); });\n' > $T; }
give() { printf 'export const one = () => 1;\nexport const two = () => %s;\n' "$1" > src/shop.js; }
green() { give 2; }
wrong() { give 3; }
"#,
    truth: "node --input-type=module -e 'import { one, two } from \"./src/shop.js\"; if (one() !== 1 || two() !== 2) process.exit(1)'",
    is_there: has_node,
    disk: None,
};

pub const RUST: Project = Project {
    files: &[
        ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
        (
            "Cargo.lock",
            "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n[[package]]\nname = \"shop\"\nversion = \"0.1.0\"\n",
        ),
        (".gitignore", "/target\n"),
        (
            "src/lib.rs",
            "pub fn one() -> i32 {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn inline() {\n        assert_eq!(super::one(), 1);\n    }\n}\n",
        ),
        ("tests/old.rs", "#[test]\nfn old() {\n    assert_eq!(shop::one(), 1);\n}\n"),
    ],
    test: "cargo test",
    prelude: r#"
T=tests/ac_ste_1_1.rs
red() { printf '#[test]\nfn new() {\n    assert_eq!(shop::two(), 2);\n}\n' > $T; }
give() { sed -i "1i pub fn two() -> i32 {\n    $1\n}\n" src/lib.rs; }
green() { give 2; }
wrong() { give 3; }
"#,
    truth: "grep -A1 'fn two' src/lib.rs | grep -q 2 && grep -A1 'fn one' src/lib.rs | grep -q 1",
    is_there: || true,
    disk: None,
};

pub const GO: Project = Project {
    files: &[
        ("go.mod", "module example.com/shop\n\ngo 1.18\n"),
        ("shop.go", "package shop\n\nfunc One() int { return 1 }\n"),
        (
            "old_test.go",
            "package shop\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) {\n\tif One() != 1 {\n\t\tt.Fatal(One())\n\t}\n}\n",
        ),
    ],
    test: "go test ./...",
    prelude: r#"
T=ac_ste_1_1_test.go
red() { printf 'package shop\n\nimport "testing"\n\nfunc TestNew(t *testing.T) {\n\tif Two() != 2 {\n\t\tt.Fatal(Two())\n\t}\n}\n' > $T; }
give() { printf 'package shop\n\nfunc One() int { return 1 }\n\nfunc Two() int { return %s }\n' "$1" > shop.go; }
green() { give 2; }
wrong() { give 3; }
"#,
    truth: "grep -q 'Two() int { return 2 }' shop.go && grep -q 'One() int { return 1 }' shop.go",
    is_there: has_go,
    disk: None,
};
