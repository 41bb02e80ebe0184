//! Every row of section 9's table, and every red kind that is no RED, through the real binary:
//! how a run halts, what it costs, what it leaves, and that it goes on after a failure.

use serde_json::{Value, json};

use crate::battery;
use crate::sandbox::has_python;

use stage::{
    GOOD_CODE, GOOD_TEST, OLD_FILE, Stage, TEST_FILE, at, entry, files, in_parallel, refactors, writes_code,
    writes_test,
};

pub mod prompts;
mod reports;
mod stage;

/// Which tree a halt must leave.
#[derive(Clone, Copy)]
enum Good {
    Zero,
    Red,
    Green,
}

/// One way to fail until the budget is spent.
struct Row {
    name: &'static str,
    mode: &'static str,
    /// All children of the run.
    forks: usize,
    /// What one of the reasons must say.
    reason: &'static str,
    good: Good,
    settings: String,
    entries: Vec<Value>,
}

impl Row {
    /// The test-writer fails at once: two children.
    fn a(name: &'static str, reason: &'static str, entry: Value) -> Self {
        Self {
            name,
            mode: "A",
            forks: 2,
            reason,
            good: Good::Zero,
            settings: String::new(),
            entries: vec![entry],
        }
    }

    fn b(name: &'static str, reason: &'static str, entry: Value) -> Self {
        Self { mode: "B", forks: 3, good: Good::Red, ..Self::a(name, reason, entry) }
    }

    fn c(name: &'static str, reason: &'static str, entry: Value) -> Self {
        let settings = "gate: \"! grep -q BAD shop.py\"\n".to_owned();
        Self { mode: "C", forks: 4, good: Good::Green, settings, ..Self::a(name, reason, entry) }
    }

    fn d(name: &'static str, reason: &'static str, entry: Value) -> Self {
        Self { mode: "D", ..Self::a(name, reason, entry) }
    }

    fn e(name: &'static str, reason: &'static str, settings: &str, entry: Value) -> Self {
        Self { mode: "E", settings: settings.to_owned(), ..Self::a(name, reason, entry) }
    }

    fn with(self, settings: &str) -> Self {
        Self { settings: settings.to_owned(), ..self }
    }

    fn play(&self) {
        let name = self.name;
        let stage = Stage::new(&self.settings, &self.entries);
        let git = (stage.sandbox.git(&["rev-parse", "HEAD"]), stage.sandbox.git(&["ls-files", "--stage"]));
        let ran = stage.run(&[]);
        assert_eq!(ran.code, 1, "{name}: {}\n{}", ran.stdout, ran.stderr);
        let halt = stage.halt();
        let report = std::fs::read_to_string(stage.sandbox.run_dir().join("halt.txt")).unwrap();
        assert_eq!(ran.stdout, report, "{name}: the report that was kept is the one that was printed");
        assert_eq!(halt["mode"], self.mode, "{name}: {report}");
        assert_eq!(stage.sandbox.forks(), self.forks, "{name}: {report}");
        let reasons: Vec<&str> =
            halt["reasons"].as_array().unwrap().iter().map(|reason| reason.as_str().unwrap()).collect();
        assert!(reasons.iter().any(|reason| reason.contains(self.reason)), "{name}: {reasons:#?}\n{report}");
        let good = match self.good {
            Good::Zero => stage.start.clone(),
            Good::Red => stage.start_and(&[(TEST_FILE, GOOD_TEST)]),
            Good::Green => stage.start_and(&[(TEST_FILE, GOOD_TEST), ("shop.py", GOOD_CODE)]),
        };
        assert!(files(&stage.sandbox) == good, "{name}: the tree is not the last good one\n{report}");
        let now = (stage.sandbox.git(&["rev-parse", "HEAD"]), stage.sandbox.git(&["ls-files", "--stage"]));
        assert_eq!(now, git, "{name}: branch and index are the user's");
        self.check_kept(&stage, &halt, &report);
        prompts::check(&stage.sandbox.run_dir());
    }

