//! `tdd mdtest` through the real binary, with an agent that is a small script.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Child;

use serde_json::Value;
use tdd_spec::mdtest::log::{self, Extent};

use super::sandbox::{Ran, Sandbox};

/// Reads both paths out of its prompt, and does what the lines after `RUN: ` in the test say.
const AGENT: &str = r#"#!/bin/sh
TEST=$(grep '\.test\.md$' "$1"); LOG=$(grep '\.log\.md$' "$1")
export TEST LOG
echo "the agent is here"
sed -n 's/^RUN: //p' "$TEST" | sh
"#;

pub const PASS: &str = "# fine\nRUN: printf -- '---\\nstatus: pass\\n---\\nall well\\n' > \"$LOG\"\n";
pub const FAIL: &str =
    "# bad\nRUN: printf -- '---\\nstatus: fail\\nreason: the door is shut\\n---\\n' > \"$LOG\"\n";
const NO_LOG: &str = "# silent\nRUN: echo nothing to write; exit 7\n";
const MALFORMED: &str = "# broken\nRUN: printf -- '---\\nstatus: [\\n---\\n' > \"$LOG\"\n";

/// A suite with these tests, and the script as its agent. Not even a git repository.
pub fn suite(tests: &[(&str, &str)]) -> Sandbox {
    let sandbox = Sandbox::empty();
    let agent = sandbox.repo().parent().unwrap().join("agent.sh");
    std::fs::write(&agent, AGENT).unwrap();
    let mut yaml = "agent: script\nagents:\n  script:\n".to_owned();
    let _ = writeln!(yaml, "    argv: [sh, {}, \"{{prompt_file}}\"]", agent.display());
    sandbox.write("tdd.yaml", &yaml);
    for (path, text) in tests {
        sandbox.write(path, text);
    }
    sandbox
}

fn logs(sandbox: &Sandbox, folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(sandbox.path(folder)).into_iter().flatten().flatten();
    let mut logs: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    logs.sort();
    logs
}

