//! Honest work in a run that holds tests out: it passes, whatever the suite and the gate ask for.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use super::super::sandbox::{Ran, Sandbox, has_node, has_python};
use super::{DOUBLE, HONEST, OLD, ONE, twice};

/// A project, and a run of one criterion in it.
pub(super) struct Play {
    pub sandbox: Sandbox,
}

impl Play {
    /// Scripts, in order: implementers, and then the refactorer.
    pub fn of(files: &[(&str, &str)], settings: &str, tests: &Value, scripts: &[&str]) -> Self {
        let budgets =
            if settings.contains("budgets:") { "" } else { "budgets: { semantic: 1, format: 0 }\n" };
        let yaml = format!("held_out: true\n{budgets}{settings}");
        let fixed = [
            (".gitignore", "__pycache__/\n.coverage\n"),
            ("tdd.yaml", yaml.as_str()),
            (
                "specs/frs/STE-1.md",
                "# Double\n\n## Acceptance Criteria\n\n- AC-STE-1.1: double(x) is twice x.\n",
            ),
        ];
        let sandbox = Sandbox::with(&[&fixed, files].concat());
        let files: Vec<&String> = tests.as_object().unwrap().keys().collect();
        let modes: Vec<String> = files.iter().map(|file| format!("chmod 755 {file}")).collect();
        let mut calls = vec![json!({
            "role": "test-writer", "write": tests, "run": ["sh", "-c", modes.join(" && ")],
            "say": { "status": "ok", "files": files },
        })];
        let (last, implementers) = scripts.split_last().unwrap();
        let call = |role: &str, script: &str| json!({ "role": role, "run": ["sh", "-c", script], "say": { "status": "ok", "files": [] } });
        calls.extend(implementers.iter().map(|script| call("implementer", script)));
        calls.push(call("refactorer", last));
        std::fs::write(sandbox.beside("cassette.json"), serde_json::to_string(&calls).unwrap()).unwrap();
        Self { sandbox }
    }

    /// In Python, with a suite of unittest's.
    pub fn python(files: &[(&str, &str)], gate: &str, tests: &Value, scripts: &[&str]) -> Self {
        let fixed = [("shop.py", ONE), ("tests/__init__.py", ""), ("tests/test_old.py", OLD)]
            .into_iter()
            .chain(files.iter().copied());
        let settings = format!("test: python3 -m unittest -q\n{gate}");
        Self::of(&fixed.collect::<Vec<_>>(), &settings, tests, scripts)
    }

    pub fn run(&self, words: &[&str]) -> Ran {
        self.tdd(&[&["STE-1", "--agent", "scripted"], words].concat())
    }

    pub fn tdd(&self, words: &[&str]) -> Ran {
        let cassette = self.sandbox.beside("cassette.json").to_string_lossy().into_owned();
        self.sandbox.tdd(&[words, &["--no-review", "--cassette", &cassette]].concat())
    }

    /// How the criterion's tests were parted.
    pub fn parted(&self) -> Value {
        super::held_of(&self.sandbox)[0]["parted"]["criteria"][0].clone()
    }

    pub fn assert_back(&self, tests: &Value) {
        for (file, text) in tests.as_object().unwrap() {
            assert_eq!(self.sandbox.read(file), text.as_str().unwrap(), "it came back");
        }
    }
}

/// What a test of a class holds.
pub(super) fn case(x: u32) -> String {
    let (x, y) = twice(x);
    format!("    def test_double_{x}(self):\n        self.assertEqual(shop.double({x}), {y})\n")
}

pub(super) fn class(name: &str, imports: &str, cases: &[String]) -> String {
    format!(
        "import unittest\nimport shop\n{imports}\n\nclass {name}(unittest.TestCase):\n{}",
        cases.join("\n")
    )
}

