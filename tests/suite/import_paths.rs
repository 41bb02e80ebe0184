//! A module that is there and that the test command does not find is no red test.

use super::sandbox::{Sandbox, has_pytest};

const TEST: &str = "import shop\n\n\ndef test_two():\n    assert shop.two() == 2\n";

fn project(test: &str, files: &[(&str, &str)]) -> Sandbox {
    let base = [
        ("tdd.yaml", test),
        ("tests/test_old.py", "def test_old():\n    assert 1 + 1 == 2\n"),
        (
            "specs/frs/STE-1.md",
            "# Two\n\n## Acceptance Criteria\n\n- AC-STE-1.1: two() of the module shop is 2.\n",
        ),
    ];
    let sandbox = Sandbox::with(&[&base[..], files].concat());
    let json = |text: &str| serde_json::to_string(text).unwrap();
    let cassette = format!(
        "- role: test-writer\n  write: {{ tests/test_ac_ste_1_1.py: {} }}\n  say: {{ status: ok, files: [tests/test_ac_ste_1_1.py] }}\n\
         - role: implementer\n  write: {{ shop.py: {} }}\n  say: {{ status: ok, files: [shop.py] }}\n\
         - role: refactorer\n  say: {{ status: ok, files: [] }}\n",
        json(TEST),
        json("def two():\n    return 2\n")
    );
    std::fs::write(sandbox.beside("cassette.yaml"), cassette).unwrap();
    sandbox
}

fn run(sandbox: &Sandbox) -> super::sandbox::Ran {
    let cassette = sandbox.beside("cassette.yaml");
    sandbox.tdd(&["STE-1", "--agent", "scripted", "--proof", "off", "--cassette", cassette.to_str().unwrap()])
}

#[test]
fn ac_tdd_8_28_a_module_that_the_command_does_not_find_is_no_red() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox = project("test: pytest -q\n", &[("shop.py", "ONE = 1\n")]);
    run(&sandbox)
        .expect(1)
        .says_on_stdout(&["is in the project, and the test command does not find it", "python3 -m pytest"]);
    assert_eq!(sandbox.forks(), 2, "the test-writer alone");
}

/// The twins: where it is found, and where it is still to be written, beside one of its name elsewhere.
#[test]
fn ac_tdd_8_28_a_module_that_is_to_be_written_is_red() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    run(&project("test: python3 -m pytest -q\n", &[("shop.py", "ONE = 1\n")])).expect(0);
    let elsewhere = [("old/__init__.py", ""), ("old/shop.py", "ONE = 1\n")];
    run(&project("test: python3 -m pytest -q\n", &elsewhere)).expect(0);
}
