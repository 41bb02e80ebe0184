//! A feature that needs a file by which tools are set up says so in its requirement.

use super::sandbox::{Ran, Sandbox, has_python};

const OLD: &str = "import unittest\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(shop.one(), 1)\n";
const NEW: &str = "import unittest\nimport shop\n\n\nclass New(unittest.TestCase):\n    def test_two(self):\n        self.assertEqual(shop.two(), 2)\n";
const WORK: &str = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";

/// An implementer that writes these files besides its code, for a requirement with this front matter.
fn run(header: &str, files: &[&str], level: &str) -> (Sandbox, Ran) {
    let requirement = format!("{header}# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: two() is 2.\n");
    let sandbox = Sandbox::with(&[
        (".gitignore", "__pycache__/\n"),
        ("shop.py", "def one():\n    return 1\n"),
        ("tests/__init__.py", ""),
        ("tests/test_old.py", OLD),
        ("setup.cfg", "[metadata]\nname = shop\n"),
        ("tdd.yaml", "test: python3 -m unittest -q\nbudgets: { semantic: 1, format: 0 }\n"),
        ("specs/frs/STE-1.md", &requirement),
    ]);
    let mut written = serde_json::json!({ "shop.py": WORK });
    for file in files {
        written[*file] = "[mypy]\nstrict = true\n".into();
    }
    let names: Vec<&String> = written.as_object().unwrap().keys().collect();
    let calls = serde_json::json!([
        { "role": "test-writer", "write": { "tests/test_ac_ste_1_1.py": NEW },
          "say": { "status": "ok", "files": ["tests/test_ac_ste_1_1.py"] } },
        { "role": "implementer", "write": written, "say": { "status": "ok", "files": names } },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    let cassette = sandbox.beside("cassette.json");
    std::fs::write(&cassette, calls.to_string()).unwrap();
    let cassette = cassette.to_str().unwrap();
    let words = ["STE-1", "--agent", "scripted", "--no-review", "--sandbox", level, "--cassette", cassette];
    let ran = sandbox.tdd(&words);
    (sandbox, ran)
}

#[test]
fn ac_tdd_8_49_what_a_requirement_allows_is_written_and_told_and_nothing_else_is() {
    if !has_python() {
        return;
    }
    let allowing = "---\nid: STE-1\nallow_config: [mypy.ini, setup.cfg]\n---\n\n";
    for level in ["audit", "auto"] {
        let (sandbox, ran) = run(allowing, &["mypy.ini", "setup.cfg"], level);
        let told =
            "its roles change what decides how tests or the gate run, and they did: mypy.ini, setup.cfg";
        ran.expect(0).says_on_stdout(&[told]);
        assert!(sandbox.read("mypy.ini").contains("strict"));
        for (header, files) in [("", &["mypy.ini"][..]), (allowing, &["mypy.ini", ".flake8"])] {
            run(header, files, level).1.expect(1).says_on_stdout(&[files[files.len() - 1]]);
        }
    }
    let (_, ran) = run(allowing, &[], "audit");
    assert!(!ran.expect(0).stdout.contains("lets its roles"), "nothing of it was written");
}

#[test]
fn ac_tdd_8_49_what_judges_the_run_itself_can_t_be_allowed() {
    if !has_python() {
        return;
    }
    for (path, why) in [
        ("tdd.yaml", "says how this run is judged"),
        ("specs/frs/STE-1.md", "says how this run is judged"),
        (".tdd/skills/x/SKILL.md", "says how this run is judged"),
        ("../mypy.ini", "is no file of the project"),
        ("/etc/passwd", "is no file of the project"),
        ("*.ini", "a pattern would let in"),
    ] {
        let header = format!("---\nid: STE-1\nallow_config: [\"{path}\"]\n---\n\n");
        run(&header, &[], "audit").1.expect(2).says(&["can't be run", "allow_config", why, "for example"]);
    }
}
