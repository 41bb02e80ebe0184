//! Tests that no implementer sees judge its work.

mod compiled;
mod honest;
mod more;
mod told;
mod whole;

use serde_json::{Value, json};

use super::kills::{Saved, can_kill, kill, moments};
use super::sandbox::{Ran, Sandbox, has_python};

const OLD: &str = "import unittest\nimport shop\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        self.assertEqual(shop.one(), 1)\n";
const ONE: &str = "def one():\n    return 1\n";
const DOUBLE: &str = "def one():\n    return 1\n\n\ndef double(x):\n    return 2 * x\n";
/// As long as the coin lets at least one of them be seen, whoever looks at what is there knows but a part.
const LOOKUP: &str = r"
import glob, re
known = {}
for name in glob.glob('tests/test_ac*.py'):
    known.update((int(a), int(b)) for a, b in re.findall(r'double\((\d+)\), (\d+)', open(name).read()))
with open('shop.py', 'w') as source:
    source.write('def one():\n    return 1\n\n\ndef double(x):\n    return %r.get(x)\n' % known)
";

fn test_of(name: &str, cases: &[(u32, u32)]) -> String {
    let head = format!("import unittest\nimport shop\n\n\nclass {name}(unittest.TestCase):\n");
    let case = |(x, y): &(u32, u32)| {
        format!("    def test_double_{x}(self):\n        self.assertEqual(shop.double({x}), {y})\n")
    };
    head + &cases.iter().map(case).collect::<Vec<_>>().join("\n")
}

/// Two files of one criterion.
fn two_files() -> Value {
    two_files_from(0)
}

fn two_files_from(more: u32) -> Value {
    json!({
        "tests/test_ac_ste_1_1_a.py": test_of("A", &[twice(more + 11)]),
        "tests/test_ac_ste_1_1_b.py": test_of("B", &[twice(more + 31)]),
    })
}

/// Three tests in the one file of a criterion.
fn one_file() -> Value {
    one_file_from(0)
}

fn one_file_from(more: u32) -> Value {
    json!({ "tests/test_ac_ste_1_1.py": test_of("New", &[11, 31, 51].map(|x| twice(more + x))) })
}

fn twice(x: u32) -> (u32, u32) {
    (x, 2 * x)
}

/// What each test of the above doubles.
const TOLD: [&str; 3] = ["11", "31", "51"];

/// What the journal holds of held-out tests: parted, out and back.
fn held_of(sandbox: &Sandbox) -> Vec<Value> {
    let folder = sandbox.run_dir();
    let journal = std::fs::read_to_string(folder.join("events.jsonl")).unwrap();
    let events = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let whole = |event: Value| match event["file"].as_str() {
        Some(file) => {
            let text = std::fs::read_to_string(folder.join("files").join(file)).unwrap();
            serde_json::from_str(&text).unwrap()
        }
        None => event,
    };
    events.map(whole).filter(|event| event["type"] == "held_out").map(|event| event["held"].clone()).collect()
}

struct Scene {
    sandbox: Sandbox,
}

impl Scene {
    fn set(tests: &Value, implementers: &[&str], settings: &str) -> Self {
        Self::with_suite(tests, implementers, settings, "")
    }

    /// `init` is run with every run of the tests.
    fn with_suite(tests: &Value, implementers: &[&str], settings: &str, init: &str) -> Self {
        let yaml = format!(
            "test: python3 -m unittest -q\nheld_out: true\nbudgets: {{ semantic: {}, format: 0 }}\n{settings}",
            implementers.len()
        );
        let sandbox = Sandbox::with(&[
            (".gitignore", "__pycache__/\n"),
            ("shop.py", ONE),
            ("tests/__init__.py", init),
            ("tests/test_old.py", OLD),
            ("tdd.yaml", &yaml),
            (
                "specs/frs/STE-1.md",
                "# Double\n\n## Acceptance Criteria\n\n- AC-STE-1.1: double(x) is twice x.\n",
            ),
        ]);
        let files: Vec<&String> = tests.as_object().unwrap().keys().collect();
        // What a spy looks for are numbers of its own test: others have theirs in the same temporary folder.
        let spy = if init.is_empty() { SPY.to_owned() } else { SPY.replace("b'70", "b'80") };
        let mut calls = vec![json!({
            "role": "test-writer", "write": tests, "run": ["sh", "-c", "python3 -m unittest -q; true"],
            "say": { "status": "ok", "files": files },
        })];
        for script in implementers {
            calls.push(json!({
                "role": "implementer", "run": ["sh", "-c", script], "write": { "spy.py": spy },
                "say": { "status": "ok", "files": ["shop.py"] },
            }));
        }
        calls.push(json!({ "role": "refactorer", "say": { "status": "ok", "files": [] } }));
        std::fs::write(sandbox.beside("cassette.json"), serde_json::to_string(&calls).unwrap()).unwrap();
        Self { sandbox }
    }

