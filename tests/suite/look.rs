//! Looking back at a run: `show`, `diff`, `matrix`, `why`, through the real binary.
#![expect(clippy::disallowed_methods, reason = "a test looks at files")]

use super::run_status::Place;
use super::sandbox::has_python;

#[test]
fn ac_tdd_9_9_a_finished_run_is_looked_back_at() {
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
}

#[test]
fn ac_tdd_9_9_the_work_of_a_run_is_a_patch_that_git_takes_back() {
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
    place.tdd(&["why", "AC-STE-1.1"]).expect(2).says(&["1 run was looked through"]);
}