    /// The failed work is a named checkpoint, and the report tells it.
    fn check_kept(&self, stage: &Stage, halt: &Value, report: &str) {
        let failed = halt["checkpoints"]["failed"].as_str().unwrap();
        assert!(report.contains(&failed[..12]), "{}: {report}", self.name);
        let refs = stage.sandbox.git(&["for-each-ref", "--points-at", failed, "refs/tdd"]);
        assert!(refs.contains("refs/tdd/"), "{}: {failed} is not kept", self.name);
        let wrote = self.entries[0]["write"].as_object().into_iter().flatten();
        for (path, text) in wrote {
            let kept = stage.sandbox.git(&["show", &format!("{failed}:{path}")]);
            // What a role may not change is put back before it is measured; the attempt's own
            // snapshot has it.
            if !halt["touched"].as_array().unwrap().iter().any(|touched| touched == path.as_str()) {
                assert_eq!(kept.trim(), text.as_str().unwrap().trim(), "{}: {path}", self.name);
            }
        }
    }
}

fn play_all(rows: Vec<Row>) {
    if has_python() {
        in_parallel(&battery::part(rows, 4), Row::play);
    }
}

/// A test file with one test of this body.
fn test_with(body: &str) -> String {
    let body: Vec<String> = body.lines().map(|line| format!("        {line}\n")).collect();
    let body = body.concat();
    format!(
        "import os, time, unittest\nimport shop\n\nclass New(unittest.TestCase):\n    def test_new(self):\n{body}"
    )
}

fn writes_body(body: &str) -> Value {
    writes_test(&test_with(body))
}

/// What fails at the first import and passes after it; by-products are never a change.
const FLAKY: &str = "flag = os.path.join(os.path.dirname(__file__), '__pycache__', 'flag')\nseen = os.path.exists(flag)\nos.makedirs(os.path.dirname(flag), exist_ok=True)\nopen(flag, 'w').close() if not seen else os.remove(flag)\nself.assertTrue(seen)";

/// What a snapshot library does where writing is switched off (`CI=1`).
const SNAPSHOT: &str = "import os, unittest\nimport shop\n\nclass New(unittest.TestCase):\n    def assertMatchSnapshot(self, value):\n        self.assertTrue(os.path.exists('tests/__snapshots__/new'), 'no snapshot')\n\n    def test_new(self):\n        value = shop.one()\n        self.assertMatchSnapshot(value)\n";

#[test]
fn mode_a_in_every_red_kind_that_is_no_red() {
    left_to_the_night!();
    let skipped = GOOD_TEST.replace("    def test", "    @unittest.skip('later')\n    def test");
    play_all(vec![
        Row::a("load", "its file does not load", writes_test("import unittest\n\ndef broken(:\n")),
        Row::a(
            "load, foreign import",
            "its file does not load",
            writes_test(&format!("import numpy.nothing\n{GOOD_TEST}")),
        ),
        Row::a("unconditional", "it fails whatever the code does", writes_body("self.assertTrue(False)")),
        Row::a("none, skipped", "it was not run", writes_test(&skipped)),
        Row::a("none, no test in the file", "no test of AC-STE-1.1 ran", writes_test("import shop\n")),
        Row::a("none, only an unrecorded snapshot", "it was not run", writes_test(SNAPSHOT)),
        Row::a(
            "none, an unrecorded snapshot beside what can be met",
            "it was not run",
            writes_test(&format!("{SNAPSHOT}        self.assertEqual(shop.two(), 2)\n")),
        ),
        Row::a("passed", "it passes before any code", writes_body("self.assertEqual(shop.one(), 1)")),
        Row::a(
            "unrelated, another file fails",
            "no new or changed test belongs to AC-STE-1.1",
            entry("test-writer", &json!({ "write": { "tests/test_other.py": GOOD_TEST } })),
        ),
        Row::a(
            "unrelated, a known test fails",
            "a test that was green is red now: tests/test_old.py::Old.test_old",
            entry(
                "test-writer",
                &json!({ "write": {
                    TEST_FILE: GOOD_TEST,
                    "tests/test_zero.py": "import shop\n\ndef load_tests(*_):\n    import unittest\n    shop.one = lambda: 0\n    return unittest.TestSuite()\n",
                } }),
            ),
        ),
        Row::a("flaky", "two runs differ", writes_body(FLAKY)),
        Row::a("timeout", "is no evidence", writes_body("time.sleep(600)\nself.assertEqual(shop.one(), 2)"))
            .with("deadline: 2s\n"),
        Row::a("crash", "is no evidence", writes_body("os.abort()")),
    ]);
}

