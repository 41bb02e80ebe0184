//! What changes while the project's own commands run and no role is alive is nobody's of the run: what they write
//! again where nobody else can write is theirs, and all else a person's.

use rustix::process::Signal;

use super::between::ended_by;
use super::sandbox::{Ran, Sandbox, has_pytest};
use super::stops::{HONEST_AGENT, HONEST_CHECK, project};

/// What a person does while the baseline runs: a change, something new, and something gone.
const ONCE: &str =
    "test -e ../once || { : >../once; echo mine >README.md; echo mine >mine.rs; rm -f old.txt; }";

fn with_files(check: &str, more: &str) -> Sandbox {
    let sandbox = project(HONEST_AGENT, check, more);
    sandbox.write("README.md", "ours\n");
    sandbox.write("old.txt", "ours\n");
    sandbox.write("tests/other.sh", "true\n");
    sandbox.commit();
    sandbox
}

#[track_caller]
fn is_still_mine(sandbox: &Sandbox, ran: &Ran) {
    assert_eq!(sandbox.read("README.md"), "mine\n", "{}{}", ran.stdout, ran.stderr);
    assert_eq!(sandbox.read("mine.rs"), "mine\n", "{}{}", ran.stdout, ran.stderr);
    assert!(!sandbox.path("old.txt").exists(), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn ac_tdd_9_54_what_changes_while_the_baseline_runs_is_told_and_no_undo_takes_it_back() {
    left_to_the_night!();
    for level in ["audit", "enforce"] {
        for is_fix in [false, true] {
            let more = if is_fix { "fix: { checks: [sh ../check.sh] }\n" } else { "" };
            let sandbox = with_files(&format!("{ONCE}\n{HONEST_CHECK}"), more);
            let words: &[&str] = if is_fix { &["fix"] } else { &["STE-1"] };
            let ran = sandbox.tdd(&[words, &["--sandbox", level]].concat()).expect(0);
            let told = "look at: may be somebody else's: README.md, mine.rs, old.txt; kept as ";
            ran.says(&["no role was alive", "README.md, mine.rs, old.txt"]).says_on_stdout(&[told]);
            let ran = sandbox.tdd(&["undo"]).expect(0);
            is_still_mine(&sandbox, &ran);
            assert_eq!(sandbox.read("src.txt"), "one\n");
            sandbox.tdd(&["clean", "--all"]).expect(0);
            is_still_mine(&sandbox, &ran);
        }
    }
}

/// The twin: what the commands write each time is theirs, under a name of its own each time, too.
#[test]
fn ac_tdd_9_55_what_a_run_apart_writes_again_is_a_by_product() {
    left_to_the_night!();
    for writes in [
        "echo $$ >report.txt",
        "mkdir -p rep/$$; echo x >rep/$$/r",
        "mkdir -p logs; echo x >logs/at-$$.log",
        "echo made >made.rs",
        "echo changed >README.md",
        "echo $$ >tests/data.txt",
        "rm -f old.txt",
    ] {
        for level in ["audit", "enforce"] {
            let sandbox = with_files(&format!("{writes}\n{HONEST_CHECK}"), "");
            let before = sandbox.git(&["status", "--short"]);
            let ran = sandbox.tdd(&["STE-1", "--sandbox", level]).expect(0);
            assert!(!ran.stdout.contains("somebody else"), "{writes}: {}", ran.stdout);
            assert!(!ran.stderr.contains("no role was alive"), "{writes}: {}", ran.stderr);
            sandbox.tdd(&["undo"]).expect(0);
            assert_eq!(sandbox.git(&["status", "--short"]), before, "{writes}");
            let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
            assert!(!cleaned.stderr.contains("left alone"), "{writes}: {}", cleaned.stderr);
        }
    }
}

/// Two criteria, so that what tests make of the work after the first is not what they make of the result.
const TWO_CRITERIA: &str = "case $role in
test-writer) mkdir -p tests; for n in 1 2; do echo \"grep -q ac$n src.txt\" >tests/ac_ste_1_$n.sh; done
  block tests/ac_ste_1_1.sh,tests/ac_ste_1_2.sh;;
implementer) n=$(grep -o 'AC-STE-1.[12]' $2 | head -1); echo ac${n#AC-STE-1.} >>src.txt; block src.txt;;
*) block '';;
esac
";

