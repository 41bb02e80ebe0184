//! Looking back at a run: `show`, `diff`, `matrix`, `why`, through the real binary.
#![expect(clippy::disallowed_methods, reason = "a test looks at files")]

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use super::run_status::Place;
use super::sandbox::{Ran, has_python, wait_for};
use super::stops::{HONEST_AGENT, HONEST_CHECK, beside, project};

#[test]
fn ac_tdd_9_9_a_finished_run_is_looked_back_at() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.honest, &[]).expect(0);
    let shown = place.tdd(&["show"]).expect(0).stdout;
    let kept = std::fs::read_to_string(place.sandbox.run_dir().join("summary.txt")).unwrap();
    assert_eq!(shown, kept);
    let json: serde_json::Value =
        serde_json::from_str(&place.tdd(&["show", "STE-1", "--json"]).expect(0).stdout).unwrap();
    assert_eq!(json["type"], "summary");

    let matrix = place.tdd(&["matrix", "@"]).expect(0).stdout;
    assert!(matrix.starts_with("AC-STE-1.1  green\n  missing       -> green (attempt 1)"), "{matrix}");
    assert!(
        matrix.contains("\n\nmissing: what it asks for does not exist yet; its expectation was never seen"),
        "{matrix}"
    );
    let table = place.tdd(&["matrix", "--markdown"]).expect(0).stdout;
    assert!(
        table.contains("| AC-STE-1.1 | `tests/test_ac_ste_1_1.py::New.test_new` | missing | green | 1 |"),
        "{table}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&place.tdd(&["matrix", "--json"]).expect(0).stdout).unwrap();
    assert_eq!(json["criteria"][0]["tests"][0]["after"], "green");

    for what in ["AC-STE-1.1", "ac-ste-1.1", "tests/test_ac_ste_1_1.py::New.test_new", "test_new"] {
        place.tdd(&["why", what]).expect(0).says_on_stdout(&[
            "AC-STE-1.1: ",
            "missing: ",
            "by the implementer's attempt 1\n",
            "changed   shop.py",
            "exit code 0",
            "tdd diff STE-1-",
        ]);
    }
    place.tdd(&["why", "AC-STE-9.9"]).expect(2).says(&["no run knows `AC-STE-9.9`"]);
    let why = why_as_json(&place);
    assert_eq!((&why["type"], &why["v"], &why["red"]["how"]), (&"why".into(), &1.into(), &"seen".into()));
    assert_eq!(
        (&why["green"]["by"], &why["green"]["changed"][0]),
        (&"attempt".into(), &"shop.py".into()),
        "{why}"
    );
}

#[test]
fn ac_tdd_9_9_the_work_of_a_run_is_a_patch_that_git_takes_back() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    let before = place.sandbox.read("shop.py");
    place.run(&place.honest, &[]).expect(0);
    let all = place.tdd(&["diff"]).expect(0);
    assert!(all.stderr.contains("all work that was kept"), "{}", all.stderr);
    assert!(
        all.stdout.contains("+++ b/tests/test_ac_ste_1_1.py"),
        "files that git does not know: {}",
        all.stdout
    );
    let own = place.tdd(&["diff", "AC-STE-1.1"]).expect(0).stdout;
    assert!(own.contains("+++ b/shop.py") && !own.contains("test_ac_ste_1_1"), "{own}");
    place.tdd(&["diff", "--failed"]).expect(2).says(&["no attempt has failed"]);
    place.tdd(&["diff", "@", "AC-STE-1.7"]).expect(2).says(&["no criterion `AC-STE-1.7`", "AC-STE-1.1"]);
    let patch = place.sandbox.beside("all.patch");
    std::fs::write(&patch, all.stdout).unwrap();
    place.sandbox.git(&["apply", "-R", patch.to_str().unwrap()]);
    assert_eq!(place.sandbox.read("shop.py"), before);
}