#[test]
fn mode_a_by_what_the_test_writer_says_and_changes() {
    left_to_the_night!();
    let changed = "import unittest\nimport shop\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertGreater(shop.one(), 0)\n";
    let supersedes =
        json!({ "files": [TEST_FILE], "supersedes": { "AC-STE-1.1": ["tests/test_old.py::Old.test_old"] } });
    play_all(vec![
        Row::a(
            "says failed",
            "said `status: failed`",
            entry(
                "test-writer",
                &json!({ "write": { TEST_FILE: GOOD_TEST }, "say": { "status": "failed" } }),
            ),
        ),
        Row::a(
            "a source",
            "may not change: shop.py",
            entry(
                "test-writer",
                &json!({ "write": { TEST_FILE: GOOD_TEST, "shop.py": "def one():\n    return 1\n\n\ndef two():\n    return 3\n" } }),
            ),
        ),
        Row::a(
            "a gate file",
            "may not change: tdd.yaml",
            entry(
                "test-writer",
                &json!({ "write": { TEST_FILE: GOOD_TEST }, "append": { "tdd.yaml": "gate: 'true'\n" } }),
            ),
        ),
        Row::a(
            "the requirement",
            "may not change: specs/frs/STE-1.md",
            entry(
                "test-writer",
                &json!({ "write": { TEST_FILE: GOOD_TEST }, "append": { "specs/frs/STE-1.md": "\nLess.\n" } }),
            ),
        ),
        Row::a(
            "an unlisted change",
            "not named in `supersedes:`: tests/test_old.py::Old.test_old",
            entry("test-writer", &json!({ "write": { TEST_FILE: GOOD_TEST, OLD_FILE: changed } })),
        ),
        Row::a(
            "an unlisted removal",
            "not named in `supersedes:`: tests/test_old.py::Old.test_old",
            at(1, entry("test-writer", &json!({ "delete": [OLD_FILE], "write": { TEST_FILE: GOOD_TEST } }))),
        ),
        Row::a(
            "superseded and not red",
            "a superseded test must be changed and red",
            entry(
                "test-writer",
                &json!({ "write": { TEST_FILE: GOOD_TEST, OLD_FILE: changed }, "say": supersedes }),
            ),
        ),
        Row::a(
            "superseded and not changed",
            "a superseded test must be changed and red",
            entry("test-writer", &json!({ "write": { TEST_FILE: GOOD_TEST }, "say": supersedes })),
        ),
    ]);
}

/// Hides a test of this name from the runner that loads the module.
fn hides(test: &str, rest: &str) -> String {
    format!(
        "import unittest\n_old = unittest.TestLoader.getTestCaseNames\nunittest.TestLoader.getTestCaseNames = lambda self, case: [n for n in _old(self, case) if n != '{test}']\n\n{rest}"
    )
}

#[test]
fn mode_b_in_every_way() {
    left_to_the_night!();
    let code = |two: &str| writes_code(&GOOD_CODE.replace("    return 2", &format!("    {two}")));
    let also = |more: Value| {
        let mut actions = json!({ "write": { "shop.py": GOOD_CODE } });
        actions.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        entry("implementer", &actions)
    };
    play_all(vec![
        Row::b("says failed", "said `status: failed`", also(json!({ "say": { "status": "failed" } }))),
        Row::b("a failing test", "failed: tests/test_ac_ste_1_1.py::New.test_new", code("return 3")),
        Row::b(
            "nothing done",
            "failed: tests/test_ac_ste_1_1.py::New.test_new",
            entry("implementer", &json!({})),
        ),
        Row::b(
            "a regression",
            "was green and is red now: tests/test_old.py::Old.test_old",
            writes_code(&GOOD_CODE.replace("return 1", "return 0")),
        ),
        Row::b("a skip", "skipped: ", code("import unittest; raise unittest.SkipTest('no')")),
        Row::b("a vanished test", "expected and not seen: ", writes_code(&hides("test_new", GOOD_CODE))),
        Row::b("a test that hangs", "is no evidence", code("import time; time.sleep(600)"))
            .with("deadline: 2s\n"),
        Row::b("a test that crashes", "is no evidence", code("import os; os.abort()")),
        Row::b("exit before the end", "is no evidence", code("import os; os._exit(0)")),
        Row::b(
            "a touched test",
            "may not change: tests/test_ac_ste_1_1.py",
            also(json!({ "misbehave": { "touch-test": TEST_FILE } })),
        ),
        Row::b("a deleted test", "may not change: tests/test_old.py", also(json!({ "delete": [OLD_FILE] }))),
        Row::b(
            "a touched gate file",
            "may not change: tdd.yaml",
            also(json!({ "append": { "tdd.yaml": "gate: 'true'\n" } })),
        ),
        Row::b(
            "a test touched by the run",
            "a protected file was changed: tests/test_ac_ste_1_1.py",
            writes_code(&format!("open('{TEST_FILE}', 'a').write('#')\n\n{GOOD_CODE}")),
        ),
    ]);
}

