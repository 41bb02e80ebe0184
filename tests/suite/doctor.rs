//! Plain `tdd doctor` through the real binary: each finding, and that nothing stays in the tree.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::sandbox::{Ran, Sandbox, has_pytest, has_python};
use super::stops;

const TEST: &str = "test: python3 -m unittest discover -s tests -t .\n";
const AGENT: &str = "agent: mine\nagents: { mine: { argv: [sh, agent.sh, '{prompt_file}'] } }\n";

/// The tiny project with these settings and an agent that is there.
fn shop(settings: &str) -> Sandbox {
    let sandbox = super::cycle::shop();
    sandbox.write("tdd.yaml", &format!("{AGENT}{settings}"));
    sandbox.commit();
    sandbox
}

/// The findings of `tdd doctor --json` and its exit code.
fn findings(mut command: Command, args: &[&str]) -> (Vec<Value>, i32) {
    let ran = Ran::of(&command.arg("doctor").arg("--json").args(args).output().unwrap());
    let read = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
    let mut lines: Vec<Value> = ran.stdout.lines().map(read).collect();
    let last = lines.pop().unwrap_or_else(|| panic!("nothing was found: {}", ran.stderr));
    assert_eq!(last["type"], "checkup", "{last}");
    let problems = lines.iter().filter(|line| line["grade"] == "problem").count();
    assert_eq!(last["problems"], problems, "{last}");
    assert_eq!(ran.code, i32::from(problems > 0), "{lines:#?}");
    for line in &lines {
        assert_eq!(line["type"], "finding", "{line}");
        assert!(line["grade"] == "ok" || line["next"] != "", "what is wrong says what to do: {line}");
    }
    (lines, ran.code)
}

fn looked(sandbox: &Sandbox) -> (Vec<Value>, i32) {
    findings(sandbox.command(env!("CARGO_BIN_EXE_tdd")), &[])
}

/// Asserts that some finding of this subject and grade holds these words.
#[track_caller]
fn holds(findings: &[Value], subject: &str, grade: &str, words: &str) {
    let fits = |line: &&Value| line["subject"] == subject && line["grade"] == grade;
    assert!(
        findings.iter().filter(fits).any(|line| line.to_string().contains(words)),
        "no {grade} {subject} with `{words}` in {findings:#?}"
    );
}

/// Everything below the repository and its git folder, ignored files included.
fn whole(sandbox: &Sandbox) -> Vec<String> {
    let mut paths: Vec<String> = ignore::WalkBuilder::new(sandbox.repo())
        .standard_filters(false)
        .build()
        .map(|entry| entry.unwrap().path().display().to_string())
        .collect();
    paths.sort();
    paths
}

#[test]
fn a_fit_project_has_nothing_in_the_way_and_stays_as_it_was() {
    if !has_python() {
        return;
    }
    let sandbox = shop(TEST);
    let before = (sandbox.everything(), whole(&sandbox));
    let (findings, code) = looked(&sandbox);
    assert_eq!(code, 0, "{findings:#?}");
    assert_eq!((sandbox.everything(), whole(&sandbox)), before);
    for (subject, words) in [
        ("git", "git version"),
        ("settings", "tdd.yaml"),
        ("agent", "`mine` is found"),
        ("test", "tests: 1, none red"),
        ("test", "refuses a planted test"),
        ("gate", "the test command"),
        ("requirements", "STE-1"),
        ("ignored", "no ignored file"),
        ("runs", "no unfinished run"),
        ("leftovers", "nothing"),
        ("disk", "MiB"),
    ] {
        holds(&findings, subject, "ok", words);
    }
    holds(&findings, "sandbox", "warning", "write anywhere");
    let text = sandbox.tdd(&["doctor"]).expect(0).stdout;
    assert!(text.contains("ok       test         `python3 -m unittest"), "{text}");
    assert!(text.ends_with("nothing is in the way of a run; warnings: 1\n"), "{text}");
}

