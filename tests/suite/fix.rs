//! `tdd fix` through the real binary: checks, a scripted fixer, checks again.

use tdd::world::project_commands::checks::{self, CheckDeadlines};
use tdd_core::commands::{CommandSettings, RunnerKind};
use tdd_core::fix::{CheckKind, TypeChecker};

use super::sandbox::{Ran, Sandbox, has, has_python, node_modules};

const SHOP: &str = "def total(prices: list[int]) -> int:\n    return ''.join(prices)\n\n\ndef one() -> int:\n    return 1\n\n\ndef two() -> int:\n    return 3\n";
const TYPED: &str = "def total(prices: list[int]) -> int:\n    return sum(prices)\n\n\ndef one() -> int:\n    return 1\n\n\ndef two() -> int:\n    return 3\n";
const WHOLE: &str = "def total(prices: list[int]) -> int:\n    return sum(prices)\n\n\ndef one() -> int:\n    return 1\n\n\ndef two() -> int:\n    return 2\n";
const TESTS: &str = "import unittest\nimport shop\n\n\nclass Shop(unittest.TestCase):\n    def test_one(self):\n        self.assertEqual(shop.one(), 1)\n\n    def test_two(self):\n        self.assertEqual(shop.two(), 2)\n";
/// Stands for a type checker where none is installed: it prints what mypy does.
const CHECKER: &str = "import sys, pathlib\nif 'join' in pathlib.Path('shop.py').read_text():\n    print('shop.py:2: error: Incompatible return value type (got \"str\", expected \"int\")  [return-value]')\n    print('Found 1 error in 1 file (checked 1 source file)')\n    sys.exit(1)\n";
/// A cassette that no call of these tests comes to: one without entries is refused.
const NOBODY: &str = "- role: fixer\n  number: 20\n  raw: nobody asked\n";
const UNITTEST: &str = "python3 -m unittest discover -s tests -t .";

/// A project with a type error and a failing test. Its checker is called as mypy is.
fn shop() -> Sandbox {
    let sandbox = Sandbox::with(&[
        ("shop.py", SHOP),
        ("mypy.py", CHECKER),
        ("tests/__init__.py", ""),
        ("tests/test_shop.py", TESTS),
        ("tdd.yaml", &format!("fix:\n  checks: [\"python3 -m mypy .\", \"{UNITTEST}\"]\n")),
    ]);
    sandbox.write("change.py", "# what somebody is at work on\n");
    sandbox
}

fn indented(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("      {line}\n")).collect();
    lines.concat()
}

/// A fixer that writes this to `shop.py`.
fn writes(number: u8, shop: &str, more: &str) -> String {
    let body = indented(shop);
    let file =
        if shop.is_empty() { "    shop.py: \"\"\n".to_owned() } else { format!("    shop.py: |\n{body}") };
    format!(
        "- role: fixer\n  number: {number}\n  write:\n{file}  say: {{ status: ok, files: [shop.py], command: mypy, output_excerpt: fine }}\n{more}"
    )
}

fn fix(sandbox: &Sandbox, cassette: &str, more: &[&str]) -> Ran {
    let file = sandbox.repo().parent().unwrap().join("cassette.yaml");
    std::fs::write(&file, cassette).unwrap();
    let mut args = vec!["fix", "--cassette", file.to_str().unwrap()];
    args.extend(more);
    sandbox.tdd(&args)
}

fn prompts(sandbox: &Sandbox) -> String {
    let files = std::fs::read_dir(sandbox.run_dir().join("files")).unwrap();
    files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap_or_default()).collect()
}

