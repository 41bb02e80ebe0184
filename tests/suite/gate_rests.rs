//! A gate that is green by a file of the change which no table knows, and no test needs, is told.

use super::sandbox::{Ran, Sandbox, has_python};

/// A linter that nobody knows: it refuses the word `hack`, unless its settings allow it.
const LINT: &str = "import glob, json, os, sys\n\
                    allowed = json.load(open('.oddlint')) if os.path.exists('.oddlint') else []\n\
                    bad = [f for f in glob.glob('*.py') if 'hack' in open(f).read() and 'hack' not in allowed]\n\
                    sys.exit(1 if bad else 0)\n";
const OLD: &str = "import unittest\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(shop.one(), 1)\n";
const NEW: &str = "import unittest\nimport shop\n\n\nclass New(unittest.TestCase):\n    def test_two(self):\n        self.assertEqual(shop.two(), 2)\n";

/// A repository with a tested `one()`, whose requirement asks for `two()`.
pub fn shop(more: &[(&str, &str)]) -> Sandbox {
    let files = [
        (".gitignore", "__pycache__/\n"),
        ("shop.py", "def one():\n    return 1\n"),
        ("tests/__init__.py", ""),
        ("tests/test_old.py", OLD),
    ];
    Sandbox::with(&[&files, more].concat())
}

/// A run whose implementer writes these files.
pub fn run_of(sandbox: &Sandbox, written: &[(&str, &str)], words: &[&str]) -> Ran {
    let names: Vec<&str> = written.iter().map(|(name, _)| *name).collect();
    let written: serde_json::Map<String, serde_json::Value> =
        written.iter().map(|(name, text)| ((*name).to_owned(), (*text).into())).collect();
    let calls = serde_json::json!([
        { "role": "test-writer", "write": { "tests/test_ac_ste_1_1.py": NEW },
          "say": { "status": "ok", "files": ["tests/test_ac_ste_1_1.py"] } },
        { "role": "implementer", "write": written, "say": { "status": "ok", "files": names } },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    let cassette = sandbox.beside("cassette.json");
    std::fs::write(&cassette, calls.to_string()).unwrap();
    let fixed = ["STE-1", "--agent", "scripted", "--no-review", "--cassette", cassette.to_str().unwrap()];
    sandbox.tdd(&[&fixed, words].concat())
}

fn run(files: &[(&str, &str)]) -> Ran {
    let sandbox = shop(&[
        ("lint/odd.py", LINT),
        (
            "tdd.yaml",
            "test: python3 -m unittest -q\ngate: python3 lint/odd.py && python3 -m unittest -q\nproof: full\n",
        ),
        ("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: two() is 2.\n"),
    ]);
    run_of(&sandbox, files, &["--proof", "full"])
}

pub const PLAIN: &str = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";
const HACK: &str = "def one():\n    return 1\n\n\ndef two():  # hack\n    return 2\n";
const READS: &str = "import json\n\n\ndef one():\n    return 1\n\n\ndef two():  # hack\n    return json.load(open('.oddlint'))[1]\n";

#[test]
fn ac_tdd_8_48_a_file_that_the_gate_alone_is_green_by_is_told() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for (files, want) in [
        (
            &[("shop.py", HACK), (".oddlint", "[\"hack\"]")][..],
            Some("only with .oddlint, which no test needs"),
        ),
        (
            &[("shop.py", HACK), (".oddlint", "[\"hack\"]"), ("data.bin", "x")],
            Some("only with .oddlint, which no test needs"),
        ),
        // Twins: nothing rests on it; the code reads it.
        (&[("shop.py", PLAIN), (".oddlint", "[\"hack\"]"), ("data.bin", "x")], None),
        (&[("shop.py", READS), (".oddlint", "[\"hack\", 2]")], None),
        (&[("shop.py", PLAIN)], None),
    ] {
        let ran = run(files).expect(0);
        match want {
            Some(want) => drop(ran.says_on_stdout(&[want])),
            None => assert!(!ran.stdout.contains("the gate is green only"), "{}", ran.stdout),
        }
    }
}

#[test]
fn ac_tdd_8_170_a_criterion_that_the_gate_judges_with_nothing_changed_for_it_is_told() {
    if !has_python() {
        return;
    }
    let of_the_gate = "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: `shop.two()` gives 2.\n- AC-STE-1.2: the linter is content.\n  - verify: gate\n";
    let gate = "test: python3 -m unittest discover -s tests -t .\ngate: python3 tools/lint.py\nbudgets: { semantic: 1, format: 0 }\n";
    let told = "look at: nothing was changed for AC-STE-1.2, which the gate judges";
    let two = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";
    let play = |code: &[(&str, &str)], is_changed: bool| {
        let sandbox =
            shop(&[("tools/lint.py", LINT), ("tdd.yaml", gate), ("specs/frs/STE-1.md", of_the_gate)]);
        sandbox.commit();
        let written: serde_json::Map<String, serde_json::Value> =
            code.iter().map(|(name, text)| ((*name).to_owned(), (*text).into())).collect();
        let again =
            if is_changed { serde_json::json!({ "more.py": "X = 1\n" }) } else { serde_json::json!({}) };
        let calls = serde_json::json!([
            { "role": "test-writer", "write": { "tests/test_ac_ste_1_1.py": NEW },
              "say": { "status": "ok", "files": ["tests/test_ac_ste_1_1.py"] } },
            { "role": "implementer", "criterion": "AC-STE-1.1", "write": written,
              "say": { "status": "ok", "files": ["shop.py"] } },
            { "role": "implementer", "criterion": "AC-STE-1.2", "write": again,
              "say": { "status": "ok", "files": [] } },
            { "role": "refactorer", "say": { "status": "ok", "files": [] } },
        ]);
        sandbox.scripted(&calls, &["--proof", "off"]).expect(0)
    };
    play(&[("shop.py", two)], false).says_on_stdout(&[told]);
    left_to_the_night!();
    let ran = play(&[("shop.py", two)], true);
    assert!(!ran.stdout.contains(told), "{}", ran.stdout);
}
