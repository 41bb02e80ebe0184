//! A second test-writer, where a criterion has one test.

use serde_json::{Value, json};

use super::{DOUBLE, HONEST, LOOKUP, Scene, held_of, test_of, twice};
use crate::kills::{Saved, can_kill, kill, moments};
use crate::sandbox::has_python;

const FIRST: &str = "tests/test_ac_ste_1_1.py";
const MORE: &str = "tests/test_ac_ste_1_1_more.py";

fn first() -> Value {
    json!({ FIRST: test_of("First", &[twice(11)]) })
}

fn more() -> Value {
    json!({ MORE: test_of("More", &[twice(31), twice(51)]) })
}

/// A run whose first test-writer writes one test, and whose second one does this.
fn scene(second: &Value, implementers: &[&str]) -> Scene {
    let scene = Scene::set(&first(), implementers, "");
    let cassette = scene.sandbox.beside("cassette.json");
    let calls = std::fs::read_to_string(&cassette).unwrap();
    let mut calls: Vec<Value> = serde_json::from_str(&calls).unwrap();
    calls[0]["number"] = json!(1);
    calls.insert(1, second.clone());
    std::fs::write(cassette, json!(calls).to_string()).unwrap();
    scene
}

fn writes(files: &Value) -> Value {
    let names: Vec<&String> = files.as_object().unwrap().keys().collect();
    json!({ "role": "test-writer", "write": files, "say": { "status": "ok", "files": names } })
}

fn kinds_of(scene: &Scene) -> Vec<String> {
    let kind = |held: Value| held.as_object().unwrap().keys().next().unwrap().clone();
    held_of(&scene.sandbox).into_iter().map(kind).collect()
}

#[test]
fn ac_tdd_8_65_a_second_test_writer_writes_for_a_criterion_with_one_test() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for level in ["audit", "enforce"] {
        let scene = scene(&writes(&more()), &[HONEST]);
        let ran = scene.run(&["--sandbox", level]).expect(0);
        assert_eq!(kinds_of(&scene), ["more", "parted", "out", "back"]);
        assert_eq!(held_of(&scene.sandbox)[0]["more"]["criteria"], json!(["AC-STE-1.1"]));
        let ran = ran.says(&[
            "held out: AC-STE-1.1 has one test; a second test-writer is asked for more",
            "a second test-writer is at work",
            "RED: 2 new tests red as they should be",
        ]);
        let counts = ["held out: 1 of 3 tests of AC-STE-1.1", "held out: 2 of 3 tests of AC-STE-1.1"];
        assert!(counts.iter().any(|told| ran.stdout.contains(told)), "{}", ran.stdout);
        for (file, text) in [first(), more()].iter().flat_map(|files| files.as_object().unwrap()) {
            assert_eq!(scene.sandbox.read(file), text.as_str().unwrap(), "{file} is there at the end");
            assert!(ran.stdout.contains(file.as_str()), "in the proposed commit: {}", ran.stdout);
        }
    }
}

#[test]
fn ac_tdd_8_65_who_knows_the_shown_test_alone_is_caught_by_the_other_ones() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let lookup = format!("python3 - <<'E'\n{LOOKUP}\nE");
    let ran = scene(&writes(&more()), &[&lookup]).run(&[]).expect(1);
    assert!(ran.stdout.contains("tests of AC-STE-1.1 that are held out are not green"), "{}", ran.stdout);
}

#[track_caller]
fn brings_nothing(second: &Value, told: &str) {
    let scene = scene(second, &[HONEST]);
    let ran = scene.run(&[]).expect(0).says(&[told]);
    let none =
        "held out: none for AC-STE-1.1: it has one test, and a second test-writer has brought no other";
    assert!(ran.stdout.contains(none), "{}", ran.stdout);
    assert_eq!(scene.sandbox.read(FIRST), first()[FIRST].as_str().unwrap());
    assert_eq!(scene.sandbox.read("shop.py"), DOUBLE);
    assert!(!scene.sandbox.path(MORE).exists(), "{told}");
}

#[test]
fn ac_tdd_8_69_a_second_test_writer_uses_names_that_an_implementer_can_know() {
    if !has_python() {
        return;
    }
    let other_name = more()[MORE].as_str().unwrap().replace("shop.double", "shop.twice_of");
    let told = "a name that neither the requirement nor the tests that were there have";
    brings_nothing(&writes(&json!({ MORE: other_name })), told);
}