#[test]
fn a_type_error_and_a_failing_test_are_mended_in_two_rounds() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    let first = "  prompt_has: [\"shop.py:2: error: Incompatible return value\", \"Shop.test_two\", \"the basket\"]\n";
    let second =
        "  prompt_has: [\"test_two\", \"tdd-result\"]\n  prompt_lacks: [\"Incompatible return value\"]\n";
    let cassette = writes(1, TYPED, first) + &writes(2, WHOLE, second);
    let ran = fix(&sandbox, &cassette, &["--task", "the basket"]).expect(0);
    assert!(ran.stdout.contains("the basket is mended"), "{}", ran.stdout);
    assert_eq!((sandbox.forks(), sandbox.read("shop.py").as_str()), (2, WHOLE));
    assert_eq!(sandbox.events().first().map(String::as_str), Some("fix_started"));
    assert_eq!(sandbox.events().last().map(String::as_str), Some("finished"));
    assert_eq!(sandbox.git(&["rev-parse", "HEAD"]), head);
    // What knows runs knows this one too.
    let status = sandbox.tdd(&["status"]).expect(0).stdout;
    assert!(status.contains("every check is green") && status.contains("2 of 3"), "{status}");
    let status: serde_json::Value =
        serde_json::from_str(&sandbox.tdd(&["status", "--json"]).expect(0).stdout).unwrap();
    assert_eq!(status["rounds"], serde_json::json!([2, 1, 0]));
    let log = sandbox.tdd(&["log"]).expect(0).stdout;
    assert!(log.contains("tdd fix for the basket") && log.contains("2 of 2 checks green"), "{log}");
    sandbox.tdd(&["resume"]).expect(2).says(&["no run to go on with"]);
    let id = sandbox.run_dir().file_name().unwrap().to_str().unwrap().to_owned();
    sandbox.tdd(&["resume", &id]).expect(2).says(&["is a run of tdd fix", "tdd undo"]);
    sandbox.tdd(&["undo"]).expect(0);
    assert_eq!(sandbox.read("shop.py"), SHOP);
    let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0).stdout;
    assert!(cleaned.contains(tdd_core::run_name::short(&id)), "{cleaned}");
}

#[test]
fn what_can_t_be_mended_keeps_the_best_state_and_halts() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    // Better, then worse in one way and in the other, then spent.
    let worse = TYPED.replace("return 1", "return 7");
    let told = "  prompt_has: [\"it was taken back\", \"test_two\"]\n  prompt_lacks: [\"test_one\"]\n";
    let cassette = writes(1, TYPED, "") + &writes(2, &worse, "") + &writes(3, "", told);
    let ran = fix(&sandbox, &cassette, &[]).expect(1);
    assert_eq!(sandbox.read("shop.py"), TYPED, "the best state is kept");
    for part in [
        "halted",
        "the retries are spent",
        "attempts: 3 of 3",
        "green  python3 -m mypy",
        "red ",
        "tdd undo",
        "git diff",
    ] {
        assert!(ran.stdout.contains(part), "no `{part}` in {}", ran.stdout);
    }
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(sandbox.run_dir().join("halt.json")).unwrap()).unwrap();
    assert_eq!(
        (report["outcome"].as_str(), report["checks"][1]["failures"].as_u64()),
        (Some("halted"), Some(1))
    );
}

#[test]
fn an_agent_that_does_not_answer_ends_the_loop_with_the_best_state() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for (misdeed, files_stay) in [("silence", TYPED), ("crash", TYPED)] {
        let sandbox = shop();
        let cassette = writes(1, TYPED, &format!("  misbehave: {misdeed}\n"));
        let ran = fix(&sandbox, &cassette, &[]).expect(1);
        assert!(ran.stdout.contains("the fixer did not answer"), "{misdeed}: {}", ran.stdout);
        assert_eq!(sandbox.forks(), 1, "{misdeed}");
        assert_eq!(sandbox.read("shop.py"), files_stay, "{misdeed}: what it left was better, and is kept");
    }
}

#[test]
fn tests_that_a_fixer_edits_are_put_back_and_it_is_told() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let easy = TESTS.replace("shop.two(), 2", "shop.two(), 3");
    let body = indented(&easy);
    let edit = format!(
        "- role: fixer\n  number: 1\n  write:\n    shop.py: |\n{}    tests/test_shop.py: |\n{body}  say: {{ status: ok, files: [], command: t, output_excerpt: x }}\n",
        indented(TYPED)
    );
    let sandbox = shop();
    let told =
        "  prompt_has: [\"tdd: this file may not be changed, and was put back: tests/test_shop.py\"]\n";
    fix(&sandbox, &(edit.clone() + &writes(2, WHOLE, told)), &[]).expect(0);
    assert_eq!((sandbox.read("tests/test_shop.py").as_str(), sandbox.forks()), (TESTS, 2));
    let sandbox = shop();
    let ran = fix(&sandbox, &edit, &["--allow-test-edits"]).expect(0);
    assert!(ran.stdout.contains("tests/test_shop.py (a test)"), "{}", ran.stdout);
    assert_eq!(sandbox.read("tests/test_shop.py"), easy);
}