/// A list that the suite writes from the code is the suite's in every version; what a person writes into it is not.
#[test]
fn ac_tdd_9_70_what_the_suite_writes_from_the_code_is_a_by_product_after_each_criterion() {
    left_to_the_night!();
    // After each run of the suite in the work tree, as whoever sits there.
    let edits = "case $PWD in */repo) grep -q ac1 src.txt && echo mine >>API.md;; esac";
    for (edit, is_told) in [("", false), (edits, true)] {
        for level in ["audit", "enforce"] {
            let check = format!(
                "r=0; for t in tests/ac_*.sh; do test ! -e $t || sh $t || r=1; done\n\
                 {{ echo list; cat src.txt; }} >API.md\n{edit}\nexit $r\n"
            );
            let sandbox = project(TWO_CRITERIA, &check, "");
            sandbox.write("API.md", "list\none\n");
            let requirement = sandbox.read("specs/frs/STE-1.md");
            sandbox.write("specs/frs/STE-1.md", &format!("{requirement}- AC-STE-1.2: src.txt says more.\n"));
            sandbox.commit();
            let ran = sandbox.tdd(&["STE-1", "--sandbox", level]).expect(0);
            assert_eq!(ran.stdout.contains("somebody else"), is_told, "{level}: {}", ran.stdout);
            sandbox.tdd(&["undo"]).expect(0);
            let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
            assert_eq!(cleaned.stderr.contains("left alone"), is_told, "{level}: {}", cleaned.stderr);
        }
    }
}

/// A mode that the suite sets in each run is the suite's, of a protected file, too; one that a person sets is not.
#[test]
fn ac_tdd_9_72_a_mode_that_the_suite_sets_of_a_protected_file_is_no_roles_fault() {
    left_to_the_night!();
    let once = "test -e ../once || { : >../once; chmod 755 tests/other.sh; }";
    let always = "chmod 755 tests/other.sh README.md";
    // In `enforce` no test could set it once in a person's place.
    for (sets, is_told, levels) in [(always, false, &["audit", "enforce"][..]), (once, true, &["audit"])] {
        for level in levels {
            let sandbox = with_files(&format!("{sets}\n{HONEST_CHECK}"), "");
            let ran = sandbox.tdd(&["STE-1", "--sandbox", level]).expect(0);
            assert!(!ran.stdout.contains("attempts: 4"), "{level}: {}", ran.stdout);
            assert_eq!(ran.stdout.contains("somebody else"), is_told, "{level}: {}", ran.stdout);
            sandbox.tdd(&["undo"]).expect(0);
            let status = sandbox.git(&["status", "--short"]);
            assert_eq!(status.contains("tests/other.sh"), is_told, "{level}: {status}");
        }
    }
}

/// A role that changes what such a file holds is told of it as ever.
#[test]
fn what_a_role_writes_to_a_file_whose_mode_the_suite_sets_is_held_against_it() {
    let agent = HONEST_AGENT.replace("echo two >>src.txt", "echo two >>src.txt; echo false >>tests/other.sh");
    let check = format!("chmod 755 tests/other.sh\n{HONEST_CHECK}");
    let sandbox = project(&agent, &check, "budgets: { semantic: 1 }\n");
    sandbox.write("tests/other.sh", "true\n");
    sandbox.commit();
    sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(1).says_on_stdout(&["tests/other.sh"]);
}

/// Whoever is stopped amid the baseline has changed nothing, and whoever goes on neither.
#[test]
fn ac_tdd_9_54_a_stop_amid_the_baseline_makes_nothing_the_runs_own() {
    left_to_the_night!();
    let check = format!(
        "{ONCE}\ntest -e ../held || {{ : >../held; echo up >../up; read line <../go; }}\n{HONEST_CHECK}"
    );
    for signal in [Signal::INT, Signal::KILL] {
        for goes_on in [false, true] {
            let sandbox = with_files(&check, "");
            ended_by(signal, &sandbox);
            if goes_on {
                sandbox.tdd(&["resume"]).expect(0).says_on_stdout(&["may be somebody else's: README.md"]);
            }
            let ran = sandbox.tdd(&["undo"]).expect(if goes_on { 0 } else { 2 });
            is_still_mine(&sandbox, &ran);
        }
    }
}

/// What was edited once is no by-product from then on.
#[test]
fn ac_tdd_9_54_what_is_edited_again_while_later_tests_run_is_kept_and_told_as_well() {
    let again = "test ! -e tests/ac_ste_1_1.sh || test -e ../again || { : >../again; echo more >README.md; }";
    let sandbox = with_files(&format!("{ONCE}\n{again}\n{HONEST_CHECK}"), "");
    let ran = sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(0);
    let told = ran.stdout.matches("may be somebody else's").count();
    assert_eq!(told, 2, "{}", ran.stdout);
    let ran = sandbox.tdd(&["undo"]).expect(0);
    is_still_mine(&sandbox, &ran);
    sandbox.tdd(&["clean", "--all"]).expect(0).says(&["left alone", "README.md"]);
}