#[test]
fn mode_c_in_every_way() {
    left_to_the_night!();
    let bad = format!("# BAD\n{GOOD_CODE}");
    play_all(vec![
        Row::c("the gate is red", "the gate command failed", refactors(&bad)),
        Row::c(
            "an old test is red",
            "was green and is red now: tests/test_old.py::Old.test_old",
            refactors(&GOOD_CODE.replace("return 1", "return 0")),
        ),
        Row::c(
            "a new test is red",
            "was green and is red now: tests/test_ac_ste_1_1.py::New.test_new",
            refactors(&GOOD_CODE.replace("return 2", "return 0")),
        ),
        Row::c("fewer tests", "fewer tests than before", refactors(&hides("test_old", GOOD_CODE))),
        Row::c(
            "a touched test",
            "may not change: tests/test_old.py",
            entry("refactorer", &json!({ "misbehave": { "touch-test": OLD_FILE } })),
        ),
        Row::c(
            "says failed",
            "said `status: failed`",
            entry("refactorer", &json!({ "say": { "status": "failed" } })),
        ),
    ]);
}

fn block(lines: &str) -> String {
    format!("Done.\n\n```tdd-result\n{lines}\n```\n")
}

#[test]
fn mode_d_in_every_shape() {
    left_to_the_night!();
    const FIELDS: &str =
        "role: test-writer\nstatus: ok\nfiles: [tests/a.py]\ncommand: t\noutput_excerpt: red\n";
    let raw = |text: String| entry("test-writer", &json!({ "raw": text }));
    let word = |word: &str| entry("test-writer", &json!({ "misbehave": word }));
    let without = |field: &str| {
        let kept: Vec<&str> = FIELDS.lines().filter(|line| !line.starts_with(field)).collect();
        raw(block(&kept.join("\n")))
    };
    let mut exits = word("no-block");
    exits["misbehave"] = json!({ "exit": 3 });
    exits.as_object_mut().unwrap().remove("say");
    let implementer = Row {
        forks: 3,
        good: Good::Red,
        ..Row::d("of an implementer", "no-block", entry("implementer", &json!({ "misbehave": "no-block" })))
    };
    let refactorer = Row {
        forks: 4,
        good: Good::Green,
        ..Row::d("of a refactorer", "many-blocks", entry("refactorer", &json!({ "misbehave": "two-blocks" })))
    };
    play_all(vec![
        Row::d("no block", "no-block", word("no-block")),
        Row::d("two blocks", "many-blocks", word("two-blocks")),
        Row::d("an unclosed block", "unclosed-block", word("unclosed-block")),
        Row::d("the wrong role", "wrong-role", word("wrong-role")),
        Row::d("no role", "missing-field:role", without("role")),
        Row::d("no status", "missing-field:status", without("status")),
        Row::d("no files", "missing-field:files", without("files")),
        Row::d("no command", "missing-field:command", without("command")),
        Row::d("no excerpt", "missing-field:output_excerpt", without("output_excerpt")),
        Row::d("a field twice", "duplicate-field", raw(block(&format!("{FIELDS}status: failed")))),
        Row::d("no YAML", "not-yaml", raw(block(&FIELDS.replace(" [tests", "\n\t- [tests")))),
        Row::d(
            "an unknown status",
            "invalid-status",
            raw(block(&FIELDS.replace("status: ok", "status: fine"))),
        ),
        Row::d(
            "an unsafe path",
            "unsafe-path",
            raw(block(&FIELDS.replace("tests/a.py", "../../etc/passwd"))),
        ),
        Row::d("an alias", "alias", raw(block(&FIELDS.replace("command: t", "command: &a t\nnotes: *a")))),
        Row::d("an empty message", "no-block", word("silence")),
        Row::d("only words", "no-block", raw("I am done, and all is well.\n".to_owned())),
        Row::d("a crash without a block", "no-block", word("crash")),
        Row::d("an exit code without a block", "no-block", exits),
        implementer,
        refactorer,
    ]);
}