#[test]
fn ac_tdd_8_51_subtests_of_node_are_parted_with_the_test_that_they_are_in() {
    left_to_the_night!();
    if !has_node() {
        return;
    }
    let head = "import assert from \"node:assert/strict\";\nimport { describe, it, test } from \"node:test\";\nimport * as shop from \"../src/shop.js\";\n\n";
    let is = |x: u32| format!("assert.equal(shop.double({x}), {});", 2 * x);
    let nested = format!(
        "test(\"a\", async (t) => {{\n  await t.test(\"b\", () => {{ {} }});\n  await t.test(\"c\", () => {{ {} }});\n}});\n",
        is(1),
        is(2)
    );
    let own = format!("test(\"d\", () => {{ {} }});\n", is(3));
    let suite = format!("describe(\"s\", () => {{\n  it(\"e\", () => {{ {} }});\n}});\n", is(4));
    let text = [head, &nested, &own, &suite].concat();
    let tests = json!({ "test/ac_ste_1_1.test.js": text });
    let green = "printf 'export const one = () => 1;\\nexport const double = (x) => 2 * x;\\n' > src/shop.js";
    let files = [
        ("package.json", "{ \"name\": \"x\", \"private\": true, \"type\": \"module\" }\n"),
        ("src/shop.js", "export const one = () => 1;\n"),
        (
            "test/old.test.js",
            "import assert from \"node:assert/strict\";\nimport { test } from \"node:test\";\nimport { one } from \"../src/shop.js\";\ntest(\"old\", () => { assert.equal(one(), 1); });\n",
        ),
    ];
    let play = Play::of(&files, "test: node --test\n", &tests, &[green, "true"]);
    play.run(&[]).expect(0);
    play.assert_back(&tests);
    let parted = play.parted();
    let hidden = parted["hidden"].as_array().unwrap();
    assert!(!hidden.is_empty(), "{parted}");
    let is_hidden = |name: &str| hidden.iter().any(|id| id.as_str().unwrap().ends_with(name));
    assert_eq!(is_hidden("a > b"), is_hidden("a > c"), "{parted}");
}

/// A linter of tests that asks of them what formatters and linters do: no more blank lines than two, none at the end,
/// no comment that stands for nothing, and no helper that nobody calls.
pub(super) const LINT: &str = r"
import glob, re, sys
bad = []
for name in glob.glob('tests/test_*.py'):
    text = open(name, newline='').read()
    bad += [name + ': blank lines' for _ in re.findall(r'\n\r?\n\r?\n\r?\n', text)]
    bad += [name + ': blank lines in a class' for _ in re.findall(r'\n\r?\n\r?\n +\S', text)]
    bad += [name + ': the end'] if text.endswith('\n\n') or text.endswith('\n\r\n') else []
    bad += [name + ': a comment alone' for _ in re.findall(r'# About[^\n]*\n(?! *def)', text)]
    for helper in re.findall(r'def (help\w*)', text):
        bad += [name + ': ' + helper + ' is not used'] if text.count(helper) < 2 else []
for name in glob.glob('*.py'):
    bad += [name + ': hack'] if 'hack' in open(name).read() else []
print('\n'.join(bad))
sys.exit(1 if bad else 0)
";

#[test]
fn ac_tdd_8_50_a_formatter_finds_nothing_where_tests_were_cut_out() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let cases: Vec<String> = [11, 31, 51].map(|x| format!("    # About {x}.\n{}", case(x))).to_vec();
    let text = class("New", "", &cases) + "\n\nif __name__ == '__main__':\n    unittest.main()\n";
    for text in [text.clone(), text.replace('\n', "\r\n")] {
        let tests = json!({ "tests/test_ac_ste_1_1.py": text });
        let script =
            format!("{HONEST}; python3 lint/lint.py > said.txt && cp tests/test_ac*.py seen.txt; true");
        let play = Play::python(&[("lint/lint.py", LINT)], "", &tests, &[&script, "true"]);
        play.run(&[]).expect(0);
        assert_eq!(play.sandbox.read("said.txt"), "\n", "{}", play.sandbox.read("seen.txt"));
        let seen = play.sandbox.read("seen.txt");
        assert!(seen.len() < text.len() && seen.contains("About"), "{seen}");
        play.assert_back(&tests);
    }
}

/// Each test has a helper of its own, so that whichever is hidden, one is left that nobody calls.
pub(super) fn with_helpers(xs: [u32; 3]) -> Value {
    let helpers: Vec<String> = xs.iter().map(|x| format!("\n\ndef help_{x}():\n    return {x}\n")).collect();
    let cases = xs.map(|x| {
        format!(
            "    def test_double_{x}(self):\n        self.assertEqual(shop.double(help_{x}()), {})\n",
            2 * x
        )
    });
    json!({ "tests/test_ac_ste_1_1.py": class("New", &helpers.concat(), &cases) })
}

pub(super) const GATE: &str = "gate: python3 lint/lint.py && python3 -m unittest -q\n";

#[test]
fn ac_tdd_8_52_a_gate_that_is_red_for_want_of_the_hidden_tests_alone_blames_nobody() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let tests = with_helpers([11, 31, 51]);
    let touch = "printf '\\n# More.\\n' >> shop.py";
    for refactorer in ["true", touch] {
        let play = Play::python(&[("lint/lint.py", LINT)], GATE, &tests, &[HONEST, refactorer]);
        play.run(&[])
            .expect(0)
            .says(&["red without the held-out tests, and green in a checkout that has them"]);
        play.assert_back(&tests);
    }
}

