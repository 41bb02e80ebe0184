//! What is told of held-out tests, and the ways back from a run that held some.

use serde_json::{Value, json};

use super::super::kills::{Saved, can_kill, kill, moments};
use super::super::sandbox::has_python;
use super::honest::{GATE, LINT, Play, case, class, with_helpers};
use super::{DOUBLE, HONEST, ONE};

fn tests() -> Value {
    json!({ "tests/test_ac_ste_1_1.py": class("New", "", &[11, 31, 51].map(case)) })
}

const WRONG: &str = "true";

#[test]
fn ac_tdd_8_57_a_run_that_is_given_up_tells_where_its_hidden_tests_are() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let play = Play::python(&[], "", &tests(), &[WRONG, "true"]);
    play.run(&[]).expect(1);
    let ran = play.sandbox.tdd(&["resume", "STE-1", "--abandon"]).expect(1);
    let command = ran.stderr.lines().find_map(|line| line.split("put them back: git ").nth(1));
    let command = command.unwrap_or_else(|| panic!("{}", ran.stderr));
    play.sandbox.git(&command.split_whitespace().collect::<Vec<_>>());
    play.assert_back(&tests());

    // Once they are back there is nothing to tell.
    let play = Play::python(&[], "", &tests(), &[WRONG, "true"]);
    play.run(&[]).expect(1);
    let whole = super::held_of(&play.sandbox)[0]["parted"]["whole"].as_str().unwrap().to_owned();
    play.sandbox.git(&["restore", &format!("--source={whole}"), "--worktree", "--", "tests"]);
    let ran = play.sandbox.tdd(&["resume", "STE-1", "--abandon"]).expect(1);
    assert!(!ran.stderr.contains("held-out"), "{}", ran.stderr);
}

#[test]
fn ac_tdd_8_57_undo_knows_hidden_tests_as_the_runs_own() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let two = json!({
        "tests/test_ac_ste_1_1_a.py": class("A", "", &[case(11)]),
        "tests/test_ac_ste_1_1_b.py": class("B", "", &[case(31)]),
    });
    for (tests, script, code) in
        [(tests(), WRONG, 1), (two.clone(), WRONG, 1), (tests(), HONEST, 0), (two, HONEST, 0)]
    {
        let play = Play::python(&[], "", &tests, &[script, "true"]);
        play.run(&[]).expect(code);
        play.sandbox.tdd(&["undo", "STE-1", "--to", "good-test-writer-1"]).expect(0);
        play.assert_back(&tests);
        play.sandbox.tdd(&["undo", "STE-1"]).expect(0);
        assert_eq!(play.sandbox.read("shop.py"), ONE);
        for file in tests.as_object().unwrap().keys() {
            assert!(!play.sandbox.path(file).exists(), "{file} is as before the run");
        }
    }
}

#[test]
fn ac_tdd_8_57_what_is_said_to_be_green_was_judged() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let green = Play::python(&[], "", &tests(), &[HONEST, "true"]);
    green.run(&[]).expect(0).says(&["held out: back in the work tree, all of them green ("]);

    // Accepted: they are back, and nobody says that they are green.
    let play = Play::python(&[], "", &tests(), &[WRONG, "true"]);
    play.run(&["--no-refactor"]).expect(1);
    let ran = play.tdd(&["resume", "STE-1", "--accept", "AC-STE-1.1"]).expect(4);
    assert!(!ran.stderr.contains("all of them green"), "{}", ran.stderr);
    let ran = ran.says(&["held out: back in the work tree; none of them judged the work"]);
    ran.says_on_stdout(&["those of AC-STE-1.1 did not judge the work: it was accepted"]);
    play.assert_back(&tests());
}