/// A scripted agent whose table counts turns and has bounds of its own.
fn table(more: &str) -> String {
    format!(
        "agents:\n  scripted:\n    argv: [\"{{tdd}}\", __agent, --cassette, \"{{cassette}}\", --role, \"{{role}}\", --criterion, \"{{criterion}}\", --number, \"{{number}}\", --prompt-file, \"{{prompt_file}}\"]\n{more}"
    )
}

#[test]
fn mode_e_by_every_cap_and_in_every_role() {
    left_to_the_night!();
    let hangs = |role: &str| entry(role, &json!({ "misbehave": "hang", "print": "thinking" }));
    let turn = "{\"type\": \"tool\"}\n";
    let talks = entry("test-writer", &json!({ "print": turn.repeat(4), "misbehave": "hang" }));
    let stubborn = entry("test-writer", &json!({ "misbehave": "ignore-term" }));
    let implementer = Row {
        forks: 3,
        good: Good::Red,
        ..Row::e(
            "an implementer that hangs",
            "deadline passed",
            "attempt_deadline: 2s\n",
            hangs("implementer"),
        )
    };
    let refactorer = Row {
        forks: 4,
        good: Good::Green,
        ..Row::e("a refactorer that hangs", "deadline passed", "attempt_deadline: 2s\n", hangs("refactorer"))
    };
    play_all(vec![
        Row::e("wall", "deadline passed", "attempt_deadline: 1s\n", hangs("test-writer")),
        Row::e("idle", "idle deadline", "idle_deadline: 1s\n", hangs("test-writer")),
        Row::e(
            "turns",
            "turn cap",
            &table("    stdio: pipe\n    turns: { where: { /type: tool } }\n    max_turns: 3\n"),
            talks,
        ),
        Row::e(
            "output",
            "output cap",
            &table("    output_cap: 100KB\n"),
            entry("test-writer", &json!({ "misbehave": "flood" })),
        ),
        Row::e(
            "cost",
            "token or cost cap",
            &table("    failures: { budget: [\"out of budget\"] }\n"),
            entry("test-writer", &json!({ "raw": "out of budget", "misbehave": { "exit": 1 } })),
        ),
        Row::e(
            "a child that ignores signals",
            "deadline passed",
            &table("    wall: 1s\n    stop: { interrupt: 100ms, terminate: 100ms }\n"),
            stubborn,
        ),
        implementer,
        refactorer,
    ]);
}

#[test]
fn a_dispute_halts_at_once_and_blames_nobody() {
    if !has_python() {
        return;
    }
    let say = json!({ "status": "failed", "dispute": { "tests": ["tests/test_ac_ste_1_1.py::New.test_new"], "reason": "two is three" } });
    for (role, forks, more) in [("test-writer", 1, &[][..]), ("implementer", 2, &[(TEST_FILE, GOOD_TEST)])] {
        let stage = Stage::new("", &[entry(role, &json!({ "say": say }))]);
        stage.run(&[]).expect(1);
        let halt = stage.halt();
        assert_eq!((&halt["disputed"], &halt["mode"]), (&json!(true), &Value::Null));
        assert_eq!(halt["attempts"]["semantic"]["failed"], 0, "a dispute spends nothing");
        assert_eq!(stage.sandbox.forks(), forks);
        assert!(files(&stage.sandbox) == stage.start_and(more), "{role}: the last good tree");
    }
}

