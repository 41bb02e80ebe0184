//! `tdd resume`: after a kill, a stop, a pause and a halt (contract sections 9 and 11).

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use serde_json::json;

use super::battery;
use super::cycle::{honest_shop_cassette, shop};
use super::sandbox::{Ran, Sandbox, has_python};

fn cassette(sandbox: &Sandbox, text: &str) -> String {
    let path = sandbox.repo().parent().unwrap().join("cassette.yaml");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// The honest cassette with another implementer.
fn implementer(entry: &str) -> String {
    let honest = honest_shop_cassette();
    let (before, rest) = honest.split_once("- role: implementer\n").unwrap();
    let after = rest.find("- role: refactorer").unwrap();
    format!("{before}- role: implementer\n{entry}\n{}", &rest[after..])
}

const HANGS: &str = "  misbehave: hang";
const IDLE: &str = "  say: { status: ok, files: [], command: t, output_excerpt: x }";

/// Starts a run and reads its progress until a line holds `word`.
fn until(sandbox: &Sandbox, cassette: &str, word: &str) -> Child {
    let mut child = sandbox
        .command(env!("CARGO_BIN_EXE_tdd"))
        .args(["STE-1", "-v", "--cassette", cassette])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains(word) {
        line.clear();
        assert!(lines.read_line(&mut line).unwrap() > 0, "the run ended before `{word}`");
    }
    // Whoever closes the pipe must not stop the run, so it is kept until the end.
    std::mem::forget(lines);
    child
}

fn signal(child: &Child, name: &str) {
    let sent = std::process::Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn finishes(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let honest = cassette(sandbox, &honest_shop_cassette());
    let args: Vec<&str> = ["resume", "--cassette", &honest].into_iter().chain(args.iter().copied()).collect();
    sandbox.tdd(&args)
}

#[test]
fn ac_tdd_7_2_a_killed_run_goes_on_and_the_cut_attempt_does_not_count() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let hangs = cassette(&sandbox, &implementer(HANGS));
    for _ in 0..2 {
        let first = !sandbox.path(".tdd").exists();
        let mut child = if first {
            until(&sandbox, &hangs, "GREEN AC-STE-1.1, attempt")
        } else {
            let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
            command.args(["resume", "-v", "--cassette", &hangs]).stderr(Stdio::piped()).stdout(Stdio::null());
            let mut child = command.spawn().unwrap();
            let mut lines = BufReader::new(child.stderr.take().unwrap());
            let mut line = String::new();
            while !line.contains("GREEN AC-STE-1.1, attempt") {
                line.clear();
                assert!(lines.read_line(&mut line).unwrap() > 0, "the run ended early");
            }
            std::mem::forget(lines);
            child
        };
        signal(&child, "-KILL");
        child.wait().unwrap();
    }
    finishes(&sandbox, &[]).expect(0);
    assert!(sandbox.read("shop.py").contains("def two"));
    let events = sandbox.events();
    let count = |name: &str| events.iter().filter(|event| *event == name).count();
    assert_eq!((count("attempt_started"), count("attempt_cut"), count("agent_returned")), (5, 2, 3));
    // What the killed processes had not labelled yet, the last one has.
    let refs = sandbox.git(&["for-each-ref", "--format=%(refname:lstrip=3)", "refs/tdd"]);
    let labels: Vec<&str> = refs.lines().collect();
    for label in ["0", "before-test-writer-1", "good-test-writer-1", "good-refactorer-1"] {
        assert!(labels.contains(&label), "{label} in {labels:?}");
    }
    let of_implementer = |kind: &str| {
        labels.iter().filter(|label| label.starts_with(&format!("{kind}-implementer-ac_ste_1_1-"))).count()
    };
    assert!(of_implementer("before") > 0 && of_implementer("good") == 1, "{labels:?}");
}

#[test]
fn a_stopped_run_goes_on() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let hangs = cassette(&sandbox, &implementer(HANGS));
    let mut child = until(&sandbox, &hangs, "GREEN AC-STE-1.1, attempt");
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(sandbox.events().last().map(String::as_str), Some("stopped"));
    sandbox.tdd(&["STE-1"]).expect(2).says(&["unfinished", "tdd resume"]);
    let before = logs_of_tests(&sandbox);
    finishes(&sandbox, &[]).expect(0);
    let after = logs_of_tests(&sandbox);
    assert!(!before.is_empty() && after.len() > before.len(), "{before:?}, {after:?}");
    for (number, name) in before.iter().enumerate() {
        assert_eq!(&after[number], name, "the logs are numbered on, and none is written over");
    }
}

