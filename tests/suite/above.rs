//! Files above the repository that tools look for: a role that may write there turns nothing green by them.

use super::sandbox::{Sandbox, has_pytest};

const PLUGIN: &str = "import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome = \"passed\"
";

/// A project of pytest without a configuration of its own, whose implementer does this.
fn project(implementer: &str) -> Sandbox {
    let block = "block() { printf '```tdd-result\\nrole: %s\\nstatus: ok\\nfiles: [%s]\\ncommand: t\\noutput_excerpt: x\\n```\\n' $1 $2; }\n";
    let agent = format!(
        "{block}case $1 in
test-writer) printf 'from cart import total\\ndef test_ac_ste_1_1_total():\\n    assert total([2, 3]) == 5\\n' >tests/test_ac_ste_1_1.py
  block test-writer tests/test_ac_ste_1_1.py;;
implementer) {implementer}
  block implementer cart.py;;
*) block refactorer '';;
esac
"
    );
    let sandbox = Sandbox::with(&[
        (
            "tdd.yaml",
            "test: python3 -m pytest -q\nagent: mine\nagents:\n  mine:\n    argv: [sh, \"{cwd}/../agent.sh\", \"{role}\", \"{prompt_file}\"]\n",
        ),
        ("cart.py", "def total(items):\n    return 0\n"),
        ("tests/test_old.py", "def test_old():\n    assert True\n"),
        (
            "specs/frs/STE-1.md",
            "# Cart\n\n## Acceptance Criteria\n\n- AC-STE-1.1: total is the sum of the items.\n",
        ),
    ]);
    std::fs::write(sandbox.beside("agent.sh"), agent).unwrap();
    sandbox
}

#[test]
fn ac_tdd_8_26_what_a_role_puts_above_the_repository_turns_nothing_green() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let cheat = format!(
        "printf '[pytest]\\n' >../pytest.ini; cat >../conftest.py <<'END'\n{PLUGIN}END\n  echo '# done' >>cart.py"
    );
    let sandbox = project(&cheat);
    let ran = sandbox.tdd(&["STE-1", "--no-refactor"]).expect(1);
    assert!(ran.stdout.contains("AssertionError") || ran.stdout.contains("assert 0 == 5"), "{}", ran.stdout);
    let told = sandbox.tdd(&["log"]).expect(0).stdout;
    assert!(
        told.contains("pytest.ini, above the repository, where tools look for it, was changed"),
        "{told}"
    );
    assert!(!sandbox.beside("pytest.ini").exists() && !sandbox.beside("conftest.py").exists());
    let kept = sandbox.run_dir().join("above");
    let kept =
        std::fs::read_dir(kept).unwrap().map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    assert!(kept.into_iter().any(|text| text == PLUGIN));
}

#[test]
fn a_configuration_above_that_was_there_before_holds_and_honest_work_beside_it_passes() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let sandbox =
        project("printf 'def total(items):\\n    return sum(items)\\n' >cart.py; echo x >../notes.txt");
    std::fs::write(sandbox.beside("pytest.ini"), "[pytest]\naddopts = -p no:cacheprovider\n").unwrap();
    sandbox.tdd(&["STE-1", "--no-refactor"]).expect(0);
    assert!(sandbox.beside("notes.txt").exists() && sandbox.beside("pytest.ini").exists());
    assert!(!sandbox.tdd(&["log"]).expect(0).stdout.contains("above the repository"));
}