    fn run(&self, more: &[&str]) -> Ran {
        let cassette = self.sandbox.beside("cassette.json").to_string_lossy().into_owned();
        let mut args = vec!["STE-1", "--agent", "scripted", "--no-review", "--cassette", &cassette];
        args.extend(more);
        self.sandbox.tdd(&args)
    }

    /// Numbers that hidden tests double.
    fn hidden(&self) -> Vec<&'static str> {
        let mut held = held_of(&self.sandbox).into_iter();
        let parted = held.find_map(|held| held.get("parted").cloned()).unwrap_or_default();
        let parted = parted["criteria"][0]["hidden"].to_string();
        let hidden: Vec<&str> =
            TOLD.into_iter().filter(|x| parted.contains(&format!("test_double_{x}"))).collect();
        assert!(!hidden.is_empty(), "{parted}");
        hidden
    }

    fn in_tree(&self, words: &str) -> bool {
        let tests = std::fs::read_dir(self.sandbox.path("tests")).unwrap().flatten();
        let mut read = tests.filter_map(|file| std::fs::read_to_string(file.path()).ok());
        read.any(|text| text.contains(words))
    }

    /// What each implementer was told, and the refactorer.
    fn prompts(&self) -> Vec<String> {
        let folder = self.sandbox.run_dir();
        let journal = std::fs::read_to_string(folder.join("events.jsonl")).unwrap();
        let events = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let started = events.filter(|event| event["type"] == "attempt_started");
        let text = |part: &Value| {
            std::fs::read_to_string(folder.join("files").join(part["digest"].as_str().unwrap())).unwrap()
        };
        let parts = |event: Value| {
            event["attempt"]["prompt"].as_array().unwrap().iter().map(text).collect::<Vec<_>>().join("\n")
        };
        started.map(parts).skip(1).collect()
    }
}

const HONEST: &str =
    "printf 'def one():\\n    return 1\\n\\n\\ndef double(x):\\n    return 2 * x\\n' > shop.py";

#[test]
fn ac_tdd_8_40_hidden_tests_are_out_of_the_tree_judge_the_work_and_come_back() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for tests in [two_files(), one_file()] {
        let script = format!("cat tests/*.py > seen.txt; ls tests tests/__pycache__ >> seen.txt; {HONEST}");
        let scene = Scene::set(&tests, &[&script], "");
        let ran = scene.run(&["--verbose"]).expect(0);
        assert!(ran.stderr.contains("held out:"), "{}", ran.stderr);
        assert_eq!(scene.sandbox.read("shop.py"), DOUBLE);
        let seen = scene.sandbox.read("seen.txt");
        let hidden = scene.hidden();
        for x in &hidden {
            assert!(!seen.contains(&format!("double({x})")), "the implementer saw {x}:\n{seen}");
        }
        let shown = TOLD.iter().filter(|x| seen.contains(&format!("double({x})"))).count();
        assert_eq!(
            shown + hidden.len(),
            if tests == one_file() { 3 } else { 2 },
            "the rest is there:\n{seen}"
        );
        for (file, text) in tests.as_object().unwrap() {
            assert_eq!(scene.sandbox.read(file), text.as_str().unwrap(), "it came back");
            assert!(ran.stdout.contains("git add") || ran.stdout.contains(file), "{}", ran.stdout);
        }
        let held = held_of(&scene.sandbox);
        assert!(held[1].get("out").is_some() && held[2].get("back").is_some(), "{held:?}");
    }
}

