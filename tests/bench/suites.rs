//! How often a run makes the whole suite run: three criteria, and a gate that is the test command.

use super::project::{NEXT_FUNCTION, Project, whole_runs_in};
use super::table::{Figure, Row};

const CRITERIA: usize = 3;

/// The baseline, RED, a GREEN of each criterion, REFACTOR if it changed anything, and the checkout of the proof.
const BOUND: usize = 1 + 1 + CRITERIA + 1 + 1;

const FILES: &[(&str, &str)] = &[
    ("shop.py", "def zero():\n    return 0\n"),
    ("tests/__init__.py", ""),
    (
        "tests/test_old.py",
        "import unittest\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(shop.zero(), 0)\n",
    ),
];
const RED: &str = "for n in 1 2 3; do printf 'import unittest\\nimport shop\\n\\n\\nclass New(unittest.TestCase):\\n    def test_new(self):\\n        self.assertEqual(shop.f%s(), %s)\\n' $n $n > tests/test_ac_b_1_$n.py; done";

pub fn measure() -> Vec<Row> {
    let mut rows = Vec::new();
    for (what, does, bound) in [
        ("the refactorer changes nothing", ":", BOUND - 1),
        ("it changes something", "echo '# The shop.' >> shop.py", BOUND),
    ] {
        let project = Project::scripted(CRITERIA, "python3 -m unittest discover -s tests -t .", FILES);
        let cassette = project.cassette(RED, NEXT_FUNCTION, does);
        let (_, said) = project.processor_time(&[
            env!("CARGO_BIN_EXE_tdd"),
            "B-1",
            "--cassette",
            &cassette.to_string_lossy(),
        ]);
        rows.push(row(&format!("unittest; {what}"), bound, &said));
    }
    // Its command may run whatever it likes beside the files that it is given, so that each criterion's
    // tests are looked at by a run of their own.
    let project = Project::new(CRITERIA, 20);
    let output = project.tdd_aloud().output().unwrap();
    let said =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "tdd: {said}");
    rows.push(row("a script with a JUnit report", BOUND, &said));
    rows
}

fn row(what: &str, bound: usize, said: &str) -> Row {
    let (measured, line) = whole_runs_in(said);
    Row {
        what: format!("{CRITERIA} criteria: whole runs; {what}"),
        figure: Figure::Count { measured, bound },
        note: line,
    }
}