/// A fixer that leaves the code and empties what judges it.
#[test]
fn files_behind_a_check_are_put_back() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let check = "import pathlib, sys\nsys.exit('join' in pathlib.Path('shop.py').read_text())\n";
    for (command, emptied) in [
        ("cd tools && PYTHONPATH=.. python3 here.py", "tools/here.py"),
        ("make check", "tools/check.py"),
        ("sh ./check.sh", "tools/check.py"),
        ("npm run check", "tools/check.py"),
    ] {
        let program = command.split(' ').next().unwrap();
        if ["npm", "make"].contains(&program) && !has(program, &[program, "--version"]) {
            continue;
        }
        let sandbox = shop();
        sandbox.write("tools/check.py", check);
        sandbox.write("tools/here.py", &check.replace("'shop.py'", "'../shop.py'"));
        sandbox.write("Makefile", "check:\n\tpython3 tools/check.py\n");
        sandbox.write("check.sh", "python3 tools/check.py\n");
        sandbox.write("package.json", "{ \"scripts\": { \"check\": \"python3 tools/check.py\" } }\n");
        let empty = format!(
            "- role: fixer\n  number: 1\n  write:\n    {emptied}: \"\"\n  say: {{ status: ok, files: [], command: t, output_excerpt: x }}\n"
        );
        let before = sandbox.read(emptied);
        fix(&sandbox, &empty, &["--max-retries", "1", "--check", command]).expect(1);
        assert_eq!(sandbox.read(emptied), before, "{command}");
    }
    for (file, text, behind) in [
        ("tsconfig.json", "{ \"extends\": \"./cfg/base.json\" }\n", "cfg/base.json"),
        ("vitest.config.ts", "import { shared } from \"./cfg/shared\";\n", "cfg/shared.ts"),
    ] {
        let sandbox = shop();
        sandbox.write(file, text);
        sandbox.write(behind, "{ }\n");
        let edit =
            writes(1, WHOLE, "").replace("    shop.py: |", &format!("    {behind}: \"[]\"\n    shop.py: |"));
        fix(&sandbox, &edit, &["--max-retries", "1"]).expect(0);
        assert_eq!(sandbox.read(behind), "{ }\n");
    }
}

#[test]
fn a_check_that_hangs_is_stopped_and_counts_as_a_failure() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let args = [
        "--check",
        "python3 -c 'import time; time.sleep(600)'",
        "--test-deadline",
        "1s",
        "--max-retries",
        "0",
    ];
    let ran = fix(&sandbox, NOBODY, &args).expect(1);
    assert!(ran.stdout.contains("stopped at its deadline"), "{}", ran.stdout);
    let again = "    tdd fix --max-retries 0 --check 'python3 -c '\\''import time; time.sleep(600)'\\''' --test-deadline 1s --cassette ";
    assert!(ran.stdout.contains(again), "no {again} in {}", ran.stdout);
}

/// Then nobody is asked, so nobody is looked for, and no word is of a fixer.
#[test]
fn without_a_retry_it_is_a_check_with_its_result() {
    for (check, code, words) in [
        ("true", 0, "every check passes"),
        ("false", 1, "why: a check is red, and --max-retries 0 asks nobody"),
    ] {
        let sandbox = Sandbox::with(&[("notes.cfg", "x")]);
        let ran =
            sandbox.tdd(&["fix", "--max-retries", "0", "--check", check, "--agent", "claude"]).expect(code);
        assert!(ran.stdout.contains(words), "{}", ran.stdout);
        assert!(!ran.stdout.contains("fixer"), "{}", ran.stdout);
        assert!(!ran.stdout.contains("retries are spent"), "{}", ran.stdout);
    }
}