/// What comes of the second session never halts a run, and leaves nothing.
#[test]
fn ac_tdd_8_66_a_second_test_writer_that_brings_nothing_takes_nothing_back() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let mut touched = first();
    touched[MORE] = more()[MORE].clone();
    touched[FIRST] = json!(test_of("First", &[twice(12)]));
    let green = "import unittest\nimport shop\n\n\nclass More(unittest.TestCase):\n    def test_one(self):\n        \
                 self.assertEqual(shop.one(), 1)\n";
    let disputes =
        json!({ "role": "test-writer", "say": { "status": "failed", "files": [], "notes": "no" } });
    for (second, told) in [
        (writes(&touched), "this role may not change: tests/test_ac_ste_1_1.py"),
        (writes(&json!({ "shop.py": DOUBLE, MORE: more()[MORE] })), "this role may not change: shop.py"),
        (writes(&json!({ MORE: green })), "passes before any code was written"),
        (json!({ "role": "test-writer", "write": more(), "print": "no block" }), "RED failed"),
        (disputes, "RED failed"),
    ] {
        brings_nothing(&second, told);
    }
}

#[test]
fn ac_tdd_8_67_a_run_that_is_killed_goes_on_with_its_second_test_writer() {
    left_to_the_night!();
    if !can_kill() || !has_python() {
        return;
    }
    let scene = scene(&writes(&more()), &[HONEST, HONEST, HONEST]);
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
        scene.sandbox.tdd(&resume).expect(0);
        assert_eq!(scene.sandbox.read("shop.py"), DOUBLE, "{at}");
        for (file, text) in [first(), more()].iter().flat_map(|files| files.as_object().unwrap()) {
            assert_eq!(scene.sandbox.read(file), text.as_str().unwrap(), "{at}: it is there");
        }
    }
}

/// What the second one expects, the requirement does not say.
fn wrong() -> Value {
    json!({ MORE: test_of("More", &[(31, 63), (51, 103)]) })
}

#[test]
fn ac_tdd_8_76_a_halt_report_says_which_tests_a_second_test_writer_has_written() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let told = "written by the second test-writer, not by the first: ";
    let scene = scene(&writes(&wrong()), &[HONEST]);
    let ran = scene.run(&[]).expect(1);
    let line = ran.stdout.lines().find(|line| line.starts_with(told));
    let line = line.unwrap_or_else(|| panic!("{}", ran.stdout));
    assert!(line.contains(MORE) && !line.contains(FIRST), "{line}");
    let hidden = scene.hidden();
    assert_eq!(line.contains("(held out)"), hidden.iter().any(|told| *told != "11"), "{line}");
    for prompt in scene.prompts() {
        assert!(!prompt.contains("written by"), "no role is told: {prompt}");
    }
    // Where nobody else wrote, there is nothing to say.
    let scene = Scene::set(&json!({ FIRST: test_of("First", &[(31, 63), (51, 103)]) }), &[HONEST], "");
    let ran = scene.run(&[]).expect(1);
    assert!(!ran.stdout.contains("second test-writer"), "{}", ran.stdout);
}

#[test]
fn ac_tdd_8_78_what_is_told_later_knows_hidden_tests_and_who_wrote() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    let done = scene(&writes(&more()), &[HONEST]);
    done.run(&[]).expect(0);
    let matrix = done.sandbox.tdd(&["matrix"]).expect(0);
    assert!(!matrix.stdout.contains("not run"), "{}", matrix.stdout);
    assert_eq!(matrix.stdout.matches("green, held out").count(), done.hidden().len(), "{}", matrix.stdout);
    let log = done.sandbox.tdd(&["log"]).expect(0);
    let starts: Vec<&str> = log.stdout.lines().filter(|line| line.contains("test-writer, attempt")).collect();
    let is_second: Vec<bool> = starts.iter().map(|line| line.contains("a second test-writer's")).collect();
    assert_eq!(is_second, [false, true], "{}", log.stdout);
    // One that brings no test of these criteria is not told to have brought red ones.
    let none = json!({ "role": "test-writer", "say": { "status": "ok", "files": [] } });
    let ran = scene(&none, &[HONEST]).run(&[]).expect(0);
    ran.says(&["RED: no new test of its criteria"]);
}

#[test]
fn ac_tdd_8_79_a_run_that_is_to_stop_after_red_stops_after_the_second_test_writer() {
    left_to_the_night!();
    if !has_python() {
        return;
    }
    for second in [writes(&more()), json!({ "role": "test-writer", "write": more(), "print": "no block" })] {
        let scene = scene(&second, &[HONEST]);
        let ran = scene.run(&["--stop-after", "red"]).expect(3);
        ran.says(&["stopped after RED, as asked"]);
        assert_eq!(kinds_of(&scene), ["more"]);
        let cassette = scene.sandbox.beside("cassette.json").to_string_lossy().into_owned();
        scene.sandbox.tdd(&["resume", "STE-1", "--no-review", "--cassette", &cassette]).expect(0);
        assert_eq!(scene.sandbox.read("shop.py"), DOUBLE);
    }
}