#[test]
fn ac_tdd_9_9_a_halted_run_shows_what_failed() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.tdd(&["show"]).expect(2).says(&["no runs yet"]);
    place.run(&place.wrong, &[]).expect(1);
    let shown = place.tdd(&["show"]).expect(0).stdout;
    assert!(shown.starts_with("tdd halted: STE-1, GREEN of AC-STE-1.1: tests/test_ac_ste_1_1.py"), "{shown}");
    let failed = place.tdd(&["diff", "--failed"]).expect(0);
    assert!(failed.stdout.contains("+    return 3"), "{}", failed.stdout);
    assert_eq!(place.tdd(&["diff", "@", "AC-STE-1.1", "--failed"]).expect(0).stdout, failed.stdout);
    place.tdd(&["diff", "@", "AC-STE-1.1"]).expect(2).says(&["no work for AC-STE-1.1 was kept"]);
    let matrix = place.tdd(&["matrix"]).expect(0).stdout;
    assert!(matrix.contains("missing       -> red (attempt 2)"), "{matrix}");
    place.tdd(&["why", "AC-STE-1.1"]).expect(0).says_on_stdout(&["not yet: 2 attempts failed", "--failed"]);
    assert_eq!(why_as_json(&place)["green"], serde_json::json!({"by": "not_yet", "failed": 2}));
    let words = ["resume", "--accept", "AC-STE-1.1", "--cassette", &place.wrong];
    place.tdd(&words).expect(4);
    let accepted = ["no: a person took it as it is, not verified (2 attempts failed)", "--failed"];
    place.tdd(&["why", "AC-STE-1.1"]).expect(0).says_on_stdout(&accepted);
    assert_eq!(why_as_json(&place)["green"]["by"], "accepted");
}

fn why_as_json(place: &Place) -> serde_json::Value {
    serde_json::from_str(&place.tdd(&["why", "AC-STE-1.1", "--json"]).expect(0).stdout).unwrap()
}

#[test]
fn a_run_of_fix_has_no_criteria_to_show() {
    if !has_python() {
        return;
    }
    let place = Place::new();
    place
        .tdd(&["fix", "--max-retries", "0", "--check", "python3 -m unittest discover -s tests -t ."])
        .expect(0);
    place.tdd(&["matrix"]).expect(2).says(&["is no run of a requirement", "tdd status"]);
    place.tdd(&["why", "AC-STE-1.1"]).expect(2).says(&["looked through 1 run"]);
}