#[test]
fn ac_tdd_8_52_a_gate_that_is_red_with_them_too_is_the_roles() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let hack = "printf '\\n# A hack.\\n' >> shop.py";
    // In a checkout, which has no git, this one looks at nothing.
    let blind = "gate: git ls-files shop.py | xargs -r python3 lint/blind.py && python3 -m unittest -q\n";
    let lint = "import sys\nsys.exit(1 if 'hack' in open(sys.argv[1]).read() else 0)\n";
    for gate in [GATE, blind] {
        let files = [("lint/lint.py", LINT), ("lint/blind.py", lint)];
        let play = Play::python(&files, gate, &with_helpers([11, 31, 51]), &[HONEST, hack]);
        let ran = play.run(&[]).expect(1);
        let told = ran.stderr.matches("green in a checkout that has them").count();
        assert_eq!(told, usize::from(gate == GATE), "before REFACTOR alone: {}", ran.stderr);
        assert!(ran.stderr.contains("REFACTOR failed, attempt 1, mode C: the gate"), "{}", ran.stderr);
    }
}

/// Copies tests into the work tree, whenever the suite or the gate runs it.
const LEAK: &str = r"

import glob, os, shutil


def leak():
    homes = ['.', WORK]
    for name in glob.glob('tests/test_ac*.py'):
        for home in homes:
            try:
                shutil.copy(name, os.path.join(home, 'leaked-' + str(os.getpid())))
            except OSError:
                pass


leak()
";

#[test]
fn ac_tdd_8_52_no_role_sees_hidden_tests_by_the_gates_second_run() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let look = "import glob\n\
        shown = open(glob.glob('tests/test_ac*.py')[0]).read()\n\
        homes = ['.']\n\
        leaked = [f + open(f).read() for h in homes for f in glob.glob(h + '/leaked-*')]\n\
        hidden = [x for x in (9011, 9031, 9051) if 'double_%d' % x not in shown]\n\
        new = [(x, t.split('import')[0]) for x in hidden for t in leaked if 'double_%d' % x in t]\n\
        open('seen.txt', 'w').write('%r of %d hidden' % (new, len(hidden)))\n";
    let tests = with_helpers([9011, 9031, 9051]);
    for level in ["auto", "audit"] {
        let files = [("lint/lint.py", LINT), ("lint/look.py", look)];
        let look = "python3 lint/look.py";
        let play = Play::python(&files, GATE, &tests, &["true", look]);
        let work = play.sandbox.repo().to_string_lossy().into_owned();
        let leaks = DOUBLE.to_owned() + &LEAK.replace("WORK", &format!("{work:?}"));
        let cassette = play.sandbox.beside("cassette.json");
        let mut calls: Value = serde_json::from_str(&std::fs::read_to_string(&cassette).unwrap()).unwrap();
        calls[1]["write"] = json!({ "shop.py": leaks });
        std::fs::write(&cassette, calls.to_string()).unwrap();
        let ran = play.run(&["--sandbox", level, "--proof", "off"]).expect(0);
        assert!(ran.stderr.contains("green in a checkout that has them"), "{}", ran.stderr);
        let seen = play.sandbox.read("seen.txt");
        let level = play.sandbox.level();
        assert!(seen.starts_with("[] of ") && !seen.starts_with("[] of 0"), "{level}: {seen}");
    }
}

#[test]
fn ac_tdd_8_53_a_file_that_others_import_from_is_not_hidden() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let helper = "\n\ndef twice(x):\n    return 2 * x\n";
    let a = class("A", helper, &[case(11)]);
    let uses = |name: &str, x: u32| {
        let body = case(x).replace(&(2 * x).to_string(), &format!("twice({x})"));
        class(name, "from tests.test_ac_ste_1_1_a import twice\n", &[body])
    };
    let through = |name: &str, x: u32| uses(name, x).replace("test_ac_ste_1_1_a", "checks");
    for tests in [
        json!({
            "tests/test_ac_ste_1_1_a.py": a, "tests/test_ac_ste_1_1_b.py": uses("B", 31),
            "tests/test_ac_ste_1_1_c.py": uses("C", 51),
        }),
        json!({
            "tests/test_ac_ste_1_1_a.py": a, "tests/test_ac_ste_1_1_b.py": through("B", 31),
            "tests/test_ac_ste_1_1_c.py": through("C", 51),
            "tests/checks.py": "from tests.test_ac_ste_1_1_a import twice\n",
        }),
    ] {
        let play = Play::python(&[], "", &tests, &[HONEST, "true"]);
        let ran = play.run(&[]).expect(0);
        assert!(!ran.stdout.contains("held out: none"), "{}", ran.stdout);
        let parted = play.parted();
        assert!(!parted["hidden"].to_string().contains("double_11"), "{parted}");
        play.assert_back(&tests);
    }
    // All are named by others: what can be hidden is cut out of them.
    let both = |name: &str, other: &str, xs: [u32; 2]| {
        class(name, &format!("import tests.test_ac_ste_1_1_{other}\n"), &xs.map(case))
    };
    let tests = json!({
        "tests/test_ac_ste_1_1_a.py": both("A", "b", [11, 12]),
        "tests/test_ac_ste_1_1_b.py": both("B", "a", [31, 32]),
    });
    let play = Play::python(&[], "", &tests, &[HONEST, "true"]);
    play.run(&[]).expect(0);
    let parted = play.parted();
    assert!(
        parted["files"].to_string().contains("cut") && !parted["files"].to_string().contains("whole"),
        "{parted}"
    );
    play.assert_back(&tests);
}