/// Their names, each with when it was written.
fn logs_of_tests(sandbox: &Sandbox) -> Vec<(String, std::time::SystemTime)> {
    let entries = std::fs::read_dir(sandbox.run_dir().join("tests")).unwrap().flatten();
    let of = |entry: std::fs::DirEntry| {
        (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().modified().unwrap())
    };
    let mut logs: Vec<_> = entries.map(of).filter(|(name, _)| name.contains(".log")).collect();
    logs.sort();
    logs
}

#[test]
fn a_run_that_stops_after_red_goes_on() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let honest = cassette(&sandbox, &honest_shop_cassette());
    sandbox.tdd(&["STE-1", "--stop-after", "red", "--cassette", &honest]).expect(3);
    assert_eq!(sandbox.forks(), 1);
    finishes(&sandbox, &[]).expect(0);
    assert_eq!(sandbox.forks(), 3);
}

#[test]
fn what_the_flags_let_through_is_kept_for_whoever_goes_on() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let honest = cassette(&sandbox, &honest_shop_cassette());
    let flags = ["--no-supersede", "--allow-red-baseline", "--allow-red-gate", "--gate", "false"];
    let begin = ["STE-1", "--stop-after", "red", "--cassette", &honest];
    sandbox.tdd(&[&begin[..], &flags[..]].concat()).expect(3);
    let journal = std::fs::read_dir(sandbox.path(".tdd/runs")).unwrap().flatten().next().unwrap();
    let journal = std::fs::read_to_string(journal.path().join("events.jsonl")).unwrap();
    let first = journal.lines().next().unwrap();
    for kept in [r#""supersede":"refuse""#, r#""red_baseline":"allow""#, r#""red_gate":"allow""#] {
        assert!(first.contains(kept), "{kept}: {first}");
    }
    finishes(&sandbox, &[]).expect(0);
}

#[test]
fn ac_tdd_7_3_what_somebody_else_changed_meanwhile_is_shown_and_not_overwritten() {
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let honest = cassette(&sandbox, &honest_shop_cassette());
    sandbox.tdd(&["STE-1", "--stop-after", "red", "--cassette", &honest]).expect(3);
    let mine = format!("{}# mine\n", sandbox.read("shop.py"));
    sandbox.write("shop.py", &mine);
    sandbox.write("notes.txt", "new");
    let told = finishes(&sandbox, &[]).expect(3).says(&["shop.py", "--edited", "they are kept first"]);
    assert_eq!(sandbox.read("shop.py"), mine);
    // What is proposed puts back all of it, and keeps what was there.
    let is_proposed = |line: &&str| line.trim().starts_with("tdd undo ") && line.contains("--to");
    let proposed = told.stderr.lines().find(is_proposed).unwrap();
    let words: Vec<&str> = proposed.split_whitespace().skip(1).collect();
    let undone = sandbox.tdd(&words).expect(0);
    assert!(!sandbox.path("notes.txt").exists() && !sandbox.read("shop.py").contains("mine"));
    let kept =
        undone.stdout.lines().find_map(|line| line.trim().strip_prefix("tdd undo ")).unwrap().to_owned();
    assert!(kept.contains("--to undone-"), "{kept}");
    finishes(&sandbox, &[]).expect(0);
}

/// A run that halted because its implementer does nothing.
fn halted() -> Sandbox {
    let sandbox = shop();
    let idle = cassette(&sandbox, &implementer(IDLE));
    sandbox.tdd(&["STE-1", "--cassette", &idle]).expect(1);
    assert_eq!(sandbox.forks(), 3);
    sandbox
}