/// The second requirement's baseline runs on the work of the first.
#[test]
fn ac_tdd_9_54_the_baseline_of_a_second_requirement_is_no_other() {
    left_to_the_night!();
    let once = "test -e ../first && test ! -e ../once && { : >../once; echo mine >README.md; }";
    let check = format!("{once}\nfor t in tests/ac_*.sh; do test ! -e $t || sh $t || exit 1; done\n");
    let agent = "case $role in
test-writer) mkdir -p tests; n=$(grep -o 'AC-[A-Z]*-1' $2 | head -1 | cut -d- -f2); low=$(echo $n | tr A-Z a-z)
  echo \"grep -q $n src.txt\" >tests/ac_${low}_1_1.sh; block tests/ac_${low}_1_1.sh;;
implementer) n=$(grep -o 'AC-[A-Z]*-1' $2 | head -1 | cut -d- -f2); echo $n >>src.txt; block src.txt;;
*) : >../first; block '';;
esac
";
    let sandbox = project(agent, &check, "");
    sandbox.write("README.md", "ours\n");
    sandbox
        .write("specs/frs/TWO-1.md", "# Two\n\n## Acceptance Criteria\n\n- AC-TWO-1.1: src.txt says TWO.\n");
    sandbox.commit();
    sandbox.tdd(&["--all", "--sandbox", "audit"]).expect(0);
    assert_eq!(sandbox.read("README.md"), "mine\n");
    sandbox.tdd(&["undo"]).expect(0);
    sandbox.tdd(&["undo", "STE-1"]).expect(2).says(&["README.md (changed)"]);
    assert_eq!(sandbox.read("README.md"), "mine\n");
}

/// A suite that writes a file for each of its tests, and so for `tdd`'s own copies of them.
const ONE_EACH: &str = "import pathlib
def pytest_runtest_logreport(report):
    if report.when == 'call':
        folder = pathlib.Path('out'); folder.mkdir(exist_ok=True)
        name = report.nodeid.replace('/', '_').replace('::', '-')
        (folder / (name + '.txt')).write_text(report.outcome + str(report.duration))
";

#[test]
fn ac_tdd_9_71_what_tests_write_for_a_canary_is_nobodys_and_put_back_in_silence() {
    left_to_the_night!();
    if !has_pytest() {
        return;
    }
    let agent = "case $role in
test-writer) printf 'import cart\ndef test_two():\n    assert cart.two() == 2\n' >tests/test_ac_ste_1_1.py; block tests/test_ac_ste_1_1.py;;
implementer) printf 'def two():\n    return 2\n' >>cart.py; block cart.py;;
*) block '';;
esac
";
    let edits = "import pathlib
once = pathlib.Path('../once')
def pytest_sessionfinish(session):
    if 'two' in pathlib.Path('cart.py').read_text() and not once.exists():
        once.write_text('')
        pathlib.Path('out/mine.txt').write_text('mine')
";
    for (more, told) in [("", 0), (edits, 1)] {
        let sandbox = project(agent, "", "");
        let yaml = sandbox.read("tdd.yaml");
        let agents = &yaml[yaml.find("backoff").unwrap()..];
        sandbox.write("tdd.yaml", &format!("test: python3 -m pytest -q\n{agents}"));
        sandbox.write("tests/conftest.py", &format!("{ONE_EACH}{more}"));
        sandbox.write("tests/test_base.py", "def test_base():\n    assert 1 + 1 == 2\n");
        sandbox.write("cart.py", "ONE = 1\n");
        sandbox.commit();
        let ran = sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(0);
        assert!(!ran.stderr.contains("out/tests_test_q"), "{}", ran.stderr);
        let lines: Vec<&str> = ran.stdout.lines().filter(|line| line.contains("somebody else")).collect();
        assert_eq!(lines.len(), told, "{}", ran.stdout);
        assert!(lines.iter().all(|line| line.contains(": out/mine.txt;")), "{}", ran.stdout);
        let cleaned = sandbox.tdd(&["undo"]).expect(0);
        assert!(cleaned.stderr.is_empty(), "{}", cleaned.stderr);
        let cleaned = sandbox.tdd(&["clean", "--all"]).expect(0);
        assert_eq!(cleaned.stderr.contains("left alone"), told > 0, "{}", cleaned.stderr);
    }
}

#[test]
fn ac_tdd_8_60_a_gate_that_finds_fault_with_our_own_folder_is_told_how_to_pass_it_over() {
    let advice = "a line `.tdd/` in .gitignore";
    // As formatters look for files: whatever git was told apart from the tree's own rules.
    let look =
        "f=$(find . -path './.tdd/*' -name '*.json'); test -z \\\"$f\\\" || { echo \\\"$f\\\"; exit 1; }";
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, &format!("gate: \"{look}\"\n"));
    sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(2).says(&[advice, "--allow-red-gate"]);
    let sandbox = project(HONEST_AGENT, HONEST_CHECK, "gate: \"echo tdd; exit 1\"\n");
    let ran = sandbox.tdd(&["STE-1", "--sandbox", "audit"]).expect(2);
    assert!(!ran.stderr.contains(advice), "{}", ran.stderr);
}