#[test]
fn nothing_to_check_is_a_set_up_error_and_nothing_is_done() {
    left_to_the_night!();
    let sandbox = Sandbox::with(&[("notes.cfg", "x")]);
    let before = sandbox.everything();
    let ran = fix(&sandbox, NOBODY, &[]).expect(2).says(&["no checks were found", "--check"]);
    assert!(!ran.stderr.contains("--test"), "a flag that there is not: {}", ran.stderr);
    fix(&sandbox, NOBODY, &["--check", " "]).expect(2).says(&["holds no command"]);
    fix(&sandbox, NOBODY, &["--check", "no-such-program-anywhere"]).expect(2).says(&["could not be run"]);
    fix(&sandbox, NOBODY, &["--since", "nowhere"]).expect(2).says(&["knows no commit"]);
    sandbox.tdd(&["fix", "--agent", "nobody", "--check", "true"]).expect(2).says(&["no agent is named"]);
    assert_eq!(sandbox.everything(), before);
}

#[test]
fn what_is_green_already_asks_nobody() {
    let sandbox = Sandbox::with(&[("a.cfg", "x")]);
    let ran = fix(&sandbox, NOBODY, &["--check", "true", "--json"]).expect(0);
    let last: serde_json::Value = serde_json::from_str(ran.stdout.lines().last().unwrap()).unwrap();
    assert_eq!((last["outcome"].as_str(), last["forks"].as_u64()), (Some("fixed"), Some(0)));
    assert!(ran.stdout.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
}

#[test]
fn ac_tdd_10_79_what_is_green_by_nothing_that_a_commit_holds_is_said_so() {
    let sandbox = Sandbox::with(&[("a.cfg", "x"), (".gitignore", ".made\n")]);
    let makes = "- role: fixer\n  number: 1\n  write:\n    .made: x\n  say: { status: ok, files: [], command: make, output_excerpt: fine }\n";
    let ran = fix(&sandbox, makes, &["--check", "test -f .made"]).expect(0);
    drop(ran.says_on_stdout(&["changed since the start: 0: green by what no commit holds"]));
    let ran = fix(&sandbox, NOBODY, &["--check", "true"]).expect(0);
    assert!(!ran.stdout.contains("no commit holds"), "{}", ran.stdout);
}

#[test]
fn documents_and_those_who_write_them_are_skipped_and_it_is_said() {
    left_to_the_night!();
    let sandbox = Sandbox::with(&[("a.cfg", "x"), ("README.md", "a")]);
    sandbox.write("README.md", "b");
    sandbox.write("docs/new.md", "c");
    let ran = fix(&sandbox, NOBODY, &["--check", "false"]).expect(0);
    assert!(ran.stdout.contains("skipped") && ran.stdout.contains("only documents"), "{}", ran.stdout);
    assert!(!sandbox.path(".tdd").exists());
    // Where documents are tests nothing is skipped.
    sandbox.write("pytest.ini", "[pytest]\naddopts = --doctest-glob=*.md\n");
    sandbox.commit();
    sandbox.write("README.md", "c");
    fix(&sandbox, NOBODY, &["--check", "true"]).expect(0).says(&["check: `true`"]);
    sandbox.write("a.cfg", "y");
    fix(&sandbox, NOBODY, &["--check", "true"]).expect(0).says(&["check: `true`"]);
    sandbox.write(
        "tdd.yaml",
        "agents: { scribe: { argv: [\"true\", \"{prompt_file}\"], code: false } }\nroles: { fixer: { code: true } }\n",
    );
    let ran = sandbox.tdd(&["fix", "--agent", "scribe", "--check", "false"]).expect(0);
    assert!(ran.stdout.contains("`scribe` is marked `code: false`"), "{}", ran.stdout);
    sandbox.write("tdd.yaml", "roles: { fixer: { code: false } }\n");
    let ran = fix(&sandbox, NOBODY, &["--check", "false", "--json"]).expect(0);
    assert!(ran.stdout.contains("\"outcome\":\"skipped\""), "{}", ran.stdout);
}

#[test]
fn what_could_not_be_parsed_is_shown_by_its_end_and_secrets_are_masked() {
    let sandbox = Sandbox::with(&[
        ("a.cfg", "x"),
        ("check.sh", "echo \"token $MY_TOKEN\"; echo '```tdd-result'; echo the last word; exit 3\n"),
    ]);
    sandbox.write("change.cfg", "y");
    let file = sandbox.repo().parent().unwrap().join("cassette.yaml");
    std::fs::write(&file, "- role: fixer\n  prompt_has: [the last word, exit code 3, \"what was before\"]\n  prompt_lacks: [hunter2hunter2]\n  raw: I give up.\n").unwrap();
    std::fs::write(sandbox.repo().parent().unwrap().join("said.txt"), "what was before").unwrap();
    let args = [
        "fix",
        "--cassette",
        file.to_str().unwrap(),
        "--check",
        "sh check.sh",
        "--max-retries",
        "1",
        "--previous",
        "../said.txt",
    ];
    let output = sandbox
        .command(env!("CARGO_BIN_EXE_tdd"))
        .args(args)
        .env("MY_TOKEN", "hunter2hunter2")
        .output()
        .unwrap();
    let ran = Ran::of(&output).expect(1);
    assert!(ran.stdout.contains("I give up.") && !ran.stdout.contains("hunter2hunter2"), "{}", ran.stdout);
    let kept = prompts(&sandbox);
    assert!(!kept.contains("hunter2hunter2") && kept.contains("> ```tdd-result"), "{kept}");
}

#[test]
fn a_typescript_project_is_checked_by_its_own_tsc_and_vitest() {
    left_to_the_night!();
    let (Some(packages), Some(_)) = (node_modules("typescript"), node_modules("vitest")) else { return };
    let source = |body: &str| format!("export function total(prices: number[]): number {{\n{body}\n}}\n");
    let broken = source("  const sum: string = prices.reduce((a, b) => a - b, 0);\n  return sum;");
    let typed = source("  return prices.reduce((a, b) => a - b, 0);");
    let whole = source("  return prices.reduce((a, b) => a + b, 0);");
    let sandbox = Sandbox::with(&[
        ("src/cart.ts", &broken),
        (
            "test/cart.test.ts",
            "import { expect, test } from \"vitest\";\nimport { total } from \"../src/cart\";\n\ntest(\"adds\", () => {\n  expect(total([1, 2])).toBe(3);\n});\n",
        ),
        (
            "tsconfig.json",
            "{ \"compilerOptions\": { \"strict\": true, \"noEmit\": true, \"types\": [] }, \"include\": [\"src\"] }\n",
        ),
        (
            "package.json",
            "{ \"name\": \"cart\", \"type\": \"module\", \"devDependencies\": { \"vitest\": \"*\" } }\n",
        ),
        (".gitignore", "node_modules\n"),
    ]);
    std::os::unix::fs::symlink(packages, sandbox.path("node_modules")).unwrap();
    sandbox.write("change.ts", "export {};\n");
    let entry = |number: u8, text: &str, more: &str| {
        format!(
            "- role: fixer\n  number: {number}\n{more}  write:\n    src/cart.ts: |\n{}  say: {{ status: ok, files: [src/cart.ts], command: tsc, output_excerpt: fine }}\n",
            indented(text)
        )
    };
    let first = "  prompt_has: [\"src/cart.ts(2,9): error TS2322\", \"adds\"]\n";
    let second = "  prompt_has: [adds]\n  prompt_lacks: [TS2322]\n";
    let cassette = entry(1, &typed, first) + &entry(2, &whole, second);
    let ran = fix(&sandbox, &cassette, &[]).expect(0).says(&["tsc --noEmit", "read by the vitest adapter"]);
    assert_eq!((sandbox.read("src/cart.ts"), sandbox.forks()), (whole, 2), "{}", ran.stderr);
}

#[test]
fn a_fixer_that_hangs_is_stopped_at_its_deadline_and_the_loop_ends() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let cassette = writes(1, "", "  misbehave: hang\n");
    let ran = fix(&sandbox, &cassette, &["--max-wall-attempt", "2s"]).expect(1);
    assert!(ran.stdout.contains("the fixer did not answer"), "{}", ran.stdout);
    assert_eq!(sandbox.read("shop.py"), SHOP, "it emptied a file before; that is taken back");
    let sandbox = shop();
    let ran = fix(&sandbox, &cassette, &["--max-wall", "2s"]).expect(3).says(&["the run's cap is reached"]);
    assert!(
        !ran.stderr.contains("--max-wall 2s --max-wall") && ran.stderr.contains("--max-wall 4s"),
        "{}",
        ran.stderr
    );
    assert_eq!(sandbox.read("shop.py"), SHOP);
}