#[test]
fn ac_tdd_8_41_code_that_knows_the_shown_cases_alone_fails_with_one_line_that_names_the_criterion() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let lookup = format!("python3 - <<'E'\n{LOOKUP}\nE");
    for tests in [two_files(), one_file()] {
        let scene = Scene::set(&tests, &[&lookup, &lookup], "");
        let ran = scene.run(&[]).expect(1);
        let line = "tests of AC-STE-1.1 that are held out are not green";
        assert!(ran.stderr.contains(line) || ran.stdout.contains(line), "{}{}", ran.stdout, ran.stderr);
        let prompts = scene.prompts();
        assert!(
            !prompts[0].contains(line) && prompts[1].contains(line),
            "the retry is told so:\n{}",
            prompts[1]
        );
        for x in scene.hidden() {
            for prompt in &prompts {
                assert!(!prompt.contains(&format!("double_{x}")), "and nothing more of {x}:\n{prompt}");
            }
            assert!(!scene.in_tree(&format!("double({x})")), "a halt leaves them out of the tree");
        }
        assert!(ran.stdout.contains("git show"), "and tells the person where they are: {}", ran.stdout);
        scene.sandbox.tdd(&["undo", "STE-1"]).expect(0);
        assert_eq!(scene.sandbox.read("shop.py"), ONE);
    }
}

/// Reads all that a role could get hold of: git's objects by git and by hand, what git's folder holds besides, `.tdd`,
/// other processes, temporary folders.
const SPY: &str = r"
import glob, os, re, subprocess, zlib
found = []
def look(what, data):
    found.extend((what, x) for x in (b'7011', b'7031', b'7051') if b'double(' + x + b')' in data or b'double_' + x in data)
run = lambda *args: subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
listed = run('git', 'cat-file', '--batch-all-objects', '--batch-check=%(objectname)').split()
for name in listed:
    look('object', run('git', 'cat-file', '-p', name.decode()))
for ref in run('git', 'for-each-ref', '--format=%(objectname)').split():
    look('ref', run('git', 'ls-tree', '-r', ref.decode()))
for top in ('.git', '.tdd', '/tmp', os.environ.get('TMPDIR', '/tmp')):
    for folder, _, files in os.walk(top):
        for name in files:
            # What is no file holds nothing, and to open a FIFO waits for its other end.
            if name == 'cassette.json' or not os.path.isfile(os.path.join(folder, name)):
                continue
            try:
                data = open(os.path.join(folder, name), 'rb').read(1 << 20)
            except OSError:
                continue
            look(os.path.join(folder, name), data)
            try:
                look(os.path.join(folder, name), zlib.decompress(data))
            except zlib.error:
                pass
for name in glob.glob('/proc/[0-9]*/cmdline') + glob.glob('/proc/[0-9]*/environ'):
    try:
        look(name, open(name, 'rb').read())
    except OSError:
        pass
for name in glob.glob('**/*', recursive=True) + glob.glob('**/__pycache__/*', recursive=True):
    if os.path.isfile(name) and not name.startswith('tests/test_ac'):
        look(name, open(name, 'rb').read())
shown = b''.join(open(name, 'rb').read() for name in glob.glob('tests/test_ac*.py'))
with open('seen.txt', 'w') as seen:
    for what, x in sorted(set(found)):
        if b'double(' + x + b')' not in shown:
            seen.write('%s %s\n' % (x.decode(), what))
    seen.write('end\n')
";

#[test]
fn ac_tdd_8_42_no_role_gets_at_hidden_tests_in_enforce() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let script = format!(
        "why=$(python3 spy.py 2>&1) || echo \"it failed: $why\" >> seen.txt\n\
         git status --short > /dev/null && git diff HEAD > /dev/null && git log -p > /dev/null && echo git works >> seen.txt\n\
         {HONEST}"
    );
    for tests in [two_files_from(7000), one_file_from(7000)] {
        for level in ["enforce", "audit"] {
            let scene = Scene::set(&tests, &[&script], "");
            let ran = scene.run(&["--sandbox", if level == "audit" { level } else { "auto" }]).expect(0);
            if scene.sandbox.level() != level {
                println!("skipped: no sandbox here: {}", ran.stderr);
                continue;
            }
            let seen = scene.sandbox.read("seen.txt");
            assert!(
                seen.contains(
                    "end
"
                ) && seen.contains("git works"),
                "{level}: {seen}"
            );
            if level == "enforce" {
                assert!(
                    seen.starts_with(
                        "end
"
                    ),
                    "hidden tests were found: {seen}"
                );
            } else {
                assert!(seen.contains("object"), "the spy would have found them: {seen}");
            }
        }
    }
}