#[test]
fn ac_tdd_7_4_after_a_halt_the_operator_has_to_say_how() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = halted();
    finishes(&sandbox, &[]).expect(2).says(&["--retry", "--edited", "--accept", "--abandon"]);
    finishes(&sandbox, &["--accept", "AC-STE-1.7"]).expect(2).says(&["AC-STE-1.1"]);
    finishes(&sandbox, &["--retry"]).expect(0);
    assert_eq!(sandbox.forks(), 5);
    finishes(&sandbox, &["--retry"]).expect(2).says(&["no run to go on with"]);
}

#[test]
fn a_retry_has_a_fresh_budget_and_no_more() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = halted();
    let idle = cassette(&sandbox, &implementer(IDLE));
    sandbox.tdd(&["resume", "--retry", "--cassette", &idle]).expect(1);
    assert_eq!(sandbox.forks(), 5);
}

#[test]
fn ac_tdd_7_5_an_accepted_criterion_is_never_verified() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = halted();
    let ran = finishes(&sandbox, &["--accept", "AC-STE-1.1"]).expect(4);
    assert!(ran.stdout.contains("not verified: AC-STE-1.1"), "{}", ran.stdout);
    assert!(!sandbox.read("shop.py").contains("def two"));
}

#[test]
fn ac_tdd_6_43_tests_that_were_accepted_as_red_are_told_as_that() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let red = "as you type it is most likely red: it runs the tests of AC-STE-1.1, too";
    let sandbox = halted();
    let ran = finishes(&sandbox, &["--accept", "AC-STE-1.1"]).expect(4);
    assert!(ran.stdout.contains(red), "{}", ran.stdout);
    let sandbox = halted();
    let ran = finishes(&sandbox, &["--retry"]).expect(0);
    assert!(!ran.stdout.contains("most likely red"), "{}", ran.stdout);
}

/// A run of the demo's could not be gone on with from its review, which knows no cassette.
#[test]
fn ac_tdd_9_35_what_the_scripted_agent_plays_holds_when_a_run_is_gone_on_with() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = halted();
    // The same file, which the run knows by its place, is another piece by now.
    cassette(&sandbox, &honest_shop_cassette());
    sandbox.tdd(&["resume", "--retry"]).expect(0);
    // The honest twin: whoever names another agent gets that one.
    let sandbox = halted();
    let ran = sandbox.tdd(&["resume", "--retry", "--agent", "no-such-agent"]).expect(2);
    assert!(ran.stderr.contains("no-such-agent") && !ran.stderr.contains("contradict"), "{}", ran.stderr);
}

#[test]
fn an_abandoned_run_is_over() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = halted();
    // Without a cassette the scripted agent can't be started; giving up must not want one.
    sandbox.tdd(&["resume", "--abandon"]).expect(1).says(&["given up"]);
    let honest = cassette(&sandbox, &honest_shop_cassette());
    std::fs::remove_file(sandbox.path("tests/test_ac_ste_1_1.py")).unwrap();
    sandbox.tdd(&["STE-1", "--cassette", &honest]).expect(0);
}

#[test]
fn ac_tdd_7_6_edited_tests_are_checked_for_red_again() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = halted();
    let test = sandbox.read("tests/test_ac_ste_1_1.py");
    // A test that passes at once is refused, and the halt stands.
    sandbox.write("tests/test_ac_ste_1_1.py", &test.replace("shop.two(), 2", "shop.one(), 1"));
    finishes(&sandbox, &["--edited"]).expect(1).says(&[
        "they do not stand: AC-STE-1.1",
        "stays halted",
        "put all files back as they were at the halt: tdd undo ",
        "halt.txt",
    ]);
    // Nor does it stand by another word.
    finishes(&sandbox, &["--retry"]).expect(3).says(&["tests/test_ac_ste_1_1.py", "--edited"]);
    sandbox.write("tests/test_ac_ste_1_1.py", &test.replace("test_new", "test_edited"));
    finishes(&sandbox, &["--edited"]).expect(0);
    assert!(sandbox.read("tests/test_ac_ste_1_1.py").contains("test_edited"), "the operator's test stays");
}