#[test]
fn checks_are_found_as_commands_are_and_the_type_check_comes_first() {
    let deadlines = CheckDeadlines { types_ms: 60_000, tests_ms: 120_000 };
    let tsc = ("node_modules/.bin/tsc", "");
    let (ts, pkg) = (("tsconfig.json", "{}"), ("package.json", "{\"devDependencies\":{\"vitest\":\"1\"}}"));
    let go = ("go.mod", "module a\n");
    let rules = ("CLAUDE.md", "## Key Commands\n\n```sh\nmake test\n```\n\n**Gating rule:** `make check`\n");
    for (name, files, want) in [
        ("rust", &[("Cargo.toml", "")][..], Ok("cargo check | cargo test")),
        ("go", &[go], Ok("go vet ./... | go test ./...")),
        ("typescript", &[ts, pkg, tsc], Ok("node_modules/.bin/tsc --noEmit | npx vitest run")),
        ("typescript without tsc", &[ts, pkg], Ok("npx vitest run")),
        ("python", &[("conftest.py", "")], Ok("python3 -m pytest")),
        (
            "mypy",
            &[("conftest.py", ""), ("mypy.ini", "")],
            Ok("PYTHONSAFEPATH=1 python3 -m mypy . | python3 -m pytest"),
        ),
        ("types alone", &[ts, tsc], Ok("node_modules/.bin/tsc --noEmit")),
        ("the project's own words", &[rules], Ok("make test | make check")),
        ("both", &[("Cargo.toml", ""), rules], Ok("cargo check | make test | make check")),
        ("nothing", &[("a.txt", "")], Err("no checks were found")),
        ("two kinds and no type check", &[pkg, ("conftest.py", "")], Err("more than one command")),
    ] {
        let folder = tempfile::TempDir::new().unwrap();
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let found = checks::find(folder.path(), &CommandSettings::default(), (&[], ""), deadlines);
        let told = |found: checks::FoundChecks| {
            let all: Vec<String> = found.checks.into_iter().map(|check| check.command).collect();
            all.join(" | ")
        };
        match (found.map(told), want) {
            (Ok(got), Ok(want)) => assert_eq!(got, want, "{name}"),
            (Err(trouble), Err(want)) => assert!(trouble.to_string().contains(want), "{name}: {trouble}"),
            (got, want) => panic!("{name}: {got:?}, wanted {want:?}"),
        }
    }
    let named = ["mypy src".to_owned(), "pytest -q".to_owned(), "make lint".to_owned()];
    let settings = CommandSettings::default();
    let found = checks::find(std::path::Path::new("/"), &settings, (&named, "--check"), deadlines).unwrap();
    let kinds: Vec<(CheckKind, u64)> =
        found.checks.iter().map(|check| (check.kind, check.deadline_ms)).collect();
    assert_eq!(
        kinds,
        [
            (CheckKind::Types(TypeChecker::Mypy), 60_000),
            (CheckKind::Tests(RunnerKind::Pytest), 120_000),
            (CheckKind::Command, 120_000)
        ]
    );
}