#[test]
fn ac_tdd_8_56_hidden_tests_that_a_person_has_put_back_judge_as_before() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let tests = json!({ "tests/test_ac_ste_1_1.py": class("New", "", &[11, 31, 51, 71, 91].map(case)) });
    // One that knows the shown tests alone, until all are there.
    let lookup = "python3 - <<'E'\nimport glob, re\nknown = {int(a): int(b) for n in glob.glob('tests/test_ac*.py') for a, b in re.findall(r'double\\((\\d+)\\), (\\d+)', open(n).read())}\nopen('shop.py', 'w').write('def one():\\n    return 1\\n\\n\\ndef double(x):\\n    return %r.get(x)\\n' % known)\nE";
    let script =
        format!("if [ $(grep -c 'def test' tests/test_ac*.py) = 5 ]; then {HONEST}; else {lookup}\nfi");
    let play = Play::python(&[], "", &tests, &[&script, "true"]);
    play.run(&[]).expect(1);
    let whole = super::held_of(&play.sandbox)[0]["parted"]["whole"].as_str().unwrap().to_owned();
    play.sandbox.git(&["restore", &format!("--source={whole}"), "--worktree", "--", "tests"]);
    play.assert_back(&tests);
    let ran = play.tdd(&["resume", "STE-1", "--edited"]).expect(0);
    ran.says_on_stdout(&["of 5 tests of AC-STE-1.1, until they were put back by hand"]);
    assert_eq!(play.sandbox.read("shop.py"), DOUBLE);
    play.assert_back(&tests);
}

#[test]
fn ac_tdd_8_56_an_implementer_writes_no_file_of_a_hidden_ones_name() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let two = json!({
        "tests/test_ac_ste_1_1_a.py": class("A", "", &[case(11)]),
        "tests/test_ac_ste_1_1_b.py": class("B", "", &[case(31)]),
    });
    // Whichever is not there gets a test that any code passes.
    let forge = "printf 'def one():\\n    return 1\\n\\n\\ndef double(x):\\n    return {11: 22}.get(x, 0) if open(\"tests/test_ac_ste_1_1_a.py\").read(1) else 62\\n' > shop.py\n\
        for x in a_A_11 b_B_31; do set -- $(echo $x | tr _ ' '); f=tests/test_ac_ste_1_1_$1.py; \
        [ -e $f ] || printf \"import unittest\\n\\n\\nclass $2(unittest.TestCase):\\n    def test_double_$3(self):\\n        pass\\n\" > $f; done";
    let play = Play::python(&[], "", &two, &[forge, "true"]);
    let ran = play.run(&[]).expect(1);
    assert!(ran.stdout.contains("mode B") || ran.stdout.contains("not GREEN"), "{}", ran.stdout);
}

#[test]
fn ac_tdd_8_46_a_run_that_is_killed_while_its_gate_is_tried_again_goes_on() {
    left_to_the_night!();
    if !can_kill() {
        return;
    }
    let tests = with_helpers([11, 31, 51]);
    let gate = format!("{GATE}proof: off\n");
    let play = Play::python(&[("lint/lint.py", LINT)], &gate, &tests, &[HONEST, HONEST, HONEST, "true"]);
    let saved = Saved::of(&play.sandbox);
    let cassette = play.sandbox.beside("cassette.json").to_string_lossy().into_owned();
    let common = ["--no-review", "--cassette", &cassette];
    let words = [&["STE-1", "--agent", "scripted"], &common[..]].concat();
    // From the gate before REFACTOR on.
    for at in moments(&play.sandbox, (&words, 0), 2, 5) {
        saved.again();
        kill(&play.sandbox, &words, &at);
        if play.sandbox.events().last().is_some_and(|name| name == "finished") {
            continue;
        }
        let ran = play.tdd(&["resume", "STE-1"]);
        assert_eq!(ran.code, 0, "{at}: {}\n{}", ran.stdout, ran.stderr);
        assert_eq!(play.sandbox.read("shop.py"), DOUBLE, "{at}");
        play.assert_back(&tests);
    }
}

#[test]
fn ac_tdd_8_63_a_dry_run_says_whether_tests_would_be_held_out() {
    if !has_python() {
        return;
    }
    let play = Play::python(&[], "", &tests(), &[WRONG, "true"]);
    play.run(&["--dry-run"])
        .expect(0)
        .says_on_stdout(&["held out:    a coin hides some tests of each criterion"]);
    let settings = play.sandbox.read("tdd.yaml").replace("held_out: true", "held_out: false");
    play.sandbox.write("tdd.yaml", &settings);
    let ran = play.run(&["--dry-run"]).expect(0);
    assert!(!ran.stdout.contains("held out"), "{}", ran.stdout);
}