#[test]
fn ac_tdd_8_54_files_come_back_with_their_modes() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let one = json!({ "tests/test_ac_ste_1_1.py": class("New", "", &[11, 31, 51].map(case)) });
    let two = json!({
        "tests/test_ac_ste_1_1_a.py": class("A", "", &[case(11)]),
        "tests/test_ac_ste_1_1_b.py": class("B", "", &[case(31)]),
    });
    for tests in [one, two] {
        let script = format!("{HONEST}; find tests -name 'test_ac*' ! -perm -100 > plain.txt");
        let play = Play::python(&[], "", &tests, &[&script, "true"]);
        play.run(&[]).expect(0);
        assert_eq!(play.sandbox.read("plain.txt"), "", "shown ones are as they were");
        for file in tests.as_object().unwrap().keys() {
            let mode = play.sandbox.path(file).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o111, 0o111, "{file}");
        }
    }
}

#[test]
fn ac_tdd_8_55_tests_that_need_others_to_run_before_them_blame_nobody() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    // By name the first of all, and the first of the two; one of them can't be judged without the one from before.
    let first = "import unittest\nimport shop\n\n\nclass First(unittest.TestCase):\n    def test_first(self):\n        shop.SEEN = True\n";
    let leans = "    def test_double_11(self):\n        self.assertTrue(getattr(shop, 'SEEN', False))\n        self.assertEqual(shop.double(11), 22)\n";
    let tests = json!({
        "tests/test_ac_ste_1_1_a.py": class("A", "", &[leans.to_owned()]),
        "tests/test_ac_ste_1_1_b.py": class("B", "", &[case(31)]),
    });
    let mut was_hidden = false;
    for _ in 0..8 {
        let play = Play::python(&[("tests/test_aa.py", first)], "", &tests, &[HONEST, "true"]);
        play.run(&["--proof", "off"]).expect(0);
        was_hidden = play.parted()["hidden"].to_string().contains("double_11");
        if was_hidden {
            break;
        }
    }
    println!("hidden: {was_hidden}");
}

#[test]
fn ac_tdd_8_54_snapshots_go_and_come_back_with_their_file_of_tests() {
    if !has_python() {
        return;
    }
    let snapshot = |name: &str| format!("tests/__snapshots__/test_ac_ste_1_1_{name}.ambr");
    let two = json!({
        "tests/test_ac_ste_1_1_a.py": class("A", "", &[case(11)]),
        "tests/test_ac_ste_1_1_b.py": class("B", "", &[case(31)]),
        snapshot("a"): "22\n",
        snapshot("b"): "62\n",
    });
    let script = format!("{HONEST}; ls tests tests/__snapshots__ > seen.txt");
    let play = Play::python(&[], "", &two, &[&script, "true"]);
    play.run(&[]).expect(0);
    let seen = play.sandbox.read("seen.txt");
    for name in ["a", "b"] {
        let (test, kept) = (format!("1_1_{name}.py"), format!("1_1_{name}.ambr"));
        assert_eq!(seen.contains(&test), seen.contains(&kept), "{seen}");
    }
    assert_eq!(seen.matches("ambr").count(), 1, "{seen}");
    play.assert_back(&two);
    // One file for all: nothing can be taken out of it.
    let one = json!({
        "tests/test_ac_ste_1_1.py": class("New", "", &[11, 31].map(case)),
        "tests/__snapshots__/test_ac_ste_1_1.ambr": "22\n62\n",
    });
    let play = Play::python(&[], "", &one, &[HONEST, "true"]);
    play.run(&[]).expect(0).says_on_stdout(&["held out: none for AC-STE-1.1: its runner keeps snapshots"]);
}