/// A fixer that writes these files, its third part of the entry being YAML of its own.
fn writes_all(number: u8, files: &[(&str, &str)], more: &str) -> String {
    let one = |(path, text): &(&str, &str)| format!("    {path}: |\n{}", indented(text));
    let files: String = files.iter().map(one).collect();
    let write = if files.is_empty() { String::new() } else { format!("  write:\n{files}") };
    format!(
        "- role: fixer\n  number: {number}\n{write}{more}  say: {{ status: ok, files: [], command: t, output_excerpt: x }}\n"
    )
}

#[test]
fn a_red_test_that_is_skipped_or_gone_is_not_mended() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let skips = "import unittest\n\n\ndef one() -> int:\n    return 1\n\n\ndef two() -> int:\n    raise unittest.SkipTest('later')\n";
    let mul = "import unittest\nimport shop\nfrom shop import mul\n\n\nclass Mul(unittest.TestCase):\n    def test_mul(self):\n        self.assertEqual(mul(2, 3), 6)\n";
    let unwritten = "import unittest\n\n\ndef __getattr__(name):\n    raise unittest.SkipTest('later')\n\n\n"
        .to_owned()
        + WHOLE;
    let written = WHOLE.to_owned() + "\n\ndef mul(a: int, b: int) -> int:\n    return a * b\n";
    let fewer = TESTS.split("    def test_two").next().unwrap();
    let skipping = TESTS.replace("    def test_two", "    @unittest.skip('x')\n    def test_two");
    let edits: &[&str] = &["--allow-test-edits"];
    for (name, more, files, args, want) in [
        ("skipped", None, vec![("shop.py", skips)], &[][..], Err("skipped now")),
        (
            "unloaded, then skipped",
            Some(mul),
            vec![("shop.py", unwritten.as_str())],
            &[],
            Err("did not load"),
        ),
        ("unloaded, then whole", Some(mul), vec![("shop.py", written.as_str())], &[], Ok("3 tests green")),
        (
            "removed",
            None,
            vec![("shop.py", TYPED), ("tests/test_shop.py", fewer)],
            edits,
            Err("in no report"),
        ),
        (
            "marked",
            None,
            vec![("shop.py", TYPED), ("tests/test_shop.py", &skipping)],
            edits,
            Err("skipped now"),
        ),
    ] {
        let sandbox = shop();
        if let Some(mul) = more {
            sandbox.write("tests/test_mul.py", mul);
        }
        let args = [&["--max-retries", "1"][..], args].concat();
        let ran = fix(&sandbox, &writes_all(1, &files, ""), &args);
        let (ran, part) = match want {
            Ok(part) => (ran.expect(0), part),
            Err(part) => (ran.expect(1), part),
        };
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains(part), "{name}: {said}");
    }
}