/// A suite that leaves a report with all that its tests say in the tree, where git does not ignore it.
const REPORTS: &str = "import atexit, glob, os\n\n\ndef report():\n    os.makedirs('reports', exist_ok=True)\n    \
    with open('reports/all.txt', 'w') as told:\n        for name in sorted(glob.glob('tests/test_*.py')):\n            \
    told.write(open(name).read())\n\n\natexit.register(report)\n";

#[test]
fn ac_tdd_8_47_what_runs_with_all_tests_left_in_the_tree_is_taken_out_with_the_hidden_ones() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let script =
        format!("cat reports/all.txt > left.txt; python3 spy.py || echo \"it failed\" >> seen.txt\n{HONEST}");
    for tests in [two_files_from(8000), one_file_from(8000)] {
        let scene = Scene::with_suite(&tests, &[&script], "", REPORTS);
        let ran = scene.run(&["--sandbox", "auto"]).expect(0);
        let left = scene.sandbox.read("left.txt");
        assert!(left.contains("test_old"), "the report is there as before the run: {left}");
        let hidden = held_of(&scene.sandbox)[0]["parted"]["criteria"][0]["hidden"].to_string();
        for x in [8011, 8031, 8051].map(|x| format!("double_{x}")) {
            assert!(!hidden.contains(&x) || !left.contains(&x), "{hidden} in {left}");
        }
        if scene.sandbox.level() == "enforce" {
            assert_eq!(scene.sandbox.read("seen.txt"), "end\n", "hidden tests were found");
        } else {
            println!("skipped: no sandbox here: {}", ran.stderr);
        }
        assert!(scene.sandbox.read("reports/all.txt").contains("double"), "the last run had all tests");
    }
}

#[test]
fn ac_tdd_8_44_a_criterion_with_one_test_is_told_and_judged_by_it() {
    if !has_python() {
        return;
    }
    let tests = json!({ "tests/test_ac_ste_1_1.py": test_of("New", &[(11, 22)]) });
    let scene = Scene::set(&tests, &[HONEST], "");
    let ran = scene.run(&[]).expect(0);
    assert!(ran.stdout.contains("held out: none for AC-STE-1.1: it has one test"), "{}", ran.stdout);
}

#[test]
fn ac_tdd_8_45_tests_that_need_their_others_are_not_parted() {
    if !has_python() {
        return;
    }
    // Whichever is hidden, the other one needs it.
    let with = |name: &str, x: u32| {
        let needs = "    def setUp(self):\n        import glob\n        self.assertEqual(len(glob.glob('tests/*1_1_*')), 2)\n\n    def";
        test_of(name, &[twice(x)]).replace("    def", needs)
    };
    let tests = json!({
        "tests/test_ac_ste_1_1_a.py": with("A", 11),
        "tests/test_ac_ste_1_1_b.py": with("B", 31),
    });
    let scene = Scene::set(&tests, &[HONEST], "");
    let ran = scene.run(&[]).expect(0);
    assert!(ran.stdout.contains("held out: none for AC-STE-1.1"), "{}", ran.stdout);
}

#[test]
fn ac_tdd_8_46_a_run_that_is_killed_goes_on_with_its_hidden_tests() {
    left_to_the_night!();
    if !can_kill() {
        return;
    }
    let tests = two_files();
    let scene = Scene::set(&tests, &[HONEST, HONEST, HONEST], "proof: off\n");
    let saved = Saved::of(&scene.sandbox);
    let cassette = scene.sandbox.beside("cassette.json").to_string_lossy().into_owned();
    let common = ["--no-review", "--cassette", &cassette];
    let words = [&["STE-1", "--agent", "scripted"], &common[..]].concat();
    for at in moments(&scene.sandbox, (&words, 0), 2, 5) {
        saved.again();
        kill(&scene.sandbox, &words, &at);
        if scene.sandbox.events().last().is_some_and(|name| name == "finished") {
            continue;
        }
        let resume = [&["resume", "STE-1"], &common[..]].concat();
        let ran = scene.sandbox.tdd(&resume);
        assert_eq!(ran.code, 0, "{at}: {}\n{}", ran.stdout, ran.stderr);
        assert_eq!(scene.sandbox.read("shop.py"), DOUBLE, "{at}");
        for (file, text) in tests.as_object().unwrap() {
            assert_eq!(scene.sandbox.read(file), text.as_str().unwrap(), "{at}: it came back");
        }
    }
}
