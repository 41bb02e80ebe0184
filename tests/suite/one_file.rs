//! Tests of several criteria in one file that imports at its top what is not there yet.

use serde_json::{Value, json};

use super::sandbox::{Ran, Sandbox, has_pytest};
use super::shops::{Shop, go, python, rust};

const OLD: &str = "from shop import one\n\n\ndef test_one():\n    assert one() == 1\n";
const ONE: &str = "def one():\n    return 1\n";
const TWO: &str = "\n\ndef two():\n    return 2\n";
const THREE: &str = "\n\ndef three():\n    return 3\n";

/// Two criteria whose tests stand in `file` alone, and what the implementers write.
fn play(file: (&str, &str), own: &Value, code: &[String; 2]) -> Option<(Sandbox, Ran)> {
    if !has_pytest() {
        return None;
    }
    let sandbox = Sandbox::with(&[
        (".gitignore", "__pycache__/\n"),
        ("conftest.py", ""),
        ("shop.py", ONE),
        ("tests/test_shop.py", OLD),
        ("tdd.yaml", "test: python3 -m pytest -q\nbudgets: { semantic: 1, format: 0 }\n"),
        (
            "specs/frs/STE-1.md",
            "# More\n\n## Acceptance Criteria\n\n- AC-STE-1.1: there is two.\n- AC-STE-1.2: there is three.\n",
        ),
    ]);
    sandbox.commit();
    let implementer = |criterion: &str, text: &str| json!({ "role": "implementer", "criterion": criterion, "write": { "shop.py": text }, "say": { "status": "ok", "files": ["shop.py"] } });
    let calls = json!([
        { "role": "test-writer", "write": { file.0: file.1 },
          "say": { "status": "ok", "files": [file.0], "tests": own } },
        implementer("AC-STE-1.1", &code[0]),
        implementer("AC-STE-1.2", &code[1]),
        { "role": "refactorer", "say": { "status": "ok", "files": [] } },
    ]);
    let ran = sandbox.scripted(&calls, &["--proof", "full"]);
    Some((sandbox, ran))
}

#[test]
fn ac_tdd_8_132_each_criterion_is_judged_without_what_the_others_import() {
    left_to_the_night!();
    let text = "from shop import one, three, two\n\n\ndef test_one():\n    assert one() == 1\n\n\nclass TestTwo:\n    \
                def test_two(self):\n        assert two() == 2\n\n\ndef test_three():\n    assert three() == 3\n";
    let own = json!({
        "AC-STE-1.1": ["tests/test_shop.py::TestTwo::test_two"], "AC-STE-1.2": ["tests/test_shop.py::test_three"]
    });
    let code = [[ONE, TWO].concat(), [ONE, TWO, THREE].concat()];
    if let Some((_, ran)) = play(("tests/test_shop.py", text), &own, &code) {
        ran.expect(0).says_on_stdout(&[
            "AC-STE-1.1  missing (1 test)  green; seen failing: yes",
            "AC-STE-1.2  missing (1 test)  green; seen failing: yes",
        ]);
    }
    // The old tests of the file are no less looked at.
    let breaks = [ONE, TWO].concat().replace("return 1", "return 7");
    if let Some((_, ran)) = play(("tests/test_shop.py", text), &own, &[breaks.clone(), breaks]) {
        ran.expect(1).says(&["AC-STE-1.1 failed", "tests/test_shop.py::test_one"]);
    }
}

#[test]
fn ac_tdd_8_132_what_is_there_is_red_beside_what_is_missing() {
    left_to_the_night!();
    let text = "from shop import one, two\n\n\ndef test_two():\n    assert two() == 2\n\n\n\
                def test_more():\n    assert one(3) == 3\n";
    let own = json!({
        "AC-STE-1.1": ["tests/test_new.py::test_two"], "AC-STE-1.2": ["tests/test_new.py::test_more"]
    });
    let more = "def one(more=1):\n    return more\n";
    let code = [[ONE, TWO].concat(), [more, TWO].concat()];
    if let Some((_, ran)) = play(("tests/test_new.py", text), &own, &code) {
        ran.expect(0).says_on_stdout(&["AC-STE-1.1  missing (1 test)", "AC-STE-1.2  missing (1 test)"]);
    }
    // A test that passes already is told, whatever keeps its file from loading.
    let passes = text.replace("one(3) == 3", "one() == 1");
    if let Some((_, ran)) = play(("tests/test_new.py", &passes), &own, &code) {
        ran.expect(1).says(&["tests/test_new.py::test_more passes before any code was written"]);
    }
}

#[test]
fn ac_tdd_8_133_a_case_that_is_called_by_the_time_is_no_regression() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = Sandbox::with(&[
        (".gitignore", "__pycache__/\n"),
        ("conftest.py", ""),
        ("shop.py", ONE),
        (
            "tests/test_shop.py",
            "import time\n\nimport pytest\nfrom shop import one\n\n\n\
             @pytest.mark.parametrize(\"now\", [\"a\", str(time.time_ns())])\n\
             def test_one(now):\n    assert one() == 1\n",
        ),
        ("tdd.yaml", "test: python3 -m pytest -q\nbudgets: { semantic: 1, format: 0 }\n"),
        ("specs/frs/STE-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: there is two.\n"),
    ]);
    sandbox.commit();
    let new = "tests/test_ac_ste_1_1.py";
    let calls = |code: String| {
        json!([
            { "role": "test-writer",
              "write": { new: "import shop\n\n\ndef test_two():\n    assert shop.two() == 2\n" },
              "say": { "status": "ok", "files": [new] } },
            { "role": "implementer", "write": { "shop.py": code }, "say": { "status": "ok", "files": ["shop.py"] } },
            { "role": "refactorer", "say": { "status": "ok", "files": [] } },
        ])
    };
    let broken = [ONE, TWO].concat().replace("return 1", "return 7");
    sandbox.scripted(&calls(broken), &[]).expect(1).says(&["tests/test_shop.py::test_one["]);
    sandbox.tdd(&["undo"]).expect(0);
    sandbox
        .scripted(&calls([ONE, TWO].concat()), &["--proof", "full"])
        .expect(0)
        .says_on_stdout(&["seen failing: yes"]);
}