/// The implementer works until the pipe is written to.
#[test]
fn ac_tdd_9_13_a_run_at_work_is_followed_to_its_end_and_no_further() {
    let agent = HONEST_AGENT.replace("implementer) ", "implementer) read word <../go; ");
    let sandbox = project(&agent, HONEST_CHECK, "");
    let made = std::process::Command::new("mkfifo").arg(beside(&sandbox, "go")).status().unwrap();
    assert!(made.success());
    let tdd = || sandbox.command(env!("CARGO_BIN_EXE_tdd"));
    let mut run =
        tdd().args(["STE-1", "--quiet"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_for(|| {
        sandbox.path(".tdd/runs").exists() && sandbox.tdd(&["status"]).stdout.contains("attempts     2")
    });
    let mut follow = tdd().args(["log", "--follow"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut watch = tdd().args(["status", "--watch"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(follow.stdout.take().unwrap()).lines().map(Result::unwrap);
    let before: Vec<String> = told.by_ref().take_while(|line| !line.contains("implementer")).collect();
    assert!(before[0].contains("STE-1"), "{before:?}");
    let mut shown = BufReader::new(watch.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(shown.by_ref().any(|line| line.contains(&format!("at work, process {}", run.id()))));
    // Whoever waits for what comes is told of it, and both end with the run.
    std::fs::write(beside(&sandbox, "go"), "go\n").unwrap();
    assert!(told.any(|line| line.contains("finished")));
    assert!(shown.any(|line| line.contains("state        finished")));
    for child in [&mut run, &mut follow, &mut watch] {
        assert!(child.wait().unwrap().success());
    }
    // What is over is told once.
    let all: Ran = sandbox.tdd(&["log"]).expect(0);
    assert_eq!(sandbox.tdd(&["log", "--follow"]).expect(0).stdout, all.stdout);
    assert_eq!(sandbox.tdd(&["status", "--watch"]).stdout, sandbox.tdd(&["status"]).stdout);
}

#[test]
fn the_status_of_a_halted_run_says_its_cause() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    let told = place.tdd(&["status", "@"]).expect(0).stdout;
    assert!(
        told.contains("cause        tests/test_ac_ste_1_1.py::New.test_new: AssertionError: 3 != 2"),
        "{told}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&place.tdd(&["status", "@", "--json"]).stdout).unwrap();
    assert!(json["cause"].as_str().unwrap().contains("3 != 2"), "{json}");
}

#[test]
fn ac_tdd_9_14_runs_are_told_as_one_html_file() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let place = Place::new();
    place.run(&place.wrong, &[]).expect(1);
    let said = place.tdd(&["report"]).expect(0).stdout;
    let file = std::path::PathBuf::from(said.trim());
    assert_eq!(file, place.sandbox.run_dir().canonicalize().unwrap().join("report.html"));
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&file).unwrap());
    assert_eq!(mode & 0o777, 0o600, "its owner alone");
    let page = std::fs::read_to_string(&file).unwrap();
    for words in [
        "AssertionError: 3 != 2",
        "tdd resume STE-1-",
        "What it was told",
        "What it changed",
        "implementer AC-STE-1.1",
        "missing",
        "its expectation was never seen failing",
        "of that, in vain",
        "What the verdicts rest on",
        "<strong>recommended: </strong>bring the failed work back",
        "Isolation: ",
    ] {
        assert!(page.contains(words), "{words}");
    }
    // Several in one file, after an index.
    place.tdd(&["undo"]).expect(0);
    place.run(&place.honest, &[]).expect(0);
    let out = place.sandbox.beside("all.html");
    place.tdd(&["report", "@", "@-", "--out", out.to_str().unwrap()]).expect(0);
    let page = std::fs::read_to_string(&out).unwrap();
    assert!(page.contains("<h1>2 runs</h1>") && page.contains("AssertionError: 3 != 2"), "{page}");
    assert!(page.contains("<h2>Attempts for each criterion</h2>"), "{page}");
    assert!(!page.contains("is not verified: it was accepted"), "a halted run has accepted nothing");
    // What was offered of the halt holds no more.
    assert!(!page.contains(" --retry</code>"), "an undone run is not gone on with");
    // By whatever names, a run stands there once.
    place.tdd(&["report", "@", "STE-1", "--out", out.to_str().unwrap()]).expect(0);
    assert!(!std::fs::read_to_string(&out).unwrap().contains("<h1>2 runs</h1>"));
    // What can't be, is said.
    place
        .tdd(&["report", "--out", "/no/such/folder/x.html"])
        .expect(2)
        .says(&["can't be written", "--out FILE"]);
    place.tdd(&["report", "--out", "."]).expect(2).says(&["something else than a file"]);
    place.tdd(&["report", "STE-9"]).expect(2).says(&["no run `STE-9`"]);
    // Neither half a file nor a guess comes of a journal that was tampered with.
    let events = file.parent().unwrap().join("events.jsonl");
    let told = std::fs::read_to_string(&events).unwrap();
    std::fs::write(&events, told.replacen("STE-1", "STE-2", 1)).unwrap();
    std::fs::remove_file(&out).unwrap();
    place.tdd(&["report", "@-", "--out", out.to_str().unwrap()]).expect(2).says(&["can't be read", "line 2"]);
    assert!(!out.exists());
}

/// A width that no terminal has by itself.
#[test]
fn ac_tdd_9_17_help_is_as_wide_as_the_terminal_and_tells_examples_and_exit_codes() {
    let help = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tdd"));
        let told =
            command.args(words).arg("--help").env("COLUMNS", "64").stdin(Stdio::null()).output().unwrap();
        assert!(told.status.success(), "{words:?}");
        String::from_utf8(told.stdout).unwrap()
    };
    let top = help(&[]);
    for words in ["Work:\n", "Look:\n", "Examples:\n", "Exit codes of a run:\n"] {
        assert!(top.contains(words), "{words}: {top}");
    }
    for command in ["run", "resume", "undo", "log", "status", "report", "matrix", "doctor", "config"] {
        let page = help(&[command]);
        assert!(page.contains("Examples:\n") && page.contains("Exit codes:\n"), "{page}");
        let wide: Vec<&str> = page.lines().filter(|line| line.chars().count() > 64).collect();
        assert!(wide.is_empty(), "{command}: {wide:#?}");
    }
    assert!(help(&["matrix"]).contains("`missing`"), "what the word means is said where it is read");
}