fn implementer_at(number: u8, how: &str) -> Value {
    at(
        number,
        match how {
            "D" => entry("implementer", &json!({ "misbehave": "no-block" })),
            "B" => writes_code(&GOOD_CODE.replace("return 2", "return 3")),
            _ => writes_code(GOOD_CODE),
        },
    )
}

#[test]
fn the_two_budgets_are_independent_and_three_forks_are_the_most() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let rows = [
        ("", "D B ok", 0, 3),
        ("", "B D ok", 0, 3),
        ("", "B D B", 1, 3),
        ("", "D B B", 1, 3),
        ("", "B D D", 1, 3),
        ("", "D B D", 1, 3),
        ("", "D D", 1, 2),
        ("", "B B", 1, 2),
        ("budgets: { semantic: 1, format: 0 }\n", "B", 1, 1),
        ("budgets: { semantic: 1, format: 0 }\n", "D", 1, 1),
        ("budgets: { semantic: 3, format: 2 }\n", "B D B D ok", 0, 5),
        ("budgets: { semantic: 3, format: 2 }\n", "D D B B B", 1, 5),
    ];
    in_parallel(&battery::part(rows, 4), |(settings, story, exit, forks)| {
        let words = story.split(' ').chain(["ok"; 3]);
        let entries: Vec<Value> = words.zip(1..).map(|(how, number)| implementer_at(number, how)).collect();
        let stage = Stage::new(settings, &entries);
        let ran = stage.run(&["--no-refactor"]);
        assert_eq!(ran.code, *exit, "{story}: {}\n{}", ran.stdout, ran.stderr);
        assert_eq!(stage.sandbox.forks(), 1 + forks, "{settings}{story}");
        prompts::check(&stage.sandbox.run_dir());
        if *exit == 1 {
            let last = story.split(' ').next_back().unwrap();
            assert_eq!(stage.halt()["mode"], last, "{story}");
        }
    });
}

#[test]
fn a_run_goes_on_after_one_failure_of_each_mode() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let gate = "gate: \"! grep -q BAD shop.py\"\n";
    let hang = |role: &str| at(1, entry(role, &json!({ "misbehave": "hang" })));
    let short = "attempt_deadline: 2s\n";
    let no_block = |role: &str| at(1, entry(role, &json!({ "misbehave": "no-block" })));
    // A format retry keeps the work of the attempt before it.
    let forgot = at(
        1,
        entry("implementer", &json!({ "write": { "shop.py": GOOD_CODE }, "misbehave": "unclosed-block" })),
    );
    let repeats = at(2, entry("implementer", &json!({ "say": { "files": ["shop.py"] } })));
    let rows = [
        ("A", "", vec![at(1, writes_body("self.assertEqual(shop.one(), 1)"))], 4),
        ("B", "", vec![implementer_at(1, "B")], 4),
        ("C", gate, vec![at(1, refactors(&format!("# BAD\n{GOOD_CODE}")))], 4),
        ("D, test-writer", "", vec![no_block("test-writer")], 4),
        ("D, work kept", "", vec![forgot, repeats], 4),
        ("D, refactorer", "", vec![no_block("refactorer")], 4),
        ("E, test-writer", short, vec![hang("test-writer")], 4),
        ("E, implementer", short, vec![hang("implementer")], 4),
        ("E, refactorer", short, vec![hang("refactorer")], 4),
        (
            "one of each",
            gate,
            vec![
                at(1, writes_body("self.assertEqual(shop.one(), 1)")),
                implementer_at(1, "D"),
                implementer_at(2, "B"),
                at(1, refactors(&format!("# BAD\n{GOOD_CODE}"))),
            ],
            7,
        ),
    ];
    in_parallel(&battery::part(rows, 4), |(name, settings, entries, forks)| {
        let stage = Stage::new(settings, entries);
        let ran = stage.run(&[]);
        assert_eq!(ran.code, 0, "{name}: {}\n{}", ran.stdout, ran.stderr);
        assert_eq!(stage.sandbox.forks(), *forks, "{name}");
        prompts::check(&stage.sandbox.run_dir());
        let good = stage.start_and(&[(TEST_FILE, GOOD_TEST), ("shop.py", GOOD_CODE)]);
        assert!(files(&stage.sandbox) == good, "{name}: nothing of the failed attempt is left");
    });
}