/// Both criteria's tests in one file, each listed by its id.
fn play_in_one(shop: &Shop<'_>, file: (&str, &str), ids: [&str; 2], proof: &str) -> Ran {
    let listed = |name: &str| vec![format!("{}::{name}", file.0)];
    let block = json!({ "tests": { "AC-STE-1.1": listed(ids[0]), "AC-STE-1.2": listed(ids[1]) } });
    shop.play_with(&[file], &block, &["--proof", proof])
}

#[test]
fn ac_tdd_8_148_a_file_of_rust_or_go_holds_tests_of_several_criteria() {
    left_to_the_night!();
    let of_rust = "#[test]\nfn old() {\n    assert_eq!(shop::one(), 1);\n}\n\n#[test]\nfn two() {\n    assert_eq!(shop::two(), 2);\n}\n\n\
        #[test]\nfn three() {\n    assert_eq!(shop::three(), 7);\n}\n";
    play_in_one(&rust(), ("tests/old.rs", of_rust), ["two", "three"], "quick").expect(0);
    let new = of_rust.replace("#[test]\nfn old() {\n    assert_eq!(shop::one(), 1);\n}\n\n", "");
    play_in_one(&rust(), ("tests/more.rs", &new), ["two", "three"], "full").expect(0);
    let test = |name: &str, call: &str, want: u8| {
        format!(
            "\nfunc Test{name}(t *testing.T) {{\n\tif {call}() != {want} {{\n\t\tt.Fatal({call}())\n\t}}\n}}\n"
        )
    };
    let both = [test("Two", "Two", 2), test("Three", "Three", 7)].concat();
    let of_go = |old: &str| format!("package shop\n\nimport \"testing\"\n{old}{both}");
    let old = test("Old", "One", 1);
    play_in_one(&go(), ("old_test.go", &of_go(&old)), ["TestTwo", "TestThree"], "full").expect(0);
    play_in_one(&go(), ("more_test.go", &of_go("")), ["TestTwo", "TestThree"], "full").expect(0);
    // What the other one's implementer breaks is seen.
    let mut breaks = go();
    breaks.code[2] = breaks.code[2].replace("return 2", "return 9");
    let ran = play_in_one(&breaks, ("old_test.go", &of_go(&old)), ["TestTwo", "TestThree"], "off").expect(1);
    ran.says(&["AC-STE-1.2 failed", "old_test.go::TestTwo"]);
}

#[test]
fn ac_tdd_8_166_a_test_of_go_that_holds_others_goes_with_all_of_them() {
    left_to_the_night!();
    let test = |name: &str, body: &str| format!("\nfunc Test{name}(t *testing.T) {{\n{body}}}\n");
    let check = |name: &str, want: u8| format!("\tif {name}() != {want} {{\n\t\tt.Fatal({name}())\n\t}}\n");
    let inner = |name: &str, body: &str| format!("\tt.Run(\"{name}\", func(t *testing.T) {{\n{body}\t}})\n");
    let three = test("Three", &inner("odd", &inner("and true", &check("Three", 7))));
    let others = [test("Old", &check("One", 1)), test("Two", &check("Two", 2))].concat();
    let file = format!("package shop\n\nimport \"testing\"\n{others}{three}");
    play_in_one(&go(), ("old_test.go", &file), ["TestTwo", "TestThree"], "quick").expect(0);
}

#[test]
fn ac_tdd_8_148_one_slip_in_a_list_is_told_and_no_other_test_is_denied_for_it() {
    if !has_pytest() {
        return;
    }
    let file = "tests/test_shop.py";
    let text = "import shop\nfrom shop import three, two\n\n\ndef test_one():\n    assert shop.one() == 1\n\n\ndef test_two():\n    assert two() == 2\n\n\n\
        def test_three():\n    assert three() == 7\n";
    let more = format!("{text}\n\ndef test_more():\n    assert three() > 2\n");
    let ran = play_in_one(&python(), (file, &more), ["test_two", "test_three"], "off").expect(1);
    let ran = ran
        .says(&["a new test is red and belongs to no criterion of this run: tests/test_shop.py::test_more"]);
    assert!(!ran.stderr.contains("no new or changed test belongs to"), "{}", ran.stderr);
    left_to_the_night!();
    let ran = play_in_one(&python(), (file, text), ["test_two", "test_threes"], "off").expect(1);
    let ran = ran.says(&["tests/test_shop.py::test_three", "no new or changed test belongs to AC-STE-1.2"]);
    assert!(!ran.stderr.contains("no new or changed test belongs to AC-STE-1.1"), "{}", ran.stderr);
    // A class stands for its tests, and what is left for later waits with them.
    let class = text.replace("def test_two():\n    ", "class TestTwo:\n    def test_two(self):\n        ");
    let later = format!("{class}\n\n@pytest.mark.skip\ndef test_more():\n    assert three() > 2\n")
        .replace("from shop", "import pytest\nfrom shop");
    play_in_one(&python(), (file, &later), ["TestTwo", "test_three"], "full").expect(0);
}