#[test]
fn a_gate_is_shown_to_refuse_or_not() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for (gate, grade, words) in [
        ("true", "problem", "lets a planted test pass"),
        ("false", "problem", "red as it is"),
        ("no-such-program-at-all", "problem", "could not be run"),
        ("python3 -m compileall -q tests", "warning", "runs no tests"),
        ("sh -c 'python3 -m unittest discover -q -s tests -t .'", "ok", "refuses a planted test"),
        ("python3 -m unittest discover -q -s tests -t . 2>/dev/null", "warning", "does not name it"),
    ] {
        let sandbox = shop(&format!("{TEST}gate: {gate:?}\n"));
        let before = whole(&sandbox);
        let (findings, _) = looked(&sandbox);
        holds(&findings, "gate", grade, words);
        holds(&findings, "test", "ok", "refuses a planted test");
        assert_eq!(whole(&sandbox), before, "{gate}");
    }
}

#[test]
fn a_test_command_is_shown_to_refuse_or_not() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for (settings, grade, words) in [
        ("test: 'true'\nrunner: { kind: exit-code, all: 'true' }\n", "problem", "lets a planted test pass"),
        ("test: 'false'\nrunner: { kind: exit-code, all: 'false' }\n", "problem", "red as it is"),
        ("test: make check\n", "problem", "runner:"),
    ] {
        let (findings, code) = looked(&shop(settings));
        assert_eq!(code, 1);
        holds(&findings, "test", grade, words);
    }
    // Tests whose runner was got at: every assertion holds.
    let sandbox = shop(TEST);
    sandbox.write("tests/__init__.py", "import unittest\nunittest.TestCase.run = lambda self, result=None: (result.startTest(self), result.addSuccess(self), result.stopTest(self))\n");
    sandbox.commit();
    holds(&looked(&sandbox).0, "test", "problem", "lets a planted test pass");
    // A test that is red, and a project without any.
    let sandbox = shop(TEST);
    sandbox.write("tests/test_red.py", "import unittest\n\nclass Red(unittest.TestCase):\n    def test_red(self):\n        self.assertEqual(1, 2)\n");
    sandbox.commit();
    holds(&looked(&sandbox).0, "test", "warning", "red: 1");
    std::fs::remove_dir_all(sandbox.path("tests")).unwrap();
    sandbox.write("tests/__init__.py", "");
    sandbox.commit();
    let (findings, code) = looked(&sandbox);
    holds(&findings, "test", "warning", "no test file yet");
    assert_eq!(code, 0, "no tests at all is how a project begins: {findings:#?}");
}

#[test]
fn a_pytest_project_is_fit() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = Sandbox::of_fixture("python");
    let before = whole(&sandbox);
    let (findings, _) = looked(&sandbox);
    holds(&findings, "test", "ok", "refuses a planted test");
    assert_eq!(whole(&sandbox), before);
}

#[test]
fn a_rust_project_is_fit() {
    left_to_the_night!();
    let sandbox = Sandbox::of_fixture("demo");
    sandbox.write("tdd.yaml", &format!("{AGENT}test: cargo test\ngate: cargo test --quiet\n"));
    sandbox.commit();
    let before = whole(&sandbox);
    let (findings, code) = looked(&sandbox);
    holds(&findings, "test", "ok", "refuses a planted test");
    holds(&findings, "gate", "ok", "refuses a planted test");
    assert_eq!((code, whole(&sandbox)), (0, before), "{findings:#?}");
}

#[test]
fn what_is_missing_or_broken_is_told_and_the_rest_is_looked_at() {
    left_to_the_night!();
    let empty = Sandbox::empty();
    let (findings, code) = looked(&empty);
    assert_eq!(code, 1);
    holds(&findings, "git", "problem", "git init");
    holds(&findings, "disk", "ok", "MiB");
    assert!(findings.iter().any(|line| line["subject"] == "agent"), "{findings:#?}");

    let sandbox = shop("tset: x\n");
    let (findings, code) = looked(&sandbox);
    assert_eq!(code, 1);
    holds(&findings, "settings", "problem", "tset");
    holds(&findings, "requirements", "ok", "STE-1");
    assert!(!findings.iter().any(|line| line["subject"] == "test"), "{findings:#?}");

    // An agent that is not there, by name and by looking for one.
    let sandbox = shop("test: 'true'\nrunner: { kind: exit-code, all: 'true' }\n");
    sandbox.write("tdd.yaml", "agent: mine\nagents: { mine: { argv: [no-such-agent, '{prompt_file}'] } }\n");
    holds(&looked(&sandbox).0, "agent", "problem", "no-such-agent");
    sandbox.write("tdd.yaml", "agent: nobody\n");
    holds(&looked(&sandbox).0, "agent", "problem", "no agent is named `nobody`");
    std::fs::remove_file(sandbox.path("tdd.yaml")).unwrap();
    let programs = sandbox.beside("programs");
    std::fs::create_dir(&programs).unwrap();
    for program in ["git", "sh"] {
        let path = std::env::var_os("PATH").unwrap();
        let found =
            std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.exists());
        std::os::unix::fs::symlink(found.unwrap(), programs.join(program)).unwrap();
    }
    let with_path = |path: &Path| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.env("PATH", path);
        findings_of(command)
    };
    let found = with_path(&programs);
    holds(&found, "agent", "problem", "neither claude nor codex");
    holds(&found, "test", "problem", "");
    std::fs::remove_file(programs.join("git")).unwrap();
    holds(&with_path(&programs), "git", "problem", "git can't be started");
}