#[test]
fn code_that_was_mended_by_hand_after_a_halt_is_gone_on_with() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = halted();
    sandbox.write("shop.py", &format!("{}\ndef two():\n    return 2\n", sandbox.read("shop.py")));
    finishes(&sandbox, &["--retry"]).expect(3).says(&["shop.py", "--edited"]);
    let ran = finishes(&sandbox, &["--edited", "--junit", "by-hand.xml"]).expect(0);
    let junit = sandbox.read("by-hand.xml");
    assert!(junit.contains(r#"failures="0""#) && !junit.contains("still red"), "{junit}");
    sandbox.tdd(&["why", "AC-STE-1.1"]).expect(0).says_on_stdout(&["green  by hand"]);
    sandbox.tdd(&["matrix"]).expect(0).says_on_stdout(&["green by hand"]);
    // The refactorer alone: the implementer has nothing left to do.
    assert!(ran.stdout.contains("attempts: 4, 2 failed on their work"), "{}", ran.stdout);
    assert!(ran.stdout.contains("green, by hand"), "{}", ran.stdout);
}

/// What unittest calls a test is known from a run alone: before there was a module it did not load.
#[test]
fn ac_tdd_9_95_code_by_hand_counts_for_tests_that_did_not_load_when_they_were_seen_red() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let test = "import unittest\nimport shop\n\n\nclass New(unittest.TestCase):\n    def test_two(self):\n        \
                self.assertEqual(shop.two(), 2)\n";
    let old = "import unittest\n\n\nclass Old(unittest.TestCase):\n    def test_old(self):\n        \
               self.assertEqual(1, 1)\n";
    let sandbox = Sandbox::with(&[
        (".gitignore", "__pycache__/\n"),
        ("tests/__init__.py", ""),
        ("tests/test_old.py", old),
        (
            "tdd.yaml",
            "test: python3 -m unittest discover -s tests -t .\nbudgets: { semantic: 1, format: 1 }\n",
        ),
        ("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: two() is 2.\n"),
    ]);
    let say = |file: &str| json!({ "status": "ok", "files": [file] });
    let calls = json!([
        { "role": "test-writer", "write": { "tests/test_ac_ste_1_1.py": test }, "say": say("tests/test_ac_ste_1_1.py") },
        { "role": "implementer", "write": { "shop.py": "def two():\n    return 0\n" }, "say": say("shop.py") },
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    let file = cassette(&sandbox, &calls.to_string());
    sandbox.tdd(&["STE-1", "--agent", "scripted", "--no-review", "--cassette", &file]).expect(1);
    sandbox.write("shop.py", "def two():\n    return 2\n");
    sandbox.tdd(&["resume", "STE-1", "--edited", "--no-review", "--cassette", &file]).expect(0);
    assert_eq!(sandbox.read("shop.py"), "def two():\n    return 2\n", "the person's own");
    sandbox.tdd(&["why", "AC-STE-1.1"]).expect(0).says_on_stdout(&["green  by hand"]);
}

#[test]
fn a_run_that_never_began_can_t_be_gone_on_with_and_says_so() {
    let sandbox = shop();
    sandbox.write("tdd.yaml", "test: no-such-program\nrunner: { kind: exit-code, all: no-such-program }\n");
    let honest = cassette(&sandbox, &honest_shop_cassette());
    sandbox.tdd(&["STE-1", "--cassette", &honest]).expect(2).says(&["no-such-program"]);
    let run = sandbox.run_dir().file_name().unwrap().to_str().unwrap().to_owned();
    finishes(&sandbox, &[&run]).expect(2).says(&["before any work was done", "start another one: tdd STE-1"]);
}

#[test]
fn a_halted_run_whose_tests_lie_in_the_tree_is_named_before_another_begins() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = halted();
    let honest = cassette(&sandbox, &honest_shop_cassette());
    let again = ["STE-1", "--cassette", &honest];
    sandbox.tdd(&again).expect(2).says(&["halted run", "halt.txt", "--retry", "--edited", "undo", "--new"]);
    assert_eq!(sandbox.forks(), 3, "nothing was forked");
    sandbox.tdd(&["undo"]).expect(0);
    sandbox.tdd(&["STE-1", "--new", "--cassette", &honest]).expect(0);
}

#[test]
fn a_halted_run_whose_red_tests_keep_another_requirement_from_beginning_is_named() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    sandbox.git(&["rm", "-q", "tests/test_old.py"]);
    sandbox.commit();
    let idle = cassette(&sandbox, &implementer(IDLE));
    sandbox.tdd(&["STE-1", "--cassette", &idle]).expect(1);
    sandbox.write(
        "specs/frs/STE-2.md",
        "# Three\n\n## Acceptance Criteria\n\n- AC-STE-2.1: `three()` gives 3.\n",
    );
    let run = sandbox.run_dir().file_name().unwrap().to_str().unwrap().to_owned();
    let short = run.rsplit_once("-STE-1-").unwrap().1.to_owned();
    let ran = sandbox.tdd(&["STE-2", "--cassette", &idle]).expect(2);
    let told = ["not one test is green", "the work of a halted run lies in the tree", "tdd undo"];
    assert!(ran.says(&told).stderr.contains(&format!("STE-1-{short}")), "by the name that a person can type");
}