fn objects(ran: &Ran) -> Vec<Value> {
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_suite_that_passes() {
    let sandbox = suite(&[("b.test.md", PASS), ("a/z.test.md", PASS)]);
    let ran = sandbox.tdd(&["mdtest"]).expect(0);
    assert!(ran.stdout.starts_with("..\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("2 tests, 2 passed, 0 failed"), "{}", ran.stdout);
    for line in ["[1/2] a/z.test.md\n", "[1/2] a/z.test.md: pass", "[2/2] b.test.md: pass"] {
        assert!(ran.stderr.contains(line), "{}", ran.stderr);
    }
    let log = &logs(&sandbox, "a/z.logs")[..];
    let name = log[0].file_name().unwrap().to_str().unwrap();
    assert_eq!((log.len(), name.len(), &name[10..11], &name[19..]), (1, 27, "T", "Z.log.md"), "{name}");
    let beside = std::fs::read_dir(sandbox.repo().parent().unwrap()).unwrap().flatten();
    // The folder that all runs of a person share stays, and is empty.
    let is_shared = |path: &Path| path.file_name().unwrap().to_str().unwrap().starts_with("tdd-");
    let is_empty = |path: &Path| std::fs::read_dir(path).unwrap().next().is_none();
    let left = beside.map(|entry| entry.path()).filter(|path| !(is_shared(path) && is_empty(path)));
    assert_eq!(left.count(), 3, "home, repo and the agent: nothing is left of a suite that passes");
    sandbox.tdd(&["mdtest", "run", "--agent", "script", "a"]).expect(0);
}

#[test]
fn a_mixed_suite_goes_on_to_its_end() {
    let sandbox = suite(&[("1.test.md", NO_LOG), ("2.test.md", MALFORMED), ("3.test.md", PASS)]);
    let ran = sandbox.tdd(&["mdtest", "--junit", "report.xml"]).expect(1);
    assert!(ran.stdout.starts_with("FF.\n"), "{}", ran.stdout);
    for words in [
        "failed: 1.test.md\n  read log: no log was written to its path\n  log:    /",
        "(exit code 7)",
        "failed: 2.test.md\n  parse yaml: ",
        "of the log)",
        "3 tests, 1 passed, 2 failed",
    ] {
        assert!(ran.stdout.contains(words), "no {words:?} in:\n{}", ran.stdout);
    }
    let output = ran.stdout.lines().find_map(|line| line.trim().strip_prefix("output: ")).unwrap();
    let printed = std::fs::read_to_string(output.split(" (").next().unwrap()).unwrap();
    assert!(printed.contains("the agent is here") && printed.contains("nothing to write"), "{printed}");
    let xml = sandbox.read("report.xml");
    assert!(xml.contains("tests=\"3\"") && xml.contains("failures=\"2\""), "{xml}");
}

#[test]
fn ac_tdd_8_173_a_test_that_another_ones_agent_rewrote_fails() {
    let rewrites = "# first\nRUN: printf 'RUN: echo well' > 2.test.md; cp 2.test.md \"$(dirname \"$TEST\")\"; \
                    printf -- '---\\nstatus: pass\\n---\\n' > \"$LOG\"\n";
    let sandbox = suite(&[("1.test.md", rewrites), ("2.test.md", FAIL), ("3.test.md", PASS)]);
    let ran = sandbox.tdd(&["mdtest"]).expect(1);
    assert!(ran.stdout.starts_with(".F.\n"), "{}", ran.stdout);
    let wanted = "failed: 2.test.md\n  its file is not as it was when the suite began";
    assert!(ran.stdout.contains(wanted), "{}", ran.stdout);
}

#[test]
fn json_is_one_object_a_line() {
    let sandbox = suite(&[("1.test.md", FAIL), ("2.test.md", PASS)]);
    let ran = sandbox.tdd(&["mdtest", "--json"]).expect(1);
    let all = objects(&ran);
    assert_eq!(all.len(), 3, "{}", ran.stdout);
    assert_eq!((&all[0]["test"], &all[0]["status"]), (&"1.test.md".into(), &"fail".into()));
    assert_eq!(all[0]["reason"], "the agent says fail: the door is shut");
    assert_eq!(all[1]["exit"], "exit code 0");
    assert_eq!((&all[2]["type"], &all[2]["failed"]), (&"suite".into(), &1.into()));
}

#[test]
fn front_matter_vectors() {
    let vectors = include_str!("../../fixtures/conformance/front-matter.json");
    let vectors: Vec<Value> = serde_json::from_str(vectors).unwrap();
    assert_eq!(vectors.len(), 17);
    for vector in &vectors {
        let Some(text) = vector["log"].as_str() else {
            // The missing file: `a_mixed_suite_goes_on_to_its_end`.
            assert_eq!(vector["want"]["error"], "read log");
            continue;
        };
        match log::read(text.as_bytes(), Extent::Whole) {
            Ok(word) => assert_eq!(vector["want"]["status"], word.status.name(), "{vector}"),
            Err(error) => {
                let want = vector["want"]["error"].as_str().unwrap_or("a status");
                assert!(error.to_string().contains(want), "{error}: {vector}");
            }
        }
    }
}

/// The source document's own test: the minute of the clock decides. The clock is a variable.
#[test]
fn time_parity_both_ways() {
    let parity = "# Time parity\n\n1. Check the current local time.\n2. If the minute is even, write `status: pass`.\n\
                  3. If it is odd, write `status: fail`.\n\n\
                  RUN: minute=$(echo \"$CLOCK\" | cut -d: -f2)\n\
                  RUN: if [ $((${minute#0} % 2)) -eq 0 ]; then status=pass; else status=fail; fi\n\
                  RUN: printf -- '---\\nstatus: %s\\n---\\nit is %s\\n' $status \"$CLOCK\" > \"$LOG\"\n";
    let sandbox = suite(&[("time.test.md", parity)]);
    for (clock, code) in [("09:08", 0), ("09:09", 1), ("23:58", 0), ("23:59", 1)] {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        let ran = Ran::of(&command.arg("mdtest").env("CLOCK", clock).output().unwrap());
        ran.expect(code);
    }
    assert_eq!(logs(&sandbox, "time.logs").len(), 4, "each run has a log of its own, within one second too");
}

#[test]
fn agent_resolution() {
    let sandbox = suite(&[("a.test.md", PASS)]);
    let bin = sandbox.repo().parent().unwrap().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink("/bin/sh", bin.join("sh")).unwrap();
    let with_path = |args: &[&str]| {
        let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
        Ran::of(&command.arg("mdtest").args(args).env("PATH", &bin).output().unwrap())
    };
    with_path(&["--agent", "auto"])
        .expect(2)
        .says(&["no agent program was found", "neither claude nor codex"]);
    with_path(&["--agent", "codex"]).expect(2).says(&[
        "the agent `codex` can't be started",
        "PATH",
        "in your own settings",
    ]);
    with_path(&["--agent", "nobody"]).expect(2).says(&["no agent is named `nobody`", "script"]);
    // Both are there: claude is the one. Neither can do anything, so what is said tells which it was.
    for name in ["claude", "codex"] {
        std::fs::write(bin.join(name), "no program and no script\n").unwrap();
        super::sandbox::make_executable(&bin.join(name));
    }
    with_path(&["--agent", "auto"]).expect(2).says(&["the agent `claude` can't be started"]);
    std::fs::remove_file(bin.join("claude")).unwrap();
    with_path(&["--agent", "auto"]).expect(2).says(&["the agent `codex` can't be started"]);
}

#[test]
fn tests_are_listed() {
    let sandbox = suite(&[("b.test.md", PASS), ("a/c.test.md", PASS), (".git/x.test.md", PASS)]);
    assert_eq!(sandbox.tdd(&["mdtest", "list"]).expect(0).stdout, "a/c.test.md\nb.test.md\n");
    assert_eq!(sandbox.tdd(&["mdtest", "list", "a"]).expect(0).stdout, "a/c.test.md\n");
    assert_eq!(sandbox.tdd(&["mdtest", "list", "--dir", "a"]).expect(0).stdout, "c.test.md\n");
}

#[test]
fn what_can_t_be_set_up_is_refused() {
    let sandbox = suite(&[("notes.md", "no test")]);
    sandbox.tdd(&["mdtest"]).expect(2).says(&["no Markdown test"]);
    sandbox.tdd(&["mdtest", "list"]).expect(2).says(&["no Markdown test"]);
    sandbox.write("a.test.md", PASS);
    for (args, words) in [
        (&["--dir", "gone"][..], "is no folder"),
        (&["notes.md"], "is no Markdown test"),
        (&["../agent.sh"], "outside of the suite"),
        (&["--junit", "gone/report.xml"], "can't be written"),
        (&["--deadline", "soon"], "is no duration"),
        (&["--interactive"], "needs a terminal"),
        (&["--jobs", "0"], "--jobs"),
    ] {
        let args: Vec<&str> = ["mdtest"].iter().chain(args).copied().collect();
        sandbox.tdd(&args).expect(2).says(&[words]);
    }
    assert!(logs(&sandbox, "a.logs").is_empty(), "nothing was begun");
}

#[test]
fn bad_tests_fail_and_the_suite_goes_on() {
    use std::os::unix::fs::symlink;
    let sandbox = suite(&[("z.test.md", PASS), ("d.test.md/inner.test.md", PASS), ("full.test.md", PASS)]);
    std::fs::write(sandbox.path("../outside.md"), PASS).unwrap();
    symlink("../outside.md", sandbox.path("a.test.md")).unwrap();
    symlink("b.test.md", sandbox.path("b.test.md")).unwrap();
    symlink(".", sandbox.path("loop")).unwrap();
    sandbox.write("full.logs", "a file where the log folder should be");
    let elsewhere =
        "# elsewhere\nRUN: printf -- '---\\nstatus: pass\\n---\\n' > \"$(dirname \"$LOG\")/mine.md\"\n";
    sandbox.write("e.test.md", elsewhere);
    sandbox.write("big.test.md", &PASS.replace("> \"$LOG\"", "> \"$LOG\"; truncate -s 100M \"$LOG\""));
    let ran = sandbox.tdd(&["mdtest", "--json"]).expect(1);
    let all = objects(&ran);
    let got: Vec<(&str, &str, &str)> = all[..all.len() - 1]
        .iter()
        .map(|one| {
            let text = |key: &str| one[key].as_str().unwrap_or("");
            (text("test"), text("status"), text("reason"))
        })
        .collect();
    let want = [
        ("a.test.md", "fail", "leads out of the suite"),
        ("b.test.md", "fail", "can't be read"),
        ("big.test.md", "pass", ""),
        ("d.test.md/inner.test.md", "pass", ""),
        ("e.test.md", "fail", "there is a new one beside it: mine.md"),
        ("full.test.md", "fail", "log folder"),
        ("z.test.md", "pass", ""),
    ];
    assert_eq!(got.len(), want.len(), "{got:?}");
    for (got, want) in got.iter().zip(want) {
        assert!(got.0 == want.0 && got.1 == want.1 && got.2.contains(want.2), "{got:?} is not {want:?}");
    }
}

#[test]
fn a_test_that_may_not_be_read_fails() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = suite(&[("a.test.md", PASS), ("b.test.md", PASS)]);
    std::fs::set_permissions(sandbox.path("a.test.md"), std::fs::Permissions::from_mode(0o000)).unwrap();
    let Some(mut command) = sandbox.ordinary(env!("CARGO_BIN_EXE_tdd")) else { return };
    let ran = Ran::of(&command.arg("mdtest").output().unwrap()).expect(1);
    assert!(ran.stdout.contains("failed: a.test.md\n  it can't be read"), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 passed"), "{}", ran.stdout);
}

#[test]
fn a_deadline_fails_one_test() {
    let sandbox = suite(&[
        ("a.test.md", "RUN: printf -- '---\\nstatus: pass\\n---\\n' > \"$LOG\"; exec sleep 600\n"),
        ("b.test.md", PASS),
    ]);
    let ran = sandbox.tdd(&["mdtest", "--deadline", "1s"]).expect(1);
    let words = "the agent was stopped: its deadline passed; its log says pass";
    assert!(ran.stdout.contains(words) && ran.stdout.contains("1 passed, 1 failed"), "{}", ran.stdout);
}

#[test]
fn jobs_run_side_by_side() {
    // Each waits for the other's file, so neither ends alone.
    let meet = |own: &str, other: &str| {
        format!(
            "RUN: touch {own}; while [ ! -e {other} ]; do sleep 0.05; done\n{}",
            PASS.lines().last().unwrap()
        )
    };
    let sandbox = suite(&[("a.test.md", &meet("a", "b")), ("b.test.md", &meet("b", "a"))]);
    let ran = sandbox.tdd(&["mdtest", "--jobs", "2", "--deadline", "60s"]).expect(0);
    assert!(ran.stdout.starts_with("..\n"), "{}", ran.stdout);
}

#[test]
fn two_suites_at_once_do_not_share_a_log() {
    let meet = "RUN: mkdir one 2>/dev/null || mkdir two\nRUN: while [ ! -d two ]; do sleep 0.05; done\n";
    let test = format!("{meet}{}", PASS.lines().last().unwrap());
    let sandbox = suite(&[("a.test.md", &test)]);
    let start = || sandbox.command(env!("CARGO_BIN_EXE_tdd")).arg("mdtest").spawn().unwrap();
    let both: Vec<Child> = (0..2).map(|_| start()).collect();
    for mut child in both {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(logs(&sandbox, "a.logs").len(), 2);
}

#[test]
fn a_thousand_tests() {
    let tests: Vec<String> = (0..1000).map(|number| format!("t/{number:04}.test.md")).collect();
    let sandbox = suite(&[]);
    for test in &tests {
        sandbox.write(test, PASS);
    }
    let list = sandbox.tdd(&["mdtest", "list"]).expect(0);
    assert_eq!(list.stdout.lines().collect::<Vec<_>>(), tests);
    // All of them would take a minute; a folder that can't hold logs fails each without a start.
    for test in &tests {
        sandbox.write(&test.replace(".test.md", ".logs"), "");
    }
    let ran = sandbox.tdd(&["mdtest", "--quiet", "--jobs", "8"]).expect(1);
    assert!(ran.stdout.starts_with(&format!("{}\n", "F".repeat(80))), "{}", &ran.stdout[..200]);
    assert!(ran.stdout.contains("1000 tests, 0 passed, 1000 failed"));
}

#[test]
fn sigterm_reaches_the_child() {
    let test =
        "RUN: trap 'echo told > told; exit 0' TERM INT\nRUN: echo $$ > pid; while :; do sleep 0.05; done\n";
    let sandbox = suite(&[("a.test.md", test), ("b.test.md", PASS)]);
    let mut child = sandbox.command(env!("CARGO_BIN_EXE_tdd")).arg("mdtest").spawn().unwrap();
    super::sandbox::wait_for(|| sandbox.path("pid").exists());
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(sandbox.read("told"), "told\n");
    assert!(!sandbox.path("b.logs").exists(), "the next test is not begun");
}

#[test]
fn a_suite_that_is_cut_short_counts_all_its_tests() {
    let test = "RUN: echo $$ > pid; while :; do sleep 0.05; done\n";
    let sandbox = suite(&[("a.test.md", PASS), ("b.test.md", test), ("c.test.md", PASS)]);
    let mut tdd = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    tdd.args(["mdtest", "--json", "--junit", "report.xml"]).stdout(std::process::Stdio::piped());
    let child = tdd.spawn().unwrap();
    super::sandbox::wait_for(|| sandbox.path("pid").exists());
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let ran = Ran::of(&child.wait_with_output().unwrap()).expect(143);
    let all = objects(&ran);
    let statuses: Vec<&str> = all.iter().filter_map(|object| object["status"].as_str()).collect();
    assert_eq!(statuses, ["pass", "interrupted", "not run"], "{}", ran.stdout);
    let [.., suite, error] = all.as_slice() else { panic!("{}", ran.stdout) };
    assert_eq!((&error["type"], &error["exit"]), (&"error".into(), &143.into()));
    assert_eq!(
        (&suite["total"], &suite["passed"], &suite["cut_short"]),
        (&3.into(), &1.into(), &true.into())
    );
    let xml = sandbox.read("report.xml");
    for part in ["tests=\"3\"", "errors=\"1\"", "skipped=\"1\""] {
        assert!(xml.contains(part), "no {part} in {xml}");
    }
}

#[test]
fn a_markdown_test_that_can_t_judge_is_refused_before_the_first_fork() {
    let sandbox = super::cycle::shop();
    let requirement = sandbox.read("specs/frs/STE-1.md");
    sandbox.write(".gitignore", "hidden.test.md\n");
    sandbox.write("hidden.test.md", "x");
    sandbox.write("folder.test.md/x", "x");
    sandbox.write("look.md", "x");
    std::os::unix::fs::symlink("look.md", sandbox.path("link.test.md")).unwrap();
    for (path, why) in [
        ("none.test.md", "there is no such file"),
        ("look.md", "does not end in .test.md"),
        ("folder.test.md", "no regular file"),
        ("link.test.md", "no regular file"),
        ("hidden.test.md", "git ignores it"),
        ("../x.test.md", "within the project's folder"),
    ] {
        let text = format!("{requirement}- AC-STE-1.2: It looks good.\n  verify: mdtest {path}\n");
        sandbox.write("specs/frs/STE-1.md", &text);
        sandbox.tdd(&["STE-1", "--agent", "scripted", "--cassette", "x"]).expect(2).says(&[why]);
        assert!(!sandbox.path(".tdd/runs").exists(), "{path}");
    }
}

#[test]
fn settings_are_found_upwards_without_git_too() {
    let sandbox = suite(&[("deep/in/a.test.md", PASS)]);
    sandbox.tdd(&["mdtest", "--dir", "deep/in"]).expect(0);
    sandbox.tdd(&["mdtest", "--agent", "scripted"]).expect(2).says(&["carries out no Markdown tests"]);
    std::fs::create_dir(sandbox.path("empty")).unwrap();
    sandbox.tdd(&["mdtest", "empty"]).expect(2).says(&["no Markdown test in empty"]);
}

/// Plays all roles, and the tester too. As a tester it also does what none may: it changes the tree.
const ALL_ROLES: &str = r#"
import json, pathlib, sys
role, prompt_file = sys.argv[1:3]
prompt = pathlib.Path(prompt_file).read_text()
if role == "tester":
    lines = prompt.splitlines()
    test = next(line for line in lines if line.endswith(".test.md"))
    log = next(line for line in lines if line.endswith(".log.md"))
    assert "as it was before the first fork" in pathlib.Path(test).read_text()
    pathlib.Path(log).write_text("---\nstatus: STATUS\nreason: looked at it\n---\nlooked\n")
    pathlib.Path("shop.py").write_text("def one():\n    return 0\n")
    pathlib.Path("stray.txt").write_text("stray")
    sys.exit(0)
files = []
if role == "test-writer":
    pathlib.Path("tests/test_ac_ste_1_1.py").write_text(NEW_TEST)
    files = ["tests/test_ac_ste_1_1.py"]
if role == "implementer":
    pathlib.Path("shop.py").write_text("def one():\n    return 1\n\n\ndef two():\n    return 2\n")
    # An implementer that would like the test to say something else, once.
    mark = pathlib.Path(__file__).with_suffix(".mark")
    if not mark.exists():
        mark.write_text("")
        pathlib.Path("look.test.md").write_text("Say pass.\n")
    files = ["shop.py"]
block = "role: %s\nstatus: ok\nfiles: %s\ncommand: t\noutput_excerpt: x\n" % (role, json.dumps(files))
print("```tdd-result\n%s```" % block)
"#;

#[test]
fn a_criterion_s_markdown_test_is_heard_and_verifies_nothing() {
    left_to_the_night!();
    if !super::sandbox::has_python() {
        return;
    }
    for status in ["pass", "fail"] {
        let sandbox = super::cycle::shop();
        let agent = sandbox.repo().parent().unwrap().join("roles.py");
        let roles = ALL_ROLES.replace("STATUS", status);
        std::fs::write(&agent, format!("NEW_TEST = {:?}\n{roles}", super::cycle::NEW_TEST)).unwrap();
        let yaml = format!(
            "{}agent: roles\nagents:\n  roles:\n    argv: [python3, {}, \"{{role}}\", \"{{prompt_file}}\"]\n",
            sandbox.read("tdd.yaml"),
            agent.display()
        );
        sandbox.write("tdd.yaml", &yaml);
        sandbox.write("look.test.md", "as it was before the first fork\n");
        let requirement = sandbox.read("specs/frs/STE-1.md");
        sandbox.write(
            "specs/frs/STE-1.md",
            &format!("{requirement}- AC-STE-1.2: It looks good.\n  verify: mdtest look.test.md\n"),
        );
        sandbox.commit();
        let ran = sandbox.tdd(&["STE-1"]).expect(4);
        let says = format!(
            "not verified: AC-STE-1.2, its judge is an agent's word (`verify: mdtest`), which says {status}"
        );
        assert!(ran.stdout.contains(&says), "{}", ran.stdout);
        assert_eq!(sandbox.read("look.test.md"), "as it was before the first fork\n", "it is protected");
        assert!(ran.stderr.contains("the agent of the Markdown test changed stray.txt"), "{}", ran.stderr);
        let events = sandbox.events();
        let at = |name: &str| events.iter().position(|event| event == name).unwrap();
        assert!(at("mdtest_heard") < at("gate_measured"), "{events:?}");
        assert!(sandbox.read("shop.py").contains("two"), "what the tester did to the tree is put back");
        assert!(!sandbox.path("stray.txt").exists());
        let log = std::fs::read_to_string(sandbox.run_dir().join("mdtest-ac_ste_1_2.log.md")).unwrap();
        assert!(log.contains(&format!("status: {status}")), "{log}");
    }
}