fn findings_of(command: Command) -> Vec<Value> {
    findings(command, &[]).0
}

#[test]
fn an_agents_version_and_log_in_are_told_and_no_credential_is() {
    let sandbox = Sandbox::with(&[("a", "")]);
    let programs = sandbox.beside("programs");
    std::fs::create_dir(&programs).unwrap();
    let doctor = |version: &str, login: &str| {
        let program = programs.join("claude");
        std::fs::write(&program, format!("#!/bin/sh\necho '{version} (Claude Code)'\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        command.env("PATH", super::sandbox::path_with(&programs));
        if !login.is_empty() {
            command.env("ANTHROPIC_API_KEY", login);
        }
        findings_of(command)
    };
    let found = doctor("2.1.330", "");
    holds(&found, "agent", "ok", "is version 2.1.330, tested");
    holds(&found, "agent", "warning", ".claude/.credentials.json");
    let found = doctor("2.1.330", "my-own-secret");
    holds(&found, "agent", "ok", "the variable ANTHROPIC_API_KEY");
    assert!(!format!("{found:?}").contains("my-own-secret"));
    holds(&doctor("99.0.0", ""), "agent", "warning", "newer than any tested (2.1.330)");
    holds(&doctor("1.0.0", ""), "agent", "problem", "too old");
    let home = sandbox.beside("home/.claude");
    std::fs::create_dir(&home).unwrap();
    std::fs::write(home.join(".credentials.json"), "my-own-secret").unwrap();
    let found = doctor("2.1.330", "");
    holds(&found, "agent", "ok", "seems to be logged in");
    assert!(!format!("{found:?}").contains("my-own-secret"));
}

#[test]
fn what_git_has_open_is_told() {
    let sandbox = shop("test: 'true'\nrunner: { kind: exit-code, all: 'true' }\n");
    sandbox.git(&["checkout", "-q", "-b", "other"]);
    sandbox.write("shop.py", "theirs\n");
    sandbox.commit();
    sandbox.git(&["checkout", "-q", "main"]);
    sandbox.write("shop.py", "ours\n");
    sandbox.write(".tdd/runs/x", "log");
    sandbox.commit();
    let merged = sandbox
        .command("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@t", "merge", "-q", "other"])
        .output()
        .unwrap();
    assert!(!merged.status.success());
    let head = sandbox.git(&["rev-parse", "HEAD"]);
    sandbox.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{head},vendored")]);
    sandbox.write(".git/index.lock", "");
    let (findings, _) = looked(&sandbox);
    holds(&findings, "git", "problem", "index.lock");
    // A run refuses to begin on that.
    for words in ["in the midst of a merge", "in conflict"] {
        holds(&findings, "git", "problem", words);
    }
    for words in ["submodules", "vendored", ".tdd/runs/x"] {
        holds(&findings, "git", "warning", words);
    }
}

#[test]
fn ignored_files_at_risk_are_listed_by_harmless_names() {
    let sandbox = shop("test: 'true'\nrunner: { kind: exit-code, all: 'true' }\n");
    sandbox.write(".gitignore", "*.db\n.env\nnode_modules/\n__pycache__/\n");
    sandbox.commit();
    for path in [
        ".env",
        "a\nok       gate         all is well.db",
        "b\u{1b}[2Jc.db",
        "$(rm -rf x).db",
        "\u{202e}d.db",
        "node_modules/left/index.js",
        "__pycache__/a.pyc",
    ] {
        sandbox.write(path, "");
    }
    let (found, _) = looked(&sandbox);
    holds(&found, "ignored", "warning", ".env");
    holds(&found, "ignored", "warning", "snapshot: 5");
    holds(&found, "ignored", "warning", "'$(rm -rf x).db'");
    holds(&found, "tools", "ok", "node_modules/");
    let text = sandbox.tdd(&["doctor"]).stdout;
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text:?}");
    assert!(!text.lines().any(|line| line.starts_with("ok       gate         all is well")), "{text}");
    for number in 0..40 {
        sandbox.write(&format!("more{number}.db"), "");
    }
    holds(&looked(&sandbox).0, "ignored", "warning", "and 35 more");
}