/// Kills the run for good once it has told `lines` lines of its progress, and goes on with it.
/// Gives whether it was still alive then.
fn killed_after(lines: usize) -> bool {
    let sandbox = shop();
    let honest = cassette(&sandbox, &honest_shop_cassette());
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.args(["STE-1", "-v", "--cassette", &honest]).stderr(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let was_alive = told.by_ref().take(lines).count() == lines;
    signal(&child, "-KILL");
    child.wait().unwrap();
    if !sandbox.path(".tdd/runs").exists() {
        return was_alive;
    }
    let ran = finishes(&sandbox, &[]);
    let finished_before = ran.code == 2 && ran.stderr.contains("no run to go on with");
    assert!(finished_before || ran.code == 0, "killed after line {lines}: {}\n{}", ran.code, ran.stderr);
    assert!(sandbox.read("shop.py").contains("def two"), "killed after line {lines}");
    let events = sandbox.events();
    let count = |name: &str| events.iter().filter(|event| *event == name).count();
    assert_eq!(count("finished"), 1);
    assert_eq!(count("attempt_started") - count("attempt_cut"), 3, "killed after line {lines}");
    assert!(count("attempt_cut") <= 1);
    was_alive
}

/// Twenty points, spread over the progress of a run, in four tests that run side by side.
macro_rules! killed {
    ($($name:ident: $lines:expr $(, $night:ident)?;)*) => {$(
        #[test]
        fn $name() {
            $($night!();)?
            if has_python() {
                let points = battery::part($lines, 1);
                let alive = points.iter().filter(|lines| killed_after(**lines)).count();
                assert!(alive + 1 >= points.len(), "the run tells fewer lines than it is killed after");
            }
        }
    )*};
}

killed! {
    a_run_killed_early_goes_on: [1, 2, 3, 4, 5], left_to_the_night;
    a_run_killed_in_red_goes_on: [6, 7, 8, 9, 10], left_to_the_night;
    a_run_killed_in_green_goes_on: [11, 12, 13, 14, 15];
    a_run_killed_late_goes_on: [16, 17, 18, 19, 20];
}

#[test]
fn what_a_run_was_begun_with_holds_when_it_goes_on() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let honest = cassette(&sandbox, &honest_shop_cassette());
    let begun = ["STE-1", "--cassette", &honest, "--stop-after", "red", "--require-sandbox"];
    let ran = sandbox.tdd(&begun);
    if ran.code == 2 {
        println!("skipped: no OS sandbox");
        return;
    }
    ran.expect(3);
    let mut command = sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    command.env("TDD_SANDBOX", "audit").args(["resume", "--no-refactor", "--cassette", &honest]);
    let ran = Ran::of(&command.output().unwrap()).expect(0);
    assert!(ran.stdout.contains("isolation: enforce"), "{}", ran.stdout);
    assert!(ran.stdout.contains("REFACTOR was switched off"), "{}", ran.stdout);
}

#[test]
fn a_run_that_refactor_halted_is_finished_without_it() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let sandbox = shop();
    let honest = honest_shop_cassette();
    let (before, _) = honest.split_once("- role: refactorer").unwrap();
    let fails = "- role: refactorer\n  say: { status: failed, files: [], command: t, output_excerpt: x }\n";
    let fails = cassette(&sandbox, &format!("{before}{fails}{fails}"));
    let halted = sandbox.tdd(&["STE-1", "--cassette", &fails]).expect(1);
    assert!(halted.stdout.contains("--no-refactor"), "{}", halted.stdout);
    let finished = finishes(&sandbox, &["--no-refactor"]).expect(0);
    assert!(finished.stdout.contains("REFACTOR was switched off"), "{}", finished.stdout);
}