/// A project with a tool in `node_modules`, which says what is wrong with `a.cfg`.
fn tooled() -> Sandbox {
    let sandbox = Sandbox::with(&[("a.cfg", "bad\n"), (".gitignore", "node_modules\n")]);
    sandbox.write(
        "node_modules/.bin/tsc",
        "if grep bad a.cfg; then echo 'a.cfg(1,1): error TS1: bad'; exit 1; fi\n",
    );
    sandbox
}

#[test]
fn a_check_that_was_replaced_is_no_success() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let args = ["--max-retries", "1", "--check", "sh node_modules/.bin/tsc"];
    let sandbox = tooled();
    let ran = fix(&sandbox, &writes_all(1, &[("node_modules/.bin/tsc", "exit 0\n")], ""), &args).expect(1);
    assert!(ran.stdout.contains("is of an installed tool and was changed"), "{}", ran.stdout);
    let sandbox = tooled();
    fix(&sandbox, &writes_all(1, &[("a.cfg", "good\n"), ("node_modules/.bin/new", "x\n")], ""), &args)
        .expect(0);
    // The same where the folder is a link to one that is shared.
    let sandbox = tooled();
    std::fs::rename(sandbox.path("node_modules"), sandbox.beside("shared")).unwrap();
    std::os::unix::fs::symlink("../shared", sandbox.path("node_modules")).unwrap();
    sandbox.write(".gitignore", "/node_modules\n");
    sandbox.commit();
    let ran = fix(&sandbox, &writes_all(1, &[("node_modules/.bin/tsc", "exit 0\n")], ""), &args).expect(1);
    assert!(ran.stdout.contains("is of an installed tool and was changed"), "{}", ran.stdout);
    // Python looks for `-m tool` in the project first.
    let sandbox = Sandbox::with(&[("a.cfg", "bad\n"), ("tool/coverage.py", "raise SystemExit(1)\n")]);
    let args = ["--max-retries", "1", "--check", "PYTHONPATH=tool python3 -m coverage"];
    let ran = fix(&sandbox, &writes_all(1, &[("coverage.py", "raise SystemExit(0)\n")], ""), &args).expect(1);
    assert!(ran.stdout.contains("not allowed, put back: coverage.py"), "{}", ran.stdout);
    assert!(!sandbox.path("coverage.py").exists());
}