#[test]
fn what_a_killed_run_left_is_listed_and_with_reap_ended() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let (sandbox, left, pids) = stops::killed();
    let (found, _) = looked(&sandbox);
    for pid in &left {
        holds(&found, "leftovers", "warning", &format!("process {pid} (`sleep`)"));
    }
    holds(&found, "leftovers", "warning", "tdd-exchange-");
    holds(&found, "runs", "warning", "tdd resume");
    assert!(!left.iter().all(|pid| stops::is_gone(pid)), "nothing is ended unasked");
    let (found, _) = findings(sandbox.command(env!("CARGO_BIN_EXE_tdd")), &["--reap"]);
    for pid in &left {
        holds(&found, "leftovers", "ok", &format!("ended process {pid} (`sleep`)"));
    }
    stops::all_gone(&pids);
    stops::no_exchange(&sandbox);
    holds(&looked(&sandbox).0, "leftovers", "ok", "nothing");
}

#[test]
fn a_work_tree_at_work_is_told_and_its_commands_are_not_tried() {
    if !has_python() {
        return;
    }
    let sandbox = shop(TEST);
    let lock = std::fs::File::create(sandbox.path(".git/tdd.lock")).unwrap();
    lock.lock().unwrap();
    let (found, code) = looked(&sandbox);
    assert_eq!(code, 1);
    holds(&found, "lock", "problem", "another tdd works");
    holds(&found, "test", "warning", "not tried");
    let (found, _) = findings(sandbox.command(env!("CARGO_BIN_EXE_tdd")), &["--reap"]);
    holds(&found, "leftovers", "problem", "another tdd works");
    drop(lock);
    assert_eq!(looked(&sandbox).1, 0);
}

#[test]
fn a_link_in_place_of_the_folder_of_runs_is_what_a_run_would_be_refused_for() {
    let sandbox = Sandbox::with(&[("tdd.yaml", "test: 'true'\n")]);
    std::fs::create_dir_all(sandbox.beside("elsewhere/runs")).unwrap();
    std::os::unix::fs::symlink(sandbox.beside("elsewhere"), sandbox.path(".tdd")).unwrap();
    let (findings, _) = looked(&sandbox);
    holds(&findings, "runs", "problem", ".tdd is a link");
    holds(&findings, "runs", "problem", "remove the link");
    assert!(!findings.iter().any(|line| line["what"] == "no unfinished run"), "{findings:#?}");
}

/// A `clean` that was killed: the folder is no run any more, and goes with the next command that may change anything.
#[test]
fn a_run_that_was_half_removed_is_named_and_goes() {
    let sandbox = Sandbox::with(&[("tdd.yaml", "test: 'true'\n")]);
    let left = ".tdd/runs/.removed-20261121T225708Z-STE-1-31d4";
    sandbox.write(&format!("{left}/events.jsonl"), "{}\n");
    let (findings, _) = looked(&sandbox);
    holds(&findings, "leftovers", "warning", ".removed-20261121T225708Z-STE-1-31d4");
    sandbox.tdd(&["clean", "--dry-run"]).expect(0);
    assert!(sandbox.path(left).exists(), "looking changes nothing");
    sandbox.tdd(&["clean"]).expect(0);
    assert!(!sandbox.path(left).exists());
    holds(&looked(&sandbox).0, "leftovers", "ok", "nothing");
}