/// A test is a line `FILE WORD`: it passes while FILE holds WORD.
const LINES: &str = r#"mkdir -p build; bad=0
[ $# -gt 0 ] || set -- tests/*.t
{
    echo '<testsuites><testsuite name="s">'
    for test; do
        read -r file word < "$test"
        if grep -qs "$word" "$file"; then
            echo "<testcase classname='$test' file='$test' name='holds'/>"
        else
            bad=1
            echo "<testcase classname='$test' file='$test' name='holds'><failure message='no $word'>AssertionError</failure></testcase>"
        fi
    done
    echo '</testsuite></testsuites>'
} > build/report.xml
exit $bad
"#;

#[test]
fn what_earlier_processes_learned_of_the_tests_is_known_to_the_next() {
    left_to_the_night!();
    let yaml = "test: sh run.sh\ntest_files: [\"tests/**\"]\n\
                runner: { kind: junit, all: sh run.sh, select: \"sh run.sh {files}\", report: build/report.xml }\n";
    let sandbox = Sandbox::with(&[
        ("run.sh", LINES),
        ("tdd.yaml", yaml),
        (".gitignore", "build/\n"),
        ("tests/base.t", "src/base base\n"),
        ("src/base", "base\n"),
        ("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: one.\n- AC-STE-1.2: two.\n"),
    ]);
    let idle = format!("- role: test-writer\n{IDLE}\n- role: test-writer\n{IDLE}\n");
    sandbox.tdd(&["STE-1", "--cassette", &cassette(&sandbox, &idle)]).expect(1);
    let say =
        |file: &str| format!("  say: {{ status: ok, files: [{file}], command: t, output_excerpt: x }}\n");
    let honest = format!(
        "- role: test-writer\n  write:\n    tests/ac_ste_1_1.t: |\n      src/a one\n    tests/ac_ste_1_2.t: |\n      src/b two\n{}\
         - role: implementer\n  criterion: AC-STE-1.1\n  write:\n    src/a: |\n      one\n{}\
         - role: implementer\n  criterion: AC-STE-1.2\n  write:\n    src/b: |\n      two\n{}\
         - role: refactorer\n{}",
        say("tests/ac_ste_1_1.t, tests/ac_ste_1_2.t"),
        say("src/a"),
        say("src/b"),
        say(""),
    );
    let honest = cassette(&sandbox, &honest);
    // RED looks at each criterion without the files of the other, and yet with the tests of the baseline.
    let ran = sandbox.tdd(&["resume", "--retry", "--cassette", &honest]).expect(0);
    assert!(!ran.stderr.contains("failed"), "{}", ran.stderr);
}

/// A run keeps its commands; who edits one of them in tdd.yaml is told so before anybody is forked again.
#[test]
fn ac_tdd_9_62_an_edited_command_of_the_settings_is_refused_with_the_way_to_it() {
    let sandbox = super::stops::project("block ''\n", super::stops::HONEST_CHECK, "");
    sandbox.tdd(&["STE-1"]).expect(1);
    let forks = sandbox.forks();
    let yaml = sandbox.read("tdd.yaml");
    sandbox.write("tdd.yaml", &yaml.replace("test: sh ../check.sh", "test: sh -e ../check.sh"));
    sandbox.tdd(&["resume", "--edited"]).expect(2).says(&[
        "tdd.yaml names another test command now",
        "not `sh -e ../check.sh`",
        "tdd undo",
        "--new",
    ]);
    assert_eq!(sandbox.forks(), forks);
    // The twin: other settings, and code, are taken as ever.
    sandbox.write("tdd.yaml", &format!("{yaml}deadline: 5m\n"));
    sandbox.write("src.txt", "three\n");
    let said = sandbox.tdd(&["resume", "--edited"]);
    assert!(!said.stderr.contains("names another"), "{}", said.stderr);
    assert_ne!(said.code, 2, "{}", said.stderr);
}