#[test]
fn a_protected_file_that_changes_while_checks_run_is_no_success() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let sneaks = "import os\n\n\ndef one() -> int:\n    return 1\n\n\ndef two() -> int:\n    open('tests/test_more.py', 'w').write('')\n    return 2\n";
    let ran = fix(&sandbox, &writes_all(1, &[("shop.py", sneaks)], ""), &["--max-retries", "1"]).expect(1);
    let wanted = "attempt 1: this file was changed while the checks ran: tests/test_more.py";
    assert!(ran.stdout.contains(wanted), "{}", ran.stdout);
    assert_eq!(sandbox.read("shop.py"), SHOP);
}

#[test]
fn what_was_emptied_or_deleted_is_named_so() {
    let sandbox = Sandbox::with(&[("a.cfg", "bad\n"), ("b.cfg", "bad\n")]);
    let body = "- role: fixer\n  number: 1\n  write:\n    a.cfg: \"\"\n  delete: [b.cfg]\n  say: { status: ok, files: [], command: t, output_excerpt: x }\n";
    let ran = fix(&sandbox, body, &["--check", "! grep bad a.cfg"]).expect(0);
    for part in ["a.cfg: emptied", "b.cfg: deleted"] {
        assert!(ran.stdout.contains(part), "no {part} in {}", ran.stdout);
    }
}

#[test]
fn a_fixer_may_add_a_test_beside_the_code_that_it_mends() {
    left_to_the_night!();
    let source = |sub: &str, more: &str| {
        format!(
            "pub fn sub(a: i32, b: i32) -> i32 {{\n    a {sub} b\n}}\n\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n    #[test]\n    fn t_sub() {{\n        assert_eq!(sub(3, 2), 1);\n    }}\n{more}}}\n"
        )
    };
    let manifest = "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let project = || {
        let sandbox = Sandbox::with(&[
            ("Cargo.toml", manifest),
            ("Cargo.lock", "version = 3\n\n[[package]]\nname = \"calc\"\nversion = \"0.1.0\"\n"),
            ("src/lib.rs", &source("+", "")),
            (".gitignore", "target\n"),
        ]);
        sandbox.write("change.rs", "// at work\n");
        sandbox
    };
    let more = "\n    #[test]\n    fn t_more() {\n        assert_eq!(sub(5, 5), 0);\n    }\n";
    let (sandbox, mended) = (project(), source("-", more));
    fix(&sandbox, &writes_all(1, &[("src/lib.rs", &mended)], ""), &["--max-retries", "1"]).expect(0);
    assert_eq!(sandbox.read("src/lib.rs"), mended);
    let (sandbox, easier) = (project(), source("-", more).replace("sub(3, 2), 1", "sub(3, 3), 0"));
    let ran =
        fix(&sandbox, &writes_all(1, &[("src/lib.rs", &easier)], ""), &["--max-retries", "1"]).expect(1);
    let wanted = "attempt 1: a test in this file was changed or removed: src/lib.rs";
    assert!(ran.stdout.contains(wanted) && ran.stderr.contains("changed or removed"), "{}", ran.stdout);
}

#[test]
fn what_the_checks_themselves_write_is_no_fixers_fault() {
    left_to_the_night!();
    if !has_python() || !has("bwrap", &["bwrap", "--bind", "/", "/", "true"]) {
        return;
    }
    let tests = "import pathlib\nimport unittest\nimport shop\n\n\nclass Shop(unittest.TestCase):\n    def test_two(self):\n        seen = pathlib.Path('tests/seen.dat')\n        seen.write_text(seen.read_text() + 'x')\n        self.assertEqual(shop.two(), 2)\n";
    let sandbox = Sandbox::with(&[
        ("shop.py", TYPED),
        ("tests/__init__.py", ""),
        ("tests/test_shop.py", tests),
        ("tests/seen.dat", "x"),
        ("tdd.yaml", &format!("fix:\n  checks: [\"{UNITTEST}\"]\n")),
    ]);
    let ran = fix(&sandbox, &writes(1, WHOLE, ""), &["--sandbox", "enforce"]).expect(0);
    assert_eq!((sandbox.forks(), sandbox.read("tests/seen.dat").as_str()), (1, "x"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("not allowed"), "{}", ran.stdout);
}
